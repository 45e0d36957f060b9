"""Lanes give the bits of single numbers, whatever the processor: operators, choices, masks, conversions, single lanes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pardem.compiled import vectors
from pardem.compiled.choices import inverse_root, larger, root, select, smaller
from pardem.compiled.jit import inlined, kernel
from pardem.compiled.lanes.arithmetic import all_of, any_of, most_of, seldom
from pardem.compiled.lanes.conversions import number, rounded, truncated, whole
from pardem.compiled.lanes.flags import append, first_lanes, flag_at
from pardem.compiled.lanes.memory import load, load_row, store
from pardem.compiled.lanes.places import neighbours
from pardem.compiled.lanes.types import ROW, WIDTH, lane, row_of, rows_of, spread, with_lane, zero_of
from pardem.compiled.lanes.width import width
from pardem.errors import CaseError

EDGE = 2.0**51
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, 1.7e308, -1.7e308, 1.0 + 2.0**-52, 3.0]
RNG = np.random.default_rng(5)


def pairs_of(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of some values and some random ones of any size, filled up to whole groups."""
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    a, b = (np.concatenate([v, RNG.normal(size=104) * 2.0 ** RNG.integers(-400, 400, 104)]) for v in (a, b))
    fill = -len(a) % 8
    return np.concatenate([a, a[:fill]]), np.concatenate([b, b[:fill]])


@inlined
def arithmetic(a, b):
    c = a + b
    c -= 3.0
    d = 2.0 * a
    d *= b
    d += 1
    e = a - 1.0
    e /= b
    return a + b, a - b, a * b, a / b, -a, abs(a), c, d, e, 1.0 / a, a - 2, rounded(a)


@inlined
def choices(a, b):
    return (
        select(a < b, a, b), select(b > a, 1.0, b), select(True, a, 2.0), larger(a, b), smaller(a, b), larger(a, 0.5), smaller(0.5, b), root(a),
        root(a * a + b * b), inverse_root(b),
    )  # fmt: skip


@inlined
def masks(a, b):
    less, same = a < b, a == b
    return (
        select(less, 1.0, 0.0), select(a <= b, 1.0, 0.0), select(a > b, 1.0, 0.0), select(a >= b, 1.0, 0.0), select(same, 1.0, 0.0),
        select(a != b, 1.0, 0.0), select(less | same, 1.0, 0.0), select((a > -1.0) & (b > -1.0), 1.0, 0.0), select(not less, 1.0, 0.0),
        select(less & True, 1.0, 0.0), select(same | (not less), a, 0.0),
    )  # fmt: skip


@inlined
def products(a, b):
    u, v = (a, b, a + b), (b, 2.0 * a, a - b)
    return (
        *vectors.cross(u, v), vectors.dot(u, v), vectors.square(u), vectors.length(v), *vectors.ahead(u, 0.3, v), *vectors.behind(u, a, v),
        *vectors.choose(a > b, u, v), *vectors.over(u, b), *vectors.choose(a > b, u, (0.0, 0.0, 0.0)),
    )  # fmt: skip


def on_both(text: Any) -> tuple[Callable[..., None], Callable[..., None]]:
    """A text for one number at a time and for lanes; the results of one pair stand in a column."""

    @kernel(cache=False)
    def single(x, y, out):
        for n in range(x.shape[0]):
            made = text(x[n], y[n])
            for k in range(len(made)):
                out[k, n] = made[k]

    @kernel(cache=False)
    def several(x, y, out):
        for n in range(0, x.shape[0], WIDTH):
            made = text(load(x, n), load(y, n))
            for k in range(len(made)):
                store(out, k * x.shape[0] + n, made[k])

    return single, several


@pytest.mark.parametrize(("text", "count"), [(arithmetic, 12), (choices, 10), (masks, 11), (products, 21)])
def test_lanes_are_numbers(text: Any, count: int) -> None:
    x, y = pairs_of(SPECIAL)
    one, many = (np.full((count, len(x)), 7.0) for _ in range(2))
    single, several = on_both(text)
    single(x, y, one)
    several(x, y, many)
    unknown = np.isnan(one)
    np.testing.assert_array_equal(np.isnan(many), unknown)
    np.testing.assert_array_equal(np.where(unknown, 0, many.view(np.int64)), np.where(unknown, 0, one.view(np.int64)))


