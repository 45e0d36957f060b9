"""The page on scaling, docs/scaling.md, and its figures, from the predictions and counts in this folder.

pardem scaling predict spheres --grains 10000000 --form cubic --ranks 16 64 128 512 1024 4096 10000 --folder jobs/campaigns/scaling/predicted
pardem scaling predict spheres --grains 10000000 --form cubic --slabs --ranks 16 128 1024 10000 --folder jobs/campaigns/scaling/predicted
pardem scaling predict rods --grains 10000000 --form cubic --ranks 16 128 1024 10000 --folder jobs/campaigns/scaling/predicted
pardem scaling predict cubes --grains 10000000 --form cubic --ranks 16 128 1024 10000 --folder jobs/campaigns/scaling/predicted
pardem scaling predict spheres --grains 100000 --ranks 2 --folder jobs/campaigns/scaling/predicted
mpirun -n 8 python jobs/campaigns/scaling/real_counts.py spheres 10000
mpirun -n 2 python jobs/campaigns/scaling/real_times.py spheres 10000
mpirun -n 8 python jobs/campaigns/scaling/memory.py spheres 100000
python jobs/campaigns/scaling/scaling_page.py
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

import matplotlib.pyplot as plt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table_rows import read_rows

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
OTHERS = ("rods", "cubes")
LEVELS = (0.8, 0.5)
BASE, PER_GRAIN = 300, 1.2e-3
"""What a rank may take at most: MB, and MB for each grain of its own."""
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


def predictions(scene: str = "spheres") -> Runs:
    """Predicted runs of a scene by number of grains, number of ranks, and whether slabs were cut."""
    runs = [run for run in read_figures(HERE / "predicted") if run["kind"] == PREDICTED and run["scene"] == scene]
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
        values = {end: [run["efficiency"][end] for run in found] for end in ("typical", "low", "high")}
        axes.plot(ranks, values["typical"], "o-", color=f"C{k}", ms=4, label=f"{number(grains)} spheres, boxes")
        axes.fill_between(ranks, values["low"], values["high"], color=f"C{k}", alpha=0.2, lw=0)
        if slabs:
            over = [run["efficiency"]["typical"] for run in slabs]
            axes.plot([run["ranks"] for run in slabs], over, "s:", color=f"C{k}", ms=4, mfc="none", label=f"{number(grains)} spheres, slabs")
    axes.set_xscale("log")
    axes.set_ylim(0.0, 1.0)
    axes.set_xlabel("ranks")
    axes.set_ylabel("predicted efficiency")
    axes.set_title("predicted, without the limit of the memory's bandwidth", fontsize="medium")
    axes.legend(fontsize="small")
    save(figure, FIGURES / "scaling_efficiency.png")


def draw_losses(runs: Runs) -> None:
    """Where the time of a step goes, for each size, over ranks."""
    sizes = [grains for grains in SIZES if series(runs, grains)]
    figure, axes = plt.subplots(1, len(sizes), figsize=(3.0 * len(sizes), 4.0), layout="constrained", sharey=True, squeeze=False)
    causes = [cause for cause in CAUSES if cause != "memory"]
    for panel, grains in zip(axes[0], sizes, strict=True):
        found = series(runs, grains)
        labels = [number(run["ranks"]) for run in found]
        below = [run["efficiency"]["typical"] for run in found]
        below = [1.0 - sum(run["losses"][cause] for cause in causes) for run in found]
        panel.bar(labels, below, color="0.85", label="a core alone")
        for k, cause in enumerate(causes):
            share = [max(0.0, run["losses"][cause]) for run in found]
            panel.bar(labels, share, bottom=below, color=f"C{k}", label=cause)
            below = [low + more for low, more in zip(below, share, strict=True)]
        panel.set_title(f"{number(grains)} spheres, predicted", fontsize="medium")
        panel.set_xlabel("ranks")
        panel.tick_params(axis="x", labelrotation=60)
    axes[0, 0].set_ylabel("share of the time of a step")
    axes[0, 0].set_ylim(0.0, 1.0)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
    save(figure, FIGURES / "scaling_losses.png")


def efficiencies(runs: Runs) -> str:
    """The table of predicted efficiencies."""
    rows = []
    for grains in SIZES:
        for k, ranks in enumerate(RANKS):
            run, slabs = runs.get((grains, ranks, False)), runs.get((grains, ranks, True))
            if run is None:
                continue
            here, memory = run["efficiency"], run["efficiency_with_memory"]
            rows.append([
                _power(grains), ranks, " x ".join(map(str, run["grid"])), f"**{here['typical']:.2f}** ({here['low']:.2f} to {here['high']:.2f})",
                f"{memory['typical']:.2f}", f"{slabs['efficiency']['typical']:.2f}" if slabs else "", f"{ON_PAPER[grains][k]:.2f}",
                *_counts(run),
            ])  # fmt: skip
    head = ["spheres", "ranks", "boxes", "predicted efficiency (range)", "with the memory's limit", "slabs", "formula"]
    return table([*head, "ghosts a grain", "messages", "kB"], rows)


def thin_slabs(runs: Runs) -> str:
    """The table of slabs on the most ranks."""
    rows = []
    for grains in SIZES:
        slabs, boxes = runs.get((grains, RANKS[-1], True)), runs.get((grains, RANKS[-1], False))
        if slabs and boxes:
            both = (f"{run['efficiency']['typical']:.2g}" for run in (slabs, boxes))
            rows.append([_power(grains), RANKS[-1], *both, *_counts(slabs), _lost(slabs, 1)])
    head = ["spheres", "ranks", "predicted efficiency of slabs", "of boxes", "ghosts a grain", "messages", "kB", "most is lost to"]
    return table(head, rows)


def others() -> str:
    """The table of grains that are not spheres."""
    rows, spheres = [], predictions()
    for scene in OTHERS:
        for (grains, ranks, slabs), run in predictions(scene).items():
            if slabs or ranks not in RANKS:
                continue
            here, limited, same = run["efficiency"], run["efficiency_with_memory"], spheres[grains, ranks, False]["efficiency"]
            grid, found = " x ".join(map(str, run["grid"])), f"**{here['typical']:.2f}** ({here['low']:.2f} to {here['high']:.2f})"
            both = f"{limited['typical']:.2f}", f"{same['typical']:.2f}"
            rows.append([f"{_power(grains)} {scene}", ranks, grid, found, *both, *_counts(run), _lost(run, 1)])
    head = ["grains", "ranks", "boxes", "predicted efficiency (range)", "with the memory's limit", "as many spheres"]
    return table([*head, "ghosts a grain", "messages", "kB", "most is lost to"], rows)


def measured_memory() -> list[dict[str, Any]]:
    """The lines of memory.csv, in the order of scenes, grains and ranks."""
    with (HERE / "memory.csv").open(newline="") as file:
        found = [{name: value if name == "scene" else int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    return sorted(found, key=lambda run: (run["scene"], run["grains"], run["ranks"]))


def memory() -> str:
    """The table of the memory of ranks."""
    rows = []
    for run in measured_memory():
        bound = BASE + PER_GRAIN * run["largest share"]
        rows.append([run["scene"], run["grains"], run["ranks"], run["start"], f"**{run['peak']}**", f"{bound:.0f}", run["all"]])
    head = ["scene", "grains", "ranks", "MB at the start", "MB at most", f"{BASE} MB and {1000 * PER_GRAIN:.1f} kB a grain of its own"]
    return table([*head, "MB of all ranks"], rows)


def fitted_memory() -> tuple[float, float]:
    """What one of several ranks takes: MB, and MB for each of its spheres and ghosts. One alone takes less."""
    runs = [run for run in measured_memory() if run["scene"] == "spheres" and run["ranks"] > 1]
    each, fixed = np.polyfit([run["largest share"] + run["most ghosts"] for run in runs], [run["peak"] for run in runs], 1)
    return float(fixed), float(each)


def memory_beyond(runs: Runs) -> str:
    """The table of the memory that is predicted for more ranks."""
    fixed, each = fitted_memory()
    rows = []
    for (grains, ranks, slabs), run in runs.items():
        if not slabs and grains in SIZES and ranks in RANKS:
            rows.append([_power(grains), ranks, f"{fixed + each * (run['counts']['owned'][1] + run['counts']['ghosts'][1]):.0f}"])
    return table(["spheres", "ranks", "MB a rank, predicted"], rows)


def breaks(runs: Runs, slabs: bool = False) -> str:
    """What takes most of the time that is lost where the efficiency first falls below some levels."""
    rows = []
    for grains in SIZES:
        found = series(runs, grains, slabs)
        for level in LEVELS:
            below = [run for run in found if run["efficiency"]["typical"] < level]
            if not found:
                continue
            if not below:
                rows.append([_power(grains), level, f"not up to {found[-1]['ranks']}", ""])
                continue
            rows.append([_power(grains), level, below[0]["ranks"], _lost(below[0], 2)])
    return table(["spheres", "efficiency below", "from ranks (of those computed)", "most is lost to"], rows)


def memory_limit(runs: Runs) -> str:
    """At which numbers of ranks the shared memory slows a step down."""
    slowed = [run for run in runs.values() if run["losses"]["memory"] > 0.05 and not run["slabs"]]
    rows = [[_power(run["asked"]), run["ranks"], f"{1.0 + run['losses']['memory']:.1f}"] for run in slowed]
    return table(["spheres", "ranks", "time of a step, relative to that without the limit"], rows)


def counted() -> str:
    """The table of counts, real against virtual."""
    with (HERE / "real_counts.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    return table(head, rows)


def fitted() -> str:
    """The table of costs."""
    rows = []
    for path in sorted((HERE / "predicted").glob("costs-*.json")):
        found = json.loads(path.read_text())
        costs = found["costs"]
        times = [f"{1e9 * costs[name]:.0f}" for name in ("grain", "pair", "ghost")]
        rows.append([found["scene"], *times, f"{1e3 * costs['rebuild']:.2f}", f"{1e6 * costs['rebuild_grain']:.2f}", f"{costs['bytes']:.0f}"])
    head = ["scene", "grain and step (ns)", "candidate pair (ns)", "ghost copied (ns)", "rebuild (ms)", "and for each grain (us)"]
    return table([*head, "bytes a grain and step"], rows)


def times() -> str:
    """The table of the times of real ranks."""
    rows = []
    for run in read_rows(HERE / "real_times.csv"):
        ratio = f"**{float(run['measured over predicted']):.2f}** ({float(run['least']):.2f} to {float(run['most']):.2f})"
        rows.append([run["scene"], run["grains"], run["ranks"], run["predicted (us)"], run["measured (us)"], ratio, run["turns"]])
    return table(["scene", "grains", "ranks", "predicted (us a step)", "measured (us)", "measured over predicted (range)", "turns"], rows)


def machine() -> str:
    """The table of the machine."""
    assert set(UNITS) == set(RANGES) <= set(Machine._fields)
    rows = [[text, *(f"{scale * value:.3g} {unit}" for value in RANGES[name])] for name, (text, scale, unit) in UNITS.items()]
    return table(["", "favourable", "typical", "adverse"], rows)


def page(runs: Runs) -> str:
    """The text of the page."""
    parts = (HERE / "page.md").read_text()
    two = runs[100_000, 2, False]["efficiency"]["typical"]
    values = {
        "efficiencies": efficiencies(runs), "breaks": breaks(runs), "slab_breaks": breaks(runs, True), "thin_slabs": thin_slabs(runs),
        "others": others(), "memory_table": memory(), "memory_beyond": memory_beyond(runs), "memory_limit": memory_limit(runs),
        "memory_fixed": f"{fitted_memory()[0]:.0f}", "memory_each": f"{1000 * fitted_memory()[1]:.2f}",
        "counted": counted(), "times": times(), "fitted": fitted(), "machine": machine(), "two": f"{two:.2f}", "drawn": DRAWN, "interval": INTERVAL,
        "skin": SKIN, "node": Machine().node,
        "memory": f"{NODE_MEMORY / 1e9:.0f}", "cache": f"{CORE_CACHE / 2**20:.0f}",
    }  # fmt: skip
    return parts.format(**values)


def _counts(run: dict[str, Any]) -> list[str]:
    """Ghosts a grain, messages and kB a step, means over the ranks."""
    counts = {name: values[0] for name, values in run["counts"].items()}
    return [f"{counts['ghosts'] / counts['owned']:.2g}", f"{counts['messages']:.1f}", f"{counts['bytes'] / 1e3:.0f}"]


def _lost(run: dict[str, Any], count: int) -> str:
    """The causes that take most of a step, apart from the bandwidth of the memory."""
    losses = {cause: share for cause, share in run["losses"].items() if cause != "memory"}
    worst = sorted(losses, key=lambda cause: -losses[cause])[:count]
    return "; ".join(f"{WORDS[cause]} ({losses[cause]:.0%} of a step)" for cause in worst)


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
