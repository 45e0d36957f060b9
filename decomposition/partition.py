"""What the engine knows of how the domain is divided among the ranks; ``nested_slabs`` is one way. How it is divided never shows in a result."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from mpi4py import MPI


class Partition(Protocol):
    """A division of the domain, one part a rank.

    Attributes:
        comm: communicator.
    """

    comm: MPI.Comm

    def owner(self, x: np.ndarray) -> np.ndarray:
        """Rank that owns each centre.

        Args:
            x: (n, 3 or more) centres (m).

        Returns:
            (n,) int64.
        """

    def divide(self, x: np.ndarray, radius: np.ndarray, work: np.ndarray) -> None:
        """Divide the domain anew, so that work is equal. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            radius: (n,) their bounding radii (m).
            work: (n,) counted work of each, in any unit.
        """

    def balance(self, x: np.ndarray, radius: np.ndarray, work: np.ndarray, imbalance: float) -> None:
        """Divide the domain anew if the work of the ranks has become too different. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            radius: (n,) their bounding radii (m).
            work: (n,) counted work of each, in any unit.
            imbalance: largest work of a rank over the mean, the same on every rank (1).
        """
