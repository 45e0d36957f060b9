"""Free rotation of a rigid body by splitting its kinetic energy: symplectic, reversible, and exact for bodies of revolution.

With the inverse principal moments j_t and j_1 of two axes, j_2 of the third, and the body-frame angular momentum l,

    H = j_t |l|^2 / 2  +  (j_2 - j_t) l_2^2 / 2  +  (j_1 - j_t) l_1^2 / 2,

the flow of each term is a rotation by a constant vector: about the angular momentum in space, about the third and about the second body axis.
The first commutes with the others; these follow each other as half, whole, half. The axes are numbered so that j_t and j_1 are the two most
alike: the last term, which alone makes an error, is least then, and nothing for bodies of revolution. The energy error stays bounded however
long the run.

Splitting off a symmetric top: A. Dullweber, B. Leimkuhler and R. McLachlan, J. Chem. Phys. 107 (1997) 5840; F. Fasso, J. Comput. Phys. 189
(2003) 527.
"""

from __future__ import annotations

from .._jit import inlined
from .rotation import body_rate, circular, exponential, normalised, product, to_world


@inlined
def third_axis(j0, j1, j2):
    """The number of the axis whose inverse moment differs most from the other two (2 where all are alike)."""
    a, b, c = abs(j0 - j1), abs(j1 - j2), abs(j2 - j0)
    if a <= b and a <= c:
        return 2
    return 0 if b <= c else 1


@inlined
def rotate(q0, q1, q2, q3, lx, ly, lz, jt, j1, j2, dt):
    """Turn a free body by one step.

    Args:
        q0 ... q3: unit quaternion, body to world. lx, ly, lz: angular momentum, world frame (kg m^2/s), which does not change.
        jt, j1, j2: inverse principal moments about body x, y, z (1/(kg m^2)); the third is that of the axis apart. dt: time step (s).

    Returns:
        quaternion after the step; angular velocity in the middle of it, world frame (rad/s).
    """
    h = 0.25 * dt  # half the angle of half a step
    unlike = j1 != jt
    _, m1, m2 = body_rate(q0, q1, q2, q3, lx, ly, lz, 0.0, 1.0, 1.0)
    if unlike:
        m0, _, _ = body_rate(q0, q1, q2, q3, lx, ly, lz, 1.0, 0.0, 0.0)
        x = h * (j1 - jt) * m1
        c, s = circular(x * x)
        s *= x
        q0, q1, q2, q3 = c * q0 - s * q2, c * q1 - s * q3, c * q2 + s * q0, c * q3 + s * q1
        m2 = (c * c - s * s) * m2 + 2.0 * c * s * m0
    x = h * (j2 - jt) * m2
    c, s = circular(x * x)
    s *= x
    q0, q1, q2, q3 = c * q0 - s * q3, c * q1 + s * q2, c * q2 - s * q1, c * q3 + s * q0
    e0, e1, e2, e3 = exponential(h * jt * lx, h * jt * ly, h * jt * lz)
    q0, q1, q2, q3 = product(e0, e1, e2, e3, q0, q1, q2, q3)
    if unlike:
        _, m1, _ = body_rate(q0, q1, q2, q3, lx, ly, lz, 0.0, 1.0, 0.0)
        wx, wy, wz = to_world(q0, q1, q2, q3, 0.0, (j1 - jt) * m1, (j2 - jt) * m2)
    else:
        wx, wy, wz = to_world(q0, q1, q2, q3, 0.0, 0.0, (j2 - jt) * m2)
    q0, q1, q2, q3 = c * q0 - s * q3, c * q1 + s * q2, c * q2 - s * q1, c * q3 + s * q0
    q0, q1, q2, q3 = product(e0, e1, e2, e3, q0, q1, q2, q3)
    if unlike:
        _, m1, _ = body_rate(q0, q1, q2, q3, lx, ly, lz, 0.0, 1.0, 0.0)
        x = h * (j1 - jt) * m1
        c, s = circular(x * x)
        s *= x
        q0, q1, q2, q3 = c * q0 - s * q2, c * q1 - s * q3, c * q2 + s * q0, c * q3 + s * q1
    q0, q1, q2, q3 = normalised(q0, q1, q2, q3)
    return q0, q1, q2, q3, jt * lx + wx, jt * ly + wy, jt * lz + wz
