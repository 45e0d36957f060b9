"""Species of grains: one class for each shape."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from ..case_values import Points, Positive, exactly_one
from .species import SpeciesBase


class Sphere(SpeciesBase):
    """A ball."""

    shape: Literal["sphere"] = Field(description="kind of shape")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 1


class Spherocylinder(SpeciesBase):
    """A segment, rounded by a ball."""

    shape: Literal["spherocylinder"] = Field(description="kind of shape")
    length: Positive = Field(description="length of the segment, without the round ends (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 2


class Spherotriangle(SpeciesBase):
    """A triangle, rounded by a ball; a regular core is centred at the origin in the x-y plane, with its first vertex on the x axis."""

    shape: Literal["spherotriangle"] = Field(description="kind of shape")
    vertices: Points | None = Field(default=None, min_length=3, max_length=3, description="three vertices of the core (m)")
    circumradius: Positive | None = Field(default=None, description="distance from the centre to a vertex of a regular core (m)")
    edge: Positive | None = Field(default=None, description="edge length of a regular core (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "vertices", "circumradius", "edge")
        return self

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 3


class Spherotetrahedron(SpeciesBase):
    """A tetrahedron, rounded by a ball; a regular core has its vertices on alternate corners of a cube centred at the origin."""

    shape: Literal["spherotetrahedron"] = Field(description="kind of shape")
    vertices: Points | None = Field(default=None, min_length=4, max_length=4, description="four vertices of the core (m)")
    circumradius: Positive | None = Field(default=None, description="distance from the centre to a vertex of a regular core (m)")
    edge: Positive | None = Field(default=None, description="edge length of a regular core (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "vertices", "circumradius", "edge")
        return self

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 4


class Polyhedron(SpeciesBase):
    """The convex hull of points, rounded by a ball."""

    shape: Literal["polyhedron"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=4, description="points whose convex hull is the core (m)")

    @property
    def core_vertices(self) -> int:
        """Upper bound of the number of vertices of the core; points inside the hull are not vertices."""
        return len(self.vertices)


class Cube(SpeciesBase):
    """A cube, rounded by a ball; the core is centred at the origin and aligned with the axes."""

    shape: Literal["cube"] = Field(description="kind of shape")
    side: Positive = Field(description="edge length of the core (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return 8
