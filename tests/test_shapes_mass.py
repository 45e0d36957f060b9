"""Mass properties: reference values, quasi-Monte-Carlo, invariance, extreme aspect ratios."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pardem.shapes import Shape

H = (-1.0, 1.0)
REFERENCE = [
    (Shape.spherocylinder(length=2.0, radius=1.0), 10.47197551196598, (12.67109036947883, 12.67109036947883, 4.81710873550435)),
    (Shape.spherocylinder(length=2.092, radius=0.2615), 0.5243264045851858, (0.2709584799870154, 0.2709584799870154, 0.0174151007931163)),
    (Shape.spherotriangle(circumradius=1.0, radius=1.0), 14.94896355519369, (13.83458191875247, 13.83458191875247, 20.18054837849451)),
    (Shape.spherotetrahedron(circumradius=1.0, radius=0.25), 2.318360188910281, (0.7556794704946143,) * 3),
    (Shape.cube(side=2.0, radius=0.3), 17.00955736846772, (18.46432493946259,) * 3),
    (Shape.polyhedron(vertices=[(x, y, z) for x in H for y in H for z in H], radius=0.3), 17.00955736846772, (18.46432493946259,) * 3),
    (Shape.sphere(radius=2.0), 32.0 / 3.0 * np.pi, (0.4 * 4.0 * 32.0 / 3.0 * np.pi,) * 3),
]


def random_hull(seed: int, stretch: tuple[float, float, float] = (1.0, 1.0, 1.0), radius: float = 0.4) -> Shape:
    points = np.random.default_rng(seed).normal(size=(12, 3)) * stretch
    return Shape.polyhedron(vertices=points, radius=radius)


@pytest.mark.parametrize(("shape", "volume", "moments"), REFERENCE)
def test_reference_values(shape, volume, moments):
    m = shape.mass_properties(density=3.0)
    assert m.volume == pytest.approx(volume, rel=1e-12)
    assert m.mass == pytest.approx(3.0 * volume, rel=1e-12)
    np.testing.assert_allclose(m.principal_moments, 3.0 * np.array(moments), rtol=1e-12)
    np.testing.assert_allclose(m.inertia, 3.0 * np.diag(moments), rtol=1e-12, atol=1e-14 * max(moments))
    np.testing.assert_array_equal(m.centre, 0.0)
    np.testing.assert_array_equal(m.principal_axes, np.eye(3))


def test_box_against_integrals_by_coordinate():
    """An a x b x c box rounded by r, cut by its planes into slabs whose integrals are elementary."""
    a, b, c, r = 1.0, 2.0, 4.0, 0.3
    m = Shape.polyhedron(vertices=[(x, y, z) for x in (0, a) for y in (0, b) for z in (0, c)], radius=r).mass_properties()
    pi = np.pi
    volume = a * b * c + 2.0 * r * (a * b + b * c + a * c) + pi * r**2 * (a + b + c) + 4.0 / 3.0 * pi * r**3

    def second(x, y, z):  # integral of x^2 over the rounded box centred at 0: E[(u + s/2 sign)^2] over each piece
        h = x / 2.0
        faces = 2.0 * r * (y * x**3 / 12.0 + z * x**3 / 12.0) + 2.0 * y * z * ((h + r) ** 3 - h**3) / 3.0
        edges = pi * r**2 * x**3 / 12.0
        edges += (y + z) * (pi * r**2 * h**2 + 2.0 * h * 4.0 / 3.0 * r**3 + pi / 4.0 * r**4)
        ball = 4.0 / 3.0 * pi * r**3 * h**2 + 2.0 * h * pi / 2.0 * r**4 + 4.0 / 15.0 * pi * r**5
        return x**3 / 12.0 * y * z + faces + edges + ball

    xx, yy, zz = second(a, b, c), second(b, c, a), second(c, a, b)
    assert m.volume == pytest.approx(volume, rel=1e-13)
    np.testing.assert_allclose(m.principal_moments, [yy + zz, xx + zz, xx + yy], rtol=1e-13)
    np.testing.assert_allclose(m.centre, [a / 2, b / 2, c / 2], rtol=1e-14)


@pytest.mark.parametrize(
    "shape",
    [
        random_hull(1),
        random_hull(2, (3.0, 1.0, 0.2), 0.1),
        Shape.spherotetrahedron(vertices=[(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 1)], radius=0.7),
        Shape.spherotriangle(vertices=[(0, 0, 0), (4, 0, 1), (0, 3, -1)], radius=0.5),
        Shape.spherocylinder(length=1.0, radius=0.4),
    ],
)
def test_exact_within_the_errors_of_quasi_monte_carlo(shape):
    exact, estimate = shape.mass_properties(2.0), shape.mass_properties_monte_carlo(2.0, samples=1 << 16, seed=3)
    # 16 replicates: beyond 5 standard errors once in 10^4 values
    assert abs(estimate.volume - exact.volume) < 5.0 * estimate.volume_error
    assert abs(estimate.mass - exact.mass) < 5.0 * estimate.mass_error
    assert (np.abs(estimate.centre - exact.centre) < 5.0 * estimate.centre_error).all()
    assert (np.abs(estimate.inertia - exact.inertia) < 5.0 * estimate.inertia_error).all()
    assert estimate.volume_error < 3e-3 * exact.volume


def test_monte_carlo_errors_fall_with_the_samples_and_repeat_by_seed():
    shape = random_hull(4)
    few, many = (shape.mass_properties_monte_carlo(samples=n, seed=1) for n in (1 << 12, 1 << 18))
    assert many.volume_error < 0.2 * few.volume_error  # plain Monte Carlo would give 1/8, quasi-Monte-Carlo about 1/16
    assert shape.mass_properties_monte_carlo(samples=1 << 12, seed=1).volume == few.volume
    assert shape.mass_properties_monte_carlo(samples=1 << 12, seed=2).volume != few.volume


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.05, 3.0))
def test_turned_and_shifted(seed, radius):
    shape = random_hull(seed, radius=radius)
    turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    shift = np.array([3.0, -2.0, 1.0])
    moved = Shape.polyhedron(vertices=shape.vertices @ turn.T + shift, radius=radius).mass_properties()
    m = shape.mass_properties()
    size = np.abs(m.inertia).max()
    assert moved.volume == pytest.approx(m.volume, rel=1e-13)
    np.testing.assert_allclose(moved.centre, turn @ m.centre + shift, atol=1e-13)
    np.testing.assert_allclose(moved.inertia, turn @ m.inertia @ turn.T, atol=1e-12 * size)
    np.testing.assert_allclose(np.sort(moved.principal_moments), np.sort(m.principal_moments), rtol=1e-12)
    np.testing.assert_allclose(m.principal_axes @ np.diag(m.principal_moments) @ m.principal_axes.T, m.inertia, atol=1e-13 * size)
    np.testing.assert_allclose(m.principal_axes.T @ m.principal_axes, np.eye(3), atol=1e-14)
    assert np.linalg.det(m.principal_axes) == pytest.approx(1.0, rel=1e-13)
    np.testing.assert_allclose(np.linalg.eigvalsh(m.inertia), np.sort(m.principal_moments), rtol=1e-12)


@pytest.mark.parametrize("scale", [2.0**-20, 1e-6, 1e6])
def test_scale_law(scale):
    shape = random_hull(7)
    m = shape.mass_properties()
    small = Shape.polyhedron(vertices=shape.vertices * scale, radius=shape.radius * scale).mass_properties()
    assert small.volume == pytest.approx(m.volume * scale**3, rel=1e-13)
    np.testing.assert_allclose(small.inertia, m.inertia * scale**5, rtol=1e-10, atol=1e-13 * scale**5)
    assert small.principal_moments == pytest.approx(m.principal_moments * scale**5, rel=1e-12)


def test_the_sum_of_parts_holds_for_big_and_small_radius():
    """Steiner's formula: volume and surface of the core from the polynomial in r."""
    shape = Shape.spherotetrahedron(vertices=[(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 1)], radius=1e-9)
    assert shape.mass_properties().volume == pytest.approx(1.0 + 1e-9 * (3.0 + 1.0 + 1.5 + 3.5), rel=1e-14)
    ball = Shape.spherotetrahedron(edge=1e-9, radius=1.0).mass_properties()
    assert ball.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-8)
    np.testing.assert_allclose(ball.principal_moments, 8.0 / 15.0 * np.pi, rtol=1e-8)


