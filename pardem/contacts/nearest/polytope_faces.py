"""Touching features of parallel polytopes: vertices that tie along a normal, as convex polygons in the plane across it; their centroids and clips.

A polygon in scratch is a run of coordinate pairs (u, v) starting at a given place, in counter-clockwise order. The plane's origin is a point of the
feature; only differences to it enter, so the sizes that set the relative thresholds are those of the features.
"""

from __future__ import annotations

from typing import NamedTuple

from ...compiled.jit import inlined
from ...compiled.vectors import cross, dot, length, row, scale, square, subtract

MAX_TIES = 256  # most vertices of a face
TILT = 1e-7
TILT2 = TILT * TILT  # squared sine below which an edge or a face counts as parallel (relative determinant of two lines)
ROUNDING2 = 1e-29  # squared height, relative to squared lengths, that rounding can give to a vertex in the plane
FLAT = 1e-14  # width relative to the lengths that enter below which a polygon counts as a segment
ON_LINE = 1e-12  # distance from a clipping line, relative to the extent, that counts as on it


class Axes(NamedTuple):
    """Axes of a plane; e, f and the normal are orthogonal and right-handed.

    Attributes:
        normal: normal of any length > 0 (m).
        e: unit vector in the plane (1).
        f: the other one (1).
    """

    normal: tuple[float, float, float]
    e: tuple[float, float, float]
    f: tuple[float, float, float]


@inlined
def plane_axes(n):
    """The `Axes` of the plane across a vector.

    Args:
        n: the vector, of any length > 0.
    """
    ax, ay, az = abs(n[0]), abs(n[1]), abs(n[2])
    if ax <= ay and ax <= az:
        e = (0.0, n[2], -n[1])
    elif ay <= az:
        e = (-n[2], 0.0, n[0])
    else:
        e = (n[1], -n[0], 0.0)
    e = scale(1.0 / length(e), e)
    f = cross(n, e)
    return Axes(n, e, scale(1.0 / length(f), f))


@inlined
def ties(core, x, axes, tilt2, work, place):
    """Write the vertices in a plane through x, in plane coordinates about x, to the scratch at ``place``.

    A vertex is in the plane if the line to it from x, a point of the feature, is parallel to the plane.

    Args:
        core: ``polytope_active.Core``.
        x: a point of the feature (m).
        axes: axes of the plane.
        tilt2: squared sine of the angle up to which a line counts as parallel (1).
        work: float64 scratch.
        place: place of the result there; 2 MAX_TIES numbers.

    Returns:
        how many there are; only the first MAX_TIES are written.
    """
    n2 = square(axes.normal)
    own = ROUNDING2 * square(x)
    found = 0
    for k in range(core.first, core.first + core.count):
        v = row(core.vert, k)
        d = subtract(v, x)
        h = dot(d, axes.normal)
        if h * h <= n2 * (tilt2 * square(d) + own + ROUNDING2 * square(v)):
            if found < MAX_TIES:
                work[place + 2 * found] = dot(d, axes.e)
                work[place + 2 * found + 1] = dot(d, axes.f)
            found += 1
    return found


@inlined
def _turn(u, v):
    """A number that grows with the angle of (u, v) over a full turn, from -2 to 2."""
    size = abs(u) + abs(v)
    if size == 0.0:
        return 0.0
    return v / size if u >= 0.0 else (2.0 - v / size if v >= 0.0 else -2.0 - v / size)


@inlined
def order(work, place, n):
    """Sort the points of a convex polygon counter-clockwise about their mean.

    Args:
        work: float64 scratch (m).
        place: place of the polygon there.
        n: number of its points.
    """
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


@inlined
def extent(work, place, n):
    """The two points of a polygon farthest from each other.

    Args:
        work: float64 scratch (m).
        place: place of the polygon there.
        n: number of its points.

    Returns:
        their numbers, and their squared distance (m^2); a point twice and 0 for n = 1.
    """
    first = second = 0
    size = 0.0
    for k in range(n):
        for m in range(k + 1, n):
            du, dv = work[place + 2 * m] - work[place + 2 * k], work[place + 2 * m + 1] - work[place + 2 * k + 1]
            if du * du + dv * dv > size:
                size = du * du + dv * dv
                first, second = k, m
    return first, second, size


@inlined
def centroid(work, place, n, whole):
    """Centroid of a convex polygon: of its area, or the middle where it is as thin as a segment.

    Args:
        work: float64 scratch (m).
        place: place of the polygon there.
        n: number of its points, at least 1.
        whole: squared length that its points are rounded by, where it was cut from larger polygons (m^2).

    Returns:
        its two coordinates (m).
    """
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
    if area > 0.0 and area * area > FLAT * FLAT * size * max(size, whole):
        return u0 + cu / (3.0 * area), v0 + cv / (3.0 * area)
    return 0.5 * (work[place + 2 * first] + work[place + 2 * second]), 0.5 * (work[place + 2 * first + 1] + work[place + 2 * second + 1])


@inlined
def _clip_by_line(work, source, n, target, p, d):
    """Part of the polygon of ``n`` points at ``source`` left of the line from p along d, written to ``target``. Returns its number of points."""
    pu, pv = p
    du, dv = d
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


@inlined
def clip(work, subject, n, window, m, spare):
    """Intersection of two convex polygons (Sutherland and Hodgman): ``subject`` cut by the sides of ``window``.

    Args:
        work: float64 scratch (m).
        subject: place of a polygon, with space for n + m points; two points are a segment.
        n: number of its points.
        window: place of the other polygon, in counter-clockwise order.
        m: number of its points, at least 3.
        spare: place with space for n + m points.

    Returns:
        place of the result (``subject`` or ``spare``), its number of points (0 if empty; points may repeat).
    """
    pu, pv = work[window + 2 * m - 2], work[window + 2 * m - 1]
    for k in range(m):
        qu, qv = work[window + 2 * k], work[window + 2 * k + 1]
        n = _clip_by_line(work, subject, n, spare, (pu, pv), (qu - pu, qv - pv))
        if n == 0:
            return subject, 0
        subject, spare = spare, subject
        pu, pv = qu, qv
    return subject, n
