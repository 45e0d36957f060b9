"""Covering spheres: how many, that they cover, and that those of different grains stay less than orthogonal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from pardem.detection.covering import Cover, Kind, axis_positions, cover_mixture, largest_radius, single_sphere
from pardem.errors import CoveringError
from pardem.shapes.shape import Shape

SHAPES = {
    "sphere": Shape.sphere(radius=0.3),
    "rod": Shape.spherocylinder(length=1.5, radius=0.25),
    "triangle": Shape.spherotriangle(edge=0.8, radius=0.25),
    "tetrahedron": Shape.spherotetrahedron(edge=0.7, radius=0.25),
    "uneven tetrahedron": Shape.spherotetrahedron(vertices=[(0, 0, 0), (0.7, 0, 0.1), (0.1, 0.4, 0), (0, 0.2, 0.5)], radius=0.3),
    "brick": Shape.polyhedron(vertices=[(x, y, z) for x in (-0.5, 0.5) for y in (-0.2, 0.2) for z in (-0.1, 0.1)], radius=0.2),
}


def kind(name: str, shape: Shape, smallest: float = 1.0, largest: float = 1.0) -> Kind:
    return Kind(name, shape.vertices, shape.edges, tuple(np.array(f) for f in shape.faces), shape.radius, smallest, largest)


def rod(elongation: float) -> Kind:
    """Radius 1; half the length of the axis is the elongation."""
    return kind("rod", Shape.spherocylinder(length=2.0 * elongation, radius=1.0))


def depths(shape: Shape, points: np.ndarray) -> np.ndarray:
    """Depth of points of the core below the grain's surface, by scipy's hull."""
    inner = np.zeros(len(points))
    if len(shape.vertices) > 3:
        equations = ConvexHull(shape.vertices).equations
        inner = -(points @ equations[:, :3].T + equations[:, 3]).max(axis=1)
        assert (inner > -1e-9).all()
    return np.asarray(shape.radius + inner)


def surface(shape: Shape, outer: float, count: int) -> np.ndarray:
    """Random points at the distance ``outer`` from the core: about its corners, edges and faces."""
    rng = np.random.default_rng(5)
    normal = rng.normal(size=(count, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    corner = shape.vertices[np.argmax(shape.vertices @ normal.T, axis=0)]
    out = [corner + outer * normal]
    for a, b in shape.edges:
        along = shape.vertices[b] - shape.vertices[a]
        n = normal - np.outer(normal @ along, along) / (along @ along)
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        lead = (shape.vertices @ n.T).max(axis=0) - shape.vertices[a] @ n.T
        n = n[lead < 1e-12]
        out.append(shape.vertices[a] + rng.random((len(n), 1)) * along + outer * n)
    for loop in shape.faces:
        p = shape.vertices[list(loop)]
        n = np.cross(p[1] - p[0], p[2] - p[0])
        n /= np.linalg.norm(n)
        weights = rng.dirichlet(np.ones(len(p)), count // 4)
        out += [weights @ p + s * outer * n for s in (1.0, -1.0) if (s * (shape.vertices - p[0]) @ n).max() < 1e-12]
    return np.concatenate(out)


# All grains of the thesis' experiments 3 and 4 have the same volume; xi_m = 0.05 mm. Chapter 4 says eight times the volume of a sphere of 1 mm
# diameter, and 5 and 9 spheres: these belong to the volume of one such sphere.
@pytest.mark.parametrize(("elongation", "diameter", "count"), [(3, 1.0, 5), (6, 1.0, 9), (3, 2.0, 4), (6, 2.0, 8)])
def test_number_of_spheres_along_a_rod(elongation: float, diameter: float, count: int) -> None:
    volume = math.pi * diameter**3 / 6.0
    radius = (volume / (math.pi * (2.0 * elongation + 4.0 / 3.0))) ** (1.0 / 3.0)
    overlap = 0.05 / radius
    reach = math.sqrt(2.0) - overlap / math.sqrt(2.0)
    assert len(axis_positions(2.0 * elongation, 1.0, reach)) == count
    (found,) = cover_mixture([rod(elongation)], overlap, 0.0)
    assert len(found.radii) == count
    # one fewer, each as far from the one before as it can be, do not come to the other end
    step, end = 2.0 * math.sqrt(reach**2 - 1.0), reach - 1.0
    assert end + (count - 2) * step + end < 2.0 * elongation
    assert found.radii.max() <= reach


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (rod, 15.0 / (8.0 * math.sqrt(2.0)) - 1.0),
        (lambda l: kind("grain", Shape.spherotriangle(circumradius=l, radius=1.0)), 15.0 / (8.0 * math.sqrt(2.0)) - 1.0),
        (lambda l: kind("grain", Shape.spherotetrahedron(circumradius=l, radius=1.0)), (45.0 - 24.0 * 2.0**0.5) / (24.0 * 2.0**0.5 - 16.0)),
    ],
)
def test_bounds_of_one_sphere(make: object, bound: float) -> None:
    """Thesis, section 3.2.1.2: a maximal overlap of an eighth of the sphero-radius."""
    assert len(single_sphere(make((1 - 1e-7) * bound), 0.125).radii) == 1  # type: ignore[operator]
    assert len(cover_mixture([make((1 - 1e-7) * bound)], 0.125, 0.0)[0].radii) == 1  # type: ignore[operator]
    with pytest.raises(CoveringError, match=f"{bound:.4g} is the most"):
        single_sphere(make((1 + 1e-7) * bound), 0.125)  # type: ignore[operator]
    assert len(cover_mixture([make((1 + 1e-6) * bound)], 0.125, 0.0)[0].radii) > 1  # type: ignore[operator]


ELONGATION = 15.0 / (8.0 * math.sqrt(2.0)) - 1.0
LEAST, MOST = 0.5 - math.sqrt(31.0) / 16.0, 0.5 + math.sqrt(31.0) / 16.0


def one_each(ratio: float, elongation: float, overlap: float) -> bool:
    """Whether spheres of radius 1 and rods of a radius and half-length over it are covered by one sphere each, less than orthogonal (system 3.4)."""
    ball, rods = kind("ball", Shape.sphere(radius=1.0)), kind("rod", Shape.spherocylinder(length=2.0 * elongation * ratio, radius=ratio))
    covers = cover_mixture([ball, rods], overlap, 0.0)
    if [len(cover.radii) for cover in covers] != [1, 1]:
        return False
    (first,), (second,) = (cover.radii for cover in covers)
    assert first >= 1.0
    assert second >= ratio * (1.0 + elongation)
    assert first**2 + second**2 <= (1.0 + ratio - overlap) ** 2
    return True


@pytest.mark.parametrize("ratio", [1.0001 * LEAST, 0.3, 0.5, 0.7, 0.9999 * MOST])
def test_bounds_of_spheres_mixed_with_rods(ratio: float) -> None:
    """Thesis, equation 3.7, with a maximal overlap of an eighth of the smaller radius."""
    assert pytest.approx((0.152, 0.848), abs=5e-4) == (LEAST, MOST)
    assert one_each(ratio, (1.0 - 1e-6) * ELONGATION, 0.125 * ratio)
    assert not one_each(ratio, (1.0 + 1e-6) * ELONGATION, 0.125 * ratio)


@pytest.mark.parametrize("ratio", [0.22, 0.5, MOST, 1.0])
def test_rods_beside_spheres_that_overlap_by_an_eighth_of_theirs(ratio: float) -> None:
    """The last of the inequalities (3.4) alone decides; it leaves no length below r_1 = 0.2134 r_0, and (3.7) is not the end above."""
    overlap = 0.125
    longest = (math.sqrt(2.0) - 1.0) - overlap / (math.sqrt(2.0) * ratio)
    assert one_each(ratio, (1.0 - 1e-6) * longest, overlap)
    assert not one_each(ratio, (1.0 + 1e-6) * longest, overlap)
    assert overlap / (2.0 - math.sqrt(2.0)) == pytest.approx(0.2134, abs=1e-4)


@pytest.fixture(scope="module")
def mixture() -> tuple[list[Kind], list[Cover]]:
    kinds = [kind(name, shape, 0.9, 1.1) for name, shape in SHAPES.items()]
    kinds.append(kind("boulder", Shape.sphere(radius=2.0)))
    return kinds, cover_mixture(kinds, 0.01, 0.03)


def test_every_grain_of_a_mixture_is_covered(mixture: tuple[list[Kind], list[Cover]]) -> None:
    """The surface of the grains dilated by half the skin, at both ends of their range of sizes."""
    for k, c in zip(*mixture):
        shape = SHAPES.get(k.name, Shape.sphere(radius=2.0))
        for size in (k.smallest, k.largest):
            points = size * surface(shape, shape.radius + 0.015 / size, 4000)
            distance = np.linalg.norm(points[:, None] - size * c.centres, axis=2)
            assert (distance <= size * c.radii).any(axis=1).all(), k.name


def test_spheres_of_different_grains_are_less_than_orthogonal(mixture: tuple[list[Kind], list[Cover]]) -> None:
    """The thesis' system (3.2), over all kinds and sizes."""
    rows = []
    for k, c in zip(*mixture):
        shape = SHAPES.get(k.name, Shape.sphere(radius=2.0))
        deep = depths(shape, c.centres)
        np.testing.assert_allclose(c.depths, deep, rtol=1e-9)
        rows += [(size * radius, size * d) for size in (k.smallest, k.largest) for radius, d in zip(c.radii, deep)]
    radius, depth = np.array(rows).T
    nearest = depth[:, None] + depth - 0.01
    assert (radius[:, None] ** 2 + radius**2 <= nearest**2 * (1.0 + 1e-12)).all()


def test_the_rule_for_radii_is_sharp() -> None:
    """With one margin it is the thesis' sqrt(2) (r - xi / 2)."""
    assert largest_radius(0.7, 0.7) == pytest.approx(math.sqrt(2.0) * 0.7, rel=1e-15)
    a = np.linspace(0.3, 5.0, 40)
    square = largest_radius(a, 0.3) ** 2
    assert (square[:, None] + square <= (a[:, None] + a) ** 2 * (1.0 + 1e-15)).all()
    assert (1.001 * square[:1] + square > (a[0] + a) ** 2).any()


def test_what_cannot_be_covered_is_said() -> None:
    with pytest.raises(CoveringError, match=r"make detection.max_overlap smaller"):
        cover_mixture([rod(3)], 2.1, 0.0)
    with pytest.raises(CoveringError, match=r"'rod' cannot be covered.*max_overlap or detection.skin smaller"):
        cover_mixture([rod(3)], 0.1, 0.8)
    with pytest.raises(CoveringError, match="cover nothing"):
        axis_positions(3.0, 1.0, 1.0)
