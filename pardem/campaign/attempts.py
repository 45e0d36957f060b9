"""Attempts at a run, noted beside it before they begin, so that a run that takes its process along is found out.

An attempt that ends, however it does, is noted as ended by the process that made it. One that is noted as begun while nobody holds the lock of the
run was under way when its process died. If that process had been told to end (the signal TERM, which launchers and Slurm send to the others when one
rank dies), it was not the fault of the run.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..errors import FileError

ATTEMPT, TOLD, ERROR = "attempt.json", "told", "error.txt"
MOST_DEATHS = 3
"""Deaths of its process in attempts from one and the same place after which a run has failed."""
ALONE = 2
"""Deaths after which a run is done while its pool does nothing else, so that what dies next dies of it."""
SLOT = 64  # bytes of a rank in the file of signals
BEGINNING, END = "its beginning", "its end"


@dataclass(frozen=True)
class Attempt:
    """What is known of the attempts at a run.

    Attributes:
        under_way: whether the newest attempt has begun and not ended.
        place: where it began.
        deaths: number of attempts from this place in which the process died.
        ranks: number of its ranks.
        pool: name of the pool that made it.
        began: time of day at which it began (s since 1970).
        seconds: time that the attempts before it took, so far as they ended (s).
    """

    under_way: bool = False
    place: str = BEGINNING
    deaths: int = 0
    ranks: int = 1
    pool: str = ""
    began: float = 0.0
    seconds: float = 0.0

    def spent(self) -> float:
        """Time that the run has taken so far (s)."""
        return self.seconds + (max(0.0, time.time() - self.began) if self.under_way else 0.0)


def read_attempt(folder: Path) -> Attempt:
    """The newest attempt at a run, as it was noted.

    Args:
        folder: of the run.
    """
    try:
        return Attempt(**json.loads((folder / ATTEMPT).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return Attempt()


def deaths_of(folder: Path, result: Path) -> tuple[str, int]:
    """Where a run that nobody works on would go on, and how many processes have died in attempts from there.

    Args:
        folder: of the run.
        result: its result.
    """
    last = read_attempt(folder)
    if not last.under_way and not last.deaths:
        return _place(result), 0
    place = _place(result)
    died = last.under_way and not _told_to_end(folder, last.ranks)
    return place, (last.deaths if last.place == place else 0) + died


def begin(folder: Path, place: str, deaths: int, ranks: int, pool: str) -> None:
    """Note that an attempt begins.

    Args:
        folder: of the run, whose lock is held.
        place: where it begins.
        deaths: number of deaths in attempts from there.
        ranks: number of its ranks.
        pool: name of the pool.

    Raises:
        FileError: it cannot be noted.
    """
    seconds = read_attempt(folder).seconds
    try:
        (folder / TOLD).write_bytes(b"")
    except OSError as error:
        raise FileError(f"{folder / TOLD} could not be written: {error.strerror}") from None
    _write(folder, Attempt(True, place, deaths, ranks, pool, time.time(), seconds))


def end(folder: Path) -> None:
    """Note that the attempt under way has ended.

    Args:
        folder: of the run.

    Raises:
        FileError: it cannot be noted.
    """
    last = read_attempt(folder)
    _write(folder, replace(last, under_way=False, seconds=last.spent()))


def forget(folder: Path) -> None:
    """Remove the notes on the attempts at a run.

    Args:
        folder: of the run.
    """
    for name in (ATTEMPT, TOLD):
        (folder / name).unlink(missing_ok=True)


@contextmanager
def signals_noted(folder: Path, rank: int) -> Iterator[None]:
    """Note in the folder of a run if this process is told to end meanwhile, even in compiled code or if it is killed right after.

    Args:
        folder: of the run.
        rank: number of this process among those of the run.

    Yields:
        Nothing.
    """
    descriptor = os.open(folder / TOLD, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o644)
    os.lseek(descriptor, rank * SLOT, os.SEEK_SET)
    before = signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(descriptor)


def sentence_of(folder: Path, place: str, deaths: int) -> str:
    """Why a run is given up.

    Args:
        folder: of the run.
        place: where its last attempts began.
        deaths: number of deaths in them.
    """
    error = folder / ERROR
    lines = error.read_text(encoding="utf-8").strip().splitlines() if error.exists() else []
    said = f" The last error was {lines[-1]} ({ERROR} in its folder)." if lines else ""
    return (
        f"The process that did this run has died {deaths} times in attempts from {place}, the last time with no other run beside it: it may need "
        f"more memory than there is, or meet a defect.{said} --retry-failed tries it again."
    )


def _place(result: Path) -> str:
    """Where a run goes on."""
    from ..io.results.paths import parts_of
    from ..io.state.checkpoint import checkpoints, is_finished, step_of

    newest = checkpoints(parts_of(result))
    if newest:
        return f"step {step_of(newest[0])}"
    return END if result.exists() and is_finished(result) else BEGINNING


def _told_to_end(folder: Path, ranks: int) -> bool:
    """Whether all ranks of the newest attempt were told to end before they did."""
    try:
        came = (folder / TOLD).read_bytes()
    except OSError:
        return False
    return all(bytes([signal.SIGTERM]) in came[rank * SLOT : (rank + 1) * SLOT] for rank in range(ranks))


def _write(folder: Path, attempt: Attempt) -> None:
    """Write the note whole or not at all; not forced onto the disk, for it need outlive processes only."""
    new = folder / f"{ATTEMPT}.{os.getpid()}.new"
    try:
        new.write_text(json.dumps(asdict(attempt)), encoding="utf-8")
        new.rename(folder / ATTEMPT)
    except OSError as error:
        raise FileError(f"{folder / ATTEMPT} could not be written: {error.strerror}") from None
