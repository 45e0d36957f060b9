"""The search for pairs of features that may touch, against the full product of features: between grains, and between grains and bodies."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from scenes import ELASTIC, ROD, SPHERE, case_of, engine_of, fingerprint

from pardem.case import Case
from pardem.contacts.nearest.features import EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, bodies_of, feature_pair, nearest_features
from pardem.detection.search import MARGIN
from pardem.engine import Engine
from pardem.walls.surfaces.bodies import nearest_on_body

FEATURES = ELASTIC | {"interaction": "superposition"}
BLOCK = {"name": "block", "shape": "polyhedron", "radius": 0.1, "density": 1.0}
YERMIS = {"name": "yermis", "shape": "yermis", "edge": 0.5, "segments": 9, "bend": 0.8, "radius": 0.1, "density": 1.0}
PLANAR: list[dict[str, Any]] = [
    {"name": "cow", "shape": "cow", "radius": 0.05, "length": 2.0, "density": 1.0},
    {"name": "wheel", "shape": "regular_polygon", "sides": 40, "circumradius": 0.5, "radius": 0.1, "density": 1.0},
    {"name": "line", "shape": "planar_polyline", "vertices": [(0.0, 0.0), (1.0, 0.2), (1.5, 1.0)], "radius": 0.1, "density": 1.0},
    {"name": "disk", "shape": "disk", "radius": 0.3, "density": 1.0},
]
LAND = {"name": "terrain", "radius": 0.05, "density": 1.0}
KINDS = {False: ((EDGE_EDGE, 1, 1), (VERTEX_FACE, 0, 2), (FACE_VERTEX, 2, 0)), True: ((VERTEX_EDGE, 0, 1), (EDGE_VERTEX, 1, 0))}


def ball(corners: int) -> list[tuple[float, ...]]:
    """Points all over a unit sphere."""
    points = np.random.default_rng(2).normal(size=(corners, 3))
    return [tuple(p) for p in (points / np.linalg.norm(points, axis=1, keepdims=True)).tolist()]


SOLID = [BLOCK | {"name": "gem", "vertices": ball(60)}, BLOCK | {"vertices": [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 0.5)]},
         YERMIS, ROD, SPHERE]  # fmt: skip


def scattered(species: list[dict[str, Any]], count: int, size: float, dimension: int, seed: int) -> list[dict[str, Any]]:
    """Grains of all species in turn at random places, turns and sizes; they may overlap."""
    rng = np.random.default_rng(seed)
    grains = []
    for k in range(count):
        turn = rng.normal(size=4)
        pose = {"orientation": tuple((turn / np.linalg.norm(turn)).tolist()) if dimension == 3 else float(rng.uniform(0.0, 6.0))}
        place = tuple(rng.uniform(0.0, (size, size, 4.0)[:dimension]).tolist())
        grains.append({"species": species[k % len(species)]["name"], "position": place, "scale": float(rng.uniform(0.5, 1.0)), **pose})
    return grains


@numba.njit
def near_features(f, g, i, j, kind, first, second, w, reach, out):  # type: ignore[no-untyped-def]
    """All pairs of features of one kind of two grains that are within reach."""
    found = 0
    for a in range(first):
        for b in range(second):
            sub = feature_pair(kind, a, b)
            if nearest_features(f, g, bodies_of(i, j, (w[0], w[1], w[2])), sub, np.inf)[0] <= reach * reach:
                out[found] = sub
                found += 1
    return found


@numba.njit
def near_body(walls, g, i, k, kind, first, second, period, reach, out):  # type: ignore[no-untyped-def]
    """The same of a grain and the body of a wall, in the images in which they are evaluated."""
    found = 0
    for a in range(first):
        for b in range(second):
            sub = feature_pair(kind, a, b)
            if nearest_on_body(walls, g, i, k, sub, period)[0] <= reach:
                out[found] = sub
                found += 1
    return found


def counts(engine: Engine, i: int) -> tuple[int, int, int]:
    """Vertices, edges and faces of a row."""
    g, f = engine.state.grains, engine.scene.walls.features
    assert g is not None
    s = g.species[i]
    vertices = max(1, g.vert_start[i + 1] - g.vert_start[i])
    return int(vertices), int(f.edge_start[s + 1] - f.edge_start[s]), int(f.face_start[s + 1] - f.face_start[s])


def kinds(engine: Engine, i: int, j: int) -> list[tuple[int, int, int]]:
    """Kinds of pairs of features of two rows, with the number of features of each; in the plane a single vertex meets an outline once."""
    planar, real = engine.scene.settings.planar, engine.scene.walls.features.real
    g = engine.state.grains
    assert g is not None
    lone_i, lone_j = real[g.species[i]] == 0, real[g.species[j]] == 0
    left_out = None
    if planar and (lone_i or lone_j):
        left_out = EDGE_VERTEX if lone_i else VERTEX_EDGE
    return [(kind, counts(engine, i)[a], counts(engine, j)[b]) for kind, a, b in KINDS[planar] if kind != left_out]


def listed(pairs: Any) -> list[tuple[int, int, int]]:
    """Row, column and pair of features of all candidates of a list."""
    row = np.repeat(pairs.row, np.diff(pairs.ptr))
    return list(zip(row.tolist(), pairs.col.tolist(), pairs.sub.tolist(), strict=True))


def between_grains(engine: Engine, extra: float) -> list[tuple[int, int, int]]:
    """All pairs of features of grains within ``extra`` of contact (m)."""
    g, f, period = engine.state.grains, engine.scene.walls.features, engine.scene.settings.period
    assert g is not None
    out, every = np.empty(1_000_000, np.int64), []
    order = np.argsort(g.gid[: engine.grains.count])
    for m, i in enumerate(order):
        for j in order[m + 1 :]:
            w = g.x[i, :3] - g.x[j, :3]
            w -= period * np.round(w / np.where(period > 0.0, period, 1.0))
            for kind, first, second in kinds(engine, i, j):
                found = near_features(f, g, i, j, kind, first, second, w, g.x[i, 3] + g.x[j, 3] + extra, out)
                every += [(int(i), int(j), sub) for sub in out[:found].tolist()]
    return every


def on_body(engine: Engine, extra: float) -> list[tuple[int, int, int]]:
    """All pairs of features of grains and the one body within ``extra`` of contact (m)."""
    g, walls = engine.state.grains, engine.scene.walls
    assert g is not None
    j, out, every = len(g.gid) - 1, np.empty(1_000_000, np.int64), []
    for i in range(engine.grains.count):
        for kind, first, second in kinds(engine, i, j):
            found = near_body(walls, g, i, 0, kind, first, second, engine.scene.settings.period, g.x[i, 3] + g.x[j, 3] + extra, out)
            every += [(i, 0, sub) for sub in out[:found].tolist()]
    return every


def check(found: list[tuple[int, int, int]], needed: list[tuple[int, int, int]], allowed: list[tuple[int, int, int]]) -> None:
    """Each candidate once, none missed, and none further than what is searched beyond the skin."""
    assert len(needed) > 100
    assert len(set(found)) == len(found)
    assert set(needed) <= set(found) <= set(allowed)


@pytest.mark.parametrize(("dimension", "seed"), [(3, 1), (2, 1), *(pytest.param(d, 2, marks=pytest.mark.slow) for d in (3, 2))])
def test_pairs_of_grains_have_the_candidates_of_the_full_product(dimension: int, seed: int) -> None:
    species = SOLID if dimension == 3 else PLANAR
    skin, size = 0.15, 9.0
    flat, upper = (0.0,) * dimension, (size, size, 4.0)[:dimension]
    case = case_of(
        species, FEATURES, 1e-4, dimension=dimension, gravity=flat, grain=scattered(species, 60, size, dimension, seed),
        domain={"lower": flat, "upper": upper, "periodic": (True, *(False for _ in flat[1:]))},
    )  # fmt: skip
    engine, _ = engine_of(case, skin=skin, overlaps=True)
    check(listed(engine.state.pairs), between_grains(engine, skin), between_grains(engine, (1.0 + MARGIN) * skin))


def terrain(cells: int, size: float) -> dict[str, Any]:
    """An open surface of triangles over a square, hilly."""
    side = np.linspace(0.0, size, cells + 1)
    x, y = np.meshgrid(side, side, indexing="ij")
    z = 0.4 * np.sin(2.0 * x) * np.cos(1.7 * y)
    corner = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    return LAND | {"shape": "skeleton", "vertices": vertices.tolist(), "faces": faces.tolist()}


def outline(corners: int, length: float) -> dict[str, Any]:
    """A hilly line in the plane."""
    x = np.linspace(0.0, length, corners)
    return LAND | {"shape": "planar_polyline", "vertices": np.stack([x, 0.4 * np.sin(2.0 * x)], axis=1).tolist()}


@pytest.mark.parametrize("dimension", [3, 2])
def test_bodies_have_the_candidates_of_the_full_product(dimension: int) -> None:
    """Also where a body reaches over the ends of a periodic domain."""
    species = SOLID if dimension == 3 else PLANAR
    land = terrain(12, 6.0) if dimension == 3 else outline(200, 6.0)
    skin, size = 0.15, 9.0
    low, flat = (0.0, -1.0, -2.0) if dimension == 3 else (0.0, -2.0), (0.0,) * dimension
    wall = {"name": "land", "kind": "body", "species": "terrain", "position": (6.0, *flat[1:])}
    grains = scattered(species, 25, 5.0, dimension, 7)
    for grain in grains:  # near the body, all along the period
        grain["position"] = (1.8 * grain["position"][0], *grain["position"][1:-1], 0.3 * grain["position"][-1] - 0.5)
    case = case_of(
        [*species, land], FEATURES, 1e-4, dimension=dimension, gravity=flat, grain=grains, wall=[wall],
        domain={"lower": low, "upper": tuple(c + size for c in low), "periodic": (True, *(False for _ in flat[1:]))},
    )  # fmt: skip
    engine, _ = engine_of(case, skin=skin, overlaps=True)
    check(listed(engine.state.wall_pairs), on_body(engine, skin), on_body(engine, (1.0 + MARGIN) * skin))


def falling(dimension: int) -> Case:
    """Eight grains that fall on a hilly body."""
    species = SOLID[1:] if dimension == 3 else PLANAR
    land = terrain(4, 6.0) if dimension == 3 else outline(40, 6.0)
    if dimension == 3:
        places = [(1.5 + 3.0 * (k % 2), 1.5 + 3.0 * (k // 2 % 2), 1.6 + 2.2 * (k // 4)) for k in range(8)]
    else:
        places = [(1.5 + 3.0 * (k % 2), 1.8 + 2.2 * (k // 2)) for k in range(8)]
    grains = scattered(species, 8, 1.0, dimension, 5)
    for grain, place in zip(grains, places, strict=True):
        grain["position"] = place
    return case_of(
        [*species, land], FEATURES | {"law": "viscoelastic", "restitution": 0.5, "friction": 0.5}, 2e-4, dimension=dimension,
        gravity=(*(0.0 for _ in range(dimension - 1)), -10.0), grain=grains, wall=[{"name": "land", "kind": "body", "species": "terrain"}],
        domain={"lower": (-50.0,) * dimension, "upper": (50.0,) * dimension},
    )  # fmt: skip


@pytest.mark.parametrize("dimension", [3, 2])
def test_pairs_that_hardly_moved_keep_what_was_found(dimension: int) -> None:
    """Lists made while grains fall hold all that is within the skin, also where no pair of bodies was searched again."""
    skin = 0.4
    engine, _ = engine_of(falling(dimension), skin=skin)
    searched, kept, found = 0, 0, 0
    for steps in 10 * (300, 20, 20):
        engine.advance(steps)
        engine.rebuilder.rebuild(engine.grains, engine.contacts(), engine.control)
        searched += int(engine.rebuilder.lists.search.tests > 0)
        kept += int(engine.rebuilder.lists.search.tests == 0 and len(listed(engine.state.pairs)) + len(listed(engine.state.wall_pairs)) > 0)
        for expected, pairs in ((between_grains(engine, skin), engine.state.pairs), (on_body(engine, skin), engine.state.wall_pairs)):
            assert set(expected) <= set(listed(pairs))
            found += len(expected)
    assert found > 1000
    assert searched > 0
    assert kept > 0


@pytest.mark.parametrize("dimension", [3, 2])
def test_motion_does_not_depend_on_the_search(dimension: int) -> None:
    """The same bits with lists that last a few steps, with longer ones, and with all pairs of features at any time."""
    case = falling(dimension)
    bits, rebuilds, touching = set(), [], 0
    for skin in (1e-3, 0.1, 100.0):
        engine, _ = engine_of(case, skin=skin)
        for _ in range(35):
            engine.advance(100)
            touching += len(engine.contacts().key)
        bits.add(fingerprint(engine))
        rebuilds.append(engine.counters.rebuilds)
    assert touching > 0
    assert len(bits) == 1
    assert rebuilds[0] > 100 > 10 > rebuilds[2]
