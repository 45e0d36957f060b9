"""Compiled: random insertion of spheres by rounds, with the outcome of one after the other.

One after the other, a sphere takes the first of its positions, which follow from its id alone, that is clear of all spheres of lower ids. Here each rank
owns a layer of space and all positions that fall into it, and spheres are treated in blocks of ids. A position that conflicts with a sphere of an
earlier block is out of the question, and the sphere moves on to its next one. Of two spheres of the block that conflict, the one of the higher id
moves on; if the other is then driven away by a third one, it is called back. A sphere depends on lower ids only, so the lowest ids come to rest first,
in whatever order events are treated, and what is reached when no event is left is what one after the other gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from ..compiled.quaternions import put_orientation
from ..compiled.vectors import length, nearest_image, square
from .clearance import GAP
from .counter import POSITION, SIZE, random_angle, random_orientation, uniforms

ARRIVE, RECALL, STAND, LEAVE = 0, 1, 2, 3
"""Events: a sphere tries a position; it is called back from that; beyond the border of a layer a sphere stands, or does so no longer."""
STANDING, FOREIGN, WAITING, GONE = 1, 2, 3, 4
"""States of a position in this block: taken, taken in the layer of another rank, given up because of a lower id, none of it."""
COUNT, SETTLED, EMITTED, PILED, FULL = 0, 1, 2, 3, 4
"""Slots of ``numbers``: positions known, of which settled ones; events to be sent; positions to be looked at again; whether an array is full."""
NUMBERS = 5
MOST = 100_000  # positions to try for one sphere


class Recipe(NamedTuple):
    """Where the spheres of one insert may be.

    Attributes:
        seed: seed of the random numbers.
        radius: radius at a size factor of 1 (m).
        sizes: smallest and largest size factor.
        lower: (3,) lower corner of the region (m).
        upper: (3,) upper corner of the region (m).
        free: (3,) bool, whether spheres may protrude along an axis.
        axis: axis of a cylindrical region, -1 of a box.
        centre: (3,) point on that axis (m).
        around: radius of the cylinder (m).
    """

    seed: int
    radius: float
    sizes: tuple[float, float]
    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    axis: int
    centre: np.ndarray
    around: float


class Layers(NamedTuple):
    """Cells of a rank: those of its layers, and one layer more on either side.

    Attributes:
        origin: (3,) lower corner of all cells (m).
        edge: (3,) size of a cell (m).
        counts: (3,) int64 number of cells along each axis, those of all ranks.
        axis: axis along which the layers follow each other.
        owner: (layers,) int64 rank of each layer.
        first: layer of the first slot; may be -1.
        slots: number of layers of this rank with those beside it.
        rank: this rank.
        lower: (3,) lower corner of the domain (m).
        period: (3,) of the domain (m), 0 where open.
        half: (3,) half of it (m), infinite where open.
        periodic: whether it has a period.
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    axis: int
    owner: np.ndarray
    first: int
    slots: int
    rank: int
    lower: np.ndarray
    period: np.ndarray
    half: np.ndarray
    periodic: bool


class Sites(NamedTuple):
    """Positions that a rank knows: settled ones first, then those of the present block.

    Attributes:
        ball: (capacity, 4) centre and radius (m).
        gid: (capacity,) int64 ids of the spheres.
        trial: (capacity,) int32 numbers of the positions among those of the sphere.
        state: (capacity,) int8; of settled ones: STANDING in the layers of this rank, else FOREIGN.
        after: (capacity,) int32 the next one in the same cell or -1.
        head: (cells,) int32 the last one in a cell or -1.
        pile: (piled,) int32 positions to be looked at again.
        numbers: (NUMBERS,) int64.
    """

    ball: np.ndarray
    gid: np.ndarray
    trial: np.ndarray
    state: np.ndarray
    after: np.ndarray
    head: np.ndarray
    pile: np.ndarray
    numbers: np.ndarray


