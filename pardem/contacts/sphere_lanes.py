"""Contacts of spheres WIDTH at a time, from the rows of the grains to those of their forces in registers (``compiled.lanes``).

This is for laws that serve several contacts at once. A group of which one contact is out of range goes through the columns of
a batch (``sphere_columns``), and so does everything else. The contacts of a group have
either all been there in the step before or are all born now; those of which the bodies have parted since are ended here.
"""

from __future__ import annotations

import numpy as np

from ..compiled.choices import hardly_ever, larger, select
from ..compiled.fixedpoint import UNSPLIT, limit
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.arithmetic import all_of
from ..compiled.lanes.flags import flag_at
from ..compiled.lanes.memory import pick
from ..compiled.lanes.places import members, members_at
from ..compiled.lanes.rows import gather, scatter, transpose
from ..compiled.lanes.types import ROW, WIDTH, lane, spread
from ..compiled.vectors import behind, nearest_image, negative, scale, subtract
from ..laws.energy_ledger import losses
from ..laws.history import MEMORY, NORMAL, SPRING
from ..laws.law import touching_overlap
from ..laws.quantities import PairMaterial, Past
from ..laws.resistance.resistance_model import resists as resists_
from ..laws.slider import spring_and_slider
from ..state.arrays import CONTACTS, OBSERVE
from .accumulate import faults
from .lane_groups import (
    add_losses_where,
    add_to_both,
    add_where,
    groups_where_lanes_serve,
    keep_last_step_where,
    keep_own_vectors,
    last_step,
    materials_in,
    own_vectors,
    vectors_at,
)
from .observing import Seen, observe_where
from .pair_loop import velocity_lag
from .resistance import shared_inertia
from .resistance_lanes import account_resistance, keep_resistance_where, resistance_fits, resistance_of, with_resistance
from .sphere_columns import by_columns
from .sphere_encounter import SphereBody, encounter, torques
from .sphere_search import fetch, part

AHEAD = 2 * WIDTH
"""Contacts between the one that is computed and the one whose numbers are asked for."""

assert (SPRING % ROW, MEMORY, NORMAL % ROW) == (0, SPRING + 3, 0)  # a history is two rows: the spring and the memory; the normal and another number


@inlined
def _past(rows, alive, loop):
    """The histories in WIDTH rows (a tuple of words), and the fourth number of the second half of their first eight, which stays."""
    hist, width = loop.pairs.hist, loop.pairs.hist.shape[1]
    sx, sy, sz, memory = transpose(gather(hist, rows, width, SPRING))
    nx, ny, nz, rest = transpose(gather(hist, rows, width, NORMAL))
    own = own_vectors(rows, loop.law, loop.pairs, loop.settings)
    return Past(alive, (sx, sy, sz), memory, (nx, ny, nz), own), rest


@inlined
def _meet(i, j, g, settings):
    """How the grains in WIDTH rows ``i`` and those in ``j`` (tuples of words) meet.

    Returns:
        the vector between their centres, the larger radii, the ``Encounter``; how they turn, as ``resistance_lanes.resistance_of`` wants it.
    """
    (xi, ri), (xj, rj) = vectors_at(g.x, i), vectors_at(g.x, j)
    branch = nearest_image(subtract(xj, xi), settings)  # a jump: what is read before it would have to wait in memory
    (vi, mi), (vj, mj) = vectors_at(g.v, i), vectors_at(g.v, j)
    (wi, _), (wj, _) = vectors_at(g.w, i), vectors_at(g.w, j)
    first, second = SphereBody(ri, mi, wi), SphereBody(rj, mj, wj)
    turning = subtract(wj, wi), shared_inertia(mi * (ri * ri), mj * (rj * rj))
    return branch, larger(ri, rj), encounter(branch, subtract(vj, vi), first, second, settings.dt, velocity_lag(settings)), turning


@inlined
def _keep(rows, r, rest, normal, loop):
    """Store the histories of WIDTH contacts.

    Args:
        rows: rows of the histories (a tuple of words).
        r: ``Response``.
        rest: what stays of the histories.
        normal: normals.
        loop: `PairLoop`.
    """
    pairs, spring, width = loop.pairs, r.spring, loop.pairs.hist.shape[1]
    scatter(pairs.hist, rows, width, SPRING, transpose((spring[0], spring[1], spring[2], r.law.memory)))
    scatter(pairs.hist, rows, width, NORMAL, transpose((normal[0], normal[1], normal[2], rest)))
    keep_own_vectors(rows, r.own, loop.law, pairs, loop.settings)


@kernel
def _end(begin, touching, loop):
    """End those of WIDTH contacts, from ``begin`` on in ``pairs.near``, whose bodies have parted, or do not touch after all."""
    pairs = loop.pairs
    for k in range(WIDTH):
        p = np.uintp(pairs.near[begin + k])
        if not lane(touching, k):
            part(np.uintp(pairs.first[p]), np.uintp(pairs.col[p]), p, loop)


