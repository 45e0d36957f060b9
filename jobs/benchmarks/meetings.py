"""What a pair of cubes costs by how the two meet, under `superposition`: in turns with another version, and the table made of it.

    python jobs/benchmarks/meetings.py measure --against ../older     # all meetings, in turns with another working copy
    python jobs/benchmarks/meetings.py page                           # docs/performance.md from meetings.csv

Pairs of cubes lie apart from each other, all in the same way but for small turns, and hardly move. What they take while they do not touch, of motion
and of candidates that are passed over, is subtracted.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pages import PAGE, add_rows, by_call, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, printed, processor, spread, version_of

TABLE = Path(__file__).resolve().with_name("meetings.csv")
PART = ("<!-- meetings -->\n", "<!-- end of meetings -->")
COLUMNS = ("call", "version", "processor", "meeting", "contacts a pair", "turns", "median (ns)", "least (ns)", "most (ns)")
SIDE, RADIUS = 0.8, 0.1  # of the cubes of `pardem bench` (m)
PAIRS = 400
STEP, SPEED = 2e-7, 0.2  # s, m/s: the cubes approach each other from nearly nothing, and stay in contact for many thousand steps
SETTLE = 1000  # steps


def about(angle: float, *axis: float) -> tuple[float, ...]:
    """Quaternion of a rotation about an axis of any length (rad)."""
    return (np.cos(0.5 * angle), *(np.sin(0.5 * angle) * np.array(axis) / np.linalg.norm(axis)))


STRAIGHT, QUARTER = (1.0, 0.0, 0.0, 0.0), about(np.pi / 4, 0.0, 0.0, 1.0)
EDGE_UP, EDGE_ACROSS, CORNER_UP = about(np.pi / 4, 1.0, 0.0, 0.0), about(np.pi / 4, 0.0, 1.0, 0.0), about(np.arccos(3.0**-0.5), 1.0, -1.0, 0.0)
FACES = "face on face, turned by 45 degrees"
# orientations (quaternions) of the lower and the upper cube, and where the upper one lies sideways (sides)
MEETINGS = {
    "apart": (STRAIGHT, CORNER_UP, (0.05, 0.03)),
    "corner on face": (STRAIGHT, CORNER_UP, (0.05, 0.03)),
    "edge across edge": (EDGE_UP, EDGE_ACROSS, (0.0, 0.0)),
    "corner on edge": (EDGE_UP, CORNER_UP, (0.05, 0.0)),
    "corner on corner": (CORNER_UP, CORNER_UP, (0.0, 0.0)),
    FACES: (STRAIGHT, QUARTER, (0.0, 0.0)),
}


def _height(q: NDArray[np.float64]) -> float:
    """Of the highest corner of the core of a cube above its centre, which by symmetry is the depth of the lowest one (m)."""
    from pardem.shapes.rotations import matrices  # of the version that is measured

    return float(0.5 * SIDE * np.abs(matrices(q[None] / np.linalg.norm(q))[0, 2]).sum())


def nanoseconds(meeting: str, steps: int) -> tuple[float, float]:
    """CPU time of a pair and step (ns), and contacts a pair.

    Args:
        meeting: name.
        steps: number of steps of a measurement, of which the fastest of five counts.
    """
    from mpi4py import MPI

    from pardem import Simulation
    from pardem.case import Case

    lower, upper, sideways = MEETINGS[meeting]
    rng, wide = np.random.default_rng(1), int(np.ceil(PAIRS**0.5))
    positions, orientations = [], []
    for k in range(PAIRS):
        turned = [np.array(q) + 1e-5 * rng.normal(size=4) * (meeting != FACES) for q in (lower, upper)]
        gap = 2.0 * RADIUS + (0.02 if meeting == "apart" else 1e-4) * RADIUS
        place = 3.0 * np.array([k % wide, k // wide, 0.0])
        positions += [place, place + np.array([*(SIDE * np.array(sideways)), _height(turned[0]) + _height(turned[1]) + gap])]
        orientations += turned
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "grains.npz"
        velocity = np.zeros((2 * PAIRS, 3))
        velocity[1::2, 2] = -SPEED
        np.savez(table, species=np.zeros(2 * PAIRS, np.int64), position=np.array(positions), orientation=np.array(orientations), velocity=velocity)
        volume = (SIDE + 2.0 * RADIUS) ** 3
        case = Case(
            gravity=(0.0, 0.0, 0.0), time={"step": STEP}, domain={"lower": (-3.0,) * 3, "upper": (3.0 * wide, 3.0 * wide, 6.0)},
            species=[{"name": "grain", "density": 1.0 / volume, "shape": "cube", "side": SIDE, "radius": RADIUS}], grains_file=str(table),
            contact={
                "law": "viscoelastic", "normal_stiffness": 2e4, "tangential_stiffness": 6e3, "normal_damping": 10.0, "tangential_damping": 5.0,
                "friction": 0.5, "interaction": "superposition", "clamped": False,
            },
            stage=[{"name": "stay", "kind": "run", "steps": 10**9}], output={"observables": {"energy_budget": False}},
            detection={"skin": 0.5 * RADIUS},
        )  # fmt: skip
        sim = Simulation(case, MPI.COMM_SELF)
    sim.step(SETTLE, observe=True)
    contacts = sim.observables()["contacts_per_grain"]
    times = []
    for _ in range(5):
        begin = time.process_time()
        sim.step(steps)
        times.append(1e9 * (time.process_time() - begin) / (steps * PAIRS))
    return min(times), 2.0 * float(contacts)


def measure(trees: list[Path], turns: int, steps: int) -> None:
    """Measure all meetings in turns and add rows to the table.

    Args:
        trees: working copies.
        turns: how often each is measured, in a process of its own.
        steps: number of steps of a measurement.
    """
    call, words = now(), [str(Path(__file__).resolve()), "one", "--steps", str(steps)]
    found = in_turns(trees, turns, lambda tree: printed(tree, words))
    rows = []
    for meeting in MEETINGS:
        for tree in trees:
            times, contacts = zip(*(done[meeting] for done in found[tree]), strict=True)
            rows.append([call, version_of(tree), processor(), meeting, f"{contacts[-1]:.3g}", turns, *spread(times)])
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The table of the page: what the newest call measured.

    Args:
        rows: those of meetings.csv.
    """
    call, measured = next(iter(by_call(rows).items()))
    versions = list(dict.fromkeys(row["version"] for row in measured))
    of = {(row["version"], row["meeting"]): float(row["median (ns)"]) for row in measured}
    head = ["two cubes", "contacts", *(f"{v}: ns a step beyond those apart" for v in versions), "of which a contact"]
    head += [f"{versions[0]} over {v}, in speed" for v in versions[1:]]
    lines = []
    for row in measured[:: len(versions)]:
        meeting, number = row["meeting"], float(row["contacts a pair"])
        beyond = [of[v, meeting] - of[v, "apart"] for v in versions]
        if meeting == "apart":
            cells = ["0", *(f"({of[v, meeting]:.0f} in all)" for v in versions), "", *([""] * (len(versions) - 1))]
        else:
            cells = [f"{number:.3g}", *(f"{x:.0f}" for x in beyond), f"{beyond[0] / number:.0f}", *(f"{x / beyond[0]:.2f}" for x in beyond[1:])]
        lines.append([meeting, *cells])
    title = f"**{call} UTC**, {measured[0]['processor']}, one core, medians of {measured[0]['turns']} turns"
    return "\n".join([title, "", *table(head, lines)]) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "one", "page"])
    parser.add_argument("--against", type=Path, help="another working copy")
    parser.add_argument("--turns", type=int, default=5, help="how often each is measured")
    parser.add_argument("--steps", type=int, default=1000, help="steps of a measurement")
    arguments = parser.parse_args()
    if arguments.what == "page":
        put_into_page(PAGE, PART, text(read_rows(TABLE)))
    elif arguments.what == "one":
        print(json.dumps({meeting: nanoseconds(meeting, arguments.steps) for meeting in MEETINGS}))
    else:
        measure([ROOT, *([arguments.against.resolve()] if arguments.against else [])], arguments.turns, arguments.steps)


if __name__ == "__main__":
    main()
