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
        """The number of grains."""
        sums.add("grains", np.array([float(now.grains.count)]))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Of contacts between grains, counted from both sides; of all, those with walls included."""
        count = int(found["grains"])
        contacts, on_walls = now.tally[st.CONTACTS], now.tally[st.WALL_CONTACTS]
        return {
            "coordination": 2.0 * contacts / count if count else 0.0,
            "contacts_per_grain": (contacts + on_walls) / count if count else 0.0,
        }
