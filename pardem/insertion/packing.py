"""Kernels of insertion: grains in linked cells, put in one by one, and pairs that overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import njit
from ..detection.bounds import nearest_image
from ..integrators.rotation import to_world
from .counter import POSITION, random_angle, random_orientation, uniforms
from .distance import core_distance
from .skeletons import Skeletons, holds, skeleton_distance, surface_distance

GAP = 1e-9
"""Least gap between inserted grains, relative to the sum of their sphero-radii: rounding never makes it an overlap."""

NO_POSITION, TOO_LONG = 0, 1
"""Why an insertion stopped."""


class Bodies(NamedTuple):
    """Grains, those there already first, and last the bodies among the walls.

    Attributes:
        x: (n, 3) centres (m). q: (n, 4) orientations (w, x, y, z). r: (n,) sphero-radius (m). reach: (n,) core radius plus sphero-radius (m).
        start: (n + 1,) first row of each grain in ``verts``, (M, 3) core vertices relative to the centre: in the body frame until placed, then world.
        lower, period: (3,) of the domain, period 0 where open (m).
        species: (n,) int64. skeletons: features of the species.
        grains: their number. hollow: of each body whether the room that it encloses counts as empty.
    """

    x: np.ndarray
    q: np.ndarray
    r: np.ndarray
    reach: np.ndarray
    start: np.ndarray
    verts: np.ndarray
    lower: np.ndarray
    period: np.ndarray
    species: np.ndarray
    skeletons: Skeletons
    grains: int
    hollow: np.ndarray


class Cells(NamedTuple):
    """Linked cells at least as wide as the largest grain. Grains beyond an open side belong to the outermost cells.

    Attributes:
        origin: (3,) (m). edge: (3,) (m). counts: (3,). head: (cells,) last grain of a cell or -1. after: (n,) the next one.
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    head: np.ndarray
    after: np.ndarray


@njit
def rotate(b, i):
    """Turn the vertices of grain ``i`` from the body frame into the world."""
    q0, q1, q2, q3 = b.q[i, 0], b.q[i, 1], b.q[i, 2], b.q[i, 3]
    for k in range(b.start[i], b.start[i + 1]):
        b.verts[k, 0], b.verts[k, 1], b.verts[k, 2] = to_world(q0, q1, q2, q3, b.verts[k, 0], b.verts[k, 1], b.verts[k, 2])


@njit
def rotate_range(b, first, last):
    """The same for grains ``first`` to ``last``."""
    for i in range(first, last):
        rotate(b, i)


@njit
def _cell_of(cells, x, y, z):
    k = 0
    for c in range(3):
        u = x if c == 0 else (y if c == 1 else z)
        k = k * cells.counts[c] + int(min(max((u - cells.origin[c]) / cells.edge[c], 0.0), cells.counts[c] - 1.0))
    return k


@njit
def add(b, cells, i):
    """Enter grain ``i`` in the cells."""
    k = _cell_of(cells, b.x[i, 0], b.x[i, 1], b.x[i, 2])
    cells.after[i] = cells.head[k]
    cells.head[k] = i


@njit
def add_first(b, cells, n):
    """Enter the first ``n`` grains in the cells."""
    for i in range(n):
        add(b, cells, i)


@njit
def _around(b, cells, i, out):
    """Fill ``out`` ((27,)) with the cells around grain ``i``, each once; returns their number."""
    k = _cell_of(cells, b.x[i, 0], b.x[i, 1], b.x[i, 2])
    n0, n1, n2 = cells.counts[0], cells.counts[1], cells.counts[2]
    c0, c1, c2 = k // (n1 * n2), (k // n2) % n1, k % n2
    found = 0
    for a0 in range(c0 - 1, c0 + min(n0, 3) - 1):
        if b.period[0] == 0.0 and n0 > 2 and (a0 < 0 or a0 >= n0):
            continue
        for a1 in range(c1 - 1, c1 + min(n1, 3) - 1):
            if b.period[1] == 0.0 and n1 > 2 and (a1 < 0 or a1 >= n1):
                continue
            for a2 in range(c2 - 1, c2 + min(n2, 3) - 1):
                if b.period[2] == 0.0 and n2 > 2 and (a2 < 0 or a2 >= n2):
                    continue
                out[found] = ((a0 % n0) * n1 + a1 % n1) * n2 + a2 % n2
                found += 1
    return found


