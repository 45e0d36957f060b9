"""Edges in compressed rows, and volumes of power cells."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Voronoi
from triangulation_clouds import cells, clouds, lattices

from pardem.errors import TriangulationError
from pardem.triangulation import Triangulation


def _edges_of_cells(triangulation: Triangulation) -> set[tuple[int, int]]:
    return {(t[i], t[j]) for t in cells(triangulation) for i in range(4) for j in range(i + 1, 4)}


def _edges(triangulation: Triangulation) -> list[tuple[int, int]]:
    pointers, columns = triangulation.edges()
    assert len(pointers) == len(triangulation) + 1
    return [(i, int(j)) for i in range(len(triangulation)) for j in columns[pointers[i] : pointers[i + 1]]]


def test_edges_follow_every_change() -> None:
    rng = np.random.default_rng(1)
    points = rng.random((200, 3))
    triangulation = Triangulation(points, rng.random(200) * 0.02)
    assert _edges(triangulation) == sorted(_edges_of_cells(triangulation))
    for step in (1e-9, 1e-4, 1e-3, 1e-3, 1e-2, 0.1):
        points = points + step * rng.normal(size=points.shape)
        triangulation.move(points)
        assert _edges(triangulation) == sorted(_edges_of_cells(triangulation))
    for number in range(0, 40, 3):
        triangulation.delete(number)
        assert _edges(triangulation) == sorted(_edges_of_cells(triangulation))
    for _ in range(20):
        triangulation.insert(rng.random(3))
        assert _edges(triangulation) == sorted(_edges_of_cells(triangulation))


def test_edges_are_kept_where_nothing_flips() -> None:
    points = np.random.default_rng(2).random((100, 3))
    triangulation = Triangulation(points)
    columns = triangulation.edges()[1]
    triangulation.move(points + 1e-12)
    assert triangulation.edges()[1] is columns


@pytest.mark.parametrize("name", list(clouds(np.random.default_rng(0))))
def test_volumes_fill_the_box(name: str) -> None:
    points, weights = clouds(np.random.default_rng(3))[name]
    lower, upper = points.min(axis=0), points.max(axis=0)
    margin = 0.3 * (upper - lower)
    for low, high in ((lower - margin, upper + margin), (lower + margin, upper - margin)):
        volumes = Triangulation(points, weights).volumes(low, high)
        assert volumes.sum() == pytest.approx(np.prod(high - low), rel=1e-10)
        assert np.all(volumes >= 0.0)


@pytest.mark.parametrize("name", list(lattices()))
def test_volumes_of_points_in_special_position_fill_the_box(name: str) -> None:
    volumes = Triangulation(lattices()[name]).volumes((-1, -1, -1), (10, 20, 30))
    assert volumes.sum() == pytest.approx(11 * 21 * 31, rel=1e-12)


def test_cells_of_a_cubic_lattice_are_cubes() -> None:
    assert Triangulation(lattices()["cubic"]).volumes([-0.5] * 3, [4.5] * 3) == pytest.approx(np.ones(125), rel=1e-12)


def test_weights_move_the_plane_between_two_cells() -> None:
    volumes = Triangulation([[0.0, 0, 0], [2, 0, 0]], [1.0, 0.0]).volumes((-1, 0, 0), (3, 1, 1))
    assert volumes == pytest.approx([2.25, 1.75], rel=1e-14)  # the plane is at 1 + (1 - 0) / (2 x 2)


def test_volumes_without_weights_are_those_of_voronoi_cells() -> None:
    points = np.random.default_rng(4).random((200, 3))
    voronoi = Voronoi(points)
    volumes = Triangulation(points).volumes((-1, -1, -1), (2, 2, 2))
    compared = 0
    for i, region in enumerate(voronoi.point_region):
        corners = voronoi.regions[region]
        if corners and -1 not in corners and np.all((voronoi.vertices[corners] > -1) & (voronoi.vertices[corners] < 2)):
            assert volumes[i] == pytest.approx(ConvexHull(voronoi.vertices[corners]).volume, rel=1e-9)
            compared += 1
    assert compared > 50


def test_hidden_points_have_no_cell() -> None:
    points = np.concatenate((np.eye(3) * 3, np.zeros((1, 3)), np.full((1, 3), 0.5)))
    volumes = Triangulation(points, [4.0, 4, 4, 4, 0]).volumes((0, 0, 0), (3, 3, 3))
    assert volumes[4] == 0.0
    assert volumes.sum() == pytest.approx(27.0)


def test_a_box_without_volume_is_refused() -> None:
    with pytest.raises(TriangulationError, match="no volume"):
        Triangulation(np.eye(3)).volumes((0, 0, 0), (1, 0, 1))
