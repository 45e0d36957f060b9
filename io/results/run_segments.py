"""Segments: what a run wrote between two checkpoints. Each is closed, and on the disk, before the checkpoint that covers it gets its name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from mpi4py import MPI

from pardem.errors import FileError

from ..reading import FIRST_FIELD, FRAMES, note_made
from ..state.disk import sync_path, take_on_trial
from ..state.holders import Holders
from ..state.ordered_rows import GrainRows
from ..state.packing import packed, unit_of
from ..state.rowfile import RowFile, append, create_for_rows
from ..state.seals import TABLE, crc32_of_clock, create_table
from ..state.shared_errors import together
from ..state.writable import WritableFile
from .contact_frames import ContactFrame, ContactWriter
from .file_form import FileForm
from .h5md import label, stack, write_observables
from .paths import segment_path

CHUNK = 1 << 20  # bytes
NEW = ".new"  # ends the name of a file until it can be read


class Segment:
    """Frames, written by all ranks as they come, and observables, kept until ``close``. Every method is collective.

    Args:
        comm: communicator.
        parts: folder.
        number: number of the segment.
        base_step: step of the checkpoint behind which it begins; -1: the run's first.
        count: number of grains.
        form: how frames are written.
    """

    def __init__(self, comm: MPI.Comm, parts: Path, number: int, base_step: int, count: int, form: FileForm) -> None:
        self.comm, self.parts, self.number, self.base_step, self.count, self.form = comm, parts, number, base_step, count, form
        self.file: RowFile | None = None
        self.contacts: ContactWriter | None = None
        self.frames = 0
        self.types: dict[str, tuple[int, np.dtype]] = {}
        self.size = 0  # bytes of a frame
        self.observed: list[tuple[int, float, dict[str, np.ndarray]]] = []

    @property
    def empty(self) -> bool:
        """Whether nothing was written."""
        return self.frames == 0 and not self.observed

    def frame(self, step: int, time: float, gid: np.ndarray, fields: dict[str, np.ndarray], contacts: ContactFrame | None = None) -> None:
        """Append a frame and hand it to the operating system. It has contacts if and only if the first frame of the segment has.

        Args:
            step: the step.
            time: the time (s).
            gid: (n,) int64 ids of this rank's grains.
            fields: fields of this rank's grains by name.
            contacts: contacts that count for this rank.
        """
        with self._begun_or_gone():
            arrays = {name: _as_rows(values) for name, values in fields.items()}
            if self.file is None:
                self._create(arrays, contacts)
            file, t, holders = self.file, self.frames, Holders.of(self.comm, self.size, unit_of(self.form.compression))
            assert file is not None
            names = [f"{FRAMES}/{name}/value" for name in self.types]
            rows = GrainRows(self.comm, gid, holders, max(width * kind.itemsize for width, kind in self.types.values()))
            file.reserve(self.size, holders)
            file.grow(names, t + 1)
            if self.contacts is not None and contacts is not None:
                self.contacts.prepare(file, contacts, holders)
            with file.rows(holders, self.form.compression, self.count) as writer:
                for name, field in zip(names, self.types, strict=True):
                    writer.write_all(name, rows.pieces(arrays[field], self.types[field][1]), frame=t)
                if self.contacts is not None and contacts is not None:
                    self.contacts.write(writer, contacts)
            sums = [crc32_of_clock(step, time), *writer.checksums(names)]
            if self.contacts is not None and contacts is not None:
                self.contacts.end(writer)
            clock = f"{FRAMES}/{FIRST_FIELD}/"
            with file.structure() as handle:
                if handle is not None:
                    append(handle, {clock + "step": step, clock + "time": float(time), TABLE: np.array(sums, dtype=np.uint32)})
                    if self.contacts is not None and contacts is not None:
                        self.contacts.count_in(handle, contacts.known)
            if self.form.sync_frames:
                file.sync()
            else:
                file.flush()
            self.frames += 1

    @contextmanager
    def _begun_or_gone(self) -> Iterator[None]:
        """Write a frame; where the first one fails, on all ranks alike, the file holds nothing, cannot be read, and is removed. Collective."""
        try:
            yield
        except FileError:
            if not self.frames:
                file, self.file = self.file, None
                with suppress(FileError):  # of the first error
                    if file is not None:
                        file.close(sync=False)
                path = segment_path(self.parts, self.number, "frames")
                if self.comm.rank == 0:
                    for begun in (path.with_suffix(NEW), path):
                        with suppress(OSError):  # then a run that goes on removes it
                            begun.unlink(missing_ok=True)
            raise

    def _create(self, arrays: dict[str, np.ndarray], contacts: ContactFrame | None) -> None:
        real = self.form.real
        self.types = {name: (values.shape[1], real if values.dtype.kind == "f" else values.dtype) for name, values in arrays.items()}
        self.size = self.count * sum(width * kind.itemsize for width, kind in self.types.values())
        if contacts is not None:
            self.contacts = ContactWriter(contacts, real, self.count)
        path = segment_path(self.parts, self.number, "frames")
        with together(self.comm, f"{path} could not be written"):
            if self.comm.rank == 0:
                self._make(path, () if contacts is None else contacts.walls)
        self.file = RowFile(self.comm, path, "r+", synced=self.form.sync_frames)

    def _make(self, path: Path, walls: tuple[str, ...]) -> None:
        """Make the file without rows. It gets its name once it can be read: a run that is killed before leaves nothing that would seem damaged."""
        new = path.with_suffix(NEW)
        with WritableFile(new, "w") as handle:
            label(handle, "segment", self.base_step)
            for name, (width, kind) in self.types.items():
                place, shape, most = f"{FRAMES}/{name}/value", (0, self.count, width), (None, self.count, width)
                if self.form.compression != "none":
                    handle.create_dataset(place, shape, kind, maxshape=most, **packed(self.count, width, self.form.compression))
                else:
                    chunk = (1, max(1, min(self.count, CHUNK // (width * kind.itemsize))), width)
                    create_for_rows(handle, place, shape, kind, most, chunk)
            for name, kind in (("step", np.dtype(np.int64)), ("time", np.dtype(np.float64))):
                handle.create_dataset(f"{FRAMES}/{FIRST_FIELD}/{name}", (0,), kind, maxshape=(None,), chunks=(1024,))
            create_table(handle, self.types)
            if self.contacts is not None:
                self.contacts.create(handle, walls)
        new.rename(path)

    def observables(self, step: int, time: float, values: dict[str, np.ndarray]) -> None:
        """Add a row of observables, which is written when the segment is closed.

        Args:
            step: the step.
            time: the time (s).
            values: values by name.

        Raises:
            ValueError: the names are not those of the first row of the segment.
        """
        if self.observed and self.observed[0][2].keys() != values.keys():
            raise ValueError(f"observables {sorted(self.observed[0][2].keys() ^ values.keys())} come and go; they must be the same at every step")
        self.observed.append((step, time, values))

    def close(self, sync: bool = True) -> list[Path]:
        """Write the observables and close. The files of the segment.

        Args:
            sync: whether everything must be on the disk when this returns.
        """
        closed = []
        if self.file is not None:
            closed.append(self.file.path)
            self.file.close(sync)
            self.file = None
        path = segment_path(self.parts, self.number, "observables")
        if self.observed:
            closed.append(path)
        with together(self.comm, f"{path} could not be written"):
            if self.observed and self.comm.rank == 0:
                self._write_observables(path, sync)
            if self.comm.rank == 0 and sync:
                sync_path(self.parts)
            if self.comm.rank == 0:
                for made in closed:
                    note_made(made)
        return closed

    def _write_observables(self, path: Path, sync: bool) -> None:
        new = path.with_suffix(NEW)
        rows = [values for _, _, values in self.observed]
        columns = {name: stack([r[name] for r in rows]) for name in rows[0]}
        take_on_trial(new, sum(c.nbytes for c in columns.values()) + 16 * len(rows))
        with WritableFile(new, "w") as file:
            label(file, "segment", self.base_step)
            write_observables(file, np.array([o[0] for o in self.observed]), np.array([o[1] for o in self.observed], dtype=float), columns)
        if sync:
            sync_path(new)
        new.rename(path)


def _as_rows(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values)
    return values if values.ndim == 2 else values.reshape(len(values), math.prod(values.shape[1:]))
