"""Viscoelastic law (Cundall and Strack): phi = k delta + c d(delta)/dt, thesis eq 2.11-2.12 with parameters by eq 2.21 (corrected)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import select
from ..compiled.jit import inlined
from .quantities import NormalForce


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
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact; arguments and result as of ``elastic.normal_force``."""
    s = select(numbers[5] != 0.0, mass, 1.0)
    cn = numbers[1] * s
    spring = numbers[0] * s * overlap
    damping = cn * rate
    damping = select((numbers[4] != 0.0) & (spring + damping < 0.0), -spring, damping)
    return NormalForce(spring + damping, numbers[2] * s, numbers[3] * s, cn, damping, 0.0, 0.5 * spring * overlap, memory)
