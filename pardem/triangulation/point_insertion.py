"""Compiled: incremental construction, points put into the tetrahedra they lie in (Edelsbrunner and Shah, Algorithmica 15, 223, 1996)."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import kernel, njit
from .flips import flip_14
from .predicates import orientation, power
from .regularise import DONE, FULL, NEEDED, regularise
from .tetrahedral_mesh import HIDDEN, HIDDEN_COUNT, HIGH, QUEUED, STAR, facet_of, free_tetrahedra

BITS = 21


@kernel
def _spread(value):
    """The low 21 bits of a number, two zeros between any two."""
    x = value & 0x1FFFFF
    x = (x | x << 32) & 0x1F00000000FFFF
    x = (x | x << 16) & 0x1F0000FF0000FF
    x = (x | x << 8) & 0x100F00F00F00F00F
    x = (x | x << 4) & 0x10C30C30C30C30C3
    return (x | x << 2) & 0x1249249249249249


@njit
def morton_codes(points):
    """Compute the places of points along a Z-curve through their bounding box.

    Args:
        points: (n, 3) points (m).

    Returns:
        (n,) int64 places.
    """
    n = len(points)
    codes = np.zeros(n, np.int64)
    if n == 0:
        return codes
    size = 0.0
    low = np.empty(3)
    for c in range(3):
        low[c] = points[:, c].min()
        size = max(size, points[:, c].max() - low[c])
    factor = (2.0**BITS - 1.0) / size if size > 0.0 else 0.0
    for i in range(n):
        for c in range(3):
            codes[i] |= _spread(np.int64((points[i, c] - low[c]) * factor)) << c
    return codes


@kernel
def live_tetrahedron(mesh, t):
    """Find a tetrahedron that is in use.

    Args:
        mesh: the triangulation's arrays.
        t: index of a tetrahedron.

    Returns:
        ``t`` if that is in use, otherwise another.
    """
    if mesh.vert[t, 0] >= 0:
        return t
    for k in range(mesh.tally[HIGH]):
        if mesh.vert[k, 0] >= 0:
            return k
    return -1


@kernel
def locate(mesh, start, p):
    """Find the tetrahedron in which a point lies, by a walk through facets that have the point on their other side.

    In a weighted Delaunay triangulation such a walk ends (Edelsbrunner, Combinatorica 10, 251, 1990).

    Args:
        mesh: the triangulation's arrays.
        start: tetrahedron at which the walk begins.
        p: number of the point.

    Returns:
        The tetrahedron.
    """
    t, came = start, -1
    while True:
        step = -1
        for i in range(4):
            beyond = mesh.nbr[t, i]
            if beyond < 0 or beyond >> 2 == came:
                continue
            a, b, c = facet_of(mesh, t, i)
            if orientation(mesh.xw, mesh.key, a, b, c, p) < 0:
                step = beyond >> 2
                break
        if step < 0:
            return t
        came, t = t, step


@kernel
def insert_point(mesh, start, p):
    """Insert a point, which is neither a vertex nor counted as hidden, into a weighted Delaunay triangulation.

    Args:
        mesh: the triangulation's arrays.
        start: tetrahedron at which the search for the point begins.
        p: number of the point.

    Returns:
        DONE, STUCK or FULL, as `regularise`.
    """
    t = locate(mesh, start, p)
    v = mesh.vert
    if power(mesh.xw, mesh.key, v[t, 0], v[t, 1], v[t, 2], v[t, 3], p) > 0:
        if mesh.state[p] != HIDDEN:
            mesh.tally[HIDDEN_COUNT] += 1
        mesh.state[p] = HIDDEN
        mesh.at[p] = t
        return DONE
    mesh.tally[STAR] = p  # what becomes illegal is opposite p
    flip_14(mesh, t, p)
    return regularise(mesh, False)


@kernel
def insert_points(mesh, points, first):
    """Insert points into a weighted Delaunay triangulation.

    Args:
        mesh: the triangulation's arrays.
        points: numbers of the points, in the order of insertion.
        first: index of the first of them that is to be inserted.

    Returns:
        Number of points inserted or begun, and DONE, STUCK or FULL. After FULL, enlarge the mesh and call again.
    """
    status = regularise(mesh, False) if mesh.tally[QUEUED] > 0 else DONE
    start = live_tetrahedron(mesh, 0 if first == 0 else mesh.at[points[first - 1]])
    for k in range(first, len(points)):
        if status != DONE:
            return k, status
        if free_tetrahedra(mesh) < NEEDED:
            return k, FULL
        status = insert_point(mesh, start, points[k])
        start = mesh.at[points[k]]
    return len(points), status


@kernel
def uncover(mesh, first):
    """Make vertices of those hidden points that are no longer hidden. All facets must be legal.

    Args:
        mesh: the triangulation's arrays.
        first: row at which to begin.

    Returns:
        Row at which to continue, and DONE, STUCK or FULL.
    """
    status = regularise(mesh, False) if mesh.tally[QUEUED] > 0 else DONE
    p = first
    while p < len(mesh.state) and status == DONE:
        if mesh.tally[HIDDEN_COUNT] == 0:
            return len(mesh.state), DONE
        if mesh.state[p] == HIDDEN:
            if free_tetrahedra(mesh) < NEEDED:
                return p, FULL
            status = insert_point(mesh, live_tetrahedron(mesh, mesh.at[p]), p)
        p += 1
    return p, status
