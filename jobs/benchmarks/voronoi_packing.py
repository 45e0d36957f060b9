"""Packings of rounded Voronoi cells: void ratio against erosion, and the time to make one; part of docs/validation.md.

    python jobs/benchmarks/voronoi_packing.py measure [--count 100000]    # three turns; kernels are compiled, or read from the cache, beforehand
    python jobs/benchmarks/voronoi_packing.py page                        # docs/validation.md from the table

In the plane and in space, periodic. Times are those of a void ratio of 0.3 and a radius of half the erosion, with random sites and after two steps of
relaxation.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time

from pages import PAGE, add_rows, by_call, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, processor, spread, version_of

from pardem.shapes import Rounding, voronoi_packing

TABLE = Path(__file__).resolve().with_name("voronoi_packing.csv")
COLUMNS = (
    "call", "version", "processor", "what", "dimension", "sites", "regularity", "d (spacings)", "void ratio", "grains", "vanished", "turns",
    "median (s)", "least (s)", "most (s)",
)  # fmt: skip
PART = ("<!-- voronoi packings -->\n", "<!-- end of voronoi packings -->")
EROSIONS = (0.02, 0.05, 0.1, 0.15, 0.2)  # of the mean spacing
FEW = 2000  # sites
TURNS = 3
SPREAD = ("median", "least", "most")
WHERE = {2: "plane", 3: "space"}


def box(dimension: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A periodic box of side 1."""
    return (0.0,) * dimension, (1.0,) * dimension


def eroded(call: list[str], dimension: int, d: float) -> list[object]:
    """The row of a packing whose cells are opened by d, in units of the mean spacing."""
    erosion = d / FEW ** (1.0 / dimension)
    packing = voronoi_packing(FEW, *box(dimension), Rounding(erosion=erosion, radius=erosion), seed=1)
    return [*call, "opening", dimension, FEW, 0, d, f"{packing.void_ratio():.6f}", len(packing), len(packing.vanished), "", "", "", ""]


def measure(count: int) -> None:
    """Measure, and add rows to the table."""
    call = [now(), version_of(ROOT), processor()]
    rows = [eroded(call, dimension, d) for dimension in WHERE for d in EROSIONS]
    kinds = [(dimension, regularity) for dimension in WHERE for regularity in (0, 2)]
    for dimension in WHERE:
        voronoi_packing(10, *box(dimension), Rounding(void_ratio=0.3), regularity=1)

    def one(kind: tuple[int, int]) -> tuple[float, list[object]]:
        begin = process_time()
        packing = voronoi_packing(count, *box(kind[0]), Rounding(void_ratio=0.3, roundness=0.5), regularity=kind[1])
        spent = process_time() - begin
        spacings = packing.erosion * count ** (1.0 / kind[0])
        return spent, [f"{spacings:.4f}", f"{packing.void_ratio():.6f}", len(packing), len(packing.vanished)]

    for kind, found in in_turns(kinds, TURNS, one).items():
        rows.append([*call, "time", kind[0], count, kind[1], *found[0][1], TURNS, *spread([spent for spent, _ in found])])
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The part of the page, of the newest call."""
    call, newest = next(iter(by_call(rows).items()))
    openings = [row for row in newest if row["what"] == "opening"]
    lines = [
        [WHERE[dimension], *(f"{float(row['void ratio']):.3f}" for row in openings if int(row["dimension"]) == dimension)] for dimension in WHERE
    ]
    times = [
        [
            WHERE[int(row["dimension"])], "random" if row["regularity"] == "0" else f"after {row['regularity']} Lloyd steps", row["sites"],
            row["d (spacings)"], row["void ratio"], row["vanished"],
            "{:.2g} ({:.2g} to {:.2g})".format(*(float(row[f"{which} (s)"]) for which in SPREAD)),
        ]
        for row in newest if row["what"] == "time"
    ]  # fmt: skip
    first = table(["", *(f"{d:g}" for d in EROSIONS)], lines)
    second = table(["", "sites", "cells", "d over spacing", "void ratio", "cells that vanish", "s"], times)
    head = f"Void ratio by d over the mean spacing of {FEW} random sites, r = d ({newest[0]['version']}, {call} UTC, {newest[0]['processor']}):"
    between = f"CPU time of one core for a void ratio of 0.3 and r = d/2, the choice of d included (medians of {TURNS} turns, ranges):"
    return "\n".join([head, "", *first, "", between, "", *second]) + "\n"


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("measure", help="measure").add_argument("--count", type=int, default=100_000, help="cells (default 100000)")
    commands.add_parser("page", help="write docs/validation.md from the table")
    options = parser.parse_args()
    if options.command == "measure":
        measure(options.count)
    else:
        put_into_page(PAGE.with_name("validation.md"), PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
