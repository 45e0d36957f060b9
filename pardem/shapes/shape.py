"""The shape of a grain: a skeleton (core) of vertices, edges and faces, rounded by a ball (Minkowski sum)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ShapeError
from .hull import FLAT, convex_hull, spread
from .kept import kept_mass_properties
from .mass import MassProperties, exact_mass_properties
from .monte_carlo import MassEstimate, monte_carlo_mass_properties
from .planar import PlanarShapes
from .planar_mass import planar_mass_properties
from .planar_monte_carlo import planar_monte_carlo
from .skeleton import Skeleton, build_skeleton, chain, yermis_vertices
from .values import number as _number
from .values import one_of as _one_of
from .values import positive as _positive
from .values import sphero_radius as _radius

Points = np.ndarray | Sequence[Sequence[float]]


@dataclass(frozen=True, eq=False)
class Shape(PlanarShapes):
    """A spheropolytope: all points within ``radius`` of the core. Build it with `sphere`, `spherocylinder` and so on.

    Attributes:
        kind: name of the constructor; of a cube ``polyhedron``.
        radius: of the ball (m).
        vertices: (nv, 3) of the core, in the axes given (m).
        edges: (ne, 2) int32 pairs of vertices.
        faces: vertex loops, counter-clockwise seen from outside, coplanar triangles merged. A flat core has one face, which counts from both sides.
        convex: whether the core is convex.
        solid: whether what closed faces (in 2D: the outline) enclose belongs to the grain; false for shells and polylines.
        dimension: 3, or 2 for disks and spheropolygons, whose vertices have z = 0; the outline of a solid one is its only face.
        notes: sentences on what was changed about the data given.
    """

    kind: str
    radius: float
    vertices: np.ndarray
    edges: np.ndarray = field(default_factory=lambda: np.empty((0, 2), dtype=np.int32))
    faces: tuple[tuple[int, ...], ...] = ()
    convex: bool = True
    solid: bool = True
    dimension: int = 3
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.vertices.flags.writeable = False
        self.edges.flags.writeable = False

    @classmethod
    def sphere(cls, *, radius: float) -> Shape:
        """A ball of the given radius (m).

        Raises:
            ShapeError: the radius is not a positive number.
        """
        return cls("sphere", _radius(radius), np.zeros((1, 3)))

    @classmethod
    def spherocylinder(cls, *, length: float, radius: float) -> Shape:
        """A segment along z of the given length (without the round ends) about the origin, and a ball (m).

        Raises:
            ShapeError: length or radius is not a positive number.
        """
        half = 0.5 * _positive("length", length, "use Shape.sphere for a grain without length")
        return cls("spherocylinder", _radius(radius), np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), np.array([[0, 1]], dtype=np.int32))

    @classmethod
    def spherotriangle(cls, *, radius: float, vertices: Points | None = None, circumradius: float | None = None, edge: float | None = None) -> Shape:
        """A triangle and a ball.

        Args:
            radius: of the ball (m).
            vertices: (3, 3) corners (m), or one of
            circumradius: of a regular triangle in the x-y plane about the origin, the first vertex on x (m),
            edge: of the same (m).

        Raises:
            ShapeError: no positive number, or vertices on one line.
        """
        name = _one_of("spherotriangle", vertices=vertices, circumradius=circumradius, edge=edge)
        if name == "vertices":
            corners = _points(vertices, "spherotriangle", 3)
            values = spread(corners)[0]
            if values[1] <= FLAT * values[0]:
                raise ShapeError("The three vertices of the spherotriangle lie on one line; use Shape.spherocylinder, or move one off the line.")
        else:
            c = _positive(name, circumradius if edge is None else edge, "use Shape.sphere for a grain without extent")
            c /= 1.0 if edge is None else 3**0.5
            corners = np.array([[c, 0.0, 0.0], [-0.5 * c, 0.75**0.5 * c, 0.0], [-0.5 * c, -(0.75**0.5) * c, 0.0]])
        return cls("spherotriangle", _radius(radius), corners, np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32), ((0, 1, 2),))

    @classmethod
    def spherotetrahedron(
        cls, *, radius: float, vertices: Points | None = None, circumradius: float | None = None, edge: float | None = None
    ) -> Shape:
        """A tetrahedron and a ball.

        Args:
            radius: of the ball (m).
            vertices: (4, 3) corners (m), or one of
            circumradius: of a regular tetrahedron about the origin, its vertices on alternate corners of a cube (m),
            edge: of the same (m).

        Raises:
            ShapeError: no positive number, or vertices in one plane.
        """
        name = _one_of("spherotetrahedron", vertices=vertices, circumradius=circumradius, edge=edge)
        if name == "vertices":
            corners = _points(vertices, "spherotetrahedron", 4)
        else:
            c = _positive(name, circumradius if edge is None else edge, "use Shape.sphere for a grain without extent")
            c /= 3**0.5 if edge is None else 8**0.5
            corners = c * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
        return cls("spherotetrahedron", _radius(radius), *convex_hull(corners))

    @classmethod
    def polyhedron(cls, *, vertices: Points, radius: float) -> Shape:
        """The convex hull of points (points inside it, its faces or its edges are dropped) and a ball.

        Args:
            vertices: (n, 3) with n >= 4 (m).
            radius: of the ball (m).

        Raises:
            ShapeError: the radius is not positive, or the points do not span space.
        """
        return cls("polyhedron", _radius(radius), *convex_hull(_points(vertices, "polyhedron", None)))

    @classmethod
    def cube(cls, *, side: float, radius: float) -> Shape:
        """A cube of the given side about the origin, along the axes, and a ball (m).

        Raises:
            ShapeError: side or radius is not a positive number.
        """
        h = 0.5 * _positive("side", side, "use Shape.sphere for a grain without extent")
        return cls.polyhedron(vertices=[(x, y, z) for x in (-h, h) for y in (-h, h) for z in (-h, h)], radius=radius)

    @classmethod
    def polyline(cls, *, vertices: Points, radius: float) -> Shape:
        """An open polyline through points in their order, and a ball.

        Args:
            vertices: (n, 3) with n >= 3 (m).
            radius: of the ball (m).

        Raises:
            ShapeError: the radius is not positive, two points coincide, or two segments meet anywhere but at their joint.
        """
        return cls._of(chain(vertices), "polyline", radius)

    @classmethod
    def yermis(cls, *, edge: float, radius: float, segments: int = 3, bend: float = 0.5 * np.pi, torsion: float = 0.5 * np.pi) -> Shape:
        """An angular polyline of equal segments in space, and a ball: the non-convex grain of paper 003, which gives no sizes.

        Args:
            edge: length of a segment (m).
            radius: of the ball (m).
            segments: how many, at least two.
            bend: angle from the direction of each segment to that of the next (rad), between 0 and pi.
            torsion: angle about each inner segment by which the plane of the next bend is turned (rad); 0 and pi give plane chains. By default three
                segments run along three axes at right angles.

        Raises:
            ShapeError: edge or radius is not positive, an angle is out of range, or segments meet.
        """
        length = _positive("edge", edge, "use Shape.sphere for a grain without extent")
        if not isinstance(segments, int) or isinstance(segments, bool) or segments < 2:
            raise ShapeError(f"segments = {segments!r} must be a whole number of at least 2; use Shape.spherocylinder for one.")
        if not _number(bend) or not 0.0 < bend < np.pi:
            raise ShapeError(f"bend = {bend!r} must lie between 0 and pi (rad); 0 would make one long segment, pi fold it back.")
        if not _number(torsion) or not -np.pi <= torsion <= np.pi:
            raise ShapeError(f"torsion = {torsion!r} must lie between -pi and pi (rad).")
        return cls._of(chain(yermis_vertices(length, segments, float(bend), float(torsion)), "Shape.yermis"), "yermis", radius)

    @classmethod
    def skeleton(
        cls,
        *,
        vertices: Points,
        edges: Sequence[Sequence[int]] = (),
        faces: Sequence[Sequence[int]] = (),
        points: Sequence[int] = (),
        radius: float,
        solid: bool = False,
    ) -> Shape:
        """Any points, segments and polygons, and a ball.

        Features are what is given: a face is one feature, convex or not, and has no inner edges; its sides are edges without being listed. With
        ``solid`` closed faces enclose a body; others are shells (hoppers, bowls) that count from both sides. Convexity is found out.

        Args:
            vertices: (nv, 3) (m).
            edges: pairs of vertices.
            faces: loops of vertices, each a plane simple polygon; of a solid counter-clockwise seen from outside (of cavities: from the cavity).
            points: vertices that stand alone; all do where there are neither edges nor faces.
            radius: of the ball (m).
            solid: whether the faces enclose a body.

        Raises:
            ShapeError: the radius is not positive; vertices coincide or are not used; an edge or a face is given twice; a face has no area or is not
                plane (to 1e-6 of the extent); features meet anywhere but at shared vertices; a solid is not closed, has other than two faces at an
                edge, or faces turned the wrong way (they are not turned round by themselves). Vertices and faces are named by their numbers.
        """
        return cls._of(build_skeleton(vertices, edges, faces, points, solid), "skeleton", radius)

    @classmethod
    def _of(cls, skeleton: Skeleton, kind: str, radius: float) -> Shape:
        core = skeleton.vertices
        return cls(kind, _radius(radius), core, skeleton.edges, skeleton.faces, skeleton.convex, skeleton.solid)

    @classmethod
    def _make(cls, kind: str, points: np.ndarray, radius: float, edges: Any, faces: Any, **rest: Any) -> Shape:
        return cls(kind, _radius(radius), points, np.array(edges, dtype=np.int32).reshape(-1, 2), faces, dimension=2, **rest)

    def mass_properties(self, density: float = 1.0) -> MassProperties:
        """Volume, mass, centre of mass and inertia: of convex grains and in 2D exact to rounding, of others a `MassEstimate`, always the same.

        In 2D volume is an area, and the principal moments are that about z. The estimate's standard errors are below 1e-4 of the volume and of the
        largest moment but for long and thin shapes (docs/theory/grains.md).

        Args:
            density: of mass (kg/m^3; in 2D kg/m^2).

        Raises:
            ShapeError: the density is not positive, or the volume comes out as zero.
        """
        rho = _positive("density", density, "a grain needs mass")
        if self.dimension == 2:
            return planar_mass_properties(self.vertices, bool(self.faces), self.radius, rho)
        if not self.convex:
            return kept_mass_properties(self.vertices, self.edges, self.faces, self.radius, rho, self.solid)
        return exact_mass_properties(self.vertices, self.edges, self.faces, self.radius, rho)

    def mass_properties_monte_carlo(self, density: float = 1.0, samples: int = 1 << 17, seed: int = 0) -> MassEstimate:
        """The same by quasi-Monte-Carlo integration over the points within ``radius`` of the core, with standard errors.

        Args:
            density: of mass (kg/m^3; in 2D kg/m^2). samples: number of points, rounded up to 16 times a power of two. seed: of the scrambling.

        Raises:
            ShapeError: density or samples is not positive.
        """
        rho = _positive("density", density, "a grain needs mass")
        _positive("samples", samples, "give some thousands")
        if self.dimension == 2:
            return planar_monte_carlo(self.vertices, bool(self.faces), self.radius, rho, samples, seed)
        return monte_carlo_mass_properties(self.vertices, self.edges, self.faces, self.radius, rho, samples, seed, self.solid)


def _points(vertices: Any, kind: str, number: int | None) -> np.ndarray:
    try:
        points = np.array(vertices, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ShapeError(f"The vertices of Shape.{kind} must be a list of points with three coordinates each (m).")
    if number is not None and len(points) != number:
        raise ShapeError(f"Shape.{kind} needs {number} vertices, but {len(points)} are given; use Shape.polyhedron for other numbers.")
    if len(points) < 3 or (number is None and len(points) < 4):
        raise ShapeError(f"Shape.{kind} needs at least four vertices, but {len(points)} are given; use Shape.spherotriangle for three.")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ShapeError(f"Vertex {bad[0]} of Shape.{kind} = {points[bad[0]].tolist()} must have finite coordinates.")
    return points
