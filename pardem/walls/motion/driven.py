"""Motion of walls: prescribed ones are functions of the step number alone, so that they are the same after any restart; servo walls (``plates``) keep
their place in their row, which checkpoints hold.
"""

from __future__ import annotations

import math

from ...compiled.jit import inlined, kernel
from ...compiled.quaternions import to_world
from ...compiled.vectors import ZERO, add, ahead, columns, over, put_columns, scale, subtract
from .registry import RESTING, TURNING, along, top_speed_of, turned
from .rows import ANGLE, CENTRE, DIRECTION, KIND, MOVED, OFFSET, SLIDE, is_pushed, steps_since


@kernel
def displacement(motion, k, step, dt):
    """Displacement of a wall at a step, before it is turned; of a servo wall at the present step only.

    What came before, the way along its direction, and a servo's constant velocity times t; t from the first step.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
        step: number of the step.
        dt: time step (s).

    Returns:
        vector (m).
    """
    steps = steps_since(motion, k, step)
    way = along(int(motion[k, KIND]), motion, k, steps, dt)
    return ahead(ahead(columns(motion, k, OFFSET), way, columns(motion, k, DIRECTION)), steps * dt, columns(motion, k, SLIDE))


@kernel
def turn_angle(motion, k, step, dt):
    """Angle by which a wall is turned at a step (rad).

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
        step: number of the step.
        dt: time step (s).
    """
    return motion[k, ANGLE] + turned(int(motion[k, KIND]), motion, k, steps_since(motion, k, step), dt)


@kernel
def turns(motion, k):
    """Whether a wall turns or is turned.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
    """
    return TURNING[int(motion[k, KIND])] or motion[k, ANGLE] != 0.0


@inlined
def rests(motion, k):
    """Whether a wall is at rest: its motion keeps it where it is.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
    """
    return RESTING[int(motion[k, KIND])]


@kernel
def top_speed(motion, k):
    """Bound on the speed at which points of a wall leave the reach of its lists (m/s); the lists of sinusoidal walls allow for their whole way.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
    """
    return top_speed_of(int(motion[k, KIND]), motion, k)


@kernel
def place_walls(walls, step, dt):
    """Pose of all walls at a step: displacement of the point, half-step velocity, the mean displacement of the steps around (for the work), normal,
    half-step angular velocity, mean turn of the steps around, quaternion of the turn. What servos move is not in the mean displacement (``plates``).

    Args:
        walls: `state.Walls`, of which ``pose`` is filled and ``reaction`` is cleared.
        step: number of the step.
        dt: time step (s).
    """
    motion, pose = walls.motion, walls.pose
    for k in range(walls.kind.shape[0]):
        here = displacement(motion, k, step, dt)
        put_columns(pose, k, 0, here)
        if is_pushed(motion, k):
            r0, r1, r2 = steps_since(motion, k, step - 1), steps_since(motion, k, step), steps_since(motion, k, step + 1)
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
