"""Linked cells with size classes: candidate pairs within a skin.

Grains are put in classes of bounding radius within a factor of two; each class has cells of its own size, and a grain looks in its own class and in
those of larger grains, so that small grains do not pay for large ones. A pair is kept where oriented extents, then the cores themselves, come within
the sum of radii plus the skin (``cell_search``).
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import njit
from ..compiled.lanes.types import WIDTH
from ..compiled.vectors import row
from .bounds import periods_of
from .cell_search import SUSPECTS, CellSearch, Grid, Seeker, cell_of, pairs_around

CLASSES = 12


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


@njit
def _sorted_cells(members, x, origin, edge, count):
    """Members of a class by cell: cell of each member, its place, first place of each cell, members in the order of cells and some zeros."""
    cell, place = np.empty(members.shape[0], np.int64), np.empty(members.shape[0], np.int64)
    start = np.zeros(count[0] * count[1] * count[2] + 1, np.int64)
    for m in range(members.shape[0]):
        k = 0
        for c in range(3):
            k = k * count[c] + cell_of(x[members[m], c], origin[c], edge[c], count[c])
        cell[m] = k
        start[k + 1] += 1
    start = np.cumsum(start)
    fill = start[:-1].copy()
    order = np.zeros(members.shape[0] + WIDTH, np.int32)
    for m in range(members.shape[0]):
        place[m] = fill[cell[m]]
        order[place[m]] = members[m]
        fill[cell[m]] += 1
    return cell, place, start, order


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
    periods, found = periods_of(settings), 0
    suspects, lanes = np.empty(SUSPECTS, np.int32), np.arange(WIDTH)
    for big in range(CLASSES):
        if top[big] == 0.0:
            continue
        members = np.nonzero(level == big)[0]
        widest = np.zeros(3)
        for i in members:
            for c in range(3):
                widest[c] = max(widest[c], extent[i, c])
        origin, edge, count = _grid(members, g.x, 2.0 * top[big] + skin, settings.lower, settings.period)
        cell, place, start, order = _sorted_cells(members, g.x, origin, edge, count)
        search = CellSearch(Grid(origin, edge, count, start, order, widest), grains, periods, suspects, lanes)
        m = -1
        for i in range(total):
            if level[i] < big:
                continue
            own, behind = -1, 0
            if level[i] == big:
                m += 1
                own, behind = cell[m], place[m] + 1
            half = extent[i, 0] + skin, extent[i, 1] + skin, extent[i, 2] + skin
            found = pairs_around(Seeker(i, own, behind, row(g.x, i), half, g.x[i, 3] + skin), search, pairs, found)
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
