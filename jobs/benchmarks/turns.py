"""Versions and kinds measured in turns, each second turn in the opposite order, so that what else the machine does falls on all of them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
Kind = TypeVar("Kind", bound=Hashable)
Found = TypeVar("Found")


def in_turns(kinds: Sequence[Kind], turns: int, one: Callable[[Kind], Found]) -> dict[Kind, list[Found]]:
    """Measure several things in turns.

    Args:
        kinds: what is measured.
        turns: how often each.
        one: measures one of them once.

    Returns:
        What each turn found, by kind.
    """
    found: dict[Kind, list[Found]] = {kind: [] for kind in kinds}
    for turn in range(turns):
        for kind in kinds if turn % 2 else kinds[::-1]:
            found[kind].append(one(kind))
    return found


def printed(tree: Path, words: Sequence[str]) -> Any:
    """What Python prints in a working copy as its last line of JSON, on one thread.

    Args:
        tree: the working copy.
        words: arguments of Python.

    Raises:
        SystemExit: the command failed.
    """
    environment = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *words], env=environment, cwd=tree, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("{", "["))]
    if done.returncode or not lines:
        raise SystemExit(f"`python {' '.join(words)}` failed in {tree}:\n{done.stderr[-2000:]}")
    return json.loads(lines[-1])


def now() -> str:
    """Day and time of a call (UTC)."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M")


def version_of(tree: Path) -> str:
    """The commit of a working copy, with a plus sign if files were changed since."""
    words = ["git", "-C", str(tree), "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def processor() -> str:
    """Name of the processor, and how many numbers its kernels treat at once."""
    from pardem.compiled.lanes.types import WIDTH

    names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {WIDTH} lanes"


def spread(values: Sequence[float], form: str = ".4g") -> list[str]:
    """Median, least and most of what turns found, as entries of a table."""
    return [format(f(values), form) for f in (median, min, max)]
