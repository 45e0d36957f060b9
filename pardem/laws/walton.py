"""Walton's law (Walton and Braun): softer loading than unloading, the difference is plastic work.

phi = max(0, min(k1 delta, k2 (delta - delta_p))), delta_p the largest value so far of (1 - k1/k2) delta (thesis eq 2.13 in closed form).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined


class Walton(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of Walton's law.

    Attributes:
        k1, k2: loading and unloading stiffness (N/m); per effective mass where ``mass_scaled``.
        kt: tangential stiffness; ct: tangential damping.
        friction: Coulomb coefficient.
        rocking, torsion: 1: rocking damper, torsional friction on.
        mass_scaled: 1 where they are to be multiplied by the pair's effective mass.
    """

    k1: np.ndarray
    k2: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: k1, k2, kt, ct, mass_scaled."""
    return law.k1[a, b], law.k2[a, b], law.kt[a, b], law.ct[a, b], law.mass_scaled[a, b], 0.0


@inlined
def normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):
    """Normal force of one contact; ``memory`` is delta_p (m), the plastic overlap.

    Returns: as ``elastic.normal_force``. The plastic work is a function of delta_p: k1 (k2 - k1)/(2 k2) delta_max^2.
    """
    s = m_eff if c4 != 0.0 else 1.0
    k1 = c0 * s
    k2 = c1 * s
    ratio = 1.0 - k1 / k2
    plastic = max(memory, ratio * delta)
    force = max(0.0, min(k1 * delta, k2 * (delta - plastic)))
    work = 0.5 * k1 / ratio * (plastic * plastic - memory * memory) if ratio > 0.0 else 0.0
    damping = 2.0 * np.sqrt(k1 * m_eff) * ratio  # of the rocking damper only: the law itself has none
    return force, c2 * s, c3 * s, damping, 0.0, work, 0.5 * force * force / k2, plastic