@pytest.mark.parametrize("aspect", [1e-6, 1e-3, 1e3, 1e6])
def test_needles_and_plates_keep_their_digits(aspect):
    """A box of sides 1, 1, aspect: the moments against the closed form, along the axes and turned (the turned corners are rounded themselves)."""
    r = 0.1 * min(1.0, aspect)
    corners = 0.5 * np.array([(x, y, z * aspect) for x in H for y in H for z in H])
    m = Shape.polyhedron(vertices=corners, radius=r).mass_properties()

    def second(x, y, z):
        h = x / 2.0
        faces = 2.0 * r * (y + z) * x**3 / 12.0 + 2.0 * y * z * r * (h * h + h * r + r * r / 3.0)
        edges = np.pi * r**2 * x**3 / 12.0 + (y + z) * (np.pi * r**2 * h**2 + 8.0 / 3.0 * h * r**3 + np.pi / 4.0 * r**4)
        ball = 4.0 / 3.0 * np.pi * r**3 * h**2 + h * np.pi * r**4 + 4.0 / 15.0 * np.pi * r**5
        return x**3 / 12.0 * y * z + faces + edges + ball

    xx, zz = second(1.0, 1.0, aspect), second(aspect, 1.0, 1.0)
    expected = np.array([xx + zz, xx + zz, 2.0 * xx])
    np.testing.assert_allclose(m.principal_moments, expected, rtol=1e-12)
    turn = Rotation.from_rotvec([0.3, 0.5, -0.2]).as_matrix()
    turned = Shape.polyhedron(vertices=corners @ turn.T, radius=r).mass_properties()
    rounding = 1e-14 * max(aspect, 1.0 / aspect)
    np.testing.assert_allclose(np.sort(turned.principal_moments), np.sort(expected), rtol=max(1e-12, rounding))


def test_thin_rods_and_long_rods():
    for length, radius in ((1e-7, 1.0), (1e7, 1.0)):
        m = Shape.spherocylinder(length=length, radius=radius).mass_properties()
        along = np.pi * radius**4 * length / 2.0 + 8.0 / 15.0 * np.pi * radius**5
        assert m.principal_moments[2] == pytest.approx(along, rel=1e-14)
        assert m.volume == pytest.approx(np.pi * radius**2 * (length + 4.0 / 3.0 * radius), rel=1e-15)
