"""Resistance to rolling and twisting: balls stop, stay and swing as their equations of motion say, and the energy budget closes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beds import VISCOUS, shaken
from mpi4py import MPI
from scenes import CUBE, FLOOR, ROD, SPHERE, case_of, engine_of, fingerprint, turned
from scipy.integrate import solve_ivp

from pardem.case import Case
from pardem.engine import Engine
from pardem.errors import CaseError
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import write_checkpoint
from pardem.run_state import full_state, load_start
from pardem.simulation import Simulation

G, R, BALL = 9.81, 0.5, 0.4
TC, STEP, MU, TWIST = 0.01, 2e-4, 0.1, 0.05
MASS = 4.0 / 3.0 * math.pi * R**3 * 1000.0
OVERLAP = G * (TC / math.pi) ** 2  # of an undamped ball that lies on the floor
ROUGH = {"law": "viscoelastic", "restitution": 0.5, "contact_time": TC, "friction": 0.8}
MODELS: dict[str, dict[str, Any]] = {
    name: {"resistance": name, "rolling_friction": MU, "twisting_friction": TWIST} for name in ("constant", "spring")
}


def lying(contact: dict[str, Any], slope: float = 0.0, step: float = STEP, **grain: Any) -> Engine:
    """A ball that lies on a floor that falls towards x by ``slope`` (rad); its forces are known."""
    gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
    height = R - OVERLAP * math.cos(slope) * (contact["contact_time"] / TC) ** 2
    if contact["restitution"] < 1.0:  # the clamped law: the stiffness that gives the contact time
        height = R - MASS * G * math.cos(slope) / float(stiffness(contact))
    ball = {"species": "ball", "position": (0.0, 0.0, height)} | grain
    engine, _ = engine_of(case_of([SPHERE], contact, step, gravity=gravity, grain=[ball], wall=[FLOOR]), overlaps=True)
    engine.evaluate()
    return engine


def stiffness(contact: dict[str, Any]) -> float:
    from pardem.laws.parameters import viscoelastic_clamped

    return MASS * viscoelastic_clamped(contact["restitution"], contact["contact_time"])[0]


def wait(engine: Engine, seconds: float) -> None:
    engine.advance(round(seconds / engine.scene.settings.dt))


@pytest.mark.parametrize("model", MODELS)
def test_a_rolling_ball_stops_after_the_distance_of_its_equation_of_motion(model: str) -> None:
    """m v' = -F and I w' = F R - mu R m g: v' = -mu g/(1 + I/(m R^2)) while it rolls without slip."""
    speed = 1.0
    slowing = MU * G / (1.0 + BALL)
    engine = lying(ROUGH | MODELS[model], velocity=(speed, 0, 0), angular_velocity=(0, speed / R, 0))
    wait(engine, 0.5)
    assert engine.grains.v[0, 0] == pytest.approx(speed - 0.5 * slowing, rel=2e-3)
    wait(engine, 1.5 * speed / slowing)
    assert engine.grains.x[0, 0] == pytest.approx(speed**2 / (2.0 * slowing), rel=3e-3)
    assert abs(engine.grains.v[0, 0]) < 1e-4 * speed
    assert abs(engine.grains.w[0, 1]) < 1e-4 * speed / R


