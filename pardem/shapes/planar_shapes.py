"""Constructors of 2D shapes: disks and rounded polylines and polygons in the plane x-y."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..errors import ShapeError
from .arguments import Points, one_of, positive, whole
from .compound import build_pieces
from .geometry.outline import COW, outline, planar_points, polyline


class PlanarShapes:
    """The constructors of `Shape` that make grains for two dimensions; radius and all lengths in metres."""

    @classmethod
    def disk(cls, *, radius: float) -> Self:
        """Make a disk.

        Args:
            radius: radius of the disk (m).

        Raises:
            ShapeError: the radius is not a positive number.
        """
        return cls._planar("disk", np.zeros((1, 3)), radius)

    @classmethod
    def rice(cls, *, length: float, radius: float) -> Self:
        """Make a segment along x about the origin, rounded by a disk.

        Args:
            length: length of the segment, without the round ends (m).
            radius: radius of the disk (m).

        Raises:
            ShapeError: the length or the radius is not a positive number.
        """
        half = 0.5 * positive("length", length, "use Shape.disk for a grain without length")
        return cls._planar("rice", np.array([[-half, 0.0, 0.0], [half, 0.0, 0.0]]), radius)

    @classmethod
    def peanut(cls, *, length: float, radius: float, bend: float = np.pi / 3.0) -> Self:
        """Make a bent segment rounded by a disk, as in papers 000 and 001: two equal halves that meet on the y axis and open towards -y.

        Args:
            length: length of both halves together (m).
            radius: radius of the disk (m).
            bend: angle between the directions of the two halves, between 0 and pi (rad).

        Raises:
            ShapeError: the length, the radius or the bend is not a positive number, or the bend is not below pi.
        """
        half = 0.5 * positive("length", length, "use Shape.disk for a grain without length")
        angle = positive("bend", bend, "use Shape.rice for a straight grain")
        if angle >= np.pi:
            raise ShapeError(f"bend = {bend!r} must be less than pi, or the halves lie on each other.")
        x, y = half * np.cos(0.5 * angle), 0.5 * half * np.sin(0.5 * angle)
        return cls._planar("peanut", np.array([[x, -y, 0.0], [0.0, y, 0.0], [-x, -y, 0.0]]), radius)

    @classmethod
    def pebble(cls, *, radius: float, vertices: Points | None = None, circumradius: float | None = None) -> Self:
        """Make a triangle rounded by a disk.

        Args:
            radius: radius of the disk (m).
            vertices: (3, 2) corners (m), in either sense; give either these or ``circumradius``.
            circumradius: circumradius of a regular triangle about the origin, with its first vertex on the x axis (m).

        Raises:
            ShapeError: a length is not a positive number, or the vertices lie on one line.
        """
        if one_of("pebble", vertices=vertices, circumradius=circumradius) == "circumradius":
            return cls._planar("pebble", _regular(3, positive("circumradius", circumradius, "use Shape.disk for a grain without extent")), radius)
        points = planar_points(vertices, "pebble", 3)
        if len(points) > 3:
            raise ShapeError(f"Shape.pebble needs 3 vertices, but {len(points)} are given; use Shape.polygon for other numbers.")
        return cls._outline("pebble", points, radius)

    @classmethod
    def regular_polygon(cls, *, sides: int, radius: float, circumradius: float | None = None, edge: float | None = None) -> Self:
        """Make a regular polygon about the origin, with its first vertex on the x axis, rounded by a disk.

        Args:
            sides: number of sides, at least 3.
            radius: radius of the disk (m).
            circumradius: distance from the centre to a vertex (m); give either this or ``edge``.
            edge: length of a side (m).

        Raises:
            ShapeError: there are too few sides, or a length is not a positive number.
        """
        n = whole("sides", sides, 3, "use Shape.rice for a segment")
        name = one_of("regular_polygon", circumradius=circumradius, edge=edge)
        size = positive(name, circumradius if edge is None else edge, "use Shape.disk for a grain without extent")
        return cls._planar("regular_polygon", _regular(n, size if edge is None else 0.5 * size / np.sin(np.pi / n)), radius)

    @classmethod
    def polygon(cls, *, vertices: Points, radius: float) -> Self:
        """Make a simple polygon, convex or not, rounded by a disk. A clockwise outline is reversed, which is recorded in ``notes``.

        Args:
            vertices: (n, 2) corners in order (m), n >= 3; the last one is joined to the first.
            radius: radius of the disk (m).

        Raises:
            ShapeError: there are fewer than three vertices, two of them coincide, or the outline intersects itself or has no area.
        """
        return cls._outline("polygon", planar_points(vertices, "polygon", 3), radius)

    @classmethod
    def planar_polyline(cls, *, vertices: Points, radius: float) -> Self:
        """Make an open polyline rounded by a disk; it may bend both ways but must not intersect itself.

        Args:
            vertices: (n, 2) points in order (m), n >= 2.
            radius: radius of the disk (m).

        Raises:
            ShapeError: there are fewer than two vertices, two of them coincide, or the polyline intersects itself.
        """
        return cls._planar("planar_polyline", planar_points(vertices, "planar_polyline", 2), radius)

    @classmethod
    def clump(cls, *, vertices: Points, radius: float) -> Self:
        """Make a rigid clump of equal disks, as other programs build non-convex grains; where disks overlap, their area counts once.

        Args:
            vertices: (n, 2) centres of the disks (m), n >= 2.
            radius: radius of the disks (m).

        Raises:
            ShapeError: there are fewer than two disks, or two with the same centre.
        """
        return cls._make("clump", planar_points(vertices, "clump", 2), radius, [], (), convex=False, solid=True)

    @classmethod
    def planar_compound(cls, *, pieces: Sequence[Points], radius: float) -> Self:
        """Make one grain of convex pieces: all points within the radius of the union of their convex hulls.

        Args:
            pieces: one list of points (n, 2) for each piece (m), whose convex hull is a polygon, a segment or a point. Pieces may share edges or
                overlap.
            radius: radius of the disk (m).

        Raises:
            ShapeError: for the same reasons as `compound`.
        """
        core = build_pieces(pieces, "planar_compound", 2)
        several = len(core.sizes) > 1
        rest = {"convex": not several, "solid": True, "pieces": core.sizes if several else ()}
        return cls._make("planar_compound", core.vertices, radius, core.edges, core.faces, **rest)

    @classmethod
    def cow(cls, *, length: float, radius: float) -> Self:
        """Make the outline of a cow seen from the side, non-convex with 62 vertices, rounded by a disk.

        Args:
            length: length from tail to muzzle, without the disk (m). Tail, horns and the gaps between the legs are about 0.03 of it wide.
            radius: radius of the disk (m).

        Raises:
            ShapeError: the length or the radius is not a positive number.
        """
        size = positive("length", length, "use Shape.disk for a grain without extent")
        low, high = COW.min(axis=0), COW.max(axis=0)
        corners = (COW - 0.5 * (low + high)) * (size / (high - low)[0])
        return cls._outline("cow", np.column_stack([corners, np.zeros(len(corners))]), radius)

    @classmethod
    def _planar(cls, kind: str, points: np.ndarray, radius: float) -> Self:
        """A convex outline that is known to be right, or an open polyline of any number of points."""
        n = len(points)
        closed = kind in ("pebble", "regular_polygon")
        straight = closed or n < 3 or polyline(points, kind)
        edges = [(k, k + 1) for k in range(n - 1)] + [(0, n - 1)] * closed
        return cls._make(kind, points, radius, sorted(edges), (tuple(range(n)),) * closed, convex=straight, solid=closed or n == 1)

    @classmethod
    def _outline(cls, kind: str, points: np.ndarray, radius: float) -> Self:
        corners, convex, backwards = outline(points, kind)
        n = len(corners)
        notes = ("the outline is given clockwise and was reversed; vertices are counter-clockwise",) * backwards
        edges = [(0, n - 1), *((k, k + 1) for k in range(n - 1))]
        return cls._make(kind, corners, radius, sorted(edges), (tuple(range(n)),), convex=convex, solid=True, notes=notes)

    @classmethod
    def _make(cls, kind: str, points: np.ndarray, radius: float, edges: Any, faces: Any, **rest: Any) -> Self:
        raise NotImplementedError


def _regular(sides: int, circumradius: float) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(sides) / sides
    return circumradius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(sides)])
