"""Skeletons of any kind: what is refused, convexity, mass properties of non-convex grains and shells."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.spatial.transform import Rotation
from skeletons import ell, prism, star, torus

from pardem.errors import ShapeError
from pardem.shapes import MassEstimate, Shape
from pardem.shapes.mass.octree import cells_mass_properties
from pardem.shapes.mass.polytope_mass import MassProperties, RoundedSkeleton

L, L_FACES = ell(2.0, 2.0, 1.0, 1.0, 1.0)
CUBE, CUBE_FACES = prism([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], 1.0)


def solid(vertices: Any, faces: Any, radius: float = 0.1) -> Shape:
    return Shape.skeleton(vertices=vertices, faces=faces, radius=radius, solid=True)


def integrals(m: MassProperties) -> tuple[float, np.ndarray, np.ndarray]:
    """Of 1, x and x x^T about the origin, at density 1."""
    second = 0.5 * np.trace(m.inertia) * np.eye(3) - m.inertia
    return m.volume, m.volume * m.centre, second + m.volume * np.outer(m.centre, m.centre)


def from_integrals(volume: float, first: np.ndarray, second: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    about = second - np.outer(first, first) / volume
    return volume, first / volume, np.trace(about) * np.eye(3) - about


def corner_of_two_slabs(x: float, y: float, height: float, r: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Integrals over the points beyond (x, y) that two slabs at right angles share beyond a rounded corner: squares less quarter disks, by height."""

    def along(power: int, f: Any) -> float:
        """Integral of z^power f(rho(z)) over the height of the rounded prism."""
        middle = f(r) * (height ** (power + 1)) / (power + 1)
        ends = quad(lambda t: ((height + t) ** power + (-t) ** power) * f(np.sqrt(r * r - t * t)), 0.0, r, epsabs=0.0, epsrel=1e-12)[0]
        return float(middle + ends)

    area = (1.0 - np.pi / 4.0, 2)
    u, uu, uv = (0.5 - 1.0 / 3.0, 3), (1.0 / 3.0 - np.pi / 16.0, 4), (0.25 - 0.125, 4)
    one, on_u, on_uu, on_uv = (along(0, lambda rho, c=c, p=p: c * rho**p) for c, p in (area, u, uu, uv))
    z, zz = along(1, lambda rho: area[0] * rho**2), along(2, lambda rho: area[0] * rho**2)
    zu = along(1, lambda rho: u[0] * rho**3)
    xx, yy, xy = x * x * one + 2.0 * x * on_u + on_uu, y * y * one + 2.0 * y * on_u + on_uu, x * y * one + (x + y) * on_u + on_uv
    xz, yz = x * z + zu, y * z + zu
    return one, np.array([x * one + on_u, y * one + on_u, z]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def box(a: float, b: float, c: float, r: float) -> tuple[float, np.ndarray, np.ndarray]:
    return integrals(Shape.polyhedron(vertices=prism([(0, 0), (a, 0), (a, b), (0, b)], c)[0], radius=r).mass_properties())


@settings(max_examples=4, deadline=None)
@given(st.floats(0.3, 0.8), st.floats(0.3, 0.8), st.floats(0.2, 2.0), st.floats(0.02, 0.2))
def test_two_boxes_against_their_integrals(a1, b1, height, r):
    """The rounded L is the union of two rounded boxes; these share the rounded common box, and a corner between their slabs."""
    m = solid(*ell(1.0, 1.0, a1, b1, height), r).mass_properties()
    parts = [(1.0, box(1.0, b1, height, r)), (1.0, box(a1, 1.0, height, r)), (-1.0, box(a1, b1, height, r))]
    parts.append((-1.0, corner_of_two_slabs(a1, b1, height, r)))
    volume, centre, inertia = from_integrals(*(sum(sign * p[k] for sign, p in parts) for k in range(3)))
    assert isinstance(m, MassEstimate)
    assert m.volume_error < 1e-4 * volume
    assert m.inertia_error.max() < 1e-4 * inertia.max()
    # 8 replicates: Student's t with 7 degrees of freedom is beyond 8 once in 10^4
    assert abs(m.volume - volume) < 8.0 * m.volume_error
    assert (np.abs(m.centre - centre) < 8.0 * m.centre_error).all()
    assert (np.abs(m.inertia - inertia) < 8.0 * m.inertia_error).all()
    np.testing.assert_allclose(m.principal_axes @ np.diag(m.principal_moments) @ m.principal_axes.T, m.inertia, atol=1e-12 * inertia.max())


@pytest.mark.parametrize(
    "shape",
    [
        Shape.cube(side=2.0, radius=0.3),
        Shape.spherotetrahedron(circumradius=1.0, radius=0.02),
        Shape.spherotriangle(circumradius=1.0, radius=0.1),
        Shape.spherocylinder(length=8.0, radius=0.3),
    ],
    ids=lambda shape: shape.kind,
)
def test_cells_agree_with_closed_forms(shape):
    m = cells_mass_properties(RoundedSkeleton(shape.vertices, shape.edges, shape.faces, shape.radius, len(shape.faces) > 1), 2.0)
    exact = shape.mass_properties(2.0)
    assert m.mass_error < 1.5e-4 * exact.mass
    assert abs(m.mass - exact.mass) < 8.0 * m.mass_error
    assert (np.abs(m.inertia - exact.inertia) < 8.0 * m.inertia_error).all()
    assert (np.abs(m.centre - exact.centre) < 8.0 * m.centre_error).all()


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.02, 0.3))
def test_random_stars_against_quasi_monte_carlo(seed, radius):
    shape = solid(*star(seed, 12), radius)
    assert not shape.convex
    m, other = shape.mass_properties(3.0), shape.mass_properties_monte_carlo(3.0, samples=1 << 15)
    assert abs(m.mass - other.mass) < 6.0 * other.mass_error
    assert (np.abs(m.centre - other.centre) < 6.0 * other.centre_error).all()
    assert (np.abs(m.inertia - other.inertia) < 6.0 * other.inertia_error).all()


