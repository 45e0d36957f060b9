"""What is measured of rods in a vibrated cylinder."""

from __future__ import annotations

import numpy as np

import pardem

LAST = 100.0  # taps over which means are taken, or half of a shorter run
INSIDE = slice(1, 3)  # the second and the third layer from below


def density(result: pardem.Result) -> float:
    """Volume of the rods over that of the cylinder up to the highest, mean over the last taps (1)."""
    return _mean(_last(result, "density"))


def density_at_rest(result: pardem.Result) -> float:
    """The same, of the densest row in each of the last taps: the bed lies on its base (1)."""
    taps, rows = _rows(result, "density")
    chosen = taps > _start(taps)
    of_taps = np.ceil(taps[chosen] - 1e-6)
    return _mean(np.array([np.nanmax(rows[chosen][of_taps == tap]) for tap in np.unique(of_taps)]))


def density_inside(result: pardem.Result) -> float:
    """Density of the second and the third layer, mean over the last taps (1)."""
    return _mean(_last(result, "density_layers")[:, INSIDE])


def angle(result: pardem.Result) -> float:
    """Angle between the axes of the rods and the base, mean over the rods and the last taps (degrees)."""
    return _mean(_last(result, "mean_angle"))


def angle_inside(result: pardem.Result) -> float:
    """The same for the second and the third layer (degrees)."""
    return _mean(_last(result, "mean_angle_layers")[:, INSIDE])


def angle_settled(result: pardem.Result) -> float:
    """Mean angle before the vibration (degrees)."""
    return _settled(result, "mean_angle")


def density_settled(result: pardem.Result) -> float:
    """Density before the vibration (1)."""
    return _settled(result, "density")


def residual(result: pardem.Result) -> float:
    """Residual of the energy over the work of the walls, at the end (1)."""
    values = result.series.values
    return float(values["energy/residual"][-1] / values["energy/wall_work"][-1])


def taps_of(result: pardem.Result) -> np.ndarray:
    """Number of taps since the vibration began, row by row; 0 before it."""
    return np.asarray(result.series.values["taps"], float)


def _rows(result: pardem.Result, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The taps and an observable, of the rows in which the base vibrates."""
    taps = taps_of(result)
    return taps[taps > 0.0], np.asarray(result.series.values[name])[taps > 0.0]


def _start(taps: np.ndarray) -> float:
    """Number of taps at which the last ones begin."""
    return float(taps[-1] - min(LAST, 0.5 * taps[-1]))


def _last(result: pardem.Result, name: str) -> np.ndarray:
    """An observable in the last taps."""
    taps, rows = _rows(result, name)
    return np.asarray(rows[taps > _start(taps)])


def _settled(result: pardem.Result, name: str) -> float:
    """The last value of an observable before the vibration."""
    return float(np.asarray(result.series.values[name])[taps_of(result) == 0.0][-1])


def _mean(rows: np.ndarray) -> float:
    """Mean of what is a number."""
    rows = rows[np.isfinite(rows)]
    return float(rows.mean()) if len(rows) else float("nan")
