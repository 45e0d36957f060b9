"""Walls on pictures: where they are drawn, in which stages, and how the camera takes them in."""

from __future__ import annotations

from pathlib import Path

import drawn_scene as scene
import numpy as np
import pytest

import pardem

LID = {"name": "lid", "kind": "disc", "center": (0.0, 0.0, 4.0), "normal": (0.0, 0.0, -1.0), "radius": 2.0, "stages": ["fill"]}


def test_a_wall_that_is_a_body_is_drawn_where_its_case_says(tmp_path: Path) -> None:
    """A bent plate, turned, scaled and displaced: its surface reaches as far as its core and its radius."""
    from pardem.io.views.drawn_walls import View, wall_tables

    plate = {"name": "plate", "shape": "skeleton", "radius": 0.1,
             "vertices": [(1, 0, 0), (3, 0, 0), (3, 1, 0), (1, 1, 0), (3, 0, 2), (3, 1, 2)], "faces": [(0, 1, 2, 3), (1, 4, 5, 2)]}  # fmt: skip
    wall = {"name": "chute", "kind": "body", "species": "plate", "position": (5.0, 0.0, 0.0), "orientation": (1.0, 0.0, 0.0, 1.0), "scale": 2.0,
            "motion": {"kind": "rotation", "rate": 1.0}}  # fmt: skip
    case = scene.case_of([scene.SHAPES[0], plate], [wall])
    moved = {"wall_displacement/chute": scene.UNIT * np.array([0.0, 0.0, 0.5])}
    turned = [moved | {"wall_turn/chute": angle} for angle in (0.0, np.pi)]
    result = pardem.open(scene.write(tmp_path / "r.h5", case, ["ball"], [(0, 0, 1)], frames=turned))
    meshes = []
    for frame in result:
        view = View(frame, np.zeros((2, 3)), None)
        view.draw(wall_tables(result)[0])
        (one,) = view.drawn
        meshes.append(np.asarray(one.mesh.points) / scene.UNIT)
    centre = np.array([5.0, 0.0, 0.5]) + 2.0 / scene.UNIT * np.array([-1.0, 1.0, 1.0]) * result.catalogue["centre"][1][[1, 0, 2]]
    np.testing.assert_allclose(meshes[1][:, :2], 2.0 * centre[:2] - meshes[0][:, :2], atol=1e-5)  # pictures hold single precision
    np.testing.assert_allclose(meshes[1][:, 2], meshes[0][:, 2], atol=1e-5)
    # a quarter turn about z takes (x, y) to (-y, x)
    assert meshes[0].min(axis=0) == pytest.approx([5.0 - 2.2, 1.8, 0.3], abs=0.02)
    assert meshes[0].max(axis=0) == pytest.approx([5.2, 6.2, 4.7], abs=0.02)


def test_a_lid_that_was_taken_away_is_not_drawn(tmp_path: Path) -> None:
    from pardem.io.views.drawn_walls import drawn_walls

    case = scene.case_of(scene.SHAPES[:1], [scene.FLOOR, LID])
    path = scene.write(tmp_path / "r.h5", case, ["ball"], [(0, 0, 1)], frames=[{"stage": 0}, {"stage": 1}, {"stage": 1}])
    result = pardem.open(path)
    assert [frame.stage for frame in result] == ["fill", "flow", "flow"]
    named = [[one.name for one in drawn_walls(frame, np.zeros((2, 3)))] for frame in result]
    assert named == [["lid", "floor"], ["floor"], ["floor"]]
    old = pardem.open(scene.write(tmp_path / "old.h5", case, ["ball"], [(0, 0, 1)]))  # without word of its stages
    assert [one.name for one in drawn_walls(old[0], np.zeros((2, 3)))] == ["lid", "floor"]


