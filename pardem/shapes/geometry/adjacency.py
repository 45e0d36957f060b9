"""What touches what in a skeleton, and its features' bounding hierarchies: the tables of a narrow phase over features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..mass.polytope_mass import Faces
from .hierarchy import Hierarchy, boxes, build_hierarchy
from .proximity import dot
from .triangles import area_vectors, ragged


@dataclass(frozen=True, eq=False)
class FeatureAdjacency:
    """Tables of the features of one skeleton, in the frame of its vertices; features keep their numbers.

    Attributes:
        neighbour_start: (nv + 1,) int64 first entry of each vertex in ``neighbours``.
        neighbours: (2 ne,) int32 vertices joined to each vertex by edges, ascending: those of vertex v are
            ``neighbours[neighbour_start[v]:neighbour_start[v + 1]]``.
        edge_faces: (ne, 2) int32 the face that runs along the edge from ``edges[e, 0]`` to ``edges[e, 1]``, then the one that runs back; -1 if there
            is none. If more than two faces meet at the edge, or two run the same way, these are the first two by number.
        face_normal: (nf, 3) unit normals, outward for solids.
        face_offset: (nf,) offset of each plane (m): its points x satisfy ``normal @ x = offset``.
        face_start: (nf + 1,) int64 first entry of each face in ``face_vertices`` and ``face_edges``.
        face_vertices: int32 loops of all faces.
        face_edges: int32 edge from each corner of a face to the next.
        lone: (nl,) int32 vertices without edges, which a sum over edges treats as edges of zero length.
        edge_tree: `Hierarchy` over the boxes of the edges, without the sphero-radius.
        face_tree: the same for the faces.
        vertex_tree: the same for the vertices.
    """

    neighbour_start: np.ndarray
    neighbours: np.ndarray
    edge_faces: np.ndarray
    face_normal: np.ndarray
    face_offset: np.ndarray
    face_start: np.ndarray
    face_vertices: np.ndarray
    face_edges: np.ndarray
    lone: np.ndarray
    edge_tree: Hierarchy
    face_tree: Hierarchy
    vertex_tree: Hierarchy


def build_features(vertices: np.ndarray, edges: np.ndarray, faces: Faces) -> FeatureAdjacency:
    """Build the feature tables of a skeleton.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers; all sides of faces must be among them.
        faces: loops of vertex numbers.

    Returns:
        The tables.
    """
    start, neighbours = vertex_neighbours(len(vertices), edges)
    flat, face_of, face_start = ragged(faces)
    vectors = area_vectors(vertices, faces)
    normals = vectors / np.sqrt(dot(vectors, vectors))[:, None]
    # the plane through the mean of the corners: with corners off the plane by rounding it is the nearest
    heights = dot(vertices[flat], normals[face_of])
    offset = np.bincount(face_of, weights=heights, minlength=len(faces)) / np.maximum(1, np.diff(face_start))
    low, high = boxes(vertices, edges) if len(edges) else (np.zeros((0, 3)), np.zeros((0, 3)))
    corners = vertices[flat]
    face_low = np.minimum.reduceat(corners, face_start[:-1]) if faces else np.zeros((0, 3))
    face_high = np.maximum.reduceat(corners, face_start[:-1]) if faces else np.zeros((0, 3))
    edge_faces, face_edges = _edge_faces(edges, faces)
    return FeatureAdjacency(
        neighbour_start=start,
        neighbours=neighbours,
        edge_faces=edge_faces,
        face_normal=normals,
        face_offset=offset,
        face_start=face_start,
        face_vertices=flat.astype(np.int32),
        face_edges=face_edges,
        lone=np.flatnonzero(np.diff(start) == 0).astype(np.int32),
        edge_tree=build_hierarchy(low, high),
        face_tree=build_hierarchy(face_low, face_high),
        vertex_tree=build_hierarchy(vertices, vertices),
    )


def vertex_neighbours(count: int, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """List the vertices that edges join to each vertex, in compressed rows.

    Args:
        count: number of vertices.
        edges: (ne, 2) vertex numbers.

    Returns:
        Starts (count + 1,) int64 and neighbours (2 ne,) int32, increasing for each vertex.
    """
    both = np.concatenate([edges, edges[:, ::-1]]).astype(np.int64)
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    start = np.concatenate([[0], np.cumsum(np.bincount(both[:, 0], minlength=count))]).astype(np.int64)
    return start, both[:, 1].astype(np.int32)


def _edge_faces(edges: np.ndarray, faces: Faces) -> tuple[np.ndarray, np.ndarray]:
    number = {tuple(pair): e for e, pair in enumerate(edges.tolist())}
    edge_faces = np.full((len(edges), 2), -1, dtype=np.int32)
    face_edges = []
    for f, loop in enumerate(faces):
        for k, a in enumerate(loop):
            b = loop[(k + 1) % len(loop)]
            forward = (a, b) in number
            e = number[(a, b) if forward else (b, a)]
            face_edges.append(e)
            side = 0 if forward else 1
            if edge_faces[e, side] >= 0:
                side = 1 - side
            if edge_faces[e, side] < 0:
                edge_faces[e, side] = f
    return edge_faces, np.array(face_edges, dtype=np.int32)
