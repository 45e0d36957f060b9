"""Number and mass of the poured grains that have arrived."""

from __future__ import annotations

from typing import Any

from .observable import Instant, Observable, Quantity, Subject, Values


class Arrivals(Observable):
    """Grains that have arrived so far."""

    quantities = (Quantity("inflow/grains", "1"), Quantity("inflow/mass", "kg", panel="mass that has arrived (kg)"))

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether grains are poured.

        Args:
            subject: what is observed.

        Returns:
            Whether some are.
        """
        return bool(subject.case.pour)

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the totals of what has arrived.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``inflow/grains`` and ``inflow/mass`` (kg).
        """
        assert now.inflow is not None
        return {"inflow/grains": now.inflow.arrived, "inflow/mass": now.inflow.arrived_mass()}
