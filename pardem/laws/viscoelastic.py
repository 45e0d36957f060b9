"""Viscoelastic law (Cundall and Strack): phi = k delta + c d(delta)/dt, thesis eq 2.11-2.12 with parameters by eq 2.21 (corrected)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined


class Viscoelastic(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the viscoelastic law.

    Attributes:
        kn, cn: normal stiffness (N/m) and damping (N s/m); per effective mass where ``mass_scaled``.
        kt, ct: tangential stiffness and damping, likewise.
        friction: Coulomb coefficient.
        clamped: 1: the force never attracts; 0: the thesis' form, which attracts at the end of a collision.
        rocking, torsion: 1: rocking damper, torsional friction on.
        mass_scaled: 1 where the four are to be multiplied by the pair's effective mass.
    """

    kn: np.ndarray
    cn: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    clamped: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: kn, cn, kt, ct, clamped, mass_scaled."""
    return law.kn[a, b], law.cn[a, b], law.kt[a, b], law.ct[a, b], law.clamped[a, b], law.mass_scaled[a, b]


@inlined
def normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):
    """Normal force of one contact.

    Returns: as ``elastic.normal_force``.
    """
    s = m_eff if c5 != 0.0 else 1.0
    kn = c0 * s
    cn = c1 * s
    spring = kn * delta
    damping = cn * rate
    damping = -spring if (c4 != 0.0) & (spring + damping < 0.0) else damping
    return spring + damping, c2 * s, c3 * s, cn, damping, 0.0, 0.5 * spring * delta, memory
