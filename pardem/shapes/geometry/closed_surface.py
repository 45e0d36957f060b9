"""Checks of faces: planar, of some area; and of what they enclose: closed, two faces at each edge, turned outwards."""

from __future__ import annotations

import numpy as np
import scipy

from ...errors import ShapeError
from ..mass.polytope_mass import Faces
from .proximity import dot
from .triangles import area_vectors, ragged, triangulate

THIN = 1e-12
"""Area of a face relative to its perimeter squared below which it has none."""


def check_faces(vertices: np.ndarray, faces: Faces, planar: float, name: str) -> None:
    """Raise an error if a face has no area or a corner does not lie in its plane.

    Args:
        vertices: (nv, 3) vertices (m).
        faces: loops of vertex numbers.
        planar: largest distance of a corner from the plane of its face, relative to the extent of all vertices.
        name: name of the shape, for messages.

    Raises:
        ShapeError: names the face and the corner.
    """
    if not faces:
        return
    extent = float(np.ptp(vertices, axis=0).max())
    vectors = area_vectors(vertices, faces)
    area = np.sqrt(dot(vectors, vectors))
    flat, face_of, starts = ragged(faces)
    following = np.concatenate([np.roll(loop, -1) for loop in faces])
    gap = vertices[following] - vertices[flat]
    perimeter = np.bincount(face_of, weights=np.sqrt(dot(gap, gap)))
    thin = np.flatnonzero(area <= THIN * perimeter**2)
    if len(thin):
        f = thin[0]
        raise ShapeError(f"{name}: face {f} (vertices {list(faces[f])}) has no area; leave it out, or give an edge instead.")
    normal = vectors / area[:, None]
    heights = dot(vertices[flat], normal[face_of])
    mean = np.add.reduceat(heights, starts[:-1]) / np.diff(starts)
    off = np.abs(heights - mean[face_of])
    worst = int(np.argmax(off))
    if off[worst] > planar * extent:
        raise ShapeError(
            f"{name}: face {face_of[worst]} is not planar: vertex {flat[worst]} lies {off[worst]:.3g} m off its plane (allowed: {planar:g} of the "
            "extent); move it, or cut the face into triangles."
        )


def edge_sides(faces: Faces) -> dict[tuple[int, int], list[tuple[int, bool]]]:
    """List the faces along each side.

    Args:
        faces: loops of vertex numbers.

    Returns:
        For each side (a, b) with a < b the faces along it, and whether they run from a to b.
    """
    out: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for f, loop in enumerate(faces):
        for a, b in zip(loop, (*loop[1:], loop[0])):
            out.setdefault((min(a, b), max(a, b)), []).append((f, a < b))
    return out


def check_solid(vertices: np.ndarray, faces: Faces, name: str) -> None:
    """Check that faces form closed surfaces, two at each edge, and run counter-clockwise seen from outside (for cavities: from the cavity).

    Args:
        vertices: (nv, 3) vertices (m).
        faces: loops of vertex numbers.
        name: name of the constructor, for messages.

    Raises:
        ShapeError: they do not; an edge or face is named.
    """
    if not faces:
        raise ShapeError(f"{name}: a solid needs faces.")
    sides = edge_sides(faces)
    for (a, b), beside in sides.items():
        where = f"the edge between vertices {a} and {b}"
        if len(beside) == 1:
            raise ShapeError(f"{name} is not closed: {where} has face {beside[0][0]} on one side only; close the hole, or give solid = false.")
        if len(beside) > 2:
            listed = ", ".join(str(f) for f, _ in beside)
            raise ShapeError(f"{name}: {where} has {len(beside)} faces ({listed}); at an edge of a solid exactly two meet.")
        if beside[0][1] == beside[1][1]:
            raise ShapeError(f"{name}: faces {beside[0][0]} and {beside[1][0]} run the same way along {where}; turn one of them round.")
    parts = components(len(faces), sides)
    triangles, face = triangulate(vertices, faces)
    for k, inward in enumerate(inside_out(vertices, triangles, parts[face])):
        if inward:
            raise ShapeError(
                f"{name}: the faces of the surface with face {int(np.argmax(parts == k))} run clockwise seen from outside; turn all of them round."
            )


def components(count: int, sides: dict[tuple[int, int], list[tuple[int, bool]]]) -> np.ndarray:
    """Number the connected surfaces, from 0 in the order of the faces.

    Args:
        count: number of faces.
        sides: faces along each side, as `edge_sides` lists them.

    Returns:
        (nf,) number of the surface to which each face belongs.
    """
    pairs = np.array([(beside[0][0], other) for beside in sides.values() for other, _ in beside[1:]], dtype=np.int64).reshape(-1, 2)
    graph = scipy.sparse.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    _, first = np.unique(label, return_index=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[label]


def inside_out(vertices: np.ndarray, triangles: np.ndarray, part: np.ndarray) -> list[bool]:
    """Determine which closed surfaces are oriented the wrong way round.

    Outer surfaces must enclose a positive volume, those of cavities a negative one, and so on inwards.

    Args:
        vertices: (nv, 3) vertices (m).
        triangles: (nt, 3) vertex numbers.
        part: (nt,) number of the surface to which each triangle belongs.

    Returns:
        One flag for each surface.
    """
    middle = vertices.mean(axis=0)
    a, b, c = (vertices[triangles] - middle).transpose(1, 0, 2)
    volume = np.bincount(part, weights=dot(a, np.cross(b, c)))
    out = []
    for k in range(len(volume)):
        point = vertices[triangles[np.argmax(part == k), 0]]
        depth = sum(abs(winding(point, vertices, triangles[part == j])) > 0.5 for j in range(len(volume)) if j != k)
        out.append(bool((volume[k] > 0.0) != (depth % 2 == 0)))
    return out


def winding(point: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Compute how often a closed surface winds around a point (solid angles of its triangles: van Oosterom and Strackee, 1983).

    Args:
        point: (3,) the point (m).
        vertices: (nv, 3) vertices (m).
        triangles: (nt, 3) vertex numbers.

    Returns:
        The winding number.
    """
    a, b, c = (vertices[triangles] - point).transpose(1, 0, 2)
    la, lb, lc = (np.sqrt(dot(p, p)) for p in (a, b, c))
    angle = 2.0 * np.arctan2(dot(a, np.cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return float(angle.sum() / (4.0 * np.pi))
