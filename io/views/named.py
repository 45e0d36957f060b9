"""Figures of observables that are named, one panel below the other."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
from matplotlib.figure import Figure

from pardem.errors import FileError

from ..analysis.data_frames import TimeSeries
from ..analysis.units import unit_of
from .curves import PlotSeries, report
from .plot_style import COLOURS

LINES = ("-", "--", ":", "-.")  # of one file after the other, where a panel has several curves of each
MOST_CURVES = 40  # of a panel


def columns_of(s: PlotSeries, name: str) -> dict[str, np.ndarray]:
    """The curves that a name stands for, (T,) by label.

    Args:
        s: observables of a file.
        name: name of an observable, which stands for all its components, or of one component (``stress[2,2]``, ``wall_force/base[z]``), or a
            pattern with ``*``.

    Raises:
        FileError: there is none.
    """
    columns = TimeSeries(s.x, s.x, s.values).columns()
    pattern = name.replace("[", "[[]") if "*" in name else ""
    found = {column: y for column, y in columns.items() if name in (column, column.partition("[")[0]) or fnmatch.fnmatchcase(column, pattern)}
    if not found:
        there = sorted(s.values)
        near = get_close_matches(name, [*there, *columns], 1)
        there_are = f"did you mean {near[0]}? There are" if near else "there are"
        raise FileError(f"{s.label}: no observable '{name}' was recorded; {there_are}: {', '.join(there)}")
    if len(found) > MOST_CURVES:
        raise FileError(f"{s.label}: '{name}' stands for {len(found)} curves, and a panel draws up to {MOST_CURVES}: name some of them")
    return found


def draw_named(series: list[PlotSeries], names: Sequence[str]) -> Figure:
    """Observables over time, a panel for each name.

    Args:
        series: observables of the files.
        names: see ``columns_of``.

    Raises:
        FileError: a file has no such observable.
    """
    figure = Figure(figsize=(7.5, 3.0 * len(names) + 0.6), layout="constrained")
    for axes, name in zip(figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0], names, strict=True):
        units = set()
        curves = [columns_of(s, name) for s in series]
        several = max(map(len, curves)) > 1
        for k, (s, found) in enumerate(zip(series, curves, strict=True)):
            for m, (label, y) in enumerate(found.items()):
                known = np.isfinite(y)
                style = LINES[k % len(LINES)] if several else "-"
                said = f"{s.label}: {label}" if several and len(series) > 1 else label if several else s.label
                axes.plot(s.x[known], y[known], style, color=COLOURS[(m if several else k) % len(COLOURS)], linewidth=1.4, label=said)
                units.add(unit_of(label.partition("[")[0]))
                report(f"{s.label}: {label}", s, y, unit_of(label.partition("[")[0]))
        unit = f" ({units.pop()})" if len(units) == 1 and units != {"1"} else ""
        axes.set_ylabel(f"{name.replace('_', ' ')}{unit}")
        axes.grid(True)
        axes.set_axisbelow(True)
        axes.ticklabel_format(axis="y", scilimits=(-3, 4), useMathText=True)
        if several or len(series) > 1:
            axes.legend(fontsize=9, ncols=1 + len(axes.lines) // 6)
    axes.set_xlabel("time (s)")
    return figure
