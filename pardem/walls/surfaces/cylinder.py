"""The inside of endless tubes: one contact for each vertex of a grain's core."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from ...case_values import Direction, Positive, Vector
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import words
from ...compiled.lanes.rows import column_at
from ...compiled.lanes.types import spread
from ...compiled.vectors import add, behind, columns, dot, length, scale
from ...contacts.nearest.feature_lanes import vertices
from ...contacts.nearest.features import vertex
from .listing import vertex_lister
from .meeting_lanes import Met
from .place import NORMAL, SHAPE, SIZES, from_wall
from .surface import ALONG, PARALLEL, Surface, off_axis
from .wall_table import Placed, WallTable


@inlined
def _meet(loop, one):
    h, axis, _ = from_wall(loop.walls, loop.g, one.i, one.k)
    x = vertex(loop.g, one.i, loop.pairs.sub[one.p])
    p = add(h, x)
    across = behind(p, dot(p, axis), axis)
    r = length(across)
    gap = loop.walls.shape[one.k, SIZES] - r
    return gap, x, scale(gap / r if r > 0.0 else 0.0, across), 0


@inlined
def _meet_in_lanes(loop, one):
    x, nothing = vertices(loop.g, one.i, words(pick(loop.pairs.sub, one.places)), True), spread(0.0)
    p = add(one.h, x)
    across = behind(p, dot(p, one.normal), one.normal)
    r = length(across)
    gap = column_at(loop.walls.shape, one.k, SHAPE, SIZES) - r
    return Met(all_of(r > 0.0), gap, x, scale(gap / r, across), nothing, (nothing, nothing, nothing), one.radius)


@inlined
def _out_of_reach(walls, k, x, reach):
    axis = columns(walls.pose, k, NORMAL)
    return length(behind(x, dot(x, axis), axis)) + reach < walls.shape[k, SIZES]


_list_near = vertex_lister(_out_of_reach)


def _swept(shape: np.ndarray, axis: np.ndarray, centre: np.ndarray) -> float:
    distance = float(off_axis(shape[None, :3] - centre, axis)[0])
    return distance if distance > PARALLEL * shape[SIZES] else 0.0


def _distance(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Negative outside."""
    return np.asarray(sizes[0] - radial)


def _mirrored(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    inside = (radial > 0.0) & (radial < sizes[0])
    return inside, np.zeros(len(radial)), 2.0 * (sizes[0] - radial) / np.where(inside, radial, 1.0)


CYLINDER = Surface(
    "cylinder", _meet, _out_of_reach, _list_near, _swept, _distance, mirrored=_mirrored, meet_in_lanes=_meet_in_lanes,
    turns_about="the axis of the cylinder",
)  # fmt: skip


class Cylinder(WallTable):
    """The inside of an infinitely long circular tube; in 2D, the inside of a circle."""

    kind: Literal["cylinder"] = Field(description="kind of wall")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="any point on the axis of the tube (m)")
    axis: Direction = Field(default=(0.0, 0.0, 1.0), description="direction of the axis; it is normalised (1)")
    radius: Positive = Field(description="inner radius of the tube (m)")

    made_of: ClassVar = (CYLINDER,)
    contains: ClassVar = True

    def surfaces(self, dimension: int) -> list[Placed]:
        """The tube alone."""
        return [Placed(CYLINDER, self.center, self.axis, (self.radius,))]

    def enclosed(self, up: np.ndarray, has_base: bool, dimension: int) -> tuple[float | None, float | None] | None:
        """Endless in space; it needs a base across its axis."""
        area = math.pi * self.radius * self.radius
        if dimension == 2:
            return None, area
        axis = self.axis
        along = float(axis[0] * up[0] + axis[1] * up[1] + axis[2] * up[2])
        if abs(along) / math.sqrt(sum(c * c for c in axis)) > ALONG and has_base:
            return area, None
        return None

    def middle(self) -> float:
        """Coordinate along y of its axis (m), through which pictures are cut."""
        return float(self.center[1])

    def draw(self, view: Any) -> None:
        """As long as the grains of all frames need; in two dimensions its circle."""
        centre, axis = np.array(self.center), np.array(self.axis) / math.hypot(*self.axis)
        if view.planar:
            angle = np.linspace(0.0, 2.0 * np.pi, 97)
            circle = np.add(centre, view.shift) + self.radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(97)])
            view.show(view.pv.lines_from_points(circle), color="gray", line_width=3)
            return
        height = 1.1 * float(np.abs(axis) @ (view.bounds[1] - view.bounds[0])) + 2.0 * view.radius
        mid = centre + axis * ((view.bounds.mean(axis=0) - centre) @ axis) + view.shift
        tube = view.pv.Cylinder(center=mid, direction=axis, radius=self.radius, height=height, resolution=240, capping=False)
        view.show_cut(tube, color="lightsteelblue", opacity=0.15, smooth_shading=True)
