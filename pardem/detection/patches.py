"""The surface of a grain in patches, each inside the convex hull of a few points, so that a ball that holds these points holds the patch."""

from __future__ import annotations

import math

import numpy as np

ARC = 2.0 * math.pi / 32  # of the normals across an edge (rad)
HALVINGS = 3  # of the octahedron's triangles of normals
MOST = 40  # patches along the longest extent of the core
FLAT = 1e-6  # of its extent: thickness of a core that counts as flat


def layer_patches(vertices: np.ndarray, edges: np.ndarray, faces: tuple[np.ndarray, ...], outer: float, size: float) -> list[np.ndarray]:
    """Patches of the surface at a distance from a convex core.

    A point of it is a + rho n, a the nearest point of the core, n a unit normal there. Where all n of a set are p / |p|, p in the hull of some unit
    vectors n_k, |p| >= m, the point lies in the hull of a and all a + (rho / m) n_k. Normals are assigned to vertices, edges and faces generously: a
    patch may hold points that are nearer to the core.

    A ball about a point c of the core that holds a + rho n also holds a + rho' n for all 0 <= rho' <= rho, since (c - a) n <= 0: what covers the
    surface covers all layers below it, as far down as the core.

    Args:
        vertices: (nv, 3) of the core (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers.
        outer: rho, distance from the core (m).
        size: size of patches along edges and faces (m); larger where the core is very long.

    Returns:
        (N, k, 3) arrays of points whose hull holds a patch.
    """
    span = float(np.ptp(vertices, axis=0).max())
    size = max(size, span / MOST)
    parts = [_caps(vertices, outer)]
    parts += [_rim(vertices, pair, outer, size) for pair in edges if pair[0] != pair[1]]
    return parts + [_plate(vertices, loop, outer, size) for loop in faces]


def _caps(vertices: np.ndarray, outer: float) -> np.ndarray:
    """About the vertices: triangles of the sphere of normals."""
    corners = _normals()  # (T, 3, 3)
    middle = corners.sum(axis=1)
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    turn = np.linalg.norm(corners - middle[:, None], axis=2).max()  # a chord: |n - n0| within a triangle
    # the distance of the plane of the corners from the centre of the sphere
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    least = np.abs(np.einsum("tc,tc->t", across, corners[:, 0])) / np.linalg.norm(across, axis=1)
    out = []
    for v in vertices:
        reach = np.linalg.norm(vertices - v, axis=1)
        lead = (vertices - v) @ middle.T  # (nv, T): by how much another vertex lies further along a normal
        here = (lead <= turn * reach[:, None]).all(axis=0)
        n, m = corners[here], least[here, None, None]
        out.append(np.concatenate([v + outer / m * n, np.broadcast_to(v, (len(n), 1, 3))], axis=1))
    return np.concatenate(out)


def _rim(vertices: np.ndarray, pair: np.ndarray, outer: float, size: float) -> np.ndarray:
    """About an edge: parts of it times arcs of normals."""
    a, b = vertices[pair]
    along = (b - a) / np.linalg.norm(b - a)
    first = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    first /= np.linalg.norm(first)
    second = np.cross(along, first)
    angle = np.arange(round(2.0 * math.pi / ARC)) * ARC
    ring = [np.cos(t)[:, None] * first + np.sin(t)[:, None] * second for t in (angle, angle + ARC, angle + 0.5 * ARC)]
    reach = np.linalg.norm(vertices - a, axis=1)
    here = ((vertices - a) @ ring[2].T <= 2.0 * math.sin(0.25 * ARC) * reach[:, None]).all(axis=0)
    normals = np.stack(ring[:2], axis=1)[here]  # (A, 2, 3)
    count = max(1, math.ceil(float(np.linalg.norm(b - a)) / size))
    ends = a + (b - a) * (np.arange(count + 1) / count)[:, None]
    ends = np.stack([ends[:-1], ends[1:]], axis=1)  # (count, 2, 3)
    far = ends[:, None, :, None] + outer / math.cos(0.5 * ARC) * normals[None, :, None]
    near = np.broadcast_to(ends[:, None], (count, len(normals), 2, 3))
    return np.concatenate([far.reshape(-1, 4, 3), near.reshape(-1, 2, 3)], axis=1)


def _plate(vertices: np.ndarray, loop: np.ndarray, outer: float, size: float) -> np.ndarray:
    """On a face, which may count from both sides: triangles."""
    p = vertices[loop]
    normal = np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0)
    normal /= np.linalg.norm(normal)
    level = (vertices - p[0]) @ normal
    top, bottom = float(level.max()), float(-level.min())
    flat = max(top, bottom) <= FLAT * float(np.ptp(vertices, axis=0).max())
    sides = [1.0, -1.0] if flat else [1.0 if top < bottom else -1.0]
    out = []
    for k in range(1, len(p) - 1):
        t = np.array([p[0], p[k], p[k + 1]])
        n = max(1, math.ceil(float(np.linalg.norm(t - np.roll(t, 1, axis=0), axis=1).max()) / size))
        grid = [(i, j) for i in range(n) for j in range(n - i)]
        small = [[(i, j), (i + 1, j), (i, j + 1)] for i, j in grid] + [[(i + 1, j), (i + 1, j + 1), (i, j + 1)] for i, j in grid if i + j < n - 1]
        weights = np.array(small) / n
        corners = t[0] + weights[..., :1] * (t[1] - t[0]) + weights[..., 1:] * (t[2] - t[0])
        out += [corners + s * outer * normal for s in sides]
    return np.concatenate(out)


def _normals() -> np.ndarray:
    """Triangles that cover the unit sphere, (T, 3, 3): an octahedron's, halved."""
    octants = [(x, y, z) for x in (1.0, -1.0) for y in (1.0, -1.0) for z in (1.0, -1.0)]
    faces = np.array([[(x, 0, 0), (0, y, 0), (0, 0, z)] for x, y, z in octants], dtype=float)
    for _ in range(HALVINGS):
        middle = faces + np.roll(faces, -1, axis=1)
        middle /= np.linalg.norm(middle, axis=2, keepdims=True)
        a, b, c = faces.transpose(1, 0, 2)
        ab, bc, ca = middle.transpose(1, 0, 2)
        faces = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return faces
