"""Linked cells with size classes: candidate pairs within a skin.

Grains are put in classes of bounding radius within a factor of two; each class has cells of its own size, and a grain looks in its own class and in
those of larger grains, so that small grains do not pay for large ones. A pair is kept where oriented extents, then the cores themselves, come within
the sum of radii plus the skin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.vectors import nearest_image, row, subtract
from .bounds import add_pair, may_touch, periods_of

CLASSES = 12


class _Grid(NamedTuple):
    """The members of a class in their cells.

    Attributes:
        origin: (3,) lower corner (m).
        edge: (3,) size of a cell (m).
        counts: (3,) int64 number of cells along each axis.
        start: (cells + 1,) int64 first place of each cell in ``order``.
        order: (members,) int32 rows of the members by cell.
        widest: (3,) largest half-extents of a member (m).
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    start: np.ndarray
    order: np.ndarray
    widest: np.ndarray


class _Seeker(NamedTuple):
    """A grain that looks for others.

    Attributes:
        i: its row.
        own: its cell, where it is a member of the class that it looks into, else -1.
        x: its centre (m).
        half: its half-extents and the skin (m).
        reach: its sphero-radius and the skin (m).
    """

    i: int
    own: int
    x: tuple[float, float, float]
    half: tuple[float, float, float]
    reach: float


@njit
def size_classes(total, radius, level):
    """Divide grains into classes by bounding radius: class 0 is that of the largest, and each class spans a factor of two.

    Args:
        total: number of grains.
        radius: (N,) bounding radii (m).
        level: (N,) int32, filled with the class of each grain.

    Returns:
        (CLASSES,) largest radius of each class (m); 0: the class is empty.
    """
    largest = 0.0
    for i in range(total):
        largest = max(largest, radius[i])
    top = np.zeros(CLASSES)
    for i in range(total):
        k, size = 0, 0.5 * largest
        while k < CLASSES - 1 and radius[i] <= size:
            size *= 0.5
            k += 1
        level[i] = k
        top[k] = max(top[k], radius[i])
    return top


CROWD = 2.0  # members per cell above which the cells of long grains are made smaller than the grains
FINEST = 0.25  # of the grains


