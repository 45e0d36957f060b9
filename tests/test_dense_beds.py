"""No contact is missed or made up in dense, agitated beds: all pairs of grains tried one by one, with least squares for the distance of polyhedra.

Contacts that live after a step are held against those that the poses ask for, at moments that fall anywhere between two rebuilds of the lists, for
both ways of detection and at scales of a millimetre and a kilometre.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from beds import VISCOUS, by_triangulation
from reference_distance import PRISM, Array, Pair
from reference_points import least_height, least_norm
from scenes import case_of, engine_of

from pardem.case import Case
from pardem.engine import Engine

pytestmark = pytest.mark.usefixtures("known_covers")

EPS = 0.03
WIDTH = 2.6  # of the bed, in units of the scale; periodic
FALL = 30.0
STEP = 5e-4
SPECIES: list[dict[str, Any]] = [
    {"name": "cube", "shape": "cube", "side": 0.5, "radius": 0.1},
    {"name": "tetrahedron", "shape": "spherotetrahedron", "edge": 0.6, "radius": 0.12},
    {"name": "needle", "shape": "polyhedron", "vertices": (PRISM * np.array([0.05, 0.04, 1.5])).tolist(), "radius": 0.1},
    {"name": "ball", "shape": "sphere", "radius": 0.2},
]
LENGTHS = ("side", "edge", "radius", "vertices")


def bed(interaction: str, scale: float) -> Case:
    """Polyhedra that fall on each other between two walls, faster than they would by themselves."""
    species = [{k: (scale * np.array(v)).tolist() if k in LENGTHS else v for k, v in s.items()} | {"density": 1000.0} for s in SPECIES]
    region = {"kind": "box", "lower": (0.0, 0.0, 0.05 * scale), "upper": (WIDTH * scale, WIDTH * scale, 4.0 * scale)}
    walls = [
        {"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1),
         "motion": {"kind": "sinusoidal", "direction": (0, 0, 1), "amplitude": 0.05 * scale, "frequency": 6.0}},
        {"name": "left", "kind": "plane", "point": (0, 0, 0), "normal": (0, 1, 0)},
        {"name": "right", "kind": "plane", "point": (0, WIDTH * scale, 0), "normal": (0, -1, 0)},
    ]  # fmt: skip
    return case_of(
        species, VISCOUS | {"interaction": interaction, "eps": EPS, "contact_time": 0.01}, STEP, seed=5, gravity=(0.0, 0.0, -FALL * scale),
        domain={"lower": (0.0, -scale, -scale), "upper": (WIDTH * scale, (WIDTH + 1.0) * scale, 12.0 * scale), "periodic": (True, False, False)},
        wall=walls, insert=[{"species": s["name"], "count": 14, "region": region} for s in species],
    )  # fmt: skip


def cores(engine: Engine) -> list[Array]:
    """Vertices of each grain relative to its centre (m)."""
    g = engine.state.grains
    assert g is not None
    return [g.vert[a:b, :3] if b > a else np.zeros((1, 3)) for a, b in zip(g.vert_start[: engine.grains.count], g.vert_start[1:], strict=False)]


def asked_for(engine: Engine, scale: float, eps2: float) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Pairs of ids that overlap, lower one first, walls as -1, -2, ..., and those that are on the verge of it."""
    g, vertices = engine.grains, cores(engine)
    reach = [math.sqrt((v**2).sum(axis=1).max()) for v in vertices]
    overlapping, verge = set(), set()

    def count(first: int, second: int, overlap: float) -> None:
        if overlap > 0.0:
            overlapping.add((first, second))
        if abs(overlap) < 1e-11 * scale:
            verge.add((first, second))

    for i, j in combinations(np.argsort(g.gid), 2):
        w = g.x[i, :3] - g.x[j, :3]
        w[0] -= WIDTH * scale * np.rint(w[0] / (WIDTH * scale))
        radii = g.x[i, 3] + g.x[j, 3]
        if np.linalg.norm(w) < reach[i] + reach[j] + radii:
            count(int(g.gid[i]), int(g.gid[j]), radii - math.sqrt(least_norm(Pair(w, vertices[i], vertices[j]), eps2, eps2)[0]))
    floor = 0.05 * scale * math.sin(2.0 * math.pi * 6.0 * engine.step * STEP)
    for wall, (normal, place) in enumerate((((0, 0, 1), floor), ((0, 1, 0), 0.0), ((0, -1, 0), -WIDTH * scale))):
        for i in range(g.count):
            height = float(g.x[i, :3] @ np.array(normal)) - place
            count(int(g.gid[i]), -1 - wall, g.x[i, 3] - math.sqrt(least_height(vertices[i], np.array(normal), height, eps2)[0]))
    return overlapping, verge


USUAL = [("regularised", "cells", 1e-3), ("regularised", "triangulation", 1e3), ("minima", "cells", 1e3)]
OTHERS = [("regularised", "cells", 1e3), ("regularised", "triangulation", 1e-3), ("minima", "cells", 1e-3), ("minima", "triangulation", 1e-3)]


@pytest.mark.parametrize(("interaction", "detection", "scale"), [*USUAL, *(pytest.param(*o, marks=pytest.mark.slow) for o in OTHERS)])
def test_every_contact_is_there(interaction: str, detection: str, scale: float) -> None:
    case = bed(interaction, scale)
    if detection == "triangulation":
        case = by_triangulation(case, max_overlap=0.01 * scale, skin=0.03 * scale)
    engine, _ = engine_of(case)
    rng = np.random.default_rng(2)
    engine.grains.v[:, :3] = scale * rng.normal(size=(56, 3))[engine.grains.gid]
    between, on_walls = 0, 0
    for _ in range(16):
        engine.advance(int(rng.integers(41, 97)))
        wanted, verge = asked_for(engine, scale, EPS**2 if interaction == "regularised" else 0.0)
        there = {(int(a), int(b)) for a, b in engine.contacts().key[:, :2]}
        assert (wanted ^ there) <= verge
        on_walls += sum(b < 0 for _, b in wanted)
        between += sum(b >= 0 for _, b in wanted)
    assert between > 200
    assert on_walls > 100
    assert engine.counters.rebuilds > 20
