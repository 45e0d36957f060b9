"""The penetration test of Dosta et al., Comput. Phys. Commun. 296 (2024) 109066: a steel ball hits beds of 2 mm beads.

    python jobs/campaigns/bulk/penetration.py run FOLDER                  # ten beds of 25 000 beads on one rank; goes on from where it was stopped
    python jobs/campaigns/bulk/penetration.py run FOLDER --ranks 8        # eight beds at a time
    python jobs/campaigns/bulk/penetration.py run FOLDER --beads 100000   # the other sizes of the benchmark (a folder each)
    python jobs/campaigns/bulk/penetration.py status FOLDER
    python jobs/campaigns/bulk/penetration.py collect FOLDER              # tables beside this file, figure and text in docs/
    python jobs/campaigns/bulk/penetration.py collect FOLDER --beads 100000

Each bed goes through three campaigns (`pardem campaign`), whose studies, results and tables are in FOLDER: `pour` (beads fall into the box with a
tenth of their Young's modulus), `rest` (the bed comes to rest with the true one) and `impact` (the test). Each starts from the results of the one
before. `collect` may be called at any time: it adds the beds that are ready to the tables, and `run` leaves out beds that are in the tables, so that
another machine goes on from them without the results.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from penetration_tables import beds_of

sys.path.append(str(Path(__file__).resolve().parents[1]))
from study_runs import campaign

HERE = Path(__file__).resolve().parent / "penetration"
CASES = {"pour": "pour.toml", "rest": "base.toml", "impact": "impact.toml"}
FLOOR, VOLUME_FRACTION, AREA, BEAD = -0.090243, 0.25, 0.1 * 0.06, 4.0 / 3.0 * 3.141592653589793 * 1e-9  # m, 1, m^2, m^3
SURFACE = [("surface", "measures.py:surface", "m")]
MEASURES: dict[str, list[tuple[str, str, str]]] = {
    "pour": SURFACE,
    "rest": [*SURFACE, ("density", "", "1"), ("coordination", "", "1"), ("energy", "energy/kinetic_translational", "J")],
    "impact": [
        ("deepest", "measures.py:deepest", "m"), ("deepest_time", "measures.py:deepest_time", "s"),
        ("rebound", "measures.py:rebound", "m/s"), ("last", "measures.py:last", "m"),
    ],
}  # fmt: skip


def results(folder: Path, step: str) -> dict[int, Path]:
    """Results of the finished runs of a step, by seed."""
    table = folder / f"{step}.csv"
    if not table.exists():
        return {}
    with table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "finished"]
    return {int(row["seed"]): folder / f"{step}.runs" / row["id"] / "result.h5" for row in rows}


def study(folder: Path, step: str, beads: int, seeds: list[int], more: Mapping[str, object]) -> str:
    """The study of a step, for `pardem campaign`.

    Args:
        folder: of the results.
        step: one of `CASES`.
        beads: number of beads.
        seeds: of the beds.
        more: further settings of its case, by dotted keys.
    """
    settings = dict(more)
    if step == "pour":
        top = FLOOR + beads * BEAD / (VOLUME_FRACTION * AREA)
        settings = {"insert.beads.count": beads, "insert.beads.region.upper.2": round(top, 4)} | settings
    lines = [f'title = "penetration test: {step}"', f"case = {json.dumps(str(HERE / CASES[step]))}"]
    lines.append(f"set = {{ {', '.join(f'{json.dumps(key)} = {json.dumps(value)}' for key, value in settings.items())} }}")
    if step == "pour":
        lines += ["[[axis]]", 'key = "seed"', f"values = {seeds}"]
    else:
        before = results(folder, "pour" if step == "rest" else "rest")
        values = [[seed, str(before[seed])] for seed in seeds if seed in before]
        lines += ["[[axis]]", 'keys = ["seed", "start.from"]', 'names = ["seed", "bed"]', f"values = {json.dumps(values)}"]
    for name, source, unit in MEASURES[step]:
        what = f"function = {json.dumps(str(HERE / source))}" if ".py:" in source else f'observable = "{source or name}"'
        lines += ["[[measure]]", f'name = "{name}"', what, f'unit = "{unit}"']
    return "\n".join(lines) + "\n"


def run(folder: Path, beads: int, beds: int, ranks: int, more: Mapping[str, Mapping[str, object]] = MappingProxyType({})) -> None:
    """Do what is left, as many beds at a time as there are ranks, so that the first are ready before the last have begun.

    Args:
        folder: of the results.
        beads: number of beads.
        beds: number of beds; their seeds are 1, 2, ... Those in the table are left out.
        ranks: number of ranks, each with a bed of its own.
        more: further settings, by step and dotted key.
    """
    folder.mkdir(parents=True, exist_ok=True)
    begun = {seed for step in CASES for seed in results(folder, step)}  # what a study holds stays in it
    seeds = sorted(begun | (set(range(1, beds + 1)) - set(beds_of(beads))))
    if not seeds:
        print(f"The table holds {beds} beds of {beads} beads already; --beds asks for more.")
        return
    for most in range(min(ranks, len(seeds)), len(seeds) + ranks, ranks):
        for step in CASES:
            path = folder / f"{step}.toml"
            wanted = [seed for k, seed in enumerate(seeds) if k < most or seed in results(folder, step)]
            path.write_text(study(folder, step, beads, wanted, more.get(step, {})))
            campaign(path, ranks)


def status(folder: Path) -> None:
    """Say how far the campaigns are."""
    for step in CASES:
        if (folder / f"{step}.toml").exists():
            print(f"{step}: ", end="", flush=True)
            subprocess.run([sys.executable, "-m", "pardem", "campaign", "status", str(folder / f"{step}.toml")], check=False)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "status", "collect"])
    parser.add_argument("folder", type=Path, help="folder of studies, results and tables")
    parser.add_argument("--beads", type=int, default=25_000, help="number of beads: 25 000, 50 000 or 100 000 in the benchmark")
    parser.add_argument("--beds", type=int, default=10, help="number of beds")
    parser.add_argument("--ranks", type=int, default=1, help="number of MPI ranks, each with a bed of its own")
    arguments: Any = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.what == "run":
        run(folder, arguments.beads, arguments.beds, arguments.ranks)
    elif arguments.what == "status":
        status(folder)
    else:
        from penetration_report import collect

        collect(results(folder, "impact"), folder, arguments.beads)


if __name__ == "__main__":
    main()
