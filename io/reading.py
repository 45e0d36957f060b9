"""Opening pardem's HDF5 files for reading, with errors as sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError
from pardem.version import FORMAT, program

from .heaps import check_heaps
from .index_sources import check_sources
from .layout import FRAMES, LayoutError, check_layout, text
from .state.packing import make_readable
from .state.shared_errors import UnreadableError, reason, unreadable

SEALED = 2  # the first format with checksums of frames and observables, and with manifests
KINDS = {"result": "pardem/final", "segment": "pardem/final", "checkpoint": "pardem/state"}  # kind of file -> its full state
FIRST_FIELD = "position"  # the one that owns the shared step and time
PARAMETERS = "parameters/pardem"
LONGEST_NAME = 255  # bytes of a file's name


@contextmanager
def opened(path: Path | str) -> Iterator[h5py.File]:
    """A pardem file, open for reading by this process alone.

    Raises:
        FileError: it is missing, truncated, not HDF5, not pardem's, of a later format, or the index of parts that are missing.
    """
    path = Path(path)
    if "\0" in str(path) or len(path.name.encode(errors="surrogateescape")) > LONGEST_NAME:
        raise FileError(f"{str(path)[:60]!r} is no name of a file")
    if not path.exists():
        parts = Path(f"{path}.parts")
        hint = f"; its run left {parts}: continue with --resume" if parts.is_dir() else ""
        raise FileError(f"{path} does not exist{hint}")
    if path.is_dir():
        raise FileError(f"{path} is a folder; name an HDF5 file that pardem wrote")
    try:
        # without locks, so that the results of a run in progress can be looked at
        file = h5py.File(path, "r", locking=False)
    except OSError as error:
        raise _unreadable(path, error) from None
    with file, sound(path):
        check_heaps(file, path)
        attributes = file.attrs
        kind = attributes.get("pardem_kind")
        kind = kind.decode(errors="replace") if isinstance(kind, bytes) else kind
        if not isinstance(kind, str) or kind not in KINDS:
            raise FileError(f"{path} is an HDF5 file that pardem did not write; name a result (.h5) or a checkpoint of pardem")
        version = attributes.get("pardem_format", 0)
        if not isinstance(version, int | np.integer):
            raise LayoutError("its format is no whole number")
        if version > FORMAT:
            raise FileError(f"{path} has format {version} and this pardem reads formats up to {FORMAT}: use {writer_of(file)}, or a later one")
        shown = _require_parts(file, path) if kind == "result" else []
        _check_layout_once(file, path, shown, growing=kind == "segment")
        make_readable(file, f"{FRAMES}/{FIRST_FIELD}/value")
        yield file


Name = tuple[int, int]
State = tuple[tuple[int, int], ...]
_checked: dict[Name, State] = {}
"""Files whose layout this process has found sound, or has made, by device and number; their size (bytes) and time of change (ns), and of parts."""
MOST_CHECKED = 4096  # files remembered


def note_made(path: Path) -> None:
    """Note that this process has just written a file: its layout is what it should be for as long as nobody else writes to it.

    Args:
        path: path of the file, under its last name and closed.
    """
    _note(*_stamp(path, []))


def _stamp(path: Path, parts: list[Path]) -> tuple[Name, State]:
    """What tells a file from others, and its present content and that of its parts from earlier ones."""
    about = [one.stat() for one in (path, *parts)]
    return (about[0].st_dev, about[0].st_ino), tuple((one.st_size, one.st_ctime_ns) for one in about)


def _note(name: Name, state: State) -> None:
    if len(_checked) >= MOST_CHECKED:
        _checked.clear()
    _checked[name] = state


def _check_layout_once(file: h5py.File, path: Path, parts: list[Path], growing: bool) -> None:
    """Check the layout of a file, unless that has been done and nothing was written to it since.

    Args:
        file: open HDF5 file.
        path: its path.
        parts: those that it shows, if it is an index.
        growing: as for ``check_layout``.

    Raises:
        FileError: a part does not hold what the index shows of it.
        LayoutError: the file differs from what pardem writes.
    """
    name, state = _stamp(path, parts)
    if _checked.get(name) != state:
        check_layout(file, growing)
        if parts:
            check_sources(file, path)
        _note(name, state)


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """Read a file: whatever does not fit there is damage of the file.

    Raises:
        FileError: for errors of the library, and as `understood`.
    """
    try:
        with understood(path):
            yield
    except (OSError, RuntimeError) as error:
        raise unreadable(path, error) from None


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Work with what was read from a file.

    Raises:
        FileError: for errors that values of unexpected kind, type or size lead to.
    """
    try:
        yield
    except (KeyError, LayoutError) as error:
        raise FileError(f"{path} is damaged: {reason(error)}") from None
    except (ValueError, TypeError, AttributeError, IndexError, ArithmeticError) as error:
        raise FileError(f"{path} is damaged: it holds what pardem does not write ({type(error).__name__}: {reason(error)})") from None


