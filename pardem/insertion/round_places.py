"""Compiled: numbers of events and states of insertion by rounds (``round_kernels.py``), and the cells of a rank around a place."""

from __future__ import annotations

from ..compiled.jit import inlined
from .round_bodies import pick

ARRIVE, RECALL, STAND, LEAVE = 0, 1, 2, 3
"""Events: a sphere tries a position; it is called back from that; beyond the border of a layer a sphere stands, or does so no longer."""
STANDING, FOREIGN, WAITING, GONE = 1, 2, 3, 4
"""States of a position in this block: taken, taken in the layer of another rank, given up because of a lower id, none of it."""
COUNT, SETTLED, EMITTED, PILED, FULL = 0, 1, 2, 3, 4
"""Slots of ``numbers``: positions known, of which settled ones; events to be sent; positions to be looked at again; whether an array is full."""
NUMBERS = 5


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


@inlined
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
