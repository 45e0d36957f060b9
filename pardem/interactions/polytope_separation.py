"""Cached separating directions: a cheap proof that two polytopes do not touch."""

from __future__ import annotations

import numpy as np

from .._jit import inlined

MARGIN = 1e-12  # relative to the lengths that enter: far above the rounding of this test and of the solvers


@inlined
def _least(vert, start, n, dx, dy, dz):
    """Lower bound of d . v over the vertices of a core, rounding included."""
    low = np.inf
    for k in range(start, start + n):
        tx, ty, tz = dx * vert[k, 0], dy * vert[k, 1], dz * vert[k, 2]
        low = min(low, tx + ty + tz - MARGIN * (abs(tx) + abs(ty) + abs(tz)))
    return low


@inlined
def separation2(wx, wy, wz, vert, a0, na, b0, nb, reach, dx, dy, dz):
    """Square of a lower bound (m^2) on the distance of the cores, where direction d proves that they are farther apart than ``reach``; else 0.

    Positive only if min_A d.a + d.W - max_B d.b > reach |d| by a margin above the rounding of this test and of the solvers, so it never contradicts a
    solve that finds the pair in touch (f < reach^2: the solvers' values are those of points in the cores, never below the distance). 0 proves
    nothing. A direction that is zero or not a number proves nothing either.

    Args:
        wx, wy, wz: W, centre of A less centre of B (m). vert, a0, na, b0, nb: as in ``regularised.regularised_polytopes``.
        reach: sum of the sphero-radii (m), >= 0.
        dx, dy, dz: direction from B to A, of any length.
    """
    tx, ty, tz = dx * wx, dy * wy, dz * wz
    apart = tx + ty + tz - MARGIN * (abs(tx) + abs(ty) + abs(tz))
    apart += _least(vert, a0, na, dx, dy, dz) + _least(vert, b0, nb, -dx, -dy, -dz)
    limit = reach * (1.0 + MARGIN)
    length2 = dx * dx + dy * dy + dz * dz
    if apart > 0.0 and apart * apart > limit * limit * length2:
        return apart * apart / length2
    return 0.0
