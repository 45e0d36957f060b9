"""Tables of the penetration test, which stay with the project: one row a bed, and the heights of the ball against time.

Beds that another machine has struck are in them, so `collect` adds to the tables, and replaces the beds that the folder of results holds.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

TABLES = Path(__file__).resolve().parent / "penetration"
EVERY = 5  # rows of a result to one of the table of heights, as often as the codes of the benchmark tell
Beds = dict[int, dict[str, str]]


def path_of(what: str, beads: int) -> Path:
    """Path of a table.

    Args:
        what: "beds" or "heights".
        beads: number of beads of a bed.
    """
    return TABLES / f"{what}_{beads}.csv"


def beds_of(beads: int) -> Beds:
    """What is measured of the beds of a size, by seed and name; empty if there is no table."""
    path = path_of("beds", beads)
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {int(row["seed"]): row for row in csv.DictReader(file)}


def write_beds(beds: Beds, names: list[str], beads: int) -> None:
    """Write the table of beds.

    Args:
        beds: what is measured of each, by seed.
        names: of the columns, in order.
        beads: number of beads of a bed.
    """
    with path_of("beds", beads).open("w", newline="") as file:
        out = csv.DictWriter(file, ["seed", *names], extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows(beds[seed] | {"seed": str(seed)} for seed in sorted(beds))


def heights_of(beads: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Times (s) and heights of the ball by seed (m); empty if there is no table."""
    path = path_of("heights", beads)
    if not path.exists():
        return np.zeros(0), {}
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    columns = np.array(rows, np.float64).T
    seeds = {k: int(name.split()[1]) for k, name in enumerate(head) if name.startswith("bed ")}
    return columns[0], {seed: columns[k] for k, seed in seeds.items()}


def write_heights(times: np.ndarray, z: Mapping[int, np.ndarray], beads: int) -> None:
    """Write the table of heights: mean, standard deviation, and each bed.

    Args:
        times: (R,) times (s).
        z: (R,) heights of the centre of the ball, by seed (m).
        beads: number of beads of a bed.
    """
    every = np.round([z[seed] for seed in sorted(z)], 6)  # as the table tells them, so that it is the same however it has grown
    spread = every.std(axis=0, ddof=1) if len(every) > 1 else np.zeros(len(times))
    with path_of("heights", beads).open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["time (s)", "mean (m)", "standard deviation (m)", *(f"bed {seed} (m)" for seed in sorted(z))])
        for k, time in enumerate(times):
            out.writerow([f"{time:.4f}", f"{every[:, k].mean():.6f}", f"{spread[k]:.6f}", *(f"{x:.6f}" for x in every[:, k])])
