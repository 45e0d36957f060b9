"""Whether the features of a skeleton meet anywhere but at shared vertices; candidates come from bounding hierarchies."""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from ..mass.polytope_mass import Faces
from .hierarchy import boxes, build_hierarchy, near_pairs
from .proximity import dot, point_triangle2, segment_segment2
from .triangles import triangulate

TOUCH = 1e-9
"""Distance, relative to the extent of the skeleton, below which features that share no vertex count as touching."""


def check_intersections(vertices: np.ndarray, edges: np.ndarray, faces: Faces, lone: np.ndarray, name: str) -> None:
    """Raise an error if two features touch or cross.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers; the sides of faces must be among them.
        faces: loops of vertex numbers, plane.
        lone: (nl,) vertices without edges.
        name: name of the shape, for messages.

    Raises:
        ShapeError: two edges touch, cross or overlap, an edge passes through a face, or a vertex lies on a face of which it is not a corner. The
            message names both features.
    """
    touch = TOUCH * float(np.ptp(vertices, axis=0).max())
    segments = np.concatenate([edges, np.column_stack([lone, lone])]).astype(np.int64)
    if not len(segments):
        return
    seg_boxes = boxes(vertices, segments)
    seg_tree = build_hierarchy(*seg_boxes)
    pairs = near_pairs(seg_tree, seg_tree, *seg_boxes, *seg_boxes, touch)
    _edges_across(vertices, segments, pairs[pairs[:, 0] < pairs[:, 1]], len(edges), touch, name)
    if not faces:
        return
    triangles, face = triangulate(vertices, faces)
    tri_boxes = boxes(vertices, triangles)
    tri_tree = build_hierarchy(*tri_boxes)
    corners = {(f, v) for f, loop in enumerate(faces) for v in loop}
    size = len(vertices)
    owned = np.sort(np.array([f * size + v for f, v in corners], dtype=np.int64))

    def is_corner(f: np.ndarray, v: np.ndarray) -> np.ndarray:
        key = f * size + v
        return owned[np.minimum(np.searchsorted(owned, key), len(owned) - 1)] == key

    every = np.arange(size)
    points = near_pairs(build_hierarchy(vertices, vertices), tri_tree, vertices, vertices, *tri_boxes, touch)
    points = points[~is_corner(face[points[:, 1]], every[points[:, 0]])]
    on = point_triangle2(vertices[points[:, 0]], *vertices[triangles[points[:, 1]]].transpose(1, 0, 2)) <= touch * touch
    if on.any():
        v, t = points[np.argmax(on)]
        raise ShapeError(f"{name}: vertex {v} lies on face {face[t]}, of which it is no corner; move it, or make it a corner of the face.")
    pairs = near_pairs(seg_tree, tri_tree, *seg_boxes, *tri_boxes, 0.0)
    e, f = segments[pairs[:, 0]], face[pairs[:, 1]]
    corners_at = is_corner(f, e[:, 0]), is_corner(f, e[:, 1])
    free = ~(corners_at[0] | corners_at[1])
    _edges_through(vertices, segments, triangles, face, pairs[free], name)
    # an edge with one corner of the face meets its plane there alone or lies in it, which the tests above see; one with two may be a chord
    key = (f * size + e.min(axis=1)) * size + e.max(axis=1)
    sides = [(f * size + min(a, b)) * size + max(a, b) for f, loop in enumerate(faces) for a, b in zip(loop, (*loop[1:], loop[0]))]
    chord = corners_at[0] & corners_at[1] & ~np.isin(key, sides)
    pairs = pairs[chord]
    middle = vertices[segments[pairs[:, 0]]].mean(axis=1)
    on = point_triangle2(middle, *vertices[triangles[pairs[:, 1]]].transpose(1, 0, 2)) <= touch * touch
    if on.any():
        s, t = pairs[np.argmax(on)]
        raise ShapeError(f"{name}: {_label(s, segments, len(edges))} lies on face {face[t]}; cut the face in two along it, or leave it out.")


def _label(segment: int, segments: np.ndarray, edges: int) -> str:
    a, b = segments[segment]
    return f"the edge between vertices {a} and {b}" if segment < edges else f"vertex {a}"


def _edges_across(vertices: np.ndarray, segments: np.ndarray, pairs: np.ndarray, edges: int, touch: float, name: str) -> None:
    e, f = segments[pairs[:, 0]], segments[pairs[:, 1]]
    same = e[:, :, None] == f[:, None, :]
    shared = same.any(axis=(1, 2))
    apart = segment_segment2(vertices[e[:, 0]], vertices[e[:, 1]], vertices[f[:, 0]], vertices[f[:, 1]])
    bad = ~shared & (apart <= touch * touch)
    # two edges from one vertex overlap where the nearer far end lies on the other edge
    rows = np.flatnonzero(shared)
    which = same[rows].reshape(-1, 4).argmax(axis=1)
    pivot = e[rows, which // 2]
    far1, far2 = vertices[e[rows, 1 - which // 2]] - vertices[pivot], vertices[f[rows, 1 - which % 2]] - vertices[pivot]
    long1, long2 = np.sqrt(dot(far1, far1)), np.sqrt(dot(far2, far2))
    cross = np.cross(far1, far2)
    bad[rows] = (np.sqrt(dot(cross, cross)) <= touch * np.maximum(long1, long2)) & (dot(far1, far2) > 0.0)
    if bad.any():
        k = int(np.argmax(bad))
        first, second = (_label(int(s), segments, edges) for s in pairs[k])
        what = "overlap" if shared[k] else "touch or cross"
        raise ShapeError(f"{name}: {first} and {second} {what}; the skeleton must not meet itself but at shared vertices.")


def _edges_through(vertices: np.ndarray, segments: np.ndarray, triangles: np.ndarray, face: np.ndarray, pairs: np.ndarray, name: str) -> None:
    """Edges whose ends lie on both sides of a triangle and that pass through it."""
    e, t = segments[pairs[:, 0]], triangles[pairs[:, 1]]
    p, q = vertices[e[:, 0]], vertices[e[:, 1]]
    a, b, c = vertices[t].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    # signed volumes of the line with the sides: all of one sign where it passes through the triangle
    sides = np.array([dot(q - p, np.cross(u - p, v - p)) for u, v in ((a, b), (b, c), (c, a))])
    bad = (dot(p - a, normal) * dot(q - a, normal) < 0.0) & ((sides >= 0.0).all(axis=0) | (sides <= 0.0).all(axis=0))
    if bad.any():
        k = int(np.argmax(bad))
        raise ShapeError(
            f"{name}: the edge between vertices {e[k, 0]} and {e[k, 1]} passes through face {face[pairs[k, 1]]}; the skeleton must not cross itself."
        )
