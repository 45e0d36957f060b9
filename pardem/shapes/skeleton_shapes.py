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
        """An open polyline through points in their order, and a ball.

        Args:
            vertices: (n, 3) with n >= 3 (m).
            radius: of the ball (m).

        Raises:
            ShapeError: the radius is not positive, two points coincide, or two segments meet anywhere but at their joint.
        """
        return _shape(cls, chain(vertices), "polyline", radius)

    @classmethod
    def yermis(cls, *, edge: float, radius: float, segments: int = 3, bend: float = 0.5 * np.pi, torsion: float = 0.5 * np.pi) -> Self:
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
        """Any points, segments and polygons, and a ball.

        Features are what is given: a face is one feature, convex or not, and has no inner edges; its sides are edges, listed or not. With
        ``solid`` closed faces enclose a body; others are shells (hoppers, bowls) that count from both sides. A convex skeleton is found to be one.

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
        return _shape(cls, build_skeleton(vertices, edges, faces, points, solid), "skeleton", radius)

    @classmethod
    def from_mesh(
        cls, path: str | Path, *, radius: float, erode: bool = True, solid: bool | None = None, faces: int | None = None, scale: float = 1.0
    ) -> Self:
        """The surface in an STL, OBJ or PLY file, and a ball.

        Coincident vertices become one, coplanar triangles one polygon (where it is a simple one), solids are turned outwards. With ``erode`` the mesh
        is the outer surface of the grain, its convex edges and corners rounded: the core is the mesh with its faces moved inwards by the radius
        (docs/theory/grains.md). It needs the package trimesh (``pip install 'pardem[mesh]'``).

        Args:
            path: of the file.
            radius: of the ball (m).
            erode: whether the mesh is the outer surface; else it is the core. Shells need false.
            solid: whether the surface encloses a body; by default it does where it is closed.
            faces: simplify to at most this many triangles first, by quadric error decimation.
            scale: metres in a unit of the file.

        Raises:
            FileError: the file is missing or no such mesh, or trimesh is not installed.
            ShapeError: as for `skeleton`; or the mesh is too thin or too uneven to be eroded by the radius.
        """
        if faces is not None and (not isinstance(faces, int) or isinstance(faces, bool) or faces < 4):
            raise ShapeError(f"faces = {faces!r} must be a whole number of at least 4.")
        metres = positive("scale", scale, "it is the length of a unit of the file in metres")
        return _shape(cls, mesh_skeleton(Path(path), sphero_radius(radius), erode, solid, faces, metres), "mesh", radius)

    @classmethod
    def compound(cls, *, pieces: Sequence[Points], radius: float) -> Self:
        """Convex pieces that make up one grain, and a ball: the points within the radius of the union of the pieces' hulls.

        Each piece is the convex hull of its points, which may span space or a plane, lie on a line, or be one point. Pieces may share faces or
        overlap; what they have in common counts once in the mass, but see docs/theory/contacts.md on contacts over a seam.

        Args:
            pieces: lists of points, (n, 3) each (m).
            radius: of the ball (m).

        Raises:
            ShapeError: the radius is not positive; there is no piece, a piece has no points or such that are none (it is named by its number); or
                two single points are all there is.
        """
        core = build_pieces(pieces, "compound", 3)
        several = len(core.sizes) > 1
        rest: dict[str, Any] = {"convex": not several, "pieces": core.sizes if several else ()}
        build: Any = cls  # the dataclass that inherits this
        grain: Self = build("compound", sphero_radius(radius), core.vertices, core.edges, core.faces, **rest)
        return grain


def _shape(cls: Any, skeleton: CheckedSkeleton, kind: str, radius: float) -> Any:
    return cls(kind, sphero_radius(radius), skeleton.vertices, skeleton.edges, skeleton.faces, skeleton.convex, skeleton.solid)
