"""Reading the arrays of a case's ``grains_file``, some rows at a time."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import FileError

if TYPE_CHECKING:
    from .model import Case

# what numpy raises for text, pickles, single arrays (.npy), and archives that are cut short or damaged
_UNREADABLE = (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)


KINDS = {"species": "USiu"} | dict.fromkeys(("position", "orientation", "velocity", "angular_velocity", "scale"), "iuf")
"""Arrays, and the types that they may have, as in ``dtype.kind``."""

BLOCK = 1 << 18  # rows that are in memory at a time


class _Array(NamedTuple):
    """An array of a file.

    Attributes:
        member: name of its member in the archive.
        begin: where its values begin in that (bytes).
        shape: numbers of rows and, where it has any, of columns.
        by_columns: whether its columns follow one another, not its rows.
        kind: type of the values.
    """

    member: str
    begin: int
    shape: tuple[int, ...]
    by_columns: bool
    kind: np.dtype


class GrainsFile:
    """The ``grains_file`` of a case, of which only what describes the arrays has been read.

    Args:
        case: validated case.

    Attributes:
        shapes: shapes of the arrays by name, as in the file.
        count: number of grains.

    Raises:
        FileError: the file is missing, is not an .npz file, is damaged, or lacks a required array.
    """

    def __init__(self, case: Case) -> None:
        self._path, self._key, self._planar = case.directory / str(case.grains_file), f"grains_file = '{case.grains_file}'", case.dimension == 2
        with self._opened() as archive:
            members = {name.removesuffix(".npy"): name for name in archive.namelist()}
            self._arrays = {name: _described(archive, members[name]) for name in KINDS if name in members}
        self.shapes = {name: array.shape for name, array in self._arrays.items()}
        for name in ("species", "position"):
            if name not in self._arrays:
                raise FileError(f"{self._key} has no array '{name}'; it needs species and position")
        for name, array in self._arrays.items():
            if array.kind.kind not in KINDS[name] or not array.shape:
                what = "names or whole numbers" if name == "species" else "numbers"
                raise FileError(f"{self._key}: {name} must be an array of {what}, a row for each grain, not {array.kind} of shape {array.shape}")
        self.count = self.shapes["position"][0]

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        """The archive; what is wrong with it, as a sentence."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                yield archive
        except FileNotFoundError:
            raise FileError(f"{self._key}: {self._path} does not exist; give an .npz file beside the case file") from None
        except _UNREADABLE:
            raise FileError(f"{self._key}: {self._path} is not an .npz file of plain arrays, or is damaged; write it with numpy.savez") from None

    def blocks(self, rows: int = BLOCK) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """Read the arrays from their first row to their last.

        Args:
            rows: number of rows to be read at a time.

        Yields:
            Number of the first of some rows, and these rows of the arrays by name, as they are in the file, but with three columns in two
            dimensions. Of a file without grains there is one block without rows.

        Raises:
            FileError: the file is damaged, or something leads out of the plane.
        """
        with ExitStack() as stack:
            archive = stack.enter_context(self._opened())
            streams = {name: [stack.enter_context(file) for file in _streams(archive, array)] for name, array in self._arrays.items()}
            for first in range(0, max(1, self.count), rows):
                data = {name: _rows(streams[name], array, first, first + rows) for name, array in self._arrays.items()}
                yield first, _out_of_plane(data, self._key, first) if self._planar else data


def _described(archive: zipfile.ZipFile, member: str) -> _Array:
    """What the header of an array says.

    Raises:
        ValueError: it has none, or holds other things than numbers and names.
    """
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(version)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, kind = read(file)
        if kind.hasobject or not kind.itemsize:
            raise ValueError(kind)
        return _Array(member, file.tell(), shape, by_columns and len(shape) > 1, kind)


def _streams(archive: zipfile.ZipFile, array: _Array) -> list[IO[bytes]]:
    """An array's member opened where its rows begin, or as often as it has columns, where each of these begins."""
    columns = int(np.prod(array.shape[1:])) if array.by_columns else 1
    found = []
    for column in range(columns):
        found.append(archive.open(array.member))
        found[-1].seek(array.begin + column * array.shape[0] * array.kind.itemsize)
    return found


def _rows(streams: list[IO[bytes]], array: _Array, first: int, last: int) -> np.ndarray:
    """The next rows of an array.

    Raises:
        EOFError: the file ends before.
    """
    count, columns = max(0, min(last, array.shape[0]) - first), int(np.prod(array.shape[1:]))
    size = count * columns // max(1, len(streams)) * array.kind.itemsize
    content = b"".join(stream.read(size) for stream in streams)
    if len(content) < size * len(streams):
        raise EOFError
    values = np.frombuffer(content, array.kind)
    if array.by_columns:
        return values.reshape(*array.shape[:0:-1], count).T
    return values.reshape(count, *array.shape[1:])


def _out_of_plane(data: dict[str, np.ndarray], key: str, before: int) -> dict[str, np.ndarray]:
    """Arrays of a case in two dimensions with three columns: points and vectors (n, 2), angles and angular velocities (n,) about z.

    Args:
        data: rows of the arrays by name.
        key: key of the case, for messages.
        before: number of grains before these rows.

    Raises:
        FileError: something leads out of the plane.
    """
    zero = {"position": (2,), "velocity": (2,), "angular_velocity": (0, 1), "orientation": (1, 2)}
    for name, columns in zero.items():
        values = data.get(name)
        if values is None or values.dtype.kind not in "iuf":
            continue
        none = np.zeros(len(values))
        if values.ndim == 2 and values.shape[1] == 2 and columns == (2,):
            data[name] = np.column_stack([values, none])
        elif values.ndim == 1 and name == "angular_velocity":
            data[name] = np.column_stack([none, none, values])
        elif values.ndim == 1 and name == "orientation":
            data[name] = np.column_stack([np.cos(0.5 * values), none, none, np.sin(0.5 * values)])
        elif values.ndim == 2 and values.shape[1] > max(columns) and values[:, columns].any():
            first = int(np.argwhere(values[:, columns].any(axis=1))[0, 0])
            raise FileError(f"{key}: {name} of grain {before + first} = {values[first].tolist()} leads out of the plane: the case has two dimensions")
    return data
