"""Distance of cores against reference values and brute force over features; random numbers against numpy's generator."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_distance import dot, segments

from pardem.insertion.counter import ORIENTATION, POSITION, philox, random_orientation, uniforms
from pardem.insertion.distance import core_distance, polytope_distance
from pardem.shapes import Shape


def bounds(a, b, solver=polytope_distance, above=np.inf, below=0.0, shift=(0.0, 0.0, 0.0)):
    verts = np.vstack([a, b]).astype(float)
    return solver(verts, (0, len(a)), (len(a), len(verts)), tuple(map(float, shift)), above, below, np.empty((12, 4)))


def points_to_triangles(p, a, b, c):
    """Distances of points to triangles, rows of vectors: by the plane where the foot lies inside and by the sides."""
    n, sides = np.cross(b - a, c - a), ((a, b), (b, c), (c, a))
    best = np.minimum.reduce([segments(p, p, *side) for side in sides])
    inside = np.logical_and.reduce([dot(np.cross(v - u, p - u), n) >= 0.0 for u, v in sides])
    return np.where(inside, np.minimum(best, np.abs(dot(p - a, n)) / np.linalg.norm(n, axis=-1)), best)


def brute_force(p: Shape, q: Shape) -> float:
    """Smallest distance of any features of two polyhedra that do not cross."""
    a, b = (p.vertices[p.edges[:, k]][:, None] for k in (0, 1))
    found = [segments(a, b, *(q.vertices[q.edges[:, k]] for k in (0, 1))).min()]
    for first, second in ((p, q), (q, p)):
        triangles = np.array([(loop[0], loop[k], loop[k + 1]) for loop in second.faces for k in range(1, len(loop) - 1)])
        found.append(points_to_triangles(first.vertices[:, None], *second.vertices[triangles.T]).min())
    return float(min(found))


@pytest.mark.parametrize(
    ("a", "b", "square"),
    [
        ([(1, 2, 3)], [(2, -1, 0), (5, 1, 7)], 301 / 31),
        ([(0, 0, 0), (1, 2, 3)], [(3, 1, -1), (0, 4, 2)], 50 / 13),
        ([(1, 1, 2)], [(0, 0, 0), (4, 0, 1), (0, 3, -1)], 625 / 169),
        ([(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 1)], [(1, 2, 2), (3, 2, 1), (2, 4, 3), (1, 3, 4)], 169 / 49),
    ],
)
def test_reference_distances(a, b, square):
    for value in (*bounds(a, b), *bounds(b, a)):
        assert value**2 == pytest.approx(square, rel=1e-14)


@pytest.mark.parametrize("shift", [(1.2, 0.0, 0.0), (1.2, 0.3, 0.1), (1.2, 1.3, 0.0), (1.5, 1.5, 1.5), (0.9, 0.1, 0.0), (1.0, 0.0, 0.0)])
def test_aligned_cubes(shift):
    """Parallel faces, edges, shared faces and overlap."""
    cube = 0.5 * np.array(list(itertools.product((-1, 1), repeat=3)))
    expected = np.linalg.norm(np.maximum(np.abs(shift) - 1.0, 0.0))
    lower, upper = bounds(cube, cube, shift=shift)
    assert lower == pytest.approx(expected, abs=1e-14)
    assert upper == pytest.approx(expected, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 1e-3, 1e3, 2.0**-20]), st.sampled_from([1.0, 1e-4]), st.booleans())
def test_polytopes_against_brute_force(seed, scale, flatness, lattice):
    rng = np.random.default_rng(seed)
    points = [rng.normal(size=(rng.integers(4, 9), 3)) for _ in range(2)]
    if lattice:
        points = [np.vstack([np.round(2.0 * p), np.eye(3), np.zeros((1, 3))]) for p in points]
    points[1] = points[1] + rng.choice([3.0, 6.0]) * np.sign(rng.normal(size=3))
    a, b = (Shape.polyhedron(vertices=p * (1.0, 1.0, flatness) * scale, radius=scale) for p in points)
    lower, upper = bounds(a.vertices, b.vertices)
    size = max(np.abs(a.vertices).max(), np.abs(b.vertices).max())
    assert upper - lower <= 1e-14 * size * max(1.0, size / upper)  # rounding of the direction across, as documented
    if lower > 1e-9 * size:
        assert upper == pytest.approx(brute_force(a, b), abs=1e-12 * size)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6))
def test_bounds_enclose_the_distance_when_stopped_early(seed):
    """With a threshold the solver stops as soon as it knows the side; what it says is never wrong."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(6, 3)), rng.normal(size=(7, 3)) + rng.normal(size=3) * 3.0
    exact = bounds(a, b)[1]
    threshold = rng.uniform(0.0, 3.0)
    lower, upper = bounds(a, b, above=threshold, below=threshold)
    assert lower <= exact * (1.0 + 1e-12) + 1e-12
    assert upper >= exact * (1.0 - 1e-12)
    assert (lower > threshold) == (exact > threshold)


def test_spheres_and_segments_by_closed_form():
    point, rod, other = np.zeros((1, 3)), np.array([(0, 0, -1.0), (0, 0, 1.0)]), np.array([(0, -1.0, 0), (0, 1.0, 0)])
    assert bounds(point, point, core_distance, shift=(3.0, 4.0, 0.0)) == (5.0, 5.0)
    assert bounds(point, rod, core_distance, shift=(3.0, 0.0, 5.0)) == (5.0, 5.0)
    assert bounds(rod, rod, core_distance, shift=(3.0, 0.0, 0.5)) == (3.0, 3.0)
    assert bounds(rod, other, core_distance, shift=(0.5, 0.0, 0.0)) == (0.5, 0.5)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 2), min_size=6, max_size=6))
def test_philox_is_numpys(numbers):
    k0, k1, c0, c1, c2, c3 = numbers
    generator = np.random.Philox(key=np.array([k0, k1], dtype=np.uint64), counter=np.array([c0, c1, c2, c3], dtype=np.uint64))
    # numpy counts before it draws
    mine = philox(*(np.uint64(n) for n in (k0, k1, c0 + 1, c1, c2, c3)))
    assert [int(n) for n in mine] == [int(n) for n in generator.random_raw(4)]


def test_uniforms_differ_by_seed_id_purpose_and_trial():
    draws = [uniforms(s, i, p, t) for s, i, p, t in itertools.product((0, 1), (0, 1), (ORIENTATION, POSITION), (0, 1))]
    values = np.array(draws).ravel()
    assert len(set(values)) == len(values)
    assert ((values >= 0.0) & (values < 1.0)).all()


def test_orientations_are_uniform():
    """Rotation matrices have mean 0 and mean square 1/3 in each entry, and unit quaternions mean square 1/4, only if uniform."""
    q = np.array([random_orientation(11, i) for i in range(40000)])
    np.testing.assert_allclose((q**2).sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose((q**2).mean(axis=0), 0.25, atol=5.0 * np.sqrt(1 / 8 - 1 / 16) / 200)
    w, x, y, z = q.T
    row = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    np.testing.assert_allclose(row.mean(axis=1), 0.0, atol=5.0 / np.sqrt(3.0) / 200)
    np.testing.assert_allclose((row**2).mean(axis=1), 1 / 3, atol=5.0 * np.sqrt(4 / 45) / 200)
