#!/usr/bin/env python
"""A very long run: memory and open files must not grow, and the energy must be what it should.

    python jobs/campaigns/faults/soak.py [--steps 100000000] [--out soak.jsonl]

Two hundred spheres of two sizes on a shaken plate, in a box: contacts come and go, lists are rebuilt, frames, rows of observables and checkpoints
are written. Two hundred times the run notes its memory (RSS), its open descriptors, and the energies, as a line of JSON. Called again, it goes on
from its last checkpoint. The verdict, with exit status 1 if it fails:

* memory and descriptors of each start do not grow after its first fifth: the slope of a straight line over the rest, times the steps of the whole
  run, is less than a tenth of the memory, or one descriptor;
* the residual of the energy budget (what is held, less the work of the plate, and what was lost) stays below half a percent of the work;
* the bed is fluidised and steady: the mean kinetic energy of the last half is within a fifth of that of the half before.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from trials import commit, read_rows

from pardem.case import Case
from pardem.events import RunEvent
from pardem.run import run_case
from pardem.run_options import RunOptions

NOTES = 200
ROWS = 1000  # of observables, which a run keeps for the index of its result: with ten times as many these alone take a tenth of its memory
GROWTH, RESIDUAL, STEADY = 0.1, 5e-3, 0.2  # bounds of the verdict
Note = dict[str, Any]


def case_of(steps: int) -> Case:
    """The case.

    Args:
        steps: of the whole run.
    """
    plate = {"kind": "sinusoidal", "direction": (0.0, 0.0, 1.0), "gamma": 4.0, "frequency": 30.0}
    sides = [
        {"name": f"{side}_{axis}", "kind": "plane", "point": (at, at, 0.0), "normal": tuple(sign * float(k == axis) for k in range(3))}
        for axis in range(2) for side, at, sign in (("lower", 0.0, 1.0), ("upper", 0.012, -1.0))
    ]  # fmt: skip
    region = {"kind": "box", "lower": (0.0, 0.0, 1e-3), "upper": (0.012, 0.012, 0.03)}
    return Case(
        seed=1, gravity=(0.0, 0.0, -9.81), time={"step": 1e-5}, domain={"lower": (-1e-3, -1e-3, -5e-3), "upper": (0.013, 0.013, 1.0)},
        species=[{"name": "bead", "shape": "sphere", "radius": 0.75e-3, "density": 2500.0}],
        insert=[{"species": "bead", "count": 100, "region": region, "size": size} for size in (1.0, 0.8)],
        contact={"law": "viscoelastic", "restitution": 0.8, "contact_time": 4e-4, "friction": 0.3},
        wall=[{"name": "plate", "kind": "plane", "point": (0.0, 0.0, 0.0), "normal": (0.0, 0.0, 1.0), "motion": plate}, *sides],
        stage=[{"name": "shake", "kind": "run", "steps": steps}],
        output={"frame_steps": max(1, steps // 1000), "observable_steps": max(1, steps // ROWS), "checkpoint_steps": max(1, steps // NOTES)},
    )  # fmt: skip


def notes_to(out: Path) -> Callable[[RunEvent], None]:
    """Make the function that notes the state of the process at each checkpoint.

    Args:
        out: file of the notes.
    """
    began, page, version = time.monotonic(), os.sysconf("SC_PAGE_SIZE"), commit()

    def note(event: RunEvent) -> None:
        if event.kind not in ("checkpoint", "finished") or event.simulation is None:
            return
        energies = {name: float(value) for name, value in event.simulation.observables().items() if name.startswith("energy/")}
        rss = int(Path("/proc/self/statm").read_text().split()[1]) * page
        row = {"start": os.getpid(), "step": event.step, "rss": rss, "descriptors": len(os.listdir("/proc/self/fd"))}
        row |= {"commit": version, "day": f"{datetime.now(UTC):%Y-%m-%d}"}
        with out.open("a") as log:
            log.write(json.dumps(row | {"seconds": round(time.monotonic() - began, 1)} | energies) + "\n")

    return note


def growths(notes: list[Note], steps: int) -> list[tuple[str, float, float]]:
    """Growth of memory and descriptors over the whole run, as each start would have it.

    Args:
        notes: of the run.
        steps: of the whole run.

    Returns:
        For each quantity and each start that was long enough: its name, its growth, and the largest one allowed.
    """
    found = []
    for start in dict.fromkeys(note["start"] for note in notes):
        mine = [note for note in notes if note["start"] == start]
        mine = mine[len(mine) // 5 :]
        if len(mine) < 10:
            continue
        step = np.array([note["step"] for note in mine], dtype=float)
        for name, allowed in (("rss", GROWTH * mine[0]["rss"]), ("descriptors", 1.0)):
            slope = np.polyfit((step - step[0]) / steps, [float(note[name]) for note in mine], 1)[0]
            found.append((name, float(slope), allowed))
    return found


def judge(notes: list[Note], steps: int) -> tuple[list[str], bool]:
    """Judge the notes of a run.

    Args:
        notes: of the run.
        steps: of the whole run.

    Returns:
        Lines of text, and whether all is well.
    """
    lines, well = [], bool(notes) and notes[-1]["step"] >= steps
    lines.append(f"{notes[-1]['step'] if notes else 0} of {steps} steps, {len(notes)} notes, {len({note['start'] for note in notes})} starts")
    for name, growth, allowed in growths(notes, steps):
        lines.append(f"{name}: grows by {growth:.3g} over the whole run (allowed: {allowed:.3g})")
        well &= growth <= allowed
    known = [note for note in notes if np.isfinite(note["energy/residual"])]
    if len(known) < 8:
        return [*lines, "too few notes for a verdict on the energy"], False
    work = max(abs(note["energy/wall_work"]) for note in known)
    residual = max(abs(note["energy/residual"]) for note in known) / work
    lines.append(f"residual of the energy budget: {residual:.3g} of the work of the plate (allowed: {RESIDUAL:.3g})")
    kinetic = np.array([note["energy/kinetic_translational"] + note["energy/kinetic_rotational"] for note in known[len(known) // 10 :]])
    early, late = kinetic[: len(kinetic) // 2].mean(), kinetic[len(kinetic) // 2 :].mean()
    lines.append(f"kinetic energy: {early:.4g} J, then {late:.4g} J (allowed: {STEADY:.0%} apart)")
    return lines, bool(well and residual <= RESIDUAL and abs(late / early - 1.0) <= STEADY)


def main() -> int:
    """Run, or go on, and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10**8)
    parser.add_argument("--out", type=Path, default=Path("soak.jsonl"))
    parser.add_argument("--walltime", metavar="SECONDS", type=float, help="stop after this time, to be called again")
    arguments = parser.parse_args()
    notes = read_rows(arguments.out)
    if not notes or notes[-1]["step"] < arguments.steps:
        options = RunOptions(resume=True, walltime=arguments.walltime)
        run_case(
            case_of(arguments.steps), out=arguments.out.with_suffix(".h5"), comm=MPI.COMM_SELF, options=options, on_event=notes_to(arguments.out)
        )
    lines, well = judge(read_rows(arguments.out), arguments.steps)
    print("\n".join([*lines, "all is well" if well else "not all is well"]))
    return int(not well)


if __name__ == "__main__":
    sys.exit(main())
