"""Grains on walls: rest, elastic bounces, the disc's rim, exact reactions, the work of moving walls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, ELASTIC, FLOOR, ROD, SPHERE, booked, case_of, engine_of, grains_of, turned, worst_energy

from pardem.engine import Engine
from pardem.errors import BlowUpError
from pardem.laws.parameters import viscoelastic_clamped
from pardem.simulation import Simulation

LYING = turned((0, 1, 0), 0.5 * math.pi)  # the axis along x
TUBE = {"name": "tube", "kind": "cylinder", "radius": 1.0, "axis": (1, 0, 0)}
DISC = {"name": "disc", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 2.0}
CONE = {"name": "cone", "kind": "cone", "center": (-2, 0, -3.1), "axis": (1, 0, 0), "length": 4.0, "radius": 3.0, "end_radius": 3.2}
DISSIPATIVE = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.5}
GRAVITY = 9.81
SPECIES = {"ball": SPHERE, "rod": ROD, "cube": CUBE}


def grain(species: str, position: tuple[float, float, float], turn: tuple[float, ...] = (1, 0, 0, 0), velocity: Any = (0, 0, 0)) -> dict[str, Any]:
    return {"species": species, "position": position, "orientation": turn, "velocity": velocity}


def reactions(engine: Engine) -> np.ndarray:
    """Force (N) and torque (N m) that the grains exert on each wall, (walls, 6)."""
    s = engine.scene.settings
    counts = [[booked(limbs) for limbs in wall] for wall in engine.scene.walls.reaction]
    return np.array(counts, dtype=object).astype(float) * ([s.force] * 3 + [s.torque] * 3)


@pytest.mark.parametrize("interaction", ["regularised", "minima"])
@pytest.mark.parametrize(
    ("start", "wall"),
    [
        (grain("rod", (0.3, 0.2, 0.2501), LYING), FLOOR),
        (grain("rod", (0.3, 0.0, -0.7499), LYING), TUBE),
        (grain("cube", (0.3, 0.2, 0.5001)), FLOOR),
        (grain("cube", (0.3, 0.2, 0.5001)), DISC),
    ],
    ids=["rod on a plane", "rod along a tube", "cube on a plane", "cube on a disc"],
)
def test_a_level_grain_rests(start: dict[str, Any], wall: dict[str, Any], interaction: str) -> None:
    """The wall bears the weight, where the centre is; nothing turns the grain."""
    species = SPECIES[start["species"]]
    case = case_of([species], DISSIPATIVE | {"interaction": interaction}, 2e-4, gravity=(0, 0, -GRAVITY), grain=[start], wall=[wall])
    engine, _ = engine_of(case)
    level = engine.grains.q[0].copy()
    engine.advance(10_000)
    g = engine.grains
    weight = GRAVITY * float(g.v[0, 3])
    x, y, _ = start["position"]
    force, torque = reactions(engine)[0, :3], reactions(engine)[0, 3:]
    assert force == pytest.approx([0.0, 0.0, -weight], rel=1e-9, abs=1e-12 * weight)
    assert torque == pytest.approx([-y * weight, x * weight, 0.0], rel=1e-9, abs=1e-12 * weight)
    assert np.abs(g.am[0, :3]).max() < 1e-12 * weight
    assert np.abs(g.x[0, :2] - [x, y]).max() < 1e-12 * g.x[0, 3]
    assert np.abs(g.q[0] - level).max() < 1e-12


def test_the_overlap_of_a_rod_at_rest_is_its_weight_over_the_stiffness() -> None:
    """On a plane one contact bears it, along a tube one at each end."""
    stiffness = viscoelastic_clamped(0.5, 0.02)[0]  # per mass
    for start, wall, surface, share in (
        (grain("rod", (0.3, 0.2, 0.2501), LYING), FLOOR, 0.25, 1.0),
        (grain("rod", (0.3, 0.0, -0.7499), LYING), TUBE, -0.75, 0.5),
    ):
        engine, _ = engine_of(case_of([ROD], DISSIPATIVE, 2e-4, gravity=(0, 0, -GRAVITY), grain=[start], wall=[wall]))
        engine.advance(10_000)
        assert surface - engine.grains.x[0, 2] == pytest.approx(share * GRAVITY / stiffness, rel=1e-6)
        assert len(engine.contacts().key) == round(1.0 / share)


FALL = (0.1, 0.0, -0.8)
BOUNCES: dict[str, tuple[dict[str, Any], dict[str, Any], float]] = {
    "rod, level on a plane": (grain("rod", (0, 0, 0.26), LYING, FALL), FLOOR, 0.02),
    "rod, tilted on a plane": (grain("rod", (0, 0, 0.32), turned((0, 1, 0), 0.5 * math.pi + 0.1), FALL), FLOOR, 0.02),
    "rod, along a tube": (grain("rod", (0, 0, -0.74), LYING, (0.1, 0.2, -0.8)), TUBE, 0.03),
    "cube in a tube": (grain("cube", (0, 0, -0.3), turned((0.2, 1, 0), 0.1), (0.1, 0.2, -0.8)), TUBE, 0.04),
    "cube on a disc": (grain("cube", (0.3, 0, 0.56), turned((1, 0.3, 0), 0.1), FALL), DISC, 0.02),
    "cube under a disc": (grain("cube", (0.3, 0, -0.56), turned((1, 0.3, 0), 0.1), (0.1, 0, 0.8)), DISC, 0.02),
    "ball on a disc's rim": (grain("ball", (2.2, 0, 0.46), velocity=(0, 0.1, -0.8)), DISC, 0.02),
    "rod over a disc's rim": (grain("rod", (2.1, 0, 0.26), LYING, (0, 0.1, -0.8)), DISC, 0.02),
}


@pytest.mark.parametrize("name", BOUNCES)
def test_elastic_bounces_keep_energy_to_second_order(name: str) -> None:
    start, wall, contact_time = BOUNCES[name]
    contact = ELASTIC | {"contact_time": contact_time}
    coarse, fine = (worst_energy([SPECIES[start["species"]]], [start], [wall], contact, step, 0.15, 4e-4) for step in (4e-4, 2.5e-5))
    assert coarse < 3e-3
    assert fine < coarse / 100.0  # a sixteenth of the step


def test_the_rim_pushes_away_from_its_nearest_point() -> None:
    """A smooth ball beside the disc keeps its angular momentum about that point, and goes outwards."""
    rim = np.array([2.0, 0.0, 0.0])
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 1e-4, grain=[grain("ball", (2.2, 0, 0.46), velocity=(0.0, 0.0, -0.8))], wall=[DISC]))
    g = engine.grains
    before = np.cross(g.x[0, :3] - rim, g.v[0, :3])
    engine.advance(600)
    g = engine.grains
    assert not len(engine.contacts().key)
    assert np.cross(g.x[0, :3] - rim, g.v[0, :3]) == pytest.approx(before, rel=1e-9)
    assert g.v[0, 0] > 0.1
    assert g.v[0, 2] > 0.1


@pytest.mark.parametrize("wall", [DISC, DISC | {"hole": 0.05, "radius": 1.0}, CONE], ids=["disc", "pierced", "cone"])
@pytest.mark.parametrize("integrator", ["verlet", "gear4"])
@pytest.mark.parametrize("species", ["ball", "rod"])
def test_a_grain_that_goes_through_a_thin_wall_is_named(species: str, integrator: str, wall: dict[str, Any]) -> None:
    """It has two sides: on the other one the grain would only be pushed on."""
    start, time = grain(species, (0.3, 0.2, 0.6), LYING, velocity=(1.0, 0.0, -20.0)), {"step": 1e-3, "integrator": integrator}
    engine, _ = engine_of(case_of([SPECIES[species]], DISSIPATIVE | {"contact_time": 0.2}, 1e-3, grain=[start], wall=[wall], time=time))
    with pytest.raises(BlowUpError, match=rf"grain 0 and wall '{wall['name']}' overlap by more than a sphero-radius"):
        engine.advance(200)


def test_a_grain_that_is_placed_in_a_wall_is_to_be_moved() -> None:
    case = case_of([SPECIES["ball"]], DISSIPATIVE, 1e-3, grain=[grain("ball", (0.3, 0.2, 0.0), LYING)], wall=[DISC])
    with pytest.raises(BlowUpError, match=rf"At step 0 .* grain 0 and wall '{DISC['name']}' overlap .* where the case places them; move one of them"):
        Simulation(case, MPI.COMM_SELF).step()


def test_walls_bear_the_weight_of_a_bed_to_the_last_quantum() -> None:
    """What grains get from walls is minus what walls get, as integers in every step; over a time it is the weight plus the change of momentum."""
    region = {"kind": "box", "lower": (0, 0, 0), "upper": (4, 4, 5)}
    step, steps = 5e-4, 400
    case = case_of(
        [SPHERE | {"radius": 0.3}, ROD, CUBE], DISSIPATIVE, step, gravity=(1.0, 0.0, -GRAVITY), seed=2,
        domain={"lower": (-1, -1, -1), "upper": (5, 5, 9)}, wall=[{"name": "box", "kind": "box", "lower": (0, 0, 0), "upper": (4, 4, 8)}],
        insert=[{"species": s, "count": 8, "region": region} for s in ("ball", "rod", "cube")],
    )  # fmt: skip
    engine, _ = engine_of(case)
    engine.advance(20_000)  # until it rests

    def momentum() -> np.ndarray:
        g = grains_of(engine)
        return np.asarray((g.v[:, 3:] * g.v[:, :3]).sum(axis=0))

    before, impulse = momentum(), 0.5 * reactions(engine)[:, :3].sum(axis=0)
    for _ in range(steps):
        engine.advance(1)
        on_walls = [sum(booked(wall[c]) for wall in engine.scene.walls.reaction) for c in range(3)]
        assert on_walls == (-engine.grains.ft[:, :3].sum(axis=0)).tolist()
        impulse += reactions(engine)[:, :3].sum(axis=0)
    impulse -= 0.5 * reactions(engine)[:, :3].sum(axis=0)
    weight = float(engine.grains.v[:, 3].sum()) * np.array([1.0, 0.0, -GRAVITY])
    scale = steps * step * np.linalg.norm(weight)
    assert step * impulse == pytest.approx(steps * step * weight - (momentum() - before), rel=0, abs=1e-12 * scale)
    assert step * impulse[2] == pytest.approx(steps * step * weight[2], rel=1e-3)


@pytest.mark.parametrize(
    ("start", "contact"),
    [
        (grain("cube", (0, 0, 0.56), turned((1, 0.3, 0), 0.1)), ELASTIC),
        (grain("cube", (0, 0, 0.56), turned((1, 0.3, 0), 0.1)), DISSIPATIVE),
        (grain("rod", (0, 0, 0.32), turned((0, 1, 0), 0.5 * math.pi + 0.1)), DISSIPATIVE),
    ],
    ids=["cube, elastic", "cube, dissipative", "rod, dissipative"],
)
def test_a_moving_wall_does_force_times_velocity(start: dict[str, Any], contact: dict[str, Any]) -> None:
    """A wall that strikes a grain at constant speed: its work in single steps, and an energy budget that closes to second order."""
    velocity = np.array([0.0, 0.2, 0.8])
    wall = FLOOR | {"motion": {"kind": "velocity", "velocity": tuple(velocity)}}
    residuals = []
    for step in (4e-4, 2.5e-5):
        steps = round(0.12 / step)
        case = case_of([SPECIES[start["species"]]], contact, step, grain=[start], wall=[wall], stage=[{"name": "go", "kind": "run", "steps": steps}])
        simulation = Simulation(case, MPI.COMM_SELF)
        simulation.observables()
        walls, quantum = simulation.engine.scene.walls, simulation.engine.scene.settings.energy
        worst, values, every = 0.0, {}, round(4e-4 / step)  # both runs are looked at at the same times
        for _ in range(steps // every):
            simulation.step(every - 1)
            done = booked(walls.work[0])
            simulation.step(1, observe=True)
            power = float(-reactions(simulation.engine)[0, :3] @ velocity)
            assert (booked(walls.work[0]) - done) * quantum == pytest.approx(power * step, rel=1e-9, abs=4.0 * quantum)
            values = simulation.observables()
            worst = max(worst, abs(values["energy/residual"]))
        residuals.append(worst / values["energy/wall_work"])
    assert residuals[0] < 2e-3
    assert residuals[1] < residuals[0] / 100.0
