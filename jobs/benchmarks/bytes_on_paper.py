"""Bytes that a step moves on paper, from the widths of the arrays and the contacts and candidates measured: the table of docs/performance.md.

    python jobs/benchmarks/bytes_on_paper.py            # prints it
    python jobs/benchmarks/bytes_on_paper.py page       # puts it into docs/performance.md

Each pass over the grains, the candidates or the contacts counts the rows that it reads and those that it writes, once: what neighbours read again is
thought to lie in a cache. Times are the newest ones of scene_speeds.csv, those of large beds of step_shares.csv. What the memory can do is measured
at each call, so that it should be that machine's on which the times of the large beds were taken, idle.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import numpy as np
from mpi4py import MPI
from pages import PAGE, put_into_page, read_rows, table_line
from pydantic import TypeAdapter
from scene_speeds import SCENES, TABLE
from step_shares import TABLE as SHARES

from pardem.bench.beds import settled
from pardem.bench.scenes import bed_of
from pardem.case.any_species import AnySpecies
from pardem.detection.needed_vertices import MANY
from pardem.laws.history import HISTORY, WITH_ARM
from pardem.state.population import Population

PART = ("<!-- bytes -->\n", "<!-- end of bytes -->")
LARGE = ("spheres 100000", "spheres 1000000")  # beds of step_shares.csv
COPIED = 1 << 28  # bytes: far more than a cache holds
NUMBER, INDEX, PATH, FLAG, VERTEX, WARM = 8, 4, 4, 1, 32, 16


class Bytes(NamedTuple):
    """Bytes a step.

    Attributes:
        grain: of each grain.
        candidate: of each candidate.
        contact: of each contact.
    """

    grain: int
    candidate: int
    contact: int


def width(*names: str) -> int:
    """Bytes of the rows of some arrays of the grains.

    Args:
        names: names of the arrays.
    """
    columns = [Population.columns[name] for name in names]
    return sum(np.dtype(column.kind).itemsize * int(np.prod(column.shape, dtype=int)) for column in columns)


def of_spheres() -> Bytes:
    """A step of spheres: motion, the test of the lists (velocities once more), the search for contacts, their forces."""
    motion = width("species", "scale") + 2 * width("x", "v", "w", "ft")
    contacts = width("x", "v", "w") + 2 * width("ft")
    return Bytes(motion + width("v") + contacts, FLAG + PATH, 2 * HISTORY * NUMBER + FLAG + 3 * INDEX)


def placed(scene: str, vertices: int) -> float:
    """Vertices a grain that a step places in the settled bed: all of them, or those that contacts can ask for.

    Args:
        scene: its name.
        vertices: of a core.
    """
    if vertices <= MANY:
        return vertices
    engine = settled(MPI.COMM_SELF, scene, bed_of(scene).grains)[1]
    needed = engine.state.grains.needed
    return len(needed.number) / engine.state.owned if len(needed.start) else vertices


def of_others(vertices: float, by_features: bool, solver: bool) -> Bytes:
    """A step of other shapes: motion with turning and vertices, paths, contacts.

    Args:
        vertices: of a core, those that are placed.
        by_features: whether candidates are pairs of features.
        solver: whether contacts keep active sets.
    """
    motion = width("species", "scale") + 2 * width("x", "v", "w", "ft", "q", "am") + vertices * VERTEX
    paths = width("species", "scale", "v", "w") + 2 * NUMBER
    contacts = width("x", "v", "w", "species") + NUMBER + vertices * VERTEX + 2 * width("ft")
    history = 2 * (HISTORY + WITH_ARM) * NUMBER + 2 * FLAG + (NUMBER if by_features else 0) + (2 * WARM if solver else 0)
    return Bytes(round(motion + paths + contacts), 2 * INDEX + FLAG + PATH, history)


def of_scene(scene: str) -> Bytes:
    """Bytes of a step of a scene.

    Args:
        scene: its name.
    """
    bed = bed_of(scene)
    species = TypeAdapter(AnySpecies).validate_python({"name": "grain", "density": 1.0, **bed.shape})
    by_features = bed.interaction == "superposition"
    vertices = species.core_vertices
    return of_spheres() if vertices == 1 else of_others(placed(scene, vertices), by_features, vertices > 2 and not by_features)


def counted(bed: str) -> tuple[float, float]:
    """Contacts and candidates a grain of a large bed.

    Args:
        bed: the scene, and how many grains.
    """
    scene, grains = bed.split()
    engine = settled(MPI.COMM_SELF, scene, int(grains))[1]
    engine.advance(1)
    pairs = engine.state.pairs
    assert pairs is not None
    return float(pairs.touch.sum()) / engine.state.owned, len(pairs.col) / engine.state.owned


def copied() -> float:
    """Bytes a second, read or written, of a copy from memory to memory on this core: the best of five."""
    source, target, best = np.ones(COPIED // NUMBER), np.zeros(COPIED // NUMBER), float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - begin)
    return 2.0 * COPIED / best


def line(name: str, contacts: float, candidates: float, took: float, version: str) -> str:
    """A line of the table.

    Args:
        name: of the bed, which begins with that of its scene.
        contacts: a grain.
        candidates: a grain.
        took: time of a step and grain (ns).
        version: that took this time.
    """
    one = of_scene(name.split()[0])
    total = one.grain + candidates * one.candidate + contacts * one.contact
    return table_line([name, f"{contacts:.3g}, {candidates:.3g}", *map(str, one), f"{total:.0f}", f"{took:.0f} ({version})", f"{total / took:.1f}"])


def text() -> str:
    """The table."""
    rows, shares = read_rows(TABLE), read_rows(SHARES)
    head = ["scene", "contacts, candidates a grain", "bytes a grain", "a candidate", "a contact", "together", "ns a grain and step", "GB/s"]
    lines = [table_line(head), table_line(["---"] * len(head))]
    for scene in SCENES:
        measured = [row for row in rows if row["scene"] == scene and row["share of contacts"]]
        row = max(measured, key=lambda row: row["call"])  # the first of a call: the version that it compared with others
        lines.append(line(scene, float(row["contacts a grain"]), float(row["candidates a grain"]), 1e9 / float(row["median (1/s)"]), row["version"]))
    for bed in LARGE:
        row = max((row for row in shares if row["bed"] == bed), key=lambda row: row["call"])
        lines.append(line(bed, *counted(bed), float(row["grain and step (ns)"]), row["version"]))
    return "\n".join([*lines, "", f"A copy from memory to memory reads and writes {1e-9 * copied():.1f} GB/s on one core."]) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["page"]:
        put_into_page(PAGE, PART, text())
    else:
        sys.stdout.write(text())
