"""Nested cuts and ghosts: with imagined communicators of up to a thousand ranks, whose grains all lie in this process, and with real ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scipy.spatial import cKDTree

from pardem.decomposition.boxes import images_in_reach, rows_in_reach, trim_box
from pardem.decomposition.ghosts import plan_ghosts
from pardem.decomposition.grids import ANY, BedExtent, Grid, communication, fitting_grids, grids_of
from pardem.decomposition.nested_slabs import IMBALANCE, Nested
from pardem.decomposition.quantiles import quantiles
from pardem.decomposition.thin_boxes import fineness_notice
from pardem.errors import CaseError

SKIN = 0.1


class Imagined:
    """A communicator of many ranks of which this process holds all grains: what the others would add is there already."""

    rank = 0

    def __init__(self, size: int) -> None:
        self.size = size

    def Allreduce(self, send: Any, receive: np.ndarray, op: MPI.Op) -> None:
        if send is not MPI.IN_PLACE:
            receive[:] = send


def nested(ranks: int, grid: Grid = ANY) -> Nested:
    return Nested(Imagined(ranks), grid)  # type: ignore[arg-type]


def cloud(kind: str, count: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres, half-extents and a period of grains in a box of 9 x 6 x 4."""
    rng = np.random.default_rng(seed)
    sides = np.array([9.0, 6.0, 4.0])
    x, extent, period = rng.uniform(0.0, sides, (count, 3)), rng.uniform(0.03, 0.12, (count, 3)), np.zeros(3)
    if kind == "periodic":
        period = sides
    if kind == "rods":  # longer than a box
        extent[np.arange(count), rng.integers(0, 3, count)] = 0.7
    if kind == "clusters":  # with space between them, and a stray grain far away
        x = np.floor(x) + 0.2 * (x - np.floor(x))
        x[0] = 1e4
    if kind == "lattice":
        x, extent = np.floor(x / 0.5) * 0.5, np.full((count, 3), 0.25)
    if kind == "layer":
        x[:, 2] = 0.0
    return x, extent, period


def pairs_in_reach(x: np.ndarray, extent: np.ndarray, period: np.ndarray) -> np.ndarray:
    """All pairs whose boxes, widened by the skin, meet in any image."""
    far = 2.0 * np.sqrt((extent**2).sum(axis=1)).max() + SKIN
    shifts = [(0.0,) if length == 0.0 else (0.0, -length, length) for length in period]
    found = []
    tree = cKDTree(x)
    for shift in np.array(np.meshgrid(*shifts)).reshape(3, -1).T:
        met = tree.sparse_distance_matrix(cKDTree(x + shift), far, output_type="ndarray")
        i, j = met["i"], met["j"]
        near = (np.abs(x[i] - x[j] - shift) <= extent[i] + extent[j] + SKIN * (1.0 - 1e-9)).all(axis=1) & (i != j)
        found.append(np.stack([i[near], j[near]], axis=1))
    return np.concatenate(found)


def boxes_of(owner: np.ndarray, ranks: int, x: np.ndarray, extent: np.ndarray) -> np.ndarray:
    """What each rank would tell of its grains."""
    boxes = np.empty((ranks, 2, 3))
    boxes[:, 0], boxes[:, 1] = np.inf, -np.inf
    np.minimum.at(boxes[:, 0], owner, x - extent)
    np.maximum.at(boxes[:, 1], owner, x + extent)
    return boxes


def meets(x: np.ndarray, extent: np.ndarray, box: np.ndarray, period: np.ndarray) -> np.ndarray:
    """Whether each grain, widened by the skin, meets its box in any image; axes are independent of each other."""
    found = np.zeros(x.shape, bool)
    for image in (-1.0, 0.0, 1.0):
        there = x + image * period
        away = np.maximum(box[:, 0] - there, there - box[:, 1])
        found |= away <= extent + SKIN * (1.0 + 1e-9)
    return np.asarray(found.all(axis=1))


