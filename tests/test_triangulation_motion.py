"""Maintenance: whatever moves, comes or goes, the triangulation is the one of the points as they are."""

from __future__ import annotations

import numpy as np
import pytest
from triangulation_clouds import cells, lattices, qhull_cells

from pardem.errors import TriangulationError
from pardem.triangulation import Triangulation

STEPS = {"small": 1e-4, "medium": 3e-3, "large": 5e-2}


@pytest.mark.parametrize("algorithm", ["auto", 1, 2, 3, "points", "rebuild"])
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


def framed(points: np.ndarray) -> np.ndarray:
    """Points with the corners of a wide tetrahedron around them, so that none of them is on the hull."""
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
    middle = points.mean(axis=0)
    return np.concatenate([points, middle + 8.0 * np.ptp(points, axis=0).max() * corners])


@pytest.mark.parametrize("spread", [0.0, 0.3], ids=["equal", "of all sizes"])
def test_a_skins_way_is_made_point_by_point(spread: float) -> None:
    """Moves of a tenth of the spacing turn over tetrahedra of some points of a hundred; these follow by themselves, and nothing is made anew."""
    rng = np.random.default_rng(11)
    side = 10
    lattice = np.stack(np.meshgrid(*[np.arange(float(side))] * 3, indexing="ij"), -1).reshape(-1, 3)
    points = lattice + rng.uniform(-0.25, 0.25, lattice.shape)
    weights = np.concatenate([0.25 * (1.0 - spread * rng.random(len(points))) ** 2, np.zeros(4)])
    frame = framed(points)[-4:]
    triangulation = Triangulation(np.concatenate([points, frame]), weights)
    wave = rng.normal(size=(3, 3))
    for step in range(6):
        points = points + 0.1 * np.sin(0.3 * points @ wave + step) + 0.03 * rng.normal(size=points.shape)
        placed = np.concatenate([points, frame])
        assert triangulation.move(placed, algorithm="points") == "points"
        triangulation.check()
        assert cells(triangulation) == qhull_cells(placed, weights)
    counts = triangulation.counts
    assert counts.points == counts.destroyed == 6
    assert counts.rebuilds == counts.failed_points == 0
    assert 20 < counts.followed < 6 * len(points) // 8
    before = counts.flips_14
    assert before == len(placed)


@pytest.mark.parametrize("way", [0.05, 0.6, 3.0])
def test_a_few_points_move_while_the_others_stay(way: float) -> None:
    """By a twentieth of the spacing to a few spacings, past other points."""
    rng = np.random.default_rng(12)
    lattice = np.stack(np.meshgrid(*[np.arange(8.0)] * 3, indexing="ij"), -1).reshape(-1, 3)
    placed = framed(lattice + rng.uniform(-0.25, 0.25, lattice.shape))
    triangulation = Triangulation(placed)
    for _ in range(5):
        few = rng.choice(len(lattice), 20, replace=False)
        placed[few] = np.clip(placed[few] + way * rng.normal(size=(20, 3)), -1.0, 8.0)
        assert triangulation.move_few(few, placed[few]) == "points"
        triangulation.check()
        assert cells(triangulation) == qhull_cells(placed, np.zeros(len(placed)))
    assert np.array_equal(triangulation.points, placed)
    assert triangulation.counts.followed == 100
    assert triangulation.counts.rebuilds == 0
    assert triangulation.counts.flips_14 == len(placed)


def test_points_that_hide_on_the_way_follow_too() -> None:
    """A light point is hidden as heavy ones around it come closer, and comes out as they leave."""
    rng = np.random.default_rng(12)
    points = rng.random((200, 3)) * 6.0
    weights = np.where(rng.random(200) < 0.3, 1.0, 0.0)
    placed, weights = framed(points), np.concatenate([weights, np.zeros(4)])
    triangulation = Triangulation(placed, weights)
    hidden = set()
    for _ in range(12):
        placed = placed.copy()
        placed[:-4] += 0.05 * rng.normal(size=(200, 3))
        triangulation.move(placed, algorithm="points")
        triangulation.check()
        assert cells(triangulation) == qhull_cells(placed, weights)
        hidden.add(tuple(triangulation.hidden.tolist()))
    assert len(hidden) > 3
    assert triangulation.counts.points > 6


def test_where_points_cannot_follow_the_triangulation_is_made_anew() -> None:
    rng = np.random.default_rng(13)
    points = framed(rng.random((100, 3)))
    triangulation = Triangulation(points)
    points[:-4] = rng.random((100, 3))
    assert triangulation.move(points, algorithm="points") == "rebuild"
    triangulation.check()
    assert triangulation.counts.failed_points == triangulation.counts.rebuilds == 1


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
        rows, columns = fresh.edges()
        joined = numbers[np.stack((np.repeat(np.arange(len(numbers)), np.diff(rows)), columns), -1)]
        assert np.array_equal(triangulation.edge_numbers(), np.sort(joined[:, 0] << 32 | joined[:, 1]))
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
    with pytest.raises(TriangulationError, match="not finite"):
        triangulation.move_few(np.array([2]), np.full((1, 3), np.nan))
    with pytest.raises(TriangulationError, match="no point 10"):
        triangulation.delete(10)
    triangulation.delete(3)
    with pytest.raises(TriangulationError, match="no point 3"):
        triangulation.delete(3)
    triangulation.check()
