"""Distance of two skeletons that need not be convex: the least of all pairs of edges and of vertices and faces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import njit
from ..interactions.segments import nearest_segments
from ..shapes import Catalogue


class Skeletons(NamedTuple):
    """Features of the species.

    Attributes:
        plain: (ns,) bool, the core is convex and its vertices say all.
        seg_start: (ns + 1,) int64; segs: (m, 2) int32 vertex numbers within the species: edges, then vertices without an edge twice.
        face_start: (ns + 1,) int64; loop_start: (nf + 1,) int64; loops: int32 vertex numbers, as in `Catalogue`.
        closed: (ns,) bool, the faces enclose space, which counts as filled.
    """

    plain: np.ndarray
    seg_start: np.ndarray
    segs: np.ndarray
    face_start: np.ndarray
    loop_start: np.ndarray
    loops: np.ndarray
    closed: np.ndarray


def make_skeletons(catalogue: Catalogue) -> Skeletons:
    """The features of a catalogue's species."""
    segs, closed = [], []
    for s, vertices in enumerate(catalogue.kind):
        edges = catalogue.edges[catalogue.edge_start[s] : catalogue.edge_start[s + 1]]
        alone = np.setdiff1d(np.arange(vertices), edges)
        segs.append(np.concatenate([edges, np.column_stack([alone, alone])]).astype(np.int32))
        first, last = catalogue.face_start[s], catalogue.face_start[s + 1]
        loops = [catalogue.face_vertices[catalogue.face_vertex_start[f] : catalogue.face_vertex_start[f + 1]].tolist() for f in range(first, last)]
        sides = {(loop[k - 1], loop[k]) for loop in loops for k in range(len(loop))}
        closed.append(len(loops) > 1 and all((b, a) in sides for a, b in sides))
    return Skeletons(
        catalogue.convex.astype(bool), np.concatenate([[0], np.cumsum([len(s) for s in segs])]).astype(np.int64),
        np.concatenate([np.empty((0, 2), np.int32), *segs]), catalogue.face_start, catalogue.face_vertex_start, catalogue.face_vertices,
        np.array(closed, bool),
    )  # fmt: skip


@njit
def _segment(sk, s, k, verts, first):
    """Middle and half of segment ``k`` of species ``s`` whose vertices begin at row ``first``."""
    i, j = first + sk.segs[k, 0], first + sk.segs[k, 1]
    return (
        0.5 * (verts[i, 0] + verts[j, 0]), 0.5 * (verts[i, 1] + verts[j, 1]), 0.5 * (verts[i, 2] + verts[j, 2]),
        0.5 * (verts[j, 0] - verts[i, 0]), 0.5 * (verts[j, 1] - verts[i, 1]), 0.5 * (verts[j, 2] - verts[i, 2]),
    )  # fmt: skip


@njit
def _normal(sk, face, verts, first):
    """Area vector of a face (not of length one)."""
    nx = ny = nz = 0.0
    start, end = sk.loop_start[face], sk.loop_start[face + 1]
    o = first + sk.loops[start]
    for k in range(start + 1, end - 1):
        i, j = first + sk.loops[k], first + sk.loops[k + 1]
        ax, ay, az = verts[i, 0] - verts[o, 0], verts[i, 1] - verts[o, 1], verts[i, 2] - verts[o, 2]
        bx, by, bz = verts[j, 0] - verts[o, 0], verts[j, 1] - verts[o, 1], verts[j, 2] - verts[o, 2]
        nx += ay * bz - az * by
        ny += az * bx - ax * bz
        nz += ax * by - ay * bx
    return nx, ny, nz


