"""Contacts of frames in the files of a run: group ``contacts`` with one row for each contact, frame after frame, and where each frame's begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import h5py
import numpy as np

from ..layout import CONTACTS
from ..reading import put_json
from ..state.checksum import joined, part
from ..state.full_state import ContactExchange, ContactRows
from ..state.rowfile import RowFile
from ..state.seals import CONTACT_TABLE, crc32_of, crc32_of_counts, create_contact_table, get_sums, put_sums
from ..state.shared_errors import together

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
    """Appends the contacts of frames to a segment. Every method is collective.

    Args:
        file: file of the segment.
        contacts: contacts of the first frame.
        real: type of the floating-point fields.
        count: number of grains on all ranks.
    """

    def __init__(self, file: RowFile, contacts: ContactFrame, real: np.dtype, count: int) -> None:
        self.file, self.real, self.count, self.rows = file, real, count, 0
        self.types: dict[str, tuple[int, np.dtype]] = {"bodies": (2, np.dtype(np.int64)), "sub": (1, np.dtype(np.int64))}
        self.types |= {name: (1 if np.ndim(values) == 1 else np.shape(values)[1], real) for name, values in contacts.fields.items()}
        for name, (width, kind) in self.types.items():
            chunk = max(64, min(2 * count, CHUNK // (width * kind.itemsize)))
            shape, most = shape_of(0, width), (None, *shape_of(0, width)[1:])
            file.create(f"{CONTACTS}/{name}", shape, kind, maxshape=most, chunks=shape_of(chunk, width))
        for name, rows, kind in (("first", 1, np.dtype(np.int64)), ("known", 0, np.dtype(np.uint8))):
            file.create(f"{CONTACTS}/{name}", (rows,), kind, maxshape=(None,), chunks=(1024,), fillvalue=0)
        with together(file.comm, file.doing):
            if file.handle is not None:
                create_contact_table(file.handle, self.types)
                put_walls(file.handle, contacts.walls)

    def append(self, t: int, contacts: ContactFrame) -> None:
        """Write the contacts of a frame, ordered by key.

        Args:
            t: number of the frame.
            contacts: its contacts.
        """
        file, comm = self.file, self.file.comm
        key = np.ascontiguousarray(contacts.key, dtype=np.int64)
        nothing = np.zeros((len(key), 0))
        exchange = ContactExchange(comm, ContactRows(key[:, 0], key[:, 1], key[:, 2], nothing, nothing), self.count)
        counts = np.array(comm.allgather(exchange.count))
        start, total, most = int(counts[: comm.rank].sum()), int(counts.sum()), int(counts.max())
        file.reserve(total * sum(width * kind.itemsize for width, kind in self.types.values()))
        file.grow([f"{CONTACTS}/{name}" for name in self.types], self.rows + total)
        file.grow([f"{CONTACTS}/first"], t + 2)
        file.grow([f"{CONTACTS}/known", CONTACT_TABLE], t + 1)
        parts, behind = [], total - start - exchange.count
        for name, (width, kind) in self.types.items():
            values: Any = {"bodies": key[:, :2], "sub": key[:, 2]}.get(name)
            block = exchange(np.ascontiguousarray(contacts.fields[name] if values is None else values, dtype=kind))
            file.write(f"{CONTACTS}/{name}", block, self.rows + start, most=most)
            parts.append(part(block, behind * width * kind.itemsize))
        sums = np.array([[crc32_of_counts(total, contacts.known), *joined(comm, parts)]], dtype=np.uint32)
        self.rows += total
        mine = slice(0, 1 if comm.rank == 0 else 0)
        file.write(f"{CONTACTS}/first", np.array([self.rows])[mine], t + 1, most=1)
        file.write(f"{CONTACTS}/known", np.array([contacts.known], np.uint8)[mine], t, most=1)
        file.write(CONTACT_TABLE, sums[mine], t, most=1)
