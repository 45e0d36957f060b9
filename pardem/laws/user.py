"""A law given by the user: a Numba function for the normal force, with the tangential spring of the linear laws.

The function has the signature ``f(delta, rate, m_eff, r_eff, parameters) -> force`` (N), compiled with ``numba.njit``; ``parameters`` is a row of
float64. It must return zero at delta = 0 and nothing else may remember: history belongs to the tangential spring only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._jit import inlined


class UserLaw(NamedTuple):
    """A user's normal force with tables ((m, m) float64 each) for the tangential part.

    Attributes:
        function: the compiled normal force.
        parameters: (m, m, k) float64, a row for each pair of species.
        kt, ct: tangential stiffness (N/m) and damping (N s/m).
        friction: Coulomb coefficient. couples: 1: torsional friction on.
        force_scale: the largest force that the law can give (N): it sets the quanta.
    """

    function: Callable[..., float]
    parameters: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    couples: np.ndarray
    force_scale: float


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: kt, ct and the pair itself."""
    return law.kt[a, b], law.ct[a, b], float(a), float(b), 0.0, 0.0


@inlined
def normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):
    """Normal force of one contact. What the user's force does beyond its own rate-free part is counted as damping work.

    Returns: as ``elastic.normal_force``; the stored energy is that of a linear spring with the same force (exact for linear laws only).
    """
    row = law.parameters[int(c2), int(c3)]
    force = law.function(delta, rate, m_eff, r_eff, row)
    elastic = law.function(delta, 0.0, m_eff, r_eff, row)
    return force, c0, c1, 0.0, force - elastic, 0.0, 0.5 * elastic * delta, memory