@njit
def bounds_between(b, i, j, above, below, work):
    """Bounds on the distance of two cores (m), nearest image; ``above`` and ``below`` as in `distance.polytope_distance`."""
    dx = nearest_image(b.x[j, 0] - b.x[i, 0], b.period[0])
    dy = nearest_image(b.x[j, 1] - b.x[i, 1], b.period[1])
    dz = nearest_image(b.x[j, 2] - b.x[i, 2], b.period[2])
    cores = (b.reach[i] - b.r[i]) + (b.reach[j] - b.r[j])
    centres = np.sqrt(dx * dx + dy * dy + dz * dz)
    if centres > (cores + above) * (1.0 + GAP):
        return centres - cores, centres
    s, t = b.species[i], b.species[j]
    if not (b.skeletons.plain[s] and b.skeletons.plain[t]):
        return skeleton_distance(b.skeletons, b.verts, s, b.start[i], t, b.start[j], dx, dy, dz, b.reach[j] - b.r[j], above, below)
    return core_distance(b.verts, b.start[i], b.start[i + 1], b.start[j], b.start[j + 1], dx, dy, dz, above, below, work)


@njit
def is_free(b, cells, i, near, work):
    """Whether grain ``i`` keeps a gap from all grains in the cells."""
    for m in range(_around(b, cells, i, near)):
        j = cells.head[near[m]]
        while j >= 0:
            contact = b.r[i] + b.r[j]
            lower, _ = bounds_between(b, i, j, contact * (1.0 + GAP), contact, work)
            if not lower > contact * (1.0 + GAP):
                return False
            j = cells.after[j]
    free = True
    for j in range(b.grains, b.r.shape[0]):
        free = free and _clear_of_wall(b, i, j, work)
    return free


@njit
def _clear_of_wall(b, i, j, work):
    """Whether grain ``i`` keeps a gap from all images of body ``j`` among the walls."""
    sk, s, t = b.skeletons, b.species[i], b.species[j]
    contact = b.r[i] + b.r[j]
    gap, a0, b0 = contact * (1.0 + GAP), b.start[i], b.start[j]
    nx, ny, nz = int(b.period[0] > 0.0), int(b.period[1] > 0.0), int(b.period[2] > 0.0)
    for kx in range(-nx, nx + 1):
        for ky in range(-ny, ny + 1):
            for kz in range(-nz, nz + 1):
                dx = b.x[j, 0] - b.x[i, 0] + kx * b.period[0]
                dy = b.x[j, 1] - b.x[i, 1] + ky * b.period[1]
                dz = b.x[j, 2] - b.x[i, 2] + kz * b.period[2]
                if np.sqrt(dx * dx + dy * dy + dz * dz) > (b.reach[i] + b.reach[j]) * (1.0 + GAP):
                    continue
                if b.hollow[j - b.grains]:
                    lower = surface_distance(sk, b.verts, s, a0, t, b0, dx, dy, dz, b.reach[j] - b.r[j], gap, contact)
                elif sk.plain[s] and sk.plain[t]:
                    lower, _ = core_distance(b.verts, a0, b.start[i + 1], b0, b.start[j + 1], dx, dy, dz, gap, contact, work)
                else:
                    lower, _ = skeleton_distance(sk, b.verts, s, a0, t, b0, dx, dy, dz, b.reach[j] - b.r[j], gap, contact)
                if not lower > gap:
                    return False
    return True


