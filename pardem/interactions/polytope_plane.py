"""Convex polytopes against a plane: the regularised minimum in closed steps, and the barycentre of the lowest feature."""

from __future__ import annotations

import numpy as np

from .._jit import kernel
from .polytope_active import ACTIVE_SIZE, AIM, contains, count, flat, lowest, move, slot, step_length, support, weights
from .polytope_faces import MAX_TIES, TILT2, centroid, order, plane_axes, ties
from .polytope_pair import GAP, MAX_ITERATIONS

WORK_SIZE = ACTIVE_SIZE + 2 * MAX_TIES


@kernel
def regularised_plane(nx, ny, nz, h, vert, a0, na, eps2, warm, work):
    """Minimiser of f = (h + n.X)^2 + eps^2 |X|^2 over X in conv(A): a polytope against the plane at height h below its centre.

    Over the flat a + <q1, q2, q3> of an active set (orthogonal directions) the system is diagonal plus one rank, so with c_i = n.q_i

        rho = (h + n.a - sum c_i q_i.a/|q_i|^2) / (eps^2 + sum c_i^2/|q_i|^2),   s_i = -(rho c_i + q_i.a)/|q_i|^2.

    Args:
        nx, ny, nz: unit normal of the plane into the allowed side.
        h: signed height of A's centre above the plane (m).
        vert, a0, na: vertices, as in ``regularised.regularised_polytopes``.
        eps2: squared regularisation, >= 0; where it is 0, any lowest point.
        warm: active set of the call before, 0 for a cold start.
        work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        f (m^2), X (3) relative to the centre, the active set for the next call, status: 0 solved, 1 not converged (or not a number).
    """
    if warm == 0:
        _, k = support(vert, a0, na, h * nx, h * ny, h * nz)
        warm = k + 1
    pack, p = warm, count(warm)
    best = pack
    inside = accepted = new = False
    x0 = x1 = x2 = f = 0.0
    solved = False
    for _ in range(MAX_ITERATIONS):
        ax, ay, az, q1x, q1y, q1z, q2x, q2y, q2z, q3x, q3y, q3z, i1, i2, i3, c12, c13, c23, ok = flat(vert, a0, pack, p)
        s1 = s2 = s3 = 0.0
        ux, uy, uz = ax, ay, az
        if p > 1 and ok:
            c1, c2, c3 = nx * q1x + ny * q1y + nz * q1z, nx * q2x + ny * q2y + nz * q2z, nx * q3x + ny * q3y + nz * q3z
            d1, d2, d3 = ax * q1x + ay * q1y + az * q1z, ax * q2x + ay * q2y + az * q2z, ax * q3x + ay * q3y + az * q3z
            bottom = eps2 + c1 * c1 * i1 + c2 * c2 * i2 + c3 * c3 * i3
            ok = bottom > 0.0
            if ok:
                rho = (h + nx * ax + ny * ay + nz * az - c1 * d1 * i1 - c2 * d2 * i2 - c3 * d3 * i3) / bottom
                s1, s2, s3 = -(rho * c1 + d1) * i1, -(rho * c2 + d2) * i2, -(rho * c3 + d3) * i3
                ux += s1 * q1x + s2 * q2x + s3 * q3x
                uy += s1 * q1y + s2 * q2y + s3 * q3y
                uz += s1 * q1z + s2 * q2z + s3 * q3z
        if not ok:
            if accepted:  # the newcomer lies in the flat of the others and cannot lower the value
                solved = True
                break
            _, k = support(vert, a0, na, h * nx, h * ny, h * nz)
            pack, p = k + 1, 1
            continue
        l0, l1, l2, l3 = weights(s1, s2, s3, c12, c13, c23)
        work[AIM], work[AIM + 1], work[AIM + 2], work[AIM + 3] = l0, l1, l2, l3
        if lowest(p, l0, l1, l2, l3) > 0.0:
            x0, x1, x2, best, accepted = ux, uy, uz, pack, True
            height = h + nx * x0 + ny * x1 + nz * x2
            f = height * height + eps2 * (x0 * x0 + x1 * x1 + x2 * x2)
            gx, gy, gz = height * nx + eps2 * x0, height * ny + eps2 * x1, height * nz + eps2 * x2
            low, k = support(vert, a0, na, gx, gy, gz)
            gap = gx * x0 + gy * x1 + gz * x2 - low
            i = a0 + k
            aa = ax * ax + ay * ay + az * az
            k2 = vert[i, 0] * vert[i, 0] + vert[i, 1] * vert[i, 1] + vert[i, 2] * vert[i, 2]
            if not (gap > 0.0 and gap * gap > GAP * GAP * (h * h + aa) * (aa + k2) and p < 4 and not contains(pack, k)):
                solved = True
                break
            work[0], work[1], work[2], work[3] = l0, l1, l2, l3
            work[p] = 0.0
            pack |= (k + 1) << (16 * p)
            p += 1
            inside = new = True
            continue
        if not inside:  # the weights of a warm start are not known: set out from the middle of its simplex
            for k in range(4):
                work[k] = 1.0 / p
            inside = True
        step = step_length(work, 0, p, 1.0)
        last = slot(pack, p - 1)
        pack, p = move(work, 0, p, pack, step)
        if step > 0.0:
            new = False
        elif new and slot(pack, p - 1) != last:  # by rounding the newcomer gains nothing: the minimum before it stands
            solved = True
            break
    return f, x0, x1, x2, best, 0 if solved and f < np.inf else 1


@kernel
def nearest_plane(nx, ny, nz, h, vert, a0, na, work):
    """Lowest point of conv(A) above a plane; where an edge or a face is parallel to it (relative determinant below 1e-14), its centroid.

    Args:
        nx, ny, nz, h, vert, a0, na: as in ``regularised_plane``. work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        squared height of the lowest vertex (m^2), X (3) relative to the centre at that height, status: 0 solved, 2 a face has more than ``MAX_TIES``
        vertices (X is then its lowest vertex).
    """
    low, k = support(vert, a0, na, nx, ny, nz)
    i = a0 + k
    x0, x1, x2 = vert[i, 0], vert[i, 1], vert[i, 2]
    height = h + low
    status = 0
    if na > 1:
        axes = plane_axes((nx, ny, nz))
        (ex, ey, ez), (fx, fy, fz) = axes.e, axes.f
        n = ties(vert, a0, na, (x0, x1, x2), axes, TILT2, work, ACTIVE_SIZE)
        if n > MAX_TIES:
            status = 2
        elif n > 1:
            order(work, ACTIVE_SIZE, n)
            u, v = centroid(work, ACTIVE_SIZE, n)
            x0, x1, x2 = x0 + u * ex + v * fx, x1 + u * ey + v * fy, x2 + u * ez + v * fz
    return height * height, x0, x1, x2, status
