"""Local minima of the height of a core, convex or not, over a plane: one contact each."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from .features import EDGE_FACE, FACE_FACE, VERTEX_FACE, edge, first_of, kind_of, loop_of, normal_of, vertex
from .flats import TILT2_FACES, sine2, sine2_faces
from .local_minima import edges_descend, faces_descend
from .neighbours import count_edges, count_faces, edge_there, face_there, into_solid
from .polytope_faces import TILT2


@kernel
def _centroid(f, g, i, k):
    """Centroid of a face, relative to the grain's centre (m)."""
    nx, ny, nz, px, py, pz = normal_of(f, g, i, k)
    first, last = loop_of(f, g, i, k)
    x, y, z, total = 0.0, 0.0, 0.0, 0.0
    qx, qy, qz = vertex(g, i, f.loops[first + 1])
    for m in range(first + 2, last):
        rx, ry, rz = vertex(g, i, f.loops[m])
        ux, uy, uz, vx, vy, vz = qx - px, qy - py, qz - pz, rx - px, ry - py, rz - pz
        part = nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx)
        x, y, z, total = x + part * (ux + vx), y + part * (uy + vy), z + part * (uz + vz), total + 3.0 * part
        qx, qy, qz = rx, ry, rz
    return px + x / total, py + y / total, pz + z / total


@kernel
def _lowest(interaction, g, i, sub, nx, ny, nz):
    """Whether a vertex, edge or face is a local minimum of the height: parallel to the plane, on nothing that leads down, and no part of a larger
    feature that is parallel too. And its barycentre, relative to the centre (m).

    Args:
        sub: ``VERTEX_FACE``, ``EDGE_FACE`` or ``FACE_FACE`` and the feature. nx, ny, nz: unit normal.
    """
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    kind, one = kind_of(sub), first_of(sub)
    if kind == FACE_FACE:
        ax, ay, az, _, _, _ = normal_of(f, g, i, one)
        x, y, z = _centroid(f, g, i, one)
        level = sine2_faces(ax, ay, az, nx, ny, nz) <= TILT2_FACES
        return level and not into_solid(f, nb, False, g, i, -1, -1, one, -nx, -ny, -nz), x, y, z
    v, e = np.int64(-1), one
    if kind == EDGE_FACE:
        x, y, z, ux, uy, uz = edge(f, g, i, one)
        if sine2(ux, uy, uz, nx, ny, nz) > TILT2:
            return False, x, y, z
    else:
        v = one
        x, y, z = vertex(g, i, v)
        if edges_descend(interaction, g, i, v, -nx, -ny, -nz):
            return False, x, y, z
        for m in range(count_edges(nb, species, v, -1)):
            _, _, _, ux, uy, uz = edge(f, g, i, edge_there(nb, species, v, -1, m))
            if sine2(ux, uy, uz, nx, ny, nz) <= TILT2:
                return False, x, y, z
    for m in range(count_faces(nb, f, species, v, e)):
        k, _ = face_there(nb, f, species, v, e, -1, m)
        ax, ay, az, _, _, _ = normal_of(f, g, i, k)
        if sine2_faces(ax, ay, az, nx, ny, nz) <= TILT2_FACES:
            return False, x, y, z
    if into_solid(f, nb, interaction.planar, g, i, v, e, -1, -nx, -ny, -nz):
        return False, x, y, z
    return not faces_descend(interaction, g, i, v, e, -nx, -ny, -nz), x, y, z


@inlined
def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):
    """Height of a vertex, edge or face over a plane, and a distance beyond touch unless it is a local minimum; see ``rods.closest_to_plane``.

    A candidate that is a bare vertex is what it is: discs and cylinders are met vertex by vertex.
    """
    sub = pairs.sub[p]
    if kind_of(sub) < VERTEX_FACE:
        x, y, z = vertex(g, i, sub)
        h = height + nx * x + ny * y + nz * z
        return h * h, h, x, y, z, 0
    lowest, x, y, z = _lowest(interaction, g, i, sub, nx, ny, nz)
    h = height + nx * x + ny * y + nz * z
    far = 2.0 * g.x[i, 3]
    return (h * h if lowest else far * far), h, x, y, z, 0


@inlined
def zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p):
    """No couples: they belong to ``regularised``."""
    return 0.0, 0.0, 0.0, 0.0
