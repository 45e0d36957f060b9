"""Time of the shear cell against the range alpha of the lists (paper 000, figures 12 and 13): T = A/alpha^beta + B alpha^2 (eq 20).

A contact is listed within r_i + r_j + 2 alpha, so alpha is half of ``detection.skin``. CPU seconds of the process, of a second of shear; and, for
disks as in figure 12, what of them goes to forces and to the lists:

    python jobs/campaigns/papers/papers.py run shear/list_range         # what is missing in list_range.csv; on a machine that does nothing else
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from table_rows import append_row, missing

from pardem import Simulation
from pardem.bench import measure
from pardem.io.casefile import read_case

STEP = 1e-4  # s; the paper's 1e-5 resolves a contact by some thousand steps
LOAD, SHEAR = 3.0, 4.0  # s
RANGES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # m
DISKS = ("species.grain={ name = 'grain', shape = 'disk', radius = 0.65, density = 1.0 }",)
SPEEDS = (0.1, 0.4, 0.7, 1.0)  # m/s
KINDS = {"pentagons": SPEEDS, "disks": (0.4,)}
SETTINGS: dict[str, tuple[str, ...]] = {"pentagons": (), "disks": DISKS}
KEYS = ("grains", "speed", "alpha")


def seconds(settings: Sequence[str], speed: float, alpha: float, load: float = LOAD, shear: float = SHEAR) -> tuple[float, float, float]:
    """CPU seconds of a second of shear: all, forces, lists.

    Args:
        settings: as for ``--set``, that change the grains.
        speed: velocity of the plate (m/s).
        alpha: range (m).
        load: time under load before the shear (s).
        shear: time of the shear (s).
    """
    timing = [f"time.step={STEP}", f"stage.load.time={load}", f"stage.shear.time={shear}", f"detection.skin={2.0 * alpha}"]
    case = read_case(Path(__file__).parent / "pentagons.toml", [*settings, *timing, f"wall.upper.then.0.velocity=[{speed}, 0.0]"])
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(round(load / STEP))
    warmup, steps = round(0.1 / STEP), round((shear - 0.2) / STEP)
    figures = measure(sim.engine, sim.case, steps, warmup)
    spent = figures["cpu_seconds"] / (steps * STEP)
    return spent, spent * figures["share_contacts"], spent * figures["share_detection"]


def wanted() -> list[tuple[str, float, float]]:
    """Keys of all rows: grains, velocity (m/s), range (m)."""
    return [(grains, speed, alpha) for grains, speeds in KINDS.items() for speed in speeds for alpha in RANGES]


def fill(table: Path, keys: Sequence[tuple[str, float, float]] | None = None) -> None:
    """Do the runs that a table lacks; each appends its row.

    Args:
        table: the table; made if need be.
        keys: of the rows; default: all.
    """
    left = missing(table, KEYS, keys or wanted())
    for grains in dict.fromkeys(grains for grains, _, _ in left):
        seconds(SETTINGS[grains], SPEEDS[-1], RANGES[-1], 0.1, 0.4)  # compiles
    for grains, speed, alpha in left:
        spent = seconds(SETTINGS[grains], speed, alpha)
        append_row(table, [*KEYS, "seconds", "forces", "lists"], [grains, speed, alpha, *(f"{value:.6g}" for value in spent)])
