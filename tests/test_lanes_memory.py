"""Lanes at rows of arrays: read, written, added, chosen by places, as single numbers are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core import config

from pardem.compiled.choices import select
from pardem.compiled.jit import kernel
from pardem.compiled.lanes.arithmetic import all_of, any_of
from pardem.compiled.lanes.flags import append, first_lanes, flag_at, raised, raised_at
from pardem.compiled.lanes.memory import load, pick, put, store
from pardem.compiled.lanes.places import all_alike, either_place, lower_places, members, members_at, moved_by, neighbours, words
from pardem.compiled.lanes.rows import add_rows, column_at, gather, put_column, scatter, scatter_add, subtract_rows, sum_of_rows, transpose
from pardem.compiled.lanes.types import WIDTH

RNG = np.random.default_rng(6)


@kernel(cache=False)
def _move(index, row_of_index, x, y, sums, flags, more, answer, total):
    at = members(index, 3)
    rows = members_at(row_of_index, at)
    a, b, c, d = transpose(gather(x, rows, 6, 1))
    scatter(y, at, 4, 0, transpose((a, 2.0 * b, c, d)))
    counts = gather(more, at, 4, 0)
    scatter_add(sums, rows, 8, 4, counts)
    add_rows(sums, rows, 8, counts, gather(more, rows, 4, 0))
    subtract_rows(sums, at, 8, counts, counts)
    store(total, 0, sum_of_rows(counts))
    before, alive = raised(flags, 2), raised_at(flags, at)
    store(answer, 0, select(before, 1, 0))
    store(answer, WIDTH, select(alive, 1, 0))
    return any_of(alive), all_of(alive), all_of(alive | (not alive)), any_of(alive & (not alive))


def test_rows_travel_there_and_back() -> None:
    n = 40
    index = RNG.permutation(n).astype(np.int32)
    row_of_index = RNG.integers(0, 5, n).astype(np.int32)  # rows that come several times
    x, more = RNG.normal(size=(n, 6)), RNG.integers(-100, 100, (n, 4))
    flags = RNG.integers(0, 2, n).astype(np.uint8)
    y, sums, answer, total = np.zeros((n, 4)), np.zeros((n, 8), np.int64), np.zeros(16, np.int64), np.zeros(4, np.int64)
    at = index[3 : 3 + WIDTH]
    rows = row_of_index[at]
    alive = flags[at] != 0
    expected = (alive.any(), alive.all(), True, False)
    window = flags[2 : 2 + WIDTH].copy()
    assert _move(index, row_of_index, x, y, sums, flags, more, answer, total) == expected
    assert (total == more[at].sum(axis=0)).all()
    want = np.zeros((n, 4))
    want[at] = x[rows, 1:5] * [1.0, 2.0, 1.0, 1.0]
    np.testing.assert_array_equal(y, want)
    total = np.zeros((n, 8), np.int64)
    np.add.at(total[:, :4], rows, more[at])
    np.add.at(total[:, 4:], rows, more[at] + more[rows])
    np.subtract.at(total, at, np.tile(more[at], 2))
    np.testing.assert_array_equal(sums, total)
    np.testing.assert_array_equal(answer[:WIDTH], window)
    np.testing.assert_array_equal(answer[WIDTH : 2 * WIDTH], alive)


@kernel(cache=False)
def _numbers(index, x, kinds, flags, more, answer):
    at, next_ones = members(index, 2), neighbours(5)
    store(answer, 0, pick(kinds, at) + 0)
    store(answer, WIDTH, pick(more, words(pick(kinds, at) + 1)))
    high = pick(x, at) > 0.0
    flag_at(flags, at, high)
    put(x, next_ones, select(high, 1.0, pick(x, next_ones)))


@kernel(cache=False)
def _short(index, short, x, answer):
    at = members(index, 3)
    store(answer, 0, load(short, 1))  # a place that is not a multiple of eight bytes
    store(answer, WIDTH, pick(short, at))
    put(short, at, load(x, 0))


def test_short_numbers_are_read_as_long_ones_and_rounded_when_written() -> None:
    n = 40
    index, x, short, answer = RNG.permutation(n).astype(np.int32), RNG.normal(size=n), RNG.normal(size=n).astype(np.float32), np.empty(2 * WIDTH)
    at, before = index[3 : 3 + WIDTH], short.copy()
    _short(index, short, x, answer)
    assert np.array_equal(answer, np.concatenate([before[1 : 1 + WIDTH], before[at]]).astype(float))
    before[at] = x[:WIDTH].astype(np.float32)
    assert np.array_equal(short, before)


@kernel(cache=False)
def _places(index, x, number, same, answer):
    at, others = members(index, 2), members(index, 5)
    store(answer, 0, pick(number, moved_by(at, others)))
    store(answer, WIDTH, pick(number, moved_by(at, -1)))
    store(answer, 2 * WIDTH, pick(number, lower_places(at, others)))
    store(answer, 3 * WIDTH, pick(number, either_place(load(x, 0) > 0.0, at, others)))
    same[0], same[1] = all_alike(at), all_alike(members(same, 0))


def test_arithmetic_of_places() -> None:
    """Moved by as many others or by one number; the lower of two; one or the other by a condition; all the same or not."""
    n = 40
    index, x, number = (1 + RNG.permutation(n)).astype(np.int32), RNG.normal(size=n), RNG.integers(0, 10**6, 2 * n + 1)
    answer, same = np.zeros(4 * WIDTH, np.int64), np.ones(WIDTH, np.int32)
    _places(index, x, number, same, answer)
    assert list(same[:2]) == [False, True]
    for k in range(WIDTH):  # one of them differs
        same[:], same[k] = 3, 4
        _places(index, x, number, same, answer)
        assert not same[1]
    at, others = index[2 : 2 + WIDTH], index[5 : 5 + WIDTH]
    want = [at + others, at - 1, np.minimum(at, others), np.where(x[:WIDTH] > 0.0, at, others)]
    np.testing.assert_array_equal(answer.reshape(4, WIDTH), [number[w] for w in want])


def test_single_numbers_of_rows() -> None:
    """Read and written at any places; neighbours are places, too."""
    n = 40
    index, kinds = RNG.permutation(n).astype(np.int32), RNG.integers(0, n - 1, n).astype(np.int32)
    x, more, flags, answer = RNG.normal(size=n), RNG.integers(0, 99, n), np.full(n, 7, np.uint8), np.zeros(16, np.int64)
    at = index[2 : 2 + WIDTH]
    high, before = x[at] > 0.0, x.copy()
    _numbers(index, x, kinds, flags, more, answer)
    np.testing.assert_array_equal(answer[:WIDTH], kinds[at])
    np.testing.assert_array_equal(answer[WIDTH : 2 * WIDTH], more[kinds[at] + 1])
    want = np.full(n, 7, np.uint8)
    want[at] = high
    np.testing.assert_array_equal(flags, want)
    before[5 : 5 + WIDTH] = np.where(high, 1.0, before[5 : 5 + WIDTH])
    np.testing.assert_array_equal(x, before)


ROWS = 40
# what reads or writes WIDTH places or rows from ``p`` on: of x (numbers), index, flags, y (rows of four) and sums (rows of eight)
ACCESSES: dict[str, Callable[..., None]] = {
    "load": lambda x, index, flags, y, sums, p: store(x, 0, load(x, p)),
    "store": lambda x, index, flags, y, sums, p: store(x, p, load(x, 0)),
    "members": lambda x, index, flags, y, sums, p: store(x, 0, pick(x, members(index, p))),
    "members_at": lambda x, index, flags, y, sums, p: store(x, 0, pick(x, members_at(index, neighbours(p)))),
    "pick": lambda x, index, flags, y, sums, p: store(x, 0, pick(x, neighbours(p))),
    "put": lambda x, index, flags, y, sums, p: put(x, neighbours(p), load(x, 0)),
    "gather": lambda x, index, flags, y, sums, p: store(x, 0, gather(y, neighbours(p), 4, 0)[0]),
    "column_at": lambda x, index, flags, y, sums, p: store(x, 0, column_at(y, neighbours(p), 4, 0)),
    "put_column": lambda x, index, flags, y, sums, p: put_column(y, neighbours(p), 4, 3, load(x, 0)),
    "scatter": lambda x, index, flags, y, sums, p: scatter(y, neighbours(p), 4, 0, gather(y, neighbours(0), 4, 0)),
    "scatter_add": lambda x, index, flags, y, sums, p: scatter_add(sums, neighbours(p), 8, 4, gather(sums, neighbours(0), 8, 0)),
    "add_rows": lambda x, index, flags, y, sums, p: add_rows(
        sums, neighbours(p), 8, gather(sums, neighbours(0), 8, 0), gather(sums, neighbours(0), 8, 4)
    ),
    "subtract_rows": lambda x, index, flags, y, sums, p: subtract_rows(
        sums, neighbours(p), 8, gather(sums, neighbours(0), 8, 0), gather(sums, neighbours(0), 8, 4)
    ),
    "raised": lambda x, index, flags, y, sums, p: flag_at(flags, neighbours(0), raised(flags, p)),
    "raised_at": lambda x, index, flags, y, sums, p: flag_at(flags, neighbours(0), raised_at(flags, neighbours(p))),
    "flag_at": lambda x, index, flags, y, sums, p: flag_at(flags, neighbours(p), raised(flags, 0)),
    "append": lambda x, index, flags, y, sums, p: append(index, p, 0, first_lanes(WIDTH)),
}  # fmt: skip


def _arrays() -> tuple[Any, ...]:
    return np.zeros(ROWS), np.arange(ROWS, dtype=np.int32), np.zeros(ROWS, np.uint8), np.zeros((ROWS, 4)), np.zeros((ROWS, 8), np.int64)


@pytest.mark.parametrize("name", ACCESSES)
def test_places_beyond_an_array_are_found_where_indices_are_checked(name: str) -> None:
    """With the option that ``NUMBA_BOUNDSCHECK=1`` sets for all functions; the last lane alone lies beyond, or the first before the beginning."""
    access = kernel(ACCESSES[name], cache=False, boundscheck=True)
    access(*_arrays(), ROWS - WIDTH)
    for place in (ROWS - WIDTH + 1, -1):
        with pytest.raises(IndexError, match="index is out of bounds"):
            access(*_arrays(), place)


@pytest.mark.parametrize("name", ["pick", "append", "add_rows"])
def test_without_the_check_there_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No trace of it in the code that is compiled."""
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)  # which goes before the option, whenever numba reads it
    monkeypatch.setattr(config, "BOUNDSCHECK", None)
    codes = {}
    for checks in (True, False):
        access = kernel(ACCESSES[name], cache=False, boundscheck=checks)
        access(*_arrays(), 0)
        (codes[checks],) = access.inspect_llvm().values()
    assert ["out of bounds" in codes[checks] for checks in (True, False)] == [True, False]
    assert codes[True].count("icmp") > codes[False].count("icmp")
