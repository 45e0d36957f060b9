"""Minimum of the regularised distance over the flats of two active sets: the one small linear system of the polytope solvers."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.choices import select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.static import by_type
from ...compiled.vectors import add, behind, dot, scale, square, subtract
from .polytope_flat import FaceFlat, combined, coordinates_of, either, foot, products

DEPENDENT = 1e-29  # squared relative length below which a direction of B lies in the flat of A's and those before it


class _System(NamedTuple):
    """What is the same for all directions of B.

    Attributes:
        a: flat of A.
        r: right-hand side against p' (m).
        u: right-hand side against m (m).
        both: eps_B^2 + eps_A^2/(1 + eps_A^2).
        inv: 1/(1 + eps_A^2).
    """

    a: Any
    r: Any
    u: Any
    both: Any
    inv: Any


class _Direction(NamedTuple):
    """A direction of B, made orthogonal to those before it.

    Attributes:
        within: its part in A's flat (m).
        across: its part across it (m).
        size: square of the direction of B itself (m^2).
        inverse: one over its pivot (1/m^2).
        h: its right-hand side over its pivot.
    """

    within: Any
    across: Any
    size: Any
    inverse: Any
    h: Any


@inlined
def _split(p, a):
    """Parts of p along and across the directions of the flat ``a``."""
    along = combined(a, foot(a, products(a, p), 1.0))
    return along, subtract(p, along)


@inlined
def _direction(system, parts, size, more):
    """A `_Direction` and whether it is independent of those before it.

    Args:
        system: `_System`.
        parts: its parts within and across A's flat (m).
        size: square of the direction of B itself (m^2).
        more: squares of the directions before it that it was made orthogonal by (m^2).
    """
    within, across = parts
    pivot = system.both * (size + more) + square(across) * system.inv
    inverse = 1.0 / pivot
    return _Direction(within, across, size, inverse, _against(across, system.r, within, system.u) * inverse), pivot > DEPENDENT * size


def _no_third(b, system, two, q, found):
    return found


@by_type({FaceFlat: _no_third})
def _with_third(b, system, two, q, found):
    """Take the third direction of B in.

    Args:
        b: flat of B.
        system: `_System`.
        two: the first and the second `_Direction`, and the share of the first in the second direction of B.
        q: number of vertices of B's active set.
        found: coordinates and whether the system could be solved, without it.

    Returns:
        the same two with it.
    """
    (first, second, l12), (t, ok) = two, found
    if any_of(q > 3):
        m3, d3 = _split(b.q3, system.a)
        l13, l23 = dot(first.across, d3) * system.inv * first.inverse, dot(second.across, d3) * system.inv * second.inverse
        d3, m3 = behind(behind(d3, l13, first.across), l23, second.across), behind(behind(m3, l13, first.within), l23, second.within)
        back = l13 - l23 * l12
        third, independent = _direction(system, (m3, d3), square(b.q3), l23 * l23 * second.size + back * back * first.size)
        ok = ok & (independent | (q < 4))
        h2 = second.h - l23 * third.h
        t = either(b, q > 3, (first.h - l12 * h2 - l13 * third.h, h2, third.h), t)
    return t, ok


@inlined
def point_of_b(w, a, b, q, eps2):
    """Coordinates t of the minimiser Y = b + t1 p1 + t2 p2 + t3 p3 when X runs over the flat a + <q1, q2, q3> of A.

    With A's unknowns eliminated (its directions are orthogonal, so they drop out one by one) and p = m + p', m in A's flat and p' across it, the
    system for t is S t = rhs,

        S_jl = (eps_B^2 + eps_A^2/(1 + eps_A^2)) |p_j|^2 delta_jl + p'_j.p'_l/(1 + eps_A^2),
        rhs_j = p'_j.(R - eps_B^2 b) + m_j.(eps_A^2/(1 + eps_A^2) (W - b) - eps_B^2 b),      R = W + a - b,

    S is the Gram matrix of the vectors ((eps_B^2 + eps_A^2/(1 + eps_A^2))^1/2 p_j, p'_j/(1 + eps_A^2)^1/2), which are made orthogonal in turn
    instead of factorising S: squares are only added, and nothing cancels between nearly parallel features. One text for a pair and for several in
    lanes, of which some may have a B with fewer vertices.

    Args:
        w: W, centre of A less centre of B (m).
        a: ``Flat`` of A, with a and q1, q2, q3.
        b: ``Flat`` of B, with b and p1, p2, p3.
        q: number of vertices of B's active set, at least 2.
        eps2: eps_A^2 and eps_B^2 (1).

    Returns:
        t (3), whether the system could be solved.
    """
    ea, eb = eps2
    inv = 1.0 / (1.0 + ea)
    part = ea * inv
    o = b.origin
    r = behind(subtract(add(w, a.origin), o), eb, o)
    system = _System(a, r, behind(scale(part, subtract(w, o)), eb, o), eb + part, inv)
    first, ok = _direction(system, _split(b.q1, a), square(b.q1), 0.0)
    t = coordinates_of(b, first.h, zero_of(first.h))
    if any_of(q > 2):
        m2, d2 = _split(b.q2, a)
        l12 = dot(first.across, d2) * inv * first.inverse
        d2, m2 = behind(d2, l12, first.across), behind(m2, l12, first.within)
        second, independent = _direction(system, (m2, d2), square(b.q2), l12 * l12 * first.size)
        ok = ok & (independent | (q < 3))
        t = coordinates_of(b, select(q > 2, first.h - l12 * second.h, first.h), select(q > 2, second.h, 0.0))
        t, ok = _with_third(b, system, (first, second, l12), q, (t, ok))
    return t, ok


@inlined
def _against(d, r, m, u):
    """d . r + m . u, in this order."""
    return d[0] * r[0] + d[1] * r[1] + d[2] * r[2] + m[0] * u[0] + m[1] * u[1] + m[2] * u[2]
