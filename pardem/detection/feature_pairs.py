"""Which pairs of features of two bodies may come within reach before the next rebuild.

The trees of boxes of the two bodies are walked together, a little beyond what is wanted now; what is found is kept until the two have moved relative
to each other by that little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.quaternions import half_angle_cosine, matrix, orientation, times, transposed
from ..compiled.vectors import add, columns, dot, dot_from, length, magnitudes, nearest_image, negative, put_row, row, scale, square, subtract
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
    vertex,
)
from ..contacts.nearest.flats import sine2, sine2_faces
from ..contacts.nearest.polytope_faces import TILT
from ..state.arrays import Features
from .bounds import periods_of
from .trees import EDGES, FACES, VERTICES, Trees

DEPTH = 128  # more than twice the levels of two trees


class Room(NamedTuple):
    """What the search works in.

    Attributes:
        waiting: (DEPTH, 2) int64 pairs of nodes to be looked at.
        tests: (1,) int64 how often two boxes or features were held against each other so far.
    """

    waiting: np.ndarray
    tests: np.ndarray


class Tables(NamedTuple):
    """What the search knows of all species, and which pairs it looks for.

    Attributes:
        features: edges and faces.
        trees: of boxes over them.
        core_radius: (ns,) largest distance of a core vertex from the centre (m).
        planar: two dimensions.
        minima: pairs for `minima`, edges and parallel features, instead of those for `superposition`.
    """

    features: Features
    trees: Trees
    core_radius: np.ndarray
    planar: bool
    minima: bool


class BodyPair(NamedTuple):
    """Two bodies.

    Attributes:
        i: row of the first.
        j: row of the second.
        second: what stands for the second in lists.
        d: centre of the second less that of the first (m).
        reach: between their cores (m).
        tilt: sine of the angle up to which features count as parallel.
        axes: the axes of the second in the frame of the first, by rows.
        way: d in the frame of the first (m).
    """

    i: int
    j: int
    second: int
    d: tuple[float, float, float]
    reach: float
    tilt: float
    axes: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
    way: tuple[float, float, float]


class Near(NamedTuple):
    """Pairs of bodies that are near.

    Attributes:
        row: (P, 2) int32 rows of the grains' arrays.
        second: (P,) int32 what stands for the second in lists: its row, or a wall.
        away: (P, 3) from centre to centre (m).
        extra: (P,) reach beyond contact (m).
        key: (P,) int64 that tells the pair from others, the same at every rebuild.
    """

    row: np.ndarray
    second: np.ndarray
    away: np.ndarray
    extra: np.ndarray
    key: np.ndarray


class FoundPairs(NamedTuple):
    """What was found between near bodies, for the next rebuild.

    Attributes:
        key: (P,) int64, see `Near`.
        start: (P + 1,) int64 first pair of features of each pair.
        sub: (M,) int64 pairs of features; those of pair p are ``sub[start[p]:start[p + 1]]``.
        pose: (P, 12) when the pair was searched: from centre to centre (m), quaternions of both bodies, how far beyond contact (m).
    """

    key: np.ndarray
    start: np.ndarray
    sub: np.ndarray
    pose: np.ndarray


SEARCHED = 11  # column of ``FoundPairs.pose``


def nothing_found() -> FoundPairs:
    """What is known before the first search."""
    return FoundPairs(np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty((0, SEARCHED + 1)))


def search_room() -> Room:
    """Room for the searches of one rebuild."""
    return Room(np.empty((DEPTH, 2), np.int64), np.zeros(1, np.int64))


@inlined
def relate(g, i, j, d):
    """How two bodies stand to each other.

    Args:
        g: `state.Grains`.
        i: row of the first body.
        j: row of the second.
        d: centre of the second less that of the first (m).

    Returns:
        the axes of the second in the frame of the first, by rows; d there (m).
    """
    a, b = transposed(matrix(orientation(g.q, i))), transposed(matrix(orientation(g.q, j)))
    return (times(b, a[0]), times(b, a[1]), times(b, a[2])), times(a, d)


@inlined
def boxes_apart(box, a, b, s, t, couple):
    """Whether two boxes are further apart than a couple's reach along an axis of either body.

    Args:
        box: (nn, 6) boxes of `Trees`.
        a: node of the first body.
        b: node of the second.
        s: size factor of the first body.
        t: size factor of the second.
        couple: the bodies.
    """
    a, b = np.uintp(a), np.uintp(b)
    r, way, reach = couple.axes, couple.way, couple.reach
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
def _in_nearest_image(f, g, couple, pair, periods):
    """Whether the first body meets its feature of the second in the nearest image of that feature; without periods there are no others."""
    if not periods.periodic:
        return True
    a = add(couple.d, anchor(f, g, couple.j, pair))
    b = nearest_image(a, periods)
    return (b[0] == a[0]) & (b[1] == a[1]) & (b[2] == a[2])


@inlined
def _arm(g, i):
    """Largest distance of a core vertex from its grain's centre (m)."""
    far = 0.0
    for k in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        far = max(far, square(vertex(g, i, k)))
    return np.sqrt(far)


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
def _tilt(g, i, j, reach):
    """Sine of the angle up to which features of two bodies may become parallel before the next search; negative: none.

    Points at the distance R from a centre go by half of what is searched beyond contact, so normals turn by that over 2 R.
    """
    arms = min(_arm(g, i), _arm(g, j))
    return 4.0 * TILT + (reach - g.x[i, 3] - g.x[j, 3]) / arms if arms > 0.0 else -1.0


