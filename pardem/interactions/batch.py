"""Contacts in batches: one column a contact, so that the law is evaluated for many contacts at once with vector instructions.

A narrow phase fills the columns of a batch (geometry, velocities, history, the pair's numbers); ``evaluate`` computes the forces of all columns and
``book`` adds those of one column to the bodies and keeps its history. Every contact sees the same operations in the same order as one computed alone,
so batches cannot show in the result.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..fixedpoint import COLUMNS, LIMIT, WIDE_LIMIT, split
from ..laws.dispatch import coefficients, room
from ..laws.friction import couple, energy_lost, spring_and_slider, tangential_energy
from ..state import CONTACTS, ERROR_OVERLAP, ERROR_RANGE
from .accumulate import fault, tally_contact, tally_losses

BATCH = 32
BLOCK = 512  # candidates that are looked at before their contacts are computed
# Columns that a narrow phase fills: from the first body's centre to the second's, to the contact point, normal, overlap, smallest
# radius less overlap (negative: too deep), d(overlap)/dt over -n . v, relative velocity (in the middle of the step) and spin, turn, effective mass
# and radius
DX, DY, DZ, IX, IY, IZ, NX, NY, NZ, DELTA, ROOM, SLOPE, VX, VY, VZ, WX, WY, WZ, TURN, MEFF, REFF = (k * BATCH for k in range(21))
LEVER, EX, EY, EZ, TWIST = (k * BATCH for k in range(21, 26))  # contact zone: half-length, rocking axis, torsional spring
ALIVE, H = 26 * BATCH, 27 * BATCH  # whether the history is alive, its first seven numbers
C, FRICTION, TORSION, ROCKING = 34 * BATCH, 40 * BATCH, 41 * BATCH, 42 * BATCH  # the pair's numbers
# and what comes out
PHI, FX, FY, FZ, CX, CY, CZ, TX, TY, TZ, UX, UY, UZ, KT, CT, CN, DAMPING, RATE, PLASTIC, STORED = (k * BATCH for k in range(43, 63))
GROW, WORK = 63 * BATCH, 64 * BATCH  # stiffness with which springs grow; work of the couple
MX, MY, MZ, MIDDLE = (k * BATCH for k in range(65, 69))  # filled by the narrow phase: normal and zone in the middle of the step
SCRATCH = 69 * BATCH
# Columns of the integer scratch array: force, torque on the first and second body (quanta), fault, which pair's numbers a column holds; then the
# upper limbs of the first nine, where sums are wide
QF, QI, QJ, FAULTY, PAIR, UPPER = 0, 3 * BATCH, 6 * BATCH, 9 * BATCH, 10 * BATCH, 11 * BATCH
COUNTS = 20 * BATCH


@inlined
def fill_pair(k, a, b, law, s, q):
    """Put the law's numbers of a pair of materials into column ``k``, unless it holds them already."""
    code = np.int64(a) * 65536 + np.int64(b)
    if q[PAIR + k] == code:
        return
    q[PAIR + k] = code
    c0, c1, c2, c3, c4, c5 = coefficients(law, a, b)
    s[C + k], s[C + BATCH + k], s[C + 2 * BATCH + k], s[C + 3 * BATCH + k], s[C + 4 * BATCH + k], s[C + 5 * BATCH + k] = c0, c1, c2, c3, c4, c5
    s[FRICTION + k], s[TORSION + k], s[ROCKING + k] = law.friction[a, b], law.torsion[a, b], law.rocking[a, b]


