"""The path of flips between two weight vectors, and what the thesis proves about edges and weights."""

from __future__ import annotations

import numpy as np
import pytest
from triangulation_clouds import cells, qhull_cells

from pardem.errors import TriangulationError
from pardem.triangulation import Flip, Triangulation, flip_path

Cells = set[tuple[int, ...]]


def _flipped(before: Cells, flip: Flip) -> Cells:
    """The tetrahedra after a flip, from those before it."""
    without = {v: tuple(sorted(set(flip.vertices) - {v})) for v in flip.vertices}
    gone = {"2-3": flip.vertices[3:], "3-2": flip.vertices[2:], "4-1": flip.vertices[1:]}[flip.kind]
    old, new = {without[v] for v in gone}, {without[v] for v in flip.vertices if v not in gone}
    assert old <= before
    assert not new & before
    return (before - old) | new


@pytest.mark.parametrize("spread", [0.01, 0.1])
def test_flips_lead_from_one_triangulation_to_the_other(spread: float) -> None:
    rng = np.random.default_rng(1)
    hidden = 0
    for _ in range(5):
        points, start, end = rng.random((30, 3)), rng.random(30) * 0.01, rng.random(30) * spread
        now = cells(Triangulation(points, start))
        vertices = {v for t in now for v in t}
        for flip in (path := flip_path(points, start, end)):
            now = _flipped(now, flip)
            assert {v for t in now for v in t} == vertices - ({flip.vertices[0]} if flip.kind == "4-1" else set())
            vertices = {v for t in now for v in t}
            assert now == qhull_cells(points, flip.weights)
        assert now == cells(Triangulation(points, end))
        assert [f.time for f in path] == sorted(f.time for f in path)
        hidden += sum(f.kind == "4-1" for f in path)
    assert (hidden > 0) == (spread > 0.05)


def test_no_path_where_a_vertex_appears() -> None:
    points = np.concatenate((np.eye(3) * 3, np.zeros((1, 3)), np.full((1, 3), 0.5)))
    light, heavy = np.array([4.0, 4, 4, 4, 0]), np.zeros(5)
    with pytest.raises(TriangulationError, match="point 4 is a vertex for the weights of the end"):
        flip_path(points, light, heavy)
    assert [f.kind for f in flip_path(points, heavy, light)] == ["4-1"]


def test_flips_that_coincide_are_refused() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(3.0)] * 3), -1).reshape(-1, 3)
    weights = np.zeros(27)
    weights[13] = 0.9
    with pytest.raises(TriangulationError, match="general position"):
        flip_path(grid, np.zeros(27), weights)


def test_spheres_that_meet_are_joined() -> None:
    """Theorem 4: where every pair is less than orthogonal."""
    rng = np.random.default_rng(2)
    radii = rng.choice([0.1, 0.2, 0.6], 3000)
    points = rng.uniform(0, 6, (3000, 3))
    kept: list[int] = []
    for i in range(3000):
        square = ((points[kept] - points[i]) ** 2).sum(axis=1)
        if np.all(square > radii[kept] ** 2 + radii[i] ** 2):
            kept.append(i)
    points, radii = points[kept], radii[kept]
    pointers, columns = Triangulation(points, radii**2).edges()
    joined = {(i, int(j)) for i in range(len(kept)) for j in columns[pointers[i] : pointers[i + 1]]}
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    meeting = {(int(i), int(j)) for i, j in np.argwhere(distance <= radii[:, None] + radii[None]) if i < j}
    assert len(meeting) > 200
    assert meeting <= joined
