"""Speed of spheres beside LAMMPS, call by call: a table that grows, and the page made of it.

    jobs/benchmarks/lammps_spheres --against-pardem --document      # adds a row to lammps_calls.csv
    python jobs/benchmarks/lammps_calls.py page                     # docs/performance.md from the table

Every call stays in the table, so that the page shows by how much calls differ that measured the same.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pages import PAGE, add_rows, put_into_page, read_rows, table
from turns import ROOT, version_of

TABLE = Path(__file__).resolve().with_name("lammps_calls.csv")
PART = ("<!-- lammps -->\n", "<!-- end of lammps -->")
SPEEDS, RATIOS = ("LAMMPS (10^6/s)", "pardem (10^6/s)"), ("ratio", "least ratio", "most ratio")
COLUMNS = ("day", "version", "lanes", "spheres", "coordination", "style", "turns", *SPEEDS, *RATIOS)
Row = dict[str, str]


def add_call(result: dict[str, Any]) -> None:
    """Add a row to the table.

    Args:
        result: what `lammps_spheres.compare` found.
    """
    lammps, ratios = result["lammps"], result["ratios"]
    bed = [result["pardem"]["lanes"], lammps["grains"], f"{lammps['coordination']:.2f}", lammps["code"].split()[-1], len(ratios)]
    speeds = [f"{result[name] / 1e6:.2f}" for name in ("lammps_cundall", "pardem_cundall")]
    found = [f"{ratio:.2f}" for ratio in (result["ratio"], min(ratios), max(ratios))]
    add_rows(TABLE, COLUMNS, [[f"{datetime.now(UTC):%Y-%m-%d}", version_of(ROOT), *bed, *speeds, *found]])


def newest_calls(rows: list[Row]) -> list[Row]:
    """The newest row of each bed, style and number of lanes, in their order.

    Args:
        rows: the table, oldest call first.
    """
    of = {_bed(row): row for row in rows}
    return [of[bed] for bed in sorted(of)]


def _bed(row: Row) -> tuple[int, int, str]:
    """Spheres, lanes and style of a row."""
    return int(row["spheres"]), int(row["lanes"]), row["style"]


def text(rows: list[Row]) -> str:
    """The table of the page: calls that measured the same beside each other, the newest first.

    Args:
        rows: those of lammps_calls.csv.
    """
    head = ["spheres", "pardem's lanes", "LAMMPS' style", "coordination", "LAMMPS (million particle steps a CPU second)", "pardem"]
    head += ["pardem over LAMMPS (range)", "turns", "version", "day"]
    lines = []
    for bed in sorted({_bed(row) for row in rows}):
        for row in reversed([row for row in rows if _bed(row) == bed]):
            ratio, least, most = (row[name] for name in RATIOS)
            found = [row["coordination"], *(row[name] for name in SPEEDS), f"**{ratio}** ({least} to {most})"]
            lines.append([row["spheres"], row["lanes"], f"`{row['style']}`", *found, row["turns"], row["version"], row["day"]])
    return "\n".join(table(head, lines)) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["page"])
    parser.parse_args()
    put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
