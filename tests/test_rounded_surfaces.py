"""Triangles of rounded shapes: areas and volumes, flat faces and round edges, features of shapes that are not convex."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pardem


def solid(surface: Any) -> tuple[float, float]:
    """Area and volume of a closed surface; its triangles must be counter-clockwise from outside."""
    a, b, c = surface.points[surface.triangles].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    return 0.5 * float(np.linalg.norm(across, axis=1).sum()), float((across * a).sum()) / 6.0


def test_surfaces_of_rounded_shapes_have_their_areas_and_volumes() -> None:
    """By Steiner's formula: of a rod, and of a cube with side a (6 faces, 12 quarter cylinders, 8 eighths of a ball)."""
    from pardem.io.views.rounded_surfaces import grain_surface

    rod = {"vertex_start": np.array([0, 2]), "vertices": np.array([[0, 0, -1.0], [0, 0, 1.0]]), "radius": np.array([0.3])}
    area, volume = 2 * np.pi * 0.3 * 2.0 + 4 * np.pi * 0.09, np.pi * 0.09 * 2.0 + 4 / 3 * np.pi * 0.027
    assert solid(grain_surface(rod, 0, 60)) == pytest.approx((area, volume), rel=5e-3)
    cube = pardem.shapes.build_catalogue([pardem.shapes.Species("cube", pardem.Shape.cube(side=1.0, radius=0.2), 1.0)])._asdict()
    area = 6.0 + 3.0 * 2 * np.pi * 0.2 + 4 * np.pi * 0.04
    volume = 1.0 + 6 * 0.2 + 3.0 * np.pi * 0.04 + 4 / 3 * np.pi * 0.008
    assert solid(grain_surface(cube, 0, 40)) == pytest.approx((area, volume), rel=5e-3)


def test_faces_are_flat_and_edges_round() -> None:
    """The normal at every point leads back to the core, which is the sphero-radius below; faces of a cube keep their full size."""
    from pardem.io.views.rounded_surfaces import grain_surface

    cube = pardem.shapes.build_catalogue([pardem.shapes.Species("cube", pardem.Shape.cube(side=1.0, radius=0.2), 1.0)])._asdict()
    surface = grain_surface(cube, 0, 12)
    core = surface.points - 0.2 * surface.normals
    np.testing.assert_allclose(np.abs(core), 0.5, rtol=1e-12)
    a, b, c = surface.points[surface.triangles].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    flat = np.abs(across).max(axis=1) > (1.0 - 1e-9) * np.linalg.norm(across, axis=1)
    assert 0.5 * np.linalg.norm(across[flat], axis=1).sum() == pytest.approx(6.0, rel=1e-6)


def test_a_grain_that_is_not_convex_is_drawn_feature_by_feature() -> None:
    """All points lie within the radius of the core (balls and tubes are inscribed), faces at the radius on both sides, and edges are covered."""
    from reference_polygon import point_polygon2
    from skeletons import ell

    from pardem.io.views.rounded_surfaces import grain_surface
    from pardem.shapes import Shape, Species, build_catalogue

    vertices, faces = ell(2.0, 2.0, 1.0, 1.0, 1.0)
    shape = Shape.skeleton(vertices=[*vertices, (4.0, 0.0, 0.0)], faces=faces, edges=[(1, 12)], radius=0.2, solid=True)
    catalogue = build_catalogue([Species("ball", Shape.sphere(radius=1.0), 1.0), Species("ell", shape, 1.0)])
    points = grain_surface(catalogue._asdict(), 1, 12).points @ catalogue.axes[1].T + catalogue.centre[1]
    core = [shape.vertices[list(loop)] for loop in shape.faces]
    apart = np.sqrt(np.min([point_polygon2(points, polygon) for polygon in core], axis=0))
    assert apart[points[:, 0] < 2.0].max() == pytest.approx(0.2, rel=1e-5)
    np.testing.assert_allclose(points.max(axis=0), [4.2, 2.2, 1.2], rtol=1e-2)
    on_tube = (points[:, 0] > 3.9) & (points[:, 0] < 4.1)
    np.testing.assert_allclose(np.linalg.norm(points[on_tube][:, 1:], axis=1).max(), 0.2, rtol=1e-5)
