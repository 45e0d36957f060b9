"""Skeletons for tests."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

Loops = list[tuple[int, ...]]


def prism(outline: list[tuple[float, float]], height: float) -> tuple[np.ndarray, Loops]:
    """A prism over a counter-clockwise outline, from z = 0."""
    n = len(outline)
    vertices = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    sides = [(k, (k + 1) % n, (k + 1) % n + n, k + n) for k in range(n)]
    return vertices, [tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n)), *sides]


def ell(a: float, b: float, a1: float, b1: float, height: float) -> tuple[np.ndarray, Loops]:
    """The union of the boxes a x b1 and a1 x b, with a1 < a and b1 < b."""
    return prism([(0.0, 0.0), (a, 0.0), (a, b1), (a1, b1), (a1, b), (0.0, b)], height)


def star(seed: int, corners: int = 20) -> tuple[np.ndarray, Loops]:
    """A closed surface of triangles that all of is seen from the origin, with random distances."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(corners, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points)
    outward = np.einsum("ij,ij->i", np.cross(*(points[hull.simplices[:, k]] - points[hull.simplices[:, 0]] for k in (1, 2))), hull.equations[:, :3])
    faces = [tuple(t if s > 0.0 else t[::-1]) for t, s in zip(hull.simplices.tolist(), outward)]
    return points * rng.uniform(0.5, 1.5, (corners, 1)), faces


def torus(big: float, small: float, around: int, across: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and outward triangles of a torus about z."""
    u, v = np.meshgrid(2.0 * np.pi * np.arange(around) / around, 2.0 * np.pi * np.arange(across) / across, indexing="ij")
    rho = big + small * np.cos(v)
    vertices = np.stack([rho * np.cos(u), rho * np.sin(u), small * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    return vertices, np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
