"""Distance of two skeletons that need not be convex: the least of all pairs of edges and of vertices and faces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.vectors import ZERO, add, ahead, behind, cross, dot, length, negative, row, scale, square, subtract
from ..contacts.nearest.segments import nearest_segments
from ..shapes import Catalogue


class Skeletons(NamedTuple):
    """Features of the species.

    Attributes:
        convex: (ns,) bool, whether the core is convex, so that its vertices say all.
        seg_start: (ns + 1,) int64 first segment of each species.
        segs: (m, 2) int32 vertex numbers within the species: edges, then vertices without an edge twice.
        face_start: (ns + 1,) int64 first face of each species, as in `Catalogue`.
        loop_start: (nf + 1,) int64 first vertex of each face in ``loops``.
        loops: int32 vertex numbers within the species.
        closed: (ns,) bool, the faces enclose space, which counts as filled.
    """

    convex: np.ndarray
    seg_start: np.ndarray
    segs: np.ndarray
    face_start: np.ndarray
    loop_start: np.ndarray
    loops: np.ndarray
    closed: np.ndarray


class PlacedCore(NamedTuple):
    """A skeleton that is placed.

    Attributes:
        species: row of the tables.
        first: row of its first vertex.
        reach: largest distance of a vertex from its centre (m).
    """

    species: int
    first: int
    reach: float


def make_skeletons(catalogue: Catalogue) -> Skeletons:
    """Collect the features of the species of a catalogue.

    Args:
        catalogue: shape catalogue.

    Returns:
        The features as flat arrays.
    """
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


@inlined
def _segment(sk, k, verts, first):
    """Middle and half of segment ``k`` of a species whose vertices begin at row ``first`` (m)."""
    a, b = row(verts, first + sk.segs[k, 0]), row(verts, first + sk.segs[k, 1])
    return scale(0.5, add(a, b)), scale(0.5, subtract(b, a))


@inlined
def _normal(sk, face, verts, first):
    """Area vector of a face (not of length one)."""
    n = ZERO
    start, end = sk.loop_start[face], sk.loop_start[face + 1]
    o = row(verts, first + sk.loops[start])
    for k in range(start + 1, end - 1):
        a, b = row(verts, first + sk.loops[k]), row(verts, first + sk.loops[k + 1])
        n = add(n, cross(subtract(a, o), subtract(b, o)))
    return n


@inlined
def _over_face(sk, face, verts, first, n, x):
    """Whether a point's foot on the plane of a face lies in it: crossings of a ray, seen along the normal's main axis.

    Args:
        sk: `Skeletons`.
        face: number of the face, convex or not.
        verts: (M, 3) vertices (m).
        first: row of the species' first vertex.
        n: the face's normal, of any length.
        x: the point, relative to what the vertices are relative to (m).
    """
    if abs(n[2]) >= abs(n[0]) and abs(n[2]) >= abs(n[1]):
        a, b = 0, 1
    elif abs(n[1]) >= abs(n[0]):
        a, b = 0, 2
    else:
        a, b = 1, 2
    o = row(verts, first + sk.loops[sk.loop_start[face]])
    foot = behind(x, dot(subtract(x, o), n) / square(n), n)
    u, v = (foot[1] if a == 1 else foot[0]), (foot[1] if b == 1 else foot[2])
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


@inlined
def _edges_apart(sk, verts, a, b, d, best, below):
    """Least distance of two skeletons' edges, or ``best`` if that is less; stops at ``below``. Arguments as for `skeleton_distance`."""
    for e in range(sk.seg_start[a.species], sk.seg_start[a.species + 1]):
        p, u = _segment(sk, e, verts, a.first)
        p = subtract(p, d)
        # far from all of b?
        s, _ = nearest_segments(p, u, ZERO)
        if length(ahead(p, s, u)) - b.reach >= best:
            continue
        for f in range(sk.seg_start[b.species], sk.seg_start[b.species + 1]):
            q, v = _segment(sk, f, verts, b.first)
            q = subtract(p, q)
            s, t = nearest_segments(q, u, v)
            best = min(best, length(behind(ahead(q, s, u), t, v)))
            if best <= below:
                return best
    return best


