"""Which pairs of convex pieces of near grains may touch before the next rebuild."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from ..interactions.features import feature_pair
from ..interactions.pieces import piece_of
from .bounds import axis_separates, nearest_image


@njit
def _boxes(total, g, parts):
    """Boxes along the axes of the pieces' cores, (n, 6) lower and upper corner relative to the grain's centre (m), and each grain's first row."""
    start = np.zeros(total + 1, np.int64)
    for i in range(total):
        start[i + 1] = start[i] + parts.start[g.species[i] + 1] - parts.start[g.species[i]]
    box = np.empty((start[total], 6))
    for i in range(total):
        for m in range(start[i + 1] - start[i]):
            _, first, count = piece_of(parts, g, i, m)
            for c in range(3):
                low, high = np.inf, -np.inf
                for k in range(first, first + count):
                    low, high = min(low, g.vert[k, c]), max(high, g.vert[k, c])
                box[start[i] + m, c], box[start[i] + m, 3 + c] = low, high
    return start, box


@inlined
def _boxes_apart(box, a, b, dx, dy, dz, reach):
    """Whether boxes ``a`` and ``b`` are further apart than ``reach`` along an axis; d (m) from the first grain to the second."""
    return (
        max(dx + box[b, 0] - box[a, 3], box[a, 0] - dx - box[b, 3]) > reach
        or max(dy + box[b, 1] - box[a, 4], box[a, 1] - dy - box[b, 4]) > reach
        or max(dz + box[b, 2] - box[a, 5], box[a, 2] - dz - box[b, 5]) > reach
    )


@njit
def pairs_of_pieces(total, rows, g, parts, period, skin, tests, entries, sub):
    """Pairs of pieces of near grains that may come within reach before the next rebuild.

    Two grains of one piece each are one pair. Others are told apart by the boxes of the pieces and along the line between their middles.

    Args:
        total: grains. rows: (P, 2) int32 pairs of grains, lower global id first. period: of the domain (m), 0: open. skin: extra reach (m).
        tests: (1,) int64, to which the number of pairs of pieces that were looked at is added.
        entries: (capacity, 2) int32, filled with the grains; sub: (capacity,) int64, with the pairs of pieces.

    Returns:
        number of pairs; where it exceeds the capacity, call again with larger arrays.
    """
    start, box = _boxes(total, g, parts)
    found = 0
    for p in range(rows.shape[0]):
        i, j = rows[p, 0], rows[p, 1]
        dx = nearest_image(g.x[j, 0] - g.x[i, 0], period[0])
        dy = nearest_image(g.x[j, 1] - g.x[i, 1], period[1])
        dz = nearest_image(g.x[j, 2] - g.x[i, 2], period[2])
        reach = g.x[i, 3] + g.x[j, 3] + skin
        first, second = start[i + 1] - start[i], start[j + 1] - start[j]
        for m in range(first):
            for n in range(second):
                if first > 1 or second > 1:
                    tests[0] += 1
                    a, b = start[i] + m, start[j] + n
                    if _boxes_apart(box, a, b, dx, dy, dz, reach):
                        continue
                    nx = dx + 0.5 * (box[b, 0] + box[b, 3] - box[a, 0] - box[a, 3])
                    ny = dy + 0.5 * (box[b, 1] + box[b, 4] - box[a, 1] - box[a, 4])
                    nz = dz + 0.5 * (box[b, 2] + box[b, 5] - box[a, 2] - box[a, 5])
                    _, a0, na = piece_of(parts, g, i, m)
                    _, b0, nb = piece_of(parts, g, j, n)
                    if axis_separates(g.vert, a0, a0 + na, b0, b0 + nb, dx, dy, dz, nx, ny, nz, reach):
                        continue
                if found < sub.shape[0]:
                    entries[found, 0], entries[found, 1] = i, j
                    sub[found] = feature_pair(0, m, n)
                found += 1
    return found
