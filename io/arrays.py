"""Many small arrays of an HDF5 file, by the calls of the library itself: what h5py makes of each data set takes several times as long."""

from __future__ import annotations

import math
from typing import Any

import h5py
import numpy as np
from h5py import h5d, h5l, h5o, h5p, h5s, h5t


class Array:
    """A data set that is there.

    Args:
        found: identifier of the library.

    Attributes:
        shape: its shape; None if it has no numbers at all (a null dataspace).
        dtype: type of its numbers.
    """

    __slots__ = ("_id", "dtype", "shape")

    def __init__(self, found: h5d.DatasetID) -> None:
        self._id = found
        self.shape: tuple[int, ...] = found.shape
        self.dtype: np.dtype[Any] = found.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of its numbers."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        """Number of rows."""
        return self.shape[0]

    def read(self) -> np.ndarray:
        """All of its numbers."""
        values = np.empty(self.shape, self.dtype)
        if values.size:
            self._id.read(h5s.ALL, h5s.ALL, values)
        return values

    def rows(self, start: int, stop: int, place: tuple[int, ...] = ()) -> np.ndarray:
        """Some of its rows.

        Args:
            start: the first of them.
            stop: one past the last of them.
            place: where they are on the axes before that of the rows.
        """
        count = stop - start, *self.shape[len(place) + 1 :]
        values = np.empty(count, self.dtype)
        if values.size:
            space = self._id.get_space()
            space.select_hyperslab((*place, start, *(0,) * (len(count) - 1)), (*(1,) * len(place), *count))
            self._id.read(h5s.create_simple((*(1,) * len(place), *count)), space, values)
        return values

    def write(self, place: tuple[int, ...], values: np.ndarray) -> None:
        """Write some of its numbers.

        Args:
            place: where they begin on the first axes; on the others they begin at 0.
            values: the numbers, without an axis for each of the first axes but the last one or, for a single row, without any.
        """
        first, count = (*place, *(0,) * (self.ndim - len(place))), (*(1,) * (self.ndim - values.ndim), *values.shape)
        space = self._id.get_space()
        space.select_hyperslab(first, count)
        self._id.write(h5s.create_simple(count), space, np.ascontiguousarray(values))

    def lengthen(self, rows: int) -> None:
        """Let it have a number of rows.

        Args:
            rows: their number.
        """
        self.shape = (rows, *self.shape[1:])
        self._id.set_extent(self.shape)


def object_of(group: h5py.Group, path: str) -> h5py.h5d.DatasetID | h5py.h5g.GroupID | h5py.h5t.TypeID:
    """What a file has at a path: data set, group or type, as the library names it.

    Args:
        group: a group of the file, or the file.
        path: path from there.

    Raises:
        KeyError: nothing can be opened there.
    """
    return h5o.open(group.id, path.encode(errors="surrogateescape"))


def array_at(group: h5py.Group, path: str) -> Array:
    """The data set at a path.

    Args:
        group: a group of the file, or the file.
        path: path from there.

    Raises:
        KeyError: there is none.
    """
    found = object_of(group, path)
    if not isinstance(found, h5d.DatasetID):
        raise KeyError(f"{path} is no data set")
    return Array(found)


def addresses(group: h5py.Group) -> dict[str, int]:
    """Find all that is below a group; two names of one object have the same address.

    Args:
        group: the group.

    Returns:
        Address in the file by path from the group, in the order of names; -1 for links of which nobody knows whether anything is there.
    """
    found: dict[str, int] = {}

    def visit(name: bytes, link: h5l.LinkInfo) -> None:
        found[name.decode(errors="surrogateescape")] = link.u if link.type == h5l.TYPE_HARD else -1

    group.id.links.visit(visit, info=True)
    return found


def put(group: h5py.Group, path: str, values: Any) -> h5d.DatasetID:
    """Write an array as a new data set; groups on the way to it are made if need be.

    Args:
        group: a group of the file, or the file.
        path: path from there.
        values: the array.

    Returns:
        The data set.
    """
    values = np.asarray(values, order="C")
    made = make(group, path, (values.shape, None), values.dtype, _PLAN)
    if values.size:
        made.write(h5s.ALL, h5s.ALL, values)
    return made


def make(
    group: h5py.Group, path: str, shapes: tuple[tuple[int, ...], tuple[int | None, ...] | None], kind: np.dtype[Any], plan: h5p.PropDCID
) -> h5d.DatasetID:
    """Make a data set; groups on the way to it are made if need be.

    Args:
        group: a group of the file, or the file.
        path: path from there.
        shapes: its shape, and the one up to which it may grow, None for an axis without limit; or no such shape.
        kind: type of its numbers.
        plan: how it is stored.

    Returns:
        The data set.
    """
    shape, most = shapes
    limits = None if most is None else tuple(h5s.UNLIMITED if length is None else length for length in most)
    return h5d.create(group.id, path.encode(), h5t.py_create(kind, logical=True), h5s.create_simple(shape, limits), dcpl=plan, lcpl=_WAY)


def plan_of_array() -> h5p.PropDCID:
    """How a data set is stored, to which more may be added."""
    plan = h5p.create(h5p.DATASET_CREATE)
    plan.set_obj_track_times(False)  # files of the same content have the same bytes
    return plan


def name_again(group: h5py.Group, path: str, array: h5d.DatasetID) -> None:
    """Give a data set one more name; groups on the way to it are made if need be.

    Args:
        group: a group of the file, or the file.
        path: path from there.
        array: the data set.
    """
    h5o.link(array, group.id, path.encode(), lcpl=_WAY)


_PLAN = plan_of_array()
_WAY = h5p.create(h5p.LINK_CREATE)
_WAY.set_create_intermediate_group(True)  # the groups on the way to a new name are made
