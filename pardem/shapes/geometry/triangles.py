"""Polygonal faces: areas, normals, and triangles for integrals and tests (never as features)."""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from ..mass.polytope_mass import Faces


def area_vectors(vertices: np.ndarray, faces: Faces) -> np.ndarray:
    """Compute the area times the unit normal of faces, which may be any simple polygons.

    Args:
        vertices: (nv, 3) vertices (m).
        faces: loops of vertex numbers.

    Returns:
        (nf, 3) area vectors (m^2).
    """
    out = np.zeros((len(faces), 3))
    if not faces:
        return out
    flat, face_of, _ = ragged(faces)
    following = np.concatenate([np.roll(loop, -1) for loop in faces])
    first = vertices[[loop[0] for loop in faces]][face_of]
    np.add.at(out, face_of, 0.5 * np.cross(vertices[flat] - first, vertices[following] - first))
    return out


def ragged(faces: Faces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Convert loops to flat arrays.

    Args:
        faces: loops of vertex numbers.

    Returns:
        Vertices (m,) int64, the face of each (m,) int64, and the start of each face (nf + 1,) int64.
    """
    lengths = np.array([len(loop) for loop in faces], dtype=np.int64)
    flat = np.array([v for loop in faces for v in loop], dtype=np.int64)
    return flat, np.repeat(np.arange(len(faces)), lengths), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def triangulate(vertices: np.ndarray, faces: Faces) -> tuple[np.ndarray, np.ndarray]:
    """Split faces into triangles by ear clipping (Meisters, 1975), without new vertices.

    Args:
        vertices: (nv, 3) vertices (m).
        faces: loops of simple plane polygons, convex or not.

    Returns:
        Triangles (nt, 3) int64 with the orientation of their faces, and the face of each triangle (nt,) int64.

    Raises:
        ShapeError: a face has no ear, that is, it intersects itself.
    """
    triangles: list[tuple[int, int, int]] = []
    owner: list[int] = []
    normals = area_vectors(vertices, faces)
    for f, loop in enumerate(faces):
        parts = [(loop[0], loop[1], loop[2])] if len(loop) == 3 else _ears(vertices, loop, normals[f], f)
        triangles += parts
        owner += [f] * len(parts)
    return np.array(triangles, dtype=np.int64).reshape(-1, 3), np.array(owner, dtype=np.int64)


def _ears(vertices: np.ndarray, loop: tuple[int, ...], normal: np.ndarray, face: int) -> list[tuple[int, int, int]]:
    drop = int(np.argmax(np.abs(normal)))
    plane = vertices[:, [(drop + 1) % 3, (drop + 2) % 3]] * (1.0, np.copysign(1.0, normal[drop]))  # counter-clockwise
    left = list(loop)
    out: list[tuple[int, int, int]] = []
    while len(left) > 3:
        best, widest = -1, 0.0
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            pa, pb, pc = plane[a], plane[b], plane[c]
            if _turn(pa, pb, pc) <= 0.0:
                continue
            others = plane[[v for v in left if v not in (a, b, c)]]
            within = (_turn(pa, pb, others) >= 0.0) & (_turn(pb, pc, others) >= 0.0) & (_turn(pc, pa, others) >= 0.0)
            if within.any():
                continue
            # the ear with the widest smallest angle: slivers cost digits
            quality = _turn(pa, pb, pc) / max(((q - p) ** 2).sum() for p, q in ((pa, pb), (pb, pc), (pc, pa)))
            if quality > widest:
                best, widest = k, quality
        if best < 0:
            flat = next((k for k in range(len(left)) if _turn(plane[left[k - 1]], plane[left[k]], plane[left[(k + 1) % len(left)]]) == 0.0), None)
            if flat is None:
                raise ShapeError(f"Face {face} (vertices {list(loop)}) crosses itself: give its corners in their order around the polygon.")
            del left[flat]  # a corner on the line between its neighbours
            continue
        out.append((left[best - 1], left[best], left[(best + 1) % len(left)]))
        del left[best]
    out.append((left[0], left[1], left[2]))
    return out


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Twice the signed area of plane triangles a, b, c."""
    out: np.ndarray = (b[0] - a[0]) * (c[..., 1] - a[1]) - (b[1] - a[1]) * (c[..., 0] - a[0])
    return out
