"""Oriented extents of grains: how far each reaches along the axes, and whether two can touch before the next rebuild."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.vectors import ZERO, ahead, behind, dot, dot_from, length, magnitudes, negative, row, square
from ..contacts.nearest.segments import nearest_segments
from ..state.arrays import Grains

EXTENTS = 3
"""Half-extents of a grain."""


class Periods(NamedTuple):
    """The domain by value, for loops: what `compiled.vectors.nearest_image` reads.

    Attributes:
        periodic: whether it has a period.
        period: (m), 0 where open.
        half: half of it (m), infinite where open.
    """

    periodic: bool
    period: tuple[float, float, float]
    half: tuple[float, float, float]


class BoundedGrains(NamedTuple):
    """The grains of a rank with the boxes and spheres that bound them.

    Attributes:
        owned: number of rows that this rank owns; they come first.
        total: number of rows in use, ghosts included.
        g: arrays of the grains.
        extent: (N + 1, 3) half-extents along x, y, z, sphero-radius included (m), and a spare row.
        radius: (N,) bounding radii (m).
    """

    owned: int
    total: int
    g: Grains
    extent: np.ndarray
    radius: np.ndarray


def bounded_grains(owned: int, total: int, g: Grains) -> BoundedGrains:
    """Determine the bounds of the grains of a rank in their present orientations.

    Args:
        owned: number of rows that this rank owns; they come first.
        total: number of rows in use, ghosts included.
        g: arrays of the grains.

    Returns:
        The grains with their bounds.
    """
    extent, radius = np.empty((total + 1, EXTENTS)), np.empty(total)  # rows are read with the number behind them
    oriented_extents(0, total, g, extent, radius)
    return BoundedGrains(owned, total, g, extent, radius)


@inlined
def periods_of(settings):
    """The periods of a domain.

    Args:
        settings: `state.Settings`.

    Returns:
        The `Periods`.
    """
    period, half = settings.period, settings.half
    return Periods(settings.periodic, (period[0], period[1], period[2]), (half[0], half[1], half[2]))


@kernel
def oriented_extents(first, last, g, extent, radius):
    """Compute how far grains reach from their centres, sphero-radius included.

    Args:
        first: row of the first grain.
        last: row after the last one.
        g: `state.Grains`.
        extent: (N or more, 3) float64, filled with half-extents along x, y, z (m).
        radius: (N,) float64, filled with bounding radii (m).
    """
    for i in range(first, last):
        r = g.x[i, 3]
        e, b2 = ZERO, 0.0
        for k in range(g.vert_start[i], g.vert_start[i + 1]):
            a = row(g.vert, k)
            size = magnitudes(a)
            e = max(e[0], size[0]), max(e[1], size[1]), max(e[2], size[2])
            b2 = max(b2, square(a))
        extent[i, 0], extent[i, 1], extent[i, 2] = e[0] + r, e[1] + r, e[2] + r
        radius[i] = np.sqrt(b2) + r


@inlined
def add_pair(pairs, found, g, i, j):
    """Append a pair to a list, lower global id first, unless the list is full.

    Args:
        pairs: (capacity, 2) int32 list of pairs.
        found: row to be filled.
        g: `state.Grains`.
        i: row of one grain.
        j: row of the other.

    Returns:
        The next row, counted even if the list is full.
    """
    if found < pairs.shape[0]:
        if g.gid[i] < g.gid[j]:
            pairs[found, 0], pairs[found, 1] = i, j
        else:
            pairs[found, 0], pairs[found, 1] = j, i
    return found + 1


@inlined
def axis_separates(vert, a, b, d, n, reach):
    """Whether the projections of two cores on a direction are further apart than ``reach``.

    Args:
        vert: (M, 3) vertices relative to their grains' centres (m).
        a: rows of the first core's vertices: the first, and that after the last one; no rows: the centre.
        b: bounds of the second body.
        d: centre of the second grain minus that of the first (m).
        n: direction, of any length.
        reach: distance (m).

    Returns:
        True if the cores are further apart than ``reach``; False decides nothing.
    """
    size = length(n)
    if size == 0.0:
        return False
    top, bottom = -np.inf, np.inf
    for k in range(a[0], a[1]):
        top = max(top, dot(row(vert, k), n))
    if top == -np.inf:
        top = 0.0
    for k in range(b[0], b[1]):
        bottom = min(bottom, dot(row(vert, k), n))
    if bottom == np.inf:
        bottom = 0.0
    return dot_from(bottom, d, n) - top > reach * size


@inlined
def may_touch(g, i, j, d, reach):
    """Whether two grains may come within ``reach``; exact for spheres and rods, conservative for polytopes.

    Args:
        g: `state.Grains`.
        i: row of the one grain.
        j: row of the other.
        d: centre of j minus that of i, nearest image (m).
        reach: sum of the sphero-radii plus the skin (m).

    Returns:
        False only if they cannot.
    """
    ni = g.vert_start[i + 1] - g.vert_start[i]
    nj = g.vert_start[j + 1] - g.vert_start[j]
    if ni == 0 and nj == 0:
        return square(d) <= reach * reach
    if ni <= 2 and nj <= 2:
        u = row(g.vert, g.vert_start[i] + 1) if ni == 2 else ZERO
        v = row(g.vert, g.vert_start[j] + 1) if nj == 2 else ZERO
        s, t = nearest_segments(negative(d), u, v)
        return square(behind(ahead(d, t, v), s, u)) <= reach * reach
    a, b = g.vert_start[i], g.vert_start[j]
    return not axis_separates(g.vert, (a, a + ni), (b, b + nj), d, d, reach)
