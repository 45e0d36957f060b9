"""Active sets of polytope vertices: how they are packed, orthogonal directions of their flat, weights, and the step that drops vertices.

An active set is up to four affinely independent vertices of a core, packed into one int64: 16 bits a slot, vertex number + 1, 0 for an empty slot,
slots filled from the lowest. 0 is the empty set. So it is a plain number that a contact can keep as its history.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import ZERO, ahead, behind, dot, row, scale, square, subtract

SLOT = 0xFFFF
MAX_VERTICES = 0xFFFE  # most vertices of a core
DEPENDENT = 1e-26  # squared relative distance below which a vertex counts as lying in the flat of the others
# places of the solvers in the scratch array: weights of the current point (A 0-3, B 4-7) and those aimed at (8-15)
AIM = 8
ACTIVE_SIZE = 16


@inlined
def slot(pack, k):
    """Vertex number in slot ``k``; -1 when empty."""
    return ((pack >> (16 * k)) & SLOT) - 1


@inlined
def count(pack):
    """Number of vertices in an active set."""
    if (pack >> 32) & SLOT == 0:
        return 1 if (pack >> 16) & SLOT == 0 else 2
    return 3 if (pack >> 48) & SLOT == 0 else 4


@inlined
def contains(pack, k):
    """Whether vertex ``k`` is in the active set."""
    return slot(pack, 0) == k or slot(pack, 1) == k or slot(pack, 2) == k or slot(pack, 3) == k


@inlined
def without(pack, k):
    """The active set without slot ``k``; later slots move up."""
    low = (np.int64(1) << (16 * k)) - 1
    return (pack & low) | ((pack >> 16) & 0xFFFFFFFFFFFF & ~low)


class Core(NamedTuple):
    """The vertices of one body: a run of rows in an array that holds those of many.

    Attributes:
        vert: (M, 3) float64 vertices, each relative to the centre of its own body (m).
        first: row of the body's first vertex.
        count: number of its vertices.
    """

    vert: Any
    first: Any
    count: Any


class Flat(NamedTuple):
    """The flat through the vertices of an active set.

    Attributes:
        origin: first vertex (m).
        q1, q2, q3: orthogonal directions of the flat (m); zero vectors where there are fewer.
        inverse: 1/|q1|^2, 1/|q2|^2, 1/|q3|^2 (1/m^2); 0 where there is none.
        along: c12, c13, c23 (1): the differences of the vertices from the first are q1, q2 + c12 q1 and q3 + c13 q1 + c23 q2.
        independent: whether the vertices are.
    """

    origin: Any
    q1: Any
    q2: Any
    q3: Any
    inverse: Any
    along: Any
    independent: Any


@inlined
def _across(u, q, q_inverse, p, p_inverse):
    """Part of u across the orthogonal q and p (with their inverse squares; 0 for none), projected again where little of u is left.

    Returns:
        the part, its inverse square (0 where u depends on q and p), coefficients on q and p, whether independent.
    """
    u2 = square(u)
    c = dot(u, q) * q_inverse
    v = behind(u, c, q)
    e = dot(v, p) * p_inverse
    v = behind(v, e, p)
    v2 = square(v)
    if v2 < 0.01 * u2:
        c2 = dot(v, q) * q_inverse
        v = behind(v, c2, q)
        e2 = dot(v, p) * p_inverse
        v = behind(v, e2, p)
        c += c2
        e += e2
        v2 = square(v)
    if not v2 > DEPENDENT * u2:
        return ZERO, 0.0, 0.0, 0.0, False
    return v, 1.0 / v2, c, e, True


@inlined
def flat(core, pack, n):
    """The `Flat` of an active set, by Gram-Schmidt on the differences of its vertices from the first.

    This keeps the digits of needle-like features, which a Gram matrix would square away.

    Args:
        core: the `Core`.
        pack: active set.
        n: number of its vertices.
    """
    vert, start = core.vert, core.first
    origin = row(vert, start + slot(pack, 0))
    q1 = q2 = q3 = ZERO
    i1 = i2 = i3 = c12 = c13 = c23 = 0.0
    ok = True
    if n > 1:
        q1 = subtract(row(vert, start + slot(pack, 1)), origin)
        i1 = 1.0 / square(q1)
        if n > 2:
            q2, i2, c12, _, ok = _across(subtract(row(vert, start + slot(pack, 2)), origin), q1, i1, ZERO, 0.0)
            if n > 3:
                q3, i3, c13, c23, more = _across(subtract(row(vert, start + slot(pack, 3)), origin), q1, i1, q2, i2)
                ok = ok and more
    return Flat(origin, q1, q2, q3, (i1, i2, i3), (c12, c13, c23), ok)


@inlined
def combined(plane, s):
    """s1 q1 + s2 q2 + s3 q3 (m)."""
    return ahead(ahead(scale(s[0], plane.q1), s[1], plane.q2), s[2], plane.q3)


@inlined
def coordinates(plane, a):
    """q1 . a, q2 . a and q3 . a."""
    return dot(a, plane.q1), dot(a, plane.q2), dot(a, plane.q3)


@inlined
def weights(s, plane):
    """Barycentric weights of the point ``origin + s1 q1 + s2 q2 + s3 q3`` of a ``Flat``: of the first vertex and of the others."""
    c12, c13, c23 = plane.along
    l3 = s[2]
    l2 = s[1] - c23 * l3
    l1 = s[0] - c12 * l2 - c13 * l3
    return 1.0 - l1 - l2 - l3, l1, l2, l3


@inlined
def lowest(n, weight):
    """Least of the first ``n`` of four weights."""
    low = weight[0]
    if n > 1:
        low = min(low, weight[1])
        if n > 2:
            low = min(low, weight[2])
            if n > 3:
                low = min(low, weight[3])
    return low


@inlined
def aim_at(work, first, weight):
    """Write the four weights aimed at of the body whose weights begin at ``first``."""
    work[AIM + first], work[AIM + first + 1], work[AIM + first + 2], work[AIM + first + 3] = weight[0], weight[1], weight[2], weight[3]


@inlined
def start_in_the_middle(work, first, n):
    """Equal weights for ``n`` vertices: those of a warm start are not known."""
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
    vert, start, n = core.vert, core.first, core.count
    best = dot(g, row(vert, start))
    index = 0
    for k in range(1, n):
        value = dot(g, row(vert, start + k))
        if value < best:
            best = value
            index = k
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
    low, k = support(core, g)
    gap = dot(g, x) - low
    k2 = square(row(core.vert, core.first + k))
    return gap > 0.0 and gap * gap > scale2 * (own2 + k2) and size < 4 and not contains(pack, k), k


@inlined
def grow(work, first, n, pack, number, wanted):
    """Make the weights aimed at the current ones and take in vertex ``number`` with weight 0, if wanted. Returns the active set, its size."""
    for k in range(first, first + n):
        work[k] = work[AIM + k]
    if wanted:
        work[first + n] = 0.0
        pack |= (number + 1) << (16 * n)
        n += 1
    return pack, n


@inlined
def step_length(work, first, n, step):
    """Largest step <= ``step`` from the weights at ``first`` towards those aimed at that keeps all ``n`` weights >= 0."""
    for k in range(first, first + n):
        aim = work[AIM + k]
        if aim <= 0.0:
            own = work[k]
            step = min(step, own / (own - aim) if own > aim else 0.0)
    return step


@inlined
def move(work, first, n, pack, step):
    """Move the ``n`` weights at ``first`` by ``step`` towards those aimed at and drop the vertices whose weight reaches zero.

    Returns:
        the active set that is left, its size.
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