class Outbox(NamedTuple):
    """Events to be sent.

    Attributes:
        event: (capacity, 3) int64 kind, id and number of the position.
        target: (capacity,) int64 ranks.
    """

    event: np.ndarray
    target: np.ndarray


# -- positions --------------------------------------------------------------------------------------------------------------------------------


@kernel
def size_of(recipe, gid):
    """Size factor of a sphere.

    Args:
        recipe: `Recipe`.
        gid: its id.
    """
    low, high = recipe.sizes
    return low + (high - low) * uniforms(recipe.seed, gid, SIZE, 0)[0] if high != low else low


@kernel
def _along(recipe, layers, c, u, radius):
    """Coordinate of a position along an axis by its random number, as in ``insert_kernels.insert``."""
    reach = 0.0 if recipe.free[c] else radius
    bottom, top = recipe.lower[c] + reach, recipe.upper[c] - reach
    x = bottom + u * (top - bottom)
    if layers.period[c] > 0.0 and x >= layers.lower[c] + layers.period[c]:
        x = layers.lower[c]
    return x


@kernel
def _position(recipe, layers, gid, trial, radius):
    """Position of a sphere, and its number: that asked for, or the first one after it that lies in the cylinder."""
    a, b = (recipe.axis + 1) % 3, (recipe.axis + 2) % 3
    free = recipe.around - radius
    while True:
        u = uniforms(recipe.seed, gid, POSITION, trial)
        x = (_along(recipe, layers, 0, u[0], radius), _along(recipe, layers, 1, u[1], radius), _along(recipe, layers, 2, u[2], radius))
        if recipe.axis < 0 or trial >= MOST:
            return x, trial
        p, q = _pick(x, a) - recipe.centre[a], _pick(x, b) - recipe.centre[b]
        if not p * p + q * q > free * free:
            return x, trial
        trial += 1


@inlined
def _pick(x, c):
    """One of three numbers."""
    return x[0] if c == 0 else (x[1] if c == 1 else x[2])


@inlined
def _index(layers, c, value):
    """Number of the cell of a coordinate (m) along an axis."""
    return int(min(max((value - layers.origin[c]) / layers.edge[c], 0.0), layers.counts[c] - 1.0))


@inlined
def _slot(layers, layer):
    """Slot of a layer on this rank."""
    return (layer - layers.first) % layers.counts[layers.axis]


@inlined
def _cell(layers, slot, i, j):
    """Number of a cell from its slot and its numbers along the two other axes."""
    a, b = (layers.axis + 1) % 3, (layers.axis + 2) % 3
    return (slot * layers.counts[a] + i) * layers.counts[b] + j


@kernel
def _cell_at(layers, x):
    """Cell of a position on this rank."""
    a, b = (layers.axis + 1) % 3, (layers.axis + 2) % 3
    slot = _slot(layers, _index(layers, layers.axis, _pick(x, layers.axis)))
    return _cell(layers, slot, _index(layers, a, _pick(x, a)), _index(layers, b, _pick(x, b)))


@kernel
def _neighbour(layers, c, i, k):
    """Number of the cell that is k - 1 from another one along an axis; -1 where there is none, or where it has been met before."""
    n = layers.counts[c]
    if n < 3 and k >= n:
        return -1
    at = i + k - 1
    if at < 0 or at >= n:
        if n > 2 and layers.period[c] == 0.0:
            return -1
        at += n if at < 0 else -n
    return at


@kernel
def _cells_around(layers, x, out):
    """List the cells around a position in the layers of this rank.

    Args:
        layers: `Layers`.
        x: the position (m).
        out: (27,) int64, filled.

    Returns:
        Number of cells.
    """
    a, b, c = layers.axis, (layers.axis + 1) % 3, (layers.axis + 2) % 3
    p, q, r = _index(layers, a, _pick(x, a)), _index(layers, b, _pick(x, b)), _index(layers, c, _pick(x, c))
    found = 0
    for k in range(3):
        at = _neighbour(layers, a, p, k)
        if at < 0:
            continue
        slot = _slot(layers, at)
        if slot >= layers.slots:  # beside a layer that is another rank's itself
            continue
        for m in range(3):
            i = _neighbour(layers, b, q, m)
            if i < 0:
                continue
            for n in range(3):
                j = _neighbour(layers, c, r, n)
                if j >= 0:
                    out[found] = _cell(layers, slot, i, j)
                    found += 1
    return found


