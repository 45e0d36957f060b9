"""Linked cells with size classes: candidate pairs within a skin.

Grains are put in classes of bounding radius within a factor of two; each class has cells of its own size, and a grain looks in its own class and in
those of larger grains, so that small grains do not pay for large ones. A pair is kept where oriented extents, then the cores themselves, come within
the sum of radii plus the skin.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from .bounds import add_pair, may_touch, nearest_image

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


CROWD = 2.0  # members per cell above which the cells of long grains are made smaller than the grains
FINEST = 0.25  # of the grains


@njit
def _grid(members, x, size, lower, period):
    """Origin, cell size and cell counts of a class's grid over its members: cells of ``size`` (m), or smaller ones where those would be crowded."""
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
    px, py, pz = period
    periodic = px > 0.0 or py > 0.0 or pz > 0.0
    found = 0
    for big in range(CLASSES):
        if top[big] == 0.0:
            continue
        members = np.nonzero(level == big)[0]
        widest = np.zeros(3)
        for i in members:
            for c in range(3):
                widest[c] = max(widest[c], extent[i, c])
        origin, edge, count = _grid(members, g.x, 2.0 * top[big] + skin, lower, period)
        cell, start, order = _sorted_cells(members, g.x, origin, edge, count)
        m = -1
        for i in range(total):
            if level[i] < big:
                continue
            # a pair of one class is taken by the one whose cell comes first, in the same cell by the one with the lower index
            own = -1
            if level[i] == big:
                m += 1
                own = cell[m]
            xi, yi, zi, ri = g.x[i, 0], g.x[i, 1], g.x[i, 2], g.x[i, 3] + skin
            ex, ey, ez = extent[i, 0] + skin, extent[i, 1] + skin, extent[i, 2] + skin
            a0, a1 = _range(xi, ex + widest[0], origin[0], edge[0], count[0], px)
            b0, b1 = _range(yi, ey + widest[1], origin[1], edge[1], count[1], py)
            d0, d1 = _range(zi, ez + widest[2], origin[2], edge[2], count[2], pz)
            for a in range(a0, a1 + 1):
                for b in range(b0, b1 + 1):
                    column = (_wrapped(a, count[0]) * count[1] + _wrapped(b, count[1])) * count[2]
                    for d in range(d0, d1 + 1):
                        k = column + _wrapped(d, count[2])
                        if k < own:
                            continue
                        for n in range(start[k], start[k + 1]):
                            j = order[n]
                            if (k == own and j <= i) or (i >= owned and j >= owned):
                                continue
                            dx, dy, dz = g.x[j, 0] - xi, g.x[j, 1] - yi, g.x[j, 2] - zi
                            if periodic:
                                dx, dy, dz = nearest_image(dx, px), nearest_image(dy, py), nearest_image(dz, pz)
                            # one branch instead of three that no processor can foresee
                            if (abs(dx) > ex + extent[j, 0]) | (abs(dy) > ey + extent[j, 1]) | (abs(dz) > ez + extent[j, 2]):
                                continue
                            if not may_touch(g, i, j, dx, dy, dz, ri + g.x[j, 3]):
                                continue
                            found = add_pair(pairs, found, g, i, j)
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
