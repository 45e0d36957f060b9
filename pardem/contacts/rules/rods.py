"""Narrow phase for scenes whose cores are points and segments only: closed forms, no solver, no warm start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.choices import inverse_root, larger, root, select, smaller
from ...compiled.jit import inlined
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import members_at, words
from ...compiled.lanes.rows import column_at, gather, transpose
from ...compiled.lanes.types import ROW, spread
from ...compiled.vectors import ZERO, add, choose, cross, dot, negative, row, scale, square, subtract
from ..nearest.segments import nearest_segments, regularised_segments
from .rule import Rule, RuleInput


class Rods(NamedTuple):
    """Narrow phase for spheres and spherocylinders.

    Attributes:
        regularised: which rule: the regularised minimum or the nearest points.
        eps2: (ns,) squared regularisation of each species (1).
        kind: (ns,) int32 number of core vertices.
        alike: whether all species, those without grains included, have the same regularisation.
        segments: whether all species are segments.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray
    alike: bool
    segments: bool


class Nearest(NamedTuple):
    """Where two bodies are nearest to each other by a rule.

    Attributes:
        near: whether they can touch at all.
        f: squared (regularised) distance of the cores (m^2).
        x: the point on the first body, relative to its centre (m).
        y: the point on the second body, relative to its centre (m).
        status: 0, or what the solver reports.
    """

    near: Any
    f: Any
    x: Any
    y: Any
    status: Any


@inlined
def axis(interaction, g, i):
    """Half-axis vector of a spherocylinder (m); zero for a sphere.

    Args:
        interaction: `Rods`.
        g: `Grains`.
        i: row of the grain.
    """
    if interaction.kind[g.species[i]] == 1:
        return ZERO
    return row(g.vert, np.uintp(g.vert_start[i] + 1))


@inlined
def distance2(w, x, y, ea, eb):
    """Squared regularised distance (m^2) of two points."""
    f = square(subtract(add(w, x), y))
    return f + (ea * square(x) + eb * square(y))


@inlined
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Minimiser of the pair's distance function, in closed form; see ``dispatch.closest``."""
    i, j, w = bodies
    u, v = axis(interaction, g, i), axis(interaction, g, j)
    ea, eb = 0.0, 0.0
    if interaction.regularised:
        ea, eb = interaction.eps2[g.species[i]], interaction.eps2[g.species[j]]
        s, t = regularised_segments(w, u, v, ea, eb)
    else:
        s, t = nearest_segments(w, u, v)
    x, y = scale(s, u), scale(t, v)
    f = distance2(w, x, y, ea, eb)
    return Nearest(f < reach * reach, f, x, y, 0)


@inlined
def serves_lanes(interaction):
    """Whether the rule has a form without branches; see ``dispatch.serves_lanes``."""
    return interaction.regularised


@inlined
def _axes(interaction, g, rows):
    """Half-axes of the grains in WIDTH rows (m), zero for spheres, and their squared regularisations."""
    eps2 = spread(interaction.eps2[0]) if interaction.alike else pick(interaction.eps2, members_at(g.species, rows))
    if interaction.segments:  # two vertices each
        ux, uy, uz, _ = transpose(gather(g.vert, rows, 2 * ROW, ROW))
        return (ux, uy, uz), eps2
    nothing = spread(0.0)
    nowhere = (nothing, nothing, nothing)
    if g.vert.shape[0] == 0:
        return nowhere, eps2
    long = pick(interaction.kind, members_at(g.species, rows)) != 1
    ends = words(select(long, pick(g.vert_start, rows) + 1, 0))
    ux, uy, uz, _ = transpose(gather(g.vert, ends, ROW, 0))
    return choose(long, (ux, uy, uz), nowhere), eps2


@inlined
def closest_in_lanes(interaction, g, pairs, places, i, j, d):
    """Minimisers of the distance functions of WIDTH pairs, in closed form; see ``dispatch.closest_in_lanes``."""
    (u, ea), (v, eb) = _axes(interaction, g, i), _axes(interaction, g, j)
    w = negative(d)
    s, t = regularised_segments(w, u, v, ea, eb)
    x, y = scale(s, u), scale(t, v)
    return True, distance2(w, x, y, ea, eb), x, y, (u, v)


@inlined
def keep_in_lanes(interaction, axes, places, near, pairs):
    """Nothing is kept of a closed form; see ``dispatch.keep_in_lanes``."""


@inlined
def zone_in_lanes(interaction, axes, bearing):
    """Zones of WIDTH contacts; see ``dispatch.zone_in_lanes``."""
    return zone_of_axes(axes[0], axes[1], bearing)


@inlined
def weighted(interaction, g, bodies, pairs, p, factor):
    """Minimum with heavier penalties, in closed form; see ``dispatch.weighted``."""
    if not interaction.regularised:
        return 0.0, ZERO, ZERO, 0
    i, j, w = bodies
    u, v = axis(interaction, g, i), axis(interaction, g, j)
    ea, eb = factor * interaction.eps2[g.species[i]], factor * interaction.eps2[g.species[j]]
    s, t = regularised_segments(w, u, v, ea, eb)
    x, y = scale(s, u), scale(t, v)
    return distance2(w, x, y, ea, eb), x, y, 0


@inlined
def rocking_axis(normal, e):
    """Unit axis in the tangent plane about which an edge rocks; zero if there is none.

    Args:
        normal: unit normal.
        e: direction of the edge, of any length.
    """
    a = cross(normal, e)
    a2 = square(a)
    return scale(select(a2 > 0.0, inverse_root(a2), a2), a)