@inlined
def _take_leaves(kind, a, b, tables, g, couple, periods, room, entries, sub, found):
    """Hold the features of two leaves against each other and append the pairs that come within reach; arguments as for `_walk`."""
    f, i, j, d = tables.features, couple.i, couple.j, couple.d
    span, order, reach2 = tables.trees.span, tables.trees.order, couple.reach * couple.reach
    room.tests[0] += (span[a, 1] - span[a, 0]) * (span[b, 1] - span[b, 0])
    for p in range(span[a, 0], span[a, 1]):
        for q in range(span[b, 0], span[b, 1]):
            pair = feature_pair(kind, order[p], order[q])
            if kind >= EDGE_FACE:
                if _sine(f, g, i, j, kind, order[p], order[q]) > couple.tilt:
                    continue
            elif nearest_features(f, g, bodies_of(i, j, negative(d)), pair, reach2)[0] > reach2:
                continue
            if not _in_nearest_image(f, g, couple, pair, periods):
                continue
            if found < sub.shape[0]:
                entries[found, 0], entries[found, 1], sub[found] = i, couple.second, pair
            found += 1
    return found


@inlined
def _walk(kind, tables, g, couple, periods, room, entries, sub, found):
    """Append the pairs of features of one kind that come within reach: two trees are walked together. Arguments as for `meet`."""
    trees, waiting = tables.trees, room.waiting
    species_i, species_j = g.species[couple.i], g.species[couple.j]
    s, t = g.scale[couple.i], g.scale[couple.j]
    what_i, what_j = _shown(kind)
    leaf_i, leaf_j = trees.leaf[species_i, what_i], trees.leaf[species_j, what_j]
    root_i, root_j = trees.root[species_i, what_i], trees.root[species_j, what_j]
    waiting[0, 0], waiting[0, 1] = 0, 0
    left = 1 if leaf_i >= 0 and leaf_j >= 0 else 0
    while left > 0:
        left -= 1
        room.tests[0] += 1
        m, n = waiting[left, 0], waiting[left, 1]
        a, b = root_i + m, root_j + n
        if boxes_apart(trees.box, a, b, s, t, couple):
            continue
        if m >= leaf_i and n >= leaf_j:
            found = _take_leaves(kind, a, b, tables, g, couple, periods, room, entries, sub, found)
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
def meet(tables, g, couple, periods, room, entries, sub, found):
    """Append the pairs of features of two bodies that come within reach; those of one kind follow each other.

    Args:
        tables: `Tables` of the species.
        g: `state.Grains`.
        couple: the bodies.
        periods: `bounds.Periods`; where it has periods, features of the second body count in their own nearest images only.
        room: from ``search_room``.
        entries: (capacity, 2) int32, filled with ``couple.i`` and ``couple.second``.
        sub: (capacity,) int64, filled with pairs of features.
        found: number of entries so far.

    Returns:
        number of entries, which may exceed the capacity: those beyond are not there.
    """
    real = tables.features.real
    lone_i, lone_j = real[g.species[couple.i]] == 0, real[g.species[couple.j]] == 0
    begin, end = _kinds(tables.planar, tables.minima)
    for kind in range(begin, end):
        # in the plane two single vertices meet once; a single vertex meets an outline as a vertex only
        if (kind == VERTEX_EDGE and lone_j and not lone_i) or (kind == EDGE_VERTEX and lone_i):
            continue
        found = _walk(kind, tables, g, couple, periods, room, entries, sub, found)
    return found


