"""``pardem plot``: figures of observables: density and mean angle, by layers too, the energy budget, or any that are named."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pardem.errors import FileError
from pardem.observables.observable import Quantity, Reference
from pardem.observables.registry import QUANTITIES

from ..analysis.units import unit_of
from ..reading import understood
from ..state.shared_errors import reason
from .curves import WINDOW, PlotSeries, read_series, report, smoothed
from .named import LINES, draw_named
from .plot_style import COLOURS, STYLE

DPI = 120
WIDE = 10.0  # inches from which on fewer dots do
PANELS = tuple(quantity for quantity in QUANTITIES if quantity.panel is not None)
OF_CONTAINER = ("density", "density_layers")  # not drawn unless named where the case does not say what the grains fill
BUDGET = {"exchanged": 3.0, "held": 2.0, "residual": 1.5}
"""Panels of the energy budget and their heights, relative to each other."""


def run(arguments: Namespace) -> int:
    """`pardem plot` with its options (see ``options.plot_options``); exit status 0."""
    return main(arguments.files, arguments.output, arguments.layers, arguments.energy, arguments.observable)


def main(
    files: Sequence[Path | str], out: Path | str | None = None, layers: bool = False, energy: bool = False, observables: Sequence[str] = ()
) -> int:  # fmt: skip
    """Draw one figure of all files and print the first and last values drawn (`pardem plot`).

    Args:
        files: result files.
        out: figure file (.png, .pdf, .svg); by default the first file's name with .plot.png, or what else is drawn in place of ``plot``.
        layers: whether to draw density and angle of each layer as well.
        energy: whether to draw the energy budget instead of density and angle.
        observables: names to draw instead, with a panel each (see ``named.columns_of``).

    Returns:
        Exit status 0.

    Raises:
        FileError: a file is missing, was not written by pardem or contains nothing to draw, or the figure cannot be written.
    """
    from matplotlib import rc_context

    paths = [Path(f) for f in files]
    kind = "observables" if observables else "energy" if energy else "layers" if layers else "plot"
    target = Path(out) if out is not None else paths[0].with_suffix(f".{kind}.png")
    series = [read_series(path, whole_run=energy or bool(observables)) for path in paths]
    _tell_apart(series, paths)
    with rc_context(STYLE):
        with understood(paths[0]):
            figure = draw_named(series, observables) if observables else draw_budget(series) if energy else draw(series, layers=layers)
        try:
            figure.savefig(target, dpi=DPI if figure.get_figwidth() < WIDE else 0.75 * DPI)
        except (OSError, ValueError) as error:
            raise FileError(f"{target} cannot be written: {reason(error) if isinstance(error, OSError) else error}") from None
    print(target)
    return 0


def draw(series: list[PlotSeries], layers: bool = False) -> Figure:
    """Density and mean angle of all files over one another; with ``layers`` a column beside them for each file.

    Raises:
        FileError: none of the files holds what is to be drawn.
    """
    panels = [quantity for quantity in PANELS if any(_names(s, quantity) for s in series)]
    if not panels:
        names = ", ".join(s.label for s in series)
        *others, last = (quantity.name.partition("/")[0].replace("_", " ") for quantity in PANELS if "<" not in quantity.name)
        raise FileError(
            f"{names}: neither {', '.join(others)} nor {last} was recorded or is defined; draw the energy budget (--energy), or what "
            f"there is (--observable): {', '.join(sorted({name for s in series for name in s.values}))}"
        )
    columns = [s for s in series if any(_drawable(s, f"{panel.name}_layers", 2) for panel in panels)] if layers else []
    if layers and not columns:
        raise FileError(f"{', '.join(s.label for s in series)}: no layers were recorded; set output.observables.layers in the case")
    figure = Figure(figsize=(7.5 + 5.0 * len(columns), 3.4 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), 1 + len(columns), sharex=all(s.by_taps == series[0].by_taps for s in series), sharey="row", squeeze=False)
    for axes, panel in zip(grid, panels, strict=True):
        name = panel.name
        for k, s in enumerate(series):
            _curves(axes[0], s, panel, k)
        for one, s in zip(axes[1:], columns, strict=True):
            _layer_curves(one, s, f"{name}_layers")
        for one in axes:
            _dress(one, series)
            one.tick_params(labelleft=True)
            if panel.reference is not None:
                _mark(one, panel.reference, [s for s in series if name in s.values])
        axes[0].set_ylabel(str(panel.panel))
        if "<" in name:
            axes[0].legend(fontsize=9)
    for axes in grid[:-1].flat:
        axes.set_xlabel("")
    averaged = any(s.averaged for s in series)
    grid[0, 0].legend(title=f"mean over {WINDOW:g} taps; faint: every row" if averaged else None, title_fontsize=9, alignment="left")
    for one, s in zip(grid[0, 1:], columns, strict=True):
        one.set_title(f"{s.label}, by layers", fontsize=11)
        one.legend(title="height at rest", fontsize=9, ncols=2)
    return figure


def draw_budget(series: list[PlotSeries]) -> Figure:
    """Where the energy went, a column for each file: what walls gave and dissipation took, what the grains hold, and the residual below.

    Raises:
        FileError: a file holds no energy budget.
    """
    figure = Figure(figsize=(6.5 * len(series), 8.0), layout="constrained")
    grid = figure.subplots(len(BUDGET), len(series), sharex="col", squeeze=False, height_ratios=list(BUDGET.values()))
    for column, s in zip(grid.T, series, strict=True):
        if "energy/residual" not in s.values:
            raise FileError(f"{s.label}: no energy budget was recorded; set output.observables.energy_budget in the case")
        colours = cycle(COLOURS)  # enough for each panel, not for all of them if grains leave and others arrive
        for axes, panel in zip(column, BUDGET, strict=True):
            for label, values in budget_terms(s, panel).items():
                axes.plot(s.x, values, color=next(colours), linewidth=1.3, label=label)
                report(f"{s.label}: {'residual' if panel == 'residual' else label}", s, values, "J")
            axes.set_ylabel(f"{panel} (J)")
            axes.grid(True)
            axes.set_axisbelow(True)
            axes.ticklabel_format(axis="y", scilimits=(-3, 4), useMathText=True)
            axes.legend(fontsize=9)
        column[0].set_title(s.label, fontsize=11)
        column[-1].set_xlabel("time (s)")
    return figure


def budget_terms(s: PlotSeries, panel: str) -> dict[str, np.ndarray]:
    """Curves of a panel of the energy budget, (T,) by label (J); see ``observables.observable.BudgetTerm``."""
    curves: dict[str, np.ndarray] = {}
    for quantity in QUANTITIES:
        term = quantity.budget
        if term is not None and term.panel == panel and quantity.name in s.values:
            values = s.values[quantity.name]
            values = values - values[0] if term.change else values
            curves[term.label] = curves[term.label] + values if term.label in curves else values
    return curves


def _mark(axes: Axes, reference: Reference, series: list[PlotSeries]) -> None:
    """Dotted lines at a value that is known beforehand."""
    for value in sorted({reference.by_dimension[s.dimension] for s in series}):
        axes.axhline(value, color="#888888", linewidth=0.8, linestyle=":")
        axes.annotate(reference.label, (0.01, value), xycoords=("axes fraction", "data"), ha="left", va="bottom", fontsize=9, color="#888888")


def _drawable(s: PlotSeries, name: str, dimensions: int) -> bool:
    known = s.container or name not in OF_CONTAINER
    return known and name in s.values and s.values[name].ndim == dimensions and bool(np.isfinite(s.values[name]).any())


def _names(s: PlotSeries, panel: Quantity) -> list[str]:
    """What a file has to draw in a panel; of a quantity with a name for each species all of them, if there are at least two."""
    names = [name for name in s.values if panel.covers(name) and _drawable(s, name, 1)]
    return names if len(names) > 1 or "<" not in panel.name else []


def _curves(axes: Axes, s: PlotSeries, panel: Quantity, k: int) -> None:
    """The curves of the k-th file in a panel: those of several species as lines of several kinds."""
    for m, name in enumerate(_names(s, panel)):
        species = name.removeprefix(panel.name.partition("<")[0])
        label = f"{s.label}: {species}" if species else s.label
        _curve(axes, s, name, s.values[name], COLOURS[k % len(COLOURS)], label, line=LINES[m % len(LINES)])


def _curve(axes: Axes, s: PlotSeries, name: str, y: np.ndarray, colour: Any, label: str, faint: bool = True, line: str = "-") -> None:
    """The moving average, and the raw rows faintly behind it."""
    mean = smoothed(s.x, y, s.window)
    if faint and mean is not y:
        axes.plot(s.x, y, color=colour, linewidth=0.5, alpha=0.2 if len(y) > 2000 else 0.45, zorder=1.5)
    axes.plot(s.x, mean, line, color=colour, linewidth=1.7, label=label)
    report(f"{s.label}: {name}" + ("" if faint else f" {label}"), s, mean, unit_of(name))


def _layer_curves(axes: Axes, s: PlotSeries, name: str) -> None:
    """One curve a layer, dark to light from the bottom."""
    from matplotlib import colormaps

    if not _drawable(s, name, 2):
        return
    rows = s.values[name]
    used = [k for k in range(rows.shape[1]) if np.isfinite(rows[:, k]).sum() > 0.5 * len(rows)]
    for k in used:
        label = f"layer {k + 1}"
        if s.layers is not None:
            thickness, origin = s.layers
            per, unit = (1e3, "mm") if thickness < 0.1 else (1.0, "m")
            label = f"{per * (origin + k * thickness):.3g} to {per * (origin + (k + 1) * thickness):.3g} {unit}"
        shade = colormaps["viridis"](0.9 * k / max(1, used[-1]))
        _curve(axes, s, name, rows[:, k], shade, label, faint=False)


def _dress(axes: Axes, series: list[PlotSeries]) -> None:
    axes.grid(True, which="major")
    axes.set_axisbelow(True)
    if all(s.by_taps for s in series):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_plain)
        axes.set_xlabel("taps")
    else:
        axes.set_xlabel("time (s)")


def _plain(value: float, position: float) -> str:
    """1, 10, 100 in place of powers of ten."""
    return f"{value:g}"


def _tell_apart(series: list[PlotSeries], paths: list[Path]) -> None:
    """Files of one title are named by their file names."""
    titles = [s.label for s in series]
    for s, path in zip(series, paths, strict=True):
        if titles.count(s.label) > 1:
            s.label = path.stem
