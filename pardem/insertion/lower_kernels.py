"""Compiled: grains that move along an axis, one after the other, until each meets another grain, a body among the walls, or its floor.

The distance of two convex cores is a convex function of the way, so the line through two of its values, continued, lies below it: where that line
comes down to the distance of touching, the grains are still apart (a secant method from one side). A grain that gets no nearer to another one will
never meet it.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from ..compiled.vectors import component, nearest_image, row, square, subtract
from .clearance import GAP, bounds_between, gap_to_walls, mark_hollow
from .insert_kernels import extents
from .occupants import cells_around, enter, leave

TOUCHING = 1e-6
"""Gap at which two grains count as touching, relative to the sum of their sphero-radii."""
NUDGE = 1e-5
"""Way after which a grain that touches another one must be nearer to it to be held by it, in the same unit; shorter than any curvature shows on."""
ROUNDS = 200
CAREFUL = 10_000  # rounds for shapes that are not convex, whose distance alone tells how far to go


@inlined
def _gap_after(b, i, j, way, top, s, work):
    """Gap between grains ``i`` and ``j`` once the first has gone the way s from its height ``top`` (m), less that which insertion leaves."""
    b.x[i, way.axis] = top + way.sign * s
    _, distance = bounds_between(b, i, j, np.inf, 0.0, work)
    return distance - (b.r[i] + b.r[j]) * (1.0 + 2.0 * GAP)


@kernel
def _way_to_grain(b, i, j, way, top, most, work):
    """How far grain ``i`` may go from its height ``top`` until it touches grain ``j``; at least ``most`` where it does not within that way (m)."""
    contact = b.r[i] + b.r[j]
    convex = b.skeletons.convex[b.species[i]] and b.skeletons.convex[b.species[j]]
    s, before, gap_before = 0.0, 0.0, np.inf
    gap = _gap_after(b, i, j, way, top, s, work)
    for _ in range(ROUNDS if convex else CAREFUL):
        if gap <= TOUCHING * contact:
            return s if _gap_after(b, i, j, way, top, s + NUDGE * contact, work) < gap else most
        step = gap
        if convex and s > 0.0:
            if gap >= gap_before:
                return most
            step = gap * (s - before) / (gap_before - gap)
        before, gap_before = s, gap
        s += step
        if s >= most:
            return most
        gap = _gap_after(b, i, j, way, top, s, work)
    return s


@kernel
def _way_past_grains(b, cells, i, way, most, near, work):
    """How far grain ``i`` may go until it touches a grain in the cells, ``most`` at most (m); three layers of cells at a time."""
    top, edge = b.x[i, way.axis], cells.edge[way.axis]
    for block in range(cells.counts[way.axis] // 3 + 2):
        if (3 * block - 3) * edge > most:
            break
        b.x[i, way.axis] = top + way.sign * (3 * block) * edge
        for m in range(cells_around(b, cells, i, near)):
            j = cells.head[near[m]]
            while j >= 0:
                b.x[i, way.axis] = top
                d = nearest_image(subtract((cells.ball[j, 0], cells.ball[j, 1], cells.ball[j, 2]), row(b.x, i)), b)
                ahead, reach = way.sign * component(d, way.axis), b.reach[i] + cells.ball[j, 3]
                if square(d) - ahead * ahead < reach * reach and -reach < ahead < most + reach:
                    most = _way_to_grain(b, i, j, way, top, most, work)
                j = cells.after[j]
    b.x[i, way.axis] = top
    return most


@kernel
def _way_past_walls(b, i, way, most, work):
    """How far grain ``i`` may go until it touches a body among the walls, ``most`` at most (m)."""
    top, s = b.x[i, way.axis], 0.0
    for _ in range(CAREFUL):
        b.x[i, way.axis] = top + way.sign * s
        gap = gap_to_walls(b, i, most - s, work) - 2.0 * GAP * b.r[i]
        if gap <= TOUCHING * b.r[i]:
            break
        s += gap
        if s >= most:
            s = most
            break
    b.x[i, way.axis] = top
    return s


@njit
def lowest_points(b, way, out):
    """Find how far grains reach along a way.

    Args:
        b: `Occupants`.
        way: `lowering.Way`.
        out: (n,), filled with the coordinate of the foremost point along the way times its sign (m).
    """
    low, high = np.empty(3), np.empty(3)
    for i in range(b.grains):
        extents(b, i, low, high)
        out[i] = way.sign * b.x[i, way.axis] + (high[way.axis] if way.sign > 0.0 else -low[way.axis])


@njit
def lower_in_order(b, cells, order, floors, way, planar):
    """Move grains along a way, each as far as it goes.

    Args:
        b: `Occupants`, of which ``x`` is changed.
        cells: `LinkedCells` with all grains.
        order: (m,) int64 rows of the grains that move.
        floors: (n,) coordinate along the way, times its sign, beyond which no point of a grain may go (m).
        way: `lowering.Way`.
        planar: whether the simulation is two-dimensional.

    Returns:
        The longest way, relative to the sphero-radius of the grain.
    """
    low, high, near, work = np.empty(3), np.empty(3), np.empty(27, np.int64), np.empty((12, 4))
    furthest = 0.0
    for i in order:
        leave(b, cells, i)
        extents(b, i, low, high)
        top, foremost = b.x[i, way.axis], (high[way.axis] if way.sign > 0.0 else -low[way.axis])
        most = max(0.0, floors[i] - 2.0 * GAP * b.r[i] - (way.sign * top + foremost))
        most = _way_past_grains(b, cells, i, way, most, near, work)
        if b.grains < b.r.shape[0]:
            mark_hollow(b, row(b.x, i), planar)
            most = _way_past_walls(b, i, way, most, work)
        b.x[i, way.axis] = top + way.sign * most
        furthest = max(furthest, most / b.r[i])
        enter(b, cells, i)
    return furthest
