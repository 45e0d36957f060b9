"""Parallel features: where they face each other, and the barycentre of what they have in common (the thesis' rule for nearest points).

Edges count as parallel, to each other or to a face, where the sine of their angle is below 1e-7 (relative determinant 1e-14), faces below 3e-7. What
they have in common is what they cover of each other, seen along the face's normal. Faces are plane simple polygons, convex or not; where the common
part falls apart, its pieces count as one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import add, ahead, behind, component, cross, dot, negative, scale, square, subtract
from .features import edge, outline
from .outlines import RIM, area_vector, corner, largest_axes
from .polytope_faces import TILT2, clip, plane_axes
from .segments import PARALLEL

WORK_SIZE = 64
LEAST = 1e-9  # share of the smaller feature below which nothing counts as common
_SUBJECT, _WINDOW, _SPARE = 0, 16, 32
TILT2_FACES = 9.0 * TILT2  # of two faces: where two edges of a face at an angle of 40 degrees or more are parallel to another, the face is so too


class Common(NamedTuple):
    """What two features have in common, seen along the normal of a face.

    Attributes:
        share: share of the edge, of two faces of the smaller one, that is common (1); 0: not parallel, or nothing in common.
        tilt2: squared sine of the angle between the features (1).
        first: its barycentre on the first feature, relative to the centre of that grain (m).
        second: the point below it on the second feature, relative to the centre of that grain (m).
    """

    share: float
    tilt2: float
    first: tuple[float, float, float]
    second: tuple[float, float, float]


@inlined
def facing(w, u, v):
    """Whether two segments are parallel and face each other over a stretch.

    Args:
        w: middle of the first less that of the second (m).
        u: half of the first segment (m).
        v: half of the second one (m).
    """
    a, c, b = square(u), square(v), dot(u, v)
    if a == 0.0 or c == 0.0 or a * c - b * b > PARALLEL * a * c:
        return False
    centre, reach = -dot(w, u) / a, abs(b) / a
    return max(-1.0, centre - reach) + LEAST < min(1.0, centre + reach)


@inlined
def sine2(u, n):
    """Squared sine of the angle between a line and a plane; 1 for a line of no length.

    Args:
        u: direction of the line, of any length.
        n: normal of the plane, of any length > 0.
    """
    below = square(u) * square(n)
    across = dot(u, n)
    return across * across / below if below > 0.0 else 1.0


@inlined
def sine2_faces(a, b):
    """Squared sine of the angle between two planes.

    Args:
        a: normal of the first, of any length > 0.
        b: normal of the second.
    """
    return square(cross(a, b)) / (square(a) * square(b))


@inlined
def _covered(face, axes, start, way, sense):
    """Length and first moment of the part of an edge start + s way, 0 <= s <= 1, inside a face, seen on two axes.

    Args:
        face: `Outline`.
        axes: the two axes.
        start: start of the edge, two coordinates on them (m).
        way: vector from there to its end, two coordinates (m).
        sense: positive where the outline runs counter-clockwise.

    Returns:
        length and first moment, in s.
    """
    p, q = axes
    p0, q0 = start
    d0, e0 = way
    d2 = d0 * d0 + e0 * e0
    share, moment = 0.0, 0.0
    vert, loops = face.vert, face.loops
    a = face.base + loops[face.last - 1]
    a0, a1 = vert[a, p] - p0, vert[a, q] - q0
    sa = d0 * a1 - e0 * a0
    for m in range(face.first, face.last):
        b = face.base + loops[m]
        b0, b1 = vert[b, p] - p0, vert[b, q] - q0
        sb = d0 * b1 - e0 * b0
        if (sa > 0.0) != (sb > 0.0):
            r = sa / (sa - sb)
            s = min(1.0, max(0.0, (d0 * (a0 + r * (b0 - a0)) + e0 * (a1 + r * (b1 - a1))) / d2))
            sign = 1.0 if (sb > 0.0) == (sense > 0.0) else -1.0  # the line leaves by a side that runs up, where the outline runs counter-clockwise
            share += sign * s
            moment += 0.5 * sign * s * s
        a0, a1, sa = b0, b1, sb
    return share, moment


@inlined
def edge_on_face(f, g, bodies, e, k):
    """The stretch of an edge of the first body that a face of the second covers, if they are parallel.

    The line of the edge enters and leaves the outline where it crosses the sides; the lengths from the edge's start to all crossings, cut to the edge
    and counted with their signs, sum up to the common length, and their squares to its first moment.

    Args:
        f: `Features`.
        g: `Grains`.
        bodies: the two bodies.
        e: edge of the first.
        k: face of the second.

    Returns:
        `Common`, the edge first.
    """
    middle, half = edge(f, g, bodies.i, e)
    face = outline(f, g, bodies.j, k)
    normal, origin = area_vector(face), corner(face, face.first)
    tilt2 = sine2(half, normal)
    if tilt2 > TILT2:
        return Common(0.0, tilt2, middle, origin)
    n2 = square(normal)
    # the edge as seen on the plane, about the second body's centre
    start = subtract(add(bodies.w, middle), half)
    p, q = largest_axes(normal)
    h = dot(subtract(start, origin), normal) / n2
    t = 2.0 * dot(half, normal) / n2
    foot, way = behind(start, h, normal), behind(scale(2.0, half), t, normal)
    p0, q0 = component(foot, p), component(foot, q)
    d0, e0 = component(way, p), component(way, q)
    sense = normal[0] if p == 1 else (normal[1] if p == 2 else normal[2])
    # once a little to either side: an edge over a side of the face lies on that, not on the face
    shift = RIM * abs(h) * np.sqrt(n2 / (d0 * d0 + e0 * e0))
    share, whole, moment = 1.0, 0.0, 0.0
    for _ in range(2):
        whole, moment = _covered(face, (p, q), (p0 + shift * e0, q0 - shift * d0), (d0, e0), sense)
        share = min(share, whole)
        shift = -shift
    if share < LEAST:
        return Common(0.0, tilt2, middle, origin)
    s = moment / whole
    return Common(share, tilt2, ahead(middle, 2.0 * s - 1.0, half), ahead(foot, s, way))


@inlined
def _triangle(face, m, shift, axes, work, place):
    """Write the triangle of a face's first corner and its corners ``m`` and ``m + 1`` counter-clockwise, in plane coordinates; twice its signed area.

    Args:
        face: `Outline`.
        m: place of a corner in ``loops``.
        shift: vector from the plane's origin to the centre of the face's grain (m).
        axes: `polytope_faces.Axes`.
        work: float64 scratch.
        place: place of the triangle there.
    """
    for n in range(3):
        k = face.first if n == 0 else (m if n == 1 else m + 1)
        a = add(corner(face, k), shift)
        work[place + 2 * n], work[place + 2 * n + 1] = dot(a, axes.e), dot(a, axes.f)
    u0, v0 = work[place], work[place + 1]
    area = (work[place + 2] - u0) * (work[place + 5] - v0) - (work[place + 3] - v0) * (work[place + 4] - u0)
    if area < 0.0:
        u0, v0 = work[place + 2], work[place + 3]
        work[place + 2], work[place + 3] = work[place + 4], work[place + 5]
        work[place + 4], work[place + 5] = u0, v0
    return area


@inlined
def _cut(work, sign, area, mu, mv):
    """Cut the two triangles in scratch by each other and add what is left.

    Args:
        work: float64 scratch.
        sign: its sign is that of the part.
        area: twice the area so far (m^2).
        mu: twice its first moment along the first axis (m^3).
        mv: twice its first moment along the second axis (m^3).

    Returns:
        area, mu, mv with that part.
    """
    place, left = clip(work, _SUBJECT, 3, _WINDOW, 3, _SPARE)
    u0, v0 = work[place], work[place + 1]
    for c in range(1, left - 1):
        bu, bv = work[place + 2 * c] - u0, work[place + 2 * c + 1] - v0
        du, dv = work[place + 2 * c + 2] - u0, work[place + 2 * c + 3] - v0
        part = (bu * dv - bv * du) if sign > 0.0 else (bv * du - bu * dv)
        area += part
        mu += part * (u0 + (bu + du) / 3.0)
        mv += part * (v0 + (bv + dv) / 3.0)
    return area, mu, mv


@inlined
def face_on_face(f, g, bodies, k, l, work):
    """What a face of the first body and a face of the second have in common, if they are parallel.

    Each is the signed sum of the triangles of one of its corners with its sides; triangles are cut by each other (``polytope_faces.clip``).

    Args:
        f: `Features`.
        g: `Grains`.
        bodies: the two bodies.
        k: face of the first.
        l: face of the second.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        `Common`.
    """
    one, two = outline(f, g, bodies.i, k), outline(f, g, bodies.j, l)
    a, p = area_vector(one), corner(one, one.first)
    n, o = area_vector(two), corner(two, two.first)
    tilt2 = sine2_faces(a, n)
    if tilt2 > TILT2_FACES:
        return Common(0.0, tilt2, p, o)
    axes = plane_axes(n)
    # plane coordinates about the first corner of the second body's face
    shift_one, shift_two = subtract(bodies.w, o), negative(o)
    area, mu, mv = 0.0, 0.0, 0.0
    for r in range(one.first + 1, one.last - 1):
        for s in range(two.first + 1, two.last - 1):
            sign = _triangle(one, r, shift_one, axes, work, _SUBJECT)
            sign *= _triangle(two, s, shift_two, axes, work, _WINDOW)
            if sign == 0.0:
                continue
            area, mu, mv = _cut(work, sign, area, mu, mv)
    # normals of opposite sense count their outlines with opposite signs
    if dot(a, n) < 0.0:
        area, mu, mv = -area, -mu, -mv
    smaller = np.sqrt(min(square(a), square(n)))
    if area < LEAST * smaller:
        return Common(0.0, tilt2, p, o)
    y = ahead(ahead(o, mu / area, axes.e), mv / area, axes.f)
    # along the second face's normal to the first face
    rise = dot(subtract(add(bodies.w, p), y), a) / dot(n, a)
    return Common(area / smaller, tilt2, subtract(ahead(y, rise, n), bodies.w), y)
