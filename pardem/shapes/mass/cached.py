"""Mass properties are kept: a case asks for those of a species several times."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...errors import ShapeError
from .monte_carlo import MassEstimate
from .octree import cells_mass_properties
from .polytope_mass import Faces, MassProperties, RoundedSkeleton, exact_mass_properties


def cached_exact_properties(vertices: np.ndarray, edges: np.ndarray, faces: Faces, radius: float, density: float) -> MassProperties:
    """Compute `exact_mass_properties` only once for a core and radius.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers.
        radius: sphero-radius (m).
        density: mass density (kg/m^3).

    Returns:
        The mass properties.
    """
    m = _of_unit_density(vertices.tobytes(), edges.astype(np.int32).tobytes(), faces, radius)
    return MassProperties(m.volume, density * m.volume, m.centre.copy(), density * m.inertia, density * m.principal_moments, m.principal_axes.copy())


@lru_cache(maxsize=1 << 14)
def _of_unit_density(vertices: bytes, edges: bytes, faces: Faces, radius: float) -> MassProperties:
    points, pairs = np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(edges, dtype=np.int32).reshape(-1, 2)
    return exact_mass_properties(points, pairs, faces, radius, 1.0)


def cached_mass_properties(vertices: np.ndarray, edges: np.ndarray, faces: Faces, radius: float, density: float, solid: bool) -> MassEstimate:
    """Compute `cells_mass_properties` only once for a skeleton and radius, in units in which the size of the skeleton is about 1.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers.
        radius: sphero-radius (m).
        density: mass density (kg/m^3).
        solid: whether the inside of closed faces belongs to the body.

    Returns:
        The mass properties with their standard errors.

    Raises:
        ShapeError: the grain is too thin, or its volume lies outside the range of floats.
    """
    unit = 2.0 ** int(np.frexp(np.ptp(vertices, axis=0).max() + radius)[1])  # a power of two changes no digit
    m = _in_units(np.ascontiguousarray(vertices / unit).tobytes(), edges.astype(np.int32).tobytes(), faces, radius / unit, solid)
    with np.errstate(over="ignore", under="ignore"):
        cube, fifth = float(np.float64(unit) ** 3), float(np.float64(unit) ** 5)
        volume, inertia = m.volume * cube, density * (m.inertia * fifth)
    if not 0.0 < volume < np.inf:
        raise ShapeError(f"The volume of the grain comes out as {volume:g} m^3: lengths are in metres; check them.")
    return MassEstimate(
        volume, density * volume, m.centre * unit, inertia, density * (m.principal_moments * fifth), m.principal_axes.copy(),
        m.volume_error * cube, density * m.volume_error * cube, m.centre_error * unit, density * (m.inertia_error * fifth),
    )  # fmt: skip


@lru_cache(maxsize=64)
def _in_units(vertices: bytes, edges: bytes, faces: Faces, radius: float, solid: bool) -> MassEstimate:
    points, pairs = np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(edges, dtype=np.int32).reshape(-1, 2)
    return cells_mass_properties(RoundedSkeleton(points, pairs, faces, radius, solid), 1.0)
