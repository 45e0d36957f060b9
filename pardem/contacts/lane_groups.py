"""What groups of WIDTH contacts in registers share, whatever the shapes (``compiled.lanes``): materials, energies, sums of the bodies.

Groups are of laws that serve several contacts at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled.choices import hardly_ever, larger, select
from ..compiled.fixedpoint import COLUMNS, LIMB, WIDE_COLUMNS, split
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import any_of
from ..compiled.lanes.conversions import truncated, whole
from ..compiled.lanes.memory import load, load_row, store
from ..compiled.lanes.rows import add_rows, gather, put_column, scatter, scatter_add, subtract_rows, sum_of_rows, transpose
from ..compiled.lanes.types import ROW, WIDTH, rows_of, spread
from ..compiled.static import static
from ..compiled.vectors import ZERO, choose, negative
from ..laws.energy_ledger import LastStep
from ..laws.history import LAST_DAMPING, LAST_FORCE, LAST_STORED
from ..laws.law import carries
from ..laws.registry import KINDS
from ..state.arrays import IN_COLUMNS, LOST_NORMAL, LOST_TANGENTIAL
from . import batch
from .batch import BATCH, fill_pair, own_column
from .resistance import fill_resisting

assert (LAST_STORED, LAST_DAMPING) == (LAST_FORCE + ROW - 1, LAST_FORCE + ROW)  # two rows of a history, which overlap
LIMBS = 2
SMALL = 2.0**38  # counts that the lower limb of a sum over the contacts of a step takes as they are
assert LOST_TANGENTIAL == LOST_NORMAL + 1  # both are added in one row
_ONE_BY_ONE = {kind.table for kind in KINDS.values() if kind.one_by_one}


@inlined
def _of_two_grains(p, loop):
    """Rows of the materials of two grains."""
    return loop.g.material[loop.pairs.first[p]], loop.g.material[loop.pairs.col[p]]


@inlined
def _filled(near, begin, count):
    """Fill a group of fewer than WIDTH contacts up with its last one."""
    for n in range(count, WIDTH):
        near[begin + n] = near[begin + count - 1]


def groups_where_lanes_serve(
    group: Callable[..., Any], one_by_one: Callable[..., Any], materials: Callable[..., Any] = _of_two_grains, *, some: bool = False
) -> Any:
    """Make the loop over groups of WIDTH contacts, which does nothing where the law does not serve several contacts at once.

    Args:
        group: compiled, ``group(begin, count, loop)``: forces of the WIDTH contacts from place ``begin`` on, whose materials are in the first WIDTH
            columns of the batch; returns whether that could be done, and has done nothing otherwise.
        one_by_one: compiled, ``one_by_one(begin, end, loop)``: the same for a group that could not be done.
        materials: compiled, ``materials(p, loop)``: rows of the materials of both bodies of a contact.
        some: whether a group knows to leave out all but the first ``count`` of its contacts, which the last of these fills up.

    Returns:
        A compiled function of the tables of the law, of the place of the first contact in ``pairs.near``, of the number of contacts, and of a
        `PairLoop` or ``WallLoop``. It evaluates as many whole groups as there are, or all contacts if ``some``; it returns how many it has done.
    """

    @inlined
    def groups(law, start, found, loop):
        """Evaluate all groups."""
        done = found if some else found - found % WIDTH
        for begin in range(start, start + done, WIDTH):
            count = min(WIDTH, start + done - begin) if some else WIDTH
            if some:
                _filled(loop.pairs.near, begin, count)
            if begin == start or loop.pairs.alike[0] == 0:
                for n in range(WIDTH):
                    a, b = materials(np.uintp(loop.pairs.near[begin + n]), loop)
                    fill_pair(np.uintp(n), a, b, loop.law, loop.pairs.scratch, loop.pairs.counts)
                    fill_resisting(loop.settings.resistance, np.uintp(n), a, b, loop.pairs.scratch)
            if not group(begin, count, loop):
                one_by_one(begin, begin + count, loop)
        return done

    @inlined
    def none(law, start, found, loop):
        """Leave all contacts to be done one by one."""
        return 0

    @static(lambda law: none if law in _ONE_BY_ONE else groups)
    def chosen(law, start, found, loop):
        """By the type of the law."""

    return chosen


@inlined
def asks_for_lanes(loop):
    """Whether a step asks for nothing that lanes do not do: the energies that contacts lose by the velocities of the step itself.

    Args:
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    settings = loop.settings
    return loop.control[IN_COLUMNS] == 0 and not (settings.budget and not settings.midstep)


