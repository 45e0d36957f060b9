"""Squared distances between points, segments, triangles and polygons, for arrays of pairs. Products are summed component by component, so that
results do not depend on the linear-algebra library of the machine.
"""

from __future__ import annotations

import numpy as np


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute scalar products of rows, with the same bits on every machine.

    Args:
        a: (n, 3) vectors.
        b: (n, 3) vectors.

    Returns:
        (n,) products.
    """
    out: np.ndarray = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return out


def nearest_on_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Find the points nearest to given points on segments, pair by pair.

    Args:
        p: (n, 3) points (m).
        a: (n, 3) first ends of the segments (m).
        b: (n, 3) second ends of the segments (m).

    Returns:
        (n,) parameters in [0, 1] from a to b; 0 for segments without length.
    """
    along = b - a
    square = dot(along, along)
    t: np.ndarray = np.clip(dot(p - a, along) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return t


def point_segment2(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute squared distances of points and segments, pair by pair.

    Args:
        p: (n, 3) points (m).
        a: (n, 3) first ends of the segments (m).
        b: (n, 3) second ends of the segments (m).

    Returns:
        (n,) squared distances (m^2).
    """
    gap = p - a - nearest_on_segment(p, a, b)[:, None] * (b - a)
    return dot(gap, gap)


def nearest_on_triangle(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the point of each triangle nearest to a point, pair by pair (regions of the plane of a triangle: Ericson, Real-Time Collision Detection,
    2005).

    Args:
        p: (n, 3) points (m).
        a: (n, 3) first corners of the triangles (m).
        b: (n, 3) second corners (m).
        c: (n, 3) third corners (m).

    Returns:
        Nearest points (n, 3) (m), and the region of each (n,) int8: 0, 1, 2 for vertex a, b, c; 3, 4, 5 for edge ab, bc, ca; 6 for the inside.
    """
    ab, ac, bc, ap, bp, cp = b - a, c - a, c - b, p - a, p - b, p - c
    d1, d2, d3, d4, d5, d6 = dot(ab, ap), dot(ac, ap), dot(ab, bp), dot(ac, bp), dot(ab, cp), dot(ac, cp)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    zone = np.select(
        [
            (d1 <= 0.0) & (d2 <= 0.0),
            (d3 >= 0.0) & (d4 <= d3),
            (d6 >= 0.0) & (d5 <= d6),
            (vc <= 0.0) & (d1 >= 0.0) & (d3 <= 0.0),
            (va <= 0.0) & (d4 - d3 >= 0.0) & (d5 - d6 >= 0.0),
            (vb <= 0.0) & (d2 >= 0.0) & (d6 <= 0.0),
        ],
        [0, 1, 2, 3, 4, 5],
        6,
    ).astype(np.int8)
    with np.errstate(divide="ignore", invalid="ignore"):
        on_ab, on_bc, on_ca = d1 / (d1 - d3), (d4 - d3) / ((d4 - d3) + (d5 - d6)), d2 / (d2 - d6)
        total = va + vb + vc
        inside = a + ab * (vb / total)[:, None] + ac * (vc / total)[:, None]
        choices = [a, b, c, a + on_ab[:, None] * ab, b + on_bc[:, None] * bc, a + on_ca[:, None] * ac, inside]
    point = np.select([(zone == k)[:, None] for k in range(7)], choices)
    return point, zone


def point_triangle2(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute squared distances of points and triangles, pair by pair.

    Args:
        p: (n, 3) points (m).
        a: (n, 3) first corners of the triangles (m).
        b: (n, 3) second corners (m).
        c: (n, 3) third corners (m).

    Returns:
        (n,) squared distances (m^2).
    """
    gap = p - nearest_on_triangle(p, a, b, c)[0]
    return dot(gap, gap)


def segment_segment2(p: np.ndarray, q: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute squared distances of segments, pair by pair: the least of the four distances of ends and, if both feet lie within, that of the lines.

    Args:
        p: (n, 3) first ends of the first segments (m).
        q: (n, 3) second ends of the first segments (m).
        a: (n, 3) first ends of the second segments (m).
        b: (n, 3) second ends of the second segments (m).

    Returns:
        (n,) squared distances (m^2). Segments may be points.
    """
    best = np.minimum(point_segment2(p, a, b), point_segment2(q, a, b))
    best = np.minimum(best, np.minimum(point_segment2(a, p, q), point_segment2(b, p, q)))
    u, v, w = q - p, b - a, p - a
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    det = uu * vv - uv * uv
    safe = np.where(det > 0.0, det, 1.0)
    s, t = (uv * vw - vv * uw) / safe, (uu * vw - uv * uw) / safe
    gap = w + s[:, None] * u - t[:, None] * v
    within = (det > 1e-14 * uu * vv) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.where(within, np.minimum(best, dot(gap, gap)), best)
