"""Species of grains for two dimensions: one class for each shape."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from ..case_values import Many, Points, Positive, exactly_one
from .species import SpeciesBase

COW_VERTICES = 62


class _PlanarSpecies(SpeciesBase):
    density: Positive = Field(description="mass per area (kg/m^2); default: that of the `[[material]]`")
    radius: Positive = Field(description="radius of the disk that rounds the core (m)")

    @property
    def dimension(self) -> int:
        """Number of dimensions of space."""
        return 2


class Disk(_PlanarSpecies):
    """A disk (2D)."""

    shape: Literal["disk"] = Field(description="kind of shape")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 1


class Rice(_PlanarSpecies):
    """A segment along the x axis, rounded by a disk (2D)."""

    shape: Literal["rice"] = Field(description="kind of shape")
    length: Positive = Field(description="length of the segment, without the round ends (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 2


class Peanut(_PlanarSpecies):
    """A bent segment with two equal halves, rounded by a disk (2D, non-convex)."""

    shape: Literal["peanut"] = Field(description="kind of shape")
    length: Positive = Field(description="total length of the two halves, without the round ends (m)")
    bend: float = Field(default=math.pi / 3.0, gt=0.0, lt=math.pi, description="change of direction where the halves meet (rad)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 3


class Pebble(_PlanarSpecies):
    """A triangle, rounded by a disk (2D); a regular core is centred at the origin with its first vertex on the x axis."""

    shape: Literal["pebble"] = Field(description="kind of shape")
    vertices: Points | None = Field(default=None, min_length=3, max_length=3, description="three vertices of the core, each with x and y (m)")
    circumradius: Positive | None = Field(default=None, description="distance from the centre to a vertex of a regular core (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "vertices", "circumradius")
        return self

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 3


class RegularPolygon(_PlanarSpecies):
    """A regular polygon centred at the origin with its first vertex on the x axis, rounded by a disk (2D)."""

    shape: Literal["regular_polygon"] = Field(description="kind of shape")
    sides: int = Field(ge=3, le=1000, description="number of sides (1)")
    circumradius: Positive | None = Field(default=None, description="distance from the centre to a vertex (m)")
    edge: Positive | None = Field(default=None, description="length of a side (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "circumradius", "edge")
        return self

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return self.sides


class Polygon(_PlanarSpecies):
    """Any simple polygon, convex or not, rounded by a disk (2D); a clockwise outline is reversed, with a notice."""

    shape: Literal["polygon"] = Field(description="kind of shape")
    vertices: Points = Field(
        min_length=3, description="corners in order, each with x and y (m); the outline is closed automatically and must not intersect itself"
    )

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Clump(_PlanarSpecies):
    """A rigid cluster of disks of equal radius (2D, non-convex); where disks overlap, the area counts once."""

    shape: Literal["clump"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=2, description="centres of the disks, each with x and y (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class PlanarCompound(_PlanarSpecies):
    """A union of convex pieces, rounded by a disk (2D); for the interaction `regularised`."""

    shape: Literal["planar_compound"] = Field(description="kind of shape")
    pieces: Many[Points] = Field(
        min_length=1, description="list of points (x and y, in m) for each piece, which is their convex hull; pieces may share edges or overlap"
    )

    @property
    def core_vertices(self) -> int:
        """Upper bound of the number of vertices of the core; vertices shared by pieces count for each."""
        return sum(len(piece) for piece in self.pieces)


class PlanarPolyline(_PlanarSpecies):
    """An open polyline, rounded by a disk (2D)."""

    shape: Literal["planar_polyline"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=2, description="vertices in order, each with x and y (m); the polyline must not intersect itself")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Cow(_PlanarSpecies):
    """The outline of a cow seen from the side with 62 vertices, rounded by a disk (2D, non-convex)."""

    shape: Literal["cow"] = Field(description="kind of shape")
    length: Positive = Field(description="length from tail to muzzle, without the disk (m); tail and horns are about 0.03 times as wide")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return COW_VERTICES


PlanarSpecies = Disk | Rice | Peanut | Pebble | RegularPolygon | Polygon | PlanarPolyline | PlanarCompound | Clump | Cow
