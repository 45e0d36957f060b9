"""Touching features of parallel polytopes: vertices that tie along a normal, as convex polygons in the plane across it; their centroids and clips.

A polygon in scratch is a run of coordinate pairs (u, v) starting at a given place, in counter-clockwise order. The plane's origin is a point of the
feature; only differences to it enter, so the sizes that set the relative thresholds are those of the features.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel

MAX_TIES = 256  # most vertices of a face
TILT = 1e-7
TILT2 = TILT * TILT  # squared sine below which an edge or a face counts as parallel (relative determinant of two lines)
ROUNDING2 = 1e-29  # squared height, relative to squared lengths, that rounding can give to a vertex in the plane
FLAT = 1e-14  # area relative to the squared extent below which a polygon counts as a segment
ON_LINE = 1e-12  # distance from a clipping line, relative to the extent, that counts as on it


@inlined
def plane_axes(nx, ny, nz):
    """Two unit vectors e, f with e, f, n right-handed and orthogonal, for n of any length > 0."""
    ax, ay, az = abs(nx), abs(ny), abs(nz)
    if ax <= ay and ax <= az:
        ex, ey, ez = 0.0, nz, -ny
    elif ay <= az:
        ex, ey, ez = -nz, 0.0, nx
    else:
        ex, ey, ez = ny, -nx, 0.0
    s = 1.0 / np.sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = s * ex, s * ey, s * ez
    fx, fy, fz = ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex
    s = 1.0 / np.sqrt(fx * fx + fy * fy + fz * fz)
    return ex, ey, ez, s * fx, s * fy, s * fz


@inlined
def ties(vert, start, n, x0, x1, x2, nx, ny, nz, tilt2, ex, ey, ez, fx, fy, fz, work, place):
    """Write the vertices in the plane through x across n, in plane coordinates about x, to the scratch at ``place``.

    A vertex is in the plane if the line to it from x, a point of the feature, is parallel to the plane.

    Args:
        tilt2: squared sine of the angle up to which it counts as parallel.

    Returns:
        how many there are; only the first MAX_TIES are written.
    """
    n2 = nx * nx + ny * ny + nz * nz
    own = ROUNDING2 * (x0 * x0 + x1 * x1 + x2 * x2)
    found = 0
    for k in range(start, start + n):
        vx, vy, vz = vert[k, 0], vert[k, 1], vert[k, 2]
        dx, dy, dz = vx - x0, vy - x1, vz - x2
        h = dx * nx + dy * ny + dz * nz
        if h * h <= n2 * (tilt2 * (dx * dx + dy * dy + dz * dz) + own + ROUNDING2 * (vx * vx + vy * vy + vz * vz)):
            if found < MAX_TIES:
                work[place + 2 * found] = dx * ex + dy * ey + dz * ez
                work[place + 2 * found + 1] = dx * fx + dy * fy + dz * fz
            found += 1
    return found


@inlined
def _turn(u, v):
    """A number that grows with the angle of (u, v) over a full turn, from -2 to 2."""
    size = abs(u) + abs(v)
    if size == 0.0:
        return 0.0
    return v / size if u >= 0.0 else (2.0 - v / size if v >= 0.0 else -2.0 - v / size)


@kernel
def order(work, place, n):
    """Sort the points of a convex polygon counter-clockwise about their mean."""
    mu = mv = 0.0
    for k in range(n):
        mu += work[place + 2 * k]
        mv += work[place + 2 * k + 1]
    mu, mv = mu / n, mv / n
    for k in range(1, n):
        u, v = work[place + 2 * k], work[place + 2 * k + 1]
        turn = _turn(u - mu, v - mv)
        m = k
        while m > 0 and _turn(work[place + 2 * m - 2] - mu, work[place + 2 * m - 1] - mv) > turn:
            work[place + 2 * m] = work[place + 2 * m - 2]
            work[place + 2 * m + 1] = work[place + 2 * m - 1]
            m -= 1
        work[place + 2 * m] = u
        work[place + 2 * m + 1] = v


@kernel
def extent(work, place, n):
    """The two points of a polygon farthest from each other, and their squared distance (a point twice and 0 for n = 1)."""
    first = second = 0
    size = 0.0
    for k in range(n):
        for m in range(k + 1, n):
            du, dv = work[place + 2 * m] - work[place + 2 * k], work[place + 2 * m + 1] - work[place + 2 * k + 1]
            if du * du + dv * dv > size:
                size = du * du + dv * dv
                first, second = k, m
    return first, second, size


@kernel
def centroid(work, place, n):
    """Centroid of a convex polygon: of its area, or the middle where it is as thin as a segment; n >= 1."""
    first, second, size = extent(work, place, n)
    u0, v0 = work[place], work[place + 1]
    area = cu = cv = 0.0
    for k in range(1, n - 1):
        au, av = work[place + 2 * k] - u0, work[place + 2 * k + 1] - v0
        bu, bv = work[place + 2 * k + 2] - u0, work[place + 2 * k + 3] - v0
        part = au * bv - av * bu
        area += part
        cu += part * (au + bu)
        cv += part * (av + bv)
    if area > FLAT * size:
        return u0 + cu / (3.0 * area), v0 + cv / (3.0 * area)
    return 0.5 * (work[place + 2 * first] + work[place + 2 * second]), 0.5 * (work[place + 2 * first + 1] + work[place + 2 * second + 1])


@kernel
def _clip_by_line(work, source, n, target, pu, pv, du, dv):
    """Part of the polygon at ``source`` left of the line from p along d, written to ``target``. Returns its number of points."""
    near = 0.0  # the largest distance from the line sets the scale of rounding
    for k in range(n):
        near = max(near, abs(du * (work[source + 2 * k + 1] - pv) - dv * (work[source + 2 * k] - pu)))
    near *= ON_LINE
    kept = 0
    u0, v0 = work[source + 2 * n - 2], work[source + 2 * n - 1]
    s0 = du * (v0 - pv) - dv * (u0 - pu)
    for k in range(n):
        u1, v1 = work[source + 2 * k], work[source + 2 * k + 1]
        s1 = du * (v1 - pv) - dv * (u1 - pu)
        if (s0 > near and s1 < -near) or (s0 < -near and s1 > near):
            t = s0 / (s0 - s1)
            work[target + 2 * kept] = u0 + t * (u1 - u0)
            work[target + 2 * kept + 1] = v0 + t * (v1 - v0)
            kept += 1
        if s1 >= -near:
            work[target + 2 * kept] = u1
            work[target + 2 * kept + 1] = v1
            kept += 1
        u0, v0, s0 = u1, v1, s1
    return kept


@kernel
def clip(work, subject, n, window, m, spare):
    """Intersection of two convex polygons (Sutherland and Hodgman): ``subject`` cut by the sides of ``window`` (m >= 3, counter-clockwise).

    The three places need room for n + m points, except ``window``. A subject of two points is a segment.

    Returns:
        place of the result (``subject`` or ``spare``), its number of points (0 if empty; points may repeat).
    """
    pu, pv = work[window + 2 * m - 2], work[window + 2 * m - 1]
    for k in range(m):
        qu, qv = work[window + 2 * k], work[window + 2 * k + 1]
        n = _clip_by_line(work, subject, n, spare, pu, pv, qu - pu, qv - pv)
        if n == 0:
            return subject, 0
        subject, spare = spare, subject
        pu, pv = qu, qv
    return subject, n
