"""What the rows of walls hold, and where a grain is relative to a wall."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.jit import inlined
from ...compiled.vectors import columns, dot, row, subtract

SIZES = 6  # first column of ``Walls.shape`` after the point (3) and the unit normal or axis (3): the sizes of the surface
SHAPE = 10  # floats per wall in ``Walls.shape``: a surface may have four sizes
POSE = 22  # floats per wall in ``Walls.pose``: what ``motion.driven.place_walls`` fills in
NORMAL = 9  # first column of the normal or axis, as it is turned now, in ``Walls.pose``
ABSENT, THERE, APPEARING = 0, 1, 2  # of a wall in a stage; one that has just appeared is there after its first step


class WallLoop(NamedTuple):
    """What every contact with a wall needs.

    Attributes:
        pairs: `Contacts` with walls.
        walls: `Walls`.
        g: `Grains`.
        interaction: the narrow phase.
        law: its tables.
        settings: `Settings`.
        control: (CONTROL,) int64.
        tally: (TALLY, 2) int64.
    """

    pairs: Any
    walls: Any
    g: Any
    interaction: Any
    law: Any
    settings: Any
    control: Any
    tally: Any


class Candidate(NamedTuple):
    """A grain and a wall that may touch.

    Attributes:
        p: row of the candidate in the list.
        i: row of the grain.
        k: the wall.
        touching: whether they were in touch in the step before.
    """

    p: Any
    i: Any
    k: Any
    touching: Any


@inlined
def from_wall(walls, g, i, k):
    """Where a grain is relative to a wall.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.

    Returns:
        the grain's centre relative to the wall's point (m), the wall's normal or axis, and the height of the centre along it (m).
    """
    h = subtract(subtract(row(g.x, i), row(walls.shape, k)), row(walls.pose, k))
    normal = columns(walls.pose, k, NORMAL)
    return h, normal, dot(h, normal)
