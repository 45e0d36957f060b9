"""Velocity Verlet: kick, drift, force, kick; rotation by the angular momentum with a second-order midpoint for the quaternion.

The angular momentum L (world frame) is the state; a free body keeps it exactly, so the gyroscopic term needs no formula of its own. The quaternion
goes by q' = q (1 + dt/2 w_b), normalised, with the body-frame angular velocity w_b = I^-1 R^T L taken at the half-step, predicted the same way.
``euler`` is the semi-implicit form: one full kick before the drift.
"""

from __future__ import annotations

import numpy as np

from .._jit import kernel


@kernel
def body_rate(q0, q1, q2, q3, lx, ly, lz, ix, iy, iz):
    """Angular velocity in the body frame, I^-1 R(q)^T L."""
    r00, r01, r02 = 1.0 - 2.0 * (q2 * q2 + q3 * q3), 2.0 * (q1 * q2 - q0 * q3), 2.0 * (q1 * q3 + q0 * q2)
    r10, r11, r12 = 2.0 * (q1 * q2 + q0 * q3), 1.0 - 2.0 * (q1 * q1 + q3 * q3), 2.0 * (q2 * q3 - q0 * q1)
    r20, r21, r22 = 2.0 * (q1 * q3 - q0 * q2), 2.0 * (q2 * q3 + q0 * q1), 1.0 - 2.0 * (q1 * q1 + q2 * q2)
    return (
        (r00 * lx + r10 * ly + r20 * lz) / ix,
        (r01 * lx + r11 * ly + r21 * lz) / iy,
        (r02 * lx + r12 * ly + r22 * lz) / iz,
    )


@kernel
def turned(q0, q1, q2, q3, wx, wy, wz, half):
    """Normalised q (1 + half w) with w in the body frame and ``half`` half the time (s)."""
    a = q0 - half * (q1 * wx + q2 * wy + q3 * wz)
    b = q1 + half * (q0 * wx + q2 * wz - q3 * wy)
    c = q2 + half * (q0 * wy + q3 * wx - q1 * wz)
    d = q3 + half * (q0 * wz + q1 * wy - q2 * wx)
    n = 1.0 / np.sqrt(a * a + b * b + c * c + d * d)
    return a * n, b * n, c * n, d * n


@kernel
def to_world(q0, q1, q2, q3, x, y, z):
    """R(q) applied to a body-frame vector."""
    tx, ty, tz = 2.0 * (q2 * z - q3 * y), 2.0 * (q3 * x - q1 * z), 2.0 * (q1 * y - q2 * x)
    return x + q0 * tx + q2 * tz - q3 * ty, y + q0 * ty + q3 * tx - q1 * tz, z + q0 * tz + q1 * ty - q2 * tx


@kernel
def spin_of(g, shapes, i):
    """World angular velocity of grain ``i`` from its pose and angular momentum."""
    a = g.species[i]
    s = g.scale[i]
    s5 = s * s * s * s * s
    q = g.q[i]
    bx, by, bz = body_rate(
        q[0], q[1], q[2], q[3], g.am[i, 0], g.am[i, 1], g.am[i, 2], shapes.inertia[a, 0] * s5, shapes.inertia[a, 1] * s5, shapes.inertia[a, 2] * s5
    )
    return to_world(q[0], q[1], q[2], q[3], bx, by, bz)


@kernel
def kick(owned, g, shapes, settings, h):
    """Advance velocities and angular momenta by ``h`` (s) with the forces at hand (angular velocities: ``update_spins``)."""
    for i in range(owned):
        m = g.v[i, 3]
        c = settings.force * h / m
        g.v[i, 0] += c * g.ft[i, 0] + h * settings.gx
        g.v[i, 1] += c * g.ft[i, 1] + h * settings.gy
        g.v[i, 2] += c * g.ft[i, 2] + h * settings.gz
        a = g.species[i]
        c = settings.torque * h
        if shapes.kind[a] == 1:
            s = g.scale[i]
            c /= shapes.inertia[a, 0] * (s * s * s * s * s)
            g.w[i, 0] += c * g.ft[i, 4]
            g.w[i, 1] += c * g.ft[i, 5]
            g.w[i, 2] += c * g.ft[i, 6]
        else:
            g.am[i, 0] += c * g.ft[i, 4]
            g.am[i, 1] += c * g.ft[i, 5]
            g.am[i, 2] += c * g.ft[i, 6]


@kernel
def update_spins(owned, g, shapes):
    """Angular velocities of non-spheres from pose and angular momentum, for whoever looks at them between two steps."""
    for i in range(owned):
        if shapes.kind[g.species[i]] != 1:
            g.w[i, 0], g.w[i, 1], g.w[i, 2] = spin_of(g, shapes, i)


