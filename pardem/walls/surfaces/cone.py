"""Finite round cones, hoppers and funnels: where the vertices of a grain's core meet the surface, and its edges the rims (``rims``).

The surface is that of a frustum about an axis without its two ends: between a circle of radius R_0 at the wall's point and one of radius R_1 at a
distance L along the axis. In the half-plane through the axis and a point, at distance r from the axis and height z, it is the segment

    (R_0 + s (R_1 - R_0), s L),    0 <= s <= 1,

and the whole plane holds a second one on the other side of the axis. A vertex meets the nearest point of the first (NEAR) and of the second (FAR), so
a ball that sits in a cone too narrow for it is held from both sides, by a potential that is smooth across the axis. Where the cone ends in a tip,
which is one point of both, the second counts inside only. In two dimensions the cone is these two segments.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ...case_values import Direction, NonNegative, Number, Positive, Vector, exactly_one
from ...compiled.choices import larger, select, smaller
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import words
from ...compiled.lanes.rows import column_at
from ...compiled.lanes.types import spread
from ...compiled.vectors import add, behind, columns, dot, length, over, scale, square
from ...contacts.nearest.feature_lanes import vertices
from ...contacts.nearest.features import vertex
from .listing import pieces_of, put
from .meeting_lanes import Met
from .place import NORMAL, SHAPE, SIZES, from_wall
from .rims import NUMBER, PART, Rim, meet_rim, put_edges
from .surface import PARALLEL, Surface, off_axis
from .wall_table import Corners, Placed, WallTable

NEAR, FAR, FIRST, FIRST_TOO, SECOND, SECOND_TOO = 0, 1, 2, 3, 4, 5  # part of a contact's sub-key: vertices on the surface, edges on the rims


@inlined
def _sizes(shape, k):
    """Radii R_0 and R_1 and length L of the cone of wall ``k`` (m)."""
    return shape[k, SIZES], shape[k, SIZES + 1], shape[k, SIZES + 2]


@inlined
def _outwards(p, axis):
    """Distance of a point from the axis (m), its height (m), and the unit vector away from the axis; on the axis any across it."""
    z = dot(p, axis)
    across = behind(p, z, axis)
    r = length(across)
    if r > 0.0:
        return r, z, over(across, r)
    if axis[0] * axis[0] + axis[1] * axis[1] > 0.5:
        across = (-axis[1], axis[0], 0.0)
    else:
        across = (0.0, -axis[2], axis[1])
    return 0.0, z, over(across, length(across))


@inlined
def _to_segment(r, z, sizes):
    """Vector from a point to the nearest one of the segment, outwards and along the axis (m); ``r`` is negative for the other side."""
    first, second, tall = sizes
    widening = second - first
    s = ((r - first) * widening + z * tall) / (widening * widening + tall * tall)
    s = smaller(larger(s, 0.0), 1.0)
    return first + s * widening - r, s * tall - z


@inlined
def _to_side(p, axis, sizes, far):
    """What `to_cone` finds; or of several points in lanes.

    Args:
        p: distance of the point from the axis (m), its height (m), the unit vector away from the axis.
        axis: as for `to_cone`.
        sizes: as for `to_cone`.
        far: as for `to_cone`.
    """
    r, z, e = p
    first, second, tall = sizes
    out, up = _to_segment(select(far, -r, r), z, sizes)
    # at a tip both sides have a point in common
    inside = (r - first) * tall < z * (second - first)
    meets = inside | ((first > 0.0) & (second > 0.0)) | (select(far, 1, 0) == 0)
    return meets, add(scale(select(far, -out, out), e), scale(up, axis))


@inlined
def to_cone(p, axis, sizes, far):
    """Vector from a point to a cone (m).

    Args:
        p: the point, relative to the middle of the first circle (m).
        axis: unit vector towards the second.
        sizes: radius of the first circle, of the second, and the distance between them (m).
        far: whether the nearest point of the other side is wanted.

    Returns:
        whether the point meets that side; the vector.
    """
    return _to_side(_outwards(p, axis), axis, sizes, far)


@inlined
def _rim(axis, sizes, h, second):
    """The first or second circle of a cone, as seen from a grain whose centre is at ``h`` (m)."""
    return Rim(behind(h, sizes[2] if second else 0.0, axis), axis, sizes[1] if second else sizes[0])


@inlined
def meet_part(walls, g, i, k, sub):
    """``meet`` of a `Surface` for one part of a grain.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.
        sub: sub-key of the contact: the part of the surface and the vertex or edge of the grain.
    """
    h, axis, _ = from_wall(walls, g, i, k)
    part, number = sub >> PART, sub & NUMBER
    if part >= FIRST:
        rim = _rim(axis, _sizes(walls.shape, k), h, part >= SECOND)
        d, x, line = meet_rim(walls.features, g, i, number, rim, part in (FIRST_TOO, SECOND_TOO))
        return d, x, line, 0
    x = vertex(g, i, number)
    meets, line = to_cone(add(h, x), axis, _sizes(walls.shape, k), part == FAR)
    return length(line) if meets else 2.0 * g.x[i, 3], x, line, 0


@inlined
def _meet(loop, one):
    return meet_part(loop.walls, loop.g, one.i, one.k, loop.pairs.sub[one.p])


@inlined
def _meet_in_lanes(loop, one):
    sub, shape, nothing = pick(loop.pairs.sub, one.places), loop.walls.shape, spread(0.0)
    sizes = column_at(shape, one.k, SHAPE, SIZES), column_at(shape, one.k, SHAPE, SIZES + 1), column_at(shape, one.k, SHAPE, SIZES + 2)
    x = vertices(loop.g, one.i, words(sub & NUMBER), True)
    p = add(one.h, x)
    z = dot(p, one.normal)
    across = behind(p, z, one.normal)
    r = length(across)
    meets, line = _to_side((r, z, over(across, r)), one.normal, sizes, (sub >> PART) == FAR)
    distance = select(meets, length(line), 2.0 * one.radius)
    return Met(all_of(r > 0.0), distance, x, line, nothing, (nothing, nothing, nothing), one.radius)


@inlined
def _out_of_reach(walls, k, x, reach):
    _, line = to_cone(x, columns(walls.pose, k, NORMAL), _sizes(walls.shape, k), False)
    return square(line) > reach * reach


@inlined
def _list_near(near, entries, found):
    walls, g, i, k = near.walls, near.g, near.i, near.k
    axis, sizes = columns(walls.pose, k, NORMAL), _sizes(walls.shape, k)
    outer = near.parts.vertex_start[g.species[i]]
    for v in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        if near.parts.outer[outer + v] == 0:
            continue
        p = add(near.centre, vertex(g, i, v))
        for part in (NEAR, FAR):
            _, line = to_cone(p, axis, sizes, part == FAR)
            if square(line) <= near.reach * near.reach:
                found = put(entries, found, near.i, near.k, (part << PART) + v)
    if pieces_of(near) > 1:
        return found  # the pieces of a compound have edges within the grain
    found = put_edges(near, entries, found, _rim(axis, sizes, near.centre, False), FIRST)
    return put_edges(near, entries, found, _rim(axis, sizes, near.centre, True), SECOND)


def _swept(shape: np.ndarray, axis: np.ndarray, centre: np.ndarray) -> float:
    first, second, tall = (float(size) for size in shape[SIZES : SIZES + 3])
    ends = np.array([shape[:3], shape[:3] + tall * shape[3:6]]) - centre
    away = off_axis(ends, axis)
    largest = max(first, second)
    return 0.0 if float(away.max()) <= PARALLEL * max(largest, tall) else float((away + np.array([first, second])).max())


def _share(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How far up the cone the nearest points are, 0 at its first circle and 1 at the second; beyond them where the cone goes on without end."""
    first, second, tall = sizes[:3]
    return np.asarray(((radial - first) * (second - first) + height * tall) / ((second - first) ** 2 + tall**2))


