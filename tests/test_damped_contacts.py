"""Collisions with dampers and friction under `walton`, `hertz` and a law of the user, against an independent integration and closed forms."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from reference_damped import STICK, Balls, Numbers
from scenes import SPHERE, case_of, engine_of
from scipy.integrate import solve_ivp

from pardem.case import Case
from pardem.simulation import Simulation

EXAMPLES = Path(__file__).parent.parent / "jobs" / "examples"
RADIUS = 0.5
MASS = 4.0 / 3.0 * math.pi * RADIUS**3 * 1000.0
HALF = 0.5 * MASS  # effective mass of two equal balls (kg)
TC = 0.01
GAPS = (1e-5, 6.3e-5, 1.27e-4)  # m: births at other fractions of a step
E, ET = 0.7, 0.5
USER = (4e6, 0.02, 2e3)  # k (N/m), s (m), c (N s/m) of the law of the examples
YOUNG, POISSON = 2e8, 0.3


def linear(mass: float, restitution: float) -> tuple[float, float]:
    """Stiffness and damping of a linear contact that lasts for TC."""
    log = math.log(restitution)
    return mass * (math.pi**2 + log**2) / TC**2, -2.0 * mass * log / TC


def walton(delta: float, rate: float, largest: float) -> Numbers:
    k1 = HALF * (math.pi * (1.0 + E) / (2.0 * TC)) ** 2
    k2 = k1 / E**2
    phi = max(0.0, min(k1 * delta, k2 * (delta - (1.0 - k1 / k2) * largest)))
    return Numbers(phi, phi, *linear(2.0 / 7.0 * HALF, ET))


def hertz(delta: float, rate: float, largest: float, restitution: tuple[float, float] = (E, ET)) -> Numbers:
    modulus, shear = YOUNG / (2.0 * (1.0 - POISSON**2)), YOUNG / (4.0 * (1.0 + POISSON) * (2.0 - POISSON))
    width = math.sqrt(0.5 * RADIUS * delta)
    beta, beta_t = (-math.log(e) / math.hypot(math.pi, math.log(e)) for e in restitution)
    normal, along = 2.0 * modulus * width, 8.0 * shear * width
    spring = 4.0 / 3.0 * modulus * width * delta
    drag = 2.0 * beta * math.sqrt(5.0 / 6.0 * normal * HALF) * rate
    return Numbers(spring, spring + drag, along, 2.0 * beta_t * math.sqrt(5.0 / 6.0 * along * HALF))


def stiffening(delta: float, rate: float, largest: float) -> Numbers:
    k, s, c = USER
    spring = k * (delta + delta**2 / s)
    return Numbers(spring, max(0.0, spring + c * rate), 1e6, 300.0)


WALTON = {"law": "walton", "restitution": E, "tangential_restitution": ET, "contact_time": TC}
CONTACTS: dict[str, tuple[dict[str, Any], Any]] = {
    "walton": (WALTON, walton),
    "hertz": (
        {"law": "hertz", "young": YOUNG, "poisson": POISSON, "restitution": E, "tangential_restitution": ET, "reference_speed": 1.0,
         "clamped": False},
        hertz,
    ),
    "user": (
        {"law": "user", "user_law": "user_law.py:stiffening", "user_parameters": list(USER), "force_scale": 1e7, "tangential_stiffness": 1e6,
         "tangential_damping": 300.0},
        stiffening,
    ),
}  # fmt: skip


def case_at(contact: dict[str, Any], step: float, speed: tuple[float, float], spins: tuple[float, float], gap: float, **more: Any) -> Case:
    """Two balls that meet along x, at a velocity of the second less that of the first, with spins about z."""
    grains = [
        {"species": "ball", "position": (sign * (RADIUS + 0.5 * gap), 0, 0), "velocity": (0.5 * sign * speed[0], 0.5 * sign * speed[1], 0),
         "angular_velocity": (0, 0, spin)}
        for sign, spin in zip((-1.0, 1.0), spins, strict=True)
    ]  # fmt: skip
    return case_of([SPHERE], contact, step, grain=grains, **more).located(EXAMPLES)


def outcome(case: Case, duration: float = 2.5 * TC) -> np.ndarray:
    """Relative velocity and sum of the spins times the radius after the collision (m/s), which is over after the duration (s)."""
    engine, _ = engine_of(case)
    engine.advance(round(duration / case.time.step))
    assert not len(engine.contacts().key)
    g = engine.grains
    first, second = np.argsort(g.gid)
    return np.array([*(g.v[second, :2] - g.v[first, :2]), RADIUS * (g.w[first, 2] + g.w[second, 2])])


# velocity along the normal and the tangent, spins, friction
IMPACTS: dict[str, tuple[tuple[float, float], tuple[float, float], float]] = {
    "stuck": ((-1.0, 0.3), (0.2, -0.1), 3.0),
    "stuck and sliding": ((-1.0, 0.8), (0.0, 0.5), 0.5),
    "sliding": ((-1.0, 2.0), (-1.0, -2.0), 0.1),
}


def exact(law: str, impact: str, gap: float) -> tuple[np.ndarray, list[int]]:
    """State after the collision by the reference, and the modes on the way."""
    speed, spins, friction = IMPACTS[impact]
    place, velocity = np.array([2.0 * RADIUS + gap, 0.0]), np.array(speed)
    closing = -float(place @ velocity)
    touch = (closing - math.sqrt(closing**2 - velocity @ velocity * (place @ place - 4.0 * RADIUS**2))) / (velocity @ velocity)
    return Balls(MASS, RADIUS, CONTACTS[law][1], friction).run(place + touch * velocity, velocity, spins, TC)


@pytest.mark.parametrize("impact", IMPACTS)
@pytest.mark.parametrize("law", CONTACTS)
def test_damped_collisions_converge_to_their_equations(law: str, impact: str) -> None:
    """Dampers see velocities of half a step before, and a contact slides or lets go within a step: of first order."""
    speed, spins, friction = IMPACTS[impact]
    squares, steps_of = np.zeros(3), (40, 160, 640)
    for gap in GAPS:
        y, modes = exact(law, impact, gap)
        expected = np.array([*y[2:4], RADIUS * y[4]])
        assert (STICK in modes) == (impact != "sliding")
        for row, steps in enumerate(steps_of):
            case = case_at(CONTACTS[law][0] | {"friction": friction}, TC / steps, speed, spins, gap)
            squares[row] += float(((outcome(case) - expected) ** 2).sum())
    found = np.sqrt(squares / len(GAPS))
    assert found[0] < 3e-3
    assert found[0] / found[-1] > 12.0, found  # a sixteenth of the step


@pytest.mark.parametrize("et", [0.3, 0.8])
def test_a_collision_that_sticks_has_the_tangential_restitution_asked_for(et: float) -> None:
    """Law `walton`, whose contacts last for t_c: half a period of the tangential spring; too slow for the normal to turn."""
    speed, shear = 1e-2, 1e-3
    case = case_at(WALTON | {"tangential_restitution": et, "friction": 50.0}, TC / 400, (-speed, shear), (0.0, 0.0), 1e-8)
    _, along, spun = outcome(case)
    assert (along - spun) / shear == pytest.approx(-et, rel=1e-2)


SLOW, SHEAR = 0.05, 1e-3  # m/s, at which a Hertzian contact of these balls lasts for 0.039 s, and its normal hardly turns
PAGE = Path(__file__).parent.parent / "docs" / "theory" / "laws.md"
SAID = re.search(r"balls that stick \([^)]*\) come apart with ([^f]*) of their [^:]* for `tangential_restitution` ([^:]*):", PAGE.read_text())
FIGURES = [[float(number) for number in re.findall(r"\d+(?:\.\d+)?", said)] for said in SAID.groups()] if SAID else [[], []]


def share_left(asked: float) -> float:
    """Tangential velocity after a collision without normal damping in which the contact sticks, over that before, by the equations of the law."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        now = hertz(max(float(y[0]), 0.0), 0.0, 0.0, (1.0, asked))
        return [y[1], -now.elastic / HALF, now.kt * y[3], -(y[2] + now.ct * y[3]) / (2.0 / 7.0 * HALF)]

    def over(_: float, y: np.ndarray) -> float:
        return float(y[0]) if y[1] < 0.0 else 1.0

    over.terminal = True  # type: ignore[attr-defined]
    done = solve_ivp(rates, (0.0, 10.0 * TC), [0.0, SLOW, 0.0, 1.0], "DOP853", events=over, rtol=1e-10, atol=1e-13, max_step=0.1 * TC)
    assert len(done.t_events[0]) == 1
    return float(done.y[3, -1])


