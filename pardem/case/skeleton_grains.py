"""Species with skeletons of any kind in 3D."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BeforeValidator, Field, PrivateAttr, Strict

from ..case_values import Many, PathName, Points, Positive, as_lists
from ..errors import FileError, ShapeError
from .species import SpeciesBase

if TYPE_CHECKING:
    from ..shapes import Shape

Numbers = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Strict(False), BeforeValidator(as_lists)]


class Polyline(SpeciesBase):
    """An open polyline, rounded by a ball."""

    shape: Literal["polyline"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=3, description="vertices of the core, in order (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Yermis(SpeciesBase):
    """An angular polyline of equal segments in space (paper 003), rounded by a ball."""

    shape: Literal["yermis"] = Field(description="kind of shape")
    edge: Positive = Field(description="length of a segment of the core (m)")
    segments: Annotated[int, Field(ge=2, le=1000)] = Field(default=3, description="number of segments (1)")
    bend: Annotated[float, Field(gt=0, lt=math.pi)] = Field(
        default=0.5 * math.pi, description="angle between the directions of consecutive segments (rad)"
    )
    torsion: Annotated[float, Field(ge=-math.pi, le=math.pi)] = Field(
        default=0.5 * math.pi, description="angle from the plane of one bend to that of the next, about the segment between them (rad)"
    )

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return self.segments + 1


class Skeleton(SpeciesBase):
    """Any points, edges and faces, rounded by a ball; vertices are numbered from 0."""

    shape: Literal["skeleton"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=1, description="vertices of the core (m)")
    edges: Many[Numbers] = Field(default=(), description="pairs of vertex numbers; the sides of faces need not be listed")
    faces: Many[Numbers] = Field(
        default=(),
        description="loops of vertex numbers; faces are plane simple polygons, convex or not; those of a solid run counter-clockwise seen from "
        "outside",
    )
    points: Numbers = Field(default=(), description="numbers of isolated vertices; default: all vertices if there are neither edges nor faces")
    solid: bool = Field(default=False, description="whether the faces enclose a solid body; otherwise they are shells")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Compound(SpeciesBase):
    """A union of convex pieces, rounded by a ball; for the interaction `regularised`."""

    shape: Literal["compound"] = Field(description="kind of shape")
    pieces: Many[Points] = Field(
        min_length=1, description="list of points (m) for each piece, which is their convex hull; pieces may share faces or overlap"
    )

    @property
    def core_vertices(self) -> int:
        """Upper bound of the number of vertices of the core; vertices shared by pieces count for each."""
        return sum(len(piece) for piece in self.pieces)


class Mesh(SpeciesBase):
    """A triangulated surface from a file, rounded by a ball; this needs the extra `mesh`."""

    shape: Literal["mesh"] = Field(description="kind of shape")
    file: PathName = Field(description="STL, OBJ or PLY file; a relative path refers to the folder of the case file")
    erode: bool = Field(default=True, description="whether the mesh is the outer surface of the grain rather than its core; must be false for shells")
    solid: bool | None = Field(default=None, description="whether the surface encloses a solid body; default: true if it is closed")
    faces: Annotated[int, Field(ge=4)] | None = Field(
        default=None, description="largest number of triangles, to which the mesh is simplified; default: no simplification"
    )
    scale: Positive = Field(default=1.0, description="length of one unit of the file (m)")

    _directory: Path = PrivateAttr(default_factory=Path)

    def located(self, directory: Path) -> Self:
        """Return the same species with a path relative to a folder.

        Args:
            directory: the folder.
        """
        copy = self.model_copy()
        copy._directory = directory
        return copy

    def make_shape(self) -> Shape:
        """Return the geometry as a `pardem.Shape`; a file that has not changed is read only once.

        Raises:
            FileError: the file is missing or does not hold a mesh.
            ShapeError: its surface is not a valid skeleton, or cannot be eroded.
        """
        path = self._directory / self.file
        try:
            stamp = path.stat().st_mtime_ns if os.path.exists(path) else 0
            return _from_mesh(path, stamp, self.radius, self.erode, self.solid, self.faces, self.scale)
        except FileError as error:
            raise FileError(f"species.{self.name}.file = '{self.file}': {error}") from None
        except ShapeError as error:
            raise ShapeError(f"species.{self.name}: {error}") from None

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core; this reads the file."""
        return len(self.make_shape().vertices)


@lru_cache(maxsize=16)
def _from_mesh(path: Path, stamp: int, radius: float, erode: bool, solid: bool | None, faces: int | None, scale: float) -> Shape:
    from ..shapes import Shape

    return Shape.from_mesh(path, radius=radius, erode=erode, solid=solid, faces=faces, scale=scale)
