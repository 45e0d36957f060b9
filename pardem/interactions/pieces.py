"""Narrow phase for grains of convex pieces: a regularised contact for each pair of pieces that touch, with a history and warm start of its own.

A candidate of the list is a pair of pieces. The regularisation of a piece is counted from the piece's own centre, which is fixed in the body, so
every contact is smooth and conservative as between convex grains; a grain of one piece has the bits that it has under ``polytopes``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._jit import inlined
from ..compiled.quaternions import matrix, orientation, times
from ..compiled.vectors import row, scale
from ..shapes.compound import outer_vertices
from ..state import Parts
from .features import first_of, second_of
from .polytope_plane import regularised_plane
from .polytopes import WORK_SIZE, begin, feature_zone, feature_zone_on_plane, remember
from .regularised import regularised_polytopes
from .rods import closest as rod_closest
from .rods import closest_to_plane as rod_closest_to_plane
from .rods import weighted as rod_weighted
from .rods import weighted_to_plane as rod_weighted_to_plane
from .rods import zone as rod_zone
from .rods import zone_on_plane as rod_zone_on_plane


class Pieces(NamedTuple):
    """Narrow phase for grains of convex pieces, by the regularised rule.

    Attributes:
        regularised, eps2, kind: as in ``rods.Rods``. parts: pieces of all species.
        work: (polytopes.WORK_SIZE,) float64 scratch of the solvers. room: (2 m, 3) vertices of two pieces about their own centres (m).
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray
    parts: Parts
    work: np.ndarray
    room: np.ndarray


def build_parts(catalogue: Any) -> Parts:
    """The pieces of all species of a ``shapes.catalogue.Catalogue``."""
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
    """The narrow phase for a catalogue; ``eps2``: (ns,) squared regularisation by species."""
    return Pieces(True, eps2, catalogue.kind, parts, np.zeros(WORK_SIZE), np.zeros((2 * int(parts.size.max()), 3)))


@inlined
def piece_of(parts, g, i, k):
    """Piece ``k`` of grain ``i``: its row in the tables, its first vertex among those of all grains, its number of vertices."""
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
def _about(vert, first, count, cx, cy, cz, room, place):
    """Put the vertices of a piece, relative to its centre, into ``room`` from row ``place`` on."""
    for k in range(count):
        room[place + k, 0] = vert[first + k, 0] - cx
        room[place + k, 1] = vert[first + k, 1] - cy
        room[place + k, 2] = vert[first + k, 2] - cz


@inlined
def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):
    """Minimiser of the regularised distance of a pair of pieces, relative to the grains' centres; see ``rods.closest``, ``polytopes.closest``."""
    parts, room = interaction.parts, interaction.room
    if _is_rod(parts, g, i) and _is_rod(parts, g, j):
        return rod_closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach)
    a, a0, na = piece_of(parts, g, i, first_of(pairs.sub[p]))
    b, b0, nb = piece_of(parts, g, j, second_of(pairs.sub[p]))
    apart, start_a, start_b = begin(wx, wy, wz, g.vert, a0, na, b0, nb, pairs, p, touching, reach)
    if apart > 0.0:
        return False, apart, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    ax, ay, az = _centre(parts, g, i, a)
    bx, by, bz = _centre(parts, g, j, b)
    _about(g.vert, a0, na, ax, ay, az, room, 0)
    _about(g.vert, b0, nb, bx, by, bz, room, na)
    f, x0, x1, x2, y0, y1, y2, start_a, start_b, status = regularised_polytopes(
        wx + ax - bx, wy + ay - by, wz + az - bz, room, 0, na, na, nb, interaction.eps2[g.species[i]], interaction.eps2[g.species[j]],
        start_a, start_b, interaction.work,
    )  # fmt: skip
    x0, x1, x2, y0, y1, y2 = x0 + ax, x1 + ay, x2 + az, y0 + bx, y1 + by, y2 + bz
    near = f < reach * reach
    remember(pairs, p, touching, near, start_a, start_b, wx + x0 - y0, wy + x1 - y1, wz + x2 - y2)
    return near, f, x0, x1, x2, y0, y1, y2, status


