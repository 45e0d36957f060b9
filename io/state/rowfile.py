"""An HDF5 file whose rows are written by several ranks, its holders.

The first rank alone makes groups and data sets, and takes the space of their rows; the holders then write their rows there (`row_writer.py`), without
any collective call of HDF5. So a file has the same bytes however many ranks write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from h5py import h5d
from mpi4py import MPI

from pardem.errors import FileError

from ..arrays import array_at, make, plan_of_array
from .disk import SLACK, sync_path, take
from .holders import Holders
from .row_writer import RowWriter
from .shared_errors import agree, together
from .writable import WritableFile


class RowFile:
    """An open file. Every method is collective and raises FileError alike on all ranks.

    Args:
        comm: communicator.
        path: path of the file.
        mode: "w" creates or replaces it, "r+" opens it for writing.
        shown: the path that messages name, where the file gets another name later.
        synced: whether what is written is forced onto the disk soon, so that the disk may begin at once.
    """

    def __init__(self, comm: MPI.Comm, path: Path, mode: str, shown: Path | None = None, synced: bool = False) -> None:
        self.comm, self.path, self.synced = comm, path, synced
        self.doing = f"{shown or path} could not be written"
        self._handle: WritableFile | None = None  # of the first rank
        self._wrote = comm.rank == 0
        with together(comm, self.doing):
            if comm.rank == 0:
                self._handle = WritableFile(path, mode)

    def __enter__(self) -> RowFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close, unsynchronised, at the end or after an error that all ranks raise; after another nobody would join in, and this rank would wait."""
        if kind is None or issubclass(kind, FileError):
            self.close(sync=False)
        elif self._handle is not None:
            self._handle.abandon()

    def reserve(self, size: int, holders: Holders) -> None:
        """Make sure that more bytes fit on the disk. Each holder tries its share: some file systems have to do so block by block.

        Args:
            size: their number.
            holders: the ranks that will write them.
        """
        first, last = holders.span(size + SLACK)
        end = 0
        with together(self.comm, self.doing):
            if self.comm.rank == 0:
                end = self.path.stat().st_size
        end = int(self.comm.bcast(end))
        try:
            with together(self.comm, self.doing):
                if holders.mine:
                    take(self.path, end + first, last - first)
        finally:  # all ranks have tried
            with together(self.comm, self.doing):
                if self.comm.rank == 0:
                    os.truncate(self.path, end)

    @contextmanager
    def structure(self) -> Iterator[h5py.File | None]:
        """Make groups and data sets, and write what is small.

        Yields:
            The file on the first rank, None on the others.
        """
        with together(self.comm, self.doing):
            yield self._handle

    def create(self, shapes: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]) -> None:
        """Create data sets of fixed size and take their space in the file.

        Args:
            shapes: shape and type of the numbers by path in the file.
        """
        with self.structure() as handle:
            if handle is not None:
                for name, (shape, kind) in shapes.items():
                    create_for_rows(handle, name, shape, kind)

    def grow(self, names: list[str], length: int) -> None:
        """Set the length of the first axis of data sets.

        Args:
            names: their paths in the file.
            length: the length.
        """
        with self.structure() as handle:
            if handle is not None:
                for name in names:
                    array_at(handle, name).lengthen(length)

    @contextmanager
    def rows(self, holders: Holders, compression: str = "none", count: int = 0) -> Iterator[RowWriter]:
        """Write rows of data sets that were made by ``create_for_rows``.

        Args:
            holders: the ranks that have rows to write.
            compression: of data sets with frames (`packing.packed`), or none: where there is one, the holders compress, in whole chunks each, and
                rank 0 writes.
            count: number of rows of a frame, if they are compressed.

        Yields:
            What writes them.
        """
        writer = RowWriter(holders, self.path, self.doing, (compression, count), self.synced)
        self._wrote = self._wrote or holders.mine
        if writer.through_mpi:
            self._shut()
            with together(self.comm, self.doing):
                writer.open()
        else:
            writer.file = self._handle
        try:
            with writer.beside:
                yield writer
        except FileError:  # on all ranks; after another error nobody would join in closing
            self._end_rows(writer)
            raise
        self._end_rows(writer)

    def _end_rows(self, writer: RowWriter) -> None:
        """Close the file on the holders, and agree on what failed."""
        writer.close()
        agree(self.comm, writer.failure)
        self._shut()  # in any case: where HDF5 puts what comes next depends on it
        with together(self.comm, self.doing):
            if self.comm.rank == 0:
                self._handle = WritableFile(self.path, "r+")

    def flush(self) -> None:
        """Hand everything to the operating system."""
        with self.structure() as handle:
            if handle is not None:
                handle.flush()

    def sync(self, ends: bool = True) -> None:
        """Force everything that was written onto the disk; each rank what it wrote.

        Args:
            ends: whether the file is written then; otherwise the first rank adds what is small, and forces all that it wrote onto the disk itself.
        """
        self.flush()
        self._sync(ends)

    def _sync(self, ends: bool) -> None:
        with together(self.comm, self.doing):
            if self._wrote and (ends or self.comm.rank > 0):
                sync_path(self.path)

    def _shut(self) -> None:
        """Close the file of the first rank."""
        with together(self.comm, self.doing):
            if self._handle is not None:
                handle, self._handle = self._handle, None
                handle.close()

    def close(self, sync: bool = True) -> None:
        """Close the file.

        Args:
            sync: whether its data must be on the disk when this returns.
        """
        self._shut()
        if sync:
            self._sync(True)


def create_for_rows(
    handle: h5py.File, name: str, shape: tuple[int, ...], kind: np.dtype[Any], most: tuple[int | None, ...] | None = None,
    chunks: tuple[int, ...] | None = None,
) -> None:  # fmt: skip
    """Create a data set whose space in the file is taken at once, when it is made or grows, so that several ranks can fill it.

    Args:
        handle: the file.
        name: path of the data set.
        shape: its shape.
        kind: type of the numbers.
        most: shape up to which it may grow; None for an axis without limit.
        chunks: shape of its chunks, where it grows.
    """
    plan = plan_of_array()
    plan.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    plan.set_fill_time(h5d.FILL_TIME_NEVER)
    if chunks is not None:
        plan.set_chunk(chunks)
    make(handle, name, (shape, most), kind, plan)


def append(handle: h5py.File, values: Mapping[str, Any]) -> None:
    """Append a row to data sets.

    Args:
        handle: the file.
        values: the row of each data set, by its path.
    """
    for name, value in values.items():
        data = array_at(handle, name)
        data.lengthen(len(data) + 1)
        data.write((len(data) - 1,), np.asarray(value, data.dtype))