@kernel
def forces(law, dt, lag, s):
    """Force on the first body of each contact; ``lag`` (s): by how much velocities lie before the end of the step."""
    for n in range(BATCH):
        k = np.uintp(n)
        nx, ny, nz, slope = s[NX + k], s[NY + k], s[NZ + k], s[SLOPE + k]
        phi, tx, ty, tz, sx, sy, sz, memory, ux, uy, uz, kt, ct, cn, damping, rate, plastic, stored, grow = spring_and_slider(
            law, s[C + k], s[C + BATCH + k], s[C + 2 * BATCH + k], s[C + 3 * BATCH + k], s[C + 4 * BATCH + k], s[C + 5 * BATCH + k],
            s[FRICTION + k], s[DELTA + k], nx, ny, nz, slope, s[MX + k], s[MY + k], s[MZ + k], s[VX + k], s[VY + k], s[VZ + k], s[TURN + k],
            s[MEFF + k], s[REFF + k],
            s[ALIVE + k] != 0.0, s[H + k], s[H + BATCH + k], s[H + 2 * BATCH + k], s[H + 3 * BATCH + k],
            s[H + 4 * BATCH + k], s[H + 5 * BATCH + k], s[H + 6 * BATCH + k], dt, lag,
        )  # fmt: skip
        push = phi * slope
        s[ROOM + k] = room(law, s[ROOM + k], s[C + 3 * BATCH + k])
        s[PHI + k], s[FX + k], s[FY + k], s[FZ + k] = phi, tx - push * nx, ty - push * ny, tz - push * nz
        s[TX + k], s[TY + k], s[TZ + k], s[UX + k], s[UY + k], s[UZ + k] = tx, ty, tz, ux, uy, uz
        s[KT + k], s[CT + k], s[CN + k], s[DAMPING + k], s[RATE + k], s[PLASTIC + k], s[STORED + k] = kt, ct, cn, damping, rate, plastic, stored
        s[H + k], s[H + BATCH + k], s[H + 2 * BATCH + k], s[H + 3 * BATCH + k], s[GROW + k] = sx, sy, sz, memory, grow


@kernel
def couples(dt, s):
    """Couple on the first body of each contact: torsional friction and the rocking damper."""
    for n in range(BATCH):
        k = np.uintp(n)
        twist = s[TWIST + k] if s[ALIVE + k] != 0.0 else 0.0
        s[CX + k], s[CY + k], s[CZ + k], s[TWIST + k], s[WORK + k] = couple(
            s[PHI + k] * s[SLOPE + k], s[GROW + k], s[CT + k], s[CN + k], s[FRICTION + k], s[TORSION + k], s[ROCKING + k], s[LEVER + k],
            s[MIDDLE + k],
            s[NX + k], s[NY + k], s[NZ + k], s[MX + k], s[MY + k], s[MZ + k], s[WX + k], s[WY + k], s[WZ + k], s[EX + k], s[EY + k], s[EZ + k],
            twist, dt,
        )  # fmt: skip


@inlined
def _in_counts(k, with_couples, limit, inv_force, inv_torque, s):
    """What is out of range in column ``k``; force and torques on both bodies in quanta, not yet whole."""
    fx, fy, fz = s[FX + k], s[FY + k], s[FZ + k]
    cx, cy, cz = 0.0, 0.0, 0.0
    if with_couples:
        cx, cy, cz = s[CX + k], s[CY + k], s[CZ + k]
    ix, iy, iz = s[IX + k], s[IY + k], s[IZ + k]
    jx, jy, jz = ix - s[DX + k], iy - s[DY + k], iz - s[DZ + k]
    # twice the longer arm leaves room for the couples, which are below friction and a tenth of the force times the zone's half-length
    arm2 = max(ix * ix + iy * iy + iz * iz, jx * jx + jy * jy + jz * jz)
    size = abs(s[PHI + k]) * (1.0 + s[FRICTION + k])
    inside = (size * inv_force < limit) & (4.0 * size * size * arm2 * inv_torque * inv_torque < limit * limit)
    return (
        (0 if inside else ERROR_RANGE) | (ERROR_OVERLAP << 8 if s[ROOM + k] < 0.0 else 0),
        fx * inv_force, fy * inv_force, fz * inv_force,
        (iy * fz - iz * fy + cx) * inv_torque, (iz * fx - ix * fz + cy) * inv_torque, (ix * fy - iy * fx + cz) * inv_torque,
        (jz * fy - jy * fz - cx) * inv_torque, (jx * fz - jz * fx - cy) * inv_torque, (jy * fx - jx * fy - cz) * inv_torque,
    )  # fmt: skip


@kernel
def _quantise_narrow(with_couples, inv_force, inv_torque, s, q):
    for n in range(BATCH):
        k = np.uintp(n)
        faulty, fx, fy, fz, ix, iy, iz, jx, jy, jz = _in_counts(k, with_couples, LIMIT, inv_force, inv_torque, s)
        q[FAULTY + k] = faulty
        q[QF + k], q[QF + BATCH + k], q[QF + 2 * BATCH + k] = int(np.rint(fx)), int(np.rint(fy)), int(np.rint(fz))
        q[QI + k], q[QI + BATCH + k], q[QI + 2 * BATCH + k] = int(np.rint(ix)), int(np.rint(iy)), int(np.rint(iz))
        q[QJ + k], q[QJ + BATCH + k], q[QJ + 2 * BATCH + k] = int(np.rint(jx)), int(np.rint(jy)), int(np.rint(jz))


