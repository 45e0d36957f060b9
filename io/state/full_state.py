"""The full state of a run in an HDF5 group: header, grains by id, contacts by key, small arrays, checksums.

The group is the same for every number of ranks. Checkpoints hold one, and results hold that of their last step.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

from pardem.state.saved import RunHeader

from ..reading import json_bytes, put_json
from .checksum import width_of
from .contact_blocks import contact_blocks, ids_of_blocks, put_blocks
from .contact_exchange import ContactExchange
from .holders import Holders
from .ordered_rows import GrainRows
from .rowfile import RowFile


class GrainTable(NamedTuple):
    """Grains of a rank.

    Attributes:
        gid: (n,) int64 ids.
        fields: name -> (n, ...) array.
    """

    gid: np.ndarray
    fields: dict[str, np.ndarray]


KEYS = 3  # of the arrays of contacts are their keys
CONTACT_TYPES = {"lower": np.int64, "higher": np.int64, "sub": np.int64, "floats": np.float64, "ints": np.int64}


class ContactRows(NamedTuple):
    """Contacts that a rank knows; one known to several ranks is written once.

    Attributes:
        lower: (m,) int64 lower global id.
        higher: (m,) int64 higher global id, negative for walls.
        sub: (m,) int64 sub-key: wall contacts by vertex, pairs of features.
        floats: (m, kf) float64 history.
        ints: (m, ki) int64 history.
    """

    lower: np.ndarray
    higher: np.ndarray
    sub: np.ndarray
    floats: np.ndarray
    ints: np.ndarray

    def key(self) -> np.ndarray:
        """Lower and higher id and sub-key, (m, 3) int64; no copy where they are the columns of such an array."""
        columns, base = self[:KEYS], self.lower.base
        if base is not None and base.dtype == np.int64 and base.shape == (len(self.lower), KEYS):
            places = [(base[:, k].ctypes.data, base.strides[:1]) for k in range(KEYS)]
            if places == [(column.ctypes.data, column.strides) for column in columns]:
                return base
        return np.stack([np.asarray(column, dtype=np.int64) for column in columns], axis=1)


class FullState(NamedTuple):
    """Everything a run goes on from.

    Attributes:
        header: its numbers, the same on all ranks.
        grains: grains of this rank; when read: its block of ids, in their order.
        contacts: contacts of this rank; when read: those of which either id is in its block, in the order of their keys.
        small: name -> array, the same on all ranks.
        layout: number of the layout of its arrays.
        writer: when read: the program that wrote it, as ``writer_of`` names it.
    """

    header: RunHeader
    grains: GrainTable
    contacts: ContactRows
    small: dict[str, np.ndarray]
    layout: int = 1
    writer: str = ""

    def table(self) -> dict[str, object]:
        """The header as files hold it."""
        return {"layout": self.layout, **self.header.table()}


def write_rows(file: RowFile, group: str, state: FullState) -> dict[str, int]:
    """Write grains and contacts. Collective.

    Args:
        file: the file.
        group: path of the group of the state.
        state: the state.

    Returns:
        CRC-32 by data set, for ``seal``.

    Raises:
        FileError: nothing could be written.
        ValueError: ids do not fit, or two ranks know a contact differently.
    """
    comm = file.comm
    holders = Holders.of(comm, size_of(state, comm))
    grains = {f"{group}/grains/{name}": np.asarray(values) for name, values in state.grains.fields.items()}
    history = {f"{group}/contacts/{name}": np.asarray(values, dtype=CONTACT_TYPES[name]) for name, values in state.contacts._asdict().items()}
    rows = GrainRows(comm, state.grains.gid, holders, max(width_of(values) for values in grains.values()))
    size, marks = ids_of_blocks(rows.count)
    widest = max(width_of(values) for values in history.values())
    contacts = ContactExchange(comm, state.contacts.key(), rows.count, holders, widest, marks)
    shapes = {name: ((rows.count, *values.shape[1:]), values.dtype) for name, values in grains.items()}
    shapes |= {name: ((contacts.total, *values.shape[1:]), values.dtype) for name, values in history.items()}
    file.create(shapes)
    with file.rows(holders) as writer:
        for name, values in grains.items():
            writer.write_all(name, rows.pieces(values))
        for k, (name, values) in enumerate(history.items()):
            writer.write_all(name, contacts.keys(k) if k < KEYS else contacts.pieces(values))
    blocks = contact_blocks(comm, size, contacts.first, contacts.total)
    with file.structure() as handle:
        if handle is not None:
            put_blocks(handle[f"{group}/contacts"], blocks)
    return {name.removeprefix(f"{group}/"): crc for name, crc in zip(shapes, writer.checksums(shapes), strict=True)}


def size_of(state: FullState, comm: MPI.Comm) -> int:
    """Compute the number of bytes that the state takes in a file. Collective.

    Args:
        state: the state.
        comm: communicator.

    Returns:
        The number of bytes.
    """
    arrays = [*state.grains.fields.values(), *state.contacts]
    return int(comm.allreduce(sum(a.nbytes for a in arrays))) + sum(a.nbytes for a in state.small.values())


def seal(handle: h5py.File, group: str, state: FullState, checksums: Mapping[str, int]) -> None:
    """Write header, small arrays and checksums, without which a state is not valid. Called by one process.

    Args:
        handle: the file.
        group: path of the group of the state.
        state: the state.
        checksums: CRC-32 by data set, as ``write_rows`` returns them.
    """
    target = handle.require_group(group)
    sums = dict(checksums)
    for name, values in state.small.items():
        values = np.ascontiguousarray(values)
        target[f"small/{name}"] = values
        sums[f"small/{name}"] = zlib.crc32(values.tobytes())
    put_json(target, "header", state.table())
    sums["header"] = zlib.crc32(json_bytes(state.table()))
    put_json(target, "checksums", sums)
