"""The result of a run: frames, observables, checkpoints, and at the end one H5MD file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from mpi4py import MPI

from ..state.agreement import together
from .assemble import finish, read_box, read_origin, write_index, write_origin
from ..state.checkpoint import write_checkpoint
from ..state.checksum import joined, part
from ..state.full_state import ContactRows, FullState, GrainTable
from .contact_frames import ContactFrame
from .h5md import label, write_box, write_metadata
from ..state.manifest import Loss, Manifest, entry_of, put_losses, read_losses
from .output_path import go_on_from
from .paths import STATIC, parts_of
from .provenance import now, provenance
from ..reading import FRAMES, PARAMETERS, opened
from ..state.rowfile import RowFile, serial_notice, sync_path, take_on_trial
from ..state.rows import GrainRows
from ..state.seals import DAMAGE, crc32_of, put_sums, wrong_sums
from .segments import Segment
from .vtkhdf import OFFSETS

REAL: dict[str, np.dtype[Any]] = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}


class ResultWriter:
    """Writes the output of a run into OUT.h5.parts, and OUT.h5 as an index of it; ``finish`` makes OUT.h5 one file. All methods are collective.

    Frames and observables of a step are to be written before the checkpoint of that step. A step that was written already is left out, so that a
    run that goes on need not know what its predecessor wrote.

    Args:
        comm: communicator.
        path: OUT.h5.
        case_text: effective case. case_hash: of the trajectory.
        catalogue: name -> array, the same on all ranks; with ``mass`` (ns,) (kg) and ``dimension`` (ns,).
        gid: (n,) int64 ids of this rank's grains. species: (n,) int32. scale: (n,) size factors.
        box: lower (3,) and upper (3,) corner (m), periodic (3,).
        n_grains: number of grains on all ranks.
        precision: of the frames: double or single.
        resume_step: step of the checkpoint to go on from; None: a new run.
        accept_loss: go on without parts that are missing or were changed.
        **extra: entries of the provenance (JSON).

    Attributes:
        seconds: wall time spent in output by this rank.
        notices: sentences for the user.

    Raises:
        FileError: something could not be written, or a part of the run to go on with is missing or changed; on every rank.
    """

    def __init__(
        self, comm: MPI.Comm, path: Path | str, *, case_text: str, case_hash: str, catalogue: Mapping[str, np.ndarray], gid: np.ndarray,
        species: np.ndarray, scale: np.ndarray, box: tuple[Any, Any, Any], n_grains: int, precision: str = "double",
        resume_step: int | None = None, accept_loss: bool = False, **extra: Any,
    ) -> None:  # fmt: skip
        self.comm = comm
        self.path = Path(path)
        self.parts = parts_of(self.path)
        self.seconds = 0.0
        self.notices = [text for text in [serial_notice(comm)] if text]
        self.count, self.real = n_grains, REAL[precision]
        self.manifest = Manifest()  # of rank 0
        self.last = {"frame": -1 if resume_step is None else resume_step, "observables": -1 if resume_step is None else resume_step}
        with self._timed():
            next_segment = 0
            with together(comm, f"{self.parts} could not be written"):
                if comm.rank == 0:
                    next_segment = self._begin(resume_step, extra, box, accept_loss)
            next_segment, self.notices = comm.bcast((next_segment, self.notices))
            self.static = partial(self._write_static, gid, species, scale, catalogue, case_text, case_hash)
            self.static()
            self.segment = Segment(comm, self.parts, next_segment, -1 if resume_step is None else resume_step, n_grains, self.real)
            self._index()

    def frame(self, step: int, time: float, gid: np.ndarray, fields: Mapping[str, np.ndarray], contacts: ContactFrame | None = None) -> None:
        """Write a frame.

        Args:
            step: number. time: (s).
            gid: (n,) int64 ids of this rank's grains.
            fields: name -> (n,) or (n, w) array: ``position`` (m, wrapped), ``image`` (int32), ``orientation`` (w, x, y, z), ...
            contacts: of this rank, in all frames of a run or in none.
        """
        if step <= self.last["frame"]:
            return
        self.last["frame"] = step
        with self._timed():
            self.segment.frame(step, time, GrainRows(self.comm, gid), dict(fields), contacts)

    def observables(self, step: int, time: float, values: Mapping[str, Any]) -> None:
        """Keep a row of observables for the next checkpoint. The names are the same at every step of a run.

        Args:
            step: number. time: (s).
            values: name -> number or array, the same on every rank; a name has at most one slash; arrays of floats may vary in length.
        """
        for name in values:
            if name.count("/") > 1 or not all(name.split("/")):
                raise ValueError(f"'{name}' is no name of an observable: it may have at most one slash, inside")  # MDAnalysis looks no deeper
        if step <= self.last["observables"]:
            return
        self.last["observables"] = step
        self.segment.observables(step, time, {name: np.array(v) for name, v in values.items()})

    def checkpoint(
        self, header: dict[str, Any], grains: tuple[np.ndarray, dict[str, np.ndarray]], contacts: tuple[np.ndarray, ...],
        small: dict[str, np.ndarray],
    ) -> Path:  # fmt: skip
        """Put everything so far on the disk, then write a checkpoint (arguments as for ``write_checkpoint``); OUT.h5 then shows all of it."""
        with self._timed():
            self._close_segment(int(header["step"]))
            path = write_checkpoint(self.comm, self.parts, header, grains, contacts, small, self.manifest)  # type: ignore[arg-type]
            self._index()
        return path

    def finish(
        self, header: dict[str, Any], grains: tuple[np.ndarray, dict[str, np.ndarray]], contacts: tuple[np.ndarray, ...],
        small: dict[str, np.ndarray],
    ) -> list[Loss]:  # fmt: skip
        """Make OUT.h5 one file with the final state (arguments as for ``write_checkpoint``), and remove the parts.

        Returns:
            What was found damaged or missing on that occasion and is not in the result.
        """
        with self._timed():
            self._close_segment(int(header["step"]))
            self._sign(int(header["step"]))
            self._mend_static()
            return finish(self.comm, self.path, FullState(header, GrainTable(*grains), ContactRows(*contacts), small), self.manifest)

    def close(self) -> None:
        """End a run that is not finished: its parts stay, and OUT.h5 is an index of them; a run that is resumed drops rows after its checkpoint."""
        with self._timed():
            self._close_segment(max(self.last.values()))
            self._sign(max(self.last.values()))
            self._index()

    def _begin(self, resume_step: int | None, extra: dict[str, Any], box: tuple[Any, Any, Any], accept_loss: bool) -> int:
        number = 0
        if resume_step is None:
            self.parts.mkdir()
        else:
            number, self.manifest, lost, notices = go_on_from(self.path, resume_step, accept_loss)
            self.notices += notices + [f"going on without what is lost: {loss}" for loss in lost if loss.part != STATIC]
            given_up = [*self.manifest.losses, *read_losses(self.parts), *(loss for loss in lost if loss.part != STATIC)]
            self.manifest.losses = list(dict.fromkeys(given_up))
            first = read_box(self.parts) or self.manifest.box
            box = box if first is None else tuple(first)  # as the run's first start gave it
        self.manifest.box = [np.asarray(values).tolist() for values in box]
        entry = provenance(self.comm.size, **extra, from_step=resume_step or 0)
        write_origin(self.parts, [*read_origin(self.parts), entry])
        return number

    def _sign(self, step: int) -> None:
        """Complete this run's entry in the provenance."""
        with together(self.comm, f"{self.parts} could not be written"):
            if self.comm.rank == 0:
                *earlier, entry = read_origin(self.parts)
                write_origin(self.parts, [*earlier, {**entry, "ended": now(), "to_step": step}])

    def _write_static(
        self, gid: np.ndarray, species: np.ndarray, scale: np.ndarray, catalogue: Mapping[str, np.ndarray], text: str, case_hash: str
    ) -> None:
        """What does not change: ids, species, sizes, masses, box, catalogue, case, and what was lost before."""
        species, scale = np.asarray(species, dtype=np.int32), np.asarray(scale, dtype=float)
        mass = catalogue["mass"][species] * scale ** catalogue["dimension"][species]
        fields = {f"{FRAMES}/{k}": v for k, v in (("id", np.asarray(gid, dtype=np.int64)), ("species", species), ("scale", scale), ("mass", mass))}
        rows = GrainRows(self.comm, gid)
        new = self.parts / (STATIC + ".new")
        parts = []
        with RowFile(self.comm, new, "w") as file:
            file.reserve(sum(v.itemsize for v in fields.values()) * self.count)
            for name, values in fields.items():
                block = rows(values)
                file.create(name, (rows.count,), values.dtype)
                file.write(name, block, rows.start)
                parts.append(part(block, (rows.count - rows.stop) * values.itemsize))
        sums = dict(zip(fields, joined(self.comm, parts), strict=True))
        with together(self.comm, f"{new} could not be written"):
            if self.comm.rank == 0:
                take_on_trial(new, sum(np.asarray(v).nbytes for v in catalogue.values()) + len(text) + 8 * self.count)
                with h5py.File(new, "r+") as handle:
                    label(handle, "result")
                    handle[OFFSETS] = np.arange(self.count + 1)
                    write_metadata(handle, text, case_hash, catalogue)
                    assert self.manifest.box is not None
                    write_box(handle, *self.manifest.box)
                    put_losses(handle, self.manifest.losses)
                    small = [PARAMETERS, f"{PARAMETERS}/case", *(f"{PARAMETERS}/catalogue/{name}" for name in catalogue), f"{FRAMES}/box"]
                    put_sums(handle, "static", sums | {name: crc32_of(handle[name]) for name in small})
                sync_path(new)
                new.rename(self.parts / STATIC)
                self.manifest.parts[STATIC] = entry_of(self.parts / STATIC)

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
            self.static()

    def _close_segment(self, step: int) -> None:
        if not self.segment.empty:
            closed = self.segment.close()
            with together(self.comm, f"{self.parts} could not be written"):
                if self.comm.rank == 0:
                    self.manifest.parts |= {path.name: entry_of(path) for path in closed}
            self.segment = Segment(self.comm, self.parts, self.segment.number + 1, step, self.count, self.real)
        else:
            self.segment.base_step = step

    def _index(self) -> None:
        with together(self.comm, f"{self.path} could not be written"):
            if self.comm.rank == 0:
                write_index(self.path, self.manifest)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start
