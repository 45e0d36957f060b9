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

from ..compiled.choices import select
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import any_of
from ..compiled.quaternions import body_rate, choose_orientation, circular, exponential, normalised, product, to_world
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
    return select((a <= b) & (a <= c), 2, select(b <= c, 0, 1))


@inlined
def renumbered(third, a):
    """A vector in axes that are numbered anew, cyclically, so that ``third`` becomes 2.

    Args:
        third: number of an axis.
        a: the vector.
    """
    first, second = third == 0, third == 1
    return (
        select(first, a[1], select(second, a[2], a[0])), select(first, a[2], select(second, a[0], a[1])),
        select(first, a[0], select(second, a[1], a[2])),
    )  # fmt: skip


@inlined
def _about_second(q, c, s):
    """The quaternion ``q`` times the rotation about the second body axis whose half angle has the cosine ``c`` and the sine ``s``."""
    return c * q[0] - s * q[2], c * q[1] - s * q[3], c * q[2] + s * q[0], c * q[3] + s * q[1]


@inlined
def _about_third(q, c, s):
    """The same about the third body axis."""
    return c * q[0] - s * q[3], c * q[1] + s * q[2], c * q[2] - s * q[1], c * q[3] + s * q[0]


@inlined
def _turned_about_second(unlike, q, momentum, h, rate):
    """``q`` turned about its second axis, where that is a term of its own, and the half angle's cosine and sine.

    Args:
        unlike: whether it is.
        q: unit quaternion.
        momentum: angular momentum, world frame (kg m^2/s).
        h: half the angle's time (s).
        rate: j_1 - j_t (1/(kg m^2)).
    """
    _, m1, _ = body_rate(q, momentum, (0.0, 1.0, 0.0))
    x = h * rate * m1
    c, s = circular(x * x)
    s *= x
    return choose_orientation(unlike, _about_second(q, c, s), q), c, s


@inlined
def rotate(q, momentum, inverse, dt):
    """Turn a free body by one step; one text for a body and for several in ``lanes``.

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
    some = any_of(unlike)
    m0, _, m2 = body_rate(q, momentum, (1.0, 0.0, 1.0))
    if some:
        q, c, s = _turned_about_second(unlike, q, momentum, h, j1 - jt)
        m2 = select(unlike, (c * c - s * s) * m2 + 2.0 * c * s * m0, m2)
    x = h * (j2 - jt) * m2
    c, s = circular(x * x)
    s *= x
    q = _about_third(q, c, s)
    e = exponential(scale(h * jt, momentum))
    q = product(e, q)
    m1 = 0.0 * m2
    if some:
        _, m1, _ = body_rate(q, momentum, (0.0, 1.0, 0.0))
    w = to_world(q, (0.0, (j1 - jt) * m1, (j2 - jt) * m2))
    q = product(e, _about_third(q, c, s))
    if some:
        q, _, _ = _turned_about_second(unlike, q, momentum, h, j1 - jt)
    return normalised(q), ahead(w, jt, momentum)


@inlined
def turn(q, momentum, inverse, dt):
    """Turn a free body by one step, whichever of its axes is the one apart: a cyclic change of all axes leaves the formulas alone.

    Args:
        q: unit quaternion, body to world.
        momentum: angular momentum, world frame (kg m^2/s), which does not change.
        inverse: one over each principal moment (1/(kg m^2)).
        dt: time step (s).

    Returns:
        quaternion after the step; angular velocity in the middle of it, world frame (rad/s).
    """
    z = third_axis(inverse)
    a = renumbered(z, (q[1], q[2], q[3]))
    q, w = rotate((q[0], a[0], a[1], a[2]), renumbered(z, momentum), renumbered(z, inverse), dt)
    back = select(z == 2, 2, 1 - z)  # one place on is undone by two
    a = renumbered(back, (q[1], q[2], q[3]))
    return (q[0], a[0], a[1], a[2]), renumbered(back, w)
