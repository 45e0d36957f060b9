"""Candidates of planes that are passed over while their grains cannot have come to touch: nothing of it shows in the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from beds import STIFF
from mpi4py import MPI
from scenes import CUBE, case_of, fingerprint

from pardem.simulation import Simulation

DOWN = {"kind": "velocity", "velocity": (0.0, 0.0, -3.0), "start": "press"}
STAGES = [{"name": "fall", "kind": "run", "time": 0.4}, {"name": "press", "kind": "run", "time": 0.4}, {"name": "rest", "kind": "run", "time": 0.4}]


def simulated(skin: float, lid: dict[str, Any]) -> Simulation:
    """Cubes thrown about in a box on whose top a lid acts, after all stages."""
    box = {"name": "box", "kind": "box", "lower": (0.0, 0.0, 0.0), "upper": (4.0, 4.0, 9.0)}
    top = {"name": "lid", "kind": "plane", "point": (0.0, 0.0, 5.0), "normal": (0.0, 0.0, -1.0)} | lid
    rng = np.random.default_rng(4)
    places = [(x, y, z) for x in (0.7, 2.0, 3.3) for y in (0.7, 2.0, 3.3) for z in (0.7, 2.0, 3.3)]
    grains = [{"species": "cube", "position": p, "velocity": tuple(rng.normal(0.0, 3.0, 3).tolist())} for p in places]
    case = case_of(
        [CUBE | {"side": 0.6}], STIFF, 1e-3, gravity=(0.0, 0.0, -9.8), seed=4, wall=[box, top], stage=STAGES,
        domain={"lower": (-0.1, -0.1, -0.1), "upper": (4.1, 4.1, 9.1)}, detection={"skin": skin},
        grain=grains,
    )  # fmt: skip
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(1200)
    return sim


@pytest.mark.parametrize("lid", [
    {"motion": DOWN, "then": [{"kind": "fixed", "start": "rest"}]},
    {"motion": DOWN, "then": [{"kind": "fixed", "start": "rest"}], "stages": ["fall", "rest"]},
    {"stages": ["press"]},
], ids=["comes down and stops", "comes down while it is away", "is there for a while"])  # fmt: skip
def test_the_skin_never_shows(lid: dict[str, Any]) -> None:
    bits = set()
    for skin in (0.01, 0.3):
        sim = simulated(skin, lid)
        assert np.isfinite(sim.engine.grains.x).all()
        bits.add(fingerprint(sim.engine))
    assert len(bits) == 1
    free = sim.engine.state.wall_pairs.free
    assert 0 < np.count_nonzero(free) <= len(free)