# -- events -----------------------------------------------------------------------------------------------------------------------------------


@kernel
def _send(sites, outbox, target, kind, gid, trial):
    """Note an event for a rank."""
    n = sites.numbers[EMITTED]
    if n >= outbox.target.shape[0] or trial >= MOST:
        sites.numbers[FULL] = 1
        return
    outbox.event[n, 0], outbox.event[n, 1], outbox.event[n, 2] = kind, gid, trial
    outbox.target[n] = target
    sites.numbers[EMITTED] = n + 1


@kernel
def _send_on(sites, outbox, recipe, layers, kind, gid, trial):
    """Note an event for the rank of a position of a sphere."""
    x, trial = _position(recipe, layers, gid, trial, recipe.radius * size_of(recipe, gid))
    _send(sites, outbox, layers.owner[_index(layers, layers.axis, _pick(x, layers.axis))], kind, gid, trial)


@kernel
def _tell_beside(sites, outbox, layers, e, kind):
    """Note an event for the ranks of the layers beside that of a position, if they are others."""
    a = layers.axis
    at = _index(layers, a, sites.ball[e, a])
    told = -1
    for k in (0, 2):
        beside = _neighbour(layers, a, at, k)
        if beside >= 0:
            rank = layers.owner[beside]
            if rank != layers.rank and rank != told:
                told = rank
                _send(sites, outbox, rank, kind, sites.gid[e], sites.trial[e])


@inlined
def _conflict(sites, layers, x, radius, j):
    """Whether a sphere at a position conflicts with that of row ``j``: the same rule as ``clearance.is_free`` for two spheres."""
    d = nearest_image((sites.ball[j, 0] - x[0], sites.ball[j, 1] - x[1], sites.ball[j, 2] - x[2]), layers)
    contact = radius + sites.ball[j, 3]
    far = contact * (1.0 + 10.0 * GAP)
    return square(d) <= far * far and not length(d) > contact * (1.0 + GAP)


@kernel
def _look_again(sites, layers, x, radius, gid, state, near):
    """Pile up the positions of this rank of a higher id and in a certain state that conflict with a position."""
    for m in range(_cells_around(layers, x, near)):
        j = sites.head[near[m]]
        while j >= sites.numbers[SETTLED]:
            if sites.state[j] == state and sites.gid[j] > gid and _conflict(sites, layers, x, radius, j):
                if sites.numbers[PILED] < sites.pile.shape[0]:
                    sites.pile[sites.numbers[PILED]] = j
                    sites.numbers[PILED] += 1
                else:
                    sites.numbers[FULL] = 1
            j = sites.after[j]


@kernel
def _is_barred(sites, layers, x, radius, gid, settled, near):
    """Whether a position conflicts with a settled one (2; only asked for if ``settled``), or else with one taken by a lower id (1)."""
    barred = 0
    for m in range(_cells_around(layers, x, near)):
        j = sites.head[near[m]]
        while j >= 0:
            if j < sites.numbers[SETTLED]:
                if not settled:
                    break
                if _conflict(sites, layers, x, radius, j):
                    return 2
            elif sites.state[j] <= FOREIGN and sites.gid[j] < gid and _conflict(sites, layers, x, radius, j):
                barred = 1
            j = sites.after[j]
    return barred


@kernel
def _add(sites, layers, x, radius, gid, trial, state):
    """Add a position; its row comes back."""
    e = sites.numbers[COUNT]
    sites.ball[e, 0], sites.ball[e, 1], sites.ball[e, 2], sites.ball[e, 3] = x[0], x[1], x[2], radius
    sites.gid[e], sites.trial[e], sites.state[e] = gid, trial, state
    k = _cell_at(layers, x)
    sites.after[e] = sites.head[k]
    sites.head[k] = e
    sites.numbers[COUNT] = e + 1
    return e


