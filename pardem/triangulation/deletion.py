"""Compiled: taking a vertex out.

The tetrahedra of the vertex leave a hole whose corners are its neighbours. What fills it in the triangulation without the vertex is what lies
inside in the triangulation of these neighbours alone: the tetrahedra that have the vertex inside their orthospheres (perturbed triangulations are
unique, and the cell of the vertex depends on its neighbours only).
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import njit
from .point_insertion import insert_point
from .predicates import INFINITE, power
from .regularise import DONE, FULL, STUCK
from .tetrahedral_mesh import ABSENT, HIGH, LIVE, VERTEX, drop_tetrahedron, facet_of, make_mesh, note_edge, place_of, take_tetrahedron

CORNERS_OF_EDGES = ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2))


@njit(_nrt=True)
def _star(mesh, p):
    """The tetrahedra of a vertex: (k,) int64."""
    star = np.empty(64, np.int64)
    star[0], n, k = mesh.at[p], 1, 0
    while k < n:
        t = star[k]
        for i in range(4):
            if mesh.vert[t, i] == p:
                continue
            s = mesh.nbr[t, i] >> 2
            known = False
            for m in range(n):
                known |= star[m] == s
            if not known:
                if n == len(star):
                    star = np.concatenate((star, np.empty(n, np.int64)))
                star[n] = s
                n += 1
        k += 1
    return star[:n].copy()


@njit(_nrt=True)
def _link(mesh, star, p):
    """Rows of the small triangulation's points in the large one: those at infinity, the neighbours of p, p itself."""
    rows = np.empty(INFINITE + 4 * len(star) + 1, np.int64)
    n = INFINITE
    for i in range(INFINITE):
        rows[i] = i
    for t in star:
        for i in range(4):
            v = mesh.vert[t, i]
            known = v == p
            for m in range(n):
                known |= rows[m] == v
            if not known:
                rows[n] = v
                n += 1
    rows[n] = p
    return rows[: n + 1].copy()


@njit(_nrt=True)
def _triangulated(mesh, rows):
    """The triangulation of the rows but for the last; it counts no tetrahedra where it could not be made."""
    n = len(rows)
    small = make_mesh(n, 40 * n + 200)
    for i in range(INFINITE, n):
        small.key[i] = mesh.key[rows[i]]
        for c in range(4):
            small.xw[i, c] = mesh.xw[rows[i], c]
    for i in range(INFINITE, n - 1):
        start = 0
        while small.vert[start, 0] < 0:
            start += 1
        if insert_point(small, start, i) != DONE or small.state[i] != VERTEX:
            small.tally[LIVE] = 0
            break
    return small


@njit(_nrt=True)
def _rim(mesh, star, p):
    """The facets around the star: (k, 4) int64: three vertices in ascending order, what lies beyond."""
    rim = np.empty((len(star), 4), np.int64)
    for k, t in enumerate(star):
        i = place_of(mesh, t, p)
        a, b, c = facet_of(mesh, t, i)
        rim[k, :3] = np.sort(np.array((np.int64(a), np.int64(b), np.int64(c))))
        rim[k, 3] = mesh.nbr[t, i]
    return rim


@njit(_nrt=True)
def delete_vertex(mesh, p):
    """Remove a vertex from a weighted Delaunay triangulation. Hidden points may have to be uncovered afterwards.

    Args:
        mesh: the triangulation's arrays.
        p: number of the vertex.

    Returns:
        DONE; FULL if there is no storage for the new tetrahedra; STUCK if the hole could not be filled. After FULL and STUCK nothing has changed.
    """
    star = _star(mesh, p)
    rows = _link(mesh, star, p)
    small = _triangulated(mesh, rows)
    last = len(rows) - 1
    inside = np.full(len(small.vert), -1, np.int64)
    made = 0
    if small.tally[LIVE] > 0:
        for s in range(small.tally[HIGH]):
            v = small.vert[s]
            if v[0] >= 0 and power(small.xw, small.key, v[0], v[1], v[2], v[3], last) < 0:
                inside[s] = made
                made += 1
    if len(mesh.vert) - mesh.tally[LIVE] < made:
        return FULL
    rim = _rim(mesh, star, p)
    beyond = np.full((made, 4), -1, np.int64)
    matched = 0
    for s in range(small.tally[HIGH]):
        for i in range(4):
            if small.vert[s, 0] < 0 or inside[s] < 0 or (small.nbr[s, i] >= 0 and inside[small.nbr[s, i] >> 2] >= 0):
                continue
            a, b, c = facet_of(small, s, i)
            corners = np.sort(np.array((rows[a], rows[b], rows[c])))
            for k in range(len(rim)):
                if rim[k, 0] == corners[0] and rim[k, 1] == corners[1] and rim[k, 2] == corners[2]:
                    beyond[inside[s], i] = k
                    matched += 1
    if made == 0 or matched != len(rim):
        return STUCK
    _note_edges(mesh, p, rows, small, inside, beyond)
    _fill(mesh, star, rows, small, inside, rim, beyond)
    mesh.state[p] = ABSENT
    return DONE


@njit(_nrt=True)
def _on_rim(beyond, i, j):
    """Whether the edge between vertices i and j of a tetrahedron is on the rim; ``beyond``: (4,) facets of the rim opposite its vertices, or -1."""
    found = False
    for k in range(4):
        found |= k not in (i, j) and beyond[k] >= 0
    return found


@njit(_nrt=True)
def _note_edges(mesh, p, rows, small, inside, beyond):
    """Log the edges that go with vertex p, and those that come: of the tetrahedra in the hole, the ones that are not on its rim."""
    n = len(rows)
    for k in range(INFINITE, n - 1):
        note_edge(mesh, p, rows[k], -1)
    known = np.zeros((n, n), np.bool_)
    for new in range(2):  # the rim's, which stay, then the others
        for s in range(small.tally[HIGH]):
            if small.vert[s, 0] < 0 or inside[s] < 0:
                continue
            for i, j in CORNERS_OF_EDGES:
                a, b = min(small.vert[s, i], small.vert[s, j]), max(small.vert[s, i], small.vert[s, j])
                if known[a, b]:
                    continue
                if new:
                    known[a, b] = True
                    note_edge(mesh, rows[a], rows[b], 1)
                else:
                    known[a, b] = _on_rim(beyond[inside[s]], i, j)


@njit(_nrt=True)
def _fill(mesh, star, rows, small, inside, rim, beyond):
    """Exchange the star of a vertex for tetrahedra of the small triangulation."""
    for t in star:
        mesh.stamp[t] += 1
        drop_tetrahedron(mesh, t)
    name = np.empty(len(beyond), np.int64)
    for s in range(small.tally[HIGH]):
        if small.vert[s, 0] >= 0 and inside[s] >= 0:
            name[inside[s]] = take_tetrahedron(mesh)
    for s in range(small.tally[HIGH]):
        if small.vert[s, 0] < 0 or inside[s] < 0:
            continue
        t = name[inside[s]]
        for i in range(4):
            mesh.vert[t, i] = rows[small.vert[s, i]]
            mesh.at[mesh.vert[t, i]] = t
            k = beyond[inside[s], i]
            if k < 0:
                mesh.nbr[t, i] = 4 * name[inside[small.nbr[s, i] >> 2]] + (small.nbr[s, i] & 3)
                continue
            mesh.nbr[t, i] = rim[k, 3]
            if rim[k, 3] >= 0:
                mesh.nbr[rim[k, 3] >> 2, rim[k, 3] & 3] = 4 * t + i
