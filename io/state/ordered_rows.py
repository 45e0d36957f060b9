"""Rows in the order of their ids: one exchange from any distribution over ranks to contiguous blocks of ids.

What is written in this order is the same for every number of ranks.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from mpi4py import MPI

from pardem.decomposition.exchange import RowExchange

from .holders import Holders


class IdExchange(RowExchange):
    """Brings rows to the rank that holds the block of their id. Its construction and calls are collective.

    Args:
        comm: communicator.
        ids: (m,) int64 id in 0..count-1 that tells the block a row belongs to.
        count: number of ids.
        holders: the ranks that hold the blocks; all of them if not given.

    Attributes:
        start: first id of this rank's block.
        stop: one past the last id of this rank's block.

    Raises:
        ValueError: an id is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, count: int, holders: Holders | None = None) -> None:
        ids = np.ascontiguousarray(ids, dtype=np.int64)
        holders = holders or Holders.every(comm)
        self.start, self.stop = holders.span(count)
        bounds = np.array([ids.min(), -ids.max()] if len(ids) else [count, 1], dtype=np.int64)
        comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MIN)
        if bounds[0] < 0 or -bounds[1] >= max(count, 1):
            raise ValueError(f"ids from {bounds[0]} to {-bounds[1]} do not fit into 0 to {count - 1}")
        super().__init__(comm, holders.of_rows(ids, count))


class GrainRows(IdExchange):
    """Exchange of grains: every id from 0 to count - 1 occurs once, and rows come back ordered by id.

    Args:
        comm: communicator.
        gid: (n,) int64 ids of this rank's grains.
        holders: the ranks that hold the blocks; all of them if not given.

    Raises:
        ValueError: an id is missing, occurs twice or is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, gid: np.ndarray, holders: Holders | None = None) -> None:
        self.count = int(comm.allreduce(len(gid)))
        super().__init__(comm, gid, self.count, holders)
        arrived = super().__call__(np.asarray(gid, dtype=np.int64))
        self.place = np.empty(self.stop - self.start, dtype=np.int64)
        self.place[arrived - self.start] = np.arange(len(arrived))
        wrong = self.count
        seen = np.bincount(arrived - self.start, minlength=self.stop - self.start)
        if (seen != 1).any():
            wrong = self.start + int(np.argmax(seen != 1))
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


class IdLookup:
    """Asks the ranks that hold blocks of ids for rows. Its construction and calls are collective.

    Args:
        comm: communicator.
        ids: (m,) int64 ids that this rank asks for, any number of times each.
        count: number of ids, of which all ranks hold equal blocks.

    Raises:
        ValueError: an id is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, count: int) -> None:
        question = IdExchange(comm, ids, count)
        self._asked = question(np.asarray(ids, dtype=np.int64)) - question.start
        self._answer = RowExchange(comm, np.repeat(np.arange(comm.size), question.arriving), question.leaving)
        self._order = question.order

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """The rows of the ids that this rank asks for, in their order.

        Args:
            rows: (k, ...) rows of this rank's block, ordered by id.
        """
        found = self._answer(rows[self._asked])
        if self._order is None:
            return found
        back = np.empty_like(found)
        back[self._order] = found
        return back


def place_of(comm: MPI.Comm, count: int) -> tuple[int, int]:
    """Find where the rows of this rank are if those of all ranks follow one another. Collective.

    Args:
        comm: communicator.
        count: number of rows of this rank.

    Returns:
        Number of rows of the ranks before, and of all ranks.
    """
    end, total = np.array([count], dtype=np.int64), np.array([count], dtype=np.int64)
    cast(MPI.Intracomm, comm).Scan(MPI.IN_PLACE, end)
    comm.Allreduce(MPI.IN_PLACE, total)
    return int(end[0]) - count, int(total[0])
