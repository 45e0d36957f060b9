"""Law, friction and couples of WIDTH contacts in registers, what they remember and what they lose: the same where grains meet grains and walls."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import hardly_ever, select
from ..compiled.fixedpoint import limit
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import all_of
from ..compiled.lanes.flags import flag_at
from ..compiled.lanes.memory import load
from ..compiled.lanes.rows import gather, scatter, transpose
from ..compiled.lanes.types import ROW, spread
from ..compiled.vectors import behind, choose
from ..laws.couples import couple
from ..laws.energy_ledger import losses, losses_at_end
from ..laws.history import MEMORY, NORMAL, SPRING, TWIST, WITH_ARM
from ..laws.law import touching_overlap
from ..laws.quantities import PairFriction, PairMaterial, Past
from ..laws.slider import spring_and_slider
from . import batch
from .accumulate import sums_hold
from .dispatch import has_couples, keeps_arms
from .lane_groups import add_losses_where, keep_last_step_where, keep_own_vectors, last_step, materials_in, own_vectors
from .resistance_lanes import account_resistance, keep_resistance_where, resistance_fits, resistance_of, with_resistance, with_rest

# a history begins with two rows, the spring and the memory, the normal and the twist; it may end with the arm and the half-length of the zone
assert (SPRING, MEMORY, NORMAL, TWIST, WITH_ARM) == (0, ROW - 1, ROW, 2 * ROW - 1, ROW)


class Remembered(NamedTuple):
    """The histories of WIDTH contacts, those of the step before.

    Attributes:
        past: ``quantities.Past``.
        twist: elastic torsional torque (N m).
        arm: vector from the first centre to the contact point (m); zero where histories do not hold it.
        lever: half-length of the contact zone (m); zero where histories do not hold it.
    """

    past: Any
    twist: Any
    arm: Any
    lever: Any


class Encounter(NamedTuple):
    """How the bodies of WIDTH contacts meet.

    Attributes:
        geometry: ``quantities.Geometry``.
        motion: ``quantities.Motion``.
        zone: ``quantities.Zone``.
        spin: angular velocity of the second body relative to the first (rad/s).
        mass: effective mass (kg).
        radius: effective radius (m).
        arm: vector from the first centre to the contact point (m).
        other: the same from the second centre; of walls the first again.
        depth_left: smallest radius less overlap (m), or infinite.
        inertia: see ``resistance_quantities.Load`` (kg m^2).
    """

    geometry: Any
    motion: Any
    zone: Any
    spin: Any
    mass: Any
    radius: Any
    arm: Any
    other: Any
    depth_left: Any
    inertia: Any


class Action(NamedTuple):
    """What WIDTH contacts do.

    Attributes:
        response: ``quantities.Response``.
        force: force on the first body (N).
        moment: couple on the first body (N m).
        twist: elastic torsional part of it (N m).
        work: work of the couple (J).
        resistance: ``resistance_lanes.Resistance``, which the moment includes.
        in_range: whether the sums of the bodies hold it, and the bodies do not overlap too much.
    """

    response: Any
    force: Any
    moment: Any
    twist: Any
    work: Any
    resistance: Any
    in_range: Any


@inlined
def remembered(places, alive, loop):
    """The histories at WIDTH places.

    Args:
        places: places of the candidates (a tuple of words).
        alive: which of them touched in the step before.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.

    Returns:
        the ``Remembered``.
    """
    pairs, nothing = loop.pairs, spread(0.0)
    hist, width = pairs.hist, pairs.hist.shape[1]
    sx, sy, sz, memory = transpose(gather(hist, places, width, SPRING))
    nx, ny, nz, twist = transpose(gather(hist, places, width, NORMAL))
    ax, ay, az, lever = nothing, nothing, nothing, nothing
    if keeps_arms(loop.interaction):
        ax, ay, az, lever = transpose(gather(hist, places, width, width - WITH_ARM))
    own = own_vectors(places, loop.law, pairs, loop.settings)
    return Remembered(Past(alive, (sx, sy, sz), memory, (nx, ny, nz), own), twist, (ax, ay, az), lever)


@inlined
def keep_where(mask, places, a, where, alive, loop):
    """Store the histories of WIDTH contacts where they touch, and which of them do.

    Args:
        mask: where they touch.
        places: places of the candidates (a tuple of words).
        a: what they do, the ``Action``.
        where: unit normal, vector from the first centre to the contact point (m), half-length of the contact zone (m).
        alive: which of them touched in the step before.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    pairs, interaction, r, twist = loop.pairs, loop.interaction, a.response, a.twist
    hist, width = pairs.hist, pairs.hist.shape[1]
    spring, own, memory, (normal, arm, lever) = r.spring, r.own, r.law.memory, where
    if hardly_ever(not all_of(mask)):  # what stays is read once more, so that no register has to hold it until here
        before = remembered(places, alive, loop)
        spring, normal, own = choose(mask, spring, before.past.spring), choose(mask, normal, before.past.normal), choose(mask, own, before.past.own)
        memory, twist = select(mask, memory, before.past.memory), select(mask, twist, before.twist)
        arm, lever = choose(mask, arm, before.arm), select(mask, lever, before.lever)
    scatter(hist, places, width, SPRING, transpose((spring[0], spring[1], spring[2], memory)))
    scatter(hist, places, width, NORMAL, transpose((normal[0], normal[1], normal[2], twist)))
    if keeps_arms(interaction):
        scatter(hist, places, width, width - WITH_ARM, transpose((arm[0], arm[1], arm[2], lever)))
    keep_own_vectors(places, own, loop.law, pairs, loop.settings)
    if not all_of(mask & alive):
        flag_at(pairs.touch, places, mask)
    keep_resistance_where(loop.settings.resistance, mask, places, a.resistance, loop)