@njit
def mark_hollow(b, x, y, z, planar):
    """Mark the bodies among the walls that hold a point: what they enclose counts as empty."""
    for j in range(b.grains, b.r.shape[0]):
        b.hollow[j - b.grains] = holds(b.skeletons, b.verts, b.species[j], b.start[j], x - b.x[j, 0], y - b.x[j, 1], z - b.x[j, 2], planar)


@njit
def _extents(b, i, low, high):
    """How far grain ``i`` reaches from its centre along the axes, sphero-radius included: ``low`` <= 0 <= ``high``."""
    for c in range(3):
        low[c] = high[c] = 0.0
        for k in range(b.start[i], b.start[i + 1]):
            low[c], high[c] = min(low[c], b.verts[k, c]), max(high[c], b.verts[k, c])
        low[c] -= b.r[i]
        high[c] += b.r[i]


@njit
def _in_cylinder(b, i, region):
    a, c = (region.axis + 1) % 3, (region.axis + 2) % 3
    room = region.radius - b.r[i]
    for k in range(b.start[i], b.start[i + 1]):
        u, v = b.x[i, a] + b.verts[k, a] - region.centre[a], b.x[i, c] + b.verts[k, c] - region.centre[c]
        if u * u + v * v > room * room:
            return False
    return room >= 0.0


@njit
def mark_outside(b, region, outside):
    """Mark in ``outside`` ((n,) bool) the grains that a region does not hold whole; along its free axes it holds any."""
    low, high = np.empty(3), np.empty(3)
    for i in range(b.grains):
        _extents(b, i, low, high)
        outside[i] = region.axis >= 0 and not _in_cylinder(b, i, region)
        for c in range(3):
            if not region.free[c] and not (b.x[i, c] + low[c] >= region.lower[c] and b.x[i, c] + high[c] <= region.upper[c]):
                outside[i] = True


@njit
def insert(b, cells, first, first_id, seed, region, max_attempts):
    """Put in grains ``first`` and on, one after the other; the direction is fixed by the id, the position is drawn until it is free.

    Returns:
        index of the grain that found no room (the number of grains: none), and the reason, NO_POSITION or TOO_LONG.
    """
    low, high, near, work = np.empty(3), np.empty(3), np.empty(27, np.int64), np.empty((12, 4))
    middle = 0.5 * (region.lower + region.upper)
    mark_hollow(b, middle[0], middle[1], middle[2], region.planar)
    for i in range(first, b.grains):
        gid = first_id + i - first
        if region.planar:
            b.q[i, 0], b.q[i, 3] = random_angle(seed, gid)
        else:
            b.q[i, 0], b.q[i, 1], b.q[i, 2], b.q[i, 3] = random_orientation(seed, gid)
        rotate(b, i)
        _extents(b, i, low, high)
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
            if region.axis >= 0 and not _in_cylinder(b, i, region):
                continue
            if is_free(b, cells, i, near, work):
                placed = True
                break
        if not placed:
            return i, NO_POSITION
        add(b, cells, i)
    return b.grains, NO_POSITION


@njit
def overlapping(b, cells, tolerance, pairs, depth):
    """Pairs whose overlap exceeds ``tolerance`` times the sum of their radii.

    Args:
        pairs: (capacity, 2) int64, lower index first, and depth: (capacity,) (m) are filled.

    Returns:
        number of pairs found, beyond the capacity too.
    """
    found = 0
    near, work = np.empty(27, np.int64), np.empty((12, 4))
    for i in range(b.grains):
        for m in range(_around(b, cells, i, near)):
            j = cells.head[near[m]]
            while j >= 0:
                if j > i:
                    contact = b.r[i] + b.r[j]
                    _, upper = bounds_between(b, i, j, contact, 0.0, work)
                    if upper < contact * (1.0 - tolerance):
                        if found < pairs.shape[0]:
                            pairs[found, 0], pairs[found, 1] = i, j
                            depth[found] = contact - upper
                        found += 1
                j = cells.after[j]
    return found
