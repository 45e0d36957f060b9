"""Half-spaces, and boxes of six (in two dimensions four) of them."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ...case_values import Direction, Vector, ordered
from ...compiled.jit import inlined
from ...compiled.vectors import columns, dot, scale
from ...contacts.dispatch import closest_to_plane
from ...contacts.nearest.features import HalfSpace
from .listing import list_features, lowest, pieces_of, put, vertex_lister
from .meeting_lanes import meet_half_spaces
from .place import NORMAL, from_wall
from .surface import ALONG, Surface
from .wall_table import Placed, WallTable


@inlined
def _meet(loop, one):
    _, normal, height = from_wall(loop.walls, loop.g, one.i, one.k)
    f, above, x, status = closest_to_plane(loop.interaction, loop.g, one.i, HalfSpace(normal, height), loop.pairs, one.p, one.touching)
    return np.sqrt(f) if above > 0.0 else above, x, scale(-above, normal), status


@inlined
def _meet_in_lanes(loop, one):
    met, _ = meet_half_spaces(loop, one, HalfSpace(one.normal, dot(one.h, one.normal)))
    return met


@inlined
def _out_of_reach(walls, k, x, reach):
    return dot(x, columns(walls.pose, k, NORMAL)) > reach


_list_vertices = vertex_lister(_out_of_reach)


@inlined
def _list_near(near, entries, found):
    if near.minima:
        return list_features(near, entries, found)
    if near.by_vertex:
        return _list_vertices(near, entries, found)
    pieces, normal = pieces_of(near), columns(near.walls.pose, near.k, NORMAL)
    for m in range(pieces):
        if pieces == 1 or not dot(near.centre, normal) + lowest(near, m, normal) > near.reach:
            found = put(entries, found, near.i, near.k, m)
    return found


def _swept(shape: np.ndarray, axis: np.ndarray, centre: np.ndarray) -> float:
    return 0.0


def _distance(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Negative beyond the plane."""
    return height


def _mirrored(height: np.ndarray, radial: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return height > 0.0, -2.0 * height, np.zeros(len(height))


PLANE = Surface(
    "plane", _meet, _out_of_reach, _list_near, _swept, _distance, mirrored=_mirrored, faces=1, endless=True,
    meet_in_lanes=_meet_in_lanes, turns_about="the normal of the plane",
)  # fmt: skip


class Plane(WallTable):
    """An infinite plane, which bounds a half-space."""

    kind: Literal["plane"] = Field(description="kind of wall")
    point: Vector = Field(description="any point on the plane (m)")
    normal: Direction = Field(description="normal of the plane, pointing towards the grains; it is normalised (1)")

    made_of: ClassVar = (PLANE,)
    spans: ClassVar = True
    carries: ClassVar = True

    @property
    def flat(self) -> bool:
        """A plane is flat."""
        return True

    def surfaces(self, dimension: int) -> list[Placed]:
        """The plane alone."""
        return [Placed(PLANE, self.point, self.normal)]

    def draw(self, view: Any) -> None:
        """As far as it bounds what is shown."""
        view.show_plane(self.point, self.normal)


class BoxWall(WallTable):
    """The inside of a box, made of six planes (four in 2D) that move together."""

    kind: Literal["box"] = Field(description="kind of wall")
    lower: Vector = Field(description="lower corner of the box (m)")
    upper: Vector = Field(description="upper corner of the box (m)")

    made_of: ClassVar = (PLANE,)
    moves_as_one: ClassVar = True
    carries: ClassVar = True
    contains: ClassVar = True

    @model_validator(mode="after")
    def _check(self) -> Self:
        ordered(self.lower, self.upper)
        return self

    @property
    def flat(self) -> bool:
        """The planes of a box are flat."""
        return True

    def surfaces(self, dimension: int) -> list[Placed]:
        """The planes, those across x first."""
        placed = []
        for c, axis in enumerate("xyz"[:dimension]):
            inward = np.zeros(3)
            inward[c] = 1.0
            placed += [Placed(PLANE, self.lower, inward, part=f"lower-{axis}"), Placed(PLANE, self.upper, -inward, part=f"upper-{axis}")]
        return placed

    def enclosed(self, up: np.ndarray, has_base: bool, dimension: int) -> tuple[float | None, float | None]:
        """Of the box."""
        return space_of_box(self.lower, self.upper, up)

    def draw(self, view: Any) -> None:
        """As a wire frame."""
        view.box(np.add(self.lower, view.shift), np.add(self.upper, view.shift))


def space_of_box(lower: tuple[float, ...], upper: tuple[float, ...], up: np.ndarray) -> tuple[float | None, float | None]:
    """Area across an axis and volume of a box.

    Args:
        lower: lower corner (m).
        upper: upper corner (m).
        up: (3,) direction of the axis.

    Returns:
        area (m^2), None where ``up`` is along no edge of the box, and volume (m^3).
    """
    sides = [b - a for a, b in zip(lower, upper, strict=True)]
    space = sides[0] * sides[1] * sides[2]
    axis = int(np.argmax(np.abs(up)))
    return (space / sides[axis] if abs(up[axis]) > ALONG else None), space
