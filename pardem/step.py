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
from .decomposition.halo import Halo, finish_halo, finish_vote, start_halo, start_vote, sum_reactions
from .fields.attraction import attract
from .integrators.phases import Integrator, begin_step, end_step, kick_time, wall_velocities
from .integrators.poses import extend_paths, place_vertices, update_spins
from .laws.kind import LawTables
from .stale import must_rebuild
from .state.arrays import (
    AT_END,
    DRIFTED,
    ERROR,
    ERROR_CROWDED,
    FAULT,
    FAULT_A,
    PHASE,
    QUIET,
    REBUILD,
    RUNNING,
    STATUS,
    STEP,
    Contacts,
    Grains,
    Settings,
    Shapes,
    Walls,
)
from .walls.contacts import wall_contacts
from .walls.motion.driven import place_walls
from .walls.motion.plates import drift_servos, kick_servos, note_loads
from .walls.surfaces.bodies import turn_bodies
from .walls.surfaces.place import WallLoop

MARGIN = 3.0  # steps that lists must still hold where ranks agree a step ahead on making them anew


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
        halo: exchange with the other ranks.
    """

    owned: int
    total: int
    grains: Grains
    pairs: Contacts
    wall_pairs: Contacts
    wall_places: np.ndarray
    skin: float
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

    On several ranks the wish to rebuild is agreed on while the next step's contacts are computed, with a margin for that step.

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
    control[QUIET] = 0
    control[STATUS] = RUNNING
    while done < steps:
        now = cycles()
        if control[PHASE] == AT_END:
            _move(physics, state, control, due)
            due = False
            if _must_stop(physics, state, control):
                _lap(ticks, INTEGRATION, now)
                break
        wish = _wish(physics, state, control)
        now = _lap(ticks, INTEGRATION, now)
        _send(state, wish, control)
        now = _lap(ticks, HALO, now)
        _touch(0, inner, physics, state, registers)  # no ghosts: while messages fly
        now = _lap(ticks, CONTACTS, now)
        _receive(physics, state)
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


@spliced
def _must_stop(physics, state, control):
    """Whether the lists are stale or something went wrong, on any rank: on several by the vote of the step before. Sets the status."""
    if state.halo.parallel[0] != 0:
        wish, fault = finish_vote(state.halo)
    else:
        wish = 1 if must_rebuild(physics, state, 0.0, control) else 0
        fault = control[FAULT]
    if fault != 0:
        control[STATUS] = ERROR
    elif wish != 0:
        control[STATUS] = REBUILD
    return fault != 0 or wish != 0


@spliced
def _wish(physics, state, control):
    """Lengthen the paths of owned grains; on several ranks, whether this one wants its lists anew after this step."""
    wish = 0
    if state.halo.parallel[0] != 0:
        wish = 1 if must_rebuild(physics, state, MARGIN, control) else 0
    extend_paths(0, state.owned, state.grains, physics.shapes, physics.settings.dt)
    return wish


@spliced
def _send(state, wish, control):
    """Start the halo and, on several ranks, the vote on the next rebuild."""
    start_halo(state.halo, state.grains)
    if state.halo.parallel[0] != 0:
        start_vote(state.halo, wish, control)


@spliced
def _touch(first, last, physics, state, registers):
    """Contacts of the pairs in some rows of the list."""
    interaction, settings = physics.interaction, physics.settings
    loop = PairLoop(state.pairs, state.grains, interaction, physics.law, settings, state.owned, registers.control, registers.tally)
    contacts(interaction, first, last, loop)


@spliced
def _receive(physics, state):
    """Finish the halo: place the ghosts' vertices and lengthen their paths."""
    finish_halo(state.halo, state.grains, state.owned)
    place_vertices(state.owned, state.total, state.grains, physics.shapes)
    extend_paths(state.owned, state.total, state.grains, physics.shapes, physics.settings.dt)


@spliced
def _meet_walls(physics, state, registers):
    """Place and turn the walls, contacts with them, their loads; then the field towards a point."""
    walls, settings, g = physics.walls, physics.settings, state.grains
    place_walls(walls, registers.control[STEP], settings.dt)
    wall_velocities(physics.integrator, walls, settings.dt)
    turn_bodies(walls, g, physics.shapes)
    wall_contacts(WallLoop(state.wall_pairs, walls, g, physics.interaction, physics.law, settings, registers.control, registers.tally))
    if settings.servo:
        sum_reactions(state.halo, walls)
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
    """End the last step, where that is due; angular velocities brought up to date; no message left under way."""
    settings, g = physics.settings, state.grains
    half = kick_time(physics.integrator, settings.dt)
    if due and settings.servo:
        kick_servos(physics.walls, control[STEP], settings.dt, half, False)
    if due:
        end_step(physics.integrator, state.owned, g, physics.shapes, settings)
    update_spins(state.owned, g, physics.shapes, settings)
    if state.halo.parallel[0] != 0:
        finish_vote(state.halo)  # the buffers may be dropped; the next step reads the result again