def test_the_constant_torque_has_no_part_across_the_rolling_spin() -> None:
    """On a smooth floor a ball's rolling spin keeps its direction, however fast it spins about the normal, and falls by mu g/(0.4 R) a second."""
    slowing = MU * G / (BALL * R)
    engine = lying(ROUGH | MODELS["constant"] | {"friction": 0.0, "twisting_friction": 0.0}, angular_velocity=(1.2, 1.6, 300.0))
    wait(engine, 1.5 / slowing)
    spin = engine.grains.w[0, :3]
    assert math.hypot(spin[0], spin[1]) == pytest.approx(0.5, rel=1e-3)
    assert spin[1] == pytest.approx(spin[0] * 1.6 / 1.2, rel=1e-6)
    assert spin[2] == pytest.approx(300.0, rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_a_ball_that_spins_about_the_normal_stops_in_the_time_of_its_equation_of_motion(model: str) -> None:
    """I w' = -mu R m g."""
    spin = 3.0
    slowing = TWIST * G / (BALL * R)
    engine = lying(ROUGH | MODELS[model], angular_velocity=(0, 0, spin))
    wait(engine, 0.5 * spin / slowing)
    assert engine.grains.w[0, 2] == pytest.approx(0.5 * spin, rel=1e-3)
    wait(engine, 0.49 * spin / slowing)
    assert engine.grains.w[0, 2] == pytest.approx(0.01 * spin, rel=0.1)
    wait(engine, 0.1 * spin / slowing + 0.2)
    assert abs(engine.grains.w[0, 2]) < 1e-3 * spin


def test_a_constant_torque_stops_a_ball_without_reversing_it() -> None:
    """No chatter, with three contacts: every other step finds the spin smaller than before, and never against what it was."""
    walls = [{"name": axis, "kind": "plane", "point": (0, 0, 0), "normal": tuple(float(axis == a) for a in "xyz")} for axis in "xyz"]
    place = R - 1e-3
    ball = {"species": "ball", "position": (place,) * 3, "angular_velocity": (1.0, 2.0, -3.0)}
    smooth = ROUGH | MODELS["constant"] | {"friction": 0.0}
    engine, _ = engine_of(case_of([SPHERE], smooth, STEP, gravity=(-G, -G, -G), grain=[ball], wall=walls), overlaps=True)
    before = engine.grains.w[0, :3].copy()
    for _ in range(1500):
        engine.advance(2)
        now = engine.grains.w[0, :3].copy()
        assert now @ before >= 0.0
        assert now @ now <= before @ before
        before = now
    assert np.abs(before).max() < 1e-10


@pytest.mark.parametrize("model", MODELS)
def test_a_ball_rolls_down_slopes_that_are_steeper_than_the_coefficient(model: str) -> None:
    """Beyond it with the acceleration of the equation of motion; below it `spring` holds, and `constant` creeps, the less the shorter the step."""
    steep, gentle = math.atan(2.0 * MU), math.atan(0.5 * MU)
    engine = lying(ROUGH | MODELS[model], steep)
    wait(engine, 0.5)
    before = engine.grains.v[0, 0]
    wait(engine, 0.5)
    gained = G * (math.sin(steep) - MU * math.cos(steep)) / (1.0 + BALL) * 0.5
    assert engine.grains.v[0, 0] - before == pytest.approx(gained, rel=2e-3)
    creep = []
    for step in (STEP, 0.5 * STEP):
        engine = lying(ROUGH | MODELS[model], gentle, step)
        wait(engine, 1.5)
        creep.append(engine.grains.v[0, 0])
    if model == "spring":
        assert abs(creep[0]) < 1e-8
    else:
        assert creep[0] == pytest.approx(8.0 * STEP / BALL * G * math.sin(gentle), rel=1e-3)  # the torque is that of a damper, stop J w
        assert creep[1] == pytest.approx(0.5 * creep[0], rel=1e-3)


def swing(damping: float, choice: str, steps: int) -> np.ndarray:
    """Difference of velocity and spin to an integration of the equations of motion after two contact times, over the velocity at the start."""
    contact_time, mu, speed = 0.02, 0.5, 1e-3
    contact = {"law": "viscoelastic", "restitution": 1.0, "contact_time": contact_time, "friction": 0.8}
    contact |= {"resistance": "spring", "rolling_friction": mu, "rolling_damping": damping, "resistance_stiffness": choice}
    engine = lying(contact, step=contact_time / steps, velocity=(speed, 0, 0))
    kn = MASS * (math.pi / contact_time) ** 2
    kt, arm = 2.0 / 7.0 * kn, R - 0.5 * MASS * G / kn
    kr = 2.25 * kn * (mu * R) ** 2 if choice == "jiang" else kt * R * R
    dashpot = 2.0 * damping * math.sqrt(kr * (1.0 + BALL) * MASS * R * R)

    def rates(_: float, y: np.ndarray) -> list[float]:
        v, w, drag, moment = y
        return [drag / MASS, (moment - dashpot * w - arm * drag) / (BALL * MASS * R * R), -kt * (v - arm * w), -kr * w]

    engine.advance(2 * steps)
    exact = solve_ivp(rates, (0.0, 2.0 * contact_time), [speed, 0.0, 0.0, 0.0], method="DOP853", rtol=1e-11, atol=1e-14).y[:, -1]
    return np.array([engine.grains.v[0, 0] - exact[0], (engine.grains.w[0, 1] - exact[1]) * R]) / speed


@pytest.mark.parametrize("choice", ["jiang", "iwashita"])
def test_a_ball_swings_on_its_rolling_spring(choice: str) -> None:
    """Of second order without a dashpot; with one, which sees the spin of half a step before, of first."""
    for damping, fall in ((0.0, 3.5), (0.3, 1.8)):
        coarse, fine = (np.linalg.norm(swing(damping, choice, steps)) for steps in (100, 200))
        assert fine < 0.02
        assert coarse / fine > fall


SMOOTH = ROUGH | MODELS["constant"] | {"friction": 0.0, "rocking_damping": False}


def slowed(species: dict[str, Any], axis: int, **grain: Any) -> tuple[float, float]:
    """What a grain on a smooth floor has lost of its spin about an axis in a while, and the impulse of the floor on it over its inertia."""
    seconds = 0.2
    placed = [{"species": species["name"]} | grain]
    engine, _ = engine_of(case_of([ROD, CUBE], SMOOTH, STEP, gravity=(0.0, 0.0, -G), grain=placed, wall=[FLOOR]), overlaps=True)
    wait(engine, 0.4)
    spin, speed = engine.grains.w[0, axis], engine.grains.v[0, 2]
    wait(engine, seconds)
    impulse = engine.grains.v[0, 3] * (G * seconds + engine.grains.v[0, 2] - speed)
    return spin - engine.grains.w[0, axis], impulse / engine.scene.shapes.inertia[engine.grains.species[0], 2]


@pytest.mark.slow  # the kernel of polytopes with constant torques takes a minute to compile
def test_a_rod_that_rolls_about_its_axis_is_slowed_by_the_cap() -> None:
    pose = {"position": (0, 0, ROD["radius"] - 1e-4), "orientation": turned((0, 1, 0), 0.5 * math.pi)}
    lost, impulse = slowed(ROD, 0, angular_velocity=(5.0, 0, 0), **pose)
    assert lost == pytest.approx(MU * ROD["radius"] * impulse, rel=1e-6)


@pytest.mark.slow
def test_a_cube_that_spins_on_a_face_is_slowed_by_the_cap() -> None:
    lost, impulse = slowed(CUBE, 2, angular_velocity=(0, 0, 5.0), position=(0, 0, 0.5 - 1e-4))
    assert lost == pytest.approx(TWIST * CUBE["radius"] * impulse, rel=2e-3)


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_two_balls_does_not_matter(model: str) -> None:
    """Nor do they gain or lose angular momentum in a collision that rolls and twists."""
    first = {"species": "ball", "position": (0, 0, 0), "velocity": (0.3, 0.2, 0), "angular_velocity": (3, 4, -5)}
    second = {"species": "ball", "position": (1.0, 0.1, 0.05), "velocity": (-1.0, 0.3, 0.1), "angular_velocity": (-2, 6, 7)}
    found = []
    for grains in ([first, second], [second, first]):
        engine, _ = engine_of(case_of([SPHERE], ROUGH | MODELS[model], STEP, grain=grains))
        start = momentum(engine)
        wait(engine, 0.05)
        assert momentum(engine) == pytest.approx(start, rel=1e-9, abs=1e-9 * np.abs(start).max())
        found.append(np.concatenate([engine.grains.v[:, :3], engine.grains.w[:, :3]], axis=1)[np.argsort(engine.grains.gid)])
    assert found[1][::-1] == pytest.approx(found[0], rel=1e-9, abs=1e-9)


def momentum(engine: Engine) -> np.ndarray:
    """Angular momentum about the origin (kg m^2/s)."""
    g = engine.grains
    return (MASS * np.cross(g.x[:, :3], g.v[:, :3]) + BALL * MASS * R * R * g.w[:, :3]).sum(axis=0)


def bed(model: str, step: float, integrator: str = "verlet") -> Case:
    """A shaken bed of balls whose stage lasts a second."""
    case = shaken([SPHERE], 40, VISCOUS | MODELS[model] | {"rolling_friction": 0.4, "twisting_friction": 0.3}, step=step)
    stage = [{"name": "go", "kind": "run", "steps": round(1.0 / step)}]
    return Case(**case.model_dump(exclude_none=True) | {"stage": stage, "time": {"step": step, "integrator": integrator}})


def residual(case: Case) -> tuple[float, float]:
    """Largest gap of the energy budget, and what friction and resistance have turned into heat, over all that was lost."""
    simulation = Simulation(case, MPI.COMM_SELF)
    worst, values, steps = 0.0, {}, round(1.0 / case.time.step)
    while simulation.proceed:
        simulation.step(steps // 20, observe=True)
        values = simulation.observables()
        worst = max(worst, abs(values["energy/residual"]))
    lost = values["energy/lost_damping"] + values["energy/lost_friction"]
    return worst / lost, values["energy/lost_friction"] / lost


@pytest.mark.parametrize("model", MODELS)
def test_the_energy_budget_closes(model: str) -> None:
    (coarse, share), (fine, _) = residual(bed(model, 4e-4)), residual(bed(model, 5e-5))
    assert share > 0.05
    assert coarse < 5e-3
    assert fine < coarse / 3.0


@pytest.mark.parametrize("model", MODELS)
def test_a_ball_that_rolls_until_it_stops_turns_all_its_energy_into_heat(model: str) -> None:
    """The budget of a single torque, without the shocks of a bed: to second order while it rolls."""
    ball = {"species": "ball", "position": (0, 0, R - OVERLAP), "velocity": (1, 0, 0), "angular_velocity": (0, 1.0 / R, 4)}
    gaps = []
    for step in (STEP, 0.5 * STEP):
        stage = [{"name": "go", "kind": "run", "steps": 99999}]
        case = case_of([SPHERE], ROUGH | MODELS[model], step, gravity=(0.0, 0.0, -G), grain=[ball], wall=[FLOOR], stage=stage)
        simulation = Simulation(case, MPI.COMM_SELF)
        first = simulation.observables()
        start = first["energy/kinetic_translational"] + first["energy/kinetic_rotational"]
        simulation.step(round(2.0 / step), observe=True)
        last = simulation.observables()
        gaps.append(abs(last["energy/residual"]) / start)
        assert last["energy/lost_friction"] == pytest.approx(start, rel=1e-2)
    assert gaps[0] < 1e-4


def part(case: Case, out: Path, step: int) -> Simulation:
    """Go on from the newest checkpoint beside ``out``, or from the case, up to a step, and write a checkpoint there."""
    simulation = Simulation(case, MPI.COMM_SELF, load_start(MPI.COMM_SELF, out, case)[0])
    simulation.step(step - simulation.steps_done)
    write_checkpoint(MPI.COMM_SELF, parts_of(out), full_state(simulation))
    return simulation


def test_the_springs_pass_through_a_checkpoint(tmp_path: Path) -> None:
    case = bed("spring", 1e-3)
    whole = part(case, tmp_path / "whole.h5", 900)
    assert np.abs(whole.engine.owned_contacts().hist[:, 13:17]).max(axis=0).min() > 0.0
    part(case, tmp_path / "halves.h5", 600)
    assert fingerprint(part(case, tmp_path / "halves.h5", 900).engine) == fingerprint(whole.engine)


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ({"rolling_friction": 0.1}, "contact.rolling_friction = 0.1 is not used with contact.resistance = 'none'"),
        ({"resistance": "constant", "rolling_damping": 0.1}, "contact.rolling_damping = 0.1 is not used with contact.resistance = 'constant'"),
        ({"resistance": "spring", "rolling_friction": 1.5}, "contact.rolling_friction = 1.5 makes Jiang's spring too stiff"),
        ({"resistance": "spring", "pair": [{"between": ["ball", "floor"], "twisting_friction": 2.0}]}, "ball-floor.twisting_friction = 2.0"),
    ],
)
def test_what_does_not_go_together_is_refused(contact: dict[str, Any], message: str) -> None:
    ball = {"species": "ball", "position": (0, 0, 1)}
    with pytest.raises(CaseError) as caught:
        case_of([SPHERE], ROUGH | contact, STEP, grain=[ball], wall=[FLOOR])
    assert message in str(caught.value)
