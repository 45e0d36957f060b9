"""Walls that are spheropolytopes: fixed or driven bodies, which grains meet feature by feature in every interaction.

The vertices of all such bodies stand in the last rows of every rank's grains, so the features of a body are those of a grain. A body may be longer
than half a period of the domain; each of its features may not, and is met in its nearest image.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..compiled.quaternions import orientation, product, put_orientation
from ..integrators.poses import place_vertices
from ..interactions.features import anchor, nearest_features
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
            put_orientation(g.q, j, product((pose[18], pose[19], pose[20], pose[21]), orientation(g.q0, j)))
            place_vertices(j, j + 1, g, shapes)


@kernel
def nearest_on_body(walls, g, i, k, sub, period):
    """Where grain ``i`` meets a feature of the body of wall ``k``.

    Returns:
        distance of the cores (m), the point on the grain relative to its centre, the vector from there to the body's core (m), the body's radius (m).
    """
    f, j = walls.features, row_of(walls, g, k)
    shape, pose = walls.shape[k], walls.pose[k]
    ax, ay, az = anchor(f, g, j, sub)
    wx = nearest_image(g.x[i, 0] - (shape[0] + pose[0] + ax), period[0]) + ax
    wy = nearest_image(g.x[i, 1] - (shape[1] + pose[1] + ay), period[1]) + ay
    wz = nearest_image(g.x[i, 2] - (shape[2] + pose[2] + az), period[2]) + az
    d2, x0, x1, x2, y0, y1, y2 = nearest_features(f, g, i, j, sub, wx, wy, wz, np.inf)
    return np.sqrt(d2), x0, x1, x2, y0 - x0 - wx, y1 - x1 - wy, y2 - x2 - wz, g.x[j, 3]


@inlined
def _images(d, reach, period):
    """First and last image of a body, d (m) away along an axis, that come within ``reach``; none: the first is behind the last."""
    if period > 0.0:
        return int(np.ceil((-reach - d) / period)), int(np.floor((reach - d) / period))
    return 0, 0 if abs(d) <= reach else -1


@kernel
def find_near_bodies(owned, g, walls, extent, extra, period, near):
    """Owned grains near bodies, one by one for each image of a body.

    Args:
        extent: (N, 3) half-extents of grains and bodies, radius included (m).
        extra: (W,) reach beyond contact for each wall: skin and what the wall may move (m). period: of the domain (m), 0: open.
        near: `detection.features.Near`, filled.

    Returns:
        their number; where it exceeds the room, call again with more.
    """
    px, py, pz = period
    found = 0
    for k in range(walls.kind.shape[0]):
        if walls.kind[k] != BODY:
            continue
        j = row_of(walls, g, k)
        bx, by, bz = extent[j, 0] + extra[k], extent[j, 1] + extra[k], extent[j, 2] + extra[k]
        cx, cy, cz = walls.shape[k, 0] + walls.pose[k, 0], walls.shape[k, 1] + walls.pose[k, 1], walls.shape[k, 2] + walls.pose[k, 2]
        for i in range(owned):
            a0, a1 = _images(cx - g.x[i, 0], extent[i, 0] + bx, px)
            b0, b1 = _images(cy - g.x[i, 1], extent[i, 1] + by, py)
            c0, c1 = _images(cz - g.x[i, 2], extent[i, 2] + bz, pz)
            for a in range(a0, a1 + 1):
                for b in range(b0, b1 + 1):
                    for c in range(c0, c1 + 1):
                        if found < near.second.shape[0]:
                            near.row[found, 0], near.row[found, 1], near.second[found] = i, j, k
                            near.away[found, 0], near.away[found, 1] = cx + a * px - g.x[i, 0], cy + b * py - g.x[i, 1]
                            near.away[found, 2] = cz + c * pz - g.x[i, 2]
                            near.extra[found] = extra[k]
                            # images far from each other may share a number: then the way between the bodies tells them apart
                            near.key[found] = (g.gid[i] << 32) + (np.int64(k) << 9) + ((a & 7) << 6) + ((b & 7) << 3) + (c & 7)
                        found += 1
    return found
