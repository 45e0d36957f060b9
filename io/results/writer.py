"""The result of a run: frames, observables, checkpoints, and at the end one H5MD file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from ..reading import opened
from ..state.checkpoint import write_checkpoint
from ..state.full_state import FullState
from ..state.losses import Loss, read_losses
from ..state.manifest import Manifest, entry_of
from ..state.row_writer import serial_notice
from ..state.seals import DAMAGE, wrong_sums
from ..state.shared_errors import together
from .assemble import earlier_box, read_origin, write_index, write_origin
from .contact_frames import ContactFrame
from .ending import finish, leave_index
from .file_form import PLAIN, FileForm
from .output_path import go_on_from
from .paths import STATIC, parts_of
from .provenance import now, provenance
from .run_segments import Segment
from .series import SegmentReader
from .static_part import DomainBox, StaticPart, write_static


class ResultWriter:
    """Write the output of a run into ``OUT.h5.parts``, and ``OUT.h5`` as an index of it. All methods are collective.

    At the end of the run ``finish`` turns ``OUT.h5`` into a single file, unless it is to stay an index. The frames and observables of a step must be
    written before the checkpoint of that step. A step that was written before is skipped, so a resumed run need not know what its predecessor has
    written.

    Args:
        comm: communicator.
        path: OUT.h5.
        static: what does not change.
        form: how it is written.
        resume_step: step of the checkpoint to go on from, or None for a new run.
        accept_loss: go on without parts that are missing or were changed.
        **extra: entries of the provenance (JSON).

    Attributes:
        seconds: wall time that this rank has spent on output (s).
        notices: sentences for the user.

    Raises:
        FileError: something could not be written, or a part of the run to resume is missing or was changed; raised on every rank.
    """

    def __init__(
        self, comm: MPI.Comm, path: Path | str, static: StaticPart, form: FileForm = PLAIN, *, resume_step: int | None = None,
        accept_loss: bool = False, **extra: Any,
    ) -> None:  # fmt: skip
        self.comm, self.static, self.form, self.path = comm, static, form, Path(path)
        self.parts = parts_of(self.path)
        self.seconds = 0.0
        self.notices = [text for text in [serial_notice(comm)] if text]
        self.count = int(comm.allreduce(len(static.gid)))
        self.manifest, self.reader = Manifest(), SegmentReader(self.parts)  # of rank 0
        begin = -1 if resume_step is None else resume_step
        with self._timed():
            next_segment = 0
            with together(comm, f"{self.parts} could not be written"):
                if comm.rank == 0:
                    next_segment = self._begin(resume_step, extra, accept_loss)
            next_segment, self.notices, self.last = comm.bcast((next_segment, self.notices, self._last_rows(begin)))
            write_static(comm, self.parts, static, self.manifest)
            self.segment = Segment(comm, self.parts, next_segment, begin, self.count, form)
            self._index()

    def frame(self, step: int, time: float, gid: np.ndarray, fields: Mapping[str, np.ndarray], contacts: ContactFrame | None = None) -> None:
        """Write a frame.

        Args:
            step: step number.
            time: time (s).
            gid: (n,) int64 ids of this rank's grains.
            fields: (n,) or (n, w) array of each field, by name: ``position`` (m, wrapped), ``image`` (int32), ``orientation`` (w, x, y, z), ...
            contacts: contacts of this rank, in all frames of a run or in none.
        """
        if step <= self.last["frame"]:
            return
        self.last["frame"] = step
        with self._timed():
            self.segment.frame(step, time, gid, dict(fields), contacts)

    def observables(self, step: int, time: float, values: Mapping[str, Any]) -> None:
        """Store a row of observables until the next checkpoint. Every row of a run has the same names.

        Args:
            step: step number.
            time: time (s).
            values: number or array of each observable, by name, the same on every rank. A name contains at most one slash. Arrays of floats may vary
                in length.
        """
        for name in values:
            if name.count("/") > 1 or not all(name.split("/")):
                raise ValueError(f"'{name}' is no name of an observable: it may have at most one slash, inside")  # MDAnalysis looks no deeper
        if step <= self.last["observables"]:
            return
        self.last["observables"] = step
        self.segment.observables(step, time, {name: np.array(v) for name, v in values.items()})

    def checkpoint(self, state: FullState) -> Path:
        """Force everything so far onto the disk, then write a checkpoint; OUT.h5 then shows all of it.

        Args:
            state: state of the run.

        Returns:
            Path of the checkpoint.
        """
        with self._timed():
            self._close_segment(state.header.step)
            path = write_checkpoint(self.comm, self.parts, state, self.manifest)
            self._index()
        return path

    def finish(self, state: FullState) -> list[Loss]:
        """Make OUT.h5 one file with the final state, and remove the parts; or an index of them, of which a checkpoint is the final state.

        Args:
            state: state of the run.

        Returns:
            What was found damaged or missing in doing so and is not in the result.
        """
        with self._timed():
            # one file is on the disk as a whole before its parts go; what would be lost of them until then, no checkpoint covers
            self._close_segment(state.header.step, sync=not self.form.one_file)
            self._sign(state.header.step)
            self._mend_static()
            if not self.form.one_file:
                return leave_index(self.comm, self.path, state, self.manifest, self.reader, self.count, self.form.compression)
            return finish(self.comm, self.path, state, self.manifest, self.reader, self.form.compression)

    def close(self) -> None:
        """End a run that is not finished: its parts stay, and OUT.h5 is an index of them; a run that is resumed drops rows after its checkpoint."""
        with self._timed():
            self._close_segment(max(self.last.values()))
            self._sign(max(self.last.values()))
            self._index()

    def _begin(self, resume_step: int | None, extra: Mapping[str, Any], accept_loss: bool) -> int:
        """Find what an earlier start left, and note this start in the provenance, by rank 0; the number of the first segment."""
        number, box = 0, self.static.box
        if resume_step is None:
            self.parts.mkdir()
        else:
            number, self.manifest, lost, notices = go_on_from(self.path, resume_step, accept_loss)
            self.notices += notices + [f"going on without what is lost: {loss}" for loss in lost if loss.part != STATIC]
            given_up = [*self.manifest.losses, *read_losses(self.parts), *(loss for loss in lost if loss.part != STATIC)]
            self.manifest.losses = list(dict.fromkeys(given_up))
            there, wrong = earlier_box(self.parts)
            first = there or self.manifest.box
            if wrong is not None and first is None and not accept_loss:
                raise wrong
            if wrong is not None:
                known = "known from another part of the run" if first is not None else "as the case has it now"
                self.notices.append(f"{wrong}; the domain is {known}")
            box = box if first is None else DomainBox(*first)  # as the run's first start gave it
        self.manifest.box = [np.asarray(values).tolist() for values in box]
        entry = provenance(self.comm.size, **extra, from_step=resume_step or 0)
        write_origin(self.parts, [*read_origin(self.parts), entry])
        return number

    def _last_rows(self, begin: int) -> dict[str, int]:
        """Steps of the last frame and of the last row of observables that earlier starts wrote, lost ones among them; -1 where there are none.

        A part of which nothing is known may have held those of the step from which the run goes on.
        """
        wrote = [(name, entry["steps"]) for name, entry in self.manifest.parts.items()]
        wrote += [(loss.part, loss.steps or (begin,)) for loss in self.manifest.losses if loss.part != STATIC]
        others = {"frame": "observables", "observables": "frames"}  # in names of parts; a result holds both
        return {what: max((int(steps[-1]) for name, steps in wrote if steps and other not in name), default=-1) for what, other in others.items()}

    def _sign(self, step: int) -> None:
        """Complete this run's entry in the provenance."""
        with together(self.comm, f"{self.parts} could not be written"):
            if self.comm.rank == 0:
                *earlier, entry = read_origin(self.parts)
                write_origin(self.parts, [*earlier, {**entry, "ended": now(), "to_step": step}])

    def _mend_static(self) -> None:
        """Write what does not change once more if it is damaged or gone: it is known as long as the run lives. Collective."""
        whole = True
        if self.comm.rank == 0:
            try:
                with opened(self.parts / STATIC) as file:
                    whole = not wrong_sums(file, "static") and not self.manifest.lost(self.parts, [STATIC])
            except DAMAGE:
                whole = False
        if not self.comm.bcast(whole):
            write_static(self.comm, self.parts, self.static, self.manifest)

    def _close_segment(self, step: int, sync: bool = True) -> None:
        if not self.segment.empty:
            closed = self.segment.close(sync)
            with together(self.comm, f"{self.parts} could not be written"):
                if self.comm.rank == 0:
                    self.manifest.parts |= {path.name: entry_of(path) for path in closed}
            self.segment = Segment(self.comm, self.parts, self.segment.number + 1, step, self.count, self.form)
        else:
            self.segment.base_step = step

    def _index(self) -> None:
        with together(self.comm, f"{self.path} could not be written"):
            if self.comm.rank == 0:
                write_index(self.path, self.manifest, self.reader)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start
