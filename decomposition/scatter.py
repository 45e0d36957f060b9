"""From the first rank to all: rows that it alone has at the start."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from mpi4py import MPI

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
