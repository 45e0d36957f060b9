"""Walls that vanish and appear, and motions that follow one another: the energy budget closes over each change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import FLOOR, SPHERE, case_of

from pardem.errors import CaseError
from pardem.simulation import Simulation

LAWS = {
    "elastic": {"law": "elastic", "normal_stiffness": 1e5},
    "damped": {
        "law": "viscoelastic", "normal_stiffness": 1e5, "normal_damping": 400.0, "tangential_stiffness": 3e4, "tangential_damping": 50.0,
        "friction": 0.5,
    },
    "hertz": {"law": "hertz", "young": 1e6, "poisson": 0.3, "reference_speed": 2.0, "restitution": 0.7, "friction": 0.3},
    "walton": {"law": "walton", "restitution": 0.6, "contact_time": 0.02, "friction": 0.3},
}  # fmt: skip
STAGES = [{"name": name, "kind": "run", "time": time} for name, time in (("fall", 0.06), ("change", 0.06))]
LIGHT = SPHERE | {"density": 20.0}


def residual(contact: dict[str, Any], step: float, wall: dict[str, Any], height: float) -> tuple[float, float]:
    """Residual of the budget from the end of the stage to 8 ms later, before a contact ends by itself, and the work of the wall in between."""
    ball = {"species": "ball", "position": (0.0, 0.0, height), "velocity": (0.5, 0.0, -1.0), "angular_velocity": (0.0, 2.0, 0.0)}
    sim = Simulation(case_of([LIGHT], contact, step, grain=[ball], wall=[wall], gravity=(0.0, 0.0, -10.0), stage=STAGES), MPI.COMM_SELF)
    sim.observables()
    sim.step(round(0.06 / step), observe=True)
    before = sim.observables()
    sim.step(round(0.008 / step), observe=True)
    after = sim.observables()
    return float(after["energy/residual"] - before["energy/residual"]), float(after["energy/wall_work"] - before["energy/wall_work"])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("change", ["vanishes", "appears"])
def test_a_wall_takes_along_what_its_contacts_hold_or_puts_it_in(law: str, change: str) -> None:
    """A ball pressed into the floor when that vanishes (it reaches it after 0.05 s), or in whose place the floor appears."""
    wall = FLOOR | {"stages": ["fall" if change == "vanishes" else "change"]}
    height = 0.555 if change == "vanishes" else 0.57
    found = [residual(LAWS[law], step, wall, height) for step in (4e-4, 1e-4)]
    assert found[1][1] * (1.0 if change == "appears" else -1.0) > 0.0
    errors = [abs(r) for r, _ in found]
    assert errors[0] < 5e-3 * abs(found[0][1])
    assert errors[1] < errors[0] / 6.0


@pytest.mark.parametrize("then", [
    {"kind": "velocity", "velocity": (0.0, 0.0, 0.5), "start": "change"},
    {"kind": "sinusoidal", "amplitude": 0.01, "frequency": 5.0, "start": "change"},
    {"kind": "fixed", "start": "change"},
    {"kind": "servo", "direction": (0, 0, 1), "force": 200.0, "mass": 30.0, "start": "change"},
], ids=lambda motion: motion["kind"])  # fmt: skip
def test_the_books_close_over_a_change_of_motion(then: dict[str, Any]) -> None:
    """The floor moves up from the start and changes its motion while a ball presses on it."""
    wall = FLOOR | {"motion": {"kind": "velocity", "velocity": (0.0, 0.0, 0.2)}, "then": [then]}
    errors = [abs(residual(LAWS["damped"], step, wall, 0.565)[0]) for step in (4e-4, 1e-4)]
    assert errors[1] < errors[0] / 6.0


def test_a_motion_takes_over_where_the_wall_is() -> None:
    up = {"kind": "velocity", "velocity": (0.0, 0.0, 0.2)}
    wall = FLOOR | {"motion": up, "then": [{"kind": "velocity", "velocity": (0.3, 0.0, 0.0), "start": "change"}]}
    case = case_of([LIGHT], LAWS["elastic"], 1e-3, grain=[{"species": "ball", "position": (0, 0, 5)}], wall=[wall], stage=STAGES)
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(1000, observe=True)
    np.testing.assert_allclose(sim.observables()["wall_displacement/floor"], [0.3 * 0.06, 0.0, 0.2 * 0.06], rtol=1e-12)


def test_motions_out_of_order_are_named() -> None:
    def build(*then: dict[str, Any]) -> None:
        wall = FLOOR | {"motion": {"kind": "rotation", "rate": 1.0}, "then": list(then)}
        case_of([LIGHT], LAWS["elastic"], 1e-3, grain=[{"species": "ball", "position": (0, 0, 5)}], wall=[wall], stage=STAGES)

    stop = {"kind": "fixed", "start": "change"}
    build(stop)
    with pytest.raises(CaseError, match=r"wall\.floor\.then\.1\.start = 'fall' must name a later stage"):
        build(stop, stop | {"start": "fall"})
    with pytest.raises(CaseError, match=r"wall\.floor\.then\.0\.start = 'chnge' is not a stage"):
        build(stop | {"start": "chnge"})
    with pytest.raises(CaseError, match=r"wall\.floor\.then\.0\.kind = 'velocity' cannot follow a rotation"):
        build({"kind": "velocity", "velocity": (1, 0, 0), "start": "change"})
    with pytest.raises(CaseError, match=r"wall\.floor\.then\.0\.start = 0\.0 must be the name of a stage"):
        build({"kind": "velocity", "velocity": (1, 0, 0)})
