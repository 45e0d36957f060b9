"""Arrays by name that are read from a file when they are first used: as entries and as attributes."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np


class LazyArrays:
    """Arrays of one frame; a class that holds some says how one is read, and which there are.

    ``name in arrays`` tells whether there is one of that name. The length counts the items, so that names are not iterated over.
    """

    _always: tuple[str, ...] = ()  # names of arrays that are there whatever the case writes
    __iter__ = None

    def __init__(self) -> None:
        self._arrays: dict[str, np.ndarray] = {}

    def _read(self, name: str) -> np.ndarray:
        """Read an array from the file.

        Args:
            name: its name.

        Raises:
            KeyError: there is no such array; the message lists those there are.
        """
        raise NotImplementedError

    def _names(self) -> Collection[str]:
        """Names of the arrays that the file holds."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> np.ndarray:
        """An array of the file, with a row for each item; read once and kept.

        Args:
            name: its name.

        Raises:
            KeyError: there is no such array; the message lists those there are.
        """
        if name not in self._arrays:
            self._arrays[name] = self._read(name)
        return self._arrays[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __contains__(self, name: str) -> bool:
        """Whether there is an array of this name."""
        return name in self._always or name in self._names()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._always, *self._names()]
