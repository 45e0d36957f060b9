"""The pool: groups of ranks whose leaders take one run after the other, until none is left.

Who takes a run holds a lock on a file in its folder, which the kernel of the operating system lets go of when its process dies. Groups of one mpirun,
jobs of a Slurm array and calls on other machines of the same file system thus share a campaign in the same way, and a run that was killed is free.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from mpi4py import MPI

from ..case import Case
from ..errors import BlowUpError, CaseError, FileError, InsertionError, PardemError, ShapeError
from ..guard import made_once
from ..io.results.paths import parts_of
from ..io.state.checkpoint import checkpoints, is_finished
from ..io.state.shared_errors import together
from ..reports import Log
from ..run import run_case
from ..run_options import RunOptions
from ..setup.estimate import duration
from ..setup.warmup import shrunken
from .measures import measured, units_of
from .points import Design, Point
from .run_rows import FAILED, Row, Rows, collect, folder_of, known_points, read_row, write_row, write_whole
from .study import Study

CASE, RESULT, LOG, LOCK = "case.toml", "result.h5", "run.log", "lock"
RECORDED = (BlowUpError, CaseError, ShapeError, InsertionError)
"""Errors of the run itself, which its row records; others, of files for instance, end the pool."""
PAUSE = 0.2  # seconds between two looks for runs that follow from those of others
TOLD = 10.0  # least seconds between two lines of progress


@dataclass
class Times:
    """What a leader has done with its time (s).

    Attributes:
        runs: number of runs that it finished.
        busy: time spent in runs.
        steps: part of it that was spent on steps and on writing their output; the rest is start-up.
    """

    runs: int = 0
    busy: float = 0.0
    steps: float = 0.0
    began: float = field(default_factory=time.monotonic)


class Pool:
    """One call of a campaign. All methods are collective.

    Args:
        design: design of the study.
        comm: all ranks.
        walltime: wall time after which to write checkpoints and stop (s), or None for no limit.
    """

    def __init__(self, design: Design, comm: MPI.Comm, walltime: float | None) -> None:
        self.design, self.study, self.comm = design, design.study, comm
        self.group = comm.Split(comm.rank // self.study.ranks_per_run, comm.rank)
        self.leads = self.group.rank == 0
        self.works = self.group.size == self.study.ranks_per_run
        self.ends = None if walltime is None else time.monotonic() + walltime
        self.stopped = False
        self.rows = Rows(self.study)
        self.times = Times()
        self.told = 0.0

    def run(self) -> bool:
        """Work until nothing is left to be done.

        Returns:
            Whether all runs of the study have ended, on all ranks alike.

        Raises:
            PardemError: a file cannot be written, or a measure is wrong.
        """
        if self.comm.size < self.study.ranks_per_run:
            raise CaseError(
                f"{self.study.path}: ranks_per_run = {self.study.ranks_per_run}, but there are {self.comm.size} ranks: start it with mpirun -n"
            )
        with together(self.comm, f"{self.study.folder} could not be made"):
            if self.comm.rank == 0:
                self.study.folder.mkdir(exist_ok=True)
        before = signal.signal(signal.SIGUSR1, self._on_signal)
        try:
            self._compile_once()
            while self.works and self._take_one():
                pass
        finally:
            signal.signal(signal.SIGUSR1, before)
        spent = time.monotonic() - self.times.began
        reports = self.comm.gather((self.works and self.leads, self.times, spent))
        done = False
        if self.comm.rank == 0:
            written = collect(self.design, self.rows, units_of(self.study))
            done = written == self.design.count
            self._tell_end(written, [(times, spent) for leads, times, spent in reports or () if leads])
        return bool(self.comm.bcast(done))

    # -- one run ------------------------------------------------------------------------------------------------------------------

    def _take_one(self) -> bool:
        """Take a run and work on it; False when there is none left. Collective over the group."""
        with self._claimed() as point:
            point, stop = self.group.bcast((point, self.stopped or self._late()) if self.leads else None)
            if point is None or stop:
                return False
            begin = time.monotonic()
            finished = self._work_on(point)
            self.times.busy += time.monotonic() - begin
            self.times.runs += finished
        if self.leads:
            self._tell()
        return finished

    @contextmanager
    def _claimed(self) -> Iterator[Point | None]:
        """The next run that has no row and that nobody works on, locked meanwhile; of the leader."""
        if not self.leads:
            yield None
            return
        while True:
            points = known_points(self.design, self.rows)
            open_points = [point for point in points if point.id not in self.rows.known]
            for point in open_points:
                folder = folder_of(self.study, point.id)
                folder.mkdir(exist_ok=True)
                with locked(folder / LOCK) as mine:
                    if mine and read_row(self.study, point.id) is None:
                        yield point
                        return
            # others work on the rest; where values follow from their outcomes there may be more to do
            if len(self.rows.known) >= self.design.count or len(points) == self.design.count or self.stopped or self._late():
                yield None
                return
            time.sleep(PAUSE)

    def _work_on(self, point: Point) -> bool:
        """Do a run from where it is; False if it had to stop before its end. Collective over the group."""
        folder = folder_of(self.study, point.id)
        row: Row | None = None
        try:
            done = False
            with together(self.group, f"{folder} cannot be read"):
                if self.leads:
                    done = is_finished(folder / RESULT)
            if not self.group.bcast(done):
                case = self._case(point)
                if not self._simulate(case, folder):
                    return False
            with together(self.group, f"{folder} could not be measured"):
                if self.leads:
                    row = self._measured(folder)
        except RECORDED as error:
            row = {"status": FAILED, "sentence": " ".join(str(error).split())}
        with together(self.group, f"{folder} could not be written"):
            if self.leads and row is not None:
                write_row(self.study, point, row)
                if not self.study.keep_results:
                    _discard(folder)
        return True

    def _measured(self, folder: Path) -> Row:
        try:
            return measured(self.study, folder / RESULT)
        except CaseError as error:
            raise FileError(f"{self.study.path}: {error}") from error  # a mistake in the study, not in this run

    def _case(self, point: Point) -> Case:
        """The case of a run, alike on all ranks of the group, which its folder shows."""
        folder = folder_of(self.study, point.id)
        case = made_once(self.group, lambda: point.case(self.study))
        with together(self.group, f"{folder} could not be written"):
            if self.leads and not (folder / CASE).exists():
                write_whole(folder / CASE, case.to_toml())
        return case

    def _simulate(self, case: Case, folder: Path) -> bool:
        log: Log | None = None
        with together(self.group, f"{folder / LOG} could not be written"):
            if self.leads:
                if not checkpoints(parts_of(folder / RESULT)):
                    _discard(folder)  # begun, but not so far that it could go on
                log = Log(folder / LOG)
        try:
            left = None if self.ends is None else max(0.0, self.ends - time.monotonic())
            options = RunOptions(resume=True, accept_loss=True, walltime=left, log=log, quiet=True)
            summary = run_case(case, out=folder / RESULT, comm=self.group, options=options)
        finally:
            if log is not None:
                log.close()
        self.times.steps += summary.wall_seconds * sum(summary.shares.values())
        self.stopped |= not summary.finished
        return summary.finished

    # -- around the runs ----------------------------------------------------------------------------------------------------------

    def _compile_once(self) -> None:
        """Let rank 0 compile the kernels of the first run that is to be done, so that the others find them in the cache. Collective."""
        if self.comm.size > 1 and self.comm.rank == 0:
            waiting = [point for point in known_points(self.design, self.rows) if point.id not in self.rows.known]
            if waiting:
                self._compile(waiting[0])
        self.comm.Barrier()

    def _compile(self, point: Point) -> None:
        """Run a few steps of a case; what is wrong with it, its run will say."""
        folder = Path(tempfile.mkdtemp(prefix="pardem-campaign-"))
        try:
            with suppress(PardemError):
                case = shrunken(point.case(self.study))
                run_case(case, out=folder / RESULT, comm=MPI.COMM_SELF, options=RunOptions(force=True, quiet=True))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopped = True

    def _late(self) -> bool:
        return self.ends is not None and time.monotonic() >= self.ends

    def _tell(self) -> None:
        """Print now and then how far the campaign is, by the first leader."""
        now = time.monotonic()
        if self.comm.rank != 0 or now - self.told < TOLD:
            return
        self.told = now
        self.rows.look(point.id for point in self.design.points(self.rows.known))
        counts = counted(self.design, self.rows)
        leaders = self.comm.size // self.study.ranks_per_run
        left = (now - self.times.began) / max(1, self.times.runs) * (self.design.count - counts[0]) / leaders
        print(f"[{duration(now - self.times.began)}] {said(self.design, counts)}, about {duration(left)} left", file=sys.stderr, flush=True)

    def _tell_end(self, written: int, leaders: list[tuple[Times, float]]) -> None:
        """Print what was done, and with what the processors were busy."""
        print(said(self.design, counted(self.design, self.rows)), file=sys.stderr)
        busy, spent = sum(times.busy for times, _ in leaders), sum(spent for _, spent in leaders)
        if busy > 0.0:
            steps = sum(times.steps for times, _ in leaders)
            print(
                f"{sum(times.runs for times, _ in leaders)} runs in {duration(max(s for _, s in leaders))} on {len(leaders)} groups of ranks, which "
                f"were busy for {busy / spent:.1%} of the time; {1.0 - steps / busy:.1%} of that was neither steps nor their output",
                file=sys.stderr,
            )
        print(f"{self.study.table}: {written} rows", file=sys.stderr, flush=True)


def counted(design: Design, rows: Rows) -> tuple[int, int]:
    """Number of runs that have ended, and of those among them that failed.

    Args:
        design: design of the study.
        rows: that are there.
    """
    ended = [rows.known[point.id] for point in known_points(design, rows) if point.id in rows.known]
    return len(ended), sum(row["status"] == FAILED for row in ended)


def said(design: Design, counts: tuple[int, int]) -> str:
    """How far a campaign is, in words.

    Args:
        design: design of the study.
        counts: counts of `counted`.
    """
    failed = f", of which {counts[1]} have failed" if counts[1] else ""
    return f"{counts[0]} of {design.count} runs have ended{failed}"


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Try to lock a file.

    Args:
        path: path of the file; made if need be.

    Yields:
        Whether it is locked by this process now.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _discard(folder: Path) -> None:
    """Remove what a run has left but for its row, its case and its log."""
    for path in folder.glob(f"{Path(RESULT).stem}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def under_way(study: Study, point: Point) -> bool:
    """Whether somebody works on a run now.

    Args:
        study: the study.
        point: the run.
    """
    path = folder_of(study, point.id) / LOCK
    if not path.exists():
        return False
    with locked(path) as mine:
        return not mine
