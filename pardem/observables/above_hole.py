"""Grains above the hole of a disc: what an outlet has still to let through."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decomposition.exact import ExactSums
from ..state.arrays import Walls
from ..walls.surfaces.place import NORMAL, SIZES
from .bed import rows_of_wall
from .observable import Instant, Observable, Quantity, Subject, Values


class AboveHole(Observable):
    """Number and mass of the grains above a hole."""

    quantities = (Quantity("above_hole/grains", "1"), Quantity("above_hole/mass", "kg"))

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        name = subject.case.output.observables.above_hole
        assert name is not None
        (self.row,) = rows_of_wall(name, subject.scene.wall_names)

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether the case names a disc.

        Args:
            subject: what is observed.

        Returns:
            Whether it does.
        """
        return subject.case.output.observables.above_hole is not None

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add number and mass of the grains above the hole.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        mass = now.grains.v[is_above(now.grains.x, self.subject.scene.walls, self.row), 3]
        sums.add("above_hole", np.column_stack([np.ones(len(mass)), mass]))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Return number and mass.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``above_hole/grains`` and ``above_hole/mass`` (kg).
        """
        number, mass = found["above_hole"]
        return {"above_hole/grains": float(number), "above_hole/mass": float(mass)}


def is_above(x: np.ndarray, walls: Walls, row: int) -> np.ndarray:
    """Find the points in the cylinder over the hole of a disc, on the side to which its normal points.

    Args:
        x: (n, 3 or more) points (m).
        walls: surfaces.
        row: row of the disc, which has a hole.

    Returns:
        (n,) bool.
    """
    shape, pose = walls.shape[row], walls.pose[row]
    nx, ny, nz = (float(c) for c in pose[NORMAL : NORMAL + 3])
    hx, hy, hz = (x[:, c] - (shape[c] + pose[c]) for c in range(3))
    height = hx * nx + hy * ny + hz * nz
    ax, ay, az = hx - height * nx, hy - height * ny, hz - height * nz
    hole = shape[SIZES + 1]
    return np.asarray((height > 0.0) & (ax * ax + ay * ay + az * az < hole * hole))
