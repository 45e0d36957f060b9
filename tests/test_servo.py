"""Servo walls: equilibrium, oscillation, damping, pressure, energy budget, loaded and driven plates, motions by stage, restart, ranks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import FLOOR, SPHERE, case_of, engine_of, fingerprint

from pardem.case import Case
from pardem.errors import BlowUpError, CaseError
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import write_checkpoint
from pardem.run_state import full_state, load_start
from pardem.simulation import Simulation

STIFF = 1e5  # N/m
SPRING = {"law": "elastic", "normal_stiffness": STIFF}
BALL = SPHERE | {"density": 10.0}
MASS = 10.0 * math.pi / 6.0  # of the ball (kg)


def lid(height: float, **motion: Any) -> dict[str, Any]:
    """A plane that faces down, pushed downwards."""
    servo = {"kind": "servo", "direction": (0, 0, -1)} | motion
    return {"name": "lid", "kind": "plane", "point": (0, 0, height), "normal": (0, 0, -1), "motion": servo}


def pressed(contact: dict[str, Any], step: float, lid: dict[str, Any], **more: Any) -> Case:
    """A ball between the floor and a lid that touches it."""
    ball = {"species": "ball", "position": (0.0, 0.0, 0.5)}
    return case_of([BALL], contact, step, **{"grain": [ball], "wall": [FLOOR, lid], "stage": [{"name": "go", "kind": "run", "time": 100.0}]} | more)


def force_on(values: dict[str, Any], wall: str) -> np.ndarray:
    return np.asarray(values[f"wall_force/{wall}"])


def test_a_weight_comes_to_rest_where_the_springs_bear_it() -> None:
    """The ball as two springs in a row under a plate of 500 N, and its own weight on the lower one."""
    load, g = 500.0, 9.81
    contact = {"law": "viscoelastic", "normal_stiffness": STIFF, "normal_damping": 300.0}
    case = pressed(contact, 2e-4, lid(1.0, force=load, mass=20.0, damping=500.0), gravity=(0.0, 0.0, -g))
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(20_000, observe=True)
    values = sim.observables()
    weight = MASS * g
    assert force_on(values, "lid")[2] == pytest.approx(load, rel=1e-9)
    assert force_on(values, "floor")[2] == pytest.approx(-load - weight, rel=1e-9)
    assert values["wall_displacement/lid"][2] == pytest.approx(-(2.0 * load + weight) / STIFF, rel=1e-9)
    assert abs(values["energy/residual"]) < 1e-3 * abs(values["energy/wall_work"])


def test_a_loaded_plate_oscillates_with_the_period_of_its_spring() -> None:
    """A heavy plate on a light ball: two springs in a row, about the equilibrium; the work of the plate is what the springs hold."""
    mass, load = 1e4, 200.0
    period = 2.0 * math.pi * math.sqrt((mass + 0.25 * MASS) / (0.5 * STIFF))
    step, place = 8e-4, []
    sim = Simulation(pressed(SPRING, step, lid(1.0, force=load, mass=mass)), MPI.COMM_SELF)
    for _ in range(round(2.2 * period / (10 * step))):
        sim.step(10, observe=True)
        values = sim.observables()
        place.append(-values["wall_displacement/lid"][2])
        assert abs(values["energy/residual"]) < 1e-6 * load * max(place)
    t = 10.0 * step * np.arange(1, len(place) + 1)
    mean = 2.0 * load / STIFF
    swing = np.polynomial.polynomial.polyfit(np.cos(2.0 * np.pi * t / period), np.array(place), 1)
    assert swing == pytest.approx([mean, -mean], rel=5e-3)  # the ball's own quick swing is the rest


def test_a_damped_plate_without_grains_falls_as_it_should() -> None:
    """Free flight of the plate: u = F/c (1 - exp(-c t/m)), to second order in the step."""
    force, mass, damping, seconds = 3.0, 2.0, 5.0, 0.5
    exact = -force / damping * (seconds - mass / damping * (1.0 - math.exp(-damping / mass * seconds)))
    errors = []
    for step in (1e-2, 5e-3):
        case = pressed(SPRING | {"normal_stiffness": 1e2}, step, lid(3.0, force=force, mass=mass, damping=damping))
        engine, _ = engine_of(case)
        engine.advance(round(seconds / step))
        engine.advance(0)
        errors.append(float(engine.scene.walls.pose[1, 2]) - exact)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_pressure_acts_on_the_span_between_walls() -> None:
    """The same plate under the pressure that makes the same force on a span of 4 m by 2.5 m moves alike to the bit; closing walls lower the force."""

    def wall(name: str, axis: int, place: float, inward: float) -> dict[str, Any]:
        point, normal = np.zeros(3), np.zeros(3)
        point[axis], normal[axis] = place, inward
        return {"name": name, "kind": "plane", "point": tuple(point), "normal": tuple(normal)}

    sides = [wall("left", 0, -2.0, 1.0), wall("right", 0, 2.0, -1.0), wall("front", 1, -1.0, 1.0), wall("back", 1, 1.5, -1.0)]
    servo = {"mass": 50.0, "damping": 20.0}
    span = [("left", "right"), ("front", "back")]
    places = []
    for load, right in (({"force": 100.0}, sides[1]), ({"pressure": 10.0, "span": span}, sides[1]),
                        ({"pressure": 10.0, "span": span}, sides[1] | {"motion": {"kind": "velocity", "velocity": (-0.5, 0, 0)}})):  # fmt: skip
        case = pressed(SPRING, 1e-3, lid(1.2, **load, **servo), wall=[FLOOR, lid(1.2, **load, **servo), sides[0], right, *sides[2:]])
        engine, _ = engine_of(case)
        engine.advance(300)
        places.append(float(engine.scene.walls.pose[1, 2]))
    assert places[0] == places[1]
    assert abs(places[2]) < abs(places[1])


def test_the_books_close_over_a_loaded_and_driven_plate() -> None:
    """A ball rolls and slides between the floor and a plate with a fixed load and a constant velocity across it."""
    contact = {"law": "viscoelastic", "normal_stiffness": STIFF, "normal_damping": 100.0, "tangential_stiffness": 0.3 * STIFF, "friction": 0.2}
    residuals = []
    for step in (4e-4, 1e-4):
        sim = Simulation(pressed(contact, step, lid(1.0, force=300.0, mass=30.0, velocity=(0.4, 0, 0))), MPI.COMM_SELF)
        sim.step(1, observe=True)
        sim.observables()
        sim.step(round(0.4 / step), observe=True)
        values = sim.observables()
        assert values["wall_displacement/lid"][0] == pytest.approx(0.4 * (sim.steps_done * step), rel=1e-12)
        assert values["energy/lost_friction"] > 0.0
        residuals.append(abs(values["energy/residual"]))
        assert residuals[-1] < 1e-2 * values["energy/wall_work"]
    assert residuals[1] < residuals[0] / 6.0


def test_a_weightless_plate_is_refused() -> None:
    with pytest.raises(CaseError, match=r"time.step = 0\.0005 s is too long: a contact between 'ball' and 'lid' lasts"):
        engine_of(pressed(SPRING, 5e-4, lid(1.0, force=1.0, mass=1e-3)))


def test_a_plate_that_runs_away_is_an_error() -> None:
    engine, _ = engine_of(pressed(SPRING, 5e-4, lid(30.0, force=1e7, mass=1.0)))
    with pytest.raises(BlowUpError, match=r"wall 'lid' moved by more than the smallest sphero-radius in one step"):
        engine.advance(1000)


def test_bad_servos_are_named() -> None:
    for motion, sentence in (
        ({"force": 1.0, "pressure": 2.0, "mass": 1.0}, r"wall\.lid\.motion.*exactly one of force, pressure"),
        ({"pressure": 2.0, "mass": 1.0}, r"wall\.lid\.motion.*exactly one of area, span"),
        ({"pressure": 2.0, "span": [("floor", "sky")], "mass": 1.0}, r"wall\.lid\.motion\.span = 'sky' is not a plane or disc"),
        ({"force": 1.0, "mass": 1.0, "velocity": (0, 0, 1)}, r"wall\.lid\.motion.*needs a velocity across its direction"),
    ):
        with pytest.raises(CaseError, match=sentence):
            pressed(SPRING, 1e-4, lid(1.0, **motion))
    with pytest.raises(CaseError, match=r"does not go with time\.integrator = 'gear4'"):
        pressed(SPRING, 1e-4, lid(1.0, force=1.0, mass=1.0), time={"step": 1e-4, "integrator": "gear4"})


# -- ranks and restart ------------------------------------------------------------------------------------------------------------------

CUT, END = 420, 900  # steps


def cell(finer: int = 1) -> Case:
    """Balls that are compressed by a servo, sheared by it, then held: a plate with three motions, and a drum's blade that turns below it."""
    walls = [
        FLOOR,
        {"name": "left", "kind": "plane", "point": (0, 0, 0), "normal": (0, 1, 0)},
        {"name": "right", "kind": "plane", "point": (0, 4, 0), "normal": (0, -1, 0), "motion": {
            "kind": "servo", "direction": (0, -1, 0), "pressure": 300.0, "span": [("floor", "lid"), ("front", "back")],
            "mass": 300.0, "damping": 900.0}},
        {"name": "front", "kind": "plane", "point": (0, 0, 0), "normal": (1, 0, 0)},
        {"name": "back", "kind": "plane", "point": (7, 0, 0), "normal": (-1, 0, 0), "stages": ["press", "shear"]},
        {"name": "fence", "kind": "plane", "point": (7.4, 0, 0), "normal": (-1, 0, 0)},
        {"name": "stirrer", "kind": "body", "species": "blade", "position": (3.5, 2, 1.2),
         "motion": {"kind": "rotation", "axis": (0, 1, 0), "center": (3.5, 2, 1.2), "rate": 4.0}},
        lid(5.0, force=4e3, mass=400.0, damping=2e3) | {"then": [
            {"kind": "servo", "direction": (0, 0, -1), "force": 6e3, "mass": 400.0, "damping": 2e3, "velocity": (0.5, 0, 0), "start": "shear"},
            {"kind": "fixed", "start": "hold"}]},
    ]  # fmt: skip
    blade = {"name": "blade", "shape": "spherocylinder", "length": 1.2, "radius": 0.2, "density": 1.0}
    contact = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.03, "friction": 0.4}
    return case_of(
        [SPHERE, blade], contact, 1e-3 / finer, seed=3, gravity=(0.0, 0.0, -9.81), wall=walls,
        domain={"lower": (-2, -2, -2), "upper": (9, 6, 9)},
        insert=[{"species": "ball", "count": 40, "size": {"kind": "uniform", "min": 0.7, "max": 1.0},
                 "region": {"kind": "box", "lower": (0, 0, 0), "upper": (7, 4, 5)}}],
        stage=[{"name": n, "kind": "run", "steps": 300 * finer} for n in ("press", "shear", "hold")],
    )  # fmt: skip


