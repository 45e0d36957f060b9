"""Cost of the narrow phase: nanoseconds per call of the solvers on pairs that touch, turning and sliding a little between calls.

    python jobs/benchmarks/narrow_phase.py [--pairs 1000] [--rounds 200]

Prints a table: shape, rule, cold and warm ns per call (median over rounds). Rods here go through the polytope solver; scenes made of rods only use
closed forms instead.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardem.compiled.jit import njit
from pardem.compiled.vectors import row
from pardem.contacts.nearest import minima
from pardem.contacts.nearest.polytope_pair import TwoCores, minimum
from pardem.contacts.nearest.polytope_separation import separation2

Array = NDArray[np.float64]

CUBE = 0.4 * np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)])
TETRAHEDRON = 1.2 / np.sqrt(8.0) * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
ROD = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])
SHAPES = {"rods": (ROD, 0.25, 0.1), "tetrahedra": (TETRAHEDRON, 0.1, 0.03), "cubes": (CUBE, 0.1, 0.03)}


@njit
def _regularised(w: Array, verts: Array, n: int, eps2: float, warm: NDArray[np.int64], cold: bool, work: Array) -> float:
    """One call for each pair; returns the sum of f so that no call can be left out."""
    total = 0.0
    for k in range(len(w)):
        wa, wb = (0, 0) if cold else (warm[k, 0], warm[k, 1])
        m, _ = minimum(row(w, k), TwoCores(verts, 2 * n * k, n, 2 * n * k + n, n), (eps2, eps2), (wa, wb), work)
        total += m.f
        warm[k, 0], warm[k, 1] = m.sets
    return total


@njit
def _nearest(w: Array, verts: Array, n: int, eps2: float, warm: NDArray[np.int64], cold: bool, work: Array) -> float:
    total = 0.0
    for k in range(len(w)):
        wa, wb = (0, 0) if cold else (warm[k, 0], warm[k, 1])
        out = minima.nearest_polytopes(row(w, k), TwoCores(verts, 2 * n * k, n, 2 * n * k + n, n), (wa, wb), work)
        total += out[0]
        warm[k, 0], warm[k, 1] = out[3]
    return total


@njit
def _separating(w: Array, verts: Array, n: int, eps2: float, warm: NDArray[np.int64], cold: bool, work: Array) -> float:
    """The test of a direction, for the same pairs (it fails, since they touch)."""
    total = 0.0
    for k in range(len(w)):
        total += separation2(row(w, k), TwoCores(verts, 2 * n * k, n, 2 * n * k + n, n), 0.2, row(w, k))
    return total


def rotations(rng: np.random.Generator, count: int, angle: float | None = None) -> Array:
    """Random rotation matrices (count, 3, 3), about random axes by ``angle`` (rad) where given."""
    q = rng.normal(size=(count, 4))
    if angle is not None:
        q[:, 1:] *= np.tan(angle / 2) * np.abs(q[:, :1]) / np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def touching_pairs(rng: np.random.Generator, core: Array, radius: float, pairs: int) -> tuple[Array, Array]:
    """Two random orientations a pair, at a distance of cores of 1.96 radii: differences of centres (pairs, 3), vertices (2 pairs n, 3)."""
    n = len(core)
    verts = np.einsum("kij,nj->kni", rotations(rng, 2 * pairs), core).reshape(-1, 3)
    w = rng.normal(size=(pairs, 3))
    w *= 10.0 * np.linalg.norm(core, axis=1).max() / np.linalg.norm(w, axis=1, keepdims=True)
    work = np.empty(minima.WORK_SIZE)
    for k in range(pairs):
        for _ in range(50):
            d2, x, y, *_ = minima.nearest_polytopes(tuple(w[k]), TwoCores(verts, 2 * n * k, n, 2 * n * k + n, n), (0, 0), work)
            gap = w[k] + x - np.array(y)
            w[k] -= (1.0 - 1.96 * radius / np.sqrt(d2)) * gap
    return w, verts


def measure(call: Callable[..., Any], frames: list[tuple[Array, Array]], n: int, eps2: float, cold: bool, rounds: int) -> float:
    """Median ns per call over rounds that go to and fro through the frames."""
    warm = np.zeros((len(frames[0][0]), 2), np.int64)
    work = np.empty(minima.WORK_SIZE)
    order = [*range(len(frames)), *range(len(frames) - 2, 0, -1)]
    times = []
    for k in range(rounds):
        w, verts = frames[order[k % len(order)]]
        start = time.perf_counter_ns()
        call(w, verts, n, eps2, warm, cold, work)
        times.append((time.perf_counter_ns() - start) / len(w))
    return statistics.median(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--turn", type=float, default=1e-4, help="rotation of each body between calls (rad)")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print(f"{'shape':<12} {'rule':<12} {'cold ns':>8} {'warm ns':>8}")
    for name, (core, radius, eps) in SHAPES.items():
        n = len(core)
        frames = [touching_pairs(rng, core, radius, options.pairs)]
        turn = rotations(rng, 2 * options.pairs, options.turn)
        drift = options.turn * rng.normal(size=(options.pairs, 3))
        for _ in range(9):
            w, verts = frames[-1]
            frames.append((w + drift, np.einsum("kij,knj->kni", turn, verts.reshape(-1, n, 3)).reshape(-1, 3)))
        for rule, call in (("regularised", _regularised), ("minima", _nearest), ("separating", _separating)):
            cold = measure(call, frames, n, eps * eps, True, options.rounds)
            warm = measure(call, frames, n, eps * eps, False, options.rounds)
            print(f"{name:<12} {rule:<12} {cold:8.0f} {warm:8.0f}")


if __name__ == "__main__":
    main()
