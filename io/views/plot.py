"""Figures of the observables in result files: density and mean angle against taps, by layers too, and the energy budget."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pardem.errors import FileError
from pardem.observables.observable import Reference
from pardem.observables.registry import QUANTITIES, quantity_of

from ..layout import LayoutError, elements, text
from ..reading import PARAMETERS, opened, understood
from ..state.agreement import reason

DPI = 120
WIDE = 10.0  # inches from which on fewer dots do
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")  # Okabe and Ito: told apart with colour blindness too
STYLE: dict[Any, Any] = {
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False, "font.size": 11, "legend.frameon": False,
}  # fmt: skip
WINDOW = 2.0  # taps: a bed may fly for two periods of its base, so a mean over one leaves the second subharmonic
PANELS = tuple(quantity for quantity in QUANTITIES if quantity.panel is not None)
BUDGET = {"exchanged": 3.0, "held": 2.0, "residual": 1.5}
"""Panels of the energy budget and their heights, relative to each other."""


@dataclass(eq=False)
class PlotSeries:
    """The observables of one file.

    Attributes:
        label: name in the legend.
        x: (T,) abscissa: taps, or times (s) if no stage of the case taps.
        by_taps: whether the abscissa counts taps.
        window: width of the moving average (taps); 0 for none.
        values: (T, ...) array of each observable, by name.
        layers: thickness and origin of the layers (m), or None.
        dimension: 2 or 3.
    """

    label: str
    x: np.ndarray
    by_taps: bool
    window: float
    values: dict[str, np.ndarray]
    layers: tuple[float, float] | None
    dimension: int = 3

    @property
    def averaged(self) -> bool:
        """Whether the rows span a window, so that there is a moving average."""
        return self.window > 0.0 and len(self.x) > 1 and bool(self.x[-1] - self.x[0] >= self.window)


def main(files: Sequence[Path | str], out: Path | str | None = None, layers: bool = False, energy: bool = False) -> int:
    """Draw one figure of all files and print the first and last values drawn (`pardem plot`).

    Args:
        files: result files.
        out: figure file (.png, .pdf, .svg); by default the first file's name with .png.
        layers: whether to draw density and angle of each layer as well.
        energy: whether to draw the energy budget instead of density and angle.

    Returns:
        Exit status 0.

    Raises:
        FileError: a file is missing, was not written by pardem or contains nothing to draw, or the figure cannot be written.
    """
    from matplotlib import rc_context

    paths = [Path(f) for f in files]
    target = Path(out) if out is not None else paths[0].with_suffix(".png")
    series = [read_series(path, whole_run=energy) for path in paths]
    _tell_apart(series, paths)
    with rc_context(STYLE):
        with understood(paths[0]):
            figure = draw_budget(series) if energy else draw(series, layers=layers)
        try:
            figure.savefig(target, dpi=DPI if figure.get_figwidth() < WIDE else 0.75 * DPI)
        except (OSError, ValueError) as error:
            raise FileError(f"{target} cannot be written: {reason(error) if isinstance(error, OSError) else error}") from None
    print(target)
    return 0


# -- numbers --------------------------------------------------------------------------------------------------------------------------


def read_series(path: Path, whole_run: bool = False) -> PlotSeries:
    """The observables of a result: of the rows while a wall taps, or of all if none does or ``whole_run`` asks for it.

    Raises:
        FileError: the file is missing or foreign, or holds no observables.
    """
    with opened(path) as file:
        found = elements(file, "observables")
        if not found:
            raise FileError(f"{path} holds no observables; set output.observable_interval or output.observable_taps in its case")
        first = next(iter(found.values()))
        values: dict[str, np.ndarray] = {name: element["value"][()] for name, element in found.items()}
        times = first["time"][()]
        if not len(times):
            raise FileError(f"{path} holds no rows of observables yet")
        if values.get("taps", times).shape != times.shape:
            raise LayoutError("observables/taps is not one number a row")
        case = _case_of(file)
    taps = _running_total(values.pop("taps", np.zeros(len(times))))
    rows = taps > 0.0
    by_taps = bool(rows.any()) and not whole_run
    if not by_taps:
        rows = np.ones(len(times), bool)
    options = case.get("output", {}).get("observables", {}).get("layers")
    thickness = (float(options["thickness"]), float(options.get("origin", 0.0))) if options else None
    x = taps[rows] if by_taps else times[rows]
    kept = {name: v[rows] for name, v in values.items()}
    return PlotSeries(case.get("title") or path.stem, x, by_taps, WINDOW if by_taps else 0.0, kept, thickness, case.get("dimension", 3))


def smoothed(x: np.ndarray, y: np.ndarray, window: float) -> np.ndarray:
    """Compute the centred moving average of a series.

    Args:
        x: (T,) abscissa, ascending.
        y: (T,) values; those that are not finite are ignored.
        window: width of the average, in the unit of x. With 0, or a window longer than the series, no average is formed.

    Returns:
        (T,) averages; NaN where the window extends beyond the series.
    """
    if window <= 0.0 or len(x) < 2 or x[-1] - x[0] < window:
        return y
    slack = 1e-6 * window  # of two rows that lie a window apart it holds one
    first = np.searchsorted(x, x - 0.5 * window + slack)
    last = np.searchsorted(x, x + 0.5 * window + slack)
    good = np.isfinite(y)
    total = np.concatenate([[0.0], np.cumsum(np.where(good, y, 0.0))])
    count = np.concatenate([[0], np.cumsum(good)])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (total[last] - total[first]) / (count[last] - count[first])
    spacing = np.median(np.diff(x))
    whole = (x - 0.5 * window >= x[0] - spacing) & (x + 0.5 * window <= x[-1] + slack)
    return np.where(whole, mean, np.nan)


def _running_total(taps: np.ndarray) -> np.ndarray:
    """Taps of several stages one after the other; 0 between them."""
    ended = np.concatenate([[0.0], np.where(np.diff(taps) < 0.0, taps[:-1], 0.0)])
    return np.where(taps > 0.0, taps + np.cumsum(ended), 0.0)


def _case_of(file: h5py.File) -> dict[str, Any]:
    try:
        return tomllib.loads(text(file[f"{PARAMETERS}/case"])) if f"{PARAMETERS}/case" in file else {}
    except (tomllib.TOMLDecodeError, LayoutError, RecursionError):
        return {}


def _tell_apart(series: list[PlotSeries], paths: list[Path]) -> None:
    """Files of one title are named by their file names."""
    titles = [s.label for s in series]
    for s, path in zip(series, paths, strict=True):
        if titles.count(s.label) > 1:
            s.label = path.stem


# -- drawing --------------------------------------------------------------------------------------------------------------------------


def draw(series: list[PlotSeries], layers: bool = False) -> Figure:
    """Density and mean angle of all files over one another; with ``layers`` a column beside them for each file.

    Raises:
        FileError: none of the files holds what is to be drawn.
    """
    panels = [quantity for quantity in PANELS if any(_drawable(s, quantity.name, 1) for s in series)]
    if not panels:
        names = ", ".join(s.label for s in series)
        *others, last = (quantity.name.partition("/")[0].replace("_", " ") for quantity in PANELS)
        raise FileError(f"{names}: neither {', '.join(others)} nor {last} was recorded; draw the energy budget, or give a base")
    columns = [s for s in series if any(_drawable(s, f"{panel.name}_layers", 2) for panel in panels)] if layers else []
    if layers and not columns:
        raise FileError(f"{', '.join(s.label for s in series)}: no layers were recorded; set output.observables.layers in the case")
    figure = Figure(figsize=(7.5 + 5.0 * len(columns), 3.4 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), 1 + len(columns), sharex=all(s.by_taps == series[0].by_taps for s in series), sharey="row", squeeze=False)
    for axes, panel in zip(grid, panels, strict=True):
        name = panel.name
        for k, s in enumerate(series):
            if name in s.values:
                _curve(axes[0], s, name, s.values[name], COLOURS[k % len(COLOURS)], s.label)
        for one, s in zip(axes[1:], columns, strict=True):
            _layer_curves(one, s, f"{name}_layers")
        for one in axes:
            _dress(one, series)
            one.tick_params(labelleft=True)
            if panel.reference is not None:
                _mark(one, panel.reference, [s for s in series if name in s.values])
        axes[0].set_ylabel(str(panel.panel))
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
        colours = iter(COLOURS)
        for axes, panel in zip(column, BUDGET, strict=True):
            for label, values in budget_terms(s, panel).items():
                axes.plot(s.x, values, color=next(colours), linewidth=1.3, label=label)
                _report(f"{s.label}: {'residual' if panel == 'residual' else label}", s, values, "J")
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
    return name in s.values and s.values[name].ndim == dimensions and bool(np.isfinite(s.values[name]).any())


def _curve(axes: Axes, s: PlotSeries, name: str, y: np.ndarray, colour: Any, label: str, faint: bool = True) -> None:
    """The moving average, and the raw rows faintly behind it."""
    mean = smoothed(s.x, y, s.window)
    if faint and mean is not y:
        axes.plot(s.x, y, color=colour, linewidth=0.5, alpha=0.2 if len(y) > 2000 else 0.45, zorder=1.5)
    axes.plot(s.x, mean, color=colour, linewidth=1.7, label=label)
    quantity = quantity_of(name)
    unit = quantity.unit if quantity is not None and quantity.unit != "1" else ""
    _report(f"{s.label}: {name}" + ("" if faint else f" {label}"), s, mean, unit)


def _layer_curves(axes: Axes, s: PlotSeries, name: str) -> None:
    """One curve a layer, dark to light from the bottom."""
    from matplotlib import colormaps

    rows = s.values.get(name)
    if rows is None:
        return
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


def _report(what: str, s: PlotSeries, y: np.ndarray, unit: str) -> None:
    """Print the first and the last number of a curve."""
    good = np.flatnonzero(np.isfinite(y))
    if len(good) == 0:
        print(f"{what}: nothing to draw")
        return
    first, last = good[0], good[-1]
    at = "{:.4g} taps" if s.by_taps else "{:.4g} s"
    print(f"{what}: {y[first]:.5g} at {at.format(s.x[first])}, {y[last]:.5g} at {at.format(s.x[last])} {unit}".rstrip())
