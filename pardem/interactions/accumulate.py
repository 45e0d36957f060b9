"""Fixed-point accumulation of what a contact gives: order never matters, and the third law holds to the last count."""

from __future__ import annotations

from .._jit import inlined, kernel
from ..fixedpoint import LIMIT
from ..state import FAULT, FAULT_A, FAULT_B


@kernel
def fault(control, code, a, b):
    """Note the first thing that went wrong: its code and the global ids (or wall, as -1 - index) involved."""
    if control[FAULT] == 0:
        control[FAULT] = code
        control[FAULT_A] = a
        control[FAULT_B] = b


@inlined
def collapsed(d, beta2, reach):
    """Whether a regularised contact is near the distance (D beta^2)^(1/3) where its force peaks (beta^2 = d^2 less the true distance squared)."""
    return d * d * d < 1.728 * reach * beta2


@inlined
def within_range(phi, friction, lever, force_quantum, torque_quantum):
    """Whether a force of normal part ``phi`` (N) with friction and its torque on ``lever`` (m) stay below the limit; false for NaN."""
    size = abs(phi) * (1.0 + friction)
    return size < LIMIT * force_quantum and size * lever < LIMIT * torque_quantum


@inlined
def add(ft, i, fx, fy, fz, tx, ty, tz, inv_force, inv_torque):
    """Add a force (N) and torque (N m) to body ``i``, rounded towards zero to whole quanta."""
    ft[i, 0] += int(fx * inv_force)
    ft[i, 1] += int(fy * inv_force)
    ft[i, 2] += int(fz * inv_force)
    ft[i, 4] += int(tx * inv_torque)
    ft[i, 5] += int(ty * inv_torque)
    ft[i, 6] += int(tz * inv_torque)


@kernel
def tally_contact(tally, row, stored, lx, ly, lz, fx, fy, fz, inv_energy):
    """Book one contact for the observables: count, stored energy, and the Love-Weber sum of branch (m) times force (N)."""
    tally[row, 0] += 1
    tally[2, 0] += int(stored * inv_energy)
    tally[5, 0] += int(lx * fx * inv_energy)
    tally[6, 0] += int(lx * fy * inv_energy)
    tally[7, 0] += int(lx * fz * inv_energy)
    tally[8, 0] += int(ly * fx * inv_energy)
    tally[9, 0] += int(ly * fy * inv_energy)
    tally[10, 0] += int(ly * fz * inv_energy)
    tally[11, 0] += int(lz * fx * inv_energy)
    tally[12, 0] += int(lz * fy * inv_energy)
    tally[13, 0] += int(lz * fz * inv_energy)
