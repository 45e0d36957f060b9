"""Superposition of feature contacts: nearest points, the counting of the papers, conserved energy, and candidates against all pairs of features."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import CUBE, ELASTIC, FLOOR, ROD, SPHERE, TETRAHEDRON, case_of, engine_of, turned, worst_energy

from pardem.contacts.nearest.features import (
    EDGE_EDGE,
    FACE_VERTEX,
    VERTEX_FACE,
    bodies_of,
    feature_pair,
    first_of,
    kind_of,
    nearest_features,
    second_of,
)
from pardem.detection.search import MARGIN
from pardem.engine import Engine

FEATURES = ELASTIC | {"interaction": "superposition"}
STEP = 5e-4


def two(species: dict[str, Any], **second: Any) -> Engine:
    """Two grains, the first about the origin, both at rest."""
    grains = [{"species": species["name"], "position": (0.0, 0.0, 0.0)} | second.pop("first", {}), {"species": species["name"]} | second]
    return engine_of(case_of([species], FEATURES, STEP, grain=grains), overlaps=True)[0]


def test_a_bodies_of_features_is_one_number() -> None:
    for kind in range(5):
        for a, b in ((0, 0), (1, 70000), (123456, 7)):
            sub = feature_pair(kind, a, b)
            assert (kind_of(sub), first_of(sub), second_of(sub)) == (kind, a, b)


def along(direction: np.ndarray, target: np.ndarray) -> tuple[float, ...]:
    """Quaternion that turns one direction into another."""
    a, b = direction / np.linalg.norm(direction), target / np.linalg.norm(target)
    axis = np.cross(a, b)
    return turned(tuple(axis), math.acos(float(a @ b)))


@pytest.mark.parametrize(("feature", "count"), [("face", 1), ("edge", 5), ("vertex", 15)])
def test_tetrahedra_count_a_contact_as_often_as_the_paper_says(feature: str, count: int) -> None:
    """A vertex that comes down on a face, an edge or a vertex of the other: force over k delta (paper 003; see docs/theory/contacts.md)."""
    vertices = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]) * TETRAHEDRON["edge"] / 8**0.5
    chosen = {"face": vertices[:3], "edge": vertices[:2], "vertex": vertices[:1]}[feature].mean(axis=0)
    up = np.array([0.0, 0.0, 1.0])
    overlap = 0.01
    top = float(np.linalg.norm(chosen) + np.linalg.norm(vertices[0]) + 2 * TETRAHEDRON["radius"] - overlap)
    lower = along(chosen, up)
    # turned about the vertical by an odd angle, so that no features are parallel
    a, b = along(vertices[0], -up), turned((0, 0, 1), 0.3)
    upper = (
        b[0] * a[0] - b[3] * a[3], b[0] * a[1] - b[3] * a[2], b[0] * a[2] + b[3] * a[1], b[0] * a[3] + b[3] * a[0]
    )  # fmt: skip
    engine = two(TETRAHEDRON, first={"orientation": lower}, position=(0, 0, top), orientation=upper)
    engine.evaluate()
    g = engine.grains
    mass = float(g.v[0, 3])
    k = 0.5 * mass * (math.pi / ELASTIC["contact_time"]) ** 2
    force = g.ft[np.argsort(g.gid)][1, :3] * engine.scene.settings.force
    assert force[2] == pytest.approx(count * k * overlap, rel=1e-9)
    assert np.abs(force[:2]).max() < 1e-9 * force[2]
    assert len(engine.contacts().key) == count


@pytest.mark.parametrize("species", [pytest.param(ROD, marks=pytest.mark.slow), TETRAHEDRON, CUBE], ids=lambda s: s["name"])
def test_energy_error_falls_as_the_square_of_the_step(species: dict[str, Any]) -> None:
    name = species["name"]
    grains = [
        {"species": name, "position": (-0.8, 0, 0), "velocity": (1, 0, 0), "orientation": turned((1, 2, 3), 0.7)},
        {"species": name, "position": (0.8, 0.1, 0.2), "velocity": (-1, 0, 0), "orientation": turned((3, -1, 1), 1.3)},
    ]
    coarse, fine = (worst_energy([species], grains, [], FEATURES, dt, 1.0, 4e-4) for dt in (4e-4, 2.5e-5))
    assert coarse < 2e-3
    assert fine < coarse / 150.0


def test_energy_is_kept_on_a_floor_and_on_a_disc() -> None:
    """A cube that lands flat meets a wall with four vertices."""
    disc = {"name": "disc", "kind": "disc", "center": (0.3, 0, 0), "normal": (0, 0, 1), "radius": 4.0}
    for wall, turn in ((FLOOR, 0.0), (FLOOR, 0.2), (disc, 0.1)):
        cube = {"species": "cube", "position": (0, 0, 0.8), "velocity": (0, 0, -1.0), "orientation": turned((1, 0.4, 0), turn)}
        coarse, fine = (worst_energy([CUBE], [cube], [wall], FEATURES, dt, 0.6, 4e-4) for dt in (4e-4, 2.5e-5))
        assert fine < coarse / 100.0


def test_nothing_is_missed() -> None:
    """Candidates of a packing against all pairs of features of all pairs of grains, distances by the solver itself (checked below)."""
    skin = 0.3
    region = {"kind": "periodic"}
    species = [SPHERE | {"radius": 0.3}, ROD, TETRAHEDRON, CUBE | {"side": 0.6}]
    case = case_of(
        species, FEATURES, STEP, seed=3, domain={"lower": (0, 0, 0), "upper": (4.6, 4.6, 4.6), "periodic": (True, True, True)},
        insert=[{"species": s["name"], "count": 14, "region": region, "size": {"kind": "uniform", "min": 0.6, "max": 1.0}} for s in species],
    )  # fmt: skip
    engine, _ = engine_of(case, skin=skin)
    g, pairs, f = engine.state.grains, engine.state.pairs, engine.scene.interaction.features
    assert g is not None
    assert pairs is not None
    listed = {
        (int(g.gid[pairs.row[r]]), int(g.gid[pairs.col[p]]), int(pairs.sub[p]))
        for r in range(len(pairs.row))
        for p in range(pairs.ptr[r], pairs.ptr[r + 1])
    }
    needed, allowed = set(), set()
    tables = (np.diff(f.edge_start), np.diff(f.face_start))
    order = np.argsort(g.gid)
    count = [(max(1, g.vert_start[n + 1] - g.vert_start[n]), *(int(t[g.species[n]]) for t in tables)) for n in order]
    for a, b in combinations(range(len(order)), 2):
        i, j = order[a], order[b]
        w = g.x[i, :3] - g.x[j, :3]
        w -= 4.6 * np.round(w / 4.6)
        for kind, first, second in ((EDGE_EDGE, 1, 1), (VERTEX_FACE, 0, 2), (FACE_VERTEX, 2, 0)):
            for m, n in product(range(count[a][first]), range(count[b][second])):
                sub = feature_pair(kind, m, n)
                distance = math.sqrt(nearest_features(f, g, bodies_of(i, j, tuple(w)), sub, np.inf)[0]) - g.x[i, 3] - g.x[j, 3]
                needed |= {(a, b, int(sub))} if distance <= skin else set()
                allowed |= {(a, b, int(sub))} if distance <= (1.0 + MARGIN) * skin else set()
    assert len(needed) > 300
    assert needed <= listed <= allowed


def face_distance(p: np.ndarray, corners: np.ndarray) -> float:
    """Distance of a point to a square: its coordinates along two sides, cut to their lengths."""
    origin, *sides = corners[0], corners[1] - corners[0], corners[3] - corners[0]
    nearest = origin + sum(min(1.0, max(0.0, float((p - origin) @ s / (s @ s)))) * s for s in sides)
    return float(np.linalg.norm(p - nearest))


coordinate = st.floats(-2.0, 2.0, allow_subnormal=False)
point = st.tuples(coordinate, coordinate, coordinate)


@settings(max_examples=200, deadline=None)
@given(centre=point, vertex=st.integers(0, 7), face=st.integers(0, 5))
def test_a_vertex_and_a_face_against_a_reference(cubes: Engine, centre: tuple[float, ...], vertex: int, face: int) -> None:
    g, f = cubes.state.grains, cubes.scene.interaction.features
    assert g is not None
    loop = f.loops[f.loop_start[face] : f.loop_start[face + 1]]
    w = -np.array(centre)
    found, x, y = nearest_features(f, g, bodies_of(0, 1, tuple(w)), feature_pair(VERTEX_FACE, vertex, face), np.inf)
    corners = g.vert[g.vert_start[1] + loop, :3]
    assert math.sqrt(found) == pytest.approx(face_distance(w + x, corners), rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(x, g.vert[vertex, :3], rtol=0, atol=0)
    assert face_distance(np.array(y), corners) < 1e-12


@pytest.fixture(scope="module")
def cubes() -> Engine:
    """Two cubes, the second turned."""
    return two(CUBE, position=(3.0, 0.0, 0.0), orientation=turned((1, 2, 3), 0.8))


def test_the_tangential_force_is_continuous_where_a_cube_slides_over_an_edge() -> None:
    """From vertices on a face to edges across an edge: contacts are born and end without load, so the force has no jumps."""
    small = {"name": "small", "shape": "cube", "side": 0.4, "radius": 0.05, "density": 1000.0}
    corners = [(x, y, z) for x in (-3.0, 0.0) for y in (-3.0, 3.0) for z in (-1.0, 0.0)]
    table = {"name": "table", "shape": "polyhedron", "radius": 0.1, "density": 1.0, "vertices": corners}
    contact = FEATURES | {"law": "viscoelastic", "normal_stiffness": 3e5, "tangential_stiffness": 2e5, "friction": 0.4}
    del contact["contact_time"], contact["restitution"]
    grain = {"species": "small", "position": (-0.35, 0.02, 0.3488), "velocity": (2.5, 0, 0), "orientation": turned((0, 0, 1), 0.2)}
    largest = []
    for step in (1e-4, 2.5e-5):
        wall = {"name": "desk", "kind": "body", "species": "table"}
        case = case_of([small, table], contact, step, gravity=(0.0, 0.0, -10.0), grain=[grain], wall=[wall])
        engine, _ = engine_of(case, overlaps=True)
        engine.advance(round(0.02 / step))  # until it slides
        force: list[np.ndarray] = []
        kinds: set[int] = set()
        for _ in range(round(0.23 / step)):
            engine.advance(1)
            force.append(engine.grains.ft[0, :2] * engine.scene.settings.force)
            kinds |= {int(sub) >> 56 for sub in engine.contacts().key[:, 2]}
        jump = float(np.abs(np.diff(force, axis=0)).max())
        assert {EDGE_EDGE, VERTEX_FACE} <= kinds
        assert np.abs(force).max() > 0.3 * 10.0 * float(engine.grains.v[0, 3])
        largest.append(jump)
    assert largest[1] < 0.4 * largest[0]
