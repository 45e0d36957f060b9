"""Kernels of insertion: grains in linked cells, put in one by one, and pairs that overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.quaternions import orientation, put_orientation, to_world
from ..compiled.vectors import add, component, length, nearest_image, put_row, row, subtract
from .counter import POSITION, random_angle, random_orientation, uniforms
from .distance import core_distance
from .skeletons import PlacedCore, Skeletons, holds, skeleton_distance, surface_distance

GAP = 1e-9
"""Least gap between inserted grains, relative to the sum of their sphero-radii: rounding never makes it an overlap."""

NO_POSITION, TOO_LONG = 0, 1
"""Why an insertion stopped."""


class Occupants(NamedTuple):
    """Grains, those there already first, and last the bodies among the walls.

    Attributes:
        x: (n, 3) centres (m).
        q: (n, 4) orientations (w, x, y, z).
        r: (n,) sphero-radius (m).
        reach: (n,) core radius plus sphero-radius (m).
        start: (n + 1,) int64 first row of each grain in ``verts``.
        verts: (M, 3) core vertices relative to the centre (m): in the body frame until placed, then world.
        lower: (3,) lower corner of the domain (m).
        period: (3,) of the domain (m), 0 where open.
        half: (3,) half of it (m), infinite where open.
        periodic: whether it has a period.
        species: (n,) int64.
        skeletons: features of the species.
        grains: their number.
        hollow: (n - grains,) bool of each body whether the room that it encloses counts as empty.
    """

    x: np.ndarray
    q: np.ndarray
    r: np.ndarray
    reach: np.ndarray
    start: np.ndarray
    verts: np.ndarray
    lower: np.ndarray
    period: np.ndarray
    half: np.ndarray
    periodic: bool
    species: np.ndarray
    skeletons: Skeletons
    grains: int
    hollow: np.ndarray


class LinkedCells(NamedTuple):
    """Linked cells at least as wide as the largest grain. Grains beyond an open side belong to the outermost cells.

    Attributes:
        origin: (3,) lower corner (m).
        edge: (3,) size of a cell (m).
        counts: (3,) int64 number of cells along each axis.
        head: (cells,) int64 last grain of a cell or -1.
        after: (n,) int64 the next one of the same cell or -1.
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    head: np.ndarray
    after: np.ndarray


@njit
def rotate(b, i):
    """Turn the vertices of grain ``i`` from the body frame into the world."""
    q = orientation(b.q, i)
    for k in range(b.start[i], b.start[i + 1]):
        put_row(b.verts, k, to_world(q, row(b.verts, k)))


@njit
def rotate_range(b, first, last):
    """The same for the grains in rows ``first`` to ``last`` - 1."""
    for i in range(first, last):
        rotate(b, i)


@njit
def _cell_of(cells, x):
    """The cell of a place (m)."""
    k = 0
    for c in range(3):
        k = k * cells.counts[c] + int(min(max((component(x, c) - cells.origin[c]) / cells.edge[c], 0.0), cells.counts[c] - 1.0))
    return k


@njit
def enter(b, cells, i):
    """Enter grain ``i`` in the cells."""
    k = _cell_of(cells, row(b.x, i))
    cells.after[i] = cells.head[k]
    cells.head[k] = i


@njit
def enter_first(b, cells, n):
    """Enter the first ``n`` grains in the cells."""
    for i in range(n):
        enter(b, cells, i)


@njit
def _around(b, cells, i, out):
    """Fill ``out`` ((27,)) with the cells around grain ``i``, each once; returns their number."""
    k = _cell_of(cells, row(b.x, i))
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


@inlined
def _core_of(b, i):
    """The skeleton of a body."""
    return PlacedCore(b.species[i], b.start[i])


@njit
def _core_bounds(b, i, j, d, above, below, work):
    """Bounds on the distance of the cores of two bodies (m), what they enclose included; d: centre of j less that of i (m)."""
    if b.skeletons.plain[b.species[i]] and b.skeletons.plain[b.species[j]]:
        return core_distance(b.verts, (b.start[i], b.start[i + 1]), (b.start[j], b.start[j + 1]), d, above, below, work)
    return skeleton_distance(b.skeletons, b.verts, _core_of(b, i), _core_of(b, j), d, b.reach[j] - b.r[j], above, below)


