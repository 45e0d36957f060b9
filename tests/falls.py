"""Impacts that are foreseen and then made: by the tests, which bound the ratio of both overlaps, and by jobs/checks.py, which documents it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scenes import FLOOR, ROD, SPHERE, case_of, engine_of

from pardem.case import Case
from pardem.engine import Engine
from pardem.forecast.ground import faces_of
from pardem.forecast.impacts import deepest
from pardem.forecast.possible_impacts import ExtremeGrains
from pardem.forecast.speeds import Impact, impacts
from pardem.forecast.starts import starts_of
from pardem.setup.preparation import Setup

R = SPHERE["radius"]
LAWS: dict[str, dict[str, Any]] = {
    "elastic": {"law": "elastic", "contact_time": 0.02},
    "viscoelastic": {"law": "viscoelastic", "restitution": 0.6, "contact_time": 0.02},
    "raw": {"law": "viscoelastic", "normal_stiffness": 3e7, "normal_damping": 6e4},
    "walton": {"law": "walton", "restitution": 0.4, "contact_time": 0.02},
    "hertz": {"law": "hertz", "young": 3e8, "poisson": 0.25, "reference_speed": 5.0, "restitution": 0.5},
}
STEP = 2e-4


def falling(law: str, grains: list[dict[str, Any]], species: dict[str, Any] = SPHERE) -> Case:
    stage = [{"name": "fall", "kind": "run", "time": 1.0}]
    return case_of([species], LAWS[law], STEP, grain=grains, wall=[FLOOR], gravity=(0.0, 0.0, -9.81), stage=stage)


def lowest(engine: Engine, setup: Setup) -> np.ndarray:
    """Height of each grain's lowest point (m)."""
    g, found = engine.state.grains, []
    for i in range(engine.state.owned):
        core = g.vert[g.vert_start[i] : g.vert_start[i + 1]] if len(g.vert) else np.zeros((1, 3))
        found.append(g.x[i, 2] + core[:, 2].min(initial=math.inf if len(core) else 0.0) - g.x[i, 3])
    return np.array(found)


def seen_on_floor(case: Case, seconds: float) -> float:
    """Largest overlap of a grain with the floor (m)."""
    engine, setup = engine_of(case)
    engine.evaluate()
    most = 0.0
    for _ in range(int(seconds / case.time.step)):
        engine.advance(1)
        most = max(most, float(-lowest(engine, setup).min()))
    return most


def foreseen(case: Case) -> tuple[ExtremeGrains, Impact, Setup]:
    _, setup = engine_of(case)
    starts, faces = starts_of(case, setup), faces_of(case, setup)
    (fall,) = impacts(case, setup, starts, faces)
    return ExtremeGrains(case, setup), fall, setup


def head_on(law: str) -> tuple[float, float]:
    """Overlap of two spheres that meet at twice the speed with half the mass of one, foreseen and seen (m)."""
    grains = [{"species": "ball", "position": (x, 0.0, 0.0), "velocity": (v, 0.0, 0.0)} for x, v in ((-0.6, 2.0), (0.6, -2.0))]
    case = case_of([SPHERE], LAWS[law], STEP, grain=grains)
    _, setup = engine_of(case)
    starts, faces = starts_of(case, setup), faces_of(case, setup)
    bound = max(deepest(ExtremeGrains(case, setup), impact) for impact in impacts(case, setup, starts, faces))
    engine, _ = engine_of(case)
    engine.evaluate()
    most = 0.0
    for _ in range(int(0.12 / STEP)):
        engine.advance(1)
        most = max(most, 2.0 * R - float(np.ptp(engine.grains.x[:, 0])))
    return bound, most


def on_floor(law: str) -> tuple[float, float]:
    """Overlap of a sphere that falls on a floor from 1 m, foreseen and seen (m)."""
    case = falling(law, [{"species": "ball", "position": (0.0, 0.0, 1.0 + R)}])
    bodies, fall, _ = foreseen(case)
    return deepest(bodies, fall), seen_on_floor(case, math.sqrt(2.0 / 9.81) + 0.05)


def rod_on_floor(law: str, tilt: float) -> tuple[float, float]:
    """Overlap of a rod that falls on a floor from 2 m, tilted from upright, foreseen and seen (m)."""
    grain = {"species": "rod", "position": (0.0, 0.0, 2.0), "orientation": (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)}
    case = falling(law, [grain], ROD)
    bodies, fall, _ = foreseen(case)
    return deepest(bodies, fall), seen_on_floor(case, math.sqrt(4.0 / 9.81) + 0.1)


def on_another(law: str) -> tuple[float, float]:
    """Overlap of a sphere with another one that lies on the floor, onto which it falls from 1 m, foreseen and seen (m)."""
    case = falling(law, [{"species": "ball", "position": (0.0, 0.0, z)} for z in (R, 3.0 * R + 1.0)])
    bodies, fall, _ = foreseen(case)
    engine, _ = engine_of(case)
    engine.evaluate()
    most = 0.0
    for _ in range(int((math.sqrt(2.0 / 9.81) + 0.05) / STEP)):
        engine.advance(1)
        order = np.argsort(engine.grains.gid)
        most = max(most, 2.0 * R - float(np.diff(engine.grains.x[order, 2])[0]))
    return deepest(bodies, fall), most
