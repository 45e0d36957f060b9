"""Minkowski operators of polygons and convex polyhedra with a disk or ball B of radius r (paper 000, section II).

Dilation is all points within r of the body, erosion all points whose ball of radius r lies in the body, opening the dilation of the erosion. Results
are cores and a radius, which stand for the round parts without approximation.

What is exact (to rounding): every dilation; erosion and opening of convex polygons and polyhedra, whose planes move inwards by r. The erosion of
a polygon that is not convex has arcs around its reflex vertices; they are drawn as chords, which lie less than ``tolerance`` r off the arcs, towards
the reflex vertex.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...errors import ShapeError
from ..shape import Shape
from ..voronoi.cells import VoronoiCells
from .hull import convex_hull


@dataclass(frozen=True, eq=False)
class Rounded:
    """The Minkowski sum of a core and a disk or ball.

    Attributes:
        core: (n, 2) outline of a polygon, counter-clockwise, or (n, 3) points whose convex hull is the core (m).
        radius: radius of the disk or ball (m).
    """

    core: np.ndarray
    radius: float

    def outline(self, tolerance: float = 1e-3) -> np.ndarray:
        """Approximate the boundary in 2D by a polygon whose chords lie less than ``tolerance`` times the radius inside the arcs.

        Args:
            tolerance: largest distance of chords from their arcs, relative to the radius.

        Returns:
            (m, 2) corners, counter-clockwise (m).

        Raises:
            ShapeError: the core is in 3D, or the tolerance is not between 0 and 1.
        """
        import shapely

        if self.core.shape[1] != 2:
            raise ShapeError("An outline can be had of polygons in the plane only.")
        grown = shapely.Polygon(self.core).buffer(self.radius, quad_segs=_quarter(tolerance))
        return _ring(grown)

    def shape(self) -> Shape:
        """Make a convex grain of this form in 3D.

        Raises:
            ShapeError: the core is in 2D, or degenerate.
        """
        if self.core.shape[1] != 3:
            raise ShapeError("Rounded.shape makes grains in 3D; give the core and the radius to a polygon's constructor for 2D.")
        return Shape.polyhedron(vertices=self.core, radius=self.radius)


def dilation(body: Any, radius: float) -> Rounded:
    """Compute the exact set of all points within a radius of a polygon, or of the convex hull of points in space.

    Args:
        body: (n, 2) outline of a simple polygon, in either sense, or (n, 3) points (m).
        radius: radius of the disk or ball (m).

    Returns:
        The Minkowski sum.

    Raises:
        ShapeError: the body is degenerate or intersects itself, or the radius is not positive.
    """
    core, r = _body(body), _radius(radius)
    return Rounded(core if core.shape[1] == 2 else convex_hull(core)[0], r)


def erosion(body: Any, radius: float, tolerance: float = 1e-3) -> list[np.ndarray]:
    """Compute the set of all points about which a disk or ball fits into a polygon, or into the convex hull of points in space.

    Args:
        body: (n, 2) outline of a simple polygon, in either sense, or (n, 3) points (m).
        radius: radius of the disk or ball (m).
        tolerance: largest distance of chords from their arcs, relative to the radius.

    Returns:
        The remaining pieces: outlines ((n, 2), counter-clockwise) or corners of convex polyhedra ((n, 3)). There is none if the body vanishes, and
        several if a polygon falls apart.

    Raises:
        ShapeError: for the same reasons as `dilation`, or the tolerance is not between 0 and 1.
    """
    core, r = _body(body), _radius(radius)
    if core.shape[1] == 3:
        return _eroded_polyhedron(core, r)
    quarter = _quarter(tolerance)
    if _is_convex(core):
        return _eroded_polygon(core, r)
    import shapely

    left = shapely.Polygon(core).buffer(-r, quad_segs=quarter)
    return [_ring(part) for part in getattr(left, "geoms", [left]) if not part.is_empty]


def opening(body: Any, radius: float, tolerance: float = 1e-3) -> list[Rounded]:
    """Compute the opening: the union of all disks or balls of a radius that fit into the body, which is its erosion dilated by the same radius.

    Args:
        body: (n, 2) outline of a simple polygon, in either sense, or (n, 3) points (m).
        radius: radius of the disk or ball (m).
        tolerance: largest distance of chords from their arcs, relative to the radius.

    Returns:
        One Minkowski sum for each remaining piece of the erosion.

    Raises:
        ShapeError: for the same reasons as `erosion`.
    """
    return [Rounded(core, float(radius)) for core in erosion(body, radius, tolerance)]


def _body(body: Any) -> np.ndarray:
    try:
        points = np.array(body, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or len(points) <= points.shape[1] or not np.isfinite(points).all():
        raise ShapeError("A body must be a list of finite points (m): at least three with two coordinates (a polygon), or four with three (a hull).")
    if points.shape[1] == 3:
        return points
    import shapely

    polygon = shapely.Polygon(points)
    if not polygon.is_valid or polygon.area <= 0.0:
        raise ShapeError(f"The outline of the polygon crosses or touches itself or has no area ({shapely.is_valid_reason(polygon)}); mend it.")
    return _ring(polygon)


def _radius(value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 < float(value) < np.inf:
        raise ShapeError(f"radius = {value!r} must be a positive finite number (m).")
    return float(value)


def _quarter(tolerance: float) -> int:
    """Chords for a quarter of a circle such that they lie less than a tolerance (part of the radius) off it: 1 - cos(pi / 4 k) < tolerance."""
    if not 0.0 < tolerance < 1.0:
        raise ShapeError(f"tolerance = {tolerance!r} is a part of the radius, between 0 and 1.")
    return int(np.ceil(0.25 * np.pi / np.arccos(1.0 - tolerance)))


def _ring(polygon: Any) -> np.ndarray:
    """Vertices of the outer boundary, counter-clockwise, the first not repeated."""
    import shapely

    return np.asarray(shapely.geometry.polygon.orient(polygon).exterior.coords)[:-1].copy()


def _is_convex(core: np.ndarray) -> bool:
    after = np.roll(core, -1, axis=0) - core
    before = np.roll(after, 1, axis=0)
    return bool((before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0] >= 0.0).all())


def _eroded_polygon(core: np.ndarray, r: float) -> list[np.ndarray]:
    middle = core.mean(axis=0)
    side = np.roll(core, -1, axis=0) - core
    normal = np.column_stack([side[:, 1], -side[:, 0]]) / np.linalg.norm(side, axis=1)[:, None]
    offset = (normal * (core - middle)).sum(axis=1)
    return _moved_inwards(normal, offset, core, middle, r)


def _eroded_polyhedron(core: np.ndarray, r: float) -> list[np.ndarray]:
    vertices, _, faces = convex_hull(core)
    middle = vertices.mean(axis=0)
    loops = [vertices[list(loop)] - middle for loop in faces]
    normal = np.array([np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0) for p in loops])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    offset = np.array([(p @ n).max() for p, n in zip(loops, normal)])
    return _moved_inwards(normal, offset, vertices, middle, r)


def _moved_inwards(normal: np.ndarray, offset: np.ndarray, core: np.ndarray, middle: np.ndarray, r: float) -> list[np.ndarray]:
    """The intersection of half-planes or half-spaces ``normal . (x - middle) <= offset - r``, if any of it is left."""
    size = np.linalg.norm(core - middle, axis=1).max(keepdims=True)
    ends = core.min(axis=0), core.max(axis=0), np.zeros(core.shape[1], dtype=bool)
    cell = VoronoiCells(middle[None], *ends, np.array([0, len(offset)]), normal, offset, np.full(len(offset), -1), size)
    count = cell.measure(r).vertices
    return [middle + cell.cores(r, np.zeros(1, dtype=np.int64), count)[1]] if count[0] else []
