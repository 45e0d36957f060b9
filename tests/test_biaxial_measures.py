"""Measures of biaxial tests (jobs/campaigns/papers/biaxial): angles of shear bands and statistics of drops, on known fields and curves."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parent.parent / "jobs" / "campaigns" / "papers" / "biaxial"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bands, slips = script("shear_bands"), script("slips")
X, Y = 0.5 + np.arange(30.0), 0.5 + np.arange(50.0)


def band(angle: float, through: tuple[float, float] = (15.0, 25.0), width: float = 1.5) -> np.ndarray:
    """Intensity 1 along a line at an angle to the x axis, falling off across it."""
    across, up = np.meshgrid(X - through[0], Y - through[1], indexing="ij")
    distance = np.cos(np.radians(angle)) * up - np.sin(np.radians(angle)) * across
    return np.exp(-0.5 * (distance / width) ** 2)


@pytest.mark.parametrize("angle", [-71.3, -45.0, -20.0, 12.6, 45.0, 52.0, 58.7, 66.0])
def test_the_angle_of_a_band_in_noise(angle: float) -> None:
    field = band(angle) + 0.3 * np.random.default_rng(1).normal(size=(30, 50))
    (found, *_) = bands.find_bands(X, Y, field)
    assert found.angle == pytest.approx(angle, abs=1.0)
    assert found.contrast > 0.1


def test_two_conjugate_bands() -> None:
    """As they form in dense samples, the second one reflected at a wall."""
    field = band(55.0) + 0.8 * band(-59.0) + 0.1 * np.random.default_rng(2).normal(size=(30, 50))
    found = bands.find_bands(X, Y, field)
    assert [one.angle for one in found] == pytest.approx([55.0, -59.0], abs=2.0)
    assert found[0].contrast > found[1].contrast


def test_no_band_in_noise_nor_in_a_uniform_field() -> None:
    assert bands.find_bands(X, Y, np.random.default_rng(3).normal(size=(30, 50))) == []
    assert bands.find_bands(X, Y, np.ones((30, 50))) == []


def test_cells_outside_the_sample_do_not_count() -> None:
    field = band(57.0)
    field[:3], field[-2:], field[:, :5] = np.nan, np.nan, np.nan
    assert bands.find_bands(X, Y, field)[0].angle == pytest.approx(57.0, abs=1.0)


def test_angles_of_friction_and_dilatancy() -> None:
    """A band whose material dilates at 10 degrees: its strain is a shear along it and an opening across, tan psi to one."""
    assert bands.friction_angle(0.5) == pytest.approx(30.0)
    assert bands.bounds(30.0, 10.0) == (50.0, 60.0)
    along = np.radians(50.0)
    t, n = np.array([np.cos(along), np.sin(along)]), np.array([-np.sin(along), np.cos(along)])
    gradient = 0.01 * (np.outer(t, n) + np.tan(np.radians(10.0)) * np.outer(n, n))
    strain = 0.5 * (gradient + gradient.T)
    assert bands.greatest_shear(strain) == pytest.approx(0.01 / np.cos(np.radians(10.0)))
    assert bands.band_dilatancy(strain[None]) == pytest.approx(10.0)
    axial = np.linspace(0.0, 0.02, 30)
    slope = 2.0 * np.sin(np.radians(8.0)) / (1.0 - np.sin(np.radians(8.0)))
    assert bands.dilatancy_angle(axial, 1.2 * np.exp(slope * axial) - 1.0) == pytest.approx(8.0)


def saw(sizes: np.ndarray, rise: float = 2.0, fall: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """A curve that rises for some time and falls by given sizes, in samples of 0.1 s."""
    corners, heights = [0.0], [0.0]
    for size in sizes:
        corners += [corners[-1] + rise, corners[-1] + rise + fall]
        heights += [heights[-1] + sizes.mean(), heights[-1] + sizes.mean() - size]
    time = np.arange(0.0, corners[-1] + 1e-9, 0.1)
    return time, np.interp(time, corners, heights)


def test_drops_of_a_saw() -> None:
    sizes = np.array([1.0, 3.0, 0.5, 2.0, 0.2, 1.5])
    drops = slips.find_drops(*saw(sizes), threshold=0.1)
    assert drops.size == pytest.approx(sizes)
    assert drops.duration == pytest.approx(np.full(6, 0.5))
    assert drops.rate == pytest.approx(2.0 * sizes)
    assert drops.start == pytest.approx(2.0 + 2.5 * np.arange(6))
    assert drops.waiting == pytest.approx(np.full(5, 2.5))
    assert slips.find_drops(*saw(sizes), threshold=0.7).size == pytest.approx(np.delete(sizes, [2, 4]))


def test_fluctuations_below_the_threshold_do_not_count() -> None:
    sizes = np.array([1.0, 3.0, 0.5, 2.0, 1.5])
    time, curve = saw(sizes)
    noise = np.random.default_rng(4).uniform(-0.04, 0.04, len(curve))
    drops = slips.find_drops(time, curve + noise, threshold=0.2)
    assert drops.size == pytest.approx(sizes, abs=0.08)
    assert drops.duration == pytest.approx(np.full(5, 0.5), abs=0.15)


@pytest.mark.parametrize("curve", [np.arange(9.0), np.zeros(9), np.zeros(0)])
def test_a_curve_that_never_falls_has_no_drops(curve: np.ndarray) -> None:
    assert len(slips.find_drops(np.arange(len(curve)), curve, 0.1).size) == 0


def test_a_curve_that_only_falls_is_one_drop() -> None:
    drops = slips.find_drops(np.arange(9.0), -np.arange(9.0), 0.5)
    assert (drops.start.tolist(), drops.duration.tolist(), drops.size.tolist()) == ([0.0], [8.0], [8.0])


def test_exponent_of_a_power_law() -> None:
    """Of sizes drawn from one; those drawn from an exponential law fit that better."""
    rng = np.random.default_rng(5)
    law = slips.power_law(0.01 * (1.0 - rng.uniform(size=2000)) ** (-1.0 / 0.8), 0.01)
    assert law.exponent == pytest.approx(1.8, abs=3.0 * law.error)
    assert law.error == pytest.approx(0.8 / 2000**0.5, rel=0.05)
    assert law.distance < 0.04 < 0.2 < law.exponential
    other = slips.power_law(0.01 + rng.exponential(0.02, 2000), 0.01)
    assert other.exponential < 0.04 < 0.1 < other.distance
    assert np.isnan(slips.power_law(np.ones(1), 0.5).exponent)
