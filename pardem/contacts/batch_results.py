"""What becomes of the forces in the columns of a batch: they are added to the bodies, histories are stored, and energies accounted for."""

from __future__ import annotations

import numpy as np

from ..compiled.fixedpoint import COLUMNS
from ..compiled.jit import inlined
from ..laws.energy_ledger import energy_lost, tangential_energy
from ..laws.history import MEMORY, NORMAL, SPRING, TWIST
from ..laws.resistance.resistance_model import resists
from ..state.arrays import CONTACTS, ERROR_OVERLAP, ERROR_RANGE, OBSERVE, WALL_CONTACTS
from .accumulate import fault, tally_losses
from .batch import BATCH, FAULTY, KT, NORMALS, PAST, QF, QI, QJ, STORED, UPPER, WORK, response, vector
from .observing import observe


@inlined
def _add_to_both(k, i, j, column, limb, q, ft):
    for c in range(3):
        force = q[limb + QF + np.uintp(c * BATCH) + k]
        ft[i, column + c] += force
        ft[j, column + c] -= force
        ft[i, column + 4 + c] += q[limb + QI + np.uintp(c * BATCH) + k]
        ft[j, column + 4 + c] += q[limb + QJ + np.uintp(c * BATCH) + k]


@inlined
def remember(k, p, row, with_couples, pairs):
    """Store the history of a contact.

    Args:
        k: the column of the contact.
        p: the candidate.
        row: row of its history.
        with_couples: whether contacts have couples.
        pairs: `Contacts`.

    Returns:
        whether the contact was alive in the step before.
    """
    s, hist = pairs.scratch, pairs.hist
    alive = pairs.touch[p] != 0
    pairs.touch[p] = 1
    for c in range(SPRING, MEMORY + 1):
        hist[row, c] = s[np.uintp(PAST + c * BATCH) + k]
    for c in range(3):
        hist[row, NORMAL + c] = s[np.uintp(NORMALS + c * BATCH) + k]
    if with_couples:
        hist[row, TWIST] = s[PAST + TWIST * BATCH + k]
    return alive


@inlined
def record_energy(k, p, row, alive, with_couples, counts_here, kind, loop):
    """Account for the energy of a contact: what it turned into heat along its normal, by friction and by couples, and what it holds.

    Args:
        k: the column.
        p: the candidate.
        row: row of its history.
        alive: whether the contact was alive in the step before.
        with_couples: whether contacts have couples.
        counts_here: whether this rank counts the contact in its sums.
        kind: CONTACTS or WALL_CONTACTS.
        loop: ``pair_loop.PairLoop``, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    pairs, settings, control, tally = loop.pairs, loop.settings, loop.control, loop.tally
    s, stored, inv_energy = pairs.scratch, pairs.scratch[STORED + k], 1.0 / settings.energy
    observed = control[OBSERVE] != 0
    if settings.budget:
        lost_n, lost_t, stored_t = energy_lost(pairs.hist, row, alive, response(s, k), settings.dt, not settings.midstep)
        stored += stored_t
        if with_couples:
            lost_t += s[WORK + k]
        if counts_here:
            tally_losses(tally, lost_n, lost_t, inv_energy)
    elif observed:
        stored += tangential_energy(vector(s, PAST, k), s[KT + k])
    if observed and counts_here:
        observe(k, p, stored, kind, with_couples or resists(settings.resistance), (s, pairs.record, control, tally), inv_energy)


@inlined
def is_faulty(k, q, control, first, second):
    """Whether the force of a column is out of range or the bodies overlap too much; if so, that is noted as a fault.

    Args:
        k: the column.
        q: (COUNTS,) int64.
        control: (CONTROL,) int64.
        first: global id of the first body.
        second: global id of the second body, or -1 less the number of the wall.
    """
    if q[FAULTY + k] == 0:
        return False
    if q[FAULTY + k] >= 256:
        fault(control, ERROR_OVERLAP, first, second)
    fault(control, ERROR_RANGE, first, second)
    return True


@inlined
def apply_to_pair(k, i, j, p, row, with_couples, loop):
    """Add the force and the torques of a contact to both bodies, store its history and account for its energy.

    Args:
        k: the column.
        i: row of the first body.
        j: row of the second body.
        p: the candidate.
        row: row of its history.
        with_couples: whether contacts have couples.
        loop: ``pair_loop.PairLoop``.
    """
    g, settings, q, ft = loop.g, loop.settings, loop.pairs.counts, loop.g.ft
    alive = remember(k, p, row, with_couples, loop.pairs)
    if is_faulty(k, q, loop.control, g.gid[i], g.gid[j]):
        return
    _add_to_both(k, i, j, 0, 0, q, ft)
    if settings.wide:
        _add_to_both(k, i, j, COLUMNS, UPPER, q, ft)
    ft[i, 3] += 1
    ft[j, 3] += 1
    record_energy(k, p, row, alive, with_couples, i < loop.owned, CONTACTS, loop)


@inlined
def _add_to_first(k, i, column, limb, q, ft):
    for c in range(3):
        ft[i, column + c] += q[limb + QF + np.uintp(c * BATCH) + k]
        ft[i, column + 4 + c] += q[limb + QI + np.uintp(c * BATCH) + k]


@inlined
def apply_to_grain(k, i, wall, p, with_couples, loop):
    """Add the force and the torque of a contact with a wall to the grain, store its history and account for its energy.

    Args:
        k: the column.
        i: row of the grain.
        wall: number of the wall.
        p: the contact's row.
        with_couples: whether contacts have couples.
        loop: the ``WallLoop`` of ``walls.surfaces.place``.

    Returns:
        whether the force is in range.
    """
    g, settings, q, ft = loop.g, loop.settings, loop.pairs.counts, loop.g.ft
    alive = remember(k, p, p, with_couples, loop.pairs)
    if is_faulty(k, q, loop.control, g.gid[i], -1 - wall):
        return False
    _add_to_first(k, i, 0, 0, q, ft)
    if settings.wide:
        _add_to_first(k, i, COLUMNS, UPPER, q, ft)
    ft[i, 3] += 1
    record_energy(k, p, p, alive, with_couples, True, WALL_CONTACTS, loop)
    return True
