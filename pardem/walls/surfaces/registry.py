"""All walls there are: a new one is a file beside this one and its table in `AnyWall`.

A surface has the code of its place in ``SURFACES`` (``Walls.kind``). The compiled functions below take such a code first and then what the surface's
own function of that name takes (`surface.Surface`); they are the only place that chooses by it.
"""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field

from ...compiled.jit import inlined
from ...compiled.switch import switch
from ...contacts.nearest.features import HalfSpace
from .bodies import Body
from .cone import Cone
from .cylinder import Cylinder
from .disc import Disc, towards
from .place import from_wall
from .plane import BoxWall, Plane
from .surface import Surface
from .wall_table import WallTable

AnyWall = Annotated[Plane | Disc | Cylinder | Cone | BoxWall | Body, Field(discriminator="kind")]

TABLES: dict[str, type[WallTable]] = {get_args(table.model_fields["kind"].annotation)[0]: table for table in get_args(get_args(AnyWall)[0])}
"""The tables of walls by their ``kind`` in the case."""

SURFACES: tuple[Surface, ...] = tuple(dict.fromkeys(surface for table in TABLES.values() for surface in table.made_of))
"""The surfaces, in the order of their codes."""

meet = switch(tuple(surface.meet for surface in SURFACES))
out_of_reach = switch(tuple(surface.out_of_reach for surface in SURFACES))
list_near = switch(tuple(surface.list_near for surface in SURFACES))

_IN_LANES = tuple(surface for surface in SURFACES if surface.meet_in_lanes is not None)
meet_in_lanes = switch(tuple(surface.meet_in_lanes for surface in _IN_LANES if surface.meet_in_lanes is not None))

FACES = len(_IN_LANES)
"""The line of pairs of a vertex and a face at bodies: their other pairs are treated together, by the code of their surface."""

LINES = FACES + 1
"""Number of lines of candidates that are treated together: one for each surface that serves several grains at once, and ``FACES``."""

LINE: tuple[int, ...] = tuple(_IN_LANES.index(surface) if surface in _IN_LANES else -1 for surface in SURFACES)
"""By codes: the code of a surface for `meet_in_lanes`, -1 where it does not serve several grains at once."""

IN_LANES_BELOW: tuple[int, ...] = tuple(surface.in_lanes_below for surface in SURFACES)
"""By codes: the sub-key from which on candidates are met alone."""

SIDES: tuple[int, ...] = tuple(0 if surface.has_hole else surface.faces for surface in SURFACES)
"""By codes: how many flat sides a surface has that grains meet by the rule for planes."""

THIN: tuple[bool, ...] = tuple(surface.thin for surface in SURFACES)
"""By codes: whether grains touch a surface on both sides."""

ENDLESS: tuple[bool, ...] = tuple(surface.endless for surface in SURFACES)
"""By codes: whether a surface is flat without a rim."""


@inlined
def facing(walls, g, i, k):
    """Which side of a flat wall a grain is on.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.

    Returns:
        whether wall ``k`` is flat; the ``features.HalfSpace`` on the side of the grain.
    """
    sides = SIDES[walls.kind[k]]
    _, normal, height = from_wall(walls, g, i, k)
    space = towards(normal, height) if sides == 2 else HalfSpace(normal, height)
    return sides > 0, space
