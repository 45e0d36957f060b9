"""Energy of a gas over very long runs: does it drift, or does it walk at random?

Sixty elastic, frictionless rods in a periodic cube (volume fraction 0.2) under the regularised rule, with fifty steps in a contact time, from several
seeds. The integrator is symplectic where forces are smooth; a contact's force has a kink where it begins and ends, so each collision leaves an error
in the energy. Errors that do not know of each other make a random walk: neighbouring parts of a run are not correlated, the spread over seeds at the
end is what so many independent steps make, and the mean stays within its standard error of zero. A drift shows in the mean.

    python jobs/campaigns/energy/drift.py run        # the runs that drift.jsonl has not yet, each of some seconds to a minute
    python jobs/campaigns/energy/drift.py collect    # means, spreads and correlations in docs/validation.md
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI
from scipy import stats

from pardem.case import Case
from pardem.simulation import Simulation

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bulk"))
from page import table, write

TABLE = Path(__file__).resolve().with_name("drift.jsonl")
PARTS = ((50, 1_000_000), (100, 2_000_000), (50, 10_000_000))  # steps in a contact time, steps
SEEDS = 10
RODS, LENGTH, RADIUS, DENSITY = 60, 1.0, 0.25, 1000.0  # m, m, kg/m^3
FRACTION = 0.2  # volume of the rods over that of the cube
SPEED = 1.0  # m/s, of each rod at the start, in a random direction
CONTACT_TIME = 5e-3  # s
ROWS = 100  # energies kept of a run
DIGITS = 4


def gas(seed: int, per_contact: int) -> Case:
    """The case of one run; ``per_contact``: steps in a contact time."""
    volume = np.pi * RADIUS**2 * LENGTH + 4.0 / 3.0 * np.pi * RADIUS**3
    side = float((RODS * volume / FRACTION) ** (1.0 / 3.0))
    return Case(
        seed=seed, gravity=(0.0, 0.0, 0.0), time={"step": CONTACT_TIME / per_contact},
        domain={"lower": (0.0,) * 3, "upper": (side,) * 3, "periodic": (True,) * 3},
        species=[{"name": "rod", "shape": "spherocylinder", "length": LENGTH, "radius": RADIUS, "density": DENSITY}],
        insert=[{"species": "rod", "count": RODS, "region": {"kind": "periodic"}}],
        contact={"law": "elastic", "contact_time": CONTACT_TIME}, stage=[{"name": "gas", "kind": "run", "steps": 2**53}],
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


def run() -> None:
    """Make the runs that the table has not, a row each as it ends."""
    there = {(row["seed"], row["steps"], row["per_contact"]) for row in read()}
    for per_contact, steps in PARTS:
        for seed in range(1, SEEDS + 1):
            if (seed, steps, per_contact) in there:
                continue
            found = [float(f"{error:.{DIGITS - 1}e}") for error in errors(seed, per_contact, steps)]
            with open(TABLE, "a") as file:
                file.write(json.dumps({"seed": seed, "steps": steps, "per_contact": per_contact, "errors": found}) + "\n")
            print(f"{steps} steps of t_c/{per_contact}, seed {seed}: {found[-1]:+.2e}", flush=True)


def read() -> list[dict]:
    """The rows of the table."""
    return [json.loads(line) for line in TABLE.read_text().splitlines()] if TABLE.exists() else []


def text(rows: list[dict]) -> str:
    """What docs/validation.md says: for each length and step, mean and spread over seeds at the end, and whether the way there is a random walk.

    Args:
        rows: of the table.
    """
    cells, ends = [], {}
    for per_contact, steps in PARTS:
        error = np.array([row["errors"] for row in rows if (row["steps"], row["per_contact"]) == (steps, per_contact)])
        if len(error) < 2:
            continue
        seeds, mean, spread = len(error), error[:, -1].mean(), error[:, -1].std(ddof=1)
        low, high = stats.t.interval(0.95, seeds - 1, mean, spread / np.sqrt(seeds))
        least, most = spread * np.sqrt((seeds - 1) / stats.chi2.ppf([0.975, 0.025], seeds - 1))
        changes = np.diff(error, axis=1, prepend=0.0)
        linked = stats.pearsonr(changes[:, :-1].ravel(), changes[:, 1:].ravel())
        below, above = linked.confidence_interval()
        expected = changes.std() * np.sqrt(ROWS)
        ends[per_contact, steps] = spread, low <= 0.0 <= high, least <= expected <= most, below <= 0.0 <= above
        cells.append([
            f"{steps:.0e}", f"t_c/{per_contact}", str(seeds), f"{mean:+.1e} ({low:+.1e} to {high:+.1e})",
            f"{spread:.1e} ({least:.1e} to {most:.1e})", f"{expected:.1e}",
            f"{linked.statistic:+.2f} ({below:+.2f} to {above:+.2f})",
        ])  # fmt: skip
    head = [
        "steps", "step", "seeds", "mean change of the energy, relative (95 % interval)", "standard deviation (95 % interval)",
        "that of a random walk", "correlation of neighbouring hundredths of a run (95 % interval)",
    ]  # fmt: skip
    _, centred, walks, free = (all(what) for what in zip(*ends.values(), strict=True))
    said = [
        f"Zero lies within {'every interval' if centred else 'not every interval'} of the mean. The standard deviation of a random walk is ten times"
        f" that of the changes in a hundredth of a run; it lies within {'every interval' if walks else 'not every interval'} of the measured one."
        f" Neighbouring changes are {'not correlated' if free else 'correlated'}."
    ]
    (coarse, long), (fine, twice) = PARTS[0], PARTS[1]
    if (coarse, long) in ends and (fine, twice) in ends:
        factor = ends[coarse, long][0] / ends[fine, twice][0]
        said.append(f"Half the step over the same time makes the spread {factor:.1f} times smaller (dt^(3/2): 2.8).")
    return table(head, cells) + "\n" + " ".join(said)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "collect"])
    if parser.parse_args().what == "run":
        run()
    else:
        write("energy", text(read()))


if __name__ == "__main__":
    main()
