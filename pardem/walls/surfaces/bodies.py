"""Walls that are spheropolytopes: fixed or driven bodies, which grains meet feature by feature in every interaction.

The vertices of all such bodies stand in the last rows of every rank's grains, so the features of a body are those of a grain. A body may be longer
than half a period of the domain; each of its features may not, and is met in its nearest image.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from ...case_values import Positive, Quaternion, Vector
from ...compiled.choices import root
from ...compiled.jit import inlined, kernel
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.conversions import rounded
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import words
from ...compiled.lanes.types import spread
from ...compiled.quaternions import orientation, product, put_orientation
from ...compiled.vectors import add, put_row, row, scale, subtract
from ...contacts.lane_groups import vectors_at
from ...contacts.nearest.feature_lanes import anchors, nearest_in_lanes
from ...contacts.nearest.features import anchor, bodies_of, nearest_features
from ...integrators.poses import place_vertices
from ..motion.driven import turns
from .meeting_lanes import Met, columns_at
from .pierced import disc_distance
from .place import POSE, SHAPE
from .surface import Surface, off_axis
from .wall_table import Corners, Placed, PlacedShape, Refusal, WallTable


@inlined
def row_of(walls, g, k):
    """Row of the grains' arrays that holds the body of a wall.

    Args:
        walls: `Walls`.
        g: `Grains`.
        k: the wall.
    """
    return g.gid.shape[0] + walls.body[k]


@inlined
def effective_radius(walls, g, i, k):
    """Effective radius of a grain and a wall (m), whose curvature counts where it is a body.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.
    """
    r = g.x[i, 3]
    if walls.body[k] == 0:
        return r
    other = g.x[row_of(walls, g, k), 3]
    return r * other / (r + other)


@inlined
def _place_of(walls, k):
    """Where the point of wall ``k`` is now (m)."""
    return add(row(walls.shape, k), row(walls.pose, k))


@inlined
def _shortest(d, period):
    return d - period * rounded(d / period) if period > 0.0 else d


@inlined
def _in_nearest_image(d, period):
    """Difference of a place in the domain and one anywhere in the nearest image (m); ``period`` 0: none. Driven bodies leave the domain."""
    return _shortest(d[0], period[0]), _shortest(d[1], period[1]), _shortest(d[2], period[2])


@kernel
def turn_bodies(walls, g, shapes):
    """Place the vertices of bodies that turn, from their orientation at the start (``g.q0``) and the turn in their wall's pose.

    Args:
        walls: `Walls`.
        g: `Grains`.
        shapes: tables of the species.
    """
    for k in range(walls.kind.shape[0]):
        if walls.body[k] != 0 and turns(walls.motion, k):
            j, pose = row_of(walls, g, k), walls.pose[k]
            put_orientation(g.q, j, product((pose[18], pose[19], pose[20], pose[21]), orientation(g.q0, j)))
            place_vertices(j, j + 1, g, shapes)


@inlined
def nearest_on_body(walls, g, i, k, sub, period):
    """Where grain ``i`` meets a feature of the body of wall ``k``.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.
        sub: number of the pair of features.
        period: (3,) of the domain (m), 0: open.

    Returns:
        distance of the cores (m), the point on the grain relative to its centre (m), the vector from there to the body's core (m), the body's
        radius (m).
    """
    f, j = walls.features, row_of(walls, g, k)
    a = anchor(f, g, j, sub)
    w = add(_in_nearest_image(subtract(row(g.x, i), add(_place_of(walls, k), a)), period), a)
    d2, x, y = nearest_features(f, g, bodies_of(i, j, w), sub, np.inf)
    return np.sqrt(d2), x, subtract(subtract(y, x), w), g.x[j, 3]


@inlined
def _images(d, reach, period):
    """First and last image of a body, d (m) away along an axis, that come within ``reach``; none: the first is behind the last."""
    if period > 0.0:
        return int(np.ceil((-reach - d) / period)), int(np.floor((reach - d) / period))
    return 0, 0 if abs(d) <= reach else -1


class _Body(NamedTuple):
    """A body that grains may come near to.

    Attributes:
        wall: its wall.
        row: its row in the grains' arrays.
        place: place of its point (m).
        extra: reach beyond contact (m).
        reach: its half-extents and ``extra`` (m).
    """

    wall: int
    row: int
    place: tuple[float, float, float]
    extra: float
    reach: tuple[float, float, float]


@inlined
def _note_images(near, found, g, i, half, body, period):
    """Put a grain and the images of a body that it may come near to into ``near`` from row ``found`` on.

    Args:
        near: `detection.feature_pairs.NearBodies`.
        found: number of its rows that are filled.
        g: `Grains`.
        i: row of the grain.
        half: its half-extents (m).
        body: the `_Body`.
        period: (3,) of the domain (m), 0: open.

    Returns:
        number of rows; there may be more than the array holds.
    """
    x, c = row(g.x, i), body.place
    d, reach = subtract(c, x), add(half, body.reach)
    a0, a1 = _images(d[0], reach[0], period[0])
    b0, b1 = _images(d[1], reach[1], period[1])
    c0, c1 = _images(d[2], reach[2], period[2])
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            for n in range(c0, c1 + 1):
                if found < near.second.shape[0]:
                    near.row[found, 0], near.row[found, 1], near.second[found] = i, body.row, body.wall
                    put_row(near.away, found, subtract((c[0] + a * period[0], c[1] + b * period[1], c[2] + n * period[2]), x))
                    near.extra[found] = body.extra
                    # images far from each other may share a number: then the way between the bodies tells them apart
                    near.key[found] = (g.gid[i] << 32) + (np.int64(body.wall) << 9) + ((a & 7) << 6) + ((b & 7) << 3) + (n & 7)
                found += 1
    return found


@kernel
def find_near_bodies(owned, g, walls, extent, extra, period, near):
    """Owned grains near bodies, one by one for each image of a body.

    Args:
        owned: number of owned grains.
        g: `Grains`.
        walls: `Walls`.
        extent: (N, 3) half-extents of grains and bodies, radius included (m).
        extra: (W,) reach beyond contact for each wall: skin and what the wall may move (m).
        period: (3,) of the domain (m), 0: open.
        near: `detection.feature_pairs.NearBodies`, filled.

    Returns:
        their number; where it exceeds the length of the arrays, call again with longer ones.
    """
    found = 0
    for k in range(walls.kind.shape[0]):
        if walls.body[k] == 0:
            continue
        j, more = row_of(walls, g, k), extra[k]
        body = _Body(k, j, _place_of(walls, k), more, add(row(extent, j), (more, more, more)))
        for i in range(owned):
            found = _note_images(near, found, g, i, row(extent, i), body, period)
    return found


@inlined
def _meet(loop, one):
    walls, g, settings = loop.walls, loop.g, loop.settings
    gap, x, line, round_off = nearest_on_body(walls, g, one.i, one.k, loop.pairs.sub[one.p], settings.period)
    return gap - round_off, x, scale(1.0 - round_off / gap if gap > 0.0 else 0.0, line), 0


@inlined
def _meet_in_lanes(loop, one):
    walls, g, period, nothing = loop.walls, loop.g, loop.settings.period, spread(0.0)
    f, j, sub = walls.features, words(pick(walls.body, one.k) + g.gid.shape[0]), pick(loop.pairs.sub, one.places)
    (x, _), (_, round_off) = vectors_at(g.x, one.i), vectors_at(g.x, j)
    place = add(columns_at(walls.shape, one.k, SHAPE, 0), columns_at(walls.pose, one.k, POSE, 0))
    a = anchors(f, g, j, sub, True)
    w = add(_in_nearest_image(subtract(x, add(place, a)), period), a)
    d2, x, y = nearest_in_lanes(f, g, (one.i, j), w, sub, walls.outlines, True)
    gap, line = root(d2), subtract(subtract(y, x), w)
    link, effective = scale(1.0 - round_off / gap, line), one.radius * round_off / (one.radius + round_off)
    return Met(all_of(gap > 0.0), gap - round_off, x, link, nothing, (nothing, nothing, nothing), effective)


@inlined
def _out_of_reach(walls, k, x, reach):
    return True  # its features are found by ``find_near_bodies``


@inlined
def _list_near(near, entries, found):
    return found


def _swept(shape: np.ndarray, axis: np.ndarray, centre: np.ndarray) -> float:
    """Of the body's point alone; `body_swept` has its vertices."""
    return float(off_axis(shape[None, :3] - centre, axis)[0])


