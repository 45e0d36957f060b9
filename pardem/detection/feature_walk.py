"""Which features of two bodies may come within reach of each other: the trees of boxes over the features of both are walked together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined
from ..compiled.quaternions import transposed
from ..compiled.vectors import add, columns, dot, dot_from, magnitudes, nearest_image, negative, row, scale
from ..contacts.nearest.features import (
    EDGE_EDGE,
    EDGE_FACE,
    EDGE_VERTEX,
    FACE_EDGE,
    FACE_FACE,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    anchor,
    bodies_of,
    edge,
    feature_pair,
    nearest_features,
    normal_of,
)
from ..contacts.nearest.flats import sine2, sine2_faces
from ..state.arrays import Features, Grains
from .bounds import Periods
from .trees import EDGES, FACES, VERTICES, Trees

DEPTH = 128  # more than twice the levels of two trees


class Workspace(NamedTuple):
    """Arrays that the walks of one rebuild work in.

    Attributes:
        waiting: (DEPTH, 2) int64 stack of pairs of nodes that are still to be compared.
        tests: (1,) int64 number of pairs of boxes and of features that have been compared so far.
    """

    waiting: np.ndarray
    tests: np.ndarray


class FeatureTables(NamedTuple):
    """What a walk needs to know of all species, and which pairs of features it looks for.

    Attributes:
        features: edges and faces.
        trees: trees of boxes over the vertices, edges and faces.
        core_radius: (ns,) largest distance of a core vertex from the centre (m).
        planar: whether the simulation is two-dimensional.
        minima: whether the pairs are those of the interaction `minima` (edges with edges, and parallel features), not those of `superposition`.
    """

    features: Features
    trees: Trees
    core_radius: np.ndarray
    planar: bool
    minima: bool


class Walk(NamedTuple):
    """Input and output of the walks over the pairs of bodies of one list.

    Attributes:
        tables: tables of the species.
        g: arrays of the grains.
        periods: the periodic domain. Where it has periods, a feature of the second body counts in its own nearest image only.
        space: work space.
        entries: (capacity, 2) int32, filled with the row of the first body and the number that stands for the second in lists.
        sub: (capacity,) int64, filled with the pairs of features.
    """

    tables: FeatureTables
    g: Grains
    periods: Periods
    space: Workspace
    entries: np.ndarray
    sub: np.ndarray


def make_workspace() -> Workspace:
    """Allocate the work space of the walks of a rank."""
    return Workspace(np.empty((DEPTH, 2), np.int64), np.zeros(1, np.int64))


@inlined
def _boxes_apart(box, a, b, s, t, bodies):
    """Whether two boxes are further apart than the reach of two bodies along an axis of either body.

    Args:
        box: (nn, 6) boxes of `Trees`.
        a: node of the first body.
        b: node of the second.
        s: size factor of the first body.
        t: size factor of the second.
        bodies: `BodyPair`.

    Returns:
        True if they are; False decides nothing.
    """
    a, b = np.uintp(a), np.uintp(b)
    r, way, reach = bodies.axes, bodies.way, bodies.reach
    here, there = scale(s, row(box, a)), scale(t, row(box, b))
    h, k = scale(s, columns(box, a, 3)), scale(t, columns(box, b, 3))
    e = dot_from(way[0], r[0], there) - here[0], dot_from(way[1], r[1], there) - here[1], dot_from(way[2], r[2], there) - here[2]
    if (
        (abs(e[0]) > dot_from(h[0], magnitudes(r[0]), k) + reach)
        | (abs(e[1]) > dot_from(h[1], magnitudes(r[1]), k) + reach)
        | (abs(e[2]) > dot_from(h[2], magnitudes(r[2]), k) + reach)
    ):
        return True
    c = transposed(r)
    return (
        (abs(dot(c[0], e)) > dot_from(k[0], magnitudes(c[0]), h) + reach)
        | (abs(dot(c[1], e)) > dot_from(k[1], magnitudes(c[1]), h) + reach)
        | (abs(dot(c[2], e)) > dot_from(k[2], magnitudes(c[2]), h) + reach)
    )


@inlined
def _in_nearest_image(walk, bodies, pair):
    """Whether the first body meets its feature of the second in the nearest image of that feature; without periods there are no others."""
    if not walk.periods.periodic:
        return True
    a = add(bodies.d, anchor(walk.tables.features, walk.g, bodies.j, pair))
    b = nearest_image(a, walk.periods)
    return (b[0] == a[0]) & (b[1] == a[1]) & (b[2] == a[2])


@inlined
def _sine(f, g, i, j, kind, a, b):
    """Sine of the angle between a face and an edge or a face."""
    if kind == FACE_FACE:
        return np.sqrt(sine2_faces(normal_of(f, g, i, a)[0], normal_of(f, g, j, b)[0]))
    if kind == EDGE_FACE:
        return np.sqrt(sine2(edge(f, g, i, a)[1], normal_of(f, g, j, b)[0]))
    return np.sqrt(sine2(edge(f, g, j, b)[1], normal_of(f, g, i, a)[0]))


@inlined
def _shown(kind):
    """What the two bodies of a kind of pairs show to each other."""
    if kind in (VERTEX_EDGE, VERTEX_FACE):
        first = VERTICES
    else:
        first = EDGES if kind in (EDGE_VERTEX, EDGE_EDGE, EDGE_FACE) else FACES
    if kind in (EDGE_VERTEX, FACE_VERTEX):
        return first, VERTICES
    return first, EDGES if kind in (VERTEX_EDGE, EDGE_EDGE, FACE_EDGE) else FACES


@inlined
def _kinds(planar, minima):
    """First and last kind of pairs of features that count, and one more."""
    if planar:
        return (EDGE_EDGE, EDGE_EDGE + 1) if minima else (VERTEX_EDGE, EDGE_VERTEX + 1)
    return EDGE_EDGE, (FACE_FACE if minima else FACE_VERTEX) + 1


@inlined
def _take_leaves(kind, a, b, walk, bodies, found):
    """Compare the features of two leaves ``a`` and ``b`` and append the pairs within reach; the other arguments are as for `_walk_trees`."""
    f, g, i, j, d = walk.tables.features, walk.g, bodies.i, bodies.j, bodies.d
    span, order, reach2 = walk.tables.trees.span, walk.tables.trees.order, bodies.reach * bodies.reach
    walk.space.tests[0] += (span[a, 1] - span[a, 0]) * (span[b, 1] - span[b, 0])
    for p in range(span[a, 0], span[a, 1]):
        for q in range(span[b, 0], span[b, 1]):
            pair = feature_pair(kind, order[p], order[q])
            if kind >= EDGE_FACE:
                if _sine(f, g, i, j, kind, order[p], order[q]) > bodies.tilt:
                    continue
            elif nearest_features(f, g, bodies_of(i, j, negative(d)), pair, reach2)[0] > reach2:
                continue
            if not _in_nearest_image(walk, bodies, pair):
                continue
            if found < walk.sub.shape[0]:
                walk.entries[found, 0], walk.entries[found, 1], walk.sub[found] = i, bodies.second, pair
            found += 1
    return found


@inlined
def _walk_trees(kind, walk, bodies, found):
    """Append the pairs of features of one kind that come within reach; the other arguments are as for `list_features`."""
    g, trees, waiting = walk.g, walk.tables.trees, walk.space.waiting
    species_i, species_j = g.species[bodies.i], g.species[bodies.j]
    s, t = g.scale[bodies.i], g.scale[bodies.j]
    what_i, what_j = _shown(kind)
    leaf_i, leaf_j = trees.leaf[species_i, what_i], trees.leaf[species_j, what_j]
    root_i, root_j = trees.root[species_i, what_i], trees.root[species_j, what_j]
    waiting[0, 0], waiting[0, 1] = 0, 0
    left = 1 if leaf_i >= 0 and leaf_j >= 0 else 0
    while left > 0:
        left -= 1
        walk.space.tests[0] += 1
        m, n = waiting[left, 0], waiting[left, 1]
        a, b = root_i + m, root_j + n
        if _boxes_apart(trees.box, a, b, s, t, bodies):
            continue
        if m >= leaf_i and n >= leaf_j:
            found = _take_leaves(kind, a, b, walk, bodies, found)
            continue
        # open the larger box, so that what remains is of like size
        larger = s * (trees.box[a, 3] + trees.box[a, 4] + trees.box[a, 5]) >= t * (trees.box[b, 3] + trees.box[b, 4] + trees.box[b, 5])
        if n >= leaf_j or (m < leaf_i and larger):
            waiting[left, 0], waiting[left, 1], waiting[left + 1, 0], waiting[left + 1, 1] = 2 * m + 1, n, 2 * m + 2, n
        else:
            waiting[left, 0], waiting[left, 1], waiting[left + 1, 0], waiting[left + 1, 1] = m, 2 * n + 1, m, 2 * n + 2
        left += 2
    return found


@inlined
def list_features(walk, bodies, found):
    """Append the pairs of features of two bodies that come within reach; those of one kind follow each other.

    Args:
        walk: `Walk`, of which ``entries`` and ``sub`` are filled.
        bodies: `BodyPair`.
        found: number of entries so far.

    Returns:
        Number of entries. It may exceed the capacity; the entries beyond are not stored.
    """
    real = walk.tables.features.real
    lone_i, lone_j = real[walk.g.species[bodies.i]] == 0, real[walk.g.species[bodies.j]] == 0
    begin, end = _kinds(walk.tables.planar, walk.tables.minima)
    for kind in range(begin, end):
        # in the plane two single vertices meet once; a single vertex meets an outline as a vertex only
        if (kind == VERTEX_EDGE and lone_j and not lone_i) or (kind == EDGE_VERTEX and lone_i):
            continue
        found = _walk_trees(kind, walk, bodies, found)
    return found
