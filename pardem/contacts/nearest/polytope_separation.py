"""Cached separating directions: a cheap proof that two polytopes do not touch."""

from __future__ import annotations

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import negative, row, square
from .polytope_pair import core_a, core_b

MARGIN = 1e-12  # relative to the lengths that enter: far above the rounding of this test and of the solvers


@inlined
def _at_least(d, a):
    """Lower bound of d . a, rounding included."""
    tx, ty, tz = d[0] * a[0], d[1] * a[1], d[2] * a[2]
    return tx + ty + tz - MARGIN * (abs(tx) + abs(ty) + abs(tz))


@inlined
def _least(core, d):
    """Lower bound of d . v over the vertices of a core, rounding included."""
    low = np.inf
    for k in range(core.first, core.first + core.count):
        low = min(low, _at_least(d, row(core.vert, k)))
    return low


@inlined
def separation2(w, cores, reach, direction):
    """Square of a lower bound (m^2) on the distance of the cores, where direction d proves that they are farther apart than ``reach``; else 0.

    Positive only if min_A d.a + d.W - max_B d.b > reach |d| by a margin above the rounding of this test and of the solvers, so it never contradicts a
    solve that finds the pair in touch (f < reach^2: the solvers' values are those of points in the cores, never below the distance). 0 proves
    nothing. A direction that is zero or not a number proves nothing either.

    Args:
        w: W, centre of A less centre of B (m).
        cores: ``polytope_pair.TwoCores``.
        reach: sum of the sphero-radii (m), >= 0.
        direction: direction from B to A, of any length.
    """
    apart = _at_least(direction, w)
    apart += _least(core_a(cores), direction) + _least(core_b(cores), negative(direction))
    limit = reach * (1.0 + MARGIN)
    length2 = square(direction)
    if apart > 0.0 and apart * apart > limit * limit * length2:
        return apart * apart / length2
    return 0.0