@inlined
def vectors_at(array, rows):
    """The first three numbers, and the fourth, in WIDTH rows of an array with ROW columns.

    Args:
        array: (n, ROW) float64.
        rows: a tuple of words.
    """
    a, b, c, d = transpose(gather(array, rows, ROW, 0))
    return (a, b, c), d


@inlined
def materials_in(s):
    """The numbers of the normal law and the friction in the first WIDTH columns of a batch.

    Args:
        s: (SCRATCH,) float64.
    """
    numbers = (
        load(s, batch.NUMBERS), load(s, batch.NUMBERS + BATCH), load(s, batch.NUMBERS + 2 * BATCH),
        load(s, batch.NUMBERS + 3 * BATCH), load(s, batch.NUMBERS + 4 * BATCH), load(s, batch.NUMBERS + 5 * BATCH),
    )  # fmt: skip
    return numbers, load(s, batch.FRICTION)


@inlined
def limbs_of(value):
    """Lower and upper limb of WIDTH numbers of counts below 2^83, as ``fixedpoint.deposit_nearest`` adds them to a two-limb sum.

    Args:
        value: the numbers.
    """
    high = truncated(value * 2.0**-LIMB)
    return whole(value - high * 2.0**LIMB), whole(high)


@inlined
def add_losses_where(mask, lost_n, lost_t, loop):
    """Add what those of WIDTH contacts have lost where a condition holds to the sums of the energy budget; see ``fixedpoint.deposit_nearest``.

    Args:
        mask: the condition.
        lost_n: energy lost by motion along their normals (J).
        lost_t: energy lost by friction and couples (J).
        loop: `PairLoop`, or the ``WallLoop`` of ``walls.surfaces.place``.
    """
    inv_energy, tally, nothing = 1.0 / loop.settings.energy, loop.tally, spread(0)
    along, across = select(mask, lost_n * inv_energy, 0.0), select(mask, lost_t * inv_energy, 0.0)
    n, n_up, t, t_up = whole(along), nothing, whole(across), nothing
    if hardly_ever(any_of(larger(abs(along), abs(across)) > SMALL)):
        (n, n_up), (t, t_up) = limbs_of(along), limbs_of(across)
    store(tally, LIMBS * LOST_NORMAL, load_row(tally, LIMBS * LOST_NORMAL) + sum_of_rows(transpose((n, n_up, t, t_up))))


@inlined
def moved(near, begin, count, to):
    """Move places of candidates in ``pairs.near``.

    Args:
        near: ``pairs.near``.
        begin: where the first of them is.
        count: their number.
        to: where it is to be, before ``begin`` or out of reach of the last.

    Returns:
        where the place after the last is then.
    """
    for n in range(count):
        near[to + n] = near[begin + n]
    return to + count


@inlined
def last_step(places, pairs):
    """The ``energy_ledger.LastStep`` of WIDTH contacts.

    Args:
        places: places of the contacts (a tuple of words).
        pairs: `Contacts`.
    """
    hist, width = pairs.hist, pairs.hist.shape[1]
    x, y, z, stored = transpose(gather(hist, places, width, LAST_FORCE))
    _, _, _, damping = transpose(gather(hist, places, width, LAST_DAMPING - ROW + 1))  # a row that ends with it
    return LastStep((x, y, z), stored, damping)


@inlined
def keep_last_step_where(mask, places, now, before, pairs):
    """Store the ledger of those of WIDTH contacts where a condition holds.

    Args:
        mask: the condition.
        places: places of the contacts (a tuple of words).
        now: ``energy_ledger.LastStep`` of this step.
        before: ``energy_ledger.LastStep`` of the step before.
        pairs: `Contacts`.
    """
    hist, width = pairs.hist, pairs.hist.shape[1]
    force, stored = choose(mask, now.force, before.force), select(mask, now.stored, before.stored)
    scatter(hist, places, width, LAST_FORCE, transpose((force[0], force[1], force[2], stored)))
    put_column(hist, places, width, LAST_DAMPING, select(mask, now.damping, before.damping))


@inlined
def own_vectors(places, law, pairs, settings):
    """The tangential vectors that the law carries for WIDTH contacts (N); zero where it carries none.

    Args:
        places: places of the contacts (a tuple of words).
        law: tables of the law.
        pairs: `Contacts`.
        settings: `Settings`.
    """
    x = y = z = spread(0.0)
    if carries(law):
        _, x, y, z = transpose(gather(pairs.hist, places, pairs.hist.shape[1], own_column(settings) - 1))
    return x, y, z


