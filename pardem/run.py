"""A run of a case to its end: the simulation with result file, checkpoints, progress, walltime and signals."""

from __future__ import annotations

import math
import signal
import time
from pathlib import Path
from types import FrameType

import numpy as np
from mpi4py import MPI

from .case import Case
from .compiled import clock
from .compiled.fixedpoint import totals
from .compiling import Compilation, user_seconds
from .decomposition.thin_boxes import fineness_notice
from .errors import BlowUpError
from .forecast.stop import stop_estimate
from .io.results.contact_frames import ContactFrame
from .io.results.output_lock import reserved
from .io.results.output_path import check_output, prepare_output
from .io.results.paths import parts_of
from .io.results.static_part import DomainBox, StaticPart
from .io.results.writer import ResultWriter
from .io.state.manifest import Loss
from .observables.local_fraction import LocalFraction
from .origin import resumable, told_of_origin, with_origin
from .reports import Log, Reports, as_text
from .retrace import MARGIN, retraced
from .run_state import full_state, load_start
from .sharing import sharing_notice
from .simulation import Simulation
from .state.arrays import ERROR_OVERLAP
from .state.population import Population
from .summary import Summary
from .version import VERSION

PATIENCE = 600.0  # seconds since the last checkpoint that are repeated, at most, to keep the state before a blow-up
CHUNK_SECONDS = 0.25  # wall time between two looks at the clock and the signals


def run_case(
    case: Case, *, out: Path, resume: bool, force: bool, walltime: float | None, comm: MPI.Comm, accept_loss: bool = False, log: Log | None = None,
    quiet: bool = False,
) -> Summary:  # fmt: skip
    """Run a case until its stages have ended, the wall time is used up, or the signal USR1 arrives. Collective.

    Args:
        case: validated case.
        out: result file.
        resume: whether to resume from the newest valid checkpoint.
        force: whether to overwrite an existing result.
        walltime: wall time after which to write a checkpoint and stop (s); None for no limit.
        comm: communicator.
        accept_loss: with ``resume``, whether to go on although parts of the output are missing or were changed.
        log: file for everything that the run tells, on rank 0.
        quiet: print nothing; the log gets all the same.

    Returns:
        The summary. ``finished`` tells whether all stages have ended; ``losses``, if any, lists the parts of the output that were found missing
        or damaged at the end and that the result lacks.

    Raises:
        PardemError: the same error on all ranks.
    """
    # a blow-up is found by the step itself and said in a sentence: no warnings of numpy beside it
    calm, watch = np.errstate(over="ignore", invalid="ignore"), Compilation(1 if quiet else comm.rank, log=as_text(log) if log else None)
    with reserved(comm, out), calm, watch as compilation:
        return _Run(case, out, resume, force, walltime, comm, accept_loss, log, quiet, compilation).go()