@kernel
def _quantise_wide(with_couples, inv_force, inv_torque, s, q):
    for n in range(BATCH):
        k = np.uintp(n)
        faulty, fx, fy, fz, ix, iy, iz, jx, jy, jz = _in_counts(k, with_couples, WIDE_LIMIT, inv_force, inv_torque, s)
        q[FAULTY + k] = faulty
        q[UPPER + QF + k], q[QF + k] = split(fx)
        q[UPPER + QF + BATCH + k], q[QF + BATCH + k] = split(fy)
        q[UPPER + QF + 2 * BATCH + k], q[QF + 2 * BATCH + k] = split(fz)
        q[UPPER + QI + k], q[QI + k] = split(ix)
        q[UPPER + QI + BATCH + k], q[QI + BATCH + k] = split(iy)
        q[UPPER + QI + 2 * BATCH + k], q[QI + 2 * BATCH + k] = split(iz)
        q[UPPER + QJ + k], q[QJ + k] = split(jx)
        q[UPPER + QJ + BATCH + k], q[QJ + BATCH + k] = split(jy)
        q[UPPER + QJ + 2 * BATCH + k], q[QJ + 2 * BATCH + k] = split(jz)


@inlined
def quantise(with_couples, settings, s, q):
    """Forces and torques in whole quanta, the nearest ones, and what is out of range."""
    if settings.wide:
        _quantise_wide(with_couples, 1.0 / settings.force, 1.0 / settings.torque, s, q)
    else:
        _quantise_narrow(with_couples, 1.0 / settings.force, 1.0 / settings.torque, s, q)


@inlined
def _add_to_both(k, i, j, column, limb, q, ft):
    for c in range(3):
        force = q[limb + QF + np.uintp(c * BATCH) + k]
        ft[i, column + c] += force
        ft[j, column + c] -= force
        ft[i, column + 4 + c] += q[limb + QI + np.uintp(c * BATCH) + k]
        ft[j, column + 4 + c] += q[limb + QJ + np.uintp(c * BATCH) + k]


@inlined
def book(k, i, j, p, owned, with_couples, pairs, g, settings, observe, control, tally):
    """Add the force of column ``k``, contact ``p`` of bodies ``i`` and ``j``, and keep its history."""
    s, q, ft, hist, touch = pairs.scratch, pairs.counts, g.ft, pairs.hist, pairs.touch
    alive = touch[p] != 0
    touch[p] = 1
    for c in range(4):
        hist[p, c] = s[H + np.uintp(c * BATCH) + k]
    hist[p, 4], hist[p, 5], hist[p, 6] = s[NX + k], s[NY + k], s[NZ + k]
    if with_couples:
        hist[p, 7] = s[TWIST + k]
    if q[FAULTY + k] != 0:
        if q[FAULTY + k] >= 256:
            fault(control, ERROR_OVERLAP, g.gid[i], g.gid[j])
        fault(control, ERROR_RANGE, g.gid[i], g.gid[j])
        return
    _add_to_both(k, i, j, 0, 0, q, ft)
    if settings.wide:
        _add_to_both(k, i, j, COLUMNS, UPPER, q, ft)
    ft[i, 3] += 1
    ft[j, 3] += 1
    stored, inv_energy = s[STORED + k], 1.0 / settings.energy
    if settings.budget:
        lost_n, lost_t, stored_t = energy_lost(
            hist, p, alive, s[TX + k], s[TY + k], s[TZ + k], s[H + k], s[H + BATCH + k], s[H + 2 * BATCH + k], s[UX + k], s[UY + k], s[UZ + k],
            s[KT + k], s[DAMPING + k], s[RATE + k], s[PLASTIC + k], settings.dt, settings.gear,
        )  # fmt: skip
        stored += stored_t
        if with_couples:
            lost_t += s[WORK + k]
        if i < owned:
            tally_losses(tally, lost_n, lost_t, inv_energy)
    elif observe:
        stored += tangential_energy(s[H + k], s[H + BATCH + k], s[H + 2 * BATCH + k], s[KT + k])
    if observe and i < owned:
        tally_contact(tally, CONTACTS, stored, s[DX + k], s[DY + k], s[DZ + k], s[FX + k], s[FY + k], s[FZ + k], inv_energy)
