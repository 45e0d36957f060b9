"""How elongated grains lie: mean angle to the base, and nematic order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..decomposition.exact import ExactSums
from .observable import Instant, Observable, Quantity, Reference, Subject, Values
from .orientation import angles_to_plane, directions, moment_columns, nematic_order

RANDOM = Reference("isotropic", {2: 45.0, 3: 90.0 - 180.0 / np.pi})
"""Mean angle of random directions to a line, to a plane (degrees)."""


class Alignment(Observable):
    """Alignment of the grains that have a long axis."""

    quantities = (
        Quantity("mean_angle", "degrees", panel="mean angle to base (degrees)", reference=RANDOM),
        Quantity("nematic_order", "1"),
        Quantity("nematic_director", "1", shape=(3,)),
    )

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether some species has a long axis.

        Args:
            subject: what is observed.

        Returns:
            Whether one has.
        """
        return bool(subject.axes.any())

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the angles and moments of the directions, and their number.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        axes, species = self.subject.axes, now.grains.species
        long = axes[species].any(axis=1)
        u = directions(now.grains.q[long], axes[species[long]])
        sums.add("angle", angles_to_plane(u, self.subject.bed.up))
        sums.add("directions", moment_columns(u))
        sums.add("long", np.array([float(long.sum())]))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the means over the grains that have a long axis.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``mean_angle`` (degrees), ``nematic_order`` and ``nematic_director``.
        """
        count = int(found["long"])
        order, director = nematic_order(found["directions"], count, self.subject.case.dimension)
        return {"mean_angle": float(found["angle"]) / count if count else math.nan, "nematic_order": order, "nematic_director": director}
