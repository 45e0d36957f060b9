"""Overlaps that are foreseen, against those of real impacts: never less than what is seen, and not far above it."""

from __future__ import annotations

import math

import falls
import pytest


@pytest.mark.parametrize("law", ["viscoelastic", "hertz", "walton"])
def test_two_spheres_meet_head_on(law: str) -> None:
    bound, seen = falls.head_on(law)
    assert 0.0 < seen < 1.005 * bound  # the damper works with velocities half a step late: of first order in step over contact time
    assert bound < 1.03 * seen


@pytest.mark.parametrize("law", sorted(falls.LAWS))
def test_a_sphere_falls_on_the_floor(law: str) -> None:
    _, fall, _ = falls.foreseen(falls.falling(law, [{"species": "ball", "position": (0.0, 0.0, 1.0 + falls.R)}]))
    assert fall.speed == pytest.approx(math.sqrt(2.0 * 9.81 * 1.0), rel=1e-12)
    bound, seen = falls.on_floor(law)
    assert 0.0 < seen < 1.001 * bound  # the error of the steps
    assert bound < 1.03 * seen


@pytest.mark.parametrize("tilt", [0.0, 0.4, 0.5 * math.pi])
@pytest.mark.parametrize("law", ["viscoelastic", *(pytest.param(law, marks=pytest.mark.slow) for law in ("hertz", "walton"))])
def test_a_rod_falls_on_the_floor(law: str, tilt: float) -> None:
    bound, seen = falls.rod_on_floor(law, tilt)
    assert 0.0 < seen < 1.001 * bound  # the error of the steps
    assert bound < 10.0 * seen


@pytest.mark.parametrize("law", ["viscoelastic", "hertz", "walton"])
def test_a_sphere_falls_on_another_that_lies_on_the_floor(law: str) -> None:
    """The lower one cannot give way: the contact must stop the whole mass of the upper one, not the effective mass of the two."""
    bound, seen = falls.on_another(law)
    assert 0.0 < seen < bound
    assert bound < 3.0 * seen
