"""A synthetic run for the tests of files: every array is a function of id and step, rows are scattered over ranks anew at every step.

As a program: ``mpirun -n N python io_scene.py OUT.h5 LAST [--resume] [--pause SECONDS] [--serial] [--limit BYTES] [--stop]``.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.results.contact_frames import ContactFrame
from pardem.io.results.file_form import FileForm
from pardem.io.results.output_path import prepare_output
from pardem.io.results.paths import parts_of
from pardem.io.results.static_part import DomainBox, StaticPart
from pardem.io.results.writer import ResultWriter
from pardem.io.state import holders, row_writer
from pardem.io.state.checkpoint import newest_valid_checkpoint, read_checkpoint
from pardem.io.state.full_state import ContactRows, FullState, GrainTable
from pardem.state.saved import RunHeader

COUNT = 53
holders.SHARE = 1 << 10  # bytes: several ranks write these small files
HASH = "c0ffee"
WALLS = ("floor", "lid: µ")
FRAMES_EVERY, CHECKPOINT_EVERY = 10, 30
CATALOGUE = {"mass": np.array([1.0, 2.5]), "dimension": np.array([3, 3]), "radius": np.array([0.1, 0.2]), "vertices": np.arange(12.0).reshape(4, 3)}


def owned(comm: MPI.Comm, step: int) -> np.ndarray:
    """Ids of this rank's grains, in no order."""
    gid = np.random.default_rng(step).permutation(COUNT)
    return gid[np.random.default_rng(step + 1).integers(0, comm.size, COUNT) == comm.rank].astype(np.int64)


def fields(step: int) -> dict[str, np.ndarray]:
    """A frame, all grains in the order of their ids."""
    rng = np.random.default_rng(1000 + step)
    return {
        "position": rng.random((COUNT, 3)),
        "image": rng.integers(-3, 4, (COUNT, 3)).astype(np.int32),
        "orientation": rng.standard_normal((COUNT, 4)),
        "velocity": rng.standard_normal((COUNT, 3)),
    }