def part(comm: MPI.Comm, out: Path, step: int) -> Simulation:
    """Go on from the newest checkpoint beside ``out``, or from the case, up to a step, and write a checkpoint there."""
    start, warnings = load_start(comm, out, cell())
    assert not warnings
    simulation = Simulation(cell(), comm, start)
    simulation.step(step - simulation.steps_done)
    write_checkpoint(comm, parts_of(out), full_state(simulation))
    return simulation


@pytest.mark.mpi
@pytest.mark.ranks(2)
@pytest.mark.parametrize("cut", [CUT, 600])
def test_any_number_of_ranks_and_a_restart_give_the_same_bits(mpi_tmp_path: Path, cut: int) -> None:
    """A cut within a stage, and one where the plate's motion changes and a wall vanishes."""
    comm = MPI.COMM_WORLD
    whole = comm.bcast(fingerprint(part(MPI.COMM_SELF, mpi_tmp_path / "whole.h5", END).engine) if comm.rank == 0 else None)
    if comm.rank == 0:
        part(MPI.COMM_SELF, mpi_tmp_path / "out.h5", cut)
    comm.Barrier()
    assert fingerprint(part(comm, mpi_tmp_path / "out.h5", END).engine) == whole
    assert fingerprint(part(comm, mpi_tmp_path / "spread.h5", END).engine) == whole


def test_the_books_close_over_changes_of_motion_and_a_wall_that_vanishes() -> None:
    """The residual is of second order, but for the kinks where contacts begin and end."""
    worst, turnover = [0.0, 0.0], 0.0
    for k, finer in enumerate((1, 4)):
        sim = Simulation(cell(finer), MPI.COMM_SELF)
        sim.observables()
        while sim.proceed:
            sim.step(100 * finer, observe=True)
            values = sim.observables()
            worst[k], turnover = max(worst[k], abs(values["energy/residual"])), max(turnover, abs(values["energy/wall_work"]))
    assert worst[1] < worst[0] / 8.0
    assert worst[1] < 2.5e-3 * turnover
