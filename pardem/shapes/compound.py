"""Cores made of convex pieces: each the hull of its points, whatever space they span, their vertices piece after piece."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import ShapeError
from .geometry.hull import FLAT, convex_hull, spread
from .geometry.outline import planar_points
from .mass.polytope_mass import Faces
from .skeleton import finite_points

SAME = 1e-9
"""Distance of two vertices, relative to the extent of the core, below which they count as one where each vertex is met once."""


class Hull(NamedTuple):
    """A convex core.

    Attributes:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) int32 vertex numbers.
        faces: outward loops of vertex numbers; a flat core has a single one.
    """

    vertices: np.ndarray
    edges: np.ndarray
    faces: Faces


class ConvexPieces(NamedTuple):
    """A core made of convex pieces.

    Attributes:
        vertices: (nv, 3) vertices, piece after piece; those of several pieces are repeated (m).
        edges: (ne, 2) int32 vertex numbers.
        faces: loops of vertex numbers. In space a flat piece has one for each side, so that the faces of every piece form a closed surface.
        sizes: number of vertices of each piece.
    """

    vertices: np.ndarray
    edges: np.ndarray
    faces: Faces
    sizes: tuple[int, ...]


def build_pieces(pieces: Any, kind: str, dimension: int) -> ConvexPieces:
    """Build the convex hulls of lists of points.

    Args:
        pieces: lists of points, (n, 3) each, or (n, 2) in two dimensions (m).
        kind: name of the constructor, for messages.
        dimension: 3 or 2.

    Returns:
        The pieces.

    Raises:
        ShapeError: there are no pieces, a piece is empty or does not consist of points, or there are only two isolated points.
    """
    if not isinstance(pieces, Sequence | np.ndarray) or isinstance(pieces, str) or not len(pieces):
        raise ShapeError(f"Shape.{kind} needs at least one piece: pieces is a list of lists of points (m), one list a convex piece.")
    hulls = []
    for k, points in enumerate(pieces):
        try:
            given = planar_points(points, kind, 1) if dimension == 2 else finite_points(points, f"Shape.{kind}")
            hulls.append(hull_of(given))
        except ShapeError as error:
            raise ShapeError(f"Piece {k}: {error}") from None
    if len(hulls) == 2 and all(len(hull.vertices) == 1 for hull in hulls):
        raise ShapeError(f"Shape.{kind} of two single points has no extent across their line; give one of the pieces two points or more.")
    return joined(hulls, dimension)


def joined(hulls: Sequence[Hull], dimension: int) -> ConvexPieces:
    """Join hulls to one core.

    Args:
        hulls: the hulls.
        dimension: 2 or 3.

    Returns:
        The core.
    """
    starts = np.cumsum([0] + [len(hull.vertices) for hull in hulls])
    faces: list[tuple[int, ...]] = []
    for hull, start in zip(hulls, starts):
        loops = [tuple(int(start) + v for v in loop) for loop in hull.faces]
        faces += [*loops, loops[0][::-1]] if len(loops) == 1 and dimension == 3 and len(hulls) > 1 else loops
    edges = np.concatenate([hull.edges + start for hull, start in zip(hulls, starts)]).astype(np.int32)
    return ConvexPieces(np.concatenate([hull.vertices for hull in hulls]), edges, tuple(faces), tuple(len(hull.vertices) for hull in hulls))


def hulls_of(vertices: np.ndarray, edges: np.ndarray, faces: Faces, sizes: tuple[int, ...]) -> list[Hull]:
    """Split a core into its hulls: the inverse of `joined`.

    Args:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers.
        sizes: number of vertices of each hull.

    Returns:
        The hulls.
    """
    starts = np.cumsum([0, *sizes])
    out = []
    for first, last in pairwise(starts.tolist()):
        own = edges[(edges[:, 0] >= first) & (edges[:, 0] < last)] - first
        loops = [tuple(v - first for v in loop) for loop in faces if first <= loop[0] < last]
        out.append(Hull(vertices[first:last], own, tuple(loops[:1] if len(loops) == 2 else loops)))
    return out


def hull_of(points: np.ndarray) -> Hull:
    """Compute the convex hull of points that span space, a plane or a line, or are one point.

    Args:
        points: (n, 3) points (m).

    Returns:
        The hull.
    """
    values, directions = spread(points)
    if values[0] == 0.0:
        return Hull(points[:1].copy(), np.empty((0, 2), np.int32), ())
    if values[1] <= FLAT * values[0]:
        along = points @ directions[0]
        return Hull(points[[along.argmin(), along.argmax()]], np.array([[0, 1]], np.int32), ())
    if values[2] > FLAT * values[0]:
        return Hull(*convex_hull(points))
    in_space = bool(points[:, 2].any())
    corners = _outline((points - points.mean(axis=0)) @ directions[:2].T if in_space else points[:, :2])
    n = len(corners)
    edges = sorted([(0, n - 1), *((k, k + 1) for k in range(n - 1))])
    return Hull(points[corners], np.array(edges, np.int32), (tuple(range(n)),))


def _outline(points: np.ndarray) -> list[int]:
    """Corners of the convex hull of points ((n, 2)) in the plane, counter-clockwise from the first given (Andrew's monotone chain, 1979)."""
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()

    def chain(rows: list[int]) -> list[int]:
        kept: list[int] = []
        for k in rows:
            while len(kept) > 1:
                a, b = points[kept[-1]] - points[kept[-2]], points[k] - points[kept[-1]]
                if a[0] * b[1] - a[1] * b[0] > FLAT * np.hypot(*a) * np.hypot(*b):
                    break
                kept.pop()
            kept.append(k)
        return kept[:-1]

    loop = chain(order) + chain(order[::-1])
    first = loop.index(min(loop))
    return loop[first:] + loop[:first]


def outer_vertices(vertices: np.ndarray) -> np.ndarray:
    """Find the vertices that are corners of the convex hull of all, which the inside of a cylinder can touch. Each corner is marked once.

    Args:
        vertices: (n, 3) vertices (m).

    Returns:
        (n,) bool.
    """
    kept: list[int] = []
    limit = SAME * np.abs(vertices - vertices.mean(axis=0)).max()
    for k, v in enumerate(vertices):
        if not kept or np.abs(vertices[kept] - v).max(axis=1).min() > limit:
            kept.append(k)
    out = np.zeros(len(vertices), dtype=bool)
    try:
        corners = hull_of(vertices[kept]).vertices
    except ShapeError:  # no clear hull: those within it are met too, at no deeper overlap
        out[kept] = True
        return out
    for k in kept:
        out[k] = (vertices[k] == corners).all(axis=1).any()
    return out


def most_that_meet(vertices: np.ndarray, sizes: tuple[int, ...], radius: float) -> int:
    """Bound the number of pieces that one contact may involve: a piece and those whose boxes, rounding included, meet its own.

    Args:
        vertices: (nv, 3) vertices (m).
        sizes: number of vertices of each piece.
        radius: sphero-radius (m).

    Returns:
        The bound.
    """
    starts = np.cumsum([0, *sizes])
    low, high = (np.array([f(vertices[a:b], axis=0) for a, b in pairwise(starts)]) for f in (np.min, np.max))
    gap = np.maximum(low[:, None] - high[None], low[None] - high[:, None]).max(axis=2)
    return int((gap <= 2.0 * radius).sum(axis=1).max())
