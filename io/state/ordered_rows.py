"""Rows in the order of their ids: from any distribution over ranks to contiguous blocks of ids.

What is written in this order is the same for every number of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from mpi4py import MPI

from pardem.decomposition.exchange import RowExchange

from .holders import Holders
from .row_rounds import RowRounds, check_ids


class Rows(NamedTuple):
    """Some rows of a data set.

    Attributes:
        rows: (k, ...) rows.
        start: index of the first of them.
        behind: number of rows of all ranks that follow them; None if it does not matter.
    """

    rows: np.ndarray
    start: int
    behind: int | None = None


class IdExchange(RowExchange):
    """Brings rows to the rank that holds the block of their id. Its construction and calls are collective.

    Args:
        comm: communicator.
        ids: (m,) int64 id in 0..count-1 that tells the block a row belongs to.
        count: number of ids, of which all ranks hold equal blocks.

    Attributes:
        start: first id of this rank's block.
        stop: one past the last id of this rank's block.

    Raises:
        ValueError: an id is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, count: int) -> None:
        ids, holders = np.ascontiguousarray(ids, dtype=np.int64), Holders.every(comm)
        self.start, self.stop = holders.span(count)
        check_ids(comm, ids, count)
        super().__init__(comm, holders.of_rows(ids, count))


class GrainRows:
    """Rows of grains: every id from 0 to count - 1 occurs once, and rows come to the holders ordered by id. Construction and calls are collective.

    Args:
        comm: communicator.
        gid: (n,) int64 ids of this rank's grains.
        holders: the ranks that hold the blocks of ids.
        width: number of bytes of a row, of the array that has most; the same on all ranks.

    Attributes:
        count: number of grains.
        start: first id of this rank's block.
        stop: one past the last id of this rank's block.

    Raises:
        ValueError: an id is missing, occurs twice or is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, gid: np.ndarray, holders: Holders, width: int) -> None:
        self.count = int(comm.allreduce(len(gid)))
        self._rounds = rounds = RowRounds(comm, gid, self.count, holders, width)
        self.start, self.stop = rounds.start, rounds.stop
        gid, wrong = np.asarray(gid, dtype=np.int64), self.count
        for r in range(rounds.number):
            first, last = rounds.span(r)
            arrived = rounds.arrive(gid, r)
            place = np.full(last - first, -1)
            place[arrived - first] = np.arange(len(arrived))
            if len(arrived) != len(place) or (place < 0).any():
                wrong = min(wrong, first + int(np.argmax(np.bincount(arrived - first, minlength=len(place)) != 1)))
            rounds.settle(place)
        wrong = comm.allreduce(wrong, MPI.MIN)
        if wrong < self.count:
            raise ValueError(f"grain {wrong} is owned by no rank or by more than one")

    def pieces(self, values: np.ndarray, kind: np.dtype[Any] | None = None) -> Iterator[Rows]:
        """The rows of this rank's block of ids, ordered by id, piece by piece.

        Args:
            values: (n, ...) rows of this rank's grains, in the order of ``gid``.
            kind: type to which the numbers are converted; None: they stay what they are.

        Yields:
            The pieces, as many on all ranks; each is valid until the second one after it is asked for.
        """
        for r, rows in enumerate(self._rounds.pieces(values, kind)):
            first, last = self._rounds.span(r)
            yield Rows(rows, first, self.count - last)


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
