"""Maintenance: whatever moves, comes or goes, the triangulation is the one of the points as they are."""

from __future__ import annotations

import numpy as np
import pytest
from triangulation_clouds import cells, lattices, qhull_cells

from pardem.detection.triangulation import Triangulation
from pardem.errors import TriangulationError

STEPS = {"small": 1e-4, "medium": 3e-3, "large": 5e-2}


@pytest.mark.parametrize("algorithm", ["auto", 1, 2, 3, "rebuild"])
@pytest.mark.parametrize("size", list(STEPS))
def test_moves_end_in_the_triangulation_of_the_new_places(size: str, algorithm: object) -> None:
    rng = np.random.default_rng(1)
    points, weights = rng.random((150, 3)), rng.random(150) * 0.01
    triangulation = Triangulation(points, weights)
    velocity = rng.normal(size=points.shape)
    for _ in range(5):
        points = points + STEPS[size] * velocity
        weights = np.abs(weights + 0.1 * STEPS[size] * rng.normal(size=150))
        triangulation.move(points, weights, algorithm)  # type: ignore[arg-type]
        triangulation.check()
        assert cells(triangulation) == qhull_cells(points, weights)
        assert np.array_equal(triangulation.points, points)
        assert np.array_equal(triangulation.weights, weights)


@pytest.mark.parametrize(("algorithm", "size", "least"), [(1, "small", 20), (2, "medium", 20), (3, "medium", 20), (2, "large", 18), (3, "large", 15)])
def test_each_algorithm_does_its_work(algorithm: object, size: str, least: int) -> None:
    rng = np.random.default_rng(2)
    points = rng.random((100, 3))
    triangulation = Triangulation(points)
    done = 0
    for _ in range(20):
        points = points + STEPS[size] * rng.normal(size=points.shape)
        done += triangulation.move(points, algorithm=algorithm) == algorithm  # type: ignore[arg-type]
    assert done >= least
    counts = triangulation.counts
    assert getattr(counts, f"algorithm_{algorithm}") == done
    assert counts.rebuilds == 20 - done == getattr(counts, f"failed_{algorithm}")


def test_a_settled_bed_needs_no_more_than_algorithm_1() -> None:
    rng = np.random.default_rng(3)
    points = rng.random((1000, 3)) * 10.0
    triangulation = Triangulation(points)
    for _ in range(30):
        points = points + 1e-4 * rng.normal(size=points.shape)
        assert triangulation.move(points) == 1
    triangulation.check()
    assert cells(triangulation) == qhull_cells(points, np.zeros(1000))


def test_small_moves_are_flips_not_insertions() -> None:
    rng = np.random.default_rng(4)
    points = rng.random((300, 3))
    triangulation = Triangulation(points)
    before = triangulation.counts.flips_14
    for _ in range(20):
        points = points + 1e-3 * rng.normal(size=points.shape)
        triangulation.move(points)
    assert triangulation.counts.rebuilds == 0
    assert triangulation.counts.flips_14 == before
    assert triangulation.counts.flips_23 > 0


@pytest.mark.parametrize("name", list(lattices()))
def test_lattices_that_move(name: str) -> None:
    rng = np.random.default_rng(5)
    points = lattices()[name]
    triangulation = Triangulation(points)
    for shift in (np.array([0.5, 0.25, 2.0]), np.array([0.1, 0.2, 0.3])):
        points = points + shift
        triangulation.move(points)
        triangulation.check()
        assert cells(triangulation) == cells(Triangulation(points))
    for _ in range(3):
        points = points + 2.0**-6 * rng.integers(-1, 2, points.shape)
        triangulation.move(points)
        triangulation.check()
        assert cells(triangulation) == cells(Triangulation(points))


def test_points_that_stay_in_a_plane() -> None:
    rng = np.random.default_rng(6)
    points = rng.random((100, 3)) * [1.0, 1.0, 0.0]
    triangulation = Triangulation(points)
    for _ in range(10):
        points = points + 1e-3 * rng.normal(size=points.shape) * [1.0, 1.0, 0.0]
        triangulation.move(points)
        triangulation.check()
        assert cells(triangulation) == cells(Triangulation(points))


@pytest.mark.parametrize("degenerate", [False, True])
def test_points_come_and_go(degenerate: bool) -> None:
    rng = np.random.default_rng(7)

    def some(count: int) -> tuple[np.ndarray, np.ndarray]:
        if degenerate:
            return rng.integers(0, 4, (count, 3)).astype(float), 0.25 * rng.integers(0, 3, count)
        return rng.uniform(0, 4, (count, 3)), rng.uniform(0, 1, count)

    points, weights = some(60)
    triangulation = Triangulation(points, weights)
    there = set(range(60))
    for _ in range(60):
        if rng.random() < 0.5 and there:
            number = int(rng.choice(sorted(there)))
            triangulation.delete(number)
            there.remove(number)
        else:
            point, weight = some(1)
            number = triangulation.insert(point[0], float(weight[0]))
            assert number not in there
            there.add(number)
        triangulation.check()
        numbers = np.array(sorted(there))
        assert np.array_equal(np.flatnonzero(triangulation.present), numbers)
        fresh = Triangulation(triangulation.points[numbers], triangulation.weights[numbers])
        assert cells(triangulation) == {tuple(numbers[list(t)].tolist()) for t in cells(fresh)}
        assert np.array_equal(triangulation.hidden, numbers[fresh.hidden])
    assert triangulation.counts.rebuilds == 0
    points = triangulation.points
    points[~triangulation.present] = np.nan
    triangulation.move(points + 0.01)
    triangulation.check()


def test_all_points_can_go_and_come_back() -> None:
    rng = np.random.default_rng(8)
    points = rng.random((20, 3))
    triangulation = Triangulation(points)
    for number in range(20):
        triangulation.delete(number)
        triangulation.check()
    assert len(triangulation.tetrahedra) == len(triangulation.edges()[1]) == 0
    assert [triangulation.insert(point) for point in points] == list(range(20))
    assert cells(triangulation) == cells(Triangulation(points))


def test_room_grows_with_the_tetrahedra() -> None:
    """Two crossing rows of points: n^2 tetrahedra."""
    k = np.arange(60.0)
    points = np.concatenate((np.stack((k, 0 * k, 0 * k), -1), np.stack((30 + 0 * k, k - 30, 40 + 0 * k), -1)))
    triangulation = Triangulation(points)
    triangulation.check()
    assert len(triangulation.tetrahedra) >= 59 * 59
    triangulation.move(points + np.random.default_rng(9).normal(size=points.shape), algorithm=2)
    triangulation.check()


def test_bad_moves_are_refused() -> None:
    points = np.random.default_rng(10).random((10, 3))
    triangulation = Triangulation(points)
    with pytest.raises(TriangulationError, match="9 points were given for a triangulation of 10"):
        triangulation.move(points[:9])
    with pytest.raises(TriangulationError, match="not finite"):
        triangulation.move(points * np.nan)
    with pytest.raises(TriangulationError, match="no point 10"):
        triangulation.delete(10)
    triangulation.delete(3)
    with pytest.raises(TriangulationError, match="no point 3"):
        triangulation.delete(3)
    triangulation.check()
