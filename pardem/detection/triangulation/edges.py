"""The edges of a triangulation between finite points, in compressed rows: the candidate pairs of contact detection."""

from __future__ import annotations

import numpy as np

from ..._jit import njit
from .mesh import HIGH, LOGGED, Mesh
from .predicates import INFINITE

SHIFT = 32  # an edge as a number: lower key << 32 | higher key


@njit(_nrt=True)
def _pairs(mesh):
    """Keys of the ends of the edges of every tetrahedron, the lower first."""
    v = mesh.vert
    for t in range(mesh.count[HIGH]):
        if v[t, 0] < 0:
            continue
        for i in range(3):
            for j in range(i + 1, 4):
                if v[t, i] >= INFINITE and v[t, j] >= INFINITE:
                    a, b = mesh.key[v[t, i]], mesh.key[v[t, j]]
                    yield min(a, b), max(a, b)


@njit(_nrt=True)
def all_edges(mesh, size):
    """The edges between finite points, each once, as numbers in ascending order: (E,) int64. Keys are 0 to ``size`` - 1."""
    ptr = np.zeros(size + 2, np.int64)
    for a, b in _pairs(mesh):
        ptr[a + 2] += 1
    for a in range(size):
        ptr[a + 2] += ptr[a + 1]
    col = np.empty(ptr[size + 1], np.int32)
    for a, b in _pairs(mesh):
        col[ptr[a + 1]] = b
        ptr[a + 1] += 1
    found = np.empty(len(col), np.int64)
    n = 0
    for a in range(size):
        row = np.sort(col[ptr[a] : ptr[a + 1]])
        for k in range(len(row)):
            if k == 0 or row[k] != row[k - 1]:
                found[n] = a << SHIFT | row[k]
                n += 1
    return found[:n].copy()


def changed_edges(edges: np.ndarray, log: np.ndarray, key: np.ndarray) -> np.ndarray:
    """The edges after what was logged since they were listed: as `all_edges`."""
    log = log[(log[:, 0] >= INFINITE) & (log[:, 1] >= INFINITE)]
    a, b = key[log[:, 0]], key[log[:, 1]]
    names, which = np.unique(np.minimum(a, b) << SHIFT | np.maximum(a, b), return_inverse=True)
    net = np.bincount(which, weights=log[:, 2], minlength=len(names)).astype(np.int64) if len(names) else np.zeros(0, np.int64)
    gone, new = names[net < 0], names[net > 0]
    edges = np.delete(edges, np.searchsorted(edges, gone))
    return np.insert(edges, np.searchsorted(edges, new), new)


def compressed_rows(edges: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Row pointers (size + 1,) int64 and columns (E,) int32 of edges given as numbers."""
    ptr = np.searchsorted(edges, np.arange(size + 1) << SHIFT)
    return ptr, (edges & ((1 << SHIFT) - 1)).astype(np.int32)


def edges_of(mesh: Mesh, known: np.ndarray | None, size: int) -> np.ndarray:
    """The edges as numbers, from those ``known`` when the log was last emptied where it holds what changed since."""
    logged = int(mesh.count[LOGGED])
    if known is None or logged < 0:
        edges: np.ndarray = all_edges(mesh, size)
    elif logged:
        edges = changed_edges(known, mesh.log[:logged], mesh.key)
    else:
        edges = known
    mesh.count[LOGGED] = 0
    return edges
