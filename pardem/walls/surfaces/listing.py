"""Candidates of a grain with a wall: its vertices, its pieces or its features, one entry each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import add, dot, row
from ...contacts.nearest.features import EDGE_FACE, FACE_FACE, VERTEX_FACE, feature_pair, vertex
from ...contacts.rules.compounds import piece_of


class GrainNearWall(NamedTuple):
    """A grain that may reach a wall.

    Attributes:
        walls: `Walls`.
        g: `Grains`.
        parts: pieces of all species.
        i: row of the grain.
        k: the wall.
        centre: centre of the grain, relative to the wall's point (m).
        reach: reach of the grain's vertices: its sphero-radius, the skin and what the wall may move (m).
        by_vertex: whether the rule of contact meets every wall vertex by vertex.
        minima: whether it meets planes by the vertices, edges and faces of grains.
    """

    walls: Any
    g: Any
    parts: Any
    i: int
    k: int
    centre: tuple[float, float, float]
    reach: float
    by_vertex: bool
    minima: bool


@inlined
def put(entries, found, i, k, sub):
    """Append a candidate to the list, if it is not full.

    Args:
        entries: (capacity, 3) int64 candidates.
        found: number of entries so far.
        i: row of the grain.
        k: the wall.
        sub: sub-key: vertex, piece or feature of the grain, and part of the surface.

    Returns:
        number of entries now, counting those that did not fit.
    """
    if found < entries.shape[0]:
        entries[found, 0], entries[found, 1], entries[found, 2] = i, k, sub
    return found + 1


@inlined
def list_features(near, entries, found):
    """List the vertices, edges and faces of a grain, each as a pair with a face.

    Args:
        near: `GrainNearWall`.
        entries: (capacity, 3) int64 candidates.
        found: number of entries so far.

    Returns:
        number of entries now.
    """
    f, g, i = near.walls.features, near.g, near.i
    a = g.species[i]
    for m in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        found = put(entries, found, near.i, near.k, feature_pair(VERTEX_FACE, m, 0))
    for m in range(f.edge_start[a + 1] - f.edge_start[a]):
        found = put(entries, found, near.i, near.k, feature_pair(EDGE_FACE, m, 0))
    for m in range(f.face_start[a + 1] - f.face_start[a]):
        found = put(entries, found, near.i, near.k, feature_pair(FACE_FACE, m, 0))
    return found


def vertex_lister(out_of_reach: Callable[..., Any]) -> Any:
    """A compiled function ``(near, entries, found)`` that lists the outer vertices of a grain which a surface may meet.

    Args:
        out_of_reach: that function of the surface.
    """

    def list_vertices(near, entries, found):  # type: ignore[no-untyped-def]
        """List the outer vertices of the grain that the surface may meet; returns the next free row of ``entries``."""
        g, i = near.g, near.i
        outer = near.parts.vertex_start[g.species[i]]
        for m in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
            if near.parts.outer[outer + m] == 0:
                continue
            if not out_of_reach(near.walls, near.k, add(near.centre, vertex(g, i, m)), near.reach):
                found = put(entries, found, near.i, near.k, m)
        return found

    return inlined(list_vertices, cache=False)


@inlined
def pieces_of(near):
    """Number of convex pieces of a grain.

    Args:
        near: `GrainNearWall`.
    """
    species = near.g.species[near.i]
    return near.parts.start[species + 1] - near.parts.start[species]


@inlined
def list_pieces(near, entries, found):
    """List the pieces of a grain.

    Args:
        near: `GrainNearWall`.
        entries: (capacity, 3) int64 candidates.
        found: number of entries so far.

    Returns:
        number of entries now.
    """
    for m in range(pieces_of(near)):
        found = put(entries, found, near.i, near.k, m)
    return found


@inlined
def lowest(near, m, normal):
    """Height of the lowest vertex of a piece over the grain's centre (m).

    Args:
        near: `GrainNearWall`.
        m: number of the piece.
        normal: unit vector upwards.
    """
    _, first, count = piece_of(near.parts, near.g, near.i, m)
    low = np.inf
    for k in range(first, first + count):
        low = min(low, dot(row(near.g.vert, k), normal))
    return low
