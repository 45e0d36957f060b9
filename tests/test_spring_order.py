"""Contacts without damping are of second order in the step, friction and energy budget included: held against an independent integration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from reference_contact import Body, Contact, Law, Plane
from scenes import CUBE, FLOOR, ROD, SPHERE, case_of, engine_of, turned

from pardem.engine import Engine
from pardem.simulation import Simulation

TC = 0.02
EPS = 0.03
GAPS = (1e-5, 1.3e-4, 2.7e-4, 5.1e-4, 7.7e-4)  # m: births at other fractions of a step
STEPS = (40, 80, 160, 320)  # in the duration of a contact
ELASTIC: dict[str, Any] = {"law": "elastic", "contact_time": TC}
RODS: dict[str, Any] = {  # the same force as that of the law elastic, by the kernel of other tests
    "law": "viscoelastic", "restitution": 1.0, "tangential_restitution": 1.0, "contact_time": TC, "rocking_damping": False,
    "torsional_friction": False, "interaction": "regularised", "eps": EPS,
}  # fmt: skip
HERTZ = {
    "law": "hertz", "young": 1e7, "poisson": 0.3, "reference_speed": 1.0, "restitution": 1.0, "tangential_restitution": 1.0
}  # fmt: skip
SMALL = SPHERE | {"name": "small", "radius": 0.3}
UP = np.array([0.0, 0.0, 1.0])
Vector = tuple[float, float, float]
Grains = list[dict[str, Any]]


def two_balls(velocity: Vector, spin: Vector = (0, 0, 0), spin_small: Vector = (0, 0, 0)) -> Callable[[float], Grains]:
    """A small ball that meets one at rest."""
    along = np.array([1.0, 0.2, 0.1]) / np.linalg.norm([1.0, 0.2, 0.1])
    away = {"species": "small", "velocity": tuple(-c for c in velocity), "angular_velocity": spin_small}
    rest = {"species": "ball", "position": (0.0, 0.0, 0.0), "angular_velocity": spin}
    return lambda gap: [rest, away | {"position": tuple(((0.8 + gap) * along).tolist())}]


def ball_on_floor(gap: float) -> Grains:
    return [{"species": "ball", "position": (0.3, 0.1, 0.5 + gap), "velocity": (0.5, 0.2, -1.0), "angular_velocity": (3, 9, 4)}]


def two_rods(gap: float) -> Grains:
    """Crossed, spinning against each other about the normal and along their axes, so that the contact point wanders."""
    lower = {"orientation": turned((0, 1, 0), 0.5 * math.pi), "angular_velocity": (0, 0, 5), "position": (0, 0, 0)}
    upper = {"orientation": turned((1, 0.1, 0), 0.45 * math.pi), "angular_velocity": (4, 0, -9), "position": (0.1, 0.05, 0.5 + gap)}
    return [{"species": "rod"} | lower, {"species": "rod", "velocity": (-0.3, -0.2, -1.0)} | upper]


def rod_on_floor(gap: float) -> Grains:
    tilt = 0.05
    pose = {"position": (0, 0, 0.25 + gap + 0.5 * math.sin(tilt)), "orientation": turned((0, 1, 0), 0.5 * math.pi - tilt)}
    return [{"species": "rod", "velocity": (0.5, 0.3, -1.0), "angular_velocity": (2, 1, 30)} | pose]


def still(_: float) -> np.ndarray:
    return np.zeros(3)


AMPLITUDE, OMEGA, SHAKEN = 0.01, 30.0 * math.pi, np.array([0.6, 0.0, 0.8])
FLOORS: dict[str, tuple[dict[str, Any], Plane]] = {
    "rest": (FLOOR, Plane(still, still, UP, np.zeros(3), np.zeros(3))),
    "shaken": (
        FLOOR | {"motion": {"kind": "sinusoidal", "direction": tuple(SHAKEN), "amplitude": AMPLITUDE, "frequency": OMEGA / (2 * math.pi)}},
        Plane(lambda t: SHAKEN * AMPLITUDE * math.sin(OMEGA * t), lambda t: SHAKEN * AMPLITUDE * OMEGA * math.cos(OMEGA * t), UP, still(0), still(0)),
    ),
    "turning": (FLOOR | {"motion": {"kind": "rotation", "axis": (0, 0, 1), "rate": 40.0}}, Plane(still, still, UP, 40.0 * UP, np.zeros(3))),
}  # fmt: skip
# how the grains start, what the law is, until when (in TC), on which floor, the modes on the way (0 apart, 1 stuck, 2 sliding)
SCENES: dict[str, tuple[Callable[[float], Grains], dict[str, Any], float, str | None, list[int]]] = {
    "stuck": (two_balls((1, 0.3, 0)), ELASTIC | {"friction": 50.0}, 0.6, None, [0, 1]),
    "sliding": (two_balls((1, 0.5, 0.3), (3, 4, 5), (-2, 3, 0)), ELASTIC | {"friction": 0.3}, 0.6, None, [0, 2]),
    "twisted, parted": (two_balls((1, 0.3, 0.1), (90, 5, 0), (30, 3, 0)), ELASTIC | {"friction": 0.5}, 1.6, None, [0, 2, 0]),
    "stuck, sliding, parted": (two_balls((1, 1, 0.2), (0, 4, 2)), ELASTIC | {"friction": 0.8}, 1.6, None, [0, 1, 2, 0]),
    "twist": (two_balls((1, 0.3, 0.1), (90, 0, 0), (30, 0, 0)), ELASTIC | {"friction": 50.0}, 0.6, None, [0, 1]),
    "fast spins in the plane": (two_balls((1, 0.3, 0.1), (0, 10, 30), (0, -30, 40)), ELASTIC | {"friction": 50.0}, 0.6, None, [0, 1]),
    "hertz": (two_balls((1, 0.3, 0)), HERTZ | {"friction": 50.0}, 1.0, None, [0, 1]),
    "hertz, sliding": (two_balls((1, 0.5, 0.3), (3, 4, 5), (-2, 3, 0)), HERTZ | {"friction": 0.2}, 1.5, None, [0, 2]),
    "floor": (ball_on_floor, ELASTIC | {"friction": 50.0}, 0.8, "rest", [0, 1]),
    "floor, sliding": (ball_on_floor, ELASTIC | {"friction": 0.3}, 0.8, "rest", [0, 2]),
    "shaken floor": (ball_on_floor, ELASTIC | {"friction": 0.8}, 0.8, "shaken", [0, 1, 2]),
    "turning floor": (ball_on_floor, ELASTIC | {"friction": 50.0}, 0.8, "turning", [0, 1]),
    "rods": (two_rods, RODS | {"friction": 50.0}, 0.6, None, [0, 1]),
    "rods, sliding": (two_rods, RODS | {"friction": 0.1}, 0.6, None, [0, 2]),
    "rod on a floor": (rod_on_floor, RODS | {"friction": 50.0}, 0.6, "rest", [0, 1]),
}  # fmt: skip


def body_of(engine: Engine, row: int) -> Body:
    g, shapes = engine.grains, engine.scene.shapes
    across, _, along = (float(c) for c in shapes.inertia[g.species[row]])
    half = 0.0 if shapes.kind[g.species[row]] == 1 else 0.5 * ROD["length"]
    return Body(float(g.v[row, 3]), float(g.x[row, 3]), (across, along), half, EPS if half else 0.0)


def state_of(engine: Engine) -> np.ndarray:
    """Centre, velocity, unit axis and angular momentum of each grain, as the reference has them."""
    g, shapes, parts = engine.grains, engine.scene.shapes, []
    for row in np.argsort(g.gid):
        w, x, y, z = g.q[row]
        axis, momentum = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]), g.am[row, :3]
        if shapes.kind[g.species[row]] == 1:
            axis, momentum = np.zeros(3), g.w[row, :3] * shapes.inertia[g.species[row], 0]
        parts += [g.x[row, :3], g.v[row, :3], axis, momentum]
    return np.concatenate(parts)


def law_of(contact: dict[str, Any], mass: float, radius: float) -> Law:
    if contact["law"] == "hertz":
        e_star = contact["young"] / (2.0 * (1.0 - contact["poisson"] ** 2))
        g_star = contact["young"] / (4.0 * (1.0 + contact["poisson"]) * (2.0 - contact["poisson"]))
        root = math.sqrt(radius)
        return Law(lambda d: 4 / 3 * e_star * root * max(d, 0.0) ** 1.5, lambda d: 8 * g_star * root * math.sqrt(max(d, 0.0)), contact["friction"])
    k = mass * (math.pi / TC) ** 2
    return Law(lambda d: k * d, lambda d: 2 / 7 * k, contact["friction"])


def errors(scene: str) -> np.ndarray:
    """Errors of velocities and of spins times 0.5 m (m/s), root mean square over the gaps, for each length of step."""
    grains, contact, duration, floor, modes = SCENES[scene]
    squares, ways = np.zeros(len(STEPS)), []
    for gap in GAPS:
        reference = None
        for row, steps in enumerate(STEPS):
            walls = [] if floor is None else [FLOORS[floor][0]]
            given = grains(gap)
            species = [s for s in (SPHERE, SMALL, ROD) if any(g["species"] == s["name"] for g in given)]
            engine, _ = engine_of(case_of(species, contact, TC / steps, grain=given, wall=walls))
            order = np.argsort(engine.grains.gid)
            first = body_of(engine, order[0])
            second: Body | Plane = body_of(engine, order[1]) if floor is None else FLOORS[floor][1]
            if reference is None:
                mass, radius = first.mass, first.radius
                if isinstance(second, Body):
                    mass, radius = mass * second.mass / (mass + second.mass), radius * second.radius / (radius + second.radius)
                reference, seen = Contact(law_of(contact, mass, radius), first, second).run(state_of(engine), duration * TC, TC)
                ways.append(seen)
            engine.advance(round(duration * steps))
            away = np.abs(state_of(engine) - reference[:-3]).reshape(-1, 4, 3)
            moments = [b.moments[0] for b in (first, second) if isinstance(b, Body)]
            squares[row] += max(away[:, 1].max(), *(0.5 * a.max() / m for a, m in zip(away[:, 3], moments, strict=True))) ** 2
    assert modes in ways
    return np.asarray(np.sqrt(squares / len(GAPS)))


@pytest.mark.parametrize("scene", SCENES)
def test_the_error_is_of_second_order(scene: str) -> None:
    """Three halvings of the step: 64 times less error, and each of them more than a first-order rule would give."""
    found = errors(scene)
    assert found[0] / found[-1] > 35.0, found
    assert (found[:-1] / found[1:]).min() > 2.2, found


@pytest.mark.parametrize("steps", [25, 100])
def test_a_lying_rod_swings_on_its_torsional_spring(steps: int) -> None:
    """w(t) = w(0) cos(t sqrt(k_t l^2 / 2 I)): the spring begins with the contact, not a step before."""
    law = {"law": "viscoelastic", "restitution": 1.0, "tangential_restitution": 1.0, "contact_time": TC, "friction": 50.0, "rocking_damping": False}
    found = []
    for n in (steps, 2 * steps):
        overlap, spin = 9.81 * (TC / math.pi) ** 2, 2.0
        lying = turned((0, 1, 0), 0.5 * math.pi)
        rod = {"species": "rod", "position": (0, 0, 0.25 - overlap), "orientation": lying, "angular_velocity": (0, 0, spin)}
        case = case_of([ROD], law | {"torsional_friction": True}, TC / n, gravity=(0.0, 0.0, -9.81), grain=[rod], wall=[FLOOR])
        engine, _ = engine_of(case, overlaps=True)
        mass, inertia = float(engine.grains.v[0, 3]), float(engine.scene.shapes.inertia[0, 0])
        omega = math.sqrt(2 / 7 * mass * (math.pi / TC) ** 2 * 0.5 * (0.5 * ROD["length"]) ** 2 / inertia)
        engine.evaluate()  # the contact is there from the start
        engine.advance(2 * n)
        found.append(abs(engine.grains.w[0, 2] / spin - math.cos(omega * 2 * TC)))
    assert found[0] < 30.0 / steps**2
    assert found[0] / found[1] == pytest.approx(4.0, rel=0.1)


def test_torsion_is_cut_at_the_force_that_acts() -> None:
    """With this eps the normal force is a tenth above its part along the normal, which alone carries the weight."""
    mu, spin, step, eps = 0.3, 20.0, 2e-4, 0.1
    law = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": mu, "eps": eps}
    cube = {"species": "cube", "position": (0, 0, 0.5), "angular_velocity": (0, 0, spin)}
    engine, _ = engine_of(case_of([CUBE], law, step, gravity=(0.0, 0.0, -9.81), grain=[cube], wall=[FLOOR]))
    engine.advance(round(0.3 / step))
    before = float(engine.grains.w[0, 2])
    engine.advance(round(0.3 / step))
    half = 0.5 * CUBE["side"] * math.sqrt(2.0)
    slowing = 2.0 / 3.0 * mu * 9.81 * float(engine.grains.v[0, 3]) * half / float(engine.scene.shapes.inertia[0, 0])
    assert (before - float(engine.grains.w[0, 2])) / 0.3 == pytest.approx(slowing, rel=0.01)


@pytest.mark.parametrize("scene", ["stuck", "sliding", "twist", "hertz, sliding", "shaken floor", "rods", "rods, sliding"])
def test_the_energy_books_are_of_second_order(scene: str) -> None:
    """Largest gap of the budget over the kinetic energy at the start, while the grains touch."""
    grains, contact, duration, floor, _ = SCENES[scene]
    squares = np.zeros(len(STEPS))
    for gap in GAPS:
        given = grains(gap)
        species = [s for s in (SPHERE, SMALL, ROD) if any(g["species"] == s["name"] for g in given)]
        for row, steps in enumerate(STEPS):
            stage = [{"name": "go", "kind": "run", "steps": 9999}]
            sim = Simulation(
                case_of(species, contact, TC / steps, grain=given, wall=[] if floor is None else [FLOORS[floor][0]], stage=stage), MPI.COMM_SELF
            )
            start = sim.observables()
            worst = 0.0
            for _ in range(8):
                sim.step(round(duration * steps) // 8, observe=True)
                worst = max(worst, abs(sim.observables()["energy/residual"]))
            squares[row] += (worst / (start["energy/kinetic_translational"] + start["energy/kinetic_rotational"])) ** 2
    found = np.sqrt(squares / len(GAPS))
    assert found[0] / found[-1] > 30.0, found
