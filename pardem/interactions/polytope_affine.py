"""Minimum of the regularised distance over the flats of two active sets: the one small linear system of the polytope solvers."""

from __future__ import annotations

from .._jit import inlined

DEPENDENT = 1e-29  # squared relative length below which a direction of B lies in the flat of A's and those before it


@inlined
def _split(px, py, pz, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3):
    """Parts of p along and across the orthogonal directions q (inverse squares i, 0 for none)."""
    c1 = (px * q1x + py * q1y + pz * q1z) * i1
    c2 = (px * q2x + py * q2y + pz * q2z) * i2
    c3 = (px * q3x + py * q3y + pz * q3z) * i3
    mx = c1 * q1x + c2 * q2x + c3 * q3x
    my = c1 * q1y + c2 * q2y + c3 * q3y
    mz = c1 * q1z + c2 * q2z + c3 * q3z
    return mx, my, mz, px - mx, py - my, pz - mz


@inlined
def point_of_b(
    wx, wy, wz, ax, ay, az, q1x, q1y, q1z, q2x, q2y, q2z, q3x, q3y, q3z, i1, i2, i3,
    bx, by, bz, p1x, p1y, p1z, p2x, p2y, p2z, p3x, p3y, p3z, j1, j2, j3, q, ea, eb,
):  # fmt: skip
    """Coordinates t of the minimiser Y = b + t1 p1 + t2 p2 + t3 p3 when X runs over the flat a + <q1, q2, q3> of A.

    With A's unknowns eliminated (its directions are orthogonal, so they drop out one by one) and p = m + p', m in A's flat and p' across it, the
    system for t is S t = rhs,

        S_jl = (eps_B^2 + eps_A^2/(1 + eps_A^2)) |p_j|^2 delta_jl + p'_j.p'_l/(1 + eps_A^2),
        rhs_j = p'_j.(R - eps_B^2 b) + m_j.(eps_A^2/(1 + eps_A^2) (W - b) - eps_B^2 b),      R = W + a - b,

    S is the Gram matrix of the vectors ((eps_B^2 + eps_A^2/(1 + eps_A^2))^1/2 p_j, p'_j/(1 + eps_A^2)^1/2), which are made orthogonal in turn
    instead of factorising S: squares are only added, and nothing cancels between nearly parallel features.

    Args:
        q: number of vertices of B's active set, at least 2.

    Returns:
        t1, t2, t3, whether the system could be solved.
    """
    inv = 1.0 / (1.0 + ea)
    part = ea * inv
    both = eb + part
    # the two right-hand sides, against p' and against m
    rx, ry, rz = wx + ax - bx - eb * bx, wy + ay - by - eb * by, wz + az - bz - eb * bz
    ux, uy, uz = part * (wx - bx) - eb * bx, part * (wy - by) - eb * by, part * (wz - bz) - eb * bz
    m1x, m1y, m1z, d1x, d1y, d1z = _split(p1x, p1y, p1z, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3)
    size1 = p1x * p1x + p1y * p1y + p1z * p1z
    pivot1 = both * size1 + (d1x * d1x + d1y * d1y + d1z * d1z) * inv
    if not pivot1 > DEPENDENT * size1:
        return 0.0, 0.0, 0.0, False
    h1 = (d1x * rx + d1y * ry + d1z * rz + m1x * ux + m1y * uy + m1z * uz) / pivot1
    if q == 2:
        return h1, 0.0, 0.0, True
    m2x, m2y, m2z, d2x, d2y, d2z = _split(p2x, p2y, p2z, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3)
    size2 = p2x * p2x + p2y * p2y + p2z * p2z
    l12 = (d1x * d2x + d1y * d2y + d1z * d2z) * inv / pivot1
    d2x, d2y, d2z = d2x - l12 * d1x, d2y - l12 * d1y, d2z - l12 * d1z
    m2x, m2y, m2z = m2x - l12 * m1x, m2y - l12 * m1y, m2z - l12 * m1z
    pivot2 = both * (size2 + l12 * l12 * size1) + (d2x * d2x + d2y * d2y + d2z * d2z) * inv
    if not pivot2 > DEPENDENT * size2:
        return 0.0, 0.0, 0.0, False
    h2 = (d2x * rx + d2y * ry + d2z * rz + m2x * ux + m2y * uy + m2z * uz) / pivot2
    if q == 3:
        return h1 - l12 * h2, h2, 0.0, True
    m3x, m3y, m3z, d3x, d3y, d3z = _split(p3x, p3y, p3z, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3)
    size3 = p3x * p3x + p3y * p3y + p3z * p3z
    l13 = (d1x * d3x + d1y * d3y + d1z * d3z) * inv / pivot1
    l23 = (d2x * d3x + d2y * d3y + d2z * d3z) * inv / pivot2
    d3x, d3y, d3z = d3x - l13 * d1x - l23 * d2x, d3y - l13 * d1y - l23 * d2y, d3z - l13 * d1z - l23 * d2z
    m3x, m3y, m3z = m3x - l13 * m1x - l23 * m2x, m3y - l13 * m1y - l23 * m2y, m3z - l13 * m1z - l23 * m2z
    back = l13 - l23 * l12
    pivot3 = both * (size3 + l23 * l23 * size2 + back * back * size1) + (d3x * d3x + d3y * d3y + d3z * d3z) * inv
    if not pivot3 > DEPENDENT * size3:
        return 0.0, 0.0, 0.0, False
    h3 = (d3x * rx + d3y * ry + d3z * rz + m3x * ux + m3y * uy + m3z * uz) / pivot3
    h2 -= l23 * h3
    return h1 - l12 * h2 - l13 * h3, h2, h3, True
