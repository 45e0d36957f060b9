"""The page on scaling, docs/scaling.md, and its figures, from the predictions and counts in this folder.

pardem scaling predict spheres --grains 10000000 --form cubic --ranks 16 64 128 512 1024 4096 10000 --folder jobs/campaigns/scaling/predicted
pardem scaling predict spheres --grains 10000000 --form cubic --slabs --ranks 16 128 1024 --folder jobs/campaigns/scaling/predicted
pardem scaling predict spheres --grains 100000 --ranks 2 --folder jobs/campaigns/scaling/predicted
mpirun -n 8 python jobs/campaigns/scaling/real_counts.py spheres 10000
python jobs/campaigns/scaling/page.py
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from pardem.scaling.figures import number, save
from pardem.scaling.fitted_costs import INTERVAL, SKIN
from pardem.scaling.machine import CORE_CACHE, NODE_MEMORY, RANGES, Machine
from pardem.scaling.predict import CAUSES, DRAWN
from pardem.scaling.run_figures import PREDICTED, read_figures

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGE, FIGURES = ROOT / "docs" / "scaling.md", ROOT / "docs" / "figures"
RANKS = (16, 128, 1024, 10_000)
SIZES = (1_000_000, 10_000_000, 100_000_000)
LEVELS = (0.8, 0.5)
ON_PAPER = {SIZES[0]: (0.79, 0.66, 0.33, 0.10), SIZES[1]: (0.85, 0.79, 0.57, 0.33), SIZES[2]: (0.88, 0.85, 0.72, 0.58)}
"""What a formula gave for nested boxes before there were any, with 97 ns a grain and step, by numbers of ranks as in ``RANKS``."""
WORDS = {
    "imbalance": "unequal numbers of grains", "ghosts": "ghosts: their contacts, which two ranks evaluate, and copying them",
    "rebuilds": "rebuilds of the lists", "messages": "waiting for messages", "vote": "the vote",
    "disturbances": "disturbances by the system, and cores of different speed", "memory": "the bandwidth of the memory",
}  # fmt: skip
UNITS = {
    "latency": ("between nodes", 1e6, "us"), "local_latency": ("within a node", 1e6, "us"), "overhead": ("processor, a message", 1e6, "us"),
    "gap": ("card, between two messages", 1e9, "ns"), "byte": ("card, a byte", 1e9, "ns"), "local_byte": ("within a node, a byte", 1e9, "ns"),
    "reduction": ("all-reduce, a level", 1e6, "us"), "eager": ("message that needs no handshake, up to", 1e-3, "kB"),
    "progress": ("communication that proceeds while ranks compute", 100.0, "%"), "detours": ("time that the system takes away", 100.0, "%"),
    "detour": ("at a time", 1e6, "us"), "unevenness": ("standard deviation of the cores' speed", 100.0, "%"),
}  # fmt: skip
Runs = dict[tuple[int, int, bool], dict[str, Any]]


def predictions() -> Runs:
    """Predicted runs of spheres by number of grains, number of ranks, and whether slabs were cut."""
    runs = [run for run in read_figures(HERE / "predicted") if run["kind"] == PREDICTED and run["scene"] == "spheres"]
    return {(run["asked"], run["ranks"], run["slabs"]): run for run in sorted(runs, key=lambda run: (run["asked"], run["ranks"]))}


def series(runs: Runs, grains: int, slabs: bool = False) -> list[dict[str, Any]]:
    """Runs of one number of grains, by ranks."""
    return [run for (count, _, cut), run in runs.items() if count == grains and cut == slabs]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def draw_efficiency(runs: Runs) -> None:
    """Predicted efficiency over ranks: boxes with their range, and slabs."""
    figure, axes = plt.subplots(figsize=(7.0, 4.4), layout="constrained")
    for k, grains in enumerate(SIZES):
        found, slabs = series(runs, grains), series(runs, grains, True)
        if not found:
            continue
        ranks = [run["ranks"] for run in found]
        two = runs[100_000, 2, False]["efficiency"]["typical"]
    values = {
        "efficiencies": efficiencies(runs), "breaks": breaks(runs), "memory_limit": memory_limit(runs), "counted": counted(), "fitted": fitted(),
        "machine": machine(), "two": f"{two:.2f}", "drawn": DRAWN, "interval": INTERVAL, "skin": SKIN, "node": Machine().node,
        "memory": f"{NODE_MEMORY / 1e9:.0f}", "cache": f"{CORE_CACHE / 2**20:.0f}",
    }  # fmt: skip
    return parts.format(**values)


def _power(grains: int) -> str:
    return f"10^{len(str(grains)) - 1}"


def main() -> None:
    """Write the page and draw its figures."""
    runs = predictions()
    draw_efficiency(runs)
    draw_losses(runs)
    PAGE.write_text(page(runs))


if __name__ == "__main__":
    main()