@njit
def _grid(members, x, size, lower, period):
    """A class's grid over its members: cells of a given size, or smaller ones where those would be crowded.

    Args:
        members: (m,) int64 rows of the members.
        x: (N, 4) centres (m).
        size: size of a cell (m).
        lower: (3,) lower corner of the domain (m).
        period: (3,) of the domain (m), 0: open.

    Returns:
        (3,) origin (m), (3,) cell size (m), (3,) int64 cell counts.
    """
    origin, span, edge, count = np.empty(3), np.empty(3), np.empty(3), np.empty(3, np.int64)
    cells = 1.0
    for c in range(3):
        if period[c] > 0.0:
            origin[c], span[c] = lower[c], period[c]
        else:
            low, high = np.inf, -np.inf
            for i in members:
                low, high = min(low, x[i, c]), max(high, x[i, c])
            origin[c], span[c] = low, high - low
        cells *= max(1.0, span[c] / size)
    size *= min(1.0, max(FINEST, (CROWD * cells / members.shape[0]) ** (1.0 / 3.0)))
    for c in range(3):
        count[c] = max(1, min(int(span[c] / size), 1 << 20))
        edge[c] = span[c] / count[c]
    limit = 4 * members.shape[0] + 64
    while count[0] * count[1] * count[2] > limit:
        c = 0
        for k in range(3):
            if count[k] > count[c]:
                c = k
        edge[c] *= count[c] / ((count[c] + 1) // 2)
        count[c] = (count[c] + 1) // 2
    return origin, edge, count


@inlined
def _cell(value, origin, edge, count):
    """Cell of a coordinate, clamped to the grid."""
    if edge <= 0.0:
        return 0
    return min(max(int((value - origin) / edge), 0), count - 1)


@njit
def _sorted_cells(members, x, origin, edge, count):
    """Members of a class by cell: cell of each member, first place of each cell, members in the order of cells."""
    cell = np.empty(members.shape[0], np.int64)
    start = np.zeros(count[0] * count[1] * count[2] + 1, np.int64)
    for m in range(members.shape[0]):
        k = 0
        for c in range(3):
            k = k * count[c] + _cell(x[members[m], c], origin[c], edge[c], count[c])
        cell[m] = k
        start[k + 1] += 1
    start = np.cumsum(start)
    fill = start[:-1].copy()
    order = np.empty(members.shape[0], np.int32)
    for m in range(members.shape[0]):
        order[fill[cell[m]]] = members[m]
        fill[cell[m]] += 1
    return cell, start, order


@inlined
def _range(value, reach, origin, edge, count, period):
    """First and last cell, along one axis, within ``reach`` of a coordinate; where periodic they may lie beyond the ends."""
    if period > 0.0:
        low, high = int(np.floor((value - reach - origin) / edge)), int(np.floor((value + reach - origin) / edge))
        return (0, count - 1) if high - low >= count else (low, high)
    return _cell(value - reach, origin, edge, count), _cell(value + reach, origin, edge, count)


@inlined
def _wrapped(k, count):
    """A cell's number within 0 ... count - 1; no search reaches beyond the next image."""
    return k + count if k < 0 else (k - count if k >= count else k)


@inlined
def _cells_around(seeker, grid, periods, c):
    """First and last cell along axis ``c`` in which grains may be that the seeker may meet."""
    return _range(seeker.x[c], seeker.half[c] + grid.widest[c], grid.origin[c], grid.edge[c], grid.counts[c], periods.period[c])


@inlined
def _pairs_in_cell(seeker, k, grid, grains, periods, pairs, found):
    """Append the pairs of a seeker with the grains in cell ``k``; ``found`` and the result are numbers of pairs, the rest is as for `find_pairs`."""
    i, half, owned, g = seeker.i, seeker.half, grains.owned, grains.g
    for n in range(grid.start[k], grid.start[k + 1]):
        j = grid.order[n]
        if (k == seeker.own and j <= i) or (i >= owned and j >= owned):
            continue
        d, e = nearest_image(subtract(row(g.x, j), seeker.x), periods), row(grains.extent, j)
        # one branch instead of three that no processor can foresee
        if (abs(d[0]) > half[0] + e[0]) | (abs(d[1]) > half[1] + e[1]) | (abs(d[2]) > half[2] + e[2]):
            continue
        if may_touch(g, i, j, d, seeker.reach + g.x[j, 3]):
            found = add_pair(pairs, found, g, i, j)
    return found


@inlined
def _pairs_around(seeker, grid, grains, periods, pairs, found):
    """Append the pairs of a seeker with the members of a class; arguments and result are as for `_pairs_in_cell`."""
    count = grid.counts
    a0, a1 = _cells_around(seeker, grid, periods, 0)
    b0, b1 = _cells_around(seeker, grid, periods, 1)
    c0, c1 = _cells_around(seeker, grid, periods, 2)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            column = (_wrapped(a, count[0]) * count[1] + _wrapped(b, count[1])) * count[2]
            for c in range(c0, c1 + 1):
                k = column + _wrapped(c, count[2])
                # a pair of one class is taken by the one whose cell comes first, in the same cell by the one with the lower index
                if k >= seeker.own:
                    found = _pairs_in_cell(seeker, k, grid, grains, periods, pairs, found)
    return found


@njit
def find_pairs(grains, settings, skin, pairs):
    """Find the candidate pairs of a rank. Each pair is found once and has at least one owned grain.

    Args:
        grains: `bounds.BoundedGrains`.
        settings: `state.Settings`, of which ``lower``, ``period``, ``half`` and ``periodic`` are read.
        skin: distance beyond contact within which pairs are candidates (m).
        pairs: (capacity, 2) int32, filled with local indices, lower global id first.

    Returns:
        Number of pairs. If it exceeds the capacity, call again with a larger array.
    """
    g, total, extent = grains.g, grains.total, grains.extent
    level = np.empty(total, np.int32)
    top = size_classes(total, grains.radius, level)
    periods = periods_of(settings)
    found = 0
    for big in range(CLASSES):
        if top[big] == 0.0:
            continue
        members = np.nonzero(level == big)[0]
        widest = np.zeros(3)
        for i in members:
            for c in range(3):
                widest[c] = max(widest[c], extent[i, c])
        origin, edge, count = _grid(members, g.x, 2.0 * top[big] + skin, settings.lower, settings.period)
        cell, start, order = _sorted_cells(members, g.x, origin, edge, count)
        grid = _Grid(origin, edge, count, start, order, widest)
        m = -1
        for i in range(total):
            if level[i] < big:
                continue
            own = -1
            if level[i] == big:
                m += 1
                own = cell[m]
            half = extent[i, 0] + skin, extent[i, 1] + skin, extent[i, 2] + skin
            found = _pairs_around(_Seeker(i, own, row(g.x, i), half, g.x[i, 3] + skin), grid, grains, periods, pairs, found)
    return found


@njit
def spatial_order(owned, x, edge):
    """Sort grains by cells, so that neighbours are close to each other in memory: cross-sections of the longest axis one after the other.

    Args:
        owned: number of grains.
        x: (N, 4) centres (m).
        edge: size of a cell (m).

    Returns:
        (owned,) int64 rows in the new order.
    """
    count, origin = np.empty(3, np.int64), np.empty(3)
    for c in range(3):
        low, high = np.inf, -np.inf
        for i in range(owned):
            low, high = min(low, x[i, c]), max(high, x[i, c])
        origin[c] = low
        count[c] = 1 if owned == 0 else max(1, min(int((high - low) / edge) + 1, 1 << 20))
    longest = 2
    for c in range(2):
        if count[c] > count[longest]:
            longest = c
    axes = (longest, 1 if longest == 2 else 2, 1 if longest == 0 else 0)
    key = np.empty(owned, np.int64)
    for i in range(owned):
        k = 0
        for c in axes:
            k = k * count[c] + min(int((x[i, c] - origin[c]) / edge), count[c] - 1)
        key[i] = k
    return np.argsort(key, kind="mergesort")
