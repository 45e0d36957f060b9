"""Kick, drift and turn of WIDTH grains of any shape at a time (``compiled.lanes``), with the bits of ``verlet``."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.fixedpoint import COLUMNS, MOST, UNSPLIT, WIDE_COLUMNS, WIDE_MOST
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import any_of
from ..compiled.lanes.conversions import number
from ..compiled.lanes.memory import load, pick
from ..compiled.lanes.places import members, neighbours
from ..compiled.lanes.rows import gather, scatter, transpose
from ..compiled.lanes.types import ROW, WIDTH, lane, spread
from ..compiled.quaternions import choose_orientation
from ..compiled.vectors import add, ahead, behind, choose, scale
from . import fincham, splitting
from .poses import gravity, inverse_size, wrap


class Kicks(NamedTuple):
    """Kicks at the beginning of a step.

    Attributes:
        time: time of each (s).
        count: how many: 2 if the first ends the step before.
    """

    time: Any
    count: Any


@inlined
def _rows(array, rows):
    """The four columns of WIDTH rows."""
    return transpose(gather(array, rows, ROW, 0))


@inlined
def _put(array, rows, a, fourth):
    """Write a vector and a fourth number to WIDTH rows."""
    scatter(array, rows, ROW, 0, transpose((a[0], a[1], a[2], fourth)))


@inlined
def _sums(ft, rows, first, wide):
    """Force or torque on the grains in WIDTH rows (quanta), and the fourth number beside it; see ``fixedpoint.total``."""
    if wide:
        x, y, z, d = transpose(gather(ft, rows, WIDE_COLUMNS, first))
        a, b, c, _ = transpose(gather(ft, rows, WIDE_COLUMNS, COLUMNS + first))
        return add(scale(UNSPLIT, (number(a), number(b), number(c))), (number(x), number(y), number(z))), d
    a, b, c, d = transpose(gather(ft, rows, COLUMNS, first))
    return (number(a), number(b), number(c)), d


@inlined
def _clear(ft, rows, wide):
    """Set the sums of the grains in WIDTH rows to zero."""
    nothing = spread(0)
    zeros = (nothing, nothing, nothing, nothing)
    if wide:
        for first in range(0, WIDE_COLUMNS, ROW):
            scatter(ft, rows, WIDE_COLUMNS, first, zeros)
    else:
        scatter(ft, rows, COLUMNS, 0, zeros)
        scatter(ft, rows, COLUMNS, ROW, zeros)


@inlined
def _crowded(first, count, most):
    """One of the grains from row ``first`` on that received more contributions than a sum holds, or -1."""
    found = -1
    if any_of(count >= most):
        for k in range(WIDTH):
            if lane(count, k) >= most:
                found = first + k
    return found


@inlined
def _turned(by_fincham, q, momentum, torque, inverse, kicks, settings):
    """Orientations after the step and angular velocities in the middle of it."""
    if by_fincham:
        before = behind(momentum, settings.torque * kicks.time, torque)
        return fincham.rotate(q, before, momentum, inverse, settings.dt)
    return splitting.turn(q, momentum, inverse, settings.dt)


@inlined
def _begin(first, by_fincham, g, shapes, settings, kicks):
    """Kick, drift and turn the grains from row ``first`` on, and clear their forces.

    Returns:
        one of them that received more contributions than a sum holds, or -1.
    """
    rows, species, h = neighbours(first), members(g.species, first), kicks.time
    (vx, vy, vz, mass), (x, y, z, radius) = _rows(g.v, rows), _rows(g.x, rows)
    (wx, wy, wz, w_rest), (lx, ly, lz, l_rest) = _rows(g.w, rows), _rows(g.am, rows)
    (force, count), (torque, _) = _sums(g.ft, rows, 0, settings.wide), _sums(g.ft, rows, ROW, settings.wide)
    a, b, c, _ = _rows(shapes.inverse, species)
    inverse = scale(inverse_size(load(g.scale, first), settings.planar), (a, b, c))
    push, pull, fall = settings.force * h / mass, settings.torque * h, gravity(settings)
    v, w, momentum = (vx, vy, vz), (wx, wy, wz), (lx, ly, lz)
    spin_up = pull * inverse[0]
    for _ in range(kicks.count):
        v = add(v, ahead(scale(push, force), h, fall))
        w = ahead(w, spin_up, torque)
        momentum = ahead(momentum, pull, torque)
    round_body, q = pick(shapes.kind, species) == 1, _rows(g.q, rows)
    turned, spin = _turned(by_fincham, q, momentum, torque, inverse, kicks, settings)
    _put(g.v, rows, v, mass)
    _put(g.x, rows, ahead((x, y, z), settings.dt, v), radius)
    _put(g.w, rows, choose(round_body, w, spin), w_rest)
    _put(g.am, rows, choose(round_body, (lx, ly, lz), momentum), l_rest)
    scatter(g.q, rows, ROW, 0, transpose(choose_orientation(round_body, q, turned)))
    _clear(g.ft, rows, settings.wide)
    return _crowded(first, count, WIDE_MOST if settings.wide else MOST)


@inlined
def _follow(first, g, shapes, settings):
    """Drift and turn the ghosts from row ``first`` on."""
    rows, species = neighbours(first), members(g.species, first)
    (vx, vy, vz, _), (x, y, z, radius) = _rows(g.v, rows), _rows(g.x, rows)
    (wx, wy, wz, rest), (lx, ly, lz, _) = _rows(g.w, rows), _rows(g.am, rows)
    a, b, c, _ = _rows(shapes.inverse, species)
    inverse = scale(inverse_size(load(g.scale, first), settings.planar), (a, b, c))
    round_body, q = pick(shapes.kind, species) == 1, _rows(g.q, rows)
    turned, spin = splitting.turn(q, (lx, ly, lz), inverse, settings.dt)
    _put(g.x, rows, ahead((x, y, z), settings.dt, (vx, vy, vz)), radius)
    _put(g.w, rows, choose(round_body, (wx, wy, wz), spin), rest)
    scatter(g.q, rows, ROW, 0, transpose(choose_orientation(round_body, q, turned)))


@inlined
def follow_in_lanes(begin, end, g, shapes, settings):
    """Drift and turn as many whole groups of ghosts as there are, with the bits of ``begin_in_lanes``.

    Args:
        begin: row of the first ghost.
        end: one past the row of the last ghost.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.

    Returns:
        The row behind them.
    """
    done = end - (end - begin) % WIDTH
    for first in range(begin, done, WIDTH):
        _follow(first, g, shapes, settings)
    return done


@inlined
def begin_in_lanes(by_fincham, owned, g, shapes, settings, kicks):
    """Kick, advance poses by one step, wrap them into the domain, and clear the forces of as many whole groups as there are.

    Args:
        by_fincham: whether bodies turn by ``fincham``; else by ``splitting``.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        kicks: `Kicks`.

    Returns:
        how many grains were advanced; one that received more contributions than a sum holds, or -1.
    """
    done, crowded = owned - owned % WIDTH, -1
    for first in range(0, done, WIDTH):
        crowded = max(crowded, _begin(first, by_fincham, g, shapes, settings, kicks))
        if settings.periodic:
            for i in range(first, first + WIDTH):
                wrap(i, g, settings)
    return done, crowded
