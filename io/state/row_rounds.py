"""Rows on their way to the ranks that hold the blocks of their ids, by rounds: some ids of every holder at a time, in memory that is used again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

from pardem.decomposition.exchange import announced, by_number, pass_on

from .holders import Holders, block_starts

PIECE = 1 << 22  # bytes of the rows of a holder in one round: they stay in the cache while they are ordered, summed and written
APART = 4  # times as many where there are several ranks, which wait for each other in every round


class Buffer:
    """Memory for rows of any kind, which is used again and grows."""

    def __init__(self) -> None:
        self._bytes = np.empty(0, np.uint8)

    def rows(self, count: int, shape: tuple[int, ...], kind: np.dtype[Any]) -> np.ndarray:
        """Rows in this memory; what it held before is lost.

        Args:
            count: number of rows.
            shape: shape of a row.
            kind: type of the numbers.
        """
        size = count * kind.itemsize * int(np.prod(shape, dtype=np.int64))
        if len(self._bytes) < size:
            self._bytes = np.empty(size, np.uint8)
        return self._bytes[:size].view(kind).reshape(count, *shape)


class RowRounds:
    """Brings rows to the holders of their ids. Its construction and ``arrive`` are collective.

    Args:
        comm: communicator.
        ids: (n,) int64 id in 0..count-1 that tells the block a row belongs to.
        count: number of ids.
        holders: the ranks that hold the blocks.
        width: number of bytes of the rows of an id, of the array that has most; the same on all ranks.

    Attributes:
        start: first id of this rank's block.
        stop: one past the last id of this rank's block.
        number: number of rounds, the same on all ranks.

    Raises:
        ValueError: an id is out of range; on every rank.
    """

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, count: int, holders: Holders, width: int) -> None:
        self.comm, self.count = comm, count
        ids = np.ascontiguousarray(ids, dtype=np.int64)
        check_ids(comm, ids, count)
        starts = block_starts(count, holders.count, holders.unit)
        self.start, self.stop = holders.span(count)
        piece = PIECE if comm.size == 1 else APART * PIECE
        self._step = max(1, piece // (max(1, width) * holders.unit)) * holders.unit
        self.number = max(1, -(-int(np.diff(starts).max()) // self._step))
        place = ids // self._step if holders.count == 1 else self._places(ids, starts)
        places = self.number * holders.count
        self._order = by_number(place, places)
        self._leaving = np.zeros((self.number, comm.size), np.int64)
        self._leaving[:, holders.ranks] = np.bincount(place, minlength=places).reshape(self.number, holders.count)
        self._arriving = announced(comm, self._leaving)
        self._first = np.concatenate([[0], np.cumsum(self._leaving.sum(axis=1))])
        self._picks: list[np.ndarray] = []
        self._sent, self._received, self._picked, self._kept = Buffer(), Buffer(), Buffer(), (Buffer(), Buffer())

    def _places(self, ids: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Numbers of the rounds and the holders of ids, by round, then by holder."""
        holder = np.searchsorted(starts, ids, side="right") - 1
        place = ids - starts[holder]
        place //= self._step
        place *= len(starts) - 1
        place += holder
        return place

    def span(self, r: int) -> tuple[int, int]:
        """Find the ids of a round.

        Args:
            r: number of the round.

        Returns:
            First id that this rank receives rows of, and one past the last.
        """
        first = min(self.start + r * self._step, self.stop)
        return first, min(first + self._step, self.stop)

    def arrive(self, values: np.ndarray, r: int) -> np.ndarray:
        """Receive the rows of a round.

        Args:
            values: (n, ...) rows of this rank, in the order of ``ids``.
            r: number of the round.

        Returns:
            (k, ...) rows that come to this rank, valid until the next call.
        """
        whole, columns = _whole_rows(values)
        found = self._arrive(whole, r)
        return found if columns is None else found[:, columns]

    def _arrive(self, values: np.ndarray, r: int) -> np.ndarray:
        """The same of contiguous rows."""
        sent = _take(values, self._order[self._first[r] : self._first[r + 1]], self._sent)
        if self.comm.size == 1:
            return sent
        received = self._received.rows(int(self._arriving[r].sum()), values.shape[1:], values.dtype)
        pass_on(self.comm, sent, received, self._leaving[r], self._arriving[r])
        return received

    def settle(self, pick: np.ndarray) -> None:
        """Say which rows of the next round are wanted, for ``pieces``; once for each round, in their order.

        Args:
            pick: (k,) int64 indices out of those that arrive.
        """
        r = len(self._picks)
        if self.comm.size > 1:
            self._picks.append(pick)
            return
        self._picks.append(self._order[self._first[r] : self._first[r + 1]][pick])
        if len(self._picks) == self.number:
            self._order = self._order[:0]  # the picks say it all

    def pieces(self, values: np.ndarray, kind: np.dtype[Any] | None = None) -> Iterator[np.ndarray]:
        """Receive all rows, in the order that was settled. Collective.

        Args:
            values: (n, ...) rows of this rank, in the order of ``ids``.
            kind: type to which the numbers are converted; None: they stay what they are.

        Yields:
            The rows of each round, contiguous. They are valid until the second round after, be it of other values, is asked for.
        """
        whole, columns = _whole_rows(values)
        kind = kind or values.dtype
        for r in range(self.number):
            self._kept = kept, _ = self._kept[::-1]
            if columns is None and kind == values.dtype:
                yield self._settled(whole, r, kept)
                continue
            found = self._settled(whole, r, self._picked)
            cut = found if columns is None else found[:, columns]
            rows = kept.rows(len(cut), cut.shape[1:], kind)
            rows[...] = cut
            yield rows

    def _settled(self, values: np.ndarray, r: int, into: Buffer) -> np.ndarray:
        """The rows of a round in the order that was settled."""
        if self.comm.size == 1:
            return _take(values, self._picks[r], into)
        return _take(self._arrive(values, r), self._picks[r], into)


