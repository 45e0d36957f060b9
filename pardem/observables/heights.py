"""Heights of the species over the base."""

from __future__ import annotations

import math
from typing import Any

from ..decomposition.exact import ExactSums
from .energy import unwrapped
from .observable import Instant, Observable, Quantity, Values


class Heights(Observable):
    """Heights of the centres of mass of the species."""

    quantities = (Quantity("height/<species>", "m", panel="height of the centre of mass (m)"),)

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the mass of each group, and its first moment along the upward direction.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        subject, grains = self.subject, now.grains
        group, number = subject.group[grains.species], len(subject.groups)
        mass, (ux, uy, uz) = grains.v[:, 3], subject.bed.up
        place = unwrapped(grains.x, grains.image, subject.scene.settings.period)
        sums.add_groups("mass", mass, group, number)
        sums.add_groups("moment", mass * (ux * place[:, 0] + uy * place[:, 1] + uz * place[:, 2]), group, number)

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the heights above the base, if there is one.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            Height of each group by name (m).
        """
        bed = self.subject.bed
        base = bed.base_height(self.subject.scene.walls) if bed.base is not None else 0.0
        return {
            f"height/{name}": float(moment / mass) - base if mass > 0.0 else math.nan
            for name, moment, mass in zip(self.subject.groups, found["moment"], found["mass"], strict=True)
        }
