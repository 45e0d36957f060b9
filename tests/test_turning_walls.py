"""Walls that turn: where their surface is, rolling with a drum, work against energy, lists under long blades, what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import ELASTIC, SPHERE, case_of, engine_of, fingerprint

from pardem.errors import CaseError
from pardem.simulation import Simulation

ROUGH = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.03, "friction": 0.6}
CORNERS = [(x, y, z) for x in (-3.0, 3.0) for y in (-0.5, 0.5) for z in (-0.1, 0.1)]
BLADE = {"name": "blade", "shape": "polyhedron", "radius": 0.1, "density": 1.0, "vertices": CORNERS}


def turning(rate: float, **more: Any) -> dict[str, Any]:
    return {"kind": "rotation", "axis": (0, 1, 0), "rate": rate} | more


def drum(rate: float) -> dict[str, Any]:
    return {"name": "drum", "kind": "cylinder", "radius": 2.0, "axis": (0, 1, 0), "motion": turning(rate)}


def budget(sim: Simulation) -> dict[str, Any]:
    sim.step(1, observe=True)
    return sim.observables()


def test_a_body_is_where_its_turn_puts_it() -> None:
    """A ball that touches the blade's flat side after a third of a turn, by a hair's breadth more or less."""
    angle, step, steps = 2.0 * math.pi / 3.0, 5e-4, 900
    wall = {"name": "blade", "kind": "body", "species": "blade", "motion": turning(angle / (steps * step))}
    # about y by the right-hand rule: z goes to x, x to -z
    along, normal = np.array([math.cos(angle), 0.0, -math.sin(angle)]), np.array([math.sin(angle), 0.0, math.cos(angle)])
    for gap, touches in ((1e-5, False), (-1e-5, True)):
        place = 2.0 * along - (0.1 + 0.1 + 0.5 + gap) * normal  # the side that comes from behind is the other one
        ball = {"species": "ball", "position": tuple(float(c) for c in place)}
        engine, _ = engine_of(case_of([SPHERE, BLADE], ELASTIC, step, grain=[ball], wall=[wall]))
        engine.scene.walls.motion[:, 5] = steps  # it rests from then on
        engine.advance(steps)
        engine.advance(1)
        assert (len(engine.contacts().key) > 0) is touches


def test_a_drum_without_friction_does_no_work() -> None:
    ball = {"species": "ball", "position": (0.0, 0.0, -1.0), "velocity": (1.0, 0.0, 0.0)}
    stage = [{"name": "go", "kind": "run", "steps": 9999}]
    case = case_of([SPHERE], ELASTIC, 2e-4, gravity=(0.0, 0.0, -10.0), grain=[ball], wall=[drum(3.0)], stage=stage)
    sim = Simulation(case, MPI.COMM_SELF)
    sim.observables()
    sim.step(5000)
    values = budget(sim)
    assert abs(values["energy/wall_work"]) < 1e-12 * abs(values["energy/gravity"])
    assert abs(values["energy/residual"]) < 1e-3 * abs(values["energy/gravity"])


def test_a_drum_takes_a_ball_along_until_it_rolls() -> None:
    """Without gravity, pressed on by its way round: the work of the drum is the energy gained and lost, to second order; then nothing slips."""
    rate, residuals = 4.0, []
    for step in (4e-4, 1e-4):
        ball = {"species": "ball", "position": (0.0, 0.0, -1.499), "velocity": (-1.0, 0.0, 0.0)}
        case = case_of([SPHERE], ROUGH, step, grain=[ball], wall=[drum(rate)], stage=[{"name": "go", "kind": "run", "time": 9.0}])
        sim = Simulation(case, MPI.COMM_SELF)
        sim.observables()
        sim.step(round(2.0 / step))
        values = budget(sim)
        assert values["energy/wall_work"] > 0.0
        residuals.append(abs(values["energy/residual"]))
        assert residuals[-1] < 5e-3 * values["energy/wall_work"]
    sim.step(round(6.0 / step))
    g = sim.engine.grains
    x, v = g.x[0, :3], g.v[0, :3]
    radial = x / np.linalg.norm(x)
    axis = np.array([0.0, 1.0, 0.0])
    surface = rate * np.cross(axis, 2.0 * radial)
    slip = v + np.cross(g.w[0, :3], 0.5 * radial) - surface
    assert np.linalg.norm(slip) < 0.02 * np.linalg.norm(surface)
    assert residuals[1] < residuals[0] / 6.0


def test_the_skin_never_shows_under_a_turning_blade() -> None:
    bits, rebuilds = [], []
    for skin in (0.02, 0.1, 0.3):
        rng = np.random.default_rng(4)
        places = [(float(x), float(y), float(z)) for x in (-2.0, -0.9, 0.2, 1.3) for y in (-1.1, 0.0, 1.1) for z in (-1.4, 1.4)]
        grains = [{"species": "ball", "position": p, "velocity": tuple(rng.normal(size=3).tolist())} for p in places]
        blade = {"name": "blade", "kind": "body", "species": "blade", "motion": turning(2.0)}
        box = {"name": "box", "kind": "box", "lower": (-3.5, -2.0, -3.5), "upper": (3.5, 2.0, 3.5)}
        case = case_of([SPHERE, BLADE], ROUGH, 1e-3, grain=grains, wall=[box, blade], gravity=(0.0, 0.0, -9.81))
        engine, _ = engine_of(case, skin=skin)
        engine.advance(1500)
        bits.append(fingerprint(engine))
        rebuilds.append(engine.counters.rebuilds)
    assert len(set(bits)) == 1
    assert rebuilds[0] > 2 * rebuilds[2]


def test_what_cannot_turn_is_refused() -> None:
    ball = {"species": "ball", "position": (0.0, 0.0, 0.0)}

    def refuse(wall: dict[str, Any], sentence: str, **more: Any) -> None:
        with pytest.raises(CaseError, match=sentence):
            engine_of(case_of([SPHERE, BLADE], ELASTIC, 5e-4, grain=[ball], wall=[wall], **more))

    refuse({"name": "side", "kind": "plane", "point": (9, 0, 0), "normal": (-1, 0, 0), "motion": turning(1.0)}, r"wall\.side\.motion\.axis")
    refuse(drum(1.0) | {"axis": (0, 0, 1)}, r"wall\.drum\.motion\.axis = \[0\.0, 1\.0, 0\.0\] must be parallel to the axis of the cylinder")
    refuse({"name": "box", "kind": "box", "lower": (-9, -9, -9), "upper": (9, 9, 9), "motion": turning(1.0)}, "is not for a box")
    blade = {"name": "blade", "kind": "body", "species": "blade", "position": (0, 0, 8)}
    refuse(blade | {"motion": turning(400.0)}, r"wall\.blade\.motion: the wall moves at up to .* through grains of a sphero-radius of 0\.5 m")
    refuse(blade | {"motion": {"kind": "velocity", "velocity": (1200.0, 0, 0)}}, "slow it down, or shorten time.step")
    domain = {"lower": (-20, -20, -20), "upper": (20, 20, 20), "periodic": (True, False, False)}
    refuse(blade | {"motion": turning(1.0)}, "needs a domain that is periodic along its axis at most, but this one is along x", domain=domain)