@kernel
def _find(sites, layers, x, gid, trial):
    """Row of a position of this block; -1 if it is not known."""
    j = sites.head[_cell_at(layers, x)]
    while j >= sites.numbers[SETTLED]:
        if sites.gid[j] == gid and sites.trial[j] == trial and sites.state[j] != GONE:
            return j
        j = sites.after[j]
    return -1


@inlined
def _place(sites, e):
    """A position (m)."""
    return sites.ball[e, 0], sites.ball[e, 1], sites.ball[e, 2]


@kernel
def _decide(sites, outbox, recipe, layers, e, near):
    """Look again at a position of this rank, whose neighbourhood has changed."""
    state, gid = sites.state[e], sites.gid[e]
    if state != STANDING and state != WAITING:
        return
    x, radius = _place(sites, e), sites.ball[e, 3]
    barred = _is_barred(sites, layers, x, radius, gid, False, near) > 0
    if barred and state == STANDING:
        sites.state[e] = WAITING
        _tell_beside(sites, outbox, layers, e, LEAVE)
        _send_on(sites, outbox, recipe, layers, ARRIVE, gid, sites.trial[e] + 1)
        _look_again(sites, layers, x, radius, gid, WAITING, near)
    elif not barred and state == WAITING:
        sites.state[e] = STANDING
        _tell_beside(sites, outbox, layers, e, STAND)
        _send_on(sites, outbox, recipe, layers, RECALL, gid, sites.trial[e] + 1)
        _look_again(sites, layers, x, radius, gid, STANDING, near)


@kernel
def _arrive(sites, outbox, recipe, layers, x, radius, gid, trial, near):
    """A sphere tries a position."""
    barred = _is_barred(sites, layers, x, radius, gid, True, near)
    if barred < 2:
        e = _add(sites, layers, x, radius, gid, trial, STANDING if barred == 0 else WAITING)
    if barred > 0:
        _send_on(sites, outbox, recipe, layers, ARRIVE, gid, trial + 1)
    else:
        _tell_beside(sites, outbox, layers, e, STAND)
        _look_again(sites, layers, x, radius, gid, STANDING, near)


@kernel
def _recall(sites, outbox, recipe, layers, x, radius, gid, trial, near):
    """A sphere is called back from a position, or from where it has gone from there."""
    e = _find(sites, layers, x, gid, trial)
    state = sites.state[e] if e >= 0 else WAITING
    if e >= 0:
        sites.state[e] = GONE
    if state == WAITING:
        _send_on(sites, outbox, recipe, layers, RECALL, gid, trial + 1)
    else:
        _tell_beside(sites, outbox, layers, e, LEAVE)
        _look_again(sites, layers, x, radius, gid, WAITING, near)


@njit
def treat(events, order, sites, outbox, recipe, layers):
    """Treat events and all that follows from them on this rank.

    Args:
        events: (m, 3) int64 kind, id, number of the position.
        order: (m,) int64 the order in which to treat them; events of the same position stay in the order in which they came.
        sites: `Sites` with room for as many positions more.
        outbox: `Outbox`, filled with the events that follow on all ranks.
        recipe: `Recipe`.
        layers: `Layers`.
    """
    near = np.empty(27, np.int64)
    sites.numbers[EMITTED] = 0
    for k in order:
        kind, gid = events[k, 0], events[k, 1]
        radius = recipe.radius * size_of(recipe, gid)
        x, trial = _position(recipe, layers, gid, events[k, 2], radius)
        if kind == ARRIVE:
            _arrive(sites, outbox, recipe, layers, x, radius, gid, trial, near)
        elif kind == RECALL:
            _recall(sites, outbox, recipe, layers, x, radius, gid, trial, near)
        elif kind == STAND:
            _add(sites, layers, x, radius, gid, trial, FOREIGN)
            _look_again(sites, layers, x, radius, gid, STANDING, near)
        else:
            sites.state[_find(sites, layers, x, gid, trial)] = GONE
            _look_again(sites, layers, x, radius, gid, WAITING, near)
        while sites.numbers[PILED] > 0 and sites.numbers[FULL] == 0:
            sites.numbers[PILED] -= 1
            _decide(sites, outbox, recipe, layers, sites.pile[sites.numbers[PILED]], near)
        if sites.numbers[FULL] != 0:
            return


