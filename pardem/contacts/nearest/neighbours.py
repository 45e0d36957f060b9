"""What lies at a vertex or along an edge of a skeleton: the edges and faces among which a nearest point must be the nearest."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import dot, length
from ...state.arrays import Features
from .features import edge, outline
from .outlines import area_vector

NONE = np.int64(-1)


class Neighbours(NamedTuple):
    """Neighbouring features by species, in compressed rows; corners are places in ``Features.loops``.

    Attributes:
        vertex_start: (ns + 1,) int64 first vertex of each species.
        edge_at: (nv + 1,) int64 first place of each vertex in ``edges``.
        edges: int32 edges at each vertex, increasing.
        corner_at: (nv + 1,) int64 first place of each vertex in the next three.
        corners: int32 corners at each vertex.
        corner_faces: int32 their faces.
        angles: float64 angle of the face at each corner (rad).
        side_at: (ne + 1,) int64 first place of each edge in the next two.
        sides: int32 corners from which a face runs along each edge.
        side_faces: int32 their faces.
        solid: (ns,) uint8 whether faces (in two dimensions the outline) enclose the grain's inside, which they have on the left of their loops.
        sense: (ne,) int8 in two dimensions whether the outline of a solid runs along the edge (1) or back (-1); else 0.
    """

    vertex_start: np.ndarray
    edge_at: np.ndarray
    edges: np.ndarray
    corner_at: np.ndarray
    corners: np.ndarray
    corner_faces: np.ndarray
    angles: np.ndarray
    side_at: np.ndarray
    sides: np.ndarray
    side_faces: np.ndarray
    solid: np.ndarray
    sense: np.ndarray


class Place(NamedTuple):
    """What feature of a core a point of it lies on: the first of these three that is not -1.

    Attributes:
        vertex: int64 number of the vertex within the species.
        edge: int64 number of the edge within the species, for a point inside it.
        face: int64 number of the face within the species, for a point inside it.
    """

    vertex: int
    edge: int
    face: int


@inlined
def at_vertex(v):
    """The `Place` of a vertex.

    Args:
        v: number of the vertex.
    """
    return Place(np.int64(v), NONE, NONE)


@inlined
def in_edge(e):
    """The `Place` of a point inside an edge.

    Args:
        e: number of the edge.
    """
    return Place(NONE, np.int64(e), NONE)


@inlined
def in_face(k):
    """The `Place` of a point inside a face.

    Args:
        k: number of the face.
    """
    return Place(NONE, NONE, np.int64(k))


@inlined
def count_edges(nb, species, at):
    """Number of edges that are incident to a point of a core.

    Args:
        nb: `Neighbours`.
        species: row of the species.
        at: `Place` of the point.
    """
    if at.vertex >= 0:
        k = nb.vertex_start[species] + at.vertex
        return nb.edge_at[k + 1] - nb.edge_at[k]
    return np.int64(1 if at.edge >= 0 else 0)


@inlined
def incident_edge(nb, species, at, m):
    """One of the edges that are incident to a point of a core.

    Args:
        nb: `Neighbours`.
        species: row of the species.
        at: `Place` of the point.
        m: which of them, from 0 on.

    Returns:
        its number.
    """
    if at.vertex >= 0:
        return np.int64(nb.edges[nb.edge_at[nb.vertex_start[species] + at.vertex] + m])
    return np.int64(at.edge)


@inlined
def count_faces(nb, f, species, at):
    """Number of faces that are incident to a point of a core.

    Args:
        nb: `Neighbours`.
        f: `Features`.
        species: row of the species.
        at: `Place` of the point.
    """
    if at.vertex >= 0:
        k = nb.vertex_start[species] + at.vertex
        return nb.corner_at[k + 1] - nb.corner_at[k]
    if at.edge >= 0:
        k = f.edge_start[species] + at.edge
        return nb.side_at[k + 1] - nb.side_at[k]
    return np.int64(1)


@inlined
def incident_face(nb, f, species, at, m):
    """One of the faces that are incident to a point of a core.

    Args:
        nb: `Neighbours`.
        f: `Features`.
        species: row of the species.
        at: `Place` of the point.
        m: which of them, from 0 on.

    Returns:
        its number, and the corner at the vertex, or from which the face runs along the edge; -1 inside the face.
    """
    if at.vertex >= 0:
        k = nb.corner_at[nb.vertex_start[species] + at.vertex] + m
        return np.int64(nb.corner_faces[k]), np.int64(nb.corners[k])
    if at.edge >= 0:
        k = nb.side_at[f.edge_start[species] + at.edge] + m
        return np.int64(nb.side_faces[k]), np.int64(nb.sides[k])
    return np.int64(at.face), NONE


@inlined
def into_solid(interaction, g, i, at, a):
    """Whether the line along a from a point of a grain's core leads into what the core encloses.

    The sum of the normals there, weighted by the angles of the faces, tells where the point is the nearest one of the core to points along a
    (Baerentzen and Aanaes, IEEE Trans. Vis. Comput. Graph. 11, 2005).

    Args:
        interaction: `local_minima.LocalMinima`.
        g: `Grains`.
        i: row of the grain.
        at: `Place` of the point.
        a: direction, of any length.
    """
    f, nb, species = interaction.features, interaction.neighbours, g.species[i]
    if nb.solid[species] == 0:
        return False
    along = 0.0
    if interaction.planar:
        for m in range(count_edges(nb, species, at)):
            k = incident_edge(nb, species, at, m)
            _, u = edge(f, g, i, k)
            along += nb.sense[f.edge_start[species] + k] * (u[1] * a[0] - u[0] * a[1]) / np.sqrt(u[0] * u[0] + u[1] * u[1])
        return along <= 0.0
    for m in range(count_faces(nb, f, species, at)):
        k, _ = incident_face(nb, f, species, at, m)
        weight = nb.angles[nb.corner_at[nb.vertex_start[species] + at.vertex] + m] if at.vertex >= 0 else 1.0
        normal = area_vector(outline(f, g, i, k))
        along += weight * dot(normal, a) / length(normal)
    return along <= 0.0


def _rows(owner: list[int], count: int, *values: list[Any]) -> tuple[np.ndarray, ...]:
    """Values in compressed rows by owner, in the order given."""
    order = np.argsort(np.array(owner, np.int64), kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(np.array(owner, np.int64), minlength=count))]).astype(np.int64)
    return start, *(np.array(v, kind)[order] for v, kind in zip(values, (np.int32, np.int32, np.float64)))


def _angle(p: np.ndarray, a: np.ndarray, b: np.ndarray, normal: np.ndarray) -> float:
    """Angle at p from a to b, counter-clockwise about the normal, between 0 and 2 pi (rad)."""
    u, v = a - p, b - p
    return float(np.arctan2(normal @ np.cross(u, v), np.sqrt(normal @ normal) * (u @ v)) % (2.0 * np.pi))


class _Table(NamedTuple):
    """Entries of neighbours before they are sorted by owner."""

    owner: list[int]
    place: list[int]
    face: list[int]
    angle: list[float]


def build_neighbours(catalogue: Any, f: Features) -> Neighbours:
    """The tables of all species.

    Args:
        catalogue: ``shapes.catalogue.Catalogue``.
        f: its features.
    """
    start = catalogue.vertex_start
    at: tuple[list[int], list[int]] = ([], [])
    corners, sides = _Table([], [], [], []), _Table([], [], [], [])
    solid, sense = np.zeros(len(start) - 1, np.uint8), np.zeros(len(f.edges), np.int8)
    for s in range(len(start) - 1):
        points = catalogue.vertices[start[s] : start[s + 1]]
        number = {}
        for k, (a, b) in enumerate(f.edges[f.edge_start[s] : f.edge_start[s + 1]].tolist()):
            number[min(a, b), max(a, b)] = int(f.edge_start[s]) + k
            for v in {a, b}:
                at[0].append(int(start[s]) + v)
                at[1].append(k)
        runs = np.zeros((len(f.edges), 2), np.int64)
        loops = catalogue.face_vertex_start[catalogue.face_start[s] : catalogue.face_start[s + 1] + 1]
        for face, (first, last) in enumerate(itertools.pairwise(loops.tolist())):
            loop = catalogue.face_vertices[first:last].tolist()
            normal = sum((np.cross(points[a] - points[loop[0]], points[b] - points[loop[0]]) for a, b in itertools.pairwise(loop)), np.zeros(3))
            for m, v in enumerate(loop):
                before, after = loop[m - 1], loop[(m + 1) % len(loop)]
                e = number[min(v, after), max(v, after)]
                runs[e, 0 if f.edges[e, 0] == v else 1] += 1
                for table, owner in ((corners, int(start[s]) + v), (sides, e)):
                    table.owner.append(owner)
                    table.place.append(first + m)
                    table.face.append(face)
                    table.angle.append(_angle(points[v], points[after], points[before], normal))
        own = slice(f.edge_start[s], f.edge_start[s + 1])
        flat = catalogue.dimension[s] == 2
        closed = (runs[own].sum(axis=1) == 1).all() if flat else (runs[own] == 1).all()
        solid[s] = catalogue.solid[s] and len(loops) > 1 and closed
        if solid[s] and flat:
            sense[own] = runs[own, 0] - runs[own, 1]
    if not len(f.loops):  # two dimensions: the outline is no face
        corners, sides = _Table([], [], [], []), _Table([], [], [], [])
    vertices = int(start[-1])
    tables = (
        *_rows(at[0], vertices, at[1]), *_rows(corners.owner, vertices, corners.place, corners.face, corners.angle),
        *_rows(sides.owner, len(f.edges), sides.place, sides.face),
    )  # fmt: skip
    return Neighbours._make((start, *tables, solid, sense))
