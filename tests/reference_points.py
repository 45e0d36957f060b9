"""Nearest points of convex cores by means that share nothing with the narrow phase: one non-negative least-squares problem, and plane geometry.

The products (a_k, b_l) of the vertices of two cores are the vertices of the set over which the regularised distance is minimised,

    f = min |p|^2 over the hull of p_kl = (W + a_k - b_l, eps_A a_k, eps_B b_l),

and the point of least norm of a hull is u/sum(u) with u = argmin over u >= 0 of |P u|^2 + (1 - sum u)^2 (Lawson and Hanson 1974).
"""

from __future__ import annotations

import itertools

import numpy as np
from reference_distance import Array, Pair
from scipy.optimize import nnls
from scipy.spatial import ConvexHull, QhullError

FLAT = 1e-9  # of the size: what lies within counts as level


def least_norm(pair: Pair, ea: float, eb: float) -> tuple[float, Array, Array]:
    """Least f, and a point X, Y where it is; ``ea``, ``eb``: squares of eps."""
    size = np.sqrt(pair.size2)
    k, n = (i.ravel() for i in np.meshgrid(range(len(pair.a)), range(len(pair.b)), indexing="ij"))
    a, b = pair.a[k] / size, pair.b[n] / size
    rows = np.hstack([pair.w / size + a - b, np.sqrt(ea) * a, np.sqrt(eb) * b])
    weights = nnls(np.vstack([rows.T, np.ones(len(rows))]), np.append(np.zeros(9), 1.0))[0]
    weights /= weights.sum()
    return float(((weights @ rows) ** 2).sum()) * pair.size2, weights @ pair.a[k], weights @ pair.b[n]


def least_height(core: Array, normal: Array, height: float, ea: float) -> tuple[float, Array]:
    """Least (h + n.X)^2 + eps^2 |X|^2 over a core whose centre lies ``height`` above a plane, and where it is."""
    size = np.sqrt(height**2 + (core**2).sum(axis=1).max())
    rows = np.hstack([(height + core @ normal)[:, None], np.sqrt(ea) * core]) / size
    weights = nnls(np.vstack([rows.T, np.ones(len(rows))]), np.append(np.zeros(4), 1.0))[0]
    weights /= weights.sum()
    return float(((weights @ rows) ** 2).sum()) * size**2, weights @ core


def plane_axes(normal: Array) -> Array:
    """Two unit vectors, (2, 3), perpendicular to a unit normal and to each other."""
    return np.asarray(np.linalg.svd(normal[None, :])[2][1:])


def centroid(points: Array) -> Array:
    """Centroid of the hull of some points of a plane, (n, 2): a polygon, a segment or a point."""
    middle = points.mean(axis=0)
    spread, axes = np.linalg.svd(points - middle, full_matrices=False)[1:]
    if len(spread) < 2 or spread[1] <= 1e-7 * spread[0] or spread[0] == 0.0:
        along = (points - middle) @ axes[0]
        return np.asarray(middle + 0.5 * (along.min() + along.max()) * axes[0])
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:
        return np.asarray(middle)
    p, q = corners - middle, np.roll(corners - middle, -1, axis=0)
    area = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
    return np.asarray(middle + ((p + q) * area[:, None]).sum(axis=0) / (3.0 * area.sum()))


def _within(points: Array, hull: Array, size: float) -> Array:
    """Those of the points that lie in the hull of others."""
    rows = np.vstack([hull.T / size, np.ones(len(hull))])
    return points[[nnls(rows, np.append(p / size, 1.0))[1] < FLAT for p in points]]


def _crossings(first: Array, second: Array) -> list[Array]:
    """Where lines between any two points of one set cross lines between any two of the other; all lie in both hulls."""
    found = []
    for (a, b), (c, d) in itertools.product(itertools.combinations(first, 2), itertools.combinations(second, 2)):
        u, v, w = b - a, d - c, c - a
        turn = u[0] * v[1] - u[1] * v[0]
        if abs(turn) > 1e-6 * np.linalg.norm(u) * np.linalg.norm(v):
            s, t = (w[0] * v[1] - w[1] * v[0]) / turn, (w[0] * u[1] - w[1] * u[0]) / turn
            if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
                found.append(a + s * u)
    return found


def barycentre(pair: Pair) -> tuple[float, Array, Array]:
    """Distance of two cores that are apart, and the middle X, Y of all their nearest points.

    These are what the two level features along the normal have in common, as seen along it: the centroid of a polygon, the middle of a stretch, or
    a single point.
    """
    f, x, y = least_norm(pair, 0.0, 0.0)
    d, size = np.sqrt(f), np.sqrt(pair.size2)
    normal = (pair.w + x - y) / d
    low, high = (pair.w + pair.a) @ normal, pair.b @ normal
    axes = plane_axes(normal)
    first = (pair.w + pair.a)[low < low.min() + FLAT * size] @ axes.T
    second = pair.b[high > high.max() - FLAT * size] @ axes.T
    common = [*_within(first, second, size), *_within(second, first, size), *_crossings(first, second)]
    middle = centroid(np.array(common)) @ axes
    return d, middle + low.min() * normal - pair.w, middle + high.max() * normal