@njit
def _over_face(sk, face, verts, first, nx, ny, nz, x, y, z):
    """Whether a point's foot on the plane of a face (convex or not) lies in it: crossings of a ray, seen along the normal's main axis."""
    if abs(nz) >= abs(nx) and abs(nz) >= abs(ny):
        a, b = 0, 1
    elif abs(ny) >= abs(nx):
        a, b = 0, 2
    else:
        a, b = 1, 2
    o = first + sk.loops[sk.loop_start[face]]
    height = ((x - verts[o, 0]) * nx + (y - verts[o, 1]) * ny + (z - verts[o, 2]) * nz) / (nx * nx + ny * ny + nz * nz)
    fx, fy, fz = x - height * nx, y - height * ny, z - height * nz
    u, v = (fy if a == 1 else fx), (fy if b == 1 else fz)
    inside = False
    start, end = sk.loop_start[face], sk.loop_start[face + 1]
    j = first + sk.loops[end - 1]
    for k in range(start, end):
        i = first + sk.loops[k]
        if (verts[i, b] <= v) != (verts[j, b] <= v):
            slope = (verts[j, a] - verts[i, a]) / (verts[j, b] - verts[i, b])
            if u < verts[i, a] + (v - verts[i, b]) * slope:
                inside = not inside
        j = i
    return inside


@njit
def _edges_apart(sk, verts, sa, a0, sb, b0, dx, dy, dz, reach_b, best, below):
    """Least distance of two skeletons' edges, or ``best`` if that is less; stops at ``below``."""
    for e in range(sk.seg_start[sa], sk.seg_start[sa + 1]):
        px, py, pz, ux, uy, uz = _segment(sk, sa, e, verts, a0)
        # far from all of b?
        s, _ = nearest_segments(px - dx, py - dy, pz - dz, ux, uy, uz, 0.0, 0.0, 0.0)
        x, y, z = px - dx + s * ux, py - dy + s * uy, pz - dz + s * uz
        if np.sqrt(x * x + y * y + z * z) - reach_b >= best:
            continue
        for f in range(sk.seg_start[sb], sk.seg_start[sb + 1]):
            qx, qy, qz, vx, vy, vz = _segment(sk, sb, f, verts, b0)
            qx, qy, qz = px - dx - qx, py - dy - qy, pz - dz - qz
            s, t = nearest_segments(qx, qy, qz, ux, uy, uz, vx, vy, vz)
            x, y, z = qx + s * ux - t * vx, qy + s * uy - t * vy, qz + s * uz - t * vz
            best = min(best, np.sqrt(x * x + y * y + z * z))
            if best <= below:
                return best
    return best


@njit
def _faces_apart(sk, verts, sa, a0, sb, b0, dx, dy, dz, best, below):
    """Least distance of the vertices of a from the faces of b where they lie over them, 0 where an edge of a goes through one; or ``best``."""
    for face in range(sk.face_start[sb], sk.face_start[sb + 1]):
        nx, ny, nz = _normal(sk, face, verts, b0)
        size = np.sqrt(nx * nx + ny * ny + nz * nz)
        o = b0 + sk.loops[sk.loop_start[face]]
        ox, oy, oz = dx + verts[o, 0], dy + verts[o, 1], dz + verts[o, 2]
        for e in range(sk.seg_start[sa], sk.seg_start[sa + 1]):
            i, j = a0 + sk.segs[e, 0], a0 + sk.segs[e, 1]
            hi = ((verts[i, 0] - ox) * nx + (verts[i, 1] - oy) * ny + (verts[i, 2] - oz) * nz) / size
            hj = ((verts[j, 0] - ox) * nx + (verts[j, 1] - oy) * ny + (verts[j, 2] - oz) * nz) / size
            if abs(hi) < best and _over_face(sk, face, verts, b0, nx, ny, nz, verts[i, 0] - dx, verts[i, 1] - dy, verts[i, 2] - dz):
                best = abs(hi)
            if abs(hj) < best and _over_face(sk, face, verts, b0, nx, ny, nz, verts[j, 0] - dx, verts[j, 1] - dy, verts[j, 2] - dz):
                best = abs(hj)
            if hi * hj < 0.0:
                t = hi / (hi - hj)
                x = verts[i, 0] + t * (verts[j, 0] - verts[i, 0]) - dx
                y = verts[i, 1] + t * (verts[j, 1] - verts[i, 1]) - dy
                z = verts[i, 2] + t * (verts[j, 2] - verts[i, 2]) - dz
                if _over_face(sk, face, verts, b0, nx, ny, nz, x, y, z):
                    best = 0.0
            if best <= below:
                return best
    return best


