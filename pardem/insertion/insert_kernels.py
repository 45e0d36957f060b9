"""Compiled: random insertion of grains, one after the other."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from ..compiled.prefetch import prefetch
from ..compiled.quaternions import put_orientation
from .clearance import is_free, mark_hollow
from .counter import POSITION, random_angle, random_orientation, uniforms
from .occupants import cells_around, enter, rotate

NO_POSITION, TOO_LONG = 0, 1
"""Why an insertion stopped."""
AHEAD = 16  # grains


@kernel
def extents(b, i, low, high):
    """How far a grain reaches from its centre along the axes, sphero-radius included.

    Args:
        b: `Occupants`.
        i: row of the grain.
        low: (3,), filled with the lower ends, at most 0 (m).
        high: (3,), filled with the upper ends, at least 0 (m).
    """
    for c in range(3):
        low[c] = high[c] = 0.0
        for k in range(b.start[i], b.start[i + 1]):
            low[c], high[c] = min(low[c], b.verts[k, c]), max(high[c], b.verts[k, c])
        low[c] -= b.r[i]
        high[c] += b.r[i]


@kernel
def in_cylinder(b, i, region):
    """Determine whether a grain lies in a cylindrical region, but for its ends.

    Args:
        b: `Occupants`.
        i: row of the grain.
        region: `regions.RegionArrays`.

    Returns:
        Whether it does.
    """
    a, c = (region.axis + 1) % 3, (region.axis + 2) % 3
    free = region.radius - b.r[i]
    for k in range(b.start[i], b.start[i + 1]):
        u, v = b.x[i, a] + b.verts[k, a] - region.centre[a], b.x[i, c] + b.verts[k, c] - region.centre[c]
        if u * u + v * v > free * free:
            return False
    return free >= 0.0


@njit
def mark_outside(b, region, outside):
    """Mark the grains that do not lie entirely in a region. Along the free axes of the region any position is accepted.

    Args:
        b: `Occupants`.
        region: `regions.RegionArrays`.
        outside: (n,) bool, filled.
    """
    low, high = np.empty(3), np.empty(3)
    for i in range(b.grains):
        extents(b, i, low, high)
        outside[i] = region.axis >= 0 and not in_cylinder(b, i, region)
        for c in range(3):
            if not region.free[c] and not (b.x[i, c] + low[c] >= region.lower[c] and b.x[i, c] + high[c] <= region.upper[c]):
                outside[i] = True


@inlined
def _look_ahead(b, cells, i, gid, seed, region, ahead, found):
    """Bring nearer what the first trials of the next grains are going to look up: memory is what insertion waits for in large beds.

    Args:
        b: `Occupants`; ``x`` of a later grain is overwritten.
        cells: `LinkedCells`.
        i: row of the grain that is next.
        gid: its id.
        seed: seed of the random numbers.
        region: `regions.RegionArrays`.
        ahead: (AHEAD, 27) int64 cells around the first trials of the next grains, by row modulo AHEAD.
        found: (AHEAD,) int64 their numbers.
    """
    later = i + AHEAD // 2
    if later < b.grains:
        for m in range(found[later % AHEAD]):
            j = cells.head[ahead[later % AHEAD, m]]
            if j >= 0:
                prefetch(cells.ball, j)
                prefetch(cells.after, j)
    later = i + AHEAD
    if later < b.grains:
        u = uniforms(seed, gid + AHEAD, POSITION, 0)
        for c in range(3):
            bottom, top = region.lower[c], region.upper[c]
            if not region.free[c]:
                bottom, top = bottom + b.reach[later], top - b.reach[later]
            b.x[later, c] = bottom + u[c] * (top - bottom)
        found[later % AHEAD] = cells_around(b, cells, later, ahead[later % AHEAD])
        for m in range(found[later % AHEAD]):
            prefetch(cells.head, ahead[later % AHEAD, m])


@njit
def insert(b, cells, first, first_id, seed, region, max_attempts):
    """Insert grains one after the other. The orientation follows from the id; positions are drawn until one is free.

    Args:
        b: `Occupants`, of which ``x``, ``q`` and ``verts`` of the new grains are filled.
        cells: `LinkedCells` with the grains that are already there.
        first: row of the first new grain.
        first_id: its id.
        seed: seed of the random numbers.
        region: `regions.RegionArrays`.
        max_attempts: number of positions to try for one grain.

    Returns:
        Row of the grain that could not be placed (the number of grains: all were placed), and the reason, NO_POSITION or TOO_LONG.
    """
    low, high, near, work = np.empty(3), np.empty(3), np.empty(27, np.int64), np.empty((12, 4))
    ahead, found = np.empty((AHEAD, 27), np.int64), np.zeros(AHEAD, np.int64)
    middle = 0.5 * (region.lower + region.upper)
    mark_hollow(b, (middle[0], middle[1], middle[2]), region.planar)
    for i in range(first, b.grains):
        gid = first_id + i - first
        _look_ahead(b, cells, i, gid, seed, region, ahead, found)
        if region.planar:
            b.q[i, 0], b.q[i, 3] = random_angle(seed, gid)
        else:
            put_orientation(b.q, i, random_orientation(seed, gid))
        rotate(b, i)
        extents(b, i, low, high)
        for c in range(3):
            if region.free[c]:
                low[c] = high[c] = 0.0
            if region.upper[c] - high[c] < region.lower[c] - low[c]:
                return i, TOO_LONG
        placed = False
        for attempt in range(max_attempts):
            u = uniforms(seed, gid, POSITION, attempt)
            for c in range(3):
                bottom, top = region.lower[c] - low[c], region.upper[c] - high[c]
                b.x[i, c] = bottom + u[c] * (top - bottom)
                if b.period[c] > 0.0 and b.x[i, c] >= b.lower[c] + b.period[c]:
                    b.x[i, c] = b.lower[c]
            if region.axis >= 0 and not in_cylinder(b, i, region):
                continue
            if is_free(b, cells, i, near, work):
                placed = True
                break
        if not placed:
            return i, NO_POSITION
        enter(b, cells, i)
    return b.grains, NO_POSITION
