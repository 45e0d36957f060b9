"""One time step, compiled: the whole of it is ``advance``. It runs until its steps are done, the lists must be rebuilt, or something went wrong."""

from __future__ import annotations

import numpy as np

from .compiled.clock import CONTACTS, HALO, INTEGRATION, TOTAL, WALLS, cycles
from .compiled.fixedpoint import carry
from .compiled.jit import njit
from .contacts.loop import contacts
from .decomposition.halo import finish_halo, finish_vote, start_halo, start_vote, sum_reactions
from .integrators.attraction import attract
from .integrators.gear4 import correct_and_predict, wall_velocities
from .integrators.poses import extend_paths, furthest_moved, place_vertices, update_spins
from .integrators.verlet import kick, kick_and_drift
from .state.arrays import AT_END, DRIFTED, ERROR, ERROR_CROWDED, ERROR_FAST, ERROR_NAN, FAULT, FAULT_A, PHASE, QUIET, REBUILD, RUNNING, STATUS, STEP
from .walls.contacts import wall_contacts
from .walls.motion.driven import displacement, place_walls, top_speed, turn_angle
from .walls.motion.plates import drift_servos, kick_servos, note_loads
from .walls.motion.rows import REACH
from .walls.surfaces.bodies import turn_bodies
from .walls.surfaces.place import WallLoop

LONGEST_QUIET = 8  # steps
MARGIN = 3.0  # steps that lists must still hold where ranks agree a step ahead on making them anew


@njit
def must_rebuild(owned, g, shapes, walls, wall_x0, settings, skin, margin, control):
    """Whether the lists may miss a pair within ``margin`` steps: a grain moved half the skin, or a wall moved beyond what its list allows for.

    Grains are looked at again only after half the steps that the fastest, falling freely, would need to use up its room, at most LONGEST_QUIET.
    """
    for k in range(walls.kind.shape[0]):
        if wall_x0[k, 3] < np.inf:
            x, y, z = displacement(walls.motion, k, control[STEP], settings.dt)
            away = np.sqrt((x - wall_x0[k, 0]) ** 2 + (y - wall_x0[k, 1]) ** 2 + (z - wall_x0[k, 2]) ** 2)
            away += walls.motion[k, REACH] * abs(turn_angle(walls.motion, k, control[STEP], settings.dt) - wall_x0[k, 4])
            room = wall_x0[k, 3] - away
            if room < 0.0 and margin > 0.0 and wall_x0[k, 3] >= 0.0:
                control[FAULT] = ERROR_FAST
            if room < (margin + 1.0) * top_speed(walls.motion, k) * settings.dt or room < 0.0:
                return True
    control[QUIET] -= 1
    if control[QUIET] > 0:
        return False
    moved, speed = furthest_moved(owned, g, shapes, settings)
    if not (moved <= 1e300 and speed <= 1e300):
        control[FAULT] = ERROR_NAN
        for i in range(owned):
            if not (g.x[i, 0] + g.x[i, 1] + g.x[i, 2] + g.q[i, 0] <= 1e300):
                control[FAULT_A] = g.gid[i]
    room = 0.5 * skin - moved
    if room < 0.0 and (margin > 0.0 or control[QUIET] == 0):
        control[FAULT] = ERROR_FAST
    fall = np.sqrt(settings.gx * settings.gx + settings.gy * settings.gy + settings.gz * settings.gz) + settings.attraction
    step = (speed + LONGEST_QUIET * fall * settings.dt) * settings.dt
    spare = 0.5 * (room - margin * step)
    control[QUIET] = LONGEST_QUIET if spare > LONGEST_QUIET * step else (int(spare / step) if spare > 2.0 * step else 0)
    return room < margin * step


