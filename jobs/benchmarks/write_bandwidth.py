"""Speed at which frames and checkpoints reach the disk, as a share of that of a plain sequential write of as many bytes by the same ranks.

mpirun -n RANKS python jobs/benchmarks/write_bandwidth.py [GRAINS] [FOLDER] [--disk WORDS] [--document docs/hpc.md]

The grains are not simulated: their rows hold random numbers, in an order that has nothing to do with their ids, and there are three contacts a grain.
With 10^7 grains a checkpoint takes 5.6 GB, of which there are three beside each other for a moment, and the ranks 12 GB of memory. All is forced onto
the disk, and checkpoints are read back. Writes and plain writes take turns; the table holds the least time of each, the processor time of that turn
(user + system, all ranks), and the memory that a rank took in addition at most. With --document the table is put into a page; words on
the disk distinguish rows that were measured on another one, or on one whose speed was limited.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from pardem import __version__
from pardem.io.results.file_form import FileForm
from pardem.io.results.paths import parts_of
from pardem.io.results.static_part import DomainBox, StaticPart
from pardem.io.results.writer import ResultWriter
from pardem.io.state.checkpoint import read_checkpoint
from pardem.io.state.full_state import ContactRows, FullState, GrainTable
from pardem.io.state.holders import block_starts
from pardem.state.population import ContactTable, Population
from pardem.state.saved import RunHeader

TURNS = 5
CONTACTS = 3  # per grain
PIECE = 1 << 24  # bytes of one plain write
BEGIN, END = "<!-- jobs/benchmarks/write_bandwidth.py -->", "<!-- end -->"
HEAD = """| | size | time | plain | share | processor time | of the plain one | memory |
|---|---|---|---|---|---|---|---|"""


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


class Cost(NamedTuple):
    """What a call takes.

    Attributes:
        wall: wall time (s) of the slowest rank.
        user: processor time of all ranks (s).
        system: processor time of the system for them (s).
        memory: bytes that a rank takes in addition, at most.
    """

    wall: float
    user: float
    system: float
    memory: float


def timed(comm: MPI.Comm, call: Callable[[], object]) -> Cost:
    """What a call takes; the disk is at rest at its beginning."""
    os.sync()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    comm.Barrier()
    before, begin, memory = os.times(), time.perf_counter(), _memory("VmRSS")
    call()
    wall, after = time.perf_counter() - begin, os.times()
    spent = [comm.allreduce(after[k] - before[k]) for k in range(2)]
    return Cost(comm.allreduce(wall, MPI.MAX), spent[0], spent[1], comm.allreduce(_memory("VmHWM") - memory, MPI.MAX))


def _memory(what: str) -> float:
    """Memory of this rank (bytes)."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024.0 * float(found[1])


def plain(comm: MPI.Comm, path: Path, size: int) -> None:
    """Write bytes to one file, each rank its share from the start to the end, and force them onto the disk."""
    first, last = block_starts(size, comm.size)[comm.rank : comm.rank + 2]
    piece = np.random.default_rng(3).bytes(PIECE)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    for place in range(first, last, PIECE):
        os.pwrite(descriptor, piece[: last - place], place)
    os.fsync(descriptor)
    os.close(descriptor)


def plain_read(comm: MPI.Comm, path: Path) -> None:
    """Read a file, each rank its share."""
    first, last = block_starts(path.stat().st_size, comm.size)[comm.rank : comm.rank + 2]
    piece = memoryview(bytearray(PIECE))
    descriptor = os.open(path, os.O_RDONLY)
    for place in range(first, last, PIECE):
        os.preadv(descriptor, [piece[: last - place]], place)
    os.close(descriptor)


def row_of(comm: MPI.Comm, name: str, turns: list[tuple[Cost, Cost]], size: float) -> str:
    """Print what the quickest of several turns took, and give the row of the table."""
    cost, raw = (min(costs) for costs in zip(*turns, strict=True))
    ranks = f"{comm.size} rank{'s' if comm.size > 1 else ''}"
    cells = [
        f"{name}, {ranks}", f"{size / 1e9:.3g} GB", f"{cost.wall:.2g} s", f"{raw.wall:.2g} s", f"{raw.wall / cost.wall:.2f}",
        f"{cost.user:.2g} + {cost.system:.2g} s", f"{raw.user:.2g} + {raw.system:.2g} s", f"{cost.memory / 1e6:.0f} MB",
    ]  # fmt: skip
    row = f"| {' | '.join(cells)} |"
    if comm.rank == 0:
        print(row, flush=True)
    return row


