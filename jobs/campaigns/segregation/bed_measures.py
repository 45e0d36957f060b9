"""What is measured of mixtures of spheres and other grains in a vibrated container."""

from __future__ import annotations

import numpy as np

import pardem

LAST = 1.0  # s over which means are taken
SHAKEN = 1  # number of the stage that vibrates


def ratio(result: pardem.Result) -> float:
    """Height of the centre of mass of the others over that of the spheres, mean over the last second (1)."""
    return _mean(result, ratios(result), np.inf)


def ratio_at_five(result: pardem.Result) -> float:
    """The same ratio, mean over the last second before five seconds of vibration (1)."""
    return _mean(result, ratios(result), 5.0)


def ratio_at_rest(result: pardem.Result) -> float:
    """The same ratio before the vibration (1)."""
    return float(ratios(result)[result.series.values["stage"] < SHAKEN][-1])


def wall_share(result: pardem.Result) -> float:
    """Share of spheres among the centres near the wall, mean over the last second (1); not a number where there is no wall."""
    return _mean(result, wall_shares(result), np.inf)


def ratios(result: pardem.Result) -> np.ndarray:
    """Height of the others over that of the spheres, row by row (1)."""
    values = result.series.values
    other = next(s.name for s in result.case.species if s.name != "sphere")
    return np.asarray(values[f"height/{other}"] / values["height/sphere"])


def wall_shares(result: pardem.Result) -> np.ndarray:
    """Share of spheres among the centres near the wall, row by row (1)."""
    values, times = result.series.values, result.series.times
    return np.asarray(values.get("share_near_wall/sphere", np.full(len(times), np.nan)))


def shaken_times(result: pardem.Result) -> np.ndarray:
    """Time since the vibration began, row by row; not a number before (s)."""
    times, before = result.series.times, result.series.values["stage"] < SHAKEN
    return np.where(before, np.nan, times - times[before].max(initial=0.0))


def _mean(result: pardem.Result, rows: np.ndarray, end: float) -> float:
    """Mean of the rows of the last second before a time of vibration, or of a shorter vibration as a whole (s)."""
    times = shaken_times(result)
    end = min(end, float(np.nanmax(times)))
    chosen = rows[(times > end - LAST) & (times <= end)]
    chosen = chosen[np.isfinite(chosen)]
    return float(chosen.mean()) if len(chosen) else float("nan")
