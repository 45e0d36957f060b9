"""Compiled: determinants of points on lattices, where float64 arithmetic rounds nothing.

Every operation is made together with its rounding error; if all errors are zero, the value is exact. That is the common case where determinants
vanish, and far faster than expansions.
"""

from __future__ import annotations

from ..compiled.jit import inlined, kernel
from .expansions import two_product, two_sum


@inlined
def _sum(a, b, exact):
    s, low = two_sum(a, b)
    return s, exact and low == 0.0


@inlined
def _product(a, b, exact):
    p, low = two_product(a, b)
    return p, exact and low == 0.0


@inlined
def _minor(a, b, c, d, exact):
    """Determinant of two rows: a d - b c."""
    p, exact = _product(a, d, exact)
    q, exact = _product(b, c, exact)
    return _sum(p, -q, exact)


@inlined
def _dot(a, b, exact):
    """Scalar product of two vectors."""
    p, exact = _product(a[0], b[0], exact)
    q, exact = _product(a[1], b[1], exact)
    r, exact = _product(a[2], b[2], exact)
    s, exact = _sum(p, q, exact)
    return _sum(s, r, exact)


@kernel
def _from(xw, i, o):
    """Point i less point o, its height above it, and whether nothing was rounded."""
    x, exact = _sum(xw[i, 0], -xw[o, 0], True)
    y, exact = _sum(xw[i, 1], -xw[o, 1], exact)
    z, exact = _sum(xw[i, 2], -xw[o, 2], exact)
    w, exact = _sum(xw[i, 3], -xw[o, 3], exact)
    square, exact = _dot((x, y, z), (x, y, z), exact)
    h, exact = _sum(square, -w, exact)
    return (x, y, z), h, exact


@kernel
def _determinant(a, b, c):
    """Of three rows; whether nothing was rounded."""
    x, exact = _minor(b[1], b[2], c[1], c[2], True)
    y, exact = _minor(b[2], b[0], c[2], c[0], exact)
    z, exact = _minor(b[0], b[1], c[0], c[1], exact)
    return _dot(a, (x, y, z), exact)


@inlined
def _sign(value):
    return 1 if value > 0.0 else (-1 if value < 0.0 else 0)


@kernel
def tracked_orientation(xw, a, b, c, d):
    """Determine the orientation of four finite points, without perturbation.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        a: number of the first point.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.

    Returns:
        1, -1, or 0 if they lie in a plane; whether that is certain.
    """
    x, _, known_x = _from(xw, b, a)
    y, _, known_y = _from(xw, c, a)
    z, _, known_z = _from(xw, d, a)
    value, exact = _determinant(x, y, z)
    return _sign(value), exact and known_x and known_y and known_z


@kernel
def _tracked_determinant(xw, a, b, c, d, e):
    """Sign of the lifted determinant of five finite points as they are; whether it is certain."""
    x, hx, exact_x = _from(xw, b, a)
    y, hy, exact_y = _from(xw, c, a)
    z, hz, exact_z = _from(xw, d, a)
    t, ht, exact_t = _from(xw, e, a)
    known = exact_x and exact_y and exact_z and exact_t
    p, exact = _determinant(y, z, t)
    known = known and exact
    q, exact = _determinant(x, z, t)
    known = known and exact
    r, exact = _determinant(x, y, t)
    known = known and exact
    s, exact = _determinant(x, y, z)
    u, known = _product(hx, -p, known and exact)
    v, known = _product(hy, q, known)
    u, known = _sum(u, v, known)
    v, known = _product(hz, -r, known)
    u, known = _sum(u, v, known)
    v, known = _product(ht, s, known)
    u, known = _sum(u, v, known)
    return _sign(u), known


