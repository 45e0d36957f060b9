"""From the first rank to all: what it alone makes, and rows that it alone has at the start."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from mpi4py import MPI

from ..errors import PardemError
from ..state.table import Table

Rows = TypeVar("Rows", bound=Table)
Made = TypeVar("Made")

TAG = 74
NAP = 5e-4  # seconds
BLOCK = 1 << 18  # rows of a message: the first rank packs no more at a time


def made_by_first(comm: MPI.Comm, make: Callable[[], Made]) -> Made | None:
    """Let the first rank make something, and all ranks know whether it succeeded. Collective.

    The others sleep meanwhile: a rank that waits in MPI keeps a core busy, perhaps the one that the first rank needs.

    Args:
        comm: communicator.
        make: called on the first rank.

    Returns:
        What it made there; None on the others.

    Raises:
        PardemError: that of the first rank, on every rank.
    """
    made, error = None, None
    if comm.rank == 0:
        try:
            made = make()
        except PardemError as found:
            error = found
    ready = comm.Ibarrier()
    while not ready.Test():
        time.sleep(NAP)
    error = comm.bcast(error)
    if error is not None:
        raise error
    return made


def made_once(comm: MPI.Comm, make: Callable[[], Made]) -> Made:
    """Let the first rank make something, and tell it to all. Collective.

    Args:
        comm: communicator.
        make: called on the first rank.

    Returns:
        What it made.

    Raises:
        PardemError: that of the first rank, on every rank.
    """
    found: Made = comm.bcast(made_by_first(comm, make))
    return found


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
    ends = np.arange(comm.size + 1) * comm.bcast(rows.count if rows is not None else 0) // comm.size
    if rows is not None:
        for rank in range(1, comm.size):
            for first in range(ends[rank], ends[rank + 1], BLOCK):
                packed = rows.take(slice(first, min(first + BLOCK, ends[rank + 1]))).records()
                comm.Send([packed.view(np.uint8), MPI.BYTE], rank, TAG)
        return rows.take(np.arange(ends[0], ends[1]))
    begin, end = ends[comm.rank], ends[comm.rank + 1]
    packed = np.empty(end - begin, like.records().dtype)
    for first in range(0, end - begin, BLOCK):
        comm.Recv([packed[first : first + BLOCK].view(np.uint8), MPI.BYTE], 0, TAG)
    return like.received(packed)
