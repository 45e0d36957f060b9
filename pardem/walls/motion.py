"""Motion of walls: displacement as a function of the step number alone, so that it is the same after any restart.

A row of ``motion`` holds: kind, amplitude (m) or speed (m/s), angular frequency (rad/s), phase (rad), first step, last step, direction (3),
offset (3) of what came before.
"""

from __future__ import annotations

import math

from .._jit import kernel

FIXED, SINUSOIDAL, VELOCITY = 0, 1, 2
MOTION = 12


@kernel
def displacement(motion, k, step, dt):
    """Displacement (m) of wall ``k`` at a step: a (sin(omega t + phase) - sin(phase)) or speed t along the direction, t from its first step."""
    kind = int(motion[k, 0])
    run = min(float(step), motion[k, 5]) - motion[k, 4]
    along = 0.0
    if run > 0.0:
        t = run * dt
        if kind == SINUSOIDAL:
            along = motion[k, 1] * (math.sin(motion[k, 2] * t + motion[k, 3]) - math.sin(motion[k, 3]))
        elif kind == VELOCITY:
            along = motion[k, 1] * t
    return (
        motion[k, 9] + along * motion[k, 6],
        motion[k, 10] + along * motion[k, 7],
        motion[k, 11] + along * motion[k, 8],
    )


@kernel
def place_walls(walls, step, dt):
    """Pose of all walls at a step: displacement, half-step velocity, and the mean displacement of the steps around it (for the work)."""
    for k in range(walls.kind.shape[0]):
        x0, y0, z0 = displacement(walls.motion, k, step - 1, dt)
        x1, y1, z1 = displacement(walls.motion, k, step, dt)
        x2, y2, z2 = displacement(walls.motion, k, step + 1, dt)
        pose = walls.pose[k]
        pose[0], pose[1], pose[2] = x1, y1, z1
        pose[3], pose[4], pose[5] = (x1 - x0) / dt, (y1 - y0) / dt, (z1 - z0) / dt
        pose[6], pose[7], pose[8] = 0.5 * (x2 - x0), 0.5 * (y2 - y0), 0.5 * (z2 - z0)
        walls.reaction[k] = 0
