"""Superposition of the contacts of all pairs of features, for grains of any shape, convex or not (papers 000 to 003).

In the plane every vertex of one grain meets every edge of the other; in space edges meet edges and vertices meet faces, a single vertex as an edge of
no length. Each pair of features is a contact of its own with the distance of its nearest points, so the force is the gradient of a sum of smooth
energies and conservative; one geometric contact may count several times (docs/theory/contacts.md). A candidate of the list is a pair of features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import dot_from
from ...state.arrays import Features
from ..nearest.features import nearest_features, vertex
from .rods import Nearest
from .rule import Rule, RuleInput, one_vertex


class Superposition(NamedTuple):
    """Narrow phase by pairs of features.

    Attributes:
        planar: two dimensions.
        features: features of all species.
    """

    planar: bool
    features: Features


@inlined
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Nearest points of a pair of features; see ``dispatch.closest``."""
    f, x, y = nearest_features(interaction.features, g, bodies, pairs.sub[p], np.inf)
    return Nearest(f < reach * reach, f, x, y, 0)


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Distance of one vertex to a plane: walls are met vertex by vertex; see ``dispatch.closest_to_plane``."""
    x = vertex(g, i, pairs.sub[p])
    h = dot_from(space.height, space.normal, x)
    return h * h, h, x, 0


def _fits(t: RuleInput) -> bool:
    return t.name == "superposition"


def _build(t: RuleInput) -> Superposition:
    return Superposition(bool((t.catalogue.dimension == 2).all()), t.features)


RULE = Rule(
    interaction=Superposition, fits=_fits, build=_build, candidates="features", couples=False, vertices_met=one_vertex,
    closest=closest, closest_to_plane=closest_to_plane,
)  # fmt: skip
