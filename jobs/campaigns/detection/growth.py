"""How the cost of detection grows with the number of grains (thesis, 4.4): part and figure of docs/validation.md, from growth.csv."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cost_table import BEDS, WAYS, newest_rows
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter
from page import FIGURES, shrunk, table, write
from table_rows import read_rows

from pardem.io.views.plot_style import STYLE

TABLE = Path(__file__).resolve().with_name("growth.csv")
SIZES = (125, 250, 500, 1000)
GRAINS = {bed: (1000, 2000, 4000) if bed.startswith("bidisperse") else SIZES for bed in BEDS}
MANY = 500  # grains, from which the constant part of a rebuild hardly matters
GOAL = 3.0  # us a covering sphere
MOVES = ("algorithm_1", "points", "algorithm_2", "algorithm_3", "anew")
NAMED = {"points": "point by point", "algorithm_2": "algorithm 2", "algorithm_3": "algorithm 3", "anew": "anew"}
HEAD = [
    "bed", "grains", "spheres a grain", "edges a sphere (slope)", "us a sphere and rebuild", "us a sphere and step", "exponent: every step",
    "with a skin", "cells", "moves by algorithm 1", "the others",
]  # fmt: skip
Rows = list[dict[str, str]]
Bed = dict[str, Rows]


def slope(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Least-squares slope of y against x, both (n,), and its standard error; neither is a number for less than three points."""
    if len(x) < 3:
        return float("nan"), float("nan")
    fit, covariance = np.polyfit(x, y, 1, cov=True)
    return float(fit[0]), float(np.sqrt(covariance[0, 0]))


def column(rows: Rows, name: str) -> np.ndarray:
    """Numbers of a column (n,)."""
    return np.array([float(row[name]) for row in rows])


def exponent(rows: Rows) -> str:
    """Exponent of the time of a step against the number of grains."""
    value, error = slope(np.log(column(rows, "grains")), np.log(column(rows, "us")))
    return f"{value:.2f} +- {error:.2f}"


def by_bed(rows: Rows) -> dict[str, Bed]:
    """The newest rows of each bed by way of detection, from few grains to many."""
    beds: dict[str, Bed] = {}
    for (bed, _, way), row in newest_rows(rows).items():
        beds.setdefault(bed, {way: [] for way in WAYS})[way].append(row)
    return beds


def span(values: np.ndarray) -> str:
    """Least and most of some numbers."""
    return f"{values.min():.2f} to {values.max():.2f}"


def line(name: str, bed: Bed) -> list[str]:
    """The line of a bed."""
    every = bed["every step"]
    edges, error = slope(column(every, "vertices"), column(every, "edges"))
    grains = column(every, "grains")
    many = [row for row in every if float(row["grains"]) >= MANY]
    spheres = column(many, "vertices")
    moves = {way: column(every, way).sum() for way in MOVES}
    others = ", ".join(f"{int(moves[way])} {what}" for way, what in NAMED.items() if moves[way])
    return [
        BEDS[name], f"{int(grains.min())} to {int(grains.max())}", f"{column(every, 'vertices')[-1] / grains[-1]:.2f}", f"{edges:.2f} +- {error:.2f}",
        span(column(many, "rebuild_us") / spheres), span(column(many, "us") / spheres), exponent(every), exponent(bed["triangulation"]),
        exponent(bed["cells"]), f"{100 * moves['algorithm_1'] / sum(moves.values()):.1f}%", others or "none",
    ]  # fmt: skip


def text(rows: Rows) -> str:
    """The part of the page."""
    beds = by_bed(rows)
    most = max(column(bed["every step"], "rebuild_us")[-1] / column(bed["every step"], "vertices")[-1] for bed in beds.values())
    versions = sorted({f"{row['version']}, {row['day']}" for row in rows})
    return (
        f"Times are those of beds of at least {MANY} grains, ranges over their numbers ({'; '.join(versions)}). "
        f"The goal of {GOAL:g} us a covering sphere and rebuild is {'reached' if most <= GOAL else 'missed'} in the largest beds "
        f"({most:.2f} at most).\n\n"
        + table(HEAD, [line(name, bed) for name, bed in beds.items()])
        + "\n![time of a step and of a rebuild, edges](figures/detection.png)\n"
    )


def draw(rows: Rows) -> Figure:
    """Times of a step and of a rebuild against grains, with a skin, and edges against covering spheres, without."""
    figure = Figure(figsize=(12.5, 4.4), layout="constrained")
    steps, rebuilds, edges = figure.subplots(1, 3)
    most = 0.0
    for k, (name, bed) in enumerate(by_bed(rows).items()):
        walks, cells, spheres = bed["triangulation"], bed["cells"], column(bed["every step"], "vertices")
        most = max(most, spheres.max())
        for axes, what in ((steps, "us"), (rebuilds, "rebuild_us")):
            axes.plot(column(walks, "grains"), column(walks, what), "o-", color=f"C{k}", markersize=4)
            axes.plot(column(cells, "grains"), column(cells, what), "x--", color=f"C{k}", markersize=4, linewidth=0.8)
        edges.plot(spheres, column(bed["every step"], "edges"), "o", color=f"C{k}", markersize=4, label=BEDS[name])
    edges.plot([0, most], [0, 7 * most], color="#888888", linewidth=0.8, label="7 a sphere")
    for axes, x, y in (
        (steps, "grains", "CPU time of a step (us)"), (rebuilds, "grains", "CPU time of a rebuild of all lists (us)"),
        (edges, "covering spheres", "edges"),
    ):  # fmt: skip
        axes.set(xlabel=x, ylabel=y)
        axes.grid(visible=True)
        if axes is not edges:
            axes.set(xscale="log", yscale="log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axis.set_major_formatter(ScalarFormatter())
                axis.set_minor_formatter(NullFormatter())
    steps.set_title("solid: triangulation with a skin, dashed: cells", fontsize=10)
    edges.legend(fontsize=8)
    return figure


def write_page() -> None:
    """Write the part of the page, and its figure."""
    rows = read_rows(TABLE)
    write("growth of detection", text(rows))
    with rc_context(STYLE):
        draw(rows).savefig(FIGURES / "detection.png", dpi=100)
    shrunk(FIGURES / "detection.png")
