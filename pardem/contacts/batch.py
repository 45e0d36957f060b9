"""Contacts in batches: one column a contact, so that the law is evaluated for many contacts at once with vector instructions.

A narrow phase fills the columns of a batch (geometry, velocities, history, the pair's numbers); ``evaluate`` computes the forces of all columns and
``book`` adds those of one column to the bodies and keeps its history. Every contact sees the same operations in the same order as one computed alone,
so batches cannot show in the result.
"""

from __future__ import annotations

import numpy as np

from ..compiled.choices import select
from ..compiled.fixedpoint import COLUMNS, LIMIT, WIDE_LIMIT, split
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.conversions import whole
from ..compiled.vectors import ZERO, add, behind, columns, cross, negative, put_columns, scale, subtract
from ..laws.couples import couple
from ..laws.energy_ledger import energy_lost, tangential_energy
from ..laws.history import HISTORY, HISTORY_BUDGET, MEMORY, NORMAL, SPRING, TWIST
from ..laws.law import carries, coefficients, lent
from ..laws.quantities import Geometry, Motion, NormalForce, PairFriction, PairMaterial, Past, Response, Zone
from ..laws.resistance.memory import resistance_width
from ..laws.resistance.model import resists
from ..laws.slider import spring_and_slider
from ..state.arrays import CONTACTS, ERROR_OVERLAP, ERROR_RANGE, OBSERVE, RECORDED, WALL_CONTACTS
from .accumulate import fault, faults, tally_contact, tally_losses
from .record import record_contact

BATCH = 32
BLOCK = 512  # candidates that are looked at before their contacts are computed
# Columns that a narrow phase fills; a vector takes three.
# From the first body's centre to the second's, to the contact point; the normal, at the end and in the middle of the step
BRANCH, ARM, NORMALS, MIDDLES = 0 * BATCH, 3 * BATCH, 6 * BATCH, 9 * BATCH
# Overlap; smallest radius less overlap (negative: too deep); d(overlap)/dt over -n . v
OVERLAP, DEPTH_LEFT, SLOPE = 12 * BATCH, 13 * BATCH, 14 * BATCH
# Relative velocity in the middle of the step, relative spin, turn about the normal; effective mass and radius
VELOCITY, SPIN, TURN, MASS, RADIUS = 15 * BATCH, 18 * BATCH, 21 * BATCH, 22 * BATCH, 23 * BATCH
# Contact zone: half-length, the same in the middle of the step, rocking axis
LEVER, LEVER_MIDDLE, AXIS = 24 * BATCH, 25 * BATCH, 26 * BATCH
# Whether the history is alive, and its first eight numbers; the numbers of the pair of materials
ALIVE, PAST, NUMBERS = 29 * BATCH, 30 * BATCH, 38 * BATCH
FRICTION, TORSION, ROCKING = 44 * BATCH, 45 * BATCH, 46 * BATCH
# What comes out: force and couple on the first body, response of law and slider, work of the couple
FORCE, MOMENT, PUSH, DRAG, SLIP = 47 * BATCH, 50 * BATCH, 53 * BATCH, 54 * BATCH, 57 * BATCH
RATE, GROW, KT, CT, CN, DAMPING, PLASTIC, STORED, WORK = (k * BATCH for k in range(60, 69))
SHIFT = 69 * BATCH  # filled for contacts with walls: mean displacement of the wall's point
OWN = 72 * BATCH  # tangential vector that the law carries, before and after
RESISTANCE = 75 * BATCH  # filled where contacts resist rolling and twisting (``resistance``)
SCRATCH = 92 * BATCH
# Columns of the integer scratch array: force, torque on the first and second body (quanta), fault, which pair's numbers a column holds; then the
# upper limbs of the first nine, where sums are wide
QF, QI, QJ, FAULTY, PAIR, UPPER = 0, 3 * BATCH, 6 * BATCH, 9 * BATCH, 10 * BATCH, 11 * BATCH
COUNTS = 20 * BATCH


@inlined
def vector(s, column, k):
    """The vector in column ``k`` of the three that begin at ``column``."""
    c = np.uintp(column) + k
    return s[c], s[c + np.uintp(BATCH)], s[c + np.uintp(2 * BATCH)]


@inlined
def put_vector(s, column, k, a):
    """Write a vector to the three columns that begin at ``column``."""
    c = np.uintp(column) + k
    s[c], s[c + np.uintp(BATCH)], s[c + np.uintp(2 * BATCH)] = a[0], a[1], a[2]


