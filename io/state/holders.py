"""The ranks that hold rows while these are written or read: few enough that each has some megabytes of them."""

from __future__ import annotations

from typing import Self

import numpy as np
from mpi4py import MPI

SHARE = 1 << 24  # bytes of each holder at least, where there are several


def block_starts(count: int, blocks: int, unit: int = 1) -> np.ndarray:
    """Divide ids into contiguous blocks whose sizes differ by at most one unit.

    Args:
        count: number of ids.
        blocks: number of blocks.
        unit: number of ids that stay together.

    Returns:
        (blocks + 1,) int64: block k holds the ids from entry k up to entry k + 1.
    """
    return np.minimum((np.arange(blocks + 1, dtype=np.int64) * -(-count // unit)) // blocks * unit, count)


class Holders:
    """Some of the ranks, each with a contiguous block of rows, in the order of the ranks.

    Args:
        comm: communicator.
        ranks: (w,) int64 the ranks that hold rows, in ascending order; the first rank is among them.
        unit: number of rows that stay together.

    Attributes:
        count: their number.
        mine: whether this rank is one of them.
    """

    def __init__(self, comm: MPI.Comm, ranks: np.ndarray, unit: int = 1) -> None:
        self.comm, self.ranks, self.count, self.unit = comm, ranks, len(ranks), unit
        self._block = [int(np.searchsorted(ranks, comm.rank, side)) for side in ("left", "right")]
        self.mine = self._block[0] < self._block[1]

    @classmethod
    def of(cls, comm: MPI.Comm, size: int, unit: int = 1) -> Self:
        """Choose the holders of some bytes: as many as have a share of 16 MB each, spread over all ranks.

        Args:
            comm: communicator.
            size: number of bytes of the rows of all ranks, the same on all ranks.
            unit: number of rows that stay together.

        Returns:
            The holders, at least one.
        """
        count = min(comm.size, max(1, size // SHARE))
        return cls(comm, np.arange(count, dtype=np.int64) * comm.size // count, unit)

    @classmethod
    def every(cls, comm: MPI.Comm) -> Self:
        """Let all ranks hold rows.

        Args:
            comm: communicator.

        Returns:
            The holders.
        """
        return cls(comm, np.arange(comm.size, dtype=np.int64))

    def span(self, count: int) -> tuple[int, int]:
        """Find the block of this rank.

        Args:
            count: number of rows.

        Returns:
            First row of the block, and one past its last; the two are equal on a rank that holds none.
        """
        starts = block_starts(count, self.count, self.unit)
        return int(starts[self._block[0]]), int(starts[self._block[1]])

    def of_rows(self, rows: np.ndarray, count: int) -> np.ndarray:
        """Find the rank that holds each of some rows.

        Args:
            rows: (n,) int64 indices of rows.
            count: number of rows.

        Returns:
            (n,) int64 ranks.
        """
        return np.asarray(self.ranks[np.searchsorted(block_starts(count, self.count, self.unit), rows, side="right") - 1])
