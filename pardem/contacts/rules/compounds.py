"""Narrow phase for grains of convex pieces: a regularised contact for each pair of pieces that touch, with a history and warm start of its own.

A candidate of the list is a pair of pieces. The regularisation of a piece is counted from the piece's own centre, which is fixed in the body, so
every contact is smooth and conservative as between convex grains; a grain of one piece has the bits that it has under ``polytopes``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.quaternions import matrix, orientation, times
from ...compiled.vectors import ZERO, add, dot, dot_from, put_columns, row, scale, subtract
from ...shapes.compound import outer_vertices
from ...state.arrays import Parts
from ..nearest.features import HalfSpace, first_of, second_of
from ..nearest.polytope_active import Core
from ..nearest.polytope_pair import TwoCores, minimum
from ..nearest.polytope_plane import regularised_plane
from ..nearest.regularised import regularised_polytopes
from .polytope_cores import begin, heavier, penalties, remember
from .polytope_zones import feature_zone, feature_zone_on_plane
from .polytopes import WORK_SIZE
from .rods import Nearest
from .rods import closest as rod_closest
from .rods import closest_to_plane as rod_closest_to_plane
from .rods import weighted as rod_weighted
from .rods import weighted_to_plane as rod_weighted_to_plane
from .rods import zone as rod_zone
from .rods import zone_on_plane as rod_zone_on_plane
from .rule import Rule, RuleInput


class Pieces(NamedTuple):
    """Narrow phase for grains of convex pieces, by the regularised rule.

    Attributes:
        regularised: True: pieces meet by the regularised minimum.
        eps2: (ns,) squared regularisation of each species (1).
        kind: (ns,) int32 number of core vertices of each species.
        parts: pieces of all species.
        work: (polytopes.WORK_SIZE,) float64 scratch of the solvers.
        scratch: (2 m, 3) vertices of two pieces about their own centres (m).
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray
    parts: Parts
    work: np.ndarray
    scratch: np.ndarray


def build_parts(catalogue: Any) -> Parts:
    """The convex pieces of all species.

    Args:
        catalogue: ``shapes.catalogue.Catalogue``.
    """
    rows, start = catalogue.piece_vertex_start, catalogue.piece_start
    species = np.repeat(np.arange(len(start) - 1), np.diff(start))
    centre = np.zeros((len(species), 3))
    outer = np.ones(len(catalogue.vertices), np.uint8)
    for s in np.flatnonzero(np.diff(start) > 1):
        a, b = catalogue.vertex_start[s : s + 2]
        outer[a:b] = outer_vertices(catalogue.vertices[a:b])
        for n in range(start[s], start[s + 1]):
            centre[n] = catalogue.vertices[rows[n] : rows[n + 1]].mean(axis=0)
    return Parts(start, rows[:-1] - catalogue.vertex_start[species], np.diff(rows), centre, catalogue.vertex_start, outer)


def build_interaction(catalogue: Any, eps2: np.ndarray, parts: Parts) -> Pieces:
    """The narrow phase for the species of a catalogue.

    Args:
        catalogue: ``shapes.catalogue.Catalogue``.
        eps2: (ns,) squared regularisation by species.
        parts: pieces of all species.
    """
    return Pieces(True, eps2, catalogue.kind, parts, np.zeros(WORK_SIZE), np.zeros((2 * int(parts.size.max()), 3)))


@inlined
def piece_of(parts, g, i, k):
    """Where a piece of a grain is found.

    Args:
        parts: pieces of all species.
        g: `Grains`.
        i: row of the grain.
        k: number of the piece.

    Returns:
        its row in the tables, its first vertex among those of all grains, its number of vertices.
    """
    n = parts.start[g.species[i]] + k
    return n, g.vert_start[i] + parts.first[n], parts.size[n]


