"""Estimated mass properties are kept: a case asks for those of a species several times."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from .cells import cells_mass_properties
from .mass import Faces
from .monte_carlo import MassEstimate


def kept_mass_properties(vertices: np.ndarray, edges: np.ndarray, faces: Faces, radius: float, density: float, solid: bool) -> MassEstimate:
    """`cells_mass_properties`, computed once for a skeleton and radius."""
    unit = _of_unit_density(vertices.tobytes(), edges.astype(np.int32).tobytes(), faces, radius, solid)
    return replace(
        unit, mass=density * unit.volume, inertia=density * unit.inertia, principal_moments=density * unit.principal_moments,
        mass_error=density * unit.volume_error, inertia_error=density * unit.inertia_error,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _of_unit_density(vertices: bytes, edges: bytes, faces: Faces, radius: float, solid: bool) -> MassEstimate:
    points, pairs = np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(edges, dtype=np.int32).reshape(-1, 2)
    return cells_mass_properties(points, pairs, faces, radius, 1.0, solid)
