"""Observables that are functions of arrays: energies, directions, volumes below a plane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpi4py import MPI

from pardem.observables.energy import gravity_energy, kinetic_energy, rotational_energy, translational_energy, unwrapped
from pardem.observables.orientation import angles_to_plane, directions, moment_columns, nematic_order
from pardem.observables.profile import profile_along, sample_points
from pardem.observables.slices import ball_below, rod_below
from pardem.shapes import Shape
from pardem.shapes.catalogue import Catalogue, Species, build_catalogue
from pardem.state.population import Population, make_population

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


def long_axis(shape: Shape) -> np.ndarray:
    """As the catalogue has it, up to its sign, in the axes in which the shape is given."""
    catalogue = build_catalogue([Species("grain", shape, 1000.0)])
    axis = catalogue.axes[0] @ catalogue.long_axis[0]
    return axis * np.sign(axis[np.argmax(np.abs(axis))])


TIPS = [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


@pytest.mark.parametrize(
    "shape",
    [
        *(SHAPES[name] for name in ("ball", "cube", "plate")), Shape.skeleton(vertices=TIPS, edges=[(0, k) for k in range(1, 7)], radius=0.2),
        Shape.disk(radius=0.5), Shape.pebble(circumradius=1.0, radius=0.2), Shape.regular_polygon(sides=7, circumradius=1.0, radius=0.2),
        Shape.planar_compound(pieces=[CORNERS * (0.5, 1.0) - (0.25, 0.0), CORNERS * (0.5, 1.0) + (0.25, 0.0)], radius=0.1),
    ],
    ids=lambda shape: shape.kind,
)  # fmt: skip
def test_grains_that_are_no_longer_along_one_axis_than_along_others(shape: Shape) -> None:
    assert not long_axis(shape).any()


@pytest.mark.parametrize(
    ("shape", "degrees"),
    [
        (Shape.rice(length=1.0, radius=0.3), 0.0), (Shape.peanut(length=1.0, radius=0.2), 0.0),
        (Shape.planar_polyline(vertices=[(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)], radius=0.1), -45.0),
        (Shape.planar_polyline(vertices=[(0.0, -2.0), (0.0, 3.0)], radius=0.1), 90.0),
        (Shape.polygon(vertices=CORNERS @ [[1.6, 1.2], [-0.3, 0.4]], radius=0.1), math.degrees(math.atan2(3.0, 4.0))),  # sides of 2 and 0.5
    ],
    ids=["rice", "peanut", "angle", "upright", "turned rectangle"],
)  # fmt: skip
def test_long_axes_in_the_plane(shape: Shape, degrees: float) -> None:
    u = (math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0)
    np.testing.assert_allclose(long_axis(shape), u, atol=1e-12)


def test_long_axes_in_space() -> None:
    axes = dict(zip(NAMES, CATALOGUE.long_axis, strict=True))
    assert axes["rod"].tolist() == [0.0, 0.0, 1.0]
    slab = CATALOGUE.vertices[CATALOGUE.vertex_start[NAMES.index("slab")] :]
    assert np.argmax(axes["slab"]) == np.argmax(np.ptp(slab, axis=0))


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, -0.8)])
def test_directions_are_turned_body_vectors(axis: tuple[float, ...]) -> None:
    q = random_orientations(20)
    u = directions(q, np.tile(axis, (20, 1)))
    np.testing.assert_allclose(u, [rotation(row) @ axis for row in q], atol=1e-15)


def test_angles() -> None:
    tilt = np.radians([0.0, 30.0, 89.9999999, 90.0, 120.0])
    u = np.stack([np.cos(tilt), 0.0 * tilt, -np.sin(tilt)], axis=1)
    np.testing.assert_allclose(angles_to_plane(u, np.array([0.0, 0.0, 1.0])), [0.0, 30.0, 89.9999999, 90.0, 60.0], rtol=1e-13, atol=1e-13)


def test_isotropic_directions() -> None:
    n = 200_000
    u = directions(random_orientations(n), np.tile([0.0, 0.0, 1.0], (n, 1)))
    angles = angles_to_plane(u, np.array([0.6, 0.0, 0.8]))
    assert angles.mean() == pytest.approx(90.0 - math.degrees(1.0), abs=4.0 * angles.std() / math.sqrt(n))
    order, director = nematic_order(moment_columns(u).sum(axis=0), n, 3)
    assert order < 4.0 / math.sqrt(n)
    assert np.linalg.norm(director) == pytest.approx(1.0)


def test_nematic_order_of_known_directions() -> None:
    along = np.array([[0.0, -0.6, 0.8], [0.0, 0.6, -0.8]])
    order, director = nematic_order(moment_columns(along).sum(axis=0), 2, 3)
    assert order == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(director, [0.0, -0.6, 0.8], atol=1e-14)
    order, _ = nematic_order(moment_columns(np.eye(3)[:2]).sum(axis=0), 2, 3)  # half along x, half along y
    assert order == pytest.approx(0.25, rel=1e-14)
    assert math.isnan(nematic_order(np.zeros(6), 0, 3)[0])


def in_plane(degrees: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0 * degrees], axis=1)


def test_isotropic_directions_in_the_plane() -> None:
    n = 200_000
    u = in_plane(np.random.default_rng(2).uniform(0.0, 360.0, n))
    angles = angles_to_plane(u, np.array([0.6, 0.8, 0.0]))
    assert angles.mean() == pytest.approx(45.0, abs=4.0 * angles.std() / math.sqrt(n))
    assert nematic_order(moment_columns(u).sum(axis=0), n, 2)[0] < 4.0 / math.sqrt(n)


@pytest.mark.parametrize(
    ("degrees", "order", "director"),
    [((20.0, 200.0), 1.0, 20.0), ((-10.0, 50.0), 0.5, 20.0), ((0.0, 90.0), 0.0, None), ((110.0, 110.0, 20.0), 1.0 / 3.0, 110.0)],
)
def test_order_of_known_directions_in_the_plane(degrees: tuple[float, ...], order: float, director: float | None) -> None:
    found, axis = nematic_order(moment_columns(in_plane(np.array(degrees))).sum(axis=0), len(degrees), 2)
    assert found == pytest.approx(order, abs=1e-15)
    if director is not None:
        expected = in_plane(np.array([director]))[0]
        np.testing.assert_allclose(axis, expected * np.sign(expected[np.argmax(np.abs(expected))]), atol=1e-14)
        twice = np.radians(2.0 * (np.array(degrees) - director))
        assert found == pytest.approx(np.cos(twice).mean(), abs=1e-14)


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
