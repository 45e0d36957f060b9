"""The flat through the vertices of an active set (``polytope_active``): orthogonal directions, coordinates and weights of its points.

A flat has room for four vertices, or for three: the features of a surface have no more that are independent, so lanes leave the fourth out and hand
sets that have one to the whole search. What is chosen by the kind of flat has coordinates of three or two numbers and weights of four or three.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.choices import select, smaller
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.static import by_type
from ...compiled.vectors import ZERO, ahead, behind, choose, dot, scale, square, subtract
from .polytope_active import slot, vertex

DEPENDENT = 1e-26  # squared relative distance below which a vertex counts as lying in the flat of the others


class Flat(NamedTuple):
    """The flat through up to four vertices.

    Attributes:
        origin: first vertex (m).
        q1: first of up to three orthogonal directions of the flat (m); a zero vector where there are fewer.
        q2: second one.
        q3: third one.
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


class FaceFlat(NamedTuple):
    """The flat through up to three vertices.

    Attributes:
        origin: first vertex (m).
        q1: first of up to two orthogonal directions of the flat (m); a zero vector where there are fewer.
        q2: second one.
        inverse: 1/|q1|^2, 1/|q2|^2 (1/m^2); 0 where there is none.
        along: c12 (1): the differences of the vertices from the first are q1 and q2 + c12 q1.
        independent: whether the vertices are.
    """

    origin: Any
    q1: Any
    q2: Any
    inverse: Any
    along: Any
    independent: Any


@inlined
def _across_one(u, q, q_inverse):
    """Part of u across q (with its inverse square), projected again where little of u is left; see ``_across``."""
    u2, c = square(u), dot(u, q) * q_inverse
    v = behind(u, c, q)
    v2 = square(v)
    again = v2 < 0.01 * u2
    if any_of(again):
        c2 = dot(v, q) * q_inverse
        w = behind(v, c2, q)
        v, c, v2 = choose(again, w, v), select(again, c + c2, c), select(again, square(w), v2)
    independent = v2 > DEPENDENT * u2
    return choose(independent, v, ZERO), select(independent, 1.0 / v2, 0.0), select(independent, c, 0.0), independent


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
    again = v2 < 0.01 * u2
    if any_of(again):
        c2 = dot(v, q) * q_inverse
        w = behind(v, c2, q)
        e2 = dot(w, p) * p_inverse
        w = behind(w, e2, p)
        v, c, e, v2 = choose(again, w, v), select(again, c + c2, c), select(again, e + e2, e), select(again, square(w), v2)
    independent = v2 > DEPENDENT * u2
    return choose(independent, v, ZERO), select(independent, 1.0 / v2, 0.0), select(independent, c, 0.0), select(independent, e, 0.0), independent


@inlined
def face_flat(core, pack, n):
    """The `FaceFlat` of the first three vertices of an active set; see `flat`.

    Args:
        core: the `Core`.
        pack: active set.
        n: number of its vertices.
    """
    origin = vertex(core, slot(pack, 0))
    none = zero_of(origin[0])
    q1 = q2 = (none, none, none)
    i1 = i2 = c12 = none
    ok = n > 0
    if any_of(n > 1):
        q1 = choose(n > 1, subtract(vertex(core, slot(pack, 1)), origin), ZERO)
        i1 = select(n > 1, 1.0 / square(q1), 0.0)
    if any_of(n > 2):
        part, inverse, on_first, independent = _across_one(subtract(vertex(core, slot(pack, 2)), origin), q1, i1)
        q2, i2, c12 = choose(n > 2, part, ZERO), select(n > 2, inverse, 0.0), select(n > 2, on_first, 0.0)
        ok = ok & (independent | (n < 3))
    return FaceFlat(origin, q1, q2, (i1, i2), c12, ok)


@inlined
def flat(core, pack, n):
    """The `Flat` of an active set, by Gram-Schmidt on the differences of its vertices from the first. One text for a core and for several in lanes.

    This keeps the digits of needle-like features, which a Gram matrix would square away.

    Args:
        core: the `Core`.
        pack: active set.
        n: number of its vertices.
    """
    face = face_flat(core, pack, n)
    q1, q2, (i1, i2), ok = face.q1, face.q2, face.inverse, face.independent
    none = zero_of(i1)
    q3, i3, c13, c23 = (none, none, none), none, none, none
    if any_of(n > 3):
        part, inverse, on_first, on_second, independent = _across(subtract(vertex(core, slot(pack, 3)), face.origin), q1, i1, q2, i2)
        q3, i3 = choose(n > 3, part, ZERO), select(n > 3, inverse, 0.0)
        c13, c23 = select(n > 3, on_first, 0.0), select(n > 3, on_second, 0.0)
        ok = ok & (independent | (n < 4))
    return Flat(face.origin, q1, q2, q3, (i1, i2, i3), (face.along, c13, c23), ok)


