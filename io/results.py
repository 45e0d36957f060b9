"""The result of a run: frames, observables, checkpoints, and at the end one H5MD file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from mpi4py import MPI

from .agreement import together
from .assemble import STATIC, assemble, finish, read_box, read_origin, write_origin
from .checkpoint import write_checkpoint
from .full_state import ContactRows, FullState, GrainTable
from .h5md import label, write_box, write_metadata
from .output_path import go_on_from
from .paths import parts_of
from .provenance import now, provenance
from .reading import FRAMES
from .rowfile import RowFile, serial_notice, sync_path, take_on_trial
from .rows import GrainRows
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
        **extra: entries of the provenance (JSON).

    Attributes:
        seconds: wall time spent in output by this rank.
        notice: a line for the user, or "".

    Raises:
        FileError: something could not be written; on every rank.
    """

    def __init__(
        self, comm: MPI.Comm, path: Path | str, *, case_text: str, case_hash: str, catalogue: Mapping[str, np.ndarray], gid: np.ndarray,
        species: np.ndarray, scale: np.ndarray, box: tuple[Any, Any, Any], n_grains: int, precision: str = "double",
        resume_step: int | None = None, **extra: Any,
    ) -> None:  # fmt: skip
        self.comm = comm
        self.path = Path(path)
        self.parts = parts_of(self.path)
        self.seconds = 0.0
        self.box: tuple[Any, Any, Any] | None = None
        self.notice = serial_notice(comm)
        self.count, self.real = n_grains, REAL[precision]
        self.last = {"frame": -1 if resume_step is None else resume_step, "observables": -1 if resume_step is None else resume_step}
        with self._timed():
            next_segment = 0
            with together(comm, f"{self.parts} could not be written"):
                if comm.rank == 0:
                    next_segment = self._begin(resume_step, extra)
            next_segment = comm.bcast(next_segment)
            self._write_static(gid, species, scale, catalogue, case_text, case_hash, box)
            self.segment = Segment(comm, self.parts, next_segment, -1 if resume_step is None else resume_step, n_grains, self.real)
            self._index()

    def frame(self, step: int, time: float, gid: np.ndarray, fields: Mapping[str, np.ndarray]) -> None:
        """Write a frame.

        Args:
            step: number. time: (s).
            gid: (n,) int64 ids of this rank's grains.
            fields: name -> (n,) or (n, w) array: ``position`` (m, wrapped), ``image`` (int32), ``orientation`` (w, x, y, z), ...
        """
        if step <= self.last["frame"]:
            return
        self.last["frame"] = step
        with self._timed():
            self.segment.frame(step, time, GrainRows(self.comm, gid), dict(fields))

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
            path = write_checkpoint(self.comm, self.parts, header, grains, contacts, small)  # type: ignore[arg-type]
            self._index()
        return path

    def finish(
        self, header: dict[str, Any], grains: tuple[np.ndarray, dict[str, np.ndarray]], contacts: tuple[np.ndarray, ...],
        small: dict[str, np.ndarray],
    ) -> None:  # fmt: skip
        """Make OUT.h5 one file with the final state (arguments as for ``write_checkpoint``), and remove the parts."""
        with self._timed():
            self._close_segment(int(header["step"]))
            self._sign(int(header["step"]))
            finish(self.comm, self.path, FullState(header, GrainTable(*grains), ContactRows(*contacts), small))

    def close(self) -> None:
        """End a run that is not finished: its parts stay, and OUT.h5 is an index of them; a run that is resumed drops rows after its checkpoint."""
        with self._timed():
            self._close_segment(max(self.last.values()))
            self._sign(max(self.last.values()))
            self._index()

    def _begin(self, resume_step: int | None, extra: dict[str, Any]) -> int:
        number = 0
        if resume_step is None:
            self.parts.mkdir()
        else:
            number = go_on_from(self.path, resume_step)
            self.box = read_box(self.parts)  # as the run's first start gave it
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
        self, gid: np.ndarray, species: np.ndarray, scale: np.ndarray, catalogue: Mapping[str, np.ndarray], text: str, case_hash: str,
        box: tuple[Any, Any, Any],
    ) -> None:  # fmt: skip
        """What does not change: ids, species, sizes, masses, box, catalogue, case."""
        species, scale = np.asarray(species, dtype=np.int32), np.asarray(scale, dtype=float)
        mass = catalogue["mass"][species] * scale ** catalogue["dimension"][species]
        fields = {"id": np.asarray(gid, dtype=np.int64), "species": species, "scale": scale, "mass": mass}
        rows = GrainRows(self.comm, gid)
        new = self.parts / (STATIC + ".new")
        with RowFile(self.comm, new, "w") as file:
            file.reserve(sum(v.itemsize for v in fields.values()) * self.count)
            for name, values in fields.items():
                file.create(f"{FRAMES}/{name}", (rows.count,), values.dtype)
                file.write(f"{FRAMES}/{name}", rows(values), rows.start)
        with together(self.comm, f"{new} could not be written"):
            if self.comm.rank == 0:
                take_on_trial(new, sum(np.asarray(v).nbytes for v in catalogue.values()) + len(text) + 8 * self.count)
                with h5py.File(new, "r+") as handle:
                    label(handle, "result")
                    handle[OFFSETS] = np.arange(self.count + 1)
                    write_metadata(handle, text, case_hash, catalogue)
                    write_box(handle, *(self.box or box))
                sync_path(new)
                new.rename(self.parts / STATIC)

    def _close_segment(self, step: int) -> None:
        if not self.segment.empty:
            self.segment.close()
            self.segment = Segment(self.comm, self.parts, self.segment.number + 1, step, self.count, self.real)
        else:
            self.segment.base_step = step

    def _index(self) -> None:
        with together(self.comm, f"{self.path} could not be written"):
            if self.comm.rank == 0:
                assemble(self.path)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start
