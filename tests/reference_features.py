"""Features of convex cores and the nearest points of all pairs of them: what `superposition` and bodies as walls add up, found triangle by triangle.

Edges and faces are those of Qhull's hull, whose triangles are put together where their planes are the same. Of edges that are parallel, the middle of
the stretch along which they face each other counts (docs/theory/contacts.md).
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from reference_contact import cross
from reference_minima import of_segments, on_segment, on_triangle
from scipy.spatial import ConvexHull

Array = NDArray[np.float64]
PARALLEL = 1e-7  # sine below which two edges count as parallel
Corners = tuple[int, int, int]


class Solid(NamedTuple):
    """A core in space: its vertices (m), its edges (a vertex alone: twice itself), its faces as triangles."""

    points: Array
    edges: list[tuple[int, int]]
    faces: list[list[Corners]]


def solid(core: Array, points: Array) -> Solid:
    """The features of a convex core, as it is drawn, for its vertices as they stand."""
    if len(core) < 4:
        edges = {1: [(0, 0)], 2: [(0, 1)], 3: [(0, 1), (1, 2), (2, 0)]}[len(core)]
        return Solid(points, edges, [[(0, 1, 2)]] if len(core) == 3 else [])
    hull = ConvexHull(core)
    _, plane = np.unique(np.round(hull.equations[:, :3], 6) + 0.0, axis=0, return_inverse=True)
    faces, beside = defaultdict(list), defaultdict(set)
    for triangle, face in zip(hull.simplices.tolist(), plane.ravel().tolist(), strict=True):
        faces[face].append(tuple(triangle))
        for k in range(3):
            beside[tuple(sorted((triangle[k], triangle[k - 1])))].add(face)
    return Solid(points, [edge for edge, both in beside.items() if len(both) == 2], list(faces.values()))


def of_edges(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Nearest points of the edges ab and cd."""
    u, v = b - a, d - c
    length, normal = math.sqrt(float(u @ u)), cross(u, v)
    if length == 0.0 or not v.any() or math.sqrt(float(normal @ normal)) > PARALLEL * length * math.sqrt(float(v @ v)):
        return of_segments(a, b, c, d)
    ends = sorted((float((c - a) @ u) / length, float((d - a) @ u) / length))
    low, high = max(0.0, ends[0]), min(length, ends[1])
    if low > high:
        return of_segments(a, b, c, d)
    x = a + 0.5 * (low + high) / length * u
    return x, on_segment(x, c, d)


def on_face(p: Array, face: list[Corners], points: Array) -> Array:
    """The point of a face that is nearest to p."""
    return min((on_triangle(p, points[i], points[j], points[k]) for i, j, k in face), key=lambda q: float((q - p) @ (q - p)))


def nearest_points(first: Solid, second: Solid) -> list[tuple[Array, Array]]:
    """Nearest points of all pairs of features: edges with edges, vertices with faces, faces with vertices."""
    a, b = first.points, second.points
    found = [of_edges(a[m], a[n], b[k], b[l]) for m, n in first.edges for k, l in second.edges]
    found += [(p, on_face(p, face, b)) for p in a for face in second.faces]
    return found + [(on_face(q, face, a), q) for q in b for face in first.faces]
