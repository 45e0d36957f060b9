"""One run of a campaign: simulated from where it is, measured, and recorded in its row, whatever becomes of it."""

from __future__ import annotations

import shutil
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mpi4py import MPI

from ..case import Case
from ..errors import FileError, MeasureError, PardemError
from ..guard import EXIT_DIED, made_by_first, made_once, print_error
from ..interrupts import came_of_interrupt
from ..io.results.paths import parts_of
from ..io.state.checkpoint import checkpoints, is_finished
from ..io.state.shared_errors import together
from ..reports import Log
from ..run import run_case
from ..run_options import RunOptions
from .attempts import ERROR, end, forget, read_attempt, signals_noted
from .measures import measured
from .points import Point
from .run_rows import CASE, FAILED, LOG, RESULT, WALL_SECONDS, Row, folder_of, write_row, write_whole
from .study import Study


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes:
        finished: whether it has its row; otherwise it had to stop at a checkpoint.
        steps: time that was spent on its steps and on writing their output (s).
        prepared: time that went by until its kernels were compiled (s).
    """

    finished: bool
    steps: float
    prepared: float


class OneRun:
    """A run in the hands of a group of ranks, which has noted the attempt. All methods are collective over the group.

    Args:
        study: the study.
        point: the run.
        group: the ranks that work on it; the first of them leads.
        prepare: compiles the kernels of a case, on the first rank.
    """

    def __init__(self, study: Study, point: Point, group: MPI.Comm, prepare: Callable[[Case], None]) -> None:
        self.study, self.point, self.group, self.prepare = study, point, group, prepare
        self.leads = group.rank == 0
        self.folder = folder_of(study, point.id)
        self.steps = self.prepared = 0.0

    def work(self, left: Callable[[], float | None]) -> Outcome:
        """Do the run from where it is.

        Args:
            left: wall time after which to write a checkpoint and stop (s), or None for no limit; asked once the kernels are there.

        Returns:
            What became of it.

        Raises:
            FileError: a file cannot be read or written, or the study measures what is not there.
            OSError: so does the system, on one rank.
        """
        try:
            with signals_noted(self.folder, self.group.rank):
                row = self._row_of(left)
                self._record(row)
        except (Exception, KeyboardInterrupt):  # the pool ends, and not because of this run
            with suppress(FileError):
                end(self.folder)
            raise
        return Outcome(row is not None, self.steps, self.prepared)

    def _row_of(self, left: Callable[[], float | None]) -> Row | None:
        """What the run gave; None if it had to stop before its end."""
        try:
            with together(self.group, f"{self.folder} cannot be read"):
                done = self.leads and is_finished(self.folder / RESULT)
            if not self.group.bcast(done):
                case = self._case()
                begin = time.monotonic()
                made_by_first(self.group, lambda: self.prepare(case))
                self.prepared = time.monotonic() - begin
                if not self._simulate(case, left()):
                    return None
            row: Row = {}
            with together(self.group, f"{self.folder} could not be measured"):
                if self.leads:
                    row = self._measured()
            return row
        except (FileError, OSError):
            raise
        except PardemError as error:  # on all ranks of the group
            return _failed(error)
        except Exception as error:
            if came_of_interrupt(error):
                raise KeyboardInterrupt from error
            return self._unexpected(error)

    def _unexpected(self, error: Exception) -> Row:
        """What becomes of an error that is none of pardem's: of one rank alone, the row says it; several ranks may wait for each other, and end."""
        text = "".join(traceback.format_exception(error))
        with together(MPI.COMM_SELF, f"{self.folder / ERROR} could not be written"):
            (self.folder / ERROR).write_text(text, encoding="utf-8")
        if self.group.size > 1:
            signal.set_wakeup_fd(-1)  # who ends the others may be told to end as well
            print_error(error, f"[{self.point.id}] ")
            MPI.COMM_WORLD.Abort(EXIT_DIED)
        words = f"there is not enough memory ({error})" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
        return {"status": FAILED, "sentence": " ".join(f"{words}; {ERROR} in its folder says where".split())}

    def _measured(self) -> Row:
        try:
            return measured(self.study, self.folder / RESULT)
        except MeasureError as error:
            return _failed(error)
        except PardemError as error:
            raise FileError(f"{self.study.path}: {error}") from error  # a mistake in the study, not in this run

    def _case(self) -> Case:
        """The case of the run, alike on all ranks, which its folder shows."""
        case = made_once(self.group, lambda: self.point.case(self.study))
        with together(self.group, f"{self.folder} could not be written"):
            if self.leads and not (self.folder / CASE).exists():
                write_whole(self.folder / CASE, case.to_toml())
        return case

    def _simulate(self, case: Case, walltime: float | None) -> bool:
        log: Log | None = None
        with together(self.group, f"{self.folder / LOG} could not be written"):
            if self.leads:
                if not checkpoints(parts_of(self.folder / RESULT)):
                    _discard(self.folder)  # begun, but not so far that it could go on
                log = Log(self.folder / LOG)
        try:
            options = RunOptions(resume=True, accept_loss=True, walltime=walltime, log=log, quiet=True)
            summary = run_case(case, out=self.folder / RESULT, comm=self.group, options=options)
        finally:
            if log is not None:
                log.close()
        self.steps = summary.wall_seconds * sum(summary.shares.values())
        return summary.finished

    def _record(self, row: Row | None) -> None:
        """Write the row, or note that the run stopped; a result that could not be measured stays, to be measured later."""
        with together(self.group, f"{self.folder} could not be written"):
            if self.leads and row is None:
                end(self.folder)
            elif self.leads and row is not None:
                seconds = max(0.0, read_attempt(self.folder).spent() - self.prepared)
                write_row(self.study, self.point, row | {WALL_SECONDS: f"{seconds:.3f}"})
                forget(self.folder)
                if not self.study.keep_results and (row["status"] != FAILED or not is_finished(self.folder / RESULT)):
                    _discard(self.folder)


def _failed(error: PardemError) -> Row:
    return {"status": FAILED, "sentence": " ".join(str(error).split())}


def _discard(folder: Path) -> None:
    """Remove what a run has left but for its row, its case and its log."""
    for path in folder.glob(f"{Path(RESULT).stem}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
