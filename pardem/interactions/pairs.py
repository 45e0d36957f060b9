"""Contacts of all candidate pairs for grains of any convex shape: geometry by the narrow phase, force by the law, sums in fixed point."""

from __future__ import annotations

import numpy as np

from .._jit import kernel
from ..laws.friction import contact_force, end_contact
from ..state import CONTACTS, ERROR_OVERLAP, ERROR_RANGE, ERROR_SOLVER, LOST_NORMAL, LOST_TANGENTIAL, OBSERVE
from .accumulate import add, collapsed, fault, tally_contact, within_range
from .dispatch import closest, zone


@kernel
def pair_contacts(first, last, owned, pairs, g, interaction, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last``; each pair has its lower global id first."""
    row, ptr, col, touch, hist = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.hist
    x, v, w, ft, species = g.x, g.v, g.w, g.ft, g.species
    inv_force, inv_torque, inv_energy = 1.0 / settings.force, 1.0 / settings.torque, 1.0 / settings.energy
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    dt, budget, periodic = settings.dt, settings.budget, settings.periodic
    observe = control[OBSERVE] != 0
    for r in range(first, last):
        i = np.uintp(row[r])
        a = np.uintp(species[i])
        for q in range(ptr[r], ptr[r + 1]):
            p = np.uintp(q)  # unsigned indices spare the check for negative ones
            j = np.uintp(col[p])
            b = np.uintp(species[j])
            dx = x[j, 0] - x[i, 0]
            dy = x[j, 1] - x[i, 1]
            dz = x[j, 2] - x[i, 2]
            if periodic:
                dx = dx - px if dx > hx else (dx + px if dx < -hx else dx)
                dy = dy - py if dy > hy else (dy + py if dy < -hy else dy)
                dz = dz - pz if dz > hz else (dz + pz if dz < -hz else dz)
            ri, rj = x[i, 3], x[j, 3]
            reach = ri + rj
            touching = touch[p] != 0
            near, f, x0, x1, x2, y0, y1, y2, status = closest(interaction, g, i, j, a, b, -dx, -dy, -dz, pairs.warm, hist, p, touching, reach)
            if status != 0:
                fault(control, ERROR_SOLVER, g.gid[i], g.gid[j])
            if not near and not touching:
                continue
            # from the point on i to the point on j; its length is below the regularised distance d
            lx, ly, lz = dx + y0 - x0, dy + y1 - x1, dz + y2 - x2
            length = np.sqrt(lx * lx + ly * ly + lz * lz)
            if length == 0.0:
                fault(control, ERROR_OVERLAP, g.gid[i], g.gid[j])
                continue
            part = 0.5 + 0.5 * (ri - rj) * reach / (length * length)
            ix, iy, iz = x0 + part * lx, x1 + part * ly, x2 + part * lz
            jx, jy, jz = ix - dx, iy - dy, iz - dz
            wxi, wyi, wzi = w[i, 0], w[i, 1], w[i, 2]
            wxj, wyj, wzj = w[j, 0], w[j, 1], w[j, 2]
            rx = v[j, 0] - v[i, 0] + (wyj * jz - wzj * jy) - (wyi * iz - wzi * iy)
            ry = v[j, 1] - v[i, 1] + (wzj * jx - wxj * jz) - (wzi * ix - wxi * iz)
            rz = v[j, 2] - v[i, 2] + (wxj * jy - wyj * jx) - (wxi * iy - wyi * ix)
            if not near:
                touch[p] = 0
                if budget and i < owned:
                    lost_n, lost_t = end_contact(rx, ry, rz, hist, p, dt)
                    tally[LOST_NORMAL, 0] += int(lost_n * inv_energy)
                    tally[LOST_TANGENTIAL, 0] += int(lost_t * inv_energy)
                continue
            d = np.sqrt(f)
            delta = reach - d
            inv_length = 1.0 / length
            nx, ny, nz = lx * inv_length, ly * inv_length, lz * inv_length
            mi, mj = v[i, 3], v[j, 3]
            turn = 0.5 * dt * ((wxi + wxj) * nx + (wyi + wyj) * ny + (wzi + wzj) * nz)
            r_eff = ri * rj / reach
            lever, ex, ey, ez = zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs.warm, p)
            fx, fy, fz, cx, cy, cz, stored, lost_n, lost_t, phi = contact_force(
                law, a, b, delta, nx, ny, nz, length / d, rx, ry, rz, wxj - wxi, wyj - wyi, wzj - wzi, turn, mi * mj / (mi + mj), r_eff,
                lever, ex, ey, ez, touching, hist, p, dt, budget,
            )  # fmt: skip
            touch[p] = 1
            if delta > min(ri, rj) or collapsed(d, f - length * length, reach):
                fault(control, ERROR_OVERLAP, g.gid[i], g.gid[j])
            arm = max(ix * ix + iy * iy + iz * iz, jx * jx + jy * jy + jz * jz)
            if not within_range(phi, law.friction[a, b], 2.0 * np.sqrt(arm), settings.force, settings.torque):
                fault(control, ERROR_RANGE, g.gid[i], g.gid[j])
                continue
            add(ft, i, fx, fy, fz, iy * fz - iz * fy + cx, iz * fx - ix * fz + cy, ix * fy - iy * fx + cz, inv_force, inv_torque)
            add(ft, j, -fx, -fy, -fz, jz * fy - jy * fz - cx, jx * fz - jz * fx - cy, jy * fx - jx * fy - cz, inv_force, inv_torque)
            if i < owned:
                if budget:
                    tally[LOST_NORMAL, 0] += int(lost_n * inv_energy)
                    tally[LOST_TANGENTIAL, 0] += int(lost_t * inv_energy)
                if observe:
                    tally_contact(tally, CONTACTS, stored, dx, dy, dz, fx, fy, fz, inv_energy)
