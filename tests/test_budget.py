"""The energy budget of a shaken, dissipative bed of cubes closes, the better the smaller the step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from beds import SIZES, moved, shaken
from mpi4py import MPI
from scenes import CUBE, FLOOR, SPHERE, case_of

from pardem.compiled.fixedpoint import LIMB
from pardem.simulation import Simulation
from pardem.state.arrays import LOST_NORMAL, LOST_TANGENTIAL

LAWS: dict[str, dict[str, Any]] = {
    "viscoelastic": {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.4},
    "hertz": {"law": "hertz", "restitution": 0.5, "young": 1e8, "poisson": 0.3, "reference_speed": 1.0, "friction": 0.4},
}


def residual(contact: dict[str, Any], step: float, integrator: str = "verlet") -> float:
    """Largest gap of the budget in a second of shaking, over the energy lost by its end."""
    region = {"kind": "box", "lower": (0, 0, 0), "upper": (4, 4, 4)}
    steps = round(1.0 / step)
    motion = {"kind": "sinusoidal", "direction": (0.2, 0, 1), "gamma": 2.0, "frequency": 3.0}
    box = {"name": "box", "kind": "box", "lower": (0, 0, -2), "upper": (4, 4, 10)}
    case = case_of(
        [CUBE], contact, step, time={"step": step, "integrator": integrator}, gravity=(0.0, 0.0, -9.81), seed=1,
        domain={"lower": (-1, -1, -2), "upper": (5, 5, 12)},
        wall=[FLOOR | {"motion": motion}, box], insert=[{"species": "cube", "count": 8, "region": region}],
        stage=[{"name": "shake", "kind": "run", "steps": steps}],
    )  # fmt: skip
    simulation = Simulation(case, MPI.COMM_SELF)
    simulation.step(1, observe=True)
    simulation.observables()
    worst, values = 0.0, {}
    while simulation.proceed:
        simulation.step(steps // 50, observe=True)
        values = simulation.observables()
        worst = max(worst, abs(values["energy/residual"]))
    lost = values["energy/lost_damping"] + values["energy/lost_friction"]
    assert values["energy/lost_damping"] > 0.1 * lost
    assert values["energy/lost_friction"] > 0.01 * lost
    assert abs(values["energy/wall_work"]) > 0.01 * lost
    return float(worst / lost)


@pytest.mark.parametrize("law", ["viscoelastic", pytest.param("hertz", marks=pytest.mark.slow)])
def test_the_budget_closes_to_first_order(law: str) -> None:
    coarse, fine = (residual(LAWS[law], step) for step in (4e-4, 2.5e-5))
    assert coarse < 5e-3
    assert fine < coarse / 5.0  # a sixteenth of the step


@pytest.mark.parametrize("law", ["viscoelastic", pytest.param("hertz", marks=pytest.mark.slow)])
def test_with_gear_it_closes_better(law: str) -> None:
    """Powers at the step itself, summed by the trapezoidal rule: the errors left are those of the steps in which contacts begin and end.

    Leap-frog's budget, with springs of second order, is not far behind.
    """
    coarse, fine = (residual(LAWS[law], step, "gear4") for step in (4e-4, 2.5e-5))
    assert coarse < 1e-3
    assert fine < coarse / 10.0
    assert fine < residual(LAWS[law], 2.5e-5)


@pytest.mark.parametrize("in_columns", [False, True])
def test_walton_without_plastic_work_is_elastic(in_columns: bool) -> None:
    """With a restitution of 1, loading and unloading are alike: motion and energies are those of springs, and nothing is lost along the normal."""
    laws = ({"law": "elastic"}, {"law": "walton", "restitution": 1.0})
    springs, walton = (
        moved(shaken([SPHERE], 180, law | {"contact_time": 0.02, "friction": 0.3}, SIZES), MPI.COMM_SELF, steps=500, in_columns=in_columns)[1]
        for law in laws
    )
    np.testing.assert_allclose(walton.grains.x, springs.grains.x, rtol=1e-9)  # stiffnesses differ in their last bits
    assert springs.tally[LOST_NORMAL].tolist() == walton.tally[LOST_NORMAL].tolist() == [0, 0]
    assert springs.tally[LOST_TANGENTIAL].any()
    energies = (engine.tally @ [1.0, 2.0**LIMB] for engine in (walton, springs))
    np.testing.assert_allclose(*energies, rtol=1e-9)