@kernel(cache=False)
def _exclusive_or(a, b, out):
    for n in range(0, a.shape[0], WIDTH):
        store(out, n, load(a, n) ^ load(b, n))


def test_exclusive_or_of_whole_numbers() -> None:
    a, b = (RNG.integers(-(2**63), 2**63, 4 * WIDTH) for _ in range(2))
    out = np.zeros_like(a)
    _exclusive_or(a, b, out)
    np.testing.assert_array_equal(out, a ^ b)


def test_width_is_that_of_the_instruction_set_unless_told() -> None:
    if os.environ.get("PARDEM_LANES"):
        assert str(WIDTH) == os.environ["PARDEM_LANES"]
    elif os.environ.get("NUMBA_CPU_FEATURES") == "":
        assert WIDTH == 4
    assert WIDTH % ROW == 0


@pytest.mark.parametrize("asked", ["5", "eight", "16"])
def test_other_numbers_of_lanes_are_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARDEM_LANES", asked)
    with pytest.raises(CaseError, match=f"PARDEM_LANES = '{asked}' is no number of lanes: set it to 4 or 8, or unset it"):
        width.__wrapped__()


def test_choices_without_compiling() -> None:
    assert (select(True, 1.0, 2.0), select(False, 1.0, 2.0), larger(1.0, 2.0), smaller(1.0, 2.0), root(2.25)) == (1.0, 2.0, 2.0, 1.0, 1.5)


@kernel(cache=False)
def _to_whole(x, nearest, towards_zero, one_nearest, one_towards_zero):
    for n in range(0, x.shape[0], WIDTH):
        store(nearest, n, whole(load(x, n)))
        store(towards_zero, n, whole(truncated(load(x, n))))
    for n in range(x.shape[0]):
        one_nearest[n], one_towards_zero[n] = whole(x[n]), whole(truncated(x[n]))


def test_whole_numbers_up_to_the_edge() -> None:
    halves = np.arange(-20, 20) / 2.0
    edge = np.array([EDGE, EDGE - 0.25, EDGE - 0.5, EDGE - 0.75, EDGE - 1.5, 2.0**50 + 0.5, 2.0**50 + 1.5, 1e-300, 0.49999999999999994])
    x = np.concatenate([halves, edge, -edge, RNG.normal(size=1998) * 2.0 ** RNG.integers(-60, 49, 1998)])
    x = np.concatenate([x, np.zeros(-len(x) % 8)])
    got = np.zeros((4, len(x)), np.int64)
    _to_whole(x, *got)
    for k, expected in enumerate([np.rint(x), np.trunc(x)] * 2):
        np.testing.assert_array_equal(got[k], expected.astype(np.int64))


@kernel(cache=False)
def _to_numbers(n, x):
    for k in range(0, n.shape[0], WIDTH):
        store(x, k, number(load(n, k)))


def test_numbers_of_any_size() -> None:
    n = RNG.integers(-(2**63), 2**63 - 1, 4000) >> RNG.integers(0, 63, 4000)
    n[:8] = [2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 2**53 + 3, 0, -1, 2**62 + 2**8]
    x = np.zeros(4000)
    _to_numbers(n, x)
    np.testing.assert_array_equal(x, n.astype(float))


@kernel(cache=False)
def _of_single_numbers(n, holds, x, whole_numbers, flags):
    for k in range(n.shape[0]):
        x[0, k], x[1, k] = number(n[k]), zero_of(x[0, k])
        whole_numbers[0, k], whole_numbers[1, k] = most_of(n[k]), zero_of(n[k])
        flags[0, k], flags[1, k], flags[2, k], flags[3, k] = any_of(holds[k]), all_of(holds[k]), seldom(holds[k]), zero_of(holds[k])


