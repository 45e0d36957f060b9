"""What is measured of a trial of the flowability experiment."""

from __future__ import annotations

import numpy as np

import pardem

FLOW = "flow"  # the stage in which the hole is open
ARCH = 3  # beads: fewer hold no arch, but may lean over the edge of the hole


def flows(result: pardem.Result) -> int:
    """Whether no arch was left above the hole when the trial was decided."""
    return int(_above(result, "grains")[1] < ARCH)


def left(result: pardem.Result) -> int:
    """Number of beads above the hole when the trial was decided."""
    return int(_above(result, "grains")[1])


def mass_before(result: pardem.Result) -> float:
    """Mass above the hole before it opens, m_i (kg)."""
    return _above(result, "mass")[0]


def mass_after(result: pardem.Result) -> float:
    """Mass above the hole when the trial was decided, m_f (kg)."""
    return _above(result, "mass")[1]


def duration(result: pardem.Result) -> float:
    """Time from the opening to the decision (s)."""
    times, (first, last) = result.series.times, _rows(result)
    return float(times[last] - times[first])


def changed(result: pardem.Result) -> int:
    """Whether the outcome at the end of the run is another than that which was decided."""
    return int((result.series.values["above_hole/grains"][-1] < ARCH) != bool(flows(result)))


def _above(result: pardem.Result, what: str) -> tuple[float, float]:
    """Number (``grains``) or ``mass`` above the hole before it opens, and when the trial was decided."""
    values, (first, last) = result.series.values[f"above_hole/{what}"], _rows(result)
    return float(values[first]), float(values[last])


def _rows(result: pardem.Result) -> tuple[int, int]:
    """The row before the hole opens, and the last one while it is open and nothing is decided; stages end at rows."""
    number = [stage.name for stage in result.case.stage].index(FLOW)
    rows = np.flatnonzero(result.series.values["stage"] == number)
    return max(0, int(rows[0]) - (number > 0)), int(rows[-1])
