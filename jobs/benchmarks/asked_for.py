"""What runs ask of contacts besides forces: settled beds with it, in turns with another version, and the table made of it.

    python jobs/benchmarks/asked_for.py measure --against ../older                       # all kinds, in turns with another working copy
    python jobs/benchmarks/asked_for.py measure "rods: springs" --against ../older --turns 5
    python jobs/benchmarks/asked_for.py page                                             # docs/performance.md from asked_for.csv

All beds begin with the grains of the settled bed of `pardem bench`. A process a turn measures all kinds; what it prints last counts.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mpi4py import MPI
from pages import PAGE, add_rows, by_call, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, printed, processor, spread, version_of

TABLE = Path(__file__).resolve().with_name("asked_for.csv")
PART = ("<!-- asked for -->\n", "<!-- end of asked for -->")
COLUMNS = ("call", "version", "processor", "kind", "turns", "median (ns)", "least (ns)", "most (ns)")
SETTLE = 600  # steps in which a bed gets used to what it has not settled with
ROLLING = {"rolling_friction": 0.3, "twisting_friction": 0.2}


def _as_it_is(case: dict[str, Any]) -> None:
    """Nothing besides forces."""


def _resisting(case: dict[str, Any], resistance: str) -> None:
    case["contact"] |= ROLLING | {"resistance": resistance}


def _turning(case: dict[str, Any]) -> None:
    """All walls turn slowly about their normals."""
    for wall in case["wall"]:
        wall["motion"] = {"kind": "rotation", "axis": wall["normal"], "center": wall["point"], "rate": 0.02}


def _of_bodies(case: dict[str, Any]) -> None:
    """All walls are plates, whose vertices, edges and faces the grains meet, instead of planes."""
    radius, wide = case["species"][0]["radius"], 2.0 * max(max(map(abs, case["domain"][end])) for end in ("lower", "upper"))
    corners = [(x, y, z) for x in (-wide, wide) for y in (-wide, wide) for z in (-3.0 * radius, -radius)]
    case["species"] = [*case["species"], {"name": "plate", "shape": "polyhedron", "radius": radius, "density": 1.0, "vertices": corners}]
    for wall in case["wall"]:
        x, y, z = wall.pop("normal")
        upright = (1.0 + z, -y, x, 0.0) if z > -1.0 else (0.0, 1.0, 0.0, 0.0)
        wall |= {"kind": "body", "species": "plate", "position": wall.pop("point"), "orientation": upright}


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "as it is": _as_it_is,
    "every step observed": _as_it_is,
    "springs": lambda case: _resisting(case, "spring"),
    "constant torques": lambda case: _resisting(case, "constant"),
    "walls that turn": _turning,
    "walls of bodies": _of_bodies,
}
KINDS = tuple(f"{scene}: {change}" for scene in ("spheres", "rods") for change in list(CHANGES) if change != "constant torques")


def nanoseconds(kind: str, steps: int) -> Callable[[], float]:
    """Make a bed ready; what comes back measures it: CPU time of a grain and step (ns).

    Args:
        kind: scene and change.
        steps: number of steps of a measurement.
    """
    from pardem.bench.beds import engine_of, settled_tile
    from pardem.bench.scenes import bed_of, scene_case

    scene, _, change = kind.partition(": ")
    count, comm = bed_of(scene).grains, MPI.COMM_SELF
    grains, _ = settled_tile(comm, scene, count)
    case = scene_case(scene, count)
    data = case.model_dump(exclude_unset=True)
    CHANGES[change](data)
    engine, observed = engine_of(comm, type(case)(**data), grains, None), change == "every step observed"
    engine.advance(SETTLE)

    def once() -> float:
        begin = time.process_time()
        for _ in range(steps if observed else 1):
            engine.advance(1 if observed else steps, observe=observed)
        return 1e9 * (time.process_time() - begin) / (steps * count)

    return once


def measure(trees: list[Path], kinds: list[str], turns: int, steps: int) -> None:
    """Measure kinds in turns and add rows to the table.

    Args:
        trees: working copies.
        kinds: names.
        turns: how often each is measured, in a process of its own.
        steps: number of steps of a measurement, of which a process makes three.
    """
    call, words = now(), [str(Path(__file__).resolve()), "one", *kinds, "--steps", str(steps)]
    found = in_turns(trees, turns, lambda tree: printed(tree, words))
    rows = [
        [call, version_of(tree), processor(), kind, turns, *spread([done[kind] for done in found[tree]])] for kind in kinds for tree in trees
    ]  # fmt: skip
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one a call.

    Args:
        rows: those of asked_for.csv.
    """
    return "\n".join(_table(call, measured) for call, measured in by_call(rows).items())


def _table(call: str, measured: list[dict[str, str]]) -> str:
    """What one call measured."""
    versions = list(dict.fromkeys(row["version"] for row in measured))
    of = {(row["version"], row["kind"]): row for row in measured}
    head = ["bed", *(f"{v}: ns a grain and step (range)" for v in versions), *(f"{versions[0]} over {v}, in speed" for v in versions[1:])]
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in measured):
        every = [of[v, kind] for v in versions]
        times = [f"{float(row['median (ns)']):.3g} ({float(row['least (ns)']):.3g} to {float(row['most (ns)']):.3g})" for row in every]
        ratios = [f"{float(row['median (ns)']) / float(every[0]['median (ns)']):.2f}" for row in every[1:]]
        lines.append([kind, *times, *ratios])
    title = f"**{call} UTC**, {measured[0]['processor']}, one core, medians of {measured[0]['turns']} turns"
    return "\n".join([title, "", *table(head, lines)]) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "one", "page"])
    parser.add_argument("kinds", nargs="*", help=f"what to measure: scene and change ({', '.join(CHANGES)}); default: {', '.join(KINDS)}")
    parser.add_argument("--against", type=Path, help="another working copy")
    parser.add_argument("--turns", type=int, default=5, help="how often each is measured")
    parser.add_argument("--steps", type=int, default=300, help="steps of a measurement")
    arguments = parser.parse_args()
    kinds = arguments.kinds or list(KINDS)
    if arguments.what == "page":
        put_into_page(PAGE, PART, text(read_rows(TABLE)))
    elif arguments.what == "one":
        beds = {kind: nanoseconds(kind, arguments.steps) for kind in kinds}
        print(json.dumps({kind: min(once() for _ in range(3)) for kind, once in beds.items()}))
    else:
        measure([ROOT, *([arguments.against.resolve()] if arguments.against else [])], kinds, arguments.turns, arguments.steps)


if __name__ == "__main__":
    main()
