"""Superposition of the contacts of all pairs of features, for grains of any shape, convex or not (papers 000 to 003).

In the plane every vertex of one grain meets every edge of the other; in space edges meet edges and vertices meet faces, a single vertex as an edge of
no length. Each pair of features is a contact of its own with the distance of its nearest points, so the force is the gradient of a sum of smooth
energies and conservative; one geometric contact may count several times (docs/theory/contacts.md). A candidate of the list is a pair of features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined
from ..compiled.vectors import dot_from
from ..state import Features
from .features import nearest_features, pair_of, vertex


class Superposition(NamedTuple):
    """Narrow phase by pairs of features.

    Attributes:
        planar: two dimensions.
        features: of all species.
    """

    planar: bool
    features: Features


@inlined
def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):
    """Nearest points of a pair of features; see ``rods.closest``."""
    f, x, y = nearest_features(interaction.features, g, pair_of(i, j, (wx, wy, wz)), pairs.sub[p], np.inf)
    return f < reach * reach, f, x[0], x[1], x[2], y[0], y[1], y[2], 0


@inlined
def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p):
    """Features touch in points: no couples."""
    return 0.0, 0.0, 0.0, 0.0


@inlined
def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):
    """Distance of one vertex to a plane: walls are met vertex by vertex; see ``rods.closest_to_plane``."""
    x = vertex(g, i, pairs.sub[p])
    h = dot_from(height, (nx, ny, nz), x)
    return h * h, h, x[0], x[1], x[2], 0


@inlined
def zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p):
    """No couples either."""
    return 0.0, 0.0, 0.0, 0.0
