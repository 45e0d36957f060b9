"""Part of docs/validation.md of two cows that collide under `superposition` and `minima`, from the table that its script fills."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from judging import measures, part
from page import table, write
from table_rows import read_rows

PART = "colliding cows"
LOSS = 1e-3  # of the energy: a larger error at the shortest step is a loss; others fall with the square of the step
Errors = dict[int, np.ndarray]
"""By collision: errors by descending step, (s,)."""


def errors(rows: list[dict[str, str]], rule: str, friction: float, name: str) -> tuple[list[float], Errors]:
    """Steps (s), and errors of the collisions of which all steps are there.

    Args:
        rows: of the table.
        rule: interaction.
        friction: coefficient.
        name: column.
    """
    mine = [row for row in rows if row["rule"] == rule and float(row["friction"]) == friction]
    steps = sorted({float(row["step"]) for row in mine}, reverse=True)
    found: dict[int, dict[float, float]] = {}
    for row in mine:
        found.setdefault(int(row["collision"]), {})[float(row["step"])] = float(row[name])
    return steps, {k: np.array([some[step] for step in steps]) for k, some in sorted(found.items()) if len(some) == len(steps)}


def parted(found: Errors) -> tuple[Errors, Errors]:
    """Those that lose no energy at the shortest step, and the others.

    Args:
        found: errors by collision.
    """
    return {k: v for k, v in found.items() if abs(v[-1]) <= LOSS}, {k: v for k, v in found.items() if abs(v[-1]) > LOSS}


def _span(found: Errors, at: int) -> str:
    sizes = [abs(values[at]) for values in found.values()]
    return " to ".join(dict.fromkeys(f"{size:.1e}" for size in (min(sizes), max(sizes)))) if sizes else ""


def text(rows: list[dict[str, str]], missing: int) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the table.
        missing: number of runs that are left.
    """
    left = f"Not run yet: {missing} runs." if missing else ""
    if not rows:
        return part(["Nothing has been run so far.", left])
    cells = []
    for friction in sorted({float(row["friction"]) for row in rows}):
        for rule in dict.fromkeys(row["rule"] for row in rows):
            steps, found = errors(rows, rule, friction, "residual")
            good, bad = parted(found)
            for at, step in enumerate(steps):
                spent = [float(row["seconds"]) for row in rows if (row["rule"], float(row["friction"]), float(row["step"])) == (rule, friction, step)]
                shown = [_span(good, at), _span(bad, at), f"{np.median(spent):.1f}"]
                cells.append([f"`{rule}`", f"{friction:g}", f"{step:g}", f"{len(good)}, {len(bad)}", *shown])
    head = ["rule", "friction", "step (s)", "collisions without loss, with loss", "error of those without loss", "of those with loss", "CPU s"]
    rule = (
        "Errors: residual of the energy budget over the energy at first, absolute, smallest to largest; without friction, the change of the energy."
        f" A collision has a loss if more than {LOSS:g} is missing at the shortest step. CPU time: median, on a machine in use."
    )
    return part([table(head, cells), rule, left])


def collect(folder: Path) -> None:
    """Write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    script = measures(folder / "cow" / "collisions.py")
    rows = read_rows(folder / "cow" / "collisions.csv")
    write(PART, text(rows, len(script.wanted()) - len(rows)))
