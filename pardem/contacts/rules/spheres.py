"""Narrow phase for scenes made of spheres only: the rule of points and segments, with a pair loop of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.lanes.types import spread
from ..sphere_pairs import sphere_contacts
from . import rods
from .rule import Rule, RuleInput


class Spheres(NamedTuple):
    """Narrow phase for spheres only.

    Attributes:
        regularised: which rule is meant; a point core has but one minimum. Planes are met by the rule of ``rods``.
        eps2: (ns,) squared regularisation of each species (1).
        kind: (ns,) int32 number of core vertices of each species: 1.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray


@inlined
def pair_loop(interaction, first, last, loop):
    """Forces of the candidate pairs in some rows of the list; see ``contacts.loop.contacts``.

    Args:
        interaction: `Spheres`.
        first: the first row.
        last: the row after the last.
        loop: ``contacts.pair_loop.PairLoop``.
    """
    sphere_contacts(first, last, loop)


@inlined
def joins_on_plane(interaction, g, i, touching):
    """All spheres do; see ``dispatch.joins_on_plane``."""
    return True


@inlined
def closest_to_plane_in_lanes(interaction, g, pairs, places, i, space):
    """Distances of the centres of WIDTH spheres to planes; see ``dispatch.closest_to_plane_in_lanes``."""
    h, nothing = space.height, spread(0.0)
    return True, h * h, h, (nothing, nothing, nothing), ()


def _fits(t: RuleInput) -> bool:
    return bool((t.catalogue.kind[t.grains] == 1).all())


def _build(t: RuleInput) -> Spheres:
    return Spheres(t.name == "regularised", t.eps2, t.catalogue.kind)


RULE = Rule(
    interaction=Spheres, fits=_fits, build=_build, paths=False, arms=False,
    closest=rods.closest, closest_to_plane=rods.closest_to_plane, zone=rods.zone, zone_on_plane=rods.zone_on_plane, pair_loop=pair_loop,
    joins_on_plane=joins_on_plane, closest_to_plane_in_lanes=closest_to_plane_in_lanes,
)  # fmt: skip
