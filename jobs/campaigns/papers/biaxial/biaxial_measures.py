"""What is measured of biaxial tests: void ratio, stress ratio and coordination, their state at the end, shear bands, and drops of the stress."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import pardem

WINDOW = 0.01  # of strain, for the running mean
LAST = 0.1  # of strain: what the critical state is averaged over
CRITICAL = 0.2  # strain from which on drops are counted
THRESHOLD = 0.005  # smallest drop of the stress ratio
WIDTH, BAND_STRAIN = 1.0, 0.04  # of the smoothing kernel (m), and strain over which bands are looked for


class Curves(NamedTuple):
    """A test against time, from the start of the shear on, (T,) each.

    Attributes:
        time: (s).
        strain: axial strain.
        ratio: stress ratio (s1 - s3)/(s1 + s3).
        void: void ratio.
        contacts: coordination.
    """

    time: np.ndarray
    strain: np.ndarray
    ratio: np.ndarray
    void: np.ndarray
    contacts: np.ndarray


def curves(result: pardem.Result) -> Curves:
    """Take the curves of a test."""
    values, times, case = result.series.values, result.series.times, result.case
    force, shift = ({w: np.asarray(values[f"wall_{name}/{w}"]) for w in ("left", "right", "bottom", "top")} for name in ("force", "displacement"))
    point = {wall.name: wall.point for wall in case.wall}
    width = point["right"][0] - point["left"][0] + shift["right"][:, 0] - shift["left"][:, 0]
    height = point["top"][1] - point["bottom"][1] + shift["top"][:, 1] - shift["bottom"][:, 1]
    solid = float(result.mass.sum()) / case.species[0].density
    axial = 0.5 * (force["top"][:, 1] - force["bottom"][:, 1]) / width
    side = 0.5 * (force["right"][:, 0] - force["left"][:, 0]) / height
    begin = int(np.searchsorted(times, case.stage[0].time)) if len(case.stage) > 1 else 0
    strain = 1.0 - height / height[begin]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = (axial - side) / (axial + side)
    return Curves(*(np.asarray(row[begin:]) for row in (times, strain, ratio, width * height / solid - 1.0, values["coordination"])))


def smooth(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean of y over `WINDOW` about each x."""
    return np.array([y[abs(x - centre) <= 0.5 * WINDOW].mean() for centre in x])


def void_at_start(result: pardem.Result) -> float:
    """Void ratio when the shear begins (1)."""
    return float(curves(result).void[0])


def void_last(result: pardem.Result) -> float:
    """Void ratio of the last row (1)."""
    return float(curves(result).void[-1])


def void_at_end(result: pardem.Result) -> float:
    """Void ratio over the last tenth of strain (1)."""
    c = curves(result)
    return float(c.void[_late(c, 1)].mean())


def ratio_most(result: pardem.Result) -> float:
    """Largest stress ratio, of a running mean (1)."""
    c = curves(result)
    return float(smooth(c.strain, c.ratio).max())


def ratio_at_end(result: pardem.Result) -> float:
    """Stress ratio over the last tenth of strain (1)."""
    c = curves(result)
    return float(c.ratio[_late(c, 1)].mean())


def contacts_at_end(result: pardem.Result) -> float:
    """Coordination over the last tenth of strain (1)."""
    c = curves(result)
    return float(c.contacts[_late(c, 1)].mean())


def void_drift(result: pardem.Result) -> float:
    """Void ratio over the last tenth of strain less that over the tenth before (1)."""
    c = curves(result)
    return float(c.void[_late(c, 1)].mean() - c.void[_late(c, 2)].mean())


def contacts_drift(result: pardem.Result) -> float:
    """The same of the coordination (1)."""
    c = curves(result)
    return float(c.contacts[_late(c, 1)].mean() - c.contacts[_late(c, 2)].mean())


def drops(result: pardem.Result) -> int:
    """Number of drops of the stress ratio in the critical state (1)."""
    return len(critical_drops(result).size)


def critical_drops(result: pardem.Result) -> Any:
    """Drops of the stress ratio in the critical state, the `Drops` of slips.py."""
    c = curves(result)
    late = c.strain >= min(CRITICAL, 0.5 * c.strain[-1])
    return _script("slips").find_drops(c.time[late], c.ratio[late], THRESHOLD)


def band_contrast(result: pardem.Result) -> float:
    """Contrast of the clearest shear band after the peak of the stress; 0 where there is none (1)."""
    return _band(result)[0]


def band_angle(result: pardem.Result) -> float:
    """Its angle to the direction of the smaller stress; not a number where there is none (degrees)."""
    return _band(result)[1]


def roscoe(result: pardem.Result) -> float:
    """Roscoe's angle at the peak (degrees)."""
    return _bounds(result)[0]


def coulomb(result: pardem.Result) -> float:
    """The angle of Mohr and Coulomb at the peak (degrees)."""
    return _bounds(result)[1]


def _late(c: Curves, place: int) -> np.ndarray:
    """Rows of the last tenth of strain, or of an earlier one; of a third of a shorter test."""
    size = min(LAST, c.strain[-1] / 3.0)
    end = c.strain[-1] - (place - 1) * size
    return np.asarray((c.strain > end - size) & (c.strain <= end))


def _bounds(result: pardem.Result) -> tuple[float, float]:
    """Both angles, from the friction and the dilatancy at the peak."""
    c, bands = curves(result), _script("shear_bands")
    mean = smooth(c.strain, c.ratio)
    peak = int(np.argmax(mean))
    near = np.abs(c.strain - c.strain[peak]) <= WINDOW
    found = bands.bounds(bands.friction_angle(float(mean[peak])), bands.dilatancy_angle(c.strain[near], c.void[near]))
    return float(found[0]), float(found[1])


def _band(result: pardem.Result) -> tuple[float, float]:
    """Contrast and angle of the clearest band between the peak and a little later."""
    c, bands = curves(result), _script("shear_bands")
    peak = float(c.strain[int(np.argmax(smooth(c.strain, c.ratio)))])
    first, last = (int(np.argmin(np.abs(np.interp(result.times, c.time, c.strain, left=-1.0) - e))) for e in (peak, peak + BAND_STRAIN))
    if first == last:
        return 0.0, float("nan")
    fields = result[last].coarse_grained(WIDTH, since=result[first])
    inside = np.where(fields.solid_fraction.values > 0.5, bands.greatest_shear(fields.strain.values), np.nan)  # not where kernels reach outside
    found = bands.find_bands(fields.x.values, fields.y.values, inside)
    return (float(found[0].contrast), float(abs(found[0].angle))) if found else (0.0, float("nan"))


def _script(name: str) -> ModuleType:
    """Another script of this folder."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]
