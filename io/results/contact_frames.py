"""Contacts of frames in the files of a run: group ``contacts`` with one row for each contact, frame after frame, and where each frame's begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import h5py
import numpy as np

from ..layout import CONTACTS
from ..reading import put_json
from ..state.contact_exchange import ContactExchange
from ..state.holders import Holders
from ..state.row_writer import RowWriter
from ..state.rowfile import RowFile, append, create_for_rows
from ..state.seals import CONTACT_TABLE, crc32_of, crc32_of_counts, create_contact_table, get_sums, put_sums

WALLS = f"{CONTACTS}/walls"  # JSON: names of the walls
CHUNK = 1 << 18  # bytes
Types = Mapping[str, tuple[int, np.dtype]]


class ContactFrame(NamedTuple):
    """Contacts of a frame.

    Attributes:
        key: (m, 3) int64 lower id; higher id, or -1 - wall; sub-key. Of this rank; one known to several ranks is written once.
        fields: name -> (m,) or (m, 3) array.
        walls: names of the walls.
        known: whether contacts were looked at; where they were not there are no rows.
    """

    key: np.ndarray
    fields: Mapping[str, np.ndarray]
    walls: tuple[str, ...]
    known: bool = True


def shape_of(rows: int, width: int) -> tuple[int, ...]:
    """Determine the shape of an array of contacts.

    Args:
        rows: number of contacts.
        width: numbers per contact.

    Returns:
        The shape.
    """
    return (rows,) if width == 1 else (rows, width)


def put_walls(file: h5py.File, walls: tuple[str, ...]) -> None:
    """Write the names of the walls, and add their checksum to those of the static part.

    Args:
        file: the file.
        walls: names of the walls.
    """
    put_json(file, WALLS, list(walls))
    put_sums(file, "static", {**get_sums(file, "static"), WALLS: crc32_of(file[WALLS])})


class ContactWriter:
    """Appends the contacts of frames to a segment.

    Args:
        contacts: contacts of the first frame.
        real: type of the floating-point fields.
        count: number of grains on all ranks.
    """

    exchange: ContactExchange  # of the frame that is being written
    sums: list[int]

    def __init__(self, contacts: ContactFrame, real: np.dtype, count: int) -> None:
        self.real, self.count, self.rows = real, count, 0
        self.types: dict[str, tuple[int, np.dtype]] = {"bodies": (2, np.dtype(np.int64)), "sub": (1, np.dtype(np.int64))}
        self.types |= {name: (1 if np.ndim(values) == 1 else np.shape(values)[1], real) for name, values in contacts.fields.items()}
        self.widest = max(width * kind.itemsize for width, kind in self.types.values())

    def create(self, handle: h5py.File, walls: tuple[str, ...]) -> None:
        """Make the data sets, without rows. Called by one process.

        Args:
            handle: file of the segment.
            walls: names of the walls.
        """
        for name, (width, kind) in self.types.items():
            chunk = max(64, min(2 * self.count, CHUNK // (width * kind.itemsize)))
            shape, most = shape_of(0, width), (None, *shape_of(0, width)[1:])
            create_for_rows(handle, f"{CONTACTS}/{name}", shape, kind, most, shape_of(chunk, width))
        for name, rows, kind in (("first", 1, np.dtype(np.int64)), ("known", 0, np.dtype(np.uint8))):
            handle.create_dataset(f"{CONTACTS}/{name}", (rows,), kind, maxshape=(None,), chunks=(1024,), fillvalue=0)
        create_contact_table(handle, self.types)
        put_walls(handle, walls)

    def prepare(self, file: RowFile, contacts: ContactFrame, holders: Holders) -> None:
        """Bring the contacts of a frame into the order of their keys, and take space for them. Collective.

        Args:
            file: file of the segment.
            contacts: contacts of the frame.
            holders: the ranks that will write them.
        """
        key = np.ascontiguousarray(contacts.key, dtype=np.int64)
        self.exchange = ContactExchange(file.comm, key, self.count, holders, self.widest)
        file.reserve(self.exchange.total * sum(width * kind.itemsize for width, kind in self.types.values()), holders)
        file.grow([f"{CONTACTS}/{name}" for name in self.types], self.rows + self.exchange.total)

    def write(self, writer: RowWriter, contacts: ContactFrame) -> None:
        """Write the rows of the contacts of a frame, among those of its grains. Collective.

        Args:
            writer: what writes into the file of the segment.
            contacts: contacts of the frame.
        """
        columns: dict[str, int | slice] = {"bodies": slice(2), "sub": 2}
        for name, (_, kind) in self.types.items():
            of_key = columns.get(name)
            pieces = self.exchange.pieces(np.asarray(contacts.fields[name]), kind) if of_key is None else self.exchange.keys(of_key)
            writer.write_all(f"{CONTACTS}/{name}", pieces, self.rows)

    def end(self, writer: RowWriter) -> None:
        """Join the checksums of what all ranks have written. Collective.

        Args:
            writer: what has written it.
        """
        self.sums = writer.checksums(f"{CONTACTS}/{name}" for name in self.types)
        self.rows += self.exchange.total

    def count_in(self, handle: h5py.File, known: bool) -> None:
        """Note how many contacts the frame has, which makes them count. Called by one process.

        Args:
            handle: the file.
            known: whether the contacts were looked at.
        """
        table = np.array([crc32_of_counts(self.exchange.total, known), *self.sums], dtype=np.uint32)
        append(handle, {f"{CONTACTS}/first": self.rows, f"{CONTACTS}/known": np.uint8(known), CONTACT_TABLE: table})
