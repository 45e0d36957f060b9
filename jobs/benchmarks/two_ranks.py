"""One rank against two, on a machine of two cores that does nothing else, in turns: the table in docs/performance.md.

    python jobs/benchmarks/two_ranks.py             # measure and print the rows
    python jobs/benchmarks/two_ranks.py --document  # and put them into the page

The time is that of a step with all that belongs to it; set-up is left out. Efficiency is the time on one rank over twice that on two, turn by turn.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from statistics import median

from pages import PAGE, put_into_page
from turns import ROOT, now

PART = ("<!-- two ranks -->\n", "<!-- end of two ranks -->")
TURNS, TURNS_OF_LARGE = 5, 3
WARMED = 300  # steps before the clock starts: in the first ones tiles of large beds settle against each other, with lists made anew in nearly each
CRYSTAL = "jobs/campaigns/crystallisation/an_6.toml"
HEAD = "| | us a step on one rank | on two | efficiency (range) | turns |\n|---|---|---|---|---|\n"


def printed(ranks: int, words: list[str]) -> str:
    """What a command prints on some ranks."""
    command = ["mpirun", "-n", str(ranks), sys.executable, *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"`{' '.join(command)}` failed:\n{done.stderr[-2000:]}")
    return done.stdout


def spheres(grains: int, steps: int, ranks: int) -> float:
    """Time of a step of settled spheres (us)."""
    words = ["-m", "pardem", "bench", "spheres", "--grains", str(grains), "--steps", str(steps), "--warmup", str(WARMED), "--json"]
    found = json.loads(next(line for line in printed(ranks, words).splitlines() if line.startswith("{")))
    return 1e6 * float(found["wall_seconds"]) / steps


def crystal(ranks: int) -> float:
    """Time of a step of the 1000 rods that crystallise, in a cylinder that is tapped (us)."""
    found = re.search(r": (\d+) us a step", printed(ranks, ["jobs/benchmarks/step_times.py", CRYSTAL, "6000", "12000"]))
    assert found is not None
    return float(found[1])


SCENES: dict[str, tuple[Callable[[int], float], int]] = {
    "10^5 spheres (`pardem bench spheres --grains 100000`)": (partial(spheres, 100_000, 600), TURNS),
    "10^6 spheres (`pardem bench spheres --grains 1000000`)": (partial(spheres, 1_000_000, 100), TURNS_OF_LARGE),
    f"1000 rods (`jobs/benchmarks/step_times.py {CRYSTAL}`)": (crystal, TURNS),
}


def rows() -> list[str]:
    """The rows of the table, measured."""
    lines = []
    for name, (measure, count) in SCENES.items():
        measure(1)  # compiles and settles
        turns = [(measure(1), measure(2)) for _ in range(count)]
        one, two = (median(times) for times in zip(*turns, strict=True))
        shares = [alone / (2.0 * both) for alone, both in turns]
        lines.append(f"| {name} | {one:.0f} | {two:.0f} | {median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f}) | {count} |\n")
        print(lines[-1], end="", flush=True)
    return lines


def main() -> None:
    """Measure, and write the table if that is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--document", action="store_true", help="put the table into docs/performance.md")
    write, lines = parser.parse_args().document, rows()
    if write:
        put_into_page(PAGE, PART, f"**{now()} UTC**, medians\n\n{HEAD}{''.join(lines)}")


if __name__ == "__main__":
    main()