BODY = Surface("body", _meet, _out_of_reach, _list_near, _swept, disc_distance, meet_in_lanes=_meet_in_lanes)


class Body(WallTable):
    """A body with the shape of a species, which grains touch feature by feature. The density of the species is ignored."""

    kind: Literal["body"] = Field(description="kind of wall")
    species: str = Field(description="name of the species that gives the shape; it need not have any grains")
    position: Vector = Field(default=(0.0, 0.0, 0.0), description="position of the origin of the axes in which the shape is given (m)")
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0),
        description="quaternion (w, x, y, z) that rotates the axes in which the shape is given into the world; it is normalised; in 2D an angle "
        "about z (rad)",
    )
    scale: Positive = Field(default=1.0, description="size factor, by which all lengths of the species are multiplied (1)")

    made_of: ClassVar = (BODY,)

    @property
    def solid(self) -> PlacedShape:
        """The shape of the species, scaled, shifted and turned."""
        return PlacedShape(self.species, self.scale, self.position, self.orientation)

    @property
    def met_by_edges(self) -> bool:
        """By all features."""
        return True

    def surfaces(self, dimension: int) -> list[Placed]:
        """The body; its point becomes the centre of mass later."""
        return [Placed(BODY, self.position, (0.0, 0.0, 1.0))]

    def rounding(self, radii: Mapping[str, float]) -> float:
        """The sphero-radius of the body."""
        return self.scale * radii[self.species]

    def at_a_corner(self, grain: Corners, own: Corners | None, dimension: int) -> Any:
        """Pairs of features where two corners meet."""
        assert own is not None
        return grain.together(own, dimension)

    def refuses_compounds(self) -> Refusal | None:
        """It is met by features."""
        return Refusal("kind = 'body' is met feature by feature", "features", "use planes, discs, cylinders or cones")

    def draw(self, view: Any) -> None:
        """Grey in two dimensions, else translucent."""
        mesh = view.body(self)
        if view.planar:
            view.show(mesh, color="gray", smooth_shading=True, split_sharp_edges=False)
        else:
            view.show_cut(mesh, color="lightsteelblue", opacity=0.15)
