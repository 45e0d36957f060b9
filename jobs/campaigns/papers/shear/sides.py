"""Time of the shear cell against the number of sides of its grains, without lists and with them (paper 000, figure 11).

Grains are regular polygons of one area. The paper switches its lists off by the range alpha = 0.9 m, with which they hold all pairs of features of
neighbouring grains, and compares a smaller one that it does not give; here it is that of `SHORT`. CPU seconds of the process, of a step of a grain:

    python jobs/campaigns/papers/papers.py run shear/sides         # what is missing in sides.csv; on a machine that does nothing else
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from list_range import STEP, seconds
from table_rows import append_row, missing

SIDES = (3, 4, 5, 6, 7)
OFF, SHORT = 0.9, 0.05  # ranges (m)
TURNS = 3
SPEED = 0.4  # of the plate (m/s)
GRAINS = 102
RADIUS, CIRCUMRADIUS = 0.25, 0.4  # of the pentagons of the shear cell, whose area all have (m)
KEYS = ("turn", "sides", "alpha")


def polygon(sides: int) -> str:
    """Setting that changes the grains to regular polygons of the area of the pentagons.

    Args:
        sides: number of sides.
    """
    return (
        f"species.grain={{ name = 'grain', shape = 'regular_polygon', sides = {sides}, circumradius = {circumradius(sides)!r}, radius = {RADIUS}, "
        "density = 1.0 }"
    )


def circumradius(sides: int) -> float:
    """Circumradius of the core (m) at which the rounded polygon has the area of the pentagon.

    Args:
        sides: number of sides.
    """
    square, linear = _area_of(sides)
    core = sum(factor * CIRCUMRADIUS**power for factor, power in zip(_area_of(5), (2, 1), strict=True))
    return (math.sqrt(linear * linear + 4.0 * square * core) - linear) / (2.0 * square)


def _area_of(sides: int) -> tuple[float, float]:
    """Area of a rounded polygon less that of its disk: factors of the square of its circumradius, and of the circumradius (m)."""
    return 0.5 * sides * math.sin(2.0 * math.pi / sides), 2.0 * sides * math.sin(math.pi / sides) * RADIUS


def wanted() -> list[tuple[int, int, float]]:
    """Keys of all rows: turn, number of sides, range (m); in turns, so that what else the machine does falls on all alike."""
    return [(turn, sides, alpha) for turn in range(1, TURNS + 1) for sides in SIDES for alpha in (OFF, SHORT)]


def fill(table: Path, keys: Sequence[tuple[int, int, float]] | None = None) -> None:
    """Do the runs that a table lacks; each appends its row.

    Args:
        table: the table; made if need be.
        keys: of the rows; default: all.
    """
    left = missing(table, KEYS, keys or wanted())
    if left:
        seconds([polygon(left[0][1])], SPEED, OFF, 0.1, 0.4)  # compiles
    for turn, sides, alpha in left:
        spent = [value * STEP / GRAINS for value in seconds([polygon(sides)], SPEED, alpha)]
        append_row(table, [*KEYS, "seconds", "forces", "lists"], [turn, sides, alpha, *(f"{value:.6g}" for value in spent)])
