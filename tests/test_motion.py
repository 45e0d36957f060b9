"""Motion: free rotation, conservation, order of convergence, scaled units, energy budget."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import CUBE, ELASTIC, ROD, SPHERE, case_of, energy, engine_of, gathered

from pardem.state.arrays import CONTACTS


def top_error(step: float, time: dict[str, str]) -> float:
    """Error of the direction of a torque-free rod: its axis turns about the angular momentum at L / I_perpendicular."""
    grain = {"species": "rod", "position": (0, 0, 0), "angular_velocity": (0.3, 0.0, 2.0)}
    engine, setup = engine_of(case_of([ROD], ELASTIC | {"contact_time": 1.0}, step, time={"step": step} | time, grain=[grain]))
    before = engine.grains.am[0, :3].copy()
    n = round(2.0 / step)
    engine.advance(n)
    g = engine.grains
    assert np.array_equal(g.am[0, :3], before)
    inertia = setup.catalogue.inertia[0]
    size = float(np.linalg.norm(before))
    axis = before / size
    u0 = np.array([0.0, 0.0, 1.0])
    angle = size / inertia[0] * n * step
    expected = u0 * math.cos(angle) + np.cross(axis, u0) * math.sin(angle) + axis * (axis @ u0) * (1 - math.cos(angle))
    q = g.q[0]
    u = np.array([2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]), 1 - 2 * (q[1] ** 2 + q[2] ** 2)])
    return float(np.linalg.norm(u - expected))


def test_free_symmetric_top_precesses_as_theory_says() -> None:
    """To rounding, whatever the step; by Fincham's leap-frog to second order."""
    assert top_error(2e-2, {}) < 1e-13
    coarse, fine = (top_error(step, {"rotation": "fincham"}) for step in (2e-2, 1e-2))
    assert coarse < 1e-3
    assert fine == pytest.approx(coarse / 4.0, rel=0.1)


def bounce(species: dict[str, Any], grains: list[dict[str, Any]], step: float, duration: float, eps: float) -> float:
    """Largest relative energy error of an elastic scene."""
    contact = ELASTIC | {"interaction": "regularised", "eps": eps}
    engine, _ = engine_of(case_of([species], contact, step, grain=grains))
    engine.advance(1, observe=True)
    start = energy(engine)
    worst, touched = 0.0, 0
    for _ in range(round(duration / step / 10)):
        engine.advance(10, observe=True)
        touched += int(engine.tally[CONTACTS, 0])
        worst = max(worst, abs(energy(engine) / start - 1.0))
    assert touched > 0
    return worst


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_rods_bounce_with_energy_error_of_second_order(tilt: float) -> None:
    half = 0.5 * tilt
    turn = (math.cos(half), math.sin(half), 0.0, 0.0)
    grains = [
        {"species": "rod", "position": (-0.26, 0.0, 0.0), "velocity": (0.4, 0.05, 0.0), "orientation": turn},
        {"species": "rod", "position": (0.26, 0.1, 0.2), "velocity": (-0.4, 0.0, 0.02)},
    ]
    errors = [bounce(ROD, grains, step, 0.12, 0.1) for step in (4e-4, 1e-4)]
    assert errors[0] < 3e-3
    assert errors[1] < errors[0] / 8.0


def test_momentum_of_a_closed_system_is_exact() -> None:
    """The third law holds to the last quantum: contact forces of a dense elastic gas sum to integer zero at every step."""
    case = case_of(
        [ROD], {"law": "viscoelastic", "restitution": 0.7, "contact_time": 0.02, "friction": 0.4}, 1e-3, seed=3,
        domain={"lower": (0, 0, 0), "upper": (6, 6, 6), "periodic": (True, True, True)},
        insert=[{"species": "rod", "count": 110, "region": {"kind": "periodic"}}],
    )  # fmt: skip
    engine, _ = engine_of(case)
    rng = np.random.default_rng(5)
    engine.grains.v[:, :3] = rng.normal(size=(110, 3))
    most = 0
    for _ in range(300):
        engine.advance(1)
        g, contacts = gathered(engine)
        most = max(most, len(contacts.key))
        assert not g.ft[:, :3].sum(axis=0).any()
    assert most > 5


def test_lengths_scaled_by_a_power_of_two_give_the_scaled_trajectory() -> None:
    """Lengths times 2^-20, with density unchanged: positions scale to the last bit (gravity and velocities scale along)."""
    scale = 2.0**-20

    def run(s: float) -> np.ndarray:
        rod = ROD | {"length": 1.0 * s, "radius": 0.25 * s}
        case = case_of(
            [rod], {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.3}, 1e-3, gravity=(0.0, 0.0, -9.0 * s), seed=2,
            domain={"lower": (-4 * s, -4 * s, -4 * s), "upper": (4 * s, 4 * s, 8 * s)},
            wall=[{"name": "box", "kind": "box", "lower": (-2 * s, -2 * s, 0.0), "upper": (2 * s, 2 * s, 8 * s)}],
            insert=[{"species": "rod", "count": 20, "region": {"kind": "box", "lower": (-2 * s, -2 * s, 0.0), "upper": (2 * s, 2 * s, 8 * s)}}],
        )  # fmt: skip
        engine, _ = engine_of(case)
        engine.advance(1500)
        g, contacts = gathered(engine)
        assert len(contacts.key) > 5
        return np.concatenate([g.x[:, :3], s * g.q], axis=1)

    assert np.array_equal(run(scale) / scale, run(1.0))


@pytest.mark.parametrize("species", [SPHERE, ROD, CUBE])
def test_a_grain_falls_as_galilei_says(species: dict[str, Any]) -> None:
    case = case_of([species], ELASTIC, 1e-3, gravity=(0, 0, -10.0), grain=[{"species": species["name"], "position": (0, 0, 20.0)}])
    engine, _ = engine_of(case)
    engine.advance(1000)
    assert engine.grains.x[0, 2] == pytest.approx(15.0, rel=1e-12)
