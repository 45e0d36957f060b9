"""Compiled: the two signs that decide everything about a weighted Delaunay triangulation, exact for every input.

*Orientation* of a tetrahedron: the sign of (b - a) x (c - a) . (d - a). *Power* of a point e to the orthosphere of a positive tetrahedron abcd, the
sphere orthogonal to its four weighted points: positive where e lies beyond, so that the facet between the tetrahedron and e is legal. Both are
determinants; a bound on the rounding errors tells whether their float64 value has the right sign, if not, they are evaluated exactly, and where that
gives zero the points are perturbed (`perturbed.py`). So no sign is ever 0, equal points with equal weights included.

Rows 0 to 3 of the points are at infinity: the corners s u of a simplex around the origin, with heights s^2, as s grows without bound. A determinant
with such rows has the sign of its leading coefficient in s, again a determinant.

Exact as long as coordinates are 0 or between 2^-140 and 2^200 in magnitude, weights 0 or between 2^-280 and 2^400 (`SMALLEST`, `LARGEST`): no
product of five factors over- or underflows then, down to its last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from ..compiled.vectors import ahead, cross, dot, row, scale, square, subtract
from .perturbed import lifted, perturbed_sign
from .tracked import tracked_orientation, tracked_plane, tracked_power

SMALLEST, LARGEST = 2.0**-140, 2.0**200
INFINITE = 4
"""Number of points at infinity; finite ones have the rows from here on."""

DIRECTIONS = np.array([[-2.0, 8.0, 1.0], [7.0, 1.0, 2.0], [-1.0, -3.0, 9.0], [-4.0, -6.0, -12.0]])
"""Of the points at infinity: positive in this order; they enclose the origin, and no coordinate plane holds a difference of two."""

UNIT = 2.0**-53
ORIENTATION_BOUND = 8.0 * UNIT
"""Of the rounding error of a 3 x 3 determinant of differences, over the product of the sums of magnitudes of its rows: differences 3, products 2,
sums 2 units, rounded up."""
POWER_BOUND = 24.0 * UNIT
"""Of a 4 x 4 determinant with heights: height 6, minor of differences 7, products and sums 4 units, rounded up."""


@inlined
def _uncertain_sign(value, bound):
    """Sign of a value whose error is at most ``bound``, 0 where that cannot be told."""
    if value > bound:
        return 1
    if value < -bound:
        return -1
    return 0


@inlined
def _size(a):
    """Sum of the magnitudes of the components."""
    return abs(a[0]) + abs(a[1]) + abs(a[2])


@inlined
def triple(a, b, c):
    """Compute the determinant of three rows with a filter for its sign.

    Args:
        a: first row.
        b: second row.
        c: third row.

    Returns:
        The determinant; 0 if rounding may have changed its sign.
    """
    return _uncertain_sign(dot(a, cross(b, c)), ORIENTATION_BOUND * (_size(a) * _size(b) * _size(c)))


@inlined
def orientation_filter(xw, a, b, c, d):
    """Determine the orientation of four finite points in float64.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        a: number of the first point.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.

    Returns:
        1 or -1; 0 if float64 does not suffice.
    """
    o = row(xw, a)
    return triple(subtract(row(xw, b), o), subtract(row(xw, c), o), subtract(row(xw, d), o))


class Hyperplane(NamedTuple):
    """The hyperplane through four lifted points, relative to the first of them.

    A point at X from the first with height h is ``h * volume - normal . X`` (times a positive number) above it.

    Attributes:
        normal: (3,) of the points' unit to the power 4.
        volume: six times the tetrahedron's, positive where it is oriented so.
        normal_size: bound on the terms of the normal's components.
        volume_size: bound on the terms of the volume.
    """

    normal: tuple[float, float, float]
    volume: float
    normal_size: float
    volume_size: float


@inlined
def hyperplane(xw, a, b, c, d):
    """Compute the hyperplane through four lifted finite points.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        a: number of the first point, from which the hyperplane counts.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.

    Returns:
        The hyperplane.
    """
    o, w = row(xw, a), xw[a, 3]
    x, y, z = subtract(row(xw, b), o), subtract(row(xw, c), o), subtract(row(xw, d), o)
    wx, wy, wz = xw[b, 3] - w, xw[c, 3] - w, xw[d, 3] - w
    x2, y2, z2 = square(x), square(y), square(z)
    across = cross(y, z)
    normal = ahead(ahead(scale(x2 - wx, across), y2 - wy, cross(z, x)), z2 - wz, cross(x, y))
    rx, ry, rz = _size(x), _size(y), _size(z)
    normal_size = (x2 + abs(wx)) * (ry * rz) + (y2 + abs(wy)) * (rz * rx) + (z2 + abs(wz)) * (rx * ry)
    return Hyperplane(normal, dot(x, across), normal_size, rx * ry * rz)


@inlined
def above_hyperplane(xw, a, e, plane):
    """Determine on which side of a hyperplane a finite point lies, in float64.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        a: first point of the hyperplane.
        e: the point.
        plane: the hyperplane.

    Returns:
        1 above, -1 below; 0 if float64 does not suffice.
    """
    x, w = subtract(row(xw, e), row(xw, a)), xw[e, 3] - xw[a, 3]
    x2 = square(x)
    value = (x2 - w) * plane.volume - dot(plane.normal, x)
    return _uncertain_sign(value, POWER_BOUND * ((x2 + abs(w)) * plane.volume_size + _size(x) * plane.normal_size))


@inlined
def _difference(xw, i, finite_origin, infinite_origin):
    """A row once a finite one, and for lifted rows one at infinity, have been taken off (infinite_origin -1: none)."""
    if i >= INFINITE:
        return subtract(row(xw, i), row(xw, finite_origin))
    if infinite_origin < 0:
        return row(xw, i)
    return subtract(row(xw, i), row(xw, infinite_origin))


@kernel
def _mixed_filter(xw, a, b, c, d, u):
    """Sign of rows (1, x, y, z) of which some, not all, are (0, direction); 0 where float64 does not suffice.

    Args:
        xw: (N, 4) points and weights, as for `orientation`.
        a: the first row.
        b: the second row.
        c: the third row.
        d: the fourth row.
        u: point at infinity that has been taken off the others at infinity, or -1.
    """
    odd = False
    if a >= INFINITE:
        o = a
    elif b >= INFINITE:
        o, b, odd = b, a, True
    elif c >= INFINITE:
        o, b, c = c, a, b
    else:
        o, b, c, d, odd = d, a, b, c, True
    sign = triple(_difference(xw, b, o, u), _difference(xw, c, o, u), _difference(xw, d, o, u))
    return -sign if odd else sign


@njit(_nrt=True)
def _exact(xw, key, points, count, off):
    """Compute the sign of a determinant of ``count`` rows with symbolic perturbation.

    Args:
        xw: (N, 4) coordinates and weights of the points.
        key: (N,) order in which the points are perturbed.
        points: (5,) rows of ``xw``; their order is changed.
        count: 4, or 5 for lifted finite points.
        off: point at infinity that has been subtracted from the others; -1 for none.
    """
    rows, height, length, finite = np.zeros((5, 4)), np.zeros((5, 7)), np.zeros(5, np.int64), np.zeros(5, np.bool_)
    odd = False
    for i in range(1, count):  # sorted by key
        j = i
        while j > 0 and key[points[j]] < key[points[j - 1]]:
            points[j], points[j - 1] = points[j - 1], points[j]
            odd = not odd
            j -= 1
    for i in range(count):
        p = points[i]
        finite[i] = p >= INFINITE
        rows[i, 0] = 1.0 if finite[i] else 0.0
        for c in range(3):
            rows[i, c + 1] = xw[p, c] - xw[off, c] if off >= 0 and not finite[i] else xw[p, c]
        if count == 5:
            length[i] = lifted(xw, p, height[i])
    sign = perturbed_sign(rows, height, length, count, finite)
    return -sign if odd else sign


@njit(_nrt=True)
def _exact_rows(xw, key, a, b, c, d, off):
    """Sign of four rows as in `_mixed_filter`, without a filter."""
    if min(min(a, b), min(c, d)) >= INFINITE:
        sign, known = tracked_orientation(xw, a, b, c, d)
        if known and sign == 0:
            sign = tracked_plane(xw, key, a, b, c, d)
        if known and sign != 0:
            return sign
    return _exact(xw, key, np.array((a, b, c, d, -1)), 4, off)


@njit(_nrt=True)
def exact_power(xw, key, a, b, c, d, e):
    """Determine `power` for finite points, without a filter.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        key: (N,) keys of the points.
        a: number of the first point.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.
        e: number of the fifth point.

    Returns:
        1 or -1, as for `power`.
    """
    sign, known = tracked_power(xw, key, a, b, c, d, e)
    if known and sign != 0:
        return sign
    return _exact(xw, key, np.array((a, b, c, d, e)), 5, -1)


@kernel
def _mixed(xw, key, a, b, c, d, off):
    """Sign of rows (1, x, y, z) of which some, not all, may be (0, direction)."""
    sign = _mixed_filter(xw, a, b, c, d, off)
    return sign if sign != 0 else _exact_rows(xw, key, a, b, c, d, off)


@kernel
def orientation(xw, key, a, b, c, d):
    """Orientation of a tetrahedron with at most three points at infinity.

    Args:
        xw: (N, 4) float64: x, y, z (m), weight (m^2); rows 0 to 3 are ``DIRECTIONS``.
        key: (N,) int64 order of the perturbations: all different, those of rows 0 to 3 least.
        a: row of the first point.
        b: row of the second point.
        c: row of the third point.
        d: row of the fourth point.

    Returns:
        1 or -1.
    """
    if min(min(a, b), min(c, d)) < INFINITE:
        return _mixed(xw, key, a, b, c, d, -1)
    sign = orientation_filter(xw, a, b, c, d)
    return sign if sign != 0 else _exact_rows(xw, key, a, b, c, d, -1)


@kernel
def power(xw, key, a, b, c, d, e):
    """Determine the sign of the power of a point with respect to the orthosphere of a positive tetrahedron.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        key: (N,) keys of the points.
        a: first vertex of the tetrahedron. At most four of the five points are at infinity.
        b: second vertex.
        c: third vertex.
        d: fourth vertex.
        e: the point.

    Returns:
        1 if the point lies beyond the orthosphere (legal), -1 if it lies inside.
    """
    first = min(min(min(a, b), min(c, d)), e)
    if first >= INFINITE:
        sign = above_hyperplane(xw, a, e, hyperplane(xw, a, b, c, d))
        return sign if sign != 0 else exact_power(xw, key, a, b, c, d, e)
    # the lifted row of the first point at infinity is (0, 0, 0, 0, 1): what is left are four rows without heights
    if a == first:
        return _mixed(xw, key, b, c, d, e, first)
    if b == first:
        return -_mixed(xw, key, a, c, d, e, first)
    if c == first:
        return _mixed(xw, key, a, b, d, e, first)
    if d == first:
        return -_mixed(xw, key, a, b, c, e, first)
    return _mixed(xw, key, a, b, c, d, first)
