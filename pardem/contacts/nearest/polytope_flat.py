"""The flat through the vertices of an active set (``polytope_active``): orthogonal directions, coordinates and weights of its points."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.choices import select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.vectors import ZERO, ahead, behind, choose, dot, scale, square, subtract
from .polytope_active import slot, vertex

DEPENDENT = 1e-26  # squared relative distance below which a vertex counts as lying in the flat of the others


class Flat(NamedTuple):
    """The flat through the vertices of an active set.

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
def flat(core, pack, n):
    """The `Flat` of an active set, by Gram-Schmidt on the differences of its vertices from the first. One text for a core and for several in lanes.

    This keeps the digits of needle-like features, which a Gram matrix would square away.

    Args:
        core: the `Core`.
        pack: active set.
        n: number of its vertices.
    """
    origin = vertex(core, slot(pack, 0))
    none = zero_of(origin[0])
    q1 = q2 = q3 = (none, none, none)
    i1 = i2 = i3 = c12 = c13 = c23 = none
    ok = n > 0
    if any_of(n > 1):
        q1 = choose(n > 1, subtract(vertex(core, slot(pack, 1)), origin), ZERO)
        i1 = select(n > 1, 1.0 / square(q1), 0.0)
    if any_of(n > 2):
        part, inverse, on_first, _, independent = _across(subtract(vertex(core, slot(pack, 2)), origin), q1, i1, ZERO, 0.0)
        q2, i2, c12 = choose(n > 2, part, ZERO), select(n > 2, inverse, 0.0), select(n > 2, on_first, 0.0)
        ok = ok & (independent | (n < 3))
    if any_of(n > 3):
        part, inverse, on_first, on_second, independent = _across(subtract(vertex(core, slot(pack, 3)), origin), q1, i1, q2, i2)
        q3, i3 = choose(n > 3, part, ZERO), select(n > 3, inverse, 0.0)
        c13, c23 = select(n > 3, on_first, 0.0), select(n > 3, on_second, 0.0)
        ok = ok & (independent | (n < 4))
    return Flat(origin, q1, q2, q3, (i1, i2, i3), (c12, c13, c23), ok)


@inlined
def combined(plane, s):
    """The vector s1 q1 + s2 q2 + s3 q3 (m) in a flat.

    Args:
        plane: `Flat`.
        s: the three coordinates.
    """
    return ahead(ahead(scale(s[0], plane.q1), s[1], plane.q2), s[2], plane.q3)


@inlined
def coordinates(plane, a):
    """The products q1 . a, q2 . a and q3 . a with the directions of a flat.

    Args:
        plane: `Flat`.
        a: a vector.
    """
    return dot(a, plane.q1), dot(a, plane.q2), dot(a, plane.q3)


@inlined
def weights(s, plane):
    """Barycentric weights of the point ``origin + s1 q1 + s2 q2 + s3 q3`` of a flat.

    Args:
        s: the three coordinates.
        plane: `Flat`.

    Returns:
        the weight of the first vertex and those of the three others.
    """
    c12, c13, c23 = plane.along
    l3 = s[2]
    l2 = s[1] - c23 * l3
    l1 = s[0] - c12 * l2 - c13 * l3
    return 1.0 - l1 - l2 - l3, l1, l2, l3
