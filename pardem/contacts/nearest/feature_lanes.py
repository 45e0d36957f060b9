"""Nearest points of WIDTH pairs of features at once (``compiled.lanes``); ``features.nearest_features`` finds those of a single pair."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.choices import select
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import any_of
from ...compiled.lanes.memory import gather, members_at, pick, transpose, words
from ...compiled.lanes.types import spread
from ...compiled.vectors import add, ahead, choose, scale, square, subtract
from .features import EDGE_EDGE, VERTEX_EDGE, VERTEX_FACE, first_of, kind_of, nearest_on_segment, second_of
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
def _vertices(g, bodies, asked, k):
    """Vertices by their numbers, relative to the centres (m); whatever where they are not asked for."""
    nothing = spread(0.0)
    if g.vert.shape[0] == 0:
        return nothing, nothing, nothing
    x, y, z, _ = transpose(gather(g.vert, words(select(bodies.full & asked, bodies.base + k, 0)), 3, 0))
    return choose(bodies.full, (x, y, z), (nothing, nothing, nothing))


@inlined
def _edges(f, g, bodies, asked, k):
    """Middles and half-axes of edges by their numbers (m); whatever where they are not asked for."""
    e = select(asked, bodies.edges + k, 0)
    a = _vertices(g, bodies, asked, pick(f.edges, words(e + e)))
    b = _vertices(g, bodies, asked, pick(f.edges, words(e + e + 1)))
    return scale(0.5, add(a, b)), scale(0.5, subtract(b, a))


@inlined
def _outlines(f, g, bodies, asked, k):
    """Faces by their numbers."""
    face = words(select(asked, bodies.faces + k, 0))
    first = pick(f.loop_start, face)
    return Outline(g.vert, bodies.base, f.loops, first, select(asked, pick(f.loop_start[1:], face), first))


@inlined
def _vertices_and_edges(f, g, bodies, w, sub):
    """Nearest points of pairs of a vertex and an edge, in the plane; see ``nearest_in_lanes``."""
    outward, a, b = kind_of(sub) == VERTEX_EDGE, first_of(sub), second_of(sub)
    one, two = bodies
    every = sub == sub
    own = _vertices(g, _either(outward, one, two), every, select(outward, a, b))
    middle, half = _edges(f, g, _either(outward, two, one), every, select(outward, b, a))
    foot = nearest_on_segment(choose(outward, add(w, own), subtract(own, w)), middle, half)
    return choose(outward, own, foot), choose(outward, foot, own)


@inlined
def _edges_and_faces(f, g, bodies, w, sub):
    """Nearest points of pairs of edges, and of a vertex and a face, in space; see ``nearest_in_lanes``."""
    kind, a, b = kind_of(sub), first_of(sub), second_of(sub)
    one, two = bodies
    edges, outward = kind == EDGE_EDGE, kind == VERTEX_FACE
    (m, u), (o, v) = _edges(f, g, one, edges, a), _edges(f, g, two, edges, b)
    s, t = nearest_segments(subtract(add(w, m), o), u, v)
    x, y = ahead(m, s, u), ahead(o, t, v)
    faces = not edges
    if any_of(faces):
        own = _vertices(g, _either(outward, one, two), faces, select(outward, a, b))
        face = _outlines(f, g, _either(outward, two, one), faces, select(outward, b, a))
        foot = nearest_on_face(face, choose(outward, add(w, own), subtract(own, w)), np.inf)
        x, y = choose(edges, x, choose(outward, own, foot)), choose(edges, y, choose(outward, foot, own))
    return x, y


@inlined
def nearest_in_lanes(f, g, planar, i, j, w, sub):
    """Nearest points of WIDTH pairs of features.

    Args:
        f: `Features`.
        g: `Grains`.
        planar: two dimensions.
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies.
        w: centres of the first less those of the second, nearest images (m).
        sub: numbers of the pairs of features.

    Returns:
        squared distances (m^2), the points on the first bodies, the points on the second, each relative to its own centre (m).
    """
    bodies = _bodies(f, g, i), _bodies(f, g, j)
    if planar:
        x, y = _vertices_and_edges(f, g, bodies, w, sub)
    else:
        x, y = _edges_and_faces(f, g, bodies, w, sub)
    return square(subtract(add(w, x), y)), x, y
