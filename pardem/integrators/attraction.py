"""A force field towards a point, m g r / sqrt(r^2 + s^2): of constant strength g outside of the softening length s, with the potential
m g (sqrt(r^2 + s^2) - s).
"""

from __future__ import annotations

import numpy as np

from .._jit import kernel
from ..interactions.accumulate import add


@kernel
def attract(owned, g, settings):
    """Add the field's force on each owned grain to its sum, in whole quanta."""
    if settings.attraction == 0.0:
        return
    cx, cy, cz = settings.centre
    soft2, inv_force = settings.softening * settings.softening, 1.0 / settings.force
    for i in range(owned):
        x, y, z = cx - g.x[i, 0], cy - g.x[i, 1], cz - g.x[i, 2]
        s = g.v[i, 3] * settings.attraction / np.sqrt(x * x + y * y + z * z + soft2)
        add(g.ft, i, s * x, s * y, s * z, 0.0, 0.0, 0.0, inv_force, 0.0, settings.wide)
