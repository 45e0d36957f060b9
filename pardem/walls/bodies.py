"""Walls that are spheropolytopes: fixed or driven bodies, which grains meet feature by feature in every interaction.

The vertices of all such bodies stand in the last rows of every rank's grains, so the features of a body are those of a grain. A body may be longer
than half a period of the domain; each of its features may not, and is met in its nearest image.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel, njit
from ..detection.features import EDGES, FACES, VERTICES, apart, box_of, count_of
from ..integrators.poses import place_vertices
from ..integrators.rotation import product
from ..interactions.features import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    edge,
    feature_pair,
    kind_of,
    nearest_features,
    second_of,
    vertex,
)
from .kinds import BODY
from .motion import turns


@inlined
def row_of(walls, g, k):
    """Row of the grains' arrays that holds the body of wall ``k``."""
    return g.gid.shape[0] + walls.body[k]


@inlined
def nearest_image(d, period):
    """Difference of a coordinate in the domain and one anywhere in the nearest image; ``period`` 0: none. Driven bodies leave the domain."""
    return d - period * np.rint(d / period) if period > 0.0 else d


@kernel
def turn_bodies(walls, g, shapes):
    """Place the vertices of bodies that turn, from their orientation at the start (``g.q0``) and the turn in their wall's pose."""
    for k in range(walls.kind.shape[0]):
        if walls.kind[k] == BODY and turns(walls.motion, k):
            j, pose = row_of(walls, g, k), walls.pose[k]
            q = g.q0[j]
            g.q[j, 0], g.q[j, 1], g.q[j, 2], g.q[j, 3] = product(pose[18], pose[19], pose[20], pose[21], q[0], q[1], q[2], q[3])
            place_vertices(j, j + 1, g, shapes)


@inlined
def _anchor(f, g, j, kind, k):
    """A point of feature ``k`` of body ``j``, relative to its centre (m); ``kind``: of the pair of features."""
    if kind in (EDGE_VERTEX, FACE_VERTEX):
        return vertex(g, j, k)
    if kind == VERTEX_FACE:
        return vertex(g, j, f.loops[f.loop_start[f.face_start[g.species[j]] + k]])
    x, y, z, _, _, _ = edge(f, g, j, k)
    return x, y, z


@kernel
def nearest_on_body(walls, g, i, k, sub, period):
    """Where grain ``i`` meets a feature of the body of wall ``k``.

    Returns:
        distance of the cores (m), the point on the grain relative to its centre, the vector from there to the body's core (m), the body's radius (m).
    """
    f, j = walls.features, row_of(walls, g, k)
    shape, pose = walls.shape[k], walls.pose[k]
    ax, ay, az = _anchor(f, g, j, kind_of(sub), second_of(sub))
    wx = nearest_image(g.x[i, 0] - (shape[0] + pose[0] + ax), period[0]) + ax
    wy = nearest_image(g.x[i, 1] - (shape[1] + pose[1] + ay), period[1]) + ay
    wz = nearest_image(g.x[i, 2] - (shape[2] + pose[2] + az), period[2]) + az
    d2, x0, x1, x2, y0, y1, y2 = nearest_features(f, g, i, j, sub, wx, wy, wz, np.inf)
    return np.sqrt(d2), x0, x1, x2, y0 - x0 - wx, y1 - x1 - wy, y2 - x2 - wz, g.x[j, 3]


@njit
def _meet(kind, what_i, what_j, owned, g, walls, k, extent, extra, period, entries, sub, found):
    """Append the contacts of one kind with the body of wall ``k``; the number found so far comes back."""
    f, j = walls.features, row_of(walls, g, k)
    cx, cy, cz = walls.shape[k, 0] + walls.pose[k, 0], walls.shape[k, 1] + walls.pose[k, 1], walls.shape[k, 2] + walls.pose[k, 2]
    number = count_of(f, g, j, what_j)
    box, mine = np.empty((number, 6)), np.empty((1, 6))
    for b in range(number):
        box_of(f, g, j, what_j, b, box, b)
    for i in range(owned):
        # in the plane a single vertex meets an outline as a vertex only, as between grains
        lone_i, lone_j = f.real[g.species[i]] == 0, f.real[g.species[j]] == 0
        if (kind == EDGE_VERTEX and lone_i) or (kind == VERTEX_EDGE and lone_j and not lone_i):
            continue
        reach = g.x[i, 3] + g.x[j, 3] + extra
        for b in range(number):
            mx, my, mz = 0.5 * (box[b, 0] + box[b, 3]), 0.5 * (box[b, 1] + box[b, 4]), 0.5 * (box[b, 2] + box[b, 5])
            dx = nearest_image(cx + mx - g.x[i, 0], period[0])
            dy = nearest_image(cy + my - g.x[i, 1], period[1])
            dz = nearest_image(cz + mz - g.x[i, 2], period[2])
            more = g.x[j, 3] + extra
            if (
                (abs(dx) > extent[i, 0] + more + box[b, 3] - mx)
                | (abs(dy) > extent[i, 1] + more + box[b, 4] - my)
                | (abs(dz) > extent[i, 2] + more + box[b, 5] - mz)
            ):
                continue
            for a in range(count_of(f, g, i, what_i)):
                box_of(f, g, i, what_i, a, mine, 0)
                if apart(mine, 0, box, b, dx - mx, dy - my, dz - mz, reach):
                    continue
                pair = feature_pair(kind, a, b)
                if nearest_features(f, g, i, j, pair, mx - dx, my - dy, mz - dz, reach * reach)[0] > reach * reach:
                    continue
                if found < sub.shape[0]:
                    entries[found, 0], entries[found, 1], sub[found] = i, k, pair
                found += 1
    return found


@njit
def find_body_contacts(owned, g, walls, planar, extent, extra, period, entries, sub):
    """Candidate contacts of owned grains with features of bodies.

    Args:
        planar: two dimensions. extent: (N, 3) half-extents of grains, radius included (m).
        extra: (W,) reach beyond contact for each wall: skin and what the wall may move (m). period: of the domain (m), 0: open.
        entries: (capacity, 2) int32 grain and wall; sub: (capacity,) int64 pairs of features.

    Returns:
        number of entries; where it exceeds the capacity, call again with larger arrays.
    """
    found = 0
    for k in range(walls.kind.shape[0]):
        if walls.kind[k] != BODY:
            continue
        if planar:
            found = _meet(VERTEX_EDGE, VERTICES, EDGES, owned, g, walls, k, extent, extra[k], period, entries, sub, found)
            found = _meet(EDGE_VERTEX, EDGES, VERTICES, owned, g, walls, k, extent, extra[k], period, entries, sub, found)
        else:
            found = _meet(EDGE_EDGE, EDGES, EDGES, owned, g, walls, k, extent, extra[k], period, entries, sub, found)
            found = _meet(VERTEX_FACE, VERTICES, FACES, owned, g, walls, k, extent, extra[k], period, entries, sub, found)
            found = _meet(FACE_VERTEX, FACES, VERTICES, owned, g, walls, k, extent, extra[k], period, entries, sub, found)
    return found
