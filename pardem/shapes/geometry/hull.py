"""Convex hull of points as a polyhedron with whole faces: coplanar triangles merged, points inside faces and edges dropped.

A hull does not change under affine maps, so it is found in a frame where the points have the same spread in all directions: needles and plates lose
no accuracy, and no tolerance refers to a length.
"""

from __future__ import annotations

import numpy as np
import scipy

from ...errors import ShapeError

FLAT = 1e-10
"""Ratio of the smallest to the largest spread below which points count as coplanar or collinear."""
COPLANAR = 1e-7
"""Angle (rad) below which two triangles are one face, in the given and in the isotropic frame. The error in volume is of second order in it."""


def spread(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the directions along which points spread about their mean.

    Args:
        points: (n, 3) points (m).

    Returns:
        (3,) singular values, decreasing, and (3, 3) right-handed directions, by rows.
    """
    centred = points - points.mean(axis=0)
    size = np.abs(centred).max()
    if size == 0.0:
        return np.zeros(3), np.eye(3)
    _, values, directions = np.linalg.svd(centred / size, full_matrices=True)
    values = np.concatenate([values, np.zeros(3 - len(values))]) * size
    if np.linalg.det(directions) < 0.0:
        directions[2] *= -1.0
    return values, directions


def convex_hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[tuple[int, ...], ...]]:
    """Compute the convex hull of points that span space.

    Args:
        points: (n, 3) points (m), n >= 4.

    Returns:
        Vertices (nv, 3) in the given order (m), edges (ne, 2) int32, and faces as loops of vertex numbers, counter-clockwise seen from outside.

    Raises:
        ShapeError: the points coincide, lie on one line or in one plane, or are too close together for corners to be told apart.
    """
    values, directions = spread(points)
    if values[0] == 0.0:
        raise ShapeError("The vertices of the polyhedron are all the same point; use Shape.sphere for a ball.")
    if values[1] <= FLAT * values[0]:
        raise ShapeError("The vertices of the polyhedron lie on one line; use Shape.spherocylinder, or give points that span space.")
    if values[2] <= FLAT * values[0]:
        raise ShapeError(
            "The vertices of the polyhedron lie in one plane; use Shape.spherotriangle for three points, or add a point outside the plane "
            f"(at least {FLAT:g} of the extent away from it)."
        )
    isotropic = (points - points.mean(axis=0)) @ directions.T / values
    try:
        hull = scipy.spatial.ConvexHull(isotropic)
    except scipy.spatial.QhullError as error:
        reason = str(error).splitlines()[0]
        raise ShapeError(f"The convex hull of the vertices could not be built; remove nearly coincident ones ({reason}).") from None
    covectors = hull.equations[:, :3]
    normals = (covectors / values) @ directions
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    group = _coplanar_groups(hull.neighbors, covectors, normals)
    return _whole_faces(points, _outward(isotropic, hull.simplices, covectors), group)


def _outward(points: np.ndarray, triangles: np.ndarray, normals: np.ndarray) -> list[tuple[int, int, int]]:
    """Triangles counter-clockwise about their normals."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * normals).sum(axis=1) <= 0.0
    return [(i, k, j) if turn else (i, j, k) for (i, j, k), turn in zip(triangles.tolist(), inward.tolist())]


def _coplanar_groups(neighbours: np.ndarray, *normals: np.ndarray) -> np.ndarray:
    """A label per triangle, the same for neighbours whose normals agree in every set of normals."""
    label = np.arange(len(neighbours))
    i, j = np.repeat(label, neighbours.shape[1]), neighbours.ravel()
    same = j > i
    for n in normals:
        same &= ((n[i] * n[j]).sum(axis=1) > 0.0) & (np.linalg.norm(np.cross(n[i], n[j]), axis=1) < COPLANAR)
    for a, b in zip(i[same].tolist(), j[same].tolist()):
        label[label == label[b]] = label[a]
    return label


def _whole_faces(
    points: np.ndarray, triangles: list[tuple[int, int, int]], group: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[tuple[int, ...], ...]]:
    muddle = ShapeError("The convex hull of the vertices has no clear faces; remove nearly coincident vertices.")
    loops: list[list[int]] = []
    for g in np.unique(group):
        directed = {(t[k], t[(k + 1) % 3]) for t, label in zip(triangles, group) if label == g for k in range(3)}
        follows = {a: b for a, b in directed if (b, a) not in directed}
        start = here = min(follows)
        loop = []
        while here in follows:
            loop.append(here)
            here = follows.pop(here)
        if follows or here != start:
            raise muddle
        loops.append(loop)
    faces_at = np.bincount([v for loop in loops for v in loop], minlength=len(points))
    corners = np.flatnonzero(faces_at >= 3)  # with two faces a point lies on an edge, with one inside a face
    new = np.full(len(points), -1)
    new[corners] = np.arange(len(corners))
    faces = []
    for loop in loops:
        kept = [int(new[v]) for v in loop if new[v] >= 0]
        first = kept.index(min(kept)) if kept else 0
        faces.append(tuple(kept[first:] + kept[:first]))
    faces.sort()
    sides = [(f[k], f[(k + 1) % len(f)]) for f in faces for k in range(len(f))]
    edges = sorted((a, b) for a, b in sides if a < b)
    closed = len(set(sides)) == len(sides) == 2 * len(edges) and all((b, a) in set(sides) for a, b in edges)
    if not closed or len(corners) - len(edges) + len(faces) != 2 or min(len(f) for f in faces) < 3:
        raise muddle
    return points[corners], np.array(edges, dtype=np.int32), tuple(faces)
