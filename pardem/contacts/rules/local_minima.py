"""Every local minimum of the distance of two cores, convex or not: one contact each (Pournin's rule for grains of any shape).

Candidates are pairs of features, as under ``superposition``. A pair's nearest points x and y are a local minimum if no edge or face of one body that
holds x, with one of the other that holds y, has points nearer to each other. They are a contact if, besides, the line between them runs outside of
solids and leaves chains and shells where the rounding of its point ends (``exits``). The minimum is found with the functions that place the minima of
those other pairs, so rounding neither loses a minimum nor finds it twice. Each minimum belongs to one pair: to two faces, an edge and a face or two
edges that are parallel and face each other (``flats``); else to a vertex and a face, or to the edges of lowest number that hold x and y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import add, negative, square, subtract
from ...state.arrays import Features
from ..nearest.descents import edges_descend, faces_descend, over_a_face
from ..nearest.exits import leaves_at_radius
from ..nearest.features import (
    EDGE_EDGE,
    EDGE_FACE,
    FACE_EDGE,
    FACE_FACE,
    FACE_VERTEX,
    VERTEX_FACE,
    edge,
    first_of,
    kind_of,
    nearest_features,
    outline,
    second_of,
    turned,
    vertex,
)
from ..nearest.flats import LEAST, WORK_SIZE, edge_on_face, face_on_face, facing
from ..nearest.neighbours import (
    NONE,
    Neighbours,
    Place,
    at_vertex,
    build_neighbours,
    count_edges,
    count_faces,
    in_edge,
    in_face,
    incident_edge,
    incident_face,
    into_solid,
)
from ..nearest.outlines import over_face
from ..nearest.polytope_faces import TILT
from ..nearest.segments import nearest_segments
from .local_plane import closest_to_plane
from .rods import Nearest
from .rule import Rule, RuleInput, one_vertex


class LocalMinima(NamedTuple):
    """Narrow phase by local minima of the distance.

    Attributes:
        planar: two dimensions.
        features: features of all species.
        neighbours: neighbours of all species.
        work: (flats.WORK_SIZE,) float64 scratch.
    """

    planar: bool
    features: Features
    neighbours: Neighbours
    work: np.ndarray


@inlined
def _end_of(f, g, i, e, s):
    """The vertex of edge ``e`` at which its point s, -1 <= s <= 1, lies, to LEAST; -1 inside it."""
    k = f.edge_start[g.species[i]] + e
    a, b = f.edges[k, 0], f.edges[k, 1]
    return np.int64(a if s <= LEAST - 1.0 or a == b else (b if s >= 1.0 - LEAST else NONE))


@inlined
def _nearest_on_edges(f, g, bodies, a, b):
    """Where the nearest points of edge ``a`` of the first body and edge ``b`` of the second lie.

    Returns:
        the vertices there, -1 inside an edge; whether the edges are parallel and face each other, which counts as inside both.
    """
    m, u = edge(f, g, bodies.i, a)
    o, v = edge(f, g, bodies.j, b)
    d = subtract(add(bodies.w, m), o)
    if facing(d, u, v):
        return NONE, NONE, True
    s, t = nearest_segments(d, u, v)
    return _end_of(f, g, bodies.i, a, s), _end_of(f, g, bodies.j, b, t), False


@inlined
def _parallel_faces(interaction, g, bodies, sub, at_x, at_y):
    """Whether a face at x and an edge or a face at y, or an edge at x and a face at y, are parallel and have a part in common.

    Args:
        interaction: `LocalMinima`.
        g: `Grains`.
        bodies: the two bodies.
        sub: a pair of features that does not count.
        at_x: `Place` of x on the first body.
        at_y: `Place` of y on the second.
    """
    f, nb = interaction.features, interaction.neighbours
    a, b = g.species[bodies.i], g.species[bodies.j]
    kind, one, two = kind_of(sub), first_of(sub), second_of(sub)
    edges, faces = count_edges(nb, a, at_x), count_faces(nb, f, a, at_x)
    for n in range(count_faces(nb, f, b, at_y)):
        l, _ = incident_face(nb, f, b, at_y, n)
        for m in range(edges):
            e = incident_edge(nb, a, at_x, m)
            if not (kind == EDGE_FACE and e == one and l == two) and edge_on_face(f, g, bodies, e, l).share > 0.0:
                return True
        for m in range(faces):
            k, _ = incident_face(nb, f, a, at_x, m)
            if face_on_face(f, g, bodies, k, l, interaction.work).share > 0.0:
                return True
    for n in range(count_edges(nb, b, at_y)):
        e = incident_edge(nb, b, at_y, n)
        for m in range(faces):
            k, _ = incident_face(nb, f, a, at_x, m)
            if not (kind == FACE_EDGE and k == one and e == two) and edge_on_face(f, g, turned(bodies), e, k).share > 0.0:
                return True
    return False


@inlined
def _edges_meet(f, nb, g, bodies, one, two):
    """Whether the nearest points of two edges belong to these: they are the nearest points of all edges there, and these have the lowest numbers.

    Args:
        f: `Features`.
        nb: `Neighbours`.
        g: `Grains`.
        bodies: the two bodies.
        one: edge of the first body.
        two: edge of the second.

    Returns:
        the answer, and the `Place` of each point.
    """
    a, b = g.species[bodies.i], g.species[bodies.j]
    va, vb, level = _nearest_on_edges(f, g, bodies, one, two)
    at_x, at_y = Place(va, one, NONE), Place(vb, two, NONE)
    if (va >= 0 and incident_edge(nb, a, at_x, 0) != one) or (vb >= 0 and incident_edge(nb, b, at_y, 0) != two):
        return False, at_x, at_y
    if not level:
        for m in range(count_edges(nb, a, at_x)):
            for n in range(count_edges(nb, b, at_y)):
                v, w, other = _nearest_on_edges(f, g, bodies, incident_edge(nb, a, at_x, m), incident_edge(nb, b, at_y, n))
                if other or v != va or w != vb:
                    return False, at_x, at_y
    return True, at_x, at_y


@inlined
def _vertex_meets_face(interaction, g, bodies, v, k, a):
    """Whether vertex ``v`` of the first body lies over face ``k`` of the second and no edge goes on from there along a, the way to the face."""
    if not over_face(outline(interaction.features, g, bodies.j, k), add(bodies.w, vertex(g, bodies.i, v))):
        return False
    return not edges_descend(interaction, g, bodies.i, v, a)


@inlined
def _belongs(interaction, g, bodies, sub, a):
    """Whether a local minimum at the nearest points of a pair of features would belong to this pair.

    Args:
        interaction: `LocalMinima`.
        g: `Grains`.
        bodies: the two bodies.
        sub: number of the pair of features.
        a: vector from the point on the first body to that on the second (m).

    Returns:
        the answer, and the `Place` of each point.
    """
    kind, one, two = kind_of(sub), first_of(sub), second_of(sub)
    if kind == EDGE_EDGE:
        return _edges_meet(interaction.features, interaction.neighbours, g, bodies, one, two)
    if kind == VERTEX_FACE:
        return _vertex_meets_face(interaction, g, bodies, one, two, a), at_vertex(one), in_face(two)
    if kind == FACE_VERTEX:
        return _vertex_meets_face(interaction, g, turned(bodies), two, one, negative(a)), in_face(one), at_vertex(two)
    if kind == EDGE_FACE:
        return True, in_edge(one), in_face(two)
    if kind == FACE_EDGE:
        return True, in_face(one), in_edge(two)
    return True, in_face(one), in_face(two)


@inlined
def _goes_on(interaction, g, bodies, at_x, at_y, a):
    """Whether a face of the first body at x goes on along a, the way to y, or lies below the vertex of the second body that is y."""
    if at_x.vertex < 0 and at_x.edge < 0:
        return False
    if faces_descend(interaction, g, bodies.i, at_x, a):
        return True
    return at_y.vertex >= 0 and over_a_face(interaction, g, bodies.i, at_x, subtract(vertex(g, bodies.j, at_y.vertex), bodies.w))


@inlined
def _is_minimum(interaction, g, bodies, sub, x, y):
    """Whether the nearest points of a pair of features are a local minimum that belongs to it (see above).

    Args:
        interaction: `LocalMinima`.
        g: `Grains`.
        bodies: the two bodies.
        sub: number of the pair of features.
        x: the point on the first body, relative to its centre (m).
        y: the point on the second, relative to its centre (m).
    """
    a = subtract(subtract(y, x), bodies.w)
    belongs, at_x, at_y = _belongs(interaction, g, bodies, sub, a)
    if not belongs:
        return False
    back = negative(a)
    if into_solid(interaction, g, bodies.i, at_x, a) or into_solid(interaction, g, bodies.j, at_y, back):
        return False
    if not (interaction.planar or kind_of(sub) == FACE_FACE):
        if _parallel_faces(interaction, g, bodies, sub, at_x, at_y):
            return False
        if _goes_on(interaction, g, bodies, at_x, at_y, a) or _goes_on(interaction, g, turned(bodies), at_y, at_x, back):
            return False
    return leaves_at_radius(interaction, g, bodies.i, x, a) and leaves_at_radius(interaction, g, bodies.j, y, back)


@inlined
def _nearest_flats(interaction, g, bodies, sub, reach):
    """Barycentre of what a face and an edge or a face have in common; see ``features.nearest_features``.

    Args:
        interaction: `LocalMinima`.
        g: `Grains`.
        bodies: the two bodies.
        sub: number of the pair of features.
        reach: distance at which the bodies touch (m).

    Returns:
        whether they are parallel and have a part in common; squared distance there (m^2), else of no less than any path that brings it about; the
        points.
    """
    f = interaction.features
    kind, one, two = kind_of(sub), first_of(sub), second_of(sub)
    if kind == FACE_EDGE:
        share, tilt2, y, x = edge_on_face(f, g, turned(bodies), two, one)
    elif kind == EDGE_FACE:
        share, tilt2, x, y = edge_on_face(f, g, bodies, one, two)
    else:
        share, tilt2, x, y = face_on_face(f, g, bodies, one, two, interaction.work)
    if share > 0.0:
        return True, square(subtract(add(bodies.w, x), y)), x, y
    # at an angle: the paths of the grains tell how far their furthest points, and so these, may have turned
    arm = np.sqrt(min(square(x), square(y)))
    gap = reach + max(0.0, arm * (np.sqrt(tilt2) - 4.0 * TILT))
    return False, gap * gap, x, y


@inlined
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Nearest points of a pair of features, in touch where they are a local minimum; see ``dispatch.closest``."""
    sub = pairs.sub[p]
    if kind_of(sub) >= EDGE_FACE:
        near, f, x, y = _nearest_flats(interaction, g, bodies, sub, reach)
        near = near and f < reach * reach
    else:
        f, x, y = nearest_features(interaction.features, g, bodies, sub, np.inf)
        near = f < reach * reach
    if near:
        near = _is_minimum(interaction, g, bodies, sub, x, y)
    return Nearest(near, f, x, y, 0)


@inlined
def stands_out(interaction, g, i, v, a):
    """Whether vertex ``v`` of grain ``i`` counts where it is nearest to a disc along a: unless an edge or a face goes on along a."""
    at = at_vertex(v)
    if into_solid(interaction, g, i, at, a):
        return False
    return not (edges_descend(interaction, g, i, v, a) or faces_descend(interaction, g, i, at, a))


def _fits(t: RuleInput) -> bool:
    return t.name == "minima" and not t.catalogue.convex[t.grains].all()


def _build(t: RuleInput) -> LocalMinima:
    planar = bool((t.catalogue.dimension == 2).all())
    return LocalMinima(planar, t.features, build_neighbours(t.catalogue, t.features), np.zeros(WORK_SIZE))


RULE = Rule(
    interaction=LocalMinima, fits=_fits, build=_build, candidates="features", flat_pairs=True, inherits=True,
    closest=closest, closest_to_plane=closest_to_plane, vertices_met=one_vertex, stands_out=stands_out,
)  # fmt: skip
