"""Species of grains for two dimensions: one class for each shape."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from .base import Many, Points, Positive, exactly_one
from .species import SpeciesBase

COW_VERTICES = 62


class _PlanarSpecies(SpeciesBase):
    density: Positive = Field(description="mass per area (kg/m^2); default: that of its `[[material]]`")
    radius: Positive = Field(description="radius of the disk that rounds the core (m)")

    @property
    def dimension(self) -> int:
        """Of the space the grains live in."""
        return 2


class Disk(_PlanarSpecies):
    """A disk (2D)."""

    shape: Literal["disk"] = Field(description="kind of shape")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 1


class Rice(_PlanarSpecies):
    """A segment along x and a disk (2D)."""

    shape: Literal["rice"] = Field(description="kind of shape")
    length: Positive = Field(description="length of the segment, without the round ends (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 2


class Peanut(_PlanarSpecies):
    """A bent segment, two equal halves, and a disk (2D, non-convex)."""

    shape: Literal["peanut"] = Field(description="kind of shape")
    length: Positive = Field(description="length of both halves together, without the round ends (m)")
    bend: float = Field(default=math.pi / 3.0, gt=0.0, lt=math.pi, description="angle by which the direction turns where the halves meet (rad)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 3


class Pebble(_PlanarSpecies):
    """A triangle and a disk (2D); a regular core has its first vertex on x."""

    shape: Literal["pebble"] = Field(description="kind of shape")
    vertices: Points | None = Field(default=None, min_length=3, max_length=3, description="three vertices of the core, x and y each (m)")
    circumradius: Positive | None = Field(default=None, description="distance from centre to vertex of a regular core (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "vertices", "circumradius")
        return self

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 3


class RegularPolygon(_PlanarSpecies):
    """A regular polygon about the origin, its first vertex on x, and a disk (2D)."""

    shape: Literal["regular_polygon"] = Field(description="kind of shape")
    sides: int = Field(ge=3, le=1000, description="number of sides (1)")
    circumradius: Positive | None = Field(default=None, description="distance from centre to vertex (m)")
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
    """Any simple polygon, convex or not, and a disk (2D); a clockwise outline is reversed, with a notice."""

    shape: Literal["polygon"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=3, description="corners in order, x and y each (m); the outline closes by itself and must not meet itself")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Clump(_PlanarSpecies):
    """Disks of one radius, fixed to each other (2D, non-convex): a rigid cluster; overlapping parts count once."""

    shape: Literal["clump"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=2, description="middles of the disks, x and y each (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class PlanarCompound(_PlanarSpecies):
    """Convex pieces that make up one grain, and a disk (2D); interaction `regularised`."""

    shape: Literal["planar_compound"] = Field(description="kind of shape")
    pieces: Many[Points] = Field(
        min_length=1, description="a list of points, x and y each, for each piece, whose convex hull it is (m); pieces may share edges or overlap"
    )

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core, at most; what pieces share counts for each."""
        return sum(len(piece) for piece in self.pieces)


class PlanarPolyline(_PlanarSpecies):
    """An open polyline and a disk (2D)."""

    shape: Literal["planar_polyline"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=2, description="vertices in order, x and y each (m); the polyline must not meet itself")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Cow(_PlanarSpecies):
    """The outline of a cow seen from the side, 62 vertices, and a disk (2D, non-convex)."""

    shape: Literal["cow"] = Field(description="kind of shape")
    length: Positive = Field(description="length from tail to muzzle, without the disk; tail and horns are about 0.03 of it wide (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return COW_VERTICES


PlanarSpecies = Disk | Rice | Peanut | Pebble | RegularPolygon | Polygon | PlanarPolyline | PlanarCompound | Clump | Cow
