"""A packing of rounded Voronoi cells, and its file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path

import numpy as np

from ...errors import FileError
from ..shape import Shape


@dataclass(frozen=True, eq=False)
class Packing:
    """Spheropolygons or spheropolyhedra that do not overlap; made by `voronoi_packing`, d is the dimension.

    Attributes:
        lower, upper: (d,) corners of the box (m). periodic: (d,) by axis. sites: (n, d) the Voronoi sites, after relaxation (m).
        erosion: distance by which the cells were eroded: two cores are at least twice as far apart (m). radius: of the ball that rounds them (m).
        site: (m,) rows of ``sites`` whose cells are left. vanished: (n - m,) rows of the others.
        centres: (m, d) centres of mass, inside the box along periodic axes (m).
        volume, surface: (m,) of the grains, exact to rounding (m^3, m^2; in 2D area and perimeter, m^2, m).
        vertex_start: (m + 1,) ranges of vertices. vertices: (nv, d) of the cores, relative to the centres (m); in 2D counter-clockwise.
        face_start: (m + 1,) ranges of faces. loop_start: (nf + 1,) ranges of loops. loops: vertex numbers within the core, counter-clockwise
            seen from outside; in 2D the outlines.
    """

    lower: np.ndarray
    upper: np.ndarray
    periodic: np.ndarray
    sites: np.ndarray
    erosion: float
    radius: float
    site: np.ndarray
    vanished: np.ndarray
    centres: np.ndarray
    volume: np.ndarray
    surface: np.ndarray
    vertex_start: np.ndarray
    vertices: np.ndarray
    face_start: np.ndarray
    loop_start: np.ndarray
    loops: np.ndarray

    def __len__(self) -> int:
        return len(self.site)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.centres.shape[1])

    def void_ratio(self) -> float:
        """Volume of the voids divided by that of the grains (1), infinite where every cell has vanished."""
        solid = float(self.volume.sum())
        return float(np.prod(self.upper - self.lower)) / solid - 1.0 if solid > 0.0 else np.inf

    def sphericity(self) -> np.ndarray:
        """For each grain, the surface of the ball of equal volume divided by its own ((m,), 1 for balls); in 2D circumferences of equal area."""
        if self.dimension == 2:
            return np.asarray(2.0 * np.sqrt(np.pi * self.volume) / self.surface)
        return np.asarray(np.pi ** (1.0 / 3.0) * (6.0 * self.volume) ** (2.0 / 3.0) / self.surface)

    def core(self, grain: int) -> np.ndarray:
        """Vertices of a grain's core in the box's axes, (nv, d) m; beyond periodic faces where the grain sticks out."""
        out: np.ndarray = self.centres[grain] + self.vertices[self.vertex_start[grain] : self.vertex_start[grain + 1]]
        return out

    def faces(self, grain: int) -> tuple[tuple[int, ...], ...]:
        """Vertex loops of a grain's core; in 2D the outline alone."""
        ends = self.loop_start[self.face_start[grain] : self.face_start[grain + 1] + 1]
        return tuple(tuple(self.loops[a:b].tolist()) for a, b in pairwise(ends))

    def shapes(self) -> list[Shape]:
        """The grains as shapes, each about its own centre of mass; in 2D spheropolygons with z = 0."""
        return [self._shape(k) for k in range(len(self))]

    def _shape(self, grain: int) -> Shape:
        vertices = np.zeros((self.vertex_start[grain + 1] - self.vertex_start[grain], 3))
        vertices[:, : self.dimension] = self.vertices[self.vertex_start[grain] : self.vertex_start[grain + 1]]
        faces = self.faces(grain)
        sides = {(min(a, b), max(a, b)) for loop in faces for a, b in zip(loop, loop[1:] + loop[:1])}
        kind = "polygon" if self.dimension == 2 else "polyhedron"
        return Shape(kind, self.radius, vertices, np.array(sorted(sides), dtype=np.int32), faces, dimension=self.dimension)

    def save(self, path: str | Path) -> None:
        """Write everything to an ``.npz`` file; the arrays have the names of the attributes.

        Raises:
            FileError: the file cannot be written.
        """
        try:
            with open(path, "wb") as file:
                np.savez_compressed(file, allow_pickle=False, **{f.name: np.asarray(getattr(self, f.name)) for f in fields(self)})
        except OSError as error:
            raise FileError(f"{path} could not be written: {error.strerror}.") from None

    @classmethod
    def load(cls, path: str | Path) -> Packing:
        """Read what `save` wrote.

        Raises:
            FileError: the file is missing or holds no packing.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                data = {f.name: file[f.name] for f in fields(cls)}
        except OSError as error:
            raise FileError(f"{path} could not be read: {error.strerror or error}.") from None
        except (KeyError, ValueError) as error:
            raise FileError(f"{path} holds no packing ({error}); write one with Packing.save.") from None
        return cls(**{name: value if value.ndim else value.item() for name, value in data.items()})
