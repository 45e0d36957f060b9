"""Time series of a result as curves: which rows are drawn, against what, and their moving average."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pardem.errors import FileError

from ..analysis.result import open_result
from ..layout import LayoutError
from ..reading import sound

WINDOW = 2.0  # taps: a bed may fly for two periods of its base, so a mean over one leaves the second subharmonic
ACROSS = 1e-9  # sine of an angle below which a plane lies across an axis


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
        container: whether the case has what a volume fraction refers to.
    """

    label: str
    x: np.ndarray
    by_taps: bool
    window: float
    values: dict[str, np.ndarray]
    layers: tuple[float, float] | None
    dimension: int = 3
    container: bool = True

    @property
    def averaged(self) -> bool:
        """Whether the rows span a window, so that there is a moving average."""
        return self.window > 0.0 and len(self.x) > 1 and bool(self.x[-1] - self.x[0] >= self.window)


def read_series(path: Path, whole_run: bool = False) -> PlotSeries:
    """The observables of a result: of the rows while a wall taps, or of all if none does or ``whole_run`` asks for it.

    Args:
        path: result.
        whole_run: whether to take all rows, over time.

    Raises:
        FileError: the file is missing or foreign, or holds no observables.
    """
    with open_result(path) as result, sound(path):
        found, case = result.series, result.case_tables
    if not found.values:
        raise FileError(f"{path} holds no observables; set output.observable_interval or output.observable_taps in its case")
    if not len(found.times):
        raise FileError(f"{path} holds no rows of observables yet")
    values, times = dict(found.values), found.times
    with sound(path):
        if values.get("taps", times).shape != times.shape:
            raise LayoutError("observables/taps is not one number a row")
        options = case.get("output", {}).get("observables", {}).get("layers")
        thickness = (float(options["thickness"]), float(options.get("origin", 0.0))) if options else None
        container = container_known(case, values)
    taps = _running_total(values.get("taps", np.zeros(len(times))))
    rows = taps > 0.0
    by_taps = bool(rows.any()) and not whole_run
    if not by_taps:
        rows = np.ones(len(times), bool)
    x = taps[rows] if by_taps else times[rows]
    kept = {name: v[rows] for name, v in values.items()}
    window = WINDOW if by_taps else 0.0
    return PlotSeries(case.get("title") or path.stem, x, by_taps, window, kept, thickness, case.get("dimension", 3), container)


def container_known(case: Mapping[str, Any], observed: Collection[str]) -> bool:
    """Whether the case says what the grains fill: a container, or a domain that is periodic or has walls along all axes that count.

    Args:
        case: tables of the case.
        observed: names of the observables; above a base, which has a ``fill_height``, the upward axis does not count.
    """
    walls, domain = case.get("wall") or [], case.get("domain")
    if case.get("output", {}).get("observables", {}).get("container", "auto") != "auto":
        return True
    if any(wall.get("kind") in ("cylinder", "box") for wall in walls):
        return True
    if domain is None:
        return False
    dimension = int(case.get("dimension", 3))
    gravity = np.abs([*case.get("gravity", ()), 0.0, 0.0, 0.0][:3])
    upright = int(np.argmax(gravity)) if gravity.any() else dimension - 1
    axes = [c for c in range(dimension) if not (c == upright and "fill_height" in observed)]
    planes = [np.array(wall["normal"], float) / np.linalg.norm(wall["normal"]) for wall in walls if wall.get("kind") == "plane"]
    closed = [{float(np.sign(n[c])) for n in planes if np.abs(np.delete(n, c)).max() < ACROSS} for c in range(3)]
    periodic = [*(domain.get("periodic") or ()), False, False, False]
    return all(periodic[c] or len(closed[c]) == 2 for c in axes)


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


def report(what: str, s: PlotSeries, y: np.ndarray, unit: str) -> None:
    """Print the first and the last number of a curve.

    Args:
        what: it is called.
        s: its file.
        y: (T,) its numbers.
        unit: unit of the values; ``1`` is not printed.
    """
    good = np.flatnonzero(np.isfinite(y))
    if len(good) == 0:
        print(f"{what}: nothing to draw")
        return
    first, last = good[0], good[-1]
    at = "{:.4g} taps" if s.by_taps else "{:.4g} s"
    print(f"{what}: {y[first]:.5g} at {at.format(s.x[first])}, {y[last]:.5g} at {at.format(s.x[last])} {'' if unit == '1' else unit}".rstrip())


def _running_total(taps: np.ndarray) -> np.ndarray:
    """Taps of several stages one after the other; 0 between them."""
    ended = np.concatenate([[0.0], np.where(np.diff(taps) < 0.0, taps[:-1], 0.0)])
    return np.where(taps > 0.0, taps + np.cumsum(ended), 0.0)
