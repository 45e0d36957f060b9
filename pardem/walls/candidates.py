"""Which grains may meet which walls before the next rebuild."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, njit
from ..compiled.vectors import add, behind, columns, dot, dot_from, length, row
from ..contacts.nearest.features import EDGE_FACE, FACE_FACE, VERTEX_FACE, feature_pair, vertex
from ..contacts.rules.compounds import piece_of
from .surfaces.analytic import from_wall
from .surfaces.kinds import BODY, CYLINDER, DISC, PIERCED, PLANE
from .surfaces.pierced import list_parts


class _Meeting(NamedTuple):
    """A grain and a wall.

    Attributes:
        i: row of the grain.
        k: the wall.
        centre: of the grain, relative to the wall's point (m).
        normal: of the wall, or its axis.
        height: of the centre along the normal (m).
        reach: of the grain's vertices: its sphero-radius and what the wall may move (m).
    """

    i: int
    k: int
    centre: tuple[float, float, float]
    normal: tuple[float, float, float]
    height: float
    reach: float


@inlined
def _out_of_reach(kind, height, x, axis, radius, reach):
    """Whether a ball stays clear of a wall.

    Args:
        kind: of the wall.
        height: of the ball's middle along the normal, relative to the wall's point (m).
        x: the ball's middle, relative to the wall's point (m).
        axis: normal or axis of the wall.
        radius: of a cylinder (m).
        reach: radius of the ball (m).
    """
    if kind == CYLINDER:
        return length(behind(x, height, axis)) + reach < radius
    if kind in (DISC, PIERCED):
        return abs(height) > reach
    return height > reach


@inlined
def _lowest(g, parts, i, m, n):
    """Height of the lowest vertex of piece ``m`` of grain ``i`` over its centre, along n (m)."""
    _, first, count = piece_of(parts, g, i, m)
    low = np.inf
    for k in range(first, first + count):
        low = min(low, dot(row(g.vert, k), n))
    return low


@inlined
def _put(entries, found, i, k, sub):
    """Write an entry to row ``found``, if there is room; returns the next row."""
    if found < entries.shape[0]:
        entries[found, 0], entries[found, 1], entries[found, 2] = i, k, sub
    return found + 1


@inlined
def _list_features(f, g, i, k, entries, found):
    """List the vertices, edges and faces of a grain, each as a pair with a face; returns the number of entries."""
    a = g.species[i]
    for m in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        found = _put(entries, found, i, k, feature_pair(VERTEX_FACE, m, 0))
    for m in range(f.edge_start[a + 1] - f.edge_start[a]):
        found = _put(entries, found, i, k, feature_pair(EDGE_FACE, m, 0))
    for m in range(f.face_start[a + 1] - f.face_start[a]):
        found = _put(entries, found, i, k, feature_pair(FACE_FACE, m, 0))
    return found


@inlined
def _list_vertices(walls, g, parts, meeting, entries, found):
    """List the outer vertices of a grain that a wall may meet; returns the number of entries."""
    i, k, kind, normal = meeting.i, meeting.k, walls.kind[meeting.k], meeting.normal
    outer = parts.vertex_start[g.species[i]]
    for m in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        if parts.outer[outer + m] == 0:
            continue
        x = vertex(g, i, m)
        rise = dot_from(meeting.height, x, normal)
        if not _out_of_reach(kind, rise, add(meeting.centre, x), columns(walls.pose, k, 9), walls.shape[k, 6], meeting.reach):
            found = _put(entries, found, i, k, m)
    return found


@inlined
def _list_pieces(walls, g, parts, meeting, entries, found):
    """List the pieces of a grain that a wall may meet; returns the number of entries."""
    i, k = meeting.i, meeting.k
    pieces = parts.start[g.species[i] + 1] - parts.start[g.species[i]]
    for m in range(pieces):
        if pieces > 1 and walls.kind[k] == PLANE and meeting.height + _lowest(g, parts, i, m, meeting.normal) > meeting.reach:
            continue
        found = _put(entries, found, i, k, m)
    return found


@njit
def find_wall_pairs(owned, g, walls, parts, radius, extra, by_vertex, minima, entries):
    """Candidate contacts of owned grains with walls, in the order of grains; of walls that are met vertex by vertex those of the vertices in reach.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        walls: `state.Walls`.
        parts: pieces of all species: each may meet a plane or a disc.
        radius: (N,) bounding radii (m).
        extra: (W,) reach beyond the grain for each wall: skin and what the wall may move (m).
        by_vertex: whether every wall is met vertex by vertex; otherwise the inside of a cylinder only.
        minima: whether planes are met by the vertices, edges and faces of grains.
        entries: (capacity, 3) int64: grain, wall, and vertex or piece, or the grain's feature as a pair with a face, or (``pierced``) its part.

    Returns:
        number of entries; where it exceeds the capacity, call again with a larger array.
    """
    found = 0
    for i in range(owned):
        for k in range(walls.kind.shape[0]):
            h, normal, height = from_wall(walls, g, i, k)
            kind, radius_k = walls.kind[k], walls.shape[k, 6]
            if kind == BODY:
                continue  # by features: ``bodies.find_near_bodies``
            meeting = _Meeting(i, k, h, normal, height, g.x[i, 3] + extra[k])
            if _out_of_reach(kind, height, meeting.centre, columns(walls.pose, k, 9), radius_k, radius[i] + extra[k]):
                continue
            if kind == PIERCED:
                found = list_parts(walls, g, i, k, meeting.centre, meeting.reach, entries, found)
            elif minima and kind == PLANE:
                found = _list_features(walls.features, g, i, k, entries, found)
            elif by_vertex or kind == CYLINDER:
                found = _list_vertices(walls, g, parts, meeting, entries, found)
            else:
                found = _list_pieces(walls, g, parts, meeting, entries, found)
    return found
