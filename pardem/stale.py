"""When the lists of candidates are stale: a grain or a wall has moved so far that they may miss a pair; and for how long they hold.

Whether they are stale is known exactly in every step, though grains are seldom looked at: ``spare[LEFT]`` is what is left of half the skin, the way
of the furthest grain taken off when grains were looked at, and the longest way of any grain taken off in each step since then. Only when that is used
up are they looked at again. For how long lists will hold is foretold from speeds, and may turn out to be wrong.
"""

from __future__ import annotations

import numpy as np

from .compiled.jit import inlined, kernel
from .integrators.poses import extend_paths, furthest_moved, longest_drift
from .state.arrays import ERROR_NAN, FAULT, FAULT_A, STEP
from .walls.motion.driven import displacement, top_speed, turn_angle
from .walls.motion.rows import REACH

LEFT, WAY, BEFORE, SINCE, GONE, DRIFT = range(6)  # RankState.spare
FAR = 1_000_000  # steps: further ahead nothing is foretold
ROUNDING = 1e-9  # of what is left, relative: constant speeds use up the rest to the bit


@kernel
def book_motion(physics, state):
    """Lengthen the paths of owned grains by the drift of this step; the longest way is taken off what is left, and adds to what any grain has gone.

    Args:
        physics: `Physics`.
        state: `RankState`.
    """
    g, settings, spare = state.grains, physics.settings, state.spare
    if g.path.shape[0] + g.vert.shape[0] == 0:
        way = longest_drift(0, state.owned, g, settings.dt)
    else:
        way = extend_paths(0, state.owned, g, physics.shapes, settings.dt)
    bound = way if settings.midstep else np.inf  # velocities that are not those of the drift bound no way: look at all grains
    spare[LEFT] -= bound
    spare[GONE] += bound
    spare[DRIFT] = bound
    spare[WAY] = way


@kernel
def book_motion_of_ghosts(physics, state):
    """Lengthen the paths of ghosts by the drift of this step, and what any grain has gone, if a ghost has gone further than all owned grains.

    Args:
        physics: `Physics`.
        state: `RankState`.
    """
    g, settings, spare = state.grains, physics.settings, state.spare
    if g.path.shape[0] > 0:
        extend_paths(state.owned, state.total, g, physics.shapes, settings.dt)
    else:
        further = longest_drift(state.owned, state.total, g, settings.dt) - spare[DRIFT]
        if not further <= 0.0:
            spare[GONE] += further


@kernel
def lists_stale(physics, state, control):
    """Whether the lists may miss a pair: a grain moved more than half the skin, or a wall moved beyond what its list allows for.

    Args:
        physics: `Physics`.
        state: `RankState`.
        control: (CONTROL,) int64.
    """
    for k in range(state.wall_places.shape[0]):
        if _wall_left(k, physics.walls.motion, physics.settings.dt, state.wall_places, control[STEP]) < 0.0:
            return True
    if not state.spare[LEFT] >= 0.0:
        _look(physics, state, control)
    return not state.spare[LEFT] >= 0.0


@kernel
def _look(physics, state, control):
    """Look at all owned grains: what is left of half the skin, and the way of the fastest in a step."""
    g, settings, spare = state.grains, physics.settings, state.spare
    moved, speed = furthest_moved(state.owned, g, physics.shapes, settings)
    if not (moved <= 1e300 and speed <= 1e300) and control[FAULT] == 0:
        control[FAULT] = ERROR_NAN
        for i in range(state.owned):
            if not (g.x[i, 0] + g.x[i, 1] + g.x[i, 2] + g.q[i, 0] <= 1e300):
                control[FAULT_A] = g.gid[i]
    spare[LEFT] = 0.5 * state.skin - moved
    spare[WAY] = speed * settings.dt


@kernel
def holds_until(physics, state, control, near):
    """Foretell the first step at which the lists may be stale, from the speeds of grains and walls, their growth, and free fall.

    Args:
        physics: `Physics`.
        state: `RankState`.
        control: (CONTROL,) int64.
        near: steps; if lists may be stale within these, grains are looked at.
    """
    settings, spare, step = physics.settings, state.spare, control[STEP]
    faster = max(0.0, spare[WAY] - spare[BEFORE]) / max(1.0, step - spare[SINCE])
    spare[BEFORE], spare[SINCE] = spare[WAY], float(step)
    steps = steps_left(spare[LEFT], spare[WAY], faster, settings)
    if steps < near:
        _look(physics, state, control)
        steps = steps_left(spare[LEFT], spare[WAY], faster, settings)
    return step + 1 + min(steps, walls_left(physics.walls, settings, state.wall_places, step))


@kernel
def steps_left(left, way, faster, settings):
    """For how many steps a distance lasts: the most k with k way + k (k + 1)/2 growth <= left.

    Args:
        left: distance (m).
        way: of the last step (m).
        faster: growth of the way from step to step (m), to which free fall comes.
        settings: `state.Settings`.

    Returns:
        Number of steps, at most FAR.
    """
    fall = np.sqrt(settings.gx * settings.gx + settings.gy * settings.gy + settings.gz * settings.gz) + settings.attraction
    growth = faster + fall * settings.dt * settings.dt
    if not left > 0.0:
        return 0
    half = way + 0.5 * growth
    rate = 0.5 * (half + np.sqrt(half * half + 2.0 * growth * left))
    if not rate <= 1e300:
        return 0
    return int(left * (1.0 - ROUNDING) / rate) if left < FAR * rate else FAR


@kernel
def walls_left(walls, settings, places, step):
    """For how many steps the lists of walls last.

    Args:
        walls: `state.Walls`.
        settings: `state.Settings`.
        places: (W, 5) float64 ``RankState.wall_places``.
        step: number of the step.

    Returns:
        Number of steps, at most FAR.
    """
    steps = FAR
    for k in range(places.shape[0]):
        left, way = _wall_left(k, walls.motion, settings.dt, places, step), top_speed(walls.motion, k) * settings.dt
        if not left > 0.0:
            return 0
        if left < FAR * way:
            steps = min(steps, int(left * (1.0 - ROUNDING) / way))
    return steps


@inlined
def _wall_left(k, motion, dt, places, step):
    """How far wall ``k`` may still move (m)."""
    if places[k, 3] == np.inf:
        return np.inf
    x, y, z = displacement(motion, k, step, dt)
    away = np.sqrt((x - places[k, 0]) ** 2 + (y - places[k, 1]) ** 2 + (z - places[k, 2]) ** 2)
    return places[k, 3] - (away + motion[k, REACH] * abs(turn_angle(motion, k, step, dt) - places[k, 4]))
