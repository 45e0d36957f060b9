"""Skeletons: whole faces, dropped points, degenerate input, error sentences."""

from __future__ import annotations

import numpy as np
import pytest

from pardem.errors import ShapeError
from pardem.shapes import Shape

CUBE = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]


def outward(shape: Shape) -> bool:
    middle = shape.vertices.mean(axis=0)
    for loop in shape.faces:
        p = shape.vertices[list(loop)]
        normal = np.cross(p[1] - p[0], p[2] - p[1])
        if np.dot(normal, p[0] - middle) <= 0.0 or ((shape.vertices - p[0]) @ normal).max() > 1e-9 * np.linalg.norm(normal):
            return False
    return True


def test_cube_has_whole_faces():
    shape = Shape.polyhedron(vertices=CUBE, radius=0.1)
    assert shape.vertices.tolist() == [list(p) for p in CUBE]
    assert shape.edges.shape == (12, 2)
    assert [len(f) for f in shape.faces] == [4] * 6
    assert outward(shape)


def test_points_inside_faces_edges_and_body_are_dropped():
    extra = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.3, 0.2, -0.1), (1.0, 0.4, -0.7), (1.0, 1.0, 1.0)]
    shape = Shape.polyhedron(vertices=extra + CUBE, radius=0.1)
    assert sorted(map(tuple, shape.vertices)) == sorted(CUBE)
    assert len(shape.edges) == 12
    assert len(shape.faces) == 6


@pytest.mark.parametrize("stretch", [(1.0, 1.0, 1.0), (1.0, 1.0, 1e-6), (1e-6, 1e-6, 1.0), (1e-9, 1e-9, 1e-9)])
def test_prism_of_many_sides_at_any_aspect_ratio(stretch):
    angle = np.arange(17) * 2.0 * np.pi / 17
    points = [(np.cos(a), np.sin(a), z) for z in (0.0, 1.0) for a in angle]
    shape = Shape.polyhedron(vertices=np.array(points) * stretch, radius=1e-3)
    assert sorted(len(f) for f in shape.faces) == [4] * 17 + [17] * 2
    assert len(shape.vertices) == 34
    assert len(shape.edges) == 51


def test_regular_shapes():
    tetrahedron = Shape.spherotetrahedron(circumradius=2.0, radius=0.1)
    np.testing.assert_allclose(np.linalg.norm(tetrahedron.vertices, axis=1), 2.0)
    assert len(tetrahedron.faces) == 4
    assert len(tetrahedron.edges) == 6
    assert outward(tetrahedron)
    by_edge = Shape.spherotetrahedron(edge=1.5, radius=0.1).vertices
    lengths = np.linalg.norm(by_edge[:, None] - by_edge[None], axis=2)
    np.testing.assert_allclose(lengths[~np.eye(4, dtype=bool)], 1.5)
    triangle = Shape.spherotriangle(edge=1.5, radius=0.1)
    np.testing.assert_allclose(np.linalg.norm(triangle.vertices - np.roll(triangle.vertices, 1, axis=0), axis=1), 1.5)
    np.testing.assert_allclose(np.linalg.norm(Shape.spherotriangle(circumradius=2.0, radius=0.1).vertices, axis=1), 2.0)
    rod = Shape.spherocylinder(length=3.0, radius=0.1)
    assert rod.vertices.tolist() == [[0.0, 0.0, -1.5], [0.0, 0.0, 1.5]]


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan"), float("inf"), "1", None, True])
def test_radius_must_be_positive(radius):
    with pytest.raises(ShapeError, match=r"radius = .* must be a positive finite number; contacts act between rounded surfaces"):
        Shape.sphere(radius=radius)
    with pytest.raises(ShapeError, match="radius"):
        Shape.cube(side=1.0, radius=radius)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Shape.spherocylinder(length=0.0, radius=1.0), "length = 0.0 must be .*use Shape.sphere"),
        (lambda: Shape.cube(side=-1.0, radius=1.0), "side = -1.0"),
        (lambda: Shape.spherotriangle(radius=1.0), "exactly one of vertices, circumradius, edge, but none given"),
        (lambda: Shape.spherotriangle(radius=1.0, edge=1.0, circumradius=1.0), "but circumradius and edge given"),
        (lambda: Shape.spherotriangle(vertices=[(0, 0, 0), (1, 1, 1), (3, 3, 3)], radius=1.0), "lie on one line; use Shape.spherocylinder"),
        (lambda: Shape.spherotriangle(vertices=[(0, 0, 0), (1, 1, 1)], radius=1.0), "needs 3 vertices, but 2"),
        (lambda: Shape.spherotetrahedron(vertices=[*CUBE[:4]], radius=1.0), "lie in one plane; use Shape.spherotriangle"),
        (lambda: Shape.polyhedron(vertices=CUBE[:3], radius=1.0), "at least four vertices, but 3"),
        (lambda: Shape.polyhedron(vertices=[(0, 0, k) for k in range(5)], radius=1.0), "lie on one line"),
        (lambda: Shape.polyhedron(vertices=[(1, 2, 3)] * 5, radius=1.0), "all the same point"),
        (lambda: Shape.polyhedron(vertices=[(0.1 * i * i, 0.3 * i, 0.7 * i) for i in range(5)], radius=1.0), "lie in one plane"),
        (lambda: Shape.polyhedron(vertices=[*CUBE, (0, float("nan"), 0)], radius=1.0), r"Vertex 8 .*finite"),
        (lambda: Shape.polyhedron(vertices=[(1, 2), (3, 4)], radius=1.0), "three coordinates"),
        (lambda: Shape.polyhedron(vertices=[(1, 2, 3), (1, 2)], radius=1.0), "three coordinates"),
        (lambda: Shape.sphere(radius=1.0).mass_properties(0.0), "density = 0.0 must be .*needs mass"),
        (lambda: Shape.sphere(radius=1.0).mass_properties_monte_carlo(samples=0), "samples = 0"),
    ],
)
def test_error_sentences(make, message):
    with pytest.raises(ShapeError, match=message):
        make()


def test_arrays_cannot_be_changed():
    shape = Shape.polyhedron(vertices=CUBE, radius=0.1)
    with pytest.raises(ValueError, match="read-only"):
        shape.vertices[0, 0] = 5.0
