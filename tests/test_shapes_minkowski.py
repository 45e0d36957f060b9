"""Dilation, erosion and opening against closed forms and against points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pardem.errors import ShapeError
from pardem.shapes import dilation, erosion, opening

shapely = pytest.importorskip("shapely")

DUMBBELL = [(0, 0), (3, 0), (3, 1), (6, 1), (6, 0), (9, 0), (9, 3), (6, 3), (6, 2), (3, 2), (3, 3), (0, 3)]
CUBOID = [(x, y, z) for x in (0, 2) for y in (0, 3) for z in (0, 4)]


def area(outline: np.ndarray) -> float:
    x, y = outline.T
    return float(0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def test_erosion_of_boxes_is_exact():
    (left,) = erosion([(0, 0), (0, 3), (4, 3), (4, 0)], 0.5)  # clockwise is understood
    np.testing.assert_allclose(area(left), 3.0 * 2.0, rtol=1e-15)
    (left,) = erosion(CUBOID, 0.5)
    np.testing.assert_allclose(sorted(map(tuple, left)), [(x, y, z) for x in (0.5, 1.5) for y in (0.5, 2.5) for z in (0.5, 3.5)], rtol=1e-14)
    assert erosion([(0, 0), (4, 0), (4, 3), (0, 3)], 1.6) == []
    assert erosion(CUBOID, 1.01) == []


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**31), d=st.sampled_from([2, 3]), share=st.floats(0.01, 1.0))
def test_erosion_of_convex_bodies_keeps_its_distance(seed, d, share):
    from scipy.spatial import ConvexHull

    hull = ConvexHull(np.random.default_rng(seed).normal(size=(12, d)))
    body = hull.points[hull.vertices] if d == 2 else hull.points
    left = erosion(body, share)
    reach = hull.equations[:, :-1] @ hull.points.T
    if left:
        depth = -(hull.equations[:, :-1] @ left[0].T + hull.equations[:, -1:])  # (planes, vertices)
        assert depth.min() == pytest.approx(share, abs=1e-13 * np.abs(reach).max())
        assert (np.sort(depth, axis=0)[d - 1] < share + 1e-9).all()  # each vertex lies on d planes moved inwards
    else:
        from scipy.optimize import linprog

        planes = np.column_stack([hull.equations[:, :-1], np.ones(len(hull.equations))])
        deepest = linprog([0.0] * d + [-1.0], A_ub=planes, b_ub=-hull.equations[:, -1], bounds=[(None, None)] * (d + 1))
        assert deepest.x[-1] <= share + 1e-6


def test_erosion_may_cut_a_body_in_two():
    assert len(erosion(DUMBBELL, 0.45)) == 1
    parts = erosion(DUMBBELL, 0.6)
    assert len(parts) == 2
    assert all(area(part) > 0.0 for part in parts)


def test_arcs_around_reflex_vertices_are_within_the_tolerance():
    corner = [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)]
    for tolerance in (1e-2, 1e-4):
        (left,) = erosion(corner, 0.5, tolerance)
        points = np.concatenate([left, 0.5 * (left + np.roll(left, 1, axis=0))])
        gap = np.array([shapely.Point(p).distance(shapely.Polygon(corner).boundary) for p in points])
        assert gap.max() < 0.5 * (1.0 + 1e-12)
        assert gap.min() >= 0.5 * (1.0 - tolerance)
        assert gap.min() < 0.5


def test_opening_and_dilation():
    (rounded,) = opening([(0, 0), (4, 0), (4, 3), (0, 3)], 0.5)
    assert area(rounded.outline(1e-6)) == pytest.approx(12.0 - (4.0 - np.pi) * 0.25, rel=1e-6)
    (ball,) = opening(CUBOID, 0.5)
    assert ball.shape().mass_properties().volume == pytest.approx(1 * 2 * 3 + 0.5 * 22.0 + 0.25 * np.pi * 6 + np.pi / 6, rel=1e-13)
    grown = dilation(DUMBBELL, 0.25)
    assert grown.core.shape == (12, 2)
    assert area(grown.outline(1e-6)) > area(grown.core)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: erosion([(0, 0), (1, 1), (1, 0), (0, 1)], 0.1), "crosses or touches itself"),
        (lambda: erosion([(0, 0), (1, 1)], 0.1), "list of finite points"),
        (lambda: erosion(CUBOID, 0.0), "radius = 0.0 must be"),
        (lambda: erosion(DUMBBELL, 0.1, tolerance=1.0), "tolerance = 1.0"),
        (lambda: dilation(CUBOID, 0.1).outline(), "in the plane only"),
        (lambda: dilation(DUMBBELL, 0.1).shape(), "in 3D"),
        (lambda: dilation([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], 0.1), "in one plane"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ShapeError, match=message):
        call()
