"""Contacts of scenes made of spheres only: the general rule with everything that a point core makes zero left out, in batches that vectorise.

Three passes: which candidates touch; then, in batches, gather the two bodies of each contact into a scratch array with one column a contact,
compute all contacts of the batch at once, and scatter forces and histories. Every contact sees the same operations in the same order as one computed
alone, so batches cannot show in the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined, kernel
from ..laws.dispatch import coefficients
from ..laws.friction import end_contact, energy_lost, spring_and_slider
from ..state import CONTACTS, ERROR_OVERLAP, ERROR_RANGE, LOST_NORMAL, LOST_TANGENTIAL, OBSERVE
from .accumulate import fault, tally_contact, within_range

BATCH = 64
# columns of the scratch array: what goes in and what comes out
DX, DY, DZ, RI, RJ, MI, MJ, VX, VY, VZ, WXI, WYI, WZI, WXJ, WYJ, WZJ, ALIVE, H = (k * BATCH for k in range(18))
NX, NY, NZ, D, ARM, PHI, TX, TY, TZ, UX, UY, UZ, KT, DAMPING, RATE, PLASTIC, STORED = (k * BATCH for k in range(25, 42))
C, FRICTION = 42 * BATCH, 48 * BATCH
SCRATCH = 49 * BATCH


class Spheres(NamedTuple):
    """Narrow phase for spheres only; the same fields as ``rods.Rods``, whose plane rules it shares."""

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray


@inlined
def _nearest(d, period, half, periodic):
    """Difference of two wrapped coordinates in the nearest image."""
    if periodic:
        return d - period if d > half else (d + period if d < -half else d)
    return d


@kernel
def _touching(first, last, pairs, g, settings):
    """Write the candidates that touch, or did in the step before, to ``pairs.near`` with their rows in ``pairs.near_row``; returns how many."""
    row, ptr, col, touch, near, near_row = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.near, pairs.near_row
    x = g.x
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    periodic = settings.periodic
    found = np.uintp(0)
    for r in range(first, last):
        i = np.uintp(row[r])
        xi, yi, zi, ri = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
        for q in range(ptr[r], ptr[r + 1]):
            p = np.uintp(q)  # unsigned indices spare the check for negative ones
            j = np.uintp(col[p])
            dx = _nearest(x[j, 0] - xi, px, hx, periodic)
            dy = _nearest(x[j, 1] - yi, py, hy, periodic)
            dz = _nearest(x[j, 2] - zi, pz, hz, periodic)
            reach = ri + x[j, 3]
            near[found] = p
            near_row[found] = i
            found += np.uintp((dx * dx + dy * dy + dz * dz < reach * reach) | (touch[p] != 0))
    return np.int64(found)


@inlined
def _gather(k, i, j, p, pairs, g, law, settings, s):
    """Put the bodies and the history of a contact into column ``k`` of the scratch array."""
    x, v, w, hist = g.x, g.v, g.w, pairs.hist
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    s[DX + k] = _nearest(x[j, 0] - x[i, 0], px, hx, settings.periodic)
    s[DY + k] = _nearest(x[j, 1] - x[i, 1], py, hy, settings.periodic)
    s[DZ + k] = _nearest(x[j, 2] - x[i, 2], pz, hz, settings.periodic)
    s[RI + k], s[RJ + k] = x[i, 3], x[j, 3]
    s[MI + k], s[MJ + k] = v[i, 3], v[j, 3]
    s[VX + k], s[VY + k], s[VZ + k] = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
    s[WXI + k], s[WYI + k], s[WZI + k] = w[i, 0], w[i, 1], w[i, 2]
    s[WXJ + k], s[WYJ + k], s[WZJ + k] = w[j, 0], w[j, 1], w[j, 2]
    s[ALIVE + k] = pairs.touch[p]
    for c in range(7):
        s[H + np.uintp(c * BATCH) + k] = hist[p, c]
    a, b = np.uintp(g.species[i]), np.uintp(g.species[j])
    c0, c1, c2, c3, c4, c5 = coefficients(law, a, b)
    s[C + k], s[C + BATCH + k], s[C + 2 * BATCH + k], s[C + 3 * BATCH + k], s[C + 4 * BATCH + k], s[C + 5 * BATCH + k] = c0, c1, c2, c3, c4, c5
    s[FRICTION + k] = law.friction[a, b]


@kernel
def _compute(law, dt, s):
    """All contacts of a batch. The contact lies on the radical plane, arm_i = (d^2 + R_i^2 - R_j^2) / (2 d) along the normal from i to j."""
    for q in range(BATCH):
        k = np.uintp(q)
        dx, dy, dz, ri, rj = s[DX + k], s[DY + k], s[DZ + k], s[RI + k], s[RJ + k]
        reach = ri + rj
        d = np.sqrt(dx * dx + dy * dy + dz * dz)
        inv = 1.0 / d
        nx, ny, nz = dx * inv, dy * inv, dz * inv
        arm_i = 0.5 * (d + (ri - rj) * reach * inv)
        arm_j = d - arm_i
        wxi, wyi, wzi, wxj, wyj, wzj = s[WXI + k], s[WYI + k], s[WZI + k], s[WXJ + k], s[WYJ + k], s[WZJ + k]
        # velocity of j's material point less that of i's: v_j - arm_j w_j x n - v_i - arm_i w_i x n
        cx, cy, cz = arm_i * wxi + arm_j * wxj, arm_i * wyi + arm_j * wyj, arm_i * wzi + arm_j * wzj
        rx = s[VX + k] - (cy * nz - cz * ny)
        ry = s[VY + k] - (cz * nx - cx * nz)
        rz = s[VZ + k] - (cx * ny - cy * nx)
        turn = 0.5 * dt * ((wxi + wxj) * nx + (wyi + wyj) * ny + (wzi + wzj) * nz)
        mi, mj = s[MI + k], s[MJ + k]
        phi, tx, ty, tz, sx, sy, sz, memory, ux, uy, uz, kt, _, damping, rate, plastic, stored = spring_and_slider(
            law, s[C + k], s[C + BATCH + k], s[C + 2 * BATCH + k], s[C + 3 * BATCH + k], s[C + 4 * BATCH + k], s[C + 5 * BATCH + k],
            s[FRICTION + k], reach - d, nx, ny, nz, 1.0, rx, ry, rz, turn, mi * mj / (mi + mj),
            ri * rj / reach, s[ALIVE + k] != 0.0, s[H + k], s[H + BATCH + k], s[H + 2 * BATCH + k], s[H + 3 * BATCH + k],
            s[H + 4 * BATCH + k], s[H + 5 * BATCH + k], s[H + 6 * BATCH + k], dt,
        )  # fmt: skip
        s[NX + k], s[NY + k], s[NZ + k], s[D + k], s[ARM + k] = nx, ny, nz, d, arm_i
        s[PHI + k], s[TX + k], s[TY + k], s[TZ + k] = phi, tx, ty, tz
        s[UX + k], s[UY + k], s[UZ + k], s[KT + k] = ux, uy, uz, kt
        s[DAMPING + k], s[RATE + k], s[PLASTIC + k], s[STORED + k] = damping, rate, plastic, stored
        s[H + k], s[H + BATCH + k], s[H + 2 * BATCH + k], s[H + 3 * BATCH + k] = sx, sy, sz, memory


@kernel
def sphere_contacts(first, last, owned, pairs, g, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last``; each pair has its lower global id first."""
    col, touch, hist, near, near_row, s = pairs.col, pairs.touch, pairs.hist, pairs.near, pairs.near_row, pairs.scratch
    v, ft = g.v, g.ft
    inv_force, inv_torque, inv_energy = 1.0 / settings.force, 1.0 / settings.torque, 1.0 / settings.energy
    dt, budget = settings.dt, settings.budget
    observe = control[OBSERVE] != 0
    found = _touching(first, last, pairs, g, settings)
    for begin in range(0, found, BATCH):
        count = min(BATCH, found - begin)
        for q in range(count):
            p = np.uintp(near[begin + q])
            _gather(np.uintp(q), np.uintp(near_row[begin + q]), np.uintp(col[p]), p, pairs, g, law, settings, s)
        _compute(law, dt, s)
        for q in range(count):
            k = np.uintp(q)
            p, i = np.uintp(near[begin + q]), np.uintp(near_row[begin + q])
            j = np.uintp(col[p])
            ri, rj, d = s[RI + k], s[RJ + k], s[D + k]
            reach = ri + rj
            nx, ny, nz, phi = s[NX + k], s[NY + k], s[NZ + k], s[PHI + k]
            tx, ty, tz = s[TX + k], s[TY + k], s[TZ + k]
            dx, dy, dz = s[DX + k], s[DY + k], s[DZ + k]
            if dx * dx + dy * dy + dz * dz >= reach * reach:
                touch[p] = 0
                if budget and i < owned:
                    lost_n, lost_t = end_contact(v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2], hist, p, dt)
                    tally[LOST_NORMAL, 0] += int(lost_n * inv_energy)
                    tally[LOST_TANGENTIAL, 0] += int(lost_t * inv_energy)
                continue
            alive = touch[p] != 0
            touch[p] = 1
            for c in range(4):
                hist[p, c] = s[H + np.uintp(c * BATCH) + k]
            hist[p, 4], hist[p, 5], hist[p, 6] = nx, ny, nz
            fx, fy, fz = tx - phi * nx, ty - phi * ny, tz - phi * nz
            arm_i = s[ARM + k]
            arm_j = d - arm_i
            if reach - d > min(ri, rj):
                fault(control, ERROR_OVERLAP, g.gid[i], g.gid[j])
            if not within_range(phi, s[FRICTION + k], max(arm_i, arm_j), settings.force, settings.torque):
                fault(control, ERROR_RANGE, g.gid[i], g.gid[j])
                continue
            qx, qy, qz = int(fx * inv_force), int(fy * inv_force), int(fz * inv_force)
            ft[i, 0] += qx
            ft[i, 1] += qy
            ft[i, 2] += qz
            ft[j, 0] -= qx
            ft[j, 1] -= qy
            ft[j, 2] -= qz
            # torque on i: arm_i n x f; on j: (-arm_j n) x (-f)
            qx, qy, qz = ny * fz - nz * fy, nz * fx - nx * fz, nx * fy - ny * fx
            si, sj = arm_i * inv_torque, arm_j * inv_torque
            ft[i, 4] += int(qx * si)
            ft[i, 5] += int(qy * si)
            ft[i, 6] += int(qz * si)
            ft[j, 4] += int(qx * sj)
            ft[j, 5] += int(qy * sj)
            ft[j, 6] += int(qz * sj)
            stored, lost_n, lost_t = s[STORED + k], 0.0, 0.0
            if budget:
                lost_n, lost_t, stored_t = energy_lost(
                    hist, p, alive, tx, ty, tz, hist[p, 0], hist[p, 1], hist[p, 2], s[UX + k], s[UY + k], s[UZ + k],
                    s[KT + k], s[DAMPING + k], s[RATE + k], s[PLASTIC + k], dt,
                )  # fmt: skip
                stored += stored_t
            if i < owned:
                if budget:
                    tally[LOST_NORMAL, 0] += int(lost_n * inv_energy)
                    tally[LOST_TANGENTIAL, 0] += int(lost_t * inv_energy)
                if observe:
                    tally_contact(tally, CONTACTS, stored, dx, dy, dz, fx, fy, fz, inv_energy)
