"""Which pairs of features of two grains may come within reach before the next rebuild."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from ..interactions.features import (
    EDGE_EDGE,
    EDGE_FACE,
    EDGE_VERTEX,
    FACE_EDGE,
    FACE_FACE,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    edge,
    feature_pair,
    nearest_features,
    normal_of,
    vertex,
)
from ..interactions.flats import sine2, sine2_faces
from ..interactions.polytope_faces import TILT
from .bounds import nearest_image

# what a body shows to another: vertices, edges, faces
VERTICES, EDGES, FACES = 0, 1, 2


@inlined
def count_of(f, g, i, what):
    """Number of a grain's features of a kind."""
    a = g.species[i]
    if what == VERTICES:
        return max(1, g.vert_start[i + 1] - g.vert_start[i])
    if what == EDGES:
        return f.edge_start[a + 1] - f.edge_start[a]
    return f.face_start[a + 1] - f.face_start[a]


@inlined
def box_of(f, g, i, what, k, box, row):
    """Lower and upper corner ((6,), m) of a feature about its grain's centre, into ``box[row]``."""
    for c in range(3):
        box[row, c], box[row, 3 + c] = np.inf, -np.inf
    if what == FACES:
        face = f.face_start[g.species[i]] + k
        for m in range(f.loop_start[face], f.loop_start[face + 1]):
            _stretch(g, i, f.loops[m], box, row)
    elif what == EDGES:
        e = f.edge_start[g.species[i]] + k
        _stretch(g, i, f.edges[e, 0], box, row)
        _stretch(g, i, f.edges[e, 1], box, row)
    else:
        _stretch(g, i, k, box, row)


@inlined
def _stretch(g, i, k, box, row):
    x, y, z = vertex(g, i, k)
    box[row, 0], box[row, 1], box[row, 2] = min(box[row, 0], x), min(box[row, 1], y), min(box[row, 2], z)
    box[row, 3], box[row, 4], box[row, 5] = max(box[row, 3], x), max(box[row, 4], y), max(box[row, 5], z)


@inlined
def apart(first, i, second, j, dx, dy, dz, reach):
    """Whether two boxes, the second displaced by d, are further apart than ``reach`` along an axis."""
    return (
        (second[j, 0] + dx - first[i, 3] > reach)
        | (first[i, 0] - second[j, 3] - dx > reach)
        | (second[j, 1] + dy - first[i, 4] > reach)
        | (first[i, 1] - second[j, 4] - dy > reach)
        | (second[j, 2] + dz - first[i, 5] > reach)
        | (first[i, 2] - second[j, 5] - dz > reach)
    )


@njit
def _shown(f, g, i, what, whole, other, dx, dy, dz, reach, number, box):
    """Features of grain ``i`` that come near another body's box ``other[0]``, which lies at d.

    Args:
        whole: (1, 6) set to the box around those found.

    Returns:
        how many; their numbers and boxes are in ``number`` and ``box``.
    """
    for c in range(3):
        whole[0, c], whole[0, 3 + c] = np.inf, -np.inf
    found = 0
    for k in range(count_of(f, g, i, what)):
        box_of(f, g, i, what, k, box, found)
        if apart(box, found, other, 0, dx, dy, dz, reach):
            continue
        for c in range(3):
            whole[0, c], whole[0, 3 + c] = min(whole[0, c], box[found, c]), max(whole[0, 3 + c], box[found, 3 + c])
        number[found] = k
        found += 1
    return found


@inlined
def _around(g, i, box):
    """The box around all vertices of a grain."""
    for c in range(3):
        box[0, c], box[0, 3 + c] = np.inf, -np.inf
    for k in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        _stretch(g, i, k, box, 0)


@inlined
def _arm(g, i):
    """Largest distance of a core vertex from its grain's centre (m)."""
    far = 0.0
    for k in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        x, y, z = vertex(g, i, k)
        far = max(far, x * x + y * y + z * z)
    return np.sqrt(far)


@inlined
def _sine(f, g, i, j, kind, a, b):
    """Sine of the angle between a face and an edge or a face."""
    if kind == FACE_FACE:
        ax, ay, az, _, _, _ = normal_of(f, g, i, a)
        bx, by, bz, _, _, _ = normal_of(f, g, j, b)
        return np.sqrt(sine2_faces(ax, ay, az, bx, by, bz))
    if kind == EDGE_FACE:
        _, _, _, ax, ay, az = edge(f, g, i, a)
        bx, by, bz, _, _, _ = normal_of(f, g, j, b)
    else:
        _, _, _, ax, ay, az = edge(f, g, j, b)
        bx, by, bz, _, _, _ = normal_of(f, g, i, a)
    return np.sqrt(sine2(ax, ay, az, bx, by, bz))


