"""Torsional friction without damping is of second order in the step, sliding and from the birth of the contact on, and so are its energy books.

Grains land spinning and are held against an independent integration, in their velocities, their spins, and what they have lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from mpi4py import MPI
from reference_contact import Body, Plane
from reference_torsion import LevelCube, Modes, TwistedContact
from scenes import CUBE, FLOOR, ROD, case_of, engine_of, turned
from test_spring_order import EPS, RODS, STEPS, TC, UP, Grains, law_of, state_of, still

from pardem.case import Case
from pardem.simulation import Simulation

GAPS = (1e-5, 7e-5, 1.3e-4, 2.1e-4, 2.7e-4, 3.6e-4, 4.4e-4, 5.1e-4, 6.2e-4, 7.7e-4)  # m: births at other fractions of a step
TWISTED = RODS | {"torsional_friction": True}
APART: Modes = (0, 0)
STUCK: Modes = (1, 1)
TWISTS: Modes = (1, 2)  # the spring along the plane sticks, that of torsion slides
SLIDES: Modes = (2, 1)
SLIPS: Modes = (2, 2)
AMPLITUDE, FREQUENCY, RATE = 0.002, 80.0, 4.0  # m, Hz, rad/s
OMEGA = 2.0 * math.pi * FREQUENCY


def lying(about: float, rise: float = 0.0) -> tuple[float, ...]:
    """A rod along the direction at an angle about the vertical, its axis risen by another (rad)."""
    return turned((-math.sin(about), math.cos(about), 0.0), 0.5 * math.pi - rise)


def level_rod(spin: float) -> Callable[[float], Grains]:
    return lambda gap: [
        {"species": "rod", "position": (0, 0, 0.25 + gap), "orientation": lying(0.3), "velocity": (0, 0, -1.0), "angular_velocity": (0, 0, spin)}
    ]


def leaning_rod(gap: float) -> Grains:
    """Its tip touches first, on a zone that is shorter than the rod."""
    pose = {"position": (0, 0, 0.25 + gap + 0.5 * math.sin(0.01)), "orientation": lying(0.0, 0.01)}
    return [{"species": "rod", "velocity": (0, 0, -1.0), "angular_velocity": (0, 0, 3)} | pose]


def cube_on_its_face(gap: float) -> Grains:
    height = 0.4 + math.sqrt(0.1**2 - (0.4 * EPS) ** 2)  # where its regularised surface touches the floor
    return [{"species": "cube", "position": (0, 0, height + gap), "velocity": (0, 0, -1.0), "angular_velocity": (0, 0, 4.0)}]


def rods_side_by_side(velocity: Any, lower: Any, upper: Any, angle: float) -> Callable[[float], Grains]:
    """Two rods at an angle, one on the other, spinning against each other."""
    first = {"species": "rod", "position": (0, 0, 0), "orientation": lying(0.0), "angular_velocity": lower}
    second = {"species": "rod", "orientation": lying(angle), "velocity": velocity, "angular_velocity": upper}
    return lambda gap: [first, second | {"position": (0.02, 0.01, 0.5 + gap)}]


FLOORS: dict[str, tuple[dict[str, Any], Plane]] = {
    "rest": (FLOOR, Plane(still, still, UP, np.zeros(3), np.zeros(3))),
    "turning": (FLOOR | {"motion": {"kind": "rotation", "axis": (0, 0, 1), "rate": RATE}}, Plane(still, still, UP, RATE * UP, np.zeros(3))),
    "shaken": (
        FLOOR | {"motion": {"kind": "sinusoidal", "direction": (0, 0, 1), "amplitude": AMPLITUDE, "frequency": FREQUENCY}},
        Plane(lambda t: UP * AMPLITUDE * math.sin(OMEGA * t), lambda t: UP * AMPLITUDE * OMEGA * math.cos(OMEGA * t), UP, np.zeros(3), np.zeros(3)),
    ),
}  # fmt: skip


class Landing(NamedTuple):
    """A scene.

    Attributes:
        grains: how they start, by the gap between them or over the floor (m).
        friction: coefficient.
        duration: until when, in TC.
        floor: one of ``FLOORS``.
        modes: those on the way.
    """

    grains: Callable[[float], Grains]
    friction: float
    duration: float
    floor: str | None
    modes: list[Modes]


SLOW = ((-0.3, 0.2, -1.0), (0, 0, 5), (4, 0, -9))
FAST = ((0, 1.0, -1.0), (30, 2, 0), (-30, -2, -9))
SCENES = {
    "stuck": Landing(level_rod(2.0), 50.0, 0.8, "rest", [APART, STUCK]),
    "stuck, sliding": Landing(level_rod(3.0), 0.5, 0.8, "rest", [APART, STUCK, TWISTS]),
    "sliding": Landing(level_rod(8.0), 0.5, 0.8, "rest", [APART, TWISTS]),
    "stuck, sliding, parted": Landing(level_rod(3.0), 0.5, 1.3, "rest", [APART, STUCK, TWISTS, SLIPS, APART]),
    "dragged by a turning floor": Landing(level_rod(0.0), 0.5, 0.8, "turning", [APART, STUCK, TWISTS]),
    "stuck again on a shaken floor": Landing(level_rod(3.0), 0.5, 1.2, "shaken", [APART, STUCK, TWISTS, STUCK, TWISTS, SLIPS, APART]),
    "leaning rod": Landing(leaning_rod, 0.5, 0.6, "rest", [APART, STUCK, SLIDES, SLIPS, TWISTS, STUCK]),
    "cube on its face": Landing(cube_on_its_face, 0.5, 0.8, "rest", [APART, STUCK, TWISTS]),
    "rods": Landing(rods_side_by_side(*SLOW, 0.1), 50.0, 0.6, None, [APART, STUCK]),
    "rods, sliding": Landing(rods_side_by_side(*SLOW, 0.15), 0.1, 0.6, None, [APART, SLIDES, SLIPS, TWISTS, SLIPS]),
    "rods whose normal turns": Landing(rods_side_by_side(*FAST, 0.15), 50.0, 0.6, None, [APART, STUCK]),
    "rods whose normal turns, sliding": Landing(rods_side_by_side(*FAST, 0.15), 0.3, 0.6, None, [APART, SLIDES, SLIPS, TWISTS]),
}  # fmt: skip


def case(name: str, gap: float, steps: int) -> Case:
    scene = SCENES[name]
    grains = scene.grains(gap)
    stage = [{"name": "go", "kind": "run", "steps": 9999}]
    walls = [FLOORS[scene.floor][0]] if scene.floor else []
    species = [CUBE if grains[0]["species"] == "cube" else ROD]
    return case_of(species, TWISTED | {"friction": scene.friction}, TC / steps, grain=grains, wall=walls, stage=stage)


class Exact(NamedTuple):
    """What the reference finds: state at the end, modes on the way, energy lost and at the start (J), moments of the grains (kg m^2)."""

    state: np.ndarray
    modes: list[Modes]
    lost: float
    start: float
    moments: list[float]


@cache
def exact(name: str, gap: float) -> Exact:
    scene, (engine, _) = SCENES[name], engine_of(case(name, gap, STEPS[0]))
    g, cube = engine.grains, SCENES[name].grains is cube_on_its_face
    bodies = []
    for row in np.argsort(g.gid):
        across, _, along = (float(c) for c in engine.scene.shapes.inertia[g.species[row]])
        bodies.append(Body(float(g.v[row, 3]), float(g.x[row, 3]), (across, along), 0.4 if cube else 0.5, EPS))
    mass = bodies[0].mass / len(bodies)
    second = FLOORS[scene.floor][1] if scene.floor else bodies[1]
    contact = (LevelCube if cube else TwistedContact)(law_of(TWISTED | {"friction": scene.friction}, mass, 0.0), bodies[0], second)
    start = state_of(engine)
    end, modes = contact.follow(start, scene.duration * TC, TC)
    energy = contact.energy(0.0, np.concatenate([start, np.zeros(4)]))
    return Exact(end[:-4], modes, energy - contact.energy(scene.duration * TC, end), energy, [b.moments[0] for b in bodies])


def over_the_gaps(name: str, errors: Callable[[Exact, float, int], list[float]]) -> np.ndarray:
    """Root mean squares over the gaps of some errors, for each number of steps in TC."""
    every = [[errors(exact(name, gap), gap, steps) for steps in STEPS] for gap in GAPS]
    return np.sqrt(np.square(every).mean(axis=0)).T


@pytest.mark.parametrize("name", SCENES)
def test_velocities_and_spins_are_of_second_order(name: str) -> None:
    """Errors of velocities (m/s), and of spins times 0.5 m, root mean square over the gaps: three halvings of the step, 64 times less error."""

    def errors(known: Exact, gap: float, steps: int) -> list[float]:
        engine, _ = engine_of(case(name, gap, steps))
        engine.advance(round(SCENES[name].duration * steps))
        away = np.abs(state_of(engine) - known.state).reshape(-1, 4, 3)
        spins = [0.5 * a / m for a, m in zip(away[:, 3], known.moments, strict=True)]
        return [away[:, 1].max(), max(spin.max() for spin in spins), max(spin[2] for spin in spins)]

    found = over_the_gaps(name, errors)
    assert SCENES[name].modes in [exact(name, gap).modes for gap in GAPS], [exact(name, gap).modes for gap in GAPS]
    assert (found[:, 0] / found[:, -1]).min() > 35.0, found
    assert (found[:, 1] / found[:, -1]).min() > 10.0, found


@pytest.mark.parametrize("name", SCENES)
def test_the_energy_books_are_of_second_order(name: str) -> None:
    """The largest gap of the budget while the grains touch, and the error of what is booked as lost, less the work of the floor; over the energy."""

    def errors(known: Exact, gap: float, steps: int) -> list[float]:
        sim = Simulation(case(name, gap, steps), MPI.COMM_SELF)
        sim.observables()
        worst = 0.0
        for _ in range(8):
            sim.step(round(SCENES[name].duration * steps) // 8, observe=True)
            values = sim.observables()
            worst = max(worst, abs(values["energy/residual"]))
        lost = values["energy/lost_friction"] - values["energy/wall_work"]
        return [worst / known.start, (lost - known.lost) / known.start]

    found = over_the_gaps(name, errors)
    known = exact(name, GAPS[-1])
    assert abs(known.lost) > 0.005 * known.start
    assert (found[:, 0] / found[:, -1]).min() > 30.0, found
