"""Whether the line from a nearest point to another grain leaves its own grain where the rounding of that point ends (thesis, equation 2.3).

Otherwise it runs through another part of the grain, whose own nearest points are the contact: a contact there would be imaginary. Every feature of
the grain has to be looked at, so this is done for skeletons that enclose nothing (chains, shells), which have few of them; of solids
``neighbours.into_solid`` tells on which side of the surface the line begins.
"""

from __future__ import annotations

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import ahead, dot, square, subtract
from .features import edge, outline
from .outlines import nearest_on_face

BURIED = 1e-9
"""Depth, relative to the sphero-radius, from which a point counts as inside: far above rounding."""


@inlined
def leaves_at_radius(interaction, g, i, x, a):
    """Whether the point of the line from x along a that is a sphero-radius from x lies on the surface of grain ``i``, not inside it; true of solids.

    Args:
        interaction: `local_minima.LocalMinima`.
        g: `Grains`.
        i: row of the grain.
        x: point of its core, relative to its centre (m).
        a: direction, of any length > 0.
    """
    f, species, radius = interaction.features, g.species[i], g.x[i, 3]
    if interaction.neighbours.solid[species] != 0:
        return True
    p = ahead(x, radius / np.sqrt(square(a)), a)
    least = (1.0 - BURIED) * radius
    least *= least
    for k in range(f.edge_start[species + 1] - f.edge_start[species]):
        middle, half = edge(f, g, i, k)
        d, u2 = subtract(p, middle), square(half)
        s = min(1.0, max(-1.0, dot(d, half) / u2)) if u2 > 0.0 else 0.0
        if square(ahead(d, -s, half)) < least:
            return False
    if not interaction.planar:
        for k in range(f.face_start[species + 1] - f.face_start[species]):
            if square(subtract(nearest_on_face(outline(f, g, i, k), p, least), p)) < least:
                return False
    return True
