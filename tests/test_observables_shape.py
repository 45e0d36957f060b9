"""Observables that are functions of arrays: energies, directions, volumes below a plane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpi4py import MPI

from pardem.observables.energy import gravity_energy, kinetic_energy, rotational_energy, translational_energy, unwrapped
from pardem.observables.orientation import ROUND, angles_to_plane, directions, longest_axes, moment_columns, nematic_order
from pardem.observables.profile import profile_along, sample_points
from pardem.observables.slices import ball_below, rod_below
from pardem.population import Population, make_population
from pardem.shapes import Shape
from pardem.shapes.catalogue import Catalogue, Species, build_catalogue

ALONE = MPI.COMM_SELF
SHAPES = {
    "ball": Shape.sphere(radius=0.5),
    "rod": Shape.spherocylinder(length=2.0, radius=0.3),
    "cube": Shape.cube(side=1.0, radius=0.1),
    "plate": Shape.spherotriangle(circumradius=1.0, radius=0.1),
    "slab": Shape.polyhedron(vertices=[(x, y, z) for x in (-1, 1) for y in (-0.5, 0.5) for z in (-0.2, 0.2)], radius=0.1),
}
CATALOGUE = build_catalogue([Species(name, shape, 1000.0) for name, shape in SHAPES.items()])
NAMES = list(SHAPES)


def random_orientations(n: int, seed: int = 1) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def rotation(q: np.ndarray) -> np.ndarray:
    """Rotation matrix by the textbook product q v q*."""
    w, x, y, z = q
    return np.array(
        [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]
    )  # fmt: skip


def grains_of(name: str, n: int, scale: float = 1.0, catalogue: Catalogue = CATALOGUE) -> Population:
    rng = np.random.default_rng(7)
    species = np.full(n, NAMES.index(name))
    return make_population(catalogue, species, np.full(n, scale), rng.uniform(0.0, 10.0, (n, 3)), random_orientations(n))


# -- energy ---------------------------------------------------------------------------------------------------------------------------


def test_energies_of_single_grains() -> None:
    assert translational_energy(np.array([[1.0, 2.0, -2.0, 3.0]])) == [13.5]
    w, am = np.array([[0.0, 3.0, 4.0, 0.0]] * 2), np.array([[9.0, 9.0, 9.0, 0.0], [5.0, 1.0, 2.0, 0.0]])
    assert list(rotational_energy(w, am, np.array([True, False]), np.array([0.2, 0.7]))) == [2.5, 5.5]
    place = unwrapped(np.array([[1.0, 2.0, 3.0, 0.5]]), np.array([[0, -1, 2]], np.int32), np.array([0.0, 10.0, 4.0]))
    assert list(place[0]) == [1.0, -8.0, 11.0]
    assert gravity_energy(np.array([2.0]), place, (0.0, 1.0, -10.0)) == [2.0 * (8.0 + 110.0)]


def test_kinetic_energy_of_scaled_grains() -> None:
    g = grains_of("ball", 1, scale=2.0)
    g.v[:, :3], g.w[:, :3] = (1.0, 0.0, 0.0), (0.0, 5.0, 0.0)
    mass = 1000.0 * 4.0 / 3.0 * math.pi  # radius 1
    translational, rotational = kinetic_energy(ALONE, g, CATALOGUE)
    assert translational == pytest.approx(0.5 * mass, rel=1e-14)
    assert rotational == pytest.approx(0.5 * 0.4 * mass * 25.0, rel=1e-14)


# -- directions -----------------------------------------------------------------------------------------------------------------------


def test_longest_axes() -> None:
    axes = dict(zip(NAMES, longest_axes(CATALOGUE), strict=True))
    assert (axes["ball"], axes["cube"], axes["plate"], axes["rod"]) == (ROUND, ROUND, ROUND, 2)
    slab = CATALOGUE.vertices[CATALOGUE.vertex_start[NAMES.index("slab")] :]
    assert axes["slab"] == np.argmax(np.ptp(slab, axis=0))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_directions_are_columns_of_the_rotation(axis: int) -> None:
    q = random_orientations(20)
    u = directions(q, np.full(20, axis))
    np.testing.assert_allclose(u, [rotation(row)[:, axis] for row in q], atol=1e-15)


def test_angles() -> None:
    tilt = np.radians([0.0, 30.0, 89.9999999, 90.0, 120.0])
    u = np.stack([np.cos(tilt), 0.0 * tilt, -np.sin(tilt)], axis=1)
    np.testing.assert_allclose(angles_to_plane(u, np.array([0.0, 0.0, 1.0])), [0.0, 30.0, 89.9999999, 90.0, 60.0], rtol=1e-13, atol=1e-13)


def test_isotropic_directions() -> None:
    n = 200_000
    u = directions(random_orientations(n), np.full(n, 2))
    angles = angles_to_plane(u, np.array([0.6, 0.0, 0.8]))
    assert angles.mean() == pytest.approx(90.0 - math.degrees(1.0), abs=4.0 * angles.std() / math.sqrt(n))
    order, director = nematic_order(moment_columns(u).sum(axis=0), n)
    assert order < 4.0 / math.sqrt(n)
    assert np.linalg.norm(director) == pytest.approx(1.0)


def test_nematic_order_of_known_directions() -> None:
    along = np.array([[0.0, -0.6, 0.8], [0.0, 0.6, -0.8]])
    order, director = nematic_order(moment_columns(along).sum(axis=0), 2)
    assert order == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(director, [0.0, -0.6, 0.8], atol=1e-14)
    order, _ = nematic_order(moment_columns(np.eye(3)[:2]).sum(axis=0), 2)  # half along x, half along y
    assert order == pytest.approx(0.25, rel=1e-14)
    assert math.isnan(nematic_order(np.zeros(6), 0)[0])


# -- volumes --------------------------------------------------------------------------------------------------------------------------


def rod_volume(length: float, r: float) -> float:
    return math.pi * r * r * (length + 4.0 / 3.0 * r)


def test_upright_and_lying_rods() -> None:
    r, length = 0.3, 2.0
    for z in (-0.7, -0.2, 0.0, 0.7):
        assert rod_below(z, 1.0, length, r) == pytest.approx(math.pi * r * r * (z + 1.0) + 2.0 / 3.0 * math.pi * r**3, rel=1e-13)
    for above in (0.05, 0.2):  # in the upper end
        cap = 4.0 / 3.0 * math.pi * r**3 - ball_below(above, r)
        assert rod_below(1.0 + above, 1.0, length, r) == pytest.approx(rod_volume(length, r) - cap, rel=1e-13)
    for z in (-0.29, -0.1, 0.0, 0.2):
        segment = r * r * math.acos(-z / r) + z * math.sqrt(r * r - z * z)
        assert rod_below(z, 0.0, length, r) == pytest.approx(segment * length + ball_below(z, r), abs=1e-10 * rod_volume(length, r))


@pytest.mark.parametrize("c", [0.0, 1e-9, 1e-5, 0.3, 0.8, 0.999999, 1.0])
@pytest.mark.parametrize("length", [0.0, 1e-3, 1.0, 10.0])
def test_volume_below_grows_from_nothing_to_all(c: float, length: float) -> None:
    r = 0.7
    reach = 0.5 * c * length + r
    below = np.array([rod_below(z, c, length, r) for z in np.linspace(-reach, reach, 201)])
    whole = rod_volume(length, r)
    assert below[0] == pytest.approx(0.0, abs=1e-6 * whole)
    assert below[-1] == pytest.approx(whole, rel=1e-6)
    assert (np.diff(below) > -1e-12 * whole).all()
    np.testing.assert_allclose(below + below[::-1], whole, rtol=1e-9)  # the grain is its own mirror image


@pytest.mark.parametrize("c", [0.0, 0.2, 0.7, 0.97, 1.0])
def test_rods_against_random_points(c: float) -> None:
    r, length, n = 0.7, 1.6, 400_000
    rng = np.random.default_rng(5)
    half = 0.5 * length + r
    p = rng.uniform(-half, half, (n, 3))
    u = np.array([math.sqrt(1.0 - c * c), 0.0, c])
    t = np.clip(p @ u, -0.5 * length, 0.5 * length)
    hit = ((p - t[:, None] * u) ** 2).sum(axis=1) <= r * r
    box = (2.0 * half) ** 3
    for z in (-1.0, -0.5, -0.1, 0.3, 0.69, 1.3):
        share = float((hit & (p[:, 2] < z)).mean())
        assert rod_below(z, c, length, r) == pytest.approx(box * share, abs=4.0 * box * math.sqrt(share / n) + 1e-12)


@pytest.mark.parametrize(("name", "sides"), [("cube", (1.0, 1.0, 1.0)), ("slab", (2.0, 1.0, 0.4))])
@pytest.mark.parametrize("direction", [(0.0, 0.0, 1.0), (0.48, 0.6, 0.64), (1.0, 0.0, 0.0)])
def test_points_stand_for_the_volume_of_a_polytope(name: str, sides: tuple[float, ...], direction: tuple[float, ...]) -> None:
    points = sample_points(ALONE, CATALOGUE)[NAMES.index(name)]
    half, r, axes = 0.5 * np.array(sides), 0.1, CATALOGUE.axes[NAMES.index(name)]
    p = np.random.default_rng(3).uniform(-half - r, half + r, (400_000, 3))
    body = p[((np.maximum(np.abs(p) - half, 0.0)) ** 2).sum(axis=1) <= r * r]
    height, expected = (points @ axes.T) @ direction, body @ direction
    for z in np.quantile(expected, [0.02, 0.1, 0.3, 0.5, 0.8, 0.95]):
        assert (height < z).mean() == pytest.approx((expected < z).mean(), abs=0.015)


@pytest.mark.parametrize("name", ["ball", "rod", "slab"])
def test_slices_add_up(name: str) -> None:
    g = grains_of(name, 50, scale=1.5)
    profile = profile_along(g, CATALOGUE, sample_points(ALONE, CATALOGUE), np.array([0.0, 0.6, 0.8]))
    volume = 50 * CATALOGUE.volume[NAMES.index(name)] * 1.5**3
    fine, coarse = np.linspace(0.0, 12.0, 101), np.linspace(0.0, 12.0, 11)
    slices = profile.between(ALONE, fine)
    assert slices.min() >= -1e-13 * volume
    assert slices.sum() == pytest.approx(volume, rel=1e-13)
    np.testing.assert_allclose(np.cumsum(slices)[::10], np.cumsum(profile.between(ALONE, coarse))[:-1], rtol=1e-12, atol=1e-13 * volume)


@pytest.mark.parametrize(("name", "tolerance"), [("ball", 1e-6), ("rod", 1e-6), ("slab", 1e-3)])
def test_quantile_of_the_volume(name: str, tolerance: float) -> None:
    g = grains_of(name, 200)
    profile = profile_along(g, CATALOGUE, sample_points(ALONE, CATALOGUE), np.array([0.0, 0.0, 1.0]))
    floor = 2.5
    height, above = profile.quantile(ALONE, floor, 0.9)
    below, between, _ = profile.between(ALONE, np.array([floor, height]))
    assert above == pytest.approx(200 * CATALOGUE.volume[NAMES.index(name)] - below, rel=1e-12)
    assert between == pytest.approx(0.9 * above, rel=tolerance)


def test_quantile_without_grains_above() -> None:
    profile = profile_along(grains_of("rod", 3), CATALOGUE, sample_points(ALONE, CATALOGUE), np.array([0.0, 0.0, 1.0]))
    height, above = profile.quantile(ALONE, 100.0, 0.99)
    assert math.isnan(height)
    assert above == 0.0
