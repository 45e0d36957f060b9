"""Insertion in the plane, and distances of skeletons that need not be convex."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outlines import star, zigzag
from reference_distance import segments

from pardem.errors import InsertionError
from pardem.insertion import (
    BoxDomain,
    BoxRegion,
    CylinderRegion,
    NewGrains,
    PlacedGrains,
    Surroundings,
    check_overlaps,
    grains_outside,
    insert_random,
    periodic_region,
)
from pardem.insertion.distance import polytope_distance
from pardem.insertion.skeletons import PlacedCore, make_skeletons, skeleton_distance
from pardem.shapes import Shape, Species, build_catalogue
from pardem.shapes.mass.planar_monte_carlo import inside

NAMES = ["disk", "rice", "peanut", "hexagon", "cow"]
SHAPES = [
    Shape.disk(radius=0.5),
    Shape.rice(length=1.0, radius=0.2),
    Shape.peanut(length=1.4, radius=0.2, bend=1.5),
    Shape.regular_polygon(sides=6, circumradius=0.5, radius=0.1),
    Shape.cow(length=2.0, radius=0.02),
]
CATALOGUE = build_catalogue([Species(name, shape, 1.0) for name, shape in zip(NAMES, SHAPES)])
FIELD = BoxRegion((0.0, 0.0, -1.0), (30.0, 20.0, 1.0), planar=True)


def world(grains: PlacedGrains, i: int) -> np.ndarray:
    """(n, 2) core of one grain."""
    s = int(grains.species[i])
    body = CATALOGUE.vertices[CATALOGUE.vertex_start[s] : CATALOGUE.vertex_start[s + 1], :2]
    w, z = grains.orientations[i, 0], grains.orientations[i, 3]
    c, d = w * w - z * z, 2.0 * w * z
    scale = np.broadcast_to(grains.scale, len(grains.species))[i]
    return grains.positions[i, :2] + scale * body @ np.array([[c, d], [-d, c]])


def cores_apart(p: np.ndarray, q: np.ndarray, p_closed: bool, q_closed: bool) -> float:
    """Distance of two cores in the plane by all pairs of edges; 0 where one holds a vertex of the other."""

    def edges(core, closed):
        first = np.column_stack([core, np.zeros(len(core))])
        count = len(core) if closed or len(core) == 1 else len(core) - 1
        return first[:count], np.roll(first, -1, axis=0)[:count]

    if (p_closed and inside(q, p, True, 0.0).any()) or (q_closed and inside(p, q, True, 0.0).any()):
        return 0.0
    (a, b), (c, d) = edges(p, p_closed), edges(q, q_closed)
    return float(segments(a[:, None], b[:, None], c, d).min())


def measured(first: Shape, second: Shape, shift: np.ndarray, above: float = np.inf, below: float = 0.0) -> tuple[float, float]:
    catalogue = build_catalogue([Species("a", first, 1.0), Species("b", second, 1.0)])
    verts, n = catalogue.vertices, len(first.vertices)
    a, b = (PlacedCore(k, first, float(catalogue.core_radius[k])) for k, first in ((0, 0), (1, n)))
    return skeleton_distance(make_skeletons(catalogue), verts, a, b, tuple(map(float, shift)), above, below)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.floats(0.0, 3.0))
def test_planar_distances_against_every_pair_of_edges(seed, first_closed, second_closed, apart):
    rng = np.random.default_rng(seed)
    made = []
    for k, closed in enumerate((first_closed, second_closed)):
        points = (star if closed else zigzag)(seed + k, int(rng.integers(3, 9)))
        made.append(Shape.polygon(vertices=points, radius=0.1) if closed else Shape.planar_polyline(vertices=points, radius=0.1))
    angle = rng.uniform(0.0, 2.0 * np.pi)
    shift = apart * np.array([np.cos(angle), np.sin(angle), 0.0])
    cores = [shape.vertices[:, :2] - shape.mass_properties().centre[:2] for shape in made]
    expected = cores_apart(cores[0], cores[1] + shift[:2], first_closed, second_closed)
    lower, upper = measured(*made, shift)
    assert lower == pytest.approx(expected, abs=1e-12)
    assert upper == pytest.approx(expected, abs=1e-12)
    turned = measured(made[1], made[0], -shift)
    assert turned[0] == pytest.approx(expected, abs=1e-12)
    # with thresholds it says on which side of them the distance is
    threshold = rng.uniform(0.05, 2.0)
    lower, upper = measured(*made, shift, threshold, threshold)
    assert (lower > threshold) == (expected > threshold)
    assert (upper <= threshold) == (expected <= threshold)


def test_one_core_inside_another_or_in_its_bay():
    letter = Shape.polygon(vertices=[(0, 0), (5, 0), (5, 1), (1, 1), (1, 4), (5, 4), (5, 5), (0, 5)], radius=0.1)  # a C, open to the right
    centre = letter.mass_properties().centre
    small, dot = Shape.regular_polygon(sides=5, circumradius=0.2, radius=0.1), Shape.disk(radius=0.1)
    for other, size in ((small, 0.2), (dot, 0.0)):
        assert measured(letter, other, np.array([0.5, 2.5, 0.0]) - centre)[0] == 0.0
        assert measured(other, letter, centre - np.array([0.5, 2.5, 0.0]))[0] == 0.0
        assert measured(letter, other, np.array([3.0, 2.5, 0.0]) - centre)[0] == pytest.approx(1.5 - size * np.cos(np.pi / 10.0), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 5.0))
def test_convex_cores_in_space_against_the_active_set_method(seed, apart):
    """Pairs of edges, vertices over faces, edges through faces and enclosure together give the distance of polyhedra, 0 where they overlap."""
    rng = np.random.default_rng(seed)
    made = [Shape.polyhedron(vertices=rng.normal(size=(8, 3)) * rng.choice([0.1, 1.0]), radius=0.1) for _ in range(2)]
    direction = rng.normal(size=3)
    shift = apart * direction / np.linalg.norm(direction)
    catalogue = build_catalogue([Species("a", made[0], 1.0), Species("b", made[1], 1.0)])
    n = len(made[0].vertices)
    verts = catalogue.vertices
    _, expected = polytope_distance(verts, (0, n), (n, len(verts)), tuple(map(float, shift)), np.inf, 0.0, np.empty((12, 4)))
    lower, upper = measured(*made, shift)
    assert lower == upper == pytest.approx(expected, abs=1e-12)


def test_mixture_in_the_plane():
    species = np.arange(150) % 5
    x, q = insert_random(FIELD, CATALOGUE, NewGrains(species), seed=3)
    grains = PlacedGrains(species, 1.0, x, q)
    assert not x[:, 2].any()
    assert not q[:, 1:3].any()
    np.testing.assert_allclose((q**2).sum(axis=1), 1.0, rtol=1e-15)
    cores = [world(grains, i) for i in range(150)]
    r = CATALOGUE.radius[species]
    for core, radius in zip(cores, r):
        assert (core.min(axis=0) >= radius).all()
        assert (core.max(axis=0) <= np.array([30.0, 20.0]) - radius).all()
    closed = [bool(SHAPES[s].faces) for s in species]
    reach = r + CATALOGUE.core_radius[species]
    near = 0
    for i, j in itertools.combinations(range(150), 2):
        if np.linalg.norm(x[i] - x[j]) < reach[i] + reach[j]:
            near += 1
            assert cores_apart(cores[i], cores[j], closed[i], closed[j]) > r[i] + r[j]
    assert near > 50
    assert len(check_overlaps(CATALOGUE, grains).pairs) == 0
    assert len(grains_outside(CATALOGUE, grains, FIELD)) == 0
    again, _ = insert_random(FIELD, CATALOGUE, NewGrains(species[:70]), seed=3)
    assert np.array_equal(again, x[:70])


def test_overlaps_against_every_pair():
    rng = np.random.default_rng(5)
    n = 70
    species, angle, scale = rng.integers(0, 5, n), rng.uniform(0.0, np.pi, n), rng.uniform(0.3, 1.0, n)
    q = np.column_stack([np.cos(angle), np.zeros((n, 2)), np.sin(angle)])
    x = np.column_stack([rng.uniform(0.0, 9.0, (n, 2)), np.zeros(n)])
    grains = PlacedGrains(species, scale, x, q)
    found = check_overlaps(CATALOGUE, grains)
    cores, closed, r = [world(grains, i) for i in range(n)], [bool(SHAPES[s].faces) for s in species], CATALOGUE.radius[species] * scale
    expected = {}
    for i, j in itertools.combinations(range(n), 2):
        if np.linalg.norm(x[i] - x[j]) < 3.0:
            depth = r[i] + r[j] - cores_apart(cores[i], cores[j], closed[i], closed[j])
            if depth > 0.0:
                expected[i, j] = depth
    assert len(expected) > 30
    assert list(map(tuple, found.pairs.tolist())) == list(expected)
    np.testing.assert_allclose(found.depth, list(expected.values()), rtol=1e-9)


def test_angles_are_uniform():
    n = 4000
    _, q = insert_random(BoxRegion((0, 0, 0), (1e3, 1e3, 0), planar=True), CATALOGUE, NewGrains(np.zeros(n, int)), seed=11)
    angle = 2.0 * np.arctan2(q[:, 3], q[:, 0])
    for k in (1, 2, 4):  # Fourier components of a uniform angle have mean 0 and variance 1/2
        assert abs(np.cos(k * angle).mean()) < 4.0 * np.sqrt(0.5 / n)
        assert abs(np.sin(k * angle).mean()) < 4.0 * np.sqrt(0.5 / n)


def test_periodic_plane_and_disk():
    domain = BoxDomain((0.0, 0.0, -1.0), (12.0, 10.0, 1.0), (True, False, False))
    region = periodic_region(domain, planar=True)
    assert region.volume == 120.0
    species = np.arange(40) % 5
    x, q = insert_random(region, CATALOGUE, NewGrains(species), seed=2, around=Surroundings(domain=domain))
    assert len(check_overlaps(CATALOGUE, PlacedGrains(species, 1.0, x, q), domain=domain).pairs) == 0
    cores = [world(PlacedGrains(species, 1.0, x, q), i) for i in range(40)]
    assert any(core[:, 0].min() < 0.0 or core[:, 0].max() > 12.0 for core in cores)
    for shift in (-12.0, 12.0):
        twice = PlacedGrains(np.tile(species, 2), 1.0, np.vstack([x, x + np.array([shift, 0.0, 0.0])]), np.vstack([q, q]))
        assert len(check_overlaps(CATALOGUE, twice).pairs) == 0
    arena = CylinderRegion(radius=5.0, lower=-1.0, upper=1.0, center=(1.0, 2.0, 0.0), planar=True)
    assert arena.volume == pytest.approx(25.0 * np.pi)
    species = np.full(8, 4)
    grains = PlacedGrains(species, 1.0, *insert_random(arena, CATALOGUE, NewGrains(species), seed=2))
    for i in range(8):
        assert np.hypot(*(world(grains, i) - (1.0, 2.0)).T).max() <= 5.0 - CATALOGUE.radius[4]


def test_failure_speaks_of_areas():
    with pytest.raises(InsertionError, match=r"no free position in 300 attempts.*\(600 m\^2\).*40 to 50 %"):
        insert_random(FIELD, CATALOGUE, NewGrains(np.zeros(700, int), names=NAMES), seed=0, max_attempts=300)
