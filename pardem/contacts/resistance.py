"""Resistance to rolling and twisting of the contacts in a batch (``batch``): filling its columns, torques, range, history and books.

Every function is nothing where the resistance, its first argument, is `NoResistance`.
"""

from __future__ import annotations

import numpy as np

from ..compiled.choices import larger, select
from ..compiled.fixedpoint import LIMIT, WIDE_LIMIT, deposit_nearest
from ..compiled.jit import inlined, kernel
from ..compiled.vectors import ZERO, add, ahead, behind, choose, columns, cross, dot, put_columns, square, subtract
from ..laws.history import NORMAL
from ..laws.law import normal_force
from ..laws.resistance.memory import first_spring, torque_lost
from ..laws.resistance.model import coefficients, springs_of, switched, torques
from ..laws.resistance.quantities import Load, Springs, Turning
from ..laws.slider import carry_spring
from ..state.arrays import ERROR_RANGE, LOST_TANGENTIAL, OBSERVE, STORED
from . import batch
from .batch import ALIVE, BATCH, FAULTY, GROW, KT, MASS, MIDDLES, MOMENT, NORMALS, OVERLAP, PAST, PUSH, RADIUS, SLOPE, SPIN, TURN, put_vector, vector

# 1/(1/(m r^2) + 1/(m r^2)) of the two bodies; numbers of the pair of materials; springs, before and after; torque on the first body; energy
INERTIA, PAIR_NUMBERS, ROLLED, TWISTED, TORQUE, HELD = (batch.RESISTANCE + k * BATCH for k in (0, 1, 9, 12, 13, 16))


@switched(lambda resistance, k, p, a, b, inertia, pairs, settings: None)
def fill_resistance(resistance, k, p, a, b, inertia, pairs, settings):
    """Put what the resistance of contact ``p`` needs besides into column ``k``.

    Args:
        resistance: the model's tables.
        k: the column.
        p: the contact's row.
        a: first material.
        b: second material.
        inertia: see ``quantities.Load`` (kg m^2).
        pairs: `Contacts`.
        settings: `Settings`.
    """
    s, hist = pairs.scratch, pairs.hist
    numbers = coefficients(resistance, a, b)
    for c in range(8):
        s[np.uintp(PAIR_NUMBERS + c * BATCH) + k] = numbers[c]
    s[INERTIA + k] = inertia
    if springs_of(resistance) != 0:
        first = first_spring(settings.budget)
        put_vector(s, ROLLED, k, columns(hist, p, first))
        s[TWISTED + k] = hist[p, first + 3]


@inlined
def _of_pair(s, k):
    """The eight numbers of the pair of materials in column ``k``."""
    c, one = np.uintp(PAIR_NUMBERS) + k, np.uintp(BATCH)
    d = c + np.uintp(4 * BATCH)
    two, three = np.uintp(2 * BATCH), np.uintp(3 * BATCH)
    return s[c], s[c + one], s[c + two], s[c + three], s[d], s[d + one], s[d + two], s[d + three]


@kernel
def _resist(resistance, law, adds, dt, s):
    for n in range(BATCH):
        k = np.uintp(n)
        normal, middle, spin, turn = vector(s, NORMALS, k), vector(s, MIDDLES, k), vector(s, SPIN, k), s[TURN + k]
        about = dot(middle, spin)
        # from the middle plane to that of the end, as slips are
        rolling = behind(spin, about, middle)
        rolling = behind(rolling, dot(normal, rolling), normal)
        rolling = ahead(rolling, 0.5 * turn, cross(normal, rolling))
        alive, overlap = s[ALIVE + k] != 0.0, s[OVERLAP + k]
        elastic = choose(alive, carry_spring(vector(s, ROLLED, k), vector(s, PAST + NORMAL * BATCH, k), normal, turn), ZERO)
        push = larger(s[PUSH + k] * s[SLOPE + k], 0.0)
        stiffness = normal_force(law, batch.numbers_of(s, k), overlap, 0.0, s[MASS + k], s[RADIUS + k], 0.0).force / overlap
        load = Load(push, stiffness, s[KT + k], s[RADIUS + k], s[INERTIA + k])
        lasted = dt * select(s[KT + k] > 0.0, s[GROW + k] / s[KT + k], 1.0)  # a contact that is born has lasted a part of the step
        springs = Springs(elastic, select(alive, s[TWISTED + k], 0.0))
        t = torques(resistance, _of_pair(s, k), load, Turning(rolling, about, lasted), springs)
        torque = ahead(t.rolling, t.twisting, normal)
        put_vector(s, TORQUE, k, torque)
        put_vector(s, MOMENT, k, add(vector(s, MOMENT, k) if adds else ZERO, torque))
        put_vector(s, ROLLED, k, t.springs.rolling)
        s[TWISTED + k], s[HELD + k] = t.springs.twisting, t.stored


