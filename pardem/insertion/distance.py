"""Distance between the cores of two grains.

Spheres and segments: closed form. Polytopes: the point nearest to the origin in the difference of the two cores, by Wolfe's active-set method (1976)
with support points: the corral (at most four difference points) gives an upper bound |v|, the support plane across v a lower bound. A pair counts as
separate only by the lower bound, so no overlap is ever missed, whatever the rounding.
"""

from __future__ import annotations

import numpy as np

from .._jit import njit
from ..interactions.segments import nearest_segments

ROUNDING = 4e-15
"""Optimality gap, relative to the squared lengths at hand, at which the bounds count as met."""
DEPENDENT = 1e-13
"""Height over the affine hull of the others, relative to the length, below which a point depends on them."""
ROUNDS = 100


@njit
def _affine_weights(p, n, mu, q, r):
    """Weights of the point nearest to the origin in the affine hull of n points, by Gram-Schmidt on its edges (twice: Gram's matrix would lose half
    the digits on slender simplices); False where a point depends on those before. q, r: (3, 4) scratch.
    """
    m = n - 1
    for i in range(m):
        size2 = 0.0
        for c in range(3):
            q[i, c] = p[i + 1, c] - p[0, c]
            size2 += q[i, c] * q[i, c]
        for j in range(i):
            r[j, i] = 0.0
        for _ in range(2):
            for j in range(i):
                s = q[i, 0] * q[j, 0] + q[i, 1] * q[j, 1] + q[i, 2] * q[j, 2]
                r[j, i] += s
                for c in range(3):
                    q[i, c] -= s * q[j, c]
        r[i, i] = np.sqrt(q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] + q[i, 2] * q[i, 2])
        if not r[i, i] > DEPENDENT * np.sqrt(size2):
            return False
        for c in range(3):
            q[i, c] /= r[i, i]
    mu[0] = 1.0
    for i in range(m - 1, -1, -1):
        mu[i + 1] = -(q[i, 0] * p[0, 0] + q[i, 1] * p[0, 1] + q[i, 2] * p[0, 2])
        for k in range(i + 1, m):
            mu[i + 1] -= r[i, k] * mu[k + 1]
        mu[i + 1] /= r[i, i]
        mu[0] -= mu[i + 1]
    return True


@njit
def _shrink(p, n, weight, mu, q, r):
    """Wolfe's minor cycle: nearest point of the simplex of n points, the newcomer (last) with weight 0.

    Returns:
        the number of points kept; 0 where the newcomer brings nothing.
    """
    fresh = True
    while True:
        if not _affine_weights(p, n, mu, q, r):
            return 0
        step, leaves = 1.0, -1
        for i in range(n):
            if mu[i] <= 0.0:
                t = weight[i] / (weight[i] - mu[i]) if weight[i] > mu[i] else 0.0
                if leaves < 0 or t < step:
                    step, leaves = t, i
        if leaves < 0:
            for i in range(n):
                weight[i] = mu[i]
            return n
        if fresh and leaves == n - 1:
            return 0
        fresh = False
        for i in range(n):
            weight[i] += step * (mu[i] - weight[i])
        for i in range(leaves, n - 1):
            weight[i] = weight[i + 1]
            for c in range(3):
                p[i, c] = p[i + 1, c]
        n -= 1


@njit
def polytope_distance(verts, a0, a1, b0, b1, dx, dy, dz, above, below, work):
    """Bounds on the distance of two convex cores.

    Args:
        verts: (M, 3) world vertices relative to their centres (m); a: rows a0 to a1, b: rows b0 to b1.
        dx, dy, dz: centre of b less that of a (m).
        above, below: stop as soon as the distance is known to be more than, or not to be more than, this (m); inf and 0: find it.
        work: (12, 4) scratch.

    Returns:
        lower and upper bound (m). Where neither stop was met, the upper is the distance to rounding of the lengths; the lower lies below by at most
        about 1e-14 size^2 / distance, for the direction across is that uncertain.
    """
    p, weight, mu, q, r = work[:4], work[4], work[5], work[6:9], work[9:12]
    vx, vy, vz = dx, dy, dz
    n, lower, upper = 0, 0.0, np.inf
    for _ in range(ROUNDS):
        # support points: of b against v, of a along v
        i, j, low, high = b0, a0, np.inf, -np.inf
        for k in range(b0, b1):
            s = verts[k, 0] * vx + verts[k, 1] * vy + verts[k, 2] * vz
            if s < low:
                i, low = k, s
        for k in range(a0, a1):
            s = verts[k, 0] * vx + verts[k, 1] * vy + verts[k, 2] * vz
            if s > high:
                j, high = k, s
        wx, wy, wz = dx + verts[i, 0] - verts[j, 0], dy + verts[i, 1] - verts[j, 1], dz + verts[i, 2] - verts[j, 2]
        size2 = vx * vx + vy * vy + vz * vz
        if size2 == 0.0:
            if n > 0:
                return 0.0, 0.0
        else:
            across = wx * vx + wy * vy + wz * vz
            lower = max(lower, across / np.sqrt(size2))
            if lower > above:
                return lower, upper
            if n > 0 and size2 - across <= ROUNDING * (size2 + wx * wx + wy * wy + wz * wz):
                return min(lower, upper), upper
        for k in range(n):
            if p[k, 0] == wx and p[k, 1] == wy and p[k, 2] == wz:
                return min(lower, upper), upper
        p[n, 0], p[n, 1], p[n, 2] = wx, wy, wz
        weight[n] = 0.0 if n > 0 else 1.0
        kept = _shrink(p, n + 1, weight, mu, q, r) if n > 0 else 1
        if kept == 0:
            return min(lower, upper), upper
        n = kept
        vx = vy = vz = 0.0
        for k in range(n):
            vx += weight[k] * p[k, 0]
            vy += weight[k] * p[k, 1]
            vz += weight[k] * p[k, 2]
        upper = min(upper, np.sqrt(vx * vx + vy * vy + vz * vz))
        if upper <= below or n == 4:
            return min(lower, upper), upper
    return min(lower, upper), upper


@njit
def core_distance(verts, a0, a1, b0, b1, dx, dy, dz, above, below, work):
    """Bounds on the distance of two cores of any kind (see `polytope_distance`); equal for spheres and segments."""
    if a1 - a0 > 2 or b1 - b0 > 2:
        return polytope_distance(verts, a0, a1, b0, b1, dx, dy, dz, above, below, work)
    ux = uy = uz = wx = wy = wz = 0.0
    if a1 - a0 == 2:
        ux, uy, uz = verts[a0 + 1, 0], verts[a0 + 1, 1], verts[a0 + 1, 2]
    if b1 - b0 == 2:
        wx, wy, wz = verts[b0 + 1, 0], verts[b0 + 1, 1], verts[b0 + 1, 2]
    s, t = nearest_segments(-dx, -dy, -dz, ux, uy, uz, wx, wy, wz)
    x, y, z = dx + t * wx - s * ux, dy + t * wy - s * uy, dz + t * wz - s * uz
    distance = np.sqrt(x * x + y * y + z * z)
    return distance, distance
