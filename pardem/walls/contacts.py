"""Contacts of grains with walls. Convex analytic walls give one contact a grain by the narrow phase's own rule, concave ones one per core vertex;
under ``superposition`` all of them do. Bodies give one per pair of features (``bodies``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.fixedpoint import carry, deposit_nearest
from ..compiled.jit import inlined, kernel
from ..compiled.vectors import ZERO, add, ahead, behind, columns, cross, dot, dot_from, length, negative, put_columns, row, scale, square, subtract
from ..contacts import batch
from ..contacts.accumulate import add as add_force
from ..contacts.accumulate import fault, tally_losses, tally_stress
from ..contacts.batch import (
    ARM,
    AXIS,
    BATCH,
    BRANCH,
    FORCE,
    LEVER,
    LEVER_MIDDLE,
    MASS,
    MIDDLES,
    MOMENT,
    NORMALS,
    OVERLAP,
    RADIUS,
    ROOM,
    SHIFT,
    SLOPE,
    SPIN,
    TURN,
    VELOCITY,
    book_on_wall,
    fill_pair,
    fill_past,
    put_vector,
    vector,
)
from ..contacts.dispatch import hands_on, has_couples, keeps_arms, weighted_to_plane, zone_on_plane
from ..contacts.hardening import HEAVIER, LIGHTER, collapsed, in_range, potential
from ..contacts.inheritance import LEAVING, LIVING
from ..contacts.pairs import APART, LEAVES, TOUCHES
from ..contacts.record import record_hardening
from ..laws.books import end_contact, held_energy
from ..laws.history import MEMORY, NORMAL, WITH_ARM
from ..laws.law import coefficients, secant_stiffness
from ..laws.quantities import Material
from ..laws.slider import middle_normal
from ..state.arrays import ERROR_OVERLAP, ERROR_RANGE, ERROR_SOLVER, OBSERVE, RECORDED, STORED
from .handover import hand_on
from .motion.driven import CENTRE, turns
from .surfaces.analytic import effective_radius, from_wall, wall_geometry
from .surfaces.kinds import ABSENT, APPEARING, CYLINDER, DISC, PLANE, THERE


class WallLoop(NamedTuple):
    """What every contact with a wall needs.

    Attributes:
        pairs: `Contacts` with walls.
        walls: `Walls`.
        g: `Grains`.
        interaction: the narrow phase.
        law: its tables.
        settings: `Settings`.
        control: (CONTROL,) int64.
        tally: (TALLY, 2) int64.
    """

    pairs: Any
    walls: Any
    g: Any
    interaction: Any
    law: Any
    settings: Any
    control: Any
    tally: Any


class Meeting(NamedTuple):
    """Where a grain meets a wall.

    Attributes:
        p: the candidate.
        i: row of the grain.
        k: the wall.
        there: whether the wall is, in this stage.
        touching: whether they touched in the step before.
        changes: whether the wall has just vanished or appeared, and takes along or puts in what the contact holds.
        distance: (regularised) distance (m).
        x: point of the core relative to the grain's centre (m).
        normal: unit normal from it to the wall's surface.
        slope: d(overlap)/dt over -n . v.
    """

    p: Any
    i: Any
    k: Any
    there: Any
    touching: Any
    changes: Any
    distance: Any
    x: Any
    normal: Any
    slope: Any


@inlined
def _relative_motion(walls, g, i, k, arm, lag):
    """How wall ``k`` moves as seen from grain ``i`` at a point (m, relative to the grain's centre as it was ``lag`` (s) before).

    Returns:
        velocity of the wall relative to the grain's material point (m/s), mean displacement of the wall's point (m), spin of the grain relative to
        the wall (rad/s).
    """
    spin = row(g.w, i)
    velocity = subtract(subtract(columns(walls.pose, k, 3), row(g.v, i)), cross(spin, arm))
    shift = columns(walls.pose, k, 6)
    if turns(walls.motion, k):
        # the domain has no period across the axis: there is no image to look for
        u = subtract(add(behind(row(g.x, i), lag, row(g.v, i)), arm), columns(walls.motion, k, CENTRE))
        velocity = add(velocity, cross(columns(walls.pose, k, 12), u))
        shift = add(shift, cross(columns(walls.pose, k, 15), u))
        spin = subtract(spin, columns(walls.pose, k, 12))
    return velocity, shift, spin


@inlined
def _react(walls, g, i, k, arm, force, moment, settings):
    """Book a force (N) and couple (N m) on grain ``i`` against wall ``k``, about the wall's point; rounded as what the grain receives."""
    at = subtract(add(row(g.x, i), arm), row(walls.shape, k))
    torque = add(cross(at, force), moment)
    inv_force, inv_torque, reaction = 1.0 / settings.force, 1.0 / settings.torque, walls.reaction[k]
    deposit_nearest(reaction, 0, -force[0] * inv_force)
    deposit_nearest(reaction, 1, -force[1] * inv_force)
    deposit_nearest(reaction, 2, -force[2] * inv_force)
    deposit_nearest(reaction, 3, -torque[0] * inv_torque)
    deposit_nearest(reaction, 4, -torque[1] * inv_torque)
    deposit_nearest(reaction, 5, -torque[2] * inv_torque)
    carry(reaction)


@inlined
def _along(loop, i, k, x, normal):
    """Velocity of a wall relative to a point of a grain (m/s) and its mean displacement there (m), along n; see ``_relative_motion``."""
    velocity, shift, _ = _relative_motion(loop.walls, loop.g, i, k, x, 0.0)
    return dot(normal, velocity), dot(normal, shift)


@kernel
def _harden(m, loop):
    """Add what the hardening of a contact with a plane or disc gives (``contacts.hardening``) to the grain and the wall, and book it.

    Args:
        m: `Meeting`.
        loop: `WallLoop`.

    Returns:
        whether there is such a rule, and the core is as far from the wall as it needs.
    """
    pairs, walls, g, law, settings, control, tally = loop.pairs, loop.walls, loop.g, loop.law, loop.settings, loop.control, loop.tally
    i, k, x = m.i, m.k, m.x
    if walls.kind[k] != PLANE and walls.kind[k] != DISC:
        return False
    _, normal, height = from_wall(walls, g, i, k)
    if walls.kind[k] == DISC and height < 0.0:
        normal, height = negative(normal), -height
    heavier, h, u, failed = weighted_to_plane(loop.interaction, g, i, normal, height, pairs, m.p, HEAVIER)
    lighter, low, r, status = weighted_to_plane(loop.interaction, g, i, normal, height, pairs, m.p, LIGHTER)
    if failed != 0 or status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
    radius, inv_energy = g.x[i, 3], 1.0 / settings.energy
    stiffness = secant_stiffness(law, g.material[i], walls.material[k], radius, g.v[i, 3], radius)
    held, c1, c2, c3, apart = potential(m.distance * m.distance, heavier, lighter, radius, stiffness)
    if held == 0.0:
        return apart
    # forces along the normal, one at each minimiser
    first, second, third = -2.0 * c1 * dot_from(height, normal, x), -2.0 * c2 * h, -2.0 * c3 * low
    speed1, shift1 = _along(loop, i, k, x, normal)
    speed2, shift2 = _along(loop, i, k, u, normal)
    speed3, shift3 = _along(loop, i, k, r, normal)
    if m.changes:
        change = held - 0.5 * settings.dt * (first * speed1 + second * speed2 + third * speed3)
        deposit_nearest(walls.work, k, (change if m.there else -change) * inv_energy)
    if not m.there:
        return True
    force = scale(first + second + third, normal)
    moment = ahead(ahead(scale(first, x), second, u), third, r)
    couple_ = cross(moment, normal)
    if not in_range(square(force), square(couple_), settings):
        fault(control, ERROR_RANGE, g.gid[i], -1 - k)
        return True
    add_force(g.ft, i, force, couple_, settings)
    _react(walls, g, i, k, ZERO, force, couple_, settings)
    deposit_nearest(walls.work, k, (first * shift1 + second * shift2 + third * shift3) * inv_energy)
    if control[OBSERVE] != 0:
        deposit_nearest(tally, STORED, held * inv_energy)
        tally_stress(tally, moment, normal, inv_energy)
        if control[OBSERVE] == RECORDED:
            record_hardening(pairs.record, m.p, force, couple_)
    return True


@inlined
def _zone(m, overlap, loop):
    """Half-length of the contact zone (m) and its rocking axis."""
    walls, law, g, normal = loop.walls, loop.law, loop.g, m.normal
    a, b = g.material[m.i], walls.material[m.k]
    if walls.kind[m.k] < CYLINDER and law.torsion[a, b] + law.rocking[a, b] != 0.0:
        return zone_on_plane(loop.interaction, g, m.i, normal, overlap, loop.pairs, m.p)
    return 0.0, ZERO


@inlined
def _in_the_middle(m, out, arm, lever, now, middle, loop):
    """Motion and zone in the middle of the step, where velocities belong; those at its end where the contact is new, or with gear4.

    Args:
        m: `Meeting`.
        out: how far the contact point lies from the core (m).
        arm: of the contact point (m).
        lever: half-length of the zone (m).
        now: motion at the end of the step, as ``_relative_motion`` gives it.
        middle: normal in the middle of the step.
        loop: `WallLoop`.

    Returns:
        velocity (m/s), lever (m).
    """
    hist, settings, velocity = loop.pairs.hist, loop.settings, now[0]
    if not m.touching or settings.gear:
        return velocity, lever
    lag = 0.5 * settings.dt
    if keeps_arms(loop.interaction):
        first = hist.shape[1] - WITH_ARM
        arm = scale(0.5, add(columns(hist, m.p, first), arm))
        lever = 0.5 * (hist[m.p, first + 3] + lever)
    else:
        arm = scale(out - 0.5 * lag * dot(m.normal, velocity), middle)  # the overlap was less by lag times its rate
    return _relative_motion(loop.walls, loop.g, m.i, m.k, arm, lag)[0], lever


@inlined
def _fill(c, m, arm, overlap, out, now, loop):
    """Put a contact into column ``c`` of the batch.

    Args:
        c: the column.
        m: `Meeting`.
        arm: from the grain's centre to the contact point (m).
        overlap: (m).
        out: how far the contact point lies from the core (m).
        now: motion at the end of the step, as ``_relative_motion`` gives it.
        loop: `WallLoop`.
    """
    pairs, walls, g, settings = loop.pairs, loop.walls, loop.g, loop.settings
    p, i, k, normal, hist, s = m.p, m.i, m.k, m.normal, pairs.hist, pairs.scratch
    _, shift, spin = now
    lever, axis = _zone(m, overlap, loop)
    middle = middle_normal(columns(hist, p, NORMAL), normal, m.touching and not settings.gear)
    velocity, lever_middle = _in_the_middle(m, out, arm, lever, now, middle, loop)
    if keeps_arms(loop.interaction):
        put_columns(hist, p, hist.shape[1] - WITH_ARM, arm)
        hist[p, hist.shape[1] - 1] = lever
    put_vector(s, BRANCH, c, arm)
    put_vector(s, ARM, c, arm)
    put_vector(s, NORMALS, c, normal)
    put_vector(s, MIDDLES, c, middle)
    put_vector(s, VELOCITY, c, velocity)
    put_vector(s, SPIN, c, negative(spin))
    put_vector(s, AXIS, c, axis)
    put_vector(s, SHIFT, c, shift)
    s[OVERLAP + c], s[SLOPE + c], s[ROOM + c] = overlap, m.slope, np.inf
    s[TURN + c] = 0.5 * settings.dt * dot(ahead(spin, 2.0, columns(walls.pose, k, 12)), middle)
    s[MASS + c], s[RADIUS + c] = g.v[i, 3], effective_radius(walls, g, i, k)
    s[LEVER + c], s[LEVER_MIDDLE + c] = lever, lever_middle
    fill_past(c, p, pairs.touch, hist, s)
    fill_pair(c, np.uintp(g.material[i]), np.uintp(walls.material[k]), loop.law, s, pairs.counts)
    pairs.near[c], pairs.near_row[c] = p, i


@kernel
def _evaluate(count, loop):
    """Forces of the first ``count`` columns, on the grains, on the walls, and in the books."""
    pairs, walls, g, settings, control = loop.pairs, loop.walls, loop.g, loop.settings, loop.control
    s, with_couples = pairs.scratch, has_couples(loop.interaction) and keeps_arms(loop.interaction)
    batch.forces(loop.law, settings.dt, 0.0 if settings.gear else 0.5 * settings.dt, s)
    if with_couples:
        batch.couples(settings.dt, s)
    batch.quantise(with_couples, settings, s, pairs.counts)
    for n in range(count):
        c, p, i = np.uintp(n), np.uintp(pairs.near[n]), pairs.near_row[n]
        k = pairs.col[p]
        if book_on_wall(c, i, k, p, with_couples, pairs, g, settings, control, loop.tally):
            force, moment = vector(s, FORCE, c), vector(s, MOMENT, c) if with_couples else ZERO
            _react(walls, g, i, k, vector(s, ARM, c), force, moment, settings)
            deposit_nearest(walls.work, k, dot(force, vector(s, SHIFT, c)) / settings.energy)


@inlined
def _contact(c, p, i, k, first_leg, loop):
    """One candidate: its end, or into column ``c`` if it touches.

    Args:
        c: the column.
        p: the candidate.
        i: row of the grain.
        k: the wall.
        first_leg: whether the living contacts are looked at, where histories go over to other features.
        loop: `WallLoop`.

    Returns:
        APART, LEAVES (in a way that another may inherit) or TOUCHES.
    """
    pairs, walls, g, law, settings, control = loop.pairs, loop.walls, loop.g, loop.law, loop.settings, loop.control
    touching, there = pairs.touch[p] != 0, walls.there[k] != ABSENT
    if not (there or touching):
        return APART
    ri = g.x[i, 3]
    d, x, link, status = wall_geometry(walls, g, loop.interaction, i, k, pairs, p, touching, settings.period)
    if status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
    if d >= ri and not touching:
        return APART
    size = length(link)
    if not d > 0.0 or size == 0.0:
        fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
        return APART
    if hands_on(loop.interaction) and first_leg and there and d >= ri and size < ri:
        pairs.touch[p] = LEAVING
        return LEAVES
    normal, overlap = scale(1.0 / size, link), ri - d
    out = ri - 0.5 * overlap
    arm = ahead(x, out, normal)
    changes = settings.budget and (not there or (walls.there[k] == APPEARING and not touching))
    m = Meeting(p, i, k, there, touching, changes, d, x, normal, size / d)
    if collapsed(d, d * d - size * size, ri) and not _harden(m, loop) and there:
        fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
    now = _relative_motion(walls, g, i, k, arm, 0.0)
    if changes:
        # a wall that vanishes takes along what its contacts hold, one that appears puts it in: its work
        a, b = g.material[i], walls.material[k]
        material = Material(coefficients(law, a, b), law.friction[a, b], g.v[i, 3], effective_radius(walls, g, i, k))
        memory = pairs.hist[p, MEMORY] if touching else 0.0
        held = held_energy(law, material, overlap, -m.slope * dot(normal, now[0]), memory, settings.dt)
        deposit_nearest(walls.work, k, (held if there else -held) / settings.energy)
    if d < ri and there:
        _fill(c, m, arm, overlap, out, now, loop)
        return TOUCHES
    pairs.touch[p] = 0
    if settings.budget:
        lost_n, lost_t = end_contact(now[0], pairs.hist, p, settings.dt, settings.gear)
        tally_losses(loop.tally, lost_n, lost_t, 1.0 / settings.energy)
    return APART


@kernel
def wall_contacts(pairs, walls, g, interaction, law, settings, control, tally):
    """Forces between grains and walls; the walls' reactions and work are booked in two-limb sums."""
    loop = WallLoop(pairs, walls, g, interaction, law, settings, control, tally)
    rows, ptr, col, touch = pairs.row, pairs.ptr, pairs.col, pairs.touch
    handed_on, filled = hands_on(interaction), np.uintp(0)
    for r in range(rows.shape[0]):
        i, leaving = rows[r], False
        for leg in range(2 if handed_on else 1):
            if leg == 1 and leaving:
                hand_on(ptr[r], ptr[r + 1], i, pairs, walls, g, interaction, settings)
            for p in range(ptr[r], ptr[r + 1]):
                outcome = APART
                if not handed_on or (touch[p] == LIVING) == (leg == 0):
                    outcome = _contact(filled, p, i, col[p], leg == 0, loop)
                leaving |= outcome == LEAVES
                filled += np.uintp(outcome == TOUCHES)
                if filled == BATCH:
                    _evaluate(BATCH, loop)
                    filled = np.uintp(0)
    if filled > 0:
        _evaluate(np.int64(filled), loop)
    for k in range(walls.kind.shape[0]):
        if walls.there[k] == APPEARING:
            walls.there[k] = THERE
