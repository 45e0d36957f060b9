"""Overlaps that are foreseen, against those of real impacts: never less than what is seen, and not far above it."""

from __future__ import annotations

import math

import falls
import pytest
from scenes import FLOOR, SPHERE, case_of

from pardem.forecast.possible_impacts import ExtremeGrains
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene


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


def test_a_single_ball_meets_all_extreme_balls_but_itself() -> None:
    """Of three species in one row of the law, the middle one is no extreme, and meets the two that are; these do not meet themselves."""
    species = [SPHERE | {"name": name, "radius": radius} for name, radius in (("least", 0.1), ("middle", 0.2), ("largest", 0.4))]
    grains = [{"species": one["name"], "position": (float(k), 0, 0)} for k, one in enumerate(species)]
    case = case_of(species, {"contact_time": 0.1, "restitution": 0.5}, 1e-3, grain=grains, wall=[FLOOR | {"point": (0, 0, -1)}])
    bodies = ExtremeGrains(case, build_scene(case, *size_range(case)))
    for name, targets in (("least", ["largest"]), ("middle", ["least", "largest"]), ("largest", ["least"])):
        found = [one for several in bodies.with_grains([name]) for one in several.known()]
        assert [one.target for one in found] == [f"a grain of species '{target}'" for target in targets]
        assert {one.grain.species for one in found} == {name}
