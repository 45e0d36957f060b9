"""The state to which a rank returns if lists turn out to have been stale: that in which they were last made (see ``horizon``).

On several ranks the arrays that lists are made from are not those that the steps go on with, which ghosts follow. So to keep them takes no time, but
memory: some 270 bytes a grain and 100 a contact. On one rank lists are never stale, and nothing is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .state.arrays import Walls

CHANGING = ("there", "motion", "pose", "reaction", "total", "work")
"""Arrays of the walls that change in the course of a run."""


def changing_arrays(walls: Walls) -> dict[str, Any]:
    """Copy what changes of the walls.

    Args:
        walls: the walls.

    Returns:
        The copies, by name.
    """
    return {name: getattr(walls, name).copy() for name in CHANGING}


class ReturnPoint:
    """What else there was when lists were made, apart from the grains and contacts that they were made from (``Rebuilder.made_from``).

    Args:
        registers: arrays of the rank that change: ``control``, ``tally``.
        walls: the walls.
    """

    def __init__(self, registers: tuple[np.ndarray, ...], walls: Walls) -> None:
        self._registers, self._kept = registers, [array.copy() for array in registers]
        self._walls, self._kept_of_walls = walls, changing_arrays(walls)

    def restore(self) -> None:
        """Put the registers and the walls back."""
        for array, kept in zip(self._registers, self._kept, strict=True):
            array[:] = kept
        for name, kept in self._kept_of_walls.items():
            getattr(self._walls, name)[:] = kept
