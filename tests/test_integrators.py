"""Integrators: orders of convergence against analytic solutions, what stays exact, and energy over long runs."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scenes import CUBE, ELASTIC, FLOOR, ROD, SPHERE, case_of, energy, engine_of, gathered, grains_of
from scipy.integrate import solve_ivp
from scipy.special import ellipj

from pardem.engine import Engine
from pardem.errors import CaseError
from pardem.integrators.gear4 import correct_and_predict
from pardem.state.arrays import CONTACTS, WALL_CONTACTS

SCHEMES: dict[str, dict[str, str]] = {"splitting": {}, "fincham": {"rotation": "fincham"}, "gear4": {"integrator": "gear4"}}
GEAR = SCHEMES["gear4"]
BRICK = {"name": "brick", "shape": "polyhedron", "radius": 0.1, "density": 1000.0,
         "vertices": [(x, y, z) for x in (-1.0, 1.0) for y in (-0.6, 0.6) for z in (-0.3, 0.3)]}  # fmt: skip
SLOW = ELASTIC | {"contact_time": 1.0}


def alone(species: dict[str, Any], step: float, scheme: dict[str, str], w: tuple[float, ...], **grain: Any) -> tuple[Engine, np.ndarray]:
    """A free body with an angular velocity (rad/s), and its principal moments; with a skin that it seldom outruns."""
    body = {"species": species["name"], "position": (0, 0, 0), "angular_velocity": w} | grain
    engine, setup = engine_of(case_of([species], SLOW, step, time={"step": step} | scheme, grain=[body]), skin=5.0)
    return engine, setup.catalogue.inertia[0]


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion."""
    c, u = q[0], q[1:]
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return (c * c - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * c * cross


def orders(errors: list[float]) -> list[float]:
    """Exponents of the step between errors at steps halved each time."""
    return [math.log2(a / b) for a, b in pairwise(errors)]


# --- free rotation -------------------------------------------------------------------------------------------------------------------------


def top_error(name: str, step: float, duration: float) -> float:
    """Error of the body-frame angular momentum of a free asymmetric top, over its length (Landau and Lifshitz, Mechanics, section 37)."""
    w1, w3 = 0.4, 1.7
    engine, (i1, i2, i3) = alone(BRICK, step, SCHEMES[name], (w1, 0.0, w3))
    assert i1 < i2 < i3
    engine.advance(round(duration / step))
    g = engine.grains
    energy2, square = i1 * w1**2 + i3 * w3**2, (i1 * w1) ** 2 + (i3 * w3) ** 2  # twice the energy, the square of L
    above, below = energy2 * i3 - square, square - energy2 * i1
    rate, modulus = math.sqrt((i3 - i2) * below / (i1 * i2 * i3)), (i2 - i1) * above / ((i3 - i2) * below)
    sn, cn, dn, _ = ellipj(rate * duration, modulus)
    w = np.array([cn * math.sqrt(above / (i1 * (i3 - i1))), sn * math.sqrt(above / (i2 * (i3 - i2))), dn * math.sqrt(below / (i3 * (i3 - i1)))])
    body = matrix(g.q[0]).T @ g.am[0, :3]
    return float(np.linalg.norm(body - w * [i1, i2, i3]) / math.sqrt(square))


@pytest.mark.parametrize(("name", "order"), [("splitting", 2), ("fincham", 2), ("gear4", 4)])
def test_a_free_asymmetric_top_follows_the_elliptic_functions(name: str, order: int) -> None:
    errors = [top_error(name, step, 12.8) for step in (0.04, 0.02, 0.01)]
    assert errors[0] < 1e-2
    assert orders(errors) == pytest.approx([order] * 2, abs=0.3)


def test_splitting_is_the_more_exact_for_the_same_step() -> None:
    assert top_error("splitting", 0.02, 12.8) < 0.1 * top_error("fincham", 0.02, 12.8)


def test_splitting_keeps_the_energy_of_a_tumbling_top_within_bounds() -> None:
    """Over a hundred turns the error does not grow; that of Fincham's leap-frog does."""

    def spread(name: str) -> tuple[float, float]:
        engine, _ = alone(BRICK, 0.02, SCHEMES[name], (0.1, 2.0, 0.05))  # about the unstable axis
        start, worst = energy(engine), []
        for _ in range(2):
            errors = []
            for _ in range(100):
                engine.advance(80)
                errors.append(abs(energy(engine) / start - 1.0))
            worst.append(max(errors))
        return worst[0], worst[1]

    first, second = spread("splitting")
    assert second < 1.1 * first
    first, second = spread("fincham")
    assert second > 1.5 * first


@pytest.mark.parametrize(
    ("species", "name"),
    [pytest.param(s, name, marks=[pytest.mark.slow] * (s is ROD and name == "gear4")) for s in (ROD, CUBE, BRICK) for name in SCHEMES],
)
def test_a_free_body_keeps_its_angular_momentum_to_the_bit(name: str, species: dict[str, Any]) -> None:
    engine, _ = alone(species, 0.01, SCHEMES[name], (0.3, -1.0, 2.0), orientation=(0.5, 0.1, -0.7, 0.3))
    before = engine.grains.am[0].copy()
    engine.advance(200)
    assert np.array_equal(engine.grains.am[0], before)
    assert np.linalg.norm(engine.grains.q[0]) == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_turn_in_the_plane_stays_in_it(name: str) -> None:
    engine, _ = alone(BRICK, 0.02, SCHEMES[name], (0.0, 0.0, 2.0), orientation=(0.8, 0.0, 0.0, 0.6))
    start = 2.0 * math.atan2(0.6, 0.8)
    engine.advance(300)
    g = engine.grains
    assert not g.q[0, 1:3].any()
    assert not g.w[0, :2].any()
    angle = 2.0 * math.atan2(g.q[0, 3], g.q[0, 0]) - start - 300 * 0.02 * 2.0
    assert abs(math.remainder(angle, 2.0 * math.pi)) < (1e-12 if name != "fincham" else 300 * 0.04**3 / 24.0)


# --- Gear's scheme -------------------------------------------------------------------------------------------------------------------------


def nordsieck(values: np.ndarray, force: float, h: float) -> np.ndarray:
    """One step of the textbook form: scaled derivatives 0 to 4 of the position, ``force`` the acceleration found at the predicted place."""
    pascal = np.array([[math.comb(j, i) for j in range(5)] for i in range(5)], dtype=float)
    predicted = pascal @ values
    return np.asarray(predicted + np.array([19 / 90, 3 / 4, 1, 1 / 2, 1 / 12]) * (0.5 * h * h * force - predicted[2]))


def turning(step: float, steps: int, torque: Any, scheme: dict[str, str] = GEAR, warm: bool = True) -> tuple[Engine, np.ndarray]:
    """A brick under a prescribed torque (N m, world frame) as a function of time, by Gear's kernels alone; ``warm``: the past is given, too."""
    engine, inertia = alone(BRICK, step, scheme, (0.0, 0.0, 0.5))
    g, scene = engine.state.grains, engine.scene
    assert g is not None

    def counts(time: float) -> np.ndarray:
        return np.rint(np.asarray(torque(time)) / scene.settings.torque).astype(np.int64)

    g.ft[0, 4:7] = counts(0.0)
    for k in range(3):
        g.past[0, 6 * k + 3 : 6 * k + 6] = counts(-step * (k + 1)) if warm else counts(0.0)
    for n in range(steps):
        correct_and_predict(1, g, scene.shapes, scene.settings, False, True)
        g.ft[0, 4:7] = counts((n + 1) * step)
        correct_and_predict(1, g, scene.shapes, scene.settings, True, False)
    return engine, inertia


def test_in_a_plane_gear_is_the_scalar_scheme_of_the_textbooks() -> None:
    """The angle of a driven body is that of the five-value form with its derivatives, and nothing leaves the plane."""
    step, steps, size = 0.02, 200, 800.0
    engine, inertia = turning(step, steps, lambda t: (0.0, 0.0, size * math.cos(1.3 * t)), warm=False)
    values = np.array([0.0, step * 0.5, 0.5 * step**2 * size / inertia[2], 0.0, 0.0])
    for n in range(steps):
        values = nordsieck(values, size * math.cos(1.3 * (n + 1) * step) / inertia[2], step)
    g = engine.grains
    assert abs(values[0]) > 1.0
    assert 2.0 * math.atan2(g.q[0, 3], g.q[0, 0]) == pytest.approx(math.remainder(values[0], 2.0 * math.pi), rel=1e-12)
    assert g.am[0, 2] / inertia[2] == pytest.approx(values[1] / step, rel=1e-12)
    assert not g.q[0, 1:3].any()
    assert not g.am[0, :2].any()


def test_gear_turns_a_driven_body_in_space_to_fourth_order() -> None:
    def torque(t: float) -> tuple[float, float, float]:
        return 900.0 * math.cos(1.3 * t), 500.0 * math.sin(2.0 * t + 0.4), 300.0 * math.sin(t)

    duration = 3.2
    _, inertia = alone(BRICK, 0.1, GEAR, (0.0, 0.0, 0.5))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        w = (matrix(y[:4] / np.linalg.norm(y[:4])).T @ y[4:]) / inertia
        c, u = y[0], y[1:4]
        return np.concatenate([[-0.5 * (u @ w)], 0.5 * (c * w + np.cross(u, w)), torque(t)])

    exact = solve_ivp(rates, (0.0, duration), [1, 0, 0, 0, 0, 0, 0.5 * inertia[2]], rtol=1e-12, atol=1e-12).y[:, -1]
    errors = []
    for steps in (40, 80, 160):
        engine, _ = turning(duration / steps, steps, torque)
        q = engine.grains.q[0]
        errors.append(min(float(np.linalg.norm(q - exact[:4])), float(np.linalg.norm(q + exact[:4]))))
    assert errors[0] < 1e-3
    assert min(orders(errors)) > 3.7


def oscillation(scheme: dict[str, str], step: float, duration: float) -> float:
    """Error (of the amplitude) of a sphere that swings on an elastic floor without leaving it, its past given by the solution."""
    case = case_of([SPHERE, CUBE], ELASTIC, step, time={"step": step} | scheme, gravity=(0, 0, -10.0), wall=[FLOOR],
                   grain=[{"species": "ball", "position": (0, 0, 0.5)}])  # fmt: skip
    engine, _ = engine_of(case)
    g, quantum = engine.grains, engine.scene.settings.force
    mass = g.v[0, 3]
    g.x[0, 2] = 0.499
    engine.evaluate()
    rate = math.sqrt(g.ft[0, 2] * quantum / (0.5 - g.x[0, 2]) / mass)
    sag = 10.0 / rate**2
    amplitude = 0.5 * sag

    def place(t: float) -> float:
        return 0.5 - sag + amplitude * math.cos(rate * t + 0.3)

    g.x[0, 2], g.v[0, 2] = place(0.0), -amplitude * rate * math.sin(0.3)
    g.ft[:] = 0
    engine.evaluate()
    for k in range(3 if g.past.shape[1] else 0):
        g.past[0, 6 * k + 2] = round(mass * rate**2 * (0.5 - place(-(k + 1) * step)) / quantum)
    engine.advance(round(duration / step))
    return float(abs(engine.grains.x[0, 2] - place(duration)) / amplitude)


@pytest.mark.parametrize(("name", "order"), [("splitting", 2), ("gear4", 4)])
def test_order_on_a_spring(name: str, order: int) -> None:
    errors = [oscillation(SCHEMES[name], step, 0.0512) for step in (1.6e-3, 8e-4, 4e-4)]
    assert orders(errors) == pytest.approx([order] * 2, abs=0.4)


def oblique_rods(scheme: dict[str, str], step: float) -> tuple[float, np.ndarray, float]:
    """Two elastic rods that collide off centre: error of the energy after the collision, positions and axes, momentum along x."""
    grains = [
        {"species": "rod", "position": (-0.26, 0.0, 0.0), "velocity": (0.4, 0.05, 0.0), "orientation": (0.98, 0.2, 0.0, 0.0)},
        {"species": "rod", "position": (0.26, 0.1, 0.2), "velocity": (-0.4, 0.0, 0.02)},
    ]
    engine, _ = engine_of(case_of([ROD, CUBE], ELASTIC, step, grain=grains, time={"step": step} | scheme))
    start = energy(engine)
    engine.advance(round(0.0736 / step) // 2, observe=True)
    assert engine.tally[CONTACTS, 0] == 1
    engine.advance(round(0.0736 / step) // 2, observe=True)
    assert engine.tally[CONTACTS, 0] == 0
    g = grains_of(engine)
    return abs(energy(engine) / start - 1.0), np.concatenate([g.x, g.q]).ravel(), float(g.v[:, 3] @ g.v[:, 0])


def test_gear_meets_the_same_collision_as_verlet_and_loses_energy_only_to_the_step() -> None:
    _, exact, _ = oblique_rods({}, 1e-5)
    errors = [oblique_rods(GEAR, step) for step in (8e-4, 2e-4, 5e-5)]
    assert errors[0][0] < 3e-3
    assert errors[2][0] < errors[0][0] / 50.0  # a sixteenth of the step
    apart = [float(np.abs(state - exact).max()) for _, state, _ in errors]
    assert apart[2] < apart[0] / 50.0


def gas(species: dict[str, Any], scheme: dict[str, str], contact: dict[str, Any], count: int, *others: dict[str, Any]) -> Engine:
    """A dense periodic gas of ``count`` grains with random velocities; the case has other species, too."""
    case = case_of(
        [species, *others], contact, 1e-3, time={"step": 1e-3} | scheme, seed=3,
        domain={"lower": (0, 0, 0), "upper": (6, 6, 6), "periodic": (True,) * 3},
        insert=[{"species": species["name"], "count": count, "region": {"kind": "periodic"}}],
    )  # fmt: skip
    engine, _ = engine_of(case)
    engine.grains.v[:, :3] = np.random.default_rng(5).normal(size=(count, 3))
    engine.evaluate()
    return engine


def test_gear_keeps_the_momentum_of_a_closed_system_to_rounding() -> None:
    engine = gas(ROD, GEAR, {"law": "viscoelastic", "restitution": 0.7, "contact_time": 0.02, "friction": 0.4}, 110, CUBE)
    g = grains_of(engine)
    before, size = g.v[:, 3] @ g.v[:, :3], float(g.v[:, 3] @ np.abs(g.v[:, :3]).max(axis=1))
    most = 0
    for _ in range(30):
        engine.advance(20)
        g, contacts = gathered(engine)
        most = max(most, len(contacts.key))
        assert not g.ft[:, :3].sum(axis=0).any()
    assert most > 5
    assert np.abs(g.v[:, 3] @ g.v[:, :3] - before).max() < 1e-13 * size


@pytest.mark.parametrize(
    ("species", "scheme"),
    [(SPHERE, SCHEMES["fincham"]), (CUBE, SCHEMES["fincham"]), (CUBE, GEAR), pytest.param(SPHERE, GEAR, marks=pytest.mark.slow)],
)
def test_chunks_of_steps_never_show(species: dict[str, Any], scheme: dict[str, str]) -> None:
    """Ending a chunk and beginning the next are done in one pass, or in two: the same bits."""
    viscous = {"law": "viscoelastic", "restitution": 0.7, "contact_time": 0.02, "friction": 0.4}
    whole, cut = gas(species, scheme, viscous, 60), gas(species, scheme, viscous, 60)
    whole.advance(120)
    for _ in range(120):
        cut.advance(1)
    for one, two in zip(vars(grains_of(whole)).values(), vars(grains_of(cut)).values(), strict=True):
        assert np.array_equal(one, two)


def test_gear_sees_dampers_at_the_right_time() -> None:
    """A grain on a damped floor: the damper's velocity does not lag by half a step, as that of the leap-frog does, so its error is smaller by far."""

    def rebound(scheme: dict[str, str], step: float) -> float:
        contact = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "clamped": False}
        grain = [{"species": "ball", "position": (0, 0, 0.51), "velocity": (0, 0, -1.0)}]
        engine, _ = engine_of(case_of([SPHERE], contact, step, time={"step": step} | scheme, wall=[FLOOR], grain=grain))
        engine.advance(round(0.04 / step), observe=True)
        assert engine.tally[WALL_CONTACTS, 0] == 0
        return float(engine.grains.v[0, 2])

    lag, none = (abs(rebound(scheme, 5e-4) - 0.5) for scheme in ({}, GEAR))
    assert none < 0.2 * lag


def test_a_case_that_asks_gear_to_turn_by_another_scheme_is_refused() -> None:
    with pytest.raises(CaseError, match="rotates grains by its own scheme; leave it out"):
        case_of([SPHERE], ELASTIC, 1e-3, time={"step": 1e-3, "integrator": "gear4", "rotation": "fincham"}, grain=[])
