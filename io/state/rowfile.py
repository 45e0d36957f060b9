"""An HDF5 file whose data sets are written by all ranks, each its rows: through MPI where h5py can, else gathered by rank 0."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from mpi4py import MPI

from pardem.errors import FileError

from .shared_errors import together

PIECE = 1 << 28  # bytes of a rank in one collective call: MPI implementations stumble over counts above 2^31
SLACK = 1 << 20  # bytes that the structure of a file may grow by, kept free beside the data


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

    Attributes:
        handle: the h5py file on the ranks that make groups and data sets (all in parallel, with the same calls; else rank 0); None elsewhere.
    """

    def __init__(self, comm: MPI.Comm, path: Path, mode: str, shown: Path | None = None) -> None:
        self.comm = comm
        self.path = path
        self.parallel = comm.size > 1 and parallel_hdf5()
        self.handle: h5py.File | None = None
        self.doing = f"{shown or path} could not be written"
        with together(comm, self.doing):
            if self.parallel:
                self.handle = h5py.File(path, mode, driver="mpio", comm=comm)
            elif comm.rank == 0:
                self.handle = h5py.File(path, mode)

    def __enter__(self) -> RowFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close, unsynchronised, at the end or after an error that all ranks raise; after another nobody would join in, and this rank would wait."""
        if kind is None or issubclass(kind, FileError):
            self.close(sync=False)

    def reserve(self, size: int) -> None:
        """Make sure that more bytes fit on the disk.

        Args:
            size: their number.
        """
        with together(self.comm, self.doing):
            if self.comm.rank == 0:
                take_on_trial(self.path, size)

    def create(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], **options: Any) -> None:
        """Create a data set.

        Args:
            name: path in the file.
            shape: shape.
            dtype: type of the numbers.
            **options: options of h5py.
        """
        with together(self.comm, self.doing):
            if self.handle is not None:
                self.handle.create_dataset(name, shape, dtype, **options)

    def grow(self, names: list[str], length: int) -> None:
        """Set the length of the first axis of data sets.

        Args:
            names: their paths in the file.
            length: the length.
        """
        with together(self.comm, self.doing):
            if self.handle is not None:
                for name in names:
                    self.handle[name].resize(length, axis=0)

    def write(self, name: str, rows: np.ndarray, start: int, frame: int | None = None, most: int | None = None) -> None:
        """Write this rank's rows of a data set.

        Args:
            name: name of the data set, whose shape is (n, ...), or (T, n, ...) if it has frames.
            rows: (k, ...) rows, of the type of the data set.
            start: index of the first of these rows in the data set.
            frame: index along the first axis; None if the data set has no axis of frames.
            most: largest k of any rank; determined by communication if not given.
        """
        if most is None:
            most = int(self.comm.allreduce(len(rows), MPI.MAX))
        rows = np.ascontiguousarray(rows)
        width = max(1, rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64)))
        step = max(1, PIECE // width)
        with together(self.comm, self.doing):
            for first in range(0, most, step):
                piece = rows[first : first + step]
                if self.handle is not None and self.parallel:
                    _write_collectively(self.handle[name], piece, start + first, frame)
                else:
                    self._gather(name, piece, start + first, frame)

    def _gather(self, name: str, rows: np.ndarray, start: int, frame: int | None) -> None:
        """Rank 0 writes its rows, then those of the others one after the other."""
        if self.comm.rank > 0:
            self.comm.send((start, rows), dest=0, tag=1)
            return
        error: Exception | None = None
        for rank in range(self.comm.size):
            start, rows = (start, rows) if rank == 0 else self.comm.recv(source=rank, tag=1)
            try:
                if error is None and self.handle is not None:
                    place: Any = slice(start, start + len(rows))
                    self.handle[name][place if frame is None else (frame, place)] = rows
            except (OSError, RuntimeError) as caught:
                error = caught  # the others' messages must still be received
        if error is not None:
            raise error

    def flush(self) -> None:
        """Hand everything to the operating system."""
        with together(self.comm, self.doing):
            if self.handle is not None:
                self.handle.flush()

    def close(self, sync: bool = True) -> None:
        """Close the file.

        Args:
            sync: whether its data must be on the disk when this returns.
        """
        with together(self.comm, self.doing):
            if self.handle is not None:
                handle, self.handle = self.handle, None
                handle.close()
        if sync:
            with together(self.comm, self.doing):
                if self.comm.rank == 0:
                    sync_path(self.path)


def _write_collectively(dataset: h5py.Dataset, rows: np.ndarray, start: int, frame: int | None) -> None:
    """One collective write. h5py leaves out the call where the selection is empty, which blocks the other ranks: hence the low-level interface."""
    transfer = h5py.h5p.create(h5py.h5p.DATASET_XFER)
    transfer.set_dxpl_mpio(h5py.h5fd.MPIO_COLLECTIVE)
    in_file = dataset.id.get_space()
    if len(rows):
        corner, extent = (start, *(0,) * (rows.ndim - 1)), rows.shape
        if frame is not None:
            corner, extent = (frame, *corner), (1, *extent)
        in_file.select_hyperslab(corner, extent)
        in_memory = h5py.h5s.create_simple(rows.shape)
    else:
        rows = np.zeros((1, *rows.shape[1:]), dtype=rows.dtype)
        in_file.select_none()
        in_memory = h5py.h5s.create_simple(rows.shape)
        in_memory.select_none()
    dataset.id.write(in_memory, in_file, rows, dxpl=transfer)


def take_on_trial(path: Path, size: int) -> None:
    """Check that more bytes fit behind a file, which is created if it does not exist.

    HDF5 does not survive a full disk (a rank that fails in a collective write leaves the others waiting; a serial file crashes when it is closed), so
    the space is taken, and given back, before HDF5 writes.

    Args:
        path: path of the file.
        size: number of bytes.

    Raises:
        OSError: they do not fit.
    """
    with open(path, "ab") as file:
        end = os.fstat(file.fileno()).st_size
        try:
            os.posix_fallocate(file.fileno(), end, size + SLACK)
        finally:
            file.truncate(end)


def sync_path(path: Path) -> None:
    """Force a file or a folder onto the disk.

    Args:
        path: its path.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
