"""Point clouds for tests of the triangulation, and what Qhull makes of them."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from pardem.triangulation import Triangulation

Cells = set[tuple[int, ...]]


def clouds(rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Points and weights in general position."""
    clustered = np.concatenate([c + 10.0**-k * rng.normal(size=(60, 3)) for k, c in enumerate(rng.uniform(-1, 1, (5, 3)))])
    spheres = rng.uniform(0, 5, (200, 3))
    radii = rng.choice([0.1, 0.3, 1.0], 200)
    return {
        "random": (rng.random((300, 3)), np.zeros(300)),
        "weighted": (rng.random((300, 3)), rng.random(300) * 0.05),
        "clustered": (clustered, np.zeros(300)),
        "of three sizes": (spheres, radii**2),
        "far away": (1e6 + rng.random((100, 3)), rng.random(100) * 0.1),
        "flat": (rng.random((200, 3)) * [1.0, 1.0, 1e-7], np.zeros(200)),
        "tiny": (rng.random((100, 3)) * 1e-25, rng.random(100) * 1e-52),
    }


def lattices() -> dict[str, np.ndarray]:
    """Points in special position."""
    grid = np.stack(np.meshgrid(*[np.arange(5.0)] * 3, indexing="ij"), -1).reshape(-1, 3)
    angle = 2 * np.pi * np.arange(24) / 24
    return {
        "cubic": grid,
        "face centred": (grid + 0.5 * np.array([[[0, 0, 0]], [[1, 1, 0]], [[1, 0, 1]], [[0, 1, 1]]])).reshape(-1, 3),
        "tenths": grid * 0.1 + 0.3,
        "plane": grid[grid[:, 2] == 0],
        "oblique plane": grid[grid[:, 2] == 0] @ np.array([[1.0, 0, 1], [0, 1, 1], [0, 0, 0]]),
        "line": np.arange(9.0)[:, None] * [1.0, 2.0, 3.0],
        "ring": np.stack((np.cos(angle), np.sin(angle), 0 * angle), -1),
        "one place": np.ones((6, 3)),
        "pairs": np.repeat(grid[:40], 2, axis=0),
    }


def cells(triangulation: Triangulation) -> Cells:
    """The tetrahedra as sorted tuples of numbers."""
    return {tuple(sorted(t)) for t in triangulation.tetrahedra.tolist()}


def qhull_cells(points: np.ndarray, weights: np.ndarray) -> Cells:
    """The same from the lower convex hull of the lifted points."""
    x = (points - points.mean(axis=0)) / np.abs(points - points.mean(axis=0)).max()
    w = weights / np.abs(points - points.mean(axis=0)).max() ** 2
    hull = ConvexHull(np.column_stack((x, (x**2).sum(axis=1) - w)))
    return {tuple(sorted(s)) for s, e in zip(hull.simplices.tolist(), hull.equations, strict=True) if e[3] < 0}


def volume(triangulation: Triangulation) -> float:
    """Sum of the volumes of the tetrahedra, each of which must not be negative."""
    a, b, c, d = (triangulation.points[triangulation.tetrahedra[:, k]] for k in range(4))
    sizes = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6.0
    return float(sizes.sum())