@inlined
def _moved(g, core_radius, i, j, away, pose):
    """How far points of two bodies can have moved relative to each other since they were searched.

    Args:
        g: `state.Grains`.
        core_radius: (ns,) of the species (m).
        i: row of the first body.
        j: row of the second.
        away: (3,) from centre to centre now (m).
        pose: (12,) a row of ``FoundPairs.pose``.

    Returns:
        distance (m).
    """
    same_i = half_angle_cosine(orientation(g.q, i), (pose[3], pose[4], pose[5], pose[6]))
    same_j = half_angle_cosine(orientation(g.q, j), (pose[7], pose[8], pose[9], pose[10]))
    reach_i, reach_j = core_radius[g.species[i]] * g.scale[i], core_radius[g.species[j]] * g.scale[j]
    # a point at the radius R moves by 2 R sin(angle / 2)
    turned = reach_i * np.sqrt(max(0.0, 1.0 - same_i * same_i)) + reach_j * np.sqrt(max(0.0, 1.0 - same_j * same_j))
    return length(subtract(away, pose)) + 2.0 * turned


@kernel
def find_feature_pairs(near, source, old, margin, g, tables, settings, room, entries, new):
    """Candidate pairs of features of near bodies; those of one pair of bodies follow each other.

    Pairs of bodies that were searched before and have moved relative to each other by less than what was searched beyond the present reach keep what
    was found then: it holds all that is within reach now. The others are searched beyond their reach.

    Args:
        near: `Near`.
        source: (P,) int64 row of ``old`` of each pair, -1: none.
        old: what was `FoundPairs` before.
        margin: how far the search goes beyond the reach (m).
        g: `state.Grains`.
        tables: `Tables` of the species.
        settings: of the domain: ``period``, ``half``, ``periodic`` of `state.Settings`; see ``meet``.
        room: from ``search_room``.
        entries: (capacity, 2) int32, filled with ``near.row[:, 0]`` and ``near.second``.
        new: `FoundPairs`, of which ``start``, ``sub`` (capacity,) and ``pose`` are filled.

    Returns:
        number of entries; where it exceeds the capacity, call again with larger arrays.
    """
    found, periods = 0, periods_of(settings)
    for p in range(near.second.shape[0]):
        i, j, k = near.row[p, 0], near.row[p, 1], near.second[p]
        away, pose = near.away[p], new.pose[p]
        new.start[p] = found
        s = source[p]
        if s >= 0 and near.extra[p] + _moved(g, tables.core_radius, i, j, away, old.pose[s]) <= old.pose[s, SEARCHED]:
            for c in range(SEARCHED + 1):
                pose[c] = old.pose[s, c]
            for m in range(old.start[s], old.start[s + 1]):
                if found < new.sub.shape[0]:
                    entries[found, 0], entries[found, 1], new.sub[found] = i, k, old.sub[m]
                found += 1
            continue
        for c in range(3):
            pose[c] = away[c]
        for c in range(4):
            pose[3 + c], pose[7 + c] = g.q[i, c], g.q[j, c]
        pose[SEARCHED] = near.extra[p] + margin
        d, reach = row(near.away, p), g.x[i, 3] + g.x[j, 3] + near.extra[p] + margin
        axes, way = relate(g, i, j, d)
        tilt = _tilt(g, i, j, reach) if tables.minima else 0.0
        found = meet(tables, g, BodyPair(i, j, k, d, reach, tilt, axes, way), periods, room, entries, new.sub, found)
    new.start[near.second.shape[0]] = found
    return found


@kernel
def displacements(pairs, g, settings, away):
    """The way from the first to the second of pairs of grains, in the nearest images.

    Args:
        pairs: (P, 2) rows of ``g``.
        g: `state.Grains`.
        settings: of the domain: ``period``, ``half``, ``periodic`` of `state.Settings`.
        away: (P, 3), filled (m).
    """
    periods = periods_of(settings)
    for p in range(pairs.shape[0]):
        put_row(away, p, nearest_image(subtract(row(g.x, pairs[p, 1]), row(g.x, pairs[p, 0])), periods))