def test_polyline_with_a_right_angle():
    """By slices: two strips less the square that they share, a quarter disk outside the corner, two half disks."""
    length, r = 1.5, 0.25
    m = Shape.polyline(vertices=[(length, 0, 0), (0, 0, 0), (0, length, 0)], radius=r).mass_properties()
    volume = 2.0 * length * np.pi * r**2 + (1.25 * np.pi - 1.0) * 4.0 / 3.0 * r**3
    assert abs(m.volume - volume) < 8.0 * m.volume_error
    assert m.volume_error < 1e-4 * volume


def test_shell_of_a_box_is_the_rounded_box_less_its_hollow():
    """Faces without solid: the dilated box less the box eroded by the radius."""
    r = 0.1
    m = Shape.skeleton(vertices=CUBE, faces=CUBE_FACES, radius=r).mass_properties()
    volume = Shape.polyhedron(vertices=CUBE, radius=r).mass_properties().volume - (1.0 - 2.0 * r) ** 3
    assert abs(m.volume - volume) < 8.0 * m.volume_error


def test_cavity_is_hollow():
    inner = 0.25 + 0.5 * CUBE
    faces = [*CUBE_FACES, *(tuple(v + 8 for v in loop[::-1]) for loop in CUBE_FACES)]
    m = solid(np.concatenate([CUBE, inner]), faces, 0.1).mass_properties()
    volume = Shape.polyhedron(vertices=CUBE, radius=0.1).mass_properties().volume - 0.3**3
    assert abs(m.volume - volume) < 8.0 * m.volume_error


def test_points_alone():
    m = Shape.skeleton(vertices=[(0, 0, 0), (3, 0, 0), (0, 4, 0)], radius=1.0).mass_properties()
    assert abs(m.volume - 4.0 * np.pi) < 8.0 * m.volume_error
    np.testing.assert_allclose(m.centre, [1.0, 4.0 / 3.0, 0.0], atol=1e-3)


