"""Speeds of this version beside those of another one, scene by scene."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TextIO

from ..errors import FileError


def read_figures(path: Path, scenes: Collection[str]) -> dict[str, list[float]]:
    """Read what ``pardem bench --json`` printed.

    Args:
        path: text file with one JSON object a line.
        scenes: names of the scenes that are wanted.

    Returns:
        Particle steps per CPU second by scene, one number for each line of it.

    Raises:
        FileError: the file cannot be read, is not such a file, or has none of the scenes.
    """
    found: dict[str, list[float]] = {}
    try:
        for line in path.read_text().splitlines():
            if line.strip():
                figures = json.loads(line)
                found.setdefault(str(figures["scene"]), []).append(float(figures["cundall"]))
    except OSError as error:
        raise FileError(f"--compare {path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise FileError(f"--compare {path} does not hold figures of scenes; write it with `pardem bench SCENE ... --json > {path}`") from None
    if found.keys().isdisjoint(scenes):
        have = ", ".join(found) or "none"
        raise FileError(f"--compare {path} has figures of other scenes only ({have}); name one of these, or measure {', '.join(scenes)} as well")
    return found


def print_comparison(now: Mapping[str, Sequence[float]], earlier: Mapping[str, Sequence[float]], name: str, file: TextIO) -> None:
    """Print medians and their ratios as a table.

    Args:
        now: particle steps per CPU second by scene, one number a turn.
        earlier: figures of the other version.
        name: name of the other version, for the heading.
        file: where to print.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table("scene", "now (1e6/s)", f"{name} (1e6/s)", "ratio", "turns", box=None)
    for scene, values in now.items():
        before = earlier.get(scene)
        others = ["-"] * 3
        if before:
            others = [f"{median(before) / 1e6:.3f}", f"{median(values) / median(before):.3f}", f"{len(values)} and {len(before)}"]
        table.add_row(scene, f"{median(values) / 1e6:.3f}", *others)
    Console(file=file, width=100).print(table)
