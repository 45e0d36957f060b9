"""Which candidates of a scene of spheres are to be looked at, in two lines: contacts that there were in the step before, and contacts that are born.

Contacts of the step before go on without a look: whether they still touch shows when their forces are computed. Of the others those are passed over
whose grains cannot have gone the way that was between them when they were last looked at; whether the rest touch is found WIDTH at a time.
"""

from __future__ import annotations

import numpy as np

from ..compiled import vectors
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import any_of
from ..compiled.lanes.flags import append, raised
from ..compiled.lanes.memory import load, put
from ..compiled.lanes.places import members, members_at
from ..compiled.lanes.types import WIDTH, lane
from ..compiled.prefetch import prefetch, prefetch_column
from ..compiled.vectors import magnitudes, nearest_image, square, subtract
from ..laws.energy_ledger import end_contact
from ..laws.resistance.resistance_memory import torque_lost_at_end
from ..laws.resistance.resistance_model import resists
from .accumulate import tally_losses
from .batch import BLOCK
from .encounter import free_path
from .history_rows import give_row_back, take_row
from .lane_groups import vectors_at

KNOWN, BORN, SUSPECTS = 0, 2 * BLOCK, 3 * BLOCK
"""Places in ``pairs.near`` where three lines begin: contacts of the step before, contacts that are born, and candidates that may touch."""
LINE = 8  # numbers in a line of the cache

ROUNDING = 1e-9  # of the coordinates: far above what the drifts of some million steps round


@inlined
def part(i, j, p, loop):
    """End a contact whose bodies have parted, or which is not born after all: its row of the histories is given back.

    Args:
        i: row of the first body.
        j: row of the second body.
        p: the candidate.
        loop: `PairLoop`.
    """
    pairs, g, settings, row = loop.pairs, loop.g, loop.settings, np.uintp(loop.pairs.rows.at[p])
    if settings.budget and i < loop.owned and pairs.touch[p] != 0:
        velocity = subtract(vectors.row(g.v, j), vectors.row(g.v, i))
        lost_n, lost_t = end_contact(velocity, pairs.hist, row, settings.dt, not settings.midstep)
        if resists(settings.resistance):
            spin = subtract(vectors.row(g.w, j), vectors.row(g.w, i))
            lost_t += torque_lost_at_end(settings.resistance, spin, pairs.hist, row, settings)
        tally_losses(loop.tally, lost_n, lost_t, 1.0 / settings.energy)
    pairs.touch[p] = 0
    give_row_back(pairs, p)


@inlined
def _screened(first, last, known, loop):
    """Append candidates to two lines: contacts of the step before, and those that may touch after the ways that grains have gone.

    Args:
        first: place of the first candidate.
        last: place after the last.
        known: place in ``pairs.near`` behind the contacts that are there already.
        loop: `PairLoop`.

    Returns:
        the places behind the contacts and behind those that may touch.
    """
    pairs, near, gone, known, suspects = loop.pairs, loop.pairs.near, loop.gone, np.uintp(known), np.uintp(SUSPECTS)
    even_last = last - (last - first) % WIDTH
    for q in range(first, even_last, WIDTH):
        p = np.uintp(q)  # unsigned indices spare the check for negative ones
        touched = raised(pairs.touch, p)
        known += append(near, known, p, touched)
        may_touch = ~touched & ~(gone < load(pairs.free, p))
        if any_of(may_touch):
            suspects += append(near, suspects, p, may_touch)
    for q in range(even_last, last):
        p = np.uintp(q)
        if pairs.touch[p] != 0:
            near[known] = p
            known += np.uintp(1)
        elif not gone < pairs.free[p]:
            near[suspects] = p
            suspects += np.uintp(1)
    return np.int64(known), np.int64(suspects)


@inlined
def _met(end, born, loop):
    """Append those of the candidates from SUSPECTS on in ``pairs.near`` that touch to the contacts that are born, each with a row of the histories.

    Args:
        end: place behind the last of these candidates.
        born: place behind the contacts that are there already.
        loop: `PairLoop`.

    Returns:
        the place behind the contacts.
    """
    pairs, g, near = loop.pairs, loop.g, loop.pairs.near
    for n in range(end, end + (SUSPECTS - end) % WIDTH):  # not what lies there: perhaps pairs whose ghosts are still to come
        near[n] = near[SUSPECTS]
    for n in range(SUSPECTS, end, WIDTH):
        places = members(near, n)
        (xi, ri), (xj, rj) = vectors_at(g.x, members_at(pairs.first, places)), vectors_at(g.x, members_at(pairs.col, places))
        d, reach = nearest_image(subtract(xj, xi), loop.settings), ri + rj
        d2, (a, b, c), (e, f, h) = square(d), magnitudes(xi), magnitudes(xj)
        put(pairs.free, places, free_path(loop.gone, d2, reach, d) - ROUNDING * ((a + b + c) + (e + f + h)))
        touches = d2 < reach * reach
        if any_of(touches):
            for k in range(min(WIDTH, end - n)):
                if lane(touches, k):
                    near[born] = near[n + k]
                    take_row(pairs, near[n + k])
                    born += 1
    return born


@inlined
def touching(first, last, known, born, loop):
    """Append the candidates ``first`` to ``last`` that touch, or did in the step before, to the lines of ``pairs.near``.

    Args:
        first: place of the first candidate.
        last: place after the last; no more than BLOCK - WIDTH after the first.
        known: how many contacts of the step before are in their line already.
        born: how many contacts that are born are.
        loop: `PairLoop`.

    Returns:
        how many there are now of both.
    """
    known, suspects = _screened(first, last, KNOWN + known, loop)
    return known - KNOWN, _met(suspects, BORN + born, loop) - BORN


@inlined
def fetch(begin, pairs, g):
    """Ask the memory for what WIDTH contacts will need: large beds do not fit into the caches.

    They are read some hundred nanoseconds later, and no more is asked for meanwhile than the processor can wait for at a time.

    Args:
        begin: place of the first of them in ``pairs.near``; behind the last contact there may be any candidates.
        pairs: `Contacts`.
        g: `Grains`.
    """
    places = members(pairs.near, begin)
    j, rows = members_at(pairs.col, places), members_at(pairs.rows.at, places)
    width = pairs.hist.shape[1]
    prefetch(pairs.hist, rows)
    for c in range(LINE, width, LINE):
        prefetch_column(pairs.hist, rows, c)
    if width > LINE:  # rows that do not begin where lines do
        prefetch_column(pairs.hist, rows, width - 1)
    prefetch(g.v, j)
    prefetch(g.w, j)
    prefetch(g.ft, j)
