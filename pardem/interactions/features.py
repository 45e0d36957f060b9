"""Features of spheropolytopes (vertices, edges, faces) and the nearest points between two of them.

A pair of features of two bodies is one number, ``sub``: its kind and the number of the feature on each body. Edges and faces are numbered within the
species; a vertex that bounds no edge, such as the centre of a sphere, counts as an edge of no length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._jit import inlined, kernel
from ..state import Features
from .segments import nearest_segments

VERTEX_EDGE, EDGE_VERTEX, EDGE_EDGE, VERTEX_FACE, FACE_VERTEX, EDGE_FACE, FACE_EDGE, FACE_FACE = range(8)
"""Kinds of pairs: feature of the first body, feature of the second. The last three count where they are parallel only (``flats``)."""
RIM = 1e-8
"""Tangent of the angle at a point over a face between the face's normal and its rim below which the point counts as over the rim: far above rounding,
and below the angle (``polytope_faces.TILT``) up to which features count as parallel."""
_BITS = 28
_MASK = (1 << _BITS) - 1


@inlined
def feature_pair(kind, first, second):
    """The number of a pair of features."""
    return (np.int64(kind) << (2 * _BITS)) | (np.int64(first) << _BITS) | np.int64(second)


@inlined
def kind_of(sub):
    """Kind of a pair of features."""
    return sub >> (2 * _BITS)


@inlined
def first_of(sub):
    """Feature of the first body."""
    return (sub >> _BITS) & _MASK


@inlined
def second_of(sub):
    """Feature of the second body."""
    return sub & _MASK


@inlined
def vertex(g, i, k):
    """Core vertex ``k`` of grain ``i`` relative to its centre (m); the centre itself where a grain has none."""
    n = np.uintp(g.vert_start[i] + k)
    if g.vert_start[i + 1] == g.vert_start[i]:
        return 0.0, 0.0, 0.0
    return g.vert[n, 0], g.vert[n, 1], g.vert[n, 2]


@inlined
def edge(f, g, i, k):
    """Middle and half-vector (m) of edge ``k`` of grain ``i``."""
    e = np.uintp(f.edge_start[g.species[i]] + k)
    ax, ay, az = vertex(g, i, f.edges[e, 0])
    bx, by, bz = vertex(g, i, f.edges[e, 1])
    return 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz), 0.5 * (bx - ax), 0.5 * (by - ay), 0.5 * (bz - az)


@inlined
def anchor(f, g, j, sub):
    """A point of the second feature of a pair, relative to the centre of its body ``j`` (m): its nearest image is that of the feature."""
    kind, k = kind_of(sub), second_of(sub)
    if kind in (EDGE_VERTEX, FACE_VERTEX):
        return vertex(g, j, k)
    if kind == VERTEX_FACE:
        return vertex(g, j, f.loops[f.loop_start[f.face_start[g.species[j]] + k]])
    x, y, z, _, _, _ = edge(f, g, j, k)
    return x, y, z


@inlined
def _on_segment(px, py, pz, mx, my, mz, ux, uy, uz):
    """Nearest point of the segment m + s u, -1 <= s <= 1, to p."""
    u2 = ux * ux + uy * uy + uz * uz
    s = 0.0
    if u2 > 0.0:
        s = min(1.0, max(-1.0, ((px - mx) * ux + (py - my) * uy + (pz - mz) * uz) / u2))
    return mx + s * ux, my + s * uy, mz + s * uz


@kernel
def area_vector(vert, base, loops, first, last):
    """Twice the area of a plane simple polygon times its unit normal (m^2).

    Args:
        vert, base: world vertices and the grain's first row. loops, first, last: vertex numbers of the face.
    """
    a = base + loops[first]
    ox, oy, oz = vert[a, 0], vert[a, 1], vert[a, 2]
    nx, ny, nz = 0.0, 0.0, 0.0
    b = base + loops[first + 1]
    ax, ay, az = vert[b, 0] - ox, vert[b, 1] - oy, vert[b, 2] - oz
    for m in range(first + 2, last):
        b = base + loops[m]
        bx, by, bz = vert[b, 0] - ox, vert[b, 1] - oy, vert[b, 2] - oz
        nx += ay * bz - az * by
        ny += az * bx - ax * bz
        nz += ax * by - ay * bx
        ax, ay, az = bx, by, bz
    return nx, ny, nz


@inlined
def largest_axes(nx, ny, nz):
    """The two axes along which a face with the normal n is seen largest, in an order that keeps its sense of rotation for a positive third."""
    if abs(nx) >= abs(ny) and abs(nx) >= abs(nz):
        return 1, 2
    if abs(ny) >= abs(nz):
        return 2, 0
    return 0, 1


@kernel
def within_outline(vert, base, loops, first, last, nx, ny, nz, qx, qy, qz):
    """Whether a point of a face's plane lies inside the face: crossings of a ray, seen along an axis.

    Args:
        vert ... last: as in ``area_vector``. nx, ny, nz: what that gave. qx, qy, qz: the point (m).
    """
    u, v = largest_axes(nx, ny, nz)
    q0 = qx if u == 0 else (qy if u == 1 else qz)
    q1 = qx if v == 0 else (qy if v == 1 else qz)
    inside = False
    a = base + loops[last - 1]
    a0, a1 = vert[a, u], vert[a, v]
    for m in range(first, last):
        b = base + loops[m]
        b0, b1 = vert[b, u], vert[b, v]
        if (a1 > q1) != (b1 > q1) and ((q0 - a0) * (b1 - a1) < (q1 - a1) * (b0 - a0)) == (b1 > a1):
            inside = not inside
        a0, a1 = b0, b1
    return inside


@kernel
def over_face(vert, base, loops, first, last, px, py, pz):
    """Whether the foot of the point p on a face's plane lies inside the face, farther from its sides than RIM of its height.

    Args:
        vert ... last: as in ``area_vector``. px, py, pz: relative to the grain's centre (m).
    """
    nx, ny, nz = area_vector(vert, base, loops, first, last)
    a = base + loops[first]
    height = ((px - vert[a, 0]) * nx + (py - vert[a, 1]) * ny + (pz - vert[a, 2]) * nz) / (nx * nx + ny * ny + nz * nz)
    qx, qy, qz = px - height * nx, py - height * ny, pz - height * nz
    if not within_outline(vert, base, loops, first, last, nx, ny, nz, qx, qy, qz):
        return False
    least = RIM * RIM * height * height * (nx * nx + ny * ny + nz * nz)
    a = base + loops[last - 1]
    for m in range(first, last):
        b = base + loops[m]
        ux, uy, uz = vert[b, 0] - vert[a, 0], vert[b, 1] - vert[a, 1], vert[b, 2] - vert[a, 2]
        dx, dy, dz = qx - vert[a, 0], qy - vert[a, 1], qz - vert[a, 2]
        s = min(1.0, max(0.0, (dx * ux + dy * uy + dz * uz) / (ux * ux + uy * uy + uz * uz)))
        dx, dy, dz = dx - s * ux, dy - s * uy, dz - s * uz
        if dx * dx + dy * dy + dz * dz <= least:
            return False
        a = b
    return True


@kernel
def _nearest_on_face(vert, base, loops, first, last, px, py, pz, reach2):
    """Nearest point (m) of a face to the point p, both relative to the grain's centre; the face is any simple plane polygon.

    Args:
        vert ... last: as in ``area_vector``. reach2: squared distance (m^2) beyond which any point of the plane will do.
    """
    a = base + loops[first]
    nx, ny, nz = area_vector(vert, base, loops, first, last)
    rise = (px - vert[a, 0]) * nx + (py - vert[a, 1]) * ny + (pz - vert[a, 2]) * nz
    height = rise / (nx * nx + ny * ny + nz * nz)
    qx, qy, qz = px - height * nx, py - height * ny, pz - height * nz
    if rise * height > reach2 or within_outline(vert, base, loops, first, last, nx, ny, nz, qx, qy, qz):
        return qx, qy, qz
    best, rx, ry, rz = np.inf, 0.0, 0.0, 0.0
    a = base + loops[last - 1]
    ax, ay, az = vert[a, 0], vert[a, 1], vert[a, 2]
    for m in range(first, last):
        b = base + loops[m]
        bx, by, bz = vert[b, 0], vert[b, 1], vert[b, 2]
        ux, uy, uz = bx - ax, by - ay, bz - az
        s = ((px - ax) * ux + (py - ay) * uy + (pz - az) * uz) / (ux * ux + uy * uy + uz * uz)
        s = min(1.0, max(0.0, s))
        ex, ey, ez = ax + s * ux, ay + s * uy, az + s * uz
        d2 = (ex - px) * (ex - px) + (ey - py) * (ey - py) + (ez - pz) * (ez - pz)
        if d2 < best:
            best, rx, ry, rz = d2, ex, ey, ez
        ax, ay, az = bx, by, bz
    return rx, ry, rz


@inlined
def loop_of(f, g, i, k):
    """First and last place in ``Features.loops`` of face ``k`` of grain ``i``."""
    face = f.face_start[g.species[i]] + k
    return f.loop_start[face], f.loop_start[face + 1]


@inlined
def normal_of(f, g, i, k):
    """Twice the area of a face times its unit normal (m^2), and its first corner relative to the centre (m)."""
    first, last = loop_of(f, g, i, k)
    nx, ny, nz = area_vector(g.vert, g.vert_start[i], f.loops, first, last)
    a = g.vert_start[i] + f.loops[first]
    return nx, ny, nz, g.vert[a, 0], g.vert[a, 1], g.vert[a, 2]


@inlined
def _on_face(f, g, i, k, px, py, pz, reach2):
    first, last = loop_of(f, g, i, k)
    return _nearest_on_face(g.vert, g.vert_start[i], f.loops, first, last, px, py, pz, reach2)


@inlined
def nearest_features(f, g, i, j, sub, wx, wy, wz, reach2):
    """Nearest points of a pair of features.

    Args:
        f: `Features`. sub: number of the pair. wx, wy, wz: centre of i less that of j, nearest image (m).
        reach2: squared distance (m^2) beyond which only a lower bound is wanted.

    Returns:
        squared distance (m^2), the point on i, the point on j, each relative to its own centre (m).
    """
    kind, a, b = kind_of(sub), first_of(sub), second_of(sub)
    if kind == EDGE_EDGE:
        mx, my, mz, ux, uy, uz = edge(f, g, i, a)
        ox, oy, oz, vx, vy, vz = edge(f, g, j, b)
        s, t = nearest_segments(wx + mx - ox, wy + my - oy, wz + mz - oz, ux, uy, uz, vx, vy, vz)
        x0, x1, x2 = mx + s * ux, my + s * uy, mz + s * uz
        y0, y1, y2 = ox + t * vx, oy + t * vy, oz + t * vz
    elif kind in (VERTEX_EDGE, VERTEX_FACE):
        x0, x1, x2 = vertex(g, i, a)
        px, py, pz = wx + x0, wy + x1, wz + x2
        if kind == VERTEX_EDGE:
            ox, oy, oz, vx, vy, vz = edge(f, g, j, b)
            y0, y1, y2 = _on_segment(px, py, pz, ox, oy, oz, vx, vy, vz)
        else:
            y0, y1, y2 = _on_face(f, g, j, b, px, py, pz, reach2)
    else:
        y0, y1, y2 = vertex(g, j, b)
        px, py, pz = y0 - wx, y1 - wy, y2 - wz
        if kind == EDGE_VERTEX:
            mx, my, mz, ux, uy, uz = edge(f, g, i, a)
            x0, x1, x2 = _on_segment(px, py, pz, mx, my, mz, ux, uy, uz)
        else:
            x0, x1, x2 = _on_face(f, g, i, a, px, py, pz, reach2)
    dx, dy, dz = wx + x0 - y0, wy + x1 - y1, wz + x2 - y2
    return dx * dx + dy * dy + dz * dz, x0, x1, x2, y0, y1, y2


def build_features(catalogue: Any) -> Features:
    """Features of the species of a ``shapes.catalogue.Catalogue``; in two dimensions without faces: the outline is what touches."""
    c = catalogue
    rows: list[np.ndarray] = []
    real = np.diff(c.edge_start).astype(np.int32)
    for s, count in enumerate(c.kind):
        own = c.edges[c.edge_start[s] : c.edge_start[s + 1]]
        lone = np.setdiff1d(np.arange(count), own)
        rows.append(np.concatenate([own, np.stack([lone, lone], axis=1)]))
    start = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    edges = np.concatenate(rows).astype(np.int32)
    if (c.dimension == 2).all():
        return Features(start, edges, real, np.zeros_like(c.face_start), c.face_vertex_start[:1], c.face_vertices[:0])
    return Features(start, edges, real, c.face_start, c.face_vertex_start, c.face_vertices)
