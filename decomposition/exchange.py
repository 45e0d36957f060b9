"""Rows of arrays from rank to rank, by messages between those alone that have any for each other: the one way in which rows change their rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

COUNTS, ROWS = 72, 73  # tags


class RowExchange:
    """Where each row of this rank goes; made once, used for every array of such rows. Construction and calls are collective.

    Args:
        comm: communicator.
        target: (n,) int64 rank to which each row goes.
        arriving: number of rows that arrive from each rank, if it is known; None if the ranks have to tell each other.

    Attributes:
        leaving: (ranks,) int64 number of rows that go to each rank.
        arriving: (ranks,) int64 number of rows that come from each rank.
    """

    def __init__(self, comm: MPI.Comm, target: np.ndarray, arriving: np.ndarray | None = None) -> None:
        self.comm = comm
        self.leaving = _by_rank(comm, target)
        self.order = by_number(target, comm.size) if comm.size > 1 else None
        self.arriving = announced(comm, self.leaving[None])[0] if arriving is None else arriving

    def __call__(self, values: np.ndarray, pick: np.ndarray | None = None) -> np.ndarray:
        """Send each row to its rank.

        Args:
            values: (n, ...) rows of any type, in the order of ``target``.
            pick: indices of the rows to return, out of those that arrive, or None for all.

        Returns:
            (k, ...) rows of this rank, by the rank that sent them, then in the order given there.
        """
        if self.comm.size == 1:
            # one copy only: a checkpoint is the largest demand for memory in a run
            return np.ascontiguousarray(values) if pick is None else np.take(values, pick, axis=0)  # faster than an index on rows of several numbers
        assert self.order is not None
        rows = np.take(values, self.order, axis=0)
        received = np.empty((int(self.arriving.sum()), *rows.shape[1:]), rows.dtype)
        pass_on(self.comm, rows, received, self.leaving, self.arriving)
        return received if pick is None else np.take(received, pick, axis=0)


def pass_on(comm: MPI.Comm, rows: np.ndarray, received: np.ndarray, leaving: np.ndarray, arriving: np.ndarray) -> None:
    """Exchange rows, with the ranks alone that have any for this one or receive any of it.

    Args:
        comm: communicator.
        rows: (n, ...) rows in the order of the ranks to which they go.
        received: (k, ...) filled with the rows that come, in the order of the ranks that sent them.
        leaving: (ranks,) int64 number of rows that go to each rank.
        arriving: (ranks,) int64 number of rows that come from each rank.
    """
    width = rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64))
    if not width:
        return
    me, sent, come = comm.rank, _bytes(rows), _bytes(received)
    start, place = _before(leaving) * width, _before(arriving) * width
    row = MPI.BYTE.Create_contiguous(width).Commit()  # rows as the unit keep the counts below 2^31
    try:
        requests = []
        for counts, at, of, begin in ((arriving, place, come, comm.Irecv), (leaving, start, sent, comm.Isend)):
            for rank in np.flatnonzero(counts):
                if rank != me:
                    count = int(counts[rank])
                    requests.append(begin([of[at[rank] : at[rank] + count * width], count, row], int(rank), ROWS))
        size = int(leaving[me]) * width
        come[place[me] : place[me] + size] = sent[start[me] : start[me] + size]
        MPI.Request.Waitall(requests)
    finally:
        row.Free()


def by_number(numbers: np.ndarray, count: int) -> np.ndarray:
    """Sort rows by small numbers; equal ones keep their order.

    Args:
        numbers: (n,) int64 numbers in 0..count-1.
        count: how many numbers there are.

    Returns:
        (n,) int64 indices of the rows.
    """
    # numpy counts numbers of up to 16 bits, which takes a fraction of the time of comparing them
    return np.argsort(numbers.astype(np.min_scalar_type(max(0, count - 1))), kind="stable")


def exchanges(comm: MPI.Comm, *targets: np.ndarray) -> list[RowExchange]:
    """Make the exchanges of rows of several kinds with one announcement. Collective.

    Args:
        comm: communicator.
        *targets: (n,) int64 ranks to which the rows of each kind go.

    Returns:
        The exchanges.
    """
    arriving = announced(comm, np.stack([_by_rank(comm, target) for target in targets]))
    return [RowExchange(comm, target, come) for target, come in zip(targets, arriving, strict=True)]


def announced(comm: MPI.Comm, leaving: np.ndarray) -> np.ndarray:
    """Tell other ranks how many rows they are going to receive. Collective.

    Each rank learns from a sum how many others have rows for it, then receives as many messages with the numbers, from wherever they come. The next
    announcement of a rank that is ahead cannot come in between: the sum before it waits for this rank.

    Args:
        comm: communicator.
        leaving: (kinds, ranks) int64 number of rows of each kind that go to each rank.

    Returns:
        (kinds, ranks) int64 number of rows of each kind that come from each rank.
    """
    if comm.size == 1:
        return leaving.copy()
    arriving, numbers = np.zeros_like(leaving), np.ascontiguousarray(leaving.T)
    others = np.asarray(numbers.any(axis=1))
    others[comm.rank] = False
    senders, status, come = np.empty(1, np.int32), MPI.Status(), np.empty(len(leaving), np.int64)
    comm.Reduce_scatter_block(others.astype(np.int32), senders, MPI.SUM)
    sent = [comm.Isend(numbers[rank], int(rank), COUNTS) for rank in np.flatnonzero(others)]
    for _ in range(int(senders[0])):
        comm.Recv(come, MPI.ANY_SOURCE, COUNTS, status)
        arriving[:, status.Get_source()] = come
    MPI.Request.Waitall(sent)
    arriving[:, comm.rank] = leaving[:, comm.rank]
    return arriving


def _by_rank(comm: MPI.Comm, target: np.ndarray) -> np.ndarray:
    """How many rows go to each rank."""
    return np.bincount(target, minlength=comm.size).astype(np.int64)


def _bytes(rows: np.ndarray) -> np.ndarray:
    """The same memory as bytes: MPI knows no records."""
    return rows.reshape(-1).view(np.uint8)


def _before(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)[:-1]])
