"""What is measured of a discharge through a hole."""

from __future__ import annotations

import numpy as np

import pardem

FIRST, LAST = 0.1, 0.5  # shares of the mass between which the rate is taken
REST, FLOW = 0, 1  # the stages: the bed comes to rest; the hole is open


def rate(result: pardem.Result) -> float:
    """Slope of the mass that has left, between two shares of all mass (kg/s)."""
    times, mass = np.asarray(result.series.times), _values(result, "outflow/mass")
    share = mass / float((mass[-1] / _values(result, "outflow/grains")[-1]) * result.case.insert[0].count)
    between = (share >= FIRST) & (share <= LAST)
    return float(np.polyfit(times[between], mass[between], 1)[0])


def fraction(result: pardem.Result) -> float:
    """Volume fraction of the bed at rest."""
    return float(_values(result, "density")[_values(result, "stage") == REST][-1])


def residual(result: pardem.Result) -> float:
    """What is missing in the energy budget, over what damping and friction have dissipated."""
    lost = _values(result, "energy/lost_damping")[-1] + _values(result, "energy/lost_friction")[-1]
    return float(abs(_values(result, "energy/residual")[-1]) / lost)


def duration(result: pardem.Result) -> float:
    """Time of the flow (s)."""
    times = np.asarray(result.series.times)[_values(result, "stage") == FLOW]
    return float(times[-1] - times[0])


def _values(result: pardem.Result, name: str) -> np.ndarray:
    return np.asarray(result.series.values[name], float)
