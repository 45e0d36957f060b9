"""Compiled: bistellar flips.

Five vertices v0 ... v4 in general position have two triangulations; with T_i the tetrahedron without v_i they are {T_i : i in I} and {T_j : j in J},
I and J the parts of Radon's partition (Pournin, thesis, theorem 1). A flip exchanges one for the other: 2-3, 3-2, 1-4 or 4-1 by the sizes of I and
J. T_i and T_j share the facet without v_i and v_j, so what lay beyond it from T_i lies beyond it from T_j afterwards. Flips are combinatorial;
whoever calls knows that the new tetrahedra are positive, or become so. A 4-4 flip is a 2-3 and a 3-2 flip in a row.
"""

from __future__ import annotations

from ..compiled.jit import inlined, kernel
from .tetrahedral_mesh import (
    FLIP_14,
    FLIP_23,
    FLIP_32,
    FLIP_41,
    FLIP_44,
    HIDDEN,
    HIDDEN_COUNT,
    LOGGED,
    STAR,
    VERTEX,
    drop_tetrahedron,
    enqueue,
    facet_of,
    note_edge,
    place_of,
    take_tetrahedron,
)

# in ``work``: the vertices at 0-4, T_i to go, T_j to come (-1: none), and at BEYOND + 5 i + j what lies beyond T_i opposite v_j
OLD, NEW, BEYOND = 5, 10, 15


@inlined
def _set_circuit(mesh, vertices, tetrahedra):
    """The five vertices of a circuit and the tetrahedra without each of them, -1 for those to be made."""
    w = mesh.work
    w[0], w[1], w[2], w[3], w[4] = vertices
    w[5], w[6], w[7], w[8], w[9] = tetrahedra


@kernel
def _odd_in(mesh, i, t):
    """Whether the vertices of the circuit without v_i, in order, are an odd permutation of tetrahedron t."""
    w = mesh.work
    odd = False
    for k in range(4):
        first = place_of(mesh, t, w[k if k < i else k + 1])
        for m in range(k + 1, 4):
            if first > place_of(mesh, t, w[m if m < i else m + 1]):
                odd = not odd
    return odd


@kernel
def _note_edges(mesh):
    """Log the edges that the flip makes and undoes, unless the log is not kept: (x, y) is in T_k unless k is x or y."""
    if mesh.tally[LOGGED] < 0:
        return
    w = mesh.work
    for x in range(4):
        for y in range(x + 1, 5):
            before, after = False, False
            for k in range(5):
                if k != x and k != y:
                    before |= w[OLD + k] >= 0
                    after |= w[OLD + k] < 0
            if before != after:
                note_edge(mesh, w[x], w[y], 1 if after else -1)


@kernel
def _exchange(mesh):
    """Exchange the two triangulations of the circuit in ``work``; the facets around it go into the queue. New tetrahedra need spare rows."""
    w = mesh.work
    star = mesh.tally[STAR]
    last = 4 if w[OLD + 4] >= 0 else 0  # of I: only 1-4 flips have not v4 in it
    odd = _odd_in(mesh, last, w[OLD + last])  # the same with (i % 2 == 1) for every i in I, the opposite for J
    for i in range(5):
        t = w[OLD + i]
        w[NEW + i] = -1
        if t >= 0:
            mesh.stamp[t] += 1
            for j in range(5):
                if w[OLD + j] < 0:
                    w[BEYOND + 5 * i + j] = mesh.nbr[t, place_of(mesh, t, w[j])]
    spare = 0
    for j in range(5):
        if w[OLD + j] < 0:
            while spare < 5 and w[OLD + spare] < 0:
                spare += 1
            if spare < 5:
                w[NEW + j] = w[OLD + spare]
                spare += 1
            else:
                w[NEW + j] = take_tetrahedron(mesh)
    while spare < 5:
        if w[OLD + spare] >= 0:
            drop_tetrahedron(mesh, w[OLD + spare])
        spare += 1
    for j in range(5):
        t = w[NEW + j]
        if t < 0:
            continue
        swapped = odd == (j % 2 == 1)
        for k in range(5):
            if k == j:
                continue
            p = _column(k, j, swapped)
            mesh.vert[t, p] = w[k]
            mesh.at[w[k]] = t
            if w[NEW + k] >= 0:
                mesh.nbr[t, p] = 4 * w[NEW + k] + _column(j, k, odd == (k % 2 == 1))
                continue
            beyond = w[BEYOND + 5 * k + j]
            mesh.nbr[t, p] = beyond
            if beyond >= 0:
                mesh.nbr[beyond >> 2, beyond & 3] = 4 * t + p
                if star < 0 or star == w[k]:
                    enqueue(mesh, 4 * t + p)
    _note_edges(mesh)