@inlined
def _is_rod(parts, g, i):
    """Whether grain ``i`` is a sphere or a spherocylinder, for which there are closed forms."""
    s = g.species[i]
    return parts.start[s + 1] - parts.start[s] == 1 and g.vert_start[i + 1] - g.vert_start[i] <= 2


@inlined
def _centre(parts, g, i, n):
    """Centre of the piece in row ``n``, of grain ``i``, relative to the grain's (m)."""
    return times(matrix(orientation(g.q, i)), scale(g.scale[i], row(parts.centre, n)))


@inlined
def _about(vert, first, count, centre, scratch, place):
    """Put the vertices of a piece, relative to its centre, into ``scratch`` from row ``place`` on."""
    for k in range(count):
        put_columns(scratch, place + k, 0, subtract(row(vert, first + k), centre))


@inlined
def _both_rods(parts, g, bodies):
    """Whether both bodies are spheres or spherocylinders."""
    return _is_rod(parts, g, bodies.i) and _is_rod(parts, g, bodies.j)


@inlined
def _pieces_of(parts, g, bodies, sub):
    """The two pieces of a candidate: their rows in the tables, and their vertices, a ``polytope_pair.TwoCores``."""
    a, a0, na = piece_of(parts, g, bodies.i, first_of(sub))
    b, b0, nb = piece_of(parts, g, bodies.j, second_of(sub))
    return (a, b), TwoCores(g.vert, a0, na, b0, nb)


@inlined
def _centred(interaction, g, bodies, numbers, cores):
    """Two pieces, each about its own centre.

    Args:
        interaction: `Pieces`.
        g: `Grains`.
        bodies: the two ``features.Bodies``.
        numbers: rows of the pieces in the tables.
        cores: the vertices of the pieces, relative to the grains' centres.

    Returns:
        centre of the first piece less that of the second (m), their centres relative to the grains' (m), their ``polytope_pair.TwoCores``.
    """
    scratch, na, nb = interaction.scratch, cores.na, cores.nb
    a, b = _centre(interaction.parts, g, bodies.i, numbers[0]), _centre(interaction.parts, g, bodies.j, numbers[1])
    _about(g.vert, cores.a0, na, a, scratch, 0)
    _about(g.vert, cores.b0, nb, b, scratch, na)
    return subtract(add(bodies.w, a), b), a, b, TwoCores(scratch, 0, na, na, nb)


@inlined
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Minimiser of the regularised distance of a pair of pieces, relative to the grains' centres; see ``dispatch.closest``, ``polytopes.closest``."""
    if _both_rods(interaction.parts, g, bodies):
        return rod_closest(interaction, g, bodies, pairs, p, touching, reach)
    numbers, cores = _pieces_of(interaction.parts, g, bodies, pairs.sub[p])
    apart, start = begin(bodies.w, cores, pairs, p, touching, reach)
    if apart > 0.0:
        return Nearest(False, apart, ZERO, ZERO, 0)
    w, a, b, centred = _centred(interaction, g, bodies, numbers, cores)
    (f, x, y, sets), status = minimum(w, centred, penalties(interaction, g, bodies), start, interaction.work)
    x, y = add(x, a), add(y, b)
    near = f < reach * reach
    remember(pairs, p, touching, near, sets, subtract(add(bodies.w, x), y))
    return Nearest(near, f, x, y, status)


@inlined
def weighted(interaction, g, bodies, pairs, p, factor):
    """Minimum with heavier penalties of a pair of pieces by a cold solve, relative to the grains' centres; see ``dispatch.weighted``."""
    if _both_rods(interaction.parts, g, bodies):
        return rod_weighted(interaction, g, bodies, pairs, p, factor)
    numbers, cores = _pieces_of(interaction.parts, g, bodies, pairs.sub[p])
    w, a, b, centred = _centred(interaction, g, bodies, numbers, cores)
    eps2, cold = heavier(penalties(interaction, g, bodies), factor), (np.int64(0), np.int64(0))
    f, x, y, _, status = regularised_polytopes(w, centred, eps2, cold, interaction.work)
    return f, add(x, a), add(y, b), status


