#!/usr/bin/env python
"""Runs that are killed at any instant, by any signal, again and again: nothing is lost, and the end has the bits of a run that nobody disturbed.

    python jobs/campaigns/faults/kills.py [--kills 200] [--seed 0] [--out kills.jsonl]

A try is a run that is killed once to three times, each time resumed on another number of ranks, and then left alone. Most kills find one rank halted
at a certain call of a phase (`halting.py`), some come at any time. Try k depends on the seed and k alone, but for the latter. A line of JSON is kept
for each, so that the campaign goes on where it stopped. Exit status 1: something was lost, hung, crashed, differed, or there was a traceback.
"""

from __future__ import annotations

import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from halting import OF_THE_FIRST, PHASES
from launching import Command
from trials import Row, command_line, go_on, table, verdict
from undisturbed import LIMIT, Undisturbed

from pardem.errors import FileError

HALTING = Path(__file__).with_name("halting.py")
RANKS = (0, 1, 2, 2, 3, 4, 5, 8)  # 0: without a launcher
SIGNALS = ("KILL", "KILL", "KILL", "TERM", "TERM", "INT", "INT", "USR1", "USR1", "HUP", "QUIT", "ABRT", "BUS")
WHOM = ("one", "one", "all", "launcher", "everything")
ANY = "any"
MOMENTS = (*PHASES, "checkpoint", "assemble", "rebalancing", ANY, ANY)
LATEST = 3.7  # decimal logarithm of the largest number of calls after which a rank halts
ENDING = 90.0  # seconds that a run may take to end after a signal: a rank that is alone waits for the others for some


def kill(run: Command, halted: Path | None, number: int, whom: str, dice: random.Random) -> bool:
    """Wait for the instant, and send a signal.

    Args:
        run: of which ranks are killed.
        halted: mark that one rank makes when it halts; None: at any time.
        number: of the signal.
        whom: one rank, all ranks, the launcher, or all of these.
        dice: for what is left to chance.

    Returns:
        Whether the instant came before the run ended.
    """
    if halted is not None:
        came = run.until(halted.exists, LIMIT)
    else:
        run.until(lambda: list(run.log.parent.glob("*.started")), LIMIT)
        end = time.monotonic() + dice.uniform(0.0, 4.0)
        came = not run.until(lambda: time.monotonic() > end, LIMIT) or run.lives
    if came:
        ranks = run.ranks()
        some = {"one": [dice.choice(ranks)] if ranks else [], "all": ranks, "launcher": [run.pid], "everything": [run.pid, *ranks]}
        run.send(number, some[whom])
    if halted is not None:
        halted.with_suffix(".go").touch()
    return came


def attempt(k: int, seed: int, undisturbed: Undisturbed) -> Row:
    """Kill a run, resume it, kill it again, and so on; then let it come to its end.

    Args:
        k: number of the try.
        seed: of the campaign.
        undisturbed: the run to compare with.

    Returns:
        The row of the try.
    """
    dice, began, reached = random.Random(f"{seed}/{k}"), time.monotonic(), -1
    row: Row = {"kills": [], "outcome": "same bits", "said": ""}
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out.h5"
        for turn in range(dice.choice((1, 1, 2, 3))):
            found = _disturbed(turn, out, undisturbed, dice)
            row["kills"].append(found)
            fault, said = found.pop("fault"), found.pop("said")
            if not fault:
                fault, said, reached = _kept(out, reached, undisturbed)
            found["step"] = reached
            if fault:
                row |= {"outcome": fault, "said": f"kill {turn}: {said}"}
                break
        else:
            row["last"] = dice.choice(RANKS)
            row |= _ended(out, row["last"], undisturbed)
    first = row["kills"][-1]
    return row | {name: first[name] for name in ("phase", "signal", "whom", "ranks")} | {"seconds": round(time.monotonic() - began, 1)}


def _disturbed(turn: int, out: Path, undisturbed: Undisturbed, dice: random.Random) -> Row:
    """A run that goes on and is killed: how, with what status, and what was wrong with that."""
    folder = out.parent / f"turn {turn}"
    folder.mkdir()
    ranks, phase, sent, whom = dice.choice(RANKS), dice.choice(MOMENTS), dice.choice(SIGNALS), dice.choice(WHOM)
    rank = 0 if phase in OF_THE_FIRST else dice.randrange(max(1, ranks))
    call, mark, number = round(10.0 ** dice.uniform(0.0, LATEST)), folder / "mark", getattr(signal, f"SIG{sent}")
    run = Command(ranks, [HALTING, phase, call, rank, mark, "run", undisturbed.case, "-o", out, "--resume"], folder / "log", folder)
    came = kill(run, None if phase == ANY else mark, number, whom, dice)
    status = run.wait(ENDING if came else LIMIT)
    where = mark.read_text() if mark.exists() else ""
    row: Row = {"ranks": ranks, "phase": phase, "call": call, "rank": rank, "signal": sent, "whom": whom, "came": came, "status": status, "at": where}
    fault = run.fault(status, number)
    if not fault and not came and status != 0:
        fault = "silent"  # nobody sent anything, and it should have come to its end
    return row | {"fault": fault, "said": run.said[-3000:]}


def _kept(out: Path, before: int, undisturbed: Undisturbed) -> tuple[str, str, int]:
    """Whether all that had been kept is there: an outcome, a sentence, and the step from which the run goes on."""
    try:
        reached = undisturbed.reached(out)
    except FileError as error:
        return "lost", str(error), before
    return ("lost", f"back from step {before} to {reached}", reached) if reached < before else ("", "", reached)


def _ended(out: Path, ranks: int, undisturbed: Undisturbed) -> Row:
    """The run resumed and left alone."""
    folder = out.parent / "end"
    folder.mkdir()
    run = Command(ranks, ["-m", "pardem", "run", undisturbed.case, "-o", out, "--resume"], folder / "log", folder)
    status = run.wait(LIMIT)
    if fault := run.fault(status) or ("lost" if status else ""):
        return {"outcome": fault, "said": f"at the end: {run.said[-3000:]}"}
    different = undisturbed.difference(out)
    return {"outcome": "differs", "said": different} if different else {}


def main() -> int:
    """Run the campaign or what is left of it."""
    arguments = command_line(__doc__, "kills", 200).parse_args()
    with tempfile.TemporaryDirectory() as name:
        undisturbed = Undisturbed(Path(name))
        rows = go_on(arguments, lambda k: attempt(k, arguments.seed, undisturbed))
    print(table(rows, "phase", "signal", "whom", "ranks"))
    every = [one for row in rows for one in row["kills"]]
    print(f"{len(every)} kills, {sum(one['came'] for one in every)} of them before the run had come to its end")
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
