"""Grains gathered under some of them: which of them are points of the triangulation that walks go along, and for which others each of these stands.

Any point may stand for a grain, wherever the two are: what counts is how far the grain reaches from it. So a few points do for many grains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.lanes.types import WIDTH
from ..compiled.vectors import row, square, subtract
from .named_points import table_size

ROUNDING = 1.0 + 1e-9  # of distances
SIDE = 6.0  # of the cells out of which one grain each is a point at first, in bounding radii
FAR = 1.75  # of this side, which is more than the diagonal of a cell: a grain that is further from all points becomes one itself
CLASS = 2.0  # grains of sizes within this factor share cells


class Groups(NamedTuple):
    """Bodies, which are grains and their images, by the points that stand for them.

    Attributes:
        point: (L, 3) the points (m).
        reach: (L,) radius around each of a ball that holds all of its bodies (m).
        start: (L + 1,) int32 the first body of each.
        grain: (B,) int32 row of each body's grain.
        x: (B + WIDTH,) its centre in the frame of the triangulation (m); behind it there is nothing.
        y: the same.
        z: the same.
        radius: (B + WIDTH,) bounding radius of each body (m).
    """

    point: np.ndarray
    reach: np.ndarray
    start: np.ndarray
    grain: np.ndarray
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    radius: np.ndarray


@inlined
def has_axis(g, i):
    """Whether the core of a grain is a segment: it walks from there, and is a point itself."""
    return g.vert_start[i + 1] - g.vert_start[i] == 2


@inlined
def _side(radius, least):
    """Side of the cells of a grain's class (m), and the number of the class."""
    size, number = least * CLASS, 0
    while size <= radius:
        size, number = size * CLASS, number + 1
    return SIDE * size / CLASS, number


@inlined
def _mixed(number, more):
    """Mix another whole number into one."""
    mixed = (np.uint64(number) ^ np.uint64(more)) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@njit
def one_of_each_cell(bodies, grain, here, g, radius):
    """Choose bodies that are to be points: one of each cell of a grid, and all whose core is a segment.

    Cells that differ may pass for one, which makes a point too few; see `gathered`.

    Args:
        bodies: (n,) int64 rows of the bodies among which it is chosen.
        grain: (B,) int32 row of each body's grain.
        here: (B, 4) centres (m).
        g: `state.Grains`.
        radius: (N,) bounding radii of the grains (m).

    Returns:
        (k,) int64 rows of those chosen.
    """
    count = bodies.shape[0]
    least = np.inf
    for b in bodies:
        least = min(least, radius[grain[b]])
    size = table_size(count)
    taken, table = np.zeros(size, np.bool_), np.empty(size, np.uint64)
    chosen, n = np.empty(count, np.int64), 0
    for b in bodies:
        if not has_axis(g, grain[b]):
            side, number = _side(radius[grain[b]], least)
            key = np.uint64(number)
            for c in range(3):
                key = _mixed(key, np.int64(np.floor(here[b, c] / side)))
            k = np.int64(key & np.uint64(size - 1))
            while taken[k] and table[k] != key:
                k = (k + 1) % size
            if taken[k]:
                continue
            taken[k], table[k] = True, key
        chosen[n] = b
        n += 1
    return chosen[:n]


@njit
def points_among(known, grain, here, g, radius):
    """Choose the bodies that are points: those that have been, those whose core is a segment, and, if there are none, one of each cell.

    Args:
        known: (B,) bool which of the bodies have been points.
        grain: (B,) int32 row of each body's grain.
        here: (B, 4) centres (m).
        g: `state.Grains`.
        radius: (N,) bounding radii of the grains (m).

    Returns:
        (L,) int64 rows of the bodies.
    """
    points, n = np.empty(known.shape[0], np.int64), 0
    for b in range(known.shape[0]):
        points[n] = b
        n += known[b] or has_axis(g, grain[b])
    return points[:n] if n > 0 else one_of_each_cell(np.arange(known.shape[0]), grain, here, g, radius)


@njit
def gathered(grain, xw, shift, lead, point, web, g, radius):
    """Put each body under the nearest point, which a descent along edges finds: the vertices of a Delaunay triangulation in a ball are connected.

    Args:
        grain: (B,) int32 row of each body's grain.
        xw: (B, 4) centres (m).
        shift: (3,) where the origin of the triangulation lies (m).
        lead: (L,) int64 the bodies that are points; they remain under themselves.
        point: (L, 3) points, in the frame of the triangulation (m).
        web: `edge_walk.Web` of the points.
        g: `state.Grains`.
        radius: (N,) bounding radii of the grains (m).

    Returns:
        The `Groups`; (k,) int64 rows of the bodies that are too far from all points.
    """
    bodies, points, room = grain.shape[0], lead.shape[0], grain.shape[0] + WIDTH
    own, under, far, n, k = np.full(bodies, -1, np.int32), np.empty(bodies, np.int32), np.empty(bodies, np.int64), 0, 0
    start, reach, origin = np.zeros(points + 2, np.int32), np.zeros(points), row(shift, 0)
    for a in range(points):
        own[lead[a]] = a
    for b in range(bodies):
        here = subtract(row(xw, b), origin)
        k = own[b] if own[b] >= 0 else k  # neighbours follow each other, so that their points are near
        away = square(subtract(here, row(point, k)))
        if own[b] < 0:
            before = np.inf
            while away < before:
                before = away
                for e in range(web.ptr[k], web.ptr[k + 1]):
                    other = square(subtract(here, row(point, web.col[e])))
                    if other < away:
                        away, k = other, web.col[e]
            most = FAR * SIDE * radius[grain[b]]
            far[n] = b
            n += away > most * most
        under[b] = k
        start[k + 2] += 1
        reach[k] = max(reach[k], (radius[grain[b]] + np.sqrt(away)) * ROUNDING)
    for a in range(points):
        start[a + 2] += start[a + 1]
    sorted_grain = np.empty(bodies, np.int32)
    x, y, z, r = np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room)
    for b in range(bodies):
        place = start[under[b] + 1]
        start[under[b] + 1] += 1
        sorted_grain[place], r[place] = grain[b], radius[grain[b]]
        x[place], y[place], z[place] = subtract(row(xw, b), origin)
    return Groups(point, reach, start[:-1], sorted_grain, x, y, z, r), far[:n]
