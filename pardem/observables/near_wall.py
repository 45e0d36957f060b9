"""Which species lie near a wall."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..decomposition.exact import ExactSums
from .bed import rows_of_wall, wall_distance
from .observable import Instant, Observable, Quantity, Subject, Values


class NearWallShares(Observable):
    """Share of each species, by number, among the grains near a wall."""

    quantities = (Quantity("share_near_wall/<species>", "1", panel="share of the grains near the wall"),)

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        near = subject.case.output.observables.near_wall
        assert near is not None
        self.distance, self.rows = near.distance, rows_of_wall(near.wall, subject.scene.wall_names)

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether the case names a wall.

        Args:
            subject: what is observed.

        Returns:
            Whether it does.
        """
        near = subject.case.output.observables.near_wall
        return near is not None and bool(rows_of_wall(near.wall, subject.scene.wall_names))

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the numbers of grains near the wall.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        group = self.subject.group[now.grains.species]
        distance = np.min([wall_distance(now.grains.x, self.subject.scene.walls, k) for k in self.rows], axis=0)
        sums.add("near", np.bincount(group[distance <= self.distance], minlength=len(self.subject.groups))[None, :])

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the shares of the groups, which add up to one.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            Share of each group by name.
        """
        near = found["near"]
        total = near.sum()
        return {
            f"share_near_wall/{name}": float(number / total) if total > 0.0 else math.nan
            for name, number in zip(self.subject.groups, near, strict=True)
        }
