"""Lanes at rows of arrays: read, written, added, chosen by places, as single numbers are."""

from __future__ import annotations

import numpy as np

from pardem.compiled.choices import select
from pardem.compiled.jit import kernel
from pardem.compiled.lanes.arithmetic import all_of, any_of
from pardem.compiled.lanes.flags import flag_at, raised, raised_at
from pardem.compiled.lanes.memory import (
    add_rows,
    all_alike,
    either_place,
    gather,
    load,
    lower_places,
    members,
    members_at,
    moved_by,
    neighbours,
    pick,
    put,
    scatter,
    scatter_add,
    store,
    subtract_rows,
    sum_of_rows,
    transpose,
    words,
)
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
