"""Which pairs of convex pieces of near grains may touch before the next rebuild."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.vectors import add, ahead, columns, nearest_image, row, subtract
from ..contacts.nearest.features import feature_pair
from ..contacts.rules.compounds import piece_of
from .bounds import axis_separates, periods_of


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
def _boxes_apart(box, a, b, d, reach):
    """Whether boxes ``a`` and ``b`` are further apart than ``reach`` (m) along an axis; d (m) from the first grain to the second."""
    up = subtract(add(d, row(box, b)), columns(box, a, 3))
    down = subtract(subtract(row(box, a), d), columns(box, b, 3))
    return max(up[0], down[0]) > reach or max(up[1], down[1]) > reach or max(up[2], down[2]) > reach


@inlined
def _pieces_apart(g, parts, box, first, second, d, reach):
    """Whether two pieces are further apart than ``reach``, by their boxes or along the line between the middles of the boxes.

    Args:
        g: `state.Grains`.
        parts: `state.Parts`.
        box: (n, 6) boxes of the pieces (m).
        first: row of the first grain, number of its piece, row of the piece in ``box``.
        second: the same for the second grain.
        d: centre of the second grain minus that of the first (m).
        reach: distance (m).
    """
    a, b = first[2], second[2]
    if _boxes_apart(box, a, b, d, reach):
        return True
    between = subtract(subtract(add(row(box, b), columns(box, b, 3)), row(box, a)), columns(box, a, 3))
    _, a0, na = piece_of(parts, g, first[0], first[1])
    _, b0, nb = piece_of(parts, g, second[0], second[1])
    return axis_separates(g.vert, (a0, a0 + na), (b0, b0 + nb), d, ahead(d, 0.5, between), reach)


@njit
def pairs_of_pieces(grains, rows, parts, settings, skin, entries, sub):
    """Find the pairs of pieces of near grains that may come within reach before the next rebuild.

    Two grains of one piece each are one pair. Other pairs are separated by the boxes of the pieces and along the line between their middles.

    Args:
        grains: `bounds.BoundedGrains`.
        rows: (P, 2) int32 pairs of grains, lower global id first.
        parts: `state.Parts`.
        settings: `state.Settings`, of which ``period``, ``half`` and ``periodic`` are read.
        skin: distance beyond contact within which pairs are candidates (m).
        entries: (capacity, 2) int32, filled with the grains.
        sub: (capacity,) int64, filled with the pairs of pieces.

    Returns:
        Number of pairs. If it exceeds the capacity, call again with larger arrays. Number of pairs of pieces that were compared.
    """
    g = grains.g
    start, box = _boxes(grains.total, g, parts)
    periods = periods_of(settings)
    found, tests = 0, 0
    for p in range(rows.shape[0]):
        i, j = rows[p, 0], rows[p, 1]
        d = nearest_image(subtract(row(g.x, j), row(g.x, i)), periods)
        reach = g.x[i, 3] + g.x[j, 3] + skin
        many, more = start[i + 1] - start[i], start[j + 1] - start[j]
        single = many == 1 and more == 1
        for m in range(many):
            for n in range(more):
                tests += 0 if single else 1
                if not single and _pieces_apart(g, parts, box, (i, m, start[i] + m), (j, n, start[j] + n), d, reach):
                    continue
                if found < sub.shape[0]:
                    entries[found, 0], entries[found, 1], sub[found] = i, j, feature_pair(0, m, n)
                found += 1
    return found, tests
