"""The pool: groups of ranks whose leaders take one run after the other, until none is left.

Who takes a run holds a lock on a file in its folder, which the kernel of the operating system lets go of when its process dies. Groups of one mpirun,
jobs of a Slurm array and calls on other machines of the same file system thus share a campaign in the same way, and a run that was killed is free.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import FrameType

from mpi4py import MPI

from ..errors import CaseError
from ..io.state.shared_errors import together
from ..setup.estimate import duration
from .claims import Claims
from .kinds import Kinds
from .measures import units_of
from .one_run import OneRun
from .points import Design
from .progress import progress
from .run_rows import Rows, collect

PAUSE = 0.2  # seconds between two looks for runs that follow from those of others
TOLD = 10.0  # least seconds between two lines of progress


@dataclass
class Times:
    """What a leader has done with its time (s).

    Attributes:
        runs: number of runs that it finished.
        busy: time spent in runs.
        steps: part of it that was spent on steps and on their output, making it and writing it; the rest is start-up.
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
        name = comm.bcast(f"{platform.node()} {os.getpid()} {time.time_ns()}")
        self.claims = Claims(design, self.rows, name, self.study.ranks_per_run)
        self.kinds = Kinds(self.study.folder, lambda: self.stopped or self._late())
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
        before = signal.signal(signal.SIGUSR1, self._on_signal), signal.signal(signal.SIGTERM, _end)
        try:
            while self.works and self._take_one():
                pass
        finally:
            for number, handler in zip((signal.SIGUSR1, signal.SIGTERM), before, strict=True):
                signal.signal(number, handler)
        spent = time.monotonic() - self.times.began
        reports = self.comm.gather((self.works and self.leads, self.times, spent))
        done = False
        if self.comm.rank == 0:
            written = collect(self.design, self.rows, units_of(self.study))
            done = written == self.design.count
            self._tell_end(written, [(times, spent) for leads, times, spent in reports or () if leads])
        return bool(self.comm.bcast(done))

    def _take_one(self) -> bool:
        """Take a run and work on it; False when there is none left. Collective over the group."""
        if self.group.bcast(self.stopped or self._late()):
            return False
        with self.claims.next_one(self._wait) if self.leads else nullcontext() as point:
            point = self.group.bcast(point)
            if point is None:
                return False
            begin = time.monotonic()
            outcome = OneRun(self.study, point, self.group, self.kinds.prepare).work(self._left)
            self.stopped |= not outcome.finished
            self.times.busy += time.monotonic() - begin - outcome.prepared
            self.times.steps += outcome.steps
            self.times.runs += outcome.finished
        if self.leads:
            self._tell()
        return outcome.finished

    def _wait(self) -> bool:
        """Wait a little where the rest is in the hands of others; whether to look again."""
        if self.stopped or self._late():
            return False
        time.sleep(PAUSE)
        return True

    def _left(self) -> float | None:
        """Time until the pool must stop (s), or None for no limit."""
        if self.stopped:
            return 0.0
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())

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
        found = progress(self.design, self.rows, self.comm.size // self.study.ranks_per_run)
        print(f"[{duration(now - self.times.began)}] {found}", file=sys.stderr, flush=True)

    def _tell_end(self, written: int, leaders: list[tuple[Times, float]]) -> None:
        """Print what was done, and with what the processors were busy."""
        print(progress(self.design, self.rows), file=sys.stderr)
        busy, spent = sum(times.busy for times, _ in leaders), sum(spent for _, spent in leaders)
        if busy > 0.0:
            steps = sum(times.steps for times, _ in leaders)
            print(
                f"{sum(times.runs for times, _ in leaders)} runs in {duration(max(s for _, s in leaders))} on {len(leaders)} groups of ranks, which "
                f"were busy for {busy / spent:.1%} of the time; {1.0 - steps / busy:.1%} of that was neither steps nor their output",
                file=sys.stderr,
            )
        print(f"{self.study.table}: {written} rows", file=sys.stderr, flush=True)


def _end(number: int, frame: FrameType | None) -> None:
    """End as the signal asks; that it has come was noted at once (``attempts.signals_noted``)."""
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
