#!/usr/bin/env python
"""Mutated case files through `pardem check`, in process: each must be accepted, or refused in sentences. Some that are accepted take steps as well.

    python jobs/campaigns/faults/cases.py [--cases 10000] [--run 1000] [--seed 0] [--out cases.jsonl]

Case k depends on the seed and k alone. A line of JSON is kept for each, so that the campaign goes on where it stopped; a table of the outcomes and
all tracebacks come at the end. Exit status 1: there was a traceback, or a case took longer than its time.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from mutations import mutated, setting, to_text
from seeds import USER_LAW, seeds

PATIENCE = 400.0  # seconds for a case, in which a kernel may be compiled
ROOM = 4 << 30  # bytes that a case may take beyond what the process has
STEPS = 20
MOST_GRAINS = 50  # of a case that takes steps


class TooLong(BaseException):
    """A case has used up its time."""


def prepare(folder: Path) -> None:
    """Lay the files that the cases name into a folder."""
    (folder / "law.py").write_text(USER_LAW)
    np.savez(folder / "grains.npz", species=np.array(["grain"]), position=np.array([[5e-3, 5e-3, 5e-3]]))


def case_number(k: int, seed: int) -> tuple[str, list[str]]:
    """Text and settings of case ``k``; the first ones are the seeds as they are."""
    every = seeds()
    if k < len(every):
        return to_text(every[k]), []
    dice = random.Random(f"{seed}/{k}")
    case = dice.choice(every)
    if dice.random() < 0.15:
        return to_text(case), [setting(case, dice)]
    return mutated(case, dice), []


def attempt(text: str, settings: list[str], folder: Path, steps: bool) -> dict[str, Any]:
    """Check one case, and let it take some steps where it is accepted and small.

    Returns:
        ``outcome``: accepted, refused, ran, refused by the run, traceback, or too long; ``said``: the sentence, or the traceback.
    """
    from pardem import cli

    path = folder / "case.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    arguments = ["check", str(path), *(part for value in settings for part in ("--set", value))]
    out, err = io.StringIO(), io.StringIO()
    began = time.monotonic()
    try:
        with limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(arguments)
            outcome, said = ("accepted", "") if status == 0 else ("refused", err.getvalue())
            if status == 0 and steps:
                outcome, said = _run(path, settings)
    except TooLong:
        outcome, said = "too long", "".join(traceback.format_exc().splitlines(keepends=True)[-12:])
    except SystemExit as error:
        outcome, said = "refused", f"usage ({error.code}): {err.getvalue()}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        outcome, said = "traceback", traceback.format_exc()[-4000:]
    if outcome == "refused" and "Traceback" in said:
        outcome = "traceback"
    return {"outcome": outcome, "said": said[:4000], "seconds": round(time.monotonic() - began, 3)}


def _run(path: Path, settings: list[str]) -> tuple[str, str]:
    """A few steps of a case that was accepted."""
    from mpi4py import MPI

    from pardem.errors import PardemError
    from pardem.io.casefile import read_case
    from pardem.setup.estimate import estimate
    from pardem.simulation import Simulation

    try:
        case = read_case(path, settings)
        if estimate(case).grains > MOST_GRAINS:
            return "accepted", ""
        with np.errstate(all="ignore"):
            simulation = Simulation(case, MPI.COMM_SELF)
            simulation.step(STEPS, observe=True)
            simulation.observables()
    except PardemError as error:
        return f"run: {type(error).__name__}", str(error)
    return "ran", ""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Limits of time and memory."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    had = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    before, limits = signal.signal(signal.SIGALRM, stop), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (had + ROOM, limits[1]))
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def table(rows: list[dict[str, Any]]) -> str:
    """Outcomes with their numbers, and tracebacks by their last lines."""
    lines = [f"{count:8d}  {outcome}" for outcome, count in Counter(row["outcome"] for row in rows).most_common()]
    bad = Counter(_where(row["said"]) for row in rows if row["outcome"] in BAD)
    lines += [f"{count:8d}  {where}, first case {_first(rows, where)}" for where, count in bad.most_common()]
    return "\n".join(lines)


BAD = ("traceback", "too long", "crash")


def _where(said: str) -> str:
    """The last line of pardem's own in a traceback, and the error."""
    lines = said.strip().splitlines()
    own = [line.strip() for line in lines if line.lstrip().startswith("File") and "pardem" in line]
    return f"{lines[-1][:120] if lines else ''} [{own[-1] if own else ''}]"


def _first(rows: list[dict[str, Any]], where: str) -> int:
    return min(int(row["case"]) for row in rows if row["outcome"] in BAD and _where(row["said"]) == where)


def main() -> int:
    """Run the campaign or what is left of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--run", type=int, default=1000, help="accepted cases that take steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("cases.jsonl"))
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.out.read_text().splitlines()] if arguments.out.exists() else []
    done, ran = {row["case"] for row in rows}, sum(row["outcome"].startswith(("ran", "run")) for row in rows)
    with tempfile.TemporaryDirectory() as name, arguments.out.open("a") as log:
        prepare(Path(name))
        os.chdir(name)
        for k in (k for k in range(arguments.cases) if k not in done):
            row = {"case": k} | attempt(*case_number(k, arguments.seed), Path(name), steps=ran < arguments.run)
            ran += row["outcome"].startswith(("ran", "run"))
            rows.append(row)
            log.write(json.dumps(row) + "\n")
            log.flush()
    print(table(rows))
    return int(any(row["outcome"] in BAD for row in rows))


if __name__ == "__main__":
    sys.exit(main())
