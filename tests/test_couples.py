"""Flat contacts of dissipative laws: cubes come to rest flat, spinning grains stop, blocks stick and slide as Coulomb says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import CUBE, ELASTIC, FLOOR, ROD, case_of, engine_of, turned

from pardem.engine import Engine
from pardem.setup.regularised_checks import rocking_overlap

GRAVITY = 9.81
VISCOELASTIC = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02}
WALTON = VISCOELASTIC | {"law": "walton"}
HERTZ = {"law": "hertz", "restitution": 0.5, "young": 1e8, "poisson": 0.3, "reference_speed": 1.0}
LAWS = {"viscoelastic": VISCOELASTIC, "walton": WALTON, "hertz": HERTZ}
# couples are computed in one place for all laws, and a kernel of polytopes takes a minute to compile
NAMES = ["viscoelastic", *(pytest.param(law, marks=pytest.mark.slow) for law in ("walton", "hertz"))]
STEP = 2e-4
LYING = turned((0, 1, 0), 0.5 * math.pi)
SECOND = round(1.0 / STEP)  # steps


def on_floor(species: dict[str, Any], contact: dict[str, Any], slope: float = 0.0, **grain: Any) -> Engine:
    """One grain on a floor that falls towards x by ``slope`` (rad)."""
    gravity = (GRAVITY * math.sin(slope), 0.0, -GRAVITY * math.cos(slope))
    return engine_of(case_of([species], contact, STEP, gravity=gravity, grain=[{"species": species["name"]} | grain], wall=[FLOOR]))[0]


def largest_tilt(engine: Engine, steps: int) -> float:
    """Largest angle between the vertical and the nearest normal of the cube's faces over some steps (rad)."""
    worst = 0.0
    for _ in range(steps // 50):
        engine.advance(50)
        a, b, c, d = engine.grains.q[0]
        level = max(abs(2 * (b * d - a * c)), abs(2 * (c * d + a * b)), abs(1 - 2 * (b * b + c * c)))  # the vertical in the body's frame
        worst = max(worst, math.acos(min(1.0, level)))
    return worst


@pytest.mark.parametrize("law", NAMES)
def test_the_rocking_damper_brings_a_tilted_cube_to_rest(law: str) -> None:
    """Without friction, so that nothing else damps: with it the tilt is gone in a second, without it the cube rocks on."""
    tilt = 0.02
    left = {}
    for damped in (True, False):
        contact = LAWS[law] | {"rocking_damping": damped}
        engine = on_floor(CUBE, contact, position=(0, 0, 0.5 + 0.4 * math.sin(tilt)), orientation=turned((0, 1, 0), tilt))
        engine.advance(SECOND)
        left[damped] = largest_tilt(engine, SECOND // 5)
    assert left[True] < 1e-3 * tilt
    assert left[False] > 100.0 * left[True]


def test_the_rocking_damper_brings_a_tilted_rod_to_rest() -> None:
    """A rod lying on the floor, tilted by less than the regularised point needs to reach its end."""
    tilt, most = 0.01, {}
    for damped in (True, False):
        contact = VISCOELASTIC | {"rocking_damping": damped}
        engine = on_floor(ROD, contact, position=(0, 0, 0.25 + 0.5 * math.sin(tilt)), orientation=turned((0, 1, 0), 0.5 * math.pi + tilt))
        engine.advance(SECOND)
        most[damped] = 0.0
        for _ in range(SECOND // 250):
            engine.advance(50)
            _, b, c, _ = engine.grains.q[0]
            most[damped] = max(most[damped], abs(1 - 2 * (b * b + c * c)))  # height of the axis' end over half its length
    assert most[True] < 1e-3 * tilt
    assert most[False] > 100.0 * most[True]


def test_a_cube_rocks_at_the_frequency_that_the_time_step_is_held_against() -> None:
    """Half a period of two cubes takes ten steps at the overlap that `rocking_overlap` gives; on a floor omega^2 is half of theirs."""
    tilt, eps, r = 1e-4, 0.03, CUBE["radius"]
    duration = ELASTIC["contact_time"]
    half_side = 0.5 * CUBE["side"]
    rest = half_side + math.sqrt((r - GRAVITY * (duration / math.pi) ** 2) ** 2 - (eps * half_side) ** 2)  # height under its weight
    engine = on_floor(CUBE, ELASTIC | {"eps": eps}, position=(0, 0, rest), orientation=turned((0, 1, 0), tilt))
    mass, inertia = float(engine.grains.v[0, 3]), float(engine.scene.shapes.inertia[0, 0])
    overlap = mass * GRAVITY / (0.5 * mass * (math.pi / duration) ** 2)
    engine.advance(1)
    crossings, before = [], tilt
    for step in range(4 * SECOND):
        engine.advance(1)
        now = float(engine.grains.q[0, 2])
        if before > 0.0 >= now or before < 0.0 <= now:
            crossings.append(step * STEP)
        before = now
    half = (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    steps = half / math.sqrt(2.0) / STEP * math.sqrt(overlap / rocking_overlap(STEP, duration, eps, inertia, mass, r))
    assert len(crossings) > 20
    assert steps == pytest.approx(10.0, rel=0.02)  # gravity tips the cube by a share of 0.5 eps^2/r of it


@pytest.mark.parametrize("species", [CUBE, ROD], ids=["cube", "rod"])
@pytest.mark.parametrize("law", NAMES)
def test_torsional_friction_stops_a_spinning_grain(law: str, species: dict[str, Any]) -> None:
    """At a rate no faster than its cap, (2/3) mu N times the half-length of the contact; without it the spin goes on."""
    mu, spin = 0.3, 2.0
    pose = {"position": (0, 0, 0.5)} if species is CUBE else {"position": (0, 0, 0.25), "orientation": LYING}
    for on in (True, False):
        engine = on_floor(species, LAWS[law] | {"friction": mu, "torsional_friction": on}, angular_velocity=(0, 0, spin), **pose)
        inertia = engine.grains.am[0, 2] / spin
        half = 0.5 * ROD["length"] if species is ROD else 0.5 * CUBE["side"] * math.sqrt(2.0)
        slowing = 2.0 / 3.0 * mu * GRAVITY * float(engine.grains.v[0, 3]) * half / inertia
        engine.advance(round(0.1 / STEP))
        early = engine.grains.w[0, 2]
        engine.advance(SECOND)
        if on:
            assert spin - early == pytest.approx(0.1 * slowing, rel=0.3)  # the load swings at first
            assert abs(engine.grains.w[0, 2]) < 1e-2 * spin
        else:
            assert engine.grains.w[0, 2] == pytest.approx(spin, rel=1e-9)


@pytest.mark.slow
def test_the_law_elastic_has_no_couples() -> None:
    contact = {"law": "elastic", "contact_time": ELASTIC["contact_time"], "friction": 0.3}
    engine = on_floor(ROD, contact, position=(0, 0, 0.25), orientation=LYING, angular_velocity=(0, 0, 2.0))
    engine.advance(SECOND)
    assert engine.grains.w[0, 2] == pytest.approx(2.0, rel=1e-9)


def test_without_a_damper_a_cube_rocks_on() -> None:
    tilt = 0.02
    engine = on_floor(CUBE, ELASTIC, position=(0, 0, 0.5 + 0.4 * math.sin(tilt)), orientation=turned((0, 1, 0), tilt))
    engine.advance(SECOND)
    assert largest_tilt(engine, SECOND // 5) > 0.1 * tilt


@pytest.mark.parametrize("law", NAMES[:2])
def test_a_cube_sticks_on_a_slope_below_the_angle_of_friction(law: str) -> None:
    engine = on_floor(CUBE, LAWS[law] | {"friction": 0.5}, math.radians(20.0), position=(0, 0, 0.5))
    engine.advance(2 * SECOND)
    start = engine.grains.x[0, 0]
    engine.advance(SECOND)
    free_fall = 0.5 * GRAVITY * math.sin(math.radians(20.0))  # m in a second
    assert abs(engine.grains.x[0, 0] - start) < 1e-6 * free_fall
    assert largest_tilt(engine, 50) < 2e-2


@pytest.mark.parametrize("law", NAMES[:2])
def test_a_cube_slides_down_a_steep_slope_as_coulomb_says(law: str) -> None:
    slope, mu = math.radians(20.0), 0.2
    engine = on_floor(CUBE, LAWS[law] | {"friction": mu}, slope, position=(0, 0, 0.5))
    engine.advance(SECOND)
    before = engine.grains.v[0, :3].copy()
    engine.advance(SECOND)
    gained = engine.grains.v[0, :3] - before
    # the normal impulse is what bears the weight and what changed the speed along the normal (walton's law lets it swing on)
    expected = GRAVITY * math.sin(slope) - mu * (GRAVITY * math.cos(slope) + gained[2])
    assert gained[0] == pytest.approx(expected, rel=1e-4)
    assert np.abs(engine.grains.w[0, :3]).max() < 1e-3 * gained[0] / CUBE["side"]
