"""How many contacts there are for each grain."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decomposition.exact import ExactSums
from ..state import arrays as st
from .observable import Instant, Observable, Quantity, Values


class ContactNumbers(Observable):
    """Mean numbers of contacts."""

    quantities = (Quantity("coordination", "1", of_contacts=True), Quantity("contacts_per_grain", "1", of_contacts=True))

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the number of grains.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        sums.add("grains", np.array([float(now.grains.count)]))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the mean number of contacts per grain.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``coordination``, contacts with other grains of each grain; ``contacts_per_grain``, all contacts divided by the number of grains.
        """
        count = int(found["grains"])
        contacts, on_walls = now.tally[st.CONTACTS], now.tally[st.WALL_CONTACTS]
        return {
            "coordination": 2.0 * contacts / count if count else 0.0,
            "contacts_per_grain": (contacts + on_walls) / count if count else 0.0,
        }
