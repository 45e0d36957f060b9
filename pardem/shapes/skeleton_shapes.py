"""The constructors of `Shape` for skeletons of any kind in 3D."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..errors import ShapeError
from .arguments import Points, number, positive, sphero_radius
from .compound import build_pieces
from .geometry.mesh_file import mesh_skeleton
from .skeleton import CheckedSkeleton, build_skeleton, chain, yermis_vertices


class SkeletonShapes:
    """Constructors that `Shape` inherits."""

    @classmethod
    def polyline(cls, *, vertices: Points, radius: float) -> Self:
        """Make an open polyline rounded by a ball.

        Args:
            vertices: (n, 3) points in order (m), n >= 3.
            radius: radius of the ball (m).

        Raises:
            ShapeError: the radius is not positive, two points coincide, or two segments meet other than at their joint.
        """
        return _shape(cls, chain(vertices), "polyline", radius)

    @classmethod
    def yermis(cls, *, edge: float, radius: float, segments: int = 3, bend: float = 0.5 * np.pi, torsion: float = 0.5 * np.pi) -> Self:
        """Make an angular polyline of equal segments, rounded by a ball: the non-convex grain of paper 003, which gives no sizes.

        Args:
            edge: length of a segment (m).
            radius: radius of the ball (m).
            segments: number of segments, at least two.
            bend: angle from the direction of each segment to that of the next, between 0 and pi (rad).
            torsion: angle about each inner segment by which the plane of the next bend is rotated (rad); 0 and pi give plane chains. By default three
                segments run along three axes at right angles.

        Raises:
            ShapeError: the edge or the radius is not positive, an angle is out of range, or segments meet.
        """
        length = positive("edge", edge, "use Shape.sphere for a grain without extent")
        if not isinstance(segments, int) or isinstance(segments, bool) or segments < 2:
            raise ShapeError(f"segments = {segments!r} must be a whole number of at least 2; use Shape.spherocylinder for one.")
        if not number(bend) or not 0.0 < bend < np.pi:
            raise ShapeError(f"bend = {bend!r} must lie between 0 and pi (rad); 0 would make one long segment, pi fold it back.")
        if not number(torsion) or not -np.pi <= torsion <= np.pi:
            raise ShapeError(f"torsion = {torsion!r} must lie between -pi and pi (rad).")
        return _shape(cls, chain(yermis_vertices(length, segments, float(bend), float(torsion)), "Shape.yermis"), "yermis", radius)

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
    ) -> Self:
        """Make a grain of any points, segments and polygons, rounded by a ball.

        The features are exactly those given: a face is one feature, convex or not, without inner edges; its sides are edges, whether listed or not.
        With ``solid``, closed faces enclose a body; otherwise faces are shells (hoppers, bowls), which count from both sides. A convex skeleton is
        recognised as such.

        Args:
            vertices: (nv, 3) vertices (m).
            edges: pairs of vertex numbers.
            faces: loops of vertex numbers, each a plane simple polygon. Those of a solid run counter-clockwise seen from outside (for cavities, seen
                from the cavity).
            points: numbers of isolated vertices; without edges and faces, all vertices are isolated.
            radius: radius of the ball (m).
            solid: whether the faces enclose a body.

        Raises:
            ShapeError: the radius is not positive; vertices coincide or are unused; an edge or a face is given twice; a face has no area or is not
                plane (to 1e-6 of the extent); features meet other than at shared vertices; a solid is not closed, has an edge without exactly two
                faces, or has faces of the wrong orientation (which is not corrected). The message names vertices and faces by their numbers.
        """
        return _shape(cls, build_skeleton(vertices, edges, faces, points, solid), "skeleton", radius)

    @classmethod
    def from_mesh(
        cls, path: str | Path, *, radius: float, erode: bool = True, solid: bool | None = None, faces: int | None = None, scale: float = 1.0
    ) -> Self:
        """Make a grain from the surface in an STL, OBJ or PLY file, rounded by a ball.

        Coincident vertices are merged, coplanar triangles become one polygon (if it is simple), and solids are turned outwards. With ``erode``, the
        mesh is the outer surface of the grain, except that convex edges and corners are rounded: the core is the mesh with its faces displaced
        inwards by the radius (docs/theory/grains.md). This requires the package trimesh (``pip install 'pardem[mesh]'``).

        Args:
            path: the mesh file.
            radius: radius of the ball (m).
            erode: whether the mesh is the outer surface; otherwise it is the core. Must be false for shells.
            solid: whether the surface encloses a body; by default it does if it is closed.
            faces: largest number of triangles, to which the mesh is first simplified by quadric error decimation.
            scale: length of a unit of the file (m).

        Raises:
            FileError: the file is missing or is not a mesh, or trimesh is not installed.
            ShapeError: for the same reasons as `skeleton`, or the mesh is too thin or too uneven to be eroded by the radius.
        """
        if faces is not None and (not isinstance(faces, int) or isinstance(faces, bool) or faces < 4):
            raise ShapeError(f"faces = {faces!r} must be a whole number of at least 4.")
        metres = positive("scale", scale, "it is the length of a unit of the file in metres")
        return _shape(cls, mesh_skeleton(Path(path), sphero_radius(radius), erode, solid, faces, metres), "mesh", radius)

    @classmethod
    def compound(cls, *, pieces: Sequence[Points], radius: float) -> Self:
        """Make one grain of convex pieces: all points within the radius of the union of their convex hulls.

        Each piece is the convex hull of its points, which may span space or a plane, lie on a line, or be a single point. Pieces may share faces or
        overlap. Their common part counts once in the mass; for contacts at a seam see docs/theory/contacts.md.

        Args:
            pieces: one list of points (n, 3) for each piece (m).
            radius: radius of the ball (m).

        Raises:
            ShapeError: the radius is not positive; there is no piece; a piece is empty or does not consist of points (the message gives its number);
                or there are only two isolated points.
        """
        core = build_pieces(pieces, "compound", 3)
        several = len(core.sizes) > 1
        rest: dict[str, Any] = {"convex": not several, "pieces": core.sizes if several else ()}
        build: Any = cls  # the dataclass that inherits this
        grain: Self = build("compound", sphero_radius(radius), core.vertices, core.edges, core.faces, **rest)
        return grain


def _shape(cls: Any, skeleton: CheckedSkeleton, kind: str, radius: float) -> Any:
    return cls(kind, sphero_radius(radius), skeleton.vertices, skeleton.edges, skeleton.faces, skeleton.convex, skeleton.solid)
