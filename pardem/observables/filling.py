"""Fill height of the bed and density of the grains."""

from __future__ import annotations

import math
from typing import Any

from ..decomposition.exact import ExactSums
from .observable import Instant, Observable, Quantity, Values
from .profile import profile_along

FILL_SHARE = 0.99  # of the volume of the grains that lies below the fill height: a few grains in flight do not count


class Filling(Observable):
    """Fill height and density."""

    quantities = (Quantity("density", "1", panel="volume fraction of grains"), Quantity("fill_height", "m"))

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the volume of the grains.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        sums.add("volume", self.subject.catalogue.volumes(now.grains.species, now.grains.scale))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the density and, if there is a base, the fill height.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``density`` (without a base that of all grains in the container) and ``fill_height`` (m).
        """
        subject, bed = self.subject, self.subject.bed
        if bed.base is None:
            return {"density": float(found["volume"]) / bed.space if bed.space else math.nan}
        base = bed.base_height(subject.scene.walls)
        top, above = profile_along(now.grains, subject.catalogue, subject.samples, bed.up).quantile(subject.comm, base, FILL_SHARE)
        fill = top - base
        volume = bed.section * fill if bed.section is not None else None
        return {"density": FILL_SHARE * above / volume if volume and volume > 0.0 else math.nan, "fill_height": fill}
