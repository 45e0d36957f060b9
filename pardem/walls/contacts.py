"""Contacts of grains with walls. Convex analytic walls give one contact a grain by the narrow phase's own rule, concave ones one per core vertex;
under ``superposition`` all of them do. Bodies give one per pair of features (``bodies``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from .._jit import INLINED, inlined, kernel
from ..fixedpoint import carry, deposit
from ..interactions.accumulate import add, collapsed, fault, tally_contact, within_range
from ..interactions.dispatch import closest_to_plane, hands_on, stands_out, walls_by_vertex, zone_on_plane
from ..interactions.features import vertex
from ..interactions.inheritance import HEIR, LEAVING, LIVING
from ..interactions.local_minima import LocalMinima
from ..laws.friction import contact_force, end_contact
from ..state import ERROR_OVERLAP, ERROR_RANGE, ERROR_SOLVER, LOST_NORMAL, LOST_TANGENTIAL, OBSERVE, WALL_CONTACTS
from .bodies import nearest_on_body, row_of
from .kinds import BODY, CYLINDER, DISC


@inlined
def _rim(g, i, first, last, radius, hx, hy, hz, nx, ny, nz):
    """Nearest core vertex to a disc's rim and its nearest point there, for a grain that reaches past the disc.

    Args:
        first, last: the vertices to look at.
        hx, hy, hz: the grain's centre relative to the disc's (m). nx, ny, nz: the disc's normal.

    Returns:
        the vertex relative to the centre, the vector from it to the nearest point of the disc.
    """
    best, bx, by, bz, lx, ly, lz = np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last):
        ux, uy, uz = vertex(g, i, k)
        px, py, pz = hx + ux, hy + uy, hz + uz
        h = px * nx + py * ny + pz * nz
        rx, ry, rz = px - h * nx, py - h * ny, pz - h * nz
        r = np.sqrt(rx * rx + ry * ry + rz * rz)
        s = 1.0 if r <= radius else radius / r
        cx, cy, cz = s * rx - px, s * ry - py, s * rz - pz
        d2 = cx * cx + cy * cy + cz * cz
        if d2 < best:
            best, bx, by, bz, lx, ly, lz = d2, ux, uy, uz, cx, cy, cz
    return bx, by, bz, lx, ly, lz


@inlined
def wall_geometry(walls, g, interaction, i, k, pairs, p, touching, period):
    """Where grain ``i`` meets wall ``k``.

    Returns:
        (regularised) distance (m), point on the core relative to the centre, vector from it to the wall's surface point, status.
    """
    if walls.kind[k] == BODY:
        gap, x0, x1, x2, lx, ly, lz, round_off = nearest_on_body(walls, g, i, k, pairs.sub[p], period)
        s = 1.0 - round_off / gap if gap > 0.0 else 0.0
        return gap - round_off, x0, x1, x2, s * lx, s * ly, s * lz, 0
    shape, pose = walls.shape[k], walls.pose[k]
    hx = g.x[i, 0] - shape[0] - pose[0]
    hy = g.x[i, 1] - shape[1] - pose[1]
    hz = g.x[i, 2] - shape[2] - pose[2]
    nx, ny, nz = shape[3], shape[4], shape[5]
    height = hx * nx + hy * ny + hz * nz
    if walls.kind[k] == CYLINDER:
        ux, uy, uz = vertex(g, i, pairs.sub[p])
        px, py, pz = hx + ux, hy + uy, hz + uz
        along = px * nx + py * ny + pz * nz
        rx, ry, rz = px - along * nx, py - along * ny, pz - along * nz
        r = np.sqrt(rx * rx + ry * ry + rz * rz)
        gap = shape[6] - r
        s = gap / r if r > 0.0 else 0.0
        return gap, ux, uy, uz, s * rx, s * ry, s * rz, 0
    if walls.kind[k] == DISC and height < 0.0:
        nx, ny, nz, height = -nx, -ny, -nz, -height
    f, h, x0, x1, x2, status = closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching)
    if walls.kind[k] == DISC:
        px, py, pz = hx + x0 - h * nx, hy + x1 - h * ny, hz + x2 - h * nz
        if px * px + py * py + pz * pz > shape[6] * shape[6]:
            first, last = 0, max(1, g.vert_start[i + 1] - g.vert_start[i])
            if walls_by_vertex(interaction):
                first, last = pairs.sub[p], pairs.sub[p] + 1
            x0, x1, x2, lx, ly, lz = _rim(g, i, first, last, shape[6], hx, hy, hz, nx, ny, nz)
            d = np.sqrt(lx * lx + ly * ly + lz * lz)
        else:
            d, lx, ly, lz = np.sqrt(f) if h > 0.0 else h, -h * nx, -h * ny, -h * nz
        if d > 0.0 and not stands_out(interaction, g, i, pairs.sub[p], lx, ly, lz):
            d = 2.0 * g.x[i, 3]
        return d, x0, x1, x2, lx, ly, lz, status
    return np.sqrt(f) if h > 0.0 else h, x0, x1, x2, -h * nx, -h * ny, -h * nz, status


@kernel
def _hand_on(first, last, i, pairs, walls, g, interaction, settings):
    col, touch, hist = pairs.col, pairs.touch, pairs.hist
    a0, a1, a2 = 0.0, 0.0, 0.0
    for q in range(first, last):
        if touch[q] != LEAVING:
            continue
        heir, least = np.int64(-1), np.inf
        for m in range(first - 1, last):  # the one that leaves first
            p = np.int64(q if m < first else m)
            if m >= first and (col[p] != col[q] or touch[p] != 0):
                continue
            d, x0, x1, x2, _, _, _, _ = wall_geometry(walls, g, interaction, i, col[p], pairs, p, touch[p] != 0, settings.period)
            if m < first:
                a0, a1, a2 = x0, x1, x2
                continue
            away = (x0 - a0) ** 2 + (x1 - a1) ** 2 + (x2 - a2) ** 2
            if d < g.x[i, 3] and away < least:
                heir, least = p, away
        if heir >= 0:
            for c in range(hist.shape[1]):
                hist[heir, c] = hist[q, c]
            touch[heir], touch[q] = HEIR, 0


def hand_on(first, last, i, pairs, walls, g, interaction, settings):  # type: ignore[no-untyped-def]
    """Give the histories of contacts with walls that are LEAVING to those that are born (``interactions.inheritance``)."""
    raise NotImplementedError("call from compiled code")


@overload(hand_on, jit_options=INLINED)
def _hand_on_overload(first, last, i, pairs, walls, g, interaction, settings) -> Any:  # type: ignore[no-untyped-def]
    if interaction.instance_class is not LocalMinima:
        return lambda first, last, i, pairs, walls, g, interaction, settings: None
    return lambda first, last, i, pairs, walls, g, interaction, settings: _hand_on(first, last, i, pairs, walls, g, interaction, settings)


@kernel
def wall_contacts(pairs, walls, g, interaction, law, settings, control, tally):
    """Forces between grains and walls; the walls' reactions and work are booked in two-limb sums."""
    row, ptr, col, touch, hist = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.hist
    inv_force, inv_torque, inv_energy = 1.0 / settings.force, 1.0 / settings.torque, 1.0 / settings.energy
    dt, budget = settings.dt, settings.budget
    observe = control[OBSERVE] != 0
    legs = 2 if hands_on(interaction) else 1
    for r in range(row.shape[0]):
        i = row[r]
        a = g.material[i]
        ri, mass = g.x[i, 3], g.v[i, 3]
        leaving = 0
        for leg in range(legs):
            if leg == 1 and leaving > 0:
                hand_on(ptr[r], ptr[r + 1], i, pairs, walls, g, interaction, settings)
            for p in range(ptr[r], ptr[r + 1]):
                k = col[p]
                touching = touch[p] != 0
                if legs == 2 and (touch[p] == LIVING) != (leg == 0):
                    continue
                if walls.there[k] == 0:
                    touch[p] = 0
                    continue
                d, x0, x1, x2, lx, ly, lz, status = wall_geometry(walls, g, interaction, i, k, pairs, p, touching, settings.period)
                if status != 0:
                    fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
                if d >= ri and not touching:
                    continue
                length = np.sqrt(lx * lx + ly * ly + lz * lz)
                if not d > 0.0 or length == 0.0:
                    fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
                    continue
                if legs == 2 and leg == 0 and d >= ri and length < ri:
                    touch[p] = LEAVING
                    leaving += 1
                    continue
                b = walls.material[k]
                pose = walls.pose[k]
                inv = 1.0 / length
                nx, ny, nz = lx * inv, ly * inv, lz * inv
                delta = ri - d
                out = ri - 0.5 * delta
                ix, iy, iz = x0 + out * nx, x1 + out * ny, x2 + out * nz
                wx, wy, wz = g.w[i, 0], g.w[i, 1], g.w[i, 2]
                rx = pose[3] - g.v[i, 0] - (wy * iz - wz * iy)
                ry = pose[4] - g.v[i, 1] - (wz * ix - wx * iz)
                rz = pose[5] - g.v[i, 2] - (wx * iy - wy * ix)
                if not d < ri:
                    touch[p] = 0
                    if budget:
                        lost_n, lost_t = end_contact(rx, ry, rz, hist, p, dt, settings.gear)
                        deposit(tally, LOST_NORMAL, lost_n * inv_energy)
                        deposit(tally, LOST_TANGENTIAL, lost_t * inv_energy)
                    continue
                lever, ex, ey, ez = 0.0, 0.0, 0.0, 0.0
                if walls.kind[k] < CYLINDER and law.torsion[a, b] + law.rocking[a, b] != 0.0:
                    lever, ex, ey, ez = zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs.warm, p)
                r_eff = ri
                if walls.kind[k] == BODY:
                    r_eff = ri * g.x[row_of(walls, g, k), 3] / (ri + g.x[row_of(walls, g, k), 3])
                turn = 0.5 * dt * (wx * nx + wy * ny + wz * nz)
                fx, fy, fz, cx, cy, cz, stored, lost_n, lost_t, phi = contact_force(
                    law, a, b, delta, nx, ny, nz, length / d, rx, ry, rz, -wx, -wy, -wz, turn, mass, r_eff,
                    lever, ex, ey, ez, touching, hist, p, dt, budget, settings.gear,
                )  # fmt: skip
                touch[p] = 1
                if delta > ri or collapsed(d, d * d - length * length, ri):
                    fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
                arm = np.sqrt(ix * ix + iy * iy + iz * iz)
                if not within_range(phi, law.friction[a, b], 2.0 * arm, settings):
                    fault(control, ERROR_RANGE, g.gid[i], -1 - k)
                    continue
                tx, ty, tz = iy * fz - iz * fy + cx, iz * fx - ix * fz + cy, ix * fy - iy * fx + cz
                add(g.ft, i, fx, fy, fz, tx, ty, tz, inv_force, inv_torque, settings.wide)
                px = g.x[i, 0] + ix - walls.shape[k, 0]
                py = g.x[i, 1] + iy - walls.shape[k, 1]
                pz = g.x[i, 2] + iz - walls.shape[k, 2]
                reaction = walls.reaction[k]
                deposit(reaction, 0, -fx * inv_force)
                deposit(reaction, 1, -fy * inv_force)
                deposit(reaction, 2, -fz * inv_force)
                deposit(reaction, 3, -(py * fz - pz * fy + cx) * inv_torque)
                deposit(reaction, 4, -(pz * fx - px * fz + cy) * inv_torque)
                deposit(reaction, 5, -(px * fy - py * fx + cz) * inv_torque)
                carry(reaction)
                deposit(walls.work, k, (fx * pose[6] + fy * pose[7] + fz * pose[8]) * inv_energy)
                if budget:
                    deposit(tally, LOST_NORMAL, lost_n * inv_energy)
                    deposit(tally, LOST_TANGENTIAL, lost_t * inv_energy)
                if observe:
                    tally_contact(tally, WALL_CONTACTS, stored, ix, iy, iz, fx, fy, fz, inv_energy)
