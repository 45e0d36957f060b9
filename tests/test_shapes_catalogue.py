"""The catalogue: principal frames, flat arrays, orientations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pardem.errors import ShapeError
from pardem.shapes import Shape, Species, build_catalogue, principal_orientations

IRREGULAR = np.random.default_rng(5).normal(size=(9, 3)) * (1.0, 2.0, 0.5) + 4.0
SPECIES = [
    Species("ball", Shape.sphere(radius=0.5), 2.0),
    Species("rod", Shape.spherocylinder(length=2.0, radius=0.25), 3.0),
    Species("plate", Shape.spherotriangle(circumradius=1.0, radius=0.1), 1.0),
    Species("cube", Shape.cube(side=2.0, radius=0.3), 1.0),
    Species("pebble", Shape.polyhedron(vertices=IRREGULAR, radius=0.2), 5.0),
]


@pytest.fixture(scope="module")
def catalogue():
    return build_catalogue(SPECIES)


def block(catalogue, s):
    return catalogue.vertices[catalogue.vertex_start[s] : catalogue.vertex_start[s + 1]]


def test_simple_species(catalogue):
    pebble = len(SPECIES[4].shape.vertices)
    assert catalogue.kind.tolist() == [1, 2, 3, 8, pebble]
    assert catalogue.kind.dtype == np.int32
    assert catalogue.radius.tolist() == [0.5, 0.25, 0.1, 0.3, 0.2]
    assert block(catalogue, 0).tolist() == [[0.0, 0.0, 0.0]]
    assert block(catalogue, 1).tolist() == [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]
    assert np.array_equal(block(catalogue, 3), SPECIES[3].shape.vertices)
    assert catalogue.core_radius[:4] == pytest.approx([0.0, 1.0, 1.0, 3**0.5])
    assert catalogue.inradius[:4].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert catalogue.edge_start.tolist()[:5] == [0, 0, 1, 4, 16]
    assert catalogue.face_start.tolist()[:5] == [0, 0, 0, 1, 7]
    assert catalogue.face_vertex_start.tolist()[:8] == [0, 3, 7, 11, 15, 19, 23, 27]
    np.testing.assert_allclose(catalogue.mass, [s.shape.mass_properties(s.density).mass for s in SPECIES], rtol=1e-15)


def test_principal_frame_of_an_irregular_grain(catalogue):
    """The body built from the catalogue's vertices has its centre at 0 and is diagonal with the catalogue's moments."""
    body = Shape.polyhedron(vertices=block(catalogue, 4), radius=0.2).mass_properties(5.0)
    np.testing.assert_allclose(body.centre, 0.0, atol=1e-14)
    np.testing.assert_allclose(body.inertia, np.diag(catalogue.inertia[4]), rtol=1e-12, atol=1e-13 * catalogue.inertia[4].max())
    np.testing.assert_allclose(catalogue.centre[4] + block(catalogue, 4) @ catalogue.axes[4].T, SPECIES[4].shape.vertices, atol=1e-14)
    assert np.linalg.det(catalogue.axes[4]) == pytest.approx(1.0)
    distances = np.linalg.norm(block(catalogue, 4), axis=1)
    assert catalogue.core_radius[4] == distances.max()
    assert 0.0 < catalogue.inradius[4] < distances.min()


def test_given_axes_stay_where_they_are_principal(catalogue):
    for s in range(4):
        assert np.array_equal(catalogue.axes[s], np.eye(3))
    turn = Rotation.from_rotvec([0.2, 0.3, 0.4]).as_matrix()
    turned = build_catalogue([Species("cube", Shape.polyhedron(vertices=SPECIES[3].shape.vertices @ turn.T, radius=0.3), 1.0)])
    assert np.array_equal(turned.axes[0], np.eye(3))  # any axes of a cube are principal


def test_orientations_of_the_given_axes(catalogue):
    rng = np.random.default_rng(2)
    turns = Rotation.random(10, rng=rng)
    q = np.roll(turns.as_quat(), 1, axis=1)  # to (w, x, y, z)
    species = np.array([4, 1] * 5)
    body = principal_orientations(catalogue, species, q)
    assert np.array_equal(body[species == 1], q[species == 1])
    for k in np.flatnonzero(species == 4):
        world = Rotation.from_quat(np.roll(body[k], -1)).apply(block(catalogue, 4))
        np.testing.assert_allclose(world, turns[k].apply(SPECIES[4].shape.vertices - catalogue.centre[4]), atol=1e-13)


def test_empty_catalogue():
    assert build_catalogue([]).vertices.shape == (0, 3)


def test_errors_name_the_species():
    with pytest.raises(ShapeError, match="named 'a'"):
        build_catalogue([Species("a", Shape.sphere(radius=1.0), 1.0)] * 2)
    with pytest.raises(ShapeError, match=r"Species 'b': density = -1\.0"):
        build_catalogue([Species("b", Shape.sphere(radius=1.0), -1.0)])
