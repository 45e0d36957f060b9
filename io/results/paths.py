"""Names of the files of a run: OUT.h5, OUT.h5.parts with segments and checkpoints, and OUT.h5.damaged with parts that could not be read."""

from __future__ import annotations

import re
from pathlib import Path

from ..reading import base_of, opened
from ..state.seals import DAMAGE
from ..state.shared_errors import UnreadableError

STATIC = "static.h5"  # what does not change in a run
_SEGMENT = re.compile(r"segment-(\d{6})-(frames|observables|result)\.h5")


def parts_of(out: Path | str) -> Path:
    """Return the path of the folder of segments and checkpoints of a result, ``OUT.h5.parts``.

    Args:
        out: path of the result.

    Returns:
        The path.
    """
    return Path(f"{out}.parts")


def damaged_of(out: Path | str) -> Path:
    """Return the path of the folder for parts that cannot be used and must not be deleted, ``OUT.h5.damaged``.

    Args:
        out: path of the result.

    Returns:
        The path.
    """
    return Path(f"{out}.damaged")


def out_of(parts: Path) -> Path:
    """Return the path of the result to which a folder of parts belongs.

    Args:
        parts: path of the folder.

    Returns:
        The path.
    """
    return Path(str(parts).removesuffix(".parts"))


def segments(parts: Path) -> list[tuple[int, Path]]:
    """List the segment files of a run in order.

    Args:
        parts: folder of the parts.

    Returns:
        Number and path of each.
    """
    found = [(int(m[1]), p) for p in parts.glob("segment-*.h5") if (m := _SEGMENT.fullmatch(p.name))]
    return sorted(found)


def segment_path(parts: Path, number: int, what: str) -> Path:
    """Return the path of a segment file.

    Args:
        parts: folder of the parts.
        number: number of the segment.
        what: frames, observables or result.

    Returns:
        The path.
    """
    return parts / f"segment-{number:06d}-{what}.h5"


def earlier_results(parts: Path) -> list[Path]:
    """List the results that became segments when their run was continued, newest first.

    Args:
        parts: folder of the parts.

    Returns:
        Their paths.
    """
    return sorted(parts.glob("segment-*-result.h5"), reverse=True)


def base_step(path: Path) -> int | None:
    """Read the step of the checkpoint after which a segment began.

    Args:
        path: path of the segment.

    Returns:
        The step, -1 for the first segment; None if it is damaged.

    Raises:
        UnreadableError: the system does not read it.
    """
    try:
        with opened(path) as file:
            return base_of(file)
    except UnreadableError:
        raise
    except DAMAGE:
        return None
