"""Compiled: the exact sign of a determinant of points, infinitesimally perturbed where it is zero.

The rows are (1, x, y, z) or, lifted, (1, x, y, z, h) with the height h = x^2 + y^2 + z^2 - w of a weighted point. Every coordinate and every height
gets an infinitesimal of its own, each smaller than any product of powers of those before it: first all heights, then all z, all y, all x, within
each in the order of the points' keys. (A change of h with x is a change of the weight, so these are weighted points again.) The sign is that of the
first minor in the order of the infinitesimals that is not zero (Edelsbrunner and Mücke, ACM Trans. Graph. 9, 66, 1990); no input is degenerate then,
whatever coincides. Rows of points at infinity are not perturbed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit
from .expansions import add, append, copy, scale, two_product

MINOR = 96  # floats of a determinant of four rows (1, x, y, z)
WHOLE = 5 * 7 * 2 * MINOR  # of five rows with heights of seven floats
ONE, X, Y, Z, H = 1, 2, 4, 8, 16  # bits of the columns
EVERY_COLUMN = 31


@njit(_nrt=True)
def lifted(xw, i, out):
    """Compute the height x^2 + y^2 + z^2 - w of a point as an expansion.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        i: number of the point.
        out: (7,) array, filled.

    Returns:
        Length of the expansion.
    """
    pair, sums = np.empty(2), np.empty(7)
    n = 0
    for c in range(4):
        high, low = -xw[i, 3], 0.0
        if c < 3:
            high, low = two_product(xw[i, c], xw[i, c])
        m = append(pair, append(pair, 0, low), high)
        n = add(out, n, pair, m, sums)
        copy(sums, n, out)
    return n


class _Rows(NamedTuple):
    """Rows of a determinant.

    Attributes:
        points: (5, 4) 1, x, y, z.
        height: (5, 7) expansions of the heights.
        length: (5,) their lengths.
    """

    points: np.ndarray
    height: np.ndarray
    length: np.ndarray


class _Workspace(NamedTuple):
    """Arrays in which a determinant is expanded.

    Attributes:
        store: (32, MINOR) expansions of the minors without heights, by the bit set of their rows.
        size: (32,) int64 their lengths.
        total: (WHOLE,) sum of products.
        part: (WHOLE,) one product.
        more: (WHOLE,) the sum with that product.
    """

    store: np.ndarray
    size: np.ndarray
    total: np.ndarray
    part: np.ndarray
    more: np.ndarray


@njit(_nrt=True)
def _expand_minors(points, row_set, column_set, work):
    """Fill the work space with all minors of some rows in the first columns of a bit set, heights apart; returns the number of these columns."""
    store, size, total, part, more = work
    store[0, 0], size[0] = 1.0, 1
    level = 0
    for c in range(4):
        if not column_set >> c & 1:
            continue
        level += 1
        for s in range(1, 32):
            if s & ~row_set:
                continue
            count = (s & 1) + (s >> 1 & 1) + (s >> 2 & 1) + (s >> 3 & 1) + (s >> 4 & 1)
            if count != level:
                continue
            n, rank = 0, 0
            for r in range(5):
                if not s >> r & 1:
                    continue
                value = points[r, c] if (rank + level) % 2 == 1 else -points[r, c]
                rank += 1
                rest = s & ~(1 << r)
                m = scale(store[rest], size[rest], value, part)
                n = add(total, n, part, m, more)
                copy(more, n, total)
            copy(total, n, store[s])
            size[s] = n
    return level


@njit(_nrt=True)
def _determinant_sign(rows, row_set, column_set, work):
    """Sign of the minor of the rows and columns in two bit sets of equal size."""
    level = _expand_minors(rows.points, row_set, column_set, work)
    store, size, total, part, more = work
    if not column_set & H:
        n = size[row_set]
        return 0 if n == 0 else (1 if store[row_set, n - 1] > 0.0 else -1)
    n, rank = 0, 0
    for r in range(5):
        if not row_set >> r & 1:
            continue
        negative = (rank + level) % 2 == 1
        rank += 1
        rest = row_set & ~(1 << r)
        for k in range(rows.length[r]):
            m = scale(store[rest], size[rest], -rows.height[r, k] if negative else rows.height[r, k], part)
            n = add(total, n, part, m, more)
            copy(more, n, total)
    return 0 if n == 0 else (1 if total[n - 1] > 0.0 else -1)


@njit(_nrt=True)
def _rank(mask, bit):
    """How many bits below the given one are set."""
    k = 0
    for i in range(bit):
        k += mask >> i & 1
    return k


@njit(_nrt=True)
def _minor_of(taken, count, finite):
    """The minor that goes with a product of infinitesimals: without the rows and columns that these are in.

    Args:
        taken: (4,) int64 row of the infinitesimal of x, y, z and the height; -1: none of that column.
        count: number of rows.
        finite: (5,) whether a row is perturbed.

    Returns:
        bit sets of rows and columns, whether its sign counts reversed; no rows where there is no such product.
    """
    rows, columns, odd = (1 << count) - 1, EVERY_COLUMN if count == 5 else EVERY_COLUMN & ~H, 0
    for c in range(4):
        r = taken[c]
        if r < 0:
            continue
        if not finite[r] or not rows >> r & 1:
            return 0, columns, False
        odd += _rank(rows, r) + _rank(columns, c + 1)
        rows &= ~(1 << r)
        columns &= ~(2 << c)
    return rows, columns, odd % 2 == 1


@njit(_nrt=True)
def perturbed_sign(rows, height, length, count, finite):
    """Sign, never 0, of the determinant of ``count`` (4, or 5 with heights) rows of perturbed points.

    Args:
        rows: (5, 4) 1, x, y, z; finite ones in the order of the points' keys.
        height: (5, 7) expansions of the heights.
        length: (5,) their lengths.
        count: number of rows.
        finite: (5,) whether a row is perturbed.

    Returns:
        1 or -1.
    """
    matrix = _Rows(rows, height, length)
    work = _Workspace(np.empty((32, MINOR)), np.zeros(32, np.int64), np.empty(WHOLE), np.empty(WHOLE), np.empty(WHOLE))
    taken = np.empty(4, np.int64)
    each = count + 1
    with_heights = each if count == 5 else 1
    # the four columns' infinitesimals from the smallest: a product of larger ones comes before any that has a smaller one
    for k in range(each * each * each * with_heights):
        taken[3] = k % with_heights - 1
        taken[2] = k // with_heights % each - 1
        taken[1] = k // (with_heights * each) % each - 1
        taken[0] = k // (with_heights * each * each) - 1
        row_set, column_set, odd = _minor_of(taken, count, finite)
        if row_set == 0:
            continue
        sign = _determinant_sign(matrix, row_set, column_set, work)
        if sign != 0:
            return -sign if odd else sign
    return 0
