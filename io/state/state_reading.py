"""Reading a full state: its head by the first rank, its rows by those that keep them, or by few where they are only verified."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

from pardem.errors import FileError
from pardem.state.saved import RunHeader

from ..layout import LayoutError
from ..reading import KINDS, get_table, kind_of, opened, sound, writer_of
from .checksum import joined, part
from .contact_blocks import ContactBlocks, first_contact, get_blocks
from .full_state import CONTACT_TYPES, KEYS, ContactRows, FullState, GrainTable
from .holders import Holders
from .ordered_rows import IdExchange
from .row_rounds import PIECE
from .shared_errors import agree, together, unreadable


class _Head(NamedTuple):
    """What there is of a state besides its rows.

    Attributes:
        group: path of the state in its file.
        table: its header.
        expected: CRC-32 by data set.
        sums: CRC-32 of what has been read.
        small: name -> array.
        grains: number of grains.
        contacts: number of contacts.
        blocks: where the contacts of each block of ids begin.
        size: number of bytes of all rows.
        writer: the program that wrote it, as ``writer_of`` names it.
    """

    group: str
    table: dict[str, Any]
    expected: dict[str, int]
    sums: dict[str, int]
    small: dict[str, np.ndarray]
    grains: int
    contacts: int
    blocks: ContactBlocks
    size: int
    writer: str


def read_state(comm: MPI.Comm, path: Path, keep: bool = True) -> FullState:
    """Read and verify a full state. Collective.

    Args:
        comm: communicator.
        path: checkpoint or result.
        keep: False: verify only, and give empty tables; needs the memory of one array.

    Raises:
        FileError: the file is missing, truncated, foreign or damaged; on every rank.
    """
    head: _Head | None = None
    with together(comm, f"{path} cannot be read"):
        if comm.rank == 0:
            head = _read_head(path)
    head = comm.bcast(head)
    assert head is not None
    readers = Holders.every(comm) if keep else Holders.of(comm, head.size)
    with ExitStack() as stack:
        file: h5py.File | None = None
        with together(comm, f"{path} cannot be read"):
            if readers.mine:
                file = stack.enter_context(h5py.File(path, "r", locking=False))
        grains, contacts, sums = _read_rows(readers, head, path, file, keep)
    wrong = sorted(name for name in head.expected if sums.get(name) != head.expected[name])
    agree(comm, f"{path} is damaged: the checksum of {wrong[0]} is wrong" if wrong else None)
    if keep and comm.size > 1:
        arrays = list(contacts)
        del contacts
        contacts = _known_to_both(comm, arrays, head.grains)
    return FullState(RunHeader.of_table(head.table), grains, contacts, head.small, int(head.table.get("layout", 1)), head.writer)


def _read_head(path: Path) -> _Head:
    """Everything but the rows, by one process."""
    with opened(path) as file:
        group = state_group(file, path)
        table, expected = _get_table(group, "header", path), _get_table(group, "checksums", path)
        sums = {"header": zlib.crc32(bytes(group["header"][()]))}
        small = {}
        for name in sorted(n for n in expected if n.startswith("small/")):
            values = small[name.removeprefix("small/")] = group[name][()]
            sums[name] = zlib.crc32(np.ascontiguousarray(values).tobytes())
        rows = {name: group[name] for name in expected if name.startswith(("grains/", "contacts/"))}
        _check_tables(group, expected)
        count = rows[min(name for name in rows if name.startswith("grains/"))].shape[0]
        contacts, size = group["contacts/lower"].shape[0], sum(data.size * data.dtype.itemsize for data in rows.values())
        blocks = get_blocks(group["contacts"], count)
        return _Head(KINDS[kind_of(file)], table, expected, sums, small, count, contacts, blocks, size, writer_of(file))


def _check_tables(group: h5py.Group, expected: Collection[str]) -> None:
    """Whether all that is there has a checksum, and contacts the types of theirs: where there are none, their checksums do not show it."""
    there = ["header", *(f"{part}/{name}" for part in ("grains", "contacts", "small") for name in group.get(part, ()))]
    if unknown := [name for name in there if name not in expected]:
        raise LayoutError(f"there is no checksum of {unknown[0]}")
    for name, kind in CONTACT_TYPES.items():
        data = group[f"contacts/{name}"]
        if data.dtype.kind != np.dtype(kind).kind or data.ndim != (1 if name in ContactRows._fields[:KEYS] else 2):
            raise LayoutError(f"contacts/{name} is of another shape or type than what pardem writes ({data.shape}, {data.dtype})")


def _known_to_both(comm: MPI.Comm, arrays: list[np.ndarray], count: int) -> ContactRows:
    """Contacts of which either id is in this rank's block, from those of which the lower id is, ordered by key.

    Both owners of a pair evaluate it, so both need its history.

    Args:
        comm: communicator.
        arrays: those of ``ContactRows``; each is dropped from the list when it has been used, so that memory for one more suffices.
        count: number of grains.
    """
    _, end = Holders.every(comm).span(count)
    away = np.flatnonzero(arrays[1] >= end)  # a higher id is never in a block before
    exchange = IdExchange(comm, arrays[1][away], count)

    def both() -> np.ndarray:
        mine = arrays.pop(0)
        return np.concatenate([mine, exchange(mine[away])])

    key = [both() for _ in range(KEYS)]
    order = np.lexsort(key[::-1])
    found = [column[order] for column in key]
    while arrays:
        found.append(both()[order])
    return ContactRows(*found)


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


def _read_summed(data: h5py.Dataset, rows: slice, total: int, keep: bool) -> tuple[np.ndarray, int]:
    """Rows of a data set, none of them unless they are kept, and their contribution to its checksum, which is computed as they come."""
    size, width = rows.stop - rows.start, data.dtype.itemsize * int(np.prod(data.shape[1:], dtype=np.int64))
    step, crc = max(1, PIECE // max(1, width)), 0
    values = np.empty((size if keep else min(size, step), *data.shape[1:]), data.dtype)
    for first in range(0, size, step):
        count = min(step, size - first)
        place = first if keep else 0
        if width:
            data.read_direct(values, np.s_[rows.start + first : rows.start + first + count], np.s_[place : place + count])
        crc ^= part(values[place : place + count], (total - rows.start - first - count) * width)
    return values if keep else values[:0].copy(), crc


def _read_rows(readers: Holders, head: _Head, path: Path, file: h5py.File | None, keep: bool) -> tuple[GrainTable, ContactRows, dict[str, int]]:
    """Grains and contacts of this rank's block of ids, and the CRC-32 of everything that has been read. Collective."""
    (first, last), begin, end = readers.span(head.grains), 0, 0
    problem: FileError | None = None
    parts: dict[str, int] = {}
    if file is not None:
        try:
            with sound(path):
                lower = file[f"{head.group}/contacts/lower"]
                begin, end = (first_contact(lower, head.blocks, gid) for gid in (first, last))
        except FileError as error:
            problem = error

    def get(name: str, rows: slice, total: int) -> np.ndarray:
        nonlocal problem
        values = np.zeros(0)
        if file is not None and problem is None:
            try:
                values, parts[name] = _read_summed(file[f"{head.group}/{name}"], rows, total, keep)
            except (OSError, RuntimeError, KeyError) as error:
                # what follows is collective: the others must not be left waiting
                problem = unreadable(path, error, name)
        return values

    names = sorted(name.removeprefix("grains/") for name in head.expected if name.startswith("grains/"))
    grains = GrainTable(np.arange(first, last if keep else first), {n: get(f"grains/{n}", slice(first, last), head.grains) for n in names})
    contacts = ContactRows(*(get(f"contacts/{n}", slice(begin, end), head.contacts) for n in ContactRows._fields))
    if problem is None and len(contacts.lower) and not (first <= contacts.lower[0] and contacts.lower[-1] < last):
        problem = FileError(f"{path} is damaged: contacts/lower and the blocks of its ids do not belong together")
    agree(readers.comm, problem)
    rows = [*(f"grains/{n}" for n in names), *(f"contacts/{n}" for n in ContactRows._fields)]
    crcs = joined(readers.comm, [parts.get(name, 0) for name in rows])
    return grains, contacts, head.sums | dict(zip(rows, crcs, strict=True))
