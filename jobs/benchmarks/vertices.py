"""Cost of a grain-step against the number of vertices (paper 000, figure 11): dense beds of regular polygons that differ in nothing else.

    python jobs/benchmarks/vertices.py measure    # beds of 150 polygons into vertices.csv
    python jobs/benchmarks/vertices.py page       # part of docs/validation.md from vertices.csv

The exponent is that of a power law through all beds, and through the paper's (3 to 7 sides).
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from mpi4py import MPI
from pages import append_row, put_into_page, read_rows, table_line
from turns import ROOT, processor, version_of

PART = ("<!-- vertices -->\n", "<!-- end of vertices -->")
TABLE = Path(__file__).resolve().with_name("vertices.csv")
SIDES = (3, 4, 5, 6, 7, 12, 24, 62)
PAPER = {"exponent": 0.353, "disks": 50.0}  # with lists, 3 to 7 sides; Cundall numbers of disks over those of 62-gons
GRAINS, TURNS = 150, 5
SHARES = ("share_contacts", "share_detection", "share_integration")
COLUMNS = ("day", "version", "processor", "bed", "ns", "contacts", "candidates", *SHARES)


def measure() -> None:
    """Settle and time the beds, disks first: a row each, of the turn with the median time."""
    from pardem.bench import measure as timed
    from pardem.bench.beds import settled
    from pardem.bench.scenes import BEDS, polygons

    day, found = datetime.now(UTC).strftime("%Y-%m-%d"), list[list[str]]()
    for name in ("disks", *(f"{n}-gons" for n in SIDES)):
        if name not in BEDS:
            BEDS[name] = polygons(int(name.split("-")[0]))
        case, engine = settled(MPI.COMM_WORLD, name, GRAINS)
        turns = [timed(engine, case, 3_000, 500) for _ in range(TURNS)]
        figures = sorted(turns, key=lambda turn: turn["cundall"])[TURNS // 2]
        numbers = (1e9 / figures["cundall"], figures["contacts_per_grain"], figures["candidates_per_grain"], *(figures[share] for share in SHARES))
        found.append([day, version_of(ROOT), processor(), name, *(f"{number:.4g}" for number in numbers)])
        print(", ".join(map(str, found[-1])), flush=True)
    TABLE.unlink(missing_ok=True)
    for row in found:
        append_row(TABLE, COLUMNS, row)


def text(rows: list[dict[str, str]]) -> str:
    """What docs/validation.md says.

    Args:
        rows: of the table.
    """
    of = {row["bed"]: row for row in rows}
    beds = ["disks", *(f"{n}-gons" for n in SIDES)]
    head = ["sides", "disk", *map(str, SIDES)]
    cells = [
        ["ns a grain-step", *(f"{float(of[bed]['ns']):.0f}" for bed in beds)],
        ["contacts (pairs of features) a grain", *(f"{float(of[bed]['contacts']):.1f}" for bed in beds)],
        ["candidates a grain", *(f"{float(of[bed]['candidates']):.0f}" for bed in beds)],
        ["share of contacts, lists, motion (%)", *(", ".join(f"{100 * float(of[bed][share]):.0f}" for share in SHARES) for bed in beds)],
    ]
    cost = {n: float(of[f"{n}-gons"]["ns"]) for n in SIDES}
    said = [f"({rows[0]['version']}, {rows[0]['day']}, {rows[0]['processor']}, one core, medians of {TURNS} turns.)"]
    for most in (7, SIDES[-1]):
        n = [k for k in SIDES if k <= most]
        slope = np.polyfit(np.log(n), np.log([cost[k] for k in n]), 1)[0]
        said.append(f"Over 3 to {most} sides the cost grows as their number to the power of {slope:.2f} (the paper, 3 to 7: {PAPER['exponent']}).")
    ratio = cost[SIDES[-1]] / float(of["disks"]["ns"])
    said.append(f"Disks are {ratio:.1f} times as fast as polygons of {SIDES[-1]} sides (the paper: {PAPER['disks']:.0f}).")
    lines = [table_line(line) for line in (head, ["---"] * len(head), *cells)]
    return "\n".join([*lines, "", " ".join(said), ""])


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    if parser.parse_args().what == "measure":
        measure()
    else:
        put_into_page(ROOT / "docs" / "validation.md", PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