@njit
def begin(first, last, sites, outbox, recipe, layers):
    """Send spheres to their first positions.

    Args:
        first: id of the first sphere.
        last: one past the id of the last sphere.
        sites: `Sites`.
        outbox: `Outbox`, filled.
        recipe: `Recipe`.
        layers: `Layers`.
    """
    sites.numbers[EMITTED] = 0
    for gid in range(first, last):
        _send_on(sites, outbox, recipe, layers, ARRIVE, gid, 0)


@njit
def buckets(events, recipe, layers, out):
    """Find the part of this rank's space in which each event takes place.

    Args:
        events: (m, 3) int64 kind, id, number of the position.
        recipe: `Recipe`.
        layers: `Layers`.
        out: (m,) uint16, filled with numbers that grow with those of the cells.
    """
    a, b = (layers.axis + 1) % 3, (layers.axis + 2) % 3
    cells = layers.slots * layers.counts[a] * layers.counts[b]
    for k in range(events.shape[0]):
        gid = events[k, 1]
        x, _ = _position(recipe, layers, gid, events[k, 2], recipe.radius * size_of(recipe, gid))
        out[k] = _cell_at(layers, x) * 65535 // cells


@njit
def settle(sites, layers):
    """End a block: positions that are taken become settled, the others are forgotten.

    Args:
        sites: `Sites`.
        layers: `Layers`.
    """
    first, last = sites.numbers[SETTLED], sites.numbers[COUNT]
    for e in range(first, last):
        k = _cell_at(layers, _place(sites, e))
        while sites.head[k] >= first:
            sites.head[k] = sites.after[sites.head[k]]
    sites.numbers[COUNT] = first
    for e in range(first, last):
        if sites.state[e] <= FOREIGN:
            _add(sites, layers, _place(sites, e), sites.ball[e, 3], sites.gid[e], sites.trial[e], sites.state[e])
    sites.numbers[SETTLED] = sites.numbers[COUNT]


@njit
def add_settled(ball, gid, mine, sites, layers):
    """Add spheres that are already there.

    Args:
        ball: (m, 4) centres in the domain, and radii (m).
        gid: (m,) int64 ids.
        mine: (m,) bool, whether they are in the layers of this rank.
        sites: `Sites` with room for them and without a block.
        layers: `Layers`.
    """
    for k in range(ball.shape[0]):
        _add(sites, layers, (ball[k, 0], ball[k, 1], ball[k, 2]), ball[k, 3], gid[k], 0, STANDING if mine[k] else FOREIGN)
    sites.numbers[SETTLED] = sites.numbers[COUNT]


@njit
def sizes_of(gid, recipe, out):
    """Find the size factors of spheres.

    Args:
        gid: (n,) int64 ids.
        recipe: `Recipe`.
        out: (n,), filled.
    """
    for k in range(gid.shape[0]):
        out[k] = size_of(recipe, gid[k])


@njit
def turn(gid, seed, planar, q):
    """Find the orientations of grains that are inserted.

    Args:
        gid: (n,) int64 ids.
        seed: seed of the random numbers.
        planar: whether the simulation is two-dimensional.
        q: (n, 4), filled.
    """
    for k in range(gid.shape[0]):
        if planar:
            q[k, 0], q[k, 3] = random_angle(seed, gid[k])
        else:
            put_orientation(q, k, random_orientation(seed, gid[k]))
