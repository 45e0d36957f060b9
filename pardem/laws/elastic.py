"""Elastic law: the normal force is the gradient of k delta^2 / 2; no damping."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined


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
def normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):
    """Normal force of one contact.

    Args:
        law: for its type only. c0 ... c5: see ``coefficients``.
        delta: overlap (m). rate: its rate (m/s). m_eff, r_eff: effective mass (kg) and radius (m). memory: of the contact.

    Returns:
        force (N), tangential stiffness (N/m), tangential damping (N s/m), damping coefficient of the normal motion (N s/m), the part of the
        force that damps (N), plastic work of this step (J), stored energy (J), new memory.
    """
    s = m_eff if c2 != 0.0 else 1.0
    kn = c0 * s
    return kn * delta, c1 * s, 0.0, 0.0, 0.0, 0.0, 0.5 * kn * delta * delta, memory
