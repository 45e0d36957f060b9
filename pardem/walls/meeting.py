"""A grain that meets a wall: how the two move where they touch, and what the wall feels of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.fixedpoint import carry, deposit_nearest
from ..compiled.jit import inlined
from ..compiled.vectors import add, behind, columns, cross, dot, row, subtract
from .motion.driven import turns
from .motion.rows import CENTRE


class Meeting(NamedTuple):
    """Where a grain meets a wall.

    Attributes:
        p: the candidate.
        i: row of the grain.
        k: the wall.
        there: whether the wall is, in this stage.
        touching: whether they touched in the step before.
        changes: whether the wall has just vanished or appeared, and takes along or puts in what the contact holds.
        distance: (regularised) distance (m).
        x: point of the core relative to the grain's centre (m).
        normal: unit normal from it to the wall's surface.
        slope: d(overlap)/dt over -n . v.
    """

    p: Any
    i: Any
    k: Any
    there: Any
    touching: Any
    changes: Any
    distance: Any
    x: Any
    normal: Any
    slope: Any


@inlined
def relative_motion(walls, g, i, k, arm, lag):
    """How a wall moves as seen from a point of a grain.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.
        arm: the point relative to the grain's centre as it was ``lag`` before (m).
        lag: how long before the end of the step (s).

    Returns:
        velocity of the wall relative to the grain's material point (m/s), mean displacement of the wall's point (m), spin of the grain relative to
        the wall (rad/s).
    """
    spin = row(g.w, i)
    velocity = subtract(subtract(columns(walls.pose, k, 3), row(g.v, i)), cross(spin, arm))
    shift = columns(walls.pose, k, 6)
    if turns(walls.motion, k):
        # the domain has no period across the axis: there is no image to look for
        u = subtract(add(behind(row(g.x, i), lag, row(g.v, i)), arm), columns(walls.motion, k, CENTRE))
        velocity = add(velocity, cross(columns(walls.pose, k, 12), u))
        shift = add(shift, cross(columns(walls.pose, k, 15), u))
        spin = subtract(spin, columns(walls.pose, k, 12))
    return velocity, shift, spin


@inlined
def react(loop, i, k, arm, force, moment):
    """Add the reaction to what a wall bears, force and torque about the wall's point, rounded as what the grain receives.

    Args:
        loop: `WallLoop`.
        i: row of the grain.
        k: the wall.
        arm: vector from the grain's centre to the contact point (m).
        force: force on the grain (N).
        moment: couple on the grain (N m).
    """
    walls, g, settings = loop.walls, loop.g, loop.settings
    at = subtract(add(row(g.x, i), arm), row(walls.shape, k))
    torque = add(cross(at, force), moment)
    inv_force, inv_torque, reaction = 1.0 / settings.force, 1.0 / settings.torque, walls.reaction[k]
    deposit_nearest(reaction, 0, -force[0] * inv_force)
    deposit_nearest(reaction, 1, -force[1] * inv_force)
    deposit_nearest(reaction, 2, -force[2] * inv_force)
    deposit_nearest(reaction, 3, -torque[0] * inv_torque)
    deposit_nearest(reaction, 4, -torque[1] * inv_torque)
    deposit_nearest(reaction, 5, -torque[2] * inv_torque)
    carry(reaction)


@inlined
def along(loop, i, k, x, normal):
    """How a wall moves along its normal as seen from a point of a grain; see `relative_motion`.

    Args:
        loop: `WallLoop`.
        i: row of the grain.
        k: the wall.
        x: the point relative to the grain's centre (m).
        normal: unit normal.

    Returns:
        relative velocity (m/s) and mean displacement of the wall (m), along the normal.
    """
    velocity, shift, _ = relative_motion(loop.walls, loop.g, i, k, x, 0.0)
    return dot(normal, velocity), dot(normal, shift)