@njit
def _encloses(sk, verts, sb, b0, x, y, z):
    """Whether the closed faces of b wind about a point: solid angles of fans of triangles (van Oosterom and Strackee, 1983)."""
    total = 0.0
    for face in range(sk.face_start[sb], sk.face_start[sb + 1]):
        start, end = sk.loop_start[face], sk.loop_start[face + 1]
        o = b0 + sk.loops[start]
        ax, ay, az = verts[o, 0] - x, verts[o, 1] - y, verts[o, 2] - z
        la = np.sqrt(ax * ax + ay * ay + az * az)
        for k in range(start + 1, end - 1):
            i, j = b0 + sk.loops[k], b0 + sk.loops[k + 1]
            bx, by, bz = verts[i, 0] - x, verts[i, 1] - y, verts[i, 2] - z
            cx, cy, cz = verts[j, 0] - x, verts[j, 1] - y, verts[j, 2] - z
            lb, lc = np.sqrt(bx * bx + by * by + bz * bz), np.sqrt(cx * cx + cy * cy + cz * cz)
            triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            ab, bc, ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
            total += 2.0 * np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb)
    return abs(total) > 2.0 * np.pi


@njit
def holds(sk, verts, s, first, x, y, z, planar):
    """Whether a point (m, relative to the centre) lies within the outline (in the plane) or the closed faces of a skeleton.

    Args:
        sk: features. verts: (M, 3) world vertices relative to their centres (m). s: species. first: first row of its vertices.
        planar: two dimensions.
    """
    if not planar:
        return sk.closed[s] and _encloses(sk, verts, s, first, x, y, z)
    for face in range(sk.face_start[s], sk.face_start[s + 1]):
        nx, ny, nz = _normal(sk, face, verts, first)
        if _over_face(sk, face, verts, first, nx, ny, nz, x, y, z):
            return True
    return False


@njit
def surface_distance(sk, verts, sa, a0, sb, b0, dx, dy, dz, reach_b, above, below):
    """As the lower bound of ``skeleton_distance``, but what the second skeleton encloses is empty: its edges and, in space, faces alone count."""
    best = _edges_apart(sk, verts, sa, a0, sb, b0, dx, dy, dz, reach_b, above * (1.0 + 1e-12), below)
    outline = sk.face_start[sb + 1] - sk.face_start[sb] == 1  # in the plane
    if best > below and not outline:
        best = _faces_apart(sk, verts, sa, a0, sb, b0, dx, dy, dz, best, below)
    if best > below and not outline:
        best = _faces_apart(sk, verts, sb, b0, sa, a0, -dx, -dy, -dz, best, below)
    return best


@njit
def skeleton_distance(sk, verts, sa, a0, sb, b0, dx, dy, dz, reach_b, above, below):
    """Bounds on the distance of two skeletons; what closed faces, or in the plane an outline, enclose belongs to them.

    Args:
        sk: features. verts: (M, 3) world vertices relative to their centres (m). sa, sb: species. a0, b0: first rows of their vertices.
        dx, dy, dz: centre of b less that of a (m). reach_b: largest distance of a vertex of b from its centre (m).
        above, below: pairs of features further apart than ``above`` need not be looked at; stop at ``below`` (m).

    Returns:
        lower and upper bound (m): equal where the distance is at most ``above``, else a little more than that and inf.
    """
    limit = above * (1.0 + 1e-12)
    best = _edges_apart(sk, verts, sa, a0, sb, b0, dx, dy, dz, reach_b, limit, below)
    if best > below:
        best = _faces_apart(sk, verts, sa, a0, sb, b0, dx, dy, dz, best, below)
    if best > below:
        best = _faces_apart(sk, verts, sb, b0, sa, a0, -dx, -dy, -dz, best, below)
    if best > below and sk.closed[sb] and _encloses(sk, verts, sb, b0, verts[a0, 0] - dx, verts[a0, 1] - dy, verts[a0, 2] - dz):
        best = 0.0
    if best > below and sk.closed[sa] and _encloses(sk, verts, sa, a0, verts[b0, 0] + dx, verts[b0, 1] + dy, verts[b0, 2] + dz):
        best = 0.0
    return best, best if best < limit else np.inf