def observables(step: int) -> dict[str, Any]:
    return {"energy/kinetic": 1.0 / (step + 1), "layers": np.sqrt(np.arange(2.0 + step // 40)), "contacts": 3 * step}


def touching(step: int) -> dict[str, np.ndarray]:
    """Contacts of a frame, ordered by key; of one frame none."""
    rng = np.random.default_rng(4000 + step)
    many = 0 if step % 70 == 20 else 40 + step % 7
    pairs = {(int(a), int(b), int(s)) for a, b, s in rng.integers(0, COUNT, (many, 3)) if a < b}
    pairs |= {(int(a) + 7, -1 - int(w), 0) for a, w in rng.integers(0, 2, (many // 5, 2))}
    key = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 3)
    widths = {"point": (3,), "normal": (3,), "overlap": (), "force": (3,)}
    return {"bodies": key[:, :2], "sub": key[:, 2], **{name: rng.standard_normal((len(key), *width)) for name, width in widths.items()}}


def contact_frame(comm: MPI.Comm, step: int, known: bool = True) -> ContactFrame:
    """This rank's part of them; those between grains of two ranks are on both."""
    gid, every = owned(comm, step), touching(step)
    mine = np.isin(every["bodies"], gid).any(axis=1)
    part = {name: values[mine] for name, values in every.items()}
    order = np.random.default_rng(step).permutation(int(mine.sum()))
    key = np.column_stack([part.pop("bodies"), part.pop("sub")])[order]
    return ContactFrame(key, {name: values[order] for name, values in part.items()}, WALLS, known)


def contacts(step: int) -> tuple[np.ndarray, ...]:
    """All contacts, ordered by key; the higher id is negative for walls."""
    rng = np.random.default_rng(2000 + step)
    keys = {(int(a), int(b)) for a, b in rng.integers(0, COUNT, (150, 2)) if a < b} | {(int(a), -1) for a in rng.integers(0, COUNT, 9)}
    lower, higher = np.array(sorted(keys), dtype=np.int64).T
    m = len(lower)
    return lower, higher, np.zeros(m, np.int64), rng.standard_normal((m, 8)), rng.integers(-(2**62), 2**62, (m, 2))


def state(comm: MPI.Comm, step: int) -> FullState:
    """A state with this rank's grains and contacts (those across ranks on both)."""
    gid, everything = owned(comm, step), fields(step)
    force = np.random.default_rng(3000 + step).integers(-(2**62), 2**62, (COUNT, 8))
    lower, higher, *rest = contacts(step)
    mine = np.isin(lower, gid) | np.isin(higher, gid)
    header = RunHeader(step, HASH, totals=[2**90 + step, -(2**70)], quanta=(2.0**-40, 0.1))
    grains = {"x": everything["position"][gid], "ft": force[gid], "species": (gid % 2).astype(np.int32)}
    rows = ContactRows(lower[mine], higher[mine], *(a[mine] for a in rest))
    return FullState(header, GrainTable(gid, grains), rows, {"motion": np.full((2, 8), 0.1 * step)})


def writer(comm: MPI.Comm, out: Path, resume_step: int | None = None, *, accept_loss: bool = False, command: str = "", **form: Any) -> ResultWriter:
    gid = owned(comm, 7)
    box = DomainBox((0.0, 0.0, 0.0), (1.0, 1.0, 2.0), (True, True, False))
    static = StaticPart('title = "µ"\n', HASH, CATALOGUE, gid, gid % 2, 1.0 + gid / COUNT, box)
    return ResultWriter(comm, out, static, FileForm(**form), resume_step=resume_step, accept_loss=accept_loss, command=command)


def run(
    comm: MPI.Comm, out: Path, last: int, *, resume: bool = False, pause: float = 0.0, finish: bool = True, accept_loss: bool = False,
    contacts: bool = True, **options: Any,
) -> ResultWriter:  # fmt: skip
    """A run from its start, or from its newest checkpoint, to step ``last``."""
    step = None
    if resume:
        found = newest_valid_checkpoint(comm, parts_of(out), HASH, accept_loss)
        if found.path is not None:
            step = read_checkpoint(comm, found.path).header.step
    prepare_output(comm, out, resume=resume, force=False, fresh=step is None)
    results = writer(comm, out, step, accept_loss=accept_loss, **options)
    for now in range(0 if step is None else step + FRAMES_EVERY, last + 1, FRAMES_EVERY):
        gid = owned(comm, now)
        results.observables(now, 0.1 * now, observables(now))
        shown = contact_frame(comm, now) if contacts else None
        results.frame(now, 0.1 * now, gid, {name: values[gid] for name, values in fields(now).items()}, shown)
        if now % CHECKPOINT_EVERY == 0 and now:
            results.checkpoint(state(comm, now))
        if comm.rank == 0 and pause:
            print("step", now, flush=True)
        time.sleep(pause)
    if finish:
        results.notices += [f"lost {loss}" for loss in results.finish(state(comm, last))]
    else:
        results.close()
    return results


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("last", type=int)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--accept-loss", action="store_true")
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--serial", action="store_true")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--stop", action="store_true")
    arguments = parser.parse_args()
    if arguments.serial:
        row_writer.parallel_hdf5 = lambda: False
    if arguments.limit:  # a file that may not grow stands for a full disk, which would cut bytecode as well, without a word
        sys.dont_write_bytecode = True
        resource.setrlimit(resource.RLIMIT_FSIZE, (arguments.limit, arguments.limit))
    try:
        results = run(
            MPI.COMM_WORLD, arguments.out, arguments.last, resume=arguments.resume, pause=arguments.pause, accept_loss=arguments.accept_loss,
            finish=not arguments.stop,
        )  # fmt: skip
    except FileError as error:
        print(f"rank {MPI.COMM_WORLD.rank}: {error}", flush=True)
        raise SystemExit(3) from None
    if MPI.COMM_WORLD.rank == 0:
        print("done", *results.notices)


if __name__ == "__main__":
    main()
