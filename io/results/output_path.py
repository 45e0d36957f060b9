"""Where a run writes: OUT.h5, and beside it OUT.h5.parts while it runs. What is there already is never lost unasked."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import h5py
from mpi4py import MPI

from pardem.errors import FileError

from ..state.apart import keep_apart, set_apart
from ..state.checkpoint import checkpoints, is_one_file, step_of
from ..state.losses import Loss, read_losses, refusal, refusal_of_result
from ..state.manifest import Manifest, noted, read_manifest
from ..state.packing import require
from ..state.shared_errors import together
from .assemble import assemble
from .paths import STATIC, base_step, earlier_results, parts_of, segment_path, segments
from .series import lost_of_result


def prepare_output(comm: MPI.Comm, out: Path | str, *, resume: bool, force: bool, fresh: bool) -> str:
    """Make way for the output of a run. Collective.

    Args:
        comm: communicator.
        out: result file.
        resume: the run may go on from what is there.
        force: what is there may be removed.
        fresh: the run starts anew (with ``resume``: because there is no valid checkpoint); what is there is renamed.

    Returns:
        A sentence on what was renamed, or "".

    Raises:
        FileError: output exists and neither ``resume`` nor ``force`` is given, or is nothing that a run wrote and is to be replaced, or the folder
            cannot be written; on every rank.
    """
    out, notice = Path(out), ""
    with together(comm, f"{out} could not be made ready"):
        if comm.rank == 0:
            notice = _prepare(out, resume, force, fresh)
    return comm.bcast(notice)


def check_output(comm: MPI.Comm, out: Path, *, compression: str, resume: bool, force: bool, start: Path | None = None) -> None:
    """Refuse an output that cannot be written, or that exists and is not to be resumed, or not what a run may replace. Changes nothing. Collective.

    Args:
        comm: communicator.
        out: path of the result.
        compression: of frames.
        resume: whether an existing run is to be resumed.
        force: whether an existing output is to be replaced.
        start: result or checkpoint that the run starts from.

    Raises:
        FileError: on every rank.
    """
    out = Path(out)
    with together(comm, f"{out} could not be made ready"):
        require(compression)
        if comm.rank == 0:
            _check(out, resume, force)
            if start is not None and (start.resolve() == out.resolve() or start.resolve().parent == parts_of(out).resolve()):
                raise FileError(f"{out} is what the run starts from (start.from), which its output would replace; name another file with -o")


def _check(out: Path, resume: bool, force: bool) -> list[Path]:
    if out.is_dir():
        raise FileError(f"{out} is a folder; name a file with -o")
    if out.exists() and not out.is_file():
        raise FileError(f"{out} is a device or a pipe, not a file; name a file with -o")
    if not out.parent.is_dir():
        raise FileError(f"{out.parent} is no folder: make it, or name another file with -o")
    there = [p for p in (out, parts_of(out)) if p.exists()]
    if there and not (resume or force):
        raise FileError(f"{there[0]} already exists; go on with it by --resume, or replace it by --force")
    if force and there == [out] and out.stat().st_size and not h5py.is_hdf5(out):
        raise FileError(f"{out} is no result of a run, which --force may replace, but another kind of file: remove it, or name another file with -o")
    return there


def _prepare(out: Path, resume: bool, force: bool, fresh: bool) -> str:
    parts = parts_of(out)
    there = _check(out, resume, force)
    if there and force:
        out.unlink(missing_ok=True)
        shutil.rmtree(parts, ignore_errors=True)
    elif there and fresh:
        return _set_aside(out, parts)
    return ""


def _set_aside(out: Path, parts: Path) -> str:
    number = 1
    while (old := out.with_name(f"{out.stem}.old{number}{out.suffix}")).exists() or parts_of(old).exists():
        number += 1
    if parts.exists():
        parts.rename(parts_of(old))
    if out.exists():
        index = parts_of(old).exists() and not is_one_file(out)
        out.rename(old)
        if index:
            with suppress(FileError):  # without its static part the old index stays, and says so itself
                assemble(old)
    names = " and ".join(str(p) for p in (old, parts_of(old)) if p.exists())
    return f"there was no checkpoint to go on from: the output that existed is now {names}"


class ResumedOutput(NamedTuple):
    """What a run that goes on finds.

    Attributes:
        number: number of the next segment.
        manifest: manifest of the parts that are kept; its losses are those that were given up before.
        losses: parts that are not as the checkpoint notes them.
        notices: a sentence for each file that was set apart.
    """

    number: int
    manifest: Manifest
    losses: list[Loss]
    notices: list[str]


def go_on_from(out: Path, step: int, accept_loss: bool = False) -> ResumedOutput:
    """Prepare the parts for continuing from a step: whatever is later is removed. Called by one process.

    A finished result becomes the first segment. Segments begin right after a checkpoint, so those that began at ``step`` or later, and that its
    checkpoint does not name, hold later rows only. What cannot be read, and what no checkpoint knows, is not removed but moved to OUT.h5.damaged. A
    result that is damaged in part is kept there as well.

    Args:
        out: path of the result.
        step: step from which the run is continued.
        accept_loss: whether to continue although parts are missing or were changed.

    Returns:
        What the run continues with.

    Raises:
        FileError: parts are not as the checkpoint records them, or a result not as it was written, and that is not accepted; nothing was changed.
    """
    parts, partly = parts_of(out), list[Loss]()
    if is_one_file(out):
        partly = lost_of_result(out, parts)
        if partly and not accept_loss:
            raise FileError(refusal_of_result(out, partly))
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
        out.rename(segment_path(parts, 0, "result"))
    parts.mkdir(exist_ok=True)
    found = [path for path in checkpoints(parts) if step_of(path) == step]
    manifest = read_manifest(found[0]) if found else None
    there = segments(parts)
    bases = {path: base_step(path) for _, path in there}
    known = manifest.parts if manifest is not None else {}
    kept = [path for path, base in bases.items() if base is not None and (base < step or path.name in known)]
    if manifest is None:  # of format 1, or nothing but a result that is prolonged
        manifest = noted([path for path in [parts / STATIC] if path.exists()] + kept)
        losses = [loss for loss in manifest.losses if loss not in read_losses(parts)]
        partly = partly or [loss for path in kept if path in earlier_results(parts) for loss in lost_of_result(path, parts)]
    else:
        losses = manifest.lost(parts)
    if (losses or partly) and not accept_loss:
        raise FileError(refusal(parts, losses + partly))
    lost = {loss.part for loss in losses}
    for path in [*parts.glob("*.new"), *(path for path, base in bases.items() if base is not None and path not in kept)]:
        path.unlink()
    apart = [path for path in checkpoints(parts) if step_of(path) > step]
    apart += [path for path, base in bases.items() if base is None or (path in kept and (path.name in lost or path.name not in manifest.parts))]
    apart += [path for path in [parts / STATIC] if path.exists() and path.name in lost]
    notices = [f"{path.name} cannot be used; it is now {set_apart(out, path)}" for path in apart]
    if partly:
        notices += [f"{path.name} is damaged; it is kept as {keep_apart(out, path)}" for path in earlier_results(parts)]
    number = max([-1, *(int(name[8:14]) for name in manifest.parts if name != STATIC)]) + 1
    manifest.parts = {name: entry for name, entry in manifest.parts.items() if (parts / name).exists()}
    return ResumedOutput(number, manifest, losses + partly, notices)
