"""Random insertion by all ranks together, each in its layers of space: the same grains as one rank inserts one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..case.placement import Insert
from ..decomposition.exchange import RowExchange
from ..guard import made_by_first
from ..insertion import BoxDomain, BoxRegion, PlacedGrains, Region, wrapped
from ..insertion import round_kernels as kernels
from ..insertion.placed_grains import make_bodies
from ..insertion.round_bodies import sizes_of, turn
from ..insertion.round_places import COUNT, EMITTED, FULL, NUMBERS, SETTLED, STANDING
from ..insertion.round_tables import Balls, Bodies, InsertLayers, Outbox, Recipe, Sites
from ..shapes.catalogue import Catalogue
from .starting_grains import StartingGrains

FEWEST = 200_000  # grains from which on this pays
BLOCKS = 16
LEAST = 1 << 14  # grains of a block
PATIENCE = 80  # events for each grain of a block, on average, beyond which the bed is too dense for this
PILE = 1 << 16


class SharedGrains(NamedTuple):
    """Grains of a rank, in any order.

    Attributes:
        gid: (n,) int64 ids.
        species: (n,) int32 rows of the catalogue.
        scale: (n,) size factors.
        ball: (n, 4) centres in the domain, and how far the grains reach from there (m).
        q: (n, 4) orientations; (n, 0) if all grains of the case are spheres, whose orientations nothing depends on.
    """

    gid: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    ball: np.ndarray
    q: np.ndarray


class Batch(NamedTuple):
    """What is inserted.

    Attributes:
        first: id of the first grain.
        grains: number of grains.
        species: row of the catalogue.
        sizes: smallest and largest size factor.
        region: where.
        catalogue: catalogue of the case.
    """

    first: int
    grains: int
    species: int
    sizes: tuple[float, float]
    region: Region
    catalogue: Catalogue

    @property
    def reach(self) -> float:
        """How far the largest grain reaches from its centre (m)."""
        return float(_reach(self.catalogue, np.array([self.species]), np.array([self.sizes[1]]))[0])


def batch_of(insert: Insert, region: Region, species: int, catalogue: Catalogue, first: int) -> Batch:
    """Describe the grains of an insert of a case.

    Args:
        insert: the insert.
        region: its region.
        species: row of its species.
        catalogue: catalogue of the case.
        first: id of the first grain.
    """
    sizes = (insert.size.value, insert.size.value) if insert.size.kind == "constant" else (insert.size.min, insert.size.max)
    return Batch(first, insert.count, species, (float(sizes[0]), float(sizes[1])), region, catalogue)


def has_room(batch: Batch, domain: BoxDomain | None) -> bool:
    """Tell whether each grain, however it is turned, fits into the region, the region into the domain, and no grain meets two images of another."""
    region, diameter = batch.region.arrays(), 2.0 * batch.reach
    room = np.where(region.free, np.inf, region.upper - region.lower)
    fits = bool((room > diameter * (1.0 + 1e-6)).all()) and (region.axis < 0 or 2.0 * region.radius > diameter * (1.0 + 1e-6))
    if domain is None:
        return fits
    period, beyond = domain.period, (region.lower < domain.lower) | (region.upper > domain.upper)
    return fits and bool(((period == 0.0) | (period > 2.0 * diameter) & ~beyond).all())


def only_spheres(catalogue: Catalogue) -> bool:
    """Tell whether all species of a catalogue are spheres about their centres."""
    return bool((catalogue.kind == 1).all() and (catalogue.core_radius == 0.0).all())


def rehearse(catalogue: Catalogue) -> None:
    """Compile what insertion by rounds needs, on a few grains.

    Args:
        catalogue: any catalogue; that of spheres has kernels of its own.
    """
    side = 20.0 * float((catalogue.radius + catalogue.core_radius).max())
    region = BoxRegion((0.0, 0.0, 0.0), (side, side, side), planar=bool((catalogue.dimension == 2).all()))
    insert_together(MPI.COMM_SELF, Batch(0, 4, 0, (1.0, 1.0), region, catalogue), shared_grains(StartingGrains.made(0), catalogue, None), None, 0)


def insert_together(comm: MPI.Comm, batch: Batch, placed: SharedGrains, domain: BoxDomain | None, seed: int) -> SharedGrains | None:
    """Insert grains among others. Collective.

    Args:
        comm: communicator.
        batch: what is inserted.
        placed: grains of this rank that are already there.
        domain: box with periodic axes, if there is one.
        seed: seed of the random numbers.

    Returns:
        All grains, old and new, each on one rank; None if the bed is so dense that one after the other is the better way.
    """
    if comm.size > 1:
        made_by_first(comm, lambda: rehearse(batch.catalogue))
    return _Insertion(comm, batch, placed, domain, seed).run()


class _Insertion:
    """One insert, see ``insert_together``."""

    def __init__(self, comm: MPI.Comm, batch: Batch, placed: SharedGrains, domain: BoxDomain | None, seed: int) -> None:
        region = batch.region.arrays()
        self.comm, self.batch = comm, batch
        reach = max(batch.reach, float(comm.allreduce(placed.ball[:, 3].max(initial=0.0), MPI.MAX)))
        total = int(comm.allreduce(len(placed.gid))) + batch.grains
        self.layers = _layers(comm, region.lower, region.upper, domain, reach, total)
        self.before, self.copies = self._brought(placed)
        self.recipe = Recipe(seed, batch.sizes, region, _form(batch, self.copies, domain))
        layers = self.layers
        cells = max(1, layers.slots) * int(np.delete(layers.counts, layers.axis).prod())
        room = len(self.copies.gid) + int(1.1 * batch.grains / comm.size) + LEAST
        self.sites = Sites(
            np.empty((room, 4)), np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int8), np.empty(room, np.int32),
            np.full(cells, -1, np.int32), np.empty(PILE, np.int32), np.zeros(NUMBERS, np.int64),
        )  # fmt: skip
        mine = self._owners(self.copies.ball) == comm.rank
        kernels.add_settled(self.copies.ball, self.copies.gid, mine, self.sites, layers)

    def run(self) -> SharedGrains | None:
        """Insert all grains, block by block."""
        block = max(LEAST, -(-self.batch.grains // BLOCKS))
        for first in range(0, self.batch.grains, block):
            if not self._insert(first, min(first + block, self.batch.grains)):
                return None
            kernels.settle(self.sites, self.layers)
        return self._all()

    def _insert(self, first: int, last: int) -> bool:
        """Insert the grains of a block; whether that could be done."""
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

    def _brought(self, placed: SharedGrains) -> tuple[SharedGrains, SharedGrains]:
        """Grains that are there: those in the layers of this rank, and these with copies of what lies beside them."""
        layer, n = self._layer(placed.ball), int(self.layers.counts[self.layers.axis])
        around = [layer + k for k in (-1, 0, 1)]
        wraps = self.layers.period[self.layers.axis] > 0.0
        owners = [self.layers.owner[at % n if wraps else np.clip(at, 0, n - 1)] for at in around]
        pairs = np.unique(np.column_stack([np.tile(np.arange(len(layer)), 3), np.concatenate(owners)]), axis=0)
        exchange = RowExchange(self.comm, pairs[:, 1])
        copies = SharedGrains(*(exchange(column[pairs[:, 0]]) for column in placed))
        mine = self._owners(copies.ball) == self.comm.rank
        return SharedGrains(*(column[mine] for column in copies)), copies

    def _all(self) -> SharedGrains:
        """All grains in the layers of this rank."""
        sites, before = self.sites, self.before
        rows = np.arange(len(self.copies.gid), sites.numbers[SETTLED])
        rows = rows[sites.state[rows] == STANDING]
        gid, scale = sites.gid[rows], np.empty(len(rows))
        sizes_of(gid, self.recipe, scale)
        species = np.full(len(rows), self.batch.species, np.int32)
        q = turned(gid, self.recipe.seed, self.recipe.region.planar) if self.copies.q.shape[1] else np.empty((len(rows), 0))
        new = SharedGrains(gid, species, scale, sites.ball[rows], q)
        return SharedGrains(*(np.concatenate(columns) for columns in zip(before, new, strict=True))) if len(before.gid) else new


def _outbox(events: int) -> Outbox:
    """Room for what may follow from some events."""
    room = 3 * events + PILE
    return Outbox(np.empty((room, 3), np.int64), np.empty((room, 4)), np.empty(room, np.int64))


def _layers(comm: MPI.Comm, lower: np.ndarray, upper: np.ndarray, domain: BoxDomain | None, reach: float, total: int) -> InsertLayers:
    """Cells at least as wide as the largest grain, of which each rank has some layers; along periodic axes they fill the period.

    Args:
        comm: communicator.
        lower: (3,) lower corner of the region (m).
        upper: (3,) its upper corner (m).
        domain: box with periodic axes, if any.
        reach: how far the largest grain reaches from its centre (m).
        total: number of all grains.
    """
    period = np.zeros(3) if domain is None else domain.period
    corner = np.zeros(3) if domain is None else np.array(domain.lower, float)
    origin, span = np.where(period > 0.0, corner, lower), np.where(period > 0.0, period, upper - lower)
    counts = np.maximum(1, np.minimum(span / (2.0 * reach * (1.0 + 1e-6)), 1e6)).astype(np.int64)
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
    """Find the orientations of grains that were inserted.

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


