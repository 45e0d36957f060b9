"""Nearest points of WIDTH pairs of features at once (``compiled.lanes``); ``features.nearest_features`` finds those of a single pair."""

from __future__ import annotations

import numpy as np

from ...compiled.choices import select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import most_of
from ...compiled.lanes.memory import pick, store
from ...compiled.lanes.places import either_place, lower_places, members_at, moved_by, words
from ...compiled.lanes.rows import gather, transpose
from ...compiled.lanes.types import ROW, WIDTH, lane, spread
from ...compiled.vectors import ZERO, add, ahead, choose, scale, square, subtract
from .features import EDGE_EDGE, EDGE_VERTEX, VERTEX_EDGE, VERTEX_FACE, first_of, kind_of, nearest_on_segment, second_of, with_face
from .outlines import OutlineLanes, nearest_on_face
from .segments import nearest_segments


@inlined
def _rows(g, rows):
    """Vertices in some rows (m)."""
    x, y, z, _ = transpose(gather(g.vert, rows, ROW, 0))
    return x, y, z


@inlined
def _among_all(start, g, bodies, k):
    """Numbers among the features of all species from those within the species of WIDTH bodies.

    Args:
        start: (ns + 1,) first feature of each species.
        g: `Grains`.
        bodies: rows of the bodies (a tuple of words).
        k: numbers within the species (a tuple of words).
    """
    if start.shape[0] == 2:  # one species
        return k
    return moved_by(members_at(start, members_at(g.species, bodies)), k)


@inlined
def vertices(g, bodies, k, bare):
    """Core vertices of WIDTH bodies by their numbers, relative to the centres (m); see ``features.vertex``.

    Args:
        g: `Grains`.
        bodies: rows of the bodies (a tuple of words).
        k: numbers of the vertices (a tuple of words).
        bare: whether there may be bodies without vertices, which have their centre instead.
    """
    rows = moved_by(members_at(g.vert_start, bodies), k)
    if not bare:
        return _rows(g, rows)
    nothing = spread(0.0)
    x, y, z = nothing, nothing, nothing
    if g.vert.shape[0] > 0:
        first = pick(g.vert_start, bodies)
        extended = pick(g.vert_start, moved_by(bodies, 1)) != first
        x, y, z = choose(extended, _rows(g, either_place(extended, rows, words(first - first))), ZERO)
    return x, y, z


@inlined
def _edges(f, g, bodies, k, bare):
    """Middles and half-axes of edges by their numbers (m); the rest as for `vertices`."""
    e = _among_all(f.edge_start, g, bodies, k)
    e = moved_by(e, e)  # a row has two numbers
    a = vertices(g, bodies, members_at(f.edges, e), bare)
    b = vertices(g, bodies, members_at(f.edges, moved_by(e, 1)), bare)
    return scale(0.5, add(a, b)), scale(0.5, subtract(b, a))


@inlined
def _outlines(f, g, bodies, k, work):
    """Faces by their numbers; their corners in the work space."""
    base, face = members_at(g.vert_start, bodies), _among_all(f.face_start, g, bodies, k)
    first, end = members_at(f.loop_start, face), members_at(f.loop_start, moved_by(face, 1))
    count = pick(f.loop_start, moved_by(face, 1)) - pick(f.loop_start, face)
    last, most = moved_by(end, -1), most_of(count)
    for m in range(most):
        x, y, z = _rows(g, moved_by(base, members_at(f.loops, lower_places(moved_by(first, m), last))))
        store(work, 3 * WIDTH * m, x)
        store(work, 3 * WIDTH * m + WIDTH, y)
        store(work, 3 * WIDTH * m + 2 * WIDTH, z)
    return OutlineLanes(work, count, 0, most)


@inlined
def nearest_in_lanes(f, g, bodies, w, sub, work, bare):
    """Nearest points of WIDTH pairs of features: all of two edges, all of a vertex and an edge, or all of a vertex and a face.

    Args:
        f: `Features`.
        g: `Grains`.
        bodies: rows of the first bodies (a tuple of words), rows of the second ones.
        w: centres of the first less those of the second, nearest images (m).
        sub: numbers of the pairs of features.
        work: (`outline_work`,) float64 work space.
        bare: whether some may have no vertices, and meet with their centres.

    Returns:
        squared distances (m^2), the points on the first bodies, the points on the second, each relative to its own centre (m).
    """
    i, j = bodies
    kind, a, b = kind_of(sub), words(first_of(sub)), words(second_of(sub))
    if lane(kind, 0) == EDGE_EDGE:
        (m, u), (o, v) = _edges(f, g, i, a, bare), _edges(f, g, j, b, bare)
        s, t = nearest_segments(subtract(add(w, m), o), u, v)
        x, y = ahead(m, s, u), ahead(o, t, v)
    else:
        outward = (kind == VERTEX_EDGE) | (kind == VERTEX_FACE)
        own = vertices(g, either_place(outward, i, j), either_place(outward, a, b), bare)
        met, k = either_place(outward, j, i), either_place(outward, b, a)
        p = choose(outward, add(w, own), subtract(own, w))
        if with_face(lane(kind, 0)):
            foot = nearest_on_face(_outlines(f, g, met, k, work), p, np.inf)
        else:
            middle, half = _edges(f, g, met, k, bare)
            foot = nearest_on_segment(p, middle, half)
        x, y = choose(outward, own, foot), choose(outward, foot, own)
    return square(subtract(add(w, x), y)), x, y


@inlined
def anchors(f, g, j, sub, bare):
    """``features.anchor`` of WIDTH pairs that `nearest_in_lanes` takes together.

    Args:
        f: `Features`.
        g: `Grains`.
        j: rows of the second bodies (a tuple of words).
        sub: numbers of the pairs of features.
        bare: whether some of the bodies may have no vertices, and are met with their centres.
    """
    kind, k = kind_of(sub), second_of(sub)
    if with_face(lane(kind, 0)):
        of_face = kind == VERTEX_FACE
        face = _among_all(f.face_start, g, j, words(select(of_face, k, 0)))
        loop = either_place(of_face, members_at(f.loop_start, face), words(k - k))
        return vertices(g, j, either_place(of_face, members_at(f.loops, loop), words(k)), False)
    of_vertex = kind == EDGE_VERTEX
    middle, _ = _edges(f, g, j, words(select(of_vertex, 0, k)), bare)
    return choose(of_vertex, vertices(g, j, words(select(of_vertex, k, 0)), bare), middle)


def outline_work(loop_start: np.ndarray) -> int:
    """Size of the work space for the corners of WIDTH faces.

    Args:
        loop_start: (nf + 1,) first entry of each face in ``Features.loops``.
    """
    return 3 * WIDTH * int(np.diff(loop_start).max(initial=0))