@inlined
def keep_own_vectors(places, own, law, pairs, settings):
    """Store the vectors that ``own_vectors`` reads, where the law carries one.

    Args:
        places: places of the contacts (a tuple of words).
        own: the vectors (N).
        law: tables of the law.
        pairs: `Contacts`.
        settings: `Settings`.
    """
    hist, width, c = pairs.hist, pairs.hist.shape[1], own_column(settings)
    if carries(law):
        put_column(hist, places, width, c, own[0])
        put_column(hist, places, width, c + 1, own[1])
        put_column(hist, places, width, c + 2, own[2])


@inlined
def whole_rows(a, fourth):
    """Round a vector of counts to the nearest whole ones.

    Args:
        a: the vector of WIDTH contacts, in counts.
        fourth: a fourth whole number of each.

    Returns:
        The four numbers of the contacts as rows.
    """
    return transpose((whole(a[0]), whole(a[1]), whole(a[2]), fourth))


@inlined
def _add_to(ft, rows, column, a, fourth, wide):
    """Add vectors of counts, rounded to the nearest whole ones, and a fourth whole number of each to four columns of WIDTH bodies."""
    if wide:
        (x_up, x), (y_up, y), (z_up, z) = split(a[0]), split(a[1]), split(a[2])
        scatter_add(ft, rows, WIDE_COLUMNS, column, transpose((x, y, z, fourth)))
        scatter_add(ft, rows, WIDE_COLUMNS, COLUMNS + column, transpose((x_up, y_up, z_up, fourth - fourth)))
    else:
        scatter_add(ft, rows, COLUMNS, column, whole_rows(a, fourth))


@inlined
def add_to_where(mask, rows, force, torque, ft, wide):
    """Add forces on those of WIDTH bodies where a condition holds, and count them.

    Args:
        mask: the condition.
        rows: rows of the bodies (a tuple of words).
        force: in counts.
        torque: in counts.
        ft: (N, COLUMNS or WIDE_COLUMNS) int64 sums of the bodies.
        wide: whether sums have two limbs.
    """
    nothing, one = (0.0, 0.0, 0.0), select(mask, 1, 0)
    _add_to(ft, rows, 0, choose(mask, force, nothing), one, wide)
    _add_to(ft, rows, ROW, choose(mask, torque, nothing), one - one, wide)


@inlined
def add_to_both(i, j, counts, ft):
    """Add the forces of WIDTH contacts, which one limb holds, to the bodies, and count them; one transposition serves both forces.

    Args:
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies (a tuple of words).
        counts: force, torque on the first and against that on the second body, in counts.
        ft: (N, COLUMNS or WIDE_COLUMNS) int64 sums of the bodies.
    """
    force, on_first, against_second = counts
    f, nothing, two = whole_rows(force, spread(1)), spread(0), rows_of(0, 0, 0, 2)
    add_rows(ft, i, ft.shape[1], f, whole_rows(on_first, nothing))
    subtract_rows(ft, j, ft.shape[1], (f[0] - two, f[1] - two, f[2] - two, f[3] - two), whole_rows(against_second, nothing))


@inlined
def add_where(mask, i, j, counts, ft, wide):
    """Add the forces of those of WIDTH contacts where a condition holds to the bodies, and count them.

    Args:
        mask: the condition.
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies (a tuple of words).
        counts: force, torque on the first and on the second body, in counts.
        ft: (N, COLUMNS or WIDE_COLUMNS) int64 sums of the bodies.
        wide: whether sums have two limbs.
    """
    force, on_first, on_second = counts
    if wide:
        add_to_where(mask, i, force, on_first, ft, wide)
        add_to_where(mask, j, negative(force), on_second, ft, wide)
    else:  # one transposition serves both forces
        f, nobody, against = whole_rows(choose(mask, force, ZERO), select(mask, 1, 0)), spread(0), rows_of(-1, -1, -1, 0)
        add_rows(ft, i, COLUMNS, f, whole_rows(choose(mask, on_first, ZERO), nobody))
        f = (f[0] ^ against) - against, (f[1] ^ against) - against, (f[2] ^ against) - against, (f[3] ^ against) - against
        add_rows(ft, j, COLUMNS, f, whole_rows(choose(mask, on_second, ZERO), nobody))
