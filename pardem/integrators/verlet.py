"""Velocity Verlet: kick, drift, force, kick; non-spheres turn by ``splitting`` or ``fincham``.

The angular momentum L (world frame) is the state; a free body keeps it exactly, so the gyroscopic term needs no formula of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.fixedpoint import COLUMNS, MOST, UNSPLIT, WIDE_COLUMNS, WIDE_MOST
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.conversions import number
from ..compiled.lanes.memory import load_row, store
from ..compiled.lanes.types import ROW, row_of
from ..compiled.quaternions import orientation, put_orientation
from ..compiled.vectors import add, ahead, behind, put_row, row, scale
from . import fincham, splitting
from .poses import force_on, gravity, inverse_size, place_vertices, torque_on, wrap
from .scheme import Scheme
from .verlet_lanes import Kicks, begin_in_lanes, follow_in_lanes


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
    """Determine for how long a kick acts.

    Args:
        integrator: `Verlet`.
        dt: time step (s).

    Returns:
        The time (s).
    """
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
    else:
        q, w = splitting.turn(orientation(g.q, i), momentum, inverse, settings.dt)
        put_orientation(g.q, i, q)
        put_row(g.w, i, w)


@inlined
def _sums(ft, at, wide):
    """Four sums of a body (quanta), in lanes, from a place in the array on; see ``fixedpoint.total``."""
    if wide:
        return number(load_row(ft, at + np.uintp(COLUMNS))) * UNSPLIT + number(load_row(ft, at))
    return number(load_row(ft, at))


@inlined
def _advance_in_rows(i, factors, fall, drift, kicks, g, wide):
    """Kick and drift a sphere and clear its forces, with rows of four numbers in lanes.

    Args:
        i: row of ``g`` (word).
        factors: what turns force and torque, in counts, into changes of velocity and angular velocity; zero where a row holds mass or radius.
        fall: change of velocity by gravity in one kick; zero for the mass.
        drift: time step; zero for the radius.
        kicks: how many, 1 or 2.
        g: `state.Grains`.
        wide: whether sums have two limbs.
    """
    columns = np.uintp(WIDE_COLUMNS if wide else COLUMNS)
    at, sums = np.uintp(ROW) * i, columns * i
    change = factors[0] * _sums(g.ft, sums, wide) + fall
    turn = factors[1] * _sums(g.ft, sums + np.uintp(ROW), wide)
    v, w = load_row(g.v, at), load_row(g.w, at)
    for _ in range(kicks):
        v, w = v + change, w + turn
    store(g.v, at, v)
    store(g.w, at, w)
    store(g.x, at, load_row(g.x, at) + drift * v)
    nothing = row_of(0, 0, 0, 0)
    for c in range(np.uintp(0), columns, np.uintp(ROW)):
        store(g.ft, sums + c, nothing)


@inlined
def _begin_of_spheres(owned, g, shapes, settings, h, kicks):
    """The same as ``begin_step`` for spheres only.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        h: time of a kick (s).
        kicks: how many, 1 or 2.

    Returns:
        a grain that received more contributions than a sum holds, or -1.
    """
    crowded, dt, wide = -1, settings.dt, settings.wide
    most = WIDE_MOST if wide else MOST
    force, torque, (gx, gy, gz) = settings.force * h, settings.torque * h, gravity(settings)
    first_three, fall, drift = row_of(1.0, 1.0, 1.0, 0.0), row_of(h * gx, h * gy, h * gz, 0.0), row_of(dt, dt, dt, 0.0)
    for n in range(owned):
        i, size = np.uintp(n), g.scale[n]
        inverse = shapes.inverse[g.species[n], 0]
        if size != 1.0:  # a division that most grains can do without
            inverse *= inverse_size(size, settings.planar)
        if g.ft[i, 3] >= most:
            crowded = n
        _advance_in_rows(i, ((force / g.v[i, 3]) * first_three, (torque * inverse) * first_three), fall, drift, kicks, g, wide)
    if settings.periodic:
        for i in range(owned):
            wrap(i, g, settings)
    return crowded


@inlined
def begin_step(integrator, owned, g, shapes, settings, due):
    """Kick, advance poses by one step, wrap them into the domain, place vertices, and clear the forces (see ``phases.begin_step``).

    Args:
        integrator: `Verlet`.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        due: whether the forces at hand must first end the step before.

    Returns:
        A grain on which more forces act than a sum can hold; -1: there is none.
    """
    dt, h, most = settings.dt, kick_time(integrator, settings.dt), WIDE_MOST if settings.wide else MOST
    if g.vert.shape[0] == 0:
        return _begin_of_spheres(owned, g, shapes, settings, h, 2 if due else 1)
    done, crowded = begin_in_lanes(integrator.fincham, owned, g, shapes, settings, Kicks(h, 2 if due else 1))
    for i in range(done, owned):
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
    """Advance velocities and angular momenta with the forces at hand (see ``phases.end_step``).

    Args:
        integrator: `Verlet`.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """
    h = kick_time(integrator, settings.dt)
    for i in range(owned):
        a = g.species[i]
        _kick_one(i, shapes.kind[a] == 1, shapes.inverse[a, 0] * inverse_size(g.scale[i], settings.planar), g, settings, h)


@inlined
def follow(integrator, first, last, g, shapes, settings):
    """Drift and turn ghosts as ``begin_step`` does with their owners' grains once these are kicked (see ``phases.follow``).

    Args:
        integrator: `Verlet`, without ``fincham`` unless all grains are spheres.
        first: row of the first ghost.
        last: one past the row of the last ghost.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """
    dt = settings.dt
    if g.vert.shape[0] == 0:
        for i in range(first, last):
            put_row(g.x, i, ahead(row(g.x, i), dt, row(g.v, i)))
    else:
        for i in range(follow_in_lanes(first, last, g, shapes, settings), last):
            a = g.species[i]
            put_row(g.x, i, ahead(row(g.x, i), dt, row(g.v, i)))
            if shapes.kind[a] != 1:
                _turn(i, scale(inverse_size(g.scale[i], settings.planar), row(shapes.inverse, a)), integrator, g, settings)
    if settings.periodic:
        for i in range(first, last):
            wrap(i, g, settings)


def follows(integrator: Verlet, spheres: bool) -> bool:
    """Tell whether poses follow from velocities and angular momenta: for ``fincham`` it would take torques as well.

    Args:
        integrator: the integrator.
        spheres: whether all grains are spheres.
    """
    return spheres or not integrator.fincham


def _build(rotation: str) -> Verlet:
    return Verlet(True, rotation == "fincham")


SCHEME = Scheme(
    integrator=Verlet, build=_build, begin_step=begin_step, end_step=end_step, kick_time=kick_time, follows=follows, follow=follow,
)  # fmt: skip
