"""The field towards a point: an orbit, a fall through the centre, its energy, its force to the quantum; compaction from all sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpi4py import MPI
from scenes import ELASTIC, SPHERE, case_of, engine_of

from pardem.case import Case
from pardem.errors import CaseError
from pardem.simulation import Simulation

PULL = {"center": (1.0, 0.0, 0.0), "strength": 5.0, "softening": 0.5}


def alone(step: float, velocity: tuple[float, float, float], integrator: str = "verlet") -> Case:
    """One ball at 2 m from the centre."""
    ball = {"species": "ball", "position": (3.0, 0.0, 0.0), "velocity": velocity}
    return Case(
        time={"step": step, "integrator": integrator}, attraction=PULL, species=[SPHERE], contact=ELASTIC, grain=[ball],
        domain={"lower": (-9, -9, -9), "upper": (9, 9, 9)}, stage=[{"name": "go", "kind": "run", "time": 50.0}],
    )  # fmt: skip


def test_a_circular_orbit_closes() -> None:
    """M v^2/r = m g r/sqrt(r^2 + s^2) at r = 2 m."""
    r, s = 2.0, 0.5
    pull = 5.0 * r / math.sqrt(r * r + s * s)
    period = 2.0 * math.pi * math.sqrt(r / pull)
    engine, _ = engine_of(alone(period / 4000.0, (0.0, math.sqrt(pull * r), 0.0)))
    engine.evaluate()
    engine.advance(4000)
    assert engine.grains.x[0, :2] == pytest.approx([3.0, 0.0], abs=1e-4 * r)


@pytest.mark.parametrize("integrator", ["verlet", pytest.param("gear4", marks=pytest.mark.slow)])
def test_a_fall_through_the_centre_keeps_the_energy(integrator: str) -> None:
    worst = []
    for step in (2e-3, 5e-4):
        sim = Simulation(alone(step, (0.0, 0.3, 0.0), integrator), MPI.COMM_SELF)
        start = sim.observables()["energy/total"]
        assert sim.case.gravity == (0.0, 0.0, 0.0)
        errors = []
        for _ in range(100):
            sim.step(round(0.04 / step), observe=True)
            errors.append(abs(sim.observables()["energy/total"] / start - 1.0))
        assert abs(sim.engine.grains.x[0, 0] - 3.0) > 0.1
        worst.append(max(errors))
    assert worst[0] < 1e-4
    assert worst[1] < worst[0] / 12.0


def test_grains_gather_about_the_point() -> None:
    """With dissipation a cloud becomes a ball about the centre."""
    cloud = [{"species": "ball", "position": (x, y, z)} for x in (-3.0, 1.0, 5.0) for y in (-3.0, 0.0, 3.0) for z in (-3.0, 0.0, 3.0)]
    contact = {"law": "viscoelastic", "restitution": 0.3, "contact_time": 0.05, "friction": 0.3}
    engine, _ = engine_of(case_of([SPHERE], contact, 2e-3, grain=cloud, attraction=PULL))
    engine.advance(10_000)
    x = engine.grains.x[:, :3]
    assert x.mean(axis=0) == pytest.approx(PULL["center"], abs=0.1)
    assert np.sqrt(((x - PULL["center"]) ** 2).sum(axis=1)).max() < 2.0  # 27 balls of 0.5 m fill a ball of about 1.75 m


def test_a_periodic_domain_is_refused() -> None:
    domain = {"lower": (-5, -5, -5), "upper": (5, 5, 5), "periodic": (True, False, False)}
    with pytest.raises(CaseError, match="attraction has no meaning in a periodic domain"):
        case_of([SPHERE], ELASTIC, 1e-3, domain=domain, attraction=PULL, grain=[{"species": "ball", "position": (0, 0, 0)}])
