"""A simulation from Python: what its observables know at the start, between rows and at the ends of stages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import FLOOR, SPHERE, case_of

from pardem.errors import BlowUpError, CaseError
from pardem.observables.registry import quantity_of
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
    """The sphere jumps off the floor: second order from the first step on, with the elastic energy it started with in the budget."""
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
    assert unknown >= {name for name in names if quantity_of(name).of_contacts}
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
    stage_of = dict(zip(rows, (0, 0, 1, 1, 1, 2, 2, 3, 3, 3), strict=True))
    for step, taps in rows.items():
        sim.step(step - sim.steps_done)
        assert sim.observables()["taps"] == pytest.approx(taps, rel=1e-12), step
        assert sim.observables()["stage"] == stage_of[step], step
    assert not sim.proceed


def test_a_floor_that_vanishes_lets_go_and_one_that_appears_bears() -> None:
    """A ball rests, falls freely for a while, and lands on another floor, which was not in its way before."""
    stages = [{"name": name, "kind": "run", "time": 0.5} for name in ("rest", "fall", "land")]
    lower = FLOOR | {"name": "lower", "point": (0, 0, -2.0)}
    walls = [FLOOR | {"stages": ["rest"]}, lower | {"stages": ["fall", "land"]}, lower | {"name": "ghost", "point": (0, 0, 0.3), "stages": ["land"]}]
    start = 0.5 - MASS * GRAVITY / 1e7
    grain = [{"species": "ball", "position": (0.0, 0.0, start)}]
    contact = {"law": "viscoelastic", "normal_stiffness": 1e7, "normal_damping": 2e4}
    case = case_of([SPHERE], contact, 1e-4, grain=grain, wall=walls, gravity=(0.0, 0.0, -GRAVITY), stage=stages)
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(5000)
    assert sim.engine.grains.x[0, 2] == pytest.approx(start, rel=1e-6)
    sim.step(4000)
    late = 0.4 - 0.5e-4  # the floor's last force acts for half a step more
    assert sim.engine.grains.x[0, 2] == pytest.approx(start - 0.5 * GRAVITY * late**2, rel=1e-6)
    with pytest.raises(BlowUpError, match="grain 0 and wall 'ghost' overlap"):
        sim.step(2000)


def test_walls_of_unknown_stages_are_refused() -> None:
    with pytest.raises(CaseError, match=r"wall\.floor\.stages = 'gone' is not a stage of this case"):
        case_of([SPHERE], ELASTIC, 1e-4, grain=[{"species": "ball", "position": (0, 0, 1)}], wall=[FLOOR | {"stages": ["gone"]}])