@pytest.mark.parametrize("kind", ["bed", "periodic", "rods", "clusters", "lattice", "layer"])
@pytest.mark.parametrize(
    ("ranks", "grid", "count"),
    [
        (1, ANY, 50),
        (2, ANY, 400),
        (7, (7, 1, 1), 400),
        (8, (2, 2, 2), 400),
        (12, (2, 3, 2), 30),
        (12, (1, 4, 3), 400),
        (60, ANY, 3000),
        (90, (90, 1, 1), 400),
        (343, (7, 7, 7), 3000),
        (1000, ANY, 3000),
        (1000, (10, 10, 10), 200),
    ],
)
def test_every_pair_in_reach_is_known_to_both_owners(kind: str, ranks: int, grid: Grid, count: int) -> None:
    """And no grain goes where its box meets none, nor twice to the same rank, whatever the order in which boxes were looked at."""
    x, extent, period = cloud(kind, count)
    parts = nested(ranks, grid)
    parts.divide(x, np.full(count, 0.1), np.ones(count))
    owner = parts.owner(x)
    assert np.prod(parts.grid) == ranks
    assert ((owner >= 0) & (owner < ranks)).all()
    boxes = boxes_of(owner, ranks, x, extent)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(ranks + 1))
    known = np.zeros((count, ranks), bool)  # which rank knows which grain
    known[np.arange(count), owner] = True
    for rank in range(ranks):
        own = order[starts[rank] : starts[rank + 1]]
        images = images_in_reach(boxes, rank, SKIN, period)
        rows, targets = rows_in_reach(x[own], extent[own], boxes[rank], images)
        assert (np.diff(targets) >= 0).all()
        assert not known[own[rows], targets].any()
        known[own[rows], targets] = True
        assert known[own[rows], targets].sum() == len(rows) == len(set(zip(rows, targets, strict=True)))
        assert meets(x[own[rows]], extent[own[rows]], boxes[targets], period).all()
    pairs = pairs_in_reach(x, extent, period)
    assert len(pairs) or count < 100
    assert known[pairs[:, 0], owner[pairs[:, 1]]].all()
    assert known[pairs[:, 1], owner[pairs[:, 0]]].all()


