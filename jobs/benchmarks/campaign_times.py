"""What campaigns spend on anything but runs, and how long a trial of the flowability experiment takes; and the table made of it.

    python jobs/benchmarks/campaign_times.py measure                               # 1000 runs of a second on two ranks, and five trials
    python jobs/benchmarks/campaign_times.py measure pool --runs 20 --table try.csv    # a quick try, in another table
    python jobs/benchmarks/campaign_times.py measure trial --turns 3
    python jobs/benchmarks/campaign_times.py page                                  # docs/performance.md from campaign_times.csv

`pool` measures a campaign of many short runs by what `pardem campaign run` prints at its end: the share of time in which its ranks are in runs, and
the share of that which is neither steps nor their output. `trial` is one trial with 1126 beads of 5 mm (jobs/campaigns/flowability/trial.toml) as a
process of its own, from its start to its end. Kernels are in the cache.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pages import PAGE, add_rows, by_call, put_into_page, read_rows, table
from turns import ROOT, now, processor, spread, version_of

TABLE = Path(__file__).resolve().with_name("campaign_times.csv")
PART = ("<!-- campaigns -->\n", "<!-- end of campaigns -->")
COLUMNS = ("call", "version", "processor", "kind", "runs", "ranks", "turns", "median", "least", "most")
BUSY, START_UP, TRIAL = "ranks in runs (1)", "neither steps nor output (1)", "trial of 1126 beads (s)"
TRIAL_CASE = ROOT / "jobs" / "campaigns" / "flowability" / "trial.toml"
SAID = re.compile(r"busy for ([\d.]+)% of the time; ([\d.-]+)% of that was neither steps nor their output")
FIRST = 20_000  # steps from which the number that take the time wanted follows
CASE = """
gravity = [0.0, 0.0, -9.81]
time = { step = 2e-5 }
domain = { lower = [-11e-3, -11e-3, -2e-3], upper = [11e-3, 11e-3, 60e-3] }
contact = { restitution = 0.4, contact_time = 6e-4, friction = 0.2 }
species = [{ name = "bead", shape = "sphere", radius = 0.5e-3, density = 1900.0 }]
output = { observable_steps = 1000, frame_steps = 1000000000, checkpoint_minutes = 60.0, observables = { energy_budget = false } }
wall = [{ name = "box", kind = "box", lower = [-10e-3, -10e-3, 0.0], upper = [10e-3, 10e-3, 58e-3] }]
[[insert]]
species = "bead"
count = 400
region = { kind = "box", lower = [-10e-3, -10e-3, 0.0], upper = [10e-3, 10e-3, 20e-3] }
[[stage]]
name = "fall"
kind = "run"
steps = 1000
"""


def called(words: Sequence[str], folder: Path, ranks: int = 1) -> tuple[str, float]:
    """What a command of pardem prints to the error stream, and how long it takes (s).

    Args:
        words: the command and its arguments.
        folder: where it is called.
        ranks: number of its ranks.

    Raises:
        SystemExit: it failed.
    """
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    begin = time.perf_counter()
    command = [*launcher, sys.executable, "-m", "pardem", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"`pardem {' '.join(words)}` failed:\n{done.stderr[-2000:]}")
    return done.stderr, time.perf_counter() - begin


def campaign(folder: Path, runs: int, steps: int, ranks: int) -> tuple[str, float]:
    """Carry out a campaign in a new folder: the same bed under other seeds.

    Args:
        folder: the folder.
        runs: number of runs.
        steps: steps of each.
        ranks: number of ranks, each with a run of its own.
    """
    folder.mkdir()
    (folder / "bed.toml").write_text(CASE)
    study = f'case = "bed.toml"\nkeep_results = false\nset = {{ "stage.fall.steps" = {steps} }}\n[[axis]]\nkey = "seed"\nseeds = {runs}\n'
    (folder / "study.toml").write_text(f'{study}[[measure]]\nname = "kinetic"\nobservable = "energy/kinetic_translational"\n')
    return called(["campaign", "run", "study.toml"], folder, ranks)


def shares(said: str) -> tuple[float, float]:
    """The two shares that a campaign prints at its end.

    Args:
        said: what it prints.
    """
    found = SAID.search(said)
    if found is None:
        raise SystemExit(f"the campaign does not say how busy it was:\n{said[-2000:]}")
    return 0.01 * float(found[1]), 0.01 * float(found[2])


def measure_pool(runs: int, seconds: float, ranks: int, turns: int) -> list[list[Any]]:
    """Rows of the table: campaigns of short runs.

    Args:
        runs: number of runs of a campaign.
        seconds: about how long each takes (s).
        ranks: number of ranks.
        turns: number of campaigns.
    """
    found = []
    with tempfile.TemporaryDirectory(prefix="pardem-campaigns-") as place:
        campaign(Path(place) / "first", 1, 1000, 1)  # kernels are compiled, or in the cache
        _, short = campaign(Path(place) / "short", 1, 1000, 1)
        _, long = campaign(Path(place) / "long", 1, FIRST, 1)
        steps = max(1000, round(FIRST * seconds / max(1e-3, long - short)))
        for turn in range(turns):
            found.append(shares(campaign(Path(place) / str(turn), runs, steps, ranks)[0]))
    return [[kind, runs, ranks, turns, *spread([turn[k] for turn in found])] for k, kind in enumerate((BUSY, START_UP))]


def measure_trial(turns: int) -> list[list[Any]]:
    """Rows of the table: trials under other seeds.

    Args:
        turns: number of trials.
    """
    with tempfile.TemporaryDirectory(prefix="pardem-trials-") as place:
        folder = Path(place)
        called(["run", str(TRIAL_CASE), "-o", "first.h5", "--set", "insert.beads.count=20"], folder)  # kernels are compiled, or in the cache
        times = [called(["run", str(TRIAL_CASE), "-o", f"{seed}.h5", "--set", f"seed={seed}"], folder)[1] for seed in range(1, turns + 1)]
    return [[TRIAL, turns, 1, turns, *spread(times)]]


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one a call.

    Args:
        rows: those of campaign_times.csv.
    """
    parts = []
    for call, measured in by_call(rows).items():
        lines = [
            [row["kind"], row["runs"], row["ranks"], f"{float(row['median']):.4g} ({float(row['least']):.4g} to {float(row['most']):.4g})"]
            for row in measured
        ]
        title = f"**{call} UTC**, {measured[0]['version']}, {measured[0]['processor']}"
        parts.append("\n".join([title, "", *table(["figure", "runs", "ranks", "median (range)"], lines)]) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="pool or trial; default: both")
    parser.add_argument("--runs", type=int, default=1000, help="number of runs of the campaign")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each of them takes (s)")
    parser.add_argument("--ranks", type=int, default=2, help="number of ranks of the campaign")
    parser.add_argument("--turns", type=int, help="number of campaigns (default: 1), of trials (default: 5)")
    parser.add_argument("--table", type=Path, default=TABLE, help="table to which rows are added")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - {"pool", "trial"}:
        parser.error(f"there is no kind '{min(unknown)}': there are pool and trial")
    if arguments.what == "page":
        put_into_page(PAGE, PART, text(read_rows(TABLE)))
        return
    call, found = now(), list[list[Any]]()
    if "pool" in (arguments.kinds or ["pool"]):
        found += measure_pool(arguments.runs, arguments.seconds, arguments.ranks, arguments.turns or 1)
    if "trial" in (arguments.kinds or ["trial"]):
        found += measure_trial(arguments.turns or 5)
    add_rows(arguments.table, COLUMNS, [[call, version_of(ROOT), processor(), *row] for row in found])


if __name__ == "__main__":
    main()
