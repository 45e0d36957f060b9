"""What the first rank makes reaches the others: the grains of a case, whole and once each, and its errors."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.decomposition import scatter
from pardem.decomposition.scatter import scattered
from pardem.errors import InsertionError
from pardem.guard import made_once
from pardem.setup.initial_grains import initial_grains, own_initial_grains, size_range
from pardem.setup.preparation import build_scene
from pardem.setup.starting_grains import StartingGrains
from pardem.state.population import Population

COMM = MPI.COMM_WORLD
BOX = {"lower": [0.0, 0.0, 0.0], "upper": [0.05, 0.05, 0.05]}


def case(**changes: Any) -> Case:
    """Grains of two sizes that are inserted, and one that is given and moves."""
    return Case(**{
        "time": {"step": 2e-5}, "domain": BOX,
        "species": [{"name": "ball", "shape": "sphere", "radius": 1e-3, "density": 2e3}],
        "grain": [{"species": "ball", "position": [0.02, 0.02, 0.02], "velocity": [1.0, 0.0, 0.0], "angular_velocity": [0.0, 3.0, 0.0]}],
        "insert": [{"species": "ball", "count": 40, "region": {"kind": "box", **BOX}, "size": {"kind": "uniform", "min": 0.5, "max": 1.0}}],
        "contact": {"restitution": 0.5, "contact_time": 1e-3}, "stage": [{"name": "run", "kind": "run", "steps": 1}],
    } | changes)  # fmt: skip


@pytest.mark.mpi
def test_the_shares_of_the_ranks_are_all_grains() -> None:
    grains = case()
    catalogue = build_scene(grains, *size_range(grains)).catalogue
    mine, whole = own_initial_grains(COMM, grains, catalogue), initial_grains(grains, catalogue)
    together = Population.joined(COMM.allgather(mine))
    assert together.gid.tolist() == list(range(41))
    for name in Population.columns:
        assert np.array_equal(getattr(together, name), getattr(whole, name)), name
    assert max(COMM.allgather(mine.count)) - min(COMM.allgather(mine.count)) <= 1


@pytest.mark.mpi
def test_an_error_of_the_first_rank_is_that_of_all() -> None:
    full = case(insert=[{"species": "ball", "count": 30_000, "region": {"kind": "box", **BOX}}])
    catalogue = build_scene(case(), *size_range(case())).catalogue
    with pytest.raises(InsertionError, match="would fill"):
        own_initial_grains(COMM, full, catalogue)
    assert made_once(COMM, lambda: COMM.rank + 7) == 7


@pytest.mark.mpi(min_size=2)
def test_other_ranks_hold_no_more_than_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scatter, "BLOCK", 1000)  # several messages
    count = 100_003
    rows = StartingGrains.made(count, {"gid": np.arange(count)}) if COMM.rank == 0 else None
    tracemalloc.start()
    mine = scattered(COMM, rows, StartingGrains.made(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    ends = np.arange(COMM.size + 1) * count // COMM.size
    assert np.array_equal(mine.gid, np.arange(ends[COMM.rank], ends[COMM.rank + 1]))
    if COMM.rank > 0:
        assert peak < 2.2 * mine.count * mine.records().dtype.itemsize + 100_000
