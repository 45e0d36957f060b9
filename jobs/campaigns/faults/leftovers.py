"""What must hold of a folder after a run has gone on with damaged files: nothing unusable is deleted, nothing is wrong, nothing lacks unnoticed."""

from __future__ import annotations

from pathlib import Path

import h5py

from pardem.errors import FileError
from pardem.io.layout import elements
from pardem.io.reading import FRAMES, KINDS
from pardem.io.views.compare import compare
from pardem.io.views.info import info
from pardem.io.views.verify import verify


def unusable(path: Path) -> bool:
    """Whether a file is not what was written, so that no run may delete it unless it has made good what is lost.

    Args:
        path: of a file in its place.
    """
    try:
        return any(verdict.problems for verdict in verify(path))
    except FileError:
        return True


def is_there(content: bytes, folder: Path) -> bool:
    """Whether a file in a folder, or below it, has this content.

    Args:
        content: all of its bytes.
        folder: the folder.
    """
    return any(path.read_bytes() == content for path in folder.rglob("*") if path.is_file())


def wrong(out: Path, whole: Path, *, lacking: bool) -> str:
    """What is wrong with a result, as a sentence; nothing if it is right.

    Args:
        out: the result.
        whole: what it is without damage.
        lacking: whether it may lack rows, if it names what is lost.
    """
    try:
        difference = compare(out, whole)
        if difference is None:
            return ""
        if not lacking or "losses" not in info(out):
            return f"unlike the result of whole files: {difference}"
    except FileError as error:
        return str(error)
    expected = _rows(whole)
    other = [name for name, row in _rows(out).items() if expected.get(name) != row]
    return f"rows that are unlike those of whole files: {other[:5]}" if other else ""


def _rows(path: Path) -> dict[tuple[str, int], bytes]:
    """Every row of frames and observables by name and step, and the arrays of the final state."""
    found = {}
    with h5py.File(path) as file:
        for place in (FRAMES, "observables"):
            for name, element in elements(file, place).items():
                values = element["value"][()]
                found |= {(f"{place}/{name}", int(step)): row.tobytes() for step, row in zip(element["step"][()], values, strict=True)}
        state = file[KINDS["result"]]
        for part in ("grains", "contacts"):
            found |= {(f"{part}/{name}", -1): values[()].tobytes() for name, values in state[part].items()}
    return found