@inlined
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone of two pieces and its rocking axis (see ``polytopes.feature_zone``)."""
    if _both_rods(interaction.parts, g, bodies):
        return rod_zone(interaction, g, bodies, bearing, pairs, p)
    _, cores = _pieces_of(interaction.parts, g, bodies, pairs.sub[p])
    return feature_zone(cores, (pairs.warm[p, 0], pairs.warm[p, 1]), bearing)


@inlined
def _solve_on_plane(interaction, g, i, sub, space, eps2, start):
    """The regularised minimum of a piece, counted from its own centre, over a plane.

    Args:
        interaction: `Pieces`.
        g: `Grains`.
        i: row of the grain.
        sub: its piece.
        space: ``features.HalfSpace``, from the grain's centre.
        eps2: squared regularisation (1).
        start: active set to start from.

    Returns:
        f (m^2), height of the point (m), the point relative to the grain's centre (m), the active set, status.
    """
    parts, scratch = interaction.parts, interaction.scratch
    a, a0, na = piece_of(parts, g, i, sub)
    centre = _centre(parts, g, i, a)
    _about(g.vert, a0, na, centre, scratch, 0)
    above = space.height + dot(space.normal, centre)
    f, x, pack, status = regularised_plane(HalfSpace(space.normal, above), Core(scratch, 0, na), eps2, start, interaction.work)
    return f, dot_from(above, space.normal, x), add(x, centre), pack, status


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Minimiser of the distance of a piece of a grain to a plane, relative to the grain's centre; see ``dispatch.closest_to_plane``."""
    if _is_rod(interaction.parts, g, i):
        return rod_closest_to_plane(interaction, g, i, space, pairs, p, touching)
    warm = pairs.warm
    start = warm[p, 0] if touching else np.int64(0)
    f, h, x, start, status = _solve_on_plane(interaction, g, i, pairs.sub[p], space, interaction.eps2[g.species[i]], start)
    warm[p, 0] = start
    return f, h, x, status


@inlined
def weighted_to_plane(interaction, g, i, space, pairs, p, factor):
    """Minimum with heavier penalties of a piece by a cold solve, relative to the grain's centre; see ``dispatch.weighted_to_plane``."""
    if _is_rod(interaction.parts, g, i):
        return rod_weighted_to_plane(interaction, g, i, space, pairs, p, factor)
    e2 = factor * interaction.eps2[g.species[i]]
    f, h, x, _, status = _solve_on_plane(interaction, g, i, pairs.sub[p], space, e2, np.int64(0))
    return f, h, x, status


@inlined
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone of a piece on a plane and its rocking axis; the normal points to the plane."""
    if _is_rod(interaction.parts, g, i):
        return rod_zone_on_plane(interaction, g, i, bearing, pairs, p)
    _, a0, na = piece_of(interaction.parts, g, i, pairs.sub[p])
    return feature_zone_on_plane(Core(g.vert, a0, na), pairs.warm[p, 0], bearing.normal)


@inlined
def vertices_met(interaction, g, i, sub):
    """First vertex and the one after the last, within grain ``i``, of the piece that touches a wall."""
    n, _, count = piece_of(interaction.parts, g, i, sub)
    first = interaction.parts.first[n]
    return first, first + count


def _fits(t: RuleInput) -> bool:
    return t.name == "regularised" and not t.catalogue.convex[t.grains].all()


def _build(t: RuleInput) -> Pieces:
    return build_interaction(t.catalogue, t.eps2, t.parts)


RULE = Rule(
    interaction=Pieces, fits=_fits, build=_build, candidates="pieces", sphere_vertices=True, active_sets=True, vertices_met=vertices_met,
    closest=closest, closest_to_plane=closest_to_plane, zone=zone, zone_on_plane=zone_on_plane,
    weighted=weighted, weighted_to_plane=weighted_to_plane,
)  # fmt: skip
