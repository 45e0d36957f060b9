"""Number and mass of the grains that have left through open faces of the domain."""

from __future__ import annotations

from typing import Any

from ..decomposition.exact import ExactSums
from .observable import Instant, Observable, Quantity, Subject, Values


class Departures(Observable):
    """Grains that have left so far."""

    quantities = (Quantity("outflow/grains", "1"), Quantity("outflow/mass", "kg", panel="mass that has left (kg)"))

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether faces of the domain are open.

        Args:
            subject: what is observed.

        Returns:
            Whether some are.
        """
        return subject.scene.outflow is not None

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the mass of the grains that have left.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        assert now.outflow is not None
        sums.add("outflow/mass", now.outflow.gone.v[:, 3])

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the totals of what has left.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``outflow/grains`` and ``outflow/mass`` (kg).
        """
        assert now.outflow is not None
        return {"outflow/grains": now.outflow.count, "outflow/mass": found["outflow/mass"]}
