"""Rows in the order of their ids: one exchange from any distribution over ranks to contiguous blocks of ids.

What is written in this order is the same for every number of ranks.
"""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from pardem.decomposition.exchange import RowExchange


def block_starts(count: int, ranks: int) -> np.ndarray:
    """Divide ids into contiguous blocks, one for each rank, whose sizes differ by at most one.

    Args:
        count: number of ids.
        ranks: number of ranks.

    Returns:
        (ranks + 1,) int64: rank r holds the ids from entry r up to entry r + 1.
    """
    return (np.arange(ranks + 1, dtype=np.int64) * count) // ranks


class IdExchange(RowExchange):
    """Brings rows to the rank that holds the block of their id. Its construction and calls are collective.

    Args:
        comm: communicator.
        ids: (m,) int64 id in 0..count-1 that tells the block a row belongs to.
        count: number of ids.

    Raises:
        ValueError: an id is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, count: int) -> None:
        ids = np.ascontiguousarray(ids, dtype=np.int64)
        self.starts = block_starts(count, comm.size)
        bounds = np.array([ids.min(), -ids.max()] if len(ids) else [count, 1], dtype=np.int64)
        comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MIN)
        if bounds[0] < 0 or -bounds[1] >= max(count, 1):
            raise ValueError(f"ids from {bounds[0]} to {-bounds[1]} do not fit into 0 to {count - 1}")
        super().__init__(comm, np.searchsorted(self.starts, ids, side="right") - 1)

    @property
    def start(self) -> int:
        """First id of this rank's block."""
        return int(self.starts[self.comm.rank])

    @property
    def stop(self) -> int:
        """One past the last id of this rank's block."""
        return int(self.starts[self.comm.rank + 1])


class GrainRows(IdExchange):
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
            pick: indices out of the rows in that order, or None for all.
        """
        return super().__call__(values, self.place if pick is None else self.place[pick])