def _require_parts(file: h5py.File, path: Path) -> list[Path]:
    """The parts of an index, none for other results. One whose parts are gone or cut short would read as zero or not-a-number."""
    views = [file.get(f"{FRAMES}/{name}") for name in ("id", f"{FIRST_FIELD}/value")]
    sources = [Path(s.file_name.replace("%%", "%")) for v in views if isinstance(v, h5py.Dataset) and v.is_virtual for s in v.virtual_sources()]
    noted = {source.name: 0 for source in sources}
    if f"{PARAMETERS}/manifest" in file:
        noted |= {name: int(entry["size"]) for name, entry in get_json(file, f"{PARAMETERS}/manifest")["parts"].items()}
    parts = [path.parent / f"{sources[0].parent}/{name}" for name in noted]
    for part, size in zip(parts, noted.values(), strict=True):
        shown = part.relative_to(path.parent)
        if not part.exists():
            raise FileError(
                f"{path} is an index, and {shown} is missing: keep the two beside each other under these names; "
                f"`pardem verify {path}` names all that is missing, and `pardem run ... --resume --accept-loss` goes on without it"
            )
        if part.stat().st_size < size:
            raise FileError(
                f"{path} is an index, and {shown} has {part.stat().st_size} of its {size} bytes: copy it again, "
                "or go on without it by --resume --accept-loss"
            )
    return parts


def _unreadable(path: Path, error: OSError) -> FileError:
    said = str(error)
    if "truncated" in said:
        return FileError(f"{path} is truncated: the copy or the run that wrote it was cut short; copy it again or continue with --resume")
    if path.stat().st_size == 0:
        return FileError(f"{path} is empty; name a result (.h5) or a checkpoint of pardem")
    if "file signature not found" in said:
        return FileError(f"{path} is not an HDF5 file; name a result (.h5) or a checkpoint of pardem")
    found = unreadable(path, error)
    return found if isinstance(found, UnreadableError) else FileError(f"{path} cannot be read: {reason(error)}")


def kind_of(file: h5py.File) -> str:
    """``result``, ``segment`` or ``checkpoint``."""
    return text(file.attrs["pardem_kind"])


def writer_of(file: h5py.File) -> str:
    """Name the program that wrote a checkpoint, or the last part of a result, with its version and, where it is known, its commit.

    Args:
        file: open HDF5 file.

    Returns:
        Part of a sentence.
    """
    try:
        origin = get_json(file, "provenance" if kind_of(file) == "checkpoint" else f"{PARAMETERS}/provenance")
        versions = (origin if isinstance(origin, dict) else origin[-1])["versions"]
        return f"{program(versions)}, which wrote it"
    except (LookupError, ValueError, TypeError, AttributeError, OSError, RuntimeError):
        return "the pardem that wrote it"


def base_of(file: h5py.File) -> int:
    """The step of the checkpoint behind which a file begins; -1 for the first segment, and for results, whatever a damaged attribute says."""
    return -1 if kind_of(file) == "result" else int(file.attrs.get("base_step", -1))


def is_index(file: h5py.File) -> bool:
    """Whether a file is the index of parts that lie beside it."""
    return "assembled" in file.attrs and text(file.attrs["assembled"]) == "index"


def put_json(group: h5py.Group, name: str, value: Any) -> None:
    """Write a value as JSON text, replacing what is there. Floats and integers of any size come back exactly."""
    if name in group:
        del group[name]
    group[name] = np.bytes_(json_bytes(value))


def get_json(group: h5py.Group, name: str) -> Any:
    """The inverse of ``put_json``.

    Raises:
        LayoutError: there is no JSON, or it is nested too deep.
    """
    item = group[name]
    if not isinstance(item, h5py.Dataset):
        raise LayoutError(f"{name} is no data set")
    content = text(item)
    try:
        return json.loads(content)
    except RecursionError:
        raise LayoutError(f"{name} is no JSON that pardem writes") from None
    except ValueError as error:
        raise LayoutError(f"{name} is no JSON ({error})") from None


def get_table(group: h5py.Group, name: str) -> dict[str, Any]:
    """``get_json`` of what must be a table.

    Raises:
        LayoutError: it is none.
    """
    value = get_json(group, name)
    if not isinstance(value, dict):
        raise LayoutError(f"{name} is no table")
    return value


def json_bytes(value: Any) -> bytes:
    """JSON in ASCII, keys sorted."""
    return json.dumps(value, sort_keys=True, default=_plain).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} {value!r} cannot be written as JSON")
