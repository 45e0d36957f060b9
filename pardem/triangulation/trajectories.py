"""Compiled: when facets become illegal and tetrahedra flat as their points move along straight lines (Pournin, thesis, section 4.3).

With positions and weights linear in u the determinant of a facet (equation 4.1) is a polynomial of degree 5 in u, that of a tetrahedron (4.3) one of
degree 3; lower where points at infinity are among the vertices. They are sampled, turned into Bernstein's form, and their first change from
positive to negative is found by bisection. Times are float64: they order flips and choose where to stop, but prove nothing.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.vectors import add, ahead, cross, dot, dot_from, magnitudes, row, scale, square, subtract
from .predicates import INFINITE
from .tetrahedral_mesh import facet_of

DEGREE = 5
NEVER = 2.0
"""Time of what does not happen in [0, 1]."""
NARROW = 2.0**-50
"""Interval of time that is not cut further."""

_NODES = np.arange(DEGREE + 1) / DEGREE
TO_BERNSTEIN = np.linalg.inv(np.array([[comb(DEGREE, j) * t**j * (1 - t) ** (DEGREE - j) for j in range(DEGREE + 1)] for t in _NODES]))
"""(6, 6): values at 0, 0.2, ... 1 to coefficients."""


class Moment(NamedTuple):
    """Points at one time of a move, in which coordinates and weights are linear in time.

    Attributes:
        x0: (N, 4) coordinates (m) and weights (m^2) at time 0.
        x1: (N, 4) the same at time 1.
        u: the time.
    """

    x0: np.ndarray
    x1: np.ndarray
    u: float


@inlined
def _at(now, i, c):
    """A coordinate or the weight of point i at a moment; points at infinity do not move."""
    return now.x0[i, c] if i < INFINITE else (1.0 - now.u) * now.x0[i, c] + now.u * now.x1[i, c]


@inlined
def _place(now, i):
    """Position of point i at a moment."""
    return _at(now, i, 0), _at(now, i, 1), _at(now, i, 2)


@inlined
def _row(now, i, o, off):
    """A row of a determinant: point i minus the finite point o, or, at infinity, point i minus the point ``off`` (-1: none)."""
    if i >= INFINITE:
        return subtract(_place(now, i), _place(now, o))
    if off >= 0:
        return subtract(row(now.x0, i), row(now.x0, off))
    return row(now.x0, i)


@kernel
def flatness(now, a, b, c, d, off):
    """Compute the determinant of four points, which is zero when they lie in a plane.

    Args:
        now: `Moment`.
        a: number of the first point. One of the four points must be finite.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.
        off: point at infinity that is subtracted from the others at infinity; -1: none.

    Returns:
        The determinant, negative if the points are oriented so.
    """
    sign = 1.0
    if a >= INFINITE:
        o = a
    elif b >= INFINITE:
        o, b, sign = b, a, -1.0
    elif c >= INFINITE:
        o, b, c = c, a, b
    else:
        o, b, c, d, sign = d, a, b, c, -1.0
    return sign * dot(_row(now, b, o, off), cross(_row(now, c, o, off), _row(now, d, o, off)))


@inlined
def _height(now, i, o, x):
    """Height of point i above point o, which is the vector x away, at a moment."""
    return square(x) - (_at(now, i, 3) - _at(now, o, 3))


@kernel
def legality(now, a, b, c, d, e):
    """Compute the determinant 4.1 of the facet abc.

    Args:
        now: `Moment`.
        a: number of the first point of the facet.
        b: number of the second point.
        c: number of the third point.
        d: apex of the tetrahedron on one side.
        e: apex of the tetrahedron on the other side.

    Returns:
        The determinant, positive if the facet is legal.
    """
    first = min(min(min(a, b), min(c, d)), e)
    if first < INFINITE:
        if a == first:
            return flatness(now, b, c, d, e, first)
        if b == first:
            return -flatness(now, a, c, d, e, first)
        if c == first:
            return flatness(now, a, b, d, e, first)
        if d == first:
            return -flatness(now, a, b, c, e, first)
        return flatness(now, a, b, c, d, first)
    p, q, r, s = _row(now, b, a, -1), _row(now, c, a, -1), _row(now, d, a, -1), _row(now, e, a, -1)
    hp, hq, hr, hs = _height(now, b, a, p), _height(now, c, a, q), _height(now, d, a, r), _height(now, e, a, s)
    across = cross(q, r)
    normal = ahead(ahead(scale(hp, across), hq, cross(r, p)), hr, cross(p, q))
    return hs * dot(p, across) - dot(normal, s)


@inlined
def _stretch(x0, x1, i, o):
    """Of the row of point i less point o at time 1: sums of magnitudes of its coordinates and of its height's terms, and the larger of the shares by
    which these have changed since time 0.
    """
    x, w = subtract(row(x1, i), row(x1, o)), x1[i, 3] - x1[o, 3]
    d, a = magnitudes(add(subtract(x, row(x0, i)), row(x0, o))), magnitudes(x)
    change = dot_from(2.0 * dot(a, d), d, d) + abs(w - x0[i, 3] + x0[o, 3])
    size, height = a[0] + a[1] + a[2], square(x) + abs(w)
    return size, height, max((d[0] + d[1] + d[2]) / size, change / height)


@kernel
def stays_legal(mesh, x0, x1, facet):
    """Determine whether a facet of finite points is certainly legal throughout a move.

    With every row changed by a share of at most s, the second derivative of the determinant is at most (12 + 2) s^2 (1 + s)^4 times the size of the
    products (12 for pairs of rows, 2 for the heights, which are of second degree). It leaves the chord by at most an eighth of that.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.
        facet: number 4 t + i of the facet.

    Returns:
        True if it is; False decides nothing.
    """
    t, i = facet >> 2, facet & 3
    beyond = mesh.nbr[t, i]
    a, b, c, d, e = mesh.vert[t, 0], mesh.vert[t, 1], mesh.vert[t, 2], mesh.vert[t, 3], mesh.vert[beyond >> 2, beyond & 3]
    if min(min(min(a, b), min(c, d)), e) < INFINITE:
        return False
    rb, hb, sb = _stretch(x0, x1, b, a)
    rc, hc, sc = _stretch(x0, x1, c, a)
    rd, hd, sd = _stretch(x0, x1, d, a)
    re, he, se = _stretch(x0, x1, e, a)
    size = (hb * rc + hc * rb) * rd * re + (hd * re + he * rd) * rb * rc
    share = max(max(sb, sc), max(sd, se))
    margin = 2.0 * share * share * (1.0 + share) ** 4 * size
    return legality(Moment(x0, x1, 1.0), a, b, c, d, e) > margin and legality(Moment(x0, x1, 0.0), a, b, c, d, e) > margin


@kernel
def facet_values(mesh, x0, x1, facet, values):
    """Sample the determinant of a facet at six times of a move.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.
        facet: number 4 t + i of the facet.
        values: (6,), filled with the determinants at 0, 0.2, ... 1.
    """
    t, i = facet >> 2, facet & 3
    beyond = mesh.nbr[t, i]
    a, b, c = facet_of(mesh, t, i)
    for k in range(DEGREE + 1):
        values[k] = legality(Moment(x0, x1, k / DEGREE), a, b, c, mesh.vert[t, i], mesh.vert[beyond >> 2, beyond & 3])


@kernel
def tetrahedron_values(mesh, x0, x1, t, values):
    """Sample the determinant of a tetrahedron at six times of a move.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.
        t: the tetrahedron.
        values: (6,), filled with the determinants at 0, 0.2, ... 1.
    """
    for k in range(DEGREE + 1):
        values[k] = flatness(Moment(x0, x1, k / DEGREE), mesh.vert[t, 0], mesh.vert[t, 1], mesh.vert[t, 2], mesh.vert[t, 3], -1)


@inlined
def _cut(stack, level, share):
    """De Casteljau's scheme: the part of row ``level`` beyond ``share`` replaces it, that before it goes into the row above."""
    for k in range(DEGREE + 1):
        stack[level + 1, k] = stack[level, 0]
        for j in range(DEGREE - k):
            stack[level, j] += share * (stack[level, j + 1] - stack[level, j])


