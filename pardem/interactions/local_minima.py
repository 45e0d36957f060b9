"""Every local minimum of the distance of two cores, convex or not: one contact each (Pournin's rule for grains of any shape).

Candidates are pairs of features, as under ``superposition``. A pair's nearest points x and y are a local minimum if no edge or face of one body that
holds x, with one of the other that holds y, has points nearer to each other, and if the line between them runs outside of solids. That is found with
the functions that place the minima of those other pairs, so rounding neither loses a minimum nor finds it twice. Each minimum belongs to one pair: to
two faces, an edge and a face or two edges that are parallel and face each other (``flats``); else to a vertex and a face, or to the edges of lowest
number that hold x and y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined, kernel
from ..state import Features
from .features import (
    EDGE_EDGE,
    EDGE_FACE,
    FACE_EDGE,
    FACE_FACE,
    FACE_VERTEX,
    VERTEX_FACE,
    edge,
    first_of,
    kind_of,
    loop_of,
    nearest_features,
    normal_of,
    over_face,
    second_of,
    vertex,
)
from .flats import LEAST, edge_on_face, face_on_face, facing
from .neighbours import Neighbours, count_edges, count_faces, edge_there, face_there, into_solid
from .polytope_faces import TILT, TILT2
from .segments import nearest_segments


class LocalMinima(NamedTuple):
    """Narrow phase by local minima of the distance.

    Attributes:
        planar: two dimensions. features, neighbours: of all species. work: (flats.WORK_SIZE,) float64 scratch.
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
    return np.int64(a if s <= LEAST - 1.0 or a == b else (b if s >= 1.0 - LEAST else -1))


@kernel
def _nearest_on_edges(f, g, i, a, j, b, wx, wy, wz):
    """Where the nearest points of edge ``a`` of grain ``i`` and edge ``b`` of grain ``j`` lie.

    Returns:
        the vertices there, -1 inside an edge; whether the edges are parallel and face each other, which counts as inside both.
    """
    mx, my, mz, ux, uy, uz = edge(f, g, i, a)
    ox, oy, oz, vx, vy, vz = edge(f, g, j, b)
    dx, dy, dz = wx + mx - ox, wy + my - oy, wz + mz - oz
    if facing(dx, dy, dz, ux, uy, uz, vx, vy, vz):
        return np.int64(-1), np.int64(-1), True
    s, t = nearest_segments(dx, dy, dz, ux, uy, uz, vx, vy, vz)
    return _end_of(f, g, i, a, s), _end_of(f, g, j, b, t), False


@kernel
def _descends(f, g, i, corner, v, k, ax, ay, az):
    """Whether face ``k`` of grain ``i``, from a point on its outline, goes on along a: from vertex ``v`` where it turns inwards, v < 0: a side.

    Args:
        corner: place of the vertex in ``Features.loops``, or of the side's first corner. a: any length.
    """
    nx, ny, nz, _, _, _ = normal_of(f, g, i, k)
    first, last = loop_of(f, g, i, k)
    px, py, pz = vertex(g, i, f.loops[corner])
    qx, qy, qz = vertex(g, i, f.loops[corner + 1 if corner + 1 < last else first])
    qx, qy, qz = qx - px, qy - py, qz - pz
    a2 = ax * ax + ay * ay + az * az
    if v < 0:  # into the face, across the side
        ix, iy, iz = ny * qz - nz * qy, nz * qx - nx * qz, nx * qy - ny * qx
        rise = ix * ax + iy * ay + iz * az
        return rise > 0.0 and rise * rise > TILT2 * a2 * (ix * ix + iy * iy + iz * iz)
    bx, by, bz = vertex(g, i, f.loops[corner - 1 if corner > first else last - 1])
    bx, by, bz = bx - px, by - py, bz - pz
    if nx * (qy * bz - qz * by) + ny * (qz * bx - qx * bz) + nz * (qx * by - qy * bx) >= 0.0:
        return False  # its edges say it all
    n2 = nx * nx + ny * ny + nz * nz
    rise = (nx * ax + ny * ay + nz * az) / n2
    cx, cy, cz = ax - rise * nx, ay - rise * ny, az - rise * nz
    if cx * cx + cy * cy + cz * cz <= TILT2 * a2:
        return False
    # outside the face at the vertex is what lies between the sides, clockwise
    after = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx) > 0.0
    before = nx * (cy * qz - cz * qy) + ny * (cz * qx - cx * qz) + nz * (cx * qy - cy * qx) > 0.0
    return not (after and before)