def _reach(catalogue: Catalogue, species: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """How far grains reach from their centres (m)."""
    found: np.ndarray = catalogue.radius[species] * scale + catalogue.core_radius[species] * scale
    return found


def _form(batch: Batch, there: SharedGrains, domain: BoxDomain | None) -> Balls | Bodies:
    """What is inserted, for the kernels.

    Args:
        batch: what is inserted.
        there: grains that are already there, in the order of their rows.
        domain: box with periodic axes, if any.
    """
    c = batch.catalogue
    if only_spheres(c):
        return Balls(float(c.radius[batch.species]))
    largest = int(np.argmax(np.diff(c.vertex_start)))  # the second grain of the pair may be of any species
    nothing = PlacedGrains(np.empty(0, np.int64), 1.0, np.empty((0, 3)), np.empty((0, 4)))
    pair = make_bodies(c, nothing, np.array([batch.species, largest]), 1.0, None)
    if domain is not None:
        half = np.where(domain.period > 0.0, 0.5 * domain.period, np.inf)
        pair = pair._replace(lower=np.array(domain.lower, float), period=domain.period, half=half, periodic=bool((domain.period > 0.0).any()))
    ends, work = np.zeros((2, 3)), np.empty((12, 4))
    return Bodies(
        batch.species, c.radius, c.core_radius, c.vertex_start, c.vertices, pair, ends, work, there.species.astype(np.int64), there.scale, there.q
    )  # fmt: skip


def shared_grains(grains: StartingGrains, catalogue: Catalogue, domain: BoxDomain | None) -> SharedGrains:
    """Describe grains that are placed.

    Args:
        grains: the grains.
        catalogue: catalogue of the case.
        domain: box with periodic axes, if any.
    """
    ball = np.column_stack([wrapped(grains.position, domain), _reach(catalogue, grains.species, grains.scale)])
    q = np.empty((grains.count, 0)) if only_spheres(catalogue) else grains.orientation
    return SharedGrains(grains.gid, grains.species, grains.scale, ball, q)
