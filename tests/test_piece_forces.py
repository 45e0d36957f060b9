"""Force and torque between grains of convex pieces, against the sum over all pairs of pieces, each by least squares, at three scales."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from reference_distance import Array, Pair
from reference_points import least_norm
from scales import SCALES
from scenes import CROSS, ELASTIC, ELL, case_of, centre_of, engine_of
from scipy.spatial.transform import Rotation
from test_pair_forces import APART, TOLERANCE, right_angles, vertices

from pardem.engine import Engine

EPS, COUNT = 0.03, 40
SHAPES: dict[str, dict[str, Any]] = {"ell": ELL, "cross": CROSS}


@cache
def species_of(name: str, scale: float) -> dict[str, Any]:
    shape = SHAPES[name]
    pieces = [[tuple(scale * c for c in point) for point in piece] for piece in shape["pieces"]]
    return shape | {"radius": scale * shape["radius"], "pieces": pieces}


@cache
def pieces_of(name: str, scale: float) -> list[Array]:
    """Vertices of the pieces about the centre of mass."""
    species = species_of(name, scale)
    return [np.array(piece) - centre_of(species) for piece in species["pieces"]]


def solutions(w: Array, first: list[Array], second: list[Array], eps: float) -> Iterator[tuple[float, Array, Array]]:
    """Distance and points X, Y, from the grains' centres, of every pair of pieces; penalties are relative to the means of the pieces' vertices."""
    for a, b in product(first, second):
        at, other = a.mean(axis=0), b.mean(axis=0)
        f, x, y = least_norm(Pair(w + at - other, a - at, b - other), eps**2, eps**2)
        yield math.sqrt(f), at + x, other + y


def grains_of(arrangement: str, seed: int, scale: float) -> list[dict[str, Any]]:
    """Two grains about the origin that come together along a line until the nearest of their pieces overlap by a share of the smaller radius."""
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.choice(list(SHAPES), 2)]
    way = rng.normal(size=3)
    turns = list(Rotation.random(2, random_state=rng))
    if arrangement == "level":  # flat on flat, side by side, arms in corners
        frame = Rotation.random(random_state=rng)
        turns = [frame * right_angles(rng), frame * right_angles(rng)]
        way = frame.apply([*rng.choice([-0.2, 0.0, 0.1], 2), rng.choice([-1.0, 1.0])])
    first, second = ([turn.apply(piece) for piece in pieces_of(name, scale)] for name, turn in zip(names, turns, strict=True))
    radii = [species_of(name, scale)["radius"] for name in names]
    goal = sum(radii) - rng.uniform(0.05, 0.3) * min(radii)
    near, far = 0.0, 4.0 * scale / float(np.linalg.norm(way))
    for _ in range(30):  # to where it goes in
        middle = 0.5 * (near + far)
        outside = min(d for d, _, _ in solutions(middle * way, first, second, 0.0)) > goal
        near, far = (near, middle) if outside else (middle, far)
    quaternions = [tuple(turn.as_quat(scalar_first=True).tolist()) for turn in turns]
    return [
        {"species": name, "position": place, "orientation": q}
        for name, place, q in zip(names, (tuple((near * way).tolist()), (0.0, 0.0, 0.0)), quaternions, strict=True)
    ]


def scene(arrangement: str, scale: float) -> Engine:
    """All pairs in one scene; the ids of a pair follow each other."""
    side = math.ceil(COUNT ** (1.0 / 3.0))
    grains = []
    for seed, site in enumerate(APART * scale * np.stack(np.unravel_index(np.arange(COUNT), (side,) * 3), axis=1)):
        grains += [g | {"position": tuple((site + g["position"]).tolist())} for g in grains_of(arrangement, seed, scale)]
    box = {"lower": (-APART * scale,) * 3, "upper": (APART * scale * (side + 1),) * 3}
    species = [species_of(name, scale) for name in SHAPES]
    engine, _ = engine_of(case_of(species, ELASTIC | {"eps": EPS}, 1e-4, grain=grains, domain=box), overlaps=True)
    engine.evaluate()
    return engine


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("arrangement", ["random", "level"])
def test_forces_and_torques_of_pieces(arrangement: str, scale: float) -> None:
    """Each pair of pieces pushes with k (r_A + r_B - d) (W + X - Y)/d, at X on the first grain and at Y on the second."""
    engine = scene(arrangement, scale)
    g, s, parts, count, several = engine.grains, engine.scene.settings, engine.scene.parts, 0, 0
    rows = np.argsort(g.gid)

    def pieces(row: int) -> list[Array]:
        mine = range(parts.start[g.species[row]], parts.start[g.species[row] + 1])
        return [vertices(engine, row)[parts.first[m] : parts.first[m] + parts.size[m]] for m in mine]

    for i, j in zip(rows[0::2], rows[1::2], strict=True):
        w, reach = g.x[i, :3] - g.x[j, :3], g.x[i, 3] + g.x[j, 3]
        k = g.v[i, 3] * g.v[j, 3] / (g.v[i, 3] + g.v[j, 3]) * (math.pi / ELASTIC["contact_time"]) ** 2
        near = [found for found in solutions(w, pieces(i), pieces(j), EPS) if found[0] < reach]
        pushes = [k * (reach - d) / d * (w + x - y) for d, x, y in near]
        count, several = count + len(near), several + (len(near) > 1)
        size, lever = sum(float(np.linalg.norm(push)) for push in pushes), 3.0 * scale
        assert np.abs(g.ft[i, :3] * s.force - np.sum(pushes, axis=0)).max() < TOLERANCE * size
        assert np.abs(g.ft[j, :3] * s.force + np.sum(pushes, axis=0)).max() < TOLERANCE * size
        on_first = np.sum([np.cross(x, push) for (_, x, _), push in zip(near, pushes, strict=True)], axis=0)
        on_second = np.sum([np.cross(y, push) for (_, _, y), push in zip(near, pushes, strict=True)], axis=0)
        assert np.abs(g.ft[i, 4:7] * s.torque - on_first).max() < TOLERANCE * size * lever
        assert np.abs(g.ft[j, 4:7] * s.torque + on_second).max() < TOLERANCE * size * lever
    assert len(engine.contacts().key) == count
    assert several > (5 if arrangement == "level" else 1)
