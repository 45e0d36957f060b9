"""The files of a simulation: frames, rows of observables and checkpoints at the steps that the case asks for, and the result in the end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from mpi4py import MPI

from .compiled.fixedpoint import totals
from .errors import BlowUpError
from .followers import NEVER
from .guard import made_by_first
from .inflow import NOT_YET
from .io.results.contact_frames import ContactFrame
from .io.results.file_form import FileForm
from .io.results.output_lock import reserved
from .io.results.output_path import check_output, prepare_output
from .io.results.static_part import DomainBox, StaticPart
from .io.results.writer import ResultWriter
from .io.state.contact_order import rehearse
from .io.state.losses import Loss
from .observables.grain_contacts import GrainContacts
from .observables.local_fraction import LocalFraction
from .origin import told_of_origin
from .run_options import RunOptions
from .run_state import full_state
from .simulation import Simulation
from .state.population import Population
from .version import VERSION

Made = TypeVar("Made")


class RunFiles:
    """Writes the files of a simulation as it goes on; one of its followers. A context manager; all methods are collective.

    Args:
        sim: the simulation.
        out: result file.
        options: whether the simulation goes on from a checkpoint of this result (``resume``), whether to do so without parts that are missing
            (``accept_loss``), and whether to overwrite an existing result (``force``).
        rename: whether what is there is renamed: it was to be resumed, but holds no checkpoint that can be.
        by_the_clock: whether checkpoints that the wall clock asks for are written here, at steps at which a frame or a row is due.
        tell: called with ``frame`` or ``checkpoint`` and what there is to say of it, after it has been written.

    Attributes:
        notices: sentences for the user.
        losses: parts of the output that were found missing or damaged at the end and that the result lacks.
        finished: whether the result is complete.
        kept_step: step of the newest checkpoint; None: there is none.

    Raises:
        FileError: something could not be written; on every rank.
    """

    def __init__(
        self, sim: Simulation, out: Path, options: RunOptions, *, rename: bool = False, by_the_clock: bool = False,
        tell: Callable[..., None] | None = None,
    ) -> None:  # fmt: skip
        self.sim, self.out, self.case, self.comm = sim, out, sim.case, sim.comm
        if sim.comm.size > 1:
            made_by_first(sim.comm, rehearse)
        self.reservation, self._by_the_clock, self._tell = ExitStack(), by_the_clock, tell or (lambda kind, **details: None)
        # only what runs replaces an older output
        self.notices = [prepare_output(self.comm, out, resume=options.resume or rename, force=options.force, fresh=not options.resume)]
        self.losses: list[Loss] = []
        self.finished, self._closed = False, False
        self.kept_step = sim.steps_done if options.resume else None
        self.last_checkpoint = time.monotonic()
        self._row: tuple[int, dict[str, Any]] = -1, {}
        self._making = 0.0
        self.due = {what: self.case.cadence(what) for what in ("frame", "observable", "checkpoint")}
        grains, _ = sim.engine.all_grains()
        text, shapes = self.case.to_toml(), sim.setup.catalogue._asdict()
        static = StaticPart(text, sim.case_hash, shapes, grains.gid, grains.species, grains.scale, self._box())
        taken_over = told_of_origin(sim)
        self.writer = ResultWriter(
            self.comm, out, static, self._form(), resume_step=self.kept_step, accept_loss=options.accept_loss, pardem=VERSION, title=self.case.title,
            **({"start": taken_over} if taken_over else {}),
        )  # fmt: skip
        self.notices += self.writer.notices
        tables = sim.setup.cell_tables
        self._cells = LocalFraction(self.comm, sim.setup.catalogue, tables, *self._box()) if tables else None
        if {"stress", "coordination"} & set(self.case.output.fields):
            self._grain_contacts = GrainContacts(self.comm, sim.grain_count)

    def _form(self) -> FileForm:
        output = self.case.output
        return FileForm(output.precision, output.sync_frames, output.compression, output.one_file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif issubclass(kind, BlowUpError):  # on every rank alike
            self.abandon()
        else:  # perhaps on this rank alone: what has been written stays as it is
            self._release()

    # -- a follower of the simulation ---------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Write the first frame, of a run that is resumed only where it is the last one too, and go along with the simulation from now on."""
        if self.kept_step is None:
            self.write(frame=True)
            if self.case.origin is not None and self.case.origin.state is not None:
                self.checkpoint()  # of what was taken over from another run, so that neither its file nor its state in memory is needed any more
                self.case.origin.state = None
        elif not self.sim.proceed:
            self.write(frame=True)
        self.sim.followers.append(self)
        if not self.sim.proceed:
            self._finish()

    def next_after(self, step: int) -> int:
        """Name the next step at which something is to be written.

        Args:
            step: the present step.
        """
        return min((cadence.next_after(step) for cadence in self.due.values() if cadence is not None), default=NEVER) if not self._closed else NEVER

    def observes(self, step: int) -> bool:
        """Tell whether a frame or a row of observables is due at a step.

        Args:
            step: a step.
        """
        return self._is_due("frame", step) or self._is_due("observable", step)

    def act(self, step: int) -> None:
        """Write what is due; at the end of the last stage, everything.

        Args:
            step: the present step.
        """
        if self._closed:
            return
        ends = not self.sim.proceed
        if ends or self.observes(step):  # the last row before a checkpoint of the same step, which would not cover it
            self.write(frame=ends or self._is_due("frame", step))
            if self._by_the_clock and self.comm.allreduce(int(self.late), MPI.MAX):
                self.checkpoint()
        if self._is_due("checkpoint", step):
            self.checkpoint()
        if ends:
            self._finish()

    def _is_due(self, what: str, step: int) -> bool:
        cadence = self.due[what]
        return not self._closed and cadence is not None and cadence.next_after(step - 1) == step

    # -- what is written ----------------------------------------------------------------------------------------------------------

    @property
    def late(self) -> bool:
        """Whether the last checkpoint is older than the case allows, by the clock of this rank."""
        return time.monotonic() - self.last_checkpoint >= 60.0 * self.case.output.checkpoint_minutes

    def write(self, *, frame: bool) -> None:
        """Write a row of observables, and with it a frame.

        Args:
            frame: whether a frame is written.
        """
        sim = self.sim
        self._row = sim.steps_done, self._made(sim.observables)
        self.writer.observables(sim.steps_done, sim.time, self._row[1])
        if frame:
            grains, left = sim.engine.all_grains()
            fields, contacts = self._made(lambda: self._fields(grains, left)), self._made(self._contacts)
            self.writer.frame(sim.steps_done, sim.time, grains.gid, fields, contacts)
            self._tell("frame")

    @property
    def seconds(self) -> float:
        """Wall time that this rank has spent on making and writing what the files hold (s)."""
        return self._making + self.writer.seconds

    def _made(self, make: Callable[[], Made]) -> Made:
        """What goes into a file, with the time that it takes."""
        begin = time.perf_counter()
        made = make()
        self._making += time.perf_counter() - begin
        return made

    def observables(self) -> dict[str, Any]:
        """The observables at the present step, which need not be measured once more if they have just been written."""
        return self._row[1] if self._row[0] == self.sim.steps_done else self.sim.observables()

    def checkpoint(self) -> None:
        """Write a checkpoint."""
        path = self.writer.checkpoint(self._made(lambda: full_state(self.sim)))
        self.last_checkpoint = time.monotonic()
        self.kept_step = self.sim.steps_done
        self._tell("checkpoint", path=path)

    def close(self) -> None:
        """End the output of a simulation that has not come to its end with a checkpoint; nothing where all has been written."""
        if not self._closed:
            self.checkpoint()
            self.abandon()

    def abandon(self) -> None:
        """End the output with what has been written so far."""
        if not self._closed:
            self._closed = True
            self.writer.close()
        self._release()

    def _finish(self) -> None:
        """Make the result one file, or an index that is finished."""
        self.losses = self.writer.finish(self._made(lambda: full_state(self.sim)))
        self.finished = self._closed = True
        self._release()

    def _release(self) -> None:
        """Let others write to the output."""
        self._closed = True
        self.reservation.close()

    def _fields(self, g: Population, left: np.ndarray) -> dict[str, np.ndarray]:
        """The fields of a frame in SI units; with open faces also which grains have left, with `[[pour]]` which are to come."""
        settings, gone = self.sim.setup.scene.settings, np.full(np.count_nonzero(left != -1), np.nan)
        every: dict[str, Callable[[], np.ndarray]] = {
            "position": lambda: g.x[:, :3], "image": lambda: g.image, "orientation": lambda: g.q, "velocity": lambda: g.v[:, :3],
            "angular_velocity": lambda: g.w[:, :3],
            "force": lambda: totals(g.ft, 0) * settings.force, "torque": lambda: totals(g.ft, 4) * settings.torque,
        }  # fmt: skip
        if self._cells:
            cells = self._cells
            every["local_fraction"] = lambda: np.concatenate([cells.measure(self.sim.engine.grains, self.sim.setup.scene.walls), gone])
        if {"stress", "coordination"} & set(self.case.output.fields):
            sums, number = self._of_contacts()
            every["stress"] = lambda: np.concatenate([sums, np.full((len(gone), 9), np.nan)])
            every["coordination"] = lambda: np.concatenate([number, gone])
        fields: dict[str, np.ndarray] = {name: every[name]() for name in self.case.output.fields}
        if self.sim.engine.outflow is not None:
            fields["outflow"] = (left >= 0).astype(np.int32)
        if self.sim.engine.inflow is not None:
            fields["inflow"] = (left == NOT_YET).astype(np.int32)
        return fields

    def _of_contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """Stress (Pa) and coordination (1) of the grains of this rank; NaN where the contacts of the step were not looked at."""
        sim, grains = self.sim, self.sim.engine.grains
        recorder = sim.engine.recorder
        if recorder is None or recorder.step != sim.steps_done:
            return np.full((grains.count, 9), math.nan), np.full(grains.count, math.nan)
        moments, number = self._grain_contacts.measure(recorder.contacts, grains.gid)
        return moments / sim.setup.catalogue.volumes(grains.species, grains.scale)[:, None], number

    def _contacts(self) -> ContactFrame | None:
        """The contacts of a frame, where they are asked for."""
        if not self.case.output.contact_fields:
            return None
        recorder = self.sim.engine.recorder
        assert recorder is not None
        found, known = recorder.contacts, recorder.step == self.sim.steps_done
        rows = slice(None if known else 0)
        shown = {name: getattr(found, name)[rows] for name in self.case.output.contact_fields}
        return ContactFrame(found.key[rows], shown, tuple(self.sim.setup.scene.wall_names), known)

    def _box(self) -> DomainBox:
        """Lower and upper corner of the domain, or of the grains where there is none, and its periodic axes."""
        domain = self.case.domain
        if domain is not None:
            return DomainBox(domain.lower, domain.upper, domain.periodic)
        x, r = self.sim.engine.grains.x[:, :3], self.sim.engine.grains.x[:, 3:]
        bounds = np.array([(-x + r).max(axis=0), (x + r).max(axis=0)]) if len(x) else np.full((2, 3), -np.inf)
        self.comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MAX)
        return DomainBox(tuple(-bounds[0]), tuple(bounds[1]), (False, False, False))


def write_files(sim: Simulation, out: Path, options: RunOptions) -> RunFiles:
    """Let a simulation write its files from now on, and keep others from doing so; see ``Simulation.write``. Collective.

    Args:
        sim: the simulation.
        out: result file.
        options: see ``RunFiles``.

    Returns:
        The files.
    """
    with ExitStack() as reservation:
        reservation.enter_context(reserved(sim.comm, out))
        output, start = sim.case.output, sim.case.start_path
        check_output(sim.comm, out, compression=output.compression, resume=options.resume, force=options.force, start=start)
        files = RunFiles(sim, out, options, by_the_clock=True)
        files.reservation = reservation.pop_all()
    try:
        files.begin()
    except BaseException:
        files.reservation.close()
        raise
    return files