@inlined
def zone_of_axes(u, v, bearing):
    """Half-length of the contact zone of two segments (m) and the axis it can rock about; one text for a pair and for several in ``lanes``.

    Args:
        u: half-axis of the first (m); zero for a sphere.
        v: half-axis of the second (m).
        bearing: ``rule.Bearing``.
    """
    a2, b2 = square(u), square(v)
    across2, limit = square(cross(u, v)), bearing.radius * bearing.overlap * (a2 * b2)
    lever2 = smaller(a2, b2)
    lever2 = select(lever2 * across2 > limit, limit / across2, lever2)
    extended = (a2 > 0.0) & (b2 > 0.0)
    return select(extended, root(lever2), 0.0), choose(extended, rocking_axis(bearing.normal, u), ZERO)


@inlined
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone of two grains (m) and the axis it can rock about; see ``dispatch.zone``.

    Two segments at an angle theta touch along about sqrt(r delta)/sin(theta), at most along the shorter one; spheres in a point (no couples).
    """
    return zone_of_axes(axis(interaction, g, bodies.i), axis(interaction, g, bodies.j), bearing)


@inlined
def _over_plane(u, e2, space):
    """Where a segment is nearest to a plane; for one, or for several in lanes.

    Args:
        u: half-axis (m).
        e2: squared regularisation (1).
        space: ``features.HalfSpace``.

    Returns:
        squared regularised distance (m^2), height of the point (m), the point relative to the centre (m).
    """
    slope, u2 = dot(space.normal, u), square(u)
    bottom = slope * slope + e2 * u2
    t = select(bottom > 0.0, smaller(larger(-space.height * slope / bottom, -1.0), 1.0), 0.0)
    return _at_share(t, slope, u, e2, space)


@inlined
def _at_share(t, slope, u, e2, space):
    h = space.height + t * slope
    return h * h + e2 * t * t * square(u), h, scale(t, u)


@inlined
def weighted_to_plane(interaction, g, i, space, pairs, p, factor):
    """Minimum with heavier penalties over a plane, in closed form; see ``dispatch.weighted_to_plane``."""
    if not interaction.regularised:
        return 0.0, 0.0, ZERO, 0
    f, h, x = _over_plane(axis(interaction, g, i), factor * interaction.eps2[g.species[i]], space)
    return f, h, x, 0


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Minimiser of the distance of a grain to a plane, in closed form; see ``dispatch.closest_to_plane``."""
    u = axis(interaction, g, i)
    if interaction.regularised:
        f, h, x = _over_plane(u, interaction.eps2[g.species[i]], space)
    else:
        slope, t = dot(space.normal, u), 0.0
        if abs(slope) > 1e-14 * np.sqrt(square(u)):
            t = -1.0 if slope > 0.0 else 1.0
        f, h, x = _at_share(t, slope, u, 0.0, space)
    return f, h, x, 0


@inlined
def joins_on_plane(interaction, g, i, touching):
    """All grains do, where the rule has a form without branches; see ``dispatch.joins_on_plane``."""
    return interaction.regularised


@inlined
def closest_to_plane_in_lanes(interaction, g, pairs, places, i, space):
    """Minimisers of the distances of WIDTH grains to planes, in closed form; see ``dispatch.closest_to_plane_in_lanes``."""
    u, e2 = _axes(interaction, g, i)
    f, h, x = _over_plane(u, e2, space)
    return True, f, h, x, (u, e2, column_at(g.x, i, ROW, 3))


@inlined
def _zone_of_axis(u, e2, radius, bearing):
    """Half-length of the contact zone of a segment on a plane (m) and its rocking axis; for one, or for several in lanes.

    A segment whose regularised point lies between its ends bears as a whole; one tilted further, by theta, lies on delta/sin(theta) of its length.

    Args:
        u: half-axis (m).
        e2: squared regularisation (1).
        radius: sphero-radius (m).
        bearing: ``rule.Bearing``.
    """
    normal, _, delta = bearing
    u2 = square(u)
    size, rise = root(u2), abs(dot(normal, u))
    tilted = ((radius - delta) * rise > rise * rise + e2 * u2) & (rise > delta)
    lever, extended = select(tilted, delta * size / rise, size), u2 > 0.0
    return select(extended, lever, 0.0), choose(extended, rocking_axis(normal, u), ZERO)


@inlined
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone of a grain on a plane (m) and its rocking axis; see ``dispatch.zone_on_plane``."""
    return _zone_of_axis(axis(interaction, g, i), interaction.eps2[g.species[i]], g.x[i, 3], bearing)


@inlined
def zone_on_plane_in_lanes(interaction, shape, bearing):
    """Zones of WIDTH contacts with planes; see ``dispatch.zone_on_plane_in_lanes``."""
    return _zone_of_axis(shape[0], shape[1], shape[2], bearing)


def _fits(t: RuleInput) -> bool:
    return True


def _build(t: RuleInput) -> Rods:
    return Rods(t.name == "regularised", t.eps2, t.catalogue.kind, bool((t.eps2 == t.eps2[0]).all()), bool((t.catalogue.kind == 2).all()))


RULE = Rule(
    interaction=Rods, fits=_fits, build=_build,
    closest=closest, closest_to_plane=closest_to_plane, zone=zone, zone_on_plane=zone_on_plane,
    weighted=weighted, weighted_to_plane=weighted_to_plane,
    serves_lanes=serves_lanes, closest_in_lanes=closest_in_lanes, zone_in_lanes=zone_in_lanes, keep_in_lanes=keep_in_lanes,
    joins_on_plane=joins_on_plane, closest_to_plane_in_lanes=closest_to_plane_in_lanes, zone_on_plane_in_lanes=zone_on_plane_in_lanes,
)  # fmt: skip
