"""What an observed step adds up and notes of a contact, whose force is in a column of the batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import inlined
from ..compiled.lanes.memory import store
from ..compiled.lanes.types import WIDTH, lane
from ..compiled.vectors import ZERO
from ..laws.energy_ledger import tangential_energy
from ..state.arrays import OBSERVE, RECORDED
from .accumulate import tally_contact
from .batch import ARM, BATCH, BRANCH, FORCE, MOMENT, NORMALS, OVERLAP, STORED, vector
from .record import record_contact
from .resistance import tally_held
from .resistance_lanes import put_held


class Seen(NamedTuple):
    """What is observed of WIDTH contacts.

    Attributes:
        branch: vector from the first body's centre to the second's, or to the wall (m).
        arm: vector from the first body's centre to the contact point (m).
        force: force on the first body (N).
        moment: couple on the first body (N m).
        resistance: ``resistance_lanes.Resistance``.
    """

    branch: Any
    arm: Any
    force: Any
    moment: Any
    resistance: Any


@inlined
def observe(k, p, stored, kind, with_moment, parts, inv_energy):
    """Add a contact to the sums of the observables, and note it where contacts are recorded.

    Args:
        k: the column of the contact.
        p: the contact's row.
        stored: energy that it holds (J).
        kind: CONTACTS or WALL_CONTACTS.
        with_moment: whether the contact has a couple.
        parts: (SCRATCH,) float64 columns of the batch, `Record`, (CONTROL,) int64, (TALLY, 2) int64.
        inv_energy: one over the energy quantum (1/J).
    """
    s, record, control, tally = parts
    branch, force = vector(s, BRANCH, k), vector(s, FORCE, k)
    tally_contact(tally, kind, stored, branch, force, inv_energy)
    if control[OBSERVE] == RECORDED:
        place = branch, vector(s, ARM, k), vector(s, NORMALS, k)
        record_contact(record, p, place, s[OVERLAP + k], force, vector(s, MOMENT, k) if with_moment else ZERO)


@inlined
def _observe_columns(mask, begin, kind, near, resistance, parts, inv_energy):
    """Observe those of the first WIDTH columns where a condition holds; see `observe_where`."""
    s, _, _, tally = parts
    for k in range(WIDTH):
        if lane(mask, k):
            observe(np.uintp(k), np.uintp(near[begin + k]), s[STORED + k], kind, True, parts, inv_energy)
            tally_held(resistance, np.uintp(k), s, tally, inv_energy)


@inlined
def _put(s, column, a):
    """Write a vector of WIDTH contacts to the first columns of the batch."""
    store(s, column, a[0])
    store(s, column + BATCH, a[1])
    store(s, column + 2 * BATCH, a[2])


@inlined
def observe_where(mask, begin, kind, geometry, response, seen, loop):
    """Do the same for those of WIDTH contacts where a condition holds, through the first columns of the batch.

    Args:
        mask: the condition.
        begin: place of the first contact in ``pairs.near``.
        kind: CONTACTS or WALL_CONTACTS.
        geometry: ``quantities.Geometry``.
        response: ``quantities.Response``.
        seen: `Seen`.
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    s = loop.pairs.scratch
    _put(s, BRANCH, seen.branch)
    _put(s, ARM, seen.arm)
    _put(s, NORMALS, geometry.normal)
    _put(s, FORCE, seen.force)
    _put(s, MOMENT, seen.moment)
    store(s, OVERLAP, geometry.overlap)
    store(s, STORED, response.law.stored + tangential_energy(response.spring, response.law.kt))
    resistance, parts = loop.settings.resistance, (s, loop.pairs.record, loop.control, loop.tally)
    put_held(resistance, seen.resistance, s)
    _observe_columns(mask, begin, kind, loop.pairs.near, resistance, parts, 1.0 / loop.settings.energy)