def _distance(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """On both sides."""
    first, second, tall = sizes[:3]
    s = np.clip(_share(height, radial, sizes), 0.0, 1.0)
    return np.asarray(np.hypot(first + s * (second - first) - radial, s * tall - height))


def _mirrored(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points inside, behind the nearest point of the surface."""
    first, second, tall = sizes[:3]
    s = _share(height, radial, sizes)
    out, up = first + s * (second - first) - radial, s * tall - height
    inside = (s >= 0.0) & (s <= 1.0) & (radial > 0.0) & (out > 0.0)
    return inside, 2.0 * up, 2.0 * out / np.where(inside, radial, 1.0)


CONE = Surface(
    "cone", _meet, _out_of_reach, _list_near, _swept, _distance, mirrored=_mirrored, thin=True, meet_in_lanes=_meet_in_lanes,
    in_lanes_below=FIRST << PART,
)  # fmt: skip
SMOOTH = 96  # sides of a cone in pictures


class Cone(WallTable):
    """The lateral surface of a truncated circular cone, such as a hopper: open at both ends, with grains inside or outside; in 2D, two segments."""

    kind: Literal["cone"] = Field(description="kind of wall")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="centre of the first end, on the axis (m)")
    axis: Direction = Field(
        default=(0.0, 0.0, 1.0), description="direction from the first end to the second; it is normalised (1); the default is `[0.0, 1.0]` in 2D"
    )
    length: Positive = Field(description="distance between the two ends along the axis (m)")
    radius: NonNegative = Field(default=0.0, description="radius at the first end (m); with 0, the cone ends in a tip there")
    end_radius: NonNegative | None = Field(default=None, description="radius at the second end (m); alternative: `half_angle`")
    half_angle: Number | None = Field(
        default=None, gt=-0.5 * math.pi, lt=0.5 * math.pi,
        description="angle between the axis and the surface, positive if the cone widens along the axis (rad); alternative: `end_radius`",
    )  # fmt: skip

    made_of: ClassVar = (CONE,)
    axis_in_plane: ClassVar = True

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "end_radius", "half_angle")
        end = self.radius_at_the_end()
        if end < 0.0:
            raise ValueError(
                f"comes to a tip before its end: with radius = {self.radius!r} and half_angle = {self.half_angle!r} its length is "
                f"{self.radius / math.tan(-(self.half_angle or 0.0)):.6g} at most, but length is {self.length!r}"
            )
        if not max(self.radius, end) > 0.0:
            raise ValueError("needs a radius above zero at one of its ends: give radius, end_radius or half_angle")
        return self

    def radius_at_the_end(self) -> float:
        """Radius at the second end (m)."""
        if self.half_angle is None:
            return self.end_radius or 0.0
        return self.radius + self.length * math.tan(self.half_angle)

    @property
    def met_by_edges(self) -> bool:
        """At its rims."""
        return True

    def surfaces(self, dimension: int) -> list[Placed]:
        """The cone alone."""
        return [Placed(CONE, self.center, self.axis, (self.radius, self.radius_at_the_end(), self.length))]

    def at_a_corner(self, grain: Corners, own: Corners | None, dimension: int) -> Any:
        """A vertex on a rim and its edges; a ball too large for the cone is held from two sides."""
        return 1 + np.maximum(1, grain.edges)

    def middle(self) -> float:
        """Coordinate along y of the middle of its first end (m)."""
        return float(self.center[1])

    def draw(self, view: Any) -> None:
        """The surface; its two lines in two dimensions."""
        axis = view.turned(self.axis)
        first = np.add(self.center, view.shift)
        ends = ((first, self.radius), (first + self.length * axis, self.radius_at_the_end()))
        across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        if view.planar:
            across = np.array([-axis[1], axis[0], 0.0])
            for side in (-1.0, 1.0):
                view.show(view.pv.Line(*(end + side * size * across for end, size in ends)), color="gray", line_width=3)
            return
        across /= np.linalg.norm(across)
        angle = np.linspace(0.0, 2.0 * np.pi, SMOOTH + 1)
        circle = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(axis, across)
        points = np.concatenate([end + size * circle for end, size in ends])
        k = np.arange(SMOOTH)
        sides = np.column_stack([np.full(SMOOTH, 4), k, k + 1, k + SMOOTH + 2, k + SMOOTH + 1])
        view.show_cut(view.pv.PolyData(points, sides.ravel()), color="lightsteelblue", opacity=0.35, smooth_shading=True)