@inlined
def _column(k, j, swapped):
    """Column of v_k in the new T_j: in order, the first two swapped where that makes it positive."""
    p = k if k < j else k - 1
    return 1 - p if swapped and p < 2 else p


@kernel
def flip_23(mesh, facet):
    """Replace the two tetrahedra at a facet by three around the edge between their apices.

    Args:
        mesh: the triangulation's arrays.
        facet: number 4 t + i of the facet.
    """
    t, i = facet >> 2, facet & 3
    beyond = mesh.nbr[t, i]
    n = beyond >> 2
    a, b, c = facet_of(mesh, t, i)
    _set_circuit(mesh, (a, b, c, mesh.vert[t, i], mesh.vert[n, beyond & 3]), (-1, -1, -1, n, t))
    _exchange(mesh)
    mesh.tally[FLIP_23] += 1


@kernel
def flip_32(mesh, facet, corner):
    """Replace the three tetrahedra around an edge of a facet by two.

    Args:
        mesh: the triangulation's arrays.
        facet: number 4 t + i of the facet.
        corner: vertex of the facet opposite the edge.
    """
    t, i = facet >> 2, facet & 3
    beyond = mesh.nbr[t, i]
    n = beyond >> 2
    a, b, c = facet_of(mesh, t, i)
    while c != corner:
        a, b, c = b, c, a
    third = mesh.nbr[t, place_of(mesh, t, c)] >> 2
    _set_circuit(mesh, (a, b, c, mesh.vert[t, i], mesh.vert[n, beyond & 3]), (-1, -1, third, n, t))
    _exchange(mesh)
    mesh.tally[FLIP_32] += 1


@kernel
def flip_44(mesh, facet, corner):
    """Replace the four tetrahedra around an edge of a facet by four around the edge between its apices.

    Args:
        mesh: the triangulation's arrays.
        facet: number 4 t + i of the facet.
        corner: vertex of the facet opposite the edge.
    """
    t, i = facet >> 2, facet & 3
    d = mesh.vert[t, i]
    a, b, c = facet_of(mesh, t, i)
    while c != corner:
        a, b, c = b, c, a
    across = mesh.nbr[t, place_of(mesh, t, c)]
    fourth, f = across >> 2, mesh.vert[across >> 2, across & 3]
    flip_23(mesh, facet)
    flip_32(mesh, 4 * fourth + place_of(mesh, fourth, d), f)
    mesh.tally[FLIP_23] -= 1
    mesh.tally[FLIP_32] -= 1
    mesh.tally[FLIP_44] += 1


@kernel
def flip_14(mesh, t, p):
    """Make a point inside a tetrahedron a vertex.

    Args:
        mesh: the triangulation's arrays.
        t: the tetrahedron.
        p: number of the point.
    """
    v = mesh.vert[t]
    _set_circuit(mesh, (p, v[0], v[1], v[2], v[3]), (t, -1, -1, -1, -1))
    if mesh.state[p] == HIDDEN:
        mesh.tally[HIDDEN_COUNT] -= 1
    mesh.state[p] = VERTEX
    _exchange(mesh)
    mesh.tally[FLIP_14] += 1


@kernel
def flip_41(mesh, facet, corner):
    """Replace the four tetrahedra around a vertex by one. The vertex becomes a hidden point.

    Args:
        mesh: the triangulation's arrays.
        facet: number 4 t + i of a facet of the vertex.
        corner: the vertex.
    """
    t, i = facet >> 2, facet & 3
    beyond = mesh.nbr[t, i]
    n = beyond >> 2
    a, b, c = facet_of(mesh, t, i)
    while a != corner:
        a, b, c = b, c, a
    without_c = mesh.nbr[t, place_of(mesh, t, c)] >> 2
    without_b = mesh.nbr[t, place_of(mesh, t, b)] >> 2
    _set_circuit(mesh, (a, b, c, mesh.vert[t, i], mesh.vert[n, beyond & 3]), (-1, without_b, without_c, n, t))
    _exchange(mesh)
    mesh.state[a] = HIDDEN
    mesh.at[a] = mesh.at[b]
    mesh.tally[HIDDEN_COUNT] += 1
    mesh.tally[FLIP_41] += 1
