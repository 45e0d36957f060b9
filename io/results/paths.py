"""Names of the files of a run: OUT.h5, OUT.h5.parts with segments and checkpoints, and OUT.h5.damaged with parts that could not be read."""

from __future__ import annotations

import re
from pathlib import Path

from ..reading import opened
from ..state.seals import DAMAGE

STATIC = "static.h5"  # what does not change in a run
_SEGMENT = re.compile(r"segment-(\d{6})-(frames|observables|result)\.h5")


def parts_of(out: Path | str) -> Path:
    """The folder of segments and checkpoints of a result: ``OUT.h5.parts``."""
    return Path(f"{out}.parts")


def damaged_of(out: Path | str) -> Path:
    """The folder for parts that cannot be used and must not be deleted: ``OUT.h5.damaged``."""
    return Path(f"{out}.damaged")


def out_of(parts: Path) -> Path:
    """The result that a folder of parts belongs to."""
    return Path(str(parts).removesuffix(".parts"))


def segments(parts: Path) -> list[tuple[int, Path]]:
    """Number and path of each segment file, in order."""
    found = [(int(m[1]), p) for p in parts.glob("segment-*.h5") if (m := _SEGMENT.fullmatch(p.name))]
    return sorted(found)


def segment_path(parts: Path, number: int, what: str) -> Path:
    """Path of a segment; ``what`` is frames, observables or result."""
    return parts / f"segment-{number:06d}-{what}.h5"


def earlier_results(parts: Path) -> list[Path]:
    """Results that became segments when their run went on, newest first."""
    return sorted(parts.glob("segment-*-result.h5"), reverse=True)


def base_step(path: Path) -> int | None:
    """Step of the checkpoint behind which a segment began, -1 for the first; None where it cannot be read."""
    try:
        with opened(path) as file:
            return int(file.attrs.get("base_step", -1))
    except DAMAGE:
        return None
