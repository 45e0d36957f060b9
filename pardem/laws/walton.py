"""Walton's law (Walton and Braun): softer loading than unloading, the difference is plastic work.

phi = max(0, min(k1 delta, k2 (delta - delta_p))), delta_p the largest value so far of (1 - k1/k2) delta (thesis eq 2.13 in closed form).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import larger, root, select, smaller
from ..compiled.jit import inlined
from .quantities import NormalForce


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
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact; ``memory`` is delta_p (m), the plastic overlap. Arguments and result as of ``elastic.normal_force``.

    The plastic work is a function of delta_p: k1 (k2 - k1)/(2 k2) delta_max^2.
    """
    s = select(numbers[4] != 0.0, mass, 1.0)
    k1, k2 = numbers[0] * s, numbers[1] * s
    ratio = 1.0 - k1 / k2
    plastic = larger(memory, ratio * overlap)
    force = larger(0.0, smaller(k1 * overlap, k2 * (overlap - plastic)))
    work = select(ratio > 0.0, 0.5 * k1 / ratio * (plastic * plastic - memory * memory), 0.0)
    damping = 2.0 * root(k1 * mass) * ratio  # of the rocking damper only: the law itself has none
    return NormalForce(force, numbers[2] * s, numbers[3] * s, damping, 0.0, work, 0.5 * force * force / k2, plastic)