@kernel
def edges_descend(interaction, g, i, v, ax, ay, az):
    """Whether an edge of grain ``i`` from vertex ``v`` goes along a, not just across it."""
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    px, py, pz = vertex(g, i, v)
    a2 = ax * ax + ay * ay + az * az
    for m in range(count_edges(nb, species, v, -1)):
        e = f.edge_start[species] + edge_there(nb, species, v, -1, m)
        qx, qy, qz = vertex(g, i, f.edges[e, 1] if f.edges[e, 0] == v else f.edges[e, 0])
        qx, qy, qz = qx - px, qy - py, qz - pz
        rise = qx * ax + qy * ay + qz * az
        if rise > 0.0 and rise * rise > TILT2 * a2 * (qx * qx + qy * qy + qz * qz):
            return True
    return False


@kernel
def faces_descend(interaction, g, i, v, e, ax, ay, az):
    """Whether a face of grain ``i`` that holds vertex ``v`` (v < 0: edge ``e``) goes along a where its edges there do not."""
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    for m in range(count_faces(nb, f, species, v, e)):
        k, corner = face_there(nb, f, species, v, e, -1, m)
        if _descends(f, g, i, corner, v, k, ax, ay, az):
            return True
    return False


@kernel
def _over_a_face(interaction, g, i, v, e, px, py, pz):
    """Whether a point p, relative to grain ``i``'s centre, lies over the inside of a face that holds vertex ``v`` (v < 0: edge ``e``)."""
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    for m in range(count_faces(nb, f, species, v, e)):
        k, _ = face_there(nb, f, species, v, e, -1, m)
        first, last = loop_of(f, g, i, k)
        if over_face(g.vert, g.vert_start[i], f.loops, first, last, px, py, pz):
            return True
    return False


@kernel
def _parallel_faces(interaction, g, i, j, sub, va, ea, fa, vb, eb, fb, wx, wy, wz):
    """Whether a face at x and an edge or a face at y, or an edge at x and a face at y, are parallel and have a part in common; other than the pair
    ``sub`` itself.

    Args:
        va, ea, fa: vertex, edge and face of grain ``i`` that x is: the first that is not -1. vb, eb, fb: of grain ``j`` and y.
    """
    f, nb, work = interaction.features, interaction.neighbours, interaction.work
    a, b = g.species[i], g.species[j]
    kind, one, two = kind_of(sub), first_of(sub), second_of(sub)
    edges, faces = count_edges(nb, a, va, ea), count_faces(nb, f, a, va, ea)
    for n in range(count_faces(nb, f, b, vb, eb)):
        l, _ = face_there(nb, f, b, vb, eb, fb, n)
        for m in range(edges):
            e = edge_there(nb, a, va, ea, m)
            if not (kind == EDGE_FACE and e == one and l == two) and edge_on_face(f, g, i, e, j, l, wx, wy, wz)[0] > 0.0:
                return True
        for m in range(faces):
            k, _ = face_there(nb, f, a, va, ea, fa, m)
            if face_on_face(f, g, i, k, j, l, wx, wy, wz, work)[0] > 0.0:
                return True
    for n in range(count_edges(nb, b, vb, eb)):
        e = edge_there(nb, b, vb, eb, n)
        for m in range(faces):
            k, _ = face_there(nb, f, a, va, ea, fa, m)
            if not (kind == FACE_EDGE and k == one and e == two) and edge_on_face(f, g, j, e, i, k, -wx, -wy, -wz)[0] > 0.0:
                return True
    return False


