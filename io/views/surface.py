"""Surfaces of rounded skeletons that are not convex, for pictures: balls at vertices, tubes along edges, faces on both sides."""

from __future__ import annotations

import numpy as np

from pardem.shapes.geometry.triangles import area_vectors, triangulate

FINE, COARSE = 12, 5
"""Sides of a tube of a skeleton with few and with very many features."""
MANY = 200
"""Number of features above which tubes and balls get fewer sides."""


def skeleton_surface(vertices: np.ndarray, edges: np.ndarray, faces: tuple[tuple[int, ...], ...], radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Build triangles that together cover the outer surface of a rounded skeleton; some of them lie partly inside it.

    Args:
        vertices: (nv, 3) core vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers; each face is drawn at the distance of the radius on both sides.
        radius: sphero-radius (m).

    Returns:
        Points (n, 3) (m), and triangles (nt, 3) int64, counter-clockwise seen from outside.
    """
    sides = FINE if len(vertices) + len(edges) <= MANY else COARSE
    parts = [_balls(vertices, radius, sides), _tubes(vertices, edges, radius, sides), _plates(vertices, faces, radius)]
    starts = np.cumsum([0] + [len(points) for points, _ in parts])
    return np.concatenate([points for points, _ in parts]), np.concatenate([t + s for (_, t), s in zip(parts, starts)])


def _balls(centres: np.ndarray, radius: float, sides: int) -> tuple[np.ndarray, np.ndarray]:
    from scipy.spatial import ConvexHull

    rings = max(2, sides // 2)
    polar = np.pi * np.arange(1, rings) / rings
    turn = 2.0 * np.pi * np.arange(sides) / sides
    ring = [np.column_stack([np.sin(p) * np.cos(turn), np.sin(p) * np.sin(turn), np.full(sides, np.cos(p))]) for p in polar]
    unit = np.concatenate([*ring, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    triangles = ConvexHull(unit).simplices
    a, b, c = unit[triangles].transpose(1, 0, 2)
    inward = (np.cross(b - a, c - a) * a).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    points = (centres[:, None, :] + radius * unit).reshape(-1, 3)
    return points, (triangles + (len(unit) * np.arange(len(centres)))[:, None, None]).reshape(-1, 3).astype(np.int64)


def _tubes(vertices: np.ndarray, edges: np.ndarray, radius: float, sides: int) -> tuple[np.ndarray, np.ndarray]:
    ends = vertices[edges].reshape(-1, 2, 3)
    along = ends[:, 1] - ends[:, 0]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    third = np.cross(along, across)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    ring = radius * (np.cos(turn)[None, :, None] * across[:, None, :] + np.sin(turn)[None, :, None] * third[:, None, :])
    points = (ends[:, :, None, :] + ring[:, None]).reshape(-1, 3)
    k = np.arange(sides)
    low, high = k, (k + 1) % sides
    one = np.concatenate([np.column_stack([low, high, high + sides]), np.column_stack([low, high + sides, low + sides])])
    return points, (one + (2 * sides * np.arange(len(edges)))[:, None, None]).reshape(-1, 3)


def _plates(vertices: np.ndarray, faces: tuple[tuple[int, ...], ...], radius: float) -> tuple[np.ndarray, np.ndarray]:
    triangles, face = triangulate(vertices, faces)
    normal = area_vectors(vertices, faces)
    normal = radius * normal / np.linalg.norm(normal, axis=1, keepdims=True)
    front = vertices[triangles] + normal[face][:, None, :]
    back = vertices[triangles[:, ::-1]] - normal[face][:, None, :]
    points = np.concatenate([front, back]).reshape(-1, 3)
    return points, np.arange(len(points)).reshape(-1, 3)
