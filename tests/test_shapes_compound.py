"""Compounds: hulls of pieces, mass of their union, what cylinders meet, pictures, cases, insertion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scenes import CROSS, ELASTIC, ELL, box, case_of
from skeletons import ell

from pardem.case import Case
from pardem.errors import CaseError, InsertionError, ShapeError
from pardem.insertion import require_clear
from pardem.insertion.placed_grains import PlacedGrains
from pardem.shapes import MassEstimate, Shape, Species, build_catalogue
from pardem.shapes.compound import hull_of, most_that_meet, outer_vertices

CUBE = box((0, 0, 0), (1, 1, 1))
PIECES: Any = ELL["pieces"]


def compound(*pieces: Any, radius: float = 0.1) -> Shape:
    return Shape.compound(pieces=pieces, radius=radius)


def test_one_piece_is_the_convex_polyhedron() -> None:
    points = np.random.default_rng(3).normal(size=(12, 3))
    one, other = compound(points), Shape.polyhedron(vertices=points, radius=0.1)
    assert one.convex
    assert not one.pieces
    assert np.array_equal(one.vertices, other.vertices)
    assert one.faces == other.faces
    a, b = one.mass_properties(3.0), other.mass_properties(3.0)
    assert not isinstance(a, MassEstimate)
    assert np.array_equal(a.inertia, b.inertia)
    assert np.array_equal(a.centre, b.centre)


def test_hulls_of_any_rank() -> None:
    """A point, a segment with points along it, a square with points inside it (in any plane), a cube with its middle."""
    assert len(hull_of(np.array([[1.0, 2.0, 3.0]] * 3)).vertices) == 1
    segment = hull_of(np.array([[0.0, 0, 0], [3.0, 3, 3], [1.0, 1, 1], [2.0, 2, 2]]))
    assert segment.vertices.tolist() == [[0, 0, 0], [3, 3, 3]]
    assert segment.edges.tolist() == [[0, 1]]
    rng = np.random.default_rng(8)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    square = np.array([[0, 0, 0], [0.5, 0, 0], [0.3, 0.4, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    flat = hull_of(square @ axes.T + [4.0, 5.0, 6.0])
    assert len(flat.vertices) == len(flat.edges) == len(flat.faces[0]) == 4
    solid = hull_of(np.array([*CUBE, (0.5, 0.5, 0.5)], dtype=float))
    assert len(solid.vertices) == 8
    assert len(solid.faces) == 6


def test_vertices_follow_each_other_and_faces_close() -> None:
    shape = compound(CUBE, [(0, 0, 2), (1, 0, 2), (0, 1, 2)], [(0, 0, 0), (0, 0, 3)], [(5, 5, 5)])
    assert shape.pieces == (8, 3, 2, 1)
    assert not shape.convex
    sides = [(a, b) for loop in shape.faces for a, b in zip(loop, (*loop[1:], loop[0]), strict=True)]
    assert set(sides) == {(b, a) for a, b in sides}
    assert shape.edges.max() == 12


def test_mass_of_a_union_is_that_of_the_skeleton_as_a_whole() -> None:
    """Two boxes that share a face against the octree over the ell's skeleton: two estimates by different means."""
    vertices, faces = ell(1.2, 1.2, 0.4, 0.4, 0.4)
    whole = Shape.skeleton(vertices=vertices, faces=faces, radius=0.1, solid=True).mass_properties(1000.0)
    union = compound(*PIECES).mass_properties(1000.0)
    assert isinstance(whole, MassEstimate)
    assert isinstance(union, MassEstimate)
    assert union.volume_error < 1e-4 * union.volume
    assert abs(union.volume - whole.volume) < 4.0 * np.hypot(union.volume_error, whole.volume_error)
    assert (np.abs(union.centre - whole.centre) < 5.0 * np.hypot(union.centre_error, whole.centre_error)).all()
    assert (np.abs(union.inertia - whole.inertia) < 5.0 * np.hypot(union.inertia_error, whole.inertia_error)).all()
    sampled = compound(*PIECES).mass_properties_monte_carlo(1000.0)
    assert abs(union.volume - sampled.volume) < 4.0 * np.hypot(union.volume_error, sampled.volume_error)


def test_pieces_apart_add_up_and_equal_ones_count_once() -> None:
    one = Shape.polyhedron(vertices=CUBE, radius=0.1).mass_properties()
    apart = compound(CUBE, box((3, 0, 0), (4, 1, 1))).mass_properties()
    assert apart.volume == pytest.approx(2.0 * one.volume, rel=1e-14)
    np.testing.assert_allclose(apart.centre, [2.0, 0.5, 0.5], rtol=1e-14)
    np.testing.assert_allclose(apart.principal_moments, 2.0 * one.principal_moments + one.volume * np.array([0.0, 4.5, 4.5]), rtol=1e-13)
    twice = compound(CUBE, CUBE).mass_properties()
    assert isinstance(twice, MassEstimate)
    assert abs(twice.volume - one.volume) < 5.0 * twice.volume_error < 1e-2


