"""Sums over the contacts of each grain, fields of frames: mean stress of Love and Weber, and coordination (docs/theory/observables.md)."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..decomposition.exchange import RowExchange
from ..recorder import RecordedContacts


class GrainContacts:
    """Sums over the contacts of each grain, of which several ranks know some each.

    The contacts of a grain are brought to one rank and added there in the order of their keys, so that the sums have the same bits on any number of
    ranks.

    Args:
        comm: communicator.
        count: number of grains of all ranks; their ids are 0 ... count - 1.
    """

    def __init__(self, comm: MPI.Comm, count: int) -> None:
        self.comm, self.count = comm, count

    def measure(self, contacts: RecordedContacts, gid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum over the contacts of each grain. Collective.

        Args:
            contacts: contacts of this rank; over all ranks each contact once.
            gid: (n,) ids of the grains of this rank.

        Returns:
            (n, 9) minus the sum of (point - centre)_i force_j (J), rows first, over the contacts with grains and walls: the mean stress times the
            volume of the grain, positive in compression; (n,) float64 number of contacts with other grains.
        """
        rows, values = _by_body(contacts)
        exchange = RowExchange(self.comm, self._home(rows[:, 0]))
        rows, values = exchange(rows), exchange(values)
        order = np.lexsort(rows.T[::-1])
        rows, values = rows[order], values[order]
        first, last = (-(-rank * self.count // self.comm.size) for rank in (self.comm.rank, self.comm.rank + 1))
        sums = np.empty((last - first, 10))
        for c in range(9):
            sums[:, c] = np.bincount(rows[:, 0] - first, values[:, c], last - first)
        sums[:, 9] = np.bincount(rows[rows[:, 2] >= 0, 0] - first, minlength=last - first)
        question = RowExchange(self.comm, self._home(gid))
        wanted = question(gid) - first
        answer = RowExchange(self.comm, np.repeat(np.arange(self.comm.size), question.arriving))(sums[wanted])
        found = np.empty((len(gid), 10))
        found[question.order if self.comm.size > 1 else slice(None)] = answer
        return found[:, :9], found[:, 9]

    def _home(self, gid: np.ndarray) -> np.ndarray:
        """Ranks at which sums of grains are formed."""
        return np.asarray(gid * self.comm.size // self.count)


def _by_body(contacts: RecordedContacts) -> tuple[np.ndarray, np.ndarray]:
    """A row for each contact of each grain: (k, 4) id of the grain and key of the contact; (k, 9) its share in the sum."""
    key, pairs = contacts.key, contacts.key[:, 1] >= 0
    rows = np.concatenate([np.column_stack([key[:, 0], key]), np.column_stack([key[pairs, 1], key[pairs]])])
    arm = np.concatenate([contacts.arm, (contacts.arm - contacts.branch)[pairs]])
    force = np.concatenate([contacts.force, -contacts.force[pairs]])
    return rows, -(arm[:, :, None] * force[:, None, :]).reshape(-1, 9)
