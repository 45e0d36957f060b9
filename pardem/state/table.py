"""Tables: arrays with as many rows each, described once; taking, joining, packing for messages and saving in files follow from the description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

import numpy as np

from .memory import zeros_in_lines


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The rows of several arrays."""
    shape = (sum(len(array) for array in arrays), *arrays[0].shape[1:])
    return np.concatenate(arrays, out=zeros_in_lines(shape, arrays[0].dtype))


class Column(NamedTuple):
    """Description of one array of a table.

    Attributes:
        kind: type of its numbers.
        shape: shape of a row; () is one number per row. A table may hold more or fewer numbers per row if a run needs that.
        fill: value in the rows of a new table.
        ghosts: whether other ranks need the array for the rows that they see; otherwise their copies hold ``fill``.
        moves: how many of the first numbers of a row such copies receive anew at every step, unless they follow (``decomposition.halo``).
        saved: whether checkpoints hold it.
    """

    kind: type[np.generic]
    shape: tuple[int, ...] = ()
    fill: float = 0
    ghosts: bool = True
    moves: int = 0
    saved: bool = True


@dataclass(eq=False)
class Table:
    """Arrays with equal numbers of rows. A subclass names them as fields and describes each by ``Annotated[np.ndarray, Column(...)]``.

    Attributes:
        columns: description of every array by name, in order.
    """

    columns: ClassVar[Mapping[str, Column]] = {}

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        cls.columns = {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}

    @classmethod
    def made(cls, count: int, arrays: Mapping[str, np.ndarray] | None = None, like: Table | None = None) -> Self:
        """Make a table from some of its arrays; the others are filled.

        Args:
            count: number of rows.
            arrays: arrays with this number of rows, by name; they are not copied.
            like: table whose arrays have the shapes of those to be filled, or None for the shapes described.

        Returns:
            The table.
        """
        found = dict(arrays or {})
        for name, column in cls.columns.items():
            if name not in found:
                shape = column.shape if like is None else getattr(like, name).shape[1:]
                found[name] = np.full((count, *shape), column.fill, column.kind) if column.fill else np.zeros((count, *shape), column.kind)
        return cls(**found)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate the rows of several tables.

        Args:
            parts: the tables.

        Returns:
            One table.
        """
        return cls(**{name: _joined([getattr(part, name) for part in parts]) for name in cls.columns})

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(getattr(self, next(iter(self.columns))))

    def take(self, rows: Any) -> Self:
        """Select rows.

        Args:
            rows: indices, a mask, or a slice (which gives views).

        Returns:
            A table of these rows.
        """
        return type(self)(**{name: getattr(self, name)[rows] for name in self.columns})

    def arrange(self, rows: np.ndarray) -> None:
        """Reorder the rows in place, one array at a time, so that memory for one more array suffices.

        Args:
            rows: (n,) permutation.
        """
        for name in self.columns:
            array = getattr(self, name)
            if not array.size:
                continue
            arranged = zeros_in_lines(array.shape, array.dtype)
            if array.view(np.uint32).any():  # memory that is all zeros is not taken before it is written; minus zero is none
                array.take(rows, 0, arranged, "clip")  # "raise" would make a copy more
            setattr(self, name, arranged)

    def records(self, names: Iterable[str] | None = None) -> np.ndarray:
        """Pack the rows as records, for messages.

        Args:
            names: names of the arrays, or None for all.

        Returns:
            (n,) structured array.
        """
        arrays = {name: getattr(self, name) for name in names or self.columns}
        packed = np.empty(self.count, [(name, array.dtype, array.shape[1:]) for name, array in arrays.items()])
        for name, array in arrays.items():
            packed[name] = array
        return packed

    def received(self, packed: np.ndarray) -> Self:
        """Make a table like this one from ``records``.

        Args:
            packed: (n,) structured array; arrays that it lacks are filled.

        Returns:
            The table.
        """
        # copies, even of a single row: views into records are not aligned
        return self.made(len(packed), {name: packed[name].copy() for name in packed.dtype.names or ()}, self)

    def saved_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that checkpoints hold, by name, without arrays of no width."""
        arrays = {name: getattr(self, name) for name, column in self.columns.items() if column.saved}
        return {name: array for name, array in arrays.items() if all(array.shape[1:])}
