"""The normal law and Coulomb friction with history: what is the same for all laws.

The spring is carried to the new tangent plane by the rotation that takes the old normal to the new one, then turned by the bodies' mean spin about
the normal. It grows by kt v_t dt with everything taken in the middle of the step, where leap-frog has its velocities: normal, contact point,
stiffness; the increment is turned by the half of the step that is left. In the step of its birth a contact has lasted as long as its overlap took to
grow. So the spring is of second order in dt; with gear4, whose velocities are those of the step's end, everything is taken there: first order.
What the spring gives, and where it yields and slips, is up to the law (``law.tangential``); the direction of slip is of second order too.

There is no branch that matters, and one division serves several quotients where it can: batches of contacts are computed with vector instructions.
"""

from __future__ import annotations

from ..compiled.choices import inverse_root, larger, select, smaller
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import seldom
from ..compiled.vectors import ZERO, add, ahead, behind, choose, cross, dot, scale, square
from .law import mean_stiffness, normal_force, tangential
from .quantities import Pull, Response


@inlined
def middle_normal(before, now, known):
    """The unit normal halfway between those of the step before and of this one.

    Args:
        before: unit normal of the step before.
        now: unit normal of this step.
        known: whether there is one before; otherwise the result is that of this step.
    """
    middle = add(before, now)
    middle = scale(inverse_root(square(middle)), middle)
    if seldom(not known):
        middle = choose(known, middle, now)
    return middle


@inlined
def carry_spring(spring, old, new, turn):
    """A tangential force in the plane of the normal ``old``, taken to the plane of ``new`` and turned by ``turn`` (rad) about it.

    The rotation is exact, in rational form: cos = (1 - s^2)/(1 + s^2), sin = 2 s/(1 + s^2) with s = tan(turn/2) ~ turn/2.

    Args:
        spring: the tangential force (N).
        old: unit normal of the step before.
        new: unit normal of this step.
        turn: mean rotation of the bodies about it (rad).
    """
    s = 0.5 * turn
    s2 = s * s
    facing = 1.0 + dot(new, old)
    inv = 1.0 / (facing * (1.0 + s2))
    force = behind(spring, dot(new, spring) * inv * (1.0 + s2), add(old, new))
    inv *= facing
    return ahead(scale((1.0 - s2) * inv, force), 2.0 * s * inv, cross(new, force))


@inlined
def spring_and_slider(law, material, geometry, motion, past):
    """Normal law and Coulomb friction of one contact: values in, values out.

    Args:
        law: for its type.
        material: ``quantities.PairMaterial``.
        geometry: ``quantities.Geometry``.
        motion: ``quantities.Motion``.
        past: ``quantities.Past``.

    Returns:
        the ``quantities.Response``.
    """
    overlap, normal, middle, slope = geometry
    velocity, turn, dt, lag = motion
    closing = dot(middle, velocity)
    rate = -slope * closing
    memory = select(past.alive, past.memory, 0.0)
    n = normal_force(law, material.numbers, overlap, rate, material.mass, material.radius, memory)
    # from the middle plane to that of the end: second order asks for no more than a projection, which does not wait for the one before
    slip = behind(velocity, closing, middle)
    across = cross(normal, slip)
    slip = behind(slip, dot(normal, velocity) - closing * dot(normal, middle), normal)
    carried = choose(past.alive, carry_spring(past.spring, past.normal, normal, turn), ZERO)
    in_the_middle = lag > 0.0
    known = past.alive | (not in_the_middle)
    share = select(known, 1.0, 0.0)
    if seldom(not known):  # a contact is born where its overlap began to grow in this step; else it was made with its overlap, and begins now
        since = overlap / (rate * dt)
        share = select(known, 1.0, select((since > 0.0) & (since < 2.0), smaller(since, 1.0), 0.0))
    mean = mean_stiffness(law, material.numbers, n, memory) if in_the_middle else n.kt
    grow = mean * share
    more = scale(grow * dt, ahead(slip, 0.5 * turn, across))
    own = choose(past.alive, carry_spring(past.own, past.normal, normal, turn), ZERO)
    limit = material.friction * larger(n.force, 0.0) * slope  # force times slope: what acts along the normal
    t = tangential(law, material.numbers, n, Pull(carried, own, more, slip, limit, in_the_middle))
    return Response(n.force, t.drag, t.spring, slip, rate, grow, n, t.own)
