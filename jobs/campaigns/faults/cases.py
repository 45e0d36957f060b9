#!/usr/bin/env python
"""Mutated case files through `pardem check`, in process: each must be accepted, or refused in sentences. Some that are accepted take steps as well,
before which only grains that do not fit may stop a run. A motion that becomes unphysical in these steps is told by what went wrong, and by whether
`check` had warned of anything.

    python jobs/campaigns/faults/cases.py [--cases 10000] [--run 1000] [--seed 0] [--out cases.jsonl]

Case k depends on the seed and k alone. A line of JSON is kept for each, so that the campaign goes on where it stopped; a table of the outcomes and
all tracebacks come at the end. Exit status 1: there was a traceback, a case took longer than its time, or a run refused what `check` had accepted.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from mutations import mutated, setting, to_text
from seeds import MESH, USER_LAW, origin, seeds
from trials import CONTRADICTED, Row, TooLong, command_line, go_on, limited, read_rows, table, verdict

if TYPE_CHECKING:
    from pardem.errors import BlowUpError

RAN = ("ran", "run", CONTRADICTED)  # how the outcomes of cases that took steps begin
DOES_NOT_FIT = "run: grains do not fit"
UNFIT = ("overlap", "solver")  # faults of grains that lie in each other or in walls
STEPS = 20
MOST_GRAINS = 50  # of a case that takes steps


def prepare(folder: Path) -> None:
    """Lay the files that the cases name into a folder."""
    from mpi4py import MPI

    from pardem.case import Case
    from pardem.run import run_case
    from pardem.run_options import RunOptions

    (folder / "law.py").write_text(USER_LAW)
    (folder / "wedge.obj").write_text(MESH)
    np.savez(folder / "grains.npz", species=np.array(["grain"]), position=np.array([[5e-3, 5e-3, 5e-3]]))
    run_case(Case(**origin()), out=folder / "origin.h5", comm=MPI.COMM_SELF, options=RunOptions(quiet=True))


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


def attempt(text: str, settings: list[str], folder: Path, steps: bool) -> Row:
    """Check one case, and let it take some steps where it is accepted and small.

    Returns:
        ``outcome``: accepted, refused, ran, stopped by an error that `check` need not foresee, refused by the run alone, traceback, or too long;
        ``said``: the sentence, or the traceback, and in front of it what `check` warned of where the run stopped.
    """
    from pardem import cli

    path = folder / "case.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    arguments = ["check", str(path), *(part for value in settings for part in ("--set", value))]
    if steps:
        arguments += ["--ranks", "1"]  # on which they are taken
    out, err = io.StringIO(), io.StringIO()
    began = time.monotonic()
    try:
        with limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(arguments)
            outcome, said = ("accepted", "") if status == 0 else ("refused", err.getvalue())
            if status == 0 and steps:
                warned = [line for line in out.getvalue().splitlines() if line.startswith("warning")]
                outcome, said = _run(path, settings, warned)
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


def _run(path: Path, settings: list[str], warned: list[str]) -> tuple[str, str]:
    """A few steps of a case that was accepted; ``warned``: what `check` said of it."""
    from mpi4py import MPI

    from pardem.errors import BlowUpError, InsertionError, PardemError
    from pardem.io.casefile import read_case
    from pardem.origin import with_origin
    from pardem.setup.estimate import estimate
    from pardem.simulation import Simulation

    try:
        case = with_origin(read_case(path, settings))
        if estimate(case).grains > MOST_GRAINS:
            return "accepted", ""
        simulation = None
        with np.errstate(all="ignore"):
            simulation = Simulation(case, MPI.COMM_SELF)
            simulation.step(STEPS, observe=True)
            simulation.observables()
    except BlowUpError as error:
        return stopped(error, simulation is not None, warned)
    except InsertionError as error:
        return DOES_NOT_FIT, str(error)
    except PardemError as error:
        return CONTRADICTED, f"{type(error).__name__}: {error}"
    return "ran", ""


def stopped(error: BlowUpError, begun: bool, warned: list[str]) -> tuple[str, str]:
    """Tell why a run stopped.

    Args:
        error: its error.
        begun: whether it was about to take steps; before, `check` should have refused it, unless its grains lie in each other or in walls.
        warned: what `check` said of it.

    Returns:
        The outcome, and what was said.
    """
    from pardem.state import arrays, diagnosis

    names = {getattr(of, name): name.removeprefix("ERROR_").lower() for of in (arrays, diagnosis) for name in dir(of) if name.startswith("ERROR_")}
    what, said = names[error.fault.code], "\n".join([*warned, str(error)])
    if not begun:
        return (DOES_NOT_FIT if what in UNFIT else CONTRADICTED), said
    return f"run: fault {what}, {'after a warning' if warned else 'without a warning'}", said


def main() -> int:
    """Run the campaign or what is left of it."""
    parser = command_line(__doc__, "cases", 10_000)
    parser.add_argument("--run", type=int, default=1000, help="accepted cases that take steps")
    arguments = parser.parse_args()
    ran = sum(row["outcome"].startswith(RAN) for row in read_rows(arguments.out))

    def one(k: int) -> Row:
        nonlocal ran
        row = attempt(*case_number(k, arguments.seed), Path(name), steps=ran < arguments.run)
        ran += row["outcome"].startswith(RAN)
        return row

    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        os.chdir(name)
        rows = go_on(arguments, one)
    print(table(rows))
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
