"""Compiled: what is next to what in a triangulation."""

from __future__ import annotations

from ..compiled.jit import kernel
from .predicates import INFINITE
from .tetrahedral_mesh import MARK, place_of


@kernel
def joined(mesh, t, n, corner):
    """Determine whether an edge of a facet is surrounded by exactly three tetrahedra.

    Args:
        mesh: the triangulation's arrays.
        t: tetrahedron on one side of the facet.
        n: tetrahedron on the other side.
        corner: vertex of the facet opposite the edge.

    Returns:
        Whether it is.
    """
    beyond = mesh.nbr[t, place_of(mesh, t, corner)]
    return beyond >= 0 and beyond >> 2 == mesh.nbr[n, place_of(mesh, n, corner)] >> 2


@kernel
def star_of(mesh, p, most):
    """Collect the tetrahedra around a vertex in ``mesh.star``.

    Args:
        mesh: the triangulation's arrays.
        p: number of the vertex.
        most: largest number of tetrahedra to collect, at most the length of ``mesh.star``.

    Returns:
        Number of tetrahedra; -1 if there are more than ``most``.
    """
    star, mark = mesh.star, mesh.mark
    mesh.work[MARK] += 1
    now = mesh.work[MARK]
    star[0], n, k = mesh.at[p], 1, 0
    mark[star[0]] = now
    while k < n:
        t = star[k]
        for i in range(4):
            if mesh.vert[t, i] == p or mesh.nbr[t, i] < 0:
                continue
            s = mesh.nbr[t, i] >> 2
            if mark[s] == now:
                continue
            if n == most:
                return -1
            star[n], mark[s] = s, now
            n += 1
        k += 1
    return n


@kernel
def have_edge(mesh, p, q):
    """Determine whether two vertices are joined by an edge.

    Args:
        mesh: the triangulation's arrays.
        p: one vertex.
        q: the other; one of the two must be finite.

    Returns:
        Whether they are; also True if the finite vertex has too many tetrahedra to tell.
    """
    if p < INFINITE:
        p, q = q, p
    n = star_of(mesh, p, len(mesh.star))
    for k in range(n):
        if place_of(mesh, mesh.star[k], q) >= 0:
            return True
    return n < 0


@kernel
def have_triangle(mesh, t, n, corner):
    """Determine whether the triangle exists that a 3-2 or 4-1 flip would create.

    Args:
        mesh: the triangulation's arrays.
        t: tetrahedron on one side of the facet to be flipped.
        n: tetrahedron on the other side.
        corner: vertex of the facet opposite an edge that is surrounded by three tetrahedra; with the apices over the facet it forms the triangle.

    Returns:
        Whether it exists; also True if the edge between the apices is on the outside.
    """
    s = mesh.nbr[t, place_of(mesh, t, corner)] >> 2  # the third tetrahedron; has both apices
    first, across = s, -1
    d, e = -1, -1
    for i in range(4):
        if place_of(mesh, n, mesh.vert[s, i]) < 0:
            d = mesh.vert[s, i]
        elif place_of(mesh, t, mesh.vert[s, i]) < 0:
            e = mesh.vert[s, i]
        else:
            across = i
    while True:  # around the edge de
        beyond = mesh.nbr[s, across]
        if beyond < 0:
            return True
        s = beyond >> 2
        if s == first:
            return False
        new = mesh.vert[s, beyond & 3]
        if new == corner:
            return True
        for i in range(4):
            v = mesh.vert[s, i]
            if v != d and v != e and v != new:
                across = i
