#!/usr/bin/env python
"""Damaged results, checkpoints, segments and files of grains through every command that reads them: each must be read, or refused in sentences.

    python jobs/campaigns/faults/files.py [--files 2000] [--seed 0] [--out files.jsonl]

File k depends on the seed and k alone; runs of several forms of output take turns, and so do the commands but for those that each file goes
through. A run that goes on from what is damaged, or starts from it, must moreover come to the result of whole files, or say what it lacks, and delete
nothing that cannot be read. A worker of its own does the work, so that a crash of a library ends one file only. A line of JSON is kept for each, so
that the campaign goes on where it stopped; a table of the outcomes and all tracebacks come at the end. Exit status 1: there was a traceback, a crash,
something lost or wrong, or a file took longer than its time.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from damaging import FORMS, STARTED, damaged, prepare, starting_from
from leftovers import is_there, unusable, wrong
from trials import BAD, Row, TooLong, command_line, go_on, limited, table, verdict

from pardem.io.results.paths import out_of, parts_of

READERS = (["info"], ["verify"], ["compare"], ["open"])  # each on each file
VIEWS = (
    ["plot"], ["plot", "--energy"], ["plot", "--layers"], ["render"], *(["export", "--format", name] for name in ("csv", "gsd", "vtk", "vtkhdf")),
)  # fmt: skip
RUNS = (["run", "--resume"], ["run", "--resume", "--accept-loss"], ["run", "from"])
PROPERTIES = (
    "finished", "case_hash", "checkpoint_step", "grains", "ids", "scale", "mass", "radius", "species_rows", "species_names", "species", "catalogue",
    "case", "case_tables", "dimension", "up", "box", "steps", "times", "fields", "precision", "contact_fields", "walls", "series", "observables",
    "dataset",
)  # fmt: skip
TURNS = 3, 2  # of the views and of the runs that a file goes through
NEW, INCOMPLETE = "new.h5", "finished but incomplete"
OF_GRAINS = (["check", "grains_file"], ["run", "grains_file"])


class Damage(NamedTuple):
    """A file that is damaged, and what lies around it.

    Attributes:
        source: folder in which all is whole.
        folder: copy of it with the damage.
        shown: the file that is given to commands, of which the damaged one may be a part.
        target: the damaged one.
        place: folder for what commands write.
    """

    source: Path
    folder: Path
    shown: Path
    target: Path
    place: Path

    def moved(self, folder: Path) -> Damage:
        """The same in a copy of the folder."""
        shutil.copytree(self.folder, folder)
        return self._replace(folder=folder, **{name: folder / getattr(self, name).relative_to(self.folder) for name in ("shown", "target")})

    @property
    def out(self) -> Path:
        """The result of the run that the damaged file belongs to."""
        return self.shown if self.shown.parent == self.folder else out_of(self.shown.parent)

    @property
    def whole(self) -> Path:
        """What is shown, undamaged."""
        return self.source / self.shown.relative_to(self.folder)

    @property
    def is_compared(self) -> bool:
        """Whether `compare` looks at all that the damaged file holds, as it does not at an index, which `verify` leaves out, nor at parts alone."""
        return self.shown != self.target or self.target.name.startswith("checkpoint") or not parts_of(self.out).exists()

    def arguments(self, command: list[str]) -> list[str]:
        """Those of pardem for a command of this campaign."""
        case, new = str(self.folder / "case.toml"), ["-o", str(self.place / NEW), "--force"]
        if command[1:2] == ["--resume"]:
            return ["run", case, "-o", str(self.out), *command[1:]]
        if command[0] in ("check", "run"):
            name = self.shown.relative_to(self.folder)
            settings = starting_from(name) if command[1] == "from" else ["insert=[]", f"grains_file='{name}'"]
            return [command[0], case, *(word for setting in settings for word in ("--set", setting)), *(new if command[0] == "run" else ())]
        more = [str(self.whole)] if command[0] == "compare" else []
        if command[0] in ("plot", "render", "export"):
            more = ["-o", str(self.place / {"plot": "figure.png", "render": "picture.png"}.get(command[0], f"out.{command[-1]}"))]
        return [command[0], str(self.shown), *command[1:], *more]


def in_turn(commands: Sequence[list[str]], number: int, k: int) -> list[list[str]]:
    """Choose some commands for a file, so that over all files each comes as often as the others.

    Args:
        commands: all of them.
        number: how many are chosen.
        k: number of the file.
    """
    return [commands[(k * number + n) % len(commands)] for n in range(number)]


def attempt(k: int, seed: int, runs: Path) -> Row:
    """Damage file ``k`` and let commands read it.

    Args:
        k: number of the file, by which forms of output and commands take turns.
        seed: of the campaign.
        runs: folder that `damaging.prepare` has filled.

    Returns:
        as `cases.attempt`: the worst of the outcomes; ``commands``: that of each; ``form``: that of the run.
    """
    turn, number = divmod(k, len(FORMS))  # all forms meet all commands
    form = list(FORMS)[number]
    dice, source = random.Random(f"{seed}/{k}"), runs / form
    began = time.monotonic()
    worst: Row = {"outcome": "read", "said": ""}
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder, place = Path(name) / "damaged", Path(name) / "place"
        folder.mkdir()
        place.mkdir()
        shown, target, how = damaged(source, folder, dice)
        damage = Damage(source, folder, shown, target, place)
        some = [*READERS, *in_turn(VIEWS, TURNS[0], turn), *in_turn(RUNS, TURNS[1], turn)]
        for command in OF_GRAINS if target.suffix == ".npz" else some:
            outcome, said = _went_on(command, damage) if command in RUNS else outcome_of(command, damage)
            if command == ["compare"] and outcome == "refused" and found["verify"] == "read" and damage.is_compared:
                outcome, said = "silent", f"verify finds nothing wrong; {said}"
            if outcome in BAD or (outcome == "refused" and worst["outcome"] == "read"):
                worst = {"outcome": outcome, "said": f"{' '.join(command)}: {said}"}
            found[" ".join(command)] = outcome
            if outcome in BAD:
                break
    made = {"damage": f"{target.relative_to(folder)}: {how}", "form": form, "commands": found}
    return {"case": k, **worst, **made, "seconds": round(time.monotonic() - began, 3)}


def _went_on(command: list[str], damage: Damage) -> tuple[str, str]:
    """A run that goes on with what is damaged, or starts from it, in a copy of the folder."""
    with tempfile.TemporaryDirectory(dir=damage.place) as name:
        there = damage.moved(Path(name) / "copy")
        content = there.target.read_bytes() if unusable(there.target) else None
        outcome, said = outcome_of(command, there)
        if outcome in BAD:
            return outcome, said
        finished = outcome == "read" or INCOMPLETE in said
        if content is not None and not is_there(content, there.folder) and (not finished or _unlike(command, there, lacking=False)):
            return "lost", f"{there.target.name} could not be used, and is gone: {said}"
        lacking = outcome != "read" or "--accept-loss" in command
        if finished and (sentence := _unlike(command, there, lacking=lacking)):
            return "differs", f"{sentence}; {said}"
    return outcome, said


def _unlike(command: list[str], there: Damage, *, lacking: bool) -> str:
    """What is wrong with the result of a run, as a sentence."""
    if command[1] != "from":
        return wrong(there.out, there.source / "whole.h5", lacking=lacking)
    started = there.source / STARTED / there.shown.name
    return wrong(there.place / NEW, started, lacking=False) if started.exists() else "it started from what holds no state"


def outcome_of(command: list[str], damage: Damage) -> tuple[str, str]:
    """Give a command of pardem.

    Args:
        command: the command and its options; `open` stands for `pardem.open`.
        damage: what it is given.

    Returns:
        How it ends (read: with status 0; refused: with a sentence; or one of `trials.BAD`), and what it says.
    """
    from pardem import cli
    from pardem.errors import PardemError

    out, err = io.StringIO(), io.StringIO()
    try:
        with limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            if command != ["open"]:
                status = cli.main(damage.arguments(command))
            else:
                status = 0
                read_all(damage.shown)
    except PardemError as error:  # of `pardem.open` alone
        return "refused", str(error)
    except TooLong:
        return "too long", traceback.format_exc()[-2000:]
    except SystemExit as error:
        return "refused", str(error)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "traceback", traceback.format_exc()[-4000:]
    told = (err.getvalue() or out.getvalue())[-1000:]  # `compare` and `verify` print what they find
    return ("read", "") if status == 0 else ("refused" if told.strip() else "silent", told)


def read_all(path: Path) -> None:
    """Read all that `pardem.open` gives of a result.

    Args:
        path: of the result.

    Raises:
        PardemError: something cannot be read.
    """
    import pardem

    with pardem.open(path) as result:
        for name in PROPERTIES:
            getattr(result, name)
        for frame in result:
            for field in result.fields:
                getattr(frame, field)
            for field in result.contact_fields:
                getattr(frame.contacts, field)
            assert frame.stage is None or frame.stage


def work(seed: int, source: Path) -> int:
    """A worker: numbers come on standard input, lines of JSON go to standard output."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        print(json.dumps(attempt(int(line), seed, source)), file=answers, flush=True)
    return 0


class Worker:
    """A process that does one file after the other; a new one comes where it dies."""

    def __init__(self, seed: int, source: Path) -> None:
        self.arguments = [sys.executable, __file__, "--seed", str(seed), "--worker", str(source)]
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, k: int, patience: float) -> Row:
        """The outcome of file ``k``."""
        if self.process is None:
            self.process = subprocess.Popen(self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{k}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        line = self.process.stdout.readline() if ready else ""
        if line:
            answer: Row = json.loads(line)
            return answer
        self.process.kill()
        status = self.process.wait()
        self.process = None
        return {"case": k, "outcome": "crash" if ready else "too long", "said": f"the worker ended with status {status}", "seconds": patience}

    def close(self) -> None:
        """Let the process end."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait()


def main() -> int:
    """Run the campaign or what is left of it."""
    parser = command_line(__doc__, "files", 2000)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        return work(arguments.seed, arguments.worker)
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        worker = Worker(arguments.seed, Path(name))
        rows = go_on(arguments, lambda k: worker(k, 600.0))
        worker.close()
    print(table(rows))
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
