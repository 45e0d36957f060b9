"""What the engine knows of how the domain is divided among the ranks; ``slabs`` is one way. How it is divided never shows in a result."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from mpi4py import MPI


class Partition(Protocol):
    """A division of the domain, one part a rank.

    Attributes:
        comm: communicator.
        axes: the axes that are cut, of 0, 1 and 2.
    """

    comm: MPI.Comm
    axes: tuple[int, ...]

    def owner(self, x: np.ndarray) -> np.ndarray:
        """Rank that owns each centre.

        Args:
            x: (n, 3 or more) centres (m).

        Returns:
            (n,) int64.
        """

    def reach(self, x: np.ndarray, extent: np.ndarray) -> np.ndarray:
        """What the grains of each rank take up along the axes that are cut. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            extent: (n, 3) their half-extents (m).

        Returns:
            (ranks, 2, axes) float64 lower and upper ends (m); the lower ones of a rank without grains are infinite.
        """

    def neighbours(self, reach: np.ndarray, skin: float, period: np.ndarray) -> list[int]:
        """The ranks whose grains may be met by grains of this one, in their order, without this one; each is a neighbour of its neighbours.

        Args:
            reach: of all ranks, see ``reach``.
            skin: extra reach (m).
            period: (3,) of the domain (m), 0 where it is not periodic.
        """

    def divide(self, x: np.ndarray, work: np.ndarray) -> None:
        """Divide the domain anew, so that work is equal. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            work: (n,) counted work of each, in any unit.
        """

    def balance(self, x: np.ndarray, work: np.ndarray) -> None:
        """Divide the domain anew if the work of the ranks has become too different. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            work: (n,) counted work of each, in any unit.
        """


def meets(low: np.ndarray, high: np.ndarray, box: np.ndarray, skin: float, period: np.ndarray) -> np.ndarray:
    """Which of some boxes come within the skin of another one, in any periodic image.

    Args:
        low: (n, axes) lower ends of the boxes (m).
        high: (n, axes) their upper ends (m).
        box: (2, axes) lower and upper ends of the other one (m).
        skin: extra reach (m).
        period: (axes,) of the domain (m), 0 where it is not periodic.

    Returns:
        (n,) bool.
    """
    found = np.ones(len(low), bool)
    for axis, length in enumerate(period):
        near = np.zeros(len(low), bool)
        for shift in (0.0,) if length == 0.0 else (0.0, -length, length):
            near |= (low[:, axis] + shift - skin <= box[1, axis]) & (high[:, axis] + shift + skin >= box[0, axis])
        found &= near
    return found
