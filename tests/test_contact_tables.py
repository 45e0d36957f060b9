"""What a case asks of a contact is what comes out, for grains that are not spheres: restitution, duration, pairs of materials, sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import CUBE, ELASTIC, FLOOR, ROD, SPHERE, case_of, engine_of, grains_of, turned

LYING = turned((0, 1, 0), 0.5 * math.pi)
SPEED = 0.5
TIME = 1e-3  # contact time (s)
STEPS = 400  # in it
VISCOELASTIC = {"law": "viscoelastic", "contact_time": TIME}
HERTZ = {"law": "hertz", "young": 1e8, "poisson": 0.3, "reference_speed": 1.0}
LAWS = {
    "viscoelastic": VISCOELASTIC,
    "viscoelastic, unclamped": VISCOELASTIC | {"clamped": False},
    "walton": {"law": "walton", "contact_time": TIME},
    "hertz": HERTZ,
    "hertz, unclamped": HERTZ | {"clamped": False},
}
TOUCHING = {"cube": {"position": (0, 0, 0.5)}, "rod": {"position": (0, 0, 0.25), "orientation": LYING}}
SPECIES = {"cube": CUBE, "rod": ROD, "ball": SPHERE}


def bounce(species: str, contact: dict[str, Any], step: float, **wall: Any) -> tuple[float, float]:
    """Speed after over speed before of a level grain that falls on a floor, and how long the force acted (s)."""
    grain = {"species": species, "velocity": (0, 0, -SPEED)} | TOUCHING[species]
    engine, _ = engine_of(case_of([SPECIES[species]], contact, step, grain=[grain], wall=[FLOOR | wall]))
    pushed = 0
    for _ in range(100 * STEPS):
        engine.advance(1)
        if engine.grains.ft[0, 2]:
            pushed += 1
        elif pushed:
            break
    assert pushed > 0
    return float(engine.grains.v[0, 2]) / SPEED, pushed * step


@pytest.mark.parametrize("e", [0.4, 0.8])
@pytest.mark.parametrize(
    ("law", "species"),
    [
        pytest.param(law, shape, marks=[pytest.mark.slow] * (law == "walton" or "hertz" in law))
        for law in LAWS
        for shape in ("rod", "cube")
    ],
)
def test_restitution_and_duration_of_a_level_impact(law: str, e: float, species: str) -> None:
    step = TIME / STEPS if "contact_time" in LAWS[law] else 5e-5
    got, lasted = bounce(species, LAWS[law] | {"restitution": e, "interaction": "minima"}, step)
    assert got == pytest.approx(e, rel=1e-2)
    if "contact_time" in LAWS[law]:
        assert lasted == pytest.approx(TIME, rel=1e-2)


@pytest.mark.parametrize("species", ["rod", "cube"])
def test_regularised_contacts_keep_to_the_restitution_asked_for(species: str) -> None:
    """A level face is as good as a point: the regularised distance changes by (1 - |x - y|/d) less than the true one, under a hundredth."""
    got, lasted = bounce(species, VISCOELASTIC | {"restitution": 0.5}, TIME / STEPS)
    assert got == pytest.approx(0.5, rel=2e-2)
    assert lasted == pytest.approx(TIME, rel=2e-2)


PAIRS = {("rod", "rod"): 0.3, ("rod", "ball"): 0.5, ("ball", "ball"): 0.7, ("rod", "steel"): 0.4, ("ball", "steel"): 0.9}


@pytest.mark.parametrize("pair", PAIRS)
def test_every_pair_of_materials_has_its_own_restitution(pair: tuple[str, str]) -> None:
    """Central collisions along z; the general restitution is none of them, and the order of the names in the case does not matter."""
    e = PAIRS[pair]
    contact = VISCOELASTIC | {"restitution": 0.95, "pair": [{"between": p[::-1], "restitution": v} for p, v in PAIRS.items()]}
    radius = {"rod": 0.25, "ball": 0.5}
    poses = {"rod": LYING, "ball": (1, 0, 0, 0)}
    a, b = pair
    grains = [{"species": a, "position": (0, 0, radius[a]), "orientation": poses[a], "velocity": (0, 0, -SPEED)}]
    if b != "steel":
        grains += [{"species": b, "position": (0, 0, -radius[b]), "orientation": poses[b]}]
    wall = FLOOR | {"material": "steel"} | ({} if b == "steel" else {"point": (0, 0, -10)})
    engine, _ = engine_of(case_of([ROD, SPHERE], contact, TIME / STEPS, grain=grains, wall=[wall]))
    engine.advance(2 * STEPS)
    v = grains_of(engine).v[:, 2]
    assert (v[0] - (v[1] if len(v) > 1 else 0.0)) / SPEED == pytest.approx(e, rel=1e-2)


@pytest.mark.parametrize("species", ["rod", "cube"])
@pytest.mark.parametrize("scale", [0.5, 0.8])
def test_mass_and_inertia_follow_the_size(species: str, scale: float) -> None:
    """Mass goes as s^3 and inertia as s^5: a free grain of another size turns the same way, with s^5 of the angular momentum."""
    w = (0.3, 0.4, 2.0)
    runs = []
    for s in (1.0, scale):
        grain = {"species": species, "position": (0, 0, 0), "angular_velocity": w, "scale": s}
        engine, setup = engine_of(case_of([SPECIES[species]], ELASTIC, 2e-3, grain=[grain]))
        assert engine.grains.v[0, 3] == pytest.approx(setup.catalogue.mass[0] * s**3, rel=1e-12)
        engine.advance(500)
        runs.append((engine.grains.q[0].copy(), engine.grains.am[0, :3].copy()))
    assert np.abs(runs[1][0] - runs[0][0]).max() < 1e-12
    assert runs[1][1] == pytest.approx(scale**5 * runs[0][1], rel=1e-12)


@pytest.mark.parametrize("size", [(1.0, 1.0), (0.5, 1.0), (1.0, 0.5)])
def test_an_eccentric_impact_turns_a_rod_of_any_size(size: tuple[float, float]) -> None:
    """A smooth elastic ball on a resting rod, at b from its centre: impulse 2 v / (1/M + 1/m + b^2/I) (mechanics of rigid bodies)."""
    s, t = size
    arm, time = 0.4 * s, 1e-5
    grains = [
        {"species": "rod", "position": (0, 0, 0), "orientation": LYING, "scale": s},
        {"species": "ball", "position": (arm, 0, 0.25 * s + 0.5 * t), "velocity": (0, 0, -SPEED), "scale": t},
    ]
    contact = ELASTIC | {"contact_time": time, "interaction": "minima"}
    engine, setup = engine_of(case_of([ROD, SPHERE], contact, time / STEPS, grain=grains))
    engine.advance(2 * STEPS)
    g = grains_of(engine)
    mass, ball = setup.catalogue.mass * np.array([s**3, t**3])
    inertia = setup.catalogue.inertia[0].max() * s**5
    impulse = 2.0 * SPEED / (1.0 / mass + 1.0 / ball + arm**2 / inertia)
    assert g.v[0, 2] == pytest.approx(-impulse / mass, rel=1e-3)
    assert g.v[1, 2] == pytest.approx(-SPEED + impulse / ball, rel=1e-3)
    assert g.w[0, 1] == pytest.approx(arm * impulse / inertia, rel=1e-3)
