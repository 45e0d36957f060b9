"""Ranks that share cores, among themselves or with other programs: they wait for each other by spinning, which takes that time from others."""

from __future__ import annotations

import os
from pathlib import Path

from mpi4py import MPI

BUSY = 0.5  # of a core: load beyond the cores that is still put down to chance


def sharing_notice(comm: MPI.Comm) -> str:
    """One sentence if ranks do not have a core each, with the launcher's mode in which those that wait give way. Collective.

    Args:
        comm: communicator.

    Returns:
        The sentence on rank 0 where there is something to say; else an empty text.
    """
    if comm.size == 1:
        return ""
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    cores = len(set().union(*node.allgather(mine)))
    ranks = node.size
    load = others_busy(ranks)
    node.Free()
    rows = comm.gather((ranks, cores, load))
    if rows is None:
        return ""
    ranks, cores, load = max(rows, key=lambda row: (row[0] - row[1], row[0] + row[2] - row[1]))
    return notice(ranks, cores, load, MPI.Get_library_version(), dict(os.environ))


def others_busy(ranks: int) -> float:
    """Mean number of processes that kept cores busy in the last minute and still do, without the ranks of this run.

    Args:
        ranks: number of ranks of the run on this node.
    """
    try:
        words = Path("/proc/loadavg").read_text().split()
        return max(0.0, min(float(words[0]), float(words[3].split("/")[0]) - ranks))
    except (OSError, ValueError, IndexError):
        return 0.0


def notice(ranks: int, cores: int, load: float, library: str, environment: dict[str, str]) -> str:
    """The sentence for one node.

    Args:
        ranks: number of ranks of the run on the node.
        cores: that they may use.
        load: mean number of processes of others that keep cores busy.
        library: version text of the MPI library.
        environment: environment of the ranks.
    """
    if ranks > cores:
        what = f"{ranks} ranks share {cores} core{'s' if cores > 1 else ''}"
    elif ranks + load > cores + BUSY and load > BUSY:
        what = f"other programs keep about {load:.1f} of the {cores} cores busy that these {ranks} ranks use"
    else:
        return ""
    if environment.get("OMPI_MCA_mpi_yield_when_idle", "0") not in ("0", "false", ""):
        return ""
    cure = "start fewer ranks"
    if "open mpi" in library.lower():
        cure += ", or let ranks that wait give way: mpirun --mca mpi_yield_when_idle 1"
    return f"{what}, and a rank that waits for another takes its time: the run may be many times slower; {cure}"
