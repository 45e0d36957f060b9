"""Slabs: the domain cut by planes across one axis, one slab a rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from .partition import meets

IMBALANCE = 1.05  # largest over mean work that is left alone
BINS = 2048  # of the histogram of work from which cuts are placed


class Slabs:
    """Cut planes across one axis; fulfils ``partition.Partition``.

    Args:
        comm: communicator.
        axis: 0, 1 or 2.
        rebalance: whether the planes may move after the start.

    Attributes:
        cuts: (ranks - 1,) float64 positions of the planes (m), ascending; a slab may be thin or empty.
    """

    def __init__(self, comm: MPI.Comm, axis: int, rebalance: bool = True) -> None:
        self.comm = comm
        self.axis = axis
        self.axes: tuple[int, ...] = (axis,)
        self.rebalance = rebalance
        self.cuts = np.zeros(comm.size - 1)

    def owner(self, x: np.ndarray) -> np.ndarray:
        """Determine the rank that owns each centre.

        Args:
            x: (n, 3 or more) centres (m).

        Returns:
            (n,) int64 ranks.
        """
        return np.searchsorted(self.cuts, x[:, self.axis], side="right")

    def reach(self, x: np.ndarray, extent: np.ndarray) -> np.ndarray:
        """Determine the interval that the grains of each rank occupy along the axis. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            extent: (n, 3) their half-extents (m).

        Returns:
            (ranks, 2, 1) float64 lower and upper ends (m).
        """
        low, high = x[:, self.axis] - extent[:, self.axis], x[:, self.axis] + extent[:, self.axis]
        found = np.empty((self.comm.size, 2, 1))
        self.comm.Allgather(np.array([low.min(initial=np.inf), high.max(initial=-np.inf)]), found)
        return found

    def neighbours(self, reach: np.ndarray, skin: float, period: np.ndarray) -> list[int]:
        """List the other ranks whose grains may meet grains of this one.

        Args:
            reach: intervals of all ranks, see ``reach``.
            skin: distance beyond contact within which pairs are candidates (m).
            period: (3,) period of the domain (m), 0 where it is not periodic.

        Returns:
            The ranks in ascending order.
        """
        if self.comm.size == 1:
            return []
        near = meets(reach[:, 0], reach[:, 1], reach[self.comm.rank], skin, period[list(self.axes)])
        return [int(rank) for rank in np.flatnonzero(near) if rank != self.comm.rank]

    def divide(self, x: np.ndarray, work: np.ndarray) -> None:
        """Place the planes so that all ranks have equal work. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            work: (n,) counted work of each, in any unit.
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
        """Place the planes anew if one rank has much more work than the mean (``IMBALANCE``). Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            work: (n,) counted work of each, in any unit.
        """
        if self.comm.size == 1 or not self.rebalance:
            return
        mine, largest, total = np.array([work.sum()]), np.empty(1), np.empty(1)
        self.comm.Allreduce(mine, largest, MPI.MAX)
        self.comm.Allreduce(mine, total, MPI.SUM)
        if largest[0] * self.comm.size > IMBALANCE * total[0]:
            self.divide(x, work)