def compare(comm: MPI.Comm, name: str, what: Callable[[int], Callable[[], object]], writer: ResultWriter, files: str) -> str:
    """Measure calls that write, and plain writes of as many bytes in between.

    Args:
        comm: communicator.
        name: name of the row.
        what: makes the call of a turn.
        writer: where the calls write.
        files: pattern of the names of what they write.

    Returns:
        The row.
    """
    path, turns, before, size = writer.path.with_name("plain"), list[tuple[Cost, Cost]](), 0, 0
    for turn in range(TURNS):
        taken = timed(comm, what(turn))
        after = max(file.stat().st_size for file in parts_of(writer.path).glob(files))
        size, before = (after - before, after) if "segment" in files else (after, 0)  # frames follow each other in one file
        turns.append((taken, timed(comm, partial(plain, comm, path, size))))
        comm.Barrier()
        if comm.rank == 0:
            path.unlink()
    return row_of(comm, name, turns, size)


def measure(comm: MPI.Comm, count: int, place: Path, disk: str) -> list[str]:
    """The rows of the table."""
    grains = grains_of(comm, count)
    catalogue = {"mass": np.ones(1), "radius": np.ones(1), "dimension": np.full(1, 3)}
    box = DomainBox(np.zeros(3), np.ones(3), [False] * 3)
    static = StaticPart("", "hash", catalogue, grains.gid, grains.species, grains.scale, box)
    fields = {"position": grains.x[:, :3], "image": grains.image, "orientation": grains.q}
    fields |= {"velocity": grains.v[:, :3], "angular_velocity": grains.w[:, :3]}
    rows, many = [], f"{count:.0e} grains".replace("e+0", "·10^").removeprefix("1·") + disk
    for name, how in (("frame", "none"), ("frame with gzip", "gzip"), ("frame with zstd", "zstd")):
        writer = ResultWriter(comm, place / f"{name}.h5", static, FileForm(sync_frames=True, compression=how), pardem=__version__)
        frames = [partial(writer.frame, turn, float(turn), grains.gid, fields) for turn in range(TURNS)]
        rows.append(compare(comm, f"{name}, {many}", frames.__getitem__, writer, "segment-*-frames.h5"))
    state = state_of(grains, count, 0)

    def checkpoint(turn: int) -> Callable[[], object]:
        return partial(writer.checkpoint, state._replace(header=RunHeader(turn, "hash")))

    rows.append(compare(comm, f"checkpoint, {many}", checkpoint, writer, "checkpoint-*.h5"))
    path = parts_of(writer.path) / f"checkpoint-{TURNS - 1:012d}.h5"
    turns = [(timed(comm, partial(read_checkpoint, comm, path)), timed(comm, partial(plain_read, comm, path))) for _ in range(TURNS)]
    rows.append(row_of(comm, f"reading it to resume, {many}", turns, path.stat().st_size))
    return rows


def put_table(page: Path, rows: list[str]) -> None:
    """Put rows into the table of a page, in place of those of the same names."""
    before, table, behind = re.split(rf"(?s)(?<={BEGIN}\n)(.*)(?={END})", page.read_text())
    known = {row.split("|")[1].strip(): row for row in table.splitlines()[2:]} | {row.split("|")[1].strip(): row for row in rows}
    page.write_text("\n".join([f"{before}{HEAD}", *known.values(), behind]))


def main() -> None:
    """Print the rows, and put them into a page if that is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("grains", nargs="?", type=float, default=1e6)
    parser.add_argument("folder", nargs="?", type=Path, default=Path())
    parser.add_argument("--disk", default="", help="what to say of the disk")
    parser.add_argument("--document", type=Path)
    arguments, comm = parser.parse_args(), MPI.COMM_WORLD
    place = Path(comm.bcast(tempfile.mkdtemp(dir=arguments.folder) if comm.rank == 0 else ""))
    try:
        rows = measure(comm, int(arguments.grains), place, f", {arguments.disk}" if arguments.disk else "")
    finally:
        comm.Barrier()
        if comm.rank == 0:
            shutil.rmtree(place)
    if comm.rank == 0 and arguments.document is not None:
        put_table(arguments.document, rows)


if __name__ == "__main__":
    main()
