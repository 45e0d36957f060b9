"""Lanes give the bits of single numbers, whatever the processor: operators, choices, masks, conversions, memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pardem.compiled import vectors
from pardem.compiled.choices import inverse_root, larger, root, select, smaller
from pardem.compiled.jit import inlined, kernel
from pardem.compiled.lanes.arithmetic import all_of, any_of
from pardem.compiled.lanes.conversions import number, rounded, truncated, whole
from pardem.compiled.lanes.flags import append, first_lanes, flag_at, raised, raised_at
from pardem.compiled.lanes.memory import (
    add_rows,
    all_alike,
    either_place,
    gather,
    load,
    load_row,
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
from pardem.compiled.lanes.types import ROW, WIDTH, lane, row_of, rows_of, spread, with_lane
from pardem.laws.elastic import Elastic
from pardem.laws.hertz import Hertz
from pardem.laws.law import coefficients as law_numbers
from pardem.laws.lennard_jones import LennardJones
from pardem.laws.quantities import Geometry, Motion, PairMaterial, Past
from pardem.laws.slider import spring_and_slider
from pardem.laws.viscoelastic import Viscoelastic
from pardem.laws.walton import Walton

EDGE = 2.0**51
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, 1.7e308, -1.7e308, 1.0 + 2.0**-52, 3.0]
ROOT = Path(__file__).resolve().parent.parent
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


def test_width_is_that_of_the_instruction_set() -> None:
    if os.environ.get("NUMBA_CPU_FEATURES") == "":
        assert WIDTH == 4
    assert WIDTH % ROW == 0


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


@kernel(cache=False)
def _count_first(count, flags):
    flag_at(flags, neighbours(0), first_lanes(count))


@pytest.mark.parametrize("count", range(WIDTH + 2))
def test_the_first_lanes(count: int) -> None:
    flags = np.full(WIDTH, 7, np.uint8)
    _count_first(count, flags)
    np.testing.assert_array_equal(flags, np.arange(WIDTH) < count)


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


def _table(value: float) -> np.ndarray:
    return np.full((2, 2), value)


ZERO, ONE = _table(0.0), _table(1.0)
LAWS = {
    "elastic": Elastic(_table(1e4), _table(3e3), _table(0.4), ZERO, ZERO, ONE),
    "viscoelastic": Viscoelastic(_table(1e4), _table(20.0), _table(3e3), _table(10.0), _table(0.4), ONE, ZERO, ZERO, ZERO),
    "walton": Walton(_table(1e4), _table(2e4), _table(3e3), _table(10.0), _table(0.4), ZERO, ZERO, ZERO),
    "hertz": Hertz(_table(3e6), _table(1e6), _table(0.2), _table(0.2), _table(0.4), ONE, ZERO, ZERO),
    "lennard-jones": LennardJones(_table(2e3), ONE, _table(2.5), _table(1.5), _table(-1.0), _table(0.1), ZERO, ZERO, ZERO),
}
# rows of the inputs: six numbers of the law, overlap, slope, old normal, middle normal, normal, velocity, turn, mass, radius, alive, spring, memory


@inlined
def _respond(law, c):
    numbers, geometry = (c[0], c[1], c[2], c[3], c[4], c[5]), Geometry(c[6], (c[14], c[15], c[16]), (c[11], c[12], c[13]), c[7])
    past = Past(c[23] > 0.0, (c[24], c[25], c[26]), c[27], (c[8], c[9], c[10]), vectors.ZERO)
    r = spring_and_slider(law, PairMaterial(numbers, 0.4, c[21], c[22]), geometry, Motion((c[17], c[18], c[19]), c[20], 1e-3, 5e-4), past)
    return r.push, *r.drag, *r.spring, *r.slip, r.rate, r.grow, r.law.memory, r.law.stored + 0.0 * c[0], r.law.plastic + 0.0 * c[0]


@kernel(cache=False)
def _respond_singly(law, s, out):
    for n in range(s.shape[1]):
        c = (
            s[0, n], s[1, n], s[2, n], s[3, n], s[4, n], s[5, n], s[6, n], s[7, n], s[8, n], s[9, n], s[10, n], s[11, n], s[12, n], s[13, n],
            s[14, n], s[15, n], s[16, n], s[17, n], s[18, n], s[19, n], s[20, n], s[21, n], s[22, n], s[23, n], s[24, n], s[25, n], s[26, n],
            s[27, n],
        )  # fmt: skip
        made = _respond(law, c)
        for k in range(len(made)):
            out[k, n] = made[k]


@kernel(cache=False)
def _respond_together(law, s, out):
    m = s.shape[1]
    for n in range(0, m, WIDTH):
        c = (
            load(s, n), load(s, m + n), load(s, 2 * m + n), load(s, 3 * m + n), load(s, 4 * m + n), load(s, 5 * m + n), load(s, 6 * m + n),
            load(s, 7 * m + n), load(s, 8 * m + n), load(s, 9 * m + n), load(s, 10 * m + n), load(s, 11 * m + n), load(s, 12 * m + n),
            load(s, 13 * m + n), load(s, 14 * m + n), load(s, 15 * m + n), load(s, 16 * m + n), load(s, 17 * m + n), load(s, 18 * m + n),
            load(s, 19 * m + n), load(s, 20 * m + n), load(s, 21 * m + n), load(s, 22 * m + n), load(s, 23 * m + n), load(s, 24 * m + n),
            load(s, 25 * m + n), load(s, 26 * m + n), load(s, 27 * m + n),
        )  # fmt: skip
        made = _respond(law, c)
        for k in range(len(made)):
            store(out, k * m + n, made[k])


@pytest.mark.parametrize("name", LAWS)
def test_laws_and_friction_on_lanes(name: str) -> None:
    law, count = LAWS[name], 800
    s = RNG.normal(size=(28, count))
    s[:6] = np.array(law_numbers(law, 0, 1))[:, None]
    s[6], s[7] = RNG.uniform(1e-4, 2.0 if name == "lennard-jones" else 0.05, count), 1.0
    for c in (8, 11, 14):  # three normals that differ little
        s[c : c + 3] = s[8:11] + 1e-3 * s[c : c + 3]
        s[c : c + 3] /= np.linalg.norm(s[c : c + 3], axis=0)
    s[20] *= 1e-3
    s[21:23] = RNG.uniform(0.2, 2.0, (2, count))
    s[24:27] *= 20.0
    s[27] = RNG.uniform(0.0, 0.01, count)
    one, many = np.full((15, count), 7.0), np.full((15, count), 8.0)
    _respond_singly(law, s, one)
    _respond_together(law, s, many)
    assert np.isfinite(one).all()
    np.testing.assert_array_equal(many.view(np.int64), one.view(np.int64))


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        pytest.param("x86-64", sorted({*LAWS} - {"hertz"}), id="x86-64, one law"),
        pytest.param("x86-64", [], marks=pytest.mark.slow, id="x86-64"),
        pytest.param("haswell", [], marks=pytest.mark.slow, id="haswell"),
    ],
)
def test_other_instruction_sets(name: str, left_out: list[str]) -> None:
    """These on a processor without AVX and on one with AVX2: the name alone would leave the features of this one on."""
    if os.environ.get("NUMBA_CPU_NAME") or os.uname().machine != "x86_64":
        pytest.skip("of the code for x86-64 that is made for the processor at hand")
    setting = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}  # the cache tells processors apart by both
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    words += [f"--deselect={os.path.relpath(__file__, ROOT)}::test_laws_and_friction_on_lanes[{law}]" for law in left_out]
    run = subprocess.run(words, env=dict(os.environ) | setting, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert not left_out or f"{len(left_out)} deselected" in run.stdout
