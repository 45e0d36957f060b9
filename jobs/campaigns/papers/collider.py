"""The collider of paper 003, table 1: two rows of ten grains meet head on; errors of energy, momentum and angular momentum after 20 s.

    python jobs/campaigns/papers/papers.py run collider            # what is missing in collider.csv
    python jobs/campaigns/papers/collider.py --write FOLDER        # case files, for pardem run

Mass 1 kg, stiffness 1e4 N/m, elastic, contacts superposed over all pairs of features. The paper gives no sizes, speeds or spins; chosen here:
sphero-radius 0.1 m, speed 1 m/s, each row along its own velocity, 1.2 m between neighbours, sideways at random within 0.2 m, orientations at random,
spins from a normal distribution of 1 rad/s along each axis. After the collisions the grains fly apart in empty space.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table_rows import append_row, missing

from pardem import Case, Shape, Simulation
from pardem.case.canonical import to_toml

RADIUS = 0.1  # sphero-radius (m)
MASS = 1.0  # kg
STIFFNESS = 1e4  # N/m
SPEED = 1.0  # m/s
SPACING = 1.2  # m between neighbours of a row, and between the rows' heads
OFFSET = 0.2  # m, largest displacement sideways
SPIN = 1.0  # rad/s, standard deviation of each component
SHAPES: dict[str, tuple[str, dict[str, float]]] = {
    "rice": ("spherocylinder", {"length": 0.6}),
    "tetra": ("spherotetrahedron", {"edge": 0.6}),
    "yermis": ("yermis", {"edge": 0.4}),
}
STEPS, ROTATIONS, SEEDS, DURATION = (1e-4, 1e-5), ("fincham", "splitting"), (1, 2, 3, 4, 5), 20.0
KEYS = ("seed", "species", "step", "rotation")
PAPER = {  # dE/E, dp/p, dL/L
    ("rice", 1e-4): (3.6e-3, 2.1e-9, 2.0e-4), ("rice", 1e-5): (4.0e-4, 1.1e-10, 5.8e-5),
    ("tetra", 1e-4): (2.2e-3, 3.2e-9, 4.6e-5), ("tetra", 1e-5): (2.0e-4, 5.3e-10, 1.5e-6),
    ("yermis", 1e-4): (3.1e-2, 1.9e-9, 3.5e-3), ("yermis", 1e-5): (2.6e-3, 1.8e-10, 2.3e-4),
}  # fmt: skip


class Errors(NamedTuple):
    """Relative errors of the conservation laws; the reference is the sum at the start, for momenta the sum of their magnitudes.

    Attributes:
        energy: error of the energy at the end.
        worst: largest error of the energy at any sample.
        momentum: error of the momentum at the end.
        angular: error of the angular momentum at the end.
        contacts: number of samples at which there was a contact.
    """

    energy: float
    worst: float
    momentum: float
    angular: float
    contacts: int


def collider(species: str, step: float, duration: float, rotation: str = "splitting", grains: int = 10, seed: int = 1) -> Case:
    """Build the case of one row of the table.

    Args:
        species: ``rice``, ``tetra`` or ``yermis``.
        step: time step (s).
        duration: simulated time (s).
        rotation: rotational integrator, ``splitting`` or ``fincham``.
        grains: number of grains in each of the two rows.
        seed: seed of the random numbers.

    Returns:
        The case.
    """
    kind, length = SHAPES[species]
    volume = getattr(Shape, kind)(radius=RADIUS, **length).mass_properties(density=1.0).mass
    grain = {"name": species, "shape": kind, "density": MASS / volume, "radius": RADIUS} | length
    random = np.random.default_rng(seed)
    given = []
    for side in (-1.0, 1.0):
        for k in range(grains):
            sideways = random.uniform(-OFFSET, OFFSET, 2)
            turn = random.normal(size=4)
            given.append({
                "species": species, "position": (side * SPACING * (k + 0.5), *sideways.tolist()), "velocity": (-side * SPEED, 0.0, 0.0),
                "orientation": tuple((turn / np.linalg.norm(turn)).tolist()), "angular_velocity": tuple(random.normal(0.0, SPIN, 3).tolist()),
            })  # fmt: skip
    far = SPACING * grains + 6.0 * SPEED * duration
    return Case(
        title=f"collider: {species}", gravity=(0.0, 0.0, 0.0), time={"step": step, "rotation": rotation},
        domain={"lower": (-far, -far, -far), "upper": (far, far, far)}, species=[grain], grain=given,
        contact={"interaction": "superposition", "law": "elastic", "normal_stiffness": STIFFNESS},
        stage=[{"name": "collide", "kind": "run", "time": duration}], output={"observables": {"energy_budget": False}},
    )  # fmt: skip


def sums(sim: Simulation) -> tuple[np.ndarray, np.ndarray, float]:
    """Momentum (kg m/s), angular momentum about the origin (kg m^2/s), and the sum of the lengths of all momenta."""
    g = sim.engine.grains
    p = g.v[:, 3:] * g.v[:, :3]
    angular = np.cross(g.x[:, :3], p) + g.am[:, :3]
    return exact(p), exact(angular), float(np.linalg.norm(p, axis=1).sum())


def exact(rows: np.ndarray) -> np.ndarray:
    """Sums of columns, rounded once."""
    return np.array([math.fsum(column) for column in rows.T])


def collide(case: Case, interval: float = 0.01) -> Errors:
    """Run a collider on one rank.

    Args:
        case: case made by `collider`.
        interval: time between two samples of the energy (s).

    Returns:
        The errors of the conservation laws.
    """
    sim = Simulation(case, MPI.COMM_SELF)
    p0, l0, size = sums(sim)
    energy, start, worst, contacts = 0.0, float(sim.observables()["energy/total"]), 0.0, 0
    every = max(1, round(interval / case.time.step))
    while sim.proceed:
        sim.step(every, observe=True)
        found = sim.observables()
        energy = abs(float(found["energy/total"]) / start - 1.0)
        worst = max(worst, energy)
        contacts += int(found["coordination"] > 0.0)
    p, angular, _ = sums(sim)
    return Errors(energy, worst, float(np.linalg.norm(p - p0)) / size, float(np.linalg.norm(angular - l0) / np.linalg.norm(l0)), contacts)


def fill(table: Path, steps: Sequence[float] = STEPS, seeds: Sequence[int] = SEEDS, duration: float = DURATION, grains: int = 10) -> None:
    """Do the runs that a table lacks; each appends its row.

    Args:
        table: the table; made if need be.
        steps: time steps (s).
        seeds: of the grains' places, orientations and spins.
        duration: simulated time (s).
        grains: number of grains in each of the two rows.
    """
    for key in missing(table, KEYS, wanted(steps, seeds)):
        seed, species, step, rotation = key
        errors = collide(collider(species, step, duration, rotation, grains, seed))
        append_row(table, [*KEYS, *Errors._fields], [*key, *map(repr, errors)])


def wanted(steps: Sequence[float] = STEPS, seeds: Sequence[int] = SEEDS) -> list[tuple[int, str, float, str]]:
    """Keys of all rows: seed, species, step (s), rotational integrator.

    Args:
        steps: time steps (s).
        seeds: of the starts.
    """
    return list(product(seeds, SHAPES, steps, ROTATIONS))


def main() -> None:
    """Write case files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="FOLDER", required=True, help="write the case files there")
    chosen = parser.parse_args()
    for seed, species, step, rotation in wanted(seeds=[chosen.seed]):
        case = collider(species, step, DURATION, rotation, seed=seed)
        (chosen.write / f"collider_{species}_{step:g}_{rotation}.toml").write_text(to_toml(case.model_dump(exclude_none=True)))


if __name__ == "__main__":
    main()
