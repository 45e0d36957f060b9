"""Tables of the state: what is packed comes back to the bit, and rows reach the ranks that they are meant for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.decomposition.agreement import sums_and_maxima
from pardem.decomposition.exchange import RowExchange, exchanges
from pardem.decomposition.ghosts import NEEDED
from pardem.decomposition.halo import moving_arrays
from pardem.decomposition.migration import migrate
from pardem.decomposition.nested_slabs import Nested
from pardem.state.arrays import Grains
from pardem.state.memory import LINE
from pardem.state.population import ContactTable, Population
from pardem.state.table import Table


def filled(table: Table, seed: int) -> Any:
    """The same table with random numbers everywhere."""
    rng = np.random.default_rng(seed)
    for name in table.columns:
        array = getattr(table, name)
        array[:] = rng.integers(-(2**31), 2**31 - 1, array.shape) if array.dtype.kind == "i" else rng.standard_normal(array.shape)
    return table


def grains(count: int, seed: int = 1, columns: int = 16, past: int = 36) -> Population:
    p = Population.made(count)
    p.widen(columns, past)
    return filled(p, seed)


@pytest.mark.parametrize("count", [0, 1, 2, 57])
@pytest.mark.parametrize("width", [8, 13, 17])
def test_records_come_back_to_the_bit(count: int, width: int) -> None:
    for table in (grains(count), grains(count, columns=8, past=0), filled(ContactTable.blank(width, count), 2)):
        back = table.received(table.records())
        for name in table.columns:
            mine, other = getattr(table, name), getattr(back, name)
            assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
            assert np.array_equal(mine, other)
            assert other.flags.aligned
            assert other.flags.c_contiguous


def test_what_a_ghost_does_not_need_is_that_of_a_new_grain() -> None:
    own = grains(5)
    ghosts = own.received(own.records(NEEDED))
    joined = Population.joined([own, ghosts])
    assert joined.count == 10
    for name, column in Population.columns.items():
        if column.ghosts:
            assert np.array_equal(getattr(ghosts, name), getattr(own, name))
        else:
            assert (getattr(ghosts, name) == column.fill).all()


def test_what_moves_at_every_step_is_sent_in_the_order_of_the_description() -> None:
    names = {name: name for name in Grains._fields}
    moving = moving_arrays.py_func(Grains(**names))  # type: ignore[arg-type]
    assert moving == tuple(name for name, column in Population.columns.items() if column.moves)
    assert moving[-1] == "q"  # spheres leave it out


@pytest.mark.mpi
def test_rows_of_any_kind_reach_their_ranks() -> None:
    comm = MPI.COMM_WORLD
    target = np.random.default_rng(comm.rank).integers(0, comm.size, 40)
    exchange = RowExchange(comm, target)
    came = exchange(np.stack([np.full(40, comm.rank), np.arange(40), target], axis=1))
    assert (came[:, 2] == comm.rank).all()
    everyone = comm.allgather(target)
    expected = [(rank, row) for rank, to in enumerate(everyone) for row in np.flatnonzero(to == comm.rank)]
    assert came[:, :2].tolist() == [[rank, row] for rank, row in expected]
    assert exchange.arriving.tolist() == [int((to == comm.rank).sum()) for to in everyone]
    assert exchange(np.zeros((40, 0))).shape == (len(expected), 0)
    few = exchange(target.astype(np.int32), np.arange(0, len(expected), 3))
    assert few.dtype == np.int32
    assert len(few) == len(range(0, len(expected), 3))


@pytest.mark.mpi
def test_grains_and_their_contacts_go_to_the_owner_of_the_place() -> None:
    comm = MPI.COMM_WORLD
    count = 60
    everything = grains(count, seed=5)
    everything.gid[:] = np.arange(count)
    mine = everything.take(everything.gid % comm.size == comm.rank)
    contacts = filled(ContactTable.blank(8, count - 1), 6)
    contacts.key[:] = np.stack([np.arange(count - 1), np.arange(1, count), np.zeros(count - 1)], axis=1)
    known = contacts.take((contacts.key[:, :2] % comm.size == comm.rank).any(axis=1))
    boxes = Nested(comm)
    boxes.divide(mine.x, np.ones(mine.count), np.ones(mine.count))
    arrived, found = migrate(boxes, mine, known)
    assert (boxes.owner(arrived.x) == comm.rank).all()
    assert sorted(np.concatenate(comm.allgather(arrived.gid))) == list(range(count))
    for name in Population.columns:
        assert np.array_equal(getattr(arrived, name), getattr(everything, name)[arrived.gid])
    needed = np.isin(contacts.key[:, :2], arrived.gid).any(axis=1)
    assert set(np.flatnonzero(needed)) <= set(found.key[:, 0])
    assert np.array_equal(found.hist, contacts.hist[found.key[:, 0]])


@pytest.mark.mpi
def test_ranks_agree_on_sums_and_largest_values_in_one_message() -> None:
    comm = MPI.COMM_WORLD
    counts, values = [comm.rank, 2**40, -1], [float(comm.rank), -5.0 - comm.rank, np.inf if comm.rank == 0 else 0.0]
    size = comm.size
    assert sums_and_maxima(comm, counts, values) == ([size * (size - 1) // 2, size * 2**40, -size], [size - 1.0, -5.0, np.inf])
    assert np.isnan(sums_and_maxima(comm, [1], [np.nan if comm.rank == size - 1 else 1.0])[1][0])
    assert sums_and_maxima(MPI.COMM_SELF, [3], [-2.0]) == ([3], [-2.0])


@pytest.mark.mpi
def test_rows_of_several_kinds_are_announced_together() -> None:
    """Some ranks have nothing for anybody; what one sends to itself stays; exchanges follow each other at once."""
    comm = MPI.COMM_WORLD
    for turn in range(20):
        rng = np.random.default_rng([turn, comm.rank])
        targets = [rng.integers(0, comm.size, rng.integers(0, 4)) for _ in range(2)]
        for exchange, target in zip(exchanges(comm, *targets), targets, strict=True):
            came = exchange(np.stack([np.full(len(target), comm.rank), target], axis=1))
            sent = comm.allgather(target)
            assert came.tolist() == [[rank, comm.rank] for rank, to in enumerate(sent) for _ in range(int((to == comm.rank).sum()))]
            assert exchange.arriving.tolist() == [int((to == comm.rank).sum()) for to in sent]


def test_rows_of_grains_do_not_straddle_lines_of_the_cache() -> None:
    grains = Population.made(5)
    grains.gid[:] = 4, 2, 0, 1, 3
    grains.x[:, 0] = grains.gid
    grains.arrange(np.argsort(grains.gid))
    assert grains.x[:, 0].tolist() == [0, 1, 2, 3, 4]
    both = Population.joined([grains, grains.take([1])])
    assert both.gid.tolist() == [0, 1, 2, 3, 4, 1]
    assert {getattr(table, name).ctypes.data % LINE for table in (grains, both) for name in ("x", "v", "w", "ft")} == {0}
