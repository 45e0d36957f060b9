"""Whether grains overlap that several ranks hold: each rank looks at a layer of space, with what reaches into it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mpi4py import MPI

from ..decomposition.exchange import RowExchange
from ..guard import agreed
from ..insertion import BoxDomain, PlacedGrains, require_clear, wrapped
from ..insertion.check import Overlap, refuse_outside, refuse_overlaps, strays, worst_overlaps
from ..shapes.catalogue import Catalogue

SAMPLES = 64  # places of grains that each rank contributes to the choice of the layers


def require_clear_together(
    comm: MPI.Comm, catalogue: Catalogue, ids: np.ndarray, grains: PlacedGrains, *, domain: BoxDomain | None, names: Sequence[str], settled: int
) -> None:  # fmt: skip
    """Check that no two grains overlap and that all centres lie in the domain, as ``insertion.require_clear`` does on one rank. Collective.

    Args:
        comm: communicator.
        catalogue: shape catalogue.
        ids: (n,) ids of the grains of this rank, of which those that count are in ascending order and higher than on the ranks before.
        grains: these grains.
        domain: box that must contain the centres, with its periodic axes; None for open space.
        names: names of the species, for messages.
        settled: grains with ids below this one are as another run left them and are not held against each other.

    Raises:
        InsertionError: names the grains and by how much they overlap, or where they are; on every rank.
    """
    if comm.size == 1:
        require_clear(catalogue, grains, domain=domain, names=names, settled=settled)
        return
    x = wrapped(grains.positions, domain)
    reach = (catalogue.radius + catalogue.core_radius)[grains.species] * grains.scale
    layers = _Layers(comm, x, 2.0 * float(comm.allreduce(reach.max(initial=0.0), MPI.MAX)), domain)
    row, rank = layers.targets(x)
    exchange = RowExchange(comm, rank)
    there, columns = exchange(ids[row]), [exchange(np.asarray(column)[row]) for column in grains]
    order = np.argsort(there)
    near = PlacedGrains(*(column[order] for column in columns))
    found: tuple[int, list[Overlap]] = (0, [])
    with agreed(comm):
        mine = layers.of(wrapped(near.positions, domain)) == comm.rank
        found = worst_overlaps(catalogue, near, there[order], domain=domain, names=names, settled=settled, mine=mine)
    if domain is not None:
        told = comm.allgather(strays(grains, ids, domain, names, settled))
        refuse_outside(sum(count for count, _ in told), [one for _, said in told for one in said], domain)
    everywhere = comm.allgather(found)
    refuse_overlaps(sum(count for count, _ in everywhere), sorted(one for _, worst in everywhere for one in worst))


class _Layers:
    """Layers of space across the axis along which the grains reach furthest, one for each rank, with about as many grains.

    Args:
        comm: communicator.
        x: (n, 3) places of this rank's grains, in the domain (m).
        near: distance beyond which grains cannot touch (m).
        domain: box with periodic axes, if any.
    """

    def __init__(self, comm: MPI.Comm, x: np.ndarray, near: float, domain: BoxDomain | None) -> None:
        ends = np.concatenate([x.max(axis=0, initial=-np.inf), -x.min(axis=0, initial=np.inf)])
        comm.Allreduce(MPI.IN_PLACE, ends, MPI.MAX)
        self.axis = int(np.argmax(ends[:3] + ends[3:]))
        self.near = near * (1.0 + 1e-6)
        self.period = float(domain.period[self.axis]) if domain is not None else 0.0
        self.lower, self.upper = (float(domain.lower[self.axis]), float(domain.upper[self.axis])) if domain is not None else (0.0, 0.0)
        places = np.sort(x[:, self.axis])
        some = places[np.linspace(0, len(places) - 1, SAMPLES).astype(np.int64)] if len(places) else places
        pooled = np.sort(np.concatenate(comm.allgather(some)))
        self.cuts = pooled[np.arange(1, comm.size) * len(pooled) // comm.size]

    def of(self, x: np.ndarray) -> np.ndarray:
        """Layer of each of some places ((n, 3) m)."""
        return np.searchsorted(self.cuts, x[:, self.axis], side="right")

    def targets(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All layers that hold a place near each of some places ((n, 3) m): rows of the places, and the layers, each pair once."""
        rows, layers = [], []
        for shift in (0.0,) if self.period == 0.0 else (-self.period, 0.0, self.period):
            along = x[:, self.axis] + shift
            row = np.flatnonzero((along >= self.lower - self.near) & (along <= self.upper + self.near)) if shift else np.arange(len(x))
            first, last = (np.searchsorted(self.cuts, along[row] + way * self.near, side="right") for way in (-1.0, 1.0))
            count = last - first + 1
            rows.append(np.repeat(row, count))
            layers.append(np.arange(count.sum()) - np.repeat(np.cumsum(count) - count - first, count))
        pairs = np.unique(np.column_stack([np.concatenate(rows), np.concatenate(layers)]), axis=0)
        return pairs[:, 0], pairs[:, 1]
