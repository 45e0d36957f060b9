"""Superposition of the contacts of all pairs of features, for grains of any shape, convex or not (papers 000 to 003).

In the plane every vertex of one grain meets every edge of the other; in space edges meet edges and vertices meet faces, a single vertex as an edge of
no length. Each pair of features is a contact of its own with the distance of its nearest points, so the force is the gradient of a sum of smooth
energies and conservative; one geometric contact may count several times (docs/theory/contacts.md). A candidate of the list is a pair of features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined
from ..state import Features
from .features import nearest_features, vertex


class Superposition(NamedTuple):
    """Narrow phase by pairs of features.

    Attributes:
        planar: two dimensions. features: of all species.
    """

    planar: bool
    features: Features


@inlined
def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):
    """Nearest points of a pair of features; see ``rods.closest``."""
    f, x0, x1, x2, y0, y1, y2 = nearest_features(interaction.features, g, i, j, pairs.sub[p], wx, wy, wz, np.inf)
    return f < reach * reach, f, x0, x1, x2, y0, y1, y2, 0


@inlined
def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p):
    """Features touch in points: no couples."""
    return 0.0, 0.0, 0.0, 0.0


@inlined
def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):
    """Distance of one vertex to a plane: walls are met vertex by vertex; see ``rods.closest_to_plane``."""
    x, y, z = vertex(g, i, pairs.sub[p])
    h = height + nx * x + ny * y + nz * z
    return h * h, h, x, y, z, 0


@inlined
def zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p):
    """No couples either."""
    return 0.0, 0.0, 0.0, 0.0
