"""Which grains may meet which walls before the next rebuild."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from ..interactions.features import EDGE_FACE, FACE_FACE, VERTEX_FACE, feature_pair, vertex
from ..interactions.pieces import piece_of
from .geometry import from_wall
from .kinds import BODY, CYLINDER, DISC, PIERCED, PLANE
from .pierced import list_parts


@inlined
def _out_of_reach(kind, height, x, y, z, pose, radius, reach):
    """Whether a ball of radius ``reach`` stays clear of a wall; its middle and its height along the normal are relative to the wall's point."""
    if kind == CYLINDER:
        rx, ry, rz = x - height * pose[9], y - height * pose[10], z - height * pose[11]
        return np.sqrt(rx * rx + ry * ry + rz * rz) + reach < radius
    if kind in (DISC, PIERCED):
        return abs(height) > reach
    return height > reach


@inlined
def _lowest(g, parts, i, m, nx, ny, nz):
    """Height of the lowest vertex of piece ``m`` of grain ``i`` over its centre, along n (m)."""
    _, first, count = piece_of(parts, g, i, m)
    low = np.inf
    for k in range(first, first + count):
        low = min(low, g.vert[k, 0] * nx + g.vert[k, 1] * ny + g.vert[k, 2] * nz)
    return low


@njit
def find_wall_pairs(owned, g, walls, parts, radius, extra, by_vertex, minima, entries):
    """Candidate contacts of owned grains with walls, in the order of grains; of walls that are met vertex by vertex those of the vertices in reach.

    Args:
        parts: pieces of all species: each may meet a plane or a disc. radius: (N,) bounding radii (m).
        extra: (W,) reach beyond the grain for each wall: skin and what the wall may move (m).
        by_vertex: whether every wall is met vertex by vertex; otherwise the inside of a cylinder only.
        minima: whether planes are met by the vertices, edges and faces of grains.
        entries: (capacity, 3) int64: grain, wall, and vertex or piece, or the grain's feature as a pair with a face, or (``pierced``) its part.

    Returns:
        number of entries; where it exceeds the capacity, call again with a larger array.
    """
    found = 0
    for i in range(owned):
        vertices = max(1, g.vert_start[i + 1] - g.vert_start[i])
        species = g.species[i]
        pieces = parts.start[species + 1] - parts.start[species]
        for k in range(walls.kind.shape[0]):
            shape, pose = walls.shape[k], walls.pose[k]
            hx, hy, hz, nx, ny, nz, height = from_wall(walls, g, i, k)
            kind = walls.kind[k]
            if kind == BODY:
                continue  # by features: ``bodies.find_near_bodies``
            if _out_of_reach(kind, height, hx, hy, hz, pose, shape[6], radius[i] + extra[k]):
                continue
            if kind == PIERCED:
                reach = g.x[i, 3] + extra[k]
                found = list_parts(walls, g, i, k, (hx, hy, hz), reach, entries, found)
                continue
            if minima and kind == PLANE:
                f, a = walls.features, species
                edges, faces = f.edge_start[a + 1] - f.edge_start[a], f.face_start[a + 1] - f.face_start[a]
                for m in range(vertices + edges + faces):
                    if m < vertices:
                        sub = feature_pair(VERTEX_FACE, m, 0)
                    elif m < vertices + edges:
                        sub = feature_pair(EDGE_FACE, m - vertices, 0)
                    else:
                        sub = feature_pair(FACE_FACE, m - vertices - edges, 0)
                    if found < entries.shape[0]:
                        entries[found, 0], entries[found, 1], entries[found, 2] = i, k, sub
                    found += 1
                continue
            one_by_one = by_vertex or kind == CYLINDER
            for m in range(vertices if one_by_one else pieces):
                if one_by_one:
                    if parts.outer[parts.vertex_start[species] + m] == 0:
                        continue
                    x, y, z = vertex(g, i, m)
                    rise = height + x * nx + y * ny + z * nz
                    if _out_of_reach(kind, rise, hx + x, hy + y, hz + z, pose, shape[6], g.x[i, 3] + extra[k]):
                        continue
                elif pieces > 1 and kind == PLANE and height + _lowest(g, parts, i, m, nx, ny, nz) > g.x[i, 3] + extra[k]:
                    continue
                if found < entries.shape[0]:
                    entries[found, 0], entries[found, 1], entries[found, 2] = i, k, m
                found += 1
    return found
