"""The edges of a triangulation between finite points, in compressed rows: the candidate pairs of contact detection."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from .predicates import INFINITE
from .tetrahedral_mesh import HIGH, LIVE, LOGGED, TetrahedralMesh

SHIFT, HIGHER = 32, (1 << 32) - 1  # an edge as a number: lower key << 32 | higher key


@inlined
def later_neighbours(nbr, t):
    """Determine which neighbours of a tetrahedron have higher numbers: bit i for the one opposite vertex i.

    An edge lies in the facets opposite the other two vertices. To look at it only where both neighbours there come later finds it in the first of the
    tetrahedra around it and seldom in another, instead of in all of them, five on average.

    Args:
        nbr: (T, 4) int32, see `TetrahedralMesh`.
        t: the tetrahedron.

    Returns:
        The bits.
    """
    later = 0
    for i in range(4):
        later |= (nbr[t, i] >> 2 > t) << i
    return later


@inlined
def is_first(later, i, j):
    """Determine whether the edge between two vertices of a tetrahedron is to be looked at there.

    Args:
        later: bits of `later_neighbours`.
        i: place of one vertex.
        j: place of the other.

    Returns:
        Whether it is; so it is for every edge in at least one tetrahedron.
    """
    return (later | 1 << i | 1 << j) == 15


@kernel
def _scatter(mesh, ptr, col, fill):
    """Count the edges of tetrahedra in the rows of their lower keys, or write the higher ones into them; a few are there several times."""
    v = mesh.vert
    for t in range(mesh.tally[HIGH]):
        if v[t, 0] < 0:
            continue
        later = later_neighbours(mesh.nbr, t)
        for i in range(3):
            if v[t, i] < INFINITE:
                continue
            p = mesh.key[v[t, i]]
            for j in range(i + 1, 4):
                if v[t, j] < INFINITE or not is_first(later, i, j):
                    continue
                q = mesh.key[v[t, j]]
                low = min(p, q)
                if fill:
                    col[ptr[low + 1]] = max(p, q)
                ptr[low + 1 if fill else low + 2] += 1


@kernel
def _sorted_rows(ptr, col, size, found):
    """Sort each row, drop what is there twice, write what is left as numbers; returns how many."""
    n = 0
    for a in range(size):
        first, last = ptr[a], ptr[a + 1]
        for k in range(first + 1, last):
            value, m = col[k], k
            while m > first and col[m - 1] > value:
                col[m] = col[m - 1]
                m -= 1
            col[m] = value
        for k in range(first, last):
            if k == first or col[k] != col[k - 1]:
                found[n] = a << SHIFT | col[k]
                n += 1
    return n


def all_edges(mesh: TetrahedralMesh, size: int) -> np.ndarray:
    """List the edges between finite points.

    Args:
        mesh: the triangulation's arrays.
        size: number of keys, which are 0 to ``size`` - 1.

    Returns:
        (E,) int64 edges as numbers in ascending order, each once.
    """
    ptr, col = np.zeros(size + 2, np.int64), np.empty(6 * int(mesh.tally[LIVE]), np.int32)
    _scatter(mesh, ptr, col, False)
    np.cumsum(ptr, out=ptr)  # row a begins at ptr[a + 1] until it is filled, then at ptr[a]
    _scatter(mesh, ptr, col, True)
    found = np.empty(len(col), np.int64)
    return found[: _sorted_rows(ptr, col, size, found)].copy()


@njit(_nrt=True)
def _merged(edges, names, order, change):
    """Edges after changes, both as numbers: ``edges`` ascending, ``names`` so by ``order``; of a name only the sum of its changes (+1, -1) counts."""
    merged = np.empty(len(edges) + len(names), np.int64)
    n, e, k = 0, 0, 0
    while k < len(order):
        name, net = names[order[k]], 0
        while k < len(order) and names[order[k]] == name:
            net += change[order[k]]
            k += 1
        while e < len(edges) and edges[e] < name:
            merged[n] = edges[e]
            n, e = n + 1, e + 1
        if net > 0:
            merged[n] = name
            n += 1
        elif net < 0:
            e += 1
    while e < len(edges):
        merged[n] = edges[e]
        n, e = n + 1, e + 1
    return merged[:n]


def changed_edges(edges: np.ndarray, log: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Apply logged changes to a list of edges.

    Args:
        edges: (E,) int64 edges as numbers in ascending order.
        log: (n, 3) int32 ends of the changed edges, and 1 if the edge was created, -1 if it was removed.
        key: (N,) keys of the points.

    Returns:
        The edges after the changes, as `all_edges` lists them.
    """
    log = log[(log[:, 0] >= INFINITE) & (log[:, 1] >= INFINITE)]
    a, b = key[log[:, 0]], key[log[:, 1]]
    names = np.minimum(a, b) << SHIFT | np.maximum(a, b)
    merged: np.ndarray = _merged(edges, names, np.argsort(names), log[:, 2].copy())
    return merged


def compressed_rows(edges: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Convert edges to compressed rows.

    Args:
        edges: (E,) int64 edges as numbers.
        size: number of keys.

    Returns:
        Row pointers (size + 1,) int64 and columns (E,) int32.
    """
    ptr = np.searchsorted(edges, np.arange(size + 1) << SHIFT)
    return ptr, (edges & HIGHER).astype(np.int32)


def edges_of(mesh: TetrahedralMesh, known: np.ndarray | None, size: int) -> np.ndarray:
    """List the edges, from the log of changes if that is complete.

    Args:
        mesh: the triangulation's arrays.
        known: (E,) int64 edges when the log was last emptied, or None if they are not known.
        size: number of keys.

    Returns:
        (E,) int64 edges as `all_edges` lists them.
    """
    logged = int(mesh.tally[LOGGED])
    if known is None or logged < 0:
        edges: np.ndarray = all_edges(mesh, size)
    elif logged:
        edges = changed_edges(known, mesh.log[:logged], mesh.key)
    else:
        edges = known
    mesh.tally[LOGGED] = 0
    return edges
