"""Compiled: random insertion of grains by rounds, with the outcome of one after the other.

One after the other, a grain takes the first of its positions, which follow from its id alone, that is clear of all grains of lower ids. Here each
rank owns a layer of space and all positions that fall into it, and grains are treated in blocks of ids. A position that conflicts with a grain of
an earlier block is out of the question, and the grain moves on to its next one. Of two grains of the block that conflict, the one of the higher id
moves on; if the other is then driven away by a third one, it is called back. What becomes of a grain depends on lower ids only, so the lowest ids
come to rest first, in whatever order events are treated, and what is reached when no event is left is what one after the other gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from .round_bodies import MOST, hold, meets, pick, place_of, take_up
from .round_places import (
    ARRIVE,
    COUNT,
    EMITTED,
    FOREIGN,
    FULL,
    GONE,
    LEAVE,
    PILED,
    RECALL,
    SETTLED,
    STAND,
    STANDING,
    WAITING,
    cell_at,
    cells_around_place,
    index,
    neighbour,
    slot_of,
)  # fmt: skip


class Attempt(NamedTuple):
    """A grain at one of its positions.

    Attributes:
        x: the position (m).
        reach: how far it reaches from there (m).
        gid: its id.
        trial: number of the position.
    """

    x: tuple[float, float, float]
    reach: float
    gid: int
    trial: int


@inlined
def _place(sites, e):
    """A position (m)."""
    return sites.ball[e, 0], sites.ball[e, 1], sites.ball[e, 2]


@inlined
def _attempt(sites, e):
    """The `Attempt` in a row."""
    return Attempt(_place(sites, e), sites.ball[e, 3], sites.gid[e], sites.trial[e])


@inlined
def _send(sites, outbox, target, event, x, reach):
    """Note an event for a rank."""
    n = sites.numbers[EMITTED]
    if n >= outbox.target.shape[0] or event[2] >= MOST:
        sites.numbers[FULL] = 1
        return
    outbox.event[n, 0], outbox.event[n, 1], outbox.event[n, 2] = event
    outbox.place[n, 0], outbox.place[n, 1], outbox.place[n, 2], outbox.place[n, 3] = x[0], x[1], x[2], reach
    outbox.target[n] = target
    sites.numbers[EMITTED] = n + 1


@inlined
def _send_on(sites, outbox, recipe, layers, kind, grain):
    """Note an event for the rank of a position of the grain that is treated: its id, the number of the position, and its reach (m)."""
    gid, trial, reach = grain
    x, trial = place_of(recipe.form, recipe, layers, gid, trial, reach)
    _send(sites, outbox, layers.owner[index(layers, layers.axis, pick(x, layers.axis))], (kind, gid, trial), x, reach)


@inlined
def _at_border(layers, x):
    """Whether another rank may have a layer beside that of a position."""
    slot = slot_of(layers, index(layers, layers.axis, pick(x, layers.axis)))
    return slot < 2 or slot > layers.slots - 3


@inlined
def _tell_beside(sites, outbox, layers, e, kind):
    """Note an event for the ranks of the layers beside that of a position, if they are others."""
    a = layers.axis
    at = index(layers, a, sites.ball[e, a])
    told = -1
    for k in (0, 2):
        beside = neighbour(layers, a, at, k)
        if beside >= 0:
            rank = layers.owner[beside]
            if rank != layers.rank and rank != told:
                told = rank
                _send(sites, outbox, rank, (kind, sites.gid[e], np.int64(sites.trial[e])), _place(sites, e), sites.ball[e, 3])


@inlined
def _pile_up(sites, j):
    """Note a position to be looked at again."""
    if sites.numbers[PILED] < sites.pile.shape[0]:
        sites.pile[sites.numbers[PILED]] = j
        sites.numbers[PILED] += 1
    else:
        sites.numbers[FULL] = 1


@kernel
def _look_again(sites, recipe, layers, one, state, near):
    """Pile up the positions of this rank of a higher id and in a certain state that conflict with a position."""
    for m in range(cells_around_place(layers, one.x, near)):
        j = sites.head[near[m]]
        while j >= sites.numbers[SETTLED]:
            if sites.state[j] == state and sites.gid[j] > one.gid and meets(recipe.form, recipe, sites, layers, one, j):
                _pile_up(sites, j)
            j = sites.after[j]


@kernel
def _is_barred(sites, recipe, layers, one, near):
    """Whether a position conflicts with one of this block that a lower id has taken."""
    for m in range(cells_around_place(layers, one.x, near)):
        j = sites.head[near[m]]
        while j >= sites.numbers[SETTLED]:
            if sites.state[j] <= FOREIGN and sites.gid[j] < one.gid and meets(recipe.form, recipe, sites, layers, one, j):
                return True
            j = sites.after[j]
    return False


@inlined
def _barred_for_good(sites, recipe, layers, one, near):
    """Whether a new position conflicts with a settled one (2), or else with one taken by a lower id (1).

    Otherwise (0) the positions that it conflicts with and that higher ids have taken are piled up.
    """
    barred, settled = 0, sites.numbers[SETTLED]
    for m in range(cells_around_place(layers, one.x, near)):
        j = sites.head[near[m]]
        while j >= 0:
            if meets(recipe.form, recipe, sites, layers, one, j):
                if j < settled:
                    sites.numbers[PILED] = 0
                    return 2
                if sites.state[j] <= FOREIGN and sites.gid[j] < one.gid:
                    barred = 1
                elif sites.state[j] == STANDING and sites.gid[j] > one.gid:
                    _pile_up(sites, j)
            j = sites.after[j]
    if barred:
        sites.numbers[PILED] = 0
    return barred


@inlined
def _add(sites, layers, one, state):
    """Add a position; its row comes back."""
    x, reach, gid, trial = one
    e = sites.numbers[COUNT]
    sites.ball[e, 0], sites.ball[e, 1], sites.ball[e, 2], sites.ball[e, 3] = x[0], x[1], x[2], reach
    sites.gid[e], sites.trial[e], sites.state[e] = gid, trial, state
    k = cell_at(layers, x)
    sites.after[e] = sites.head[k]
    sites.head[k] = e
    sites.numbers[COUNT] = e + 1
    return e


@kernel
def _find(sites, layers, one):
    """Row of a position of this block; -1 if it is not known."""
    x, _, gid, trial = one
    j = sites.head[cell_at(layers, x)]
    while j >= sites.numbers[SETTLED]:
        if sites.gid[j] == gid and sites.trial[j] == trial and sites.state[j] != GONE:
            return j
        j = sites.after[j]
    return -1


@kernel
def _decide(sites, outbox, recipe, layers, e, near):
    """Look again at a position of this rank, whose neighbourhood has changed."""
    state, gid = sites.state[e], sites.gid[e]
    if state != STANDING and state != WAITING:
        return
    one = _attempt(sites, e)
    hold(recipe.form, recipe, gid)
    barred = _is_barred(sites, recipe, layers, one, near)
    if barred and state == STANDING:
        sites.state[e] = WAITING
        _tell_beside(sites, outbox, layers, e, LEAVE)
        _send_on(sites, outbox, recipe, layers, ARRIVE, (gid, sites.trial[e] + 1, one.reach))
        _look_again(sites, recipe, layers, one, WAITING, near)
    elif not barred and state == WAITING:
        sites.state[e] = STANDING
        _tell_beside(sites, outbox, layers, e, STAND)
        _send_on(sites, outbox, recipe, layers, RECALL, (gid, sites.trial[e] + 1, one.reach))
        _look_again(sites, recipe, layers, one, STANDING, near)


@inlined
def _arrive(sites, outbox, recipe, layers, one, near):
    """A grain tries a position; nothing is piled up yet."""
    barred = _barred_for_good(sites, recipe, layers, one, near)
    if barred < 2:
        e = _add(sites, layers, one, STANDING if barred == 0 else WAITING)
        if barred == 0 and _at_border(layers, one.x):
            _tell_beside(sites, outbox, layers, e, STAND)
    if barred > 0:
        _send_on(sites, outbox, recipe, layers, ARRIVE, (one.gid, one.trial + 1, one.reach))


@kernel
def _recall(sites, outbox, recipe, layers, one, near):
    """A grain is called back from a position, or from where it has gone from there."""
    e = _find(sites, layers, one)
    state = sites.state[e] if e >= 0 else WAITING
    if e >= 0:
        sites.state[e] = GONE
    if state == WAITING:
        _send_on(sites, outbox, recipe, layers, RECALL, (one.gid, one.trial + 1, one.reach))
    else:
        _tell_beside(sites, outbox, layers, e, LEAVE)
        _look_again(sites, recipe, layers, one, WAITING, near)


@njit
def treat(events, places, order, sites, outbox, recipe, layers):
    """Treat events and all that follows from them on this rank.

    Args:
        events: (m, 3) int64 kind, id, number of the position.
        places: (m, 4) the positions and the radii (m).
        order: (m,) int64 the order in which to treat them; events of the same position stay in the order in which they came.
        sites: `Sites` with room for as many positions more.
        outbox: `Outbox`, filled with the events that follow on all ranks.
        recipe: `Recipe`.
        layers: `InsertLayers`.
    """
    near = np.empty(27, np.int64)
    sites.numbers[EMITTED] = 0
    for k in order:
        kind, one = events[k, 0], Attempt((places[k, 0], places[k, 1], places[k, 2]), places[k, 3], events[k, 1], events[k, 2])
        hold(recipe.form, recipe, one.gid)
        if kind == ARRIVE:
            _arrive(sites, outbox, recipe, layers, one, near)
        elif kind == RECALL:
            _recall(sites, outbox, recipe, layers, one, near)
        elif kind == STAND:
            _add(sites, layers, one, FOREIGN)
            _look_again(sites, recipe, layers, one, STANDING, near)
        else:
            sites.state[_find(sites, layers, one)] = GONE
            _look_again(sites, recipe, layers, one, WAITING, near)
        while sites.numbers[PILED] > 0 and sites.numbers[FULL] == 0:
            sites.numbers[PILED] -= 1
            _decide(sites, outbox, recipe, layers, sites.pile[sites.numbers[PILED]], near)
        if sites.numbers[FULL] != 0:
            return


@njit
def begin(first, last, sites, outbox, recipe, layers):
    """Send grains to their first positions.

    Args:
        first: id of the first grain.
        last: one past the id of the last grain.
        sites: `Sites`.
        outbox: `Outbox`, filled.
        recipe: `Recipe`.
        layers: `InsertLayers`.
    """
    sites.numbers[EMITTED] = 0
    for gid in range(first, last):
        _send_on(sites, outbox, recipe, layers, ARRIVE, (gid, 0, take_up(recipe.form, recipe, gid)))


@njit
def buckets(places, layers, out):
    """Find the part of this rank's space in which each event takes place.

    Args:
        places: (m, 4) positions and radii (m).
        layers: `InsertLayers`.
        out: (m,) uint16, filled with numbers that grow with those of the cells.
    """
    a, b = (layers.axis + 1) % 3, (layers.axis + 2) % 3
    cells = layers.slots * layers.counts[a] * layers.counts[b]
    for k in range(places.shape[0]):
        out[k] = cell_at(layers, (places[k, 0], places[k, 1], places[k, 2])) * 65535 // cells


@njit
def settle(sites, layers):
    """End a block: positions that are taken become settled, the others are forgotten.

    Args:
        sites: `Sites`.
        layers: `InsertLayers`.
    """
    first, last = sites.numbers[SETTLED], sites.numbers[COUNT]
    for e in range(first, last):
        k = cell_at(layers, _place(sites, e))
        while sites.head[k] >= first:
            sites.head[k] = sites.after[sites.head[k]]
    sites.numbers[COUNT] = first
    for e in range(first, last):
        if sites.state[e] <= FOREIGN:
            _add(sites, layers, _attempt(sites, e), sites.state[e])
    sites.numbers[SETTLED] = sites.numbers[COUNT]


@njit
def add_settled(ball, gid, mine, sites, layers):
    """Add grains that are already there.

    Args:
        ball: (m, 4) centres in the domain, and radii (m).
        gid: (m,) int64 ids.
        mine: (m,) bool, whether they are in the layers of this rank.
        sites: `Sites` with room for them and without a block.
        layers: `InsertLayers`.
    """
    for k in range(ball.shape[0]):
        _add(sites, layers, Attempt((ball[k, 0], ball[k, 1], ball[k, 2]), ball[k, 3], gid[k], 0), STANDING if mine[k] else FOREIGN)
    sites.numbers[SETTLED] = sites.numbers[COUNT]
