"""One time step, compiled: the whole of it is ``advance``. It runs until its steps are done, the lists must be rebuilt, or something went wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled.clock import CONTACTS, HALO, INTEGRATION, TOTAL, WALLS, cycles
from .compiled.fixedpoint import carry
from .compiled.jit import inlined, kernel, spliced
from .contacts.dispatch import Interaction
from .contacts.loop import contacts
from .contacts.pair_loop import PairLoop
from .decomposition.halo import Halo, finish_halo, share_reactions, start_halo, sum_reactions
from .fields.attraction import attract
from .horizon import begin_vote, close_vote, must_stop
from .integrators.phases import Integrator, begin_step, end_step, follow, kick_time, wall_velocities
from .integrators.poses import place_vertices, update_spins
from .laws.kind import LawTables
from .stale import GONE, book_motion, book_motion_of_ghosts, holds_until
from .state.arrays import (
    AT_END,
    DRIFTED,
    ERROR_CROWDED,
    FAULT,
    FAULT_A,
    FAULT_STEP,
    HOLDS,
    KNOWN,
    PHASE,
    RUNNING,
    STATUS,
    STEP,
    Contacts,
    Grains,
    Settings,
    Shapes,
    Walls,
)
from .walls.loop import wall_contacts
from .walls.motion.driven import place_walls
from .walls.motion.plates import drift_servos, kick_servos, note_loads
from .walls.surfaces.bodies import turn_bodies
from .walls.surfaces.place import WallLoop

AHEAD = 3  # steps for which lists must hold where ranks vote in every step


class Physics(NamedTuple):
    """What stays the same throughout a run, and the walls, which move."""

    shapes: Shapes
    interaction: Interaction
    law: LawTables
    integrator: Integrator
    walls: Walls
    settings: Settings


class RankState(NamedTuple):
    """What a rank works on between two rebuilds of its lists.

    Attributes:
        owned: number of grains that the rank owns: the first rows of ``grains``.
        total: number of grains that are there; those behind the owned ones are ghosts.
        grains: their arrays, behind them the bodies among the walls.
        pairs: candidate pairs of grains.
        wall_pairs: candidate contacts with walls.
        wall_places: (W, 5) float64 displacement of each wall at the rebuild (m), how far it may move from there (m), its turn at the rebuild (rad).
        skin: extra reach of the lists (m).
        spare: (6,) float64 what is left of the skin, and how fast it is used up (``stale``).
        halo: exchange with the other ranks.
    """

    owned: int
    total: int
    grains: Grains
    pairs: Contacts
    wall_pairs: Contacts
    wall_places: np.ndarray
    skin: float
    spare: np.ndarray
    halo: Halo


class Registers(NamedTuple):
    """What a rank notes from step to step.

    Attributes:
        control: (CONTROL,) int64 number of the step, phase, why the loop stopped, faults.
        tally: (TALLY, 2) int64 two-limb sums of energy, contacts and stress.
        ticks: (TICKS,) int64 processor cycles by what they were spent on.
    """

    control: np.ndarray
    tally: np.ndarray
    ticks: np.ndarray


@kernel
def advance(steps, physics, state, registers):
    """Advance by up to some steps. What ends a step waits for the next one, to be done in the same pass over the grains.

    On several ranks the step at which lists are made anew is agreed on some steps ahead (``horizon``).

    Args:
        steps: number of steps.
        physics: `Physics`.
        state: `RankState`.
        registers: `Registers`; ``control[STATUS]`` says why the loop stopped.

    Returns:
        number of steps that were finished.
    """
    control, ticks = registers.control, registers.ticks
    inner, rows = state.pairs.interior[0], state.pairs.row.shape[0]
    begin = cycles()
    done, due = 0, False
    control[STATUS] = RUNNING
    while done < steps:
        now = cycles()
        if control[PHASE] == AT_END:
            _move(physics, state, control, due)
            due = False
            if must_stop(physics, state, control):
                _lap(ticks, INTEGRATION, now)
                break
        now = _lap(ticks, INTEGRATION, now)
        _send(physics, state, steps - done - 1, control)
        now = _lap(ticks, HALO, now)
        _touch(0, inner, physics, state, registers)  # no ghosts: while messages fly
        now = _lap(ticks, CONTACTS, now)
        _receive(physics, state, control)
        now = _lap(ticks, HALO, now)
        _touch(inner, rows, physics, state, registers)
        now = _lap(ticks, CONTACTS, now)
        _meet_walls(physics, state, registers)
        now = _lap(ticks, WALLS, now)
        due = _close(physics, registers)
        done += 1
        _lap(ticks, INTEGRATION, now)
    if control[PHASE] == AT_END:
        _finish(physics, state, control, due)
        close_vote(physics, state, control)
    ticks[TOTAL] += cycles() - begin
    return done


@inlined
def _lap(ticks, what, since):
    """Count the time since a reading of the clock; returns the clock now."""
    now = cycles()
    ticks[what] += now - since
    return now


@spliced
def _move(physics, state, control, due):
    """End the last step, where that is due, and begin this one: poses and velocities advance to where forces are wanted; forces cleared.

    Args:
        physics: `Physics`.
        state: `RankState`.
        control: (CONTROL,) int64.
        due: whether the last step is still to be ended.
    """
    settings, walls, g = physics.settings, physics.walls, state.grains
    half = kick_time(physics.integrator, settings.dt)
    if settings.servo:
        if due:
            kick_servos(walls, control[STEP], settings.dt, half, False)
        kick_servos(walls, control[STEP], settings.dt, half, True)
        drift_servos(walls, settings.dt, control)
    crowded = begin_step(physics.integrator, state.owned, g, physics.shapes, settings, due)
    if crowded >= 0 and control[FAULT] == 0:
        control[FAULT] = ERROR_CROWDED
        control[FAULT_A] = g.gid[crowded]
    control[STEP] += 1
    control[PHASE] = DRIFTED
    if control[FAULT] == 0:
        control[FAULT_STEP] = control[STEP]  # stays there once there is a fault
    book_motion(physics, state)


@spliced
def _send(physics, state, to_come, control):
    """Start the halo, unless ghosts have just been fetched, and a vote where one is due."""
    if control[KNOWN] != control[STEP]:
        start_halo(state.halo, state.grains, physics.shapes)
    begin_vote(physics, state, control, to_come)


@spliced
def _touch(first, last, physics, state, registers):
    """Contacts of the pairs in some rows of the list."""
    interaction, settings = physics.interaction, physics.settings
    gone = 2.0 * state.spare[GONE]
    loop = PairLoop(state.pairs, state.grains, interaction, physics.law, settings, state.owned, registers.control, registers.tally, gone)
    if first < last:
        contacts(interaction, first, last, loop)


@spliced
def _receive(physics, state, control):
    """Finish the halo: move the ghosts, place their vertices and lengthen their paths."""
    g, shapes, settings = state.grains, physics.shapes, physics.settings
    if control[KNOWN] != control[STEP]:
        finish_halo(state.halo, g, state.owned, shapes)
        if state.halo.follows[0] != 0:
            follow(physics.integrator, state.owned, state.total, g, shapes, settings)
    place_vertices(state.owned, state.total, g, shapes)
    book_motion_of_ghosts(physics, state)


@spliced
def _meet_walls(physics, state, registers):
    """Place and turn the walls, contacts with them, their loads; then the field towards a point."""
    walls, settings, g = physics.walls, physics.settings, state.grains
    place_walls(walls, registers.control[STEP], settings.dt)
    wall_velocities(physics.integrator, walls, settings.dt)
    turn_bodies(walls, g, physics.shapes)
    wall_contacts(WallLoop(state.wall_pairs, walls, g, physics.interaction, physics.law, settings, registers.control, registers.tally))
    if settings.servo:
        if state.halo.parallel[0] == 0:
            sum_reactions(walls)
        else:
            control = registers.control
            share_reactions(state.halo, walls, holds_until(physics, state, control, AHEAD) < control[STEP] + AHEAD, control)
            control[HOLDS] = state.halo.agreed[0]
        note_loads(walls, settings.force)
    attract(state.owned, g, settings)


@spliced
def _close(physics, registers):
    """Carry two-limb sums; whether the next pass over the grains has to end this step."""
    carry(registers.tally)
    carry(physics.walls.work)
    registers.control[PHASE] = AT_END
    return physics.integrator.closes


@spliced
def _finish(physics, state, control, due):
    """End the last step, where that is due; angular velocities brought up to date."""
    settings, g = physics.settings, state.grains
    half = kick_time(physics.integrator, settings.dt)
    if due and settings.servo:
        kick_servos(physics.walls, control[STEP], settings.dt, half, False)
    if due:
        end_step(physics.integrator, state.owned, g, physics.shapes, settings)
    update_spins(0, state.owned, g, physics.shapes, settings)
