"""Exact sums: correctly rounded, and the same bits for any order and distribution."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from mpi4py import MPI

from pardem.decomposition.exact import ExactSums, exact_sum, exact_totals

ALONE = MPI.COMM_SELF
FINITE = some.floats(allow_nan=False, allow_infinity=False)


def bits(value: Any) -> bytes:
    return struct.pack("<d", value)


@settings(deadline=None)  # the first one compiles
@given(some.lists(FINITE))
def test_a_sum_is_that_of_fsum(values: list[float]) -> None:
    try:
        expected = math.fsum(values)
    except OverflowError:  # fsum gives up where a partial sum overflows
        return
    assert exact_sum(ALONE, np.array(values)) == expected


@settings(deadline=None)
@given(some.lists(some.tuples(some.integers(-(2**53), 2**53), some.integers(-90, 90)), min_size=1))
def test_ties_and_cancellation(terms: list[tuple[int, int]]) -> None:
    values = [math.ldexp(float(m), e) for m, e in terms]
    assert exact_sum(ALONE, np.array(values)) == math.fsum(values)


@pytest.mark.parametrize(
    "values",
    [[1.0, 2.0**-53], [1.0, 2.0**-53, 2.0**-106], [1.0, 2.0**-53, 5e-324], [1.0, 2.0**-52, 2.0**-53], [5e-324] * 3, [-5e-324, 2.0**-1022],
     [-1.0, 1e-300], [1e300, 1.0, -1e300], [-0.0], []],
)  # fmt: skip
def test_rounding_to_nearest_even(values: list[float]) -> None:
    assert exact_sum(ALONE, np.array(values)) == math.fsum(values)


def test_what_is_not_finite() -> None:
    inf, most = math.inf, np.finfo(float).max
    assert exact_sum(ALONE, np.array([inf, 1.0])) == inf
    assert exact_sum(ALONE, np.array([-inf, most])) == -inf
    assert exact_sum(ALONE, np.array([most, most])) == inf
    assert exact_sum(ALONE, np.array([-most, -most])) == -inf
    assert exact_sum(ALONE, np.array([most, most, -most])) == most
    assert math.isnan(exact_sum(ALONE, np.array([inf, -inf])))
    assert math.isnan(exact_sum(ALONE, np.array([math.nan, inf])))


def test_columns_and_groups() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(500, 3)) * 10.0 ** rng.integers(-30, 30, (500, 3))
    group = rng.integers(-1, 4, 500)
    sums = ExactSums(ALONE)
    sums.add("columns", values)
    sums.add_groups("groups", values[:, 0], group, 5)
    sums.add("none", np.zeros((0, 2)))
    found = sums.reduce()
    assert list(found["columns"]) == [math.fsum(c) for c in values.T]
    assert list(found["groups"]) == [math.fsum(values[group == k, 0]) for k in range(4)] + [0.0]
    assert list(found["none"]) == [0.0, 0.0]


@pytest.mark.mpi
def test_any_split_over_ranks_gives_the_same_bits() -> None:
    comm = MPI.COMM_WORLD

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)  # alike on all ranks
    @given(some.lists(some.tuples(some.floats(), some.integers(0, 1000)), max_size=40))
    def check(rows: list[tuple[float, int]]) -> None:
        mine = np.array([value for value, place in rows if place % comm.size == comm.rank])
        values = np.array([value for value, _ in rows])
        assert bits(exact_sum(comm, mine)) == bits(exact_sum(ALONE, values))
        assert len(set(comm.allgather(bits(exact_sum(comm, mine))))) == 1

    check()


@pytest.mark.mpi
def test_integers_over_ranks() -> None:
    comm = MPI.COMM_WORLD
    limbs = np.array([[(1 << 40) + 7, 5], [-3 - comm.rank, 0], [0, -(1 << 40)]])
    n = comm.size
    assert exact_totals(comm, limbs) == [n * ((1 << 40) + 7 + (5 << 32)), -3 * n - n * (n - 1) // 2, -n << 72]
