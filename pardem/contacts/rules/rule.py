"""What a rule of contact declares: for which grains it is meant, what it asks of the rest of the program, and its kernels.

Each rule has a file of its own that ends in a `Rule`; ``contacts.dispatch`` lists them. What most rules share is the default here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.lanes.types import spread
from ...compiled.vectors import ZERO
from ...state.arrays import Features, Parts


class RuleInput(NamedTuple):
    """What an interaction may be built from.

    Attributes:
        catalogue: ``shapes.catalogue.Catalogue``.
        grains: its rows that have grains.
        name: ``contact.interaction`` of the case.
        eps2: (ns,) float64 squared regularisation by species.
        features: edges and faces of all species.
        parts: convex pieces of all species.
    """

    catalogue: Any
    grains: list[int]
    name: str
    eps2: np.ndarray
    features: Features
    parts: Parts


class Bearing(NamedTuple):
    """A contact that bears a load, as its zone follows from it.

    Attributes:
        normal: unit normal, from the first body to the second.
        radius: effective radius (m).
        overlap: (m).
    """

    normal: Any
    radius: Any
    overlap: Any


@inlined
def without_penalties(interaction, g, bodies, pairs, p, factor):
    """The ``weighted`` of a rule without penalties; arguments and result as of ``contacts.dispatch.weighted``."""
    return 0.0, ZERO, ZERO, 0


@inlined
def without_penalties_on_plane(interaction, g, i, space, pairs, p, factor):
    """The ``weighted_to_plane`` of a rule without penalties; arguments and result as of ``contacts.dispatch.weighted_to_plane``."""
    return 0.0, 0.0, ZERO, 0


@inlined
def in_a_point(interaction, g, bodies, bearing, pairs, p):
    """The ``zone`` of a contact in a point, which has no couples; arguments and result as of ``contacts.dispatch.zone``."""
    return 0.0, ZERO


@inlined
def in_a_point_on_plane(interaction, g, i, bearing, pairs, p):
    """The ``zone_on_plane`` of a contact in a point; arguments and result as of ``contacts.dispatch.zone_on_plane``."""
    return 0.0, ZERO


@inlined
def all_vertices(interaction, g, i, sub):
    """The ``vertices_met`` of a rule that asks for all of them; a sphere counts as one. See ``contacts.dispatch.vertices_met``."""
    return 0, max(1, g.vert_start[i + 1] - g.vert_start[i])


@inlined
def one_vertex(interaction, g, i, sub):
    """The ``vertices_met`` where walls are met vertex by vertex: that of the candidate. See ``contacts.dispatch.vertices_met``."""
    return sub, sub + 1


@inlined
def always(interaction, g, i, v, a):
    """The ``stands_out`` of a rule for which every vertex counts; see ``contacts.dispatch.stands_out``."""
    return True


@inlined
def alone_on_plane(interaction, g, i, touching):
    """The ``joins_on_plane`` of a rule that treats grains on planes one by one; see ``contacts.dispatch.joins_on_plane``."""
    return False


@inlined
def in_points_on_plane(interaction, shape, bearing):
    """The ``zone_on_plane_in_lanes`` of contacts in points; see ``contacts.dispatch.zone_on_plane_in_lanes``."""
    nothing = spread(0.0)
    return nothing, (nothing, nothing, nothing)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How two grains, or a grain and a plane, touch. The kernels' arguments and results are described in ``contacts.dispatch``.

    Attributes:
        interaction: class of the named tuple that holds the rule's tables; kernels are compiled for it.
        fits: whether the rule is the one for these grains; the first in the list that fits is taken.
        build: makes the named tuple.
        candidates: what a candidate of the lists is a pair of.
        flat_pairs: whether edges and faces are candidates with faces too, and planes are met by vertices, edges and faces.
        sphere_vertices: whether the core of a sphere is placed among the vertices as those of other shapes are.
        active_sets: whether a contact keeps the active sets of a solver (``Contacts.warm``).
        paths: whether candidates are passed over by how far their grains have gone (``Grains.path``, ``Contacts.free``).
        couples: whether contacts may have couples.
        arms: whether a history holds the contact's arm and zone of the step before; otherwise they follow from the normal.
        inherits: whether a contact that goes over to other features passes its history on to them (``contacts.inheritance``).
        closest: minimiser of the distance of a pair.
        closest_to_plane: minimiser of the distance of a grain to a plane.
        zone: zone of a contact between grains.
        zone_on_plane: zone of a contact with a plane.
        weighted: minimum of a pair with heavier penalties.
        weighted_to_plane: minimum of a grain over a plane with heavier penalties.
        vertices_met: which vertices of a grain touch a disc.
        stands_out: whether a vertex may touch a disc where it is nearest to it.
        pair_loop: the loop over candidate pairs, where the rule has one of its own.
        serves_lanes: whether several pairs can be treated at once, of which the next four are.
        line: which of the pairs that touch are treated together; None: all pairs that may touch.
        closest_in_lanes: minimisers of the distances of several pairs, or None if the rule treats pairs one by one.
        zone_in_lanes: zones of several contacts.
        keep_in_lanes: stores what the next step's search begins with.
        joins_on_plane: which grains at planes are treated together.
        closest_to_plane_in_lanes: minimisers of the distances of several grains to planes, or None if the rule treats them one by one.
        zone_on_plane_in_lanes: zones of several contacts with planes.
    """

    interaction: type
    fits: Callable[[RuleInput], bool]
    build: Callable[[RuleInput], Any]
    candidates: Literal["grains", "pieces", "features"] = "grains"
    flat_pairs: bool = False
    sphere_vertices: bool = False
    active_sets: bool = False
    paths: bool = True
    couples: bool = True
    arms: bool = True
    inherits: bool = False
    closest: Any
    closest_to_plane: Any
    zone: Any = in_a_point
    zone_on_plane: Any = in_a_point_on_plane
    weighted: Any = without_penalties
    weighted_to_plane: Any = without_penalties_on_plane
    vertices_met: Any = all_vertices
    stands_out: Any = always
    pair_loop: Any = None
    serves_lanes: Any = None
    line: Any = None
    closest_in_lanes: Any = None
    zone_in_lanes: Any = None
    keep_in_lanes: Any = None
    joins_on_plane: Any = alone_on_plane
    closest_to_plane_in_lanes: Any = None
    zone_on_plane_in_lanes: Any = in_points_on_plane

    @property
    def sparse_histories(self) -> bool:
        """Whether of the candidate pairs only those that touch have a row of histories (``contacts.history_rows``)."""
        return self.pair_loop is not None

    @property
    def lists_first(self) -> bool:
        """Whether lists hold the first body of each candidate, and have a larger work space (``Contacts.first``, ``Contacts.near``)."""
        return not self.inherits
