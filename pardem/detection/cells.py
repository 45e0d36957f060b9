"""Linked cells with size classes: candidate pairs within a skin.

Grains are put in classes of bounding radius within a factor of two; each class has cells of its own size, and a grain looks in its own class and in
those of larger grains, so that small grains do not pay for large ones. A pair is kept where oriented extents, then the cores themselves, come within
the sum of radii plus the skin.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from .bounds import may_touch, nearest_image

CLASSES = 12


@njit
def size_classes(total, radius, level):
    """Class of each grain by bounding radius, 0 the largest, a factor of two each; returns the largest radius of each ((CLASSES,), 0: empty)."""
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


@njit
def _grid(members, x, size, lower, period):
    """Origin, cell size and cell counts of a class's grid over its members, with no more cells than a few per member."""
    origin, edge, count = np.empty(3), np.empty(3), np.empty(3, np.int64)
    for c in range(3):
        if period[c] > 0.0:
            origin[c], span = lower[c], period[c]
        else:
            low, high = np.inf, -np.inf
            for i in members:
                low, high = min(low, x[i, c]), max(high, x[i, c])
            origin[c], span = low, high - low
        count[c] = max(1, min(int(span / size), 1 << 20))
        edge[c] = span / count[c]
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
def find_pairs(owned, total, g, extent, radius, lower, period, skin, pairs):
    """Candidate pairs of a rank, each once, at least one of the two owned.

    Args:
        extent, radius: see ``bounds.oriented_extents``. lower, period: of the domain (period 0: open).
        skin: extra reach (m).
        pairs: (capacity, 2) int32, filled with local indices, lower global id first.

    Returns:
        number of pairs; where it exceeds the capacity, call again with a larger array.
    """
    level = np.empty(total, np.int32)
    top = size_classes(total, radius, level)
    found = 0
    for big in range(CLASSES):
        if top[big] == 0.0:
            continue
        members = np.nonzero(level == big)[0]
        origin, edge, count = _grid(members, g.x, 2.0 * top[big] + skin, lower, period)
        start = np.zeros(count[0] * count[1] * count[2] + 1, np.int64)
        key = np.empty(members.shape[0], np.int64)
        for m in range(members.shape[0]):
            i = members[m]
            k = 0
            for c in range(3):
                k = k * count[c] + _cell(g.x[i, c], origin[c], edge[c], count[c])
            key[m] = k
            start[k + 1] += 1
        start = np.cumsum(start)
        fill = start[:-1].copy()
        order = np.empty(members.shape[0], np.int32)
        for m in range(members.shape[0]):
            order[fill[key[m]]] = members[m]
            fill[key[m]] += 1
        for i in range(total):
            if level[i] < big:
                continue
            low, high = np.empty(3, np.int64), np.empty(3, np.int64)
            for c in range(3):
                reach = radius[i] + top[big] + skin
                if period[c] > 0.0:
                    k = _cell(g.x[i, c], origin[c], edge[c], count[c])
                    n = int(reach / edge[c]) + 1
                    low[c], high[c] = k - n, k + n
                    if high[c] - low[c] >= count[c]:
                        low[c], high[c] = 0, count[c] - 1
                else:
                    low[c] = _cell(g.x[i, c] - reach, origin[c], edge[c], count[c])
                    high[c] = _cell(g.x[i, c] + reach, origin[c], edge[c], count[c])
            for a in range(low[0], high[0] + 1):
                for b in range(low[1], high[1] + 1):
                    for d in range(low[2], high[2] + 1):
                        k = ((a % count[0]) * count[1] + b % count[1]) * count[2] + d % count[2]
                        for m in range(start[k], start[k + 1]):
                            j = order[m]
                            if (level[i] == big and j <= i) or (i >= owned and j >= owned):
                                continue
                            dx = nearest_image(g.x[j, 0] - g.x[i, 0], period[0])
                            if abs(dx) > extent[i, 0] + extent[j, 0] + skin:
                                continue
                            dy = nearest_image(g.x[j, 1] - g.x[i, 1], period[1])
                            if abs(dy) > extent[i, 1] + extent[j, 1] + skin:
                                continue
                            dz = nearest_image(g.x[j, 2] - g.x[i, 2], period[2])
                            if abs(dz) > extent[i, 2] + extent[j, 2] + skin:
                                continue
                            if not may_touch(g, i, j, dx, dy, dz, g.x[i, 3] + g.x[j, 3] + skin):
                                continue
                            if found < pairs.shape[0]:
                                if g.gid[i] < g.gid[j]:
                                    pairs[found, 0], pairs[found, 1] = i, j
                                else:
                                    pairs[found, 0], pairs[found, 1] = j, i
                            found += 1
    return found


@njit
def spatial_order(owned, x, edge):
    """Permutation that puts grains in the order of cells of size ``edge`` (m), so that neighbours are near in memory."""
    count, origin = np.empty(3, np.int64), np.empty(3)
    for c in range(3):
        low, high = np.inf, -np.inf
        for i in range(owned):
            low, high = min(low, x[i, c]), max(high, x[i, c])
        origin[c] = low
        count[c] = 1 if owned == 0 else max(1, min(int((high - low) / edge) + 1, 1 << 20))
    key = np.empty(owned, np.int64)
    for i in range(owned):
        k = 0
        for c in range(2, -1, -1):
            k = k * count[c] + min(int((x[i, c] - origin[c]) / edge), count[c] - 1)
        key[i] = k
    return np.argsort(key, kind="mergesort")
