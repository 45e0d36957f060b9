"""Round plates, which grains meet on both sides and at the rim; those with a hole are another surface (``pierced``)."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ...case_values import Direction, Positive, Vector
from ...compiled.choices import select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.rows import column_at
from ...compiled.vectors import ZERO, add, behind, choose, columns, dot, length, negative, scale, square, subtract
from ...contacts.dispatch import closest_to_plane, stands_out, vertices_met
from ...contacts.nearest.features import HalfSpace, vertex
from .listing import list_pieces, vertex_lister
from .meeting_lanes import Met, meet_half_spaces
from .pierced import PIERCED, disc_distance, disc_mirrored, disc_swept
from .place import NORMAL, SHAPE, SIZES, from_wall
from .surface import Surface
from .wall_table import Corners, Placed, Refusal, WallTable


@inlined
def towards(normal, height):
    """The side of a disc on which a grain is, as a `HalfSpace`.

    Args:
        normal: normal of the disc.
        height: height of the grain's centre over the disc along that normal (m).
    """
    return HalfSpace(negative(normal), -height) if height < 0.0 else HalfSpace(normal, height)


@inlined
def _rim(g, i, vertices, radius, h, normal):
    """Nearest core vertex to a disc's rim and its nearest point there, for a grain that reaches past the disc.

    Args:
        g: `Grains`.
        i: row of the grain.
        vertices: the first vertex to look at, and the one after the last.
        radius: radius of the disc (m).
        h: the grain's centre relative to the disc's (m).
        normal: the disc's.

    Returns:
        the vertex relative to the centre (m), the vector from it to the nearest point of the disc (m).
    """
    best, x, line = np.inf, ZERO, ZERO
    for k in range(vertices[0], vertices[1]):
        u = vertex(g, i, k)
        p = add(h, u)
        flat = behind(p, dot(p, normal), normal)
        r = length(flat)
        s = 1.0 if r <= radius else radius / r
        c = subtract(scale(s, flat), p)
        d2 = square(c)
        if d2 < best:
            best, x, line = d2, u, c
    return x, line


@inlined
def _meet(loop, one):
    g, interaction, i = loop.g, loop.interaction, one.i
    sub, radius = loop.pairs.sub[one.p], loop.walls.shape[one.k, SIZES]
    h, given, height = from_wall(loop.walls, g, i, one.k)
    space = towards(given, height)
    f, above, x, status = closest_to_plane(interaction, g, i, space, loop.pairs, one.p, one.touching)
    normal = space.normal
    d, line = np.sqrt(f) if above > 0.0 else above, scale(-above, normal)
    if square(behind(add(h, x), above, normal)) > radius * radius:
        x, line = _rim(g, i, vertices_met(interaction, g, i, sub), radius, h, normal)
        d = length(line)
    if d > 0.0 and not stands_out(interaction, g, i, sub, line):
        d = 2.0 * g.x[i, 3]
    return d, x, line, status


@inlined
def _meet_in_lanes(loop, one):
    """Where all are nearest to the plate, not to its rim."""
    height, radius = dot(one.h, one.normal), column_at(loop.walls.shape, one.k, SHAPE, SIZES)
    behind_it = height < 0.0
    space = HalfSpace(choose(behind_it, negative(one.normal), one.normal), select(behind_it, -height, height))
    met, above = meet_half_spaces(loop, one, space)
    within = ~(square(behind(add(one.h, met.x), above, space.normal)) > radius * radius)
    return Met(met.solved and all_of(within), met.distance, met.x, met.link, met.lever, met.axis, one.radius)


@inlined
def _out_of_reach(walls, k, x, reach):
    return abs(dot(x, columns(walls.pose, k, NORMAL))) > reach


_list_vertices = vertex_lister(_out_of_reach)


@inlined
def _list_near(near, entries, found):
    return _list_vertices(near, entries, found) if near.by_vertex else list_pieces(near, entries, found)


DISC = Surface(
    "disc", _meet, _out_of_reach, _list_near, disc_swept, disc_distance, mirrored=disc_mirrored, faces=2, thin=True, meet_in_lanes=_meet_in_lanes
)  # fmt: skip


class Disc(WallTable):
    """A thin circular plate, with or without a circular hole in its middle."""

    kind: Literal["disc"] = Field(description="kind of wall")
    center: Vector = Field(description="centre of the disc (m)")
    normal: Direction = Field(description="normal of the disc, pointing towards the grains; it is normalised (1)")
    radius: Positive = Field(description="radius of the disc (m)")
    hole: Positive | None = Field(default=None, description="radius of the hole, smaller than that of the disc (m); default: no hole")

    made_of: ClassVar = (DISC, PIERCED)
    spans: ClassVar = True
    carries: ClassVar = True

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.hole is not None and not self.hole < self.radius:
            raise ValueError(f"needs hole < radius, but hole is {self.hole!r} and radius is {self.radius!r}")
        return self

    @property
    def flat(self) -> bool:
        """Where it is whole."""
        return self.hole is None

    @property
    def met_by_edges(self) -> bool:
        """Where it has a hole: at its rims."""
        return self.hole is not None

    def surfaces(self, dimension: int) -> list[Placed]:
        """A disc, or one with a hole."""
        if self.hole is None:
            return [Placed(DISC, self.center, self.normal, (self.radius,))]
        return [Placed(PIERCED, self.center, self.normal, (self.radius, self.hole))]

    def at_a_corner(self, grain: Corners, own: Corners | None, dimension: int) -> Any:
        """A vertex on a rim and its edges; a ball in a hole is held from two sides."""
        return 1 if self.hole is None else 1 + np.maximum(1, grain.edges)

    def refuses_compounds(self) -> Refusal | None:
        """Where it has a hole."""
        if self.hole is None:
            return None
        remedy = "use a disc without a hole, or give the grain's skeleton as a whole"
        return Refusal("hole: the rim of a hole is met by edges", "edges", remedy)

    def draw(self, view: Any) -> None:
        """As a grey plate, in two dimensions from its edge."""
        centre, normal = np.add(self.center, view.shift), view.turned(self.normal)
        if view.planar:
            across = np.array([-normal[1], normal[0], 0.0]) / np.linalg.norm(normal)
            for side in (-1.0, 1.0):
                view.show(view.pv.Line(centre + side * (self.hole or 0.0) * across, centre + side * self.radius * across), color="gray", line_width=3)
            return
        disc = view.pv.Disc(center=centre, inner=self.hole or 0.0, outer=self.radius, normal=normal, c_res=96)
        view.show(disc, color="gray", opacity=0.6)
