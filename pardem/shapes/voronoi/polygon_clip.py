"""Compiled: a convex polygon cut by half-planes, one after the other.

What a line cuts off is one run of neighbouring vertices, whatever rounding says of single signs, so the result is a polygon always. A new vertex lies
between the ends of the edge that is cut, so it leaves no earlier half-plane by more than these ends do: errors do not grow with the number of cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import njit
from .half_spaces import CUT, EMPTY, FULL, UNTOUCHED


class ClippedPolygon(NamedTuple):
    """Storage for a polygon of up to ``len(x)`` vertices, counter-clockwise.

    Attributes:
        used: (1,) number of vertices.
        x: (nv, 2) vertices (m).
        line: (nv,) line of the edge from each vertex to the next.
        height: (nv,) work space.
        other_x: (nv, 2) work space for ``x``.
        other_line: (nv,) work space for ``line``.
    """

    used: np.ndarray
    x: np.ndarray
    line: np.ndarray
    height: np.ndarray
    other_x: np.ndarray
    other_line: np.ndarray


@njit
def make_polygon(vertices: int) -> ClippedPolygon:
    """Allocate a polygon.

    Args:
        vertices: capacity for vertices.

    Returns:
        The polygon, which is empty.
    """
    return ClippedPolygon(
        np.zeros(1, np.int64),
        np.empty((vertices, 2)),
        np.empty(vertices, np.int64),
        np.empty(vertices),
        np.empty((vertices, 2)),
        np.empty(vertices, np.int64),
    )


@njit
def fill_box(body: ClippedPolygon, lower: np.ndarray, upper: np.ndarray) -> None:
    """Make a polygon a box, whose lines are 0 (-x), 1 (+x), 2 (-y) and 3 (+y).

    Args:
        body: the polygon.
        lower: (2,) lower corner (m).
        upper: (2,) upper corner (m).
    """
    body.used[0] = 4
    body.x[0, 0], body.x[0, 1], body.line[0] = lower[0], lower[1], 2
    body.x[1, 0], body.x[1, 1], body.line[1] = upper[0], lower[1], 1
    body.x[2, 0], body.x[2, 1], body.line[2] = upper[0], upper[1], 3
    body.x[3, 0], body.x[3, 1], body.line[3] = lower[0], upper[1], 0


@njit
def clip(body: ClippedPolygon, normal: np.ndarray, offset: float, line: int, tolerance: float) -> int:
    """Cut off the part of a polygon that lies beyond a line by more than a tolerance.

    Args:
        body: the polygon.
        normal: (2,) normal of the line.
        offset: offset of the line, ``normal . x = offset``.
        line: number of the line.
        tolerance: the tolerance (m).

    Returns:
        UNTOUCHED, CUT, EMPTY (nothing is left; the polygon is void) or FULL (the new vertex exceeds the capacity).
    """
    n = body.used[0]
    top, bottom = 0, 0
    for v in range(n):
        body.height[v] = normal[0] * body.x[v, 0] + normal[1] * body.x[v, 1] - offset
        if body.height[v] > body.height[top]:
            top = v
        if body.height[v] < body.height[bottom]:
            bottom = v
    if body.height[top] <= tolerance:
        return UNTOUCHED
    if body.height[bottom] >= -tolerance:
        return EMPTY
    before, after = top, top  # the ends of the run; the lowest vertex stays
    while body.height[(before - 1) % n] > tolerance and (before - 1) % n != bottom:
        before = (before - 1) % n
    while body.height[(after + 1) % n] > tolerance and (after + 1) % n != bottom:
        after = (after + 1) % n
    kept = n - ((after - before) % n + 1)
    if kept + 2 > len(body.x):
        return FULL
    for k in range(kept):
        v = (after + 1 + k) % n
        body.other_x[k, 0], body.other_x[k, 1], body.other_line[k] = body.x[v, 0], body.x[v, 1], body.line[v]
    _between(body, before, (before - 1) % n, kept, line)
    _between(body, after, (after + 1) % n, kept + 1, body.line[after])
    body.used[0] = kept + 2
    for k in range(kept + 2):
        body.x[k, 0], body.x[k, 1], body.line[k] = body.other_x[k, 0], body.other_x[k, 1], body.other_line[k]
    return CUT


@njit
def _between(body: ClippedPolygon, high: int, low: int, target: int, line: int) -> None:
    """The point of the cut between a vertex that goes and one that stays."""
    share = 1.0
    if body.height[low] < 0.0:
        share = body.height[high] / (body.height[high] - body.height[low])
    for c in range(2):
        body.other_x[target, c] = body.x[high, c] + share * (body.x[low, c] - body.x[high, c])
    body.other_line[target] = line
