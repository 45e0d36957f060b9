"""Candidate pairs from the edges of a triangulation of covering spheres, and the test that the covering still holds what it promises."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from .bounds import add_pair, may_touch, nearest_image
from .triangulation.edges import HIGHER, SHIFT


@inlined
def _congruous(a, b, start, xw):
    """Whether all spheres of two bodies are less than orthogonal: |x_i - x_j|^2 > R_i^2 + R_j^2."""
    for i in range(start[a], start[a + 1]):
        for j in range(start[b], start[b + 1]):
            dx, dy, dz = xw[j, 0] - xw[i, 0], xw[j, 1] - xw[i, 1], xw[j, 2] - xw[i, 2]
            if dx * dx + dy * dy + dz * dz <= xw[i, 3] + xw[j, 3]:
                return False
    return True


@njit
def _once(low, high, count):
    """Pairs of numbers below ``count``, (n,) each, that may be there several times: each once, in the order of the lower one."""
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
def _apart(g, i, j, period):
    """Centre of grain j less that of i, in the nearest image."""
    return (
        nearest_image(g.x[j, 0] - g.x[i, 0], period[0]),
        nearest_image(g.x[j, 1] - g.x[i, 1], period[1]),
        nearest_image(g.x[j, 2] - g.x[i, 2], period[2]),
    )


@njit
def _joined(edges, sphere, xw, body, grain, g, extent, period, skin):
    """Pairs of bodies that an edge joins and that may come within the skin, the lower first; of rods and the like a pair may be there several times.

    The only sphere of a body holds all that is within half the skin of it: where all bodies have one, two that come within the skin have spheres that
    meet, |x_i - x_j|^2 <= (R_i + R_j)^2 <= 2 (R_i^2 + R_j^2). Of others boxes are looked at.

    Returns:
        (n,) int32, (n,) int32 bodies; number of edges between spheres.
    """
    low, high = np.empty(edges.shape[0], np.int32), np.empty(edges.shape[0], np.int32)
    n, between = 0, 0
    single = xw.shape[0] == grain.shape[0]
    for e in range(edges.shape[0]):
        s, t = sphere[edges[e] >> SHIFT], sphere[edges[e] & HIGHER]
        if s < 0 or t < 0:
            continue
        between += 1
        a, b = body[s], body[t]
        if a == b:
            continue
        if single:
            dx, dy, dz = xw[s, 0] - xw[t, 0], xw[s, 1] - xw[t, 1], xw[s, 2] - xw[t, 2]
            low[n], high[n] = min(a, b), max(a, b)
            n += 0 if dx * dx + dy * dy + dz * dz > 2.0 * (xw[s, 3] + xw[t, 3]) else 1
            continue
        i, j = grain[a], grain[b]
        dx, dy, dz = _apart(g, i, j, period)
        far = (
            (abs(dx) > extent[i, 0] + extent[j, 0] + skin)
            | (abs(dy) > extent[i, 1] + extent[j, 1] + skin)
            | (abs(dz) > extent[i, 2] + extent[j, 2] + skin)
        )
        low[n], high[n] = min(a, b), max(a, b)
        n += 0 if far else 1
    return low[:n], high[:n], between


@njit
def pairs_from_edges(owned, total, g, extent, period, skin, overlap, grain, start, body, xw, sphere, edges, pairs, broken):
    """Candidate pairs of grains, each once, at least one of the two owned.

    Two bodies that may overlap by more than the covering allows for are looked at sphere by sphere. Where no two joined bodies have spheres that are
    orthogonal or more, no two bodies at all have (docs/theory/detection.md), and the pairs are complete.

    Args:
        extent: (N, 3) half-extents (m). period: (m), 0: open. skin: extra reach (m). overlap: that the covering allows for (m).
        grain: (B,) int32 of each body. start: (B + 1,), xw: (M, 4): their spheres. body: (M,) int32 of each sphere.
        sphere: (n,) int32 of each point of the triangulation; -1: none. edges: (E,) int64 as `Triangulation.edge_numbers` gives them.
        pairs: (capacity, 2) int32, filled with local indices, lower global id first. broken: (2,) int64, set to two grains whose spheres are more
            than orthogonal.

    Returns:
        number of pairs, which exceeds the capacity where the array is too small; -1 where the covering does not hold. Number of edges of spheres.
    """
    bodies = grain.shape[0]
    low, high, between = _joined(edges, sphere, xw, body, grain, g, extent, period, skin)
    if xw.shape[0] > bodies:
        low, high = _once(low, high, bodies)
    n = 0
    for k in range(low.shape[0]):
        a, b = low[k], high[k]
        i, j = grain[a], grain[b]
        if i == j:
            if not _congruous(a, b, start, xw):
                broken[0], broken[1] = i, j
                return -1, between
            continue
        dx, dy, dz = _apart(g, i, j, period)
        reach = g.x[i, 3] + g.x[j, 3]
        if not may_touch(g, i, j, dx, dy, dz, reach + skin):
            continue
        if may_touch(g, i, j, dx, dy, dz, reach - overlap) and not _congruous(a, b, start, xw):
            broken[0], broken[1] = i, j
            return -1, between
        if i < owned or j < owned:
            low[n], high[n] = min(i, j), max(i, j)
            n += 1
    low, high = low[:n], high[:n]
    if bodies > total:  # a pair may be met as itself and as images
        low, high = _once(low, high, total)
    found = 0
    for k in range(low.shape[0]):
        found = add_pair(pairs, found, g, low[k], high[k])
    return found, between
