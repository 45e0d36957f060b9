"""Where WIDTH grains meet walls of one surface, in lanes (``compiled.lanes``): what surfaces that serve several candidates at once share."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.choices import root, select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.memory import gather, moved_by, pick, transpose, words
from ...compiled.lanes.types import ROW, spread
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
    """

    solved: Any
    distance: Any
    x: Any
    link: Any
    lever: Any
    axis: Any


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
    return Met(solved, distance, x, link, lever, axis), above


@inlined
def vertices_of(g, one, sub):
    """Core vertices of WIDTH grains relative to their centres (m); the centre itself of grains without vertices.

    Args:
        g: `Grains`.
        one: `Candidates`.
        sub: (P,) int64 the vertex of each candidate.
    """
    nothing = spread(0.0)
    x, y, z = nothing, nothing, nothing
    if g.vert.shape[0] > 0:
        first = pick(g.vert_start, one.i)
        extended = pick(g.vert_start, moved_by(one.i, 1)) != first
        x, y, z, _ = transpose(gather(g.vert, words(select(extended, first + pick(sub, one.places), 0)), ROW, 0))
        x, y, z = choose(extended, (x, y, z), ZERO)
    return x, y, z
