"""Elastic law: the normal force is the gradient of k delta^2 / 2; no damping."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import select
from ..compiled.jit import inlined
from .quantities import NormalForce


class Elastic(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the elastic law.

    Attributes:
        kn: normal stiffness (N/m), or (1/s^2) per effective mass where ``mass_scaled``.
        kt: tangential stiffness, likewise.
        friction: Coulomb coefficient.
        rocking, torsion: 0: neither rocking damper nor torsional friction.
        mass_scaled: 1 where stiffnesses are to be multiplied by the pair's effective mass.
    """

    kn: np.ndarray
    kt: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: kn, kt, mass_scaled."""
    return law.kn[a, b], law.kt[a, b], law.mass_scaled[a, b], 0.0, 0.0, 0.0


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact.

    Args:
        law: for its type only.
        numbers: see ``coefficients``.
        overlap: (m).
        rate: of the overlap (m/s).
        mass: effective mass (kg).
        radius: effective radius (m).
        memory: of the contact.

    Returns:
        the ``values.NormalForce``.
    """
    s = select(numbers[2] != 0.0, mass, 1.0)
    kn = numbers[0] * s
    return NormalForce(kn * overlap, numbers[1] * s, 0.0, 0.0, 0.0, 0.0, 0.5 * kn * overlap * overlap, memory)
