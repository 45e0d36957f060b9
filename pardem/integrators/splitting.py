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

from ..compiled.jit import inlined
from ..compiled.quaternions import body_rate, circular, exponential, normalised, product, to_world
from ..compiled.vectors import ahead, scale


@inlined
def third_axis(inverse):
    """Find the axis whose inverse moment of inertia differs most from the other two.

    Args:
        inverse: one over each principal moment (1/(kg m^2)).

    Returns:
        Number of the axis; 2 if all moments are equal.
    """
    a, b, c = abs(inverse[0] - inverse[1]), abs(inverse[1] - inverse[2]), abs(inverse[2] - inverse[0])
    if a <= b and a <= c:
        return 2
    return 0 if b <= c else 1


@inlined
def _about_second(q, c, s):
    """The quaternion ``q`` times the rotation about the second body axis whose half angle has the cosine ``c`` and the sine ``s``."""
    return c * q[0] - s * q[2], c * q[1] - s * q[3], c * q[2] + s * q[0], c * q[3] + s * q[1]


@inlined
def _about_third(q, c, s):
    """The same about the third body axis."""
    return c * q[0] - s * q[3], c * q[1] + s * q[2], c * q[2] - s * q[1], c * q[3] + s * q[0]


@inlined
def rotate(q, momentum, inverse, dt):
    """Turn a free body by one step.

    Args:
        q: unit quaternion, body to world.
        momentum: angular momentum, world frame (kg m^2/s), which does not change.
        inverse: j_t, j_1, j_2, one over each principal moment (1/(kg m^2)); the third is that of the axis apart.
        dt: time step (s).

    Returns:
        quaternion after the step; angular velocity in the middle of it, world frame (rad/s).
    """
    jt, j1, j2 = inverse
    h = 0.25 * dt  # half the angle of half a step
    unlike = j1 != jt
    _, m1, m2 = body_rate(q, momentum, (0.0, 1.0, 1.0))
    if unlike:
        m0, _, _ = body_rate(q, momentum, (1.0, 0.0, 0.0))
        x = h * (j1 - jt) * m1
        c, s = circular(x * x)
        s *= x
        q = _about_second(q, c, s)
        m2 = (c * c - s * s) * m2 + 2.0 * c * s * m0
    x = h * (j2 - jt) * m2
    c, s = circular(x * x)
    s *= x
    q = _about_third(q, c, s)
    e = exponential(scale(h * jt, momentum))
    q = product(e, q)
    if unlike:
        _, m1, _ = body_rate(q, momentum, (0.0, 1.0, 0.0))
        w = to_world(q, (0.0, (j1 - jt) * m1, (j2 - jt) * m2))
    else:
        w = to_world(q, (0.0, 0.0, (j2 - jt) * m2))
    q = product(e, _about_third(q, c, s))
    if unlike:
        _, m1, _ = body_rate(q, momentum, (0.0, 1.0, 0.0))
        x = h * (j1 - jt) * m1
        c, s = circular(x * x)
        s *= x
        q = _about_second(q, c, s)
    return normalised(q), ahead(w, jt, momentum)