@njit
def _meet(kind, what_i, what_j, f, g, i, j, dx, dy, dz, reach, tilt, room, pairs, sub, found):
    """Append the pairs of features of one kind, those that count in parallel only if the sine of their angle is at most ``tilt``; the number found so
    far comes back.
    """
    number_i, box_i, number_j, box_j, whole_i, whole_j = room
    _around(g, j, whole_j)
    n = _shown(f, g, i, what_i, whole_i, whole_j, dx, dy, dz, reach, number_i, box_i)
    if n == 0:
        return found
    m = _shown(f, g, j, what_j, whole_j, whole_i, -dx, -dy, -dz, reach, number_j, box_j)
    for a in range(n):
        for b in range(m):
            if apart(box_i, a, box_j, b, dx, dy, dz, reach):
                continue
            pair = feature_pair(kind, number_i[a], number_j[b])
            if kind >= EDGE_FACE:
                if _sine(f, g, i, j, kind, number_i[a], number_j[b]) > tilt:
                    continue
            elif nearest_features(f, g, i, j, pair, -dx, -dy, -dz, reach * reach)[0] > reach * reach:
                continue
            if found < sub.shape[0]:
                pairs[found, 0], pairs[found, 1], sub[found] = i, j, pair
            found += 1
    return found


@njit
def find_feature_pairs(bodies, count, g, f, planar, minima, period, skin, pairs, sub):
    """Candidate pairs of features of candidate pairs of bodies; those of one pair of bodies follow each other.

    Args:
        bodies: (count, 2) int32 pairs of grains, lower global id first. f: `interactions.features.Features`. planar: two dimensions.
        minima: pairs for `minima`, edges and parallel features, instead of those for `superposition`.
        period: of the domain (m), 0: open. skin: extra reach (m).
        pairs: (capacity, 2) int32, sub: (capacity,) int64; filled with bodies and pairs of features.

    Returns:
        number of pairs; where it exceeds the capacity, call again with larger arrays.
    """
    most = 1
    for s in range(f.edge_start.shape[0] - 1):
        most = max(most, f.edge_start[s + 1] - f.edge_start[s], f.face_start[s + 1] - f.face_start[s])
    for i in range(g.gid.shape[0]):
        most = max(most, g.vert_start[i + 1] - g.vert_start[i])
    room = (
        np.empty(most, np.int64), np.empty((most + 1, 6)), np.empty(most, np.int64), np.empty((most + 1, 6)), np.empty((1, 6)), np.empty((1, 6))
    )  # fmt: skip
    found = 0
    for p in range(count):
        i, j = bodies[p, 0], bodies[p, 1]
        dx = nearest_image(g.x[j, 0] - g.x[i, 0], period[0])
        dy = nearest_image(g.x[j, 1] - g.x[i, 1], period[1])
        dz = nearest_image(g.x[j, 2] - g.x[i, 2], period[2])
        reach = g.x[i, 3] + g.x[j, 3] + skin
        if minima:
            found = _meet(EDGE_EDGE, EDGES, EDGES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
            if planar:
                continue
            found = _meet(VERTEX_FACE, VERTICES, FACES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
            found = _meet(FACE_VERTEX, FACES, VERTICES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
            # points at the distance R from a centre go by half the skin at most before the next rebuild, so normals turn by skin/(2 R)
            arms = min(_arm(g, i), _arm(g, j))
            tilt = 4.0 * TILT + skin / arms if arms > 0.0 else -1.0
            found = _meet(EDGE_FACE, EDGES, FACES, f, g, i, j, dx, dy, dz, reach, tilt, room, pairs, sub, found)
            found = _meet(FACE_EDGE, FACES, EDGES, f, g, i, j, dx, dy, dz, reach, tilt, room, pairs, sub, found)
            found = _meet(FACE_FACE, FACES, FACES, f, g, i, j, dx, dy, dz, reach, tilt, room, pairs, sub, found)
        elif planar:
            ni, nj = f.real[g.species[i]], f.real[g.species[j]]
            # two single vertices meet once; a single vertex meets an outline as a vertex only
            if nj > 0 or ni == 0:
                found = _meet(VERTEX_EDGE, VERTICES, EDGES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
            if ni > 0:
                found = _meet(EDGE_VERTEX, EDGES, VERTICES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
        else:
            found = _meet(EDGE_EDGE, EDGES, EDGES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
            found = _meet(VERTEX_FACE, VERTICES, FACES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
            found = _meet(FACE_VERTEX, FACES, VERTICES, f, g, i, j, dx, dy, dz, reach, 0.0, room, pairs, sub, found)
    return found

