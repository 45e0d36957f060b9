"""Heights of the species over the base."""

from __future__ import annotations

import math
from typing import Any

from ..decomposition.exact import ExactSums
from .energy import unwrapped
from .observable import Instant, Observable, Quantity, Values


class Heights(Observable):
    """Height of each species' centre of mass."""

    quantities = (Quantity("height/<species>", "m"),)

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Mass of each group, and its first moment along *up*."""
        subject, grains = self.subject, now.grains
        group, number = subject.group[grains.species], len(subject.groups)
        mass, (ux, uy, uz) = grains.v[:, 3], subject.bed.up
        place = unwrapped(grains.x, grains.image, subject.scene.settings.period)
        sums.add_groups("mass", mass, group, number)
        sums.add_groups("moment", mass * (ux * place[:, 0] + uy * place[:, 1] + uz * place[:, 2]), group, number)

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Over the base, where there is one."""
        bed = self.subject.bed
        base = bed.base_height(self.subject.scene.walls) if bed.base is not None else 0.0
        return {
            f"height/{name}": float(moment / mass) - base if mass > 0.0 else math.nan
            for name, moment, mass in zip(self.subject.groups, found["moment"], found["mass"], strict=True)
        }
