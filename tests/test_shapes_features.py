"""Tables of features: adjacency, planes, bounding hierarchies; distances of pairs of features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_polygon import point_polygon2
from scipy.optimize import lsq_linear
from skeletons import ell, star

from pardem.shapes import Shape
from pardem.shapes.geometry.adjacency import build_features
from pardem.shapes.geometry.hierarchy import LEAF, Hierarchy, build_hierarchy, near_pairs
from pardem.shapes.geometry.proximity import point_triangle2, segment_segment2
from pardem.shapes.geometry.triangles import area_vectors, triangulate

SHAPES = {
    "ell": Shape.skeleton(vertices=ell(2, 2, 1, 1, 1)[0], faces=ell(2, 2, 1, 1, 1)[1], radius=0.1, solid=True),
    "star": Shape.skeleton(vertices=star(3, 60)[0], faces=star(3, 60)[1], radius=0.1, solid=True),
    "plate": Shape.spherotriangle(circumradius=1.0, radius=0.1),
    "yermis": Shape.yermis(edge=1.0, radius=0.1, segments=9, bend=0.8),
    "mixed": Shape.skeleton(
        vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2), (4, 4, 4)], edges=[(3, 0)], faces=[(0, 1, 2)], points=[4], radius=0.1
    ),
    "sphere": Shape.sphere(radius=1.0),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_adjacency(shape):
    f = build_features(shape.vertices, shape.edges, shape.faces)
    pairs = {tuple(e) for e in shape.edges.tolist()}
    found = [f.neighbours[f.neighbour_start[v] : f.neighbour_start[v + 1]].tolist() for v in range(len(shape.vertices))]
    assert all(row == sorted(row) for row in found)
    assert {(v, n) for v, row in enumerate(found) for n in row} == pairs | {(b, a) for a, b in pairs}
    assert f.lone.tolist() == [v for v, row in enumerate(found) if not row]
    for e, (a, b) in enumerate(shape.edges.tolist()):
        for side, (p, q) in enumerate(((a, b), (b, a))):
            runs = [k for k, loop in enumerate(shape.faces) if (p, q) in zip(loop, (*loop[1:], loop[0]))]
            assert f.edge_faces[e, side] == (runs[0] if runs else -1)
    for k, loop in enumerate(shape.faces):
        part = slice(f.face_start[k], f.face_start[k + 1])
        assert tuple(f.face_vertices[part]) == loop
        assert [set(shape.edges[e].tolist()) for e in f.face_edges[part]] == [{a, b} for a, b in zip(loop, (*loop[1:], loop[0]))]
        np.testing.assert_allclose(shape.vertices[list(loop)] @ f.face_normal[k], f.face_offset[k], atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(f.face_normal, axis=1), 1.0, rtol=1e-15)


def leaves(tree: Hierarchy) -> np.ndarray:
    return tree.span[tree.first_leaf :]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_every_feature_is_in_its_leaf_once(shape):
    f = build_features(shape.vertices, shape.edges, shape.faces)
    for tree, features in (
        (f.edge_tree, shape.edges.tolist()),
        (f.face_tree, [list(loop) for loop in shape.faces]),
        (f.vertex_tree, [[v] for v in range(len(shape.vertices))]),
    ):
        assert sorted(tree.order.tolist()) == list(range(len(features)))
        if not features:
            assert len(tree.lower) == 0
            continue
        assert len(tree.lower) == 2 * tree.first_leaf + 1
        ends = leaves(tree)
        assert ends[0, 0] == 0
        assert ends[-1, 1] == len(features)
        np.testing.assert_array_equal(ends[1:, 0], ends[:-1, 1])
        sizes = np.diff(ends, axis=1)
        assert sizes.max() <= LEAF
        assert sizes.max() - sizes.min() <= 1
        for node, (begin, end) in enumerate(tree.span):
            for feature in tree.order[begin:end]:
                corners = shape.vertices[features[feature]]
                assert (corners >= tree.lower[node]).all()
                assert (corners <= tree.upper[node]).all()
            if node < tree.first_leaf:
                left, right = tree.span[2 * node + 1], tree.span[2 * node + 2]
                assert (begin, left[1], end) == (left[0], right[0], right[1])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 70), st.integers(0, 70), st.floats(0.0, 0.3))
def test_near_pairs_are_all_pairs_that_come_near(seed, n, m, margin):
    rng = np.random.default_rng(seed)
    low1, low2 = np.round(rng.uniform(size=(n, 3)), 1), rng.uniform(size=(m, 3))  # rounded: ties
    high1, high2 = low1 + rng.uniform(0.0, 0.2, (n, 3)), low2 + rng.uniform(0.0, 0.2, (m, 3))
    found = near_pairs(build_hierarchy(low1, high1), build_hierarchy(low2, high2), low1, high1, low2, high2, margin)
    apart = np.maximum(low1[:, None] - high2[None], low2[None] - high1[:, None]) <= margin
    np.testing.assert_array_equal(found, np.argwhere(apart.all(axis=2)))


def test_distances_of_known_pairs():
    """Squared distances checked by hand."""
    one = np.ones((1, 3))
    zero, edge = np.zeros((1, 3)), np.array([[1.0, 2.0, 3.0]])
    assert segment_segment2(zero, edge, np.array([[3.0, 1.0, -1.0]]), np.array([[0.0, 4.0, 2.0]]))[0] == pytest.approx(50.0 / 13.0, rel=1e-14)
    corners = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 1.0], [0.0, 3.0, -1.0]])
    point = one * (1.0, 1.0, 2.0)
    assert point_triangle2(point, *(c[None] for c in corners))[0] == pytest.approx(625.0 / 169.0, rel=1e-14)
    assert point_polygon2(point, corners)[0] == pytest.approx(625.0 / 169.0, rel=1e-14)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_segments_against_minimisation(seed):
    p, q, a, b = np.random.default_rng(seed).normal(size=(4, 1, 3))

    best = 2.0 * lsq_linear(np.hstack([(q - p).T, (a - b).T]), (a - p)[0], bounds=(0.0, 1.0), method="bvls", tol=1e-14).cost
    assert segment_segment2(p, q, a, b)[0] == pytest.approx(best, rel=1e-12, abs=1e-14)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 12))
def test_polygons_that_are_not_convex(seed, corners):
    """The triangles of a random star-shaped polygon have its area, and its distance is that to the nearest of them."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * (np.arange(corners) + rng.uniform(0.0, 0.9, corners)) / corners
    size = rng.uniform(0.2, 1.0, corners)
    u, v = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    polygon = (size * np.cos(angle))[:, None] * u + (size * np.sin(angle))[:, None] * v + rng.normal(size=3)
    loop = (tuple(range(corners)),)
    triangles, face = triangulate(polygon, loop)
    assert len(triangles) == corners - 2
    assert (face == 0).all()
    parts = area_vectors(polygon, tuple(map(tuple, triangles.tolist())))
    whole = area_vectors(polygon, loop)[0]
    np.testing.assert_allclose(parts.sum(axis=0), whole, atol=1e-14)
    assert (parts @ whole > 0.0).all()
    points = polygon.mean(axis=0) + rng.normal(size=(200, 3))
    to_triangles = np.min([point_triangle2(points, *(np.broadcast_to(c, points.shape) for c in polygon[t])) for t in triangles], axis=0)
    np.testing.assert_allclose(point_polygon2(points, polygon), to_triangles, rtol=1e-9, atol=1e-12)
