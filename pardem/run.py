"""A run of a case to its end: the simulation with result file, checkpoints, progress, walltime and signals."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from mpi4py import MPI

from .case import Case
from .compiled import clock
from .compiling import Compilation, user_seconds
from .decomposition.thin_boxes import fineness_notice
from .detection.edge_detector import EdgeDetector
from .errors import BlowUpError, PardemError
from .events import Kind, RunEvent
from .files import RunFiles
from .forecast import forecast
from .forecast.stop import stop_estimate
from .io.results.output_lock import reserved
from .io.results.output_path import check_output
from .io.results.paths import parts_of
from .origin import resumable, told_of_origin, with_origin
from .reports import Reports, as_text
from .retrace import MARGIN, retraced
from .run_options import RunOptions
from .run_state import load_start
from .setup.estimate import memory_needed
from .sharing import sharing_notice
from .simulation import Simulation
from .state.arrays import ERROR_OVERLAP
from .summary import Summary

PATIENCE = 600.0  # seconds since the last checkpoint that are repeated, at most, to keep the state before a blow-up
CHUNK_SECONDS = 0.25  # wall time between two looks at the clock and the signals


def run_case(
    case: Case, *, out: Path | str, comm: MPI.Comm, options: RunOptions | None = None, on_event: Callable[[RunEvent], object] | None = None
) -> Summary:
    """Run a case until its stages have ended, the wall time is used up, or the signal USR1 arrives. Collective.

    Args:
        case: validated case.
        out: result file.
        comm: communicator.
        options: whether to resume, to overwrite, to keep to a wall time (``RunOptions``); by default a new run without a limit.
        on_event: function that is told, on every rank, what happens: that the run has started, that its kernels are compiled, that a stage begins,
            that a frame or a checkpoint has been written, that the run has finished or stopped (``RunEvent``). It may do what is collective, on all
            ranks alike.

    Returns:
        The summary. ``finished`` tells whether all stages have ended; ``losses``, if any, lists the parts of the output that were found missing
        or damaged at the end and that the result lacks.

    Raises:
        PardemError: the same error on all ranks.
        MemoryError: with the memory that the run takes; on the ranks that have run out of it.

    Examples:
        >>> run_case(case, out="out.h5", comm=MPI.COMM_WORLD, options=RunOptions(force=True))  # doctest: +SKIP
    """
    options, out = options or RunOptions(), Path(out)
    # a blow-up is found by the step itself and said in a sentence: no warnings of numpy beside it
    calm = np.errstate(over="ignore", invalid="ignore")
    watch = Compilation(1 if options.quiet else comm.rank, log=as_text(options.log) if options.log else None)
    handler = signal.getsignal(signal.SIGUSR1)
    with reserved(comm, out), calm, watch as compilation:
        try:
            return _Run(case, out, comm, options, compilation, on_event).go()
        except MemoryError as error:
            said = f"{error}; " if str(error) else ""
            raise MemoryError(f"{said}{memory_needed(case, comm.size)}") from None
        finally:
            signal.signal(signal.SIGUSR1, handler)


class _Run:
    """One run; see ``run_case``."""

    def __init__(
        self, case: Case, out: Path, comm: MPI.Comm, options: RunOptions, compilation: Compilation, on_event: Callable[[RunEvent], object] | None
    ) -> None:
        self.comm, self.options, self.out = comm, options, out
        self.began, self.cpu_began, self.compilation = time.monotonic(), user_seconds(), compilation
        self.on_event = on_event
        self.asked_to_stop = False
        signal.signal(signal.SIGUSR1, self._on_signal)  # now: compilation may take a minute
        resume = options.resume
        check_output(comm, out, compression=case.output.compression, resume=resume, force=options.force, start=case.start_path)
        case = resumable(case, comm, out) if resume else with_origin(case, comm)
        start, self.notices = load_start(comm, out, case, options.accept_loss) if resume else (None, [])
        self.case = case = case if start is not None else with_origin(case, comm)
        self.resumed, self.first_step = start is not None, start.header.step if start is not None else 0
        self._tell("started", out=out, ranks=comm.size, resumed=self.resumed)
        self.sim = sim = Simulation(case, comm, start)
        self.files = RunFiles(sim, out, replace(options, resume=self.resumed), rename=resume and not self.resumed, tell=self._tell)
        self.notices += [sharing_notice(comm), fineness_notice(sim.partition, sim.engine.rebuilder.radii(sim.engine.grains))]
        self.notices += [*sim.setup.warnings, *([] if self.resumed else self._foreseen()), told_of_origin(sim).get("said", "")]
        if resume:
            self.notices.append(f"resumed at step {sim.steps_done}" if self.resumed else "no checkpoint to resume from: started from the beginning")
        self.notices += self.files.notices
        self.last_look = time.monotonic()
        self.chunk = 64
        self.overlap_told = False

    def go(self) -> Summary:
        """Run to the end."""
        sim = self.sim
        if not self.resumed:
            self.compilation.say_no_more()
            self._tell("compiled", seconds=self.compilation.cpu_seconds)
        self.cpu_ready = user_seconds() - self.compilation.cpu_seconds
        self.progress = Reports(sim.stages.base + sim.stages.remaining(), self.comm.rank, self.first_step, self.options.log, self.options.quiet)
        self.compilation.say = self.progress.message  # a run that is resumed compiles with its first step
        try:
            with self.progress:
                for text in self.notices:
                    if text:
                        self.progress.message(text)
                self._loop()
        except BlowUpError as error:
            told = self._keep_what_led_to(error)
            self.files.abandon()
            stopped = BlowUpError(f"{error} {told}")
            self._tell("stopped", reason=str(stopped), error=stopped)
            raise stopped from None
        summary = self._summary()
        self.progress.summary({name: value for name, value in vars(summary).items() if value is not None})
        if summary.finished:
            self._tell("finished", summary=summary)
        return summary

    def _foreseen(self) -> list[str]:
        """What `pardem check` warns of, on rank 0, which alone prints it; nothing where that cannot be said of a case that runs all the same."""
        if self.comm.rank > 0:
            return []
        try:
            return forecast(self.case, self.sim.setup)
        except PardemError:
            return []

    def _tell(self, kind: Kind, **details: Any) -> None:
        """Tell whoever follows the run what has happened."""
        if self.on_event is not None:
            sim: Simulation | None = getattr(self, "sim", None)  # there is none at the start
            step = self.first_step if sim is None else sim.steps_done
            self.on_event(RunEvent(kind, step, step * self.case.time.step, sim, details))

    # -- the loop -----------------------------------------------------------------------------------------------------------------

    def _loop(self) -> None:
        """All stages, in chunks of steps."""
        sim, stage, compiled = self.sim, -1, not self.resumed
        self.files.begin()
        while sim.proceed and not self._must_stop():
            if stage != sim.stages.index:
                stage, remaining = sim.stages.index, sim.stages.base + sim.stages.remaining() - sim.steps_done
                self.progress.stage(sim.stages.stage.name, sim.steps_done, remaining)
                self._tell("stage", name=sim.stages.stage.name, number=stage, remaining=remaining)
            sim.step(min(self.files.next_after(sim.steps_done) - sim.steps_done, self.chunk))
            if not compiled:
                compiled = True
                self._tell("compiled", seconds=self.compilation.cpu_seconds)
            self.progress.update(sim.steps_done)
        if sim.proceed:
            self.files.close()
            self.progress.message(f"stopped at step {sim.steps_done}, t = {sim.time:.6g} s; continue with --resume")
            asked = self.comm.allreduce(int(self.asked_to_stop), MPI.MAX)
            self._tell("stopped", reason="the signal USR1 has arrived" if asked else "the wall time has passed", error=None)

    def _must_stop(self) -> bool:
        """Tell whether the wall time has passed or a signal has arrived on any rank, and write a checkpoint if one is due by the clock."""
        now = time.monotonic()
        spent = now - self.last_look
        self.last_look = now
        late = self.options.walltime is not None and now - self.began >= self.options.walltime
        detector = self.sim.engine.rebuilder.lists.detector
        refused = detector.counts.refused if isinstance(detector, EdgeDetector) else 0
        votes = np.array([self.asked_to_stop or late, self.files.late, spent < CHUNK_SECONDS, spent > 2 * CHUNK_SECONDS, refused > 0])
        agreed = np.empty(5, np.int64)
        self.comm.Allreduce(votes.astype(np.int64), agreed, MPI.MAX)
        if agreed[3]:
            self.chunk = max(1, self.chunk // 2)
        elif agreed[2]:
            self.chunk *= 2
        if agreed[1] and not agreed[0]:
            self.files.checkpoint()
        if agreed[4] and not self.overlap_told:
            self._tell_overlap()
        return bool(agreed[0])

    def _tell_overlap(self) -> None:
        """Print a single warning if grains overlap by more than the covering spheres of the detection allow. Collective."""
        self.overlap_told = True
        detector = self.sim.engine.rebuilder.lists.detector
        assert isinstance(detector, EdgeDetector)
        pairs = [pair for pair in self.comm.allgather(detector.counts.broken) if pair[0] >= 0]
        a, b = pairs[0]
        self.progress.message(
            f"by step {self.sim.steps_done} grains {a} and {b} overlapped by more than detection.max_overlap = {detector.covering.overlap:.3g} m: "
            "linked cells then find the pairs; increase it if this happens often"
        )

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.asked_to_stop = True

    # -- ends ---------------------------------------------------------------------------------------------------------------------

    def _keep_what_led_to(self, error: BlowUpError) -> str:
        """Keep a frame and a checkpoint of the steps before a blow-up, where that takes no longer than the run since its last checkpoint, and tell
        what is known of its cause. Collective.
        """
        fault, told = error.fault, ""
        spent = time.monotonic() - (self.began if self.files.kept_step is None else self.files.last_checkpoint)
        left = math.inf if self.options.walltime is None else self.options.walltime - (time.monotonic() - self.began)
        worth = self.comm.bcast(spent < min(PATIENCE, left))
        goal = fault.step - MARGIN if fault is not None else -1
        if worth and goal > (self.first_step if self.files.kept_step is None else self.files.kept_step):
            self.progress.message(f"going back to keep the state at step {goal}, just before the run stopped")
            self.sim.engine.rebuilder.drop()
            if (found := retraced(self.case, self.out, self.files.kept_step, goal, self.comm)) is not None:
                self.sim = self.files.sim = found[0]
                self.files.write(frame=True)
                self.files.checkpoint()
                if fault.code == ERROR_OVERLAP:
                    told = f"{stop_estimate(self.case, found[0], found[1], fault)} ".lstrip()
        if self.files.kept_step is None:
            return f"{told}No checkpoint has been written yet."
        return (
            f"{told}The state of step {self.files.kept_step} is kept in a checkpoint in {parts_of(self.out)}, and the frames in {self.out}; the same "
            "case would stop there again: change it and start anew."
        )

    def _summary(self) -> Summary:
        sim, comm, counters = self.sim, self.comm, self.sim.engine.counters
        wall = time.monotonic() - self.began
        cpu = float(comm.allreduce(user_seconds() - self.cpu_began))
        compiling = float(comm.allreduce(self.compilation.cpu_seconds))
        stepping = float(comm.allreduce(user_seconds() - self.compilation.cpu_seconds - self.cpu_ready))
        grain_steps = int(comm.allreduce(counters.grain_steps))
        ticks = counters.ticks / max(1, counters.ticks[clock.TOTAL]) * counters.loop_seconds
        # a run that was stopped between two rows does not know its contacts
        values = {name: value for name, value in self.files.observables().items() if np.isfinite(value).all()}
        energy = {k.split("/")[1]: v for k, v in values.items() if k.startswith("energy/")}
        seconds = {
            "contacts": ticks[clock.CONTACTS] + ticks[clock.WALLS], "detection": counters.detection_seconds, "halo": ticks[clock.HALO],
            "integration": ticks[clock.INTEGRATION], "output": self.files.seconds,
        }  # fmt: skip
        return Summary(
            finished=not sim.proceed, losses="; ".join(map(str, self.files.losses)) or None, steps=counters.steps, time=sim.time,
            grains=sim.grain_count, ranks=comm.size, left=sim.left if sim.engine.outflow is not None else None,
            to_come=sim.to_come if sim.engine.inflow is not None else None, wall_seconds=wall,
            cpu_seconds=cpu, compile_seconds=compiling or None, cundall=grain_steps / max(stepping, 1e-9),
            contacts_per_grain=values.get("contacts_per_grain"), coordination=values.get("coordination"), rebuilds=counters.rebuilds,
            shares={k: float(v) / wall for k, v in seconds.items()}, energy=energy,
        )  # fmt: skip
