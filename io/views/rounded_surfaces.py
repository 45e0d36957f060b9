"""Surfaces of rounded grains as triangles with the exact normals of the rounded shape, for pictures and exports."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
import scipy

from pardem.shapes.geometry.triangles import area_vectors, triangulate

FINEST, COARSEST = 40, 6
"""Most and fewest points around a ball."""
POINTS = 1_500_000
"""Points of all grains of a picture together that the number of points around a ball is chosen for."""
MANY = 200
"""Number of features of a core that is not convex above which its tubes and balls get fewer sides."""


class TriangleMesh(NamedTuple):
    """A closed surface, or several that together cover one.

    Attributes:
        points: (n, 3) m.
        normals: (n, 3) unit vectors outwards.
        triangles: (m, 3) int64 rows of points, counter-clockwise seen from outside.
    """

    points: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray

    @classmethod
    def joined(cls, parts: list[TriangleMesh]) -> Self:
        """All parts as one.

        Args:
            parts: any number of surfaces.
        """
        starts = np.cumsum([0] + [len(part.points) for part in parts])
        triangles = [part.triangles + start for part, start in zip(parts, starts)]
        return cls(
            np.concatenate([part.points for part in parts] or [np.empty((0, 3))]),
            np.concatenate([part.normals for part in parts] or [np.empty((0, 3))]),
            np.concatenate(triangles or [np.empty((0, 3), np.int64)]),
        )


def sides_for(grains: int) -> int:
    """Points around a ball with which so many grains are smooth, and not too many points together; even.

    Args:
        grains: number of grains.
    """
    return 2 * (int(np.clip(np.sqrt(2.0 * POINTS / max(1, grains)), COARSEST, FINEST)) // 2)


def grain_surface(catalogue: Mapping[str, np.ndarray], species: int, sides: int) -> TriangleMesh:
    """The rounded surface of a species about its centre, in its principal frame and at a size factor of 1.

    Args:
        catalogue: arrays of the species' shapes (see ``pardem.shapes.catalogue``).
        species: row of the catalogue.
        sides: points around a ball, at least 4.
    """
    (v0, v1), radius = catalogue["vertex_start"][species : species + 2], float(catalogue["radius"][species])
    core = catalogue["vertices"][v0:v1] if v1 > v0 else np.zeros((1, 3))
    faces = _faces(catalogue, species)
    if "convex" in catalogue and not catalogue["convex"][species]:
        e0, e1 = catalogue["edge_start"][species : species + 2]
        return skeleton_surface(core, catalogue["edges"][e0:e1], faces, radius, sides)
    return rounded_hull(core, faces, radius, sides)


def rounded_hull(core: np.ndarray, faces: tuple[tuple[int, ...], ...], radius: float, sides: int) -> TriangleMesh:
    """The surface of a rounded convex core: the convex hull of balls around its vertices, with a flat where a face is.

    Args:
        core: (nv, 3) vertices (m).
        faces: loops of vertex numbers; that of a flat core counts from both sides.
        radius: sphero-radius (m).
        sides: points around a ball, at least 4.
    """
    ball = unit_ball(sides)
    if len(core) == 1:
        return TriangleMesh(core + radius * ball.points, ball.normals, ball.triangles)
    where = np.repeat(np.arange(len(core)), len(ball.points))
    normals = [np.tile(ball.normals, (len(core), 1))]
    for loop, normal in zip(faces, _unit(area_vectors(core, faces))):
        for side in (1.0, -1.0) if len(faces) == 1 else (1.0,):
            where = np.concatenate([where, loop])
            normals.append(np.tile(side * normal, (len(loop), 1)))
    directions = np.concatenate(normals)
    points = core[where] + radius * directions
    hull = scipy.spatial.ConvexHull(points)
    used, index = np.unique(hull.simplices, return_inverse=True)
    triangles = index.reshape(hull.simplices.shape)
    corner = points[used][triangles]
    across = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    inward = (across * hull.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return TriangleMesh(points[used], directions[used], triangles.astype(np.int64))


def skeleton_surface(vertices: np.ndarray, edges: np.ndarray, faces: tuple[tuple[int, ...], ...], radius: float, sides: int) -> TriangleMesh:
    """Balls, tubes and plates that together cover the outer surface of a rounded skeleton; parts of them lie inside it.

    Args:
        vertices: (nv, 3) core vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers; each face is drawn at the distance of the radius on both sides.
        radius: sphero-radius (m).
        sides: points around a ball, at least 4; fewer are used where there are many features.
    """
    sides = min(sides, 12) if len(vertices) + len(edges) <= MANY else COARSEST
    ball = unit_ball(sides)
    points = (vertices[:, None, :] + radius * ball.points).reshape(-1, 3)
    triangles = (ball.triangles + (len(ball.points) * np.arange(len(vertices)))[:, None, None]).reshape(-1, 3)
    balls = TriangleMesh(points, np.tile(ball.normals, (len(vertices), 1)), triangles)
    ends = vertices[edges].reshape(-1, 2, 3)
    return TriangleMesh.joined([balls, tubes(ends[:, 0], ends[:, 1], np.full(len(ends), radius), sides), _plates(vertices, faces, radius)])


def unit_ball(sides: int) -> TriangleMesh:
    """A ball of radius 1: rings about z, and the two poles.

    Args:
        sides: points of a ring, at least 4.
    """
    rings = max(2, sides // 2)
    polar = np.pi * np.arange(1, rings) / rings
    turn = 2.0 * np.pi * np.arange(sides) / sides
    ring = [np.column_stack([np.sin(p) * np.cos(turn), np.sin(p) * np.sin(turn), np.full(sides, np.cos(p))]) for p in polar]
    unit = np.concatenate([*ring, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    triangles = scipy.spatial.ConvexHull(unit).simplices.astype(np.int64)
    a, b, c = unit[triangles].transpose(1, 0, 2)
    inward = (np.cross(b - a, c - a) * a).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    return TriangleMesh(unit, unit, triangles)


def tubes(first: np.ndarray, second: np.ndarray, radius: np.ndarray, sides: int) -> TriangleMesh:
    """Tubes without ends, tube after tube, each of ``2 * sides`` points.

    Args:
        first: (m, 3) where their axes begin (m).
        second: (m, 3) where they end (m).
        radius: (m,) m.
        sides: points around a tube.
    """
    along = _unit(second - first)
    across = _unit(np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)]))
    third = np.cross(along, across)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.cos(turn)[None, :, None] * across[:, None, :] + np.sin(turn)[None, :, None] * third[:, None, :]
    points = np.stack([first, second], axis=1)[:, :, None, :] + (radius[:, None, None] * ring)[:, None]
    normals = np.repeat(ring[:, None], 2, axis=1)
    k = np.arange(sides)
    low, high = k, (k + 1) % sides
    one = np.concatenate([np.column_stack([low, high, high + sides]), np.column_stack([low, high + sides, low + sides])])
    triangles = (one + (2 * sides * np.arange(len(first)))[:, None, None]).reshape(-1, 3)
    return TriangleMesh(points.reshape(-1, 3), normals.reshape(-1, 3), triangles)


def _plates(vertices: np.ndarray, faces: tuple[tuple[int, ...], ...], radius: float) -> TriangleMesh:
    triangles, face = triangulate(vertices, faces)
    normal = _unit(area_vectors(vertices, faces))[face][:, None, :] * np.ones((1, 3, 1))
    front = vertices[triangles] + radius * normal
    back = vertices[triangles[:, ::-1]] - radius * normal
    points = np.concatenate([front, back]).reshape(-1, 3)
    normals = np.concatenate([normal, -normal]).reshape(-1, 3)
    return TriangleMesh(points, normals, np.arange(len(points)).reshape(-1, 3))


def _faces(catalogue: Mapping[str, np.ndarray], species: int) -> tuple[tuple[int, ...], ...]:
    if "face_start" not in catalogue:
        return ()
    f0, f1 = catalogue["face_start"][species : species + 2]
    starts = catalogue["face_vertex_start"][f0 : f1 + 1]
    return tuple(tuple(catalogue["face_vertices"][a:b].tolist()) for a, b in pairwise(starts))


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors ((n, 3)) at length 1; those of no length stay as they are."""
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0.0, size, 1.0))
