"""Minimum of the regularised distance over the flats of two active sets: the one small linear system of the polytope solvers."""

from __future__ import annotations

from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.types import zero_of
from ...compiled.vectors import add, behind, choose, dot, scale, square, subtract
from .polytope_flat import combined, coordinates

DEPENDENT = 1e-29  # squared relative length below which a direction of B lies in the flat of A's and those before it


@inlined
def _split(p, a):
    """Parts of p along and across the directions of the flat ``a``."""
    c, i = coordinates(a, p), a.inverse
    along = combined(a, (c[0] * i[0], c[1] * i[1], c[2] * i[2]))
    return along, subtract(p, along)


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
    both = eb + part
    o = b.origin
    # the two right-hand sides, against p' and against m
    r = behind(subtract(add(w, a.origin), o), eb, o)
    u = behind(scale(part, subtract(w, o)), eb, o)
    m1, d1 = _split(b.q1, a)
    size1 = square(b.q1)
    pivot1 = both * size1 + square(d1) * inv
    ok = pivot1 > DEPENDENT * size1
    h1 = _against(d1, r, m1, u) / pivot1
    none = zero_of(h1)
    t = h1, none, none
    if any_of(q > 2):
        m2, d2 = _split(b.q2, a)
        size2 = square(b.q2)
        l12 = dot(d1, d2) * inv / pivot1
        d2, m2 = behind(d2, l12, d1), behind(m2, l12, m1)
        pivot2 = both * (size2 + l12 * l12 * size1) + square(d2) * inv
        ok = ok & ((pivot2 > DEPENDENT * size2) | (q < 3))
        h2 = _against(d2, r, m2, u) / pivot2
        t = choose(q > 2, (h1 - l12 * h2, h2, none), t)
        if any_of(q > 3):
            m3, d3 = _split(b.q3, a)
            size3 = square(b.q3)
            l13, l23 = dot(d1, d3) * inv / pivot1, dot(d2, d3) * inv / pivot2
            d3, m3 = behind(behind(d3, l13, d1), l23, d2), behind(behind(m3, l13, m1), l23, m2)
            back = l13 - l23 * l12
            pivot3 = both * (size3 + l23 * l23 * size2 + back * back * size1) + square(d3) * inv
            ok = ok & ((pivot3 > DEPENDENT * size3) | (q < 4))
            h3 = _against(d3, r, m3, u) / pivot3
            h2 = h2 - l23 * h3
            t = choose(q > 3, (h1 - l12 * h2 - l13 * h3, h2, h3), t)
    return t, ok


@inlined
def _against(d, r, m, u):
    """d . r + m . u, in this order."""
    return d[0] * r[0] + d[1] * r[1] + d[2] * r[2] + m[0] * u[0] + m[1] * u[1] + m[2] * u[2]