def test_a_planar_union_has_the_area_of_the_outline() -> None:
    """Exact for the outline; the pieces' common part is an estimate."""
    outline = [(0, 0), (1, 0), (1, 0.4), (0.4, 0.4), (0.4, 1), (0, 1)]
    whole = Shape.polygon(vertices=outline, radius=0.1).mass_properties(2.0)
    shape = Shape.planar_compound(pieces=[[(0, 0), (1, 0), (1, 0.4), (0, 0.4)], [(0, 0.4), (0.4, 0.4), (0.4, 1), (0, 1)]], radius=0.1)
    union = shape.mass_properties(2.0)
    assert isinstance(union, MassEstimate)
    assert abs(union.volume - whole.volume) < 4.0 * union.volume_error < 4e-4 * whole.volume
    assert (np.abs(union.centre - whole.centre) <= 4.0 * union.centre_error).all()
    assert abs(union.inertia[2, 2] - whole.inertia[2, 2]) < 4.0 * union.inertia_error[2, 2]
    sampled = shape.mass_properties_monte_carlo(2.0)
    assert isinstance(sampled, MassEstimate)
    assert abs(sampled.volume - whole.volume) < 4.0 * sampled.volume_error


@pytest.mark.parametrize(
    ("pieces", "match"),
    [
        ([], "needs at least one piece"),
        (3, "pieces is a list of lists of points"),
        ([CUBE, [(0, 0)]], "^Piece 1: .*three coordinates"),
        ([CUBE, CUBE, [(0, 0, float("nan"))]], "^Piece 2: .*vertex 0 = .*finite"),
        ([[(0, 0, 0)], [(1, 0, 0)]], "two single points"),
    ],
)
def test_pieces_that_are_none_are_refused(pieces: Any, match: str) -> None:
    with pytest.raises(ShapeError, match=match):
        Shape.compound(pieces=pieces, radius=0.1)


def test_a_cylinder_meets_corners_of_the_hull_once() -> None:
    """Ten of an ell's twelve corners; shared ones once, the one in the corner of the ell never, even with rounding."""
    shape = compound(*PIECES)
    rng = np.random.default_rng(2)
    turned = shape.vertices @ np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    for vertices in (shape.vertices, turned):
        outer = outer_vertices(vertices)
        kept = shape.vertices[outer]
        assert len(np.unique(kept, axis=0)) == len(kept) == 10
        assert not ((kept[:, 0] == 0.4) & (kept[:, 1] == 0.4)).any()


def test_how_many_pieces_meet() -> None:
    row = [box((k, 0, 0), (k + 1.0, 1, 1)) for k in range(4)]
    shape = compound(*row)
    assert most_that_meet(shape.vertices, shape.pieces, 0.1) == 3
    apart = compound(*row[::2])
    assert most_that_meet(apart.vertices, apart.pieces, 0.1) == 1


def test_a_picture_covers_the_union() -> None:
    from pardem.io.views.rounded_surfaces import grain_surface

    catalogue = build_catalogue([Species("cross", Shape.compound(pieces=CROSS["pieces"], radius=0.15), 1.0)])  # type: ignore[arg-type]
    points = grain_surface(catalogue._asdict(), 0, 12).points @ catalogue.axes[0].T + catalogue.centre[0]
    np.testing.assert_allclose(np.abs(points).max(axis=0), 0.75, rtol=1e-2)
    off = np.sort(np.abs(points), axis=1)[:, :2]  # from the nearest of the axes
    ends = np.abs(points).max(axis=1) > 0.6
    assert np.hypot(*off[~ends].T).max() < 0.151


def test_compounds_of_a_case() -> None:
    case = case_of([ELL], ELASTIC, 1e-4, grain=[{"species": "ell", "position": (0, 0, 0)}])
    assert case.species[0].make_shape().pieces == (8, 8)
    assert case.species[0].core_vertices == 16
    assert Case.model_validate(case.model_dump(exclude_none=True)).species == case.species
    plane: Any = {"name": "ell", "shape": "planar_compound", "radius": 0.1, "density": 1.0, "pieces": [[(0, 0), (1, 0)], [(0, 0), (0, 1), (1, 1)]]}
    planar: Any = {
        "dimension": 2,
        "domain": {"lower": (-5, -5), "upper": (5, 5)},
        "gravity": (0, 0),
        "grain": [{"species": "ell", "position": (0, 0)}],
    }
    assert case_of([plane], ELASTIC, 1e-4, **planar).species[0].make_shape().pieces == (2, 3)
    with pytest.raises(CaseError, match=r"species\.ell\.shape = 'compound' is a shape in three dimensions.*use 'planar_compound'"):
        case_of([ELL], ELASTIC, 1e-4, **planar)
    with pytest.raises(CaseError, match=r"species\.ell\.pieces\.1\.0 = .* leads out of the plane"):
        case_of([plane | {"pieces": [[(0, 0), (1, 0)], [(0, 0, 1), (1, 1)]]}], ELASTIC, 1e-4, **planar)


def test_insertion_knows_the_inside_of_pieces() -> None:
    """A ball in the ell's corner is clear, one within a thick piece overlaps, though it is far from all faces."""
    big = compound(box((0, 0, 0), (4, 4, 4)), box((4, 0, 0), (5, 1, 1)))
    catalogue = build_catalogue([Species("big", big, 1.0), Species("ball", Shape.sphere(radius=0.2), 1.0)])
    level = np.array([[1.0, 0, 0, 0]] * 2)
    level[0, 1:] = 0.0

    def placed(given: tuple[float, float, float]) -> PlacedGrains:
        at = catalogue.axes[0].T @ (np.array(given) - catalogue.centre[0])
        return PlacedGrains(np.array([0, 1]), 1.0, np.array([[0.0, 0, 0], at]), level)

    require_clear(catalogue, placed((4.4, 1.4, 0.5)))
    with pytest.raises(InsertionError, match="overlap"):
        require_clear(catalogue, placed((2.0, 2.0, 2.0)))
