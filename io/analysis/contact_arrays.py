"""Contacts as NumPy arrays with a row for each, those of a frame of a result and those of a simulation in motion."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .lazy import LazyArrays
from .units import CONTACTS

if TYPE_CHECKING:
    from .frame import Frame


class ContactArrays(LazyArrays):
    """Contacts at one time, a row for each.

    Arrays are attributes (``point``, ``normal``, ``overlap``, ``force``, ``couple``) and entries (``contacts["point"]``); so is what follows from
    them. ``"couple" in contacts`` tells whether there is an array of that name. An array is kept once it has been used.
    """

    _always = ("bodies", "sub")
    units = CONTACTS

    def _wall_names(self) -> tuple[str, ...]:
        """Names of the walls: wall k is body -1 - k."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Number of contacts."""
        return len(self["bodies"])

    @property
    def first(self) -> np.ndarray:
        """Ids of the first bodies, (m,) int64; of two grains the lower one."""
        return self["bodies"][:, 0]

    @property
    def second(self) -> np.ndarray:
        """Ids of the second bodies, (m,) int64; of a wall -1 less its number."""
        return self["bodies"][:, 1]

    @property
    def with_wall(self) -> np.ndarray:
        """Whether the second body is a wall, (m,) bool."""
        return np.asarray(self.second < 0)

    @cached_property
    def walls(self) -> np.ndarray:
        """Names of the walls that are touched, (m,) str; empty between grains."""
        names = np.array([*self._wall_names(), ""])
        return names[np.where(self.with_wall, -1 - self.second, -1)]

    @cached_property
    def normal_force(self) -> np.ndarray:
        """Normal parts of the forces (N), (m,); positive where the bodies push each other apart."""
        return -np.einsum("mc,mc->m", self["force"], self["normal"])

    @cached_property
    def tangential_force(self) -> np.ndarray:
        """Tangential parts of the forces on the first bodies (N), (m, 3)."""
        return np.asarray(self["force"] + self.normal_force[:, None] * self["normal"])

    def table(self) -> Any:
        """The contacts as a pandas DataFrame: both bodies, the name of the wall, and every component of every array; ``attrs["units"]``."""
        import pandas as pd

        columns: dict[str, Any] = {"first": self.first, "second": self.second, "wall": self.walls, "sub": self["sub"]}
        units = {"first": "1", "second": "1", "wall": "1", "sub": "1"}
        for name in self._names():
            if name in ("bodies", "sub", "branch"):
                continue
            values = self[name]
            parts = {name: values} if values.ndim == 1 else {f"{name}_{axis}": values[:, c] for c, axis in enumerate("xyz")}
            columns |= parts
            units |= dict.fromkeys(parts, CONTACTS[name])
        table = pd.DataFrame(columns)
        table.attrs["units"] = units
        return table


class FrameContacts(ContactArrays):
    """Contacts of a frame, a row for each, ordered by the ids of their two bodies.

    What the file holds is read once and kept with the contacts.

    Args:
        frame: that they belong to.

    Attributes:
        frame: that they belong to.
        known: whether contacts were looked at in this frame; they were not where a run went on without ``output.contacts``.

    Raises:
        FileError: frames of the result show no contacts.
    """

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.frame = frame
        self._rows, self.known = frame.result.contact_rows(frame.number)

    def __repr__(self) -> str:
        return f"<{len(self)} contacts of {self.frame!r}>"

    def __len__(self) -> int:
        """Number of contacts."""
        return self._rows.stop - self._rows.start

    def _read(self, name: str) -> np.ndarray:
        return self.frame.result.read_contacts(name, self._rows)

    def _names(self) -> Collection[str]:
        return self.frame.result.contact_fields

    def _wall_names(self) -> tuple[str, ...]:
        return self.frame.result.walls

    @cached_property
    def branch(self) -> np.ndarray:
        """From the centre of the first body to that of the second, in its nearest periodic image, or to the point on a wall (m), (m, 3)."""
        box, x = self.frame.result.box, self.frame["position"]
        edges = np.where(box.periodic, box.upper - box.lower, np.inf)
        between = x[np.maximum(self.second, 0)] - x[self.first]
        between -= np.where(box.periodic, np.rint(between / edges) * np.where(box.periodic, edges, 0.0), 0.0)
        if not self.with_wall.any():
            return np.asarray(between)
        return np.where(self.with_wall[:, None], self["point"] - x[self.first], between)
