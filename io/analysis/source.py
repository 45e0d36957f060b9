"""Access to an HDF5 file that a run may be writing: opened when something is read, and again whenever the run has replaced it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import h5py

from pardem.errors import FileError

from ..reading import opened, sound

Value = TypeVar("Value")
Stamp = tuple[int, int, int]


class Source:
    """One file of pardem, which a run may be replacing while it is read. A context manager, which closes it in the end.

    A run renames a new index over the file at every checkpoint and removes its parts when it ends. So the file on disk is compared with the one that
    is open before and after each access, and what was read is read again where they differ.

    Args:
        path: result, checkpoint or segment.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._open = ExitStack()
        self._file: h5py.File | None = None
        self._stamp: Stamp | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def read(self, access: Callable[[h5py.File], Value]) -> Value:
        """What ``access`` takes from the file.

        Args:
            access: function of the open file; it must return values, no objects of the file.

        Returns:
            Its result, all of one state of the file.

        Raises:
            FileError: the file is missing, foreign or damaged, or kept changing.
        """
        for _ in range(5):
            file, stamp = self._current()
            try:
                with sound(self.path):
                    value = access(file)
            except FileError:
                if self._on_disk() == stamp:
                    raise
                continue
            if self._on_disk() == stamp:
                return value
        raise FileError(f"{self.path} was replaced again and again while it was read: try again, or wait until its run writes less often")

    def version(self) -> Stamp | None:
        """What tells the file on disk from earlier ones under its name: inode, time of change (ns), bytes; None where there is none."""
        return self._on_disk()

    def close(self) -> None:
        """Close the file; it is opened again when something is read."""
        self._open.close()
        self._file = self._stamp = None

    def _current(self) -> tuple[h5py.File, Stamp | None]:
        stamp = self._on_disk()
        if self._file is None or stamp != self._stamp:
            self.close()
            self._file = self._open.enter_context(opened(self.path))
            self._stamp = stamp
        return self._file, stamp

    def _on_disk(self) -> Stamp | None:
        try:
            found = os.stat(self.path)
        except (OSError, ValueError):  # the latter: a name that no file can have
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
