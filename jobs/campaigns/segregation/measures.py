"""What is measured of the mixtures of spheres and spherotetrahedra."""

from __future__ import annotations

import numpy as np

import pardem

LAST = 1.0  # s over which means are taken


def ratio(result: pardem.Result) -> float:
    """Height of the centre of mass of the tetrahedra over that of the spheres, mean over the last second (1)."""
    return _late(result, _ratios(result))


def ratio_at_rest(result: pardem.Result) -> float:
    """The same ratio before the vibration (1)."""
    stage = result.series.values["stage"]
    return float(_ratios(result)[stage == 0][-1])


def wall_share(result: pardem.Result) -> float:
    """Share of spheres among the centres near the wall, mean over the last second (1)."""
    return _late(result, result.series.values["share_near_wall/sphere"])


def _ratios(result: pardem.Result) -> np.ndarray:
    values = result.series.values
    return np.asarray(values["height/tetrahedron"] / values["height/sphere"])


def _late(result: pardem.Result, rows: np.ndarray) -> float:
    times = result.series.times
    return float(np.nanmean(rows[times >= times[-1] - LAST]))
