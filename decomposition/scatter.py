"""From the first rank to all: rows that it alone has, or reads, at the start."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from mpi4py import MPI

from ..errors import PardemError
from ..guard import NAP
from ..state.table import Table

Rows = TypeVar("Rows", bound=Table)

TAG = 74
BLOCK = 1 << 18  # rows of a message: the first rank packs no more at a time


def scattered(comm: MPI.Comm, rows: Rows | None, like: Rows) -> Rows:
    """Give each rank a share of the rows of the first rank: consecutive ones, as many as the others have. Collective.

    Args:
        comm: communicator.
        rows: all of them, on the first rank.
        like: table of the same widths, with any number of rows.

    Returns:
        Those of this rank.
    """
    if comm.size == 1:
        assert rows is not None
        return rows
    count = comm.bcast(rows.count if rows is not None else 0)
    blocks = () if rows is None else (rows.take(slice(first, first + BLOCK)) for first in range(0, count, BLOCK))
    return streamed(comm, count, blocks, like)


def streamed(comm: MPI.Comm, count: int, blocks: Iterable[Rows], like: Rows) -> Rows:
    """Give each rank a share of rows that the first rank makes some at a time, so that no rank ever has all of them. Collective.

    Args:
        comm: communicator.
        count: number of all rows, the same on every rank.
        blocks: the rows in their order; asked for on the first rank only.
        like: table of the same widths, with any number of rows.

    Returns:
        The rows of this rank: consecutive ones, as many as the others have.

    Raises:
        PardemError: that of the first rank, while it makes the rows; on every rank.
    """
    ends = np.arange(comm.size + 1) * count // comm.size
    own = like.made(int(ends[comm.rank + 1] - ends[comm.rank]), like=like)
    error: PardemError | None = None
    if comm.rank > 0:
        _receive(comm, own)
    else:
        done = 0
        try:
            for block in blocks:
                _pass_on(comm, block, done, ends, own)
                done += block.count
        except PardemError as found:
            error = found
        for rank in np.flatnonzero((ends[1:] > done) & (ends[1:] > ends[:-1])):
            if rank > 0:
                comm.Send([np.empty(0, np.uint8), MPI.BYTE], int(rank), TAG)  # no more will come
    error = comm.bcast(error)
    if error is not None:
        raise error
    return own


def _pass_on(comm: MPI.Comm, block: Rows, first: int, ends: np.ndarray, own: Rows) -> None:
    """Send rows, of which ``first`` have gone before, to the ranks whose share they are; those of the first rank stay."""
    last = first + block.count
    for rank in range(int(np.searchsorted(ends, first, "right")) - 1, comm.size):
        begin, end = max(int(ends[rank]), first), min(int(ends[rank + 1]), last)
        if begin >= end:
            if ends[rank] >= last:
                break
            continue
        rows = block.take(slice(begin - first, end - first))
        if rank == 0:
            _fill(own, begin, {name: getattr(rows, name) for name in own.columns})
        else:
            comm.Send([rows.records().view(np.uint8), MPI.BYTE], rank, TAG)


def _receive(comm: MPI.Comm, own: Rows) -> None:
    """Fill the rows of this rank as they come, until there are no more."""
    done, status = 0, MPI.Status()
    kind = own.take(slice(0, 0)).records().dtype
    while done < own.count:
        while not comm.Iprobe(0, TAG, status):
            time.sleep(NAP)  # a rank that waits in MPI keeps a core busy, perhaps the one that the first rank needs
        packed = np.empty(status.Get_count(MPI.BYTE) // kind.itemsize, kind)
        comm.Recv([packed.view(np.uint8), MPI.BYTE], 0, TAG)
        if not len(packed):
            break
        _fill(own, done, {name: packed[name] for name in own.columns})
        done += len(packed)


def _fill(own: Table, first: int, arrays: dict[str, np.ndarray]) -> None:
    """Put rows into the arrays of a table, from row ``first`` on."""
    for name, values in arrays.items():
        getattr(own, name)[first : first + len(values)] = values
