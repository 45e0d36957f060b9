"""Fixed-point accumulation of what a contact gives: order never matters, and the third law holds to the last count."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..fixedpoint import COLUMNS, LIMIT, WIDE_LIMIT, deposit_nearest, split
from ..state import FAULT, FAULT_A, FAULT_B, LOST_NORMAL, LOST_TANGENTIAL


@kernel
def fault(control, code, a, b):
    """Note the first thing that went wrong: its code and the global ids (or wall, as -1 - index) involved."""
    if control[FAULT] == 0:
        control[FAULT] = code
        control[FAULT_A] = a
        control[FAULT_B] = b


@inlined
def within_range(phi, friction, lever, settings):
    """Whether a force of normal part ``phi`` (N) with friction and its torque on ``lever`` (m) stay below the limit; false for NaN."""
    limit = WIDE_LIMIT if settings.wide else LIMIT
    size = abs(phi) * (1.0 + friction)
    return size < limit * settings.force and size * lever < limit * settings.torque


@inlined
def _add_one(ft, i, c, value, wide):
    if wide:
        high, low = split(value)
        ft[i, c] += low
        ft[i, COLUMNS + c] += high
    else:
        ft[i, c] += int(np.rint(value))


@inlined
def add(ft, i, fx, fy, fz, tx, ty, tz, inv_force, inv_torque, wide):
    """Add a force (N) and torque (N m) to body ``i``, rounded to whole quanta, and count it."""
    ft[i, 3] += 1
    _add_one(ft, i, 0, fx * inv_force, wide)
    _add_one(ft, i, 1, fy * inv_force, wide)
    _add_one(ft, i, 2, fz * inv_force, wide)
    _add_one(ft, i, 4, tx * inv_torque, wide)
    _add_one(ft, i, 5, ty * inv_torque, wide)
    _add_one(ft, i, 6, tz * inv_torque, wide)


@inlined
def tally_losses(tally, lost_n, lost_t, inv_energy):
    """Book what a contact turned into heat along its normal, and by friction and couples (J)."""
    deposit_nearest(tally, LOST_NORMAL, lost_n * inv_energy)
    deposit_nearest(tally, LOST_TANGENTIAL, lost_t * inv_energy)


@kernel
def tally_contact(tally, row, stored, lx, ly, lz, fx, fy, fz, inv_energy):
    """Book one contact for the observables: count, stored energy (J), stress."""
    tally[row, 0] += 1
    deposit_nearest(tally, 2, stored * inv_energy)
    tally_stress(tally, lx, ly, lz, fx, fy, fz, inv_energy)


@kernel
def tally_stress(tally, lx, ly, lz, fx, fy, fz, inv_energy):
    """Add to the Love-Weber sum of branch (m) times force (N)."""
    deposit_nearest(tally, 5, lx * fx * inv_energy)
    deposit_nearest(tally, 6, lx * fy * inv_energy)
    deposit_nearest(tally, 7, lx * fz * inv_energy)
    deposit_nearest(tally, 8, ly * fx * inv_energy)
    deposit_nearest(tally, 9, ly * fy * inv_energy)
    deposit_nearest(tally, 10, ly * fz * inv_energy)
    deposit_nearest(tally, 11, lz * fx * inv_energy)
    deposit_nearest(tally, 12, lz * fy * inv_energy)
    deposit_nearest(tally, 13, lz * fz * inv_energy)
