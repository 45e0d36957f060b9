"""Fixed-point accumulation of what a contact gives: order never matters, and the third law holds to the last count."""

from __future__ import annotations

import numpy as np

from ..compiled.choices import larger, select
from ..compiled.fixedpoint import COLUMNS, deposit_nearest, split
from ..compiled.jit import inlined
from ..compiled.vectors import square
from ..state.arrays import ERROR_OVERLAP, ERROR_RANGE, FAULT, FAULT_A, FAULT_B, LOST_NORMAL, LOST_TANGENTIAL, STORED, STRESS


@inlined
def fault(control, code, a, b):
    """Note the first thing that went wrong in a step; later faults are ignored.

    Args:
        control: (CONTROL,) int64.
        code: one of the ERROR codes of ``state.arrays``.
        a: global id of the first body involved.
        b: global id of the second one, or -1 less the number of a wall.
    """
    if control[FAULT] == 0:
        control[FAULT] = code
        control[FAULT_A] = a
        control[FAULT_B] = b


@inlined
def sums_hold(size, arm, other, limit, inv_force, inv_torque):
    """Whether sums of counts hold a contact, or several in lanes.

    Args:
        size: bound on the magnitude of the force (N).
        arm: vector from the first body's centre to the contact point (m).
        other: vector from the second body's centre to the contact point (m).
        limit: largest count.
        inv_force: one over the quantum of forces (1/N).
        inv_torque: one over the quantum of torques (1/(N m)).
    """
    # twice the longer arm leaves room for the couples, which are below friction and a tenth of the force times the zone's half-length
    arm2 = larger(square(arm), square(other))
    return (size * inv_force < limit) & (4.0 * size * size * arm2 * inv_torque * inv_torque < limit * limit)


@inlined
def faults(size, arm, other, depth_left, limit, inv_force, inv_torque):
    """What is out of range in a contact, or several in lanes.

    Args:
        size: bound on the magnitude of the force (N).
        arm: vector from the first body's centre to the contact point (m).
        other: vector from the second body's centre to the contact point (m).
        depth_left: smallest radius less overlap (m).
        limit: largest count.
        inv_force: one over the quantum of forces (1/N).
        inv_torque: one over the quantum of torques (1/(N m)).
    """
    return select(sums_hold(size, arm, other, limit, inv_force, inv_torque), 0, ERROR_RANGE) | select(depth_left < 0.0, ERROR_OVERLAP << 8, 0)


@inlined
def _add_one(ft, i, c, value, wide):
    if wide:
        high, low = split(value)
        ft[i, c] += low
        ft[i, COLUMNS + c] += high
    else:
        ft[i, c] += int(np.rint(value))


@inlined
def add(ft, i, force, torque, settings):
    """Add a force and a torque to a body, each component rounded to whole quanta, and count one contribution.

    Args:
        ft: (N, COLUMNS or WIDE_COLUMNS) int64 sums of the bodies.
        i: row of the body.
        force: force on the body (N).
        torque: about its centre (N m).
        settings: `Settings`.
    """
    inv_force, inv_torque, wide = 1.0 / settings.force, 1.0 / settings.torque, settings.wide
    ft[i, 3] += 1
    _add_one(ft, i, 0, force[0] * inv_force, wide)
    _add_one(ft, i, 1, force[1] * inv_force, wide)
    _add_one(ft, i, 2, force[2] * inv_force, wide)
    _add_one(ft, i, 4, torque[0] * inv_torque, wide)
    _add_one(ft, i, 5, torque[1] * inv_torque, wide)
    _add_one(ft, i, 6, torque[2] * inv_torque, wide)


@inlined
def tally_losses(tally, lost_n, lost_t, inv_energy):
    """Add what a contact turned into heat to the sums of the energy budget.

    Args:
        tally: (TALLY, 2) int64 two-limb sums.
        lost_n: energy lost by motion along its normal (J).
        lost_t: energy lost by friction and couples (J).
        inv_energy: one over the quantum of energies (1/J).
    """
    deposit_nearest(tally, LOST_NORMAL, lost_n * inv_energy)
    deposit_nearest(tally, LOST_TANGENTIAL, lost_t * inv_energy)


@inlined
def tally_contact(tally, kind, stored, branch, force, inv_energy):
    """Add one contact to the sums of the observables.

    Args:
        tally: (TALLY, 2) int64.
        kind: CONTACTS or WALL_CONTACTS.
        stored: energy that it holds (J).
        branch: vector from the first body's centre to the second's, or to the wall (m).
        force: force on the first body (N).
        inv_energy: one over the energy quantum (1/J).
    """
    tally[kind, 0] += 1
    deposit_nearest(tally, STORED, stored * inv_energy)
    tally_stress(tally, branch, force, inv_energy)


@inlined
def tally_stress(tally, branch, force, inv_energy):
    """Add one contact to the Love-Weber sum, branch times force.

    Args:
        tally: (TALLY, 2) int64 two-limb sums.
        branch: vector from the first body's centre to the second's, or to the wall (m).
        force: force on the first body (N).
        inv_energy: one over the quantum of energies (1/J).
    """
    _tally_row(tally, STRESS, branch[0], force, inv_energy)
    _tally_row(tally, STRESS + 3, branch[1], force, inv_energy)
    _tally_row(tally, STRESS + 6, branch[2], force, inv_energy)


@inlined
def _tally_row(tally, first, factor, force, inv_energy):
    deposit_nearest(tally, first, factor * force[0] * inv_energy)
    deposit_nearest(tally, first + 1, factor * force[1] * inv_energy)
    deposit_nearest(tally, first + 2, factor * force[2] * inv_energy)
