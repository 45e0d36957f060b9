"""Grains and walls that occupy space, and linked cells in which grains are found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.quaternions import orientation, to_world
from ..compiled.vectors import component, put_row, row
from .skeletons import Skeletons


class Occupants(NamedTuple):
    """Grains, those there already first, and last the bodies among the walls.

    Attributes:
        x: (n, 3) centres (m).
        q: (n, 4) orientations (w, x, y, z).
        r: (n,) sphero-radius (m).
        reach: (n,) core radius plus sphero-radius (m).
        start: (n + 1,) int64 first row of each grain in ``verts``.
        verts: (M, 3) core vertices relative to the centre (m): in the body frame until placed, then world.
        lower: (3,) lower corner of the domain (m).
        period: (3,) of the domain (m), 0 where open.
        half: (3,) half of it (m), infinite where open.
        periodic: whether it has a period.
        species: (n,) int64.
        skeletons: features of the species.
        grains: their number.
        hollow: (n - grains,) bool, whether the space that each body encloses counts as empty.
    """

    x: np.ndarray
    q: np.ndarray
    r: np.ndarray
    reach: np.ndarray
    start: np.ndarray
    verts: np.ndarray
    lower: np.ndarray
    period: np.ndarray
    half: np.ndarray
    periodic: bool
    species: np.ndarray
    skeletons: Skeletons
    grains: int
    hollow: np.ndarray


class LinkedCells(NamedTuple):
    """Linked cells at least as wide as the largest grain. Grains beyond an open side belong to the outermost cells.

    Attributes:
        origin: (3,) lower corner (m).
        edge: (3,) size of a cell (m).
        counts: (3,) int64 number of cells along each axis.
        head: (cells,) int32 last grain of a cell or -1.
        after: (n,) int32 the next one of the same cell or -1.
        ball: (n, 4) float64 centre and reach of each grain in the cells (m): what rules out most neighbours, in one place of the memory.
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    head: np.ndarray
    after: np.ndarray
    ball: np.ndarray


@kernel
def rotate(b, i):
    """Rotate the vertices of a grain from the body frame into the world.

    Args:
        b: `Occupants`.
        i: row of the grain.
    """
    q = orientation(b.q, i)
    for k in range(b.start[i], b.start[i + 1]):
        put_row(b.verts, k, to_world(q, row(b.verts, k)))


@kernel
def rotate_range(b, first, last):
    """Rotate the vertices of several grains from the body frame into the world.

    Args:
        b: `Occupants`.
        first: row of the first grain.
        last: one past the row of the last grain.
    """
    for i in range(first, last):
        rotate(b, i)


@inlined
def _cell_of(cells, x):
    """The cell of a place (m)."""
    k = 0
    for c in range(3):
        k = k * cells.counts[c] + int(min(max((component(x, c) - cells.origin[c]) / cells.edge[c], 0.0), cells.counts[c] - 1.0))
    return k


@kernel
def enter(b, cells, i):
    """Enter a grain in the cells.

    Args:
        b: `Occupants`.
        cells: `LinkedCells`.
        i: row of the grain.
    """
    k = _cell_of(cells, row(b.x, i))
    cells.after[i] = cells.head[k]
    cells.head[k] = i
    cells.ball[i, 0], cells.ball[i, 1], cells.ball[i, 2], cells.ball[i, 3] = b.x[i, 0], b.x[i, 1], b.x[i, 2], b.reach[i]


@kernel
def leave(b, cells, i):
    """Take a grain out of the cells, before it is moved.

    Args:
        b: `Occupants`.
        cells: `LinkedCells` that hold the grain where it is.
        i: row of the grain.
    """
    k = _cell_of(cells, row(b.x, i))
    j = cells.head[k]
    if j == i:
        cells.head[k] = cells.after[i]
        return
    while cells.after[j] != i:
        j = cells.after[j]
    cells.after[j] = cells.after[i]


@kernel
def enter_first(b, cells, n):
    """Enter the first grains in the cells.

    Args:
        b: `Occupants`.
        cells: `LinkedCells`.
        n: their number.
    """
    for i in range(n):
        enter(b, cells, i)


@inlined
def _turned(a, n):
    """A cell number that is at most one period out, brought back."""
    return a + n if a < 0 else (a - n if a >= n else a)


@inlined
def cells_around(b, cells, i, out):
    """List the cells in which neighbours of a grain may be.

    Args:
        b: `Occupants`.
        cells: `LinkedCells`.
        i: row of the grain.
        out: (27,) int64, filled with the cells, each once.

    Returns:
        Number of cells.
    """
    k = _cell_of(cells, row(b.x, i))
    n0, n1, n2 = cells.counts[0], cells.counts[1], cells.counts[2]
    c0, c1, c2 = k // (n1 * n2), (k // n2) % n1, k % n2
    found = 0
    for a0 in range(c0 - 1, c0 + min(n0, 3) - 1):
        if b.period[0] == 0.0 and n0 > 2 and (a0 < 0 or a0 >= n0):
            continue
        for a1 in range(c1 - 1, c1 + min(n1, 3) - 1):
            if b.period[1] == 0.0 and n1 > 2 and (a1 < 0 or a1 >= n1):
                continue
            for a2 in range(c2 - 1, c2 + min(n2, 3) - 1):
                if b.period[2] == 0.0 and n2 > 2 and (a2 < 0 or a2 >= n2):
                    continue
                out[found] = (_turned(a0, n0) * n1 + _turned(a1, n1)) * n2 + _turned(a2, n2)
                found += 1
    return found
