"""Active-set solver for the regularised distance of two convex polytopes; with both eps zero, for their distance.

Wolfe's method for the point of least norm (Math. Programming 11, 1976) carried over to a pair of polytopes: minimise over the flats of the two active
sets; where a weight would become negative go as far as the simplices allow and drop the vertex; where the minimum lies inside, take in the vertices
that the gradient asks for, until there are none. The value falls from one inner minimum to the next, so no active set comes back.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined
from .polytope_active import ACTIVE_SIZE, AIM, SLOT, contains, count, flat, lowest, move, slot, step_length, support, weights
from .polytope_affine import point_of_b

WORK_SIZE = ACTIVE_SIZE
MAX_ITERATIONS = 200
GAP = 2e-15  # optimality gap of a body, relative to its own size times the size of the whole


@inlined
def _grow(work, first, n, pack, newcomer, wanted):
    """Make the weights aimed at the current ones and take in a vertex with weight 0. Returns the active set, its size."""
    for k in range(first, first + n):
        work[k] = work[AIM + k]
    if wanted:
        work[first + n] = 0.0
        pack |= (newcomer + 1) << (16 * n)
        n += 1
    return pack, n


@inlined
def minimum(wx, wy, wz, vert, a0, na, b0, nb, ea, eb, pa, pb, work):
    """See ``regularised.regularised_polytopes``; ``ea``, ``eb`` are the squared regularisations, ``pa``, ``pb`` the active sets to start from."""
    warm = pa != 0 and pb != 0
    if not warm:
        _, k = support(vert, a0, na, wx, wy, wz)
        pa = k + 1
        _, k = support(vert, b0, nb, -wx, -wy, -wz)
        pb = k + 1
    p, q = count(pa), count(pb)
    inside = False  # whether the scratch holds the weights of a point within the simplices
    accepted = False  # whether x0 ... f hold a minimum over two flats
    new_a = new_b = False  # vertices taken in since, with weight 0
    spare = 0  # slot value of B's newcomer, set aside
    best_a, best_b = pa, pb
    x0 = x1 = x2 = y0 = y1 = y2 = f = 0.0
    w2 = wx * wx + wy * wy + wz * wz
    inv = 1.0 / (1.0 + ea)
    solved = False
    for _ in range(MAX_ITERATIONS):
        ax, ay, az, q1x, q1y, q1z, q2x, q2y, q2z, q3x, q3y, q3z, i1, i2, i3, c12, c13, c23, ok_a = flat(vert, a0, pa, p)
        bx, by, bz, p1x, p1y, p1z, p2x, p2y, p2z, p3x, p3y, p3z, j1, j2, j3, d12, d13, d23, ok = flat(vert, b0, pb, q)
        ok = ok and ok_a
        s1 = s2 = s3 = t1 = t2 = t3 = 0.0
        zx, zy, zz = bx, by, bz
        if ok and q > 1:
            if p == 1:  # the foot of a point on B's flat: its directions are orthogonal
                half = 1.0 / (1.0 + eb)
                rx, ry, rz = wx + ax - (1.0 + eb) * bx, wy + ay - (1.0 + eb) * by, wz + az - (1.0 + eb) * bz
                t1 = (rx * p1x + ry * p1y + rz * p1z) * j1 * half
                t2 = (rx * p2x + ry * p2y + rz * p2z) * j2 * half
                t3 = (rx * p3x + ry * p3y + rz * p3z) * j3 * half
            else:
                t1, t2, t3, ok = point_of_b(
                    wx, wy, wz, ax, ay, az, q1x, q1y, q1z, q2x, q2y, q2z, q3x, q3y, q3z, i1, i2, i3,
                    bx, by, bz, p1x, p1y, p1z, p2x, p2y, p2z, p3x, p3y, p3z, j1, j2, j3, q, ea, eb,
                )  # fmt: skip
            zx += t1 * p1x + t2 * p2x + t3 * p3x
            zy += t1 * p1y + t2 * p2y + t3 * p3y
            zz += t1 * p1z + t2 * p2z + t3 * p3z
        ux, uy, uz = ax, ay, az
        if p > 1:  # the foot of Y on A's flat
            rx, ry, rz = zx - wx - (1.0 + ea) * ax, zy - wy - (1.0 + ea) * ay, zz - wz - (1.0 + ea) * az
            s1 = (rx * q1x + ry * q1y + rz * q1z) * i1 * inv
            s2 = (rx * q2x + ry * q2y + rz * q2z) * i2 * inv
            s3 = (rx * q3x + ry * q3y + rz * q3z) * i3 * inv
            ux += s1 * q1x + s2 * q2x + s3 * q3x
            uy += s1 * q1y + s2 * q2y + s3 * q3y
            uz += s1 * q1z + s2 * q2z + s3 * q3z
        if not ok:
            if not accepted:  # a warm start whose features have become parallel
                _, k = support(vert, a0, na, wx, wy, wz)
                pa = k + 1
                _, k = support(vert, b0, nb, -wx, -wy, -wz)
                pb = k + 1
                p = q = 1
                continue
            # newcomers that depend on the others cannot lower the value: try A's alone, then B's alone, else the minimum before them stands
            if new_a and new_b and ok_a:
                spare = (pb >> (16 * (q - 1))) & SLOT
                q -= 1
                pb &= (1 << (16 * q)) - 1
                new_b = False
                continue
            if new_a:
                p -= 1
                pa &= (1 << (16 * p)) - 1
                new_a = False
                if spare != 0:
                    pb |= spare << (16 * q)
                    q += 1
                    new_b = True
                    spare = 0
                if new_b:
                    continue
            solved = True
            break
        la0, la1, la2, la3 = weights(s1, s2, s3, c12, c13, c23)
        lb0, lb1, lb2, lb3 = weights(t1, t2, t3, d12, d13, d23)
        if lowest(p, la0, la1, la2, la3) > 0.0 and lowest(q, lb0, lb1, lb2, lb3) > 0.0:
            x0, x1, x2, y0, y1, y2 = ux, uy, uz, zx, zy, zz
            best_a, best_b = pa, pb
            accepted = True
            rx, ry, rz = wx + x0 - y0, wy + x1 - y1, wz + x2 - y2
            xx, yy = x0 * x0 + x1 * x1 + x2 * x2, y0 * y0 + y1 * y1 + y2 * y2
            f = rx * rx + ry * ry + rz * rz + ea * xx + eb * yy
            aa, bb = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz
            size = GAP * GAP * (w2 + aa + bb)
            gx, gy, gz = rx + ea * x0, ry + ea * x1, rz + ea * x2
            low, k = support(vert, a0, na, gx, gy, gz)
            gap = gx * x0 + gy * x1 + gz * x2 - low
            i = a0 + k
            k2 = vert[i, 0] * vert[i, 0] + vert[i, 1] * vert[i, 1] + vert[i, 2] * vert[i, 2]
            new_a = gap > 0.0 and gap * gap > size * (aa + k2) and p < 4 and not contains(pa, k)
            gx, gy, gz = eb * y0 - rx, eb * y1 - ry, eb * y2 - rz
            low, m = support(vert, b0, nb, gx, gy, gz)
            gap = gx * y0 + gy * y1 + gz * y2 - low
            i = b0 + m
            k2 = vert[i, 0] * vert[i, 0] + vert[i, 1] * vert[i, 1] + vert[i, 2] * vert[i, 2]
            new_b = gap > 0.0 and gap * gap > size * (bb + k2) and q < 4 and not contains(pb, m)
            if not new_a and not new_b:
                solved = True
                break
            work[AIM], work[AIM + 1], work[AIM + 2], work[AIM + 3] = la0, la1, la2, la3
            work[AIM + 4], work[AIM + 5], work[AIM + 6], work[AIM + 7] = lb0, lb1, lb2, lb3
            pa, p = _grow(work, 0, p, pa, k, new_a)
            pb, q = _grow(work, 4, q, pb, m, new_b)
            inside = True
            spare = 0
            continue
        work[AIM], work[AIM + 1], work[AIM + 2], work[AIM + 3] = la0, la1, la2, la3
        work[AIM + 4], work[AIM + 5], work[AIM + 6], work[AIM + 7] = lb0, lb1, lb2, lb3
        if not inside:  # the weights of a warm start are not known: set out from the middles of its simplices
            for k in range(4):
                work[k] = 1.0 / p
                work[4 + k] = 1.0 / q
            inside = True
        step = step_length(work, 4, q, step_length(work, 0, p, 1.0))
        last_a, last_b = slot(pa, p - 1), slot(pb, q - 1)
        pa, p = move(work, 0, p, pa, step)
        pb, q = move(work, 4, q, pb, step)
        if step > 0.0:
            new_a = new_b = False
        elif new_a or new_b:
            new_a = new_a and slot(pa, p - 1) == last_a
            new_b = new_b and slot(pb, q - 1) == last_b
            if not new_a and not new_b:  # by rounding the newcomers gain nothing: the minimum before them stands
                solved = True
                break
    return f, x0, x1, x2, y0, y1, y2, best_a, best_b, 0 if solved and f < np.inf else 1
