"""Small grains beside large ones: impacts come out as among equal grains, whatever the law, with and without gravity, or the run is refused."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scenes import CUBE, FLOOR, ROD, case_of, energy, engine_of, grains_of

from pardem.case import Case
from pardem.errors import CaseError
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene

DENSITY, TIME = 1000.0, 0.01
STIFFNESS = 2.0 * math.pi / 3.0 * DENSITY * (math.pi / TIME) ** 2  # N/m that lets two balls of 1 m be in contact for TIME
OVERLAP = 0.03  # of an impact, in radii, or about so


class Scaled(NamedTuple):
    """A law under which impacts of balls of any radius r (m) are alike: contact time TIME r^growth.

    Attributes:
        contact: table for balls of radius 1 m.
        own: what differs for pairs of the small balls, by their radius.
        growth: see above.
    """

    contact: dict[str, Any]
    own: Any = None
    growth: float = 0.0


FRICTION = {"friction": 0.3}
LAWS = {
    "elastic": Scaled({"law": "elastic", "contact_time": TIME} | FRICTION),
    "elastic, raw": Scaled({"law": "elastic", "normal_stiffness": STIFFNESS, "tangential_stiffness": STIFFNESS / 3.5} | FRICTION, growth=1.5),
    "viscoelastic": Scaled({"law": "viscoelastic", "restitution": 0.6, "contact_time": TIME} | FRICTION),
    "walton": Scaled({"law": "walton", "restitution": 0.6, "contact_time": TIME} | FRICTION),
    "walton_tangential": Scaled({"law": "walton_tangential", "restitution": 0.6, "tangential_restitution": 0.5, "contact_time": TIME} | FRICTION),
    "hertz": Scaled({"law": "hertz", "young": 3e8, "poisson": 0.3, "restitution": 0.8, "reference_speed": 5.0} | FRICTION, growth=1.0),
    "lennard_jones": Scaled({"law": "lennard_jones", "depth": 1e4, "sigma": 2.0}, lambda r: {"depth": 1e4 * r**3, "sigma": 2.0 * r}, 1.0),
    "user": Scaled(
        {"law": "user", "user_law": "user_law.py:stiffening", "user_parameters": [STIFFNESS, 1.0, 0.0], "force_scale": 2.0 * STIFFNESS,
         "tangential_stiffness": STIFFNESS / 3.5} | FRICTION,
        lambda r: {"user_parameters": [STIFFNESS * r**3, r, 0.0], "tangential_stiffness": STIFFNESS * r**3 / 3.5},
    ),
}  # fmt: skip


def impact(law: Scaled, radius: float, gravity: float = 0.0, offset: float = 0.6, **more: Any) -> tuple[Case, float, int]:
    """Two balls that meet at ``offset`` radii from the line of their centres, beside a ball of 1 m at rest; their speed, and steps enough to part."""
    step = TIME * radius**law.growth / 100.0
    speed = 0.5 * OVERLAP * math.pi * radius / (100.0 * step)
    start = 5.2 if law.contact["law"] == "lennard_jones" else 2.002  # distance of the centres in radii
    x, y = 0.5 * radius * math.sqrt(start**2 - offset**2), 0.5 * radius * offset
    species = [{"name": n, "shape": "sphere", "radius": r, "density": DENSITY} for n, r in (("small", radius), ("big", 1.0))]
    # a species without grains: the kernel of other tests
    species += [CUBE] if "integrator" in more.get("time", {}) else [ROD] if law.contact["law"] == "lennard_jones" else []
    grains = [{"species": "small", "position": (s * x, s * y, 0.0), "velocity": (-s * speed, 0.0, 0.0)} for s in (-1.0, 1.0)]
    grains.append({"species": "big", "position": (12.0, 0.0, 0.0)})
    pairs = [{"between": ["small", other]} | law.own(radius) for other in (s["name"] for s in species)] if law.own else []
    case = case_of(species, law.contact | {"pair": pairs}, step, gravity=(0.0, 0.0, -gravity), grain=grains, **more)
    way = 3.0 * (start - 2.0) * radius
    return case.located(Path(__file__).parent.parent / "jobs" / "examples"), speed, round(way / (2.0 * speed) / step) + 250


def outcome(law: Scaled, radius: float, gravity: float = 0.0, **more: Any) -> np.ndarray:
    """Velocities over the speed of impact and spins times radius over it, (2, 6), after an impact; along gravity none."""
    case, speed, steps = impact(law, radius, gravity, **more)
    engine, _ = engine_of(case)
    engine.advance(steps)
    assert not len(engine.contacts().key)
    g = grains_of(engine)
    return np.concatenate([g.v[:2, :2], g.w[:2, :3] * radius], axis=1) / speed


@pytest.fixture(scope="module")
def equal() -> dict[str, np.ndarray]:
    """What comes out among equal balls by law."""
    return {}


@pytest.mark.parametrize("gravity", [0.0, 1e-12, 1e-9, 9.81])
@pytest.mark.parametrize("ratio", [3.0, 30.0, 300.0, 1000.0])
@pytest.mark.parametrize("name", LAWS)
def test_small_balls_bounce_and_spin_as_large_ones(name: str, ratio: float, gravity: float, equal: dict[str, np.ndarray]) -> None:
    law = LAWS[name]
    if name not in equal:
        equal[name] = outcome(law, 1.0)
    assert abs(equal[name][0, 1]) > 0.1  # the impact is oblique
    assert name == "lennard_jones" or abs(equal[name][0, 4]) > 0.1
    assert outcome(law, 1.0 / ratio, gravity) == pytest.approx(equal[name], rel=0.0, abs=1e-6)


def test_small_balls_bounce_by_gears_scheme() -> None:
    law, gear = LAWS["viscoelastic"], {"integrator": "gear4"}
    large, small = (outcome(law, r, time={"step": TIME / 100.0} | gear) for r in (1.0, 1e-3))
    assert small == pytest.approx(large, rel=0.0, abs=1e-6)


def test_disks_bounce_and_spin_alike_in_the_plane() -> None:
    def met(radius: float) -> np.ndarray:
        species = [{"name": n, "shape": "disk", "radius": r, "density": DENSITY} for n, r in (("small", radius), ("big", 1.0))]
        speed = 0.5 * OVERLAP * math.pi * radius / TIME
        grains = [{"species": "small", "position": (0.96 * s * radius, 0.3 * s * radius), "velocity": (-s * speed, 0.0)} for s in (-1.0, 1.0)]
        grains.append({"species": "big", "position": (12.0, 0.0)})
        plane = {"dimension": 2, "gravity": (0.0, 0.0), "domain": {"lower": (-50.0, -50.0), "upper": (50.0, 50.0)}}
        engine, _ = engine_of(case_of(species, LAWS["viscoelastic"].contact, TIME / 100.0, grain=grains, **plane))
        engine.advance(250)
        g = grains_of(engine)
        return np.concatenate([g.v[:2, :2], g.w[:2, 2:3] * radius], axis=1) / speed

    assert met(1e-3) == pytest.approx(met(1.0), rel=0.0, abs=1e-6)


def test_the_books_see_the_energy_of_small_contacts() -> None:
    """The largest error of the energy within an elastic impact, which is that of the time step, is the same."""

    def worst(radius: float) -> float:
        engine, _ = engine_of(impact(Scaled({"law": "elastic", "contact_time": TIME}), radius)[0])
        engine.advance(1, observe=True)
        start, found = energy(engine), 0.0
        for _ in range(150):
            engine.advance(1, observe=True)
            found = max(found, abs(energy(engine) / start - 1.0))
        return found

    assert worst(1.0 / 300.0) == pytest.approx(worst(1.0), rel=0.0, abs=1e-6)


REFUSED = {"elastic, raw": 1e8, "hertz": 1e5}  # ratio of radii beyond what sums hold, of laws whose force grows less with the size


@pytest.mark.parametrize("gravity", [0.0, 1e-12, 9.81])
@pytest.mark.parametrize("name", LAWS)
def test_beyond_what_sums_hold_the_run_is_refused_with_the_grains_and_the_ratio(name: str, gravity: float) -> None:
    law, asked = LAWS[name], REFUSED.get(name, 1e4)

    def build(ratio: float) -> None:
        case = impact(law, 1.0 / ratio, gravity)[0]
        build_scene(case, *size_range(case))

    with pytest.raises(CaseError, match="choose sizes or stiffnesses that differ less") as error:
        build(asked)
    said = str(error.value)
    assert f"those of species 'small' (sphero-radius {1.0 / asked:g} m) must be resolved" in said
    if law.own is not None:  # the parameters of the pairs change with the sizes, so that no ratio follows
        return
    found = re.search(rf"species 'big' \(sphero-radius 1 m\) .* by a factor of ([\d.e+]+), not {re.escape(f'{asked:.4g}')};", said)
    assert found
    possible = float(found.group(1))
    assert 1000.0 < possible < asked
    build(possible)
    with pytest.raises(CaseError, match="choose sizes or stiffnesses that differ less"):
        build(1.02 * possible)


def test_size_factors_count_as_sizes() -> None:
    """The same balls as one species in two sizes: the same refusal, the same quanta."""
    ball = {"name": "ball", "shape": "sphere", "radius": 1.0, "density": DENSITY}
    for ratio in (100.0, 1e4):
        alone = case_of([ball], LAWS["elastic"].contact, 1e-4, grain=[{"species": "ball", "position": (0, 0, 0)}])
        two = impact(LAWS["elastic"], 1.0 / ratio)[0]
        if ratio > 1e3:
            with pytest.raises(CaseError, match=r"'ball' \(sphero-radius 1 m\).*'ball' \(sphero-radius 0\.0001 m\)"):
                build_scene(alone, {"ball": 1.0}, {"ball": 1.0 / ratio})
            continue
        found = build_scene(alone, {"ball": 1.0}, {"ball": 1.0 / ratio}).scene.settings
        known = build_scene(two, {"small": 1.0, "big": 1.0}, {"small": 1.0, "big": 1.0}).scene.settings
        assert (found.force, found.torque, found.energy, found.wide) == (known.force, known.torque, known.energy, True)


@pytest.mark.parametrize(("gravity", "share"), [(9.81, 1e-9), (1e-6, 1e-6), (1e-9, 1e-3)])
def test_the_weight_of_a_small_ball_is_borne(gravity: float, share: float) -> None:
    """At the overlap that balances it, to the resolution that is promised; weak gravity is not refused but noted."""
    law, ratio = LAWS["elastic"], 100.0
    radius = 1.0 / ratio
    case = impact(law, radius, gravity)[0]
    deep = gravity * (TIME / math.pi) ** 2
    small = {"species": "small", "position": (0.0, 0.0, radius - deep)}
    far = {"species": "big", "position": (12.0, 0.0, 20.0)}
    floor = FLOOR | {"material": "small"}
    resting = case_of([s.model_dump() for s in case.species], law.contact, 1e-4, gravity=(0, 0, -gravity), grain=[small, far], wall=[floor])
    engine, setup = engine_of(resting, overlaps=True)
    engine.evaluate()
    g, s = grains_of(engine), setup.scene.settings
    overlap = g.x[0, 3] - g.x[0, 2]
    force = (g.ft[0, 2] + g.ft[0, 10] * 2.0**40) * s.force
    assert force == pytest.approx(g.v[0, 3] * (math.pi / TIME) ** 2 * overlap, rel=share)
    noted = [w for w in setup.warnings if "weighs" in w]
    assert len(noted) == (1 if gravity < 1e-8 else 0)
    assert all("'small'" in w for w in noted)


@pytest.mark.parametrize("friction", [50.0, 1e6])
def test_large_friction_stays_in_range(friction: float) -> None:
    """Soft balls that meet obliquely and deeply stick as those with less friction do."""
    law = LAWS["viscoelastic"]

    def met(mu: float) -> np.ndarray:
        case, speed, _ = impact(law._replace(contact=law.contact | {"friction": mu}), 1.0, offset=1.0)
        for grain in case.grain:
            object.__setattr__(grain, "velocity", tuple(12.0 * v for v in grain.velocity))  # overlaps of a third of the radius
        engine, _ = engine_of(case)
        engine.advance(200)
        return grains_of(engine).v[:2, :2] / speed

    assert met(friction) == pytest.approx(met(5.0), rel=1e-6)
