"""Narrow phase for scenes whose cores are points and segments only: closed forms, no solver, no warm start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.choices import root, select, smaller
from ...compiled.jit import inlined
from ...compiled.lanes.memory import gather, members_at, pick, transpose, words
from ...compiled.lanes.types import spread
from ...compiled.vectors import ZERO, add, choose, cross, dot, negative, row, scale, square, subtract
from ..nearest.segments import nearest_segments, regularised_segments
from .rule import Rule, RuleInput


class Rods(NamedTuple):
    """Narrow phase for spheres and spherocylinders.

    Attributes:
        regularised: which rule: the regularised minimum or the nearest points.
        eps2: (ns,) squared regularisation of each species (1).
        kind: (ns,) int32 number of core vertices.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray


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
    species, nothing = members_at(g.species, rows), spread(0.0)
    eps2, nowhere = pick(interaction.eps2, species), (nothing, nothing, nothing)
    if g.vert.shape[0] == 0:
        return nowhere, eps2
    long = pick(interaction.kind, species) != 1
    ends = words(select(long, pick(g.vert_start, rows) + 1, 0))
    ux, uy, uz, _ = transpose(gather(g.vert, ends, 3, 0))
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
    return scale(select(a2 > 0.0, 1.0 / root(a2), a2), a)


@inlined
def zone_of_axes(u, v, bearing):
    """Half-length of the contact zone of two segments (m) and the axis it can rock about; one text for a pair and for several in ``lanes``.

    Args:
        u: half-axis of the first (m); zero for a sphere.
        v: half-axis of the second (m).
        bearing: ``rule.Bearing``.
    """
    a2, b2 = square(u), square(v)
    sine2, limit = square(cross(u, v)) / (a2 * b2), bearing.radius * bearing.overlap
    lever2 = smaller(a2, b2)
    lever2 = select(lever2 * sine2 > limit, limit / sine2, lever2)
    extended = (a2 > 0.0) & (b2 > 0.0)
    return select(extended, root(lever2), 0.0), choose(extended, rocking_axis(bearing.normal, u), ZERO)


@inlined
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone of two grains (m) and the axis it can rock about; see ``dispatch.zone``.

    Two segments at an angle theta touch along about sqrt(r delta)/sin(theta), at most along the shorter one; spheres in a point (no couples).
    """
    return zone_of_axes(axis(interaction, g, bodies.i), axis(interaction, g, bodies.j), bearing)


@inlined
def _on_plane(slope, u2, e2, height):
    """Where along a half-axis u the regularised distance to a plane is least, from -1 to 1; ``slope``: n.u (m), ``u2``: |u|^2, ``e2``: eps^2."""
    bottom = slope * slope + e2 * u2
    return min(1.0, max(-1.0, -height * slope / bottom)) if bottom > 0.0 else 0.0


@inlined
def weighted_to_plane(interaction, g, i, space, pairs, p, factor):
    """Minimum with heavier penalties over a plane, in closed form; see ``dispatch.weighted_to_plane``."""
    if not interaction.regularised:
        return 0.0, 0.0, ZERO, 0
    u = axis(interaction, g, i)
    slope, u2 = dot(space.normal, u), square(u)
    e2 = factor * interaction.eps2[g.species[i]]
    t = _on_plane(slope, u2, e2, space.height)
    h = space.height + t * slope
    return h * h + e2 * t * t * u2, h, scale(t, u), 0


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Minimiser of the distance of a grain to a plane, in closed form; see ``dispatch.closest_to_plane``."""
    u = axis(interaction, g, i)
    slope, u2 = dot(space.normal, u), square(u)
    t = 0.0
    if interaction.regularised:
        e2 = interaction.eps2[g.species[i]]
        t = _on_plane(slope, u2, e2, space.height)
    else:
        e2 = 0.0
        if abs(slope) > 1e-14 * np.sqrt(u2):
            t = -1.0 if slope > 0.0 else 1.0
    h = space.height + t * slope
    return h * h + e2 * t * t * u2, h, scale(t, u), 0


@inlined
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone of a grain on a plane (m) and its rocking axis.

    A segment whose regularised point lies between its ends bears as a whole; one tilted further, by theta, lies on delta/sin(theta) of its length.
    """
    u = axis(interaction, g, i)
    u2 = square(u)
    if u2 == 0.0:
        return 0.0, ZERO
    normal, _, delta = bearing
    size = np.sqrt(u2)
    rise = abs(dot(normal, u))
    lever = size
    if (g.x[i, 3] - delta) * rise > rise * rise + interaction.eps2[g.species[i]] * u2 and rise > delta:
        lever = delta * size / rise
    return lever, rocking_axis(normal, u)


def _fits(t: RuleInput) -> bool:
    return True


def _build(t: RuleInput) -> Rods:
    return Rods(t.name == "regularised", t.eps2, t.catalogue.kind)


RULE = Rule(
    interaction=Rods, fits=_fits, build=_build,
    closest=closest, closest_to_plane=closest_to_plane, zone=zone, zone_on_plane=zone_on_plane,
    weighted=weighted, weighted_to_plane=weighted_to_plane,
    serves_lanes=serves_lanes, closest_in_lanes=closest_in_lanes, zone_in_lanes=zone_in_lanes, keep_in_lanes=keep_in_lanes,
)  # fmt: skip
