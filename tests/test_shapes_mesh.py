"""Shapes from mesh files: whole faces, orientation, erosion, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from skeletons import ell, star, torus

from pardem.errors import FileError, ShapeError
from pardem.shapes import Shape
from pardem.shapes.geometry.triangles import triangulate

L, L_FACES = ell(2.0, 2.0, 1.0, 1.0, 1.0)
L_TRIANGLES = triangulate(L, tuple(L_FACES))[0]


def written(path: Path, vertices: Any, triangles: Any) -> Path:
    trimesh.Trimesh(np.asarray(vertices, dtype=float), np.asarray(triangles), process=False).export(path)
    return path


@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
def test_box_becomes_six_faces_and_is_eroded_exactly(tmp_path, ending):
    mesh = trimesh.creation.box((1.0, 2.0, 3.0))
    turn = Rotation.from_rotvec([0.4, -0.2, 0.9]).as_matrix()
    path = written(tmp_path / f"box.{ending}", mesh.vertices @ turn.T, mesh.faces)
    shape = Shape.from_mesh(path, radius=0.1, scale=2.0)
    assert shape.convex
    assert sorted(len(loop) for loop in shape.faces) == [4] * 6
    np.testing.assert_allclose(
        np.sort(np.linalg.norm(np.diff(shape.vertices[shape.edges], axis=1)[:, 0], axis=1)), np.repeat([1.8, 3.8, 5.8], 4), rtol=1e-6
    )
    inner = Shape.from_mesh(path, radius=0.1, erode=False)
    np.testing.assert_allclose(
        inner.mass_properties().volume, Shape.polyhedron(vertices=mesh.vertices, radius=0.1).mass_properties().volume, rtol=1e-6
    )


def test_sharp_convex_meshes_lose_what_lies_within_the_radius(tmp_path):
    """A tetrahedron's erosion is a similar one about its incentre, and its faces keep their planes after dilation."""
    points = np.array([(0, 0, 0), (2.0, 0, 0), (0, 3.0, 0), (0, 0, 1.0)])
    path = written(tmp_path / "tetra.ply", points, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    shape = Shape.from_mesh(path, radius=0.05)
    hull = ConvexHull(points)
    reach = (shape.vertices @ hull.equations[:, :3].T + hull.equations[:, 3]).max(axis=0)
    np.testing.assert_allclose(reach, -0.05, rtol=1e-6)
    with pytest.raises(ShapeError, match=r"too thin to be eroded by radius = 0\.5 m"):
        Shape.from_mesh(path, radius=0.5)


@pytest.mark.parametrize("turned", [1, -1])
def test_non_convex_solid_is_eroded_exactly_where_three_planes_meet(tmp_path, turned):
    """The faces of the eroded L lie the radius inside of those of the mesh, which may be turned either way in the file."""
    path = written(tmp_path / "ell.stl", L, L_TRIANGLES[:, ::turned])
    shape = Shape.from_mesh(path, radius=0.1)
    expected, _ = ell(1.8, 1.8, 0.8, 0.8, 0.8)
    assert not shape.convex
    assert sorted(len(loop) for loop in shape.faces) == [4] * 6 + [6] * 2
    np.testing.assert_allclose(np.sort(shape.vertices, axis=0), np.sort(expected + 0.1, axis=0), atol=1e-6)
    volume = shape.mass_properties().volume
    assert volume < 3.0  # that of the mesh: convex edges are rounded
    assert volume > 3.0 - (1.0 - np.pi / 4.0) * 0.01 * (5.0 + 2.0 * 8.0)


def test_torus_keeps_its_volume(tmp_path):
    """All edges of a fine torus are blunt: at most radius times (1/cos(half the largest angle between faces) - 1) is lost at an edge."""
    vertices, triangles = torus(1.0, 0.4, 40, 24)
    path = written(tmp_path / "torus.ply", vertices, triangles)
    shape = Shape.from_mesh(path, radius=0.1)
    mesh = trimesh.Trimesh(vertices, triangles)
    m = shape.mass_properties()
    lost = mesh.area * 0.1 * (1.0 / np.cos(0.5 * mesh.face_adjacency_angles.max()) - 1.0)
    assert abs(m.volume - mesh.volume) < lost + 5.0 * m.volume_error
    np.testing.assert_allclose(m.centre, 0.0, atol=1e-3)
    with pytest.raises(ShapeError, match=r"cannot be eroded by radius = 0\.45 m"):
        Shape.from_mesh(path, radius=0.45)


def test_simplified(tmp_path):
    vertices, triangles = torus(1.0, 0.4, 40, 24)
    shape = Shape.from_mesh(written(tmp_path / "torus.stl", vertices, triangles), radius=0.05, erode=False, faces=500)
    assert 250 < len(shape.faces) <= 500
    assert shape.solid


def test_open_surface_is_a_shell(tmp_path):
    path = written(
        tmp_path / "tray.stl", L, L_TRIANGLES[np.abs(np.cross(*(L[L_TRIANGLES[:, k]] - L[L_TRIANGLES[:, 0]] for k in (1, 2)))[:, 2]) < 0.5]
    )
    with pytest.raises(ShapeError, match="is open, and a shell has no inside"):
        Shape.from_mesh(path, radius=0.1)
    with pytest.raises(ShapeError, match="is not closed: the edge between vertices"):
        Shape.from_mesh(path, radius=0.1, erode=False, solid=True)
    shape = Shape.from_mesh(path, radius=0.1, erode=False)
    assert not shape.solid
    assert len(shape.faces) == 6


def test_faces_with_holes_stay_triangles_and_straight_corners_go(tmp_path):
    """A box with a square tunnel: its top and bottom are no simple polygons."""
    outer, inner = [(0, 0), (3, 0), (3, 3), (0, 3)], [(1, 1), (2, 1), (2, 2), (1, 2)]
    vertices = np.array([(x, y, z) for z in (0.0, 1.0) for x, y in (*outer, *inner)])
    top = [t for k in range(4) for t in ((8 + k, 8 + (k + 1) % 4, 12 + (k + 1) % 4), (8 + k, 12 + (k + 1) % 4, 12 + k))]
    bottom = [tuple(v - 8 for v in t[::-1]) for t in top]
    walls = [(k, (k + 1) % 4, (k + 1) % 4 + 8, k + 8) for k in range(4)] + [((k + 1) % 4 + 4, k + 4, k + 12, (k + 1) % 4 + 12) for k in range(4)]
    sides = [t for a, b, c, d in walls for t in ((a, b, c), (a, c, d))]
    shape = Shape.from_mesh(written(tmp_path / "tunnel.ply", vertices, [*top, *bottom, *sides]), radius=0.1, erode=False)
    assert sorted(len(loop) for loop in shape.faces) == [3] * 16 + [4] * 8
    m = shape.mass_properties()
    np.testing.assert_allclose(m.centre, [1.5, 1.5, 0.5], atol=1e-3)
    star_vertices, star_faces = star(5)
    finer = trimesh.Trimesh(star_vertices, np.array(star_faces)).subdivide()
    again = Shape.from_mesh(written(tmp_path / "fine.ply", finer.vertices, finer.faces), radius=0.1, erode=False)
    assert (len(again.vertices), len(again.faces)) == (len(star_vertices), len(star_faces))


def test_files_that_are_no_meshes(tmp_path):
    (tmp_path / "text.stl").write_text("no mesh\n")
    (tmp_path / "case.toml").write_text("")
    with pytest.raises(FileError, match="does not exist"):
        Shape.from_mesh(tmp_path / "none.stl", radius=0.1)
    with pytest.raises(FileError, match="by the ending of its name"):
        Shape.from_mesh(tmp_path / "case.toml", radius=0.1)
    with pytest.raises(FileError, match=r"text\.stl"):
        Shape.from_mesh(tmp_path / "text.stl", radius=0.1)
    whole = written(tmp_path / "whole.stl", L, L_TRIANGLES).read_bytes()
    (tmp_path / "cut.stl").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=r"cut\.stl"):
        Shape.from_mesh(tmp_path / "cut.stl", radius=0.1)
    with pytest.raises(ShapeError, match="faces = 2"):
        Shape.from_mesh(tmp_path / "whole.stl", radius=0.1, faces=2)
