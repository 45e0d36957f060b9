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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from halting import OF_THE_FIRST, PHASES
from launching import Command, preloaded
from trials import Row, command_line, go_on, table, verdict
from undisturbed import LIMIT, Undisturbed

from pardem.errors import FileError

HALTING = Path(__file__).with_name("halting.py")
RANKS = (0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8)  # 0: without a launcher
SIGNALS = ("KILL", "KILL", "KILL", "TERM", "TERM", "INT", "INT", "USR1", "USR1", "HUP", "QUIT", "ABRT", "BUS")
WHOM = ("one", "one", "all", "launcher", "everything")
ANY = "any"
MOMENTS = (*PHASES, "checkpoint", "assemble", "rebalancing", ANY, ANY)


class Kill(NamedTuple):
    """How a run is killed.

    Attributes:
        ranks: of the run; 0: without a launcher.
        phase: in which a rank halts; ``ANY``: none does.
        call: number of the call at which it halts.
        rank: the one that halts.
        signal: name of the signal.
        whom: one rank, all ranks, the launcher, or everything.
        delay: seconds after the start, where no rank halts.
    """

    ranks: int
    phase: str
    call: int
    rank: int
    signal: str
    whom: str
    delay: float = 0.0

    @classmethod
    def drawn(cls, ranks: int, dice: random.Random) -> Kill:
        """Draw one of a run on some ranks."""
        phase = dice.choice(MOMENTS)
        rank, calls = 0 if phase in OF_THE_FIRST else dice.randrange(max(1, ranks)), PHASES[phase][2] if phase in PHASES else 1
        call = round(calls ** dice.random())  # the first ones more often: a run that is resumed makes fewer of them
        return cls(ranks, phase, call, rank, dice.choice(SIGNALS), dice.choice(WHOM), round(dice.uniform(0.0, 4.0), 2))

    @property
    def number(self) -> int:
        """Of the signal."""
        return int(getattr(signal, f"SIG{self.signal}"))

    def sent_to(self, run: Command, mark: Path) -> bool:
        """Wait for the instant, and send the signal.

        Args:
            run: the run.
            mark: file that the rank makes when it halts.

        Returns:
            Whether the instant came before the run ended.
        """
        if self.phase == ANY:
            run.until(mark.with_suffix(".started").exists, LIMIT)
            end = time.monotonic() + self.delay
            run.until(lambda: time.monotonic() > end, LIMIT)
        else:
            run.until(mark.exists, LIMIT)
        came = run.lives and (self.phase == ANY or mark.exists())
        if came:
            ranks = run.ranks()
            some = {"one": ranks[self.rank : self.rank + 1], "all": ranks, "launcher": [run.pid], "everything": [run.pid, *ranks]}
            run.send(self.number, some[self.whom])
        mark.with_suffix(".go").touch()
        return came


def drawn(k: int, seed: int) -> tuple[list[Kill], int]:
    """Draw how often, how and on how many ranks a run is killed.

    Args:
        k: number of the try, by which the numbers of ranks of its first run take turns.
        seed: of the campaign.

    Returns:
        The kills, one after the other, and the number of ranks of the run that is left alone; each number differs from the one before.
    """
    dice = random.Random(f"{seed}/{k}")
    ranks, kills = RANKS[k % len(RANKS)], list[Kill]()
    for _ in range(dice.choice((1, 1, 2, 3))):
        kills.append(Kill.drawn(ranks, dice))
        ranks = dice.choice([other for other in RANKS if max(1, other) != max(1, ranks)])
    return kills, ranks


def attempt(k: int, seed: int, undisturbed: Undisturbed) -> Row:
    """Kill a run, resume it, kill it again, and so on; then let it come to its end.

    Args:
        k: number of the try.
        seed: of the campaign.
        undisturbed: the run to compare with.

    Returns:
        The row of the try.
    """
    (kills, ranks), began = drawn(k, seed), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        row = disturbed(Path(name), kills, ranks, undisturbed)
    last = kills[len(row["kills"]) - 1]._asdict()
    return row | {name: last[name] for name in ("phase", "signal", "whom", "ranks")} | {"seconds": round(time.monotonic() - began, 1)}


def disturbed(folder: Path, kills: Sequence[Kill], ranks: int, undisturbed: Undisturbed) -> Row:
    """Kill a run and resume it, as often as there are kills, and leave it alone in the end.

    Args:
        folder: an empty one.
        kills: one after the other.
        ranks: of the run that is left alone.
        undisturbed: the run to compare with.

    Returns:
        The outcome, what was said, and for each kill how it went.
    """
    out, reached, done = folder / "out.h5", -1, list[Row]()
    for turn, kill in enumerate(kills):
        fault, said, how = _killed(kill, out, folder / f"turn {turn}", undisturbed)
        if not fault:
            fault, said, reached = _kept(out, reached, undisturbed)
        done.append(kill._asdict() | how | {"step": reached})
        if fault:
            return {"kills": done, "outcome": fault, "said": f"kill {turn}: {said}"}
    return {"kills": done, "outcome": "same bits", "said": "", "last": ranks} | _ended(out, ranks, undisturbed)


def _killed(kill: Kill, out: Path, folder: Path, undisturbed: Undisturbed) -> tuple[str, str, Row]:
    """A run that goes on and is killed: what was wrong with its end, what it said, and how it went."""
    folder.mkdir()
    mark = folder / "mark"
    program = [HALTING, kill.phase, kill.call, kill.rank, mark]
    run = Command(kill.ranks, [*program, "run", undisturbed.case, "-o", out, "--resume"], folder / "log", folder)
    came = kill.sent_to(run, mark)
    status = run.wait(LIMIT)
    fault = run.fault(status, kill.number)
    if not fault and not came and status != 0:
        fault = "silent"  # nobody sent anything, and it should have come to its end
    return fault, run.said[-3000:], {"came": came, "status": status, "at": mark.read_text() if mark.exists() else ""}


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
        with tempfile.TemporaryDirectory() as place, preloaded(Path(place)):
            rows = go_on(arguments, lambda k: attempt(k, arguments.seed, undisturbed))
    print(table(rows, "phase", "signal", "whom", "ranks"))
    every = [one for row in rows for one in row["kills"]]
    print(f"{len(every)} kills, {sum(one['came'] for one in every)} of them before the run had come to its end")
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