@inlined
def _faces_apart(sk, verts, a, b, d, best, below):
    """Least distance of the vertices of a from the faces of b where they lie over them, 0 where an edge of a goes through one; or ``best``."""
    for face in range(sk.face_start[b.species], sk.face_start[b.species + 1]):
        n = _normal(sk, face, verts, b.first)
        size = length(n)
        o = add(d, row(verts, b.first + sk.loops[sk.loop_start[face]]))
        for e in range(sk.seg_start[a.species], sk.seg_start[a.species + 1]):
            p, q = row(verts, a.first + sk.segs[e, 0]), row(verts, a.first + sk.segs[e, 1])
            hp, hq = dot(subtract(p, o), n) / size, dot(subtract(q, o), n) / size
            if abs(hp) < best and _over_face(sk, face, verts, b.first, n, subtract(p, d)):
                best = abs(hp)
            if abs(hq) < best and _over_face(sk, face, verts, b.first, n, subtract(q, d)):
                best = abs(hq)
            if hp * hq < 0.0 and _over_face(sk, face, verts, b.first, n, subtract(ahead(p, hp / (hp - hq), subtract(q, p)), d)):
                best = 0.0
            if best <= below:
                return best
    return best


@inlined
def _encloses(sk, verts, b, x):
    """Whether the closed faces of b wind about a point: solid angles of fans of triangles (van Oosterom and Strackee, 1983)."""
    total = 0.0
    for face in range(sk.face_start[b.species], sk.face_start[b.species + 1]):
        start, end = sk.loop_start[face], sk.loop_start[face + 1]
        p = subtract(row(verts, b.first + sk.loops[start]), x)
        lp = length(p)
        for k in range(start + 1, end - 1):
            q, r = subtract(row(verts, b.first + sk.loops[k]), x), subtract(row(verts, b.first + sk.loops[k + 1]), x)
            lq, lr = length(q), length(r)
            total += 2.0 * np.arctan2(dot(p, cross(q, r)), lp * lq * lr + dot(p, q) * lr + dot(q, r) * lp + dot(r, p) * lq)
    return abs(total) > 2.0 * np.pi


@kernel
def holds(sk, verts, a, x, planar):
    """Determine whether a point lies inside the outline of a skeleton in the plane, or inside its closed faces in space.

    Args:
        sk: `Skeletons`.
        verts: (M, 3) world vertices relative to their centres (m).
        a: `PlacedCore`.
        x: the point, relative to the centre (m).
        planar: whether the simulation is two-dimensional.

    Returns:
        Whether it does.
    """
    if not planar:
        return sk.closed[a.species] and _encloses(sk, verts, a, x)
    for face in range(sk.face_start[a.species], sk.face_start[a.species + 1]):
        if _over_face(sk, face, verts, a.first, _normal(sk, face, verts, a.first), x):
            return True
    return False


@inlined
def surface_distance(sk, verts, a, b, d, above, below):
    """Lower bound on the distance of a skeleton from the surface of another, whose inside counts as empty.

    Args:
        sk: `Skeletons`.
        verts: (M, 3) world vertices relative to their centres (m).
        a: `PlacedCore`, the first one.
        b: the second one, of which only the edges and, in space, the faces count.
        d: centre of b minus that of a (m).
        above: pairs of features further apart than this need not be considered (m).
        below: stop at this distance (m).

    Returns:
        The bound (m): the distance itself if that is at most ``above``, otherwise a little more than ``above``.
    """
    best = _edges_apart(sk, verts, a, b, d, above * (1.0 + 1e-12), below)
    outline = sk.face_start[b.species + 1] - sk.face_start[b.species] == 1  # in the plane
    if best > below and not outline:
        best = _faces_apart(sk, verts, a, b, d, best, below)
    if best > below and not outline:
        best = _faces_apart(sk, verts, b, a, negative(d), best, below)
    return best


@inlined
def skeleton_distance(sk, verts, a, b, d, above, below):
    """Bound the distance of two skeletons. What their closed faces, or in the plane their outlines, enclose belongs to them.

    Args:
        sk: `Skeletons`.
        verts: (M, 3) world vertices relative to their centres (m).
        a: `PlacedCore`, the first one.
        b: the second one.
        d: centre of b minus that of a (m).
        above: pairs of features further apart than this need not be considered (m).
        below: stop at this distance (m).

    Returns:
        Lower and upper bound (m). They are equal if the distance is at most ``above``; otherwise they are a little more than ``above``, and inf.
    """
    limit = above * (1.0 + 1e-12)
    best = _edges_apart(sk, verts, a, b, d, limit, below)
    if best > below:
        best = _faces_apart(sk, verts, a, b, d, best, below)
    if best > below:
        best = _faces_apart(sk, verts, b, a, negative(d), best, below)
    if best > below and sk.closed[b.species] and _encloses(sk, verts, b, subtract(row(verts, a.first), d)):
        best = 0.0
    if best > below and sk.closed[a.species] and _encloses(sk, verts, a, add(row(verts, b.first), d)):
        best = 0.0
    return best, best if best < limit else np.inf