def test_the_page_has_figures_of_hertz() -> None:
    assert len(FIGURES[0]) == len(FIGURES[1]) == 4


@pytest.mark.parametrize(("figure", "asked"), list(zip(*FIGURES, strict=True)))
def test_the_tangential_restitution_of_hertz_is_that_of_the_page(figure: float, asked: float) -> None:
    """Share of the tangential velocity that is left, by the kernel, by the equations and on the page."""
    contact = CONTACTS["hertz"][0] | {"restitution": 1.0, "tangential_restitution": asked, "friction": 1e4}
    _, along, spun = outcome(case_at(contact, TC / 400, (-SLOW, SHEAR), (0.0, 0.0), 1e-8), 5.0 * TC)
    assert (along - spun) / SHEAR == pytest.approx(share_left(asked), rel=0.0, abs=2e-3)  # of the velocity before
    assert round(share_left(asked), 2) == figure


def test_the_damper_of_a_users_law_takes_the_energy_of_its_equation() -> None:
    """Work of what the force does beyond its part without motion, and the budget that it closes."""
    speed, spins, friction = IMPACTS["stuck and sliding"]
    gaps, residuals = [], []
    for steps in (160, 640):
        stage = [{"name": "go", "kind": "run", "steps": 99999}]
        case = case_at(CONTACTS["user"][0] | {"friction": friction}, TC / steps, speed, spins, GAPS[0], stage=stage)
        simulation = Simulation(case, MPI.COMM_SELF)
        simulation.observables()
        simulation.step(round(2.5 * steps), observe=True)
        values = simulation.observables()
        lost = float(exact("user", "stuck and sliding", GAPS[0])[0][6])
        gaps.append(abs(values["energy/lost_damping"] / lost - 1.0))
        residuals.append(abs(values["energy/residual"]) / lost)
    assert gaps[1] < 5e-4
    assert gaps[0] / gaps[1] > 3.0
    assert residuals[1] < 2e-5
    assert residuals[0] / residuals[1] > 3.0
