"""The shape of a grain: a skeleton (core) of vertices, edges and faces, rounded by a ball (Minkowski sum)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..errors import ShapeError
from .arguments import Points, one_of, points_in_space, positive, sphero_radius
from .compound import ConvexPieces, hulls_of
from .geometry.hull import FLAT, convex_hull, spread
from .mass.cached import cached_exact_properties, cached_mass_properties
from .mass.compound_mass import compound_mass_properties
from .mass.monte_carlo import MassEstimate, monte_carlo_mass_properties
from .mass.planar_mass import planar_mass_properties
from .mass.planar_monte_carlo import planar_monte_carlo
from .mass.polytope_mass import MassProperties, RoundedSkeleton
from .planar_shapes import PlanarShapes
from .skeleton_shapes import SkeletonShapes


@dataclass(frozen=True, eq=False)
class Shape(PlanarShapes, SkeletonShapes):
    """A spheropolytope: all points within ``radius`` of its core. Make one with a constructor such as `sphere` or `spherocylinder`.

    Attributes:
        kind: name of the constructor; ``polyhedron`` for a cube.
        radius: sphero-radius, that is, the radius of the ball (m).
        vertices: (nv, 3) core vertices, in the given axes (m).
        edges: (ne, 2) int32 vertex numbers.
        faces: loops of vertex numbers, counter-clockwise seen from outside; coplanar triangles are merged. A flat core has one face, which counts
            from both sides.
        convex: whether the core is convex.
        solid: whether the inside of closed faces (in 2D, of the outline) belongs to the grain; false for shells and polylines.
        dimension: 3, or 2 for disks and spheropolygons, whose vertices have z = 0. The only face of a solid one is its outline.
        notes: sentences on changes made to the given data.
        pieces: number of vertices of each convex piece of a compound; the pieces follow each other, and vertices of several pieces are repeated.
            Empty for all other shapes.
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
    pieces: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.vertices.flags.writeable = False
        self.edges.flags.writeable = False

    @classmethod
    def sphere(cls, *, radius: float) -> Self:
        """Make a sphere.

        Args:
            radius: radius of the sphere (m).

        Raises:
            ShapeError: the radius is not a positive number.
        """
        return cls("sphere", sphero_radius(radius), np.zeros((1, 3)))

    @classmethod
    def spherocylinder(cls, *, length: float, radius: float) -> Self:
        """Make a segment along z about the origin, rounded by a ball.

        Args:
            length: length of the segment, without the round ends (m).
            radius: radius of the ball (m).

        Raises:
            ShapeError: the length or the radius is not a positive number.
        """
        half = 0.5 * positive("length", length, "use Shape.sphere for a grain without length")
        return cls("spherocylinder", sphero_radius(radius), np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), np.array([[0, 1]], dtype=np.int32))

    @classmethod
    def spherotriangle(cls, *, radius: float, vertices: Points | None = None, circumradius: float | None = None, edge: float | None = None) -> Self:
        """Make a triangle rounded by a ball.

        Args:
            radius: radius of the ball (m).
            vertices: (3, 3) corners (m); give either these, ``circumradius`` or ``edge``.
            circumradius: circumradius of a regular triangle in the x-y plane about the origin, with its first vertex on the x axis (m).
            edge: length of its edges (m).

        Raises:
            ShapeError: a length is not a positive number, or the vertices lie on one line.
        """
        name = one_of("spherotriangle", vertices=vertices, circumradius=circumradius, edge=edge)
        if name == "vertices":
            corners = points_in_space(vertices, "spherotriangle", 3)
            values = spread(corners)[0]
            if values[1] <= FLAT * values[0]:
                raise ShapeError("The three vertices of the spherotriangle lie on one line; use Shape.spherocylinder, or move one off the line.")
        else:
            c = positive(name, circumradius if edge is None else edge, "use Shape.sphere for a grain without extent")
            c /= 1.0 if edge is None else 3**0.5
            corners = np.array([[c, 0.0, 0.0], [-0.5 * c, 0.75**0.5 * c, 0.0], [-0.5 * c, -(0.75**0.5) * c, 0.0]])
        return cls("spherotriangle", sphero_radius(radius), corners, np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32), ((0, 1, 2),))

    @classmethod
    def spherotetrahedron(
        cls, *, radius: float, vertices: Points | None = None, circumradius: float | None = None, edge: float | None = None
    ) -> Self:
        """Make a tetrahedron rounded by a ball.

        Args:
            radius: radius of the ball (m).
            vertices: (4, 3) corners (m); give either these, ``circumradius`` or ``edge``.
            circumradius: circumradius of a regular tetrahedron about the origin, whose vertices are alternate corners of a cube (m).
            edge: length of its edges (m).

        Raises:
            ShapeError: a length is not a positive number, or the vertices lie in one plane.
        """
        name = one_of("spherotetrahedron", vertices=vertices, circumradius=circumradius, edge=edge)
        if name == "vertices":
            corners = points_in_space(vertices, "spherotetrahedron", 4)
        else:
            c = positive(name, circumradius if edge is None else edge, "use Shape.sphere for a grain without extent")
            c /= 3**0.5 if edge is None else 8**0.5
            corners = c * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
        return cls("spherotetrahedron", sphero_radius(radius), *convex_hull(corners))

    @classmethod
    def polyhedron(cls, *, vertices: Points, radius: float) -> Self:
        """Make the convex hull of points, rounded by a ball. Points inside the hull, its faces or its edges are dropped.

        Args:
            vertices: (n, 3) points (m), n >= 4.
            radius: radius of the ball (m).

        Raises:
            ShapeError: the radius is not positive, or the points do not span space.
        """
        return cls("polyhedron", sphero_radius(radius), *convex_hull(points_in_space(vertices, "polyhedron", None)))

    @classmethod
    def cube(cls, *, side: float, radius: float) -> Self:
        """Make a cube about the origin, aligned with the axes and rounded by a ball.

        Args:
            side: length of its edges, without the rounding (m).
            radius: radius of the ball (m).

        Raises:
            ShapeError: the side or the radius is not a positive number.
        """
        h = 0.5 * positive("side", side, "use Shape.sphere for a grain without extent")
        return cls.polyhedron(vertices=[(x, y, z) for x in (-h, h) for y in (-h, h) for z in (-h, h)], radius=radius)

    @classmethod
    def _make(cls, kind: str, points: np.ndarray, radius: float, edges: Any, faces: Any, **rest: Any) -> Self:
        return cls(kind, sphero_radius(radius), points, np.array(edges, dtype=np.int32).reshape(-1, 2), faces, dimension=2, **rest)

    def mass_properties(self, density: float = 1.0) -> MassProperties:
        """Compute volume, mass, centre of mass and inertia.

        The result is exact up to rounding for convex grains and for all grains in 2D except compounds. For all others it is a reproducible
        `MassEstimate`, whose standard errors are below 1e-4 of the volume and of the largest moment unless the shape is long and thin
        (docs/theory/grains.md). In 2D, ``volume`` is an area, and all principal moments are that about z.

        Args:
            density: mass density (kg/m^3; in 2D kg/m^2).

        Returns:
            The mass properties.

        Raises:
            ShapeError: the density is not positive, or the volume evaluates to zero.
        """
        rho = positive("density", density, "a grain needs mass")
        if self.pieces:
            return compound_mass_properties(ConvexPieces(self.vertices, self.edges, self.faces, self.pieces), self.radius, rho, self.dimension)
        if self.dimension == 2:
            return planar_mass_properties(self.vertices, bool(self.faces), self.radius, rho, not len(self.edges))
        if not self.convex:
            return cached_mass_properties(self.vertices, self.edges, self.faces, self.radius, rho, self.solid)
        return cached_exact_properties(self.vertices, self.edges, self.faces, self.radius, rho)

    def mass_properties_monte_carlo(self, density: float = 1.0, samples: int = 1 << 17, seed: int = 0) -> MassEstimate:
        """Compute the same by quasi-Monte-Carlo integration over the points within ``radius`` of the core.

        Args:
            density: mass density (kg/m^3; in 2D kg/m^2).
            samples: number of points, rounded up to 16 times a power of two.
            seed: seed of the scrambling.

        Returns:
            The mass properties with their standard errors.

        Raises:
            ShapeError: the density or the number of samples is not positive.
        """
        rho = positive("density", density, "a grain needs mass")
        positive("samples", samples, "give some thousands")
        if self.dimension == 2:
            cores = [(self.vertices, bool(self.faces), not len(self.edges))]
            if self.pieces:
                hulls = hulls_of(self.vertices, self.edges, self.faces, self.pieces)
                cores = [(hull.vertices, bool(hull.faces), not len(hull.edges)) for hull in hulls]
            return planar_monte_carlo(cores, self.radius, rho, samples, seed)
        body = RoundedSkeleton(self.vertices, self.edges, self.faces, self.radius, self.solid)
        return monte_carlo_mass_properties(body, rho, samples, seed)
