"""Outlines and polylines in the plane: checks that are exact whatever the rounding, direction, convexity, and the outlines that have a name."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import ShapeError

COW = np.array(
    [
        # legs, udder and belly, from the hind leg to the chest
        (13, 0), (19, 0), (19.5, 13), (22, 26), (24.5, 26), (25, 13), (25, 0), (31, 0), (31.5, 14), (34, 27), (36, 23.5), (41, 23), (43.5, 28),
        (50, 29), (55, 28), (56, 14), (56, 0), (62, 0), (62, 14), (63.5, 28), (66, 28), (67, 14), (67, 0), (73, 0), (73, 15), (75, 32), (78.5, 40),
        # throat, muzzle, horns, ear
        (81.5, 46), (87, 46), (93, 42), (98, 42.5), (100, 46.5), (99, 52), (95, 58), (93, 64), (96, 68), (96.5, 74.5), (91.5, 69.5), (88, 69),
        (84, 74.5), (84, 67.5), (78, 68.5), (79, 63.5),
        # neck, back, tail, rump
        (74, 63), (67, 65), (58, 62), (45, 60.5), (30, 62.5), (18, 63.5), (11, 61.5), (6.5, 57), (4, 48), (3.5, 36), (1.5, 28), (0, 18), (4, 15),
        (7, 21), (6, 29), (7.5, 40), (10, 50), (11.5, 36), (12.5, 14),
    ]
)  # fmt: skip
"""A cow seen from the side, 100 long, counter-clockwise: 62 vertices, non-convex."""

NOISE = 1e-15
"""Error bound of a cross product relative to its products; below it the sign is found in rational numbers."""


def planar_points(vertices: Any, kind: str, least: int) -> np.ndarray:
    """Convert vertices to points in the plane z = 0.

    Args:
        vertices: (n, 2) points, or (n, 3) points with z = 0 (m).
        kind: name of the constructor, for messages.
        least: smallest number of vertices.

    Returns:
        (n, 3) points with z = 0 (m).

    Raises:
        ShapeError: the vertices are not a list of points, are too few, are not finite, lie outside the plane, or two of them coincide.
    """
    try:
        points = np.array(vertices, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ShapeError(f"The vertices of Shape.{kind} must be a list of points with two coordinates each, x and y (m).")
    if len(points) < least:
        raise ShapeError(f"Shape.{kind} needs at least {least} vertices, but {len(points)} are given.")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ShapeError(f"Vertex {bad[0]} of Shape.{kind} = {points[bad[0]].tolist()} must have finite coordinates.")
    if points.shape[1] == 3 and points[:, 2].any():
        k = int(np.flatnonzero(points[:, 2])[0])
        raise ShapeError(f"Vertex {k} of Shape.{kind} = {points[k].tolist()} lies out of the plane x-y; give z = 0, or x and y only.")
    seen: dict[tuple[float, float], int] = {}
    for k, (x, y) in enumerate(points[:, :2].tolist()):
        if (x, y) in seen:
            raise ShapeError(
                f"Vertices {seen[x, y]} and {k} of Shape.{kind} are the same point {[x, y]}; give each once (an outline closes by itself)."
            )
        seen[x, y] = k
    return np.column_stack([points[:, :2], np.zeros(len(points))])


def outline(points: np.ndarray, kind: str) -> tuple[np.ndarray, bool, bool]:
    """Orient a simple polygon counter-clockwise.

    Args:
        points: (n, 3) corners in order, in either sense (m).
        kind: name of the constructor, for messages.

    Returns:
        Corners (n, 3) counter-clockwise, beginning with the same corner (m), whether the polygon is convex, and whether its order was reversed.

    Raises:
        ShapeError: the outline has no area or intersects itself.
    """
    n = len(points)
    turns = _sides(np.roll(points, 1, axis=0), points, np.roll(points, -1, axis=0))
    if not turns.any():
        raise ShapeError(f"The vertices of Shape.{kind} lie on one line and enclose no area; use Shape.rice, or move one off the line.")
    _refuse_crossings(points, np.column_stack([np.arange(n), (np.arange(n) + 1) % n]), kind)
    # of a simple polygon the corner that is lowest, and leftmost of those, is convex; it may be the end of straight stretches
    first = np.lexsort((points[:, 0], points[:, 1]))[0]
    backwards = turns[first] < 0
    if backwards:
        points, turns = np.roll(points[::-1], 1, axis=0), -turns
    return points, bool((turns >= 0).all()), bool(backwards)


def polyline(points: np.ndarray, kind: str) -> bool:
    """Check an open polyline.

    Args:
        points: (n, 3) points (m).
        kind: kind of shape, for messages.

    Returns:
        Whether it is straight, that is, convex.

    Raises:
        ShapeError: it intersects itself.
    """
    n = len(points)
    _refuse_crossings(points, np.column_stack([np.arange(n - 1), np.arange(1, n)]), kind)
    return not _sides(points[:-2], points[1:-1], points[2:]).any()


def _sides(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Exact sign of the cross product (b - a) x (c - a): 1 where a, b, c turn left, -1 right, 0 on one line; (m,) int."""
    p, q = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]), (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    sign = np.sign(p - q).astype(int)
    for k in np.flatnonzero(~(np.abs(p - q) > NOISE * (np.abs(p) + np.abs(q)))):
        (ax, ay), (bx, by), (cx, cy) = ([Fraction(u) for u in v[k, :2].tolist()] for v in (a, b, c))
        exact = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        sign[k] = (exact > 0) - (exact < 0)
    return sign


def _refuse_crossings(points: np.ndarray, edges: np.ndarray, kind: str) -> None:
    """Raise if two edges have a point in common that is not the vertex between them."""
    first, second = np.triu_indices(len(edges), 1)
    low, high = np.minimum(*points[edges.T])[:, :2], np.maximum(*points[edges.T])[:, :2]
    near = ((low[first] <= high[second]) & (low[second] <= high[first])).all(axis=1)
    first, second = first[near], second[near]
    (a, b), (c, d) = points[edges[first].T], points[edges[second].T]
    s, t, u, v = _sides(a, b, c), _sides(a, b, d), _sides(c, d, a), _sides(c, d, b)
    meet = (s * t <= 0) & (u * v <= 0)  # on one line: their boxes meet, so they do
    for k in np.flatnonzero(meet):
        e, f = edges[first[k]].tolist(), edges[second[k]].tolist()
        shared = set(e) & set(f)
        if shared:
            # neighbours meet in their vertex; more only where one folds back on the other
            p, q = (points[(set(pair) - shared).pop(), :2] - points[min(shared), :2] for pair in (e, f))
            if len(shared) == 1 and not (s[k] == t[k] == 0 and p @ q > 0.0):
                continue
        raise ShapeError(
            f"The outline of Shape.{kind} meets itself: edge {e[0]}-{e[1]} ({_shown(points, e)}) and edge {f[0]}-{f[1]} ({_shown(points, f)}) "
            "cross or touch; edges may share the vertex between them only."
        )


def _shown(points: np.ndarray, edge: list[int]) -> str:
    return " to ".join(f"[{x:g}, {y:g}]" for x, y in points[edge, :2].tolist())
