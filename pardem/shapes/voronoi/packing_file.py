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
    """Spheropolygons or spheropolyhedra that do not overlap, as made by `voronoi_packing`; d is the dimension.

    Attributes:
        lower: (d,) lower corner of the box (m).
        upper: (d,) upper corner of the box (m).
        periodic: (d,) periodic flags.
        sites: (n, d) Voronoi sites, after relaxation (m).
        erosion: distance by which the cells were eroded (m); two cores are at least twice as far apart.
        radius: radius of the ball that rounds the cores (m).
        site: (m,) rows of ``sites`` whose cells remain.
        vanished: (n - m,) rows of the others.
        centres: (m, d) centres of mass, inside the box along periodic axes (m).
        volume: (m,) volumes of the grains (m^3); in 2D areas (m^2). Exact up to rounding.
        surface: (m,) surface areas of the grains (m^2); in 2D perimeters (m). Exact up to rounding.
        vertex_start: (m + 1,) first vertex of each grain.
        vertices: (nv, d) vertices of the cores relative to the centres (m); in 2D counter-clockwise.
        face_start: (m + 1,) first face of each grain.
        loop_start: (nf + 1,) first entry of each face in ``loops``.
        loops: vertex numbers within the core, counter-clockwise seen from outside; in 2D the outlines.
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
        """Return the volume of the voids divided by that of the grains; infinite if every cell has vanished."""
        solid = float(self.volume.sum())
        return float(np.prod(self.upper - self.lower)) / solid - 1.0 if solid > 0.0 else np.inf

    def sphericity(self) -> np.ndarray:
        """Return the surface area of the ball of equal volume divided by that of the grain, for each grain; in 2D circumferences at equal area.

        Returns:
            (m,) sphericities; 1 for balls.
        """
        if self.dimension == 2:
            return np.asarray(2.0 * np.sqrt(np.pi * self.volume) / self.surface)
        return np.asarray(np.pi ** (1.0 / 3.0) * (6.0 * self.volume) ** (2.0 / 3.0) / self.surface)

    def core(self, grain: int) -> np.ndarray:
        """Return the vertices of the core of a grain in the axes of the box, where they may lie beyond periodic faces.

        Args:
            grain: number of the grain.

        Returns:
            (nv, d) vertices (m).
        """
        out: np.ndarray = self.centres[grain] + self.vertices[self.vertex_start[grain] : self.vertex_start[grain + 1]]
        return out

    def faces(self, grain: int) -> tuple[tuple[int, ...], ...]:
        """Return the loops of vertex numbers of the core of a grain; in 2D the outline alone.

        Args:
            grain: number of the grain.
        """
        ends = self.loop_start[self.face_start[grain] : self.face_start[grain + 1] + 1]
        return tuple(tuple(self.loops[a:b].tolist()) for a, b in pairwise(ends))

    def shapes(self) -> list[Shape]:
        """Return the grains as shapes, each about its own centre of mass; in 2D spheropolygons with z = 0."""
        return [self.shape(k) for k in range(len(self))]

    def shape(self, grain: int) -> Shape:
        """Return one grain as a shape about its centre of mass; in 2D a spheropolygon with z = 0.

        Args:
            grain: number of the grain.
        """
        vertices = np.zeros((self.vertex_start[grain + 1] - self.vertex_start[grain], 3))
        vertices[:, : self.dimension] = self.vertices[self.vertex_start[grain] : self.vertex_start[grain + 1]]
        faces = self.faces(grain)
        sides = {(min(a, b), max(a, b)) for loop in faces for a, b in zip(loop, loop[1:] + loop[:1])}
        kind = "polygon" if self.dimension == 2 else "polyhedron"
        return Shape(kind, self.radius, vertices, np.array(sorted(sides), dtype=np.int32), faces, dimension=self.dimension)

    def save(self, path: str | Path) -> None:
        """Write the packing to an ``.npz`` file whose arrays have the names of the attributes.

        Args:
            path: file to write.

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
        """Read a packing that was written by `save`.

        Args:
            path: file to read.

        Raises:
            FileError: the file is missing or does not contain a packing.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                data = {f.name: file[f.name] for f in fields(cls)}
        except OSError as error:
            raise FileError(f"{path} could not be read: {error.strerror or error}.") from None
        except (KeyError, ValueError) as error:
            raise FileError(f"{path} holds no packing ({error}); write one with Packing.save.") from None
        return cls(**{name: value if value.ndim else value.item() for name, value in data.items()})
