"""Motion of walls: prescribed ones are functions of the step number alone, so that they are the same after any restart; servo walls (``servo``) keep
their place in their row, which checkpoints hold.
"""

from __future__ import annotations

import math

from ...compiled.jit import kernel
from ...compiled.quaternions import to_world
from ...compiled.vectors import ZERO, add, ahead, columns, length, over, put_columns, scale, subtract

FIXED, SINUSOIDAL, VELOCITY, ROTATION, SERVO = 0, 1, 2, 3, 4
# Columns of a row of ``motion``. Of all kinds: kind; amplitude (m), speed (m/s) or angular speed (rad/s); angular frequency; phase (rad); first and
# last step; direction or axis of rotation (3); offset (3) and angle (rad) of what came before; a point of the axis (3)
KIND, SIZE, FREQUENCY, PHASE, FIRST, LAST, DIRECTION, OFFSET, ANGLE, CENTRE = 0, 1, 2, 3, 4, 5, 6, 9, 12, 13
# distance of the furthest point from the axis (m); of servo walls: furthest that they may move in one step (m)
REACH = 16
# Of servo walls: mass (kg), damping (N s/m), force (N), pressure (Pa), area (m^2) or two pairs of walls that span it, constant velocity (3)
MASS, DAMPING, FORCE, PRESSURE, AREA, SPAN, SLIDE = 17, 18, 19, 20, 21, 22, 26
# and their state: place (m) and speed (m/s) along the direction, force of the grains along it (N), last move (m)
PLACE, SPEED, LOAD, MOVED = 29, 30, 31, 32
WORK = 33  # of any wall: work on the grains that is not booked contact by contact (J)
MOTION = 34


@kernel
def _run(motion, k, step):
    """Steps since the motion of wall ``k`` began."""
    return max(0.0, min(float(step), motion[k, LAST]) - motion[k, FIRST])


@kernel
def displacement(motion, k, step, dt):
    """Displacement of a wall at a step, before it is turned; of a servo wall at the present step only.

    a (sin(omega t + phase) - sin(phase)), speed t, or a servo's place along the direction, and its constant velocity times t; t from the first step.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
        step: number of the step.
        dt: time step (s).

    Returns:
        vector (m).
    """
    kind = int(motion[k, KIND])
    run = _run(motion, k, step)
    along, slide = 0.0, 0.0
    if kind == SERVO:
        along, slide = motion[k, PLACE], run * dt
    elif run > 0.0:
        t = run * dt
        if kind == SINUSOIDAL:
            along = motion[k, SIZE] * (math.sin(motion[k, FREQUENCY] * t + motion[k, PHASE]) - math.sin(motion[k, PHASE]))
        elif kind == VELOCITY:
            along = motion[k, SIZE] * t
    return ahead(ahead(columns(motion, k, OFFSET), along, columns(motion, k, DIRECTION)), slide, columns(motion, k, SLIDE))


@kernel
def turn_angle(motion, k, step, dt):
    """Angle (rad) by which wall ``k`` is turned at a step."""
    return motion[k, ANGLE] + (motion[k, SIZE] * _run(motion, k, step) * dt if motion[k, KIND] == ROTATION else 0.0)


@kernel
def turns(motion, k):
    """Whether wall ``k`` turns or is turned."""
    return motion[k, KIND] == ROTATION or motion[k, ANGLE] != 0.0


@kernel
def top_speed(motion, k):
    """Bound on the speed (m/s) at which points of wall ``k`` move so that lists go stale; sinusoidal walls have their whole way in them."""
    kind = int(motion[k, KIND])
    if kind == VELOCITY:
        return abs(motion[k, SIZE])
    if kind == ROTATION:
        return abs(motion[k, SIZE]) * motion[k, REACH]
    if kind == SERVO:
        return abs(motion[k, SPEED]) + length(columns(motion, k, SLIDE))
    return 0.0


@kernel
def place_walls(walls, step, dt):
    """Pose of all walls at a step: displacement of the point, half-step velocity, the mean displacement of the steps around (for the work), normal,
    half-step angular velocity, mean turn of the steps around, quaternion of the turn. What a servo moves is not in the mean displacement (``servo``).

    Args:
        walls: `state.Walls`, of which ``pose`` is filled and ``reaction`` is cleared.
        step: number of the step.
        dt: time step (s).
    """
    motion, pose = walls.motion, walls.pose
    for k in range(walls.kind.shape[0]):
        here = displacement(motion, k, step, dt)
        put_columns(pose, k, 0, here)
        if motion[k, KIND] == SERVO:
            r0, r1, r2 = _run(motion, k, step - 1), _run(motion, k, step), _run(motion, k, step + 1)
            slide = columns(motion, k, SLIDE)
            pushed = over(scale(motion[k, MOVED], columns(motion, k, DIRECTION)), dt)
            put_columns(pose, k, 3, ahead(pushed, r1 - r0, slide))
            put_columns(pose, k, 6, scale(0.5 * (r2 - r0) * dt, slide))
        else:
            before, after = displacement(motion, k, step - 1, dt), displacement(motion, k, step + 1, dt)
            put_columns(pose, k, 3, over(subtract(here, before), dt))
            put_columns(pose, k, 6, scale(0.5, subtract(after, before)))
        put_columns(pose, k, 9, columns(walls.shape, k, 3))
        put_columns(pose, k, 12, ZERO)
        put_columns(pose, k, 15, ZERO)
        pose[k, 18], pose[k, 19], pose[k, 20], pose[k, 21] = 1.0, 0.0, 0.0, 0.0
        if turns(motion, k):
            _turn(walls, k, step, dt)
        walls.reaction[k] = 0


@kernel
def _turn(walls, k, step, dt):
    """Turn the pose of a wall about its axis."""
    motion, pose = walls.motion, walls.pose
    before, angle, after = turn_angle(motion, k, step - 1, dt), turn_angle(motion, k, step, dt), turn_angle(motion, k, step + 1, dt)
    axis = columns(motion, k, DIRECTION)
    x, y, z = scale(math.sin(0.5 * angle), axis)
    q = math.cos(0.5 * angle), x, y, z
    arm = subtract(add(columns(walls.shape, k, 0), columns(pose, k, 0)), columns(motion, k, CENTRE))
    put_columns(pose, k, 0, add(columns(pose, k, 0), subtract(to_world(q, arm), arm)))
    put_columns(pose, k, 9, to_world(q, columns(walls.shape, k, 3)))
    put_columns(pose, k, 12, scale((angle - before) / dt, axis))
    put_columns(pose, k, 15, scale(0.5 * (after - before), axis))
    pose[k, 18], pose[k, 19], pose[k, 20], pose[k, 21] = q
