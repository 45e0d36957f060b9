"""Experiments of papers 000 to 002 in small: grains in the plane that bounce without loss under superposition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scenes import booked, case_of, engine_of, grains_of, kinetic

from pardem.engine import Engine
from pardem.state.arrays import CONTACTS, STORED

COW = {"name": "cow", "shape": "cow", "radius": 0.1, "length": 3.0, "density": 1.0}
RICE = {"name": "rice", "shape": "rice", "radius": 0.37, "length": 0.75, "density": 1.0}
DISK = {"name": "disk", "shape": "disk", "radius": 0.56, "density": 1.0}
HILLS = {"name": "hills", "shape": "planar_polyline", "radius": 0.1, "density": 1.0, "vertices": [(-6, 1), (-2, 0), (1, 0.3), (6, 2)]}
STIFF = {"law": "viscoelastic", "normal_stiffness": 1e4, "interaction": "superposition"}
PLANE: dict[str, Any] = {"dimension": 2, "gravity": (0.0, 0.0), "domain": {"lower": (-50, -50), "upper": (50, 50)}}
MEETING = [
    {"species": "cow", "position": (-2.0, 0.0), "velocity": (1.0, 0.0), "orientation": 0.3},
    {"species": "cow", "position": (2.0, 0.4), "velocity": (-1.0, 0.2), "orientation": 2.0},
]


def collision(step: float) -> tuple[float, float, np.ndarray]:
    """Two cows meet: largest change of energy over the energy, most contacts in a step, and largest sum of forces (counts, x and y)."""
    engine, _ = engine_of(case_of([COW], STIFF, step, grain=MEETING, **PLANE))
    start, worst, most, force = float(kinetic(engine, grains_of(engine)).sum()), 0.0, 0.0, np.zeros(2, np.int64)
    every = round(8e-4 / step)  # both runs are looked at at the same times
    for _ in range(round(2.0 / step) // every):
        engine.advance(every, observe=True)
        now = float(kinetic(engine, engine.grains).sum()) + booked(engine.tally[STORED]) * engine.scene.settings.energy
        worst, most = max(worst, abs(now / start - 1.0)), max(most, booked(engine.tally[CONTACTS]))
        force = np.maximum(force, np.abs(engine.grains.ft[:, :2].sum(axis=0)))
    return worst, most, force


def test_two_cows_collide_without_loss() -> None:
    """The forces on both cancel to the count; the error of the energy falls as the square of the step."""
    coarse, touching, force = collision(8e-4)
    fine, _, _ = collision(1e-4)
    assert touching > 1
    assert not force.any()
    assert coarse < 1e-3
    assert fine < coarse / 30.0


@pytest.mark.parametrize("integrator", ["verlet", pytest.param("gear4", marks=pytest.mark.slow)])
def test_a_cow_bounces_on_a_landscape(integrator: str) -> None:
    """The energy comes back after bounces; the hills turn the cow without friction."""

    def error(step: float) -> float:
        case = case_of(
            [COW, HILLS], STIFF, step, **PLANE | {"gravity": (0.0, -10.0)}, time={"step": step, "integrator": integrator},
            grain=[{"species": "cow", "position": (0.0, 3.0)}], wall=[{"name": "hills", "kind": "body", "species": "hills"}],
        )  # fmt: skip
        engine, _ = engine_of(case)
        g, worst, spin = 10.0, 0.0, 0.0
        start = 3.0 * g * engine.grains.v[0, 3]
        for _ in range(60):
            engine.advance(round(0.02 / step), observe=True)
            height = engine.grains.v[0, 3] * g * engine.grains.x[0, 1]
            now = float(kinetic(engine, engine.grains).sum()) + height + booked(engine.tally[STORED]) * engine.scene.settings.energy
            worst, spin = max(worst, abs(now / start - 1.0)), max(spin, abs(engine.grains.w[0, 2]))
        assert spin > 0.1
        return worst

    coarse, fine = error(8e-4), error(1e-4)
    assert coarse < 5e-3
    assert fine < coarse / 10.0


PENTAGON = {"name": "pentagon", "shape": "regular_polygon", "sides": 5, "circumradius": 0.6, "radius": 0.15, "density": 1.0}
SMOOTH = {"law": "viscoelastic", "normal_stiffness": 1e4, "interaction": "regularised"}
ENCOUNTERS = {
    # the second grain comes from the right; turns of both; how far off centre
    "rice side by side": (RICE, RICE, 0.5 * np.pi, 0.5 * np.pi - 0.02, 0.1),
    "rice on a disk": (DISK, RICE, 0.0, 0.9, 0.3),
    "pentagons side on side": (PENTAGON, PENTAGON, np.pi / 5.0, 0.01, 0.2),
    "pentagon on rice": (RICE, PENTAGON, 0.4, 0.7, -0.2),
}


@pytest.mark.parametrize("name", ENCOUNTERS)
def test_regularised_contacts_in_the_plane_keep_energy_to_second_order(name: str) -> None:
    """Disks, segments and convex polygons meet smoothly, also where sides are parallel: the error falls as the square of the step."""
    first, second, turn, other, offset = ENCOUNTERS[name]
    grains = [
        {"species": first["name"], "position": (-0.9, 0.0), "velocity": (1.0, 0.0), "orientation": turn},
        {"species": second["name"], "position": (0.9, offset), "velocity": (-1.0, 0.0), "orientation": other},
    ]
    species = [first] if first is second else [first, second]

    def error(step: float) -> float:
        engine, _ = engine_of(case_of(species, SMOOTH, step, grain=grains, **PLANE))
        start, worst, touched = float(kinetic(engine, grains_of(engine)).sum()), 0.0, 0
        every = round(8e-4 / step)
        for _ in range(round(1.0 / step) // every):
            engine.advance(every, observe=True)
            now = float(kinetic(engine, engine.grains).sum()) + booked(engine.tally[STORED]) * engine.scene.settings.energy
            worst, touched = max(worst, abs(now / start - 1.0)), touched + booked(engine.tally[CONTACTS])
        assert touched > 10
        assert not engine.tally[CONTACTS, 0]
        assert abs(engine.grains.w[:, 2]).max() > 0.01
        return worst

    coarse, fine = error(8e-4), error(2.5e-5)
    assert coarse < 1e-2
    assert fine < coarse / 500.0


def gas(species: dict[str, Any], seconds: float) -> Engine:
    """A gas of 100 grains in a box, each with the speed 1 at the start and no spin, after some time."""
    turn = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, 100)
    grains = [
        {"species": species["name"], "position": (2.3 * (k % 10 + 0.5), 2.3 * (k // 10 + 0.5)), "velocity": (float(np.cos(a)), float(np.sin(a)))}
        for k, a in enumerate(turn)
    ]
    box = {"name": "box", "kind": "box", "lower": (0, 0), "upper": (23, 23)}
    engine, _ = engine_of(case_of([species], STIFF | {"normal_stiffness": 2.5e3}, 5e-4, grain=grains, wall=[box], **PLANE))
    start = float(kinetic(engine, engine.grains).sum())
    engine.advance(round(seconds / 5e-4) - 1)
    engine.advance(1, observe=True)
    total = float(kinetic(engine, engine.grains).sum()) + booked(engine.tally[STORED]) * engine.scene.settings.energy
    assert total == pytest.approx(start, rel=1e-3)
    return engine


def test_disks_never_spin() -> None:
    engine = gas(DISK, 20.0)
    speeds = np.hypot(*engine.grains.v[:, :2].T)
    assert np.ptp(speeds) > 1.0  # they have met
    assert not engine.grains.w.any()
    assert not engine.grains.am.any()


def test_rice_shares_its_energy_with_spin() -> None:
    """A third of the energy is in rotation, as far as a hundred grains tell: each of their three terms holds the same (standard deviation 0.04)."""
    engine = gas(RICE, 40.0)
    g = engine.grains
    total, moving = float(kinetic(engine, g).sum()), float(0.5 * (g.v[:, 3] * (g.v[:, :2] ** 2).sum(axis=1)).sum())
    assert 1.0 - moving / total == pytest.approx(1.0 / 3.0, abs=4.0 * 0.04)
