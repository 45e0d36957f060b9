"""An HDF5 file whose rows are written by several ranks, its holders: through MPI where h5py can, else gathered by the first rank.

The first rank alone makes groups and data sets, and takes the space of their rows; the holders then write their rows there, without any collective
call of HDF5. So a file has the same bytes however many ranks write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import h5py
import numpy as np
from h5py import h5d
from mpi4py import MPI

from pardem.errors import FileError

from ..arrays import array_at, make, plan_of_array
from .beside import Beside
from .checksum import part, width_of
from .disk import SLACK, begin_writing, sync_path, take
from .holders import Holders
from .ordered_rows import Rows
from .packing import chunks_of
from .shared_errors import agree, reason, together
from .writable import WritableFile

MOST = 1 << 28  # bytes of a rank in one call or message: MPI implementations stumble over counts above 2^31
FEW = 1 << 20  # bytes that are written sooner than handed to another thread
TAG = 75


def parallel_hdf5() -> bool:
    """Whether h5py writes through MPI."""
    return bool(h5py.get_config().mpi)


def serial_notice(comm: MPI.Comm) -> str:
    """Make the sentence that says that rank 0 gathers and writes all data.

    Args:
        comm: communicator.

    Returns:
        The sentence; empty if all ranks write.
    """
    if comm.size == 1 or parallel_hdf5():
        return ""
    way = "CC=mpicc HDF5_MPI=ON HDF5_DIR=... pip install --force-reinstall --no-deps --no-binary h5py 'h5py<3.17'"
    return f"h5py is serial: rank 0 gathers and writes all output. To write from all ranks, build h5py against a parallel HDF5: {way} (docs/guide.md)"


class RowFile:
    """An open file. Every method is collective and raises FileError alike on all ranks.

    Args:
        comm: communicator.
        path: path of the file.
        mode: "w" creates or replaces it, "r+" opens it for writing.
        shown: the path that messages name, where the file gets another name later.
        synced: whether what is written is forced onto the disk soon, so that the disk may begin at once.

    Attributes:
        sums: this rank's contributions to the CRC-32 of the data sets whose rows were written since ``rows`` was last called, by name.
    """

    def __init__(self, comm: MPI.Comm, path: Path, mode: str, shown: Path | None = None, synced: bool = False) -> None:
        self.comm, self.path, self.synced = comm, path, synced
        self.sums: dict[str, int] = {}
        self._beside = Beside()
        self.doing = f"{shown or path} could not be written"
        self._handle: WritableFile | None = None  # of the first rank
        self._open: h5py.File | None = None  # while rows are written: of those that write them
        self._failure: str | None = None
        self._holders = Holders.of(comm, 0)
        self._wrote = comm.rank == 0
        self._packing = ("none", 0)  # of the data sets that are being written: how they are compressed, and their number of rows
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
    def rows(self, holders: Holders, compression: str = "none", count: int = 0) -> Iterator[None]:
        """Write rows, by ``write``, of data sets that were made by ``create_for_rows``.

        Args:
            holders: the ranks that have rows to write.
            compression: of data sets with frames (`packing.packed`), or none: where there is one, the holders compress, in whole chunks each, and
                rank 0 writes.
            count: number of rows of a frame, if they are compressed.
        """
        self._packing, self.sums = (compression, count), {}
        part = self._begin_rows(holders)
        try:
            with Beside() as self._beside:
                yield
        except FileError:  # on all ranks; after another error nobody would join in closing
            self._end_rows(part)
            raise
        self._end_rows(part)

    def _begin_rows(self, holders: Holders) -> MPI.Comm:
        """Open the file on the holders; their communicator, or none."""
        self._holders, self._open, self._wrote = holders, self._handle, self._wrote or holders.mine
        if not self._through_mpi:
            return MPI.COMM_NULL
        self._shut()
        part = MPI.COMM_NULL
        with together(self.comm, self.doing):
            if holders.mine:
                group = self.comm.Get_group()
                part = cast(MPI.Intracomm, self.comm).Create_group(group.Incl(holders.ranks.tolist()))
                self._open = h5py.File(self.path, "r+", driver="mpio", comm=part)
        return part

    def _end_rows(self, part: MPI.Comm) -> None:
        """Close the file on the holders, and agree on what failed."""
        if self._through_mpi:
            try:
                if self._open is not None:
                    self._open.close()
            except (OSError, RuntimeError) as error:
                self._note(error)
            if part != MPI.COMM_NULL:
                part.Free()
        self._open = None
        failure, self._failure = self._failure, None
        agree(self.comm, failure)
        self._shut()  # in any case: where HDF5 puts what comes next depends on it
        with together(self.comm, self.doing):
            if self.comm.rank == 0:
                self._handle = WritableFile(self.path, "r+")

    @property
    def _through_mpi(self) -> bool:
        return self._holders.count > 1 and parallel_hdf5() and self._packing[0] == "none"

    def write_all(self, name: str, pieces: Iterable[Rows], base: int = 0, frame: int | None = None) -> None:
        """Write pieces of a data set one after the other, while the next is made.

        Args:
            name: name of the data set.
            pieces: the pieces, as many on all ranks.
            base: see ``write``.
            frame: see ``write``.
        """
        for piece in pieces:
            self.write(name, piece, base, frame)

    def write(self, name: str, piece: Rows, base: int = 0, frame: int | None = None) -> None:
        """Write rows of this rank into a data set, inside ``rows``, and sum them. What fails is said at its end.

        The rows must stay what they are until two more pieces have been handed over.

        Args:
            name: name of the data set, whose shape is (n, ...), or (T, n, ...) if it has frames.
            piece: rows of the type of the data set; none on ranks that hold none.
            base: row of the data set from which the rows of the piece are counted.
            frame: index along the first axis; None if the data set has no axis of frames.
        """
        rows, start = np.ascontiguousarray(piece.rows), base + piece.start
        piece = piece._replace(rows=rows)
        if self._packing[0] != "none" and frame is not None:
            self._sum(name, piece)
            self._write_packed(name, rows, start, frame)
        elif self._holders.count == 1 or self._through_mpi:
            if rows.nbytes < FEW or self._through_mpi:
                self._beside.wait()
                self._put_piece(name, piece, start, frame)
            else:
                self._beside.do(self._put_piece, name, piece, start, frame)
        elif self.comm.rank == 0:
            self._put_piece(name, piece, start, frame)
            for rank in self._holders.ranks[1:]:
                for first in range(0, self.comm.recv(source=int(rank), tag=TAG), _fitting(rows)):
                    some, start = self.comm.recv(source=int(rank), tag=TAG)
                    self._put(name, some, start + first, frame)
        elif self._holders.mine:
            self._sum(name, piece)
            self.comm.send(len(rows), dest=0, tag=TAG)
            for first in range(0, len(rows), _fitting(rows)):
                self.comm.send((rows[first : first + _fitting(rows)], start), dest=0, tag=TAG)

    def _sum(self, name: str, piece: Rows) -> None:
        """Add a piece to the checksum of a data set."""
        if piece.behind is not None:
            self.sums[name] = self.sums.get(name, 0) ^ part(piece.rows, piece.behind * width_of(piece.rows))

    def _put_piece(self, name: str, piece: Rows, start: int, frame: int | None) -> None:
        """Sum a piece and write it from this rank."""
        self._sum(name, piece)
        self._put(name, piece.rows, start, frame)

    def _write_packed(self, name: str, rows: np.ndarray, start: int, frame: int) -> None:
        """Write this rank's rows of a compressed data set; all holders compress theirs at the same time."""
        method, count = self._packing
        chunks = chunks_of(rows, count, method) if self._holders.mine else []
        if self.comm.rank == 0:
            for chunk in chunks:
                start = self._put_chunk(name, chunk, start, frame)
            for rank in self._holders.ranks[1:]:
                number, start = self.comm.recv(source=int(rank), tag=TAG)
                for _ in range(number):
                    start = self._put_chunk(name, self.comm.recv(source=int(rank), tag=TAG), start, frame)
        elif self._holders.mine:
            self.comm.send((len(chunks), start), dest=0, tag=TAG)
            for chunk in chunks:
                self.comm.send(chunk, dest=0, tag=TAG)

    def _put_chunk(self, name: str, chunk: bytes, start: int, frame: int) -> int:
        """Write a compressed chunk from this rank; the first row behind it."""
        if self._open is None or self._failure:
            return start
        try:
            data = self._open[name]
            data.id.write_direct_chunk((frame, start, 0), chunk)
            return int(start + data.chunks[1])
        except (OSError, RuntimeError, KeyError) as error:
            self._note(error)
            return start

    def _put(self, name: str, rows: np.ndarray, start: int, frame: int | None) -> None:
        """Write rows from this rank."""
        if self._open is None or self._failure:
            return
        try:
            for first in range(0, len(rows), _fitting(rows)):
                piece = rows[first : first + _fitting(rows)]
                place = (start + first,) if frame is None else (frame, start + first)
                array_at(self._open, name).write(place, piece)
                if isinstance(self._open, WritableFile):
                    self._open.check()
            if self.synced and rows.nbytes >= FEW:
                begin_writing(self.path)
        except (OSError, RuntimeError, KeyError) as error:
            self._note(error)

    def _note(self, error: Exception) -> None:
        self._failure = self._failure or f"{self.doing}: {reason(error)}"

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


def _fitting(rows: np.ndarray) -> int:
    """How many rows go into one piece."""
    return max(1, MOST // max(1, width_of(rows)))


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
