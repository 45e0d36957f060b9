"""Velocity Verlet: kick, drift, force, kick; non-spheres turn by ``splitting`` or ``fincham``.

The angular momentum L (world frame) is the state; a free body keeps it exactly, so the gyroscopic term needs no formula of its own.
``euler`` is the semi-implicit form: one full kick before the drift.
"""

from __future__ import annotations

from .._jit import inlined, kernel
from ..fixedpoint import MOST, WIDE_MOST, total
from . import fincham, splitting
from .poses import inverse_size, place_vertices, wrap


@inlined
def _kick_one(i, round_body, j, g, settings, h):
    """Advance the velocity and angular momentum (of spheres: angular velocity; ``j``: inverse moment) of a grain by ``h`` (s)."""
    c = settings.force * h / g.v[i, 3]
    g.v[i, 0] += c * total(g.ft, i, 0, settings.wide) + h * settings.gx
    g.v[i, 1] += c * total(g.ft, i, 1, settings.wide) + h * settings.gy
    g.v[i, 2] += c * total(g.ft, i, 2, settings.wide) + h * settings.gz
    c = settings.torque * h
    if round_body:
        c *= j
        g.w[i, 0] += c * total(g.ft, i, 4, settings.wide)
        g.w[i, 1] += c * total(g.ft, i, 5, settings.wide)
        g.w[i, 2] += c * total(g.ft, i, 6, settings.wide)
    else:
        g.am[i, 0] += c * total(g.ft, i, 4, settings.wide)
        g.am[i, 1] += c * total(g.ft, i, 5, settings.wide)
        g.am[i, 2] += c * total(g.ft, i, 6, settings.wide)


@kernel
def kick(owned, g, shapes, settings, h):
    """Advance velocities and angular momenta by ``h`` (s) with the forces at hand (angular velocities: ``update_spins``)."""
    for i in range(owned):
        a = g.species[i]
        _kick_one(i, shapes.kind[a] == 1, shapes.inverse[a, 0] * inverse_size(g.scale[i], settings.planar), g, settings, h)


@inlined
def _turn(i, jx, jy, jz, g, settings, h):
    """Turn a non-sphere by one step and leave the angular velocity in the middle of it, which the contacts see; ``h`` (s): of the kick just done."""
    dt = settings.dt
    if settings.fincham:
        lx, ly, lz = g.am[i, 0], g.am[i, 1], g.am[i, 2]
        c = settings.torque * h
        ax, ay, az = total(g.ft, i, 4, settings.wide), total(g.ft, i, 5, settings.wide), total(g.ft, i, 6, settings.wide)
        nx, ny, nz = lx - c * ax, ly - c * ay, lz - c * az  # before the kick
        g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3], g.w[i, 0], g.w[i, 1], g.w[i, 2] = fincham.rotate(
            g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3], nx, ny, nz, lx, ly, lz, jx, jy, jz, dt
        )
    else:  # number the axes so that the third is the one apart; a cyclic change of all axes leaves the formulas alone
        z = splitting.third_axis(jx, jy, jz)
        x, y = (1 if z == 0 else (2 if z == 1 else 0)), (2 if z == 0 else (0 if z == 1 else 1))
        if z == 0:
            jx, jy, jz = jy, jz, jx
        elif z == 1:
            jx, jy, jz = jz, jx, jy
        g.q[i, 0], g.q[i, 1 + x], g.q[i, 1 + y], g.q[i, 1 + z], g.w[i, x], g.w[i, y], g.w[i, z] = splitting.rotate(
            g.q[i, 0], g.q[i, 1 + x], g.q[i, 1 + y], g.q[i, 1 + z], g.am[i, x], g.am[i, y], g.am[i, z], jx, jy, jz, dt
        )


@kernel
def kick_and_drift(owned, g, shapes, settings, h, kicks):
    """Kick ``kicks`` times by ``h`` (s), advance poses by one step, wrap them into the domain, place vertices, and clear the forces.

    Two kicks are the one that ends a step and the one that begins the next: one pass over the grains does both.

    Returns:
        a grain that received more contributions than a sum holds, or -1.
    """
    dt, crowded, most = settings.dt, -1, WIDE_MOST if settings.wide else MOST
    for i in range(owned):
        a = g.species[i]
        round_body = shapes.kind[a] == 1
        k = inverse_size(g.scale[i], settings.planar)
        for _ in range(kicks):
            _kick_one(i, round_body, shapes.inverse[a, 0] * k, g, settings, h)
        for c in range(3):
            g.x[i, c] += dt * g.v[i, c]
        if not round_body:
            _turn(i, shapes.inverse[a, 0] * k, shapes.inverse[a, 1] * k, shapes.inverse[a, 2] * k, g, settings, h)
        if g.ft[i, 3] >= most:
            crowded = i
        for c in range(g.ft.shape[1]):
            g.ft[i, c] = 0
        if settings.periodic:
            wrap(i, g, settings)
    place_vertices(0, owned, g, shapes)
    return crowded
