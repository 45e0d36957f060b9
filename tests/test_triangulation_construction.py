"""Construction of weighted Delaunay triangulations: against Qhull, on lattices, with hidden points, with bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from triangulation_clouds import cells, clouds, lattices, qhull_cells, volume

from pardem.errors import TriangulationError
from pardem.triangulation import Triangulation

GENERAL = list(clouds(np.random.default_rng(0)))


@pytest.mark.parametrize("name", [name for name in GENERAL if name != "flat"])
def test_tetrahedra_are_those_of_qhull(name: str) -> None:
    points, weights = clouds(np.random.default_rng(1))[name]
    triangulation = Triangulation(points, weights)
    triangulation.check()
    assert cells(triangulation) == qhull_cells(points, weights)


@pytest.mark.parametrize("name", GENERAL)
def test_tetrahedra_fill_the_hull(name: str) -> None:
    points, weights = clouds(np.random.default_rng(2))[name]
    triangulation = Triangulation(points, weights)
    triangulation.check()
    hull = ConvexHull((points - points.min(axis=0)) / np.ptp(points, axis=0)).volume * np.prod(np.ptp(points, axis=0))
    assert volume(triangulation) == pytest.approx(hull, rel=1e-9)


@pytest.mark.parametrize("name", list(lattices()))
def test_points_in_special_position(name: str) -> None:
    points = lattices()[name]
    triangulation = Triangulation(points)
    triangulation.check()
    spanned = np.linalg.matrix_rank(points - points[0])
    if spanned == 3:
        assert volume(triangulation) == pytest.approx(ConvexHull(points).volume, rel=1e-12)
    else:
        assert volume(triangulation) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("name", list(lattices()))
def test_the_triangulation_does_not_depend_on_the_order_of_insertion(name: str) -> None:
    points = lattices()[name]
    grown = Triangulation(points[:1])
    rng = np.random.default_rng(3)
    weights = 0.25 * rng.integers(0, 2, len(points))
    grown.move(points[:1], weights[:1])
    for point, weight in zip(points[1:], weights[1:]):
        grown.insert(point, weight)
    grown.check()
    whole = Triangulation(points, weights)
    assert cells(grown) == cells(whole)
    assert np.array_equal(grown.hidden, whole.hidden)


def test_cubic_lattice_has_the_edges_of_its_cubes() -> None:
    triangulation = Triangulation(lattices()["cubic"])
    pointers, columns = triangulation.edges()
    first = np.repeat(np.arange(len(triangulation)), np.diff(pointers))
    length = np.linalg.norm(triangulation.points[first] - triangulation.points[columns], axis=1)
    assert np.count_nonzero(length == 1.0) == 3 * 5 * 5 * 4
    inner = triangulation.tetrahedra
    sizes = np.array([abs(np.linalg.det(triangulation.points[t[1:]] - triangulation.points[t[0]])) for t in inner])
    assert set(sizes[sizes > 0]) <= {1.0, 2.0}


@pytest.mark.parametrize("count", range(6))
def test_few_points(count: int) -> None:
    triangulation = Triangulation(np.random.default_rng(4).random((count, 3)))
    triangulation.check()
    pairs = count * (count - 1) // 2
    assert len(triangulation.edges()[1]) == (pairs if count < 5 else len(triangulation.edges()[1]))
    assert len(triangulation.tetrahedra) == (count == 4) or count == 5


def test_light_points_are_hidden() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.2, 0.2]])
    assert list(Triangulation(points, [1.0, 1.0, 1.0, 1.0, 0.0]).hidden) == [4]
    assert len(Triangulation(points).hidden) == 0
    triangulation = Triangulation(points, [1.0, 1.0, 1.0, 1.0, 0.0])
    triangulation.check()
    assert 4 not in triangulation.edges()[1]
    triangulation.move(points, np.zeros(5))
    assert len(triangulation.hidden) == 0
    triangulation.check()


def test_of_points_in_one_place_the_heaviest_is_seen() -> None:
    rng = np.random.default_rng(5)
    points = np.concatenate((rng.uniform(-3, 3, (60, 3)), np.zeros((4, 3))))
    weights = np.concatenate((np.zeros(60), [0.1, 0.3, 0.2, 0.3]))
    triangulation = Triangulation(points, weights)
    triangulation.check()
    assert set(triangulation.hidden) == {60, 62, 63} or set(triangulation.hidden) == {60, 61, 62}


@pytest.mark.parametrize(
    ("points", "weights", "words"),
    [
        (np.zeros(3), None, r"shape \(3,\); give \(n, 3\)"),
        (np.zeros((2, 2)), None, r"give \(n, 3\)"),
        (np.zeros((2, 3)), np.zeros(3), r"weights have the shape \(3,\) for 2 points"),
        ([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]], None, "point 1 .* not finite"),
        ([[0.0, 0.0, 0.0]], [np.inf], "point 0 .* not finite"),
        ([[1e61, 0.0, 0.0]], None, "too large"),
    ],
)
def test_bad_input_is_refused(points: np.ndarray, weights: np.ndarray | None, words: str) -> None:
    with pytest.raises(TriangulationError, match=words):
        Triangulation(points, weights)


def test_what_is_too_small_counts_as_zero() -> None:
    triangulation = Triangulation([[1e-300, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [1e-300, 0, 0, 0])
    assert np.array_equal(triangulation.points[0], np.zeros(3))
    assert triangulation.weights[0] == 0.0
