"""Mean stress of Love and Weber in the bed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..state import arrays as st
from .observable import Instant, Observable, Quantity, Values


class Stress(Observable):
    """Stress from the forces at contacts, positive in compression, without the kinetic part."""

    quantities = (Quantity("stress", "Pa", shape=(3, 3), of_contacts=True),)

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the stress over the volume of the bed up to the fill height or, without a base, over that of the container.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``stress`` (3, 3) (Pa).
        """
        bed, volume = self.subject.bed, self.subject.bed.space
        if bed.base is not None:
            volume = bed.section * now.values["fill_height"] if bed.section is not None else None
        forces = np.array([float(v) for v in now.tally[st.STRESS : st.STRESS + 9]]).reshape(3, 3) * self.subject.scene.settings.energy
        return {"stress": -forces / volume if volume and volume > 0.0 else np.full((3, 3), math.nan)}