@kernel
def _is_minimum(interaction, g, i, j, sub, wx, wy, wz, x0, x1, x2, y0, y1, y2):
    """Whether the nearest points x and y of a pair of features are a local minimum that belongs to it (see above).

    Args:
        sub: the pair. wx, wy, wz: centre of i less that of j (m). x, y: each relative to its own centre (m).
    """
    f, nb = interaction.features, interaction.neighbours
    a, b = g.species[i], g.species[j]
    kind, one, two = kind_of(sub), first_of(sub), second_of(sub)
    none = np.int64(-1)
    va, ea, fa, vb, eb, fb = none, none, none, none, none, none
    gx, gy, gz = y0 - x0 - wx, y1 - x1 - wy, y2 - x2 - wz
    if kind == EDGE_EDGE:
        va, vb, level = _nearest_on_edges(f, g, i, one, j, two, wx, wy, wz)
        ea, eb = one, two
        if (va >= 0 and edge_there(nb, a, va, ea, 0) != ea) or (vb >= 0 and edge_there(nb, b, vb, eb, 0) != eb):
            return False
        if not level:
            for m in range(count_edges(nb, a, va, ea)):
                for n in range(count_edges(nb, b, vb, eb)):
                    v, w, other = _nearest_on_edges(f, g, i, edge_there(nb, a, va, ea, m), j, edge_there(nb, b, vb, eb, n), wx, wy, wz)
                    if other or v != va or w != vb:
                        return False
    elif kind == VERTEX_FACE:
        va, fb = one, two
        first, last = loop_of(f, g, j, two)
        if not over_face(g.vert, g.vert_start[j], f.loops, first, last, wx + x0, wy + x1, wz + x2):
            return False
        if edges_descend(interaction, g, i, va, gx, gy, gz):
            return False
    elif kind == FACE_VERTEX:
        fa, vb = one, two
        first, last = loop_of(f, g, i, one)
        if not over_face(g.vert, g.vert_start[i], f.loops, first, last, y0 - wx, y1 - wy, y2 - wz):
            return False
        if edges_descend(interaction, g, j, vb, -gx, -gy, -gz):
            return False
    elif kind == EDGE_FACE:
        ea, fb = one, two
    elif kind == FACE_EDGE:
        fa, eb = one, two
    else:
        fa, fb = one, two
    if into_solid(f, nb, interaction.planar, g, i, va, ea, fa, gx, gy, gz) or into_solid(f, nb, interaction.planar, g, j, vb, eb, fb, -gx, -gy, -gz):
        return False
    if interaction.planar or kind == FACE_FACE:
        return True
    if _parallel_faces(interaction, g, i, j, sub, va, ea, fa, vb, eb, fb, wx, wy, wz):
        return False
    if va >= 0 or ea >= 0:
        if faces_descend(interaction, g, i, va, ea, gx, gy, gz):
            return False
        if vb >= 0:
            p0, p1, p2 = vertex(g, j, vb)
            if _over_a_face(interaction, g, i, va, ea, p0 - wx, p1 - wy, p2 - wz):
                return False
    if vb >= 0 or eb >= 0:
        if faces_descend(interaction, g, j, vb, eb, -gx, -gy, -gz):
            return False
        if va >= 0:
            p0, p1, p2 = vertex(g, i, va)
            if _over_a_face(interaction, g, j, vb, eb, wx + p0, wy + p1, wz + p2):
                return False
    return True


@kernel
def _nearest_flats(interaction, g, i, j, sub, wx, wy, wz, reach):
    """Barycentre of what a face and an edge or a face have in common; see ``features.nearest_features``.

    Returns:
        whether they are parallel and have a part in common; squared distance there (m^2), else of no less than any path that brings it about; points.
    """
    f, work = interaction.features, interaction.work
    kind, one, two = kind_of(sub), first_of(sub), second_of(sub)
    if kind == EDGE_FACE:
        share, tilt2, x0, x1, x2, y0, y1, y2 = edge_on_face(f, g, i, one, j, two, wx, wy, wz)
    elif kind == FACE_EDGE:
        share, tilt2, y0, y1, y2, x0, x1, x2 = edge_on_face(f, g, j, two, i, one, -wx, -wy, -wz)
    else:
        share, tilt2, x0, x1, x2, y0, y1, y2 = face_on_face(f, g, i, one, j, two, wx, wy, wz, work)
    dx, dy, dz = wx + x0 - y0, wy + x1 - y1, wz + x2 - y2
    if share > 0.0:
        return True, dx * dx + dy * dy + dz * dz, x0, x1, x2, y0, y1, y2
    # at an angle: the paths of the grains tell how far their furthest points, and so these, may have turned
    arm = np.sqrt(min(x0 * x0 + x1 * x1 + x2 * x2, y0 * y0 + y1 * y1 + y2 * y2))
    gap = reach + max(0.0, arm * (np.sqrt(tilt2) - 4.0 * TILT))
    return False, gap * gap, x0, x1, x2, y0, y1, y2


@inlined
def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):
    """Nearest points of a pair of features, in touch where they are a local minimum; see ``rods.closest``."""
    sub = pairs.sub[p]
    if kind_of(sub) >= EDGE_FACE:
        near, f, x0, x1, x2, y0, y1, y2 = _nearest_flats(interaction, g, i, j, sub, wx, wy, wz, reach)
        near = near and f < reach * reach
    else:
        f, x0, x1, x2, y0, y1, y2 = nearest_features(interaction.features, g, i, j, sub, wx, wy, wz, np.inf)
        near = f < reach * reach
    if near:
        near = _is_minimum(interaction, g, i, j, sub, wx, wy, wz, x0, x1, x2, y0, y1, y2)
    return near, f, x0, x1, x2, y0, y1, y2, 0


@inlined
def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p):
    """No couples: they belong to ``regularised``."""
    return 0.0, 0.0, 0.0, 0.0
