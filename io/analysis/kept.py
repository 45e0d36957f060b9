"""A result's file as its readers see it: what was read is kept, and read anew where a run has added to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py

from pardem.errors import FileError

from ..reading import kind_of
from .source import Source


class KeptFile:
    """The file of a result, opened when something is read, and what has been read from it. A context manager.

    Args:
        path: the result (.h5), or a part of one that has frames or observables.

    Attributes:
        kind: ``result`` or ``segment``.

    Raises:
        FileError: the file is missing, foreign or damaged, or is a checkpoint.
    """

    def __init__(self, path: Path | str) -> None:
        self._source = Source(path)
        self._constant: dict[str, Any] = {}
        self._grown: dict[str, Any] = {}
        self._version: Any = None
        self.kind: str = self._source.read(kind_of)
        if self.kind == "checkpoint":
            raise FileError(f"{path} is a checkpoint, which holds a state and no frames: open the result of its run")

    @property
    def path(self) -> Path:
        """The file."""
        return self._source.path

    def close(self) -> None:
        """Close the file; it is opened again when something is read."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _unchanging(self, name: str, access: Callable[[h5py.File], Any]) -> Any:
        """What is the same throughout a run, read once.

        Args:
            name: under which it is kept.
            access: function of the open file that returns it.
        """
        if name not in self._constant:
            self._constant[name] = self._source.read(access)
        return self._constant[name]

    def _growing(self, name: str, access: Callable[[h5py.File], Any]) -> Any:
        """What a run adds to, read anew where the file was replaced.

        Args:
            name: under which it is kept.
            access: function of the open file that returns it.
        """
        version = self._source.version()
        if version != self._version:
            self._grown.clear()
            self._version = version
        if name not in self._grown:
            self._grown[name] = self._source.read(access)
        return self._grown[name]