def test_planes_end_where_they_bound_what_is_shown(tmp_path: Path) -> None:
    """Six planes make a box, a slanting one is cut off by it, and each lies in its plane."""
    from pardem.io.views.drawn_walls import drawn_walls

    walls = []
    for axis, side in [(axis, side) for axis in range(3) for side in (-1.0, 1.0)]:
        unit = side * np.eye(3)[axis]
        name = f"{'below' if side < 0 else 'above'}-{axis}"
        walls.append({"name": name, "kind": "plane", "point": ((2.0 + axis) * unit).tolist(), "normal": (-unit).tolist()})
    walls.append({"name": "ramp", "kind": "plane", "point": (0.0, 0.0, -1.0), "normal": (1.0, 0.0, 1.0)})
    result = pardem.open(scene.write(tmp_path / "r.h5", scene.case_of(scene.SHAPES[:1], walls), ["ball"], [(0, 0, 0)]))
    found = {one.name: np.asarray(one.mesh.points) / scene.UNIT for one in drawn_walls(result[0], np.zeros((2, 3)))}
    assert set(found) == {wall["name"] for wall in walls}
    beyond = 0.03 * np.linalg.norm([4.0, 6.0, 8.0])
    for wall in walls:
        points = found[wall["name"]]
        away = (points - wall["point"]) @ np.array(wall["normal"])
        np.testing.assert_allclose(away, 0.0, atol=1e-5)
        assert (np.abs(points) < np.array([2.0, 3.0, 4.0]) + beyond + 1e-5).all()
    np.testing.assert_allclose(np.ptp(found["above-2"], axis=0), [4.0 + 2 * beyond, 6.0 + 2 * beyond, 0.0], atol=1e-5)


def test_the_camera_frames_walls(tmp_path: Path) -> None:
    """A lid far above the only grain is on the picture, at its upper edge."""
    lid = LID | {"center": (0.0, 0.0, 8.0), "stages": ["fill", "flow"]}
    path = scene.write(tmp_path / "r.h5", scene.case_of(scene.SHAPES[:1], [lid]), ["ball"], [(0, 0, 0.5)])
    picture = scene.picture_of(path, size=(500, 800))
    dark = picture.max(axis=2) < 0.8
    dark[:60, :250] = False  # the time
    rows, columns = np.nonzero(dark & (np.ptp(picture, axis=2) < 0.08))
    assert rows.min() < 0.12 * 800
    assert 20 < columns.min() < columns.max() < 480
    blue = np.nonzero(np.ptp(picture, axis=2) > 0.2)[0]
    assert 0.5 * 800 < blue.min() < blue.max() < 0.9 * 800


def test_a_case_in_the_plane_is_seen_from_above_with_its_body_walls(tmp_path: Path) -> None:
    """A disk above the left end of a bar: blue at the upper left, grey across the lower edge, nothing between."""
    species = [{"name": "disk", "shape": "disk", "radius": 1.0}, {"name": "bar", "shape": "rice", "length": 8.0, "radius": 0.5}]
    ground = {"name": "ground", "kind": "body", "species": "bar", "position": (5.0, 0.0)}
    domain = {"lower": (-1e-3, -2e-3), "upper": (11e-3, 8e-3)}
    case = scene.case_of(species, [ground], dimension=2, gravity=(0.0, -9.81), domain=domain, grain=[{"species": "disk", "position": (1.5e-3, 5e-3)}])
    scene.write(tmp_path / "r.h5", case, ["disk"], [(1.5, 5.0, 0.0)])
    picture = scene.picture_of(tmp_path / "r.h5", size=(450, 350))
    colour, dark = np.ptp(picture, axis=2) > 0.15, picture.max(axis=2) < 0.8
    rows, columns = np.nonzero(colour)
    assert rows.max() < 0.6 * 350
    assert columns.max() < 0.35 * 450
    assert np.ptp(columns) == pytest.approx(np.ptp(rows), abs=3)
    below = np.nonzero(dark[270:])[1]
    assert below.min() < 0.1 * 450
    assert below.max() > 0.9 * 450
