"""Hertz-Mindlin law: phi = (4/3) E* sqrt(R delta) delta with a damper that gives a restitution independent of speed.

Damping c = 2 beta sqrt(5/6) sqrt(S m_eff), S = 2 E* sqrt(R delta) (Tsuji, Tanaka, Ishida 1992; Antypov and Elliott 2011); tangential stiffness
8 G* sqrt(R delta) (Mindlin), incremental.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import root, select
from ..compiled.jit import inlined
from .quantities import NormalForce


class Hertz(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the Hertz-Mindlin law.

    Attributes:
        e_star: effective Young's modulus (Pa). g_star: effective shear modulus (Pa).
        beta: damping ratio, -ln e / sqrt(pi^2 + ln^2 e).
        beta_t: the same for the tangential motion.
        friction: Coulomb coefficient.
        clamped: 1: the force never attracts.
        rocking, torsion: 1: rocking damper, torsional friction on.
    """

    e_star: np.ndarray
    g_star: np.ndarray
    beta: np.ndarray
    beta_t: np.ndarray
    friction: np.ndarray
    clamped: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: E*, G*, beta, beta_t, clamped."""
    return law.e_star[a, b], law.g_star[a, b], law.beta[a, b], law.beta_t[a, b], law.clamped[a, b], 0.0


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact; arguments and result as of ``elastic.normal_force``."""
    e_star, g_star, beta, beta_t, clamped, _ = numbers
    half_width = root(radius * overlap)
    stiffness = 2.0 * e_star * half_width
    kt = 8.0 * g_star * half_width
    spring = (2.0 / 3.0) * stiffness * overlap
    cn = 2.0 * beta * root((5.0 / 6.0) * stiffness * mass)
    ct = 2.0 * beta_t * root((5.0 / 6.0) * kt * mass)
    damping = cn * rate
    damping = select((clamped != 0.0) & (spring + damping < 0.0), -spring, damping)
    return NormalForce(spring + damping, kt, ct, cn, damping, 0.0, 0.4 * spring * overlap, memory)


@inlined
def growth(overlap, before):
    """Mean of the tangential stiffness over the overlaps from ``before`` to ``overlap`` (m), over that at ``overlap``: the mean of a square root."""
    q = root(before / overlap)
    return (2.0 / 3.0) * (1.0 + q + q * q) / (1.0 + q)
