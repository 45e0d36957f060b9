"""Cost of the weighted Delaunay triangulation: construction, maintenance, and the spheres of a settled bed.

    python jobs/benchmarks/triangulation.py [--points 100000] [--grains 1000] [--document]

Construction of up to so many points, maintenance as all move by a part of their spacing a step, then that of the spheres of a settled bed, step by
step. CPU seconds; kernels are compiled (or read from the cache) beforehand. With --document the tables go into docs/validation.md.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from itertools import pairwise
from time import process_time
from typing import NamedTuple

import numpy as np
from mpi4py import MPI
from pages import put_into_page, table_line
from turns import ROOT, processor, version_of

from pardem.bench.beds import settled
from pardem.triangulation import Counts, Triangulation

PARTS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
STEPS = 200
PAGE, PART = ROOT / "docs" / "validation.md", ("<!-- triangulation -->\n", "<!-- end of triangulation -->")
NAMES = {"random": "random", "radii 1:10": "radii 1:10, nine tenths of them small", "lattice": "cubic lattice (every test degenerate)"}


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


class Followed(NamedTuple):
    """What a list of moves has cost.

    Attributes:
        move: us a point and step.
        edges: us a point and step for listing the edges.
        ways: moves by algorithm 1, point by point, by algorithms 2 and 3, and by construction.
        turned: how many moves have turned a tetrahedron over.
    """

    move: float
    edges: float
    ways: tuple[int, ...]
    turned: int

    def by_way(self) -> str:
        """Of which kind the moves were."""
        names = ("by algorithm 1", "point by point", "by algorithm 2", "by algorithm 3", "by construction")
        return ", ".join(f"{number} {name}" for name, number in zip(names, self.ways, strict=True) if number)


def follow(triangulation: Triangulation, places: list[np.ndarray]) -> Followed:
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
    after, each = triangulation.counts, 1e6 / (len(places) * len(triangulation))
    ways = tuple(done(before, after, name) for name in ("algorithm_1", "points", "algorithm_2", "algorithm_3", "rebuilds"))
    return Followed(each * moving, each * listing, ways, done(before, after, "destroyed"))


def construction(most: int) -> tuple[list[str], dict[int, Triangulation]]:
    """The table of construction, and the triangulations of random points by their number.

    Args:
        most: largest number of points.
    """
    counts, made = [n for n in (1000, 10_000, 100_000, 1_000_000) if n <= most], {}
    head = ["construction", *(f"{count} points" for count in counts), f"edges a point at {counts[-1]}"]
    cells: dict[str, list[str]] = {name: [] for name in NAMES}
    for count in counts:
        for name, (points, weights) in clouds(count).items():
            start = process_time()
            triangulation = Triangulation(points, weights)
            cells[name].append(f"{process_time() - start:.2g} s")
            edges = f"{len(triangulation.edges()[1]) / len(points):.1f}"
            if count == counts[-1]:
                cells[name].append(edges)
            if name == "random":
                made[count] = triangulation
    return [table_line(head), table_line(["---"] * len(head)), *(table_line([NAMES[name], *found]) for name, found in cells.items())], made


def maintenance(made: dict[int, Triangulation]) -> list[str]:
    """The table of maintenance.

    Args:
        made: triangulations of random points by their number.
    """
    head = ["random points, each moving by a part of the spacing a step: us a point and step", *(f"{part:g}" for part in PARTS)]
    lines = [table_line(head), table_line(["---"] * len(head))]
    for count, triangulation in made.items():
        points, cells = triangulation.points, []
        velocity = np.random.default_rng(3).normal(size=points.shape)
        for part in PARTS:
            steps = min(STEPS, max(5, 200_000 // count))
            found = follow(triangulation, [points + (k + 1) * part * velocity for k in range(steps)])
            cells.append(f"{found.move:.2g} ({found.by_way()})")
            points = points + steps * part * velocity
        lines.append(table_line([f"{count} points", *cells]))
    return lines


def bed(grains: int) -> str:
    """A sentence on a settled bed of spheres.

    Args:
        grains: number of spheres.
    """
    _, engine = settled(MPI.COMM_WORLD, "spheres", grains)
    places = []
    for _ in range(STEPS + 1):
        engine.advance(1)
        everything = engine.grains.take(np.argsort(engine.grains.gid))
        places.append(everything.x[:, :3].copy())
    way = np.mean([np.abs(b - a).max() for a, b in pairwise(places)]) / everything.x[:, 3].mean()
    triangulation = Triangulation(places[0], everything.x[:, 3] ** 2)
    found = follow(triangulation, places[1:])
    edges = len(triangulation.edges()[1]) / len(places[0])
    return (
        f"A settled bed of {len(places[0])} spheres (`pardem bench spheres --grains {grains}`, largest way of a step {way:.0e} of a radius) costs\n"
        f"{found.move:.2g} us for each sphere and step, and its edges another {found.edges:.2g}; the goal was 3. It has {edges:.2f} edges a sphere\n"
        f"(thesis: about 7). Moves: {found.by_way()}; moves that turned a tetrahedron over: {found.turned}."
    )


def main() -> None:
    """Print what construction and maintenance cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=100_000, help="largest number of points")
    parser.add_argument("--grains", type=int, default=1000, help="spheres of the settled bed")
    parser.add_argument("--document", action="store_true", help="put the tables into docs/validation.md")
    arguments = parser.parse_args()
    Triangulation(np.random.default_rng(1).random((200, 3))).move(np.random.default_rng(2).random((200, 3)))
    table, made = construction(arguments.points)
    title = f"CPU time of one core ({version_of(ROOT)}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {processor()})."
    text = "\n".join([title, "", *table, "", *maintenance(made), "", bed(arguments.grains)]) + "\n"
    print(text)
    if arguments.document:
        put_into_page(PAGE, PART, text)


if __name__ == "__main__":
    main()
