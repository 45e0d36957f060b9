"""Resistance to rolling and twisting of the contacts in a batch (``batch``): filling its columns, torques, range, history and energies.

What serves one contact and several in lanes (``resistance_lanes``) alike is here too. Functions that have the tables of the resistance as their first
argument and no result are nothing where these are `NoResistance`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.choices import larger, select
from ..compiled.fixedpoint import deposit_nearest, limit
from ..compiled.jit import inlined
from ..compiled.vectors import ZERO, add, ahead, behind, choose, columns, cross, dot, put_columns, square, subtract
from ..laws.history import NORMAL
from ..laws.law import normal_force, served
from ..laws.quantities import Geometry, Motion, PairMaterial, Past
from ..laws.resistance.resistance_memory import first_spring, torque_lost
from ..laws.resistance.resistance_model import coefficients, springs_of, switched, torques
from ..laws.resistance.resistance_quantities import Load, Resisted, Resisting, Springs, Turning
from ..laws.slider import carry_spring
from ..state.arrays import ERROR_RANGE, LOST_TANGENTIAL, OBSERVE, STORED
from . import batch
from .batch import (
    ALIVE,
    BATCH,
    FAULTY,
    FRICTION,
    MASS,
    MIDDLES,
    MOMENT,
    NORMALS,
    OVERLAP,
    PAST,
    RADIUS,
    SLOPE,
    SPIN,
    TURN,
    put_vector,
    response,
    vector,
)

# 1/(1/(m r^2) + 1/(m r^2)) of the two bodies; numbers of the pair of materials; springs, before and after; torque on the first body; energy
INERTIA, OF_ROLLING, OF_TWISTING, ROLLED, TWISTED, TORQUE, HELD = (batch.RESISTANCE + k * BATCH for k in (0, 1, 5, 9, 12, 13, 16))


@inlined
def _put_numbers(s, column, k, numbers):
    """Write the four numbers of a ``resistance_quantities.Resisting``."""
    c = np.uintp(column) + k
    s[c], s[c + np.uintp(BATCH)], s[c + np.uintp(2 * BATCH)], s[c + np.uintp(3 * BATCH)] = numbers


@inlined
def _numbers(s, column, k):
    """The ``resistance_quantities.Resisting`` in the four columns that begin at ``column``."""
    c = np.uintp(column) + k
    return Resisting(s[c], s[c + np.uintp(BATCH)], s[c + np.uintp(2 * BATCH)], s[c + np.uintp(3 * BATCH)])


@switched(lambda resistance, k, a, b, s: None)
def fill_resisting(resistance, k, a, b, s):
    """Put the numbers of a pair of materials into column ``k``.

    Args:
        resistance: the model's tables.
        k: the column.
        a: row of the first material.
        b: row of the second material.
        s: (SCRATCH,) float64.
    """
    rolling, twisting = coefficients(resistance, a, b)
    _put_numbers(s, OF_ROLLING, k, rolling)
    _put_numbers(s, OF_TWISTING, k, twisting)


@switched(lambda resistance, k, p, materials, inertia, loop: None)
def fill_resistance(resistance, k, p, materials, inertia, loop):
    """Put what the resistance of contact ``p`` needs besides into column ``k``.

    Args:
        resistance: the model's tables.
        k: the column.
        p: the contact's row.
        materials: rows of the two bodies' materials.
        inertia: see ``resistance_quantities.Load`` (kg m^2).
        loop: ``pair_loop.PairLoop``, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    s, hist, settings = loop.pairs.scratch, loop.pairs.hist, loop.settings
    fill_resisting(resistance, k, materials[0], materials[1], s)
    s[INERTIA + k] = inertia
    if springs_of(resistance) != 0:
        first = first_spring(settings.budget)
        put_vector(s, ROLLED, k, columns(hist, p, first))
        s[TWISTED + k] = hist[p, first + 3]


