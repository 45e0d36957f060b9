"""Minimum of the regularised distance over the flats of two active sets: the one small linear system of the polytope solvers."""

from __future__ import annotations

from .._jit import inlined

PIVOT = 1e-14  # relative pivot below which a direction of B adds nothing to those before it
PARALLEL = 1e-26  # squared relative length below which a direction of B lies in A's flat


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

    a sum of positive terms in which nothing cancels between parallel features.

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
    mx, my, mz, d1x, d1y, d1z = _split(p1x, p1y, p1z, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3)
    h1 = d1x * rx + d1y * ry + d1z * rz + mx * ux + my * uy + mz * uz
    size = p1x * p1x + p1y * p1y + p1z * p1z
    s11 = both * size + (d1x * d1x + d1y * d1y + d1z * d1z) * inv
    if not s11 > PARALLEL * size:
        return 0.0, 0.0, 0.0, False
    if q == 2:
        return h1 / s11, 0.0, 0.0, True
    mx, my, mz, d2x, d2y, d2z = _split(p2x, p2y, p2z, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3)
    h2 = d2x * rx + d2y * ry + d2z * rz + mx * ux + my * uy + mz * uz
    size = p2x * p2x + p2y * p2y + p2z * p2z
    s12 = (d1x * d2x + d1y * d2y + d1z * d2z) * inv
    s22 = both * size + (d2x * d2x + d2y * d2y + d2z * d2z) * inv
    l12 = s12 / s11
    pivot2 = s22 - l12 * s12
    if not (s22 > PARALLEL * size and pivot2 > PIVOT * s22):
        return 0.0, 0.0, 0.0, False
    h2 -= l12 * h1
    if q == 3:
        t2 = h2 / pivot2
        return h1 / s11 - l12 * t2, t2, 0.0, True
    mx, my, mz, d3x, d3y, d3z = _split(p3x, p3y, p3z, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2, q3x, q3y, q3z, i3)
    h3 = d3x * rx + d3y * ry + d3z * rz + mx * ux + my * uy + mz * uz
    size = p3x * p3x + p3y * p3y + p3z * p3z
    s13 = (d1x * d3x + d1y * d3y + d1z * d3z) * inv
    s23 = (d2x * d3x + d2y * d3y + d2z * d3z) * inv
    s33 = both * size + (d3x * d3x + d3y * d3y + d3z * d3z) * inv
    l13 = s13 / s11
    s23 -= l13 * s12
    l23 = s23 / pivot2
    pivot3 = s33 - l13 * s13 - l23 * s23
    if not (s33 > PARALLEL * size and pivot3 > PIVOT * s33):
        return 0.0, 0.0, 0.0, False
    t3 = (h3 - l13 * h1 - l23 * h2) / pivot3
    t2 = h2 / pivot2 - l23 * t3
    return h1 / s11 - l12 * t2 - l13 * t3, t2, t3, True