def _two_coordinates(plane, first, second):
    return first, second


@by_type({FaceFlat: _two_coordinates})
def coordinates_of(plane, first, second):
    """Coordinates of which the third, if there is one, is zero.

    Args:
        plane: the flat.
        first: the first coordinate.
        second: the second one.
    """
    return first, second, zero_of(first)


def _combined_on_face(plane, s):
    return ahead(scale(s[0], plane.q1), s[1], plane.q2)


@by_type({FaceFlat: _combined_on_face})
def combined(plane, s):
    """The vector s1 q1 + s2 q2 + s3 q3 (m) in a flat.

    Args:
        plane: the flat.
        s: the coordinates.
    """
    return ahead(ahead(scale(s[0], plane.q1), s[1], plane.q2), s[2], plane.q3)


def _products_on_face(plane, a):
    return dot(a, plane.q1), dot(a, plane.q2)


@by_type({FaceFlat: _products_on_face})
def products(plane, a):
    """The products q1 . a, q2 . a and q3 . a with the directions of a flat.

    Args:
        plane: the flat.
        a: a vector.
    """
    return dot(a, plane.q1), dot(a, plane.q2), dot(a, plane.q3)


def _foot_on_face(plane, c, factor):
    return c[0] * plane.inverse[0] * factor, c[1] * plane.inverse[1] * factor


@by_type({FaceFlat: _foot_on_face})
def foot(plane, c, factor):
    """Coordinates of a vector's projection on a flat, times a factor.

    Args:
        plane: the flat.
        c: ``products`` with the vector (m^2).
        factor: the factor (1).
    """
    return c[0] * plane.inverse[0] * factor, c[1] * plane.inverse[1] * factor, c[2] * plane.inverse[2] * factor


def _within_on_face(plane, c, d):
    return c[0] * d[0] * plane.inverse[0] + c[1] * d[1] * plane.inverse[1]


@by_type({FaceFlat: _within_on_face})
def within(plane, c, d):
    """The product of the projections of two vectors on a flat.

    Args:
        plane: the flat.
        c: ``products`` with the first.
        d: ``products`` with the second.
    """
    return c[0] * d[0] * plane.inverse[0] + c[1] * d[1] * plane.inverse[1] + c[2] * d[2] * plane.inverse[2]


def _summed_on_face(plane, factor, c, d):
    return factor * c[0] + d[0], factor * c[1] + d[1]


@by_type({FaceFlat: _summed_on_face})
def summed(plane, factor, c, d):
    """Products with the directions of a flat, or coordinates: the first times a factor, and the second.

    Args:
        plane: the flat.
        factor: the factor.
        c: the first.
        d: the second.
    """
    return factor * c[0] + d[0], factor * c[1] + d[1], factor * c[2] + d[2]


def _either_on_face(plane, condition, s, t):
    return select(condition, s[0], t[0]), select(condition, s[1], t[1])


@by_type({FaceFlat: _either_on_face})
def either(plane, condition, s, t):
    """Coordinates: ``s`` where a condition holds, else ``t``.

    Args:
        plane: the flat.
        condition: the condition.
        s: the first.
        t: the second.
    """
    return choose(condition, s, t)


def _weights_on_face(plane, s):
    l2 = s[1]
    l1 = s[0] - plane.along * l2
    return 1.0 - l1 - l2, l1, l2


@by_type({FaceFlat: _weights_on_face})
def weights(plane, s):
    """Barycentric weights of the point ``origin + s1 q1 + s2 q2 + s3 q3`` of a flat.

    Args:
        plane: the flat.
        s: the coordinates.

    Returns:
        the weight of the first vertex and those of the others.
    """
    c12, c13, c23 = plane.along
    l3 = s[2]
    l2 = s[1] - c23 * l3
    l1 = s[0] - c12 * l2 - c13 * l3
    return 1.0 - l1 - l2 - l3, l1, l2, l3


@inlined
def _lowest_of_three(n, weight):
    low = select(n > 1, smaller(weight[0], weight[1]), weight[0])
    return select(n > 2, smaller(low, weight[2]), low)


def _lowest_on_face(plane, n, weight):
    return _lowest_of_three(n, weight)


@by_type({FaceFlat: _lowest_on_face})
def lowest(plane, n, weight):
    """Least of the first weights of a point of a flat.

    Args:
        plane: the flat.
        n: how many of them count.
        weight: the weights.
    """
    low = _lowest_of_three(n, weight)
    return select(n > 3, smaller(low, weight[3]), low)
