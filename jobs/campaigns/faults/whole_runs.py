#!/usr/bin/env python
"""Random cases from their check to a run that starts from their end, disturbed as runs of users are, and every command on what they leave.

    python jobs/campaigns/faults/whole_runs.py [--cases 100] [--seed 0] [--out whole_runs.jsonl]

A case (`drawn_cases.py`) is drawn until `check` accepts it. It runs on one rank; then again, where signals end it several times and it is resumed on
any number of ranks; the two results must be equal, and all commands that read results take the second one. From its end another case starts, on one
rank and on several. A run that stops on an error does so with the same sentence on other ranks. Case k depends on the seed and k alone, but for the
instants of the signals. A line of JSON is kept for each, so that the campaign goes on where it stopped. Exit status 1: something was lost, hung,
crashed, differed, failed, or there was a traceback.
"""

from __future__ import annotations

import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import tomli_w
from drawn_cases import Table, continued, drawn_case
from files import read_all
from launching import Command
from trials import CONTRADICTED, Row, command_line, go_on, table, verdict

from pardem.errors import FileError
from pardem.io.views.compare import compare

DRAWN = 60  # cases until one is valid: far more than it ever takes
RANKS = (0, 2, 3, 4)  # 0: without a launcher
SIGNALS = ("USR1", "TERM", "KILL", "INT")
DISTURBED = 3  # most signals of a run
LATE = 1.2  # time within which a signal comes, divided by that of the run on one rank, both from its first words on: some come after the end
LIMIT = 1800.0  # seconds that a command may take, for which kernels may be compiled
UNFIT = "overlap by more than a sphero-radius where the case places them"  # grains from another run, in a body that had gone from it
RESUMED = ["run", "case.toml", "-o", "out.h5", "--resume"]
VIEWS = (
    ("verify",), ("info",), ("plot", "-o", "plot.png"), ("plot", "--energy", "-o", "energy.png"), ("export", "--format", "csv"),
    ("export", "--format", "vtk"), ("export", "--format", "vtkhdf"), ("export", "--format", "gsd"), ("render", "-o", "picture.png"),
)  # fmt: skip


class Failure(Exception):
    """A command has not ended as it should.

    Args:
        outcome: one of `trials.BAD`.
        said: what it printed.
    """

    def __init__(self, outcome: str, said: str) -> None:
        super().__init__(said)
        self.outcome, self.said = outcome, said


