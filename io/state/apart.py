"""Damaged parts of a run are moved or linked to OUT.h5.damaged, where no run touches them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..results.paths import damaged_of


def set_apart(out: Path, path: Path) -> Path:
    """Move a part that cannot be used to OUT.h5.damaged, where no run touches it.

    Args:
        out: path of the result.
        path: path of the part.

    Returns:
        Its new path.
    """
    target = _place_apart(out, path)
    if target.exists():
        path.unlink()
        return target
    return path.rename(target)


def keep_apart(out: Path, path: Path) -> Path:
    """Let a part of which the run still uses what is whole stay in OUT.h5.damaged as well.

    Args:
        out: path of the result.
        path: path of the part.

    Returns:
        Its other path.
    """
    target = _place_apart(out, path)
    if not target.exists():
        try:
            os.link(path, target)
        except OSError:  # a file system without links
            shutil.copyfile(path, target)
    return target


def _place_apart(out: Path, path: Path) -> Path:
    """A path that no other file has in OUT.h5.damaged; that of the same file, if it is there."""
    folder = damaged_of(out)
    folder.mkdir(exist_ok=True)
    target, number = folder / path.name, 0
    while target.exists() and not target.samefile(path):
        number += 1
        target = folder / f"{path.name}.{number}"
    return target
