"""Velocity Verlet: kick, drift, force, kick; non-spheres turn by ``splitting`` or ``fincham``.

The angular momentum L (world frame) is the state; a free body keeps it exactly, so the gyroscopic term needs no formula of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from ..compiled.fixedpoint import MOST, WIDE_MOST
from ..compiled.jit import inlined, kernel
from ..compiled.quaternions import orientation, put_orientation
from ..compiled.vectors import add, ahead, behind, component, put_row, row, scale
from . import fincham, splitting
from .poses import force_on, gravity, inverse_size, place_vertices, torque_on, wrap
from .scheme import Scheme


class Verlet(NamedTuple):
    """Kicks and a drift.

    Attributes:
        closes: whether a kick of half a step ends each step; else each begins with a whole one.
        fincham: whether non-spheres turn by ``fincham``; else by ``splitting``.
    """

    closes: bool
    fincham: bool


@inlined
def kick_time(integrator, dt):
    """For how long a kick acts (s)."""
    return 0.5 * dt if integrator.closes else dt


@inlined
def _kick_one(i, round_body, j, g, settings, h):
    """Advance the velocity and the angular momentum of a grain; of a sphere the angular velocity.

    Args:
        i: row of ``g``.
        round_body: whether it is a sphere.
        j: one over the moment of inertia of a sphere (1/(kg m^2)).
        g: `state.Grains`.
        settings: `state.Settings`.
        h: time (s).
    """
    c = settings.force * h / g.v[i, 3]
    put_row(g.v, i, add(row(g.v, i), ahead(scale(c, force_on(g, i, settings.wide)), h, gravity(settings))))
    c = settings.torque * h
    if round_body:
        put_row(g.w, i, ahead(row(g.w, i), c * j, torque_on(g, i, settings.wide)))
    else:
        put_row(g.am, i, ahead(row(g.am, i), c, torque_on(g, i, settings.wide)))


@inlined
def _turn(i, inverse, integrator, g, settings):
    """Turn a non-sphere by one step and leave the angular velocity in the middle of it, which the contacts see.

    Args:
        i: row of ``g``.
        inverse: one over each principal moment (1/(kg m^2)).
        integrator: `Verlet`.
        g: `state.Grains`.
        settings: `state.Settings`.
    """
    momentum = row(g.am, i)
    if integrator.fincham:
        before = behind(momentum, settings.torque * kick_time(integrator, settings.dt), torque_on(g, i, settings.wide))
        q, w = fincham.rotate(orientation(g.q, i), before, momentum, inverse, settings.dt)
        put_orientation(g.q, i, q)
        put_row(g.w, i, w)
    else:  # number the axes so that the third is the one apart; a cyclic change of all axes leaves the formulas alone
        z = splitting.third_axis(inverse)
        x, y = (1 if z == 0 else (2 if z == 1 else 0)), (2 if z == 0 else (0 if z == 1 else 1))
        q, w = splitting.rotate(
            (g.q[i, 0], g.q[i, 1 + x], g.q[i, 1 + y], g.q[i, 1 + z]), (g.am[i, x], g.am[i, y], g.am[i, z]),
            (component(inverse, x), component(inverse, y), component(inverse, z)), settings.dt,
        )  # fmt: skip
        g.q[i, 0], g.q[i, 1 + x], g.q[i, 1 + y], g.q[i, 1 + z] = q
        g.w[i, x], g.w[i, y], g.w[i, z] = w


@kernel
def begin_step(integrator, owned, g, shapes, settings, due):
    """Kick, advance poses by one step, wrap them into the domain, place vertices, and clear the forces; see ``phases.begin_step``."""
    dt, h, crowded, most = settings.dt, kick_time(integrator, settings.dt), -1, WIDE_MOST if settings.wide else MOST
    for i in range(owned):
        a = g.species[i]
        round_body = shapes.kind[a] == 1
        k = inverse_size(g.scale[i], settings.planar)
        for _ in range(2 if due else 1):
            _kick_one(i, round_body, shapes.inverse[a, 0] * k, g, settings, h)
        put_row(g.x, i, ahead(row(g.x, i), dt, row(g.v, i)))
        if not round_body:
            _turn(i, scale(k, row(shapes.inverse, a)), integrator, g, settings)
        if g.ft[i, 3] >= most:
            crowded = i
        for c in range(g.ft.shape[1]):
            g.ft[i, c] = 0
        if settings.periodic:
            wrap(i, g, settings)
    place_vertices(0, owned, g, shapes)
    return crowded


@kernel
def end_step(integrator, owned, g, shapes, settings):
    """Advance velocities and angular momenta with the forces at hand; see ``phases.end_step``."""
    h = kick_time(integrator, settings.dt)
    for i in range(owned):
        a = g.species[i]
        _kick_one(i, shapes.kind[a] == 1, shapes.inverse[a, 0] * inverse_size(g.scale[i], settings.planar), g, settings, h)


def _build(rotation: str) -> Verlet:
    return Verlet(True, rotation == "fincham")


SCHEME = Scheme(integrator=Verlet, build=_build, begin_step=begin_step, end_step=end_step, kick_time=kick_time)
