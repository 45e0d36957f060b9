"""Nearest points of WIDTH pairs of features at once (``compiled.lanes``); ``features.nearest_features`` finds those of a single pair."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.choices import select
from ...compiled.jit import inlined
from ...compiled.lanes.memory import gather, members_at, pick, transpose, words
from ...compiled.lanes.types import lane, spread
from ...compiled.vectors import add, ahead, choose, scale, square, subtract
from .features import EDGE_EDGE, VERTEX_EDGE, VERTEX_FACE, first_of, kind_of, nearest_on_segment, second_of, with_face
from .outlines import Outline, nearest_on_face
from .segments import nearest_segments


class FeatureBodies(NamedTuple):
    """WIDTH bodies and where their vertices and features begin.

    Attributes:
        base: rows of their first vertices.
        full: which of them have vertices; the core of the others is their centre.
        edges: rows of their first edges in ``Features.edges``.
        faces: numbers of their first faces.
    """

    base: Any
    full: Any
    edges: Any
    faces: Any


@inlined
def _bodies(f, g, rows):
    base, species = pick(g.vert_start, rows), members_at(g.species, rows)
    return FeatureBodies(base, base < pick(g.vert_start[1:], rows), pick(f.edge_start, species), pick(f.face_start, species))


@inlined
def _either(condition, a, b):
    """The bodies of one side where a condition holds, of the other elsewhere."""
    full = a.full & condition | b.full & (not condition)
    return FeatureBodies(select(condition, a.base, b.base), full, select(condition, a.edges, b.edges), select(condition, a.faces, b.faces))


@inlined
def _vertices(g, bodies, k):
    """Vertices by their numbers, relative to the centres (m)."""
    nothing = spread(0.0)
    if g.vert.shape[0] == 0:
        return nothing, nothing, nothing
    x, y, z, _ = transpose(gather(g.vert, words(select(bodies.full, bodies.base + k, 0)), 3, 0))
    return choose(bodies.full, (x, y, z), (nothing, nothing, nothing))


@inlined
def _edges(f, g, bodies, k):
    """Middles and half-axes of edges by their numbers (m)."""
    e = bodies.edges + k
    a = _vertices(g, bodies, pick(f.edges, words(e + e)))
    b = _vertices(g, bodies, pick(f.edges, words(e + e + 1)))
    return scale(0.5, add(a, b)), scale(0.5, subtract(b, a))


@inlined
def _outlines(f, g, bodies, k):
    """Faces by their numbers."""
    face = words(bodies.faces + k)
    return Outline(g.vert, bodies.base, f.loops, pick(f.loop_start, face), pick(f.loop_start[1:], face))


@inlined
def nearest_in_lanes(f, g, i, j, w, sub):
    """Nearest points of WIDTH pairs of features: all of two edges, all of a vertex and an edge, or all of a vertex and a face.

    Args:
        f: `Features`.
        g: `Grains`.
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies.
        w: centres of the first less those of the second, nearest images (m).
        sub: numbers of the pairs of features.

    Returns:
        squared distances (m^2), the points on the first bodies, the points on the second, each relative to its own centre (m).
    """
    one, two = _bodies(f, g, i), _bodies(f, g, j)
    kind, a, b = kind_of(sub), first_of(sub), second_of(sub)
    if lane(kind, 0) == EDGE_EDGE:
        (m, u), (o, v) = _edges(f, g, one, a), _edges(f, g, two, b)
        s, t = nearest_segments(subtract(add(w, m), o), u, v)
        x, y = ahead(m, s, u), ahead(o, t, v)
    else:
        outward = (kind == VERTEX_EDGE) | (kind == VERTEX_FACE)
        own = _vertices(g, _either(outward, one, two), select(outward, a, b))
        met, k = _either(outward, two, one), select(outward, b, a)
        p = choose(outward, add(w, own), subtract(own, w))
        if with_face(lane(kind, 0)):
            foot = nearest_on_face(_outlines(f, g, met, k), p, np.inf)
        else:
            middle, half = _edges(f, g, met, k)
            foot = nearest_on_segment(p, middle, half)
        x, y = choose(outward, own, foot), choose(outward, foot, own)
    return square(subtract(add(w, x), y)), x, y
