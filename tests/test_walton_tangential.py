"""Walton's law along the tangent plane: hysteresis, restitution, order of the scheme, energy, sliding."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from reference_walton import ELASTIC, LOADING, SLACK, SLIDING, SLIDING_AND_LOADING, BallOnFloor
from scenes import FLOOR, SPHERE, case_of, engine_of

from pardem.errors import CaseError
from pardem.laws.law import tangential
from pardem.laws.quantities import NormalForce, Pull
from pardem.laws.tangential import damped_spring
from pardem.laws.walton_tangential import WaltonTangential
from pardem.simulation import Simulation

LAW: dict[str, Any] = {"law": "walton_tangential"}
K1, K2 = 2e3, 5e3  # N/m
TABLES = WaltonTangential(*(np.full((1, 1), value) for value in (1e4, 1e4, K1, K2, 0.5, 0.0, 0.0, 0.0)))
ZERO = (0.0, 0.0, 0.0)


def path(displacements: np.ndarray, limit: float = math.inf, ratio: float = K1 / K2) -> np.ndarray:
    """Tangential force along a path of displacements (n, 3), which begins without any (N)."""
    normal = NormalForce(1e3, K2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    spring, own, before, forces = ZERO, ZERO, np.zeros(3), []
    for place in displacements:
        more = tuple((K2 * (place - before)).tolist())
        _, spring, own = tangential(TABLES, (0.0, 0.0, K2, ratio, 0.0, 0.0), normal, Pull(spring, own, more, ZERO, limit, True))
        before = place
        forces.append(spring)
    return np.array(forces)


def along_x(*turning_points: float, steps: int = 400) -> np.ndarray:
    """Places on straight ways between turning points, from zero on."""
    ends = (0.0, *turning_points)
    ways = [np.linspace(a, b, steps + 1)[1:] for a, b in pairwise(ends)]
    return np.concatenate(ways)[:, None] * np.array([1.0, 0.0, 0.0])


def work(places: np.ndarray, forces: np.ndarray) -> float:
    """Integral of the force over the way (J), by the trapezoidal rule."""
    places, forces = np.vstack([np.zeros(3), places]), np.vstack([np.zeros(3), forces])
    return float((0.5 * (forces[1:] + forces[:-1]) * np.diff(places, axis=0)).sum())


def test_the_force_follows_the_branches_of_the_thesis() -> None:
    """Equation 2.14: k1 while loading, k2 from the turning points, none below zero, and a new start on the other side."""
    a = 1e-3
    end, slack = a * (1.0 - K1 / K2), 0.5 * a * (1.0 - K1 / K2)
    # load, unload half of the force, reload beyond the turning point, unload to slack, reload from there, cross over
    peak, half = 1.5 * a, a - 0.5 * K1 * a / K2
    places = along_x(a, half, peak, slack, slack + 1e-4, -a)
    at = dict(zip(np.round(places[399::400, 0], 12), path(places)[399::400, 0], strict=True))
    assert at[a] == pytest.approx(K1 * a)
    assert at[round(half, 12)] == pytest.approx(0.5 * K1 * a)
    assert at[peak] == pytest.approx(K1 * peak)
    assert at[slack] == 0.0
    assert at[round(slack + 1e-4, 12)] == pytest.approx(K2 * 1e-4)
    assert at[-a] == pytest.approx(-K1 * a)
    assert end > slack  # it did become slack


def test_a_cycle_takes_the_area_of_its_loops() -> None:
    """Two triangles of k1 (1 - k1/k2) a^2/2 from 0 over a and -a to 0; a small reversal within takes nothing."""
    a = 1e-3
    triangle = 0.5 * K1 * (1.0 - K1 / K2) * a**2
    for places, loops in ((along_x(a, 0.0), 1), (along_x(a, -a, 0.0), 2), (along_x(a, 0.9 * a, a, 0.0), 1)):
        assert work(places, path(places)) == pytest.approx(loops * triangle, rel=1e-2)
        fine = work(along_x(a, 0.0, steps=4000), path(along_x(a, 0.0, steps=4000)))
        assert fine == pytest.approx(triangle, rel=1e-3)


@pytest.mark.parametrize("limit", [math.inf, 1.3])
def test_equal_stiffnesses_make_the_linear_spring(limit: float) -> None:
    rng = np.random.default_rng(3)
    places = np.cumsum(rng.normal(size=(300, 3)) * (1e-4, 1e-4, 0.0), axis=0)
    normal, spring, before, linear = NormalForce(1e3, K2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ZERO, np.zeros(3), []
    for place in places:
        more = tuple((K2 * (place - before)).tolist())
        _, spring, _ = damped_spring(normal, Pull(spring, ZERO, more, ZERO, limit, True))
        linear.append(spring)
        before = place
    assert path(places, limit, 1.0) == pytest.approx(np.array(linear), rel=1e-9, abs=1e-12)


def test_sliding_keeps_the_limit_and_unloads_at_once() -> None:
    """The displacement is bounded (eq 2.9): after a long slide the force falls with k2 from the first step back."""
    limit = 1.0
    places = along_x(20.0 * limit / K1)
    back = places[-1] - along_x(0.5 * limit / K2)
    forces = path(np.vstack([places, back]), limit)[:, 0]
    assert forces[399] == pytest.approx(limit)
    assert forces.max() <= limit * (1.0 + 1e-12)
    assert forces[-1] == pytest.approx(0.5 * limit, rel=1e-9)


@pytest.mark.parametrize(("e", "et"), [(0.8, 0.5), (0.5, 0.8), (0.9, 1.0)])
def test_a_collision_that_sticks_has_the_restitutions_asked_for(e: float, et: float) -> None:
    """Equations 2.15 and 2.23, in a collision that is too short for the normal to turn."""
    tc, n, speed, shear = 1e-5, 400, 0.5, 0.3
    grains = [
        {"species": "ball", "position": (-sign * 0.5 * (1.0 + 1e-9), 0, 0), "velocity": (sign * 0.5 * speed, sign * 0.5 * shear, 0)}
        for sign in (1, -1)
    ]
    contact = LAW | {"restitution": e, "tangential_restitution": et, "contact_time": tc, "friction": 50.0}
    engine, _ = engine_of(case_of([SPHERE], contact, tc / n, grain=grains))
    engine.advance(round(1.2 * n))
    order = np.argsort(engine.grains.gid)
    v, w = engine.grains.v[order, :3], engine.grains.w[order, :3]
    assert (v[1, 0] - v[0, 0]) / speed == pytest.approx(e, rel=5e-3)
    slip = (v[1, 1] - 0.5 * w[1, 2]) - (v[0, 1] + 0.5 * w[0, 2])
    assert slip / shear == pytest.approx(et, rel=1e-2)


TC, STEPS, GAPS = 0.02, (80, 160, 320, 640), (1e-5, 1.3e-4, 2.7e-4, 5.1e-4, 7.7e-4)
# velocity, spin; tangential stiffnesses over the normal one; friction; until when (in TC); phases on the way
SCENES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float], float, float, float, float, set[int]]] = {
    "stuck": ((0.3, 0.1, -1.0), (0, 0, 0), 1.5, 4.0, 50.0, 0.9, {LOADING, ELASTIC, SLACK}),
    "stuck and spinning": ((0.3, 0.1, -1.0), (1, 4, 0), 1.5, 4.0, 50.0, 0.6, {LOADING, ELASTIC}),
    "sliding": ((1.0, 0.3, -1.0), (0.5, 2.0, 0), 1.5, 4.0, 0.1, 0.8, {SLIDING_AND_LOADING, SLIDING}),
    "sliding, then stuck": ((0.4, 0.1, -1.0), (0, -1.0, 0), 1.5, 3.0, 0.6, 0.9, {SLIDING_AND_LOADING, ELASTIC, SLACK}),
}  # fmt: skip


def raw(scene: str) -> tuple[dict[str, Any], float, float]:
    """Contact table, stiffness along the normal (N/m), mass (kg) of a ball on the floor."""
    _, _, k1, k2, friction, _, _ = SCENES[scene]
    mass = 1000.0 * 4.0 / 3.0 * math.pi * 0.5**3
    k = mass * (math.pi / TC) ** 2
    given = {"loading_stiffness": k, "unloading_stiffness": k, "friction": friction}
    return LAW | given | {"tangential_loading_stiffness": k1 * k, "tangential_unloading_stiffness": k2 * k}, k, mass


@pytest.mark.parametrize("scene", SCENES)
def test_the_error_is_of_second_order(scene: str) -> None:
    """By the slope over steps from 1/40 to 1/2560 of the contact time: single halvings differ, as turning points fall anywhere in a step."""
    velocity, spin, k1, k2, friction, duration, phases = SCENES[scene]
    contact, k, mass = raw(scene)
    steps_of, squares, ways = (40, 160, 640, 2560), np.zeros(4), set()
    for gap in GAPS:
        touch = gap / -velocity[2]
        reference = BallOnFloor(mass, 0.5, 0.4 * mass * 0.25, k, k1 * k, k2 * k, friction)
        start = np.array([0.5, velocity[2], *velocity[:2], *spin[:2], 0.0, 0.0])
        exact, seen = reference.run(start, duration * TC - touch)
        ways |= set(seen)
        for row, steps in enumerate(steps_of):
            grain = {"species": "ball", "position": (0.0, 0.0, 0.5 + gap), "velocity": velocity, "angular_velocity": spin}
            engine, _ = engine_of(case_of([SPHERE], contact, TC / steps, grain=[grain], wall=[FLOOR]))
            engine.advance(round(duration * steps))
            g = engine.grains
            away = [g.v[0, 2] - exact[1], *(g.v[0, :2] - exact[2:4]), *(0.5 * (g.w[0, :2] - exact[4:6]))]
            squares[row] += float(np.abs(away).max()) ** 2
    found = np.sqrt(squares / len(GAPS))
    assert phases <= ways
    assert np.polyfit(np.log(steps_of), np.log(found), 1)[0] < -1.7, found
    assert found[0] / found[-1] > 500.0  # a 64th of the step


@pytest.mark.parametrize("scene", SCENES)
def test_the_energy_books_are_of_second_order(scene: str) -> None:
    """Largest gap of the budget over the kinetic energy at the start, while the ball touches; what the hysteresis takes is booked as friction."""
    velocity, spin, _, _, _, duration, _ = SCENES[scene]
    contact, _, _ = raw(scene)
    squares = np.zeros(len(STEPS))
    for gap in GAPS:
        for row, steps in enumerate(STEPS):
            grain = {"species": "ball", "position": (0.0, 0.0, 0.5 + gap), "velocity": velocity, "angular_velocity": spin}
            stage = [{"name": "go", "kind": "run", "steps": 9999}]
            sim = Simulation(case_of([SPHERE], contact, TC / steps, grain=[grain], wall=[FLOOR], stage=stage), MPI.COMM_SELF)
            start, worst = sim.observables(), 0.0
            for _ in range(8):
                sim.step(round(duration * steps) // 8, observe=True)
                values = sim.observables()
                worst = max(worst, abs(values["energy/residual"]))
            assert values["energy/lost_friction"] > 0.0
            squares[row] += (worst / (start["energy/kinetic_translational"] + start["energy/kinetic_rotational"])) ** 2
    found = np.sqrt(squares / len(GAPS))
    assert found[0] / found[-1] > 30.0, found


def test_what_is_missing_or_contradicts_itself_is_said() -> None:
    normal = LAW | {"loading_stiffness": 1e4, "unloading_stiffness": 2e4}

    def said(contact: dict[str, Any]) -> str:
        with pytest.raises(CaseError) as error:
            case_of([SPHERE], contact, 1e-4, grain=[{"species": "ball", "position": (0, 0, 0)}])
        return str(error.value)

    assert "contact.tangential_loading_stiffness is missing: friction = 0.5" in said(normal | {"friction": 0.5})
    assert "contact.tangential_loading_stiffness is missing" in said(normal | {"tangential_unloading_stiffness": 1e4})
    wrong = {"tangential_loading_stiffness": 2e4, "tangential_unloading_stiffness": 1e4}
    assert "contact.tangential_unloading_stiffness = 10000.0 must be at least tangential_loading_stiffness" in said(normal | wrong)
    wrong = {"loading_stiffness": 3.0, "unloading_stiffness": 2.0}
    assert "contact.unloading_stiffness = 2.0 must be at least loading_stiffness" in said(LAW | wrong)
    assert "contact.tangential_stiffness is not used by law = 'walton_tangential'" in said(normal | {"tangential_stiffness": 1.0})
