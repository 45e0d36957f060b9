"""Superposition of the contacts of all pairs of features, for grains of any shape, convex or not (papers 000 to 003).

In the plane every vertex of one grain meets every edge of the other; in space edges meet edges and vertices meet faces, a single vertex as an edge of
no length. Each pair of features is a contact of its own with the distance of its nearest points, so the force is the gradient of a sum of smooth
energies and conservative; one geometric contact may count several times (docs/theory/contacts.md). A candidate of the list is a pair of features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import words
from ...compiled.lanes.rows import gather, transpose
from ...compiled.lanes.types import ROW, spread
from ...compiled.vectors import dot_from, negative
from ...state.arrays import Features
from ..nearest.feature_lanes import nearest_in_lanes, outline_work
from ..nearest.features import kind_of, nearest_features, vertex, with_face
from .rods import Nearest
from .rule import Rule, RuleInput, one_vertex


class Superposition(NamedTuple):
    """Narrow phase by pairs of features.

    Attributes:
        features: features of all species.
        work: work space of faces (``nearest.feature_lanes``).
    """

    features: Features
    work: np.ndarray


@inlined
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Nearest points of a pair of features; see ``dispatch.closest``."""
    f, x, y = nearest_features(interaction.features, g, bodies, pairs.sub[p], np.inf)
    return Nearest(f < reach * reach, f, x, y, 0)


@inlined
def serves_lanes(interaction):
    """The forces of any pairs of features can be computed together; see ``dispatch.serves_lanes``."""
    return True


@inlined
def line(interaction, g, pairs, p):
    """Pairs with edges, and those with faces; see ``dispatch.line``."""
    return 2 if with_face(kind_of(pairs.sub[p])) else 1


@inlined
def closest_in_lanes(interaction, g, pairs, places, i, j, d):
    """Nearest points of WIDTH pairs of features of one ``line``; see ``dispatch.closest_in_lanes``."""
    f, x, y = nearest_in_lanes(interaction.features, g, (i, j), negative(d), pick(pairs.sub, places), interaction.work, False)
    return True, f, x, y, ()


@inlined
def zone_in_lanes(interaction, shape, bearing):
    """Features touch in points; see ``dispatch.zone_in_lanes``."""
    nothing = spread(0.0)
    return nothing, (nothing, nothing, nothing)


@inlined
def keep_in_lanes(interaction, shape, places, near, pairs):
    """Nothing is kept; see ``dispatch.keep_in_lanes``."""


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Distance of one vertex to a plane: walls are met vertex by vertex; see ``dispatch.closest_to_plane``."""
    x = vertex(g, i, pairs.sub[p])
    h = dot_from(space.height, space.normal, x)
    return h * h, h, x, 0


@inlined
def joins_on_plane(interaction, g, i, touching):
    """All vertices do; see ``dispatch.joins_on_plane``."""
    return True


@inlined
def closest_to_plane_in_lanes(interaction, g, pairs, places, i, space):
    """Distances of WIDTH vertices to planes; see ``dispatch.closest_to_plane_in_lanes``."""
    x, y, z, _ = transpose(gather(g.vert, words(pick(g.vert_start, i) + pick(pairs.sub, places)), ROW, 0))
    h = dot_from(space.height, space.normal, (x, y, z))
    return True, h * h, h, (x, y, z), ()


def _fits(t: RuleInput) -> bool:
    return t.name == "superposition"


def _build(t: RuleInput) -> Superposition:
    return Superposition(t.features, np.zeros(outline_work(t.features.loop_start)))


RULE = Rule(
    interaction=Superposition, fits=_fits, build=_build, candidates="features", sphere_vertices=True, couples=False, vertices_met=one_vertex,
    closest=closest, closest_to_plane=closest_to_plane,
    serves_lanes=serves_lanes, line=line, closest_in_lanes=closest_in_lanes, zone_in_lanes=zone_in_lanes, keep_in_lanes=keep_in_lanes,
    joins_on_plane=joins_on_plane, closest_to_plane_in_lanes=closest_to_plane_in_lanes,
)  # fmt: skip
