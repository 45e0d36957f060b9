"""Features of spheropolytopes (vertices, edges, faces) and the nearest points between two of them.

A pair of features of two bodies is one number, ``sub``: its kind and the number of the feature on each body. Edges and faces are numbered within the
species; a vertex that bounds no edge, such as the centre of a sphere, counts as an edge of no length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...compiled.choices import larger, select, smaller
from ...compiled.jit import inlined
from ...compiled.vectors import ZERO, add, ahead, dot, negative, row, scale, square, subtract
from ...state.arrays import Features
from .outlines import Outline, area_vector, corner, nearest_on_face
from .segments import nearest_segments

VERTEX_EDGE, EDGE_VERTEX, EDGE_EDGE, VERTEX_FACE, FACE_VERTEX, EDGE_FACE, FACE_EDGE, FACE_FACE = range(8)
"""Kinds of pairs: feature of the first body, feature of the second. The last three count where they are parallel only (``flats``)."""
_BITS = 28
_MASK = (1 << _BITS) - 1


@inlined
def feature_pair(kind, first, second):
    """The number of a pair of features.

    Args:
        kind: kind of the pair, VERTEX_EDGE to FACE_FACE.
        first: number of the feature on the first body.
        second: number of the feature on the second body.
    """
    return (np.int64(kind) << (2 * _BITS)) | (np.int64(first) << _BITS) | np.int64(second)


@inlined
def kind_of(sub):
    """The kind of a pair of features.

    Args:
        sub: number of the pair.
    """
    return sub >> (2 * _BITS)


@inlined
def with_face(kind):
    """Whether a kind of pair is that of a vertex and a face.

    Args:
        kind: kind of the pair.
    """
    return (kind == VERTEX_FACE) | (kind == FACE_VERTEX)


@inlined
def first_of(sub):
    """The number of the feature on the first body.

    Args:
        sub: number of the pair.
    """
    return (sub >> _BITS) & _MASK


@inlined
def second_of(sub):
    """The number of the feature on the second body.

    Args:
        sub: number of the pair.
    """
    return sub & _MASK


class Bodies(NamedTuple):
    """Two bodies and how they lie to each other.

    Attributes:
        i: row of the first body in the grains' arrays, unsigned.
        j: row of the second body, unsigned.
        w: centre of the first less that of the second, nearest image (m).
    """

    i: int
    j: int
    w: tuple[float, float, float]


@inlined
def bodies_of(i, j, w):
    """The `Bodies` of two rows of any integer type; unsigned indices spare the check for negative ones.

    Args:
        i: row of the first body.
        j: row of the second body.
        w: centre of the first less that of the second, nearest image (m).
    """
    return Bodies(np.uintp(i), np.uintp(j), w)


class HalfSpace(NamedTuple):
    """The side of a plane on which a grain may be.

    Attributes:
        normal: unit normal into it.
        height: height of the grain's centre above the plane (m).
    """

    normal: Any
    height: Any


@inlined
def turned(bodies):
    """The same two bodies in the opposite order.

    Args:
        bodies: `Bodies`.
    """
    return Bodies(bodies.j, bodies.i, negative(bodies.w))


@inlined
def vertex(g, i, k):
    """A core vertex of a grain relative to its centre (m); the centre itself where the grain has no vertices.

    Args:
        g: `Grains`.
        i: row of the grain.
        k: number of the vertex.
    """
    n = np.uintp(g.vert_start[i] + k)
    if g.vert_start[i + 1] == g.vert_start[i]:
        return ZERO
    return row(g.vert, n)


@inlined
def edge(f, g, i, k):
    """Where an edge of a grain lies.

    Args:
        f: `Features`.
        g: `Grains`.
        i: row of the grain.
        k: number of the edge.

    Returns:
        its middle relative to the grain's centre (m), and half the vector from its first vertex to its second (m).
    """
    e = np.uintp(f.edge_start[g.species[i]] + k)
    a = vertex(g, i, f.edges[e, 0])
    b = vertex(g, i, f.edges[e, 1])
    return scale(0.5, add(a, b)), scale(0.5, subtract(b, a))


@inlined
def outline(f, g, i, k):
    """The `Outline` of a face of a grain.

    Args:
        f: `Features`.
        g: `Grains`.
        i: row of the grain.
        k: number of the face.
    """
    face = f.face_start[g.species[i]] + k
    return Outline(g.vert, g.vert_start[i], f.loops, f.loop_start[face], f.loop_start[face + 1])


@inlined
def anchor(f, g, j, sub):
    """A point of the second feature of a pair, relative to the centre of its body (m): its nearest image is that of the feature.

    Args:
        f: `Features`.
        g: `Grains`.
        j: row of the second body.
        sub: number of the pair of features.
    """
    kind, k = kind_of(sub), second_of(sub)
    if kind in (EDGE_VERTEX, FACE_VERTEX):
        return vertex(g, j, k)
    if kind == VERTEX_FACE:
        return vertex(g, j, f.loops[f.loop_start[f.face_start[g.species[j]] + k]])
    return edge(f, g, j, k)[0]


@inlined
def nearest_on_segment(p, middle, half):
    """Nearest point to p of the segment middle + s half, -1 <= s <= 1 (m); one text for a pair and for several in ``lanes``.

    Args:
        p: the point (m).
        middle: of the segment (m).
        half: half-axis of the segment (m).
    """
    u2 = square(half)
    s = smaller(1.0, larger(-1.0, dot(subtract(p, middle), half) / u2))
    return ahead(middle, select(u2 > 0.0, s, 0.0), half)


@inlined
def normal_of(f, g, i, k):
    """The plane of a face.

    Args:
        f: `Features`.
        g: `Grains`.
        i: row of the grain.
        k: number of the face.

    Returns:
        twice its area times its unit normal (m^2), and its first corner relative to the grain's centre (m).
    """
    face = outline(f, g, i, k)
    return area_vector(face), corner(face, face.first)


@inlined
def nearest_features(f, g, bodies, sub, reach2):
    """Nearest points of a pair of features.

    Args:
        f: `Features`.
        g: `Grains`.
        bodies: the two bodies.
        sub: number of the pair of features.
        reach2: squared distance (m^2) beyond which only a lower bound is wanted.

    Returns:
        squared distance (m^2), the point on the first body, the point on the second, each relative to its own centre (m).
    """
    i, j, w = bodies
    kind, a, b = kind_of(sub), first_of(sub), second_of(sub)
    if kind == EDGE_EDGE:
        m, u = edge(f, g, i, a)
        o, v = edge(f, g, j, b)
        d = subtract(add(w, m), o)
        s, t = nearest_segments(d, u, v)
        x, y = ahead(m, s, u), ahead(o, t, v)
    elif kind in (VERTEX_EDGE, VERTEX_FACE):
        x = vertex(g, i, a)
        p = add(w, x)
        if kind == VERTEX_EDGE:
            o, v = edge(f, g, j, b)
            y = nearest_on_segment(p, o, v)
        else:
            y = nearest_on_face(outline(f, g, j, b), p, reach2)
    else:
        y = vertex(g, j, b)
        p = subtract(y, w)
        if kind == EDGE_VERTEX:
            m, u = edge(f, g, i, a)
            x = nearest_on_segment(p, m, u)
        else:
            x = nearest_on_face(outline(f, g, i, a), p, reach2)
    return square(subtract(add(w, x), y)), x, y


def build_features(catalogue: Any) -> Features:
    """The features of all species; in two dimensions there are no faces, since only the outline touches.

    Args:
        catalogue: ``shapes.catalogue.Catalogue``.
    """
    c = catalogue
    rows: list[np.ndarray] = []
    real = np.diff(c.edge_start).astype(np.int32)
    for s, count in enumerate(c.kind):
        own = c.edges[c.edge_start[s] : c.edge_start[s + 1]]
        lone = np.setdiff1d(np.arange(count), own)
        rows.append(np.concatenate([own, np.stack([lone, lone], axis=1)]))
    start = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    edges = np.concatenate(rows).astype(np.int32)
    if (c.dimension == 2).all():
        return Features(start, edges, real, np.zeros_like(c.face_start), c.face_vertex_start[:1], c.face_vertices[:0])
    return Features(start, edges, real, c.face_start, c.face_vertex_start, c.face_vertices)