def test_grains_that_no_other_box_reaches_are_not_held_against_any() -> None:
    """In the middle of 27 boxes, and between two thin ones above and below."""
    unit = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    around = np.array([np.add(unit, (i, j, k)) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    for others, expected in ((around, [[0.1] * 3, [0.9] * 3]), (around[[13, 12, 14]], [[0.0, 0.0, 0.1], [1.0, 1.0, 0.9]])):
        me = next(k for k, box in enumerate(others) if np.array_equal(box, unit))
        images = images_in_reach(others, me, SKIN, np.zeros(3))
        inner = unit.copy()
        trim_box(inner, unit, images.box)
        assert np.allclose(inner, expected, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("kind", ["bed", "clusters"])
@pytest.mark.parametrize(("ranks", "grid"), [(8, (2, 2, 2)), (64, ANY), (1000, (10, 10, 10)), (1000, (1000, 1, 1))])
def test_work_is_shared_equally(kind: str, ranks: int, grid: Grid) -> None:
    """To a few grains for each of the three cuts, also where a stray grain lies a thousand times as far away as the others reach."""
    count = 60 * ranks
    x = cloud(kind, count)[0]
    work = np.random.default_rng(4).uniform(1.0, 9.0, count)
    parts = nested(ranks, grid)
    parts.divide(x, np.full(count, 0.1), work)
    load = np.bincount(parts.owner(x), work, ranks)
    assert load.max() / load.mean() < 1.0 + 5.0 * work.max() / load.mean() / 2.0
    assert load.min() / load.mean() > 1.0 - 5.0 * work.max() / load.mean() / 2.0


def test_quantiles_against_sorting() -> None:
    rng = np.random.default_rng(8)
    value, group, work = rng.lognormal(0.0, 4.0, 20000), rng.integers(0, 3, 20000), rng.integers(1, 9, 20000)
    shares = np.array([1, 10, 50, 90, 99])
    found = quantiles(Imagined(1), value, group, work, 4, shares, 100)  # type: ignore[arg-type]
    for g in range(3):
        mine = group == g
        order = np.argsort(value[mine])
        assert found.total[g] == work[mine].sum()
        assert (found.low[g], found.high[g]) == (value[mine].min(), value[mine].max())
        for share, place in zip(shares, found.place[g], strict=True):
            below = work[mine][order][value[mine][order] < place].sum()
            assert abs(below - share / 100 * found.total[g]) <= max(8, found.total[g] / 51200)
    assert found.total[3] == 0
    assert found.low[3] > found.high[3]


def test_grids_fit_the_number_of_ranks() -> None:
    assert grids_of(1, ANY) == [(1, 1, 1)]
    assert set(grids_of(4, ANY)) == {(4, 1, 1), (1, 4, 1), (1, 1, 4), (2, 2, 1), (2, 1, 2), (1, 2, 2)}
    assert grids_of(12, (0, 3, 0)) == [(4, 3, 1), (2, 3, 2), (1, 3, 4)]
    assert grids_of(6, (0, 1, 1)) == [(6, 1, 1)]
    assert grids_of(6, (4, 0, 0)) == []
    assert grids_of(1_000_003, (0, 1, 0)) == [(1_000_003, 1, 1), (1, 1, 1_000_003)]
    with pytest.raises(CaseError, match=r"parallel\.grid = \[2, 2, 2\] does not fit the number of ranks, 6: .* whose product is 6"):
        nested(6, (2, 2, 2))


def test_more_ranks_than_mpi_can_start_are_refused_at_once() -> None:
    for ranks, wanted in ((2**53, (0, 1, 2**53)), (10**30, ANY)):
        with pytest.raises(CaseError, match="MPI cannot start more than 2147483647"):
            fitting_grids(ranks, wanted)


@pytest.mark.parametrize(
    ("ranks", "sides", "expected"),
    [
        (8, (10.0, 10.0, 10.0), {2}),
        (8, (80.0, 3.0, 3.0), {8, 1}),
        (16, (40.0, 40.0, 2.0), {4, 1}),
        (7, (10.0, 20.0, 10.0), {7, 1}),
        (6, (9.0, 8.0, 0.0), {3, 2, 1}),
    ],
)
def test_the_grid_follows_the_extents_of_the_grains(ranks: int, sides: tuple[float, float, float], expected: set[int]) -> None:
    bed = BedExtent(sides, 0.1, 100000)
    best = min(grids_of(ranks, ANY), key=lambda grid: communication(grid, bed))
    assert set(best) == expected
    assert best[int(np.argmax(sides))] == max(best)


@pytest.mark.parametrize("grid", [(8, 1, 1), (2, 2, 2), (4, 2, 1), (3, 3, 3)])
def test_predicted_ghosts_are_those_that_there_are(grid: Grid) -> None:
    """Spheres of equal size at random places; the prediction leaves out the skin, and knows nothing of messages here."""
    rng, ranks, radius = np.random.default_rng(5), int(np.prod(grid)), 0.1
    count = 8000
    x, extent = rng.uniform(0.0, 4.0, (count, 3)), np.full((count, 3), radius)
    parts = nested(ranks, grid)
    parts.divide(x, extent[:, 0], np.ones(count))
    owner = parts.owner(x)
    boxes = boxes_of(owner, ranks, x, extent)
    ghosts = 0
    for rank in range(ranks):
        own = owner == rank
        ghosts += len(rows_in_reach(x[own], extent[own], boxes[rank], images_in_reach(boxes, rank, 0.0, np.zeros(3)))[0])
    messages = communication(grid, BedExtent((4.0, 4.0, 4.0), 2.0 * radius, 0))
    predicted = communication(grid, BedExtent((4.0, 4.0, 4.0), 2.0 * radius, count)) - messages
    assert abs(ghosts / ranks / predicted - 1.0) < 0.1


def test_the_grid_is_revised_when_the_bed_has_changed() -> None:
    """Grains that fill a tall box are cut across z; once they lie on its floor they are not."""
    rng, count = np.random.default_rng(6), 4000
    x = rng.uniform(0.0, (4.0, 4.0, 40.0), (count, 3))
    parts, radius, work = nested(8), np.full(count, 0.1), np.ones(count)
    parts.divide(x, radius, work)
    assert parts.grid[2] == 8
    x[:, 2] *= 0.05
    parts.balance(x, radius, work, 1.0)
    assert parts.grid[2] < 3
    load = np.bincount(parts.owner(x), minlength=8)
    assert load.max() < IMBALANCE * load.mean()
    still = Nested(Imagined(8), ANY, rebalance=False)  # type: ignore[arg-type]
    still.divide(x, radius, work)
    before = still.grid
    x[:, 2] *= 20.0
    still.balance(x, radius, work, 9.0)
    assert still.grid == before


@pytest.mark.mpi
def test_boxes_thinner_than_a_grain_are_told() -> None:
    """Once the cuts are closer to each other than the largest grain is wide, on any rank; and more ranks than grains."""
    comm = MPI.COMM_WORLD
    if comm.size < 3:
        pytest.skip("two parts have one cut between them, and the space beside it")
    x = cloud("even", 3000)[0][comm.rank :: comm.size]
    slabs = Nested(comm, (comm.size, 1, 1))
    slabs.divide(x, np.zeros(0), np.ones(len(x)))
    width = 9.0 / comm.size
    assert fineness_notice(slabs, np.full(len(x), 0.45 * width)) == ""
    large = np.where(np.arange(len(x)) == 7, 0.6 * width, 0.1) if comm.rank == 1 else np.full(len(x), 0.1)
    said = fineness_notice(slabs, large)
    assert said.startswith(f"the grid of {comm.size} x 1 x 1 ranks has boxes ")
    assert f"the largest grain measures {1.2 * width:.2g} m" in said
    assert comm.allgather(said) == [said] * comm.size
    alone = fineness_notice(slabs, np.full(int(comm.rank == 0), 0.1))
    assert alone == f"{comm.size} ranks share 1 grain: some of them have nothing to do; start fewer ranks"


@pytest.mark.mpi
def test_cuts_do_not_depend_on_where_the_grains_are() -> None:
    """The same bits as with all grains on one rank, on every rank."""
    comm = MPI.COMM_WORLD
    x, _, _ = cloud("bed", 500)
    radius, work = np.full(500, 0.1), np.random.default_rng(2).uniform(1.0, 20.0, 500)
    alone = nested(comm.size)
    alone.divide(x, radius, work)
    together = Nested(comm)
    mine = np.random.default_rng(7).integers(0, comm.size, 500) == comm.rank
    together.divide(x[mine], radius[mine], work[mine])
    assert together.grid == alone.grid
    assert all(np.array_equal(a, b) for a, b in zip(together.cuts, alone.cuts, strict=True))


@pytest.mark.mpi
@pytest.mark.parametrize("kind", ["bed", "periodic", "rods"])
@pytest.mark.parametrize("slabs", [False, True])
def test_ghosts_arrive(kind: str, slabs: bool) -> None:
    """What a rank receives: all grains of others that its own may meet, each once."""
    comm = MPI.COMM_WORLD
    x, extent, period = cloud(kind, 300)
    parts = Nested(comm, (0, 1, 1) if slabs else ANY)
    dealt = slice(comm.rank, None, comm.size)
    parts.divide(x[dealt], extent[dealt].max(axis=1), np.ones(len(x[dealt])))
    owner = parts.owner(x)
    own = np.flatnonzero(owner == comm.rank)
    plan = plan_ghosts(comm, x[own], extent[own], SKIN, period)
    ghosts = plan.exchange(own[plan.rows])
    assert len(np.unique(ghosts)) == len(ghosts)
    assert (owner[ghosts] != comm.rank).all()
    pairs = pairs_in_reach(x, extent, period)
    needed = pairs[(owner[pairs[:, 0]] == comm.rank) & (owner[pairs[:, 1]] != comm.rank), 1]
    assert np.isin(needed, ghosts).all()
