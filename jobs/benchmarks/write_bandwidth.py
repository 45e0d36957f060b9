"""Speed at which a frame and a checkpoint reach the disk, as a share of that of a plain sequential write of as many bytes by the same ranks.

mpirun -n RANKS python jobs/benchmarks/write_bandwidth.py [GRAINS] [FOLDER]

The grains are not simulated: their rows hold random numbers, in an order that has nothing to do with their ids, and there are three contacts a grain.
With 10^7 grains a checkpoint takes 5.6 GB, of which there are two beside each other for a moment, and the ranks 12 GB of memory.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from mpi4py import MPI

from pardem import __version__
from pardem.io.results.file_form import FileForm
from pardem.io.results.paths import parts_of
from pardem.io.results.static_part import DomainBox, StaticPart
from pardem.io.results.writer import ResultWriter
from pardem.io.state.full_state import ContactRows, FullState, GrainTable
from pardem.io.state.holders import block_starts
from pardem.state.population import ContactTable, Population
from pardem.state.saved import RunHeader

TURNS = 3
CONTACTS = 3  # per grain
PIECE = 1 << 24  # bytes of one plain write


def grains_of(comm: MPI.Comm, count: int) -> Population:
    """This rank's grains: every size-th id, shuffled."""
    gid = np.random.default_rng(comm.rank).permutation(np.arange(comm.rank, count, comm.size))
    grains = Population.made(len(gid), {"gid": gid})
    for name in ("x", "v", "w", "q", "am"):
        np.random.default_rng(1).random(out=getattr(grains, name))
    grains.ft[:] = grains.am.repeat(2, axis=1) * 1e12
    return grains


def state_of(grains: Population, count: int, step: int) -> FullState:
    """The grains with contacts between neighbours in the order of the ids."""
    table = ContactTable.blank(8, CONTACTS * grains.count)
    lower = grains.gid.repeat(CONTACTS)
    higher = lower + np.tile(np.arange(1, CONTACTS + 1), grains.count)
    key = np.stack([lower, np.where(higher < count, higher, count - 1 - higher), np.zeros_like(lower)], axis=1)  # the last ones touch walls
    table.hist[:, 0] = np.random.default_rng(2).random(len(key))
    contacts = ContactRows(key[:, 0], key[:, 1], key[:, 2], table.hist, table.warm)
    return FullState(RunHeader(step, "hash"), GrainTable(grains.gid, grains.saved_arrays()), contacts, {})


def timed(comm: MPI.Comm, call: Callable[[], object]) -> float:
    """Seconds that a call takes on the slowest rank."""
    os.sync()
    comm.Barrier()
    begin = time.perf_counter()
    call()
    return float(comm.allreduce(time.perf_counter() - begin, MPI.MAX))


def plain(comm: MPI.Comm, path: Path, size: int) -> None:
    """Write bytes to one file, each rank its share from the start to the end, and force them onto the disk."""
    first, last = block_starts(size, comm.size)[comm.rank : comm.rank + 2]
    piece = np.random.default_rng(3).bytes(PIECE)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    for place in range(first, last, PIECE):
        os.pwrite(descriptor, piece[: last - place], place)
    os.fsync(descriptor)
    os.close(descriptor)


def compare(comm: MPI.Comm, count: int, what: Callable[[int], Callable[[], object]], writer: ResultWriter, files: str) -> None:
    """Print the best times of some calls, and of plain writes in between.

    Args:
        comm: communicator.
        count: number of grains.
        what: makes the call of a turn.
        writer: where the calls write.
        files: pattern of the names of what they write.
    """
    path, times, before = writer.path.with_name("plain"), list[tuple[float, float]](), 0
    for turn in range(TURNS):
        taken = timed(comm, what(turn))
        after = max(file.stat().st_size for file in parts_of(writer.path).glob(files))
        size, before = (after - before, after) if "segment" in files else (after, 0)  # frames follow each other in one file
        times.append((taken, timed(comm, partial(plain, comm, path, size))))
        comm.Barrier()
        if comm.rank == 0:
            path.unlink()
    taken, least = (min(values) for values in zip(*times, strict=True))
    if comm.rank == 0:
        print(
            f"{count} grains on {comm.size} rank(s), a {what.__name__} of {size / 1e9:.3g} GB: {taken:.3g} s, {size / taken / 1e9:.3g} GB/s; "
            f"plain write {least:.3g} s, {size / least / 1e9:.3g} GB/s; share {least / taken:.2f}", flush=True,
        )  # fmt: skip


def main(count: int, folder: Path) -> None:
    """Print a line for frames and one for checkpoints."""
    comm = MPI.COMM_WORLD
    place = Path(comm.bcast(tempfile.mkdtemp(dir=folder) if comm.rank == 0 else ""))
    try:
        grains = grains_of(comm, count)
        catalogue = {"mass": np.ones(1), "radius": np.ones(1), "dimension": np.full(1, 3)}
        box = DomainBox(np.zeros(3), np.ones(3), [False] * 3)
        static = StaticPart("", "hash", catalogue, grains.gid, grains.species, grains.scale, box)
        writer = ResultWriter(comm, place / "out.h5", static, FileForm(sync_frames=True), pardem=__version__)
        fields = {"position": grains.x[:, :3], "image": grains.image, "orientation": grains.q}
        fields |= {"velocity": grains.v[:, :3], "angular_velocity": grains.w[:, :3]}

        def frame(turn: int) -> Callable[[], object]:
            return partial(writer.frame, turn, float(turn), grains.gid, fields)

        def checkpoint(turn: int) -> Callable[[], object]:
            return partial(writer.checkpoint, state_of(grains, count, turn))

        for what, files in ((frame, "segment-*-frames.h5"), (checkpoint, "checkpoint-*.h5")):
            compare(comm, count, what, writer, files)
    finally:
        comm.Barrier()
        if comm.rank == 0:
            shutil.rmtree(place)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000, Path(sys.argv[2] if len(sys.argv) > 2 else "."))
