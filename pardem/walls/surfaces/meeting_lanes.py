"""Where WIDTH grains meet walls of one surface, in lanes (``compiled.lanes``): what surfaces that serve several candidates at once share."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.choices import root, select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.rows import gather, transpose
from ...compiled.lanes.types import spread
from ...compiled.vectors import ZERO, choose, length, scale
from ...contacts.dispatch import closest_to_plane_in_lanes, zone_on_plane_in_lanes
from ...contacts.lane_forces import bearing_materials
from ...contacts.rules.rule import Bearing


class Candidates(NamedTuple):
    """WIDTH grains and walls of one surface that may touch, whose materials are in the first WIDTH columns of the batch.

    Attributes:
        places: places in the list (a tuple of words).
        i: rows of the grains (a tuple of words).
        k: the walls (a tuple of words).
        radius: sphero-radii of the grains (m).
        h: the grains' centres relative to the walls' points (m).
        normal: the walls' normals or axes, as they are turned now.
    """

    places: Any
    i: Any
    k: Any
    radius: Any
    h: Any
    normal: Any


class Met(NamedTuple):
    """Where WIDTH grains meet walls.

    Attributes:
        solved: whether all could be found.
        distance: (regularised) distances (m).
        x: points of the cores relative to the grains' centres (m).
        link: vectors from there to the surfaces (m).
        lever: half-lengths of the contact zones (m).
        axis: axes about which they can rock, unit vectors or zero.
        effective: effective radii of grains and walls (m).
    """

    solved: Any
    distance: Any
    x: Any
    link: Any
    lever: Any
    axis: Any
    effective: Any


@inlined
def columns_at(array, rows, width, first):
    """Three columns, from ``first`` on, in WIDTH rows of an array which has a fourth one behind.

    Args:
        array: (n, width) float64.
        rows: a tuple of words.
        width: number of columns of the array.
        first: the first of the three.
    """
    x, y, z, _ = transpose(gather(array, rows, width, first))
    return x, y, z


@inlined
def meet_half_spaces(loop, one, space):
    """Where WIDTH grains meet flat walls by the rule for planes.

    Args:
        loop: `place.WallLoop`.
        one: `Candidates`.
        space: ``features.HalfSpace``, normals and heights in lanes.

    Returns:
        the `Met`; heights of the points (m).
    """
    interaction, nothing = loop.interaction, spread(0.0)
    solved, f, above, x, shape = closest_to_plane_in_lanes(interaction, loop.g, loop.pairs, one.places, one.i, space)
    distance, link = select(above > 0.0, root(f), above), scale(-above, space.normal)
    torsion, rocking = bearing_materials(loop.pairs.scratch)
    bears, lever, axis = torsion + rocking != 0.0, nothing, (nothing, nothing, nothing)
    if any_of(bears):
        bearing = Bearing(scale(1.0 / length(link), link), one.radius, one.radius - distance)
        lever, axis = zone_on_plane_in_lanes(interaction, shape, bearing)
        lever, axis = select(bears, lever, 0.0), choose(bears, axis, ZERO)
    return Met(solved, distance, x, link, lever, axis, one.radius), above
