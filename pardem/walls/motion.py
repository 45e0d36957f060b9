"""Motion of walls: prescribed ones are functions of the step number alone, so that they are the same after any restart; servo walls (``servo``) keep
their place in their row, which checkpoints hold.
"""

from __future__ import annotations

import math

import numpy as np

from .._jit import kernel
from ..integrators.rotation import to_world

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
    """Displacement (m) of wall ``k`` at a step, before it is turned; of a servo wall at the present step only.

    a (sin(omega t + phase) - sin(phase)), speed t, or a servo's place along the direction, and its constant velocity times t; t from the first step.
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
    return (
        motion[k, OFFSET] + along * motion[k, DIRECTION] + slide * motion[k, SLIDE],
        motion[k, OFFSET + 1] + along * motion[k, DIRECTION + 1] + slide * motion[k, SLIDE + 1],
        motion[k, OFFSET + 2] + along * motion[k, DIRECTION + 2] + slide * motion[k, SLIDE + 2],
    )


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
        x, y, z = motion[k, SLIDE], motion[k, SLIDE + 1], motion[k, SLIDE + 2]
        return abs(motion[k, SPEED]) + np.sqrt(x * x + y * y + z * z)
    return 0.0


@kernel
def place_walls(walls, step, dt):
    """Pose of all walls at a step: displacement of the point, half-step velocity, the mean displacement of the steps around (for the work), normal,
    half-step angular velocity, mean turn of the steps around, quaternion of the turn. What a servo moves is not in the mean displacement (``servo``).
    """
    motion = walls.motion
    for k in range(walls.kind.shape[0]):
        shape, pose = walls.shape[k], walls.pose[k]
        x1, y1, z1 = displacement(motion, k, step, dt)
        pose[0], pose[1], pose[2] = x1, y1, z1
        if motion[k, KIND] == SERVO:
            r0, r1, r2 = _run(motion, k, step - 1), _run(motion, k, step), _run(motion, k, step + 1)
            for c in range(3):
                pose[3 + c] = motion[k, DIRECTION + c] * motion[k, MOVED] / dt + motion[k, SLIDE + c] * (r1 - r0)
                pose[6 + c] = motion[k, SLIDE + c] * (0.5 * (r2 - r0) * dt)
        else:
            x0, y0, z0 = displacement(motion, k, step - 1, dt)
            x2, y2, z2 = displacement(motion, k, step + 1, dt)
            pose[3], pose[4], pose[5] = (x1 - x0) / dt, (y1 - y0) / dt, (z1 - z0) / dt
            pose[6], pose[7], pose[8] = 0.5 * (x2 - x0), 0.5 * (y2 - y0), 0.5 * (z2 - z0)
        pose[9], pose[10], pose[11] = shape[3], shape[4], shape[5]
        for c in range(12, 22):
            pose[c] = 0.0
        pose[18] = 1.0
        if turns(motion, k):
            _turn(motion, k, step, dt, shape, pose)
        walls.reaction[k] = 0


@kernel
def _turn(motion, k, step, dt, shape, pose):
    """Turn the pose of a wall about its axis."""
    a0, a1, a2 = turn_angle(motion, k, step - 1, dt), turn_angle(motion, k, step, dt), turn_angle(motion, k, step + 1, dt)
    s = math.sin(0.5 * a1)
    q0, q1, q2, q3 = math.cos(0.5 * a1), s * motion[k, DIRECTION], s * motion[k, DIRECTION + 1], s * motion[k, DIRECTION + 2]
    rx, ry, rz = (shape[0] + pose[0] - motion[k, CENTRE], shape[1] + pose[1] - motion[k, CENTRE + 1], shape[2] + pose[2] - motion[k, CENTRE + 2])
    tx, ty, tz = to_world(q0, q1, q2, q3, rx, ry, rz)
    pose[0] += tx - rx
    pose[1] += ty - ry
    pose[2] += tz - rz
    pose[9], pose[10], pose[11] = to_world(q0, q1, q2, q3, shape[3], shape[4], shape[5])
    for c in range(3):
        pose[12 + c] = motion[k, DIRECTION + c] * ((a1 - a0) / dt)
        pose[15 + c] = motion[k, DIRECTION + c] * (0.5 * (a2 - a0))
    pose[18], pose[19], pose[20], pose[21] = q0, q1, q2, q3
