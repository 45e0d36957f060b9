"""Resistance to rolling and twisting of WIDTH contacts in registers (``compiled.lanes``): torques, range, what contacts remember and lose.

Every function is nothing where the resistance, its first argument, is `NoResistance`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import select
from ..compiled.fixedpoint import limit
from ..compiled.jit import inlined
from ..compiled.lanes.memory import load, store
from ..compiled.lanes.rows import gather, scatter, transpose
from ..compiled.lanes.types import spread, zero_of
from ..compiled.vectors import add, choose
from ..laws.resistance.resistance_memory import first_spring, first_torque, lost_by_torque, rest_of_torque
from ..laws.resistance.resistance_model import springs_of, switched
from ..laws.resistance.resistance_quantities import Resisted, Resisting, Springs
from .batch import BATCH
from .lane_groups import add_losses_where
from .resistance import HELD, OF_ROLLING, OF_TWISTING, Rolling, is_inside, resisting_torque


class Resistance(NamedTuple):
    """What resists rolling and twisting in WIDTH contacts.

    Attributes:
        step: ``resistance_quantities.Resisted``.
        springs: ``resistance_quantities.Springs`` from now on.
        before: those of the step before.
    """

    step: Any
    springs: Any
    before: Any


@inlined
def _numbers(s, column):
    """The ``resistance_quantities.Resisting`` in the first WIDTH columns of the batch."""
    return Resisting(load(s, column), load(s, column + BATCH), load(s, column + 2 * BATCH), load(s, column + 3 * BATCH))


@switched(lambda resistance, material, geometry, motion, past, response, turning, places, loop: None)
def resistance_of(resistance, material, geometry, motion, past, response, turning, places, loop):
    """What resists rolling and twisting in WIDTH contacts, the numbers of whose materials are in the first WIDTH columns of the batch.

    Args:
        resistance: the model's tables.
        material: ``quantities.PairMaterial``.
        geometry: ``quantities.Geometry``.
        motion: ``quantities.Motion``.
        past: ``quantities.Past``.
        response: ``quantities.Response``.
        turning: angular velocity of the second body relative to the first (rad/s), ``inertia`` of ``resistance_quantities.Load`` (kg m^2).
        places: places of the contacts (a tuple of words).
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.

    Returns:
        the `Resistance`.
    """
    pairs, s, (spin, inertia), twisting = loop.pairs, loop.pairs.scratch, turning, spread(0.0)
    x, y, z = twisting, twisting, twisting
    if springs_of(resistance) != 0:
        x, y, z, twisting = transpose(gather(pairs.hist, places, pairs.hist.shape[1], first_spring(loop.settings.budget)))
    before = Springs((x, y, z), twisting)
    c = Rolling((_numbers(s, OF_ROLLING), _numbers(s, OF_TWISTING)), before, spin, inertia)
    torque, t = resisting_torque(resistance, loop.law, material, geometry, motion, past, response, c)
    return Resistance(Resisted(torque, spin, zero_of(inertia) + t.stored), t.springs, before)


@switched(lambda resistance, torque, r: torque)
def with_resistance(resistance, torque, r):
    """Add what resists to torques on the first bodies of WIDTH contacts (N m).

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        torque: without it (N m).
        r: `Resistance`.
    """
    return add(torque, r.step.torque)


@switched(lambda resistance, r, settings: True)
def resistance_fits(resistance, r, settings):
    """Whether the torques of WIDTH contacts are in range.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        r: `Resistance`.
        settings: `Settings`.
    """
    return is_inside(r.step.torque, limit(settings.wide), 1.0 / settings.torque)


@switched(lambda resistance, mask, places, r, loop: None)
def keep_resistance_where(resistance, mask, places, r, loop):
    """Store the springs of those of WIDTH contacts where a condition holds.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        mask: the condition.
        places: places of the contacts (a tuple of words).
        r: `Resistance`.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    hist = loop.pairs.hist
    if springs_of(resistance) != 0:
        (x, y, z), twisting = choose(mask, r.springs.rolling, r.before.rolling), select(mask, r.springs.twisting, r.before.twisting)
        scatter(hist, places, hist.shape[1], first_spring(loop.settings.budget), transpose((x, y, z, twisting)))


@inlined
def _last(resistance, places, loop):
    """The torque of the step before (N m) of WIDTH contacts, and what their springs held (J)."""
    hist = loop.pairs.hist
    x, y, z, stored = transpose(gather(hist, places, hist.shape[1], first_torque(resistance, loop.settings.budget)))
    return (x, y, z), stored


@switched(lambda resistance, lost, places, spin, loop: lost)
def with_rest(resistance, lost, places, spin, loop):
    """Add what the torques of the step before have not accounted for to what WIDTH contacts lose as they end (J).

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        lost: without it (J).
        places: places of the contacts (a tuple of words).
        spin: angular velocity of the second body relative to the first (rad/s).
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    torque, stored = _last(resistance, places, loop)
    return lost + rest_of_torque(torque, stored, spin, loop.settings.dt)


@switched(lambda resistance, mask, mine, alive, places, r, loop: None)
def account_resistance(resistance, mask, mine, alive, places, r, loop):
    """Account for the energies that the torques of those of WIDTH contacts lost where a condition holds.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        mask: the condition.
        mine: which contacts this rank counts.
        alive: which of them were alive in the step before.
        places: places of the contacts (a tuple of words).
        r: `Resistance`.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    hist, dt, (torque, stored) = loop.pairs.hist, loop.settings.dt, _last(resistance, places, loop)
    lost = lost_by_torque(r.step, alive, rest_of_torque(torque, stored, r.step.spin, dt), dt)
    add_losses_where(mask & mine, zero_of(lost), lost, loop)
    (x, y, z), held = choose(mask, r.step.torque, torque), select(mask, r.step.stored, stored)
    scatter(hist, places, hist.shape[1], first_torque(resistance, loop.settings.budget), transpose((x, y, z, held)))


@switched(lambda resistance, r, s: None)
def put_held(resistance, r, s):
    """Write the energies of the springs of WIDTH contacts to the first columns of the batch.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        r: `Resistance`.
        s: (SCRATCH,) float64.
    """
    store(s, HELD, r.step.stored)
