"""Grains of convex pieces: error of the energy of elastic collisions against the step, and the force of a ball over a seam between two pieces.

python jobs/campaigns/papers/papers.py run pieces/pieces         # what is missing in pieces.csv
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from table_rows import append_row, missing

from pardem import Simulation
from pardem.case import Case
from pardem.engine import Engine

STEPS = (2e-4, 1.25e-5)  # s
DURATION, INTERVAL = 0.16, 2e-4  # s
EPS, RADIUS, TIME = 0.03, 0.1, 0.02  # regularisation, sphero-radius (m), contact time (s)
BALL, REACH, STIFFNESS = 0.5, 0.6, 1e5  # radius of the ball, sum of the radii (m); N/m
OVERLAPS = (0.002, 0.01, 0.05)  # m
PLACES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.1)  # over x_0 = sqrt(2 REACH overlap)
KEYS = ("what", "at", "of")
Key = tuple[str, float, float]
Box = tuple[Sequence[float], Sequence[float]]


def box(low: Sequence[float], high: Sequence[float]) -> list[tuple[float, ...]]:
    """Corners of a box along the axes."""
    return [tuple((low, high)[bit >> axis & 1][axis] for axis in range(3)) for bit in range(8)]


ARMS = [box((0.0, 0.0, 0.0), (1.2, 0.4, 0.4)), box((0.0, 0.4, 0.0), (0.4, 1.2, 0.4))]  # m
HALVES: list[Box] = [((-0.8, -0.8, -0.4), (0.0, 0.8, 0.0)), ((0.0, -0.8, -0.4), (0.8, 0.8, 0.0))]
AROUND = (0.0, 0.0, 0.0, 1.0)


def _ell(position: Sequence[float], velocity: Sequence[float], turn: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> dict[str, Any]:
    return {"species": "ell", "position": position, "velocity": velocity, "orientation": turn}


COLLISIONS: dict[str, list[dict[str, Any]]] = {
    "arm in corner": [_ell((0, 0, 0), (0.3, 0.02, 0)), _ell((0.915, 0.6, 0.1), (-0.3, 0, 0.02), AROUND)],
    "side by side": [
        _ell((0, 0, 0), (0, 0, 0.4)), _ell((0.1, 0.05, 0.61), (0.02, 0, -0.4), (math.cos(0.15), 0.0, 0.0, math.sin(0.15))),
    ],
    "flat on a plane": [_ell((0, 0, 0.305), (0.2, 0, -0.8))],
}  # fmt: skip
FLOOR = {"name": "floor", "kind": "plane", "point": (0.0, 0.0, 0.0), "normal": (0.0, 0.0, 1.0)}


def _case(**tables: Any) -> Case:
    return Case(
        gravity=(0.0, 0.0, 0.0), domain={"lower": (-5.0, -5.0, -2.0), "upper": (5.0, 5.0, 5.0)},
        stage=[{"name": "meet", "kind": "run", "time": DURATION}], **tables,
    )  # fmt: skip


def collision(name: str, step: float) -> float:
    """Largest change of the energy over it, at equal times for all steps.

    Args:
        name: of the collision.
        step: time step (s).
    """
    species = [{"name": "ell", "shape": "compound", "pieces": ARMS, "radius": RADIUS, "density": 1e3}]
    walls = [FLOOR] if name == "flat on a plane" else []
    contact = {"law": "elastic", "contact_time": TIME, "eps": EPS}
    sim = Simulation(_case(species=species, grain=COLLISIONS[name], wall=walls, contact=contact, time={"step": step}), MPI.COMM_SELF)
    sim.step(1, observe=True)
    start, worst = float(sim.observables()["energy/total"]), 0.0
    for _ in range(round(DURATION / INTERVAL)):
        sim.step(round(INTERVAL / step), observe=True)
        worst = max(worst, abs(float(sim.observables()["energy/total"]) / start - 1.0))
    return worst


def seam(share: float, overlap: float) -> float:
    """Normal force on a ball on a tile that is cut across its middle, over that of the piece below the ball, which has a closed form.

    Args:
        share: distance from the cut over sqrt(2 REACH overlap).
        overlap: of the ball and the tile (m).
    """
    x = share * math.sqrt(2.0 * REACH * overlap)
    tile = {"name": "tile", "shape": "compound", "radius": RADIUS, "density": 1e3, "pieces": [box(*half) for half in HALVES]}
    species = [{"name": "ball", "shape": "sphere", "radius": BALL, "density": 1e3}, tile]
    grains = [{"species": "tile", "position": (0.0, 0.0, -0.2)}, {"species": "ball", "position": (x, 0.0, REACH)}]
    contact = {"law": "viscoelastic", "normal_stiffness": STIFFNESS, "eps": {"tile": EPS}}
    sim = Simulation(_case(species=species, grain=grains, contact=contact, time={"step": 1e-5}), MPI.COMM_SELF)
    g, catalogue = sim.engine.grains, sim.setup.catalogue
    tiled, ball = np.argsort(g.gid)
    g.x[ball, 2] -= overlap  # a case does not take grains that overlap
    engine = Engine(sim.partition, sim.engine.scene, g, sim.engine.contacts())
    engine.evaluate()
    g = engine.grains
    tiled, ball = np.argsort(g.gid)
    turn = catalogue.axes[1] @ Rotation.from_quat(g.q[tiled], scalar_first=True).as_matrix().T  # centre and axes of a compound are estimates
    place = catalogue.centre[1] + turn @ (g.x[ball, :3] - g.x[tiled, :3])
    return float((turn @ (g.ft[ball, :3] * engine.scene.settings.force))[2] / (STIFFNESS * on_a_half(place, HALVES[1])[2]))


def on_a_half(place: np.ndarray, half: Box, scale: float = 1.0) -> np.ndarray:
    """Overlap with one box times the direction of the force: the regularised minimum has no coupling between the axes of a box.

    Args:
        place: (3,) centre of the ball in the axes of the tile (m).
        half: lower and upper corner of the box (m).
        scale: factor on all lengths but ``place``.

    Returns:
        (3,) vector (m).
    """
    low, high = scale * np.array(half)
    middle = 0.5 * (low + high)
    foot = np.clip((place + EPS**2 * middle) / (1.0 + EPS**2), low, high)
    distance = math.sqrt(((place - foot) ** 2).sum() + EPS**2 * ((foot - middle) ** 2).sum())
    return np.asarray(max(0.0, scale * REACH - distance) / distance * (place - foot))


def wanted() -> list[Key]:
    """Keys of all rows: a collision and its step (s), or the seam, a place and an overlap (m)."""
    return [*((name, step, 0.0) for name in COLLISIONS for step in STEPS), *(("seam", share, deep) for deep in OVERLAPS for share in PLACES)]


def fill(table: Path, keys: Sequence[Key] | None = None) -> None:
    """Do the runs that a table lacks; each appends its row.

    Args:
        table: the table; made if need be.
        keys: of the rows; default: all.
    """
    for what, at, of in missing(table, KEYS, keys or wanted()):
        value = seam(at, of) if what == "seam" else collision(what, at)
        append_row(table, [*KEYS, "value"], [what, at, of, f"{value:.6g}"])
