"""Draw what cost.py has measured: time of a step against grains, time of a rebuild against points of the triangulation, edges against these.

python jobs/campaigns/detection/figure.py rows.jsonl detection.png
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from pardem.io.views.plot_style import STYLE

NAMES = {
    "spherosimplices": "experiment 1", "spheres_tetrahedra": "experiment 2", "rods_3": "experiment 3 (l/r = 3)", "rods_6": "experiment 4 (l/r = 6)",
    "spheres": "spheres", "bidisperse_10": "spheres 1:10", "bidisperse_20": "spheres 1:20",
}  # fmt: skip


def draw(rows: list[dict[str, Any]]) -> Figure:
    """Three panels; of several rows of one bed and number of grains the last counts."""
    figure = Figure(figsize=(12.5, 4.4), layout="constrained")
    steps, rebuilds, edges = figure.subplots(1, 3)
    latest = {(row["bed"], row["grains"]): row for row in rows}
    for k, (bed, label) in enumerate((b, n) for b, n in NAMES.items() if any(key[0] == b for key in latest)):
        of = sorted((row for (name, _), row in latest.items() if name == bed), key=lambda row: row["grains"])
        grains, spheres = [row["grains"] for row in of], [row["triangulation"]["vertices"] for row in of]
        steps.plot(grains, [row["triangulation"]["us"] for row in of], "o-", color=f"C{k}", markersize=4)
        steps.plot(grains, [row["cells"]["us"] for row in of], "x--", color=f"C{k}", markersize=4, linewidth=0.8)
        rebuilds.plot(spheres, [row["triangulation"]["rebuild_us"] for row in of], "o-", color=f"C{k}", markersize=4)
        rebuilds.plot(spheres, [row["cells"]["rebuild_us"] for row in of], "x--", color=f"C{k}", markersize=4, linewidth=0.8)
        edges.plot(spheres, [row["triangulation"]["edges"] for row in of], "o", color=f"C{k}", markersize=4, label=label)
    ends = [0, max(row["triangulation"]["vertices"] for row in latest.values())]
    edges.plot(ends, [7 * n for n in ends], color="#888888", linewidth=0.8, label="7 a point")
    for axes, x, y in (
        (steps, "grains", "CPU time of a step (us)"), (rebuilds, "points of the triangulation", "CPU time of a rebuild of all lists (us)"),
        (edges, "points of the triangulation", "edges"),
    ):  # fmt: skip
        axes.set(xlabel=x, ylabel=y)
        axes.grid(visible=True)
        if axes is not edges:
            axes.set(xscale="log", yscale="log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axis.set_major_formatter(ScalarFormatter())
                axis.set_minor_formatter(NullFormatter())
    steps.set_title("solid: triangulation, dashed: cells", fontsize=10)
    edges.legend(fontsize=8)
    return figure


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    with rc_context(STYLE):
        draw([json.loads(line) for line in options.rows.read_text().splitlines()]).savefig(options.picture, dpi=100)


if __name__ == "__main__":
    main()
