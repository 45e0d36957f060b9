"""Compiled: whether grains keep clear of each other and of walls, and pairs that overlap."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from ..compiled.vectors import add, length, nearest_image, row, square, subtract
from .distance import core_distance
from .occupants import cells_around
from .skeletons import PlacedCore, holds, skeleton_distance, surface_distance

GAP = 1e-9
"""Smallest gap between inserted grains, relative to the sum of their sphero-radii: rounding never turns it into an overlap."""


@inlined
def _core_of(b, i):
    """The skeleton of a body."""
    return PlacedCore(b.species[i], b.start[i], b.reach[i] - b.r[i])


@inlined
def _core_bounds(b, i, j, d, above, below, work):
    """Bounds on the distance of the cores of two bodies (m), what they enclose included; d: centre of j less that of i (m)."""
    if b.skeletons.convex[b.species[i]] and b.skeletons.convex[b.species[j]]:
        return core_distance(b.verts, (b.start[i], b.start[i + 1]), (b.start[j], b.start[j + 1]), d, above, below, work)
    return skeleton_distance(b.skeletons, b.verts, _core_of(b, i), _core_of(b, j), d, above, below)


@inlined
def bounds_between(b, i, j, above, below, work):
    """Bound the distance of two cores, nearest image.

    Args:
        b: `Occupants`.
        i: row of one grain.
        j: row of the other.
        above: stop as soon as the distance is known to exceed this value (m).
        below: stop as soon as the distance is known not to exceed this value (m).
        work: (12, 4) work space.

    Returns:
        Lower and upper bound (m).
    """
    d = nearest_image(subtract(row(b.x, j), row(b.x, i)), b)
    cores = (b.reach[i] - b.r[i]) + (b.reach[j] - b.r[j])
    centres = length(d)
    if centres > (cores + above) * (1.0 + GAP):
        return centres - cores, centres
    return _core_bounds(b, i, j, d, above, below, work)


@inlined
def _far(b, cells, i, j):
    """Whether a grain is so far from one in the cells that there is a gap between the balls about them, by a margin beyond all rounding."""
    d = nearest_image(subtract((cells.ball[j, 0], cells.ball[j, 1], cells.ball[j, 2]), row(b.x, i)), b)
    reach = (b.reach[i] + cells.ball[j, 3]) * (1.0 + 10.0 * GAP)
    return square(d) > reach * reach


@kernel
def is_free(b, cells, i, near, work):
    """Determine whether a grain keeps a gap from all grains in the cells and from all walls.

    Args:
        b: `Occupants`.
        cells: `LinkedCells`.
        i: row of the grain.
        near: (27,) int64 work space.
        work: (12, 4) work space.

    Returns:
        Whether it does.
    """
    for m in range(cells_around(b, cells, i, near)):
        j = cells.head[near[m]]
        while j >= 0:
            if not _far(b, cells, i, j):
                contact = b.r[i] + b.r[j]
                lower, _ = bounds_between(b, i, j, contact * (1.0 + GAP), contact, work)
                if not lower > contact * (1.0 + GAP):
                    return False
            j = cells.after[j]
    free = True
    for j in range(b.grains, b.r.shape[0]):
        free = free and _clear_of_wall(b, i, j, work)
    return free


@kernel
def _clear_of_image(b, i, j, d, work):
    """Whether grain ``i`` keeps a gap from the image of body ``j`` among the walls whose centre is d (m) away."""
    contact = b.r[i] + b.r[j]
    gap = contact * (1.0 + GAP)
    if length(d) > (b.reach[i] + b.reach[j]) * (1.0 + GAP):
        return True
    if b.hollow[j - b.grains]:
        return surface_distance(b.skeletons, b.verts, _core_of(b, i), _core_of(b, j), d, gap, contact) > gap
    lower, _ = _core_bounds(b, i, j, d, gap, contact, work)
    return lower > gap


@kernel
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


@kernel
def _gap_to_images(b, i, j, most, work):
    """Lower bound on the gap between grain ``i`` and all images of body ``j`` among the walls (m); exact up to ``most``."""
    gap, contact, d = np.inf, b.r[i] + b.r[j], subtract(row(b.x, j), row(b.x, i))
    nx, ny, nz = int(b.period[0] > 0.0), int(b.period[1] > 0.0), int(b.period[2] > 0.0)
    for kx in range(-nx, nx + 1):
        for ky in range(-ny, ny + 1):
            for kz in range(-nz, nz + 1):
                image = add(d, (kx * b.period[0], ky * b.period[1], kz * b.period[2]))
                apart = length(image) - b.reach[i] - b.reach[j]
                if apart < min(gap, most):
                    apart = _distance_to_wall(b, i, j, image, contact + most, work) - contact
                gap = min(gap, apart)
    return gap


@kernel
def gap_to_walls(b, i, most, work):
    """Bound the gap between a grain and the bodies among the walls, in all their images.

    Args:
        b: `Occupants`, with ``hollow`` filled.
        i: row of the grain.
        most: gap beyond which the answer need not be exact (m).
        work: (12, 4) work space.

    Returns:
        A lower bound, the gap itself if that is at most ``most`` (m).
    """
    gap = np.inf
    for j in range(b.grains, b.r.shape[0]):
        gap = min(gap, _gap_to_images(b, i, j, min(gap, most), work))
    return gap


@inlined
def _distance_to_wall(b, i, j, d, above, work):
    """Lower bound on the distance of the core of grain ``i`` from that of a body ``j`` among the walls whose centre is d (m) away."""
    if b.hollow[j - b.grains]:
        return surface_distance(b.skeletons, b.verts, _core_of(b, i), _core_of(b, j), d, above, 0.0)
    return _core_bounds(b, i, j, d, above, 0.0, work)[0]


@kernel
def mark_hollow(b, x, planar):
    """Mark the bodies among the walls that enclose a point. The space that such a body encloses counts as empty.

    Args:
        b: `Occupants`, of which ``hollow`` is filled.
        x: the point (m).
        planar: whether the simulation is two-dimensional.
    """
    for j in range(b.grains, b.r.shape[0]):
        b.hollow[j - b.grains] = holds(b.skeletons, b.verts, _core_of(b, j), subtract(x, row(b.x, j)), planar)


@njit
def overlapping(b, cells, tolerance, pairs, depth):
    """Find the pairs of grains whose overlap exceeds a tolerance.

    Args:
        b: `Occupants`.
        cells: `LinkedCells` with all grains.
        tolerance: overlap that is accepted, relative to the sum of the sphero-radii.
        pairs: (capacity, 2) int64, filled with the pairs, lower index first.
        depth: (capacity,), filled with the overlaps (m).

    Returns:
        Number of pairs found, including those beyond the capacity.
    """
    found = 0
    near, work = np.empty(27, np.int64), np.empty((12, 4))
    for i in range(b.grains):
        for m in range(cells_around(b, cells, i, near)):
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
    """Note a pair and its overlap (m) in row ``found``, if there is such a row; returns the next row."""
    if found < pairs.shape[0]:
        pairs[found, 0], pairs[found, 1] = i, j
        depth[found] = overlap
    return found + 1