@inlined
def bearing_materials(s):
    """By how much torsional friction and rocking dampers act in the first WIDTH columns of a batch.

    Args:
        s: (SCRATCH,) float64.
    """
    return load(s, batch.TORSION), load(s, batch.ROCKING)


@inlined
def act(e, places, before, loop):
    """What WIDTH contacts do, whose materials are in the first WIDTH columns of the batch.

    Args:
        e: ``Encounter``.
        places: places of the candidates (a tuple of words).
        before: ``Remembered``.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.

    Returns:
        the ``Action``.
    """
    law, settings, nothing = loop.law, loop.settings, spread(0.0)
    numbers, friction = materials_in(loop.pairs.scratch)
    material = PairMaterial(numbers, friction, e.mass, e.radius)
    r = spring_and_slider(law, material, e.geometry, e.motion, before.past)
    moment, twist, work = (nothing, nothing, nothing), before.twist, nothing
    if has_couples(loop.interaction) and keeps_arms(loop.interaction):
        torsion, rocking = bearing_materials(loop.pairs.scratch)
        alive = select(before.past.alive, before.twist, 0.0)
        moment, twist, work = couple(r, e.geometry, e.zone, e.spin, PairFriction(friction, torsion, rocking), alive, settings.dt)
    resists = resistance_of(settings.resistance, material, e.geometry, e.motion, before.past, r, (e.spin, e.inertia), places, loop)
    moment = with_resistance(settings.resistance, moment, resists)
    force = behind(r.drag, r.push * e.geometry.slope, e.geometry.normal)
    inv_force, inv_torque, depth_left = 1.0 / settings.force, 1.0 / settings.torque, e.depth_left + 0.5 * touching_overlap(law, numbers)
    held = sums_hold(abs(r.push) * (1.0 + friction), e.arm, e.other, limit(settings.wide), inv_force, inv_torque)
    in_range = held & ~(depth_left < 0.0) & resistance_fits(settings.resistance, resists, settings)
    return Action(r, force, moment, twist, work, resists, in_range)


@inlined
def account(near, places, mine, before, action, motion, loop):
    """Account for the energies that WIDTH contacts lost in this step, those included that have ended.

    Args:
        near: which of them touch.
        places: places of the candidates (a tuple of words).
        mine: which of them this rank counts.
        before: ``Remembered``.
        action: ``Action``.
        motion: relative velocity (m/s) and spin (rad/s) of those that have ended.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    past, last, dt, resistance, (velocity, spin) = before.past, last_step(places, loop.pairs), loop.settings.dt, loop.settings.resistance, motion
    lost_n, lost_t, now = losses(last, past.alive, action.response, dt)
    end_n, end_t = losses_at_end(last, past.normal, velocity, dt)
    end_t = with_rest(resistance, end_t, places, spin, loop)
    counts = (near | past.alive) & mine
    add_losses_where(counts, select(near, lost_n, end_n), select(near, lost_t + action.work, end_t), loop)
    keep_last_step_where(near, places, now, last, loop.pairs)
    account_resistance(resistance, near, mine, past.alive, places, action.resistance, loop)
