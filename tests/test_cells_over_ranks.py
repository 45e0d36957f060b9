"""Power cells that ranks cut for themselves: those of the triangulation, and the same bits however the spheres are shared."""

from __future__ import annotations

import numpy as np
import pytest
from mpi4py import MPI

from pardem.observables import cells_over_ranks
from pardem.observables.cells_over_ranks import cell_volumes
from pardem.triangulation.triangulation import Triangulation

LOWER, UPPER = np.zeros(3), np.array([10.0, 10.0, 10.0])
TALL = np.array([10.0, 10.0, 60.0])


def cloud(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Spheres (n, 4) and the upper corner of their box."""
    rng = np.random.default_rng(5)
    if name == "lattice":  # all that can be degenerate
        return np.column_stack([np.indices((5, 5, 5)).reshape(3, -1).T * 2.0 + 1.0, np.full(125, 0.81)]), UPPER
    places = rng.uniform(0.0, 10.0, (300, 3))
    if name == "bed":  # under much free space
        return np.column_stack([places * (1.0, 1.0, 0.5), rng.uniform(0.2, 0.4, 300)]), TALL
    if name == "layer":
        return np.column_stack([places * (1.0, 1.0, 0.02), rng.uniform(0.05, 0.1, 300)]), TALL
    if name == "sizes":  # most spheres are small, and some of them hidden
        return np.column_stack([places, np.where(np.arange(300) < 20, 1.5, 0.01)]), UPPER
    if name == "few":
        return np.column_stack([places[:3], (0.1, 0.2, 0.3)]), TALL
    return np.column_stack([places, rng.uniform(0.001, 0.002, 300)]), UPPER


CLOUDS = ("gas", "bed", "layer", "sizes", "lattice", "few")


@pytest.mark.parametrize("name", CLOUDS)
def test_cells_are_those_of_the_triangulation(name: str) -> None:
    spheres, upper = cloud(name)
    found = cell_volumes(MPI.COMM_SELF, spheres, [spheres], LOWER, upper)
    expected = Triangulation(spheres[:, :3], spheres[:, 3]).volumes(LOWER, upper)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * np.prod(upper))
    assert found.sum() == pytest.approx(np.prod(upper), rel=1e-11)


def test_no_spheres_no_cells() -> None:
    assert len(cell_volumes(MPI.COMM_SELF, np.empty((0, 4)), [np.empty((0, 4))], LOWER, UPPER)) == 0


@pytest.mark.mpi
@pytest.mark.ranks(3)
@pytest.mark.parametrize("sharing", ["slabs", "any", "one"])
@pytest.mark.parametrize("name", CLOUDS)
def test_the_same_bits_however_spheres_are_shared(name: str, sharing: str) -> None:
    comm = MPI.COMM_WORLD
    spheres, upper = cloud(name)
    expected = cell_volumes(MPI.COMM_SELF, spheres, [spheres], LOWER, upper)
    owner = {"slabs": spheres[:, 0] * comm.size / 10.0001, "any": np.random.default_rng(1).permutation(len(spheres)) % comm.size,
             "one": np.full(len(spheres), comm.size - 1)}[sharing]  # fmt: skip
    mine = np.flatnonzero(owner.astype(int) == comm.rank)[::-1]
    found = cell_volumes(comm, spheres[mine], [spheres[mine][::2], spheres[mine][1::2]], LOWER, upper)
    np.testing.assert_array_equal(found, expected[mine])


@pytest.mark.mpi
@pytest.mark.ranks(4)
def test_no_rank_is_sent_all_spheres(monkeypatch: pytest.MonkeyPatch) -> None:
    comm, known, plain = MPI.COMM_WORLD, [], cells_over_ranks.grid_of
    places = np.random.default_rng(2).uniform(0.0, 1.0, (2000, 3)) * (40.0, 5.0, 5.0)
    mine = places[(places[:, 0] * comm.size / 40.0).astype(int) == comm.rank]
    spheres = np.column_stack([mine, np.full(len(mine), 0.25)])
    monkeypatch.setattr(cells_over_ranks, "grid_of", lambda spheres: known.append(len(spheres)) or plain(spheres))
    volumes = cell_volumes(comm, spheres, [spheres], np.zeros(3), np.array([40.0, 5.0, 5.0]))
    assert comm.allreduce(volumes.sum()) == pytest.approx(1000.0, rel=1e-11)
    if comm.size == 4:
        assert max(known) < 1400  # a quarter, and a layer on both sides
