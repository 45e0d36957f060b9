"""Contacts in the order of their keys: each once, on the rank that holds the block of its lower id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

from .checksum import width_of
from .contact_order import order_by_key
from .holders import Holders
from .ordered_rows import Rows, place_of
from .row_rounds import RowRounds

NO_IDS = np.zeros(0, np.int64)


class ContactExchange:
    """Brings contacts to the rank that holds the block of their lower id, each once, ordered by key. Construction and calls are collective.

    Args:
        comm: communicator.
        key: (m, 3) int64 lower global id of the contacts of this rank; higher global id, negative for walls; sub-key.
        count: number of grains.
        holders: the ranks that hold the blocks of ids.
        width: number of bytes of a contact, of the array that has most; the same on all ranks.
        marks: (k,) int64 ids in ascending order.

    Attributes:
        count: number of contacts that come to this rank.
        start: number of those that come to the ranks before.
        total: number of all contacts.
        first: (k,) int64 row of the first contact whose lower id is not below that of each mark; 0 where another rank holds it.
    """

    def __init__(self, comm: MPI.Comm, key: np.ndarray, count: int, holders: Holders, width: int, marks: np.ndarray = NO_IDS) -> None:
        self.comm = comm
        each = width * int(comm.allreduce(len(key))) // max(1, count)
        self._rounds = rounds = RowRounds(comm, key[:, 0], count, holders, each)
        self._counts: list[int] = []
        self._keys: list[np.ndarray] = []  # (k, 3) of each round
        self._repeated: list[np.ndarray] = []  # keys of contacts that came more than once, in each round
        self.first = np.zeros(len(marks), np.int64)
        for r in range(rounds.number):
            self._sort(rounds.arrive(key, r), rounds.span(r), marks)
        self.count = sum(self._counts)
        self.start, self.total = place_of(comm, self.count)
        self.first[(marks >= rounds.start) & (marks < rounds.stop)] += self.start

    def _sort(self, key: np.ndarray, span: tuple[int, int], marks: np.ndarray) -> None:
        """Settle the order of a round."""
        many = len(key)
        ends, order, again = np.empty(span[1] - span[0], np.int64), np.empty(many, np.int64), np.empty(many, np.int64)
        again = again[: order_by_key(key, span[0], ends, order, again)]
        self._repeated.append(key[order[again]])
        once = np.delete(order, again) if len(again) else order
        mine = np.flatnonzero((marks >= span[0]) & (marks < span[1]))
        before = np.concatenate([[0], ends])[marks[mine] - span[0]]
        self.first[mine] = sum(self._counts) + before - np.searchsorted(again, before)
        self._keys.append(np.take(key, once, axis=0))
        self._counts.append(len(once))
        self._rounds.settle(np.concatenate([once, order[again], order[again - 1]]))

    def keys(self, columns: int | slice) -> Iterator[Rows]:
        """Keys of this rank's contacts in their order, piece by piece.

        Args:
            columns: which of lower id, higher id and sub-key.

        Yields:
            The pieces, as many on all ranks.
        """
        start = self.start
        for key in self._keys:
            yield Rows(np.ascontiguousarray(key[:, columns]), start, self.total - start - len(key))
            start += len(key)

    def pieces(self, values: np.ndarray, kind: np.dtype[Any] | None = None) -> Iterator[Rows]:
        """The rows of this rank's contacts in the order of their keys, piece by piece.

        Args:
            values: (m, ...) rows of the contacts of this rank.
            kind: type to which the numbers are converted; None: they stay what they are.

        Yields:
            The pieces, as many on all ranks; each is valid until the second one after it is asked for.

        Raises:
            ValueError: two ranks hold different rows of one contact; on every rank, behind the last piece.
        """
        nothing = (2**63 - 1, 0, 0)
        start, wrong = self.start, nothing
        for rows, count, repeated in zip(self._rounds.pieces(values, kind), self._counts, self._repeated, strict=True):
            if len(repeated) and width_of(rows):
                one, two = (r.reshape(len(repeated), -1).view(np.uint8) for r in np.split(rows[count:], 2))
                bad = np.flatnonzero((one != two).any(axis=1))
                wrong = min([wrong, *(tuple(repeated[k].tolist()) for k in bad[:1])])
            yield Rows(rows[:count], start, self.total - start - count)
            start += count
        wrong = self.comm.allreduce(wrong, MPI.MIN)
        if wrong != nothing:
            raise ValueError(f"two ranks hold different histories of contact {wrong[0]} to {wrong[1]} (sub-key {wrong[2]})")
