"""Forces and couples of the contacts in the columns of a batch, and the same in whole quanta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled.choices import select
from ..compiled.fixedpoint import LIMIT, WIDE_LIMIT, split
from ..compiled.jit import inlined
from ..compiled.lanes.conversions import whole
from ..compiled.vectors import ZERO, add, behind, cross, negative, scale, subtract
from ..laws.couples import couple
from ..laws.history import MEMORY, NORMAL, TWIST
from ..laws.law import carries, served, touching_overlap
from ..laws.quantities import Geometry, Motion, PairFriction, PairMaterial, Past, Zone
from ..laws.slider import spring_and_slider
from .accumulate import faults
from .batch import (
    ALIVE,
    ARM,
    AXIS,
    BATCH,
    BRANCH,
    CN,
    CT,
    DAMPING,
    DEPTH_LEFT,
    DRAG,
    FAULTY,
    FORCE,
    FRICTION,
    GROW,
    KT,
    LEVER,
    LEVER_MIDDLE,
    MASS,
    MIDDLES,
    MOMENT,
    NORMALS,
    OVERLAP,
    OWN,
    PAST,
    PLASTIC,
    PUSH,
    QF,
    QI,
    QJ,
    RADIUS,
    RATE,
    ROCKING,
    SLIP,
    SLOPE,
    SPIN,
    STORED,
    TORSION,
    TURN,
    UPPER,
    VELOCITY,
    WORK,
    numbers_of,
    put_vector,
    response,
    vector,
)


@inlined
def _geometry(s, k):
    return Geometry(s[OVERLAP + k], vector(s, NORMALS, k), vector(s, MIDDLES, k), s[SLOPE + k])


@inlined
def forces(count, law, dt, lag, s):
    """Force on the first body of each contact, from the law and Coulomb friction.

    Args:
        count: number of columns that are filled; others may be computed beside them.
        law: tables of the law.
        dt: time step (s).
        lag: time by which velocities lie before the end of the step (s).
        s: (SCRATCH,) float64.
    """
    for n in range(served(law, count, BATCH)):
        k = np.uintp(n)
        numbers, geometry = numbers_of(s, k), _geometry(s, k)
        own = vector(s, OWN, k) if carries(law) else ZERO
        past = Past(s[ALIVE + k] != 0.0, vector(s, PAST, k), s[PAST + MEMORY * BATCH + k], vector(s, PAST + NORMAL * BATCH, k), own)
        material = PairMaterial(numbers, s[FRICTION + k], s[MASS + k], s[RADIUS + k])
        r = spring_and_slider(law, material, geometry, Motion(vector(s, VELOCITY, k), s[TURN + k], dt, lag), past)
        s[DEPTH_LEFT + k] += 0.5 * touching_overlap(law, numbers)
        put_vector(s, FORCE, k, behind(r.drag, r.push * geometry.slope, geometry.normal))
        put_vector(s, DRAG, k, r.drag)
        put_vector(s, SLIP, k, r.slip)
        put_vector(s, PAST, k, r.spring)
        if carries(law):
            put_vector(s, OWN, k, r.own)
        s[PUSH + k], s[RATE + k], s[GROW + k], s[PAST + MEMORY * BATCH + k] = r.push, r.rate, r.grow, r.law.memory
        s[KT + k], s[CT + k], s[CN + k], s[DAMPING + k], s[PLASTIC + k], s[STORED + k] = (
            r.law.kt, r.law.ct, r.law.cn, r.law.damping, r.law.plastic, r.law.stored
        )  # fmt: skip


@inlined
def couples(dt, s):
    """Couple on the first body of each contact: torsional friction and the rocking damper.

    Args:
        dt: time step (s).
        s: (SCRATCH,) float64.
    """
    for n in range(BATCH):
        k = np.uintp(n)
        zone = Zone(s[LEVER + k], s[LEVER_MIDDLE + k], vector(s, AXIS, k))
        twist = select(s[ALIVE + k] != 0.0, s[PAST + TWIST * BATCH + k], 0.0)
        friction = PairFriction(s[FRICTION + k], s[TORSION + k], s[ROCKING + k])
        c = couple(response(s, k), _geometry(s, k), zone, vector(s, SPIN, k), friction, twist, dt)
        put_vector(s, MOMENT, k, c.moment)
        s[PAST + TWIST * BATCH + k], s[WORK + k] = c.twist, c.work


@inlined
def _put_whole(q, column, k, a):
    """Write a vector of counts, the nearest whole ones, to three columns."""
    c = np.uintp(column) + k
    q[c], q[c + np.uintp(BATCH)], q[c + np.uintp(2 * BATCH)] = whole(a[0]), whole(a[1]), whole(a[2])


@inlined
def _put_limbs(q, column, k, a):
    """Write a vector of counts, in two limbs, to three columns and their upper limbs."""
    c, up, one, two = np.uintp(column) + k, np.uintp(UPPER), np.uintp(BATCH), np.uintp(2 * BATCH)
    q[c + up], q[c] = split(a[0])
    q[c + one + up], q[c + one] = split(a[1])
    q[c + two + up], q[c + two] = split(a[2])


@inlined
def torques_of_forces(k, s):
    """Torque of a contact in column ``k`` about the first centre, and against that about the second one: arms times the force (N m)."""
    force, arm = vector(s, FORCE, k), vector(s, ARM, k)
    return cross(arm, force), cross(subtract(arm, vector(s, BRANCH, k)), force)


def quantising(torques: Callable[..., Any]) -> Any:
    """Make the function that rounds the forces and torques of all columns to whole quanta.

    Args:
        torques: compiled, ``torques(k, s)``; see ``torques_of_forces``.

    Returns:
        A compiled function of whether the contacts have couples, of the `Settings`, of (SCRATCH,) float64 and of (COUNTS,) int64; it notes what is
        out of range as well.
    """

    @inlined
    def in_counts(k, with_couples, limit, inv_force, inv_torque, s):
        """What is out of range in column ``k``; force and torques on both bodies in quanta, not yet whole."""
        force, arm = vector(s, FORCE, k), vector(s, ARM, k)
        other, moment = subtract(arm, vector(s, BRANCH, k)), vector(s, MOMENT, k) if with_couples else ZERO
        faulty = faults(abs(s[PUSH + k]) * (1.0 + s[FRICTION + k]), arm, other, s[DEPTH_LEFT + k], limit, inv_force, inv_torque)
        on_first, against_second = torques(k, s)
        on_second = scale(inv_torque, negative(add(against_second, moment)))
        return faulty, scale(inv_force, force), scale(inv_torque, add(on_first, moment)), on_second

    @inlined
    def narrow(with_couples, inv_force, inv_torque, s, q):
        """Sums of one limb."""
        for n in range(BATCH):
            k = np.uintp(n)
            q[FAULTY + k], force, on_first, on_second = in_counts(k, with_couples, LIMIT, inv_force, inv_torque, s)
            _put_whole(q, QF, k, force)
            _put_whole(q, QI, k, on_first)
            _put_whole(q, QJ, k, on_second)

    @inlined
    def wide(with_couples, inv_force, inv_torque, s, q):
        """Sums of two limbs."""
        for n in range(BATCH):
            k = np.uintp(n)
            q[FAULTY + k], force, on_first, on_second = in_counts(k, with_couples, WIDE_LIMIT, inv_force, inv_torque, s)
            _put_limbs(q, QF, k, force)
            _put_limbs(q, QI, k, on_first)
            _put_limbs(q, QJ, k, on_second)

    @inlined
    def chosen(with_couples, settings, s, q):
        """By the width of the sums."""
        if settings.wide:
            wide(with_couples, 1.0 / settings.force, 1.0 / settings.torque, s, q)
        else:
            narrow(with_couples, 1.0 / settings.force, 1.0 / settings.torque, s, q)

    return chosen


quantise = quantising(torques_of_forces)
