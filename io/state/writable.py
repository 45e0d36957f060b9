"""HDF5 files open for writing, where an error of the disk never reaches the HDF5 library."""

from __future__ import annotations

import atexit
import io
import os
import weakref
from contextlib import suppress
from pathlib import Path

import h5py

from .callbacks import called_by_hdf5, interrupts_spare_callbacks

SMALL = 1 << 16  # bytes; what describes the data comes in smaller pieces


class _Disk(io.RawIOBase):
    """A file whose writes never fail: the first error, or Ctrl-C, is kept, and from then on small pieces live in memory, and large ones nowhere.

    Args:
        path: path of the file.
        mode: "w" creates or replaces it, "r+" opens it.

    Attributes:
        failure: the first error, or none.
    """

    def __init__(self, path: Path, mode: str) -> None:
        super().__init__()
        self._path, self._place = path, 0
        self.failure: OSError | KeyboardInterrupt | None = None
        self._unwritten: list[tuple[int, bytes]] = []
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT | os.O_TRUNC if mode == "w" else 0), 0o666)

    def __repr__(self) -> str:
        return str(self._path)

    @called_by_hdf5
    def readable(self) -> bool:
        return True

    @called_by_hdf5
    def writable(self) -> bool:
        return True

    @called_by_hdf5
    def seekable(self) -> bool:
        return True

    @called_by_hdf5
    def seek(self, place: int, whence: int = os.SEEK_SET, /) -> int:
        self._place = place if whence == os.SEEK_SET else os.lseek(self._descriptor, place, whence)
        return self._place

    @called_by_hdf5
    def tell(self) -> int:
        return self._place

    @called_by_hdf5
    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Read what was written, whether it has reached the disk or not; zeros behind the end of the file."""
        view, first = memoryview(buffer).cast("B"), self._place
        done = 0
        while done < len(view) and (some := os.preadv(self._descriptor, [view[done:]], first + done)):
            done += some
        view[done:] = bytes(len(view) - done)
        for place, piece in self._unwritten:
            begin, end = max(place, first), min(place + len(piece), first + len(view))
            if begin < end:
                view[begin - first : end - first] = piece[begin - place : end - place]
        self._place += len(view)
        return len(view)

    @called_by_hdf5
    def write(self, data: bytes | memoryview, /) -> int:  # type: ignore[override]
        view, done = memoryview(data).cast("B"), 0
        try:
            while done < len(view) and self.failure is None:
                done += os.pwrite(self._descriptor, view[done:], self._place + done)
        except (OSError, KeyboardInterrupt) as error:
            self.keep(error)
        if done < len(view) <= SMALL:
            self._unwritten.append((self._place, bytes(view)))
        self._place += len(view)
        return len(view)

    @called_by_hdf5
    def truncate(self, size: int | None = None, /) -> int:
        size = self._place if size is None else size
        try:
            if self.failure is None:
                os.ftruncate(self._descriptor, size)
        except (OSError, KeyboardInterrupt) as error:
            self.keep(error)
        return size

    def close(self) -> None:
        """Close the file, whose last writes may fail only now."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            try:
                os.close(descriptor)
            except OSError as error:
                self.keep(error)
        super().close()

    def keep(self, error: OSError | KeyboardInterrupt) -> None:
        """Keep the first error, but not where it arose: HDF5 holds on to this file, and would to all that was at work there."""
        self.failure = self.failure or type(error)(*error.args)


class WritableFile(h5py.File):
    """An HDF5 file that this process alone writes.

    Where a write of the HDF5 library fails while a file is flushed or closed, the library counts the file as closed and yet holds on to it, and the
    process crashes later. So its calls of the operating system go through a file that accepts everything; its first error is raised by ``check``,
    ``flush`` and ``close``. What is still open when the interpreter ends is closed first: MPI is finalised after that, has HDF5 close what is open,
    and this would call the interpreter.

    Args:
        path: path of the file.
        mode: "w" creates or replaces it, "r+" opens it.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path, mode: str) -> None:
        interrupts_spare_callbacks()
        self._disk = _Disk(path, mode)
        try:
            super().__init__(self._disk, mode)
        except BaseException:
            self._disk.close()
            raise
        _there[id(self)] = self

    def check(self) -> None:
        """Raise the first error of the disk.

        Raises:
            OSError: something could not be written.
        """
        if self._disk.failure is not None:
            raise type(self._disk.failure)(*self._disk.failure.args)

    def flush(self) -> None:
        """Hand everything to the operating system.

        Raises:
            OSError: something could not be written.
        """
        super().flush()
        self.check()

    def close(self) -> None:
        """Close the file.

        Raises:
            OSError: something could not be written.
        """
        try:
            super().close()
        finally:
            self._disk.close()
        self.check()

    def abandon(self) -> None:
        """Close the file after an error that matters more than what the disk says."""
        with suppress(OSError):
            self.close()


_there: weakref.WeakValueDictionary[int, WritableFile] = weakref.WeakValueDictionary()
"""Files of this process, open or closed, by their ``id``."""


@atexit.register
def _close_all() -> None:
    """Close what an error, on whichever rank and in whatever work, has left open."""
    for file in list(_there.values()):
        with suppress(BaseException):  # said before, or nobody is left to hear of it
            file.close()
