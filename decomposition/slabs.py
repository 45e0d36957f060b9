"""Slabs: the domain cut by planes across one axis, one slab a rank. Where the planes lie never shows in a result."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..state.population import ContactTable, Population
from .exchange import exchange_rows

IMBALANCE = 1.05  # largest over mean work that is left alone
BINS = 2048  # of the histogram of work from which cuts are placed


class Slabs:
    """Cut planes across one axis.

    Attributes:
        comm: communicator.
        axis: 0, 1 or 2.
        cuts: (ranks - 1,) float64 positions of the planes (m), ascending; a slab may be thin or empty.
    """

    def __init__(self, comm: MPI.Comm, axis: int) -> None:
        self.comm = comm
        self.axis = axis
        self.cuts = np.zeros(comm.size - 1)

    def owner(self, x: np.ndarray) -> np.ndarray:
        """Rank that owns each of the centres ``x`` ((n, >=3), m)."""
        return np.searchsorted(self.cuts, x[:, self.axis], side="right")

    def place_cuts(self, x: np.ndarray, work: np.ndarray) -> None:
        """Place the planes so that counted work is equal. Collective.

        Args:
            x: (n, >=3) centres of the owned grains (m). work: (n,) work of each, in any unit.
        """
        if self.comm.size == 1:
            return
        position = x[:, self.axis]
        bounds = np.array([-position.min(), position.max()]) if len(position) else np.array([-np.inf, -np.inf])
        self.comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MAX)
        low, high = -bounds[0], bounds[1]
        if not high > low:
            self.cuts[:] = low
            return
        histogram = np.histogram(position, bins=BINS, range=(low, high), weights=work)[0]
        self.comm.Allreduce(MPI.IN_PLACE, histogram, MPI.SUM)
        share = np.concatenate([[0.0], np.cumsum(histogram)])
        wanted = share[-1] * np.arange(1, self.comm.size) / self.comm.size
        self.cuts[:] = np.interp(wanted, share, np.linspace(low, high, BINS + 1))

    def balance(self, x: np.ndarray, work: np.ndarray) -> None:
        """Place the planes anew if a rank has much more work than the mean (``IMBALANCE``). Collective.

        Args:
            x, work: see `place_cuts`.
        """
        mine, largest, total = np.array([work.sum()]), np.empty(1), np.empty(1)
        self.comm.Allreduce(mine, largest, MPI.MAX)
        self.comm.Allreduce(mine, total, MPI.SUM)
        if largest[0] * self.comm.size > IMBALANCE * total[0]:
            self.place_cuts(x, work)

    def migrate(self, grains: Population, contacts: ContactTable) -> tuple[Population, ContactTable]:
        """Send every grain to the rank that owns its place, with the history of its contacts. Collective.

        A contact travels with either of its bodies; the ranks that already know it hold the same bits.
        """
        comm = self.comm
        if comm.size == 1:
            return grains, contacts
        target = self.owner(grains.x)
        leaving = target != comm.rank
        if not comm.allreduce(bool(leaving.any()), MPI.LOR):
            return grains, contacts
        order = np.argsort(target, kind="stable")
        floats, ints = grains.take(order).pack()
        counts = np.bincount(target, minlength=comm.size)
        floats, _ = exchange_rows(comm, floats, counts)
        ints, _ = exchange_rows(comm, ints, counts)
        rows, ranks = self._contacts_to_send(grains.gid[leaving], target[leaving], contacts)
        order = np.argsort(ranks, kind="stable")
        sent = contacts.take(rows[order])
        counts = np.bincount(ranks, minlength=comm.size)
        width = contacts.hist.shape[1]
        hist, _ = exchange_rows(comm, sent.hist, counts)
        keys, _ = exchange_rows(comm, np.concatenate([sent.key, sent.warm], axis=1), counts)
        arrived = ContactTable(np.ascontiguousarray(keys[:, :3]), hist.reshape(-1, width), np.ascontiguousarray(keys[:, 3:]))
        return Population.unpack(floats, ints, grains.ft.shape[1]), ContactTable.joined([contacts, arrived])

    @staticmethod
    def _contacts_to_send(gid: np.ndarray, target: np.ndarray, contacts: ContactTable) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the contacts of grains that leave, and the rank each goes to (a row may go to two)."""
        order = np.argsort(gid)
        gid, target = gid[order], target[order]
        rows, ranks = [], []
        for column in (0, 1):
            ids = contacts.key[:, column]
            at = np.searchsorted(gid, ids)
            inside = at < len(gid)
            hit = np.zeros(len(ids), bool)
            hit[inside] = gid[at[inside]] == ids[inside]
            rows.append(np.nonzero(hit)[0])
            ranks.append(target[at[hit]])
        return np.concatenate(rows), np.concatenate(ranks).astype(np.int64)
