"""Keeping a campaign going: a process that starts the pool under MPI, and starts it again when it has died.

The pool itself cannot do that: MPI ends all of its processes when one of them dies. What was under way is noted on disk (`attempts`), so that a run
that takes its process along at each attempt fails after some, and the others go on.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ..errors import CaseError
from ..guard import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_UNFINISHED, EXIT_USAGE
from .attempts import read_attempt
from .locks import is_held
from .run_rows import LOCK, ROW, folder_of, folders
from .study import Study

ENDS = (0, EXIT_ERROR, EXIT_USAGE, EXIT_UNFINISHED, EXIT_INTERRUPTED)
"""Statuses with which a pool ends by itself; with any other it has died."""
FRUITLESS = 3  # deaths in a row that left nothing behind, after which it is not started again
PATIENCE = 10.0  # seconds in which the last processes of a pool that has died let go of their runs
PAUSE = 0.5
SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")  # variables in which launchers tell ranks how many they are
PASSED_ON = (signal.SIGUSR1, signal.SIGTERM)


def keep_going(study: Study, command: Callable[[float | None, bool], Sequence[str]], walltime: float | None) -> int:
    """Start a pool, and again as long as it dies and something is left behind by it: a row, a checkpoint, or a death that counts against a run.

    Args:
        study: the study.
        command: command line of the pool with the wall time that is left for it, and whether it is the first.
        walltime: wall time after which the pool is to stop (s), or None for no limit.

    Returns:
        Exit status: that of the last pool, or 1 if it died and is not started again.
    """
    ends = None if walltime is None else time.monotonic() + walltime
    fruitless, starts, before = 0, 0, _traces(study)
    while True:
        left = None if ends is None else max(0.0, ends - time.monotonic())
        status, asked = _done(command(left, starts == 0))
        starts += 1
        if status in ENDS or asked:
            return status
        now = _traces(study)
        fruitless, before = (fruitless + 1 if now == before else 0), now
        under_way = [run for run in sorted(folders(study)) if read_attempt(folder_of(study, run)).under_way]
        _say(f"the pool has died ({_meaning(status)})" + (f" while these runs were under way: {', '.join(under_way)}" if under_way else ""))
        if fruitless >= FRUITLESS:
            _say(f"{study.path}: error: it has died {FRUITLESS} times in a row with nothing done, so it is not started again")
            return EXIT_ERROR
        _let_go(study, under_way)
        _say("it is started again")


def pool_command(ranks: int, launcher: str | None, words: Sequence[str]) -> list[str]:
    """The command line that starts a pool.

    Args:
        ranks: number of its ranks.
        launcher: what starts them, with its own options, to which `-n` and the number are added; None: mpirun or srun, or nothing for one rank.
        words: arguments of pardem.

    Raises:
        CaseError: there is no launcher, or this process is one of several ranks already.
    """
    if any(os.environ.get(name, "1") != "1" for name in SIZES):
        raise CaseError("--ranks starts the ranks itself, and again when they die: call it without mpirun or srun")
    pardem = [sys.executable, "-m", "pardem", *words]
    if launcher is None and ranks == 1:
        return pardem
    found = shlex.split(launcher) if launcher is not None else [name for name in ("mpirun", "srun") if shutil.which(name)][:1]
    if not found or shutil.which(found[0]) is None:
        raise CaseError(f"--ranks {ranks} needs a launcher, and there is no {found[0] if found else 'mpirun or srun'}: name one with --launcher")
    return [*found, "-n", str(ranks), *pardem]


def _done(command: Sequence[str]) -> tuple[int, bool]:
    """Carry out a command to its end; its status as a shell tells it, and whether this process was asked to end meanwhile."""
    # what Python was started with: a process that has used MPI itself hands down more
    process = subprocess.Popen(list(command), env=os.environ | {"OMP_NUM_THREADS": "1"})
    asked = False

    def pass_on(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked |= number == signal.SIGTERM
        process.send_signal(number)

    with _handled(pass_on):
        while True:
            try:
                status = process.wait()
                return (status if status >= 0 else 128 - status), asked
            except KeyboardInterrupt:  # which the launcher has got from the terminal, too
                asked = True


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle the signals that are passed on."""
    before = [signal.signal(number, handler) for number in PASSED_ON]
    try:
        yield
    finally:
        for number, old in zip(PASSED_ON, before, strict=True):
            signal.signal(number, old)


def _traces(study: Study) -> set[tuple[str, int]]:
    """What pools leave behind: rows, checkpoints, and deaths that count against a run."""
    found: set[tuple[str, int]] = {(str(path), 0) for pattern in (f"*/{ROW}", "*/*.parts/checkpoint-*.h5") for path in study.folder.glob(pattern)}
    attempts = {run: read_attempt(folder_of(study, run)) for run in folders(study)}
    return found | {(run, last.deaths + last.under_way) for run, last in attempts.items()}


def _let_go(study: Study, under_way: Sequence[str]) -> None:
    """Wait until the processes of a pool that has died are gone."""
    end = time.monotonic() + PATIENCE
    time.sleep(PAUSE)
    while any(is_held(folder_of(study, run) / LOCK) for run in under_way) and time.monotonic() < end:
        time.sleep(PAUSE)


def _meaning(status: int) -> str:
    """A status in words."""
    number = status - 128
    names = {int(known): known.name for known in signal.Signals}
    return f"status {status}: {names[number]}" if number in names else f"status {status}"


def _say(text: str) -> None:
    print(f"pardem: {text}", file=sys.stderr, flush=True)


def words_of(path: Path, walltime: float | None, options: Sequence[str]) -> list[str]:
    """Arguments of pardem that start a pool.

    Args:
        path: of the study.
        walltime: wall time that is left (s), or None for no limit.
        options: further options.
    """
    minutes, seconds = divmod(int(walltime or 0.0), 60)
    limit = [] if walltime is None else ["--walltime", f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"]
    return ["campaign", "run", str(path), *limit, *options]
