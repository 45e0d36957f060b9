"""Reference: distance of points to a planar polygon, by another way than the library's triangles."""

from __future__ import annotations

import numpy as np

from pardem.shapes.geometry.proximity import dot, point_segment2


def point_polygon2(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Squared distance (m^2) of points ((n, 3)) to one planar, simple polygon ((m, 3) corners in order), convex or not, (n,).

    A point whose projection falls inside (an even-odd count of the sides that a ray crosses) has the distance to the plane, any other that to the
    nearest side.
    """
    normal = np.cross(polygon[1:-1] - polygon[0], polygon[2:] - polygon[0]).sum(axis=0)
    drop = int(np.argmax(np.abs(normal)))
    i, j = (drop + 1) % 3, (drop + 2) % 3
    height2 = dot(points - polygon[0], normal) ** 2 / dot(normal, normal)
    foot = points - (dot(points - polygon[0], normal) / dot(normal, normal))[:, None] * normal
    inside = np.zeros(len(points), bool)
    best = np.full(len(points), np.inf)
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        best = np.minimum(best, point_segment2(points, np.broadcast_to(a, points.shape), np.broadcast_to(b, points.shape)))
        if a[j] != b[j]:
            crossed = (a[j] > foot[:, j]) != (b[j] > foot[:, j])
            inside ^= crossed & (foot[:, i] < a[i] + (foot[:, j] - a[j]) * ((b[i] - a[i]) / (b[j] - a[j])))
    return np.where(inside, np.minimum(height2, best), best)
