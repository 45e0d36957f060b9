"""The full state of a run in an HDF5 group: header, grains by id, contacts by key, small arrays, checksums.

The group is the same for every number of ranks. Checkpoints hold one, and results hold that of their last step.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

from pardem.errors import FileError
from pardem.state.saved import RunHeader

from ..reading import KINDS, PARAMETERS, get_json, get_table, json_bytes, kind_of, opened, put_json
from .checksum import crc32_of_rows
from .ordered_rows import GrainRows, IdExchange, block_starts
from .rowfile import RowFile
from .shared_errors import agree, reason, together


class GrainTable(NamedTuple):
    """Grains of a rank.

    Attributes:
        gid: (n,) int64 ids.
        fields: name -> (n, ...) array.
    """

    gid: np.ndarray
    fields: dict[str, np.ndarray]


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


class FullState(NamedTuple):
    """Everything a run goes on from.

    Attributes:
        header: its numbers, the same on all ranks.
        grains: grains of this rank; when read: its block of ids, in their order.
        contacts: contacts of this rank; when read: those of which either id is in its block, in the order of their keys.
        small: name -> array, the same on all ranks.
        layout: number of the layout of its arrays.
        writer: when read: the program that wrote it, with its version.
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
    checksums: dict[str, int] = {}

    def put(name: str, rows: np.ndarray, start: int, total: int) -> None:
        checksums[name] = crc32_of_rows(comm, rows)
        file.create(f"{group}/{name}", (total, *rows.shape[1:]), rows.dtype)
        if total and all(rows.shape[1:]):
            file.write(f"{group}/{name}", rows, start)

    exchange = GrainRows(comm, state.grains.gid)
    for name, values in state.grains.fields.items():
        put(f"grains/{name}", exchange(values), exchange.start, exchange.count)
    contacts = ContactExchange(comm, state.contacts, exchange.count)
    ends = np.cumsum(comm.allgather(contacts.count))
    start, total = int(ends[comm.rank]) - contacts.count, int(ends[-1])
    for name, values in state.contacts._asdict().items():
        put(f"contacts/{name}", contacts(np.asarray(values, dtype=CONTACT_TYPES[name])), start, total)
    return checksums


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


def read_state(comm: MPI.Comm, path: Path, keep: bool = True) -> FullState:
    """Read and verify a full state. Collective.

    Args:
        comm: communicator.
        path: checkpoint or result.
        keep: False: verify only, and give empty tables; needs the memory of one array.

    Raises:
        FileError: the file is missing, truncated, foreign or damaged; on every rank.
    """
    sums: dict[str, int] = {}
    small: dict[str, np.ndarray] = {}
    with ExitStack() as stack:
        with together(comm, f"{path} cannot be read"):
            file = stack.enter_context(opened(path))
            group, writer = state_group(file, path), _writer(file)
            table, expected = _get_table(group, "header", path), _get_table(group, "checksums", path)
            sums["header"] = zlib.crc32(bytes(group["header"][()]))
            for name in sorted(n for n in expected if n.startswith("small/")):
                values = small[name.removeprefix("small/")] = group[name][()]
                sums[name] = zlib.crc32(np.ascontiguousarray(values).tobytes())
        with together(comm, f"{path} cannot be read"):
            grains, contacts = _read_rows(comm, group, expected, sums, keep)
    wrong = sorted(name for name in expected if sums.get(name) != expected[name])
    agree(comm, f"{path} is damaged: the checksum of {wrong[0]} is wrong" if wrong else None)
    if keep and comm.size > 1:
        count = int(comm.allreduce(len(grains.gid)))
        contacts = _known_to_both(comm, contacts, count)
    return FullState(RunHeader.of_table(table), grains, contacts, small, int(table.get("layout", 1)), writer)


def _writer(file: h5py.File) -> str:
    """The program that wrote a checkpoint, or the last part of a result."""
    try:
        origin = get_json(file, "provenance" if kind_of(file) == "checkpoint" else f"{PARAMETERS}/provenance")
        return f"pardem {(origin if isinstance(origin, dict) else origin[-1])['versions']['pardem']}"
    except (LookupError, ValueError, TypeError):
        return "the pardem"


def _known_to_both(comm: MPI.Comm, contacts: ContactRows, count: int) -> ContactRows:
    """Contacts of which either id is in this rank's block, from those of which the lower id is, ordered by key.

    Both owners of a pair evaluate it, so both need its history.
    """
    starts = block_starts(count, comm.size)
    away = np.flatnonzero(contacts.higher >= starts[comm.rank + 1])  # a higher id is never in a block before
    exchange = IdExchange(comm, contacts.higher[away], count)
    joined = [np.concatenate([mine, exchange(mine[away])]) for mine in contacts]
    order = np.lexsort(joined[2::-1])
    return ContactRows(*(rows[order] for rows in joined))


