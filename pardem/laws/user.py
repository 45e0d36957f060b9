"""A law given by the user: a Numba function for the normal force, with the tangential spring of the linear laws.

The function has the signature ``f(delta, rate, m_eff, r_eff, parameters) -> force`` (N), compiled with ``numba.njit``; ``parameters`` is a row of
float64. It must return zero at delta = 0 and nothing else may remember: history belongs to the tangential spring only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined
from .quantities import NormalForce


class UserLaw(NamedTuple):
    """A user's normal force with tables ((m, m) float64 each) for the tangential part.

    Attributes:
        function: the compiled normal force.
        parameters: (m, m, k) float64, a row for each pair of species.
        kt, ct: tangential stiffness (N/m) and damping (N s/m).
        friction: Coulomb coefficient. rocking, torsion: 1: rocking damper, torsional friction on.
        force_scale: the largest force that the law can give (N): it sets the quanta.
    """

    function: Callable[..., float]
    parameters: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    force_scale: float


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: kt, ct and the pair itself."""
    return law.kt[a, b], law.ct[a, b], float(a), float(b), 0.0, 0.0


# Gauss-Legendre nodes on (0, 1) and weights that sum to 2
NODES = (0.5 - 0.4530899229693320, 0.5 - 0.2692346550528416, 0.5, 0.5 + 0.2692346550528416, 0.5 + 0.4530899229693320)
WEIGHTS = (0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891)


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact. What the user's force does beyond its own rate-free part is counted as damping work.

    The stored energy is the integral of the rate-free force over the overlap, by Gauss' rule with five points in t = sqrt(overlap / delta): exact for
    sums of delta^(k/2) up to delta^4, so for linear and Hertzian springs.

    Arguments and result are those of ``elastic.normal_force``; the damping coefficient, and with it the rocking damper, is zero.
    """
    row = law.parameters[int(numbers[2]), int(numbers[3])]
    force = law.function(overlap, rate, mass, radius, row)
    elastic = law.function(overlap, 0.0, mass, radius, row)
    stored = 0.0
    for k in range(5):
        t = NODES[k]
        stored += WEIGHTS[k] * t * law.function(overlap * t * t, 0.0, mass, radius, row)
    return NormalForce(force, numbers[0], numbers[1], 0.0, force - elastic, 0.0, stored * overlap, memory)