@switched(lambda resistance, law, adds, dt, s: None)
def resist(resistance, law, adds, dt, s):
    """Torques of all columns, after their forces.

    Args:
        resistance: the model's tables.
        law: tables of the law.
        adds: whether the couples of the contacts are in MOMENT already.
        dt: time step (s).
        s: (SCRATCH,) float64.
    """
    _resist(resistance, law, adds, dt, s)


@kernel
def _check(limit, inv_torque, s, q):
    for n in range(BATCH):
        k = np.uintp(n)
        inside = 4.0 * square(vector(s, TORQUE, k)) * inv_torque * inv_torque < limit * limit
        q[FAULTY + k] |= 0 if inside else ERROR_RANGE


@switched(lambda resistance, settings, s, q: None)
def check_torques(resistance, settings, s, q):
    """Mark the columns whose torque is out of range, after ``batch.quantise``: half of the range is left to the force's own torque."""
    _check(WIDE_LIMIT if settings.wide else LIMIT, 1.0 / settings.torque, s, q)


@switched(lambda resistance, k, p, counts_here, pairs, settings, control, tally: None)
def keep_resistance(resistance, k, p, counts_here, pairs, settings, control, tally):
    """Keep the springs of contact ``p`` in column ``k``, and book what was lost and what is stored.

    Args:
        resistance: the model's tables.
        k: the column.
        p: the contact's row.
        counts_here: whether this rank books it.
        pairs: `Contacts`.
        settings: `Settings`.
        control: (CONTROL,) int64.
        tally: (TALLY, 2) int64.
    """
    s, hist, inv_energy = pairs.scratch, pairs.hist, 1.0 / settings.energy
    if springs_of(resistance) != 0:
        first = first_spring(settings.budget)
        put_columns(hist, p, first, vector(s, ROLLED, k))
        hist[p, first + 3] = s[TWISTED + k]
    if settings.budget:
        alive = s[ALIVE + k] != 0.0
        lost = torque_lost(resistance, hist, p, alive, vector(s, TORQUE, k), s[HELD + k], vector(s, SPIN, k), settings)
        if counts_here:
            deposit_nearest(tally, LOST_TANGENTIAL, lost * inv_energy)
    if control[OBSERVE] != 0 and counts_here:
        deposit_nearest(tally, STORED, s[HELD + k] * inv_energy)


@inlined
def shared_inertia(first, second):
    """1/(1/first + 1/second) (kg m^2)."""
    return first * second / (first + second)


@kernel
def _prepare(radii, masses, spin_i, spin_j, s):
    for n in range(BATCH):
        k = np.uintp(n)
        ri, rj, mi, mj = s[radii + k], s[radii + BATCH + k], s[masses + k], s[masses + BATCH + k]
        s[INERTIA + k] = shared_inertia(mi * (ri * ri), mj * (rj * rj))
        put_vector(s, SPIN, k, subtract(vector(s, spin_j, k), vector(s, spin_i, k)))


@switched(lambda resistance, places, s: None)
def prepare_spheres(resistance, places, s):
    """Inertia and relative spin of all columns, where the narrow phase for spheres has radii, masses and the two spins in columns of its own."""
    _prepare(places[0], places[1], places[2], places[3], s)
