"""Skeletons of any kind: points, edges and polygonal faces, checked, with what follows from them (sides as edges, convexity)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from ..errors import ShapeError
from .geometry.closed_surface import check_faces, check_solid
from .geometry.intersection import check_intersections
from .geometry.proximity import dot
from .geometry.triangles import area_vectors
from .mass.polytope_mass import Faces

PLANAR = 1e-6
"""Distance from its plane, relative to the extent of the skeleton, within which a corner is on its face (files often hold single precision)."""


class CheckedSkeleton(NamedTuple):
    """A validated skeleton.

    Attributes:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) int32 vertex numbers, sorted; the sides of faces are included.
        faces: loops of vertex numbers.
        convex: whether it is a single convex polygon or a solid with a convex surface.
        solid: whether the inside of the faces belongs to it.
    """

    vertices: np.ndarray
    edges: np.ndarray
    faces: Faces
    convex: bool
    solid: bool


def build_skeleton(
    vertices: Any, edges: Any = (), faces: Any = (), points: Any = (), solid: bool = False, name: str = "Shape.skeleton"
) -> CheckedSkeleton:
    """Validate and complete a skeleton.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: pairs of vertex numbers; the sides of faces may be omitted.
        faces: loops of vertex numbers, each a plane simple polygon.
        points: numbers of isolated vertices; without edges and faces, all vertices are isolated.
        solid: whether the faces enclose a body; they must then form a closed surface and run counter-clockwise seen from outside.
        name: beginning of messages.

    Returns:
        The skeleton.

    Raises:
        ShapeError: for the same reasons as `Shape.skeleton`.
    """
    corners = finite_points(vertices, name)
    count = len(corners)
    given_edges = [_numbers(edge, count, f"{name}: edge {k}", 2) for k, edge in enumerate(_items(edges, "edges", name))]
    loops = [_numbers(face, count, f"{name}: face {k}", None) for k, face in enumerate(_items(faces, "faces", name))]
    alone = {_numbers([v], count, f"{name}: points[{k}]", 1)[0] for k, v in enumerate(_items(points, "points", name))}
    _no_duplicates(corners, given_edges, loops, name)
    if not given_edges and not loops:
        alone = set(range(count))
    used = alone.union(*given_edges, *loops)
    if len(used) < count:
        unused = next(v for v in range(count) if v not in used)
        raise ShapeError(f"{name}: vertex {unused} belongs to no edge and no face; leave it out, or list it in points if it is to stand alone.")
    sides = {(min(a, b), max(a, b)) for loop in loops for a, b in zip(loop, (*loop[1:], loop[0]))}
    every = sorted(sides | {(min(e), max(e)) for e in given_edges})
    pairs = np.array(every, dtype=np.int32).reshape(-1, 2)
    skeleton = tuple(loops)
    if count == 2 and every:
        raise ShapeError(f"{name}: one segment alone is a spherocylinder; use Shape.spherocylinder.")
    check_faces(corners, skeleton, PLANAR, name)
    lone = np.array(sorted(alone.difference(*every)), dtype=np.int64)
    extent = float(np.ptp(corners, axis=0).max())
    check_intersections(corners / (extent or 1.0), pairs, skeleton, lone, name)  # squares must stay within the range of floats
    if solid:
        check_solid(corners, skeleton, name)
    return CheckedSkeleton(corners, pairs, skeleton, is_convex(corners, pairs, skeleton, solid), solid)


def finite_points(vertices: Any, name: str) -> np.ndarray:
    """Copy points to an array.

    Args:
        vertices: the points (m).
        name: name of the constructor, for messages.

    Returns:
        (n, 3) array (m).

    Raises:
        ShapeError: they are not a list of finite points, or there is none.
    """
    try:
        points = np.array(vertices, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1:] != (3,) or not len(points):
        raise ShapeError(f"{name}: vertices must be a list of points with three coordinates each (m).")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ShapeError(f"{name}: vertex {bad[0]} = {points[bad[0]].tolist()} must have finite coordinates.")
    return points


def chain(vertices: Any, name: str = "Shape.polyline") -> CheckedSkeleton:
    """Make an open polyline.

    Args:
        vertices: vertices in order (m).
        name: name of the constructor, for messages.

    Returns:
        The skeleton.

    Raises:
        ShapeError: there are fewer than three vertices, or see `Shape.skeleton`.
    """
    points = finite_points(vertices, name)
    if len(points) < 3:
        raise ShapeError(f"{name} needs at least three vertices, but {len(points)} are given; use Shape.spherocylinder for one segment.")
    return build_skeleton(points, [(k, k + 1) for k in range(len(points) - 1)], name=name)


def yermis_vertices(edge: float, segments: int, bend: float, torsion: float) -> np.ndarray:
    """Compute the vertices of a chain of equal segments, relative to their mean.

    The first segment runs along x. Each next one is turned by ``bend`` about an axis, at first z, which is then turned by ``torsion`` about the new
    segment.

    Args:
        edge: length of a segment (m).
        segments: number of segments.
        bend: angle between consecutive segments (rad).
        torsion: angle between consecutive planes of bending (rad).

    Returns:
        (segments + 1, 3) vertices (m).
    """
    direction, axis = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    points = [np.zeros(3)]
    for _ in range(segments):
        points.append(points[-1] + edge * direction)
        direction = _turned(direction, axis, bend)
        axis = _turned(axis, direction, torsion)
    out = np.array(points)
    return out - out.mean(axis=0)


def _turned(vector: np.ndarray, axis: np.ndarray, angle: float) -> np.ndarray:
    """A unit vector turned about a unit vector normal to it; right angles leave no rounding behind."""
    cosine, sine = (0.0 if abs(f) < 1e-15 else f for f in (float(np.cos(angle)), float(np.sin(angle))))
    out: np.ndarray = cosine * vector + sine * np.cross(axis, vector)
    return out


def is_convex(vertices: np.ndarray, edges: np.ndarray, faces: Faces, solid: bool) -> bool:
    """Determine whether a checked skeleton is one convex polygon, or a solid with a convex surface, and nothing else.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers.
        solid: whether the inside of the faces belongs to it.

    Returns:
        Whether it is.
    """
    if len(vertices) == 1:
        return True
    if not faces or len(np.unique(np.concatenate(faces))) < len(vertices):
        return False
    sides = {(min(a, b), max(a, b)) for loop in faces for a, b in zip(loop, (*loop[1:], loop[0]))}
    if len(sides) < len(edges):
        return False
    extent = float(np.ptp(vertices, axis=0).max())
    normals = area_vectors(vertices, faces)
    normals /= np.sqrt(dot(normals, normals))[:, None]
    if len(faces) == 1:
        corner = vertices[list(faces[0])]
        ahead, back = np.roll(corner, -1, axis=0) - corner, corner - np.roll(corner, 1, axis=0)
        # every corner turns left, and all of them once around
        turn = np.arctan2(dot(np.cross(back, ahead), normals[0]), dot(back, ahead))
        return bool((turn > -PLANAR).all() and turn.sum() < 3.0 * np.pi)
    if not solid:
        return False
    first = vertices[[loop[0] for loop in faces]]
    return all(bool((dot(vertices - p, n) <= PLANAR * extent).all()) for p, n in zip(first, normals))


def _items(value: Any, what: str, name: str) -> list[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise ShapeError(f"{name}: {what} must be a list of vertex numbers.")
    return list(value)


def _numbers(value: Any, count: int, key: str, length: int | None) -> tuple[int, ...]:
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(items, Sequence) or not all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in items):
        raise ShapeError(f"{key} = {value!r} must be a list of vertex numbers.")
    if (length is not None and len(items) != length) or (length is None and len(items) < 3):
        raise ShapeError(f"{key} = {list(items)} must have {'at least three vertices' if length is None else f'{length} vertices'}.")
    for v in items:
        if not 0 <= v < count:
            raise ShapeError(f"{key} = {list(items)} names vertex {v}, but there are vertices 0 to {count - 1}.")
    if len(set(items)) < len(items):
        raise ShapeError(f"{key} = {list(items)} names a vertex twice; a face is one simple polygon, an edge joins two vertices.")
    return tuple(int(v) for v in items)


def _no_duplicates(vertices: np.ndarray, edges: list[tuple[int, ...]], faces: list[tuple[int, ...]], name: str) -> None:
    extent = float(np.ptp(vertices, axis=0).max())
    close = sorted(scipy.spatial.cKDTree(vertices).query_pairs(1e-9 * extent))
    if close:
        a, b = close[0]
        raise ShapeError(f"{name}: vertices {a} and {b} are the same point, {vertices[a].tolist()}; give it once.")
    for what, items in (("edge", [tuple(sorted(e)) for e in edges]), ("face", [tuple(sorted(f)) for f in faces])):
        seen: dict[tuple[int, ...], int] = {}
        for k, item in enumerate(items):
            if item in seen:
                raise ShapeError(f"{name}: {what}s {seen[item]} and {k} have the same vertices, {list(item)}; give it once.")
            seen[item] = k