def check_ids(comm: MPI.Comm, ids: np.ndarray, count: int) -> None:
    """Raise an error if an id is out of range. Collective.

    Args:
        comm: communicator.
        ids: (n,) int64 ids.
        count: number of ids.

    Raises:
        ValueError: an id is not in 0..count-1; on every rank.
    """
    bounds = np.array([ids.min(), -ids.max()] if len(ids) else [count, 1], dtype=np.int64)
    comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MIN)
    if bounds[0] < 0 or -bounds[1] >= max(count, 1):
        raise ValueError(f"ids from {bounds[0]} to {-bounds[1]} do not fit into 0 to {count - 1}")


def _take(values: np.ndarray, rows: np.ndarray, into: Buffer) -> np.ndarray:
    out = into.rows(len(rows), values.shape[1:], values.dtype)
    if out.size:
        np.take(values, rows, axis=0, out=out, mode="clip")  # all indices are valid; in other modes numpy makes a copy of its own
    return out


def _whole_rows(values: np.ndarray) -> tuple[np.ndarray, Any]:
    """Contiguous rows, and which of their columns the values are: numpy would copy a view of some columns whole for each piece that it takes."""
    base = values.base
    if values.flags.c_contiguous:
        return values, None
    if isinstance(base, np.ndarray) and base.ndim == 2 and base.flags.c_contiguous and base.dtype == values.dtype:
        row, column = divmod(values.ctypes.data - base.ctypes.data, base.strides[0])
        column //= values.itemsize
        if values.ndim == 1 and values.strides == base.strides[:1]:
            return base[row : row + len(values)], column
        if values.ndim == 2 and values.strides == base.strides:
            return base[row : row + len(values)], slice(column, column + values.shape[1])
    return np.ascontiguousarray(values), None
