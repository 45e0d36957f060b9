"""What lies at a vertex or along an edge of a skeleton: the edges and faces among which a nearest point must be the nearest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._jit import inlined
from ..state import Features


class Neighbours(NamedTuple):
    """Neighbouring features by species, in compressed rows; corners are places in ``Features.loops``.

    Attributes:
        vertex_start: (ns + 1,) int64 first vertex of each species.
        edge_at: (nv + 1,) int64; edges: int32 edges at each vertex, increasing.
        corner_at: (nv + 1,) int64; corners, corner_faces: int32 corners at each vertex and their faces.
        side_at: (ne + 1,) int64; sides, side_faces: int32 corners from which a face runs along each edge, and the faces.
    """

    vertex_start: np.ndarray
    edge_at: np.ndarray
    edges: np.ndarray
    corner_at: np.ndarray
    corners: np.ndarray
    corner_faces: np.ndarray
    side_at: np.ndarray
    sides: np.ndarray
    side_faces: np.ndarray


@inlined
def count_edges(nb, species, v, e):
    """Number of edges that hold a point: at vertex ``v``, or inside edge ``e`` where v < 0; none where both are."""
    if v >= 0:
        k = nb.vertex_start[species] + v
        return nb.edge_at[k + 1] - nb.edge_at[k]
    return np.int64(1 if e >= 0 else 0)


@inlined
def edge_there(nb, species, v, e, m):
    """The ``m``-th of them."""
    if v >= 0:
        return np.int64(nb.edges[nb.edge_at[nb.vertex_start[species] + v] + m])
    return np.int64(e)


@inlined
def count_faces(nb, f, species, v, e):
    """Number of faces that hold a point: at vertex ``v``, along edge ``e`` where v < 0, one (the face's inside) where both are."""
    if v >= 0:
        k = nb.vertex_start[species] + v
        return nb.corner_at[k + 1] - nb.corner_at[k]
    if e >= 0:
        k = f.edge_start[species] + e
        return nb.side_at[k + 1] - nb.side_at[k]
    return np.int64(1)


@inlined
def face_there(nb, f, species, v, e, face, m):
    """The ``m``-th of them: its number and the corner that is the vertex, or from which it runs along the edge (-1: its inside)."""
    if v >= 0:
        k = nb.corner_at[nb.vertex_start[species] + v] + m
        return np.int64(nb.corner_faces[k]), np.int64(nb.corners[k])
    if e >= 0:
        k = nb.side_at[f.edge_start[species] + e] + m
        return np.int64(nb.side_faces[k]), np.int64(nb.sides[k])
    return np.int64(face), np.int64(-1)


def _rows(owner: list[int], count: int, *values: list[int]) -> tuple[np.ndarray, ...]:
    """Values in compressed rows by owner, in the order given."""
    order = np.argsort(np.array(owner, np.int64), kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(np.array(owner, np.int64), minlength=count))]).astype(np.int64)
    return start, *(np.array(v, np.int32)[order] for v in values)


def build_neighbours(catalogue: Any, f: Features) -> Neighbours:
    """The tables of the species of a ``shapes.catalogue.Catalogue``, whose features are ``f``."""
    start = catalogue.vertex_start
    ends: tuple[list[int], list[int]] = ([], [])
    corners: tuple[list[int], list[int], list[int]] = ([], [], [])
    sides: tuple[list[int], list[int], list[int]] = ([], [], [])
    for s in range(len(start) - 1):
        number = {}
        for k, (a, b) in enumerate(f.edges[f.edge_start[s] : f.edge_start[s + 1]].tolist()):
            number[min(a, b), max(a, b)] = int(f.edge_start[s]) + k
            for v in {a, b}:
                ends[0].append(int(start[s]) + v)
                ends[1].append(k)
        for face in range(f.face_start[s + 1] - f.face_start[s]):
            first, last = f.loop_start[f.face_start[s] + face], f.loop_start[f.face_start[s] + face + 1]
            for m in range(first, last):
                a, b = int(f.loops[m]), int(f.loops[m + 1 if m + 1 < last else first])
                for table, owner in ((corners, int(start[s]) + a), (sides, number[min(a, b), max(a, b)])):
                    table[0].append(owner)
                    table[1].append(m)
                    table[2].append(face)
    return Neighbours(start, *_rows(ends[0], int(start[-1]), ends[1]), *_rows(corners[0], int(start[-1]), *corners[1:]),
                      *_rows(sides[0], len(f.edges), *sides[1:]))  # fmt: skip
