"""Erosion of polyhedra: faces moved inwards by a distance, so that a ball of that radius brings back all but sharp convex edges."""

from __future__ import annotations

import numpy as np
import scipy

from ...errors import ShapeError
from ..mass.polytope_mass import Faces
from .hull import convex_hull
from .proximity import dot
from .triangles import area_vectors, ragged, triangulate

UNEVEN = 0.25
"""Largest distance of an eroded vertex from the moved planes of its faces, relative to the radius."""
SAME = 1e-6
"""Distance of unit normals below which two faces at a vertex count as one plane."""


def erode_convex(vertices: np.ndarray, faces: Faces, radius: float, name: str) -> tuple[np.ndarray, np.ndarray, Faces]:
    """Compute the points of a convex polyhedron at least ``radius`` inside all its faces, exactly, by displacing and intersecting its half-spaces.

    Args:
        vertices: (nv, 3) vertices (m).
        faces: outward loops of vertex numbers.
        radius: distance by which the faces are displaced inwards (m).
        name: name of the shape, for messages.

    Returns:
        Vertices, edges and faces as from `convex_hull`.

    Raises:
        ShapeError: nothing is left.
    """
    middle, extent = vertices.mean(axis=0), float(np.ptp(vertices, axis=0).max())
    normal = area_vectors(vertices, faces)
    normal /= np.sqrt(dot(normal, normal))[:, None]
    first = (vertices[[loop[0] for loop in faces]] - middle) / extent
    offset = dot(first, normal) - radius / extent
    # the centre of the largest ball inside (Chebyshev centre), by linear programming
    limits = np.column_stack([normal, np.ones(len(normal))])
    result = scipy.optimize.linprog([0.0, 0.0, 0.0, -1.0], limits, offset, bounds=[(None, None)] * 3 + [(0.0, None)])
    if result.status != 0 or result.x[3] <= 1e-9:
        raise ShapeError(f"{name} is too thin to be eroded by radius = {radius:g} m: nothing is left; take a smaller radius, or erode = false.")
    points = scipy.spatial.HalfspaceIntersection(np.column_stack([normal, -offset]), result.x[:3]).intersections
    return convex_hull(_distinct(points) * extent + middle)


def _distinct(points: np.ndarray) -> np.ndarray:
    """One of each set of points that differ by rounding only."""
    drop = {b for _, b in scipy.spatial.cKDTree(points).query_pairs(1e-9)}
    return points[[k for k in range(len(points)) if k not in drop]]


def erode_solid(vertices: np.ndarray, faces: Faces, radius: float, planar: float, name: str) -> tuple[np.ndarray, Faces, float]:
    """Displace each face of a closed polyhedron inwards, and each vertex to the point at which the displaced planes of its faces meet.

    If more than three planes meet at a vertex and do not meet after the displacement, the vertex goes to the nearest point in the least-squares
    sense, and polygons that are no longer plane are split into triangles. The connectivity is kept, so a feature that would vanish is an error.

    Args:
        vertices: (nv, 3) vertices (m).
        faces: outward loops of vertex numbers.
        radius: distance by which the faces are displaced (m).
        planar: largest distance of a corner from the plane of its face, relative to the extent.
        name: name of the shape, for messages.

    Returns:
        Vertices (nv, 3) (m), the loops of the faces, and the largest distance of a vertex from the displaced plane of one of its faces (m).

    Raises:
        ShapeError: an edge or a face vanishes, or a vertex is further from its planes than `UNEVEN` times the radius.
    """
    area = area_vectors(vertices, faces)
    normal = area / np.sqrt(dot(area, area))[:, None]
    around: list[list[int]] = [[] for _ in vertices]
    for f, loop in enumerate(faces):
        for v in loop:
            around[v].append(f)
    moved = vertices.copy()
    residual = np.zeros(len(vertices))
    for v, beside in enumerate(around):
        planes: list[np.ndarray] = []
        for n in normal[beside]:
            if all(np.linalg.norm(n - other) > SAME for other in planes):
                planes.append(n)
        step = np.linalg.lstsq(np.array(planes), np.full(len(planes), -radius), rcond=1e-3 if len(planes) > 3 else 1e-9)[0]
        moved[v] = vertices[v] + step
        residual[v] = np.abs(normal[beside] @ step + radius).max()
    worst = int(np.argmax(residual))
    remedy = "take a smaller radius, or erode = false"
    if residual[worst] > UNEVEN * radius:
        raise ShapeError(
            f"{name} cannot be eroded by radius = {radius:g} m: the {len(around[worst])} faces at its vertex near {_place(vertices[worst])} then "
            f"meet in no point (they miss it by {residual[worst]:.2g} m); smooth the mesh there, {remedy}."
        )
    flat, face_of, _ = ragged(faces)
    following = np.concatenate([np.roll(loop, -1) for loop in faces])
    lost = dot(vertices[following] - vertices[flat], moved[following] - moved[flat]) <= 0.0
    lost |= (dot(area, area_vectors(moved, faces)) <= 0.0)[face_of]
    if lost.any():
        k = int(np.argmax(lost))
        raise ShapeError(f"{name} cannot be eroded by radius = {radius:g} m: its edge near {_place(vertices[flat[k]])} would vanish; {remedy}.")
    return moved, _plane_again(vertices, moved, faces, planar), float(residual.max())


def _place(point: np.ndarray) -> str:
    return "(" + ", ".join(f"{c:.4g}" for c in point) + ")"


def _plane_again(old: np.ndarray, vertices: np.ndarray, faces: Faces, planar: float) -> Faces:
    """Faces, those cut into triangles whose corners have left their plane."""
    tolerance = planar * float(np.ptp(vertices, axis=0).max())
    normal = area_vectors(vertices, faces)
    normal /= np.sqrt(dot(normal, normal))[:, None]
    out: list[tuple[int, ...]] = []
    for loop, n in zip(faces, normal):
        heights = dot(vertices[list(loop)], n)
        bent = len(loop) > 3 and np.abs(heights - heights.mean()).max() > tolerance
        out += [tuple(t) for t in triangulate(old, (loop,))[0].tolist()] if bent else [loop]
    return tuple(out)
