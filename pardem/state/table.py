"""Tables: arrays with as many rows each, described once; taking, joining, packing for messages and keeping in files follow from the description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, get_type_hints

import numpy as np


class Column(NamedTuple):
    """What one array of a table holds, and where it goes.

    Attributes:
        kind: type of its numbers.
        shape: of a row; () is one number a row. A table may hold more or fewer numbers a row than said here, where a run needs them.
        fill: what the rows of a new table hold.
        ghosts: whether other ranks need the array of the rows that they see; else their copies hold ``fill``.
        moves: how many of the first numbers of a row such copies receive anew at every step.
        kept: whether checkpoints hold it.
    """

    kind: type[np.generic]
    shape: tuple[int, ...] = ()
    fill: float = 0
    ghosts: bool = True
    moves: int = 0
    kept: bool = True


@dataclass(eq=False)
class Table:
    """Arrays with as many rows each; a subclass names them as fields and describes each by ``Annotated[np.ndarray, Column(...)]``.

    Attributes:
        columns: name -> description of every array, in their order.
    """

    columns: ClassVar[Mapping[str, Column]] = {}

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        cls.columns = {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}

    @classmethod
    def made(cls, count: int, arrays: Mapping[str, np.ndarray] | None = None, like: Table | None = None) -> Self:
        """Rows from the arrays that there are; the others are filled.

        Args:
            count: number of rows.
            arrays: name -> array with as many rows; not copied.
            like: table whose arrays have the shapes of those to be filled; None: as described.
        """
        found = dict(arrays or {})
        for name, column in cls.columns.items():
            if name not in found:
                shape = column.shape if like is None else getattr(like, name).shape[1:]
                found[name] = np.full((count, *shape), column.fill, column.kind)
        return cls(**found)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Several tables as one, their rows one after the other."""
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.columns})

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(getattr(self, next(iter(self.columns))))

    def take(self, rows: Any) -> Self:
        """The rows of some indices, of a mask, or of a slice (then views)."""
        return type(self)(**{name: getattr(self, name)[rows] for name in self.columns})

    def arrange(self, rows: np.ndarray) -> None:
        """Put the rows into another order, an array at a time: this needs room for the largest array only.

        Args:
            rows: (n,) permutation.
        """
        for name in self.columns:
            setattr(self, name, getattr(self, name)[rows])

    def records(self, names: Iterable[str] | None = None) -> np.ndarray:
        """The rows as records, for messages.

        Args:
            names: of the arrays; None: all.

        Returns:
            (n,) structured array.
        """
        arrays = {name: getattr(self, name) for name in names or self.columns}
        packed = np.empty(self.count, [(name, array.dtype, array.shape[1:]) for name, array in arrays.items()])
        for name, array in arrays.items():
            packed[name] = array
        return packed

    def received(self, packed: np.ndarray) -> Self:
        """A table like this one from ``records``.

        Args:
            packed: (n,) structured array; arrays that it lacks are filled.
        """
        # copies, even of a single row: views into records are not aligned
        return self.made(len(packed), {name: packed[name].copy() for name in packed.dtype.names or ()}, self)

    def kept(self) -> dict[str, np.ndarray]:
        """Name -> array of what checkpoints hold, without arrays of no width."""
        arrays = {name: getattr(self, name) for name, column in self.columns.items() if column.kept}
        return {name: array for name, array in arrays.items() if all(array.shape[1:])}
