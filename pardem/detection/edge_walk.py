"""Candidate pairs by walks along the edges of a Delaunay triangulation of the grains' centres.

The vertices of a Delaunay triangulation that lie in a ball are connected by edges between them (docs/theory/detection.md), and so are those in the
union of balls around the points of a core, each of which contains the body's own. So a walk from a body to its neighbours, and on from those within
a distance of its core, meets all that are. Where the body is a point, a path to another lies in the ball that has the two at its ends, and the walk
need not go on from a vertex whose neighbours are all out of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.lanes.flags import append
from ..compiled.lanes.memory import load
from ..compiled.lanes.types import WIDTH
from ..compiled.vectors import ZERO, behind, dot, nearest_image, row, square, subtract
from .bounds import add_pair, may_touch, periods_of
from .edge_pairs import bodies_of_rows, edges_of_bodies
from .gathering import ROUNDING, has_axis


@njit
def centres_of(grain, image, g, period):
    """Compute the centres of bodies.

    Args:
        grain: (B,) int32 grain of each body, see `named_points.bodies_of`.
        image: (B,) int32 image of each body.
        g: `state.Grains`.
        period: (3,) period of the domain (m); 0: open.

    Returns:
        (B, 4) centres (m), and 0.
    """
    xw = np.zeros((grain.shape[0], 4))
    for b in range(grain.shape[0]):
        for c in range(3):
            xw[b, c] = g.x[grain[b], c] - (period[c] if image[b] & (1 << c) else 0.0)
    return xw


class Web(NamedTuple):
    """Which bodies edges join.

    Attributes:
        ptr: (B + 1,) int32 first place of each body in ``col``.
        col: (n,) int32 the bodies to which edges lead.
        near: (B,) square of the length of the shortest edge of each body (m^2).
    """

    ptr: np.ndarray
    col: np.ndarray
    near: np.ndarray


@njit
def web_of(mesh, point):
    """Read the edges off a triangulation, by body and from both ends.

    Args:
        mesh: `edge_pairs.SphereMesh`.
        point: (B, 3) the point of each body (m).

    Returns:
        The `Web`.
    """
    low, high = edges_of_bodies(mesh, bodies_of_rows(mesh))
    count, n = point.shape[0], low.shape[0]
    place, col = np.zeros(count + 2, np.int32), np.empty(2 * n, np.int32)
    for k in range(n):
        place[low[k] + 2] += 1
        place[high[k] + 2] += 1
    for b in range(count):
        place[b + 2] += place[b + 1]
    for k in range(n):
        a, b = low[k], high[k]
        col[place[a + 1]] = b
        col[place[b + 1]] = a
        place[a + 1] += 1
        place[b + 1] += 1
    ptr, seen, near, m = np.zeros(count + 1, np.int32), np.full(count, -1, np.int32), np.full(count, np.inf), 0
    for a in range(count):
        first = place[a]
        for e in range(first, place[a + 1]):
            b = col[e]
            col[m] = b
            m += seen[b] != a
            seen[b] = a
        ptr[a + 1] = m
        for e in range(ptr[a], m):
            near[a] = min(near[a], square(subtract(row(point, a), row(point, col[e]))))
    return Web(ptr, col, near)


class _Walk(NamedTuple):
    """Work space of walks.

    Attributes:
        seen: (B,) int32 the last body whose walk has seen each.
        stack: (B,) int32 bodies to go on from.
        fresh: (B,) int32 neighbours seen for the first time.
        met: (B,) int32 bodies within the distance.
    """

    seen: np.ndarray
    stack: np.ndarray
    fresh: np.ndarray
    met: np.ndarray


@inlined
def _from_axis(d, axis, size):
    """Square of the distance of a point, ``d`` from the middle of an axis, from the axis; ``size``: square of half its length (m^2)."""
    if size > 0.0:
        d = behind(d, min(1.0, max(-1.0, dot(d, axis) / size)), axis)
    return square(d)


@inlined
def _walk(a, web, point, start, axis, far, walk):
    """Walk from body ``a`` to all bodies within a distance of its axis; without branches where nothing foretells which way.

    Args:
        a: the body.
        web: `Web`.
        point: (B, 3) points of the bodies (m).
        start: middle of the axis (m); of a body without axis, its point.
        axis: half of the axis (m); 0: none.
        far: square of the distance (m^2).
        walk: `_Walk`.

    Returns:
        Number of bodies in ``walk.met``, and of distances that were looked at.
    """
    ptr, col, near = web
    seen, stack, fresh, met = walk
    size = square(axis)
    share = 0.0 if size > 0.0 else 1.0
    seen[a], stack[0], waiting, found, looked = a, a, 1, 0, 0
    while waiting > 0:
        waiting -= 1
        k = stack[waiting]
        n = 0
        for e in range(ptr[k], ptr[k + 1]):
            b = col[e]
            fresh[n] = b
            n += seen[b] != a
            seen[b] = a
        looked += n
        for f in range(n):
            b = fresh[f]
            away = _from_axis(subtract(row(point, b), start), axis, size)
            met[found] = b
            found += away <= far
            stack[waiting] = b
            waiting += away + share * near[b] <= far
    return found, looked


@inlined
def _near(grains, i, j, skin, periods):
    """Whether two grains may come within the skin."""
    g = grains.g
    d, e, f = nearest_image(subtract(row(g.x, j), row(g.x, i)), periods), row(grains.extent, i), row(grains.extent, j)
    if (abs(d[0]) > e[0] + f[0] + skin) | (abs(d[1]) > e[1] + f[1] + skin) | (abs(d[2]) > e[2] + f[2] + skin):
        return False
    return may_touch(g, i, j, d, g.x[i, 3] + g.x[j, 3] + skin)


@inlined
def _suspects(p, begin, end, skin, groups, lanes, suspects):
    """Bodies of a group that may come within the skin of body ``p``, by their bounding spheres, WIDTH at a time.

    Args:
        p: the body.
        begin: first body of the group.
        end: the body behind the last one.
        skin: (m).
        groups: `gathering.Groups`.
        lanes: (WIDTH,) int64 the numbers of the lanes.
        suspects: (B + WIDTH,) int32 filled with the bodies.

    Returns:
        their number.
    """
    x, y, z, radius, found = groups.x, groups.y, groups.z, groups.radius, np.uintp(0)
    centre, reach = (x[p], y[p], z[p]), radius[p] + skin
    for q in range(begin, end, WIDTH):
        far = (load(radius, q) + reach) * ROUNDING
        near = square(subtract((load(x, q), load(y, q), load(z, q)), centre)) <= far * far
        found += append(suspects, found, q, near & (load(lanes, 0) < end - q))
    return found


@njit
def pairs_by_walks(grains, settings, skin, groups, web):
    """Find the candidate pairs of grains, each from the walk of the point whose bodies reach further from it.

    Args:
        grains: `bounds.BoundedGrains`.
        settings: `state.Settings`, of which ``period``, ``half`` and ``periodic`` are read.
        skin: distance beyond contact within which pairs are candidates (m).
        groups: `gathering.Groups`.
        web: `Web` of their points, all of which must be vertices of the triangulation.

    Returns:
        (n, 2) int32 rows of grains, lower global id first, at least one of them owned; pairs met as images, too, are there several times. And the
        number of distances, and of pairs, that were looked at.
    """
    g, periods = grains.g, periods_of(settings)
    point, reach, start, grain = groups.point, groups.reach, groups.start, groups.grain
    count, bodies = reach.shape[0], grain.shape[0]
    walk = _Walk(np.full(count, -1, np.int32), np.empty(count + 1, np.int32), np.empty(count + 1, np.int32), np.empty(count + 1, np.int32))
    suspects, lanes = np.empty(bodies + WIDTH, np.int32), np.arange(WIDTH)
    pairs, found, looked = np.empty((9 * bodies + 64, 2), np.int32), 0, 0
    for a in range(count):
        i = grain[start[a]]
        if start[a + 1] - start[a] == 1 and has_axis(g, i):
            at = start[a]
            axis, middle, far = row(g.vert, g.vert_start[i] + 1), (groups.x[at], groups.y[at], groups.z[at]), g.x[i, 3] + skin + reach[a]
        else:
            axis, middle, far = ZERO, row(point, a), reach[a] + skin + reach[a]
        met, seen = _walk(a, web, point, middle, axis, (far * ROUNDING) ** 2, walk)
        looked += seen
        walk.met[met] = a  # bodies under one point may touch each other
        for m in range(met + 1):
            b = walk.met[m]
            if reach[b] > reach[a] or (reach[b] == reach[a] and b > a):
                continue
            for p in range(start[a], start[a + 1]):
                far = (groups.radius[p] + skin + reach[b]) * ROUNDING
                if square(subtract(row(point, b), (groups.x[p], groups.y[p], groups.z[p]))) > far * far:
                    continue
                if found + bodies > pairs.shape[0]:
                    more = np.empty((2 * pairs.shape[0], 2), np.int32)
                    more[:found] = pairs[:found]
                    pairs = more
                i, last = grain[p], p if a == b else start[b + 1]
                looked += last - start[b]
                for n in range(_suspects(p, start[b], last, skin, groups, lanes, suspects)):
                    j = grain[suspects[n]]
                    if i != j and min(i, j) < grains.owned and _near(grains, i, j, skin, periods):
                        found = add_pair(pairs, found, g, i, j)
    return pairs[:found], looked
