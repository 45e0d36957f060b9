"""Contacts of scenes made of spheres only: the general rule with everything that a point core makes zero left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import kernel
from ..laws.friction import contact_force, end_contact
from ..state import CONTACTS, ERROR_OVERLAP, ERROR_RANGE, LOST_NORMAL, LOST_TANGENTIAL, OBSERVE
from .accumulate import fault, tally_contact, within_range


class Spheres(NamedTuple):
    """Narrow phase for spheres only; the same fields as ``rods.Rods``, whose plane rules it shares."""

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray


@kernel
def sphere_contacts(first, last, owned, pairs, g, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last``.

    The contact lies on the radical plane: arm_i = (d^2 + R_i^2 - R_j^2) / (2 d) along the normal from i to j.
    """
    row, ptr, col, touch, hist = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.hist
    x, v, w, ft, species = g.x, g.v, g.w, g.ft, g.species
    inv_force, inv_torque, inv_energy = 1.0 / settings.force, 1.0 / settings.torque, 1.0 / settings.energy
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    dt, budget, periodic = settings.dt, settings.budget, settings.periodic
    observe = control[OBSERVE] != 0
    for r in range(first, last):
        i = np.uintp(row[r])
        xi, yi, zi, ri = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
        vxi, vyi, vzi, mi = v[i, 0], v[i, 1], v[i, 2], v[i, 3]
        wxi, wyi, wzi = w[i, 0], w[i, 1], w[i, 2]
        a = np.uintp(species[i])
        sfx, sfy, sfz, stx, sty, stz = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for q in range(ptr[r], ptr[r + 1]):
            p = np.uintp(q)  # unsigned indices spare the check for negative ones
            j = np.uintp(col[p])
            dx = x[j, 0] - xi
            dy = x[j, 1] - yi
            dz = x[j, 2] - zi
            if periodic:
                dx = dx - px if dx > hx else (dx + px if dx < -hx else dx)
                dy = dy - py if dy > hy else (dy + py if dy < -hy else dy)
                dz = dz - pz if dz > hz else (dz + pz if dz < -hz else dz)
            rj = x[j, 3]
            reach = ri + rj
            d2 = dx * dx + dy * dy + dz * dz
            if d2 >= reach * reach:
                if touch[p]:
                    touch[p] = 0
                    if budget and i < owned:
                        lost_n, lost_t = end_contact(v[j, 0] - vxi, v[j, 1] - vyi, v[j, 2] - vzi, hist, p, dt)
                        tally[LOST_NORMAL, 0] += int(lost_n * inv_energy)
                        tally[LOST_TANGENTIAL, 0] += int(lost_t * inv_energy)
                continue
            d = np.sqrt(d2)
            inv = 1.0 / d
            nx, ny, nz = dx * inv, dy * inv, dz * inv
            arm_i = 0.5 * (d + (ri - rj) * reach * inv)
            arm_j = d - arm_i
            wxj, wyj, wzj = w[j, 0], w[j, 1], w[j, 2]
            # velocity of j's material point less that of i's: v_j - arm_j w_j x n - v_i - arm_i w_i x n
            sx, sy, sz = arm_i * wxi + arm_j * wxj, arm_i * wyi + arm_j * wyj, arm_i * wzi + arm_j * wzj
            rx = v[j, 0] - vxi - (sy * nz - sz * ny)
            ry = v[j, 1] - vyi - (sz * nx - sx * nz)
            rz = v[j, 2] - vzi - (sx * ny - sy * nx)
            mj = v[j, 3]
            b = np.uintp(species[j])
            turn = 0.5 * dt * ((wxi + wxj) * nx + (wyi + wyj) * ny + (wzi + wzj) * nz)
            fx, fy, fz, _, _, _, stored, lost_n, lost_t, phi = contact_force(
                law, a, b, reach - d, nx, ny, nz, 1.0, rx, ry, rz, 0.0, 0.0, 0.0, turn, mi * mj / (mi + mj), ri * rj / reach,
                0.0, 0.0, 0.0, 0.0, touch[p] != 0, hist, p, dt, budget,
            )  # fmt: skip
            touch[p] = 1
            if reach - d > min(ri, rj):
                fault(control, ERROR_OVERLAP, g.gid[i], g.gid[j])
            if not within_range(phi, law.friction[a, b], max(arm_i, arm_j), settings.force, settings.torque):
                fault(control, ERROR_RANGE, g.gid[i], g.gid[j])
                continue
            # torque on i: arm_i n x f; on j: (-arm_j n) x (-f)
            tx, ty, tz = ny * fz - nz * fy, nz * fx - nx * fz, nx * fy - ny * fx
            qx, qy, qz = int(fx * inv_force), int(fy * inv_force), int(fz * inv_force)
            sfx += qx
            sfy += qy
            sfz += qz
            ft[j, 0] -= qx
            ft[j, 1] -= qy
            ft[j, 2] -= qz
            si, sj = arm_i * inv_torque, arm_j * inv_torque
            stx += int(tx * si)
            sty += int(ty * si)
            stz += int(tz * si)
            ft[j, 4] += int(tx * sj)
            ft[j, 5] += int(ty * sj)
            ft[j, 6] += int(tz * sj)
            if i < owned:
                if budget:
                    tally[LOST_NORMAL, 0] += int(lost_n * inv_energy)
                    tally[LOST_TANGENTIAL, 0] += int(lost_t * inv_energy)
                if observe:
                    tally_contact(tally, CONTACTS, stored, dx, dy, dz, fx, fy, fz, inv_energy)
        ft[i, 0] += sfx
        ft[i, 1] += sfy
        ft[i, 2] += sfz
        ft[i, 4] += stx
        ft[i, 5] += sty
        ft[i, 6] += stz
