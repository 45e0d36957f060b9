"""Active sets of polytope vertices: how they are packed, which vertex is taken in next, weights, and the step that drops vertices.

An active set is up to four affinely independent vertices of a core, packed into one int64: 16 bits a slot, vertex number + 1, 0 for an empty slot,
slots filled from the lowest. 0 is the empty set. So it is a single number, which a contact can store in its history.

What the search needs at each of its minima serves one body and several in ``lanes``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ...compiled.choices import larger, select, smaller
from ...compiled.jit import INLINED, inlined
from ...compiled.lanes.arithmetic import all_of, any_of, most_of
from ...compiled.lanes.places import words
from ...compiled.lanes.rows import gather, transpose
from ...compiled.lanes.types import ROW, Lanes, zero_of
from ...compiled.vectors import dot, row, square

SLOT = 0xFFFF
MAX_VERTICES = 0xFFFE  # most vertices of a core
# places of the solvers in the scratch array: weights of the current point (A 0-3, B 4-7) and those aimed at (8-15)
AIM = 8
ACTIVE_SIZE = 16


@inlined
def slot(pack, k):
    """The vertex in one slot of an active set, -1 where it is empty.

    Args:
        pack: active set.
        k: the slot.
    """
    return ((pack >> (16 * k)) & SLOT) - 1


@inlined
def count(pack):
    """Number of vertices in an active set.

    Args:
        pack: active set.
    """
    several = select(slot(pack, 3) < 0, 3, 4)
    return select(slot(pack, 2) < 0, select(slot(pack, 1) < 0, 1, 2), several)


@inlined
def lacks(pack, k):
    """Whether a vertex is not in an active set.

    Args:
        pack: active set.
        k: number of the vertex.
    """
    return (slot(pack, 0) != k) & (slot(pack, 1) != k) & (slot(pack, 2) != k) & (slot(pack, 3) != k)


@inlined
def without(pack, k):
    """The active set without one of its slots; later slots move up.

    Args:
        pack: active set.
        k: the slot.
    """
    low = (np.int64(1) << (16 * k)) - 1
    return (pack & low) | ((pack >> 16) & 0xFFFFFFFFFFFF & ~low)


class Core(NamedTuple):
    """The vertices of one body, or of several in lanes: a run of rows in an array that holds those of many.

    Attributes:
        vert: (M, 3) float64 vertices, each relative to the centre of its own body (m); in lanes with a spare row behind them.
        first: row of the body's first vertex.
        count: number of its vertices.
    """

    vert: Any
    first: Any
    count: Any


def vertex(core, k):
    """A vertex of a core (m). In lanes there is a number for each body or one for all; a body that has no such vertex gives another of its own.

    Args:
        core: the `Core`.
        k: number of the vertex; in lanes of numbers -1 where there is none.
    """


@overload(vertex, jit_options=INLINED, strict=False)
def _vertex(core: Any, k: Any) -> Any:
    if not isinstance(core.types[1], Lanes):
        return lambda core, k: row(core.vert, core.first + k)
    return (_vertices if isinstance(k, Lanes) else _vertices_of_one_number).py_func


@inlined
def _vertices(core, k):
    x, y, z, _ = transpose(gather(core.vert, words(core.first + larger(k, 0)), ROW, 0))
    return x, y, z


@inlined
def _vertices_of_one_number(core, k):
    if all_of(core.count > k):
        x, y, z, _ = transpose(gather(core.vert, words(core.first), ROW, ROW * k))
    else:
        x, y, z, _ = transpose(gather(core.vert, words(core.first + smaller(k, core.count - 1)), ROW, 0))
    return x, y, z


@inlined
def aim_at(work, first, weight):
    """Write the weights that the next step aims at.

    Args:
        work: scratch of the solver.
        first: 0 for body A, 4 for body B.
        weight: the four weights.
    """
    work[AIM + first], work[AIM + first + 1], work[AIM + first + 2], work[AIM + first + 3] = weight[0], weight[1], weight[2], weight[3]


@inlined
def start_in_the_middle(work, first, n):
    """Give the vertices of an active set equal weights: those of a warm start are not known.

    Args:
        work: scratch of the solver.
        first: 0 for body A, 4 for body B.
        n: number of vertices.
    """
    for k in range(first, first + 4):
        work[k] = 1.0 / n


@inlined
def support(core, g):
    """Find the vertex of a core that is lowest along a direction.

    Args:
        core: the `Core`.
        g: direction, of any length.

    Returns:
        the least product of g with a vertex, and the number of that vertex, the first of equals.
    """
    best, index = dot(g, vertex(core, 0)), zero_of(core.count)
    for k in range(1, most_of(core.count)):
        value = dot(g, vertex(core, k))
        index = select(value < best, k, index)
        best = smaller(best, value)
    return best, index


@inlined
def coldest(core, g):
    """The active set of a cold start: the vertex that is lowest along a direction.

    Args:
        core: the `Core`.
        g: direction, of any length.
    """
    _, k = support(core, g)
    return k + 1


@inlined
def _lowest(core, g):
    """The least product of a direction with a vertex, for the cores of several bodies in lanes."""
    first, fewest = words(core.first), -most_of(-core.count)
    x, y, z, _ = transpose(gather(core.vert, first, ROW, 0))
    low = dot(g, (x, y, z))
    for k in range(1, fewest):
        x, y, z, _ = transpose(gather(core.vert, first, ROW, ROW * k))
        low = smaller(low, dot(g, (x, y, z)))
    for k in range(fewest, most_of(core.count)):
        low = smaller(low, dot(g, vertex(core, k)))
    return low


def newcomer(core, pack, size, x, g, scale2, own2):
    """A vertex that the gradient asks for: whether there is one that lies lower than the point by more than rounding, and its number.

    Args:
        core: the `Core`.
        pack: active set.
        size: number of vertices in it.
        x: the point (m).
        g: gradient there (m).
        scale2: square of the gap, relative to the body's own size, below which rounding decides (m^2).
        own2: |origin|^2 of the body's flat (m^2).
    """


@overload(newcomer, jit_options=INLINED, strict=False)
def _newcomer(core: Any, pack: Any, size: Any, x: Any, g: Any, scale2: Any, own2: Any) -> Any:
    return (_newcomers if isinstance(core.types[1], Lanes) else _newcomer_of_one).py_func


@inlined
def _newcomer_of_one(core, pack, size, x, g, scale2, own2):
    low, k = support(core, g)
    gap = dot(g, x) - low
    return gap > 0.0 and gap * gap > scale2 * (own2 + square(vertex(core, k))) and size < 4 and lacks(pack, k), k


@inlined
def _newcomers(core, pack, size, x, g, scale2, own2):
    gap = dot(g, x) - _lowest(core, g)
    wanted, k = (gap > 0.0) & (gap * gap > scale2 * own2) & (size < 4), zero_of(size)
    if any_of(wanted):  # hardly ever: so the number of the vertex is sought then only
        _, k = support(core, g)
        wanted = wanted & (gap * gap > scale2 * (own2 + square(vertex(core, k)))) & lacks(pack, k)
    return wanted, k


@inlined
def grow(work, first, n, pack, number, wanted):
    """Make the weights aimed at the current ones, and take in a vertex with weight 0, if wanted.

    Args:
        work: scratch of the solver.
        first: 0 for body A, 4 for body B.
        n: number of vertices in the active set.
        pack: active set.
        number: number of the vertex to take in.
        wanted: whether to take it in.

    Returns:
        the active set and its size.
    """
    for k in range(first, first + n):
        work[k] = work[AIM + k]
    if wanted:
        work[first + n] = 0.0
        pack |= (number + 1) << (16 * n)
        n += 1
    return pack, n


@inlined
def step_length(work, first, n, step):
    """Largest step from the current weights towards those aimed at that keeps all of them >= 0.

    Args:
        work: scratch of the solver.
        first: 0 for body A, 4 for body B.
        n: number of vertices in the active set.
        step: upper bound of the step (1).
    """
    for k in range(first, first + n):
        aim = work[AIM + k]
        if aim <= 0.0:
            own = work[k]
            step = min(step, own / (own - aim) if own > aim else 0.0)
    return step


@inlined
def move(work, first, n, pack, step):
    """Move the weights towards those aimed at, and drop the vertices whose weight reaches zero.

    Args:
        work: scratch of the solver.
        first: 0 for body A, 4 for body B.
        n: number of vertices in the active set.
        pack: active set.
        step: length of the step, from 0 to 1.

    Returns:
        the active set that is left, and its size.
    """
    kept = 0
    for k in range(n):
        own, aim = work[first + k], work[AIM + first + k]
        if aim <= 0.0 and (own <= aim or own / (own - aim) <= step):
            pack = without(pack, kept)
        else:
            work[first + kept] = own + step * (aim - own)
            kept += 1
    return pack, kept
