"""Active sets of polytope vertices: how they are packed, orthogonal directions of their flat, weights, and the step that drops vertices.

An active set is up to four affinely independent vertices of a core, packed into one int64: 16 bits a slot, vertex number + 1, 0 for an empty slot,
slots filled from the lowest. 0 is the empty set. So it is a plain number that a contact can keep as its history.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined

SLOT = 0xFFFF
MAX_VERTICES = 0xFFFE  # most vertices of a core
DEPENDENT = 1e-26  # squared relative distance below which a vertex counts as lying in the flat of the others
# places of the solvers in the scratch array: weights of the current point (A 0-3, B 4-7) and those aimed at (8-15)
AIM = 8
ACTIVE_SIZE = 16


@inlined
def slot(pack, k):
    """Vertex number in slot ``k``; -1 when empty."""
    return ((pack >> (16 * k)) & SLOT) - 1


@inlined
def count(pack):
    """Number of vertices in an active set."""
    if (pack >> 32) & SLOT == 0:
        return 1 if (pack >> 16) & SLOT == 0 else 2
    return 3 if (pack >> 48) & SLOT == 0 else 4


@inlined
def contains(pack, k):
    """Whether vertex ``k`` is in the active set."""
    return slot(pack, 0) == k or slot(pack, 1) == k or slot(pack, 2) == k or slot(pack, 3) == k


@inlined
def without(pack, k):
    """The active set without slot ``k``; later slots move up."""
    low = (np.int64(1) << (16 * k)) - 1
    return (pack & low) | ((pack >> 16) & 0xFFFFFFFFFFFF & ~low)


@inlined
def _away(ux, uy, uz, qx, qy, qz, inv):
    """Part of u across q, the coefficient of the part along q, u - c q; ``inv`` = 1/|q|^2."""
    c = (ux * qx + uy * qy + uz * qz) * inv
    return ux - c * qx, uy - c * qy, uz - c * qz, c


@inlined
def _across(ux, uy, uz, qx, qy, qz, qi, px, py, pz, pi):
    """Part of u across the orthogonal q and p (``qi``, ``pi`` inverse squares; 0 for none), projected again where little of u is left.

    Returns:
        the part, its inverse square (0 where u depends on q and p), coefficients on q and p, whether independent.
    """
    u2 = ux * ux + uy * uy + uz * uz
    vx, vy, vz, c = _away(ux, uy, uz, qx, qy, qz, qi)
    vx, vy, vz, e = _away(vx, vy, vz, px, py, pz, pi)
    v2 = vx * vx + vy * vy + vz * vz
    if v2 < 0.01 * u2:
        vx, vy, vz, c2 = _away(vx, vy, vz, qx, qy, qz, qi)
        vx, vy, vz, e2 = _away(vx, vy, vz, px, py, pz, pi)
        c += c2
        e += e2
        v2 = vx * vx + vy * vy + vz * vz
    if not v2 > DEPENDENT * u2:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, False
    return vx, vy, vz, 1.0 / v2, c, e, True


@inlined
def flat(vert, start, pack, n):
    """Orthogonal directions of the flat through the ``n`` vertices of an active set, by Gram-Schmidt on differences from the first.

    This keeps the digits of needle-like features, which a Gram matrix would square away.

    Returns:
        first vertex (3), directions q1, q2, q3 (9; zeros where there are fewer), their inverse squares (3; zeros), the coefficients c12, c13, c23
        of the differences u2 = q2 + c12 q1, u3 = q3 + c13 q1 + c23 q2, and whether the vertices are independent.
    """
    i = start + slot(pack, 0)
    ox, oy, oz = vert[i, 0], vert[i, 1], vert[i, 2]
    q1x = q1y = q1z = q2x = q2y = q2z = q3x = q3y = q3z = 0.0
    i1 = i2 = i3 = c12 = c13 = c23 = 0.0
    ok = True
    if n > 1:
        i = start + slot(pack, 1)
        q1x, q1y, q1z = vert[i, 0] - ox, vert[i, 1] - oy, vert[i, 2] - oz
        i1 = 1.0 / (q1x * q1x + q1y * q1y + q1z * q1z)
        if n > 2:
            i = start + slot(pack, 2)
            q2x, q2y, q2z, i2, c12, _, ok = _across(
                vert[i, 0] - ox, vert[i, 1] - oy, vert[i, 2] - oz, q1x, q1y, q1z, i1, 0.0, 0.0, 0.0, 0.0
            )  # fmt: skip
            if n > 3:
                i = start + slot(pack, 3)
                q3x, q3y, q3z, i3, c13, c23, more = _across(
                    vert[i, 0] - ox, vert[i, 1] - oy, vert[i, 2] - oz, q1x, q1y, q1z, i1, q2x, q2y, q2z, i2
                )  # fmt: skip
                ok = ok and more
    return ox, oy, oz, q1x, q1y, q1z, q2x, q2y, q2z, q3x, q3y, q3z, i1, i2, i3, c12, c13, c23, ok


@inlined
def weights(s1, s2, s3, c12, c13, c23):
    """Barycentric weights of the point ``first + s1 q1 + s2 q2 + s3 q3``: of the first vertex and of the others."""
    l3 = s3
    l2 = s2 - c23 * l3
    l1 = s1 - c12 * l2 - c13 * l3
    return 1.0 - l1 - l2 - l3, l1, l2, l3


@inlined
def lowest(n, l0, l1, l2, l3):
    """Least of the first ``n`` weights."""
    low = l0
    if n > 1:
        low = min(low, l1)
        if n > 2:
            low = min(low, l2)
            if n > 3:
                low = min(low, l3)
    return low


@inlined
def support(vert, start, n, gx, gy, gz):
    """Vertex of a core that is lowest along g: the dot product and its number (the first of equals)."""
    best = gx * vert[start, 0] + gy * vert[start, 1] + gz * vert[start, 2]
    index = 0
    for k in range(1, n):
        value = gx * vert[start + k, 0] + gy * vert[start + k, 1] + gz * vert[start + k, 2]
        if value < best:
            best = value
            index = k
    return best, index


@inlined
def step_length(work, first, n, step):
    """Largest step <= ``step`` from the weights at ``first`` towards those aimed at that keeps all ``n`` weights >= 0."""
    for k in range(first, first + n):
        aim = work[AIM + k]
        if aim <= 0.0:
            own = work[k]
            step = min(step, own / (own - aim) if own > aim else 0.0)
    return step


@inlined
def move(work, first, n, pack, step):
    """Move the ``n`` weights at ``first`` by ``step`` towards those aimed at and drop the vertices whose weight reaches zero.

    Returns:
        the active set that is left, its size.
    """
    kept = 0
    for k in range(n):
        own, aim = work[first + k], work[AIM + first + k]
        if aim <= 0.0 and (own <= aim or own / (own - aim) <= step):
            pack = without(pack, kept)
        else:
            work[first + kept] = own + step * (aim - own)
            kept += 1
    return pack, kept
