"""Rows by id and checksums: the same for every distribution over ranks."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpi4py import MPI

from pardem.io.state import row_rounds
from pardem.io.state.checksum import joined, part, shifted, width_of
from pardem.io.state.contact_exchange import ContactExchange
from pardem.io.state.full_state import ContactRows
from pardem.io.state.holders import Holders, block_starts
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


def collected(rows: GrainRows | ContactExchange, values: np.ndarray) -> tuple[np.ndarray, int]:
    """This rank's rows and their contribution to the checksum of the whole, from pieces of which two are valid at a time."""
    found, crc = [values[:0].copy()], 0
    for piece in rows.pieces(values):
        assert piece.start == (rows.start + sum(map(len, found)))
        crc ^= part(piece.rows, piece.behind * width_of(piece.rows))
        found.append(piece.rows.copy())
    return np.concatenate(found), crc


def scattered(comm: MPI.Comm, count: int, seed: int, ranks: int) -> np.ndarray:
    """Ids of this rank; only the first ``ranks`` ranks hold any."""
    gid = np.random.default_rng(seed).permutation(count)
    return gid[np.random.default_rng(seed + 1).integers(0, ranks, count) == comm.rank]


@pytest.mark.mpi
@pytest.mark.parametrize("piece", [1, 100, 1 << 22])
@pytest.mark.parametrize("count", [1, 2, 101])
def test_rows_arrive_by_id(monkeypatch: pytest.MonkeyPatch, count: int, piece: int) -> None:
    monkeypatch.setattr(row_rounds, "PIECE", piece)
    comm = MPI.COMM_WORLD
    everything = {"a": np.random.default_rng(5).standard_normal((count, 3)), "b": np.arange(count, dtype=np.int32), "c": np.zeros((count, 2, 2))}
    for ranks in {1, comm.size}:  # also from ranks without grains
        gid = scattered(comm, count, 3, ranks)
        rows = GrainRows(comm, gid, Holders.every(comm), 24)
        for values in everything.values():
            block, crc = collected(rows, values[gid])
            assert block.dtype == values.dtype
            assert np.array_equal(block, values[rows.start : rows.stop])
            assert joined(comm, [crc]) == [zlib.crc32(values.tobytes())]


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
        GrainRows(comm, np.where(gid == 3, 4, gid), Holders.every(comm), 8)
    with pytest.raises(ValueError, match="do not fit"):
        GrainRows(comm, np.where(gid == 3, 1000, gid), Holders.every(comm), 8)


def test_rows_on_one_rank() -> None:
    rows = GrainRows(MPI.COMM_SELF, np.array([2, 0, 1]), Holders.every(MPI.COMM_SELF), 8)
    assert collected(rows, np.array([20.0, 0.0, 10.0]))[0].tolist() == [0.0, 10.0, 20.0]


@pytest.mark.mpi
@pytest.mark.parametrize("piece", [1, 1000, 1 << 22])
def test_contacts_arrive_by_key_and_once(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Those of a grain with hundreds of contacts among them; each is known to two ranks."""
    monkeypatch.setattr(row_rounds, "PIECE", piece)
    comm, count, draw = MPI.COMM_WORLD, 60, np.random.default_rng(2)
    lower = np.where(draw.random(900) < 0.4, 7, draw.integers(0, count, 900))
    key = np.column_stack([lower, draw.integers(-3, count, 900), draw.integers(-2, 9, 900)])
    key, values = np.unique(key, axis=0), draw.random((len(key), 2))
    values = values[: len(key)]
    mine = np.flatnonzero((np.arange(len(key)) % comm.size == comm.rank) | ((np.arange(len(key)) + 1) % comm.size == comm.rank))
    mine = np.random.default_rng(comm.rank).permutation(mine)
    marks = np.arange(0, count, 4)
    contacts = ContactExchange(comm, key[mine], count, Holders.every(comm), 24, marks)
    assert contacts.total == len(key)
    for every in (values, values[:, 1], key[:, 2], values[:, :0]):
        block, crc = collected(contacts, every[mine])
        assert np.array_equal(block, every[contacts.start : contacts.start + contacts.count])
        assert joined(comm, [crc]) == [zlib.crc32(every.tobytes())]
    assert np.array_equal(comm.allreduce(contacts.first), np.searchsorted(key[:, 0], marks))


@pytest.mark.parametrize("piece", [1, 40, 1 << 22])
def test_columns_of_an_array_and_other_types_arrive_without_a_copy_of_the_whole(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(row_rounds, "PIECE", piece)
    gid, table = np.random.default_rng(1).permutation(30), np.random.default_rng(1).random((40, 5))
    rows = GrainRows(MPI.COMM_SELF, gid, Holders.every(MPI.COMM_SELF), 40)
    odd = (table[:30, ::2], table[:30].T.copy().T, table[::-1][:30])
    for values in (table[:30], table[5:35], table[5:35, 1:4], table[3:33, 2], table[:30, 4:], *odd):
        right, single = values[np.argsort(gid)], np.dtype(np.float32)
        assert np.array_equal(collected(rows, values)[0], right)
        assert np.array_equal(np.concatenate([p.rows.copy() for p in rows.pieces(values, single)]), right.astype(single))


def test_keys_that_are_columns_of_one_array_are_not_copied() -> None:
    table, none = np.array([[0, 1, 2], [0, 4, 5], [3, 7, 8], [3, -1, 0]]), np.zeros((4, 0))
    assert ContactRows(*table.T, none, none).key() is table
    for columns in ((table[:, 1], table[:, 0], table[:, 2]), table[:2].T, [np.arange(3), np.arange(3), np.arange(3)]):
        assert np.array_equal(ContactRows(*columns, none, none).key(), np.stack(columns, axis=1))
