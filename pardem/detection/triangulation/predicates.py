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

import numpy as np

from ..._jit import inlined, kernel, njit
from .perturbed import lifted, perturbed_sign
from .plain import plain_orientation, plain_plane, plain_power

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
def triple(ax, ay, az, bx, by, bz, cx, cy, cz):
    """Determinant of three rows, sign filtered: 0 where rounding may have changed it."""
    value = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    size = (abs(ax) + abs(ay) + abs(az)) * (abs(bx) + abs(by) + abs(bz)) * (abs(cx) + abs(cy) + abs(cz))
    return _uncertain_sign(value, ORIENTATION_BOUND * size)


@inlined
def orientation_filter(xw, a, b, c, d):
    """Orientation of four finite points, 0 where float64 does not suffice."""
    x, y, z = xw[a, 0], xw[a, 1], xw[a, 2]
    return triple(
        xw[b, 0] - x, xw[b, 1] - y, xw[b, 2] - z,
        xw[c, 0] - x, xw[c, 1] - y, xw[c, 2] - z,
        xw[d, 0] - x, xw[d, 1] - y, xw[d, 2] - z,
    )  # fmt: skip


@inlined
def hyperplane(xw, a, b, c, d):
    """Of the lifted finite points abcd, relative to a: (normal (3), orientation, size of the normal's terms, size of the orientation's).

    A point at X from a with height h is ``h * orientation - normal . X`` (times a positive number) above it.
    """
    x, y, z, w = xw[a, 0], xw[a, 1], xw[a, 2], xw[a, 3]
    bx, by, bz, bw = xw[b, 0] - x, xw[b, 1] - y, xw[b, 2] - z, xw[b, 3] - w
    cx, cy, cz, cw = xw[c, 0] - x, xw[c, 1] - y, xw[c, 2] - z, xw[c, 3] - w
    dx, dy, dz, dw = xw[d, 0] - x, xw[d, 1] - y, xw[d, 2] - z, xw[d, 3] - w
    b2, c2, d2 = bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz, dx * dx + dy * dy + dz * dz
    hb, hc, hd = b2 - bw, c2 - cw, d2 - dw
    px, py, pz = cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx
    nx = hb * px + hc * (dy * bz - dz * by) + hd * (by * cz - bz * cy)
    ny = hb * py + hc * (dz * bx - dx * bz) + hd * (bz * cx - bx * cz)
    nz = hb * pz + hc * (dx * by - dy * bx) + hd * (bx * cy - by * cx)
    volume = bx * px + by * py + bz * pz
    rb, rc, rd = abs(bx) + abs(by) + abs(bz), abs(cx) + abs(cy) + abs(cz), abs(dx) + abs(dy) + abs(dz)
    normal_size = (b2 + abs(bw)) * (rc * rd) + (c2 + abs(cw)) * (rd * rb) + (d2 + abs(dw)) * (rb * rc)
    return nx, ny, nz, volume, normal_size, rb * rc * rd


@inlined
def above_hyperplane(xw, a, e, nx, ny, nz, volume, normal_size, volume_size):
    """Sign of finite point e above a hyperplane, 0 where float64 does not suffice."""
    x, y, z, w = xw[e, 0] - xw[a, 0], xw[e, 1] - xw[a, 1], xw[e, 2] - xw[a, 2], xw[e, 3] - xw[a, 3]
    e2 = x * x + y * y + z * z
    value = (e2 - w) * volume - (nx * x + ny * y + nz * z)
    size = (e2 + abs(w)) * volume_size + (abs(x) + abs(y) + abs(z)) * normal_size
    return _uncertain_sign(value, POWER_BOUND * size)


@inlined
def _difference(xw, i, finite_origin, infinite_origin, c):
    """Coordinate of a row once a finite one, and for lifted rows one at infinity, have been taken off (infinite_origin -1: none)."""
    if i >= INFINITE:
        return xw[i, c] - xw[finite_origin, c]
    if infinite_origin < 0:
        return xw[i, c]
    return xw[i, c] - xw[infinite_origin, c]


@kernel
def _mixed_filter(xw, a, b, c, d, u):
    """Sign of rows (1, x, y, z) of which some, not all, are (0, direction); 0 where float64 does not suffice.

    Args:
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
    sign = triple(
        _difference(xw, b, o, u, 0), _difference(xw, b, o, u, 1), _difference(xw, b, o, u, 2),
        _difference(xw, c, o, u, 0), _difference(xw, c, o, u, 1), _difference(xw, c, o, u, 2),
        _difference(xw, d, o, u, 0), _difference(xw, d, o, u, 1), _difference(xw, d, o, u, 2),
    )  # fmt: skip
    return -sign if odd else sign


@njit(_nrt=True)
def _exact(xw, key, points, count, off):
    """Sign of ``count`` rows with perturbation.

    Args:
        points: (5,) rows of ``xw``; the order is changed. count: 4, or 5 for lifted finite points.
        off: the point at infinity that has been taken off the others; -1: none.
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
        sign, known = plain_orientation(xw, a, b, c, d)
        if known and sign == 0:
            sign = plain_plane(xw, key, a, b, c, d)
        if known and sign != 0:
            return sign
    return _exact(xw, key, np.array((a, b, c, d, -1)), 4, off)


@njit(_nrt=True)
def exact_power(xw, key, a, b, c, d, e):
    """`power` of finite points without a filter."""
    sign, known = plain_power(xw, key, a, b, c, d, e)
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
        xw: (N, 4) float64: x, y, z (m), weight (m^2); rows 0 to 3 are ``DIRECTIONS``. key: (N,) int64, all different, those of rows 0 to 3 least:
            order of the perturbations. a, b, c, d: rows.

    Returns:
        1 or -1.
    """
    if min(min(a, b), min(c, d)) < INFINITE:
        return _mixed(xw, key, a, b, c, d, -1)
    sign = orientation_filter(xw, a, b, c, d)
    return sign if sign != 0 else _exact_rows(xw, key, a, b, c, d, -1)


@kernel
def power(xw, key, a, b, c, d, e):
    """Sign of the power of e to the orthosphere of the positive tetrahedron abcd: 1 where e is beyond (legal), -1 where it is inside.

    Arguments are those of `orientation`; at most four of the points are at infinity.
    """
    first = min(min(min(a, b), min(c, d)), e)
    if first >= INFINITE:
        nx, ny, nz, volume, normal_size, volume_size = hyperplane(xw, a, b, c, d)
        sign = above_hyperplane(xw, a, e, nx, ny, nz, volume, normal_size, volume_size)
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
