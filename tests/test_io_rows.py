"""Rows by id and checksums: the same for every distribution over ranks."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpi4py import MPI

from pardem.io.state.checksum import joined, part, shifted, width_of
from pardem.io.state.holders import block_starts
from pardem.io.state.ordered_rows import GrainRows, IdExchange


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_checksums_of_parts_combine_to_that_of_the_whole(first: bytes, second: bytes) -> None:
    assert shifted(zlib.crc32(first), len(second)) ^ zlib.crc32(second) == zlib.crc32(first + second)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**40), st.integers(0, 2**40))
def test_data_that_follow_in_two_pieces_shift_like_one(crc: int, first: int, second: int) -> None:
    assert shifted(crc, first + second) == shifted(shifted(crc, first), second)


def test_a_checksum_with_much_behind_it() -> None:
    behind = bytes(range(256)) * 300
    assert shifted(zlib.crc32(b"grains"), len(behind)) ^ zlib.crc32(behind) == zlib.crc32(b"grains" + behind)


@pytest.mark.parametrize(("count", "ranks"), [(10, 1), (10, 3), (2, 4), (0, 2), (10_000_019, 64)])
def test_blocks_cover_all_ids(count: int, ranks: int) -> None:
    starts = block_starts(count, ranks)
    sizes = np.diff(starts)
    assert starts[0] == 0
    assert starts[-1] == count
    assert sizes.max() - sizes.min() <= 1


def scattered(comm: MPI.Comm, count: int, seed: int, ranks: int) -> np.ndarray:
    """Ids of this rank; only the first ``ranks`` ranks hold any."""
    gid = np.random.default_rng(seed).permutation(count)
    return gid[np.random.default_rng(seed + 1).integers(0, ranks, count) == comm.rank]


@pytest.mark.mpi
@pytest.mark.parametrize("count", [1, 2, 101])
def test_rows_arrive_by_id(count: int) -> None:
    comm = MPI.COMM_WORLD
    everything = {"a": np.random.default_rng(5).standard_normal((count, 3)), "b": np.arange(count, dtype=np.int32), "c": np.zeros((count, 2, 2))}
    for ranks in {1, comm.size}:  # also from ranks without grains
        gid = scattered(comm, count, 3, ranks)
        rows = GrainRows(comm, gid)
        for values in everything.values():
            block = rows(values[gid])
            assert block.dtype == values.dtype
            assert np.array_equal(block, values[rows.start : rows.stop])
            assert joined(comm, [part(block, (count - rows.stop) * width_of(block))]) == [zlib.crc32(values.tobytes())]


@pytest.mark.mpi
def test_rows_without_a_single_order_come_by_block() -> None:
    comm = MPI.COMM_WORLD
    ids = np.array([4, 0, 4, 2], dtype=np.int64)
    exchange = IdExchange(comm, ids, 5)
    mine = exchange(ids)
    assert sorted(mine) == sorted(i for _ in range(comm.size) for i in ids if exchange.start <= i < exchange.stop)


@pytest.mark.mpi
def test_ids_that_are_missing_twice_there_or_out_of_range_are_errors_on_all_ranks() -> None:
    comm = MPI.COMM_WORLD
    gid = np.arange(comm.rank * 5, comm.rank * 5 + 5)
    with pytest.raises(ValueError, match="grain 3 is owned by no rank or by more than one"):
        GrainRows(comm, np.where(gid == 3, 4, gid))
    with pytest.raises(ValueError, match="do not fit"):
        GrainRows(comm, np.where(gid == 3, 1000, gid))


def test_rows_on_one_rank() -> None:
    rows = GrainRows(MPI.COMM_SELF, np.array([2, 0, 1]))
    assert rows(np.array([20.0, 0.0, 10.0])).tolist() == [0.0, 10.0, 20.0]
