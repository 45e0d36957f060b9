"""The figures of cost.py as a table that grows, and the part of docs/validation.md that is made of it."""

from __future__ import annotations

import csv
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from page import ROOT, table, write
from table_rows import read_rows

TABLE = Path(__file__).resolve().with_name("cost.csv")
WAYS = ("cells", "triangulation", "every step")
FIGURES = (
    "us", "least ratio", "ratio", "most ratio", "rebuild_us", "rebuilds", "skin", "vertices", "edges", "algorithm_1", "anew", "followed", "refused",
    "fast", "points", "algorithm_2", "algorithm_3",
)  # fmt: skip
COLUMNS = ("day", "version", "bed", "grains", "turns", "way", *FIGURES)
BEDS = {
    "spherosimplices": "experiment 1", "spheres_tetrahedra": "experiment 2", "rods_3": "rods, l/r = 3", "rods_6": "rods, l/r = 6",
    "spheres": "spheres", "bidisperse_10": "spheres, 1:10", "bidisperse_20": "spheres, 1:20",
}  # fmt: skip
HEAD = [
    "bed", "grains", "detection", "us a step", "over cells (range)", "us a rebuild", "rebuilds", "skin (mm)", "vertices", "edges a vertex",
    "points moved one by one", "built anew", "commit, day",
]  # fmt: skip


def add(path: Path, row: dict[str, Any], turns: int) -> None:
    """Add what `cost.one` has found to a table, a line for each way of detection."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    version = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    new = not path.exists()
    with path.open("a", newline="") as file:
        rows = csv.DictWriter(file, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
        if new:
            rows.writeheader()
        for way in (way for way in WAYS if way in row):
            figures = {k: f"{v:.6g}" for k, v in row[way].items()}
            named = {"version": version, "bed": row["bed"], "grains": row["grains"], "turns": turns, "way": way}
            rows.writerow({"day": datetime.now(UTC).strftime("%Y-%m-%d")} | named | figures)


def newest_rows(rows: list[dict[str, str]]) -> dict[tuple[str, int, str], dict[str, str]]:
    """The newest row of each bed, number of grains and way of detection, in the order of the page."""
    newest = {(row["bed"], int(row["grains"]), row["way"]): row for row in rows}
    order = sorted(newest, key=lambda key: (list(BEDS).index(key[0]), key[1], WAYS.index(key[2])))
    return {key: newest[key] for key in order}


def text(rows: list[dict[str, str]]) -> str:
    """The table of the page."""
    lines = []
    for key, row in newest_rows(rows).items():
        ratio = "" if key[2] == "cells" else f"{float(row['ratio']):.2f} ({float(row['least ratio']):.2f} to {float(row['most ratio']):.2f})"
        edges = f"{float(row['edges']) / float(row['vertices']):.2f}" if row["vertices"] else ""
        cells = [
            BEDS[key[0]], row["grains"], key[2], f"{float(row['us']):.0f}", ratio, f"{float(row['rebuild_us']):.0f}", row["rebuilds"],
            f"{1e3 * float(row['skin']):.3g}", row["vertices"], edges, row["followed"], row["anew"], f"{row['version']}, {row['day']}",
        ]  # fmt: skip
        lines.append(cells)
    return table(HEAD, lines)


def write_page() -> None:
    """Put the table into the page."""
    write("cost of detection", text(read_rows(TABLE)))
