"""A disc with a round hole: where the vertices of a grain's core meet its surface, and its edges the rims (``rims``).

The surface is the part of the disc's plane between two circles. A vertex meets the nearest point of it, and the point of the hole's rim opposite to
the nearest one: so a ball that sits in a hole smaller than itself is held from both sides, by a potential that is smooth across the axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.choices import root, select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import words
from ...compiled.lanes.rows import column_at
from ...compiled.lanes.types import spread
from ...compiled.vectors import add, behind, choose, columns, dot, length, scale, square, subtract
from ...contacts.nearest.feature_lanes import vertices
from ...contacts.nearest.features import vertex
from .listing import put
from .meeting_lanes import Met
from .place import NORMAL, SHAPE, SIZES, from_wall
from .rims import NUMBER, PART, Rim, meet_rim, put_edges, to_circle
from .surface import PARALLEL, Surface, off_axis

NEAR, FAR, INNER, INNER_TOO, OUTER, OUTER_TOO = 0, 1, 2, 3, 4, 5  # part of a contact's sub-key: vertices on the surface, ...


class PiercedDisc(NamedTuple):
    """A disc with a round hole about the origin.

    Attributes:
        normal: unit normal.
        hole: radius of the inner rim (m).
        radius: radius of the outer rim (m).
    """

    normal: tuple[float, float, float]
    hole: float
    radius: float


@inlined
def _off_axis(p, disc, far):
    """Vector from a point that is not on the axis to where it meets a `PiercedDisc` (m); or from several in lanes.

    Args:
        p: the point (m).
        disc: `PiercedDisc`.
        far: whether it is to meet the point of the inner rim opposite to the nearest one.

    Returns:
        whether the point is off the axis; the vector.
    """
    h = dot(p, disc.normal)
    flat = behind(p, h, disc.normal)
    r2 = square(flat)
    within = r2 < disc.hole * disc.hole
    size = select(far | within, disc.hole, disc.radius) / root(r2)
    rim = subtract(scale(select(far, -size, size), flat), p)
    on = (r2 <= disc.radius * disc.radius) & (select(far | within, 0, 1) != 0)
    return r2 > 0.0, choose(on, scale(-h, disc.normal), rim)


@inlined
def _to_surface(p, disc, far):
    """The same from any point: from one on the axis, to any of those that are as near."""
    off_axis, line = _off_axis(p, disc, far)
    return line if off_axis else to_circle(p, disc.normal, disc.hole, far)


@inlined
def nearest_on_pierced(features, g, i, sub, h, disc):
    """Where a part of grain ``i`` meets a pierced disc.

    Args:
        features: `Features`.
        g: `Grains`.
        i: row of the grain.
        sub: vertex or edge of the grain, and what it meets.
        h: the grain's centre relative to the disc's (m).
        disc: `PiercedDisc`.

    Returns:
        distance (m), the point on the core relative to the centre (m), the vector from there to the disc (m). Where an edge has no such minimum the
        distance is twice the grain's radius.
    """
    part, number = sub >> PART, sub & NUMBER
    if part < INNER:
        x = vertex(g, i, number)
        line = _to_surface(add(h, x), disc, part == FAR)
    else:
        rim = Rim(h, disc.normal, disc.hole if part < OUTER else disc.radius)
        return meet_rim(features, g, i, number, rim, part in (INNER_TOO, OUTER_TOO))
    return length(line), x, line


@inlined
def _disc_of(walls, k):
    """The `PiercedDisc` of wall ``k``."""
    return PiercedDisc(columns(walls.pose, k, NORMAL), walls.shape[k, SIZES + 1], walls.shape[k, SIZES])


@inlined
def _meet(loop, one):
    h, _, _ = from_wall(loop.walls, loop.g, one.i, one.k)
    d, x, line = nearest_on_pierced(loop.walls.features, loop.g, one.i, loop.pairs.sub[one.p], h, _disc_of(loop.walls, one.k))
    return d, x, line, 0


@inlined
def _meet_in_lanes(loop, one):
    sub, shape, nothing = pick(loop.pairs.sub, one.places), loop.walls.shape, spread(0.0)
    x = vertices(loop.g, one.i, words(sub & NUMBER), True)
    disc = PiercedDisc(one.normal, column_at(shape, one.k, SHAPE, SIZES + 1), column_at(shape, one.k, SHAPE, SIZES))
    off_axis, line = _off_axis(add(one.h, x), disc, (sub >> PART) == FAR)
    return Met(all_of(off_axis), length(line), x, line, nothing, (nothing, nothing, nothing), one.radius)


@inlined
def _out_of_reach(walls, k, x, reach):
    return abs(dot(x, columns(walls.pose, k, NORMAL))) > reach


@inlined
def _list_near(near, entries, found):
    g, i, h, reach = near.g, near.i, near.centre, near.reach
    disc = _disc_of(near.walls, near.k)
    for v in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        p = add(h, vertex(g, i, v))
        for part in (NEAR, FAR):
            if square(_to_surface(p, disc, part == FAR)) <= reach * reach:
                found = put(entries, found, near.i, near.k, (part << PART) + v)
    found = put_edges(near, entries, found, Rim(h, disc.normal, disc.hole), INNER)
    return put_edges(near, entries, found, Rim(h, disc.normal, disc.radius), OUTER)


def disc_swept(shape: np.ndarray, axis: np.ndarray, centre: np.ndarray) -> float:
    """``swept`` of a `Surface`: turning a disc about its own axis leaves it as it is.

    Args:
        shape: row of ``Walls.shape``.
        axis: unit vector along the axis of rotation.
        centre: a point of that axis (m).
    """
    distance = float(off_axis(shape[None, :3] - centre, axis)[0])
    parallel = float(off_axis(shape[None, 3:6], axis)[0]) <= PARALLEL
    return 0.0 if parallel and distance <= PARALLEL * shape[SIZES] else distance + float(shape[SIZES])


def disc_distance(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """``distance`` of a `Surface` between two circles.

    Args:
        height: (n,) heights of the points along the axis (m).
        radial: (n,) distances from the axis (m).
        sizes: radius of the outer circle and of the inner one (m).
    """
    beyond = np.maximum(np.maximum(radial - sizes[0], sizes[1] - radial), 0.0)
    return np.asarray(np.sqrt(height * height + beyond * beyond))


def disc_mirrored(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``mirrored`` of a `Surface` for points above or below a disc.

    Args:
        height: (n,) heights of the points along the axis (m).
        radial: (n,) distances from the axis (m).
        sizes: radius of the outer circle and of the inner one (m).
    """
    return (height != 0.0) & (radial <= sizes[0]) & (radial >= sizes[1]), -2.0 * height, np.zeros(len(height))


PIERCED = Surface(
    "pierced disc", _meet, _out_of_reach, _list_near, disc_swept, disc_distance, mirrored=disc_mirrored, faces=2, has_hole=True, thin=True,
    meet_in_lanes=_meet_in_lanes, in_lanes_below=INNER << PART,
)  # fmt: skip
