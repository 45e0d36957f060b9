"""A force field towards a point, m g r / sqrt(r^2 + s^2): of constant strength g outside of the softening length s, with the potential
m g (sqrt(r^2 + s^2) - s).
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import kernel
from ..compiled.vectors import ZERO, row, scale, square, subtract
from ..contacts.accumulate import add


@kernel
def attract(owned, g, settings):
    """Add the field's force on each owned grain to its sum, in whole quanta.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        settings: `state.Settings`.
    """
    if settings.attraction == 0.0:
        return
    soft2 = settings.softening * settings.softening
    for i in range(owned):
        d = subtract(settings.centre, row(g.x, i))
        f = scale(g.v[i, 3] * settings.attraction / np.sqrt(square(d) + soft2), d)
        add(g.ft, i, f, ZERO, settings)