def test_what_single_numbers_are_asked_as_lanes_are() -> None:
    n = np.array([2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 2**53 + 3, 0, -1, 2**62 + 2**8])
    holds = np.array([True, False] * 4)
    x, whole_numbers, flags = np.full((2, 8), 7.0), np.full((2, 8), 7), np.array([[True], [True], [False], [True]]).repeat(8, axis=1)
    _of_single_numbers(n, holds, x, whole_numbers, flags)
    np.testing.assert_array_equal(x, [n.astype(float), np.zeros(8)])
    np.testing.assert_array_equal(whole_numbers, [n, np.zeros(8)])
    np.testing.assert_array_equal(flags, [holds, holds, np.full(8, True), np.full(8, False)])  # `seldom` leaves no jump to single ones


@kernel(cache=False)
def _of_lanes(n, limit, x, whole_numbers, flags):
    lanes = load(n, 0)
    over = lanes > limit
    store(x, 0, zero_of(number(lanes)))
    store(whole_numbers, 0, zero_of(lanes))
    whole_numbers[WIDTH] = most_of(lanes)
    flags[0], flags[1], flags[2], flags[3] = any_of(over), all_of(over), seldom(over), any_of(zero_of(over))


@pytest.mark.parametrize("limit", [-20, -7, 0, 20])
def test_what_lanes_are_asked_as_a_whole(limit: int) -> None:
    n, x, whole_numbers, flags = RNG.permutation(np.arange(-7, 9))[:WIDTH], np.ones(WIDTH), np.ones(WIDTH + 1, np.int64), np.full(4, True)
    _of_lanes(n, limit, x, whole_numbers, flags)
    assert not x.any()
    assert not whole_numbers[:WIDTH].any()
    assert whole_numbers[WIDTH] == n.max()
    over = n > limit
    assert list(flags) == [over.any(), over.all(), over.any(), False]


@kernel(cache=False)
def _find(x, limit, found):
    count = np.uintp(0)
    for n in range(0, x.shape[0], WIDTH):
        count += append(found, count, n, load(x, n) < limit)
    return np.int64(count)


@pytest.mark.parametrize("limit", [-1.0, 0.0, 0.3, 0.9, 2.0])
def test_appending_under_a_mask(limit: float) -> None:
    x = RNG.uniform(size=800)
    found = np.full(808, -1, np.int32)
    count = _find(x, limit, found)
    np.testing.assert_array_equal(found[:count], np.flatnonzero(x < limit))
    assert ((found[count:] >= -1) & (found[count:] < len(x))).all()  # what is written behind them may be used as a place


@kernel(cache=False)
def _count_first(count, flags):
    flag_at(flags, neighbours(0), first_lanes(count))


@pytest.mark.parametrize("count", range(WIDTH + 2))
def test_the_first_lanes(count: int) -> None:
    flags = np.full(WIDTH, 7, np.uint8)
    _count_first(count, flags)
    np.testing.assert_array_equal(flags, np.arange(WIDTH) < count)


@kernel(cache=False)
def _one_by_one(x, out):
    a, b = load(x, 0), spread(0.0)
    for k in range(WIDTH):
        b = with_lane(b, k, lane(a, WIDTH - 1 - k) + lane(1.0, k))
    store(out, 0, b)
    store(out, 8, load_row(x, 1) * row_of(1.0, 2.0, 3.0, 4))
    store(out, 16, rows_of(1.0, 2.0, 3.0, -1.0))
    store(out, 24, 5.0)


def test_single_lanes_and_rows() -> None:
    x, out = RNG.normal(size=16), np.zeros(32)
    _one_by_one(x, out)
    np.testing.assert_array_equal(out[:WIDTH], x[:WIDTH][::-1] + 1.0)
    np.testing.assert_array_equal(out[8 : 8 + ROW], x[1 : 1 + ROW] * [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(out[16 : 16 + WIDTH], np.tile([1.0, 2.0, 3.0, -1.0], WIDTH // ROW))
    np.testing.assert_array_equal(out[24 : 24 + WIDTH], 5.0)
