"""Contacts of grains with walls. Convex analytic walls give one contact a grain by the narrow phase's own rule, concave ones one per core vertex;
under ``superposition`` all of them do. Bodies give one per pair of features (``bodies``).
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..fixedpoint import carry, deposit_nearest
from ..interactions.accumulate import add, fault, tally_contact, tally_losses, tally_stress, within_range
from ..interactions.dispatch import hands_on, keeps_arms, weighted_to_plane, zone_on_plane
from ..interactions.hardening import HEAVIER, LIGHTER, collapsed, in_range, potential
from ..interactions.inheritance import LEAVING, LIVING
from ..laws.dispatch import secant_stiffness
from ..laws.friction import WITH_ARM, contact_force, end_contact, held_energy, middle_normal
from ..state import ERROR_OVERLAP, ERROR_RANGE, ERROR_SOLVER, OBSERVE, STORED, WALL_CONTACTS
from .geometry import effective_radius, from_wall, wall_geometry
from .inheritance import hand_on
from .kinds import ABSENT, APPEARING, CYLINDER, DISC, PLANE, THERE
from .motion import CENTRE, turns


@inlined
def _relative_motion(walls, g, i, k, ix, iy, iz, lag):
    """How wall ``k`` moves as seen from grain ``i`` at a point (m, relative to the grain's centre as it was ``lag`` (s) before).

    Returns:
        velocity of the wall relative to the grain's material point (m/s), mean displacement of the wall's point (m), spin of the grain relative to
        the wall (rad/s), three numbers each.
    """
    pose = walls.pose[k]
    wx, wy, wz = g.w[i, 0], g.w[i, 1], g.w[i, 2]
    rx = pose[3] - g.v[i, 0] - (wy * iz - wz * iy)
    ry = pose[4] - g.v[i, 1] - (wz * ix - wx * iz)
    rz = pose[5] - g.v[i, 2] - (wx * iy - wy * ix)
    shiftx, shifty, shiftz = pose[6], pose[7], pose[8]
    if turns(walls.motion, k):
        centre = walls.motion[k, CENTRE:]  # the domain has no period across the axis: there is no image to look for
        ux = g.x[i, 0] - lag * g.v[i, 0] + ix - centre[0]
        uy = g.x[i, 1] - lag * g.v[i, 1] + iy - centre[1]
        uz = g.x[i, 2] - lag * g.v[i, 2] + iz - centre[2]
        rx += pose[13] * uz - pose[14] * uy
        ry += pose[14] * ux - pose[12] * uz
        rz += pose[12] * uy - pose[13] * ux
        shiftx += pose[16] * uz - pose[17] * uy
        shifty += pose[17] * ux - pose[15] * uz
        shiftz += pose[15] * uy - pose[16] * ux
        wx, wy, wz = wx - pose[12], wy - pose[13], wz - pose[14]
    return rx, ry, rz, shiftx, shifty, shiftz, wx, wy, wz


@inlined
def _react(walls, g, i, k, ix, iy, iz, fx, fy, fz, cx, cy, cz, inv_force, inv_torque):
    """Book a force (N) and couple (N m) on grain ``i`` against wall ``k``, about the wall's point; rounded as what the grain receives."""
    px = g.x[i, 0] + ix - walls.shape[k, 0]
    py = g.x[i, 1] + iy - walls.shape[k, 1]
    pz = g.x[i, 2] + iz - walls.shape[k, 2]
    reaction = walls.reaction[k]
    deposit_nearest(reaction, 0, -fx * inv_force)
    deposit_nearest(reaction, 1, -fy * inv_force)
    deposit_nearest(reaction, 2, -fz * inv_force)
    deposit_nearest(reaction, 3, -(py * fz - pz * fy + cx) * inv_torque)
    deposit_nearest(reaction, 4, -(pz * fx - px * fz + cy) * inv_torque)
    deposit_nearest(reaction, 5, -(px * fy - py * fx + cz) * inv_torque)
    carry(reaction)


@inlined
def _along(walls, g, i, k, ix, iy, iz, nx, ny, nz):
    """Velocity of a wall relative to a point of a grain (m/s) and its mean displacement there (m), along n; see ``_relative_motion``."""
    rx, ry, rz, sx, sy, sz, _, _, _ = _relative_motion(walls, g, i, k, ix, iy, iz, 0.0)
    return nx * rx + ny * ry + nz * rz, nx * sx + ny * sy + nz * sz


@kernel
def _harden(p, i, k, d, x0, x1, x2, there, changes, pairs, walls, g, interaction, law, settings, control, tally):
    """Add what the hardening of a contact with a plane or disc gives (``interactions.hardening``) to the grain and the wall, and book it.

    Args:
        d, x0, x1, x2: distance (m) and point of the core relative to the grain's centre (m). there: whether the wall is, in this stage.
        changes: whether it has just vanished or appeared, and takes along or puts in what the contact holds.

    Returns:
        whether there is such a rule, and the core is as far from the wall as it needs.
    """
    if walls.kind[k] != PLANE and walls.kind[k] != DISC:
        return False
    _, (nx, ny, nz), height = from_wall(walls, g, i, k)
    if walls.kind[k] == DISC and height < 0.0:
        nx, ny, nz, height = -nx, -ny, -nz, -height
    heavier, h, (u0, u1, u2), failed = weighted_to_plane(interaction, g, i, (nx, ny, nz), height, pairs, p, HEAVIER)
    lighter, low, (r0, r1, r2), status = weighted_to_plane(interaction, g, i, (nx, ny, nz), height, pairs, p, LIGHTER)
    if failed != 0 or status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
    radius, inv_energy = g.x[i, 3], 1.0 / settings.energy
    stiffness = secant_stiffness(law, g.material[i], walls.material[k], radius, g.v[i, 3], radius)
    held, c1, c2, c3, apart = potential(d * d, heavier, lighter, radius, stiffness)
    if held == 0.0:
        return apart
    # forces along the normal, one at each minimiser
    first, second, third = -2.0 * c1 * (height + nx * x0 + ny * x1 + nz * x2), -2.0 * c2 * h, -2.0 * c3 * low
    speed1, shift1 = _along(walls, g, i, k, x0, x1, x2, nx, ny, nz)
    speed2, shift2 = _along(walls, g, i, k, u0, u1, u2, nx, ny, nz)
    speed3, shift3 = _along(walls, g, i, k, r0, r1, r2, nx, ny, nz)
    if changes:
        change = held - 0.5 * settings.dt * (first * speed1 + second * speed2 + third * speed3)
        deposit_nearest(walls.work, k, (change if there else -change) * inv_energy)
    if not there:
        return True
    force = first + second + third
    fx, fy, fz = force * nx, force * ny, force * nz
    ax, ay, az = first * x0 + second * u0 + third * r0, first * x1 + second * u1 + third * r1, first * x2 + second * u2 + third * r2
    cx, cy, cz = ay * nz - az * ny, az * nx - ax * nz, ax * ny - ay * nx
    if not in_range(fx * fx + fy * fy + fz * fz, cx * cx + cy * cy + cz * cz, settings):
        fault(control, ERROR_RANGE, g.gid[i], -1 - k)
        return True
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    add(g.ft, i, fx, fy, fz, cx, cy, cz, inv_force, inv_torque, settings.wide)
    _react(walls, g, i, k, 0.0, 0.0, 0.0, fx, fy, fz, cx, cy, cz, inv_force, inv_torque)
    deposit_nearest(walls.work, k, (first * shift1 + second * shift2 + third * shift3) * inv_energy)
    if control[OBSERVE] != 0:
        deposit_nearest(tally, STORED, held * inv_energy)
        tally_stress(tally, ax, ay, az, nx, ny, nz, inv_energy)
    return True


@inlined
def _contact(p, i, k, handed_on, first_leg, pairs, walls, g, interaction, law, settings, control, tally):
    """One candidate: its birth, force or end.

    Args:
        handed_on: whether histories go over to other features; first_leg: whether the living contacts are looked at.

    Returns:
        whether it ends in a way that another may inherit.
    """
    touch, hist, dt, budget = pairs.touch, pairs.hist, settings.dt, settings.budget
    inv_energy = 1.0 / settings.energy
    touching = touch[p] != 0
    there = walls.there[k] != ABSENT
    if not (there or touching):
        return False
    ri, mass = g.x[i, 3], g.v[i, 3]
    d, (x0, x1, x2), (lx, ly, lz), status = wall_geometry(walls, g, interaction, i, k, pairs, p, touching, settings.period)
    if status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
    if d >= ri and not touching:
        return False
    length = np.sqrt(lx * lx + ly * ly + lz * lz)
    if not d > 0.0 or length == 0.0:
        fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
        return False
    if handed_on and first_leg and there and d >= ri and length < ri:
        touch[p] = LEAVING
        return True
    a, b = g.material[i], walls.material[k]
    inv = 1.0 / length
    nx, ny, nz = lx * inv, ly * inv, lz * inv
    delta = ri - d
    out = ri - 0.5 * delta
    ix, iy, iz = x0 + out * nx, x1 + out * ny, x2 + out * nz
    changes = budget and (not there or (walls.there[k] == APPEARING and not touching))
    if collapsed(d, d * d - length * length, ri):
        hardens = _harden(p, i, k, d, x0, x1, x2, there, changes, pairs, walls, g, interaction, law, settings, control, tally)
        if there and not hardens:
            fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
    rx, ry, rz, shiftx, shifty, shiftz, wx, wy, wz = _relative_motion(walls, g, i, k, ix, iy, iz, 0.0)
    if changes:
        # a wall that vanishes takes along what its contacts hold, one that appears puts it in: its work
        held = held_energy(law, a, b, delta, length / d, nx * rx + ny * ry + nz * rz, mass, effective_radius(walls, g, i, k), hist, p, touching, dt)
        deposit_nearest(walls.work, k, (held if there else -held) * inv_energy)
    if not (d < ri and there):
        touch[p] = 0
        if budget:
            lost_n, lost_t = end_contact(rx, ry, rz, hist, p, dt, settings.gear)
            tally_losses(tally, lost_n, lost_t, inv_energy)
        return False
    lever, ex, ey, ez = 0.0, 0.0, 0.0, 0.0
    if walls.kind[k] < CYLINDER and law.torsion[a, b] + law.rocking[a, b] != 0.0:
        lever, (ex, ey, ez) = zone_on_plane(interaction, g, i, (nx, ny, nz), delta, pairs, p)
    # in the middle of the step, where velocities belong
    lag = 0.5 * dt if touching and not settings.gear else 0.0
    mx, my, mz = middle_normal(hist[p, 4], hist[p, 5], hist[p, 6], nx, ny, nz, lag > 0.0)
    middle = lever
    if lag > 0.0:
        if keeps_arms(interaction):
            arm = hist.shape[1] - WITH_ARM
            ax, ay, az = 0.5 * (hist[p, arm] + ix), 0.5 * (hist[p, arm + 1] + iy), 0.5 * (hist[p, arm + 2] + iz)
            middle = 0.5 * (hist[p, arm + 3] + lever)
        else:
            out -= 0.5 * lag * (nx * rx + ny * ry + nz * rz)  # the overlap was less by lag times its rate
            ax, ay, az = out * mx, out * my, out * mz
        rx, ry, rz, _, _, _, _, _, _ = _relative_motion(walls, g, i, k, ax, ay, az, lag)
    if keeps_arms(interaction):
        arm = hist.shape[1] - WITH_ARM
        hist[p, arm], hist[p, arm + 1], hist[p, arm + 2], hist[p, arm + 3] = ix, iy, iz, lever
    spin = walls.pose[k, 12:]
    turn = 0.5 * dt * ((wx + 2.0 * spin[0]) * mx + (wy + 2.0 * spin[1]) * my + (wz + 2.0 * spin[2]) * mz)
    fx, fy, fz, cx, cy, cz, stored, lost_n, lost_t, phi = contact_force(
        law, a, b, delta, nx, ny, nz, length / d, mx, my, mz, rx, ry, rz, -wx, -wy, -wz, turn, mass, effective_radius(walls, g, i, k),
        lever, middle, ex, ey, ez, touching, hist, p, dt, budget, settings.gear,
    )  # fmt: skip
    touch[p] = 1
    arm = np.sqrt(ix * ix + iy * iy + iz * iz)
    if not within_range(phi, law.friction[a, b], 2.0 * arm, settings):
        fault(control, ERROR_RANGE, g.gid[i], -1 - k)
        return False
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    tx, ty, tz = iy * fz - iz * fy + cx, iz * fx - ix * fz + cy, ix * fy - iy * fx + cz
    add(g.ft, i, fx, fy, fz, tx, ty, tz, inv_force, inv_torque, settings.wide)
    _react(walls, g, i, k, ix, iy, iz, fx, fy, fz, cx, cy, cz, inv_force, inv_torque)
    deposit_nearest(walls.work, k, (fx * shiftx + fy * shifty + fz * shiftz) * inv_energy)
    if budget:
        tally_losses(tally, lost_n, lost_t, inv_energy)
    if control[OBSERVE] != 0:
        tally_contact(tally, WALL_CONTACTS, stored, ix, iy, iz, fx, fy, fz, inv_energy)
    return False


@kernel
def wall_contacts(pairs, walls, g, interaction, law, settings, control, tally):
    """Forces between grains and walls; the walls' reactions and work are booked in two-limb sums."""
    row, ptr, col, touch = pairs.row, pairs.ptr, pairs.col, pairs.touch
    handed_on = hands_on(interaction)
    for r in range(row.shape[0]):
        i, leaving = row[r], False
        for leg in range(2 if handed_on else 1):
            if leg == 1 and leaving:
                hand_on(ptr[r], ptr[r + 1], i, pairs, walls, g, interaction, settings)
            for p in range(ptr[r], ptr[r + 1]):
                if not handed_on or (touch[p] == LIVING) == (leg == 0):
                    leaving |= _contact(p, i, col[p], handed_on, leg == 0, pairs, walls, g, interaction, law, settings, control, tally)
    for k in range(walls.kind.shape[0]):
        if walls.there[k] == APPEARING:
            walls.there[k] = THERE
