"""Tangential force of a linear spring with a damper under Coulomb's limit, and what other tangential laws share with it."""

from __future__ import annotations

from ..compiled.choices import larger, root, select, smaller
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import seldom
from ..compiled.vectors import add, ahead, behind, choose, dot, scale, square
from .quantities import Tangential


@inlined
def damped_spring(normal, pull):
    """Where the total force would exceed the limit it is cut to it, and the spring is reset so that spring and damper together give as much.

    Args:
        normal: ``NormalForce`` of the contact.
        pull: ``Pull``.

    Returns:
        the ``Tangential``.
    """
    spring = add(pull.spring, pull.more)
    drag = ahead(spring, normal.ct, pull.slip)
    slips = square(drag) > pull.limit * pull.limit
    if seldom(slips):
        cut = ahead(drag, select(pull.in_the_middle, weight(pull.spring, pull.more, pull.limit), 0.0), pull.more)
        size2 = square(cut)
        cut = scale(pull.limit * root(size2) * (1.0 / size2), cut)  # the division does not wait for the root
        drag, spring = choose(slips, cut, drag), choose(slips, behind(cut, normal.ct, pull.slip), spring)
    return Tangential(drag, spring, pull.own)


@inlined
def weight(carried, more, limit):
    """By how much more the increment of a spring that slips counts.

    The direction of slip, theta' = -(kt v/limit) sin theta, is of second order when the increment is weighed with the limit in the middle of the step
    and with its own turn. The former, 2 |carried|/(|carried| + limit), is taken to first order in |carried|^2/limit^2 - 1, as small as the step.

    Args:
        carried: the spring's force before the step, in the new tangent plane (N).
        more: its increment (N).
        limit: the length to which the sum is cut (N).
    """
    a2, along = square(carried), dot(carried, more)
    out = smaller(larger(0.75 + 0.25 * (a2 / (limit * limit)), 0.8), 1.25) * (1.0 + 0.5 * along / a2)
    return select(4.0 * abs(along) < a2, out - 1.0, 0.0)