@njit
def advance(steps, owned, total, g, shapes, interaction, law, pairs, wall_pairs, walls, wall_x0, settings, skin, halo, control, tally, ticks):
    """Advance by up to ``steps`` steps; how many were finished comes back, ``control[STATUS]`` says why it stopped.

    A step is: kick, drift | rebuild? | send halo | contacts without ghosts | receive halo | contacts with ghosts | walls | kick; the kick that ends
    a step waits for the next one, to be done in the same pass.
    On several ranks the wish to rebuild is agreed on while the next step's contacts are computed, with a margin for that step.
    """
    half = settings.dt if settings.euler else 0.5 * settings.dt
    parallel = halo.parallel[0] != 0
    margin = MARGIN if parallel else 0.0
    begin = cycles()
    done, kicks = 0, 1
    control[QUIET] = 0
    control[STATUS] = RUNNING
    while done < steps:
        t0 = cycles()
        if control[PHASE] == AT_END:
            if settings.servo:
                if kicks == 2:
                    kick_servos(walls, control[STEP], settings.dt, half, False)
                kick_servos(walls, control[STEP], settings.dt, half, True)
                drift_servos(walls, settings.dt, control)
            if settings.gear:
                crowded = correct_and_predict(owned, g, shapes, settings, kicks == 2, True)
            else:
                crowded = kick_and_drift(owned, g, shapes, settings, half, kicks)
            if crowded >= 0 and control[FAULT] == 0:
                control[FAULT] = ERROR_CROWDED
                control[FAULT_A] = g.gid[crowded]
            kicks = 1
            control[STEP] += 1
            control[PHASE] = DRIFTED
            wish, fault = 0, 0
            if parallel:
                wish, fault = finish_vote(halo)
            else:
                wish = 1 if must_rebuild(owned, g, shapes, walls, wall_x0, settings, skin, margin, control) else 0
                fault = control[FAULT]
            if fault != 0 or wish != 0:
                control[STATUS] = ERROR if fault != 0 else REBUILD
                ticks[INTEGRATION] += cycles() - t0
                break
        if parallel:
            wish = 1 if must_rebuild(owned, g, shapes, walls, wall_x0, settings, skin, margin, control) else 0
        extend_paths(0, owned, g, shapes, settings.dt)
        t1 = cycles()
        start_halo(halo, g)
        if parallel:
            start_vote(halo, wish, control)
        t2 = cycles()
        contacts(0, pairs.interior[0], owned, pairs, g, interaction, law, settings, control, tally)
        t3 = cycles()
        finish_halo(halo, g, owned)
        place_vertices(owned, total, g, shapes)
        extend_paths(owned, total, g, shapes, settings.dt)
        t4 = cycles()
        contacts(pairs.interior[0], pairs.row.shape[0], owned, pairs, g, interaction, law, settings, control, tally)
        t5 = cycles()
        place_walls(walls, control[STEP], settings.dt)
        if settings.gear:
            wall_velocities(walls, settings.dt)
        turn_bodies(walls, g, shapes)
        wall_contacts(WallLoop(wall_pairs, walls, g, interaction, law, settings, control, tally))
        if settings.servo:
            sum_reactions(halo, walls)
            note_loads(walls, settings.force)
        attract(owned, g, settings)
        t6 = cycles()
        kicks = 1 if settings.euler else 2
        carry(tally)
        carry(walls.work)
        control[PHASE] = AT_END
        done += 1
        t7 = cycles()
        ticks[INTEGRATION] += (t1 - t0) + (t7 - t6)
        ticks[HALO] += (t2 - t1) + (t4 - t3)
        ticks[CONTACTS] += (t3 - t2) + (t5 - t4)
        ticks[WALLS] += t6 - t5
    if control[PHASE] == AT_END:
        if kicks == 2 and settings.servo:
            kick_servos(walls, control[STEP], settings.dt, half, False)
        if kicks == 2 and settings.gear:
            correct_and_predict(owned, g, shapes, settings, True, False)
        elif kicks == 2:
            kick(owned, g, shapes, settings, half)
        update_spins(owned, g, shapes, settings)
        if parallel:
            finish_vote(halo)  # leave no message under way: the buffers may be dropped; the next step reads the result again
    ticks[TOTAL] += cycles() - begin
    return done
