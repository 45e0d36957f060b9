"""A run of a case to its end: the simulation with result file, checkpoints, progress, walltime and signals."""

from __future__ import annotations

import resource
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from mpi4py import MPI

from . import clock
from .case import Case
from .case.output import Cadence
from .io import progress as report
from .io.output_path import prepare_output
from .io.results import ResultWriter
from .io.run_state import load_start, save_checkpoint
from .simulation import Simulation

CHUNK_SECONDS = 0.25  # wall time between two looks at the clock and the signals


def run_case(case: Case, *, out: Path, resume: bool, force: bool, walltime: float | None, comm: MPI.Comm) -> dict[str, Any]:
    """Run a case until its stages are over, the walltime is, or USR1 arrives. Collective.

    Args:
        case: validated case. out: result file. resume: go on from the newest valid checkpoint. force: overwrite an existing result.
        walltime: seconds after which to stop at a checkpoint; None: never. comm: communicator.

    Returns:
        the summary; ``finished`` tells whether the stages are over.

    Raises:
        PardemError: alike on all ranks.
    """
    return Run(case, out, resume, force, walltime, comm).go()


@dataclass
class Due:
    """When something is to be written next."""

    cadence: Cadence | None
    next: float = float("inf")

    def after(self, step: int) -> None:
        """Set the next event after a step."""
        if self.cadence is not None:
            self.next = self.cadence.next_after(step)


class Run:
    """One run; see ``run_case``."""

    def __init__(self, case: Case, out: Path, resume: bool, force: bool, walltime: float | None, comm: MPI.Comm) -> None:
        self.case, self.comm = case, comm
        self.began = time.monotonic()
        self.walltime = walltime
        self.output_seconds = 0.0
        self.stop_asked = False
        start, fresh = (load_start(comm, out, case) if resume else (None, True))
        prepare_output(comm, out, resume=resume, force=force, fresh=fresh)
        self.sim = Simulation(case, comm, start)
        self.first_step = self.sim.steps_done
        self.due = {what: Due(case.cadence(what)) for what in ("frame", "observable", "checkpoint")}
        for due in self.due.values():
            due.after(self.sim.steps_done)
        self.writer = ResultWriter.for_simulation(self.sim, out)
        self.out = out
        self.resumed = start is not None
        self.last_checkpoint = time.monotonic()
        self.notice = ""
        if resume:
            self.notice = f"resumed at step {self.first_step}" if self.resumed else "no checkpoint to resume from: started anew"

    def go(self) -> dict[str, Any]:
        """Run to the end."""
        sim, comm = self.sim, self.comm
        previous = signal.signal(signal.SIGUSR1, self._on_signal)
        try:
            total = sim.stages.base + sim.stages.remaining()
            with report.Progress(total, comm.rank, done=self.first_step) as self.progress:
                for text in (*sim.setup.warnings, self.notice):
                    if text:
                        self.progress.message(text)
                if not self.resumed:
                    sim.engine.measure()
                    self._write(frame=True, observables=True)
                stage = -1
                while sim.proceed and not self._must_stop():
                    if stage != sim.stages.index:
                        stage = sim.stages.index
                        self.progress.stage(sim.stages.stage.name, sim.steps_done, sim.stages.end - sim.stages.base)
                    self._chunk()
                finished = not sim.proceed
                if finished:
                    self._finish()
                else:
                    self._checkpoint()
                    self.progress.message(f"stopped at step {sim.steps_done}, t = {sim.time:.6g} s; go on with --resume")
        finally:
            signal.signal(signal.SIGUSR1, previous)
        values = self._summary(finished)
        report.summary(values, comm.rank)
        return values
