"""Write the meshes of the gallery beside this script, in millimetres: a funnel with twelve sides, and two stones."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull

FOLDER = Path(__file__).resolve().parent
SIDES = 12


def main() -> None:
    """Write all files."""
    write("funnel.stl", funnel([(12.0, 0.0), (30.0, 30.0), (30.0, 88.0)]))
    write("stone_round.stl", stone(1, (5.0, 4.5, 4.0)))
    write("stone_flat.stl", stone(2, (6.0, 4.5, 2.5)))


def funnel(profile: list[tuple[float, float]]) -> np.ndarray:
    """Triangles of the surface through regular polygons about the z axis, open at both ends.

    Args:
        profile: radius of the inscribed circle and height of each polygon (mm).

    Returns:
        (n, 3, 3) corners (mm).
    """
    angles = 2.0 * math.pi * np.arange(SIDES) / SIDES
    rings = [
        np.stack([r * np.cos(angles), r * np.sin(angles), np.full(SIDES, z)], axis=1) / [math.cos(math.pi / SIDES), math.cos(math.pi / SIDES), 1.0]
        for r, z in profile
    ]
    after = np.roll(np.arange(SIDES), -1)
    triangles = []
    for low, high in pairwise(rings):
        triangles += [np.stack([low, low[after], high[after]], axis=1), np.stack([low, high[after], high], axis=1)]
    return np.concatenate(triangles)


def stone(seed: int, axes: tuple[float, float, float]) -> np.ndarray:
    """Triangles of a convex stone: the hull of points near an ellipsoid.

    Args:
        seed: seed of the points.
        axes: half axes of the ellipsoid (mm).

    Returns:
        (n, 3, 3) corners, counter-clockwise seen from outside (mm).
    """
    random = np.random.default_rng(seed)
    directions = random.normal(size=(14, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points = directions * axes * random.uniform(0.9, 1.1, size=(14, 1))
    hull = ConvexHull(points)
    corners = points[hull.simplices]
    inwards = np.einsum("ij,ij->i", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), hull.equations[:, :3]) < 0.0
    corners[inwards] = corners[inwards][:, ::-1]
    return corners


def write(name: str, triangles: np.ndarray) -> None:
    """Write an STL file in its text form.

    Args:
        name: name of the file.
        triangles: (n, 3, 3) corners (mm).
    """
    lines = [f"solid {name.removesuffix('.stl')}"]
    for corners in triangles:
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal /= np.linalg.norm(normal)
        lines += [f"facet normal {_numbers(normal)}", " outer loop", *(f"  vertex {_numbers(corner)}" for corner in corners), " endloop", "endfacet"]
    lines.append(f"endsolid {name.removesuffix('.stl')}")
    (FOLDER / name).write_text("\n".join(lines) + "\n")


def _numbers(vector: np.ndarray) -> str:
    return " ".join(f"{value:.5f}" for value in vector + 0.0)


if __name__ == "__main__":
    main()
