"""Bytes that a step moves on paper, from the widths of the arrays and the contacts and candidates measured: the table of docs/performance.md.

    python jobs/benchmarks/bytes_on_paper.py            # prints it
    python jobs/benchmarks/bytes_on_paper.py page       # puts it into docs/performance.md

Each pass over the grains, the candidates or the contacts counts the rows that it reads and those that it writes, once: what neighbours read again is
thought to lie in a cache. Times are the newest ones of scene_speeds.csv.
"""

from __future__ import annotations

import csv
import sys
from typing import NamedTuple

import numpy as np
from mpi4py import MPI
from pydantic import TypeAdapter
from scene_speeds import PAGE, SCENES, TABLE, put_into_page, table_line

from pardem.bench.beds import settled
from pardem.bench.scenes import bed_of
from pardem.case.any_species import AnySpecies
from pardem.detection.needed_vertices import MANY
from pardem.laws.history import HISTORY, WITH_ARM
from pardem.state.population import Population

PART = ("<!-- bytes -->\n", "<!-- end of bytes -->")
NUMBER, INDEX, FLAG, VERTEX, WARM = 8, 4, 1, 32, 16


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
    return Bytes(motion + width("v") + contacts, 2 * INDEX + FLAG, 2 * HISTORY * NUMBER + FLAG + INDEX)


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
    return Bytes(round(motion + paths + contacts), 2 * INDEX + FLAG + NUMBER, history)


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


def text() -> str:
    """The table."""
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    head = ["scene", "contacts, candidates a grain", "bytes a grain", "a candidate", "a contact", "together", "ns a grain and step", "GB/s"]
    lines = [table_line(head), table_line(["---"] * len(head))]
    for scene in SCENES:
        newest = max(row["call"] for row in rows if row["scene"] == scene and row["share of contacts"])
        row = next(row for row in rows if row["scene"] == scene and row["call"] == newest)
        contacts, candidates, one = float(row["contacts a grain"]), float(row["candidates a grain"]), of_scene(scene)
        total, time = one.grain + candidates * one.candidate + contacts * one.contact, 1e9 / float(row["median (1/s)"])
        cells = [scene, f"{contacts:.3g}, {candidates:.3g}", *map(str, one), f"{total:.0f}", f"{time:.0f} ({row['version']})", f"{total / time:.1f}"]
        lines.append(table_line(cells))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["page"]:
        put_into_page(PAGE, PART, text())
    else:
        sys.stdout.write(text())
