"""Species with skeletons of any kind in 3D."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BeforeValidator, Field, PrivateAttr, Strict

from ..errors import FileError, ShapeError
from .base import Many, PathName, Points, Positive, _plain
from .species import SpeciesBase

if TYPE_CHECKING:
    from ..shapes import Shape

Numbers = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Strict(False), BeforeValidator(_plain)]


class Polyline(SpeciesBase):
    """An open polyline and a ball."""

    shape: Literal["polyline"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=3, description="vertices of the core in their order (m)")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Yermis(SpeciesBase):
    """An angular polyline of equal segments in space (paper 003), and a ball."""

    shape: Literal["yermis"] = Field(description="kind of shape")
    edge: Positive = Field(description="length of a segment of the core (m)")
    segments: Annotated[int, Field(ge=2, le=1000)] = Field(default=3, description="number of segments (1)")
    bend: Annotated[float, Field(gt=0, lt=math.pi)] = Field(default=0.5 * math.pi, description="angle between the directions of neighbours (rad)")
    torsion: Annotated[float, Field(ge=-math.pi, le=math.pi)] = Field(
        default=0.5 * math.pi, description="angle from the plane of one bend to that of the next, about the segment between (rad)"
    )

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return self.segments + 1


class Skeleton(SpeciesBase):
    """Any points, edges and faces, and a ball; vertices go by their number from 0."""

    shape: Literal["skeleton"] = Field(description="kind of shape")
    vertices: Points = Field(min_length=1, description="vertices of the core (m)")
    edges: Many[Numbers] = Field(default=(), description="pairs of vertices; sides of faces need not be listed")
    faces: Many[Numbers] = Field(
        default=(), description="loops of vertices, plane simple polygons, convex or not; of a solid counter-clockwise seen from outside"
    )
    points: Numbers = Field(default=(), description="vertices that stand alone; default: all, if there are neither edges nor faces")
    solid: bool = Field(default=False, description="whether the faces enclose a body; otherwise they are shells")

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core."""
        return len(self.vertices)


class Compound(SpeciesBase):
    """Convex pieces that make up one grain, and a ball; interaction `regularised`."""

    shape: Literal["compound"] = Field(description="kind of shape")
    pieces: Many[Points] = Field(
        min_length=1, description="a list of points for each piece, whose convex hull it is (m); pieces may share faces or overlap"
    )

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core, at most; what pieces share counts for each."""
        return sum(len(piece) for piece in self.pieces)


class Mesh(SpeciesBase):
    """The surface in a file, and a ball; it needs the extra `mesh`."""

    shape: Literal["mesh"] = Field(description="kind of shape")
    file: PathName = Field(description="STL, OBJ or PLY file; a relative path is relative to the case file")
    erode: bool = Field(default=True, description="whether the mesh is the outer surface of the grain, not its core; shells need false")
    solid: bool | None = Field(default=None, description="whether the surface encloses a body; default: where it is closed")
    faces: Annotated[int, Field(ge=4)] | None = Field(default=None, description="simplify to at most this many triangles")
    scale: Positive = Field(default=1.0, description="metres in a unit of the file (m)")

    _directory: Path = PrivateAttr(default_factory=Path)

    def located(self, directory: Path) -> Self:
        """The same species with a relative path taken from the given folder."""
        copy = self.model_copy()
        copy._directory = directory
        return copy

    def make_shape(self) -> Shape:
        """The geometry as a `pardem.Shape`; a file that has not changed is read once.

        Raises:
            FileError: the file is missing or no mesh.
            ShapeError: its surface is no skeleton, or cannot be eroded.
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
