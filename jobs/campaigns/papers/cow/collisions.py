"""Two cows collide under `superposition` and under `minima`: change of the energy, and what the energy budget lacks, against the step.

Either rule meets the same collisions, with orientations and offsets drawn by the number of the collision:

    python jobs/campaigns/papers/papers.py run cow/collisions         # what is missing in collisions.csv
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from table_rows import append_row, missing

from pardem import Simulation
from pardem.case import Case

RULES = ("superposition", "minima")
FRICTION = {0.0: (8e-4, 2e-4, 5e-5), 0.4: (8e-4, 1e-4)}  # steps (s) by coefficient
COLLISIONS = 24
STIFFNESS, SHARE = 1e4, 0.15  # N/m; tangential stiffness over it
DURATION = 2.4  # s, in which cows that are 4 m apart meet and part
KEYS = ("rule", "friction", "step", "collision")
Key = tuple[str, float, float, int]


def meeting(rule: str, friction: float, step: float, collision: int) -> Case:
    """The case of one collision: cows that approach each other at 2 m/s, drawn by its number."""
    dice = np.random.default_rng(collision)
    turns, aside = dice.uniform(-np.pi, np.pi, 2), dice.uniform(-1.0, 1.0)
    contact = {"law": "viscoelastic", "interaction": rule, "normal_stiffness": STIFFNESS, "friction": friction}
    grains = [
        {"species": "cow", "position": (2.0 * side, 0.5 * side * aside), "velocity": (-side, 0.0), "orientation": float(turn)}
        for side, turn in zip((-1.0, 1.0), turns, strict=True)
    ]
    return Case(
        dimension=2, gravity=(0.0, 0.0), time={"step": step}, domain={"lower": (-50.0, -50.0), "upper": (50.0, 50.0)},
        species=[{"name": "cow", "shape": "cow", "radius": 0.1, "length": 3.0, "density": 1.0}], grain=grains,
        contact=contact | ({"tangential_stiffness": SHARE * STIFFNESS} if friction else {}),
        stage=[{"name": "meet", "kind": "run", "time": DURATION}],
    )  # fmt: skip


def outcome(rule: str, friction: float, step: float, collision: int) -> tuple[float, float, float, float]:
    """Carry out a collision.

    Args:
        rule: interaction.
        friction: coefficient.
        step: time step (s).
        collision: its number.

    Returns:
        Change of the energy and residual of the budget, over the energy at first; elastic energy at the end over it; CPU time (s).
    """
    began = time.process_time()
    sim = Simulation(meeting(rule, friction, step, collision), MPI.COMM_SELF)
    sim.step(1, observe=True)
    start = float(sim.observables()["energy/total"])
    sim.step(round(DURATION / step) - 1, observe=True)
    end = sim.observables()
    found = [float(end[f"energy/{name}"]) / start for name in ("total", "residual", "elastic")]
    return found[0] - 1.0, found[1], found[2], time.process_time() - began


def wanted() -> list[Key]:
    """Keys of all rows: rule, friction, step (s), number of the collision."""
    return [(rule, mu, step, k) for mu, steps in FRICTION.items() for rule in RULES for step in steps for k in range(COLLISIONS)]


def fill(table: Path, keys: Sequence[Key] | None = None) -> None:
    """Do the runs that a table lacks; each appends its row.

    Args:
        table: the table; made if need be.
        keys: of the rows; default: all.
    """
    left = missing(table, KEYS, keys or wanted())
    for rule in dict.fromkeys(rule for rule, *_ in left):
        outcome(rule, 0.0, 8e-4, 0)  # compiles
    for key in left:
        append_row(table, [*KEYS, "change", "residual", "elastic", "seconds"], [*key, *(f"{value:.4g}" for value in outcome(*key))])
