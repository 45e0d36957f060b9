"""Contacts of grains of any shape WIDTH at a time in registers, once the narrow phase has found where they are nearest (``compiled.lanes``)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import root, select, smaller
from ..compiled.fixedpoint import limit
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import all_of, any_of
from ..compiled.lanes.memory import flag_at, gather, load, raised_at, scatter, transpose
from ..compiled.lanes.types import ROW, zero_of
from ..compiled.vectors import ZERO, add, behind, choose, cross, dot, negative, scale, square, subtract
from ..laws.couples import couple
from ..laws.energy_ledger import losses, losses_at_end
from ..laws.history import MEMORY, NORMAL, SPRING, TWIST, WITH_ARM
from ..laws.law import touching_overlap
from ..laws.quantities import Geometry, Motion, PairFriction, PairMaterial, Past, Zone
from ..laws.slider import middle_normal, spring_and_slider
from . import batch
from .accumulate import faults
from .dispatch import zone_in_lanes
from .encounter import contact_point, contact_velocity
from .hardening import collapsed
from .lane_groups import add_losses_where, add_where, keep_last_step_where, last_step, materials_in, vectors_at
from .pair_loop import velocity_lag
from .rules.rule import Bearing

# a history begins with two rows, the spring and the memory, the normal and the twist; it ends with the arm and the half-length of the zone
assert (SPRING, MEMORY, NORMAL, TWIST, WITH_ARM) == (0, ROW - 1, ROW, 2 * ROW - 1, ROW)


class Group(NamedTuple):
    """WIDTH candidates and where their bodies are nearest.

    Attributes:
        places: places of the candidates (a tuple of words).
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies.
        near: which of them touch; nothing becomes of the others.
        radii: sphero-radii of both bodies (m).
        d: vector from the first centre to the second (m).
        x: nearest point of the first body, relative to its centre (m).
        y: nearest point of the second body, relative to its centre (m).
        f: squared distance of the cores (m^2).
        shape: what the zone of a contact follows from, and what is kept of it, as the rule wants it.
    """

    places: Any
    i: Any
    j: Any
    near: Any
    radii: Any
    d: Any
    x: Any
    y: Any
    f: Any
    shape: Any


class Remembered(NamedTuple):
    """The histories of WIDTH contacts, those of the step before.

    Attributes:
        past: ``quantities.Past``.
        twist: elastic torsional torque (N m).
        arm: vector from the first centre to the contact point (m).
        lever: half-length of the contact zone (m).
    """

    past: Any
    twist: Any
    arm: Any
    lever: Any


@inlined
def _arm_column(pairs):
    """The first of the last four columns of a history."""
    return pairs.hist.shape[1] - WITH_ARM


@inlined
def _remembered(places, pairs):
    hist, width = pairs.hist, pairs.hist.shape[1]
    sx, sy, sz, memory = transpose(gather(hist, places, width, SPRING))
    nx, ny, nz, twist = transpose(gather(hist, places, width, NORMAL))
    ax, ay, az, lever = transpose(gather(hist, places, width, _arm_column(pairs)))
    return Remembered(Past(raised_at(pairs.touch, places), (sx, sy, sz), memory, (nx, ny, nz), ZERO), twist, (ax, ay, az), lever)


@inlined
def _keep(m, now, before, pairs):
    """Store the histories of the contacts, and which candidates touch.

    Args:
        m: `Group`.
        now: `Remembered`, of this step.
        before: `Remembered`, which stays where bodies do not touch.
        pairs: `Contacts`.
    """
    hist, width, near = pairs.hist, pairs.hist.shape[1], m.near
    spring, normal = choose(near, now.past.spring, before.past.spring), choose(near, now.past.normal, before.past.normal)
    arm = choose(near, now.arm, before.arm)
    memory, twist = select(near, now.past.memory, before.past.memory), select(near, now.twist, before.twist)
    lever = select(near, now.lever, before.lever)
    scatter(hist, m.places, width, SPRING, transpose((spring[0], spring[1], spring[2], memory)))
    scatter(hist, m.places, width, NORMAL, transpose((normal[0], normal[1], normal[2], twist)))
    scatter(hist, m.places, width, _arm_column(pairs), transpose((arm[0], arm[1], arm[2], lever)))
    flag_at(pairs.touch, m.places, near)


@inlined
def _account(m, past, response, work, velocity, loop):
    """Account for the energies that contacts lost in this step, those included that have ended.

    Args:
        m: `Group`.
        past: ``quantities.Past``.
        response: ``quantities.Response``.
        work: work of couples (J).
        velocity: relative velocity of the contacts (m/s).
        loop: `PairLoop`.
    """
    before, dt = last_step(m.places, loop.pairs), loop.settings.dt
    lost_n, lost_t, now = losses(before, past.alive, response, dt)
    end_n, end_t = losses_at_end(before, past.normal, velocity, dt)
    add_losses_where(m.near | past.alive, m.places, select(m.near, lost_n, end_n), select(m.near, lost_t + work, end_t), loop)
    keep_last_step_where(m.near, m.places, now, before, loop.pairs)


@inlined
def group_forces(m, loop):
    """Forces of the candidates that touch, added to the bodies.

    Their materials are in the first WIDTH columns of the batch.

    Args:
        m: `Group`.
        loop: `PairLoop`.

    Returns:
        whether all of them are in range and none needs the hardening; otherwise nothing has been done.
    """
    g, law, settings, s = loop.g, loop.law, loop.settings, loop.pairs.scratch
    near, lag, dt = m.near, velocity_lag(settings), settings.dt
    (ri, rj), d = m.radii, m.d
    reach = ri + rj
    link = subtract(add(d, m.y), m.x)
    length2 = square(link)
    distance, length = root(m.f), root(length2)
    overlap, normal, radius = reach - distance, scale(1.0 / length, link), ri * rj / reach
    arm = contact_point(m.x, link, length2, ri, rj)
    depth_left = smaller(ri, rj) - overlap
    if not all_of((not near) | ((length2 > 0.0) & (not collapsed(distance, m.f - length * length, reach)))):
        return False
    before = _remembered(m.places, loop.pairs)
    known = before.past.alive & (lag > 0.0)
    (vi, mi), (vj, mj) = vectors_at(g.v, m.i), vectors_at(g.v, m.j)
    (wi, _), (wj, _) = vectors_at(g.w, m.i), vectors_at(g.w, m.j)
    velocity = contact_velocity(subtract(vj, vi), (wi, wj), d, (before.arm, arm), known, lag)
    middle = middle_normal(before.past.normal, normal, known)
    numbers, friction = materials_in(s)
    torsion, rocking = load(s, batch.TORSION), load(s, batch.ROCKING)
    bears, none = torsion + rocking != 0.0, zero_of(overlap)
    lever, axis = none, (none, none, none)
    if any_of(bears):
        lever, axis = zone_in_lanes(loop.interaction, m.shape, Bearing(normal, radius, overlap))
        lever, axis = select(bears, lever, 0.0), choose(bears, axis, ZERO)
    geometry = Geometry(overlap, normal, middle, length / distance)
    motion = Motion(velocity, 0.5 * dt * dot(add(wi, wj), middle), dt, lag)
    r = spring_and_slider(law, PairMaterial(numbers, friction, mi * mj / (mi + mj), radius), geometry, motion, before.past)
    zone = Zone(lever, select(known, 0.5 * (before.lever + lever), lever), axis)
    twist = select(before.past.alive, before.twist, 0.0)
    c = couple(r, geometry, zone, subtract(wj, wi), PairFriction(friction, torsion, rocking), twist, dt)
    force = behind(r.drag, r.push * geometry.slope, normal)
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    other, size = subtract(arm, d), abs(r.push) * (1.0 + friction)
    faulty = faults(size, arm, other, depth_left + 0.5 * touching_overlap(law, numbers), limit(settings.wide), inv_force, inv_torque)
    if not all_of((not near) | (faulty == 0)):
        return False
    if settings.budget:
        _account(m, before.past, r, c.work, velocity, loop)
    now = Remembered(Past(near, r.spring, r.law.memory, normal, ZERO), c.twist, arm, lever)
    _keep(m, now, before, loop.pairs)
    on_first, on_second = add(cross(arm, force), c.moment), negative(add(cross(other, force), c.moment))
    counts = (scale(inv_force, force), scale(inv_torque, on_first), scale(inv_torque, on_second))
    add_where(near, m.i, m.j, counts, g.ft, settings.wide)
    return True
