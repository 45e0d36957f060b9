"""Candidate pairs from the edges of a triangulation of covering spheres, and the test that the covering still holds what it promises."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.vectors import nearest_image, row, square, subtract
from ..triangulation.edges import is_first, later_neighbours
from .bounds import add_pair, may_touch, periods_of


class CoveringSpheres(NamedTuple):
    """Covering spheres of bodies: grains and their images.

    Attributes:
        grain: (B,) int32 row of each body's grain.
        start: (B + 1,) int64 first sphere of each body.
        body: (M,) int32 body of each sphere.
        xw: (M, 4) centre (m) and square of the radius (m^2).
    """

    grain: np.ndarray
    start: np.ndarray
    body: np.ndarray
    xw: np.ndarray


class SphereMesh(NamedTuple):
    """A triangulation of spheres.

    Attributes:
        vert: (T, 4) int32 vertices of its tetrahedra, as `Triangulation.rows` gives them.
        nbr: (T, 4) int32 their neighbours, likewise.
        key: (N,) int64 the number of the point in each row.
        sphere: (n,) int32 sphere of each point of the triangulation; -1: none.
    """

    vert: np.ndarray
    nbr: np.ndarray
    key: np.ndarray
    sphere: np.ndarray


class Margins(NamedTuple):
    """Distances that the covering allows for.

    Attributes:
        skin: distance beyond contact within which pairs are candidates (m).
        overlap: largest overlap of two grains (m).
    """

    skin: float
    overlap: float


@inlined
def _congruous(a, b, spheres):
    """Whether all spheres of two bodies are less than orthogonal: |x_i - x_j|^2 > R_i^2 + R_j^2."""
    xw = spheres.xw
    for i in range(spheres.start[a], spheres.start[a + 1]):
        for j in range(spheres.start[b], spheres.start[b + 1]):
            if square(subtract(row(xw, j), row(xw, i))) <= xw[i, 3] + xw[j, 3]:
                return False
    return True


@njit
def once(low, high, count):
    """Pick each of some pairs of numbers once, in the order of the lower number.

    Args:
        low: (n,) int32 lower numbers.
        high: (n,) int32 higher numbers.
        count: all numbers are below.

    Returns:
        (m,) int32 and (m,) int32 lower and higher numbers.
    """
    n = low.shape[0]
    first = np.zeros(count + 1, np.int64)
    for k in range(n):
        first[low[k] + 1] += 1
    first = np.cumsum(first)
    fill, other = first[:-1].copy(), np.empty(n, np.int32)
    for k in range(n):
        other[fill[low[k]]] = high[k]
        fill[low[k]] += 1
    seen, m = np.full(count, -1, np.int32), 0
    lower, higher = np.empty(n, np.int32), np.empty(n, np.int32)
    for a in range(count):
        for k in range(first[a], first[a + 1]):
            if seen[other[k]] != a:
                seen[other[k]] = a
                lower[m], higher[m] = a, other[k]
                m += 1
    return lower[:m], higher[:m]


@inlined
def _apart(g, i, j, periods):
    """Centre of grain j less that of i, in the nearest image (m)."""
    return nearest_image(subtract(row(g.x, j), row(g.x, i)), periods)


@njit
def bodies_of_rows(mesh):
    """Determine the sphere in each row of a triangulation's points.

    Args:
        mesh: `SphereMesh`.

    Returns:
        (N,) int32 spheres; -1: none.
    """
    found = np.full(mesh.key.shape[0], -1, np.int32)
    for r in range(mesh.key.shape[0]):
        if 0 <= mesh.key[r] < mesh.sphere.shape[0]:
            found[r] = mesh.sphere[mesh.key[r]]
    return found


@njit
def edges_of_bodies(mesh, body_in):
    """Read the pairs of bodies that an edge joins off the tetrahedra; some are there several times.

    A sorted list of edges, each once, would take longer than all that is done with it. Without branches, since nothing foretells which edges a
    tetrahedron is the first of.

    Args:
        mesh: `SphereMesh`.
        body_in: (N,) int32 body in each row of the triangulation's points; -1: none.

    Returns:
        (n,) int32, (n,) int32 bodies.
    """
    vert = mesh.vert
    capacity = 2 * vert.shape[0] + 6
    first, second = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    n = 0
    for t in range(vert.shape[0]):
        if vert[t, 0] < 0:
            continue
        if n + 6 > capacity:
            more, other = np.empty(2 * capacity, np.int32), np.empty(2 * capacity, np.int32)
            more[:n], other[:n] = first[:n], second[:n]
            first, second, capacity = more, other, 2 * capacity
        later = later_neighbours(mesh.nbr, t)
        for i in range(3):
            a = body_in[vert[t, i]]
            for j in range(i + 1, 4):
                b = body_in[vert[t, j]]
                first[n], second[n] = a, b
                n += is_first(later, i, j) & (a != b) & (a >= 0) & (b >= 0)
    return first[:n], second[:n]


@njit
def _joined(mesh, spheres, grains, settings, skin):
    """Pairs of bodies that an edge joins and that may come within the skin, the lower first; some are there several times.

    The only sphere of a body holds all that is within half the skin of it: where all bodies have one, two that come within the skin have spheres that
    meet, |x_i - x_j|^2 <= (R_i + R_j)^2 <= 2 (R_i^2 + R_j^2). Of others boxes are looked at.

    Returns:
        (n,) int32, (n,) int32 bodies.
    """
    xw, grain, g, extent, periods = spheres.xw, spheres.grain, grains.g, grains.extent, periods_of(settings)
    body_in = bodies_of_rows(mesh)
    for r in range(body_in.shape[0]):
        body_in[r] = spheres.body[body_in[r]] if body_in[r] >= 0 else -1
    low, high = edges_of_bodies(mesh, body_in)
    single, n = xw.shape[0] == grain.shape[0], 0
    for m in range(low.shape[0]):
        a, b = min(low[m], high[m]), max(low[m], high[m])
        if single:
            far = square(subtract(row(xw, a), row(xw, b))) > 2.0 * (xw[a, 3] + xw[b, 3])
        else:
            d, e, f = _apart(g, grain[a], grain[b], periods), row(extent, grain[a]), row(extent, grain[b])
            far = (abs(d[0]) > e[0] + f[0] + skin) | (abs(d[1]) > e[1] + f[1] + skin) | (abs(d[2]) > e[2] + f[2] + skin)
        low[n], high[n] = a, b
        n += 0 if far else 1
    return low[:n], high[:n]


@njit
def pairs_from_edges(grains, settings, margins, spheres, mesh, pairs, broken):
    """Find the candidate pairs of grains. Each pair is found once and has at least one owned grain.

    Two bodies that may overlap by more than the covering allows for are compared sphere by sphere. If no two joined bodies have spheres that are
    orthogonal or more, no two bodies at all have (docs/theory/detection.md), and the pairs are complete.

    Args:
        grains: `bounds.BoundedGrains`.
        settings: `state.Settings`, of which ``period``, ``half`` and ``periodic`` are read.
        margins: `Margins`.
        spheres: `CoveringSpheres`.
        mesh: `SphereMesh`.
        pairs: (capacity, 2) int32, filled with local indices, lower global id first.
        broken: (2,) int64, set to two grains whose spheres are more than orthogonal.

    Returns:
        Number of pairs, which exceeds the capacity if the array is too small; -1 if the covering does not hold.
    """
    g, grain, periods = grains.g, spheres.grain, periods_of(settings)
    bodies = grain.shape[0]
    low, high = _joined(mesh, spheres, grains, settings, margins.skin)
    low, high = once(low, high, bodies)
    n = 0
    for k in range(low.shape[0]):
        a, b = low[k], high[k]
        i, j = grain[a], grain[b]
        if i == j:
            if not _congruous(a, b, spheres):
                broken[0], broken[1] = i, j
                return -1
            continue
        d, reach = _apart(g, i, j, periods), g.x[i, 3] + g.x[j, 3]
        if not may_touch(g, i, j, d, reach + margins.skin):
            continue
        if may_touch(g, i, j, d, reach - margins.overlap) and not _congruous(a, b, spheres):
            broken[0], broken[1] = i, j
            return -1
        if i < grains.owned or j < grains.owned:
            low[n], high[n] = min(i, j), max(i, j)
            n += 1
    low, high = low[:n], high[:n]
    if bodies > grains.total:  # a pair may be met as itself and as images
        low, high = once(low, high, grains.total)
    found = 0
    for k in range(low.shape[0]):
        found = add_pair(pairs, found, g, low[k], high[k])
    return found
