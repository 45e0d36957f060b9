"""Candidate pairs from the edges of a triangulation of covering spheres, and the test that the covering still holds what it promises."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from .bounds import add_pair, may_touch, nearest_image


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
def _rows(low, high, count):
    """Pairs of numbers below ``count``, each once, in compressed rows of the lower one; ``low``, ``high`` (n,) may name a pair several times."""
    first = np.zeros(count + 1, np.int64)
    for k in range(low.shape[0]):
        first[low[k] + 1] += 1
    first = np.cumsum(first)
    fill, other = first[:-1].copy(), np.empty(low.shape[0], np.int32)
    for k in range(low.shape[0]):
        other[fill[low[k]]] = high[k]
        fill[low[k]] += 1
    seen, rows, n = np.full(count, -1, np.int32), np.zeros(count + 1, np.int64), 0
    for a in range(count):
        for k in range(first[a], first[a + 1]):
            if seen[other[k]] != a:
                seen[other[k]] = a
                other[n] = other[k]
                n += 1
        rows[a + 1] = n
    return rows, other[:n]


@njit
def joined_bodies(body, ptr, col, bodies):
    """Pairs of bodies that an edge joins, each once, in compressed rows of the lower number.

    Args:
        body: (S,) int32 body of each point of the triangulation. ptr: (S + 1,) int64, col: (E,) int32: its edges. bodies: number of bodies.

    Returns:
        (B + 1,) int64 row pointers, (J,) int32 columns.
    """
    low, high, n = np.empty(col.shape[0], np.int32), np.empty(col.shape[0], np.int32), 0
    for s in range(ptr.shape[0] - 1):
        for e in range(ptr[s], ptr[s + 1]):
            a, b = body[s], body[col[e]]
            if a != b:
                low[n], high[n] = min(a, b), max(a, b)
                n += 1
    return _rows(low[:n], high[:n], bodies)


@njit
def pairs_of_bodies(owned, total, g, extent, period, skin, overlap, grain, start, xw, rows, other, pairs, broken):
    """Candidate pairs of grains among joined bodies, each once, at least one of the two owned.

    Two bodies that may overlap by more than the covering allows for are looked at sphere by sphere. Where no two joined bodies have spheres that are
    orthogonal or more, no two bodies at all have (docs/theory/detection.md), and the pairs are complete.

    Args:
        extent: (N, 3) half-extents (m). period: (m), 0: open. skin: extra reach (m). overlap: that the covering allows for (m).
        grain: (B,) int32 of each body. start: (B + 1,), xw: (M, 4): their spheres. rows, other: as `joined_bodies` gives them.
        pairs: (capacity, 2) int32, filled with local indices, lower global id first. broken: (2,) int64, set to two grains whose spheres are more
            than orthogonal.

    Returns:
        number of pairs, which exceeds the capacity where the array is too small; -1 where the covering does not hold.
    """
    bodies = grain.shape[0]
    low, high, n = np.empty(other.shape[0], np.int32), np.empty(other.shape[0], np.int32), 0
    for a in range(bodies):
        for k in range(rows[a], rows[a + 1]):
            b = other[k]
            i, j = grain[a], grain[b]
            if i == j:
                if not _congruous(a, b, start, xw):
                    broken[0], broken[1] = i, j
                    return -1
                continue
            dx = nearest_image(g.x[j, 0] - g.x[i, 0], period[0])
            dy = nearest_image(g.x[j, 1] - g.x[i, 1], period[1])
            dz = nearest_image(g.x[j, 2] - g.x[i, 2], period[2])
            reach = g.x[i, 3] + g.x[j, 3] - overlap
            near_box = (abs(dx) < extent[i, 0] + extent[j, 0]) & (abs(dy) < extent[i, 1] + extent[j, 1]) & (abs(dz) < extent[i, 2] + extent[j, 2])
            if near_box and may_touch(g, i, j, dx, dy, dz, reach) and not _congruous(a, b, start, xw):
                broken[0], broken[1] = i, j
                return -1
            low[n], high[n] = min(i, j), max(i, j)
            n += 1
    # by the lower grain, so that a pair that is met as itself and as images is taken once
    first, near = _rows(low[:n], high[:n], total)
    found = 0
    for i in range(owned):
        for k in range(first[i], first[i + 1]):
            j = near[k]
            dx = nearest_image(g.x[j, 0] - g.x[i, 0], period[0])
            dy = nearest_image(g.x[j, 1] - g.x[i, 1], period[1])
            dz = nearest_image(g.x[j, 2] - g.x[i, 2], period[2])
            far = (
                (abs(dx) > extent[i, 0] + extent[j, 0] + skin)
                | (abs(dy) > extent[i, 1] + extent[j, 1] + skin)
                | (abs(dz) > extent[i, 2] + extent[j, 2] + skin)
            )
            if far or not may_touch(g, i, j, dx, dy, dz, g.x[i, 3] + g.x[j, 3] + skin):
                continue
            found = add_pair(pairs, found, g, i, j)
    return found


@njit
def all_hidden(start, hidden):
    """A body all of whose spheres are hidden; -1: there is none.

    Args:
        start: (B + 1,) first sphere of each body. hidden: (M,) uint8.
    """
    for b in range(start.shape[0] - 1):
        n = 0
        for k in range(start[b], start[b + 1]):
            n += hidden[k]
        if n == start[b + 1] - start[b]:
            return b
    return -1
