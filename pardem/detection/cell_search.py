"""The pairs of a grain in the cells around it: boxes of WIDTH grains at once (``compiled.lanes``), then the cores one by one.

Cells that follow each other along the last axis are neighbours in the order of cells, so that the grains of a row of cells are looked at as one run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined
from ..compiled.lanes.flags import append
from ..compiled.lanes.memory import load, pick
from ..compiled.lanes.places import members_at, neighbours
from ..compiled.lanes.rows import gather, transpose
from ..compiled.lanes.types import ROW, WIDTH
from ..compiled.vectors import magnitudes, nearest_image, row, subtract
from .bounds import EXTENTS, BoundedGrains, Periods, add_pair, may_touch

SUSPECTS = 256
"""Room for grains whose boxes meet that of the seeker."""


class Grid(NamedTuple):
    """The members of a class in their cells.

    Attributes:
        origin: (3,) lower corner (m).
        edge: (3,) size of a cell (m).
        counts: (3,) int64 number of cells along each axis.
        start: (cells + 1,) int64 first place of each cell in ``order``.
        order: (members + WIDTH,) int32 rows of the members by cell, and some zeros.
        widest: (3,) largest half-extents of a member (m).
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    start: np.ndarray
    order: np.ndarray
    widest: np.ndarray


class CellSearch(NamedTuple):
    """Where pairs are looked for.

    Attributes:
        grid: the `Grid`.
        grains: `bounds.BoundedGrains`.
        periods: `bounds.Periods`.
        suspects: (SUSPECTS,) int32 work space.
        lanes: (WIDTH,) int64 the numbers of the lanes.
    """

    grid: Grid
    grains: BoundedGrains
    periods: Periods
    suspects: np.ndarray
    lanes: np.ndarray


class Seeker(NamedTuple):
    """A grain that looks for others.

    Attributes:
        i: its row.
        own: its cell, where it is a member of the class that it looks into, else -1.
        behind: the place behind its own one in the order of cells, where it is a member.
        x: its centre (m).
        half: its half-extents and the skin (m).
        reach: its sphero-radius and the skin (m).
    """

    i: int
    own: int
    behind: int
    x: tuple[float, float, float]
    half: tuple[float, float, float]
    reach: float


@inlined
def cell_of(value, origin, edge, count):
    """Cell of a coordinate along an axis, clamped to the grid.

    Args:
        value: the coordinate (m).
        origin: lower end of the grid (m).
        edge: size of a cell (m).
        count: number of cells.
    """
    if edge <= 0.0:
        return 0
    return min(max(int((value - origin) / edge), 0), count - 1)


@inlined
def _cells_around(seeker, search, c):
    """First and last cell along axis ``c`` in which grains may be that the seeker may meet; where periodic they may lie beyond the ends."""
    grid, value = search.grid, seeker.x[c]
    reach, origin, edge, count = seeker.half[c] + grid.widest[c], grid.origin[c], grid.edge[c], grid.counts[c]
    if search.periods.period[c] > 0.0:
        low, high = int(np.floor((value - reach - origin) / edge)), int(np.floor((value + reach - origin) / edge))
        return (0, count - 1) if high - low >= count else (low, high)
    return cell_of(value - reach, origin, edge, count), cell_of(value + reach, origin, edge, count)


@inlined
def _wrapped(k, count):
    """A cell's number within 0 ... count - 1; no search reaches beyond the next image."""
    return k + count if k < 0 else (k - count if k >= count else k)


@inlined
def _kept(seeker, suspected, search, pairs, found):
    """Append the pairs of a seeker with those of the suspects whose cores come near; ``found`` and the result are numbers of pairs."""
    g = search.grains.g
    for n in range(suspected):
        j = search.grid.order[search.suspects[n]]
        d = nearest_image(subtract(row(g.x, j), seeker.x), search.periods)
        if may_touch(g, seeker.i, j, d, seeker.reach + g.x[j, 3]):
            found = add_pair(pairs, found, g, seeker.i, j)
    return found


@inlined
def _suspects_in_run(seeker, begin, end, search, suspected):
    """Append the places of grains whose boxes meet that of the seeker, of up to WIDTH in the order of cells, to the suspects.

    Args:
        seeker: `Seeker`.
        begin: place of the first.
        end: the place where the run ends.
        search: `CellSearch`.
        suspected: number of suspects so far.

    Returns:
        this number.
    """
    grains, order, half = search.grains, search.grid.order, seeker.half
    rows = members_at(order, neighbours(begin))
    x, y, z, _ = transpose(gather(grains.g.x, rows, ROW, 0))
    a, b, c, _ = transpose(gather(grains.extent, rows, EXTENTS, 0))
    u, v, w = magnitudes(nearest_image(subtract((x, y, z), seeker.x), search.periods))
    near = ~((u > half[0] + a) | (v > half[1] + b) | (w > half[2] + c)) & (load(search.lanes, 0) < end - begin)
    if seeker.i >= grains.owned:
        near &= pick(order, neighbours(begin)) < grains.owned
    return suspected + append(search.suspects, suspected, begin, near)


@inlined
def _look_along(seeker, column, cells, search, pairs, so_far):
    """Look at the grains in a row of cells.

    Args:
        seeker: `Seeker`.
        column: number of the first cell of the row that the grid has along the last axis.
        cells: the first cell along that axis and the last, which may lie beyond the ends of the row: then there are none there.
        search: `CellSearch`.
        pairs: (capacity, 2) int32 list of pairs.
        so_far: number of suspects that wait, number of pairs.

    Returns:
        these two numbers.
    """
    grid, (suspected, found) = search.grid, so_far
    # a pair of one class is taken by the one whose cell comes first, in the same cell by the one that comes first there
    first, last = max(column + max(cells[0], 0), seeker.own), column + min(cells[1], grid.counts[2] - 1)
    if first <= last:
        begin, end = seeker.behind if first == seeker.own else grid.start[first], grid.start[last + 1]
        for n in range(begin, end, WIDTH):
            if suspected > SUSPECTS - WIDTH:
                found = _kept(seeker, suspected, search, pairs, found)
                suspected = np.uintp(0)
            suspected = _suspects_in_run(seeker, n, end, search, suspected)
    return suspected, found


@inlined
def pairs_around(seeker, search, pairs, found):
    """Append the pairs of a grain with the members of a class.

    Args:
        seeker: the `Seeker`.
        search: `CellSearch`.
        pairs: (capacity, 2) int32 list of pairs.
        found: number of pairs so far.

    Returns:
        this number, which goes on where the list is full.
    """
    count = search.grid.counts
    a0, a1 = _cells_around(seeker, search, 0)
    b0, b1 = _cells_around(seeker, search, 1)
    c0, c1 = _cells_around(seeker, search, 2)
    suspected = np.uintp(0)
    for a in range(a0, a1 + 1):
        for b in range(b0, b1 + 1):
            column = (_wrapped(a, count[0]) * count[1] + _wrapped(b, count[1])) * count[2]
            for image in range(-1, 2):  # the row of cells within the grid, and what lies beyond its ends
                cells = c0 - image * count[2], c1 - image * count[2]
                suspected, found = _look_along(seeker, column, cells, search, pairs, (suspected, found))
    return _kept(seeker, suspected, search, pairs, found)
