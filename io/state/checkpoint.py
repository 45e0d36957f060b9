"""Checkpoints: the full state of a run, written to a new name, verified, then renamed; the two newest are kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from mpi4py import MPI

from pardem.errors import FileError
from pardem.version import FORMAT

from ..layout import fixed
from ..reading import KINDS, PARAMETERS, get_json, is_index, opened, put_json
from ..results.paths import out_of
from ..results.provenance import provenance
from ..results.series import lost_of_result
from .disk import sync_path
from .full_state import FullState, seal, size_of, write_rows
from .holders import Holders
from .losses import Loss, refusal, refusal_of_result
from .manifest import Manifest, put_manifest, read_manifest
from .rowfile import RowFile
from .seals import DAMAGE
from .shared_errors import UnreadableError, together, unreadable
from .state_reading import read_state, state_group
from .writable import WritableFile

KEEP = 2
BLOCK = 1 << 24  # bytes
_NAME = re.compile(r"checkpoint-(\d{12})\.h5")


class Found(NamedTuple):
    """State from which a run can be resumed.

    Attributes:
        path: newest valid checkpoint, or the finished result; None if there is neither.
        warnings: one sentence for each file that was rejected.
        losses: parts that differ from the checkpoint's record of them and are given up.
        state: the state that it holds, see ``read_checkpoint``.
    """

    path: Path | None
    warnings: list[str]
    losses: list[Loss]
    state: FullState | None


def write_checkpoint(comm: MPI.Comm, directory: Path | str, state: FullState, manifest: Manifest | None = None) -> Path:
    """Write a checkpoint, and remove all but the two newest. Collective.

    Its content is the same for every number of ranks, except the provenance and the manifest (sizes of files).

    Args:
        comm: communicator.
        directory: folder of the checkpoints; made if need be.
        state: state of this rank. A contact that several ranks know is written once.
        manifest: the parts of the run so far, if there are any; of rank 0.

    Returns:
        Path of the checkpoint. It is on the disk, and was read back and verified, before it got this name.

    Raises:
        FileError: it could not be written; on every rank, and the former checkpoints are untouched.
        ValueError: see ``write_rows``.
    """
    directory = Path(directory)
    path = directory / f"checkpoint-{state.header.step:012d}.h5"
    new = path.with_suffix(".new")
    with together(comm, f"{path} could not be written"):
        if comm.rank == 0:
            directory.mkdir(parents=True, exist_ok=True)
    with RowFile(comm, new, "w", shown=path, synced=True) as file:
        size = size_of(state, comm)
        file.reserve(size, Holders.of(comm, size))
        checksums = write_rows(file, KINDS["checkpoint"], state)
        file.sync(ends=False)
    with together(comm, f"{path} could not be written"):
        if comm.rank == 0:
            seal_file(new, "checkpoint", state, checksums, provenance(comm.size), manifest or Manifest())
    read_state(comm, new, keep=False)
    with together(comm, f"{path} could not be written"):
        if comm.rank == 0:
            new.rename(path)
            sync_path(directory)
            for old in checkpoints(directory)[KEEP:]:
                old.unlink()
    return path


def seal_file(path: Path, kind: str, state: FullState, checksums: dict[str, int], origin: Any, manifest: Manifest | None = None) -> None:
    """Write what makes the full state in a file complete, and force it onto the disk. Called by one process.

    Args:
        path: path of the file.
        kind: kind of file.
        state: the state.
        checksums: CRC-32 of the data sets of the state.
        origin: provenance of the file.
        manifest: manifest of the parts of the run, if any.
    """
    with WritableFile(path, "r+") as handle:
        seal(handle, KINDS[kind], state, checksums)
        handle.attrs["pardem_kind"] = fixed(kind)
        handle.attrs["pardem_format"] = FORMAT
        put_json(handle, "provenance" if kind == "checkpoint" else f"{PARAMETERS}/provenance", origin)
        if manifest is not None:
            put_manifest(handle, manifest)
    sync_path(path)


def read_checkpoint(comm: MPI.Comm, path: Path | str) -> FullState:
    """Read a checkpoint, or the final state of a result, on any number of ranks. Collective.

    Args:
        comm: communicator.
        path: path of the file.

    Returns:
        The state. Each rank gets a contiguous block of ids, and the contacts with at least one id in that block (a pair across blocks is given to
        both ranks).

    Raises:
        FileError: the file is missing, truncated, foreign or damaged; on every rank.
    """
    return read_state(comm, Path(path))


def newest_valid_checkpoint(comm: MPI.Comm, directory: Path | str, case_hash: str, accept_loss: bool = False) -> Found:
    """The newest valid checkpoint of a run and its state, read once; where the result is finished: that. Collective.

    The parts are compared with the checkpoint's manifest, by sizes and headers; a result with the checksums that it holds itself.

    Args:
        comm: communicator.
        directory: ``OUT.h5.parts``.
        case_hash: hash of the case that is to go on.
        accept_loss: go on without parts that are missing or were changed.

    Raises:
        FileError: the newest readable checkpoint belongs to another case; the sentence names both hashes. Or parts are missing or changed; the
            sentence names them and the choice. Or the system does not read a file, which may hold what it should.
    """
    directory = Path(directory)
    candidates: list[Path] = []
    with together(comm, f"{directory} cannot be read"):
        if comm.rank == 0:
            candidates = [*_finished(directory), *checkpoints(directory), *sorted(directory.glob("segment-*-result.h5"), reverse=True)]
    warnings = []
    for path in comm.bcast(candidates):
        try:
            state, manifest = _read_with_care(comm, path)
        except UnreadableError as error:  # an older one would do, but what was computed since would be lost for nothing
            raise FileError(f"{error}; resume once the file can be read, or remove it to go on without it") from None
        except FileError as error:
            warnings.append(f"passed over a checkpoint: {error}")
            continue
        if state.header.case_hash != case_hash:
            raise FileError(
                f"{path} belongs to another case: its hash is {state.header.case_hash}, that of this case is {case_hash}; "
                "undo the changes of the case, choose another output with -o, or start anew with --force"
            )
        losses: list[Loss] = []
        with together(comm, f"{directory} cannot be read"):
            if manifest is not None:
                losses = manifest.lost(directory)
            elif comm.rank == 0 and _NAME.fullmatch(path.name) is None:
                losses = _lost_with_care(path, directory)
            if losses and not accept_loss:
                raise FileError(refusal(directory, losses) if manifest is not None else refusal_of_result(path, losses))
        return Found(path, warnings, comm.bcast(losses), state)
    return Found(None, warnings, [], None)


def _read_with_care(comm: MPI.Comm, path: Path) -> tuple[FullState, Manifest | None]:
    """State and manifest (of rank 0) of a checkpoint. Collective.

    HDF5 takes for missing what the system did not read. So a checkpoint that seems to be damaged is read byte by byte, and then once more.
    """
    try:
        return _read(comm, path)
    except UnreadableError:
        raise
    except FileError:
        with together(comm, f"{path} cannot be read"):
            if comm.rank == 0:
                _read_through(path)
    return _read(comm, path)


def _lost_with_care(path: Path, directory: Path) -> list[Loss]:
    """What a result has lost; one that seems to be damaged is read once more, as in ``_read_with_care``."""
    losses = lost_of_result(path, directory)
    if losses:
        _read_through(path)
        losses = lost_of_result(path, directory)
    return losses


def _read_through(path: Path) -> None:
    """Read a file to its end; raises what the system says."""
    with open(path, "rb") as file:
        while file.read(BLOCK):
            pass


def _read(comm: MPI.Comm, path: Path) -> tuple[FullState, Manifest | None]:
    state = read_state(comm, path)
    manifest: Manifest | None = None
    with together(comm, f"{path} cannot be read"):
        if comm.rank == 0:
            manifest = read_manifest(path)
    return state, manifest


def checkpoints(directory: Path) -> list[Path]:
    """List the checkpoints in a folder, newest first.

    Args:
        directory: the folder.

    Returns:
        Their paths.
    """
    return sorted((p for p in directory.glob("checkpoint-*.h5") if _NAME.fullmatch(p.name)), reverse=True)


def step_of(path: Path) -> int:
    """Read the step from the name of a checkpoint.

    Args:
        path: path of the checkpoint.

    Returns:
        The step.
    """
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return int(match[1])


def _finished(directory: Path) -> list[Path]:
    """The result beside a folder of parts, if its run is finished and it does without them."""
    result = out_of(directory)
    return [result] if result != directory and is_one_file(result) else []


def is_finished(path: Path) -> bool:
    """Determine whether a file is a pardem result with its final state.

    Args:
        path: path of the file.

    Returns:
        Whether it is.
    """
    return _holds_final_state(path, True)


def is_one_file(path: Path) -> bool:
    """Determine whether a file is a pardem result with its final state that needs no parts beside it.

    Args:
        path: path of the file.

    Returns:
        Whether it is.
    """
    return _holds_final_state(path, False)


def _holds_final_state(path: Path, of_index: bool) -> bool:
    try:
        with opened(path) as file:
            get_json(state_group(file, path), "header")
            return of_index or not is_index(file)
    except UnreadableError:
        raise
    except OSError as error:
        if isinstance(found := unreadable(path, error), UnreadableError):
            raise found from None
        return False
    except DAMAGE:
        return False
