"""Predicates of the triangulation against rational arithmetic: random, lattice, nearly degenerate and coincident points, points at infinity."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pytest

from pardem.triangulation.expansions import add, scale
from pardem.triangulation.predicates import DIRECTIONS, INFINITE, orientation, power

Monomial = tuple[int, ...]


def _sign(permutation: tuple[int, ...]) -> int:
    return (-1) ** sum(permutation[i] > permutation[j] for i in range(len(permutation)) for j in range(i + 1, len(permutation)))


def _leading_sign(rows: list[list[Fraction]], ranks: list[int | None]) -> int:
    """Sign of a determinant whose entries (but for the first column) are perturbed, from its expansion into all monomials.

    The infinitesimals are numbered from the largest: heights (the fifth column), z, y, x, in each the rows in the order of their ranks. The larger of
    two monomials is that whose smallest factor is larger, and so on.
    """
    size = len(rows)
    plain = sum((_sign(p) * prod((rows[r][p[r]] for r in range(size)), start=Fraction(1)) for p in permutations(range(size))), Fraction(0))
    if plain != 0:
        return 1 if plain > 0 else -1
    order = {4: 0, 3: 1, 2: 2, 1: 3}
    terms: dict[Monomial, Fraction] = {}
    for permutation in permutations(range(size)):
        entries = [(r, permutation[r]) for r in range(size)]
        for chosen in product((False, True), repeat=size):
            if any(pick and (c == 0 or ranks[r] is None) for pick, (r, c) in zip(chosen, entries)):
                continue
            value = Fraction(_sign(permutation))
            for pick, (r, c) in zip(chosen, entries):
                value *= 1 if pick else rows[r][c]
            names = [order[c] * size + (ranks[r] or 0) for pick, (r, c) in zip(chosen, entries) if pick]
            monomial = tuple(sorted(names, reverse=True))
            terms[monomial] = terms.get(monomial, Fraction(0)) + value
    leading = min(m for m, value in terms.items() if value != 0)
    return 1 if terms[leading] > 0 else -1


def _expected(xw: np.ndarray, key: np.ndarray, points: tuple[int, ...]) -> int:
    """The same sign as `orientation` (four points) or `power` (five)."""
    infinite = [p for p in points if p < INFINITE]
    reference = min(infinite) if infinite and len(points) == 5 else -1
    rows: list[list[Fraction]] = []
    for p in points:
        x, y, z, w = map(Fraction, xw[p])
        if p >= INFINITE:
            row = [Fraction(1), x, y, z, x * x + y * y + z * z - w]
        elif p == reference:
            row = [Fraction(v) for v in (0, 0, 0, 0, 1)]
        else:
            off = [Fraction(v) for v in DIRECTIONS[reference]] if reference >= 0 else [Fraction(0)] * 3
            row = [Fraction(0), x - off[0], y - off[1], z - off[2], Fraction(0)]
        rows.append(row[: len(points)])
    finite = sorted((p for p in points if p >= INFINITE), key=lambda p: key[p])
    return _leading_sign(rows, [finite.index(p) if p >= INFINITE else None for p in points])


def _field(points: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    xw = np.zeros((INFINITE + len(points), 4))
    xw[:INFINITE, :3] = DIRECTIONS
    xw[INFINITE:, :3], xw[INFINITE:, 3] = points, weights
    return xw, np.concatenate((np.arange(-4, 0), rng.permutation(len(points)))).astype(np.int64)


def _clouds(rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    lattice = rng.integers(0, 3, (40, 3)).astype(float)
    sphere = np.array([p for p in product((-3.0, -2.0, -1.0, 1.0, 2.0, 3.0), repeat=3) if np.dot(p, p) == 14.0])
    tilted = np.outer(rng.uniform(0, 1, 40), [1 / 3, 1 / 7, 1 / 11]) + np.outer(rng.uniform(0, 1, 40), [0.1, 0.7, -0.3])
    return {
        "random": (rng.uniform(-1, 1, (40, 3)), rng.uniform(0, 0.1, 40)),
        "lattice": (lattice, np.zeros(40)),
        "lattice of two radii": (lattice, rng.integers(0, 2, 40) * 0.25),
        "cospherical": (sphere, np.full(len(sphere), 0.5)),
        "nearly cospherical": (sphere * (1 + rng.integers(-2, 3, (len(sphere), 1)) * 2.0**-52) + 1e3, np.zeros(len(sphere))),
        "nearly coplanar": (tilted, rng.uniform(0, 0.1, 40)),
        "one place": (np.full((40, 3), 1 / 3), np.zeros(40)),
        "scales": (rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-30, 30, (40, 1)), 10.0 ** rng.uniform(-60, 60, 40)),
    }


@pytest.mark.parametrize("name", list(_clouds(np.random.default_rng(0))))
@pytest.mark.parametrize("infinite", [0, 1, 2, 3])
def test_signs_are_those_of_rational_arithmetic(name: str, infinite: int) -> None:
    rng = np.random.default_rng(7)
    xw, key = _field(*_clouds(rng)[name], rng)
    for count in (4, 5):
        for _ in range(10):
            finite = INFINITE + rng.choice(len(xw) - INFINITE, count - infinite, replace=False)
            points = tuple(int(p) for p in rng.permutation(np.concatenate((rng.choice(INFINITE, infinite, replace=False), finite))))
            found = orientation(xw, key, *points) if count == 4 else power(xw, key, *points)
            assert found == _expected(xw, key, points)


def test_four_points_at_infinity() -> None:
    rng = np.random.default_rng(1)
    xw, key = _field(rng.normal(size=(3, 3)), np.zeros(3), rng)
    for points in permutations((0, 1, 2, 3, 5)):
        assert power(xw, key, *points) == _expected(xw, key, points)


@pytest.mark.parametrize("infinite", [0, 2])
def test_signs_change_with_odd_permutations(infinite: int) -> None:
    rng = np.random.default_rng(3)
    xw, key = _field(rng.integers(0, 2, (12, 3)).astype(float), np.zeros(12), rng)
    points = (*range(infinite), *range(INFINITE, INFINITE + 5 - infinite))
    signs = {_sign(p) * power(xw, key, *(points[i] for i in p)) for p in permutations(range(5))}
    assert len(signs) == 1


def test_expansions_are_exact() -> None:
    rng = np.random.default_rng(5)
    e, f, out = np.empty(64), np.empty(64), np.empty(128)
    for _ in range(200):
        n = m = 0
        exact_e = exact_f = Fraction(0)
        for value in rng.normal(size=6) * 2.0 ** rng.integers(-60, 60, 6):
            n, e = int(add(e, n, np.array([value]), 1, out)), out.copy()
            exact_e += Fraction(value)
        for value in rng.normal(size=5):
            m, f = int(add(f, m, np.array([value]), 1, out)), out.copy()
            exact_f += Fraction(value)
        k = add(e, n, f, m, out)
        assert sum(map(Fraction, out[:k])) == exact_e + exact_f
        factor = rng.normal()
        k = scale(e, n, factor, out)
        assert sum(map(Fraction, out[:k])) == exact_e * Fraction(factor)
        assert np.all(out[:k] != 0.0)
        assert np.all(np.diff(np.abs(out[:k])) > 0)