@pytest.mark.parametrize(("scale", "rounding"), [(2.0**-20, 0.0), (1e-6, 1e-6)])  # powers of two change no digit
def test_mass_scales_and_repeats(scale, rounding):
    m, again = solid(L, L_FACES).mass_properties(2.0), solid(L, L_FACES).mass_properties()
    assert again.volume == m.volume
    np.testing.assert_array_equal(2.0 * again.inertia, m.inertia)
    small = solid(L * scale, L_FACES, 0.1 * scale).mass_properties(2.0)
    assert small.volume == pytest.approx(m.volume * scale**3, rel=rounding, abs=0.0)
    np.testing.assert_allclose(small.principal_moments, m.principal_moments * scale**5, rtol=rounding)


def test_convex_skeletons_take_the_exact_path():
    cube = solid(CUBE, CUBE_FACES)
    assert cube.convex
    assert cube.mass_properties().volume == pytest.approx(Shape.cube(side=1.0, radius=0.1).mass_properties().volume, rel=1e-13)
    plate = Shape.skeleton(vertices=CUBE[:4], faces=[(0, 1, 2, 3)], radius=0.1)
    assert plate.convex
    assert plate.mass_properties().volume == pytest.approx(0.2 + 4.0 * np.pi * 0.01 / 2.0 + 4.0 / 3.0 * np.pi * 1e-3, rel=1e-13)
    turned = Rotation.from_rotvec([0.3, 0.7, -0.4]).as_matrix()
    assert solid(CUBE @ turned.T, CUBE_FACES).convex
    for other in (
        solid(L, L_FACES),
        Shape.skeleton(vertices=L[:6], faces=[(0, 1, 2, 3, 4, 5)], radius=0.1),
        Shape.skeleton(vertices=CUBE, faces=CUBE_FACES, radius=0.1),
        Shape.skeleton(vertices=[*CUBE, (3, 0, 0)], faces=CUBE_FACES, edges=[(1, 8)], radius=0.1, solid=True),
    ):
        assert not other.convex


def test_sides_of_faces_are_edges():
    shape = Shape.skeleton(vertices=[*L, (5.0, 5.0, 5.0)], edges=[(1, 0), (8, 12)], faces=L_FACES, radius=0.1)
    assert len(shape.edges) == 19
    assert [8, 12] in shape.edges.tolist()


