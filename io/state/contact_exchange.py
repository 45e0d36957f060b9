"""Contacts in the order of their keys: each once, on the rank that holds the block of its lower id."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from .holders import Holders
from .ordered_rows import IdExchange, place_of


class ContactExchange:
    """Brings contacts to the rank that holds the block of their lower id, each once, ordered by key. Construction and calls are collective.

    Args:
        comm: communicator.
        lower: (m,) int64 lower global id of the contacts of this rank.
        higher: (m,) int64 higher global id, negative for walls.
        sub: (m,) int64 sub-key.
        count: number of grains.
        holders: the ranks that hold the blocks of ids.

    Attributes:
        count: number of contacts that come to this rank.
        start: number of those that come to the ranks before.
        total: number of all contacts.
    """

    def __init__(self, comm: MPI.Comm, lower: np.ndarray, higher: np.ndarray, sub: np.ndarray, count: int, holders: Holders) -> None:
        self.comm = comm
        self.exchange = IdExchange(comm, lower, count, holders)
        key = [self.exchange(np.asarray(a, dtype=np.int64)) for a in (lower, higher, sub)]
        self.order = np.lexsort(key[::-1])
        same = np.ones(max(0, len(self.order) - 1), dtype=bool)
        for column in key:
            ordered = column[self.order]
            same &= ordered[1:] == ordered[:-1]
        self.again = np.flatnonzero(same) + 1
        self.repeated_keys = np.column_stack([column[self.order[self.again]] for column in key])
        self.once = np.delete(self.order, self.again)
        self.count = len(self.once)
        self.start, self.total = place_of(comm, self.count)

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """The rows (m, ...) of this rank's contacts, where they belong.

        Raises:
            ValueError: two ranks hold different rows of one contact; on every rank.
        """
        repeated = np.concatenate([self.order[self.again], self.order[self.again - 1]])
        rows = self.exchange(values, np.concatenate([self.once, repeated]))
        width = int(np.prod(rows.shape[1:], dtype=np.int64))
        one, two = (r.reshape(len(self.again), width).view(np.uint8) for r in np.split(rows[self.count :], 2))
        bad = np.flatnonzero((one != two).any(axis=1))
        nothing = (2**63 - 1, 0, 0)
        key = self.comm.allreduce(tuple(self.repeated_keys[bad[0]].tolist()) if len(bad) else nothing, MPI.MIN)
        if key != nothing:
            raise ValueError(f"two ranks hold different histories of contact {key[0]} to {key[1]} (sub-key {key[2]})")
        return rows[: self.count]
