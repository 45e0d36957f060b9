"""Which pairs of features of two bodies may come within reach before the next rebuild.

The trees of boxes of the two bodies are walked together, a little beyond what is wanted now; what is found is kept until the two have moved relative
to each other by that little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined, kernel
from ..integrators.rotation import matrix
from ..interactions.features import (
    EDGE_EDGE,
    EDGE_FACE,
    EDGE_VERTEX,
    FACE_EDGE,
    FACE_FACE,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    anchor,
    edge,
    feature_pair,
    nearest_features,
    normal_of,
    pair_of,
    vertex,
)
from ..interactions.flats import sine2, sine2_faces
from ..interactions.polytope_faces import TILT
from .bounds import nearest_image
from .trees import EDGES, FACES, VERTICES

DEPTH = 128  # more than twice the levels of two trees


class Room(NamedTuple):
    """What the search works in.

    Attributes:
        frame: (12,) float64, see ``relate``. waiting: (DEPTH, 2) int64 pairs of nodes to be looked at.
        tests: (1,) int64 how often two boxes or features were held against each other so far.
    """

    frame: np.ndarray
    waiting: np.ndarray
    tests: np.ndarray


class Near(NamedTuple):
    """Pairs of bodies that are near.

    Attributes:
        row: (P, 2) int32 rows of the grains' arrays. second: (P,) int32 what stands for the second in lists: its row, or a wall.
        away: (P, 3) from centre to centre (m). extra: (P,) reach beyond contact (m).
        key: (P,) int64 that tells the pair from others, the same at every rebuild.
    """

    row: np.ndarray
    second: np.ndarray
    away: np.ndarray
    extra: np.ndarray
    key: np.ndarray


class Found(NamedTuple):
    """What was found between near bodies, for the next rebuild.

    Attributes:
        key: (P,) int64, see `Near`. start: (P + 1,) int64; sub: (M,) int64 the pairs of features of pair p are ``sub[start[p]:start[p + 1]]``.
        pose: (P, 12) when the pair was searched: from centre to centre (m), quaternions of both bodies, how far beyond contact (m).
    """

    key: np.ndarray
    start: np.ndarray
    sub: np.ndarray
    pose: np.ndarray


SEARCHED = 11  # column of ``Found.pose``


def nothing_found() -> Found:
    """What is known before the first search."""
    return Found(np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty((0, SEARCHED + 1)))


def search_room() -> Room:
    """Room for the searches of one rebuild."""
    return Room(np.empty(12), np.empty((DEPTH, 2), np.int64), np.zeros(1, np.int64))


@inlined
def relate(g, i, j, dx, dy, dz, frame):
    """Fill ``frame`` ((12,)) for two bodies: the axes of the second in the frame of the first, row by row; from centre to centre d (m) there."""
    a00, a01, a02, a10, a11, a12, a20, a21, a22 = matrix(g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3])
    b00, b01, b02, b10, b11, b12, b20, b21, b22 = matrix(g.q[j, 0], g.q[j, 1], g.q[j, 2], g.q[j, 3])
    frame[0], frame[1], frame[2] = a00 * b00 + a10 * b10 + a20 * b20, a00 * b01 + a10 * b11 + a20 * b21, a00 * b02 + a10 * b12 + a20 * b22
    frame[3], frame[4], frame[5] = a01 * b00 + a11 * b10 + a21 * b20, a01 * b01 + a11 * b11 + a21 * b21, a01 * b02 + a11 * b12 + a21 * b22
    frame[6], frame[7], frame[8] = a02 * b00 + a12 * b10 + a22 * b20, a02 * b01 + a12 * b11 + a22 * b21, a02 * b02 + a12 * b12 + a22 * b22
    frame[9], frame[10], frame[11] = a00 * dx + a10 * dy + a20 * dz, a01 * dx + a11 * dy + a21 * dz, a02 * dx + a12 * dy + a22 * dz


@inlined
def boxes_apart(box, a, b, s, t, frame, reach):
    """Whether the boxes of nodes ``a`` and ``b`` of bodies of sizes s and t are further apart than ``reach`` along an axis of either."""
    a, b = np.uintp(a), np.uintp(b)
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = (
        frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8]
    )  # fmt: skip
    x, y, z = t * box[b, 0], t * box[b, 1], t * box[b, 2]
    ex = frame[9] + r00 * x + r01 * y + r02 * z - s * box[a, 0]
    ey = frame[10] + r10 * x + r11 * y + r12 * z - s * box[a, 1]
    ez = frame[11] + r20 * x + r21 * y + r22 * z - s * box[a, 2]
    hx, hy, hz = s * box[a, 3], s * box[a, 4], s * box[a, 5]
    kx, ky, kz = t * box[b, 3], t * box[b, 4], t * box[b, 5]
    if (
        (abs(ex) > hx + abs(r00) * kx + abs(r01) * ky + abs(r02) * kz + reach)
        | (abs(ey) > hy + abs(r10) * kx + abs(r11) * ky + abs(r12) * kz + reach)
        | (abs(ez) > hz + abs(r20) * kx + abs(r21) * ky + abs(r22) * kz + reach)
    ):
        return True
    return (
        (abs(r00 * ex + r10 * ey + r20 * ez) > kx + abs(r00) * hx + abs(r10) * hy + abs(r20) * hz + reach)
        | (abs(r01 * ex + r11 * ey + r21 * ez) > ky + abs(r01) * hx + abs(r11) * hy + abs(r21) * hz + reach)
        | (abs(r02 * ex + r12 * ey + r22 * ez) > kz + abs(r02) * hx + abs(r12) * hy + abs(r22) * hz + reach)
    )


@inlined
def _in_nearest_image(f, g, i, j, pair, dx, dy, dz, period):
    """Whether body ``i`` meets its feature of body ``j``, displaced by d, in the nearest image of that feature; period 0: there are no others."""
    if period[0] + period[1] + period[2] == 0.0:
        return True
    x, y, z = anchor(f, g, j, pair)
    return (nearest_image(dx + x, period[0]) == dx + x) & (nearest_image(dy + y, period[1]) == dy + y) & (nearest_image(dz + z, period[2]) == dz + z)


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
def meet(planar, minima, f, trees, g, i, j, dx, dy, dz, reach, period, room, second, entries, sub, found):
    """Append the pairs of features of two bodies that come within ``reach``; those of one kind follow each other.

    Args:
        planar: two dimensions. minima: pairs for `minima`, edges and parallel features, instead of those for `superposition`.
        f, trees: features of all species and the trees over them.
        dx, dy, dz: centre of body ``j`` less that of ``i`` (m). reach: between cores (m).
        period: (3,) of the domain (m), where the features of ``j`` count in their own nearest images only; zeros: all count where they are.
        room: from ``search_room``. second: what stands for ``j`` in the entries.
        entries: (capacity, 2) int32, sub: (capacity,) int64; filled with ``i`` and ``second``, and pairs of features.
        found: number of entries so far.

    Returns:
        number of entries, which may exceed the capacity: those beyond are not there.
    """
    frame, waiting, tests = room
    relate(g, i, j, dx, dy, dz, frame)
    s, t, box = g.scale[i], g.scale[j], trees.box
    reach2 = reach * reach
    lone_i, lone_j = f.real[g.species[i]] == 0, f.real[g.species[j]] == 0
    tilt = 0.0
    if minima:  # points at the distance R from a centre go by half of what is searched beyond contact, so normals turn by that over 2 R
        arms = min(_arm(g, i), _arm(g, j))
        tilt = 4.0 * TILT + (reach - g.x[i, 3] - g.x[j, 3]) / arms if arms > 0.0 else -1.0
    begin, end = _kinds(planar, minima)
    for kind in range(begin, end):
        # in the plane two single vertices meet once; a single vertex meets an outline as a vertex only
        if (kind == VERTEX_EDGE and lone_j and not lone_i) or (kind == EDGE_VERTEX and lone_i):
            continue
        what_i, what_j = _shown(kind)
        leaf_i, leaf_j = trees.leaf[g.species[i], what_i], trees.leaf[g.species[j], what_j]
        root_i, root_j = trees.root[g.species[i], what_i], trees.root[g.species[j], what_j]
        waiting[0, 0], waiting[0, 1] = 0, 0
        left = 1 if leaf_i >= 0 and leaf_j >= 0 else 0
        while left > 0:
            left -= 1
            tests[0] += 1
            m, n = waiting[left, 0], waiting[left, 1]
            a, b = root_i + m, root_j + n
            if boxes_apart(box, a, b, s, t, frame, reach):
                continue
            if m >= leaf_i and n >= leaf_j:
                tests[0] += (trees.span[a, 1] - trees.span[a, 0]) * (trees.span[b, 1] - trees.span[b, 0])
                for p in range(trees.span[a, 0], trees.span[a, 1]):
                    for q in range(trees.span[b, 0], trees.span[b, 1]):
                        pair = feature_pair(kind, trees.order[p], trees.order[q])
                        if kind >= EDGE_FACE:
                            if _sine(f, g, i, j, kind, trees.order[p], trees.order[q]) > tilt:
                                continue
                        elif nearest_features(f, g, pair_of(i, j, (-dx, -dy, -dz)), pair, reach2)[0] > reach2:
                            continue
                        if not _in_nearest_image(f, g, i, j, pair, dx, dy, dz, period):
                            continue
                        if found < sub.shape[0]:
                            entries[found, 0], entries[found, 1], sub[found] = i, second, pair
                        found += 1
                continue
            # open the larger box, so that what remains is of like size
            larger = s * (box[a, 3] + box[a, 4] + box[a, 5]) >= t * (box[b, 3] + box[b, 4] + box[b, 5])
            if n >= leaf_j or (m < leaf_i and larger):
                waiting[left, 0], waiting[left, 1], waiting[left + 1, 0], waiting[left + 1, 1] = 2 * m + 1, n, 2 * m + 2, n
            else:
                waiting[left, 0], waiting[left, 1], waiting[left + 1, 0], waiting[left + 1, 1] = m, 2 * n + 1, m, 2 * n + 2
            left += 2
    return found


@inlined
def _moved(g, core_radius, i, j, away, pose):
    """How far (m) points of two bodies can have moved relative to each other since a row of ``Found.pose``; ``away``: from centre to centre now."""
    x, y, z = away[0] - pose[0], away[1] - pose[1], away[2] - pose[2]
    same_i = g.q[i, 0] * pose[3] + g.q[i, 1] * pose[4] + g.q[i, 2] * pose[5] + g.q[i, 3] * pose[6]
    same_j = g.q[j, 0] * pose[7] + g.q[j, 1] * pose[8] + g.q[j, 2] * pose[9] + g.q[j, 3] * pose[10]
    reach_i, reach_j = core_radius[g.species[i]] * g.scale[i], core_radius[g.species[j]] * g.scale[j]
    # a point at the radius R moves by 2 R sin(angle / 2)
    turned = reach_i * np.sqrt(max(0.0, 1.0 - same_i * same_i)) + reach_j * np.sqrt(max(0.0, 1.0 - same_j * same_j))
    return np.sqrt(x * x + y * y + z * z) + 2.0 * turned


@kernel
def find_feature_pairs(near, source, old, margin, g, core_radius, f, trees, planar, minima, period, room, start, poses, entries, sub):
    """Candidate pairs of features of near bodies; those of one pair of bodies follow each other.

    Pairs of bodies that were searched before and have moved relative to each other by less than what was searched beyond the present reach keep what
    was found then: it holds all that is within reach now. The others are searched, ``margin`` (m) beyond their reach.

    Args:
        source: (P,) int64 row of ``old`` of each pair, -1: none. core_radius: (ns,) of the species (m). f: `interactions.features.Features`.
        trees: over them. planar: two dimensions. minima, period: see ``meet``. room: from ``search_room``.
        start: (P + 1,) int64, poses: (P, 12); filled, see `Found`.
        entries: (capacity, 2) int32, sub: (capacity,) int64; filled with ``near.row[:, 0]``, ``near.second``, and pairs of features.

    Returns:
        number of entries; where it exceeds the capacity, call again with larger arrays.
    """
    found = 0
    for p in range(near.second.shape[0]):
        i, j, k = near.row[p, 0], near.row[p, 1], near.second[p]
        away, extra, pose = near.away[p], near.extra[p], poses[p]
        start[p] = found
        s = source[p]
        if s >= 0 and extra + _moved(g, core_radius, i, j, away, old.pose[s]) <= old.pose[s, SEARCHED]:
            for c in range(SEARCHED + 1):
                pose[c] = old.pose[s, c]
            for m in range(old.start[s], old.start[s + 1]):
                if found < sub.shape[0]:
                    entries[found, 0], entries[found, 1], sub[found] = i, k, old.sub[m]
                found += 1
            continue
        for c in range(3):
            pose[c] = away[c]
        for c in range(4):
            pose[3 + c], pose[7 + c] = g.q[i, c], g.q[j, c]
        pose[SEARCHED] = extra + margin
        reach = g.x[i, 3] + g.x[j, 3] + extra + margin
        found = meet(planar, minima, f, trees, g, i, j, away[0], away[1], away[2], reach, period, room, k, entries, sub, found)
    start[near.second.shape[0]] = found
    return found


@kernel
def displacements(row, g, period, away):
    """Fill ``away`` ((P, 3), m) with the way from the first to the second of pairs of grains ((P, 2)), in the nearest images."""
    for p in range(row.shape[0]):
        for c in range(3):
            away[p, c] = nearest_image(g.x[row[p, 1], c] - g.x[row[p, 0], c], period[c])