@inlined
def fill_pair(k, a, b, law, s, q):
    """Put the law's numbers of a pair of materials into column ``k``, unless it holds them already."""
    code = np.int64(a) * 65536 + np.int64(b)
    if q[PAIR + k] == code:
        return
    q[PAIR + k] = code
    numbers = coefficients(law, a, b)
    put_vector(s, NUMBERS, k, numbers[:3])
    put_vector(s, NUMBERS + 3 * BATCH, k, numbers[3:])
    s[FRICTION + k], s[TORSION + k], s[ROCKING + k] = law.friction[a, b], law.torsion[a, b], law.rocking[a, b]


@inlined
def _own_column(settings):
    """First column of a history that holds the law's own vector."""
    return (HISTORY_BUDGET if settings.budget else HISTORY) + resistance_width(settings.resistance, settings.budget)


@inlined
def fill_past(k, p, law, pairs, settings):
    """Put the history of contact ``p`` into column ``k``."""
    s, hist = pairs.scratch, pairs.hist
    s[ALIVE + k] = pairs.touch[p]
    for c in range(HISTORY):
        s[np.uintp(PAST + c * BATCH) + k] = hist[p, c]
    if carries(law):
        put_vector(s, OWN, k, columns(hist, p, _own_column(settings)))


@inlined
def keep_own(k, p, law, pairs, settings):
    """Keep the vector that the law carries for contact ``p``, which is in column ``k``."""
    if carries(law):
        put_columns(pairs.hist, p, _own_column(settings), vector(pairs.scratch, OWN, k))


@inlined
def numbers_of(s, k):
    """The six numbers of the normal law in column ``k``."""
    c = np.uintp(NUMBERS) + k
    one, two = np.uintp(BATCH), np.uintp(2 * BATCH)
    d = c + np.uintp(3 * BATCH)
    return s[c], s[c + one], s[c + two], s[d], s[d + one], s[d + two]


@inlined
def _geometry(s, k):
    return Geometry(s[OVERLAP + k], vector(s, NORMALS, k), vector(s, MIDDLES, k), s[SLOPE + k])


@inlined
def _response(s, k):
    """What ``forces`` left in column ``k``."""
    law = NormalForce(s[PUSH + k], s[KT + k], s[CT + k], s[CN + k], s[DAMPING + k], s[PLASTIC + k], s[STORED + k], s[PAST + MEMORY * BATCH + k])
    return Response(s[PUSH + k], vector(s, DRAG, k), vector(s, PAST, k), vector(s, SLIP, k), s[RATE + k], s[GROW + k], law, ZERO)


@kernel
def forces(law, dt, lag, s):
    """Force on the first body of each contact; ``lag`` (s): by how much velocities lie before the end of the step."""
    for n in range(BATCH):
        k = np.uintp(n)
        numbers, geometry = numbers_of(s, k), _geometry(s, k)
        own = vector(s, OWN, k) if carries(law) else ZERO
        past = Past(s[ALIVE + k] != 0.0, vector(s, PAST, k), s[PAST + MEMORY * BATCH + k], vector(s, PAST + NORMAL * BATCH, k), own)
        material = PairMaterial(numbers, s[FRICTION + k], s[MASS + k], s[RADIUS + k])
        r = spring_and_slider(law, material, geometry, Motion(vector(s, VELOCITY, k), s[TURN + k], dt, lag), past)
        s[DEPTH_LEFT + k] += 0.5 * lent(law, numbers)
        put_vector(s, FORCE, k, behind(r.drag, r.push * geometry.slope, geometry.normal))
        put_vector(s, DRAG, k, r.drag)
        put_vector(s, SLIP, k, r.slip)
        put_vector(s, PAST, k, r.spring)
        if carries(law):
            put_vector(s, OWN, k, r.own)
        s[PUSH + k], s[RATE + k], s[GROW + k], s[PAST + MEMORY * BATCH + k] = r.push, r.rate, r.grow, r.law.memory
        s[KT + k], s[CT + k], s[CN + k], s[DAMPING + k], s[PLASTIC + k], s[STORED + k] = (
            r.law.kt, r.law.ct, r.law.cn, r.law.damping, r.law.plastic, r.law.stored
        )  # fmt: skip