@kernel
def first_fall(values, start, negative_counts, stack):
    """Find the first time in [start, 1] at which a polynomial changes from positive to negative.

    Args:
        values: (6,) values at 0, 0.2, ... 1.
        start: time at which to begin.
        negative_counts: whether a polynomial that is negative from ``start`` to 1 counts as changing at ``start``.
        stack: (60, 8) work space.

    Returns:
        The time, or NEVER.
    """
    positive = True
    for k in range(DEGREE + 1):
        positive &= values[k] > 0.0
    for i in range(DEGREE + 1):
        stack[0, i] = 0.0
        for k in range(DEGREE + 1):
            stack[0, i] += TO_BERNSTEIN[i, k] * values[k]
        positive &= stack[0, i] > 0.0
    if positive:
        return NEVER
    if start > 0.0:
        _cut(stack, 0, start)
    stack[0, 6], stack[0, 7] = start, 1.0
    begins_negative = stack[0, 0] < 0.0
    above = not begins_negative
    rose = False
    level = 0
    while level >= 0:
        low, high = stack[level, 6], stack[level, 7]
        least, most = stack[level, 0], stack[level, 0]
        for k in range(1, DEGREE + 1):
            least, most = min(least, stack[level, k]), max(most, stack[level, k])
        if least >= 0.0:
            above, rose = True, True
            level -= 1
        elif most < 0.0:
            if above:
                return low
            level -= 1
        elif high - low < NARROW or level > 56:
            if stack[level, DEGREE] < 0.0:
                if above:
                    return low
            else:
                above, rose = True, True
            level -= 1
        else:
            middle = 0.5 * (low + high)
            _cut(stack, level, 0.5)
            stack[level, 6], stack[level, 7] = middle, high
            stack[level + 1, 6], stack[level + 1, 7] = low, middle
            level += 1
    if negative_counts and begins_negative and not rose:
        return start
    return NEVER
