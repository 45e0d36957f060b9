"""Energy of a gas over very long runs: does it drift, or does it walk at random?

Sixty elastic, frictionless rods in a periodic cube (volume fraction 0.2) under the regularised rule, with fifty steps in a contact time, from several
seeds. The integrator is symplectic where forces are smooth; a contact's force has a kink where it begins and ends, so each collision leaves an error
in the energy. Errors that do not know of each other make a random walk: the spread over seeds grows as the square root of time and their mean stays
within its standard error of zero. A drift shows in the mean.

    python jobs/campaigns/energy/drift.py run --seeds 10 --steps 10000000      # goes on with the seeds that are not in the table yet
    python jobs/campaigns/energy/drift.py report                               # mean, spread, and the exponent of its growth
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from mpi4py import MPI
from scipy import stats

from pardem.case import Case
from pardem.simulation import Simulation

RODS, LENGTH, RADIUS, DENSITY = 60, 1.0, 0.25, 1000.0  # m, m, kg/m^3
FRACTION = 0.2  # volume of the rods over that of the cube
SPEED = 1.0  # m/s, of each rod at the start, in a random direction
CONTACT_TIME = 5e-3  # s
ROWS = 100  # energies kept of a run


def gas(seed: int, per_contact: int) -> Case:
    """The case of one run; ``per_contact``: steps in a contact time."""
    volume = np.pi * RADIUS**2 * LENGTH + 4.0 / 3.0 * np.pi * RADIUS**3
    side = float((RODS * volume / FRACTION) ** (1.0 / 3.0))
    return Case(
        seed=seed, gravity=(0.0, 0.0, 0.0), time={"step": CONTACT_TIME / per_contact},
        domain={"lower": (0.0,) * 3, "upper": (side,) * 3, "periodic": (True,) * 3},
        species=[{"name": "rod", "shape": "spherocylinder", "length": LENGTH, "radius": RADIUS, "density": DENSITY}],
        insert=[{"species": "rod", "count": RODS, "region": {"kind": "periodic"}}],
        contact={"law": "elastic", "contact_time": CONTACT_TIME}, stage=[{"name": "gas", "kind": "run", "steps": 2**62}],
        output={"observables": {"energy_budget": False}},
    )  # fmt: skip


def energy(sim: Simulation) -> float:
    """Kinetic and elastic energy (J) of an observed step."""
    values = sim.observables()
    return float(values["energy/kinetic_translational"] + values["energy/kinetic_rotational"] + values["energy/elastic"])


def errors(seed: int, per_contact: int, steps: int) -> list[float]:
    """Relative error of the energy after each of ``ROWS`` equal parts of a run."""
    sim = Simulation(gas(seed, per_contact), MPI.COMM_SELF)
    grains = sim.engine.grains
    direction = np.random.default_rng(seed).normal(size=(RODS, 3))[grains.gid]
    grains.v[:, :3] = SPEED * direction / np.linalg.norm(direction, axis=1)[:, None]
    sim.step(1, observe=True)
    start, out = energy(sim), []
    for _ in range(ROWS):
        sim.step(steps // ROWS, observe=True)
        out.append(energy(sim) / start - 1.0)
    return out


def run(table: Path, seeds: int, steps: int, per_contact: int) -> None:
    """Run the seeds that the table has not, a row each as it ends."""
    there = {(row["seed"], row["steps"], row["per_contact"]) for row in read(table)}
    for seed in range(1, seeds + 1):
        if (seed, steps, per_contact) in there:
            continue
        row = {"seed": seed, "steps": steps, "per_contact": per_contact, "errors": errors(seed, per_contact, steps)}
        with open(table, "a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"seed {seed}: {row['errors'][-1]:+.2e}", flush=True)


def read(table: Path) -> list[dict]:
    """The rows of a table."""
    return [json.loads(line) for line in table.read_text().splitlines()] if table.exists() else []


def report(table: Path) -> None:
    """Print, for each length and step, mean and spread over seeds at the end, and how the spread grew."""
    rows = read(table)
    for steps, per_contact in sorted({(row["steps"], row["per_contact"]) for row in rows}):
        error = np.array([row["errors"] for row in rows if (row["steps"], row["per_contact"]) == (steps, per_contact)])
        seeds, t = len(error), np.arange(1, ROWS + 1) / ROWS * steps
        mean, spread = error.mean(axis=0), error.std(axis=0, ddof=1)
        low, high = stats.t.interval(0.95, seeds - 1, mean[-1], spread[-1] / np.sqrt(seeds))
        growth = stats.linregress(np.log(t), np.log(spread))
        print(f"{steps} steps of t_c/{per_contact}, {seeds} seeds: relative change of the energy")
        print(f"  mean {mean[-1]:+.2e} (95 % interval {low:+.2e} to {high:+.2e}), standard deviation {spread[-1]:.2e}")
        print(f"  the standard deviation grows as steps^{growth.slope:.2f} (+-{1.96 * growth.stderr:.2f}; a random walk: 0.5)")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "report"])
    parser.add_argument("--table", type=Path, default=Path("drift.jsonl"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10**7)
    parser.add_argument("--per-contact", type=int, default=50)
    given = parser.parse_args()
    if given.what == "run":
        run(given.table, given.seeds, given.steps, given.per_contact)
    report(given.table)


if __name__ == "__main__":
    main()
