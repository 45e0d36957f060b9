"""From a contact's geometry to force and couple: the normal law, Coulomb friction with history, torsional friction, the rocking damper.

The history of a contact is a row of floats:

====  ==============================================================================
0-2   elastic tangential force on the first body (N), in the tangent plane
3     memory of the normal law
4-6   unit normal of the step before (first body to second)
7     elastic torsional torque on the first body about the normal (N m)
8-10  total tangential force of the step before (only with the energy budget)
11    stored tangential energy of the step before (only with the energy budget)
12    damping part of the normal force of the step before (only with the energy budget)
====  ==============================================================================

The spring is carried to the new tangent plane by the rotation that takes the old normal to the new one, then turned by the bodies' mean spin about
the normal; it grows by kt v_t dt with the half-step velocities (second order); where the total tangential force would exceed mu phi it is cut to it
and the spring is reset so that spring and damper together give mu phi.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined
from .dispatch import normal_force

HISTORY = 8  # floats per contact
HISTORY_BUDGET = 13  # the same with the energy budget


@inlined
def _carry_spring(hist, p, nx, ny, nz, turn):
    """The old tangential force in the new tangent plane, turned by ``turn`` (rad) about the new normal."""
    ax, ay, az = hist[p, 0], hist[p, 1], hist[p, 2]
    ox, oy, oz = hist[p, 4], hist[p, 5], hist[p, 6]
    along = nx * ax + ny * ay + nz * az
    factor = along / (1.0 + nx * ox + ny * oy + nz * oz)
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
def contact_force(
    law, a, b, delta, nx, ny, nz, slope, vx, vy, vz, wx, wy, wz, turn, m_eff, r_eff, lever, ex, ey, ez, touching, hist, p, dt, budget
):  # fmt: skip
    """Force and couple of one contact on its first body; the second body gets the opposite.

    Args:
        law: tables of the law. a, b: species (or wall material) of the bodies.
        delta: overlap (m), > 0.
        nx, ny, nz: unit normal, first body to second.
        slope: d(delta)/dt = -slope n . v: 1 for a plain contact, at most 1 for ``regularised``.
        vx, vy, vz: velocity of the second body's material point relative to the first's at the contact point (m/s).
        wx, wy, wz: angular velocity of the second body relative to the first (rad/s).
        turn: the bodies' mean rotation about the normal in this step (rad).
        m_eff, r_eff: effective mass (kg) and radius (m).
        lever: half-length of the contact zone (m); 0: a point, without couples.
        ex, ey, ez: unit axis of rocking in the tangent plane; zero: any tangential axis.
        touching: whether the history is alive.
        hist, p: (P, 8 or 13) float64 and the contact's row, updated.
        dt: time step (s). budget: whether to keep energy books.

    Returns:
        fx, fy, fz (N), cx, cy, cz (N m), stored energy (J), normal work lost (J), tangential work lost (J), normal force (N).
    """
    vn = nx * vx + ny * vy + nz * vz
    rate = -slope * vn
    memory = 0.0
    if touching:
        memory = hist[p, 3]
    phi, kt, ct, cn, damping, lost_n, stored, memory = normal_force(law, a, b, delta, rate, m_eff, r_eff, memory)
    vx -= vn * nx
    vy -= vn * ny
    vz -= vn * nz
    sx, sy, sz = kt * dt * vx, kt * dt * vy, kt * dt * vz
    if touching:
        ax, ay, az = _carry_spring(hist, p, nx, ny, nz, turn)
        sx += ax
        sy += ay
        sz += az
    tx, ty, tz = sx + ct * vx, sy + ct * vy, sz + ct * vz
    limit = law.friction[a, b] * max(phi, 0.0)
    t2 = tx * tx + ty * ty + tz * tz
    if t2 > limit * limit:
        shrink = limit / np.sqrt(t2)
        tx *= shrink
        ty *= shrink
        tz *= shrink
        sx, sy, sz = tx - ct * vx, ty - ct * vy, tz - ct * vz
    lost_t = 0.0
    if budget:
        stored_t = 0.0
        if kt > 0.0:
            stored_t = 0.5 * (sx * sx + sy * sy + sz * sz) / kt
        # work is done by the force of this step over half the step before it and half the one after: the leap-frog's own identity
        lost_t = 0.5 * dt * (tx * vx + ty * vy + tz * vz) - stored_t
        lost_n += 0.5 * damping * rate * dt
        if touching:
            lost_n += 0.5 * hist[p, 12] * rate * dt
            lost_t += 0.5 * dt * (hist[p, 8] * vx + hist[p, 9] * vy + hist[p, 10] * vz) + hist[p, 11]
        hist[p, 8], hist[p, 9], hist[p, 10], hist[p, 11], hist[p, 12] = tx, ty, tz, stored_t, damping
        stored += stored_t
    cx, cy, cz = 0.0, 0.0, 0.0
    if lever > 0.0 and law.couples[a, b] != 0.0:
        wn = nx * wx + ny * wy + nz * wz
        cap = (2.0 / 3.0) * limit * lever
        twist = 0.5 * kt * lever * lever * wn * dt
        if touching:
            twist += hist[p, 7]
        twist = min(max(twist, -cap), cap)
        hist[p, 7] = twist
        ux, uy, uz = wx - wn * nx, wy - wn * ny, wz - wn * nz
        if ex != 0.0 or ey != 0.0 or ez != 0.0:
            along = ex * ux + ey * uy + ez * uz
            ux, uy, uz = along * ex, along * ey, along * ez
        rock = cn * lever * lever
        size = np.sqrt(ux * ux + uy * uy + uz * uz) * rock
        cap = 0.1 * lever * max(phi, 0.0)
        if size > cap:
            rock *= cap / size
        cx, cy, cz = twist * nx + rock * ux, twist * ny + rock * uy, twist * nz + rock * uz
        if budget:
            lost_t += dt * (cx * wx + cy * wy + cz * wz)
    else:
        hist[p, 7] = 0.0
    hist[p, 0], hist[p, 1], hist[p, 2], hist[p, 3] = sx, sy, sz, memory
    hist[p, 4], hist[p, 5], hist[p, 6] = nx, ny, nz
    push = phi * slope
    return tx - push * nx, ty - push * ny, tz - push * nz, cx, cy, cz, stored, lost_n, lost_t, phi


@inlined
def end_contact(vx, vy, vz, hist, p, dt):
    """Energy lost in the last half-step of a contact that has just ended: what its springs still held and its damper did.

    Args:
        vx, vy, vz: relative velocity as in ``contact_force``. hist, p: history and row. dt: time step (s).

    Returns:
        normal work lost (J), tangential work lost (J).
    """
    vn = hist[p, 4] * vx + hist[p, 5] * vy + hist[p, 6] * vz
    lost_t = 0.5 * dt * (hist[p, 8] * (vx - vn * hist[p, 4]) + hist[p, 9] * (vy - vn * hist[p, 5]) + hist[p, 10] * (vz - vn * hist[p, 6])) + hist[p, 11]
    return -0.5 * hist[p, 12] * vn * dt, lost_t
