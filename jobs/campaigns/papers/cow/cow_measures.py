"""What is measured of a cow that bounces on a landscape: the error of the energy, the first contact, and how it turns."""

from __future__ import annotations

import numpy as np

import pardem

GAP = 0.05  # s without elastic energy after which another contact is another bounce


def error(result: pardem.Result) -> float:
    """Largest change of the energy over the energy at first (1)."""
    total = np.asarray(result.series.values["energy/total"])
    return float(np.abs(total - total[0]).max() / abs(total[0]))


def error_of_first_bounce(result: pardem.Result) -> float:
    """Largest change of the energy up to half-way between the first bounce and the next one, over the energy at first (1)."""
    values, bounces = result.series.values, bounce_times(result)
    end = 0.5 * (bounces[0] + bounces[1]) if len(bounces) > 1 else np.inf
    total = np.asarray(values["energy/total"])[result.series.times <= end]
    return float(np.abs(total - total[0]).max() / abs(total[0]))


def first_contact(result: pardem.Result) -> float:
    """Time of the first contact (s); not a number where there is none."""
    bounces = bounce_times(result)
    return float(bounces[0]) if len(bounces) else float("nan")


def bounces(result: pardem.Result) -> int:
    """Number of bounces (1)."""
    return len(bounce_times(result))


def turning(result: pardem.Result) -> float:
    """Largest share of the kinetic energy that is one of rotation (1)."""
    values = result.series.values
    spin, rest = (np.asarray(values[f"energy/kinetic_{name}"]) for name in ("rotational", "translational"))
    return float((spin / np.maximum(spin + rest, 1e-9 * (spin + rest).max())).max())


def bounce_times(result: pardem.Result) -> np.ndarray:
    """Times at which contacts begin (s): of rows before which the energy of motion has changed other than by the fall."""
    values, times = result.series.values, result.series.times
    touched = np.flatnonzero(np.asarray(values["energy/elastic"]) > 0.0)
    spin = np.asarray(values["energy/kinetic_rotational"])
    turned = np.flatnonzero(np.abs(np.diff(spin)) > 1e-9 * np.abs(values["energy/total"][0])) + 1  # contacts shorter than the interval of rows
    rows = np.union1d(touched, turned)
    if not len(rows):
        return np.zeros(0)
    begins = np.concatenate([[True], np.diff(times[rows]) > GAP])
    return np.asarray(times[rows][begins])