class Desk:
    """A folder in which commands of pardem are given, one after the other.

    Args:
        folder: an empty one.

    Attributes:
        seconds: time from the first words of the last command to its end; kernels are compiled before.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.count, self.seconds = folder, 0, 0.0

    def __call__(self, ranks: int, arguments: Sequence[str], kill: tuple[str, float, bool] | None = None) -> tuple[int, str]:
        """A command on some ranks.

        Args:
            ranks: number of ranks; 0: without a launcher.
            arguments: of pardem.
            kill: name of the signal that ends it, seconds after its first words, and whether all processes get it or the launcher alone.

        Returns:
            The exit status, and what it printed.

        Raises:
            Failure: it crashed, hung, or printed a traceback, or ended with neither 0 nor a sentence.
        """
        self.count += 1
        run, sent = Command(ranks, ["-m", "pardem", *arguments], self.folder / f"log {self.count}", self.folder), 0
        run.until(lambda: run.said, LIMIT)
        began = time.monotonic()
        if kill is not None:  # now that it is not Python alone that answers
            end, sent = began + kill[1], int(getattr(signal, f"SIG{kill[0]}"))
            run.until(lambda: time.monotonic() > end, LIMIT)
            run.send(sent, [run.pid, *run.ranks()] if kill[2] else [run.pid])
        status = run.wait(LIMIT)
        self.seconds = time.monotonic() - began
        fault = run.fault(status, sent)
        if not fault and status and not sent and "pardem: error: " not in run.said:
            fault = "silent"
        if fault or status is None:
            raise Failure(fault, f"{' '.join(arguments)} on {ranks} ranks: {run.said[-3000:]}")
        return status, run.said

    def write(self, name: str, case: Table) -> None:
        """Write a case file."""
        (self.folder / name).write_text(tomli_w.dumps(case))


def attempt(k: int, seed: int) -> Row:
    """Draw a case, and do with it all that users do.

    Args:
        k: number of the case.
        seed: of the campaign.

    Returns:
        The row of the try.
    """
    began = time.monotonic()
    row: Row = {"what": "", "refused": 0, "history": [], "views": [], "started": "", "outcome": "same bits", "said": ""}
    with tempfile.TemporaryDirectory() as name:
        try:
            _whole(k, random.Random(f"{seed}/{k}"), Desk(Path(name)), row)
        except Failure as failure:
            row |= {"outcome": failure.outcome, "said": failure.said}
        except Exception:  # of what this process does itself: compare two results, and read all of one
            row |= {"outcome": "traceback", "said": traceback.format_exc()[-3000:]}
    return row | {"seconds": round(time.monotonic() - began, 1)}


def _whole(k: int, dice: random.Random, desk: Desk, row: Row) -> None:
    """All that is done with a case; the row is filled in on the way."""
    case = _valid(k, dice, desk, row)
    row["what"] = f"{'+'.join(one['name'] for one in case['species'])}, {case['contact']['law']}"
    status, said = desk(0, ["run", "case.toml", "-o", "alone.h5"])
    if status:
        row |= {"outcome": _stops_alike(desk, "case.toml", "alone.h5", said, dice), "found": _sentence(said, "alone.h5")}
        return
    _disturbed(desk, dice, row, desk.seconds)
    _same(desk, "alone.h5", "out.h5")
    if not case["output"]["one_file"]:
        desk(0, [*RESUMED, "--set", "output.one_file=true"])
        _same(desk, "alone.h5", "out.h5")
    read_all(desk.folder / "out.h5")
    for view in VIEWS:
        status, said = desk(0, [view[0], "out.h5", *view[1:]])
        if status and not any(name in said for name in _absent(case["output"])):
            raise Failure("denied", f"{' '.join(view)} ended with status {status}: {said[-2000:]}")
        row["views"].append("refused" if status else "shown")
    desk.write("more.toml", continued(case, "out.h5", dice))
    row["started"] = _started(desk, dice)


def _valid(k: int, dice: random.Random, desk: Desk, row: Row) -> Table:
    """Draw cases until one is valid."""
    for refused in range(DRAWN):
        case = drawn_case(k, dice)
        desk.write("case.toml", case)
        status, _ = desk(0, ["check", "case.toml"])
        if status == 0:
            row["refused"] = refused
            return case
    raise RuntimeError(f"none of {DRAWN} cases with number {k} is valid")


def _absent(output: Table) -> list[str]:
    """What a case leaves out that some views need, and then refuse to show anything."""
    there = {"'orientation'": "orientation" in output["fields"], "energy_budget": output["observables"]["energy_budget"]}
    return [name for name, is_there in there.items() if not is_there]


def _disturbed(desk: Desk, dice: random.Random, row: Row, seconds: float) -> None:
    """A run that signals end, resumed until it has come to its end; undisturbed it takes some seconds."""
    for _ in range(dice.randint(1, DISTURBED)):
        ranks, kill = dice.choice(RANKS), (dice.choice(SIGNALS), LATE * seconds * dice.random(), dice.random() < 0.5)
        status, _ = desk(ranks, RESUMED, kill)
        row["history"].append(f"{kill[0]} on {max(1, ranks)}: {status}")
    status, said = desk(dice.choice(RANKS), RESUMED)
    if status:
        raise Failure("lost", f"{row['history']}, then {said[-3000:]}")


def _same(desk: Desk, one: str, other: str) -> None:
    """Compare two results."""
    try:
        difference = compare(desk.folder / one, desk.folder / other)
    except FileError as error:
        raise Failure("lost", str(error)) from error
    if difference is not None:
        raise Failure("differs", f"{one} and {other}: {difference}")


def _sentence(said: str, out: str) -> str:
    """The errors that a run of some output ended with, without the name of that output."""
    return "\n".join(line for line in said.splitlines() if line.startswith("pardem: error: ")).replace(out, "OUT")


def _stops_alike(desk: Desk, case: str, out: str, said: str, dice: random.Random) -> str:
    """A run that stopped on one rank stops on others with the same sentence."""
    ranks = dice.choice(RANKS[1:])
    status, other = desk(ranks, ["run", case, "-o", f"again-{out}"])
    if status == 0 or _sentence(other, f"again-{out}") != _sentence(said, out):
        raise Failure("differs", f"{case}: {said[-1500:]}\non {ranks} ranks: {other[-1500:]}")
    return "the same sentence"


def _started(desk: Desk, dice: random.Random) -> str:
    """A run that starts from the end of another one, on one rank and on several: how it ended."""
    status, said = desk(0, ["check", "more.toml"])
    if status:
        return f"refused: {_sentence(said, 'more.h5')}"
    status, said = desk(0, ["run", "more.toml", "-o", "more.h5"])
    if status:
        if not (desk.folder / "more.h5.parts").exists() and UNFIT not in said:
            raise Failure(CONTRADICTED, said[-3000:])
        return f"{_stops_alike(desk, 'more.toml', 'more.h5', said, dice)}: {_sentence(said, 'more.h5')}"
    status, said = desk(dice.choice(RANKS[1:]), ["run", "more.toml", "-o", "on-ranks.h5"])
    if status:
        raise Failure("differs", f"more.toml ran on one rank alone: {said[-3000:]}")
    _same(desk, "more.h5", "on-ranks.h5")
    return "same bits"


def main() -> int:
    """Run the campaign or what is left of it."""
    arguments = command_line(__doc__, "cases", 100).parse_args()
    rows = go_on(arguments, lambda k: attempt(k, arguments.seed))
    print(table(rows, "what"))
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
