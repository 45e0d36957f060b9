"""Compiled: where spheres may be that are inserted by rounds, and the cells of a rank around a place (``round_kernels.py``)."""

from __future__ import annotations

from ..compiled.jit import inlined, kernel, njit
from ..compiled.quaternions import put_orientation
from .counter import POSITION, SIZE, random_angle, random_orientation, uniforms

ARRIVE, RECALL, STAND, LEAVE = 0, 1, 2, 3
"""Events: a sphere tries a position; it is called back from that; beyond the border of a layer a sphere stands, or does so no longer."""
STANDING, FOREIGN, WAITING, GONE = 1, 2, 3, 4
"""States of a position in this block: taken, taken in the layer of another rank, given up because of a lower id, none of it."""
COUNT, SETTLED, EMITTED, PILED, FULL = 0, 1, 2, 3, 4
"""Slots of ``numbers``: positions known, of which settled ones; events to be sent; positions to be looked at again; whether an array is full."""
NUMBERS = 5
MOST = 100_000  # positions to try for one sphere


@kernel
def size_of(recipe, gid):
    """Size factor of a sphere.

    Args:
        recipe: `Recipe`.
        gid: its id.
    """
    low, high = recipe.sizes
    return low + (high - low) * uniforms(recipe.seed, gid, SIZE, 0)[0] if high != low else low


@inlined
def _along(recipe, layers, c, u, radius):
    """Coordinate of a position along an axis by its random number, as in ``insert_kernels.insert``."""
    reach = 0.0 if recipe.free[c] else radius
    bottom, top = recipe.lower[c] + reach, recipe.upper[c] - reach
    x = bottom + u * (top - bottom)
    if layers.period[c] > 0.0 and x >= layers.lower[c] + layers.period[c]:
        x = layers.lower[c]
    return x


@inlined
def position(recipe, layers, gid, trial, radius):
    """Find a position of a sphere.

    Args:
        recipe: `Recipe`.
        layers: `InsertLayers`.
        gid: id of the sphere.
        trial: number of the position.
        radius: radius of the sphere (m).

    Returns:
        The position (m), and its number: that asked for, or the first one after it that lies in the cylinder.
    """
    a, b = (recipe.axis + 1) % 3, (recipe.axis + 2) % 3
    free = recipe.around - radius
    while True:
        u = uniforms(recipe.seed, gid, POSITION, trial)
        x = (_along(recipe, layers, 0, u[0], radius), _along(recipe, layers, 1, u[1], radius), _along(recipe, layers, 2, u[2], radius))
        if recipe.axis < 0 or trial >= MOST:
            return x, trial
        p, q = pick(x, a) - recipe.centre[a], pick(x, b) - recipe.centre[b]
        if not p * p + q * q > free * free:
            return x, trial
        trial += 1


@inlined
def pick(x, c):
    """One of three numbers.

    Args:
        x: the numbers.
        c: 0, 1 or 2.
    """
    return x[0] if c == 0 else (x[1] if c == 1 else x[2])


@inlined
def index(layers, c, value):
    """Number of the cell of a coordinate along an axis.

    Args:
        layers: `InsertLayers`.
        c: the axis.
        value: the coordinate (m).
    """
    return int(min(max((value - layers.origin[c]) / layers.edge[c], 0.0), layers.counts[c] - 1.0))


@inlined
def slot_of(layers, layer):
    """Slot of a layer on this rank.

    Args:
        layers: `InsertLayers`.
        layer: number of the layer.
    """
    slot, n = layer - layers.first, layers.counts[layers.axis]
    return slot - n if slot >= n else (slot + n if slot < 0 else slot)


@inlined
def _cell(layers, slot, i, j):
    """Number of a cell from its slot and its numbers along the two other axes."""
    a, b = (layers.axis + 1) % 3, (layers.axis + 2) % 3
    return (slot * layers.counts[a] + i) * layers.counts[b] + j


@inlined
def cell_at(layers, x):
    """Cell of a position on this rank.

    Args:
        layers: `InsertLayers`.
        x: the position (m).
    """
    a, b = (layers.axis + 1) % 3, (layers.axis + 2) % 3
    slot = slot_of(layers, index(layers, layers.axis, pick(x, layers.axis)))
    return _cell(layers, slot, index(layers, a, pick(x, a)), index(layers, b, pick(x, b)))


@kernel
def neighbour(layers, c, i, k):
    """Number of the cell that is k - 1 from another one along an axis; -1 where there is none, or where it has been met before.

    Args:
        layers: `InsertLayers`.
        c: the axis.
        i: number of the other cell.
        k: 0, 1 or 2.
    """
    n = layers.counts[c]
    if n < 3 and k >= n:
        return -1
    at = i + k - 1
    if at < 0 or at >= n:
        if n > 2 and layers.period[c] == 0.0:
            return -1
        at += n if at < 0 else -n
    return at


@inlined
def cells_around_place(layers, x, out):
    """List the cells around a position in the layers of this rank.

    Args:
        layers: `InsertLayers`.
        x: the position (m).
        out: (27,) int64, filled.

    Returns:
        Number of cells.
    """
    a, b, c = layers.axis, (layers.axis + 1) % 3, (layers.axis + 2) % 3
    p, q, r = index(layers, a, pick(x, a)), index(layers, b, pick(x, b)), index(layers, c, pick(x, c))
    found, slot = 0, slot_of(layers, p)
    if 0 < slot < layers.slots - 1 and 0 < q < layers.counts[b] - 1 and 0 < r < layers.counts[c] - 1:
        for k in range(-1, 2):
            for m in range(-1, 2):
                cell = _cell(layers, slot + k, q + m, r)
                out[found], out[found + 1], out[found + 2] = cell - 1, cell, cell + 1
                found += 3
        return found
    for k in range(3):
        at = neighbour(layers, a, p, k)
        if at < 0:
            continue
        slot = slot_of(layers, at)
        if slot >= layers.slots:  # beside a layer that is another rank's itself
            continue
        for m in range(3):
            i = neighbour(layers, b, q, m)
            if i < 0:
                continue
            for n in range(3):
                j = neighbour(layers, c, r, n)
                if j >= 0:
                    out[found] = _cell(layers, slot, i, j)
                    found += 1
    return found


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
