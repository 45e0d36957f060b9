"""From a contact's geometry to force and couple: the normal law, Coulomb friction with history, torsional friction, the rocking damper.

The history of a contact is a row of floats:

====  ==============================================================================
0-2   elastic tangential force on the first body (N), in the tangent plane
3     memory of the normal law
4-6   unit normal of the step before (first body to second)
7     elastic torsional torque on the first body about the normal (N m)
8-10  total tangential force of the step before (only with the energy budget; gear4: its power in 8)
11    stored tangential energy of the step before (only with the energy budget)
12    damping part of the normal force of the step before (only with the energy budget; gear4: its power)
====  ==============================================================================

Where cores are not points four more follow (``WITH_ARM``), of the step before: the arm of the contact point from the first body's centre (m), and
the half-length of the contact zone (m).

The spring is carried to the new tangent plane by the rotation that takes the old normal to the new one, then turned by the bodies' mean spin about
the normal. It grows by kt v_t dt with everything taken in the middle of the step, where leap-frog has its velocities: normal, contact point,
stiffness; the increment is turned by the half of the step that is left. In the step of its birth a contact has lasted as long as its overlap took to
grow. So the spring is of second order in dt; with gear4, whose velocities are those of the step's end, everything is taken there: first order.
Where the total tangential force would exceed mu times the normal one it is cut to it and the spring is reset so that spring and damper together give
as much; the direction of slip is of second order too.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined
from .dispatch import coefficients, growth, normal_force

HISTORY = 8  # floats per contact
HISTORY_BUDGET = 13  # the same with the energy budget
WITH_ARM = 4  # more floats, where cores are not points


@inlined
def middle_normal(ox, oy, oz, nx, ny, nz, known):
    """The unit normal halfway between the one before, o, and the one now, n; n itself where the one before is not ``known``."""
    mx, my, mz = ox + nx, oy + ny, oz + nz
    inv = 1.0 / np.sqrt(mx * mx + my * my + mz * mz)
    return mx * inv if known else nx, my * inv if known else ny, mz * inv if known else nz


@inlined
def _carry_spring(ax, ay, az, ox, oy, oz, nx, ny, nz, turn):
    """A tangential force in the plane of the old normal o, taken to the plane of the new one n and turned by ``turn`` (rad) about it."""
    factor = (nx * ax + ny * ay + nz * az) / (1.0 + nx * ox + ny * oy + nz * oz)
    ax -= factor * (ox + nx)
    ay -= factor * (oy + ny)
    az -= factor * (oz + nz)
    # exact rotation about n in rational form, cos = (1-s^2)/(1+s^2), sin = 2s/(1+s^2) with s = tan(turn/2) ~ turn/2
    s = 0.5 * turn
    inv = 1.0 / (1.0 + s * s)
    c = (1.0 - s * s) * inv
    s = 2.0 * s * inv
    return c * ax + s * (ny * az - nz * ay), c * ay + s * (nz * ax - nx * az), c * az + s * (nx * ay - ny * ax)


@inlined
def spring_and_slider(
    law, c0, c1, c2, c3, c4, c5, friction, delta, nx, ny, nz, slope, mx, my, mz, vx, vy, vz, turn, m_eff, r_eff,
    alive, ax, ay, az, memory, ox, oy, oz, dt, lag,
):  # fmt: skip
    """Normal law and Coulomb friction of one contact: numbers in, numbers out, no branch that matters, so that batches of it vectorise.

    "In the middle" is ``lag`` before the end of the step: where the velocities belong.

    Args:
        law: for its type. c0 ... c5: the pair's ``coefficients``. friction: its Coulomb coefficient.
        delta: overlap (m), > 0.
        nx, ny, nz: unit normal, first body to second.
        slope: d(delta)/dt = -slope n . v: 1 for a plain contact, at most 1 for ``regularised``.
        mx, my, mz: the normal in the middle.
        vx, vy, vz: velocity of the second body's material point relative to the first's at the contact point in the middle (m/s).
        turn: the bodies' mean rotation about the middle normal in this step (rad).
        m_eff, r_eff: effective mass (kg) and radius (m).
        alive: whether the history that follows is alive: elastic tangential force (N), memory of the law, old normal.
        dt: time step (s). lag: half of it; 0 with gear4.

    Returns:
        normal force; tangential force (3); elastic part of it (3); memory; tangential velocity (3); kt, ct, cn; damping part of the normal force;
        rate of overlap; plastic work; stored normal energy; stiffness with which springs grow (N/m): the mean over the step, of which a contact that
        is born has seen a part.
    """
    vn = mx * vx + my * vy + mz * vz
    rate = -slope * vn
    memory = memory if alive else 0.0
    phi, kt, ct, cn, damping, plastic, stored, memory = normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory)
    vx -= vn * mx
    vy -= vn * my
    vz -= vn * mz
    # from the middle plane to that of the end: second order asks for no more than a projection
    vn = nx * vx + ny * vy + nz * vz
    vx -= vn * nx
    vy -= vn * ny
    vz -= vn * nz
    ax, ay, az = _carry_spring(ax, ay, az, ox, oy, oz, nx, ny, nz, turn)
    ax, ay, az = ax if alive else 0.0, ay if alive else 0.0, az if alive else 0.0
    # a contact is born where its overlap began to grow in this step; else it was made with its overlap, and begins now
    since = delta / (rate * dt)
    share = 1.0 if alive else (min(since, 1.0) if (since > 0.0) & (since < 2.0) else 0.0)
    grow = kt * share * growth(law, delta, max(delta - 2.0 * lag * rate, 0.0))
    h = grow * dt
    turn *= 0.5
    px = h * (vx + turn * (ny * vz - nz * vy))
    py = h * (vy + turn * (nz * vx - nx * vz))
    pz = h * (vz + turn * (nx * vy - ny * vx))
    sx, sy, sz = ax + px, ay + py, az + pz
    tx, ty, tz = sx + ct * vx, sy + ct * vy, sz + ct * vz
    limit = friction * max(phi, 0.0) * slope  # phi slope: what acts along the normal
    t2 = tx * tx + ty * ty + tz * tz
    slips = t2 > limit * limit
    # the direction of slip, theta' = -(kt v/limit) sin theta, to second order: weigh the increment with the limit in the middle and its own turn
    a2, along = ax * ax + ay * ay + az * az, ax * px + ay * py + az * pz
    size = np.sqrt(a2)
    weight = min(max(2.0 * size / (size + limit), 0.8), 1.25) * (1.0 + 0.5 * along / a2)
    more = weight - 1.0 if slips & (4.0 * abs(along) < a2) else 0.0
    tx, ty, tz = tx + more * px, ty + more * py, tz + more * pz
    shrink = limit / np.sqrt(tx * tx + ty * ty + tz * tz) if slips else 1.0
    tx, ty, tz = shrink * tx, shrink * ty, shrink * tz
    sx = tx - ct * vx if slips else sx
    sy = ty - ct * vy if slips else sy
    sz = tz - ct * vz if slips else sz
    return phi, tx, ty, tz, sx, sy, sz, memory, vx, vy, vz, kt, ct, cn, damping, rate, plastic, stored, grow


@inlined
def tangential_energy(sx, sy, sz, kt):
    """Energy (J) of a tangential spring with the force s (N)."""
    return 0.5 * (sx * sx + sy * sy + sz * sz) / kt if kt > 0.0 else 0.0


@inlined
def energy_lost(hist, p, alive, tx, ty, tz, sx, sy, sz, vx, vy, vz, kt, damping, rate, plastic, dt, full):
    """Book a contact's dissipation of one step in its history.

    With half-step velocities work is done by the force of a step over half the step before it and half the one after: the leap-frog's own identity.
    With those of the step itself (``full``) powers are summed by the trapezoidal rule.

    Returns:
        normal work lost (J), tangential work lost (J), stored tangential energy (J).
    """
    stored = tangential_energy(sx, sy, sz, kt)
    power_t, power_n = tx * vx + ty * vy + tz * vz, damping * rate
    lost_t = 0.5 * dt * power_t - stored
    lost_n = plastic + 0.5 * power_n * dt
    if full:
        if alive:
            lost_n += 0.5 * hist[p, 12] * dt
            lost_t += 0.5 * dt * hist[p, 8] + hist[p, 11]
        hist[p, 8], hist[p, 11], hist[p, 12] = power_t, stored, power_n
        return lost_n, lost_t, stored
    if alive:
        lost_n += 0.5 * hist[p, 12] * rate * dt
        lost_t += 0.5 * dt * (hist[p, 8] * vx + hist[p, 9] * vy + hist[p, 10] * vz) + hist[p, 11]
    hist[p, 8], hist[p, 9], hist[p, 10], hist[p, 11], hist[p, 12] = tx, ty, tz, stored, damping
    return lost_n, lost_t, stored


@inlined
def couple(push, grow, ct, cn, friction, torsion, rocking, lever, middle, nx, ny, nz, mx, my, mz, wx, wy, wz, ex, ey, ez, twist, dt):
    """Torsional friction and rocking damper of one contact (docs/theory/laws.md), without a branch that matters.

    Args:
        push: force that acts along the normal (N). grow: stiffness with which springs grow (N/m).
        ct, cn: damping coefficients of the tangential and of the normal motion (N s/m).
        torsion, rocking: 1: on. lever ... wz, ex ... ez: as in ``contact_force``. twist: elastic torque of the step before (N m), 0 at birth.
        middle: ``lever`` in the middle of the step (m).

    Returns:
        couple on the first body (N m), its elastic torsional part, its work in this step (J).
    """
    push = max(push, 0.0)
    wn = mx * wx + my * wy + mz * wz
    cap = (2.0 / 3.0) * friction * push * lever * torsion
    spin = 0.5 * middle * middle * wn
    drag = ct * spin * torsion
    before = twist
    twist += grow * spin * dt
    torque = min(max(twist + drag, -cap), cap)
    twist = torque - drag
    wn = nx * wx + ny * wy + nz * wz
    ux, uy, uz = wx - wn * nx, wy - wn * ny, wz - wn * nz
    along = ex * ux + ey * uy + ez * uz
    edge = ex * ex + ey * ey + ez * ez > 0.0
    ux, uy, uz = along * ex if edge else ux, along * ey if edge else uy, along * ez if edge else uz
    rock = cn * lever * lever * rocking
    size = np.sqrt(ux * ux + uy * uy + uz * uz) * rock
    cap = 0.1 * lever * push
    rock = rock * cap / size if size > cap else rock
    work = dt * ((0.5 * (before + twist) + drag) * wn + rock * (ux * ux + uy * uy + uz * uz))
    return torque * nx + rock * ux, torque * ny + rock * uy, torque * nz + rock * uz, twist, work


@inlined
def contact_force(
    law, a, b, delta, nx, ny, nz, slope, mx, my, mz, vx, vy, vz, wx, wy, wz, turn, m_eff, r_eff,
    lever, middle, ex, ey, ez, alive, hist, p, dt, budget, full,
):  # fmt: skip
    """Force and couple of one contact on its first body; the second body gets the opposite.

    Args:
        law: tables of the law. a, b: species (or wall material) of the bodies. delta ... r_eff: as in ``spring_and_slider``.
        wx, wy, wz: angular velocity of the second body relative to the first (rad/s).
        lever: half-length of the contact zone (m); 0: a point, without couples. middle: the same in the middle of the step.
        ex, ey, ez: unit axis of rocking in the tangent plane; zero: any tangential axis.
        alive: whether the history is. hist, p: (P, 8 or more) float64 and the contact's row, updated.
        dt: time step (s). budget: whether to keep energy books. full: whether velocities are those of the step itself, not of the half-step.

    Returns:
        fx, fy, fz (N), cx, cy, cz (N m), stored energy (J), normal work lost (J), tangential work lost (J), normal force (N).
    """
    c0, c1, c2, c3, c4, c5 = coefficients(law, a, b)
    friction, lag, twist = law.friction[a, b], 0.0 if full else 0.5 * dt, hist[p, 7] if alive else 0.0
    phi, tx, ty, tz, sx, sy, sz, memory, vx, vy, vz, kt, ct, cn, damping, rate, plastic, stored, grow = spring_and_slider(
        law, c0, c1, c2, c3, c4, c5, friction, delta, nx, ny, nz, slope, mx, my, mz, vx, vy, vz, turn, m_eff, r_eff,
        alive, hist[p, 0], hist[p, 1], hist[p, 2], hist[p, 3], hist[p, 4], hist[p, 5], hist[p, 6], dt, lag,
    )  # fmt: skip
    lost_n, lost_t = 0.0, 0.0
    if budget:
        lost_n, lost_t, stored_t = energy_lost(hist, p, alive, tx, ty, tz, sx, sy, sz, vx, vy, vz, kt, damping, rate, plastic, dt, full)
        stored += stored_t
    else:
        stored += tangential_energy(sx, sy, sz, kt)
    push = phi * slope
    cx, cy, cz, twist, work = couple(
        push, grow, ct, cn, friction, law.torsion[a, b], law.rocking[a, b], lever, middle, nx, ny, nz, mx, my, mz, wx, wy, wz, ex, ey, ez,
        twist, dt,
    )  # fmt: skip
    if budget:
        lost_t += work
    hist[p, 0], hist[p, 1], hist[p, 2], hist[p, 3] = sx, sy, sz, memory
    hist[p, 4], hist[p, 5], hist[p, 6], hist[p, 7] = nx, ny, nz, twist
    return tx - push * nx, ty - push * ny, tz - push * nz, cx, cy, cz, stored, lost_n, lost_t, phi


@inlined
def end_contact(vx, vy, vz, hist, p, dt, full):
    """Energy lost in the last half-step of a contact that has just ended: what its springs still held and its damper did.

    Args:
        vx, vy, vz: relative velocity as in ``contact_force``. hist, p: history and row. dt: time step (s). full: as there.

    Returns:
        normal work lost (J), tangential work lost (J).
    """
    if full:
        return 0.5 * hist[p, 12] * dt, 0.5 * dt * hist[p, 8] + hist[p, 11]
    vn = hist[p, 4] * vx + hist[p, 5] * vy + hist[p, 6] * vz
    tx, ty, tz = vx - vn * hist[p, 4], vy - vn * hist[p, 5], vz - vn * hist[p, 6]
    lost_t = 0.5 * dt * (hist[p, 8] * tx + hist[p, 9] * ty + hist[p, 10] * tz) + hist[p, 11]
    return -0.5 * hist[p, 12] * vn * dt, lost_t


@inlined
def held_energy(law, a, b, delta, slope, vn, m_eff, r_eff, hist, p, alive, dt):
    """Normal energy (J) that a contact would hold at this step less the work of half a step before it: what a wall that has vanished took away from
    the step before, or what one that has appeared puts in.

    Args:
        law ... p: as in ``contact_force``. vn: relative velocity along the normal (m/s). alive: whether the history is. dt: time step (s).
    """
    if not delta > 0.0:
        return 0.0
    c0, c1, c2, c3, c4, c5 = coefficients(law, a, b)
    rate = -slope * vn
    phi, _, _, _, damping, plastic, stored, _ = normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, hist[p, 3] if alive else 0.0)
    return stored + plastic - 0.5 * (phi - damping) * rate * dt
