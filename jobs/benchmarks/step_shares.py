"""Where the time of a step goes: contacts, walls, motion, and making the lists anew; and the table made of it.

    python jobs/benchmarks/step_shares.py measure                          # all scenes, five turns, on an idle machine
    python jobs/benchmarks/step_shares.py measure "spheres 100000" --turns 3
    python jobs/benchmarks/step_shares.py page                             # docs/performance.md from step_shares.csv

Beds are those of `pardem bench`. Those that lie still hardly need new lists, so that as many steps are measured as a bed takes for some.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median

from pages import PAGE, add_rows, put_into_page, read_rows, table
from scene_speeds import SCENES
from turns import ROOT, now, printed, processor, version_of

TABLE = Path(__file__).resolve().with_name("step_shares.csv")
PART = ("<!-- shares -->\n", "<!-- end of shares -->")
COLUMNS = (
    "call", "version", "processor", "bed", "turns", "steps", "new lists", "grain and step (ns)",
    "contacts of grains", "walls", "motion", "lists", "the rest", "peak memory (GB)",
)  # fmt: skip
BEDS = (*SCENES, "spheres 100000", "spheres 1000000")
STEPS = {"spheres": 3000, "spheres 100000": 1500, "spheres 1000000": 500, "clumps": 3000}
USUAL = 6000


def shares(bed: str) -> list[float]:
    """Numbers of steps and new lists, ns a grain and step, shares of a step and memory (GB) in the order of the table.

    Args:
        bed: a scene, and how many grains if not as usual.
    """
    from mpi4py import MPI

    from pardem.bench import measure as measured
    from pardem.bench.beds import settled
    from pardem.bench.scenes import bed_of
    from pardem.compiled import clock

    scene, _, number = bed.partition(" ")
    steps = STEPS.get(bed, USUAL)
    case, engine = settled(MPI.COMM_SELF, scene, int(number or bed_of(scene).grains))
    found = measured(engine, case, steps, 100)
    ticks = engine.counters.ticks
    on_walls = found["share_contacts"] * float(ticks[clock.WALLS] / (ticks[clock.WALLS] + ticks[clock.CONTACTS]))
    of_grains, motion, lists = found["share_contacts"] - on_walls, found["share_integration"], found["share_detection"]
    rest = 1.0 - of_grains - on_walls - motion - lists
    return [steps, found["rebuilds"], 1e9 / found["cundall"], of_grains, on_walls, motion, lists, rest, 1e-9 * found["memory_bytes"]]


def measure(beds: list[str], turns: int) -> None:
    """Measure beds and add rows to the table.

    Args:
        beds: names.
        turns: how often each is measured, in a process of its own.
    """
    call, rows = now(), []
    for bed in beds:
        found = [printed(ROOT, [str(Path(__file__).resolve()), "one", bed]) for _ in range(turns)]
        steps, lists, *values = (median(column) for column in zip(*found, strict=True))
        rows.append([call, version_of(ROOT), processor(), bed, turns, int(steps), int(lists), f"{values[0]:.4g}", *(f"{x:.3f}" for x in values[1:])])
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The table of the page: the newest row of each bed.

    Args:
        rows: those of step_shares.csv.
    """
    head = ["bed", "ns a grain and step", *(f"{name} (%)" for name in COLUMNS[8:-1]), "new lists, steps", COLUMNS[-1]]
    lines = []
    newest = {row["bed"]: row for row in rows}
    for bed, row in newest.items():
        percent = [f"{100.0 * float(row[name]):.1f}" for name in COLUMNS[8:-1]]
        memory = f"{float(row[COLUMNS[-1]]):.2f}"
        lines.append([bed, f"{float(row['grain and step (ns)']):.0f}", *percent, f"{row['new lists']}, {row['steps']}", memory])
    calls = dict.fromkeys(f"{row['version']}, {row['call']} UTC" for row in newest.values())
    title = f"Medians of {rows[-1]['turns']} turns, one core, {rows[-1]['processor']} ({'; '.join(calls)})"
    return "\n".join([title, "", *table(head, lines)]) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "one", "page"])
    parser.add_argument("beds", nargs="*", default=list(BEDS), help=f"default: {', '.join(BEDS)}")
    parser.add_argument("--turns", type=int, default=5, help="how often each is measured")
    arguments = parser.parse_args()
    if arguments.what == "page":
        put_into_page(PAGE, PART, text(read_rows(TABLE)))
    elif arguments.what == "one":
        print(json.dumps(shares(*arguments.beds)))
    else:
        measure(arguments.beds, arguments.turns)


if __name__ == "__main__":
    main()
