"""``pardem verify``: whether everything in a result, a checkpoint or a folder of parts is what was written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import h5py
from mpi4py import MPI

from pardem.errors import FileError

from ..analysis.source import Source
from ..heaps import check_heaps
from ..layout import CONTACTS, contact_arrays, elements
from ..reading import FIRST_FIELD, FRAMES, KINDS, SEALED, is_index, kind_of
from ..results.paths import STATIC, base_step, damaged_of, out_of, parts_of, segments
from ..state.checkpoint import checkpoints, step_of
from ..state.coverage import gaps
from ..state.losses import Loss, get_losses
from ..state.manifest import Manifest, read_manifest
from ..state.seals import DAMAGE, crc32_of, wrong_frames, wrong_sums
from ..state.shared_errors import UnreadableError, reason
from ..state.state_reading import read_state

AGAIN = "written after the newest checkpoint: it does not count, and --resume writes it again"
SHOWN = 20  # problems of a file that are shown


class Verdict(NamedTuple):
    """Result of checking one file.

    Attributes:
        path: the file.
        holds: description of its content.
        problems: one sentence for each problem found; empty if the file is as it was written.
    """

    path: Path
    holds: str
    problems: list[str]


def verify(path: Path | str) -> list[Verdict]:
    """Read everything and compare it with its checksums, and the parts of a run with the manifest of its newest checkpoint.

    Args:
        path: result (of an unfinished run: with its parts), checkpoint, segment, or folder of parts.

    Returns:
        A verdict for each file.

    Raises:
        FileError: there is no such file, or nothing to verify in the folder.
    """
    path = Path(path)
    if path.is_dir():
        return _folder(path)
    if parts_of(path).is_dir() and not _finished(path):
        return _folder(parts_of(path))
    if not path.exists():
        raise FileError(f"{path} does not exist")
    return [_file(path)]


def _finished(path: Path) -> bool:
    """Whether a file is there that does without the parts beside it; one that cannot be read is to be looked at by itself."""
    if not path.exists():
        return False
    try:
        with h5py.File(path, "r", locking=False) as file:
            check_heaps(file, path)
            return not is_index(file)
    except DAMAGE:
        return True


def _folder(parts: Path) -> list[Verdict]:
    states = checkpoints(parts)
    manifest = next((m for path in states if (m := _manifest(path))), Manifest())
    verdicts = {path.name: _file(path) for path in [parts / STATIC, *states] if path.exists()}
    for _, path in segments(parts):
        base = base_step(path)
        later = bool(states) and path.name not in manifest.parts and (step_of(states[0]) <= base if base is not None else bool(manifest.parts))
        verdicts[path.name] = Verdict(path, AGAIN, []) if later else _file(path)
    if not verdicts:
        raise FileError(f"{parts} holds no parts of a run")
    lost: list[Loss] = []
    with suppress(UnreadableError):  # which its own verdict tells
        lost = manifest.lost(parts)
    for loss in lost:
        verdict = verdicts.setdefault(loss.part, Verdict(parts / loss.part, "", []))
        if not verdict.problems:
            verdict.problems.append(str(loss).removeprefix(f"{loss.part} "))
    verdicts.setdefault(STATIC, Verdict(parts / STATIC, "", ["is missing"]))
    return [verdicts[name] for name in sorted(verdicts)]


def _manifest(path: Path) -> Manifest | None:
    with suppress(FileError):
        return read_manifest(path)
    return None


def _file(path: Path) -> Verdict:
    """All of one file."""
    try:
        with Source(path) as source:
            holds, problems, has_state = source.read(_content)
        if has_state:
            read_state(MPI.COMM_SELF, path, keep=False)
            read_manifest(path)
    except DAMAGE as error:
        return Verdict(path, "", [reason(error).removeprefix(f"{path} ")])
    return Verdict(path, holds, problems)


def _content(file: h5py.File) -> tuple[str, list[str], bool]:
    """What a file holds, what is wrong with it, and whether it has a full state, which is not looked at here."""
    kind, old = kind_of(file), int(file.attrs["pardem_format"]) < SEALED
    fields, observed = elements(file, FRAMES), elements(file, "observables")
    lacking = gaps(file)
    problems = list(lacking.values())
    problems += [text for what in ("static", "observables") if what not in lacking for text in wrong_sums(file, what)]
    problems += [] if "frames" in lacking else [text for _, text in wrong_frames(file)]
    if old:
        _read_all(file)
    problems += [f"lacks rows, as it says itself: {loss}" for loss in get_losses(file)]
    holds = [kind] if kind == "checkpoint" else []
    holds += [f"{len(fields[FIRST_FIELD]['step'])} frames"] if FIRST_FIELD in fields else []
    holds += [f"{len(file[CONTACTS]['bodies'])} contacts of frames"] if contact_arrays(file) else []
    holds += [f"{len(next(iter(observed.values()))['step'])} rows of observables"] if observed else []
    holds += [f"{file[f'{FRAMES}/id'].shape[0]} grains"] if f"{FRAMES}/id" in file else []
    state = KINDS[kind] in file
    holds += ["final state"] if state and kind != "checkpoint" else []
    holds += ["format 1: frames and observables have no checksums and were only read"] if old and kind != "checkpoint" else []
    return ", ".join(holds), problems, state and "state" not in lacking


def _read_all(file: h5py.File) -> None:
    """Read every data set; what cannot be read raises."""

    def read(_: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset) and not item.is_virtual and item.dtype.kind != "O":
            crc32_of(item)

    file.visititems(read)


def main(path: Path) -> int:
    """`pardem verify`: print a line for each file and its problems; exit status 0 where there is none, else 1."""
    verdicts = verify(path)
    for verdict in verdicts:
        print(f"{'damaged' if verdict.problems else 'whole':<8}{verdict.path}" + (f": {verdict.holds}" if verdict.holds else ""))
        for problem in verdict.problems[:SHOWN]:
            print(f"        {problem}")
        if len(verdict.problems) > SHOWN:
            print(f"        and {len(verdict.problems) - SHOWN} more")
    damaged = damaged_of(out_of(path) if path.is_dir() else path)
    if damaged.is_dir():
        print(f"set apart in {damaged}: {', '.join(sorted(p.name for p in damaged.iterdir()))}")
    return int(any(verdict.problems for verdict in verdicts))
