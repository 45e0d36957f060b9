"""Rows in the order of their ids: one exchange from any distribution over ranks to contiguous blocks of ids.

What is written in this order is the same for every number of ranks.
"""

from __future__ import annotations

import numpy as np
from mpi4py import MPI


def block_starts(count: int, ranks: int) -> np.ndarray:
    """(ranks + 1,) int64: rank r holds the ids from entry r up to entry r + 1; blocks differ by at most one id."""
    return (np.arange(ranks + 1, dtype=np.int64) * count) // ranks


class RowExchange:
    """Where each row of this rank goes; made once, used for every array. Its construction and calls are collective.

    Args:
        comm: communicator.
        ids: (m,) int64 id in 0..count-1 that tells the block a row belongs to.
        count: number of ids.

    Raises:
        ValueError: an id is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, count: int) -> None:
        self.comm = comm
        ids = np.ascontiguousarray(ids, dtype=np.int64)
        self.starts = block_starts(count, comm.size)
        bounds = np.array([ids.min(), -ids.max()] if len(ids) else [count, 1], dtype=np.int64)
        comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MIN)
        if bounds[0] < 0 or -bounds[1] >= max(count, 1):
            raise ValueError(f"ids from {bounds[0]} to {-bounds[1]} do not fit into 0 to {count - 1}")
        self.order = np.argsort(ids, kind="stable")
        self.send_counts = np.diff(np.searchsorted(ids[self.order], self.starts))
        self.receive_counts = np.empty(comm.size, dtype=np.int64)
        comm.Alltoall(self.send_counts, self.receive_counts)

    @property
    def start(self) -> int:
        """First id of this rank's block."""
        return int(self.starts[self.comm.rank])

    @property
    def stop(self) -> int:
        """One past the last id of this rank's block."""
        return int(self.starts[self.comm.rank + 1])

    def __call__(self, values: np.ndarray, pick: np.ndarray | None = None) -> np.ndarray:
        """Send each row of an (m, ...) array to the rank of its id.

        Args:
            values: (m, ...) rows in the order of ``ids``.
            pick: indices of the rows to return, out of those that arrive; None: all.

        Returns:
            (k, ...) the rows of this rank's block, as they come: by sending rank, then by id, then in the order given.
        """
        if self.comm.size == 1:
            # one copy only: a checkpoint is the largest demand for memory in a run
            return np.ascontiguousarray(values[self.order if pick is None else self.order[pick]])
        sorted_rows = np.ascontiguousarray(values[self.order])
        received = np.empty((int(self.receive_counts.sum()), *sorted_rows.shape[1:]), dtype=sorted_rows.dtype)
        width = sorted_rows.dtype.itemsize * int(np.prod(sorted_rows.shape[1:], dtype=np.int64))
        # rows as the unit keep the counts below 2^31
        row = MPI.BYTE.Create_contiguous(width).Commit()
        try:
            self.comm.Alltoallv(
                [sorted_rows, (self.send_counts, _displacements(self.send_counts)), row],
                [received, (self.receive_counts, _displacements(self.receive_counts)), row],
            )
        finally:
            row.Free()
        return received if pick is None else received[pick]


class GrainRows(RowExchange):
    """Exchange of grains: every id from 0 to count - 1 occurs once, and rows come back ordered by id.

    Args:
        comm: communicator.
        gid: (n,) int64 ids of this rank's grains.

    Raises:
        ValueError: an id is missing, occurs twice or is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, gid: np.ndarray) -> None:
        self.count = int(comm.allreduce(len(gid)))
        super().__init__(comm, gid, self.count)
        arrived = super().__call__(np.asarray(gid, dtype=np.int64))
        self.place = np.argsort(arrived, kind="stable")
        expected = np.arange(self.start, self.stop)
        wrong = self.count
        if not np.array_equal(arrived[self.place], expected):
            seen = np.bincount(arrived - self.start, minlength=self.stop - self.start)
            wrong = self.start + int(np.flatnonzero(seen != 1)[0])
        wrong = comm.allreduce(wrong, MPI.MIN)
        if wrong < self.count:
            raise ValueError(f"grain {wrong} is owned by no rank or by more than one")

    def __call__(self, values: np.ndarray, pick: np.ndarray | None = None) -> np.ndarray:
        """The rows of this rank's block of ids, ordered by id.

        Args:
            values: (n, ...) rows of this rank's grains, in the order of ``gid``.
            pick: indices out of the rows in that order; None: all.
        """
        return super().__call__(values, self.place if pick is None else self.place[pick])


def _displacements(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)[:-1]])
