"""Each scene in one line: time, bytes, instructions, the limits on paper, how far from them, what was tried; the table of docs/performance.md.

    python jobs/benchmarks/scene_limits.py page

The figures are those of the other tables: scene_speeds.csv, contact_instructions.csv, and the page's own table of bytes.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from pages import PAGE, newest, put_into_page, read_rows, table, table_cells

PART = ("<!-- limits -->\n", "<!-- end of limits -->")
HERE, BEFORE = Path(__file__).resolve().parent, "56a29c3"
HEAD = (
    "scene", "lanes", "ns a grain and step", "bytes a grain and step", "ns that a copy takes for these", "instructions a contact",
    "least cycles a contact", "cycles as measured", "over the least", "what was tried",
)  # fmt: skip
NOTES, CONTACTS, LANES, HOW = (
    "[notes](#what-did-not-pay)", "[contacts](#what-contacts-take)", "[four lanes](#rods-and-polytopes-on-four-lanes)",
    "[contacts](#how-a-contact-is-computed)",
)  # fmt: skip
TRIED = {
    "spheres": (CONTACTS, "[large beds](#what-large-beds-cost)", "[laws](#what-laws-and-the-energy-budget-cost)", NOTES),
    "rods": (LANES, HOW, NOTES),
    "tetrahedra": (LANES, HOW, NOTES),
    "cubes": (LANES, HOW, NOTES),
    "tetrahedra-superposed": (HOW, "[meetings](#what-meetings-of-two-cubes-cost)", NOTES),
    "cubes-superposed": (HOW, "[meetings](#what-meetings-of-two-cubes-cost)", NOTES),
    "disks": (CONTACTS, "as spheres"),
    "62-gons": (HOW, NOTES),
    "clumps": (HOW, LANES, NOTES),
}
Row = dict[str, str]


def of_contacts(row: Row | None) -> list[str]:
    """Instructions, least cycles, cycles as measured, and the ratio of these.

    Args:
        row: of contact_instructions.csv.
    """
    if row is None:
        return ["", "", "", ""]
    least = max(int(x) for x in row["least cycles: to issue the instructions; in the pipes; in the divider"].split(";"))
    measured = row["cycles, ns as measured"].partition(",")[0]
    return [f"{row['instructions']} ({row['version']})", str(least), measured, row["cycles over the largest of the least"]]


def text(speeds: list[Row], instructions: list[Row], page: str) -> str:
    """The table, a line for each scene and number of lanes.

    Args:
        speeds: rows of scene_speeds.csv.
        instructions: rows of contact_instructions.csv.
        page: the page with its table of bytes.
    """
    bytes_of = {cells[0]: (cells[5], cells[6].partition("(")[2].rstrip(")")) for cells in table_cells(page, "bytes") if len(cells) > 6}
    copy = re.search(r"A copy from memory to memory reads and writes ([\d.]+) GB/s", page)
    counted = {(row["scene"], row["lanes"]): row for row in instructions}
    measured = newest([row for row in speeds if row["version"] != BEFORE], "processor", "scene")
    lines = []
    for scene, tried in TRIED.items():
        for (processor, name), rows in measured.items():
            if name != scene:
                continue
            lanes = processor.rpartition(", ")[2].partition(" ")[0]
            moved, version = bytes_of[scene]
            of_copy = f"{float(moved) / float(copy[1]):.0f}" if copy and version == rows[0]["version"] else ""
            took = f"{1e9 / float(rows[0]['median (1/s)']):.0f} ({rows[0]['version']})"
            lines.append([scene, lanes, took, moved, of_copy, *of_contacts(counted.get((scene, lanes))), ", ".join(tried)])
    return "\n".join(table(HEAD, lines)) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["page"])
    parser.parse_args()
    speeds, instructions = (read_rows(HERE / f"{name}.csv") for name in ("scene_speeds", "contact_instructions"))
    put_into_page(PAGE, PART, text(speeds, instructions, PAGE.read_text()))


if __name__ == "__main__":
    main()
