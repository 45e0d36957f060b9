"""Random insertion: no overlap, inside, repeatable by seed and id, uniform, clear failure; checks of given positions."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pardem.errors import InsertionError
from pardem.insertion import (
    BoxDomain,
    BoxRegion,
    CylinderRegion,
    NewGrains,
    PlacedGrains,
    Surroundings,
    centres_outside,
    check_overlaps,
    grains_outside,
    insert_random,
    periodic_region,
    random_scales,
    require_clear,
    wrapped,
)
from pardem.shapes import Shape, Species, build_catalogue

NAMES = ["rod", "ball", "tetrahedron", "cube", "plate"]
CATALOGUE = build_catalogue(
    [
        Species("rod", Shape.spherocylinder(length=2.092e-3, radius=0.2615e-3), 1910.0),
        Species("ball", Shape.sphere(radius=0.5e-3), 1910.0),
        Species("tetrahedron", Shape.spherotetrahedron(edge=1.2e-3, radius=0.1e-3), 1910.0),
        Species("cube", Shape.cube(side=0.8e-3, radius=0.1e-3), 1910.0),
        Species("plate", Shape.spherotriangle(circumradius=0.8e-3, radius=0.1e-3), 1910.0),
    ]
)
TUBE = CylinderRegion(radius=4e-3, lower=0.0, upper=70e-3)
FLAT = BoxRegion((0, 0, 0), (1, 1, 5e-3))
ONE = np.array([1.0, 0.0, 0.0, 0.0])


def turned(q, vector):
    w, u = q[:, :1], q[:, 1:]
    return vector + 2.0 * np.cross(u, np.cross(u, vector) + w * vector)


def world_vertices(grains):
    """(n, nv, 3) for grains of one species."""
    s = int(grains.species[0])
    body = CATALOGUE.vertices[CATALOGUE.vertex_start[s] : CATALOGUE.vertex_start[s + 1]]
    scale = np.broadcast_to(grains.scale, len(grains.species))
    return np.stack([grains.positions + scale[:, None] * turned(grains.orientations, v[None]) for v in body], axis=1)


def test_a_thousand_rods_in_a_cylinder():
    species = np.zeros(1000, dtype=int)
    insert_random(TUBE, CATALOGUE, NewGrains(species[:10]), seed=0)
    start = time.perf_counter()
    x, q = insert_random(TUBE, CATALOGUE, NewGrains(species), seed=1)
    assert time.perf_counter() - start < 5.0  # takes 0.03 s
    ends = world_vertices(PlacedGrains(species, 1.0, x, q))
    radius = CATALOGUE.radius[0]
    assert (np.hypot(ends[..., 0], ends[..., 1]) <= TUBE.radius - radius).all()
    assert (ends[..., 2] >= radius).all()
    assert (ends[..., 2] <= TUBE.upper - radius).all()
    # sampled densely, no two axes come within a diameter
    t = np.linspace(0.0, 1.0, 12)[:, None, None]
    points = ends[:, 0] * (1.0 - t) + ends[:, 1] * t
    for k in range(999):
        near = np.linalg.norm(points[:, None, k + 1 :] - points[None, :, k : k + 1], axis=-1)
        assert near.min() > 2.0 * radius


@pytest.mark.parametrize("species", range(5))
def test_directions_are_uniform_whatever_the_shape(species):
    """Mean angle to a plane: 32.7 degrees for isotropic directions (the mean of asin(u), u uniform in 0..1, is pi/2 - 1)."""
    n = 2000
    region = CylinderRegion(radius=4e-3, lower=0.0, upper=1e-3).tall_enough(n * CATALOGUE.volume[species], 0.05)
    _, q = insert_random(region, CATALOGUE, NewGrains(np.full(n, species)), seed=7)
    for axis in np.eye(3):
        directions = turned(q, axis[None])
        for c in range(3):
            angle = np.degrees(np.arcsin(np.abs(directions[:, c])))
            deviation = np.degrees(np.sqrt(np.pi - 3.0))  # variance of asin(u), u uniform: pi - 3
            assert angle.mean() == pytest.approx(np.degrees(np.pi / 2.0 - 1.0), abs=4.0 * deviation / np.sqrt(n))


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_cylinder_along_any_axis(axis):
    a = "xyz".index(axis)
    region = CylinderRegion(radius=3e-3, lower=-5e-3, upper=15e-3, axis=axis, center=(1e-3, 2e-3, 3e-3))
    species = np.full(100, 3)
    grains = PlacedGrains(species, 1.0, *insert_random(region, CATALOGUE, NewGrains(species), seed=3))
    corners = world_vertices(grains) - region.center
    across = np.delete(corners, a, axis=2)
    assert (np.linalg.norm(across, axis=2) <= region.radius - CATALOGUE.radius[3]).all()
    along = corners[..., a] + region.center[a]
    assert (along >= region.lower + CATALOGUE.radius[3]).all()
    assert (along <= region.upper - CATALOGUE.radius[3]).all()
    assert len(grains_outside(CATALOGUE, grains, region)) == 0
    smaller = CylinderRegion(radius=2e-3, lower=-5e-3, upper=15e-3, axis=axis, center=region.center)
    expected = np.flatnonzero((np.linalg.norm(across, axis=2) > smaller.radius - CATALOGUE.radius[3]).any(axis=1))
    assert np.array_equal(grains_outside(CATALOGUE, grains, smaller), expected)


def test_mixture_in_a_periodic_box():
    domain = BoxDomain((-5e-3, 0.0, 0.0), (5e-3, 10e-3, 12e-3), (True, True, False))
    species = np.random.default_rng(0).integers(0, 5, 300)
    scale = random_scales(5, 0, 300, 0.6, 1.2)
    x, q = insert_random(periodic_region(domain), CATALOGUE, NewGrains(species, scale=scale), seed=5, around=Surroundings(domain=domain))
    grains = PlacedGrains(species, scale, x, q)
    assert (x >= domain.lower).all()
    assert (x < domain.upper).all()
    require_clear(CATALOGUE, grains, domain=domain)
    # some grain reaches over a periodic face, none over an open one
    assert len(grains_outside(CATALOGUE, grains, BoxRegion(domain.lower, domain.upper))) > 0
    assert len(grains_outside(CATALOGUE, grains, periodic_region(domain))) == 0
    # the periodic neighbours were seen: shifted by a period as separate grains, nothing overlaps either
    for shift in ((10e-3, 0.0, 0.0), (0.0, 10e-3, 0.0), (10e-3, 10e-3, 0.0), (10e-3, -10e-3, 0.0)):
        twice = PlacedGrains(np.tile(species, 2), np.tile(scale, 2), np.vstack([x, x + shift]), np.vstack([q, q]))
        assert len(check_overlaps(CATALOGUE, twice).pairs) == 0


def test_the_same_by_seed_and_id():
    species = np.arange(200) % 5
    x, q = insert_random(TUBE, CATALOGUE, NewGrains(species), seed=1)
    again, turned_again = insert_random(TUBE, CATALOGUE, NewGrains(species), seed=1)
    assert np.array_equal(x, again)
    assert np.array_equal(q, turned_again)
    other, turned_other = insert_random(TUBE, CATALOGUE, NewGrains(species), seed=2)
    assert not (x == other).any()
    assert not (q == turned_other).any()
    # a direction depends on its id only; later grains do not change earlier ones
    part, turned_part = insert_random(TUBE, CATALOGUE, NewGrains(species[:50]), seed=1)
    assert np.array_equal(part, x[:50])
    assert np.array_equal(turned_part, q[:50])
    # in two goes, with the first as obstacles, it is the same too
    around = Surroundings(placed=PlacedGrains(species[:50], 1.0, part, turned_part))
    rest, turned_rest = insert_random(TUBE, CATALOGUE, NewGrains(species[50:], first_id=50), seed=1, around=around)
    assert np.array_equal(rest, x[50:])
    assert np.array_equal(turned_rest, q[50:])
    crowded, turned_crowded = insert_random(CylinderRegion(3e-3, 0.0, 30e-3), CATALOGUE, NewGrains(species), seed=1)
    assert np.array_equal(turned_crowded, q)
    assert not (crowded == x).any()


def test_scaled_units_give_the_scaled_insertion():
    factor = 2.0**-20
    small = build_catalogue([Species("rod", Shape.spherocylinder(length=2.092e-3 * factor, radius=0.2615e-3 * factor), 1910.0)])
    region = CylinderRegion(radius=4e-3 * factor, lower=0.0, upper=70e-3 * factor)
    x, q = insert_random(region, small, NewGrains(np.zeros(300, int)), seed=9)
    big, turned_big = insert_random(TUBE, CATALOGUE, NewGrains(np.zeros(300, int)), seed=9)
    assert np.array_equal(x, big * factor)
    assert np.array_equal(q, turned_big)


def test_failure_tells_what_was_reached_and_what_to_do():
    region = CylinderRegion(radius=4e-3, lower=0.0, upper=15e-3)
    with pytest.raises(
        InsertionError, match=r"grain \d+ of species 'rod' with \d+ of 1000 grains placed: no free position in 2000 attempts.*69\.5%.*taller"
    ):
        insert_random(region, CATALOGUE, NewGrains(np.zeros(1000, int), names=NAMES), seed=0, max_attempts=2000)
    with pytest.raises(InsertionError, match=r"grain 40 of species 'cube' with 0 of 5 .*longer than the region; make it wider"):
        insert_random(BoxRegion((0, 0, 0), (1e-3, 1e-3, 1e-3)), CATALOGUE, NewGrains(np.full(5, 3), first_id=40, names=NAMES), seed=0)
    with pytest.raises(InsertionError, match="longer than the region"):
        insert_random(CylinderRegion(0.4e-3, 0.0, 1.0), CATALOGUE, NewGrains(np.full(5, 1)), seed=0)


def test_tall_enough():
    need = 1000 * CATALOGUE.volume[0]
    region = CylinderRegion(radius=4e-3, lower=1e-3, upper=2e-3).tall_enough(need, 0.1)
    assert region.volume == pytest.approx(need / 0.1)
    assert region.lower == 1e-3
    assert region.tall_enough(need, 0.2) == region
    box = BoxRegion((0, 0, 0), (1e-2, 1e-2, 1e-3)).tall_enough(need, 0.1, axis="x")
    assert box.volume == pytest.approx(need / 0.1)
    assert box.upper[1:] == (1e-2, 1e-3)
    insert_random(region, CATALOGUE, NewGrains(np.zeros(1000, int)), seed=4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: insert_random(BoxRegion((0, 0, 0), (1, 1, 0)), CATALOGUE, NewGrains([0]), seed=0), "from 0 to 0 m along z"),
        (lambda: insert_random(BoxRegion((0, 0, 0), (1, 1, np.inf)), CATALOGUE, NewGrains([0]), seed=0), "finite bounds"),
        (lambda: insert_random(TUBE, CATALOGUE, NewGrains([7]), seed=0), "species 7, but the catalogue has rows 0 to 4"),
        (lambda: insert_random(TUBE, CATALOGUE, NewGrains([0, 0], scale=np.array([1.0, -1.0])), seed=0), "Grain 1 has size factor -1.0"),
        (
            lambda: insert_random(
                TUBE, CATALOGUE, NewGrains([0]), seed=0, around=Surroundings(BoxDomain((-1, -1, 0), (1, 1, 0.01), (False, False, True)))
            ),
            "beyond the periodic domain",
        ),
        (
            lambda: insert_random(
                BoxRegion((0, 0, 0), (1, 1, 5e-3)),
                CATALOGUE,
                NewGrains([0]),
                seed=0,
                around=Surroundings(BoxDomain((0, 0, 0), (1, 1, 5e-3), (False, False, True))),
            ),
            "period of 0.005 m along z is too short for grains of diameter 0.002615 m",
        ),
        (lambda: check_overlaps(CATALOGUE, PlacedGrains([0], 1.0, np.zeros((1, 3)), np.zeros((1, 4)))), "unit quaternions"),
        (lambda: check_overlaps(CATALOGUE, PlacedGrains([0], 1.0, np.full((1, 3), np.nan), ONE[None])), "Grain 0 has positions"),
        (lambda: check_overlaps(CATALOGUE, PlacedGrains([0, 1], 1.0, np.zeros((1, 3)), ONE[None])), r"shape \(2, 3\), not \(1, 3\)"),
    ],
)
def test_error_sentences(call, message):
    with pytest.raises(InsertionError, match=message):
        call()


def test_overlaps_are_found_with_their_depth():
    x = np.array([(0, 0, 0), (0.9e-3, 0, 0), (5e-3, 0, 0), (5e-3, 0, 1.0e-3), (-9.5e-3, 0, 0)])
    balls = PlacedGrains(np.full(5, 1), 1.0, x, np.tile(ONE, (5, 1)))
    pairs, depth = check_overlaps(CATALOGUE, balls)
    assert pairs.tolist() == [[0, 1]]  # the touching pair 2, 3 is none
    assert depth == pytest.approx([0.1e-3])
    domain = BoxDomain((-10e-3, -10e-3, -10e-3), (5.0e-3, 10e-3, 10e-3), (True, False, False))
    pairs, depth = check_overlaps(CATALOGUE, balls, domain=domain)  # grains 2 and 4 meet across the face
    assert pairs.tolist() == [[0, 1], [2, 4]]
    assert depth == pytest.approx([0.1e-3, 0.5e-3])
    with pytest.raises(InsertionError, match=r"2 pairs of grains overlap at the start: 2 \(ball\) and 4 \(ball\) by 0.0005 m; 0 \(ball\) and 1"):
        require_clear(CATALOGUE, balls, domain=domain, names=NAMES)
    with pytest.raises(InsertionError, match=r"1 grains lie outside the domain.*: 4 at \[-0.0095"):
        require_clear(CATALOGUE, balls, domain=BoxDomain((-1e-3, -1e-3, -1e-3), (6e-3, 1e-3, 2e-3)))
    assert centres_outside(balls, domain).tolist() == []


def test_overlaps_against_every_pair():
    """Grains thrown in at random, overlapping: cells find the same pairs as all pairs taken two by two whose bounding spheres meet."""
    rng = np.random.default_rng(3)
    n = 130
    species = rng.integers(0, 5, n)
    q = rng.normal(size=(n, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    scale = rng.uniform(0.3, 1.0, n)
    domain = BoxDomain((0, 0, 0), (6e-3, 6e-3, 6e-3), (True, False, True))
    x = rng.uniform(0.0, 6e-3, (n, 3))
    found = check_overlaps(CATALOGUE, PlacedGrains(species, scale, x, q), domain=domain)
    expected, depth = [], []
    bound = 1.001 * float((CATALOGUE.core_radius + CATALOGUE.radius).max())
    for i in range(n):
        for j in range(i + 1, n):
            two = [i, j]
            away = x[i] - x[j]
            away -= np.where(domain.periodic, 6e-3, 0.0) * np.rint(away / 6e-3)
            if np.linalg.norm(away) > bound * (scale[i] + scale[j]):
                continue
            apart = check_overlaps(CATALOGUE, PlacedGrains(species[two], scale[two], x[two], q[two]), domain=domain)
            if len(apart.pairs):
                expected.append([i, j])
                depth.append(apart.depth[0])
    assert len(expected) > 50
    assert found.pairs.tolist() == expected
    np.testing.assert_allclose(found.depth, depth, rtol=1e-14)


def test_stacked_cubes_touch_without_overlap():
    """Whole faces in contact, as users place them."""
    side = 1.0e-3
    grid = side * np.array([(i, j, k) for i in range(4) for j in range(4) for k in range(4)])
    cubes = PlacedGrains(np.full(64, 3), 1.0, grid, np.tile(ONE, (64, 1)))
    assert len(check_overlaps(CATALOGUE, cubes).pairs) == 0
    pressed = check_overlaps(CATALOGUE, cubes._replace(positions=grid * (1.0 - 1e-6)))
    assert len(pressed.pairs) == 3 * 48
    assert pressed.depth == pytest.approx(1e-6 * side, rel=1e-6)


def test_crossed_cores_have_the_full_depth():
    cubes = PlacedGrains([3, 3], 1.0, np.array([(0, 0, 0), (0.3e-3, 0.1e-3, 0)]), np.tile(ONE, (2, 1)))
    assert check_overlaps(CATALOGUE, cubes).depth == pytest.approx([0.2e-3])


def test_wrapping():
    domain = BoxDomain((0, 0, 0), (1, 1, 1), (True, True, False))
    x = wrapped([(1.25, -0.25, 3.0), (1.0, -1e-20, -1.0)], domain)
    assert x.tolist() == [[0.25, 0.75, 3.0], [0.0, 0.0, -1.0]]


def test_no_grains():
    x, q = insert_random(TUBE, CATALOGUE, NewGrains(np.empty(0, int)), seed=0)
    assert x.shape == (0, 3)
    assert q.shape == (0, 4)
    assert len(check_overlaps(CATALOGUE, PlacedGrains(np.empty(0, int), 1.0, x, q)).pairs) == 0