class Rolling(NamedTuple):
    """What the resistance of a contact follows from besides its force; or of several in lanes.

    Attributes:
        numbers: ``resistance_quantities.Resisting`` of rolling and of twisting.
        springs: ``resistance_quantities.Springs`` of the step before, in its tangent plane.
        spin: angular velocity of the second body relative to the first (rad/s).
        inertia: see ``resistance_quantities.Load`` (kg m^2).
    """

    numbers: Any
    springs: Any
    spin: Any
    inertia: Any


@inlined
def resisting_torque(resistance, law, material, geometry, motion, past, response, c):
    """What resists rolling and twisting in one contact, or in several in lanes.

    Args:
        resistance: the model's tables.
        law: tables of the law.
        material: ``quantities.PairMaterial``.
        geometry: ``quantities.Geometry``.
        motion: ``quantities.Motion``.
        past: ``quantities.Past``, of which ``alive`` and ``normal`` count.
        response: ``quantities.Response``, of which ``push``, ``grow`` and the tangential stiffness count.
        c: `Rolling`.

    Returns:
        torque on the first body (N m), the ``resistance_quantities.Torques``.
    """
    normal, middle, kt = geometry.normal, geometry.middle, response.law.kt
    about = dot(middle, c.spin)
    # from the middle plane to that of the end, as slips are; what springs grow by then turns with the bodies for the rest of the step
    rolling = behind(c.spin, about, middle)
    rolling = behind(rolling, dot(normal, rolling), normal)
    carried = ahead(rolling, 0.5 * motion.turn, cross(normal, rolling))
    elastic = choose(past.alive, carry_spring(c.springs.rolling, past.normal, normal, motion.turn), ZERO)
    push = larger(response.push * geometry.slope, 0.0)
    at_rest = normal_force(law, material.numbers, geometry.overlap, 0.0, material.mass, material.radius, 0.0)
    load = Load(push, at_rest.force / geometry.overlap, kt, material.radius, c.inertia)
    lasted = motion.dt * select(kt > 0.0, response.grow / kt, 1.0)  # a contact that is born has lasted a part of the step
    springs = Springs(elastic, select(past.alive, c.springs.twisting, 0.0))
    t = torques(resistance, c.numbers, load, Turning(rolling, carried, about, lasted), springs)
    return ahead(t.rolling, t.twisting, normal), t


@inlined
def _resist(resistance, count, law, adds, dt, s):
    for n in range(served(law, count, BATCH)):
        k = np.uintp(n)
        material = PairMaterial(batch.numbers_of(s, k), s[FRICTION + k], s[MASS + k], s[RADIUS + k])
        geometry = Geometry(s[OVERLAP + k], vector(s, NORMALS, k), vector(s, MIDDLES, k), s[SLOPE + k])
        past = Past(s[ALIVE + k] != 0.0, ZERO, 0.0, vector(s, PAST + NORMAL * BATCH, k), ZERO)
        springs = Springs(vector(s, ROLLED, k), s[TWISTED + k])
        c = Rolling((_numbers(s, OF_ROLLING, k), _numbers(s, OF_TWISTING, k)), springs, vector(s, SPIN, k), s[INERTIA + k])
        torque, t = resisting_torque(resistance, law, material, geometry, Motion(ZERO, s[TURN + k], dt, 0.0), past, response(s, k), c)
        put_vector(s, TORQUE, k, torque)
        put_vector(s, MOMENT, k, add(vector(s, MOMENT, k) if adds else ZERO, torque))
        put_vector(s, ROLLED, k, t.springs.rolling)
        s[TWISTED + k], s[HELD + k] = t.springs.twisting, t.stored


@switched(lambda resistance, count, law, adds, dt, s: None)
def resist(resistance, count, law, adds, dt, s):
    """Torques of all columns, after their forces.

    Args:
        resistance: the model's tables.
        count: number of columns that are filled; others may be computed beside them.
        law: tables of the law.
        adds: whether the couples of the contacts are in MOMENT already.
        dt: time step (s).
        s: (SCRATCH,) float64.
    """
    _resist(resistance, count, law, adds, dt, s)