@kernel
def couples(dt, s):
    """Couple on the first body of each contact: torsional friction and the rocking damper."""
    for n in range(BATCH):
        k = np.uintp(n)
        zone = Zone(s[LEVER + k], s[LEVER_MIDDLE + k], vector(s, AXIS, k))
        twist = select(s[ALIVE + k] != 0.0, s[PAST + TWIST * BATCH + k], 0.0)
        friction = PairFriction(s[FRICTION + k], s[TORSION + k], s[ROCKING + k])
        c = couple(_response(s, k), _geometry(s, k), zone, vector(s, SPIN, k), friction, twist, dt)
        put_vector(s, MOMENT, k, c.moment)
        s[PAST + TWIST * BATCH + k], s[WORK + k] = c.twist, c.work


@inlined
def _in_counts(k, with_couples, limit, inv_force, inv_torque, s):
    """What is out of range in column ``k``; force and torques on both bodies in quanta, not yet whole."""
    force, arm = vector(s, FORCE, k), vector(s, ARM, k)
    moment = vector(s, MOMENT, k) if with_couples else ZERO
    other = subtract(arm, vector(s, BRANCH, k))
    faulty = faults(abs(s[PUSH + k]) * (1.0 + s[FRICTION + k]), arm, other, s[DEPTH_LEFT + k], limit, inv_force, inv_torque)
    on_first = scale(inv_torque, add(cross(arm, force), moment))
    on_second = scale(inv_torque, negative(add(cross(other, force), moment)))
    return faulty, scale(inv_force, force), on_first, on_second


@inlined
def _put_whole(q, column, k, a):
    """Write a vector of counts, the nearest whole ones, to three columns."""
    c = np.uintp(column) + k
    q[c], q[c + np.uintp(BATCH)], q[c + np.uintp(2 * BATCH)] = whole(a[0]), whole(a[1]), whole(a[2])


@inlined
def _put_limbs(q, column, k, a):
    """Write a vector of counts, in two limbs, to three columns and their upper limbs."""
    c, up, one, two = np.uintp(column) + k, np.uintp(UPPER), np.uintp(BATCH), np.uintp(2 * BATCH)
    q[c + up], q[c] = split(a[0])
    q[c + one + up], q[c + one] = split(a[1])
    q[c + two + up], q[c + two] = split(a[2])


@kernel
def _quantise_narrow(with_couples, inv_force, inv_torque, s, q):
    for n in range(BATCH):
        k = np.uintp(n)
        q[FAULTY + k], force, on_first, on_second = _in_counts(k, with_couples, LIMIT, inv_force, inv_torque, s)
        _put_whole(q, QF, k, force)
        _put_whole(q, QI, k, on_first)
        _put_whole(q, QJ, k, on_second)


@kernel
def _quantise_wide(with_couples, inv_force, inv_torque, s, q):
    for n in range(BATCH):
        k = np.uintp(n)
        q[FAULTY + k], force, on_first, on_second = _in_counts(k, with_couples, WIDE_LIMIT, inv_force, inv_torque, s)
        _put_limbs(q, QF, k, force)
        _put_limbs(q, QI, k, on_first)
        _put_limbs(q, QJ, k, on_second)


@inlined
def quantise(with_couples, settings, s, q):
    """Forces and torques in whole quanta, the nearest ones, and what is out of range."""
    if settings.wide:
        _quantise_wide(with_couples, 1.0 / settings.force, 1.0 / settings.torque, s, q)
    else:
        _quantise_narrow(with_couples, 1.0 / settings.force, 1.0 / settings.torque, s, q)


@inlined
def _add_to_both(k, i, j, column, limb, q, ft):
    for c in range(3):
        force = q[limb + QF + np.uintp(c * BATCH) + k]
        ft[i, column + c] += force
        ft[j, column + c] -= force
        ft[i, column + 4 + c] += q[limb + QI + np.uintp(c * BATCH) + k]
        ft[j, column + 4 + c] += q[limb + QJ + np.uintp(c * BATCH) + k]


@inlined
def remember(k, p, with_couples, pairs):
    """Keep the history of contact ``p``, which is in column ``k``; whether it was alive comes back."""
    s, hist = pairs.scratch, pairs.hist
    alive = pairs.touch[p] != 0
    pairs.touch[p] = 1
    for c in range(SPRING, MEMORY + 1):
        hist[p, c] = s[np.uintp(PAST + c * BATCH) + k]
    for c in range(3):
        hist[p, NORMAL + c] = s[np.uintp(NORMALS + c * BATCH) + k]
    if with_couples:
        hist[p, TWIST] = s[PAST + TWIST * BATCH + k]
    return alive