class _Run:
    """One run; see ``run_case``."""

    def __init__(
        self, case: Case, out: Path, resume: bool, force: bool, walltime: float | None, comm: MPI.Comm, accept_loss: bool, log: Log | None,
        quiet: bool, compilation: Compilation,
    ) -> None:  # fmt: skip
        self.comm, self.walltime, self.out = comm, walltime, out
        self.began, self.cpu_began, self.log, self.compilation = time.monotonic(), user_seconds(), log, compilation
        self.quiet = quiet
        self.asked_to_stop = False
        self.previous_handler = signal.signal(signal.SIGUSR1, self._on_signal)  # now: compilation may take a minute
        check_output(comm, out, resume=resume, force=force)
        case = resumable(case, comm, out) if resume else with_origin(case, comm)
        start, self.notices = load_start(comm, out, case, accept_loss) if resume else (None, [])
        self.resumed = start is not None
        self.case = case = case if self.resumed else with_origin(case, comm)
        self.sim = sim = Simulation(case, comm, start)
        # only what runs replaces an older output
        self.notices.append(prepare_output(comm, out, resume=resume, force=force, fresh=start is None))
        self.notices += [sharing_notice(comm), fineness_notice(sim.partition, sim.engine.rebuilder.radii(sim.engine.grains)), *sim.setup.warnings]
        if resume:
            self.notices.append(f"resumed at step {sim.steps_done}" if self.resumed else "no checkpoint to resume from: started from the beginning")
        taken_over = told_of_origin(sim)
        self.notices.append(taken_over.get("said", ""))
        self.first_step = sim.steps_done
        self.due = {what: case.cadence(what) for what in ("frame", "observable", "checkpoint")}
        self.last_checkpoint = self.last_look = time.monotonic()
        self.kept_step = sim.steps_done if self.resumed else None
        self.chunk = 64
        self.overlap_told = False
        grains, _ = sim.engine.all_grains()
        static = StaticPart(case.to_toml(), case.hash(), sim.setup.catalogue._asdict(), grains.gid, grains.species, grains.scale, self._box())
        self.writer = ResultWriter(
            comm, out, static, precision=case.output.precision, resume_step=self.first_step if self.resumed else None, accept_loss=accept_loss,
            pardem=VERSION, title=case.title, **({"start": taken_over} if taken_over else {}),
        )  # fmt: skip
        self.notices += self.writer.notices
        self.losses: list[Loss] = []
        tables = sim.setup.cell_tables
        self.cells = LocalFraction(comm, sim.setup.catalogue, tables, *self._box()) if tables else None

    def go(self) -> Summary:
        """Run to the end."""
        sim = self.sim
        if not self.resumed:
            self.compilation.say_no_more()
        self.cpu_ready = user_seconds() - self.compilation.cpu_seconds
        self.progress = Reports(sim.stages.base + sim.stages.remaining(), self.comm.rank, self.first_step, self.log, self.quiet)
        self.compilation.say = self.progress.message  # a run that is resumed compiles with its first step
        try:
            with self.progress:
                for text in self.notices:
                    if text:
                        self.progress.message(text)
                if not self.resumed:
                    self._write(frame=True)
                    if self.case.start is not None:
                        self._let_go_of_origin()
                stage = -1
                while sim.proceed and not self._must_stop():
                    if stage != sim.stages.index:
                        stage = sim.stages.index
                        self.progress.stage(sim.stages.stage.name, sim.steps_done, sim.stages.base + sim.stages.remaining() - sim.steps_done)
                    self._advance()
                self._end()
        except BlowUpError as error:
            told = self._keep_what_led_to(error)
            self.writer.close()
            raise BlowUpError(f"{error} {told}") from None
        finally:
            signal.signal(signal.SIGUSR1, self.previous_handler)
        summary = self._summary()
        self.progress.summary({name: value for name, value in vars(summary).items() if value is not None})
        return summary

    # -- the loop -----------------------------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Run to the next event, or for one chunk of steps."""
        sim = self.sim
        step = sim.steps_done
        events = {what: cadence.next_after(step) for what, cadence in self.due.items() if cadence is not None}
        goal = min([step + self.chunk, *events.values()])
        sim.step(goal - step, observe=events.get("observable") == goal or events.get("frame") == goal)
        now = sim.steps_done
        if "frame" in events and now == events["frame"]:
            self._write(frame=True)
        elif "observable" in events and now == events["observable"]:
            self._write(frame=False)
        if "checkpoint" in events and now == events["checkpoint"]:
            self._checkpoint()
        self.progress.update(now)

    def _must_stop(self) -> bool:
        """Tell whether the wall time has passed or a signal has arrived on any rank, and write a checkpoint if one is due by the clock."""
        now = time.monotonic()
        spent = now - self.last_look
        self.last_look = now
        late = self.walltime is not None and now - self.began >= self.walltime
        minutes = self.case.output.checkpoint_minutes
        refused = self.sim.engine.rebuilder.lists.detector.counts.refused if self.sim.engine.rebuilder.lists.detector else 0
        votes = np.array(
            [self.asked_to_stop or late, now - self.last_checkpoint >= 60.0 * minutes, spent < CHUNK_SECONDS, spent > 2 * CHUNK_SECONDS, refused > 0]
        )
        agreed = np.empty(5, np.int64)
        self.comm.Allreduce(votes.astype(np.int64), agreed, MPI.MAX)
        if agreed[3]:
            self.chunk = max(1, self.chunk // 2)
        elif agreed[2]:
            self.chunk *= 2
        if agreed[1] and not agreed[0]:
            self._checkpoint()
        if agreed[4] and not self.overlap_told:
            self._tell_overlap()
        return bool(agreed[0])

    def _tell_overlap(self) -> None:
        """Print a single warning if grains overlap by more than the covering spheres of the detection allow. Collective."""
        self.overlap_told = True
        detector = self.sim.engine.rebuilder.lists.detector
        assert detector is not None
        pairs = [pair for pair in self.comm.allgather(detector.counts.broken) if pair[0] >= 0]
        a, b = pairs[0]
        self.progress.message(
            f"by step {self.sim.steps_done} grains {a} and {b} overlapped by more than detection.max_overlap = {detector.covering.overlap:.3g} m: "
            "linked cells then find the pairs; increase it if this happens often"
        )

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.asked_to_stop = True

    # -- output -------------------------------------------------------------------------------------------------------------------

    def _write(self, *, frame: bool) -> None:
        sim = self.sim
        sim.engine.settle_faults()
        values = sim.observables()
        self.writer.observables(sim.steps_done, sim.time, values)
        if frame:
            grains, left = sim.engine.all_grains()
            self.writer.frame(sim.steps_done, sim.time, grains.gid, self._fields(grains, left), self._contacts())

    def _fields(self, g: Population, left: np.ndarray) -> dict[str, np.ndarray]:
        """Return the fields of a frame in SI units; if faces of the domain are open, also which grains have left."""
        settings = self.sim.setup.scene.settings
        every = {
            "position": lambda: g.x[:, :3], "image": lambda: g.image, "orientation": lambda: g.q, "velocity": lambda: g.v[:, :3],
            "angular_velocity": lambda: g.w[:, :3],
            "force": lambda: totals(g.ft, 0) * settings.force, "torque": lambda: totals(g.ft, 4) * settings.torque,
        }  # fmt: skip
        if self.cells:
            cells = self.cells
            gone = np.full(len(left) - np.count_nonzero(left < 0), np.nan)
            every["local_fraction"] = lambda: np.concatenate([cells.measure(self.sim.engine.grains, self.sim.setup.scene.walls), gone])
        fields: dict[str, np.ndarray] = {name: np.ascontiguousarray(every[name]()) for name in self.case.output.fields}
        if self.sim.engine.outflow is not None:
            fields["outflow"] = (left >= 0).astype(np.int32)
        return fields

    def _contacts(self) -> ContactFrame | None:
        """The contacts of a frame, where they are asked for."""
        recorder = self.sim.engine.recorder
        if recorder is None:
            return None
        found, known = recorder.contacts, self.sim.engine.observed
        rows = slice(None if known else 0)
        shown = {name: getattr(found, name)[rows] for name in self.case.output.contact_fields}
        return ContactFrame(found.key[rows], shown, tuple(self.sim.setup.scene.wall_names), known)

    def _checkpoint(self) -> None:
        self.sim.engine.settle_faults()
        self.writer.checkpoint(full_state(self.sim))
        self.last_checkpoint = time.monotonic()
        self.kept_step = self.sim.steps_done

    def _let_go_of_origin(self) -> None:
        """Keep what was taken over from another run, so that neither its file nor its state in memory is needed any more."""
        self._checkpoint()
        assert self.case.origin is not None
        self.case.origin.state = None

    def _keep_what_led_to(self, error: BlowUpError) -> str:
        """Keep a frame and a checkpoint of the steps before a blow-up, where that takes no longer than the run since its last checkpoint, and tell
        what is known of its cause. Collective.
        """
        fault, told = error.fault, ""
        spent = time.monotonic() - (self.began if self.kept_step is None else self.last_checkpoint)
        left = math.inf if self.walltime is None else self.walltime - (time.monotonic() - self.began)
        worth = self.comm.bcast(spent < min(PATIENCE, left))
        goal = fault.step - MARGIN if fault is not None else -1
        if worth and goal > (self.first_step if self.kept_step is None else self.kept_step):
            self.progress.message(f"going back to keep the state at step {goal}, just before the run stopped")
            self.sim.engine.rebuilder.drop()
            if (found := retraced(self.case, self.out, self.kept_step, goal, self.comm)) is not None:
                self.sim = found[0]
                self._write(frame=True)
                self._checkpoint()
                if fault.code == ERROR_OVERLAP:
                    told = f"{stop_estimate(self.case, found[0], found[1], fault)} ".lstrip()
        if self.kept_step is None:
            return f"{told}No checkpoint has been written yet."
        return (
            f"{told}The state of step {self.kept_step} is kept in a checkpoint in {parts_of(self.out)}, and the frames in {self.out}; the same case "
            "would stop there again: change it and start anew."
        )

    def _end(self) -> None:
        sim = self.sim
        sim.engine.settle_faults()
        if sim.proceed:
            self._checkpoint()
            self.writer.close()
            self.progress.message(f"stopped at step {sim.steps_done}, t = {sim.time:.6g} s; continue with --resume")
        else:
            self._write(frame=True)
            self.losses = self.writer.finish(full_state(sim))

    def _box(self) -> DomainBox:
        """Lower and upper corner of the domain, or of the grains where there is none, and its periodic axes."""
        domain = self.case.domain
        if domain is not None:
            return DomainBox(domain.lower, domain.upper, domain.periodic)
        x, r = self.sim.engine.grains.x[:, :3], self.sim.engine.grains.x[:, 3:]
        bounds = np.array([(-x + r).max(axis=0), (x + r).max(axis=0)]) if len(x) else np.full((2, 3), -np.inf)
        self.comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MAX)
        return DomainBox(tuple(-bounds[0]), tuple(bounds[1]), (False, False, False))

    def _summary(self) -> Summary:
        sim, comm, counters = self.sim, self.comm, self.sim.engine.counters
        wall = time.monotonic() - self.began
        cpu = float(comm.allreduce(user_seconds() - self.cpu_began))
        compiling = float(comm.allreduce(self.compilation.cpu_seconds))
        stepping = float(comm.allreduce(user_seconds() - self.compilation.cpu_seconds - self.cpu_ready))
        grain_steps = int(comm.allreduce(counters.grain_steps))
        ticks = counters.ticks / max(1, counters.ticks[clock.TOTAL]) * counters.loop_seconds
        # a run that was stopped between two rows does not know its contacts
        values = {name: value for name, value in sim.observables().items() if np.isfinite(value).all()}
        energy = {k.split("/")[1]: v for k, v in values.items() if k.startswith("energy/")}
        seconds = {
            "contacts": ticks[clock.CONTACTS] + ticks[clock.WALLS], "detection": counters.detection_seconds, "halo": ticks[clock.HALO],
            "integration": ticks[clock.INTEGRATION], "output": self.writer.seconds,
        }  # fmt: skip
        return Summary(
            finished=not sim.proceed, losses="; ".join(map(str, self.losses)) or None, steps=counters.steps, time=sim.time,
            grains=sim.grain_count, ranks=comm.size, left=sim.left if sim.engine.outflow is not None else None, wall_seconds=wall,
            cpu_seconds=cpu, compile_seconds=compiling or None, cundall=grain_steps / max(stepping, 1e-9),
            contacts_per_grain=values.get("contacts_per_grain"), coordination=values.get("coordination"), rebuilds=counters.rebuilds,
            shares={k: float(v) / wall for k, v in seconds.items()}, energy=energy,
        )  # fmt: skip
