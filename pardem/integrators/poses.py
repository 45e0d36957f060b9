"""What every integrator shares: periodic wraps, vertices and spins from poses, and how far grains have moved."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from .rotation import body_rate, matrix, to_world


@inlined
def inverse_size(s, planar):
    """The factor of inverse moments for a size factor s: s^-5, in two dimensions s^-4."""
    return 1.0 / (s * s * s * s if planar else s * s * s * s * s)


@inlined
def wrap(i, g, settings):
    """Put a centre back into the periodic domain and count the wraps; what rounds to the upper edge becomes the lower one."""
    for c in range(3):
        length = settings.period[c]
        if length > 0.0:
            low, high = settings.lower[c], settings.upper[c]
            if g.x[i, c] >= high:
                g.x[i, c] -= length
                g.image[i, c] += 1
            elif g.x[i, c] < low:
                g.x[i, c] += length
                g.image[i, c] -= 1
                if g.x[i, c] >= high:
                    g.x[i, c] = low
                    g.image[i, c] += 1


Y, Z = np.uintp(1), np.uintp(2)


@kernel
def place_vertices(first, last, g, shapes):
    """World vertices of grains ``first`` to ``last``, relative to their centres, from orientation and size."""
    vert, body = g.vert.reshape(g.vert.size), shapes.vertices.reshape(shapes.vertices.size)  # a constant stride lets this loop be vectorised
    for i in range(first, last):
        first_row, end = g.vert_start[i], g.vert_start[i + 1]
        if first_row == end:
            continue
        shift = shapes.vertex_start[g.species[i]] - first_row
        s = g.scale[i]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix(g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3])
        for row in range(first_row, end):  # unsigned indices spare the check for negative ones
            k, m = np.uintp(3 * row), np.uintp(3 * (row + shift))
            x, y, z = s * body[m], s * body[m + Y], s * body[m + Z]
            vert[k] = r00 * x + r01 * y + r02 * z
            vert[k + Y] = r10 * x + r11 * y + r12 * z
            vert[k + Z] = r20 * x + r21 * y + r22 * z


@kernel
def extend_paths(first, last, g, shapes, dt):
    """Add to the paths of grains ``first`` to ``last``, where they are kept, how far a point of them can have gone in the drift of this step.

    Twice the angle omega dt leaves room for what the net rotation of a scheme differs from it, of third order in the step.
    """
    if g.path.shape[0] == 0:
        return
    for i in range(first, last):
        vx, vy, vz = g.v[i, 0], g.v[i, 1], g.v[i, 2]
        wx, wy, wz = g.w[i, 0], g.w[i, 1], g.w[i, 2]
        reach = 2.0 * shapes.core_radius[g.species[i]] * g.scale[i]
        g.path[i] += dt * (np.sqrt(vx * vx + vy * vy + vz * vz) + reach * np.sqrt(wx * wx + wy * wy + wz * wz))


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
            if shapes.kind[a] == 2 and not settings.planar:  # turning about the own axis moves nothing
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


@kernel
def update_spins(owned, g, shapes, settings):
    """Angular velocities of non-spheres from pose and angular momentum, for whoever looks at them between two steps."""
    for i in range(owned):
        a = g.species[i]
        if shapes.kind[a] != 1:
            k = inverse_size(g.scale[i], settings.planar)
            q0, q1, q2, q3 = g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3]
            bx, by, bz = body_rate(
                q0, q1, q2, q3, g.am[i, 0], g.am[i, 1], g.am[i, 2], shapes.inverse[a, 0] * k, shapes.inverse[a, 1] * k, shapes.inverse[a, 2] * k
            )
            g.w[i, 0], g.w[i, 1], g.w[i, 2] = to_world(q0, q1, q2, q3, bx, by, bz)
