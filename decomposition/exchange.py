"""Rows of arrays from every rank to every rank: the one way in which rows change their rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI


class RowExchange:
    """Where each row of this rank goes; made once, used for every array of such rows. Construction and calls are collective.

    Args:
        comm: communicator.
        target: (n,) int64 rank to which each row goes.

    Attributes:
        leaving: (ranks,) int64 number of rows that go to each rank.
        arriving: (ranks,) int64 number of rows that come from each rank.
    """

    def __init__(self, comm: MPI.Comm, target: np.ndarray) -> None:
        self.comm = comm
        self.leaving = np.bincount(target, minlength=comm.size).astype(np.int64)
        self.arriving = self.leaving.copy()
        if comm.size > 1:
            self.order = np.argsort(target, kind="stable")
            comm.Alltoall(self.leaving, self.arriving)

    def __call__(self, values: np.ndarray, pick: np.ndarray | None = None) -> np.ndarray:
        """Send each row to its rank.

        Args:
            values: (n, ...) rows of any type, in the order of ``target``.
            pick: indices of the rows to return, out of those that arrive; None: all.

        Returns:
            (k, ...) rows of this rank, by the rank that sent them, then in the order given there.
        """
        if self.comm.size == 1:
            # one copy only: a checkpoint is the largest demand for memory in a run
            return np.ascontiguousarray(values if pick is None else values[pick])
        rows = np.ascontiguousarray(values[self.order])
        received = np.empty((int(self.arriving.sum()), *rows.shape[1:]), rows.dtype)
        width = rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64))
        if width:
            row = MPI.BYTE.Create_contiguous(width).Commit()  # rows as the unit keep the counts below 2^31
            try:
                sent, come = (self.leaving, _before(self.leaving)), (self.arriving, _before(self.arriving))
                self.comm.Alltoallv([_bytes(rows), sent, row], [_bytes(received), come, row])
            finally:
                row.Free()
        return received if pick is None else received[pick]


def _bytes(rows: np.ndarray) -> np.ndarray:
    """The same memory as bytes: MPI knows no records."""
    return rows.reshape(-1).view(np.uint8)


def _before(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)[:-1]])