@inlined
def is_inside(torque, limit, inv_torque):
    """Whether a torque, or several in lanes, is in range; half of the range is left to the torque of the force.

    Args:
        torque: (N m).
        limit: largest count.
        inv_torque: one over the quantum of torques (1/(N m)).
    """
    return 4.0 * square(torque) * inv_torque * inv_torque < limit * limit


@inlined
def _check(limit, inv_torque, s, q):
    for n in range(BATCH):
        k = np.uintp(n)
        inside = is_inside(vector(s, TORQUE, k), limit, inv_torque)
        q[FAULTY + k] |= 0 if inside else ERROR_RANGE


@switched(lambda resistance, settings, s, q: None)
def check_torques(resistance, settings, s, q):
    """Mark the columns whose torque is out of range, after ``batch.quantise``.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        settings: `Settings`.
        s: (SCRATCH,) float64.
        q: (COUNTS,) int64.
    """
    _check(limit(settings.wide), 1.0 / settings.torque, s, q)


@switched(lambda resistance, k, s, tally, inv_energy: None)
def tally_held(resistance, k, s, tally, inv_energy):
    """Add the energy of the springs in a column to what contacts hold.

    Args:
        resistance: the model's tables.
        k: the column.
        s: (SCRATCH,) float64.
        tally: (TALLY, 2) int64.
        inv_energy: one over the energy quantum (1/J).
    """
    deposit_nearest(tally, STORED, s[HELD + k] * inv_energy)


@switched(lambda resistance, k, p, counts_here, loop: None)
def keep_resistance(resistance, k, p, counts_here, loop):
    """Store the springs of a contact in its history, and add the energies that it lost and holds to the sums.

    Args:
        resistance: the model's tables.
        k: the column.
        p: the contact's row.
        counts_here: whether this rank counts the contact in its sums.
        loop: ``pair_loop.PairLoop``, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    s, hist, settings, tally = loop.pairs.scratch, loop.pairs.hist, loop.settings, loop.tally
    inv_energy = 1.0 / settings.energy
    if springs_of(resistance) != 0:
        first = first_spring(settings.budget)
        put_columns(hist, p, first, vector(s, ROLLED, k))
        hist[p, first + 3] = s[TWISTED + k]
    if settings.budget:
        alive = s[ALIVE + k] != 0.0
        step = Resisted(vector(s, TORQUE, k), vector(s, SPIN, k), s[HELD + k])
        lost = torque_lost(resistance, hist, p, alive, step, settings)
        if counts_here:
            deposit_nearest(tally, LOST_TANGENTIAL, lost * inv_energy)
    if loop.control[OBSERVE] != 0 and counts_here:
        tally_held(resistance, k, s, tally, inv_energy)


@inlined
def shared_inertia(first, second):
    """The inertia that two bodies share, 1/(1/first + 1/second) (kg m^2).

    Args:
        first: m r^2 of the first body (kg m^2).
        second: m r^2 of the second body (kg m^2).
    """
    return first * second / (first + second)


@inlined
def _prepare(radii, masses, spin_i, spin_j, s):
    for n in range(BATCH):
        k = np.uintp(n)
        ri, rj, mi, mj = s[radii + k], s[radii + BATCH + k], s[masses + k], s[masses + BATCH + k]
        s[INERTIA + k] = shared_inertia(mi * (ri * ri), mj * (rj * rj))
        put_vector(s, SPIN, k, subtract(vector(s, spin_j, k), vector(s, spin_i, k)))


@switched(lambda resistance, places, s: None)
def prepare_spheres(resistance, places, s):
    """Inertia and relative spin of all columns of spheres.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        places: where the narrow phase for spheres has put radii, masses, spins of the first and of the second bodies.
        s: (SCRATCH,) float64.
    """
    _prepare(places[0], places[1], places[2], places[3], s)
