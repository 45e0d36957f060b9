"""Elastic collisions of polytopes: energy to the order of the scheme, momentum to the last quantum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import CUBE, ELASTIC, FLOOR, TETRAHEDRON, case_of, engine_of, grains_of, turned, worst_energy

EDGES = 2.0 * math.sqrt(0.125) + 0.2  # centres of two tetrahedra whose opposite edges meet (m)
QUARTER = 0.5 * math.pi


def cube(x: float, y: float, z: float, velocity: tuple[float, float, float], turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> dict[str, Any]:
    return {"species": "cube", "position": (x, y, z), "velocity": velocity, "orientation": turn}


def above(position: tuple[float, float], gap: float, turn: tuple[float, ...]) -> list[dict[str, Any]]:
    """Two tetrahedra, the upper one coming down onto the lower one's top edge."""
    return [
        {"species": "tetrahedron", "position": (0, 0, 0), "velocity": (0, 0, 0.4)},
        {"species": "tetrahedron", "position": (*position, EDGES + gap), "velocity": (0.02, 0, -0.4), "orientation": turn},
    ]


LEVEL = (1.0, 0.0, 0.0, 0.0)
FALL = (0.0, 0.0, -0.8)
COLLISIONS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "cubes, face to face": ([cube(-0.505, 0, 0, (0.4, 0.05, 0)), cube(0.505, 0.15, 0.2, (-0.4, 0, 0.02))], []),
    "cube, flat on a wall": ([cube(0, 0, 0.505, (0.3, 0, -0.8))], [FLOOR]),
    "cube, tilted on a wall": ([cube(0, 0, 0.56, FALL, turned((1, 0.3, 0), 0.1))], [FLOOR]),
    "cube, corner on a wall": ([cube(0, 0, 0.75, FALL, turned((1, 0.4, 0), 0.6))], [FLOOR]),
    "tetrahedra, edges crossed": (above((0.05, 0.08), 0.005, LEVEL), []),
    "tetrahedra, edges parallel": (above((0.05, 0.08), 0.005, turned((0, 0, 1), QUARTER)), []),
    "tetrahedra, edges nearly parallel": (above((0.05, 0.02), 0.015, turned((0.1, 0, 1), QUARTER)), []),
}
SPECIES = {"cube": CUBE, "tetrahedron": TETRAHEDRON}


def error(grains: list[dict[str, Any]], walls: list[dict[str, Any]], step: float, interaction: str, duration: float = 0.08) -> float:
    return worst_energy([SPECIES[grains[0]["species"]]], grains, walls, ELASTIC | {"interaction": interaction, "eps": 0.03}, step, duration, 4e-4)


@pytest.mark.parametrize("name", COLLISIONS)
def test_energy_error_falls_with_the_square_of_the_step(name: str) -> None:
    coarse, fine = (error(*COLLISIONS[name], step, "regularised") for step in (4e-4, 2.5e-5))
    assert coarse < 3e-3
    assert fine < coarse / 100.0  # a sixteenth of the step: 256 for an exact second order


@pytest.mark.parametrize("tilt", [0.05, 0.1])
def test_nearest_points_converge_to_first_order_only(tilt: float) -> None:
    """A nearly flat cube lands on its corners in turn: between level faces the nearest point jumps, and its torque with it."""
    grains = [cube(0, 0, 0.56, FALL, turned((1, 0.3, 0), tilt))]
    coarse, fine = (error(grains, [FLOOR], step, "minima", 0.15) for step in (4e-4, 2.5e-5))
    assert fine < coarse / 8.0
    assert fine > 10.0 * error(grains, [FLOOR], 2.5e-5, "regularised", 0.15)


@pytest.mark.parametrize("interaction", ["regularised", "minima"])
@pytest.mark.parametrize("name", [name for name, scene in COLLISIONS.items() if not scene[1]])
def test_a_free_collision_keeps_linear_and_angular_momentum(name: str, interaction: str) -> None:
    """Forces cancel as integers; angular momentum keeps to the rounding of the torques to quanta and of the kicks to floats."""
    grains = COLLISIONS[name][0]
    step, steps = 2e-4, 300
    engine, _ = engine_of(case_of([SPECIES[grains[0]["species"]]], ELASTIC | {"interaction": interaction, "eps": 0.03}, step, grain=grains))
    settings = engine.scene.settings

    def momenta() -> tuple[np.ndarray, np.ndarray]:
        g = grains_of(engine)
        p = g.v[:, 3:] * g.v[:, :3]
        return p.sum(axis=0), np.cross(g.x[:, :3], p).sum(axis=0) + g.am[:, :3].sum(axis=0)

    before = momenta()
    spun = 0.0
    for _ in range(steps):
        engine.advance(1)
        g = grains_of(engine)
        assert not g.ft[:, :3].sum(axis=0).any()
        spun = max(spun, float(np.abs(g.am[:, :3]).max()))
    assert spun > 1.0
    after = momenta()
    size = float((g.v[:, 3] * np.abs(g.v[:, :3]).max(axis=1)).sum())
    reach = float(np.abs(g.x[:, :3]).max())
    ulp = np.finfo(float).eps
    assert np.abs(after[0] - before[0]).max() < 4.0 * steps * ulp * size
    rounded = step * steps * (2.0 * settings.torque + 2.0 * reach * settings.force)
    assert np.abs(after[1] - before[1]).max() < rounded + 4.0 * steps * ulp * (size * reach + spun)
