"""How strong the contacts of a law can become, and how weak ones still count: what the quanta of a run are made for."""

from __future__ import annotations

import numpy as np

from .kind import LawTables
from .registry import kind_of


def strongest(law: LawTables, a: np.ndarray, b: np.ndarray, mass: np.ndarray, radius: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Largest normal force (N) of contacts that never overlap by more than ``overlap``, with friction, dampers included.

    An impact on a spring k with the damping ratio z that ends at the overlap D is no faster than (1 + 2 z) D sqrt(k/m) (exact: exp(z atan(w/z)/w),
    w = sqrt(1 - z^2), which is below that for every z), so spring and damper together stay below k D (1 + 2 z (1 + 2 z)). For the Hertzian law
    the force F at the overlap takes the place of k D, and 2 beta of 2 z: its damper 2 beta sqrt(5/6) sqrt(S m) has S = 3/2 F/D, and the impact
    without damper is sqrt(4/5 F D/m) fast.

    Args:
        law: its tables.
        a: row of the first body in the tables.
        b: row of the second body.
        mass: effective mass (kg).
        radius: effective radius (m).
        overlap: (m). All arrays have one shape.
    """
    friction, kind = 1.0 + law.friction[a, b], kind_of(law)
    if kind.bound is not None:
        return np.asarray(friction * kind.bound(law, a, b))
    twice = kind.damping(law, a, b, mass)
    return np.asarray(friction * spring_force(law, a, b, mass, radius, overlap) * (1.0 + twice * (1.0 + twice)))


def spring_force(law: LawTables, a: np.ndarray, b: np.ndarray, mass: np.ndarray, radius: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Normal force (N) at a small overlap without motion; with a range: the overlap times the stiffness where the force is zero. Infinite where a
    user's function gives nothing that counts as a force.

    Args:
        law: its tables.
        a: rows of the first bodies in the tables.
        b: rows of the second bodies.
        mass: effective masses (kg).
        radius: effective radii (m).
        overlap: (m). All arrays have one shape.
    """
    return kind_of(law).spring_force(law, a, b, mass, radius, overlap)


def power_of_size(law: LawTables, a: int, b: int, dimension: int) -> int:
    """The power of the grains' size with which the force of a pair grows, at the same overlap in radii.

    Args:
        law: its tables.
        a: row of the first material.
        b: row of the second material.
        dimension: dimension of space, 2 or 3.
    """
    return kind_of(law).power(law, a, b, dimension)
