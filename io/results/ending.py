"""What becomes of the parts of a run at its end: one file of their contents, or an index that is finished."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
from mpi4py import MPI

from ..reading import FRAMES, KINDS, note_made
from ..state.apart import set_apart
from ..state.checkpoint import seal_file, write_checkpoint
from ..state.disk import sync_path, take_on_trial
from ..state.full_state import FullState, size_of, write_rows
from ..state.holders import Holders
from ..state.losses import Loss, get_losses, put_losses
from ..state.manifest import Manifest
from ..state.rowfile import RowFile
from ..state.shared_errors import together
from ..state.writable import WritableFile
from .assemble import fill, read_origin, small_of, write_index
from .frame_copy import copy_frames, leave_out_damaged
from .paths import STATIC, parts_of
from .series import SegmentReader, Series


def finish(
    comm: MPI.Comm, out: Path, state: FullState, manifest: Manifest, reader: SegmentReader, compression: str = "none"
) -> list[Loss]:
    """Write OUT.h5 as a single file with all frames, the observables and the final state, and remove the parts. Collective.

    Frames and observables that differ from what was written are omitted. In that case the parts that contained them are moved to OUT.h5.damaged, and
    the result records what it lacks.

    Args:
        comm: communicator.
        out: the result file, OUT.h5.
        state: state at the end of the run.
        manifest: all parts of the run; only that of rank 0 is used.
        reader: reader of the segments; only that of rank 0 is used.
        compression: how the fields of grains in frames are compressed, or none.

    Returns:
        What was lost, except losses accepted earlier; the same on all ranks.

    Raises:
        FileError: the file could not be written; raised on every rank, and the parts are untouched.
    """
    parts = parts_of(out)
    new = parts / "result.new"
    series, losses, known = _what_is_there(comm, out, manifest, reader)
    unusable = list(losses)
    damaged: list[Loss] | None = None
    while damaged is None or damaged:
        count = _begun(comm, out, new)
        frame_bytes = sum(count * width * kind.itemsize for width, kind in series.fields.values())
        size = series.frames * frame_bytes + series.contacts.nbytes + size_of(state, comm)
        with RowFile(comm, new, "r+", shown=out) as file:
            file.reserve(size + small_of(series), Holders.of(comm, size))
            with file.structure() as skeleton:
                if skeleton is not None:
                    fill(skeleton, series, compression=compression)
            damaged = copy_frames(file, series, count, compression)
            losses += [loss for loss in damaged if loss not in known]
            unusable += damaged
            if not damaged:
                checksums = write_rows(file, KINDS["result"], state)
                file.sync(ends=False)
    with together(comm, f"{out} could not be written"):
        if comm.rank == 0:
            if losses:
                with WritableFile(new, "r+") as handle:
                    put_losses(handle, get_losses(handle) + losses)
            seal_file(new, "result", state, checksums, read_origin(parts))
            _take_the_place_of(out, new, unusable)
    return losses


def leave_index(
    comm: MPI.Comm, out: Path, state: FullState, manifest: Manifest, reader: SegmentReader, count: int, compression: str = "none"
) -> list[Loss]:
    """Write OUT.h5 as an index of the parts, of which a checkpoint is the final state, and let the parts stay. Collective.

    Frames that differ from what was written are read, named and not shown; the parts that contain them stay, for the others.

    Args:
        comm: communicator.
        out: the result file, OUT.h5.
        state: state at the end of the run.
        manifest: all parts of the run, on rank 0; what is lost is noted in it.
        reader: reader of the segments; only that of rank 0 is used.
        count: number of grains.
        compression: how the fields of grains in frames are compressed, or none.

    Returns:
        As ``finish``.

    Raises:
        FileError: something could not be written or read; raised on every rank.
    """
    series, losses, known = _what_is_there(comm, out, manifest, reader)
    losses += [loss for loss in leave_out_damaged(comm, series, count, compression) if loss not in known]
    if comm.rank == 0:
        manifest.losses += losses
    path = write_checkpoint(comm, parts_of(out), state, manifest)
    with together(comm, f"{out} could not be written"):
        if comm.rank == 0:
            write_index(out, manifest, reader, path, series)
    return losses


def _what_is_there(comm: MPI.Comm, out: Path, manifest: Manifest, reader: SegmentReader) -> tuple[Series, list[Loss], list[Loss]]:
    """Find what the parts of a run hold at its end, before frames are read. Collective.

    Args:
        comm: communicator.
        out: the result file, OUT.h5.
        manifest: all parts of the run, on rank 0; those that are missing or were changed are taken out of it.
        reader: reader of the segments; only that of rank 0 is used.

    Returns:
        Their frames and observables; what is lost, except losses accepted earlier; and the latter.

    Raises:
        FileError: a part cannot be read, though it may be whole; raised on every rank.
    """
    series, losses = Series(), list[Loss]()
    with together(comm, f"{out} could not be written"):
        if comm.rank == 0:
            losses = manifest.lost(parts_of(out))
            for loss in losses:
                del manifest.parts[loss.part]
            series = reader.series(manifest.parts)
            if series.refused is not None:
                raise series.refused
            losses += [loss for loss in series.losses if loss not in manifest.losses]
    found: tuple[Series, list[Loss], list[Loss]] = comm.bcast((series, losses, manifest.losses))
    return found


def _begun(comm: MPI.Comm, out: Path, new: Path) -> int:
    """Begin the complete result with the static part. Returns the number of grains. Collective."""
    count, static = 0, parts_of(out) / STATIC
    with together(comm, f"{out} could not be written"):
        if comm.rank == 0:
            take_on_trial(new, static.stat().st_size)
            shutil.copyfile(static, new)
            with h5py.File(new, "r") as handle:
                count = handle[f"{FRAMES}/id"].shape[0]
    return int(comm.bcast(count))


def _take_the_place_of(out: Path, new: Path, losses: list[Loss]) -> None:
    """Give the complete result its name, and remove the parts but for those that are damaged."""
    parts = parts_of(out)
    for name in {loss.part for loss in losses}:
        if (parts / name).exists():
            set_apart(out, parts / name)
    new.rename(out)
    note_made(out)
    sync_path(out.parent)
    shutil.rmtree(parts, ignore_errors=True)
