"""Compiled: volumes of the cells of the power diagram, the dual of the triangulation.

The cell of a point is where its power distance |x - x_i|^2 - w_i is least; the points whose cells share a face with it are among its neighbours in
the triangulation (Pournin, thesis, section 1.3).
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import njit
from ..compiled.vectors import cross, dot, row, subtract
from ..shapes.voronoi.half_spaces import EMPTY, ROUNDING
from ..shapes.voronoi.polyhedron_clip import clip, fill_box, make_polyhedron

BOX = 6  # planes of the box


@njit(_nrt=True)
def polyhedron_volume(body):
    """Volume of a polyhedron (m^3): the half-edge from vertex v between its planes k and k + 1 belongs to the face of plane k."""
    x, total = body.x, 0.0
    for v in range(body.used[0]):
        for k in range(3):
            body.first[body.planes[v, k]] = v
    for v in range(body.used[0]):
        for k in range(3):
            u, o = body.beside[v, k], body.first[body.planes[v, k]]
            a, b, c = subtract(row(x, v), row(x, 0)), subtract(row(x, u), row(x, 0)), subtract(row(x, o), row(x, 0))
            total += dot(c, cross(a, b))
    return abs(total) / 6.0


def place_owners(points: np.ndarray, weights: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Determine for each point which point owns the cell at its place.

    It is the point itself, or of several points with a cell at one place the first of the heaviest. Such points, at corners of the hull, share the
    neighbours of their place.

    Args:
        points: (n, 3) points (m).
        weights: (n,) weights (m^2).
        cells: (n,) bool, which points have a cell.

    Returns:
        (n,) numbers of the owners.
    """
    owner = np.arange(len(points))
    rows = np.flatnonzero(cells)
    if len(rows) == 0:
        return owner
    rows = rows[np.lexsort((-weights[rows], *points[rows].T))]
    same = np.concatenate(([False], (points[rows[1:]] == points[rows[:-1]]).all(axis=1)))
    owner[rows] = rows[np.maximum.accumulate(np.where(same, 0, np.arange(len(rows))))]
    return owner


@njit(_nrt=True)
def cell_volumes(points, weights, cells, ptr, col, lower, upper):
    """Volumes of power cells inside a box.

    Args:
        points: (n, 3) places (m).
        weights: (n,) (m^2).
        cells: (n,) bool, which points have a cell at all.
        ptr: (n + 1,) int64 first neighbour of each point.
        col: (2 E,) int32 neighbours.
        lower: (3,) lower corner of the box (m).
        upper: (3,) upper corner of the box (m).

    Returns:
        (n,) m^3; 0 for the others.
    """
    n = len(points)
    volume = np.zeros(n)
    most = 0
    for i in range(n):
        most = max(most, ptr[i + 1] - ptr[i])
    body = make_polyhedron(4 * (most + BOX) + 16, most + BOX)
    normal = np.empty(3)
    size = 0.0
    for c in range(3):
        size = max(size, upper[c] - lower[c])
    for i in range(n):
        if not cells[i]:
            continue
        fill_box(body, lower - points[i], upper - points[i])
        left = True
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            square = 0.0
            for c in range(3):
                normal[c] = points[j, c] - points[i, c]
                square += normal[c] * normal[c]
            if square == 0.0:
                continue
            distance = np.sqrt(square)
            for c in range(3):
                normal[c] /= distance
            offset = 0.5 * (distance + (weights[i] - weights[j]) / distance)
            left = clip(body, normal, offset, BOX + k - ptr[i], ROUNDING * size) != EMPTY
            if not left:
                break
        if left:
            volume[i] = polyhedron_volume(body)
    return volume
