"""Random insertion of spheres by all ranks together, each in its layers of space: the same spheres as one rank inserts one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..case.placement import Insert
from ..decomposition.exchange import RowExchange
from ..guard import made_by_first
from ..insertion import BoxDomain, BoxRegion, Region, wrapped
from ..insertion import round_kernels as kernels
from ..insertion.round_places import COUNT, EMITTED, FULL, NUMBERS, SETTLED, STANDING, sizes_of, turn
from ..insertion.round_tables import InsertLayers, Outbox, Recipe, Sites

FEWEST = 200_000  # spheres from which on this pays
BLOCKS = 16
LEAST = 1 << 14  # spheres of a block
PATIENCE = 80  # events for each sphere of a block, on average, beyond which the bed is too dense for this
PILE = 1 << 16


class PlacedSpheres(NamedTuple):
    """Spheres of a rank, in any order.

    Attributes:
        gid: (n,) int64 ids.
        species: (n,) int32 rows of the catalogue.
        scale: (n,) size factors.
        ball: (n, 4) centres in the domain, and radii (m).
    """

    gid: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    ball: np.ndarray


class Batch(NamedTuple):
    """What is inserted.

    Attributes:
        first: id of the first sphere.
        spheres: their number.
        species: row of the catalogue.
        radius: radius at a size factor of 1 (m).
        sizes: smallest and largest size factor.
        region: where.
    """

    first: int
    spheres: int
    species: int
    radius: float
    sizes: tuple[float, float]
    region: Region


def batch_of(insert: Insert, region: Region, species: int, radius: float, first: int) -> Batch:
    """Describe the spheres of an insert of a case.

    Args:
        insert: the insert.
        region: its region.
        species: row of its species.
        radius: radius of that (m).
        first: id of the first sphere.
    """
    sizes = (insert.size.value, insert.size.value) if insert.size.kind == "constant" else (insert.size.min, insert.size.max)
    return Batch(first, insert.count, species, radius, (float(sizes[0]), float(sizes[1])), region)


def has_room(batch: Batch, domain: BoxDomain | None) -> bool:
    """Tell whether each sphere fits into the region, the region into the domain, and no sphere meets two images of another."""
    region, diameter = batch.region.arrays(), 2.0 * batch.radius * batch.sizes[1]
    room = np.where(region.free, np.inf, region.upper - region.lower)
    fits = bool((room > diameter * (1.0 + 1e-6)).all()) and (region.axis < 0 or 2.0 * region.radius > diameter * (1.0 + 1e-6))
    if domain is None:
        return fits
    period, beyond = domain.period, (region.lower < domain.lower) | (region.upper > domain.upper)
    return fits and bool(((period == 0.0) | (period > 2.0 * diameter) & ~beyond).all())


def rehearse() -> None:
    """Compile what insertion by rounds needs, on a few spheres."""
    region = BoxRegion((0.0, 0.0, 0.0), (10.0, 10.0, 10.0))
    insert_together(MPI.COMM_SELF, Batch(0, 4, 0, 1.0, (1.0, 1.0), region), nothing(), None, 0)


def nothing() -> PlacedSpheres:
    """No spheres."""
    return PlacedSpheres(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0), np.empty((0, 4)))


def insert_together(comm: MPI.Comm, batch: Batch, placed: PlacedSpheres, domain: BoxDomain | None, seed: int) -> PlacedSpheres | None:
    """Insert spheres among others. Collective.

    Args:
        comm: communicator.
        batch: what is inserted.
        placed: spheres of this rank that are already there.
        domain: box with periodic axes, if there is one.
        seed: seed of the random numbers.

    Returns:
        All spheres, old and new, each on one rank; None if the bed is so dense that one after the other is the better way.
    """
    if comm.size > 1:
        made_by_first(comm, rehearse)
    return _Insertion(comm, batch, placed, domain, seed).run()


class _Insertion:
    """One insert, see ``insert_together``."""

    def __init__(self, comm: MPI.Comm, batch: Batch, placed: PlacedSpheres, domain: BoxDomain | None, seed: int) -> None:
        region = batch.region.arrays()
        self.comm, self.batch = comm, batch
        self.recipe = Recipe(
            seed, batch.radius, batch.sizes, region.lower, region.upper, region.free, region.axis, region.centre, float(region.radius)
        )  # fmt: skip
        radius = max(batch.radius * batch.sizes[1], float(comm.allreduce(placed.ball[:, 3].max(initial=0.0), MPI.MAX)))
        total = int(comm.allreduce(len(placed.gid))) + batch.spheres
        self.layers = _layers(comm, region.lower, region.upper, domain, radius, total)
        self.before, self.copies = self._brought(placed)
        layers = self.layers
        cells = max(1, layers.slots) * int(np.delete(layers.counts, layers.axis).prod())
        room = len(self.copies.gid) + int(1.1 * batch.spheres / comm.size) + LEAST
        self.sites = Sites(
            np.empty((room, 4)), np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int8), np.empty(room, np.int32),
            np.full(cells, -1, np.int32), np.empty(PILE, np.int32), np.zeros(NUMBERS, np.int64),
        )  # fmt: skip
        mine = self._owners(self.copies.ball) == comm.rank
        kernels.add_settled(self.copies.ball, self.copies.gid, mine, self.sites, layers)

    def run(self) -> PlacedSpheres | None:
        """Insert all spheres, block by block."""
        block = max(LEAST, -(-self.batch.spheres // BLOCKS))
        for first in range(0, self.batch.spheres, block):
            if not self._insert(first, min(first + block, self.batch.spheres)):
                return None
            kernels.settle(self.sites, self.layers)
        return self._all()

    def _insert(self, first: int, last: int) -> bool:
        """Insert the spheres of a block; whether that could be done."""
        comm, base = self.comm, self.batch.first + first
        ends = base + np.arange(comm.size + 1) * (last - first) // comm.size
        begin, end = int(ends[comm.rank]), int(ends[comm.rank + 1])
        outbox = _outbox(end - begin)
        kernels.begin(begin, end, self.sites, outbox, self.recipe, self.layers)
        events = 0
        while True:
            count = int(self.sites.numbers[EMITTED])
            sums = np.array([count, self.sites.numbers[FULL]])
            comm.Allreduce(MPI.IN_PLACE, sums)
            events += int(sums[0])
            if sums[1] or events > PATIENCE * (last - first):
                return False
            if not sums[0]:
                return True
            exchange = RowExchange(comm, outbox.target[:count])
            come, places = exchange(outbox.event[:count]), exchange(outbox.place[:count])
            outbox = _outbox(len(come))
            self._make_room(len(come))
            part = np.empty(len(come), np.uint16)
            kernels.buckets(places, self.layers, part)
            kernels.treat(come, places, np.argsort(part, kind="stable"), self.sites, outbox, self.recipe, self.layers)

    def _make_room(self, more: int) -> None:
        """Let there be room for some more positions."""
        sites, count = self.sites, int(self.sites.numbers[COUNT])
        if count + more <= len(sites.gid):
            return
        room = count + more + len(sites.gid) // 8
        larger = {}
        for name in ("ball", "gid", "trial", "state", "after"):
            old = getattr(sites, name)
            larger[name] = np.empty((room, *old.shape[1:]), old.dtype)
            larger[name][:count] = old[:count]
        self.sites = sites._replace(**larger)

    def _owners(self, x: np.ndarray) -> np.ndarray:
        """Rank of each of some places ((n, 3 or more) m)."""
        return self.layers.owner[self._layer(x)]

    def _layer(self, x: np.ndarray) -> np.ndarray:
        a, layers = self.layers.axis, self.layers
        return np.clip((x[:, a] - layers.origin[a]) / layers.edge[a], 0.0, layers.counts[a] - 1.0).astype(np.int64)

    def _brought(self, placed: PlacedSpheres) -> tuple[PlacedSpheres, PlacedSpheres]:
        """Spheres that are there: those in the layers of this rank, and these with copies of what lies beside them."""
        layer, n = self._layer(placed.ball), int(self.layers.counts[self.layers.axis])
        around = [layer + k for k in (-1, 0, 1)]
        wraps = self.layers.period[self.layers.axis] > 0.0
        owners = [self.layers.owner[at % n if wraps else np.clip(at, 0, n - 1)] for at in around]
        pairs = np.unique(np.column_stack([np.tile(np.arange(len(layer)), 3), np.concatenate(owners)]), axis=0)
        exchange = RowExchange(self.comm, pairs[:, 1])
        copies = PlacedSpheres(*(exchange(column[pairs[:, 0]]) for column in placed))
        mine = self._owners(copies.ball) == self.comm.rank
        return PlacedSpheres(*(column[mine] for column in copies)), copies

    def _all(self) -> PlacedSpheres:
        """All spheres in the layers of this rank."""
        sites, before = self.sites, self.before
        rows = np.arange(len(self.copies.gid), sites.numbers[SETTLED])
        rows = rows[sites.state[rows] == STANDING]
        gid, scale = sites.gid[rows], np.empty(len(rows))
        sizes_of(gid, self.recipe, scale)
        species = np.full(len(rows), self.batch.species, np.int32)
        new = PlacedSpheres(gid, species, scale, sites.ball[rows])
        return PlacedSpheres(*(np.concatenate(columns) for columns in zip(before, new, strict=True))) if len(before.gid) else new


def _outbox(events: int) -> Outbox:
    """Room for what may follow from some events."""
    room = 3 * events + PILE
    return Outbox(np.empty((room, 3), np.int64), np.empty((room, 4)), np.empty(room, np.int64))


def _layers(comm: MPI.Comm, lower: np.ndarray, upper: np.ndarray, domain: BoxDomain | None, radius: float, total: int) -> InsertLayers:
    """Cells at least as wide as the largest sphere, of which each rank has some layers; along periodic axes they fill the period.

    Args:
        comm: communicator.
        lower: (3,) lower corner of the region (m).
        upper: (3,) its upper corner (m).
        domain: box with periodic axes, if any.
        radius: largest radius (m).
        total: number of all spheres.
    """
    period = np.zeros(3) if domain is None else domain.period
    corner = np.zeros(3) if domain is None else np.array(domain.lower, float)
    origin, span = np.where(period > 0.0, corner, lower), np.where(period > 0.0, period, upper - lower)
    counts = np.maximum(1, np.minimum(span / (2.0 * radius * (1.0 + 1e-6)), 1e6)).astype(np.int64)
    while np.prod(counts) > 4 * total + 64:
        counts[np.argmax(counts)] = -(-counts.max() // 2)
    edge = np.where(span > 0.0, span / counts, 1.0)
    axis = int(np.argmax(counts))
    inside = [int(np.clip((end[axis] - origin[axis]) / edge[axis], 0.0, counts[axis] - 1.0)) for end in (lower, upper)]
    owner = np.clip((np.arange(counts[axis]) - inside[0]) * comm.size // (inside[1] - inside[0] + 1), 0, comm.size - 1)
    mine = np.flatnonzero(owner == comm.rank)
    first, slots = (int(mine[0]) - 1, min(len(mine) + 2, int(counts[axis]))) if len(mine) else (0, 0)
    half = np.where(period > 0.0, 0.5 * period, np.inf)
    return InsertLayers(origin, edge, counts, axis, owner, first, slots, comm.rank, corner, period, half, bool((period > 0.0).any()))


def turned(gid: np.ndarray, seed: int, planar: bool) -> np.ndarray:
    """Find the orientations of spheres that were inserted.

    Args:
        gid: (n,) int64 ids.
        seed: seed of the random numbers.
        planar: whether the simulation is two-dimensional.

    Returns:
        (n, 4) unit quaternions.
    """
    q = np.zeros((len(gid), 4))
    turn(gid, seed, planar, q)
    return q


def spheres_of(
    gid: np.ndarray, species: np.ndarray, scale: np.ndarray, position: np.ndarray, radius: np.ndarray, domain: BoxDomain | None
) -> PlacedSpheres:
    """Describe spheres that are placed.

    Args:
        gid: (n,) int64 ids.
        species: (n,) rows of the catalogue.
        scale: (n,) size factors.
        position: (n, 3) centres (m).
        radius: radii of the catalogue (m).
        domain: box with periodic axes, if any.
    """
    return PlacedSpheres(gid, species, scale, np.column_stack([wrapped(position, domain), radius[species] * scale]))
