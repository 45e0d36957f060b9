"""When the lists of candidates are stale: a grain or a wall has moved so far that they may miss a pair."""

from __future__ import annotations

import numpy as np

from .compiled.jit import inlined, kernel
from .integrators.poses import furthest_moved
from .state.arrays import ERROR_FAST, ERROR_NAN, FAULT, FAULT_A, QUIET, STEP
from .walls.motion.driven import displacement, top_speed, turn_angle
from .walls.motion.rows import REACH

LONGEST_QUIET = 8  # steps


@kernel
def must_rebuild(physics, state, margin, control):
    """Whether the lists may miss a pair: a grain moved half the skin, or a wall moved beyond what its list allows for.

    Grains are looked at again only after half the steps that the fastest, falling freely, would need to use up what is left of it,
    at most LONGEST_QUIET.

    Args:
        physics: `Physics`.
        state: `RankState`.
        margin: steps for which the lists have to hold from now on.
        control: (CONTROL,) int64.
    """
    if _walls_left(physics, state.wall_places, margin, control):
        return True
    control[QUIET] -= 1
    if control[QUIET] > 0:
        return False
    g, settings = state.grains, physics.settings
    moved, speed = furthest_moved(state.owned, g, physics.shapes, settings)
    if not (moved <= 1e300 and speed <= 1e300):
        control[FAULT] = ERROR_NAN
        for i in range(state.owned):
            if not (g.x[i, 0] + g.x[i, 1] + g.x[i, 2] + g.q[i, 0] <= 1e300):
                control[FAULT_A] = g.gid[i]
    left = 0.5 * state.skin - moved
    if left < 0.0 and (margin > 0.0 or control[QUIET] == 0):
        control[FAULT] = ERROR_FAST
    fall = np.sqrt(settings.gx * settings.gx + settings.gy * settings.gy + settings.gz * settings.gz) + settings.attraction
    step = (speed + LONGEST_QUIET * fall * settings.dt) * settings.dt
    spare = 0.5 * (left - margin * step)
    control[QUIET] = LONGEST_QUIET if spare > LONGEST_QUIET * step else (int(spare / step) if spare > 2.0 * step else 0)
    return left < margin * step


@inlined
def _walls_left(physics, places, margin, control):
    """Whether a wall moved beyond what its list allows for; see `must_rebuild`."""
    motion, dt, step = physics.walls.motion, physics.settings.dt, control[STEP]
    for k in range(motion.shape[0]):
        if places[k, 3] < np.inf:
            x, y, z = displacement(motion, k, step, dt)
            away = np.sqrt((x - places[k, 0]) ** 2 + (y - places[k, 1]) ** 2 + (z - places[k, 2]) ** 2)
            away += motion[k, REACH] * abs(turn_angle(motion, k, step, dt) - places[k, 4])
            left = places[k, 3] - away
            if left < 0.0 and margin > 0.0 and places[k, 3] >= 0.0:
                control[FAULT] = ERROR_FAST
            if left < (margin + 1.0) * top_speed(motion, k) * dt or left < 0.0:
                return True
    return False