@inlined
def bounds_between(b, i, j, above, below, work):
    """Bounds on the distance of two cores, nearest image.

    Args:
        b: `Occupants`.
        i: row of the one grain.
        j: row of the other.
        above: as for `distance.polytope_distance` (m).
        below: as there (m).
        work: (12, 4) work space.

    Returns:
        lower and upper bound (m).
    """
    d = nearest_image(subtract(row(b.x, j), row(b.x, i)), b)
    cores = (b.reach[i] - b.r[i]) + (b.reach[j] - b.r[j])
    centres = length(d)
    if centres > (cores + above) * (1.0 + GAP):
        return centres - cores, centres
    return _core_bounds(b, i, j, d, above, below, work)


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
def _clear_of_image(b, i, j, d, work):
    """Whether grain ``i`` keeps a gap from the image of body ``j`` among the walls whose centre is d (m) away."""
    contact = b.r[i] + b.r[j]
    gap = contact * (1.0 + GAP)
    if length(d) > (b.reach[i] + b.reach[j]) * (1.0 + GAP):
        return True
    if b.hollow[j - b.grains]:
        return surface_distance(b.skeletons, b.verts, _core_of(b, i), _core_of(b, j), d, b.reach[j] - b.r[j], gap, contact) > gap
    lower, _ = _core_bounds(b, i, j, d, gap, contact, work)
    return lower > gap


@njit
def _clear_of_wall(b, i, j, work):
    """Whether grain ``i`` keeps a gap from all images of body ``j`` among the walls."""
    d = subtract(row(b.x, j), row(b.x, i))
    nx, ny, nz = int(b.period[0] > 0.0), int(b.period[1] > 0.0), int(b.period[2] > 0.0)
    for kx in range(-nx, nx + 1):
        for ky in range(-ny, ny + 1):
            for kz in range(-nz, nz + 1):
                if not _clear_of_image(b, i, j, add(d, (kx * b.period[0], ky * b.period[1], kz * b.period[2])), work):
                    return False
    return True


@njit
def mark_hollow(b, x, planar):
    """Mark the bodies among the walls that hold a point: what they enclose counts as empty.

    Args:
        b: `Occupants`.
        x: the point (m).
        planar: two dimensions.
    """
    for j in range(b.grains, b.r.shape[0]):
        b.hollow[j - b.grains] = holds(b.skeletons, b.verts, _core_of(b, j), subtract(x, row(b.x, j)), planar)


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
    """Put in grains, one after the other; the direction is fixed by the id, the position is drawn until it is free.

    Args:
        b: `Occupants`, of which ``x``, ``q`` and ``verts`` of the new grains are filled.
        cells: `LinkedCells` with the grains that are there.
        first: row of the first new grain.
        first_id: its id.
        seed: of the random numbers.
        region: `regions.RegionArrays`.
        max_attempts: positions to try for one grain.

    Returns:
        index of the grain that found no room (the number of grains: none), and the reason, NO_POSITION or TOO_LONG.
    """
    low, high, near, work = np.empty(3), np.empty(3), np.empty(27, np.int64), np.empty((12, 4))
    middle = 0.5 * (region.lower + region.upper)
    mark_hollow(b, (middle[0], middle[1], middle[2]), region.planar)
    for i in range(first, b.grains):
        gid = first_id + i - first
        if region.planar:
            b.q[i, 0], b.q[i, 3] = random_angle(seed, gid)
        else:
            put_orientation(b.q, i, random_orientation(seed, gid))
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
        enter(b, cells, i)
    return b.grains, NO_POSITION


@njit
def overlapping(b, cells, tolerance, pairs, depth):
    """Pairs whose overlap exceeds ``tolerance`` times the sum of their radii.

    Args:
        b: `Occupants`.
        cells: `LinkedCells` with all grains.
        tolerance: relative to the sum of the radii.
        pairs: (capacity, 2) int64, filled, lower index first.
        depth: (capacity,), filled with the overlaps (m).

    Returns:
        number of pairs found, beyond the capacity too.
    """
    found = 0
    near, work = np.empty(27, np.int64), np.empty((12, 4))
    for i in range(b.grains):
        for m in range(_around(b, cells, i, near)):
            j = cells.head[near[m]]
            while j >= 0:
                contact = b.r[i] + b.r[j]
                upper = bounds_between(b, i, j, contact, 0.0, work)[1] if j > i else np.inf
                if upper < contact * (1.0 - tolerance):
                    found = _note(pairs, depth, found, i, j, contact - upper)
                j = cells.after[j]
    return found


@inlined
def _note(pairs, depth, found, i, j, overlap):
    """Note a pair and its overlap (m) in row ``found``, if there is room; returns the next row."""
    if found < pairs.shape[0]:
        pairs[found, 0], pairs[found, 1] = i, j
        depth[found] = overlap
    return found + 1