@inlined
def _most_counts(e, radius, size, settings):
    """Bounds on the counts of WIDTH contacts' forces and torques, infinite where an arm may be longer than the radius of its sphere.

    Args:
        e: ``Encounter``.
        radius: the larger radii (m).
        size: bounds on the magnitudes of the forces (N).
        settings: `Settings`.
    """
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    return select(e.depth_left > 0.0, (1.0 + 1e-9) * size * larger(inv_force, (2.0 * inv_torque) * radius), np.inf)


@inlined
def _in_range(e, most, size, touching, branch, numbers, loop):
    """Whether WIDTH contacts are in range where they touch.

    Args:
        e: ``Encounter``.
        most: see ``_most_counts``.
        size: bounds on the magnitudes of the forces (N).
        touching: where they touch.
        branch: vectors from the first centres to the second (m).
        numbers: of the law.
        loop: `PairLoop`.
    """
    settings = loop.settings
    if all_of((most < limit(settings.wide)) | ~touching):
        return True
    arm, depth_left = scale(e.reach, e.geometry.normal), e.depth_left + 0.5 * touching_overlap(loop.law, numbers)
    faulty = faults(size, arm, subtract(arm, branch), depth_left, limit(settings.wide), 1.0 / settings.force, 1.0 / settings.torque)
    return all_of((faulty == 0) | ~touching)


@inlined
def _group(begin, born, loop):
    """Forces of WIDTH contacts, those from ``begin`` on in ``pairs.near``, whose materials are in the first WIDTH columns of the batch.

    Args:
        begin: place of the first of them.
        born: whether they are born in this step: a constant, so that either kind has code of its own.
        loop: `PairLoop`.

    Returns:
        whether all of them are in range; otherwise nothing has been done.
    """
    pairs, g, law, settings, resistance, nothing = loop.pairs, loop.g, loop.law, loop.settings, loop.settings.resistance, spread(0.0)
    fetch(begin + AHEAD, pairs, g)
    places = members(pairs.near, begin)
    i, j, rows = members_at(pairs.first, places), members_at(pairs.col, places), members_at(pairs.rows.at, places)
    branch, radius, e, turning = _meet(i, j, g, settings)
    past, rest = _past(rows, spread(not born), loop)
    numbers, friction = materials_in(pairs.scratch)
    material = PairMaterial(numbers, friction, e.mass, e.radius)
    r = spring_and_slider(law, material, e.geometry, e.motion, past)
    resists = resistance_of(resistance, material, e.geometry, e.motion, past, r, turning, rows, loop)
    force = behind(r.drag, r.push * e.geometry.slope, e.geometry.normal)
    touching = e.geometry.overlap > 0.0
    size = abs(r.push) * (1.0 + friction)
    most = _most_counts(e, radius, size, settings)
    fits = _in_range(e, most, size, touching, branch, numbers, loop)
    if not (fits and all_of(resistance_fits(resistance, resists, settings) | ~touching)):
        return False
    together = all_of(touching)
    if not together:
        _end(begin, touching, loop)
    if hardly_ever(loop.control[OBSERVE] != 0):
        moment = with_resistance(resistance, (nothing, nothing, nothing), resists)
        mine = touching & (pick(pairs.first, places) < loop.owned)
        observe_where(mine, begin, CONTACTS, e.geometry, r, Seen(branch, scale(e.reach, e.geometry.normal), force, moment, resists), loop)
    if settings.budget:
        before = last_step(rows, pairs)
        lost_n, lost_t, now = losses(before, past.alive, r, settings.dt)
        add_losses_where(touching & (pick(pairs.first, places) < loop.owned), lost_n, lost_t, loop)
        keep_last_step_where(touching, rows, now, before, pairs)
        account_resistance(resistance, touching, pick(pairs.first, places) < loop.owned, past.alive, rows, resists, loop)
    _keep(rows, r, rest, e.geometry.normal, loop)
    keep_resistance_where(resistance, touching, rows, resists, loop)
    if born:
        flag_at(pairs.touch, places, touching)
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    counts, (on_first, against_second) = scale(inv_force, force), torques(e.reach, e.distance, e.geometry.normal, r.drag)
    on_first = scale(inv_torque, with_resistance(resistance, on_first, resists))
    against_second = scale(inv_torque, with_resistance(resistance, against_second, resists))
    if together and (not settings.wide or (not resists_(resistance) and all_of(most < UNSPLIT))):
        add_to_both(i, j, (counts, on_first, against_second), g.ft)
    else:
        add_where(touching, i, j, (counts, on_first, negative(against_second)), g.ft, settings.wide)
    return True


@inlined
def _of_known(begin, count, loop):
    return _group(begin, False, loop)


@inlined
def _of_born(begin, count, loop):
    return _group(begin, True, loop)


known_in_lanes, born_in_lanes = (groups_where_lanes_serve(group, by_columns) for group in (_of_known, _of_born))
