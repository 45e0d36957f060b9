"""Distance between the cores of two grains.

Spheres and segments: closed form. Polytopes: the point nearest to the origin in the difference of the two cores, by Wolfe's active-set method (1976)
with support points: the corral (at most four difference points) gives an upper bound |v|, the support plane across v a lower bound. A pair counts as
separate only by the lower bound, so no overlap is ever missed, whatever the rounding.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined
from ..compiled.vectors import ZERO, add, ahead, behind, dot, dot_from, length, negative, over, put_row, row, square, subtract
from ..contacts.nearest.segments import nearest_segments

ROUNDING = 4e-15
"""Optimality gap, relative to the squared lengths at hand, at which the bounds count as met."""
DEPENDENT = 1e-13
"""Height over the affine hull of the others, relative to the length, below which a point depends on them."""
ROUNDS = 100


@inlined
def _span_edges(p, n, q, r):
    """Orthonormal axes along the edges of n points from the first, by Gram-Schmidt (twice: Gram's matrix would lose half the digits on slender
    simplices).

    Args:
        p: (4, 4) points (m) in the first n rows.
        n: number of points.
        q: (3, 4), filled with the axes.
        r: (3, 4), filled with the edges' components along them (m).

    Returns:
        whether no point depends on those before.
    """
    for i in range(n - 1):
        a = subtract(row(p, i + 1), row(p, 0))
        size2 = square(a)
        for j in range(i):
            r[j, i] = 0.0
        for _ in range(2):
            for j in range(i):
                s = dot(a, row(q, j))
                r[j, i] += s
                a = behind(a, s, row(q, j))
        r[i, i] = length(a)
        if not r[i, i] > DEPENDENT * np.sqrt(size2):
            return False
        put_row(q, i, over(a, r[i, i]))
    return True


@inlined
def _affine_weights(p, n, mu, q, r):
    """Weights of the point nearest to the origin in the affine hull of n points; False where a point depends on those before.

    Args:
        p: (4, 4) points (m) in the first n rows.
        n: number of points.
        mu: (4,), filled with the weights.
        q: (3, 4) work space.
        r: (3, 4) work space.
    """
    if not _span_edges(p, n, q, r):
        return False
    m = n - 1
    mu[0] = 1.0
    for i in range(m - 1, -1, -1):
        mu[i + 1] = -dot(row(q, i), row(p, 0))
        for k in range(i + 1, m):
            mu[i + 1] -= r[i, k] * mu[k + 1]
        mu[i + 1] /= r[i, i]
        mu[0] -= mu[i + 1]
    return True


@inlined
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


@inlined
def _support(verts, rows, v):
    """The row among some vertices ((M, 3)) that is furthest along v, the first one of several."""
    best, most = rows[0], -np.inf
    for k in range(rows[0], rows[1]):
        s = dot(row(verts, k), v)
        if s > most:
            best, most = k, s
    return best


@inlined
def _nearest_of(p, weight, n):
    """The point with these weights of the first n rows of p (m)."""
    v = ZERO
    for k in range(n):
        v = ahead(v, weight[k], row(p, k))
    return v


@inlined
def _is_among(p, n, w):
    """Whether a point is one of the first n rows of p."""
    same = False
    for k in range(n):
        same |= p[k, 0] == w[0] and p[k, 1] == w[1] and p[k, 2] == w[2]
    return same


@inlined
def polytope_distance(verts, a, b, d, above, below, work):
    """Bound the distance between two convex cores.

    Args:
        verts: (M, 3) world vertices relative to their centres (m).
        a: first row of the first core's vertices, and the row after its last one.
        b: the same for the second core.
        d: centre of b minus centre of a (m).
        above: stop as soon as the distance is known to exceed this value (m); inf to compute it.
        below: stop as soon as the distance is known not to exceed this value (m); 0 to compute it.
        work: (12, 4) work space.

    Returns:
        Lower and upper bound (m). If the iteration did not stop early, the upper bound equals the distance up to rounding, and the lower bound lies
        below it by at most about 1e-14 size^2 / distance, which is the uncertainty of the direction.
    """
    p, weight, mu, q, r = work[:4], work[4], work[5], work[6:9], work[9:12]
    v = d
    n, lower, upper = 0, 0.0, np.inf
    for _ in range(ROUNDS):
        i, j = _support(verts, b, negative(v)), _support(verts, a, v)
        w = subtract(add(d, row(verts, i)), row(verts, j))
        size2 = square(v)
        if size2 == 0.0:
            if n > 0:
                return 0.0, 0.0
        else:
            across = dot(w, v)
            lower = max(lower, across / np.sqrt(size2))
            if lower > above:
                return lower, upper
            if n > 0 and size2 - across <= ROUNDING * dot_from(size2, w, w):
                return min(lower, upper), upper
        if _is_among(p, n, w):
            return min(lower, upper), upper
        put_row(p, n, w)
        weight[n] = 0.0 if n > 0 else 1.0
        kept = _shrink(p, n + 1, weight, mu, q, r) if n > 0 else 1
        if kept == 0:
            return min(lower, upper), upper
        n = kept
        v = _nearest_of(p, weight, n)
        upper = min(upper, length(v))
        if upper <= below or n == 4:
            return min(lower, upper), upper
    return min(lower, upper), upper


@inlined
def core_distance(verts, a, b, d, above, below, work):
    """Bound the distance of two cores of any kind.

    Args:
        verts: (M, 3) world vertices relative to their centres (m).
        a: first row of the first core's vertices, and the row after its last one.
        b: the same for the second core.
        d: centre of b minus centre of a (m).
        above: stop as soon as the distance is known to exceed this value (m); inf to compute it.
        below: stop as soon as the distance is known not to exceed this value (m); 0 to compute it.
        work: (12, 4) work space.

    Returns:
        Lower and upper bound (m), equal for spheres and segments.
    """
    if a[1] - a[0] > 2 or b[1] - b[0] > 2:
        return polytope_distance(verts, a, b, d, above, below, work)
    u = row(verts, a[0] + 1) if a[1] - a[0] == 2 else ZERO
    v = row(verts, b[0] + 1) if b[1] - b[0] == 2 else ZERO
    s, t = nearest_segments(negative(d), u, v)
    distance = length(behind(ahead(d, t, v), s, u))
    return distance, distance
