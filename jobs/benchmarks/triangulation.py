"""Cost of the weighted Delaunay triangulation: ``python jobs/benchmarks/triangulation.py [POINTS] [GRAINS]``.

Construction of up to POINTS points, maintenance as all move by a part of their spacing a step, then that of the spheres of a settled bed of GRAINS,
step by step. CPU seconds; kernels are compiled (or read from the cache) beforehand.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from time import process_time

import numpy as np
from mpi4py import MPI

from pardem.bench.beds import settled
from pardem.triangulation import Counts, Triangulation

PARTS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
STEPS = 200


def clouds(count: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Points of spacing 1, and weights."""
    rng = np.random.default_rng(0)
    points = rng.random((count, 3)) * count ** (1 / 3)
    radii = np.where(rng.random(count) < 0.9, 0.05, 0.5)
    side = round(count ** (1 / 3))
    lattice = np.stack(np.meshgrid(*[np.arange(float(side))] * 3, indexing="ij"), -1).reshape(-1, 3)
    return {"random": (points, np.zeros(count)), "radii 1:10": (points, radii**2), "lattice": (lattice, np.zeros(len(lattice)))}


def done(before: Counts, after: Counts, name: str) -> int:
    """How often something has happened in between."""
    return int(getattr(after, name)) - int(getattr(before, name))


def shares(before: Counts, after: Counts) -> str:
    """Moves by algorithm."""
    names = ("algorithm_1", "points", "algorithm_2", "algorithm_3", "rebuilds")
    return " ".join(f"{done(before, after, name):4d}" for name in names) + f"  turned over {done(before, after, 'destroyed'):4d}"


def follow(triangulation: Triangulation, places: list[np.ndarray], what: str) -> None:
    """Time moves through a list of places, and the listing of edges after each."""
    before = Counts(**vars(triangulation.counts))
    triangulation.edges()
    moving = listing = 0.0
    for x in places:
        start = process_time()
        triangulation.move(x)
        middle = process_time()
        triangulation.edges()
        moving, listing = moving + middle - start, listing + process_time() - middle
    after = triangulation.counts
    each = 1e6 / (len(places) * len(triangulation))
    flips = sum(done(before, after, f"flips_{kind}") for kind in ("23", "32", "44", "14", "41")) / (len(places) * len(triangulation))
    print(f"{what:28} {each * moving:8.3f} {each * listing:8.3f} {flips:9.2e}  {shares(before, after)}", flush=True)


def main(most: int = 100_000, grains: int = 2000) -> None:
    """Print what construction and maintenance cost."""
    Triangulation(np.random.default_rng(1).random((200, 3))).move(np.random.default_rng(2).random((200, 3)))
    print(f"{'construction':28} {'seconds':>8} {'us/point':>8} {'edges/point':>11}")
    made: dict[int, Triangulation] = {}
    for count in (n for n in (1000, 10_000, 100_000, 1_000_000) if n <= most):
        for name, (points, weights) in clouds(count).items():
            start = process_time()
            triangulation = Triangulation(points, weights)
            seconds = process_time() - start
            edges = len(triangulation.edges()[1]) / len(points)
            print(f"{name + f', {len(points)}':28} {seconds:8.3f} {1e6 * seconds / len(points):8.2f} {edges:11.2f}", flush=True)
            if name == "random":
                made[count] = triangulation
    print(f"\n{'maintenance, us/point a step':28} {'move':>8} {'edges':>8} {'flips':>9}  moves by algorithm 1, point by point, 2, 3, rebuilds")
    for count, triangulation in made.items():
        points = triangulation.points
        velocity = np.random.default_rng(3).normal(size=points.shape)
        for part in PARTS:
            steps = min(STEPS, max(5, 200_000 // count))
            follow(triangulation, [points + (k + 1) * part * velocity for k in range(steps)], f"{count} points, {part:g} of spacing")
            points = points + steps * part * velocity
    case, engine = settled(MPI.COMM_WORLD, "spheres", grains)
    places = []
    for _ in range(STEPS + 1):
        engine.advance(1)
        everything = engine.grains.take(np.argsort(engine.grains.gid))
        places.append(everything.x[:, :3].copy())
    way = np.mean([np.abs(b - a).max() for a, b in pairwise(places)])
    triangulation = Triangulation(places[0], everything.x[:, 3] ** 2)
    follow(triangulation, places[1:], f"settled bed, {len(places[0])} spheres")
    edges = len(triangulation.edges()[1]) / len(places[0])
    radius = everything.x[:, 3].mean()
    print(f"largest way a step {way / radius:.1e} of the mean radius, {edges:.2f} edges a sphere, time step {case.time.step:g} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
