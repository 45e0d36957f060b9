"""A grain that meets a wall: how the two move where they touch, and what the wall feels of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import select
from ..compiled.fixedpoint import carry, deposit_nearest
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import any_of
from ..compiled.vectors import add, behind, choose, columns, cross, dot, row, scale, subtract
from ..contacts.dispatch import keeps_arms
from ..laws.slider import middle_normal
from .motion.driven import turns
from .motion.rows import CENTRE


class Meeting(NamedTuple):
    """Where a grain meets a wall; or several in lanes.

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


class GrainMotion(NamedTuple):
    """Where a grain is and how it moves; or several in lanes.

    Attributes:
        x: its centre (m).
        v: velocity (m/s).
        w: angular velocity (rad/s).
    """

    x: Any
    v: Any
    w: Any


class WallMotion(NamedTuple):
    """How a wall moves; or several in lanes.

    Attributes:
        velocity: of its point (m/s).
        shift: mean displacement of its point in the steps around (m).
        turns: whether it turns; the rest is zero otherwise.
        spin: angular velocity (rad/s).
        turn: mean turn in the steps around (rad).
        centre: a point of the axis (m).
    """

    velocity: Any
    shift: Any
    turns: Any
    spin: Any
    turn: Any
    centre: Any


class Before(NamedTuple):
    """How a grain and a wall met in the step before, or several in lanes.

    Attributes:
        normal: unit normal.
        arm: vector from the grain's centre to the contact point (m); zero where histories do not hold it.
        lever: half-length of the contact zone (m); zero where histories do not hold it.
    """

    normal: Any
    arm: Any
    lever: Any


@inlined
def motions_of(walls, g, i, k):
    """The ``GrainMotion`` and the ``WallMotion`` of a candidate.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.
    """
    pose, motion = walls.pose, walls.motion
    wall = WallMotion(
        columns(pose, k, 3), columns(pose, k, 6), turns(motion, k), columns(pose, k, 12), columns(pose, k, 15), columns(motion, k, CENTRE)
    )  # fmt: skip
    return GrainMotion(row(g.x, i), row(g.v, i), row(g.w, i)), wall


@inlined
def seen_from(grain, wall, arm, lag):
    """How a wall moves as seen from a point of a grain; one text for a contact and for several in lanes.

    Args:
        grain: ``GrainMotion``.
        wall: ``WallMotion``.
        arm: the point relative to the grain's centre as it was ``lag`` before (m).
        lag: how long before the end of the step (s).

    Returns:
        velocity of the wall relative to the grain's material point (m/s), mean displacement of the wall's point (m), spin of the grain relative to
        the wall (rad/s).
    """
    spin, shift = grain.w, wall.shift
    velocity = subtract(subtract(wall.velocity, grain.v), cross(spin, arm))
    if any_of(wall.turns):
        # the domain has no period across the axis: there is no image to look for
        u = subtract(add(behind(grain.x, lag, grain.v), arm), wall.centre)
        velocity = choose(wall.turns, add(velocity, cross(wall.spin, u)), velocity)
        shift = choose(wall.turns, add(shift, cross(wall.turn, u)), shift)
        spin = choose(wall.turns, subtract(spin, wall.spin), spin)
    return velocity, shift, spin


@inlined
def relative_motion(walls, g, i, k, arm, lag):
    """How a wall moves as seen from a point of a grain; see `seen_from`.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the wall.
        arm: the point relative to the grain's centre as it was ``lag`` before (m).
        lag: how long before the end of the step (s).
    """
    grain, wall = motions_of(walls, g, i, k)
    return seen_from(grain, wall, arm, lag)


@inlined
def passes_through(size, normal, velocity, dt):
    """Whether a core goes through a thin wall within a step, or has just done so: on the other side, no distance is too small.

    One text for a contact and for several in lanes.

    Args:
        size: how far the core is from the wall (m).
        normal: unit normal.
        velocity: relative velocity at the end of the step (m/s).
        dt: time step (s).
    """
    return size < abs(dot(normal, velocity)) * dt


@inlined
def motion_in_the_middle(m, bodies, arms, levers, seen, before, loop):
    """Normal, motion and zone in the middle of the step, where velocities belong; those at its end where the contact is new, or they belong there.

    One text for a contact and for several in lanes.

    Args:
        m: `Meeting`.
        bodies: ``GrainMotion``, ``WallMotion``.
        arms: vector from the grain's centre to the contact point (m), how far the contact point lies from the core (m).
        levers: half-length of the zone (m).
        seen: velocity at the end of the step, as ``seen_from`` gives it (m/s).
        before: `Before`.
        loop: `WallLoop`.

    Returns:
        normal, velocity (m/s), lever (m).
    """
    settings, (grain, wall), (arm, out) = loop.settings, bodies, arms
    lag, known = 0.5 * settings.dt, m.touching & settings.midstep
    middle = middle_normal(before.normal, m.normal, known)
    if keeps_arms(loop.interaction):
        levers = select(known, 0.5 * (before.lever + levers), levers)
        arm = scale(0.5, add(before.arm, arm))
    else:
        arm = scale(out - 0.5 * lag * dot(m.normal, seen), middle)  # the overlap was less by lag times its rate
    return middle, choose(known, seen_from(grain, wall, arm, lag)[0], seen), levers


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