@inlined
def weighted(interaction, g, i, j, wx, wy, wz, pairs, p, factor):
    """Minimum with heavier penalties of a pair of pieces by a cold solve, relative to the grains' centres; see ``rods.weighted``."""
    parts, room = interaction.parts, interaction.room
    if _is_rod(parts, g, i) and _is_rod(parts, g, j):
        return rod_weighted(interaction, g, i, j, wx, wy, wz, pairs, p, factor)
    a, a0, na = piece_of(parts, g, i, first_of(pairs.sub[p]))
    b, b0, nb = piece_of(parts, g, j, second_of(pairs.sub[p]))
    ax, ay, az = _centre(parts, g, i, a)
    bx, by, bz = _centre(parts, g, j, b)
    _about(g.vert, a0, na, ax, ay, az, room, 0)
    _about(g.vert, b0, nb, bx, by, bz, room, na)
    f, x0, x1, x2, y0, y1, y2, _, _, status = regularised_polytopes(
        wx + ax - bx, wy + ay - by, wz + az - bz, room, 0, na, na, nb, factor * interaction.eps2[g.species[i]],
        factor * interaction.eps2[g.species[j]], np.int64(0), np.int64(0), interaction.work,
    )  # fmt: skip
    return f, x0 + ax, x1 + ay, x2 + az, y0 + bx, y1 + by, y2 + bz, status


@inlined
def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p):
    """Half-length of the contact zone of two pieces and its rocking axis (see ``polytopes.feature_zone``)."""
    parts = interaction.parts
    if _is_rod(parts, g, i) and _is_rod(parts, g, j):
        return rod_zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p)
    _, a0, _ = piece_of(parts, g, i, first_of(pairs.sub[p]))
    _, b0, _ = piece_of(parts, g, j, second_of(pairs.sub[p]))
    return feature_zone(g.vert, a0, pairs.warm[p, 0], b0, pairs.warm[p, 1], nx, ny, nz, r_eff, delta)


@inlined
def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):
    """Minimiser of the distance of a piece of a grain to a plane, relative to the grain's centre; see ``rods.closest_to_plane``."""
    parts, room, warm = interaction.parts, interaction.room, pairs.warm
    if _is_rod(parts, g, i):
        return rod_closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching)
    a, a0, na = piece_of(parts, g, i, pairs.sub[p])
    ax, ay, az = _centre(parts, g, i, a)
    _about(g.vert, a0, na, ax, ay, az, room, 0)
    start = warm[p, 0] if touching else np.int64(0)
    above = height + (nx * ax + ny * ay + nz * az)
    f, x0, x1, x2, start, status = regularised_plane(nx, ny, nz, above, room, 0, na, interaction.eps2[g.species[i]], start, interaction.work)
    warm[p, 0] = start
    return f, above + nx * x0 + ny * x1 + nz * x2, x0 + ax, x1 + ay, x2 + az, status


@inlined
def weighted_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, factor):
    """Minimum with heavier penalties of a piece by a cold solve, relative to the grain's centre; see ``rods.weighted_to_plane``."""
    parts, room = interaction.parts, interaction.room
    if _is_rod(parts, g, i):
        return rod_weighted_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, factor)
    a, a0, na = piece_of(parts, g, i, pairs.sub[p])
    ax, ay, az = _centre(parts, g, i, a)
    _about(g.vert, a0, na, ax, ay, az, room, 0)
    above = height + (nx * ax + ny * ay + nz * az)
    e2 = factor * interaction.eps2[g.species[i]]
    f, x0, x1, x2, _, status = regularised_plane(nx, ny, nz, above, room, 0, na, e2, np.int64(0), interaction.work)
    return f, above + nx * x0 + ny * x1 + nz * x2, x0 + ax, x1 + ay, x2 + az, status


@inlined
def zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p):
    """Half-length of the contact zone of a piece on a plane and its rocking axis; n points to the plane."""
    if _is_rod(interaction.parts, g, i):
        return rod_zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p)
    _, a0, _ = piece_of(interaction.parts, g, i, pairs.sub[p])
    return feature_zone_on_plane(g.vert, a0, pairs.warm[p, 0], nx, ny, nz)


@inlined
def vertices_met(interaction, g, i, sub):
    """First vertex and the one after the last, within grain ``i``, of the piece that touches a wall."""
    n, _, count = piece_of(interaction.parts, g, i, sub)
    first = interaction.parts.first[n]
    return first, first + count
