"""A simulation from Python: what its observables know at the start, between rows and at the ends of stages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import FLOOR, SPHERE, case_of

from pardem.observables.collect import OF_CONTACTS
from pardem.simulation import Simulation

STIFFNESS, GRAVITY, DEPTH = 1e5, 10.0, 0.1
MASS = 1000.0 * 4.0 / 3.0 * math.pi * 0.5**3
ELASTIC = {"law": "elastic", "normal_stiffness": STIFFNESS, "friction": 0.0}


def pressed(step: float, **more: Any) -> Simulation:
    """A sphere that starts pressed into the floor."""
    grain = [{"species": "ball", "position": (0.0, 0.0, 0.5 - DEPTH)}]
    case = case_of([SPHERE], ELASTIC, step, grain=grain, wall=[FLOOR], gravity=(0.0, 0.0, -GRAVITY), **more)
    return Simulation(case, MPI.COMM_SELF)


def test_contacts_are_known_before_anything_moves() -> None:
    sim = pressed(1e-4)
    values = sim.observables()
    assert sim.steps_done == 0
    assert values["energy/elastic"] == pytest.approx(0.5 * STIFFNESS * DEPTH**2, rel=1e-9)
    assert values["contacts_per_grain"] == 1.0
    np.testing.assert_allclose(values["wall_force/floor"], [0.0, 0.0, -STIFFNESS * DEPTH], rtol=1e-9)
    assert values["energy/residual"] == 0.0
    np.testing.assert_array_equal(sim.engine.grains.x[:, :3], [[0.0, 0.0, 0.5 - DEPTH]])
    np.testing.assert_array_equal(sim.engine.grains.v[:, :3], 0.0)
    assert sim.engine.counters.steps == 0


def test_the_first_kick_has_the_first_force_and_the_books_count_from_it() -> None:
    """The sphere jumps off the floor: second order from the first step on, with the elastic energy it started with in the books."""
    residual = []
    for step in (2e-3, 1e-3):
        sim = pressed(step, stage=[{"name": "go", "kind": "run", "time": 0.14}])
        start = sim.observables()["energy/elastic"]
        sim.step(1, observe=True)
        first = sim.engine.grains.x[0, 2] - (0.5 - DEPTH)
        assert first == pytest.approx(0.5 * (STIFFNESS * DEPTH / MASS - GRAVITY) * step**2, rel=1e-9)
        largest = 0.0
        while sim.proceed:
            sim.step(1, observe=True)
            largest = max(largest, abs(sim.observables()["energy/residual"]))
        assert sim.observables()["energy/elastic"] < 0.5 * start
        residual.append(largest / start)
    assert residual[0] < 1e-3
    assert residual[1] < 0.3 * residual[0]


def test_what_contacts_give_is_unknown_between_observed_steps() -> None:
    sim = pressed(1e-4, stage=[{"name": "go", "kind": "run", "steps": 20}])
    names = sim.observables().keys()
    sim.step(5)
    values = sim.observables()
    assert values.keys() == names
    unknown = {name for name, value in values.items() if np.isnan(value).any()}
    assert unknown >= {name for name in names if name.startswith(OF_CONTACTS)}
    assert {"energy/elastic", "energy/residual", "contacts_per_grain", "wall_force/floor"} <= unknown
    assert values["energy/kinetic_translational"] > 0.0
    sim.step(100)  # the last step of a stage is observed
    assert sim.observables()["contacts_per_grain"] == 1.0
    assert abs(sim.observables()["energy/residual"]) < 1e-3 * 0.5 * STIFFNESS * DEPTH**2


def test_taps_of_the_step_that_ends_a_stage() -> None:
    stages = [
        {"name": "rest", "kind": "run", "steps": 10},
        {"name": "first", "kind": "vibrate", "wall": "floor", "taps": 2, "frequency": 100.0, "gamma": 1.5},
        {"name": "pause", "kind": "run", "steps": 10},
        {"name": "second", "kind": "vibrate", "wall": "floor", "taps": 2, "frequency": 50.0, "gamma": 1.5},
    ]
    sim = pressed(1e-4, stage=stages)
    rows = {0: 0.0, 10: 0.0, 60: 0.5, 160: 1.5, 210: 2.0, 215: 0.0, 220: 0.0, 320: 0.5, 420: 1.0, 620: 2.0}
    for step, taps in rows.items():
        sim.step(step - sim.steps_done)
        assert sim.observables()["taps"] == pytest.approx(taps, rel=1e-12), step
    assert not sim.proceed
