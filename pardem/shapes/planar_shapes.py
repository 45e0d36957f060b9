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
        """A disk.

        Raises:
            ShapeError: the radius is not a positive number.
        """
        return cls._planar("disk", np.zeros((1, 3)), radius)

    @classmethod
    def rice(cls, *, length: float, radius: float) -> Self:
        """A segment along x of the given length (without the round ends) about the origin, and a disk.

        Raises:
            ShapeError: length or radius is not a positive number.
        """
        half = 0.5 * positive("length", length, "use Shape.disk for a grain without length")
        return cls._planar("rice", np.array([[-half, 0.0, 0.0], [half, 0.0, 0.0]]), radius)

    @classmethod
    def peanut(cls, *, length: float, radius: float, bend: float = np.pi / 3.0) -> Self:
        """A bent segment and a disk (papers 000 and 001: a polyline and a disk): two equal halves that meet on the y axis, open towards -y.

        Args:
            length: of both halves together (m).
            radius: of the disk (m).
            bend: angle by which the direction turns where the halves meet, between 0 and pi (rad).

        Raises:
            ShapeError: length, radius or bend is not a positive number, or the bend is a whole half turn.
        """
        half = 0.5 * positive("length", length, "use Shape.disk for a grain without length")
        angle = positive("bend", bend, "use Shape.rice for a straight grain")
        if angle >= np.pi:
            raise ShapeError(f"bend = {bend!r} must be less than pi, or the halves lie on each other.")
        x, y = half * np.cos(0.5 * angle), 0.5 * half * np.sin(0.5 * angle)
        return cls._planar("peanut", np.array([[x, -y, 0.0], [0.0, y, 0.0], [-x, -y, 0.0]]), radius)

    @classmethod
    def pebble(cls, *, radius: float, vertices: Points | None = None, circumradius: float | None = None) -> Self:
        """A triangle and a disk.

        Args:
            radius: of the disk (m).
            vertices: (3, 2) corners (m), either way round, or
            circumradius: of a regular triangle about the origin, the first vertex on x (m).

        Raises:
            ShapeError: no positive number, or vertices on one line.
        """
        if one_of("pebble", vertices=vertices, circumradius=circumradius) == "circumradius":
            return cls._planar("pebble", _regular(3, positive("circumradius", circumradius, "use Shape.disk for a grain without extent")), radius)
        points = planar_points(vertices, "pebble", 3)
        if len(points) > 3:
            raise ShapeError(f"Shape.pebble needs 3 vertices, but {len(points)} are given; use Shape.polygon for other numbers.")
        return cls._outline("pebble", points, radius)

    @classmethod
    def regular_polygon(cls, *, sides: int, radius: float, circumradius: float | None = None, edge: float | None = None) -> Self:
        """A regular polygon about the origin, the first vertex on x, and a disk.

        Args:
            sides: their number, at least 3. radius: of the disk (m).
            circumradius: distance from centre to vertex (m), or
            edge: length of a side (m).

        Raises:
            ShapeError: too few sides, or no positive number.
        """
        n = whole("sides", sides, 3, "use Shape.rice for a segment")
        name = one_of("regular_polygon", circumradius=circumradius, edge=edge)
        size = positive(name, circumradius if edge is None else edge, "use Shape.disk for a grain without extent")
        return cls._planar("regular_polygon", _regular(n, size if edge is None else 0.5 * size / np.sin(np.pi / n)), radius)

    @classmethod
    def polygon(cls, *, vertices: Points, radius: float) -> Self:
        """Any simple polygon, convex or not, and a disk. A clockwise outline is reversed, which `notes` says.

        Args:
            vertices: (n, 2) corners in order (m), n >= 3; the outline closes by itself. radius: of the disk (m).

        Raises:
            ShapeError: fewer than three vertices, two of them the same, an outline that meets itself or has no area.
        """
        return cls._outline("polygon", planar_points(vertices, "polygon", 3), radius)

    @classmethod
    def planar_polyline(cls, *, vertices: Points, radius: float) -> Self:
        """An open polyline and a disk; it may bend both ways, but not meet itself.

        Args:
            vertices: (n, 2) in order (m), n >= 2. radius: of the disk (m).

        Raises:
            ShapeError: fewer than two vertices, two of them the same, or a polyline that meets itself.
        """
        return cls._planar("planar_polyline", planar_points(vertices, "planar_polyline", 2), radius)

    @classmethod
    def clump(cls, *, vertices: Points, radius: float) -> Self:
        """Disks of one radius, fixed to each other: a rigid cluster, as other programs build non-convex grains; overlapping parts count once.

        Args:
            vertices: (n, 2) middles of the disks (m), n >= 2. radius: of the disks (m).

        Raises:
            ShapeError: fewer than two disks, or two with the same middle.
        """
        return cls._make("clump", planar_points(vertices, "clump", 2), radius, [], (), convex=False, solid=True)

    @classmethod
    def planar_compound(cls, *, pieces: Sequence[Points], radius: float) -> Self:
        """Convex pieces that make up one grain, and a disk: the points within the radius of the union of the pieces' hulls.

        Args:
            pieces: lists of points, (n, 2) each (m); each piece is the convex hull of its points: a polygon, a segment or a point. They may share
                edges or overlap. radius: of the disk (m).

        Raises:
            ShapeError: see `compound`.
        """
        core = build_pieces(pieces, "planar_compound", 2)
        several = len(core.sizes) > 1
        rest = {"convex": not several, "solid": True, "pieces": core.sizes if several else ()}
        return cls._make("planar_compound", core.vertices, radius, core.edges, core.faces, **rest)

    @classmethod
    def cow(cls, *, length: float, radius: float) -> Self:
        """The outline of a cow seen from the side, 62 vertices, non-convex, and a disk.

        Args:
            length: from tail to muzzle, without the disk (m). Tail, horns and the gaps between the legs are about 0.03 of it wide.
            radius: of the disk (m).

        Raises:
            ShapeError: length or radius is not a positive number.
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
