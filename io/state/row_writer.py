"""Rows that several ranks write into the data sets of a file: through MPI where h5py can, else gathered by the first rank."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import h5py
import numpy as np
from mpi4py import MPI

from ..arrays import array_at
from .beside import Beside
from .checksum import joined, part, width_of
from .disk import begin_writing
from .holders import Holders
from .ordered_rows import Rows
from .packing import chunks_of
from .shared_errors import reason
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


class RowWriter:
    """What writes rows, as long as `RowFile.rows` lasts.

    Args:
        holders: the ranks that have rows to write.
        path: path of the file.
        doing: the beginning of the sentence that says what failed.
        packing: how data sets with frames are compressed (`packing.packed`), or none, and number of rows of a frame.
        synced: whether the disk begins at once with what it will be forced to take.

    Attributes:
        beside: what writes while the next rows are ordered.
        file: the file, on the ranks that write into it.
        failure: what failed first on this rank, or None.
        through_mpi: whether the holders write themselves.
    """

    def __init__(self, holders: Holders, path: Path, doing: str, packing: tuple[str, int], synced: bool) -> None:
        self.beside = Beside()
        self.file: h5py.File | None = None
        self.failure: str | None = None
        self.through_mpi = holders.count > 1 and parallel_hdf5() and packing[0] == "none"
        self._holders, self._path, self._doing, self._packing, self._synced = holders, path, doing, packing, synced
        self._comm, self._part = holders.comm, MPI.COMM_NULL
        self._sums: dict[str, int] = {}  # this rank's contributions to the CRC-32 of data sets

    def open(self) -> None:
        """Open the file through MPI, on the holders."""
        if self._holders.mine:
            group = self._comm.Get_group()
            self._part = cast(MPI.Intracomm, self._comm).Create_group(group.Incl(self._holders.ranks.tolist()))
            self.file = h5py.File(self._path, "r+", driver="mpio", comm=self._part)

    def close(self) -> None:
        """Close the file if it was opened through MPI, on the holders. Whatever fails is kept."""
        if not self.through_mpi:
            return
        try:
            if self.file is not None:
                self.file.close()
        except (OSError, RuntimeError) as error:
            self._note(error)
        if self._part != MPI.COMM_NULL:
            self._part.Free()

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
        """Write rows of this rank into a data set, and sum them. What fails is said when all rows are written.

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
        elif self._holders.count == 1 or self.through_mpi:
            if rows.nbytes < FEW or self.through_mpi:
                self.beside.wait()
                self._put_piece(name, piece, start, frame)
            else:
                self.beside.do(self._put_piece, name, piece, start, frame)
        elif self._comm.rank == 0:
            self._put_piece(name, piece, start, frame)
            for rank in self._holders.ranks[1:]:
                for first in range(0, self._comm.recv(source=int(rank), tag=TAG), _fitting(rows)):
                    some, start = self._comm.recv(source=int(rank), tag=TAG)
                    self._put(name, some, start + first, frame)
        elif self._holders.mine:
            self._sum(name, piece)
            self._comm.send(len(rows), dest=0, tag=TAG)
            for first in range(0, len(rows), _fitting(rows)):
                self._comm.send((rows[first : first + _fitting(rows)], start), dest=0, tag=TAG)

    def checksums(self, names: Iterable[str]) -> list[int]:
        """Join what all ranks have summed, once all rows are written. Collective.

        Args:
            names: names of data sets.

        Returns:
            CRC-32 of the rows of each data set that were written.
        """
        return joined(self._comm, [self._sums.get(name, 0) for name in names])

    def _sum(self, name: str, piece: Rows) -> None:
        """Add a piece to the checksum of a data set."""
        if piece.behind is not None:
            self._sums[name] = self._sums.get(name, 0) ^ part(piece.rows, piece.behind * width_of(piece.rows))

    def _put_piece(self, name: str, piece: Rows, start: int, frame: int | None) -> None:
        """Sum a piece and write it from this rank."""
        self._sum(name, piece)
        self._put(name, piece.rows, start, frame)

    def _write_packed(self, name: str, rows: np.ndarray, start: int, frame: int) -> None:
        """Write this rank's rows of a compressed data set; all holders compress theirs at the same time."""
        method, count = self._packing
        chunks = chunks_of(rows, count, method) if self._holders.mine else []
        if self._comm.rank == 0:
            for chunk in chunks:
                start = self._put_chunk(name, chunk, start, frame)
            for rank in self._holders.ranks[1:]:
                number, start = self._comm.recv(source=int(rank), tag=TAG)
                for _ in range(number):
                    start = self._put_chunk(name, self._comm.recv(source=int(rank), tag=TAG), start, frame)
        elif self._holders.mine:
            self._comm.send((len(chunks), start), dest=0, tag=TAG)
            for chunk in chunks:
                self._comm.send(chunk, dest=0, tag=TAG)

    def _put_chunk(self, name: str, chunk: bytes, start: int, frame: int) -> int:
        """Write a compressed chunk from this rank; the first row behind it."""
        if self.file is None or self.failure:
            return start
        try:
            data = self.file[name]
            data.id.write_direct_chunk((frame, start, 0), chunk)
            return int(start + data.chunks[1])
        except (OSError, RuntimeError, KeyError) as error:
            self._note(error)
            return start

    def _put(self, name: str, rows: np.ndarray, start: int, frame: int | None) -> None:
        """Write rows from this rank."""
        if self.file is None or self.failure:
            return
        try:
            for first in range(0, len(rows), _fitting(rows)):
                piece = rows[first : first + _fitting(rows)]
                place = (start + first,) if frame is None else (frame, start + first)
                array_at(self.file, name).write(place, piece)
                if isinstance(self.file, WritableFile):
                    self.file.check()
            if self._synced and rows.nbytes >= FEW:
                begin_writing(self._path)
        except (OSError, RuntimeError, KeyError) as error:
            self._note(error)

    def _note(self, error: Exception) -> None:
        self.failure = self.failure or f"{self._doing}: {reason(error)}"


def _fitting(rows: np.ndarray) -> int:
    """How many rows go into one piece."""
    return max(1, MOST // max(1, width_of(rows)))
