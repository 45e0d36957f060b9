"""The cases of the page of worked examples against the formulas that it holds them against, and against the figures that it prints."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from run_scene import settings

import pardem
from pardem import cli

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "worked-examples.md").read_text()
CASES = dict(re.findall(r"^```toml\n# (\w+\.toml)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
G, RESTING = 9.81, {"grain__0__velocity": "[0.0,0.0,0.0]", "grain__0__angular_velocity": "[0.0,0.0,0.0]"}


def ran(folder: Path, name: str, *changes: str) -> pardem.Result:
    """The result of a case of the page."""
    for file, text in CASES.items():
        (folder / file).write_text(text)
    out = folder / "out.h5"
    assert cli.main(["run", str(folder / name), "-o", str(out), "--force", *changes]) == 0
    return pardem.open(out)


def figure(pattern: str) -> float:
    """A number that the page says."""
    found = re.search(pattern, " ".join(PAGE.split()))
    assert found, pattern
    return float(found[1])


def test_materials_by_constants(tmp_path: Path) -> None:
    """Depth, force and duration of Hertz's impact on glass; the restitution of the pair on aluminium."""
    result = ran(tmp_path, "plates.toml")
    m, radius, v = result.mass[0], result.radius[0], 0.5
    assert m == pytest.approx(7800.0 * 4.0 / 3.0 * math.pi * radius**3, rel=1e-12)
    for ball, (young, poisson) in enumerate(((7.0e10, 0.22), (6.9e10, 0.33))):
        modulus = 1.0 / ((1.0 - 0.3**2) / 2.1e11 + (1.0 - poisson**2) / young)
        depth = (15.0 * m * v**2 / (16.0 * modulus * math.sqrt(radius))) ** 0.4
        touching = [frame.contacts.first == ball for frame in result]
        overlap = np.array([frame.contacts.overlap[rows].max(initial=0.0) for frame, rows in zip(result, touching, strict=True)])
        force = np.array([frame.contacts.normal_force[rows].max(initial=0.0) for frame, rows in zip(result, touching, strict=True)])
        if ball == 0:
            assert overlap.max() == pytest.approx(depth, rel=2e-3)
            assert force.max() == pytest.approx(4.0 / 3.0 * modulus * math.sqrt(radius) * depth**1.5, rel=3e-3)
            assert np.count_nonzero(overlap) * 5e-7 == pytest.approx(2.943 * depth / v, rel=0.02)
            assert 1e6 * overlap.max() == pytest.approx(figure(r"largest overlap of ([\d.]+) µm"), rel=0.01)
    bounced = result[-1].velocity[:, 2] / v
    assert bounced == pytest.approx([1.0, 0.7], rel=0.01)
    assert bounced[1] == pytest.approx(figure(r"rebounds at ([\d.]+) of that speed"), abs=6e-4)


def test_resistance_to_rolling(tmp_path: Path) -> None:
    frame = ran(tmp_path, "rolling.toml")[-1]
    assert frame.position[0, 0] == pytest.approx(0.7 * 0.2**2 / (0.02 * G), rel=0.01)
    assert frame.position[0, 0] == pytest.approx(figure(r"It stops after ([\d.]+) m"), abs=6e-5)
    assert np.abs(frame.velocity).max() < 1e-4
    slope, t = settings(gravity="[0.1712,0.0,-9.8085]", **RESTING), 2.0
    stayed = ran(tmp_path, "rolling.toml", *slope)[-1].position[0, 0]
    assert 0.0 < stayed < 1e-3
    assert stayed == pytest.approx(figure(r"the ball moves by ([\d.e-]+) m"), rel=0.05)
    away = ran(tmp_path, "rolling.toml", *slope, *settings(contact__rolling_friction=0.01))[-1].position[0, 0]
    expected = 0.5 * 5.0 / 7.0 * (0.1712 - 0.01 * 9.8085) * t**2
    assert 1.0 < away / expected < 1.02  # until the spring is wound up the torque is less
    assert expected == pytest.approx(figure(r"gives ([\d.]+) m. The ball is"), abs=6e-5)
    assert away == pytest.approx(figure(r"by ([\d.]+) m with the smaller one"), abs=6e-5)


def test_resistance_to_twisting(tmp_path: Path) -> None:
    spinning = settings(**RESTING | {"grain__0__angular_velocity": "[0.0,0.0,30.0]"})
    result = ran(tmp_path, "twisting.toml", *spinning)
    spin = result.read("angular_velocity")[:, 0, 2]
    expected = 2.0 * 0.01 * 30.0 / (5.0 * 0.01 * G)
    early = result.times < 1.0
    assert spin[early] == pytest.approx(30.0 * (1.0 - result.times[early] / expected), abs=0.01 * 30.0)
    stopped = float(result.times[np.argmax(np.abs(spin) < 0.01 * 30.0)])
    assert stopped == pytest.approx(expected, rel=0.02)
    assert stopped == pytest.approx(figure(r"to zero within ([\d.]+) s"), abs=6e-3)
    assert expected == pytest.approx(figure(r"the formula gives ([\d.]+) s. In two"), abs=6e-4)