@inlined
def record_energy(k, p, alive, with_couples, counts_here, kind, loop):
    """Book what contact ``p`` in column ``k`` turned into heat along its normal and by friction and couples, and what it holds.

    Args:
        k: the column.
        p: the contact's row.
        alive: whether its history was.
        with_couples: whether contacts have couples.
        counts_here: whether this rank books it.
        kind: CONTACTS or WALL_CONTACTS.
        loop: ``pair_loop.PairLoop``, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    pairs, settings, control, tally = loop.pairs, loop.settings, loop.control, loop.tally
    s, stored, inv_energy = pairs.scratch, pairs.scratch[STORED + k], 1.0 / settings.energy
    observe = control[OBSERVE] != 0
    if settings.budget:
        lost_n, lost_t, stored_t = energy_lost(pairs.hist, p, alive, _response(s, k), settings.dt, not settings.midstep)
        stored += stored_t
        if with_couples:
            lost_t += s[WORK + k]
        if counts_here:
            tally_losses(tally, lost_n, lost_t, inv_energy)
    elif observe:
        stored += tangential_energy(vector(s, PAST, k), s[KT + k])
    if observe and counts_here:
        tally_contact(tally, kind, stored, vector(s, BRANCH, k), vector(s, FORCE, k), inv_energy)
        if control[OBSERVE] == RECORDED:
            moment = vector(s, MOMENT, k) if with_couples or resists(settings.resistance) else ZERO
            record_contact(pairs.record, p, vector(s, ARM, k), vector(s, NORMALS, k), s[OVERLAP + k], vector(s, FORCE, k), moment)


@inlined
def is_faulty(k, q, control, first, second):
    """Note what is out of range or overlaps too much in column ``k``; ``first``, ``second``: the bodies' ids, or -1 less the wall."""
    if q[FAULTY + k] == 0:
        return False
    if q[FAULTY + k] >= 256:
        fault(control, ERROR_OVERLAP, first, second)
    fault(control, ERROR_RANGE, first, second)
    return True


@inlined
def apply_to_pair(k, i, j, p, with_couples, loop):
    """Add the force of column ``k``, contact ``p`` of bodies ``i`` and ``j``, and keep its history.

    Args:
        k: the column.
        i: row of the first body.
        j: row of the second body.
        p: the contact's row.
        with_couples: whether contacts have couples.
        loop: ``pair_loop.PairLoop``.
    """
    g, settings, q, ft = loop.g, loop.settings, loop.pairs.counts, loop.g.ft
    alive = remember(k, p, with_couples, loop.pairs)
    if is_faulty(k, q, loop.control, g.gid[i], g.gid[j]):
        return
    _add_to_both(k, i, j, 0, 0, q, ft)
    if settings.wide:
        _add_to_both(k, i, j, COLUMNS, UPPER, q, ft)
    ft[i, 3] += 1
    ft[j, 3] += 1
    record_energy(k, p, alive, with_couples, i < loop.owned, CONTACTS, loop)


@inlined
def _add_to_first(k, i, column, limb, q, ft):
    for c in range(3):
        ft[i, column + c] += q[limb + QF + np.uintp(c * BATCH) + k]
        ft[i, column + 4 + c] += q[limb + QI + np.uintp(c * BATCH) + k]


@inlined
def apply_to_grain(k, i, wall, p, with_couples, loop):
    """Add the force of column ``k``, contact ``p`` of grain ``i`` with a wall, to the grain, and keep its history; whether it is in range comes back.

    Args:
        k: the column.
        i: row of the grain.
        wall: number of the wall.
        p: the contact's row.
        with_couples: whether contacts have couples.
        loop: the ``WallLoop`` of ``walls.surfaces.place``.
    """
    g, settings, q, ft = loop.g, loop.settings, loop.pairs.counts, loop.g.ft
    alive = remember(k, p, with_couples, loop.pairs)
    if is_faulty(k, q, loop.control, g.gid[i], -1 - wall):
        return False
    _add_to_first(k, i, 0, 0, q, ft)
    if settings.wide:
        _add_to_first(k, i, COLUMNS, UPPER, q, ft)
    ft[i, 3] += 1
    record_energy(k, p, alive, with_couples, True, WALL_CONTACTS, loop)
    return True
