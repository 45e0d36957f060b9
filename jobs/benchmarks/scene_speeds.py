"""Speed of all benchmark scenes, version by version: a table that grows, and the page made of it.

    python jobs/benchmarks/scene_speeds.py measure                        # this version, five turns of every scene, on an idle machine
    python jobs/benchmarks/scene_speeds.py measure --against ../older     # in turns with the version in another working copy
    python jobs/benchmarks/scene_speeds.py measure clumps --warmup 80000 --against ../older   # where its beds are not yet at rest
    python jobs/benchmarks/scene_speeds.py page                           # docs/performance.md from the table

`measure` adds a row a version and scene to scene_speeds.csv: median, least and most particle steps per CPU second, and shares of a step.
Machines differ by more than versions do, so rows are compared only where one call measured both versions in turns.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from pages import PAGE, add_rows, by_call, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, printed, processor, spread, version_of

TABLE = Path(__file__).resolve().with_name("scene_speeds.csv")
SCENES = ("spheres", "rods", "tetrahedra", "cubes", "tetrahedra-superposed", "cubes-superposed", "disks", "62-gons", "clumps")
PART = ("<!-- scenes -->\n", "<!-- end of scenes -->")
LEFT_OUT = "left out"
"""Why the speed of a version says little about contacts, so that no other is compared with it; entered by hand, where it is so."""
COLUMNS = (
    "call", "version", "processor", "scene", "turns", "median (1/s)", "least (1/s)", "most (1/s)", "contacts a grain", "candidates a grain",
    "share of contacts", "share of motion", "share of lists", LEFT_OUT,
)  # fmt: skip


def figures(tree: Path, scene: str, warmup: int) -> dict[str, Any]:
    """What ``pardem bench SCENE --json`` prints in a working copy, after some steps that are not measured."""
    found: dict[str, Any] = printed(tree, ["-m", "pardem", "bench", scene, "--json", "--warmup", str(warmup)])
    return found


def measure(trees: list[Path], scenes: list[str], turns: int, warmup: int) -> None:
    """Measure scenes in turns and add rows to the table.

    Args:
        trees: working copies.
        scenes: names.
        turns: how often each is measured; one more run before them compiles and settles.
        warmup: steps before the clock starts.
    """
    call, rows = now(), []
    for scene in scenes:
        for tree in trees:
            figures(tree, scene, 500)  # compiles and settles
        for tree, every in in_turns(trees, turns, partial(figures, scene=scene, warmup=warmup)).items():
            one = every[0]
            numbers = [*spread([done["cundall"] for done in every]), *(f"{one[k]:.3g}" for k in ("contacts_per_grain", "candidates_per_grain"))]
            shares = [f"{median(done[k] for done in every):.3f}" for k in ("share_contacts", "share_integration", "share_detection")]
            rows.append([call, version_of(tree), processor(), scene, turns, *numbers, *shares, ""])
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one a call.

    Args:
        rows: those of scene_speeds.csv.
    """
    parts = []
    for call, measured in by_call(rows).items():
        versions = list(dict.fromkeys(row["version"] for row in measured))
        scenes = list(dict.fromkeys(row["scene"] for row in measured))
        of = {(row["version"], row["scene"]): row for row in measured}
        head = ["scene", "contacts a grain", *(f"{v}: million particle steps a CPU second (range)" for v in versions), "ns a grain and step"]
        head += [f"{versions[0]} over {v}" for v in versions[1:]]
        title = f"**{call} UTC**, {measured[0]['processor']}, one core, medians of {measured[0]['turns']} turns"
        lines = []
        for scene in scenes:
            own = of[versions[0], scene]
            first = float(own["median (1/s)"])
            speeds = [_speed(of[v, scene]) if (v, scene) in of else "-" for v in versions]
            ratios = [_ratio(first, of.get((v, scene))) for v in versions[1:]]
            lines.append([scene, own["contacts a grain"], *speeds, f"{1e9 / first:.0f}", *ratios])
        parts.append("\n".join([title, "", *table(head, lines)]))
    return "\n\n".join(parts) + "\n"


def _ratio(own: float, row: dict[str, str] | None) -> str:
    """How many times as fast as another version this one is, or why that is not said."""
    if row is None:
        return "-"
    if row[LEFT_OUT]:
        return f"left out: {row[LEFT_OUT]}, lists take {float(row['share of lists']):.0%}"
    return f"{own / float(row['median (1/s)']):.2f}"


def _speed(row: dict[str, str]) -> str:
    middle, least, most = (1e-6 * float(row[k]) for k in ("median (1/s)", "least (1/s)", "most (1/s)"))
    return f"{middle:.3g} ({least:.3g} to {most:.3g})"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help="names of scenes; default: all")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="DIR", help="working copy of another version")
    parser.add_argument("--turns", type=int, default=5, help="how often each scene is measured")
    parser.add_argument("--warmup", type=int, default=500, help="steps before the clock starts (default %(default)s)")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure([ROOT, *(path.resolve() for path in arguments.against)], arguments.scenes, arguments.turns, arguments.warmup)
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
