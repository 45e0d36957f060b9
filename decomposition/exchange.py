"""Rows of arrays from every rank to every rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI


def exchange_rows(comm: MPI.Comm, rows: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Send consecutive blocks of rows to the ranks in order.

    Args:
        comm: communicator; collective.
        rows: (n, w) float64 or int64, sorted by receiving rank.
        counts: (ranks,) rows for each rank.

    Returns:
        the rows received, in the order of the sending ranks, and how many came from each.
    """
    counts = np.ascontiguousarray(counts, dtype=np.int64)
    arriving = np.empty_like(counts)
    comm.Alltoall(counts, arriving)
    width = rows.shape[1]
    received = np.empty((int(arriving.sum()), width), rows.dtype)
    kind = MPI.DOUBLE if rows.dtype == np.float64 else MPI.INT64_T
    row_type = kind.Create_contiguous(max(width, 1)).Commit()
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])
    after = np.concatenate([[0], np.cumsum(arriving)[:-1]])
    comm.Alltoallv([np.ascontiguousarray(rows), (counts, before), row_type], [received, (arriving, after), row_type])
    row_type.Free()
    return received, arriving
