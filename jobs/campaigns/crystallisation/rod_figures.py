"""Figures of the crystallisation experiments, after those of the thesis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from crystallisation_claims import EXPERIMENTS
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from page import show_frame, shrunk
from rod_curves import LAYERS, WIDTH, of_run
from rod_measures import taps_of

import pardem
from pardem.io.views.plot_style import COLOURS, STYLE

SHOWN = (10, 300, 900, 4134)  # taps of figures 6.1 and 6.2 but for their first pictures, before the first tap, which `rod_starts` draws
INSET = 40.0  # taps that the inset of figure 6.3 shows


def draw_curves(curves: pd.DataFrame, target: Path, oscillation: pd.DataFrame | None = None) -> None:
    """Figures 6.3 and 6.4, and the runs of an_6 beside each other.

    Args:
        curves: of all runs.
        target: the figure.
        oscillation: density of an_6 row by row.
    """
    with rc_context(STYLE | {"font.size": 9}):
        figure = Figure(figsize=(10.0, 6.4), layout="constrained")
        panels = figure.subplots(2, 2)
        for k, name in enumerate(EXPERIMENTS):
            found = of_run(curves, name)
            if len(found):
                colour = COLOURS[k % len(COLOURS)]
                panels[0, 0].plot(found["taps"], found["density"], label=name, color=colour)
                panels[0, 1].plot(found["taps"], found["angle"], label=name, color=colour)
        runs = curves[curves["experiment"] == "an_6"]
        for k, ((rule, seed), found) in enumerate(runs.groupby(["rule", "seed"], sort=False)):
            colour = COLOURS[k % len(COLOURS)]
            panels[1, 0].plot(found["taps"], found["density"], color=colour, label=f"{rule}, seed {seed}")
            panels[1, 0].plot(found["taps"], found["density_at_rest"], color=colour, linestyle=":")
            panels[1, 1].plot(found["taps"], found["angle"], color=colour, label=f"{rule}, seed {seed}")
        titles = ("6.3: density", "6.4: mean angle", "an_6: density, dotted: on the base", "an_6: mean angle")
        for axes, title, unit in zip(panels.ravel(), titles, ("density", "angle (degrees)") * 2, strict=True):
            _dress(axes, title, unit)
        if oscillation is not None and len(oscillation):
            _draw_inset(panels[0, 0], oscillation)
        figure.savefig(target, dpi=100)
    shrunk(target)


def _draw_inset(axes: Axes, oscillation: pd.DataFrame) -> None:
    """The inset of figure 6.3: the density of an_6 as it oscillates, and its moving average."""
    axes.set_ylim(bottom=0.36)
    axes.legend(loc="upper left", ncols=2, fontsize=7)
    inset = axes.inset_axes((0.44, 0.07, 0.55, 0.27))
    rows = oscillation[oscillation["taps"] <= INSET]
    inset.plot(rows["taps"], rows["density"], color="#999999", linewidth=0.5)
    width = round(WIDTH / float(rows["taps"].diff().median())) if len(rows) > 1 else 1
    inset.plot(rows["taps"], rows["density"].rolling(width, center=True).mean(), color=COLOURS[EXPERIMENTS.index("an_6")])
    inset.set_title("an_6: measured and moving average", fontsize=7, pad=2.0)
    inset.tick_params(labelsize=6)


def draw_layers(curves: pd.DataFrame, target: Path) -> None:
    """Figure 6.5: mean angle by layers of 4 mm, 1 the lowest.

    Args:
        curves: of all runs.
        target: the figure.
    """
    runs = [(name, of_run(curves, name)) for name in EXPERIMENTS] + [("an_6, minima", of_run(curves, "an_6", "minima"))]
    with rc_context(STYLE | {"font.size": 9}):
        figure = Figure(figsize=(11.0, 5.2), layout="constrained")
        for axes, (name, found) in zip(figure.subplots(2, 4, sharey=True).ravel(), runs, strict=True):
            for k in range(LAYERS):
                if len(found):
                    axes.plot(found["taps"], found[f"angle_{k + 1}"], label=f"layer {k + 1}", color=COLOURS[k])
            _dress(axes, name, "angle (degrees)")
        figure.savefig(target, dpi=100)
    shrunk(target)


def draw_snapshots(path: Path, target: Path) -> None:
    """Figures 6.1 and 6.2: an experiment at some numbers of taps, whole above and cut below.

    Args:
        path: its result.
        target: the figure.
    """
    chosen = frames_at(path)
    figure = Figure(figsize=(7.0, 6.6), layout="constrained")
    for column, (taps, frame) in zip(figure.subplots(2, len(chosen), squeeze=False).T, chosen.items(), strict=True):
        for axes, cut in zip(column, ([], ["--cut"]), strict=True):
            show_frame(axes, path, frame, *cut, "--colour", "angle", "--size", "300x560")
        column[0].set_title(f"{taps} taps", fontsize=10)
    figure.savefig(target, dpi=100)
    shrunk(target)


def frames_at(path: Path) -> dict[int, int]:
    """Numbers of the frames of a result that are nearest to those of the thesis' pictures, by taps.

    Args:
        path: the result.
    """
    with pardem.open(path) as result:
        taps = np.interp(result.times, result.series.times, taps_of(result))
    chosen = {}
    for wanted in SHOWN:
        frame = int(np.argmin(abs(taps - min(wanted, taps[-1]))))
        chosen[round(float(taps[frame]))] = frame
    return chosen


def _dress(axes: Axes, title: str, unit: str) -> None:
    """Axes of a panel."""
    axes.set(title=title, xlabel="taps", ylabel=unit, xscale="log")
    axes.grid(True)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7)
