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
        couples: 1: rocking damper and torsional friction on.
        mass_scaled: 1 where the four are to be multiplied by the pair's effective mass.
    """

    kn: np.ndarray
    cn: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    clamped: np.ndarray
    couples: np.ndarray
    mass_scaled: np.ndarray


@inlined
def normal_force(law, a, b, delta, rate, m_eff, r_eff, memory):
    """Normal force of one contact.

    Returns: as ``elastic.normal_force``.
    """
    s = m_eff if law.mass_scaled[a, b] != 0.0 else 1.0
    kn = law.kn[a, b] * s
    cn = law.cn[a, b] * s
    spring = kn * delta
    damping = cn * rate
    if law.clamped[a, b] != 0.0 and spring + damping < 0.0:
        damping = -spring
    return spring + damping, law.kt[a, b] * s, law.ct[a, b] * s, cn, damping, 0.0, 0.5 * spring * delta, memory
