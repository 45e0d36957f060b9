"""Species of grains as flat arrays for the kernels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit  # noqa: F401  (the layout of the catalogue is part of the compiled code: this file belongs to the cache's hash)
from ..errors import ShapeError
from .mass.monte_carlo import MassEstimate
from .mass.polytope_mass import MassProperties
from .rotations import from_matrix, products
from .shape import Shape

ALIKE = 1e-9  # relative difference below which two moments of inertia count as equal
SIGMAS = 4.0  # and the standard errors of estimated ones, within which they do


@dataclass(frozen=True, eq=False)
class Species:
    """A kind of grain.

    Attributes:
        name: name by which messages and files refer to it.
        shape: see `Shape`.
        density: mass density (kg/m^3).
    """

    name: str
    shape: Shape
    density: float


class Catalogue(NamedTuple):
    """All species of a run. Lengths are in the principal frame of each species about its centre of mass, at a size factor of 1.

    Attributes:
        kind: (ns,) int32 number of core vertices: 1 for a sphere, 2 for a spherocylinder (axis along body z, in 2D along x), more for a polytope.
        convex: (ns,) uint8, whether the core is convex.
        solid: (ns,) uint8, whether the inside of its faces or of its outline belongs to the grain.
        dimension: (ns,) int32, 2 or 3, the same for all.
        radius: (ns,) sphero-radius (m).
        mass: (ns,) mass (kg).
        volume: (ns,) volume (m^3); in 2D area (m^2), and the density is a mass per area.
        inertia: (ns, 3) principal moments (kg m^2); in 2D all three are that about z, since no other is ever used.
        core_radius: (ns,) largest distance of a core vertex from the centre (m).
        inradius: (ns,) radius of the largest ball about the centre inside the core (m); 0 for flat cores, segments, points and compounds.
        vertex_start: (ns + 1,) int64 first vertex of each species.
        vertices: (nv, 3) core vertices (m).
        edge_start: (ns + 1,) int64 first edge of each species.
        edges: (ne, 2) int32 vertex numbers within the species.
        face_start: (ns + 1,) int64 first face of each species.
        face_vertex_start: (nf + 1,) int64 first entry of each face in ``face_vertices``.
        face_vertices: int32 vertex numbers within the species, loops counter-clockwise seen from outside. A flat core has one face, which counts from
            both sides.
        axes: (ns, 3, 3) rotation whose columns are the principal axes in the axes in which the shape was given.
        long_axis: (ns, 3) unit vector along which grains are longest: the principal axis of the smallest moment (in 2D of those in the plane). It is
            zero if another moment is as small, as for spheres, disks, cubes and plates.
        centre: (ns, 3) centre of mass in the given axes (m): given point = centre + axes @ body point.
        piece_start: (ns + 1,) int64 first convex piece of each species; all but compounds have one piece.
        piece_vertex_start: (np + 1,) int64 first row of each piece in ``vertices``.
    """

    kind: np.ndarray
    convex: np.ndarray
    solid: np.ndarray
    dimension: np.ndarray
    radius: np.ndarray
    mass: np.ndarray
    volume: np.ndarray
    inertia: np.ndarray
    core_radius: np.ndarray
    inradius: np.ndarray
    vertex_start: np.ndarray
    vertices: np.ndarray
    edge_start: np.ndarray
    edges: np.ndarray
    face_start: np.ndarray
    face_vertex_start: np.ndarray
    face_vertices: np.ndarray
    axes: np.ndarray
    long_axis: np.ndarray
    centre: np.ndarray
    piece_start: np.ndarray
    piece_vertex_start: np.ndarray

    def volumes(self, species: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Compute the volumes of grains; in 2D their areas.

        Args:
            species: (n,) rows of the catalogue.
            scale: (n,) size factors.

        Returns:
            (n,) volumes (m^3; in 2D m^2).
        """
        out: np.ndarray = self.volume[species] * scale ** self.dimension[species]
        return out

    def masses(self, species: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Compute the masses of grains.

        Args:
            species: (n,) rows of the catalogue.
            scale: (n,) size factors.

        Returns:
            (n,) masses (kg).
        """
        out: np.ndarray = self.mass[species] * scale ** self.dimension[species]
        return out

    def moments(self, species: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Compute the principal moments of inertia of grains.

        Args:
            species: (n,) rows of the catalogue.
            scale: (n,) size factors.

        Returns:
            (n, 3) principal moments (kg m^2).
        """
        out: np.ndarray = self.inertia[species] * (scale ** (self.dimension[species] + 2))[:, None]
        return out


def build_catalogue(species: Sequence[Species]) -> Catalogue:
    """Build the catalogue of a list of species, in its order.

    Args:
        species: the species.

    Returns:
        The catalogue.

    Raises:
        ShapeError: a name is used twice, or the mass properties of a species cannot be computed; the species is named.
    """
    names = [s.name for s in species]
    for name, count in Counter(names).items():
        if count > 1:
            raise ShapeError(f"Two species are named '{name}': names must differ.")
    masses = []
    for s in species:
        try:
            masses.append(s.shape.mass_properties(s.density))
        except ShapeError as error:
            raise ShapeError(f"Species '{s.name}': {error}") from None
    shapes = [s.shape for s in species]
    cores = [(shape.vertices - m.centre) @ m.principal_axes for shape, m in zip(shapes, masses)]
    faces = [loop for shape in shapes for loop in shape.faces]
    return Catalogue(
        kind=np.array([len(v) for v in cores], dtype=np.int32),
        convex=np.array([shape.convex for shape in shapes], dtype=np.uint8),
        solid=np.array([shape.solid for shape in shapes], dtype=np.uint8),
        dimension=np.array([shape.dimension for shape in shapes], dtype=np.int32),
        radius=np.array([shape.radius for shape in shapes], dtype=float),
        mass=np.array([m.mass for m in masses], dtype=float),
        volume=np.array([m.volume for m in masses], dtype=float),
        inertia=np.array([m.principal_moments for m in masses], dtype=float).reshape(-1, 3),
        core_radius=np.array([np.sqrt((v * v).sum(axis=1).max()) for v in cores], dtype=float),
        inradius=np.array([_inradius(v, () if shape.pieces else shape.faces) for v, shape in zip(cores, shapes)], dtype=float),
        vertex_start=_starts(len(v) for v in cores),
        vertices=_stack(cores, 3, float),
        edge_start=_starts(len(shape.edges) for shape in shapes),
        edges=_stack([shape.edges for shape in shapes], 2, np.int32),
        face_start=_starts(len(shape.faces) for shape in shapes),
        face_vertex_start=_starts(len(loop) for loop in faces),
        face_vertices=np.array([v for loop in faces for v in loop], dtype=np.int32),
        axes=np.array([m.principal_axes for m in masses], dtype=float).reshape(-1, 3, 3),
        long_axis=np.array([_long_axis(m, shape) for m, shape in zip(masses, shapes)], dtype=float).reshape(-1, 3),
        centre=np.array([m.centre for m in masses], dtype=float).reshape(-1, 3),
        piece_start=_starts(max(1, len(shape.pieces)) for shape in shapes),
        piece_vertex_start=_starts(n for shape in shapes for n in shape.pieces or (len(shape.vertices),)),
    )


def principal_orientations(catalogue: Catalogue, species: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """Convert orientations of the axes in which the shapes were given to orientations of the principal frames.

    Args:
        catalogue: shape catalogue.
        species: (n,) rows of the catalogue.
        orientations: (n, 4) unit quaternions (w, x, y, z), given axes -> world.

    Returns:
        (n, 4) unit quaternions, principal frame -> world; bitwise the same where the given axes are principal.
    """
    turned = np.array(orientations, dtype=float).reshape(-1, 4)
    rows = np.asarray(species)
    for s in np.unique(rows):
        if np.array_equal(catalogue.axes[s], np.eye(3)):
            continue
        turned[rows == s] = products(turned[rows == s], from_matrix(catalogue.axes[s]))
    return turned


def _long_axis(m: MassProperties, shape: Shape) -> np.ndarray:
    """The row of ``Catalogue.long_axis``."""
    margin = SIGMAS * float(m.inertia_error.max()) if isinstance(m, MassEstimate) else 0.0
    if shape.dimension == 2:
        (xx, xy), yy = m.inertia[0, :2], m.inertia[1, 1]
        apart = math.hypot(yy - xx, 2.0 * xy)
        turn = 0.5 * math.atan2(-2.0 * xy, yy - xx)  # of the largest second moment of area
        axis, larger = np.array([math.cos(turn), math.sin(turn), 0.0]), 0.5 * (xx + yy + apart)
    else:
        smallest, larger, _ = np.sort(m.principal_moments)
        apart, axis = larger - smallest, np.eye(3)[np.argmin(m.principal_moments)]
    return axis if len(shape.vertices) > 1 and apart > max(ALIKE * larger, margin) else np.zeros(3)


def _inradius(vertices: np.ndarray, faces: tuple[tuple[int, ...], ...]) -> float:
    if len(faces) < 2:
        return 0.0
    distances = []
    for loop in faces:
        p = vertices[list(loop)]
        normal = np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0)
        distances.append(float(p[0] @ normal / np.linalg.norm(normal)))
    return max(0.0, min(distances))


def _starts(lengths: Iterable[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(list(lengths))]).astype(np.int64)


def _stack(blocks: list[np.ndarray], width: int, dtype: type) -> np.ndarray:
    return np.concatenate([np.empty((0, width), dtype=dtype), *blocks]).astype(dtype)