def _get_table(group: h5py.Group, name: str, path: Path) -> dict[str, Any]:
    try:
        return get_table(group, name)
    except ValueError as error:
        raise FileError(f"{path} is damaged: {error}") from None


def state_group(file: h5py.File, path: Path) -> h5py.Group:
    """Open the group of the full state.

    Args:
        file: the file.
        path: path of the file, for messages.

    Returns:
        The group.

    Raises:
        FileError: there is none, or it was not finished.
    """
    group = file.get(KINDS[kind_of(file)])
    if group is None or "checksums" not in group:
        raise FileError(f"{path} holds no full state: its run has not finished; go on with --resume")
    return group


def _read_rows(comm: MPI.Comm, group: h5py.Group, expected: Mapping[str, int], sums: dict[str, int], keep: bool) -> tuple[GrainTable, ContactRows]:
    names = [n.removeprefix("grains/") for n in expected if n.startswith("grains/")]
    problem: str | None = None
    count = group[f"grains/{names[0]}"].shape[0]
    starts = block_starts(count, comm.size)
    first, last = int(starts[comm.rank]), int(starts[comm.rank + 1])
    lower = group["contacts/lower"]
    begin, end = _lower_bound(lower, first), _lower_bound(lower, last)

    def get(name: str, rows: slice) -> np.ndarray:
        nonlocal problem
        try:
            values = group[name][rows]
        except (OSError, RuntimeError, KeyError) as error:
            # the checksums are collective: the others must not be left waiting
            values, problem = np.zeros(0), f"{name}: {reason(error)}"
        sums[name] = crc32_of_rows(comm, values)
        return values if keep else values[:0].copy()  # a view would keep all of it

    grains = GrainTable(np.arange(first, last if keep else first), {n: get(f"grains/{n}", slice(first, last)) for n in sorted(names)})
    contacts = ContactRows(*(get(f"contacts/{n}", slice(begin, end)) for n in ContactRows._fields))
    if problem:
        raise FileError(f"{group.file.filename} is damaged: {problem}")
    return grains, contacts


def _lower_bound(dataset: h5py.Dataset, value: int) -> int:
    """First row of a sorted data set that is not below the value, without reading it all."""
    low, high = 0, dataset.shape[0]
    while low < high:
        middle = (low + high) // 2
        if dataset[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


class ContactExchange:
    """Brings contacts to the rank that holds the block of their lower id, each once, ordered by key. Construction and calls are collective.

    Args:
        comm: communicator. contacts: of this rank. count: number of grains.
    """

    def __init__(self, comm: MPI.Comm, contacts: ContactRows, count: int) -> None:
        self.comm = comm
        self.exchange = IdExchange(comm, contacts.lower, count)
        key = [self.exchange(np.asarray(a, dtype=np.int64)) for a in contacts[:3]]
        self.order = np.lexsort(key[::-1])
        same = np.ones(max(0, len(self.order) - 1), dtype=bool)
        for column in key:
            ordered = column[self.order]
            same &= ordered[1:] == ordered[:-1]
        self.again = np.flatnonzero(same) + 1
        self.repeated_keys = np.column_stack([column[self.order[self.again]] for column in key])
        self.once = np.delete(self.order, self.again)
        self.count = len(self.once)

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """The rows (m, ...) of this rank's contacts, where they belong.

        Raises:
            ValueError: two ranks hold different rows of one contact; on every rank.
        """
        repeated = np.concatenate([self.order[self.again], self.order[self.again - 1]])
        rows = self.exchange(values, np.concatenate([self.once, repeated]))
        width = int(np.prod(rows.shape[1:], dtype=np.int64))
        one, two = (r.reshape(len(self.again), width).view(np.uint8) for r in np.split(rows[self.count :], 2))
        bad = np.flatnonzero((one != two).any(axis=1))
        nothing = (2**63 - 1, 0, 0)
        key = self.comm.allreduce(tuple(self.repeated_keys[bad[0]].tolist()) if len(bad) else nothing, MPI.MIN)
        if key != nothing:
            raise ValueError(f"two ranks hold different histories of contact {key[0]} to {key[1]} (sub-key {key[2]})")
        return rows[: self.count]
