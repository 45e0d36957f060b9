"""Contacts of all candidate pairs for grains of any shape: geometry by the narrow phase, one by one; forces by the law, in batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.choices import inverse_root
from ..compiled.jit import inlined, kernel
from ..compiled.vectors import ZERO, add, columns, dot, nearest_image, negative, put_columns, row, scale, square, subtract
from ..laws.energy_ledger import end_contact
from ..laws.history import NORMAL, WITH_ARM
from ..laws.resistance.resistance_memory import torque_lost_at_end
from ..laws.resistance.resistance_model import resists
from ..laws.slider import middle_normal
from ..state.arrays import ERROR_OVERLAP, ERROR_SOLVER
from .accumulate import fault, tally_losses
from .batch import (
    ARM,
    AXIS,
    BATCH,
    BRANCH,
    DEPTH_LEFT,
    LEVER,
    LEVER_MIDDLE,
    MASS,
    MIDDLES,
    NORMALS,
    OVERLAP,
    RADIUS,
    SLOPE,
    SPIN,
    TURN,
    VELOCITY,
    fill_pair,
    fill_past,
    keep_own,
    put_vector,
)
from .batch_forces import couples, forces, quantise
from .batch_results import apply_to_pair
from .dispatch import closest, has_couples, passes_history_on, zone
from .encounter import contact_point, contact_velocity, effective, free_path
from .hardening import collapsed, harden_pair
from .inheritance import LEAVING, LIVING, pass_history_on
from .nearest.features import bodies_of
from .pair_loop import velocity_lag
from .resistance import check_torques, fill_resistance, keep_resistance, resist, shared_inertia
from .rules.rule import Bearing

APART, LEAVES, TOUCHES = 0, 1, 2  # what becomes of a candidate


class PairMeeting(NamedTuple):
    """Where two grains meet.

    Attributes:
        p: the candidate.
        bodies: the two ``features.Bodies``.
        nearest: what ``closest`` gave.
        arm: vector from the first body's centre to the contact point (m).
        link: vector from the nearest point of the first body to that of the second (m).
    """

    p: Any
    bodies: Any
    nearest: Any
    arm: Any
    link: Any


@inlined
def _evaluate(count, loop):
    """Forces of the first ``count`` columns, added to the bodies."""
    pairs, settings, with_couples = loop.pairs, loop.settings, has_couples(loop.interaction)
    forces(count, loop.law, settings.dt, velocity_lag(settings), pairs.scratch)
    if with_couples:
        couples(settings.dt, pairs.scratch)
    resistance = settings.resistance
    resist(resistance, count, loop.law, with_couples, settings.dt, pairs.scratch)
    quantise(with_couples or resists(resistance), settings, pairs.scratch, pairs.counts)
    check_torques(resistance, settings, pairs.scratch, pairs.counts)
    for n in range(count):
        p, i = np.uintp(pairs.near[n]), np.uintp(pairs.near_row[n])
        keep_own(np.uintp(n), p, loop.law, pairs, settings)
        apply_to_pair(np.uintp(n), i, np.uintp(pairs.col[p]), p, p, with_couples, loop)
        keep_resistance(resistance, np.uintp(n), p, i < loop.owned, loop)


@inlined
def _end(i, p, velocity, loop):
    """End a contact, and account for the energy that it still held."""
    loop.pairs.touch[p] = 0
    settings = loop.settings
    if settings.budget and i < loop.owned:
        lost_n, lost_t = end_contact(velocity, loop.pairs.hist, p, settings.dt, not settings.midstep)
        if resists(settings.resistance):
            j = np.uintp(loop.pairs.col[p])
            spin = subtract(row(loop.g.w, j), row(loop.g.w, i))
            lost_t += torque_lost_at_end(settings.resistance, spin, loop.pairs.hist, p, settings)
        tally_losses(loop.tally, lost_n, lost_t, 1.0 / settings.energy)


@inlined
def _relative_velocity(i, j, p, d, arm, loop):
    """Velocity of the second body's material point relative to the first's at the contact point in the middle of the step (m/s)."""
    g, hist, lag = loop.g, loop.pairs.hist, velocity_lag(loop.settings)
    before, known = columns(hist, p, hist.shape[1] - WITH_ARM), loop.pairs.touch[p] != 0 and lag > 0.0
    return contact_velocity(subtract(row(g.v, j), row(g.v, i)), (row(g.w, i), row(g.w, j)), d, (before, arm), known, lag)


@inlined
def _fill(k, meeting, velocity, loop):
    """Put a contact into column ``k``.

    Args:
        k: the column.
        meeting: `PairMeeting`.
        velocity: relative velocity (m/s).
        loop: `PairLoop`.
    """
    p, bodies, nearest, arm, link = meeting
    pairs, g, law, settings = loop.pairs, loop.g, loop.law, loop.settings
    hist, s, i, j = pairs.hist, pairs.scratch, bodies.i, bodies.j
    known = pairs.touch[p] != 0 and velocity_lag(settings) > 0.0
    ri, rj, mi, mj = g.x[i, 3], g.x[j, 3], g.v[i, 3], g.v[j, 3]
    reach = ri + rj
    distance, length2 = np.sqrt(nearest.f), square(link)
    length, (mass, r_eff) = np.sqrt(length2), effective(ri, rj, mi, mj)
    overlap, normal = reach - distance, scale(inverse_root(length2), link)
    middle = middle_normal(columns(hist, p, NORMAL), normal, known)
    a, b = np.uintp(g.material[i]), np.uintp(g.material[j])
    lever, axis = 0.0, ZERO
    if has_couples(loop.interaction) and law.torsion[a, b] + law.rocking[a, b] != 0.0:
        lever, axis = zone(loop.interaction, g, bodies, Bearing(normal, r_eff, overlap), pairs, p)
    depth_left = min(ri, rj) - overlap
    if collapsed(distance, nearest.f - length * length, reach) and not harden_pair(bodies, p, nearest, loop):
        depth_left = -np.inf
    put_vector(s, BRANCH, k, negative(bodies.w))
    put_vector(s, ARM, k, arm)
    put_vector(s, NORMALS, k, normal)
    put_vector(s, MIDDLES, k, middle)
    put_vector(s, VELOCITY, k, velocity)
    put_vector(s, SPIN, k, subtract(row(g.w, j), row(g.w, i)))
    put_vector(s, AXIS, k, axis)
    s[OVERLAP + k], s[SLOPE + k], s[DEPTH_LEFT + k] = overlap, length / distance, depth_left
    s[TURN + k] = 0.5 * settings.dt * dot(add(row(g.w, i), row(g.w, j)), middle)
    s[MASS + k], s[RADIUS + k] = mass, r_eff
    zone_column = hist.shape[1] - 1
    s[LEVER + k], s[LEVER_MIDDLE + k] = lever, 0.5 * (hist[p, zone_column] + lever) if known else lever
    put_columns(hist, p, hist.shape[1] - WITH_ARM, arm)
    hist[p, zone_column] = lever
    fill_past(k, pairs.touch[p], p, law, pairs, settings)
    fill_pair(k, a, b, law, s, pairs.counts)
    fill_resistance(settings.resistance, k, p, (a, b), shared_inertia(mi * (ri * ri), mj * (rj * rj)), loop)
    pairs.near[k], pairs.near_row[k] = p, i


@inlined
def _meet(k, i, p, sweep, loop):
    """Look at a candidate and put it into column ``k`` if it touches.

    Args:
        k: the column.
        i: row of the first body.
        p: the candidate.
        sweep: 0: contacts that are alive may leave for other features; 1: others are born.
        loop: `PairLoop`.

    Returns:
        APART, LEAVES (for other features) or TOUCHES.
    """
    pairs, g, interaction = loop.pairs, loop.g, loop.interaction
    j = np.uintp(pairs.col[p])
    path = g.path[i] + g.path[j]
    touching = pairs.touch[p] != 0
    if not touching and path < pairs.free[p]:
        return APART
    if passes_history_on(interaction) and (pairs.touch[p] == LIVING) != (sweep == 0):
        return APART
    d = nearest_image(subtract(row(g.x, j), row(g.x, i)), loop.settings)
    ri, rj = g.x[i, 3], g.x[j, 3]
    reach = ri + rj
    bodies = bodies_of(i, j, negative(d))
    nearest = closest(interaction, g, bodies, pairs, p, touching, reach)
    near, f, x, y, status = nearest
    if status != 0:
        fault(loop.control, ERROR_SOLVER, g.gid[i], g.gid[j])
    if not near and not touching:
        pairs.free[p] = free_path(path, f, reach, d)
        return APART
    if passes_history_on(interaction) and sweep == 0 and not near and f < reach * reach:
        pairs.touch[p] = LEAVING
        return LEAVES
    # from the point on i to the point on j; its length is below the regularised distance
    link = subtract(add(d, y), x)
    length2 = square(link)
    if length2 == 0.0:
        fault(loop.control, ERROR_OVERLAP, g.gid[i], g.gid[j])
        return APART
    arm = contact_point(x, link, 1.0 / length2, ri, rj)
    velocity = _relative_velocity(i, j, p, d, arm, loop)
    if not near:
        _end(i, p, velocity, loop)
        return APART
    _fill(k, PairMeeting(p, bodies, nearest, arm, link), velocity, loop)
    return TOUCHES


@kernel
def pair_contacts(first, last, loop):
    """Forces of the candidate pairs in some rows of the list; each pair has its lower global id first.

    Args:
        first: the first row.
        last: the row after the last.
        loop: `PairLoop`.
    """
    interaction, row_of, ptr = loop.interaction, loop.pairs.row, loop.pairs.ptr
    k = np.uintp(0)
    # where contacts may leave for other features: first those that are alive, then those that are born
    sweeps = 2 if passes_history_on(interaction) else 1
    for r in range(first, last):
        i, leaving = np.uintp(row_of[r]), False
        for sweep in range(sweeps):
            if sweep == 1 and leaving:
                pass_history_on(ptr[r], ptr[r + 1], i, loop.pairs, loop.g, interaction, loop.settings)
            for q in range(ptr[r], ptr[r + 1]):
                outcome = _meet(k, i, np.uintp(q), sweep, loop)  # unsigned indices spare the check for negative ones
                leaving |= outcome == LEAVES
                k += np.uintp(outcome == TOUCHES)
                if k == BATCH:
                    _evaluate(BATCH, loop)
                    k = np.uintp(0)
    if k > 0:
        _evaluate(np.int64(k), loop)


@kernel
def one_by_one(first, last, loop):
    """Forces of the candidates in some places of ``pairs.near``, behind the first BATCH, which are work space here.

    Args:
        first: the first place.
        last: the place after the last.
        loop: `PairLoop`.
    """
    pairs, k = loop.pairs, np.uintp(0)
    for n in range(first, last):
        p = np.uintp(pairs.near[n])
        k += np.uintp(_meet(k, np.uintp(pairs.first[p]), p, 0, loop) == TOUCHES)
        if k == BATCH:
            _evaluate(BATCH, loop)
            k = np.uintp(0)
    if k > 0:
        _evaluate(np.int64(k), loop)