def test_yermis_runs_along_the_axes():
    steps = np.diff(Shape.yermis(edge=2.0, radius=0.1).vertices, axis=0)
    np.testing.assert_array_equal(np.abs(steps), 2.0 * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    bend, torsion = 0.7, -0.4
    d = np.diff(Shape.yermis(edge=1.0, radius=0.01, segments=4, bend=bend, torsion=torsion).vertices, axis=0)
    np.testing.assert_allclose((d[1:] * d[:-1]).sum(axis=1), np.cos(bend), rtol=1e-13)
    planes = np.cross(d[:-1], d[1:]) / np.sin(bend)
    np.testing.assert_allclose((planes[1:] * planes[:-1]).sum(axis=1), np.cos(torsion), rtol=1e-13)


BENT = L.copy()
BENT[6, 2] = 1.3


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"faces": L_FACES[:-1], "solid": True}, "not closed: the edge between vertices 0 and 5 has face 0 on one side only"),
        ({"faces": [loop[::-1] for loop in L_FACES], "solid": True}, "run clockwise seen from outside"),
        ({"faces": [L_FACES[0][::-1], *L_FACES[1:]], "solid": True}, "faces 0 and 2 run the same way along the edge between vertices 0 and 1"),
        ({"vertices": [*L, (-1, -1, 0.5)], "faces": [*L_FACES, (0, 6, 12)], "solid": True}, "has 3 faces (2, 7, 8)"),
        ({"vertices": [*L, (5, 5, 5)], "faces": L_FACES}, "vertex 12 belongs to no edge and no face"),
        ({"vertices": [*L, (0, 0, 0)], "faces": L_FACES, "points": [12]}, "vertices 0 and 12 are the same point"),
        ({"vertices": [*L, (0.5, 0.5, 1.0)], "faces": L_FACES, "points": [12]}, "vertex 12 lies on face 1"),
        ({"vertices": [*L, (0.5, 0.5, -1), (0.6, 0.5, 2)], "faces": L_FACES, "edges": [(12, 13)]}, "vertices 12 and 13 passes through face"),
        ({"faces": L_FACES, "edges": [(6, 8)]}, "the edge between vertices 6 and 8 lies on face 1"),
        ({"faces": L_FACES, "edges": [(0, 6), (6, 0)]}, "edges 0 and 1 have the same vertices, [0, 6]"),
        ({"faces": [*L_FACES, L_FACES[3]]}, "faces 3 and 8 have the same vertices"),
        ({"vertices": BENT, "faces": L_FACES}, "is not planar: vertex"),
        ({"vertices": [(0, 0, 0), (1, 0, 0), (2, 0, 0)], "faces": [(0, 1, 2)]}, "face 0 (vertices [0, 1, 2]) has no area"),
        ({"vertices": [(0, 0, 0), (1, 0, 0), (0, 2, 0), (2, 1, 0)], "faces": [(0, 1, 2, 3)]}, "touch or cross"),
        ({"vertices": [(0, 0, 0), (1, 0, 0), (2, 0, 0)], "edges": [(0, 1), (0, 2)]}, "overlap"),
        ({"vertices": [(0, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 0)], "edges": [(0, 1), (2, 3)]}, "touch or cross"),
        ({"vertices": [(0, 0, 0), (1, 0, 0)], "edges": [(0, 1)]}, "use Shape.spherocylinder"),
        ({"vertices": [(0, 0, 0), (1, 0, np.nan)]}, "vertex 1 = [1.0, 0.0, nan] must have finite coordinates"),
        ({"edges": [(0, 12)]}, "edge 0 = [0, 12] names vertex 12, but there are vertices 0 to 11"),
        ({"faces": [(0, 1, 1)]}, "names a vertex twice"),
        ({"faces": [(0, 1)]}, "at least three vertices"),
        ({"edges": [(0, 1.5)]}, "must be a list of vertex numbers"),
        ({"solid": True}, "a solid needs faces"),
        ({"faces": L_FACES, "radius": 0.0}, "radius = 0.0 must be a positive finite number"),
    ],
)
def test_what_is_refused(keys, sentence):
    with pytest.raises(ShapeError) as caught:
        Shape.skeleton(**{"vertices": L, "radius": 0.1, **keys})
    assert sentence in str(caught.value)


def test_polyline_and_yermis_refuse():
    with pytest.raises(ShapeError, match="at least three vertices"):
        Shape.polyline(vertices=[(0, 0, 0), (1, 0, 0)], radius=0.1)
    with pytest.raises(ShapeError, match="touch or cross"):
        Shape.polyline(vertices=[(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, -1, 0)], radius=0.1)
    with pytest.raises(ShapeError, match="touch or cross"):
        Shape.yermis(edge=1.0, radius=0.1, bend=2.5, torsion=0.0)
    with pytest.raises(ShapeError, match="bend = 0"):
        Shape.yermis(edge=1.0, radius=0.1, bend=0)


def test_meshes_of_ten_thousand_faces_are_checked_in_seconds():
    vertices, triangles = torus(1.0, 0.4, 100, 50)
    begin = time.perf_counter()
    shape = solid(vertices, triangles)
    assert time.perf_counter() - begin < 20.0
    assert len(shape.faces) == 10000
    vertices[0] -= 0.81 * vertices[0] / np.linalg.norm(vertices[0])  # across the tube
    with pytest.raises(ShapeError, match=r"passes through face|touch or cross"):
        solid(vertices, triangles)
