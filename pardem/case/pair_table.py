"""The parameters of all pairs of some materials, worked out for as many pairs at once as differ in numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..laws.kind import Numbers

if TYPE_CHECKING:
    from .contact_parameters import Resolved
    from .materials import Material

    Resolve = Callable[[int, tuple[Material | None, Material | None]], Resolved]


class PairTable:
    """The parameters of all pairs of some materials.

    Pairs make up a group if the same entry of ``pair`` holds for them, and if their materials give the same keys of the law for themselves. The
    values of these keys are arrays then, with a number for each pair.

    Args:
        resolve: parameters of a pair from its entry, as in ``entry``, and the tables of its materials, each None where there is none.
        entry: (rows, columns) int64, 0 where the general ones hold, k for the k-th entry of ``pair``.
        rows: names of the materials.
        columns: names of the materials.
        keys: keys that the law takes from materials.
        materials: tables of the materials.
    """

    def __init__(
        self, resolve: Resolve, entry: np.ndarray, rows: Sequence[str], columns: Sequence[str], keys: Sequence[str], materials: Sequence[Material]
    ) -> None:
        tables = {material.name: material for material in reversed(materials)}
        self.resolve, self.rows, self.columns, self._tables = resolve, rows, columns, tables
        self._down, self._across = ({key: _constants(key, names, tables) for key in keys} for names in (rows, columns))
        down, across = (_keys_given(keys, names, tables) for names in (rows, columns))
        several = 1 + 2 ** len(keys)
        self._group = (entry * several + down[:, None]) * several + across
        order = np.argsort(self._group, axis=None, kind="stable")
        groups, begins = np.unique(self._group.ravel()[order], return_index=True)
        self._places = {int(group): order[slice(*ends)] for group, ends in zip(groups, pairwise([*begins, len(order)]), strict=True)}
        self._entry = entry
        self._known: dict[int, Resolved] = {}
        self._whole: dict[int, Resolved] = {}

    def groups(self) -> Iterator[tuple[np.ndarray, Resolved]]:
        """Iterate over the groups of pairs.

        Yields:
            Flat indices of its pairs, (k,) int64, and their parameters.

        Raises:
            ValueError: for the same reasons as `Contact.between`.
        """
        for group, places in self._places.items():
            if group not in self._whole:
                self._whole[group] = self._of_pairs(group, *np.divmod(places, len(self.columns)))
            yield places, self._whole[group]

    def of_column(self, column: int, last: int) -> Iterator[tuple[np.ndarray, Resolved]]:
        """Iterate over the groups of pairs in the first rows of a column.

        Args:
            column: its index.
            last: number of rows.

        Yields:
            Rows of the pairs of a group, (k,) int64, and their parameters.

        Raises:
            ValueError: for the same reasons as `Contact.between`.
        """
        groups = self._group[:last, column]
        for group in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == group)
            yield rows, self._of_pairs(group, rows, np.full(len(rows), column))

    def grid(self, value: Callable[[Resolved], Numbers]) -> np.ndarray:
        """Compute a number for each pair.

        Args:
            value: function of the parameters of pairs.

        Returns:
            (rows, columns) float64.

        Raises:
            ValueError: for the same reasons as `Contact.between`, or raised by ``value``; this names a pair.
        """
        out = np.empty(self._group.size)
        for places, parameters in self.groups():
            try:
                out[places] = value(parameters)
            except ValueError as error:
                row, column = self._names(int(places[0]))
                raise ValueError(f"contact between '{row}' and '{column}': {error}") from None
        return out.reshape(self._group.shape)

    def lists(self, key: str) -> np.ndarray:
        """Return lists of numbers for all pairs.

        Args:
            key: the key that has them.

        Returns:
            (rows, columns, k) float64, padded with zeros.
        """
        given = [(places, getattr(parameters, key) or ()) for places, parameters in self.groups()]
        out = np.zeros((self._group.size, max(1, *(len(values) for _, values in given))))
        for places, values in given:
            out[places, : len(values)] = values
        return out.reshape(*self._group.shape, -1)

    def problems(self) -> Iterator[str]:
        """Iterate over what is wrong with the parameters: of pairs with the same mistake those that together name all their materials."""
        for group, places in self._places.items():
            try:
                self._like_first(group)
            except ValueError:
                each = (np.unique(of_one, return_index=True)[1] for of_one in np.divmod(places, len(self.columns)))
                for place in places[np.unique(np.concatenate(list(each)))].tolist():
                    try:
                        self._resolve(place)
                    except ValueError as error:
                        yield str(error)

    def single(self) -> Resolved:
        """Return the parameters of the only pair.

        Raises:
            ValueError: for the same reasons as `Contact.between`.
        """
        return self._resolve(0)

    def _of_pairs(self, group: int, rows: np.ndarray, columns: np.ndarray) -> Resolved:
        """The parameters of pairs of a group."""
        like = self._like_first(group)
        if not any(like.bodies):
            return like
        first, second = like.bodies
        own = {key: self._down[key][rows] for key in first}, {key: self._across[key][columns] for key in second}
        return like.model_copy(update={"bodies": own})

    def _like_first(self, group: int) -> Resolved:
        """The parameters of the first pair of a group."""
        if group not in self._known:
            self._known[group] = self._resolve(int(self._places[group][0]))
        return self._known[group]

    def _resolve(self, place: int) -> Resolved:
        """The parameters of a pair."""
        row, column = (self._tables.get(name) for name in self._names(place))
        return self.resolve(int(self._entry.flat[place]), (row, column))

    def _names(self, place: int) -> tuple[str, str]:
        """The materials of a pair."""
        row, column = divmod(place, len(self.columns))
        return self.rows[row], self.columns[column]


def _constants(key: str, names: Sequence[str], tables: Mapping[str, Material]) -> np.ndarray:
    """What materials have for themselves of a key, (len(names),) float64; NaN where they have nothing."""
    own = (getattr(tables[name], key) if name in tables else None for name in names)
    return np.array([np.nan if value is None else value for value in own], float)


def _keys_given(keys: Sequence[str], names: Sequence[str], tables: Mapping[str, Material]) -> np.ndarray:
    """Which of the keys materials have for themselves, as one number, (len(names),) int64; 0 without a table."""
    own = (sum(2**k * (getattr(tables[name], key) is not None) for k, key in enumerate(keys)) + 1 if name in tables else 0 for name in names)
    return np.array(list(own), np.int64) if keys else np.zeros(len(names), np.int64)
