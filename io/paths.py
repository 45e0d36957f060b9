"""Names of the files of a run: OUT.h5, and OUT.h5.parts with segments and checkpoints."""

from __future__ import annotations

import re
from pathlib import Path

from pardem.errors import FileError

from .reading import opened

_SEGMENT = re.compile(r"segment-(\d{6})-(frames|observables|result)\.h5")


def parts_of(out: Path | str) -> Path:
    """The folder of segments and checkpoints of a result: ``OUT.h5.parts``."""
    return Path(f"{out}.parts")


def segments(parts: Path) -> list[tuple[int, Path]]:
    """Number and path of each segment file, in order."""
    found = [(int(m[1]), p) for p in parts.glob("segment-*.h5") if (m := _SEGMENT.fullmatch(p.name))]
    return sorted(found)


def segment_path(parts: Path, number: int, what: str) -> Path:
    """Path of a segment; ``what`` is frames, observables or result."""
    return parts / f"segment-{number:06d}-{what}.h5"


def base_step(path: Path) -> int:
    """Step of the checkpoint behind which a segment began, -1 for the first; 2^63 - 1 where it cannot be read (it was being made)."""
    try:
        with opened(path) as file:
            return int(file.attrs.get("base_step", -1))
    except FileError:
        return 2**63 - 1
