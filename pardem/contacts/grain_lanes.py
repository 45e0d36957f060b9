"""Contacts of grains of any shape WIDTH at a time in registers, once the narrow phase has found where they are nearest (``compiled.lanes``)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import hardly_ever, root, select, smaller
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import all_of, any_of
from ..compiled.lanes.memory import pick
from ..compiled.lanes.types import zero_of
from ..compiled.vectors import ZERO, add, choose, cross, dot, negative, scale, square, subtract
from ..laws.quantities import Geometry, Motion, Zone
from ..laws.slider import middle_normal
from ..state.arrays import CONTACTS, OBSERVE
from .dispatch import zone_in_lanes
from .encounter import contact_point, contact_velocity, effective
from .hardening import collapsed
from .lane_forces import Encounter, account, act, bearing_materials, keep_where, remembered
from .lane_groups import add_to_both, add_where, vectors_at
from .observing import Seen, observe_where
from .pair_loop import velocity_lag
from .resistance import shared_inertia
from .rules.rule import Bearing


class Group(NamedTuple):
    """WIDTH candidates and where their bodies are nearest.

    Attributes:
        begin: place of the first of them in ``pairs.near``.
        places: places of the candidates (a tuple of words).
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies.
        near: which of them touch; nothing becomes of the others.
        alive: which of them touched in the step before.
        radii: sphero-radii of both bodies (m).
        d: vector from the first centre to the second (m).
        x: nearest point of the first body, relative to its centre (m).
        y: nearest point of the second body, relative to its centre (m).
        f: squared distance of the cores (m^2).
        shape: what the zone of a contact follows from, and what is kept of it, as the rule wants it.
    """

    begin: Any
    places: Any
    i: Any
    j: Any
    near: Any
    alive: Any
    radii: Any
    d: Any
    x: Any
    y: Any
    f: Any
    shape: Any


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
    g, pairs, settings, interaction = loop.g, loop.pairs, loop.settings, loop.interaction
    near, lag, dt = m.near, velocity_lag(settings), settings.dt
    (ri, rj), d = m.radii, m.d
    reach = ri + rj
    link = subtract(add(d, m.y), m.x)
    length2 = square(link)
    distance, length, inv2 = root(m.f), root(length2), 1.0 / length2
    overlap, normal = reach - distance, scale(length * inv2, link)
    arm = contact_point(m.x, link, inv2, ri, rj)
    if not all_of((not near) | ((length2 > 0.0) & (not collapsed(distance, m.f - length * length, reach)))):
        return False
    (vi, mi), (vj, mj) = vectors_at(g.v, m.i), vectors_at(g.v, m.j)
    mass, radius = effective(ri, rj, mi, mj)
    torsion, rocking = bearing_materials(pairs.scratch)
    bears, none = torsion + rocking != 0.0, zero_of(overlap)
    lever, axis = none, (none, none, none)
    if any_of(bears):
        lever, axis = zone_in_lanes(interaction, m.shape, Bearing(normal, radius, overlap))
        lever, axis = select(bears, lever, 0.0), choose(bears, axis, ZERO)
    before = remembered(m.places, m.alive, loop)
    known = before.past.alive & (lag > 0.0)
    (wi, _), (wj, _) = vectors_at(g.w, m.i), vectors_at(g.w, m.j)
    velocity = contact_velocity(subtract(vj, vi), (wi, wj), d, (before.arm, arm), known, lag)
    middle = middle_normal(before.past.normal, normal, known)
    other, spin = subtract(arm, d), subtract(wj, wi)
    geometry = Geometry(overlap, normal, middle, length / distance)
    a = act(Encounter(
        geometry, Motion(velocity, 0.5 * dt * dot(add(wi, wj), middle), dt, lag),
        Zone(lever, select(known, 0.5 * (before.lever + lever), lever), axis), spin, mass, radius, arm, other,
        smaller(ri, rj) - overlap, shared_inertia(mi * (ri * ri), mj * (rj * rj)),
    ), m.places, before, loop)  # fmt: skip
    if not all_of((not near) | a.in_range):
        return False
    if hardly_ever(loop.control[OBSERVE] != 0):
        mine = near & (pick(pairs.first, m.places) < loop.owned)
        observe_where(mine, m.begin, CONTACTS, geometry, a.response, Seen(d, arm, a.force, a.moment, a.resistance), loop)
    if settings.budget:
        account(near, m.places, pick(pairs.first, m.places) < loop.owned, before, a, (velocity, spin), loop)
    keep_where(near, m.places, a, (normal, arm, lever), m.alive, loop)
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    on_first, against_second = add(cross(arm, a.force), a.moment), add(cross(other, a.force), a.moment)
    counts, on_first, against_second = scale(inv_force, a.force), scale(inv_torque, on_first), scale(inv_torque, against_second)
    if not settings.wide and all_of(near):
        add_to_both(m.i, m.j, (counts, on_first, against_second), g.ft)
    else:
        add_where(near, m.i, m.j, (counts, on_first, negative(against_second)), g.ft, settings.wide)
    return True
