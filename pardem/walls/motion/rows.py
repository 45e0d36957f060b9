"""How the motion of a wall is kept: one row of numbers, ``Walls.motion``, which checkpoints hold."""

from __future__ import annotations

from ...compiled.jit import kernel

# Columns. Of all kinds: code of the motion (``registry``); amplitude (m), speed (m/s) or angular speed (rad/s); angular frequency; phase (rad); first
# and last step; direction or axis of rotation (3); offset (3) and angle (rad) of what came before; a point of the axis (3)
KIND, SIZE, FREQUENCY, PHASE, FIRST, LAST, DIRECTION, OFFSET, ANGLE, CENTRE = 0, 1, 2, 3, 4, 5, 6, 9, 12, 13
# distance of the furthest point from the axis (m); of servo walls: furthest that they may move in one step (m)
REACH = 16
# Of servo walls: mass (kg), damping (N s/m), force (N), pressure (Pa), area (m^2) or two pairs of walls that span it, constant velocity (3)
MASS, DAMPING, FORCE, PRESSURE, AREA, SPAN, SLIDE = 17, 18, 19, 20, 21, 22, 26
# and their state: place (m) and speed (m/s) along the direction, force of the grains along it (N), last move (m)
PLACE, SPEED, LOAD, MOVED = 29, 30, 31, 32
WORK = 33  # of any wall: work on the grains that is not counted contact by contact (J)
MOTION = 34


@kernel
def steps_since(motion, k, step):
    """Number of steps since the motion of a wall began.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
        step: number of the step.
    """
    return max(0.0, min(float(step), motion[k, LAST]) - motion[k, FIRST])


@kernel
def is_pushed(motion, k):
    """Whether a wall has a mass, so that forces push it: a servo wall.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
    """
    return motion[k, MASS] > 0.0
