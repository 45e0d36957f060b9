"""Compiled: a convex polyhedron cut by half-spaces, one after the other.

The polyhedron is kept as its dual: one triangle of planes for each vertex, so every vertex has three faces; where more planes meet, several vertices
coincide. What a plane cuts off is made a connected set of vertices with a connected rest, whatever rounding says of single signs, so the result is a
polyhedron always (topology-oriented computation: Sugihara and Iri, Int. J. Comput. Geom. Appl. 4, 1994). A new vertex lies between the ends of the
edge that is cut, so it leaves no earlier half-space by more than these ends do: errors do not grow with the number of cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import njit
from .half_spaces import CUT, EMPTY, FULL, UNTOUCHED


class ClippedPolyhedron(NamedTuple):
    """Storage for a polyhedron of up to ``len(x)`` vertices.

    Attributes:
        used: (1,) number of vertices.
        x: (nv, 3) vertices (m).
        planes: (nv, 3) planes of each vertex, counter-clockwise seen from outside.
        beside: (nv, 3) vertex at the other end of the edge between planes k and k + 1.
        height: (nv,) work space.
        mark: (nv,) work space.
        stack: (nv,) work space.
        first: (number of planes,) work space.
    """

    used: np.ndarray
    x: np.ndarray
    planes: np.ndarray
    beside: np.ndarray
    height: np.ndarray
    mark: np.ndarray
    stack: np.ndarray
    first: np.ndarray


@njit
def make_polyhedron(vertices: int, planes: int) -> ClippedPolyhedron:
    """Allocate a polyhedron.

    Args:
        vertices: capacity for vertices.
        planes: capacity for planes.

    Returns:
        The polyhedron, which is empty.
    """
    return ClippedPolyhedron(
        np.zeros(1, np.int64),
        np.empty((vertices, 3)),
        np.empty((vertices, 3), np.int64),
        np.empty((vertices, 3), np.int64),
        np.empty(vertices),
        np.empty(vertices, np.int64),
        np.empty(vertices, np.int64),
        np.empty(planes, np.int64),
    )


@njit
def fill_box(body: ClippedPolyhedron, lower: np.ndarray, upper: np.ndarray) -> None:
    """Make a polyhedron a box, whose planes are 0 (-x), 1 (+x), 2 (-y), ... 5 (+z).

    Args:
        body: the polyhedron.
        lower: (3,) lower corner (m).
        upper: (3,) upper corner (m).
    """
    body.used[0] = 8
    for v in range(8):
        sides = (v & 1, (v >> 1) & 1, (v >> 2) & 1)
        for c in range(3):
            body.x[v, c] = upper[c] if sides[c] else lower[c]
        x, y, z = sides[0], 2 + sides[1], 4 + sides[2]
        even = (sides[0] + sides[1] + sides[2]) % 2 == 0
        body.planes[v, 0] = x
        body.planes[v, 1] = z if even else y
        body.planes[v, 2] = y if even else z
        body.beside[v, 0] = v ^ 2 if even else v ^ 4
        body.beside[v, 1] = v ^ 1
        body.beside[v, 2] = v ^ 4 if even else v ^ 2


@njit
def clip(body: ClippedPolyhedron, normal: np.ndarray, offset: float, plane: int, tolerance: float) -> int:
    """Cut off the part of a polyhedron that lies beyond a plane by more than a tolerance.

    Args:
        body: the polyhedron.
        normal: (3,) normal of the plane.
        offset: offset of the plane, ``normal . x = offset``.
        plane: number of the plane.
        tolerance: the tolerance (m).

    Returns:
        UNTOUCHED, CUT, EMPTY (nothing is left; the polyhedron is void) or FULL (the new vertices exceed the capacity; the polyhedron is void).
    """
    n = body.used[0]
    top, bottom = 0, 0
    for v in range(n):
        body.height[v] = normal[0] * body.x[v, 0] + normal[1] * body.x[v, 1] + normal[2] * body.x[v, 2] - offset
        body.mark[v] = 0
        if body.height[v] > body.height[top]:
            top = v
        if body.height[v] < body.height[bottom]:
            bottom = v
    if body.height[top] <= tolerance:
        return UNTOUCHED
    if body.height[bottom] >= -tolerance:
        return EMPTY
    _spread_low(body, bottom, tolerance)
    _spread_high(body, top)
    new = _new_vertices(body, n, plane)
    if new < 0:
        return FULL
    _close_up(body, n, new)
    return CUT


@njit
def _spread_low(body: ClippedPolyhedron, start: int, tolerance: float) -> None:
    """Mark with 2 the vertices that stay and are connected to the lowest."""
    body.mark[start] = 2
    body.stack[0] = start
    pending = 1
    while pending:
        pending -= 1
        v = body.stack[pending]
        for k in range(3):
            u = body.beside[v, k]
            if body.mark[u] == 0 and body.height[u] <= tolerance:
                body.mark[u] = 2
                body.stack[pending] = u
                pending += 1


@njit
def _spread_high(body: ClippedPolyhedron, start: int) -> None:
    """Mark with 1 those of the others that are connected to the highest."""
    body.mark[start] = 1
    body.stack[0] = start
    pending = 1
    while pending:
        pending -= 1
        v = body.stack[pending]
        for k in range(3):
            u = body.beside[v, k]
            if body.mark[u] == 0:
                body.mark[u] = 1
                body.stack[pending] = u
                pending += 1


@njit
def _new_vertices(body: ClippedPolyhedron, n: int, plane: int) -> int:
    """Append the vertices of the new face behind the old ones; returns how many, or -1 where the arrays are full."""
    t = n
    for v in range(n):
        if body.mark[v] != 1:
            continue
        for k in range(3):
            u = body.beside[v, k]
            if body.mark[u] == 1:
                continue
            if t == len(body.x):
                return -1
            i, j = body.planes[v, k], body.planes[v, (k + 1) % 3]
            share = 1.0
            if body.height[u] < 0.0:
                share = body.height[v] / (body.height[v] - body.height[u])
            for c in range(3):
                body.x[t, c] = body.x[v, c] + share * (body.x[u, c] - body.x[v, c])
            body.planes[t, 0], body.planes[t, 1], body.planes[t, 2] = i, j, plane
            body.beside[t, 0] = u
            for m in range(3):
                if body.planes[u, m] == j and body.planes[u, (m + 1) % 3] == i:
                    body.beside[u, m] = t
            body.first[i] = t
            body.mark[t] = 0
            t += 1
    for v in range(n, t):
        following = body.first[body.planes[v, 1]]
        body.beside[v, 1] = following
        body.beside[following, 2] = v
    return t - n


@njit
def _close_up(body: ClippedPolyhedron, n: int, new: int) -> None:
    """Drop the vertices marked 1."""
    kept = 0
    for v in range(n + new):
        if body.mark[v] == 1:
            continue
        body.stack[v] = kept
        for c in range(3):
            body.x[kept, c] = body.x[v, c]
            body.planes[kept, c] = body.planes[v, c]
            body.beside[kept, c] = body.beside[v, c]
        kept += 1
    for v in range(kept):
        for c in range(3):
            body.beside[v, c] = body.stack[body.beside[v, c]]
    body.used[0] = kept