@kernel
def drift(owned, g, shapes, settings):
    """Advance poses by one step with the half-step velocities, wrap them into the domain, and clear the forces."""
    dt = settings.dt
    for i in range(owned):
        for c in range(3):
            g.x[i, c] += dt * g.v[i, c]
        a = g.species[i]
        if shapes.kind[a] != 1:
            s = g.scale[i]
            s5 = s * s * s * s * s
            ix, iy, iz = shapes.inertia[a, 0] * s5, shapes.inertia[a, 1] * s5, shapes.inertia[a, 2] * s5
            q0, q1, q2, q3 = g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3]
            lx, ly, lz = g.am[i, 0], g.am[i, 1], g.am[i, 2]
            bx, by, bz = body_rate(q0, q1, q2, q3, lx, ly, lz, ix, iy, iz)
            h0, h1, h2, h3 = turned(q0, q1, q2, q3, bx, by, bz, 0.25 * dt)
            bx, by, bz = body_rate(h0, h1, h2, h3, lx, ly, lz, ix, iy, iz)
            q0, q1, q2, q3 = turned(q0, q1, q2, q3, bx, by, bz, 0.5 * dt)
            g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3] = q0, q1, q2, q3
            # the half-step angular velocity that the contacts see
            g.w[i, 0], g.w[i, 1], g.w[i, 2] = to_world(h0, h1, h2, h3, bx, by, bz)
        g.ft[i] = 0
    if settings.periodic:
        wrap(owned, g, settings)


@kernel
def wrap(owned, g, settings):
    """Put centres back into the periodic domain and count the wraps; what rounds to the upper edge becomes the lower one."""
    for c in range(3):
        length = settings.period[c]
        if length > 0.0:
            low, high = settings.lower[c], settings.upper[c]
            for i in range(owned):
                if g.x[i, c] >= high:
                    g.x[i, c] -= length
                    g.image[i, c] += 1
                elif g.x[i, c] < low:
                    g.x[i, c] += length
                    g.image[i, c] -= 1
                    if g.x[i, c] >= high:
                        g.x[i, c] = low
                        g.image[i, c] += 1


@kernel
def place_vertices(first, last, g, shapes):
    """World vertices of grains ``first`` to ``last``, relative to their centres, from orientation and size."""
    for i in range(first, last):
        k = g.vert_start[i]
        n = g.vert_start[i + 1] - k
        if n == 0:
            continue
        b = shapes.vertex_start[g.species[i]]
        s = g.scale[i]
        q0, q1, q2, q3 = g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3]
        for m in range(n):
            x, y, z = to_world(q0, q1, q2, q3, s * shapes.vertices[b + m, 0], s * shapes.vertices[b + m, 1], s * shapes.vertices[b + m, 2])
            g.vert[k + m, 0] = x
            g.vert[k + m, 1] = y
            g.vert[k + m, 2] = z


@kernel
def furthest_moved(owned, g, shapes, settings):
    """Bounds on how far (m) any core point has moved since the last rebuild, and on how fast any moves (m/s)."""
    moved, speed, poison = 0.0, 0.0, 0.0
    hx, hy, hz = settings.half
    px, py, pz = settings.period
    for i in range(owned):
        dx, dy, dz = g.x[i, 0] - g.x0[i, 0], g.x[i, 1] - g.x0[i, 1], g.x[i, 2] - g.x0[i, 2]
        if settings.periodic:
            dx = dx - px if dx > hx else (dx + px if dx < -hx else dx)
            dy = dy - py if dy > hy else (dy + py if dy < -hy else dy)
            dz = dz - pz if dz > hz else (dz + pz if dz < -hz else dz)
        d2 = dx * dx + dy * dy + dz * dz
        vx, vy, vz = g.v[i, 0], g.v[i, 1], g.v[i, 2]
        v2 = vx * vx + vy * vy + vz * vz
        a = g.species[i]
        if shapes.kind[a] != 1:
            reach = shapes.core_radius[a] * g.scale[i]
            q, p = g.q[i], g.q0[i]
            if shapes.kind[a] == 2:  # turning about the own axis moves nothing
                x1, y1, z1 = to_world(q[0], q[1], q[2], q[3], 0.0, 0.0, 1.0)
                x0, y0, z0 = to_world(p[0], p[1], p[2], p[3], 0.0, 0.0, 1.0)
                chord2 = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0) + (z1 - z0) * (z1 - z0)
            else:  # a point at the radius R moves by 2 R sin(angle / 2)
                same = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3]
                chord2 = 4.0 * max(0.0, 1.0 - same * same)
            wx, wy, wz = g.w[i, 0], g.w[i, 1], g.w[i, 2]
            d = np.sqrt(d2) + reach * np.sqrt(chord2)
            v = np.sqrt(v2) + reach * np.sqrt(wx * wx + wy * wy + wz * wz)
            d2, v2 = d * d, v * v
        moved = max(moved, d2)
        speed = max(speed, v2)
        poison += 0.0 * (d2 + v2)  # not-a-number and infinity stay, where a maximum would lose them
    return np.sqrt(moved) + poison, np.sqrt(speed)