@kernel
def tracked_power(xw, key, a, b, c, d, e):
    """Determine the power of a point with respect to the orthosphere of four others, all finite, with perturbed heights.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        key: (N,) keys of the points.
        a: number of the first point.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.
        e: number of the fifth point.

    Returns:
        The sign, 0 if all lie in a plane; whether that is certain.
    """
    sign, known = _tracked_determinant(xw, a, b, c, d, e)
    if sign != 0 or not known:
        return sign, known
    # the heights' perturbations in the order of the keys: their cofactors are the orientations of the others
    last = -(1 << 62)
    for _ in range(5):
        first, which = 1 << 62, 0
        for k in range(5):
            p = a if k == 0 else (b if k == 1 else (c if k == 2 else (d if k == 3 else e)))
            if last < key[p] < first:
                first, which = key[p], k
        last = first
        if which == 0:
            sign, known = tracked_orientation(xw, b, c, d, e)
        elif which == 1:
            sign, known = tracked_orientation(xw, a, c, d, e)
        elif which == 2:
            sign, known = tracked_orientation(xw, a, b, d, e)
        elif which == 3:
            sign, known = tracked_orientation(xw, a, b, c, e)
        else:
            sign, known = tracked_orientation(xw, a, b, c, d)
        if sign != 0 or not known:
            return (sign if which % 2 == 0 else -sign), known
    return 0, True


@kernel
def _tracked_triangle(xw, p, q, r, u, v):
    """Determinant of three rows (1, u-th, v-th coordinate); whether it is exact."""
    ax, exact = _sum(xw[q, u], -xw[p, u], True)
    ay, exact = _sum(xw[q, v], -xw[p, v], exact)
    bx, exact = _sum(xw[r, u], -xw[p, u], exact)
    by, exact = _sum(xw[r, v], -xw[p, v], exact)
    return _minor(ax, ay, bx, by, exact)


@kernel
def tracked_plane(xw, key, a, b, c, d):
    """Determine the perturbed orientation of four finite points in a plane.

    Args:
        xw: (N, 4) coordinates (m) and weights (m^2).
        key: (N,) keys of the points.
        a: number of the first point.
        b: number of the second point.
        c: number of the third point.
        d: number of the fourth point.

    Returns:
        1 or -1; 0 if something was rounded.
    """
    odd = False
    for _ in range(3):  # sorted by key
        if key[b] < key[a]:
            a, b, odd = b, a, not odd
        if key[c] < key[b]:
            b, c, odd = c, b, not odd
        if key[d] < key[c]:
            c, d, odd = d, c, not odd
    rows = (a, b, c, d)
    for r in range(4):  # infinitesimals of z
        p, q, s = rows[1 if r == 0 else 0], rows[2 if r < 2 else 1], rows[3 if r < 3 else 2]
        value, exact = _tracked_triangle(xw, p, q, s, 0, 1)
        if not exact:
            return 0
        if value != 0.0:
            return _sign(value) if (r % 2 == 1) != odd else -_sign(value)
    for r in range(4):  # of y, then with those of z
        p, q, s = rows[1 if r == 0 else 0], rows[2 if r < 2 else 1], rows[3 if r < 3 else 2]
        value, exact = _tracked_triangle(xw, p, q, s, 0, 2)
        if not exact:
            return 0
        if value == 0.0:
            value = _first_difference(xw, p, q, s, 0)
        if value != 0.0:
            return _sign(value) if (r % 2 == 0) != odd else -_sign(value)
    # of the first x, as all x are equal; then with those of z, of y, of both
    value, exact = _tracked_triangle(xw, b, c, d, 1, 2)
    if not exact:
        return 0
    if value == 0.0:
        value = _first_difference(xw, b, c, d, 1)
    if value == 0.0:
        value = 1.0 if xw[c, 2] == xw[d, 2] else xw[c, 2] - xw[d, 2]
    return _sign(value) if odd else -_sign(value)


@inlined
def _first_difference(xw, p, q, r, c):
    """The first cofactor of a column perturbed row by row that is not zero: differences of coordinate c."""
    value = xw[r, c] - xw[q, c]
    if value == 0.0:
        value = xw[p, c] - xw[r, c]
    return value
