"""Force and torque of single contacts between grains, against nearest points from least squares and plane geometry, at three scales.

Many pairs stand in one scene, each well apart from the others: turned at random, level face to face, edge along edge or on a face, slid along each
other, corner over corner; needles and plates; cores of very unequal size.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from reference_distance import CUBE, OCTAHEDRON, POINT, PRISM, ROD, TETRAHEDRON, TRIANGLE, Array, Pair
from reference_features import Solid, nearest_points, solid
from reference_points import barycentre, least_norm
from scales import SCALES
from scenes import ELASTIC, case_of, centre_of, engine_of
from scipy.spatial.transform import Rotation

from pardem.engine import Engine

EPS = 0.03
APART = 6.0  # between pairs, in units of the scale
NEEDLE, PLATE = PRISM * np.array([0.02, 0.01, 1.5]), CUBE * np.array([1.5, 1.0, 0.01])
WEDGE = np.array([[-0.5, -0.4, 0.0], [0.5, -0.4, 0.0], [-0.5, 0.4, 0.0], [0.5, 0.4, 0.0], [-0.2, 0.0, 0.6], [0.4, 0.0, 0.6]])
CORES: dict[str, Array] = {
    "cube": CUBE, "tetrahedron": TETRAHEDRON, "octahedron": OCTAHEDRON, "prism": PRISM, "triangle": TRIANGLE, "rod": ROD, "point": POINT,
    "needle": NEEDLE, "plate": PLATE, "wedge": WEDGE,
}  # fmt: skip
RADII = dict(zip(CORES, (0.1, 0.12, 0.15, 0.1, 0.2, 0.25, 0.3, 0.2, 0.1, 0.08), strict=True))
KINDS = {1: "sphere", 2: "spherocylinder", 3: "spherotriangle"}
RULES: dict[str, dict[str, Any]] = {name: ELASTIC | {"interaction": name, "eps": EPS} for name in ("regularised", "minima")}
PAIRS = 60
TOLERANCE = 1e-10


def species_of(name: str, scale: float) -> dict[str, Any]:
    core, kind = scale * CORES[name], KINDS.get(len(CORES[name]), "polyhedron")
    common = {"name": name, "shape": kind, "radius": scale * RADII[name], "density": 1000.0}
    if kind == "spherocylinder":
        return common | {"length": scale * 1.0}
    return common if kind == "sphere" else common | {"vertices": core.tolist()}


@cache
def centred(name: str, scale: float) -> Array:
    """Vertices of a core about the centre of mass of its grain."""
    return scale * CORES[name] - (centre_of(species_of(name, scale)) if name in ("wedge", "triangle") else 0.0)


class PlacedPair(NamedTuple):
    """Two grains: kinds, orientations, the direction from which the first comes, the share of the smaller radius by which surfaces overlap."""

    names: tuple[str, str]
    turns: tuple[Rotation, Rotation]
    offset: Array
    share: float


def right_angles(rng: np.random.Generator) -> Rotation:
    """One of the 24 rotations that take axes to axes."""
    return Rotation.create_group("O")[int(rng.integers(24))]


def towards(up: float, tip: Array) -> Rotation:
    """A rotation that takes a point of a core to the vertical, above its centre or below it."""
    return Rotation.align_vectors([[0.0, 0.0, up]], [tip])[0] if tip.any() else Rotation.identity()


def placed(arrangement: str, names: list[str], seed: int) -> PlacedPair:
    rng = np.random.default_rng(seed)
    first, second = (names[k] for k in rng.integers(len(names), size=2))
    offset, share = rng.normal(size=3), float(rng.uniform(0.05, 0.3))
    offset *= 3.0 / np.linalg.norm(offset)
    if arrangement == "random":
        return PlacedPair((first, second), tuple(Rotation.random(2, random_state=rng)), offset, share)  # type: ignore[arg-type]
    frame = Rotation.identity() if rng.random() < 0.3 else Rotation.random(random_state=rng)
    tilt = Rotation.from_rotvec(rng.choice([0.0, 1e-15, 1e-13]) * rng.normal(size=3))
    if arrangement == "tip to tip":  # a corner of either on the line of the centres, turned about it by any angle or by none
        tips = [CORES[name][int(rng.integers(len(CORES[name])))] for name in (first, second)]
        about = Rotation.from_rotvec([0.0, 0.0, rng.choice([0.0, rng.uniform(0.0, 6.0)])])
        turns = tuple(towards(up, tip) for up, tip in zip((-1.0, 1.0), tips, strict=True))
        return PlacedPair((first, second), (frame * about * turns[0], frame * tilt * turns[1]), frame.apply([0.0, 0.0, 3.0]), share)
    about = Rotation.from_rotvec([0.0, 0.0, rng.choice([0.0, 0.25, 1.0, rng.uniform()]) * math.pi])
    if arrangement == "level":  # slid off by any way, or one at which corners, edges and middles meet
        slid = rng.uniform(-0.6, 0.6, 2) if rng.random() < 0.5 else rng.choice([-0.4, 0.0, 0.2, 0.4], 2)
        offset = np.array([*slid, 3.0 * rng.choice([-1.0, 1.0])])
    turns = (frame * right_angles(rng), frame * tilt * about * right_angles(rng))
    return PlacedPair((first, second), turns, frame.apply(offset), share)


def vertices(engine: Engine, row: int) -> Array:
    """Core of a grain relative to its centre, as it stands (m)."""
    g = engine.state.grains
    assert g is not None
    mine = g.vert[g.vert_start[row] : g.vert_start[row + 1], :3]
    return np.array(mine) if len(mine) else np.zeros((1, 3))


def apart(p: PlacedPair, scale: float) -> Array:
    """Centre of the first less that of the second, so that surfaces overlap by the share of the smaller radius (m)."""
    a, b = (turn.apply(centred(name, scale)) for name, turn in zip(p.names, p.turns, strict=True))
    w = scale * p.offset
    d, x, y = barycentre(Pair(w, a, b))
    radii = [scale * RADII[name] for name in p.names]
    return np.asarray(w + ((sum(radii) - p.share * min(radii)) / d - 1.0) * (w + x - y))


def scene(pairs: list[PlacedPair], contact: dict[str, Any], scale: float) -> Engine:
    """All pairs in one scene, at overlaps of their shares of the smaller radius; the ids of a pair follow each other."""
    species = [species_of(name, scale) for name in CORES if any(name in p.names for p in pairs)]
    side = math.ceil(len(pairs) ** (1.0 / 3.0))
    sites = APART * scale * np.stack(np.unravel_index(np.arange(len(pairs)), (side,) * 3), axis=1)
    grains = []
    for p, site in zip(pairs, sites, strict=True):
        for name, turn, centre in zip(p.names, p.turns, (site + apart(p, scale), site), strict=True):
            grains.append({"species": name, "position": tuple(centre.tolist()), "orientation": tuple(turn.as_quat(scalar_first=True).tolist())})
    box = {"lower": (-APART * scale,) * 3, "upper": (APART * scale * (side + 1),) * 3}
    engine, _ = engine_of(case_of(species, contact, 1e-4, grain=grains, domain=box), overlaps=True)
    engine.evaluate()
    return engine


def expected(pair: Pair, rule: str) -> tuple[float, Array, Array]:
    """Distance and nearest points by the reference."""
    if rule == "minima":
        return barycentre(pair)
    f, x, y = least_norm(pair, EPS**2, EPS**2)
    return math.sqrt(f), x, y


ROUND = ["rod", "point"]
GRAINS = [pytest.param(rule, names, id=f"{rule}, {kind}") for rule in RULES for kind, names in (("all", list(CORES)), ("rods", ROUND))]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("arrangement", ["random", "level", "askew", "tip to tip"])
@pytest.mark.parametrize(("rule", "names"), GRAINS)
def test_forces_and_torques_of_pairs(rule: str, names: list[str], arrangement: str, scale: float) -> None:
    """F = k (r_A + r_B - d) (W + X - Y)/d on the first, its opposite on the second, torques X x F and -Y x F."""
    pairs = [placed(arrangement, names, seed) for seed in range(PAIRS)]
    engine = scene(pairs, RULES[rule], scale)
    g, s = engine.grains, engine.scene.settings
    assert len(engine.contacts().key) == PAIRS
    rows = np.argsort(g.gid)
    for i, j in zip(rows[0::2], rows[1::2], strict=True):
        pair = Pair(g.x[i, :3] - g.x[j, :3], vertices(engine, i), vertices(engine, j))
        d, x, y = expected(pair, rule)
        mass = g.v[i, 3] * g.v[j, 3] / (g.v[i, 3] + g.v[j, 3])
        overlap = g.x[i, 3] + g.x[j, 3] - d
        force = mass * (math.pi / ELASTIC["contact_time"]) ** 2 * overlap / d * (pair.w + x - y)
        size, lever = float(np.linalg.norm(force)), math.sqrt(pair.size2)
        assert np.abs(g.ft[i, :3] * s.force - force).max() < TOLERANCE * size
        assert np.abs(g.ft[j, :3] * s.force + force).max() < TOLERANCE * size
        assert np.abs(g.ft[i, 4:7] * s.torque - np.cross(x, force)).max() < TOLERANCE * size * lever
        assert np.abs(g.ft[j, 4:7] * s.torque + np.cross(y, force)).max() < TOLERANCE * size * lever


SUPERPOSED = ["cube", "tetrahedron", "prism", "octahedron", "triangle", "rod", "point", "needle", "plate"]


def standing(p: PlacedPair, scale: float, which: int, centre: Array) -> Solid:
    """One of the cores of a pair, where its centre is."""
    name = p.names[which]
    return solid(CORES[name], centre + p.turns[which].apply(centred(name, scale)))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("arrangement", ["random", "level", "askew", "tip to tip"])
def test_superposed_forces_and_torques(arrangement: str, scale: float) -> None:
    """The sum over all pairs of features that overlap, each counted: flat on flat, along edges and at corners several at one point."""
    pairs = [placed(arrangement, SUPERPOSED, seed) for seed in range(40)]
    engine = scene(pairs, ELASTIC | {"interaction": "superposition"}, scale)
    g, s, several, count = engine.grains, engine.scene.settings, 0, 0
    rows = np.argsort(g.gid)
    for p, i, j in zip(pairs, rows[0::2], rows[1::2], strict=True):
        k = g.v[i, 3] * g.v[j, 3] / (g.v[i, 3] + g.v[j, 3]) * (math.pi / ELASTIC["contact_time"]) ** 2
        w, reach = g.x[i, :3] - g.x[j, :3], g.x[i, 3] + g.x[j, 3]
        near = nearest_points(standing(p, scale, 0, w), standing(p, scale, 1, np.zeros(3)))
        lengths = [float(np.linalg.norm(x - y)) for x, y in near]
        pushes = [(k * (reach - d) / d * (x - y), x, y) for (x, y), d in zip(near, lengths, strict=True) if d < reach]
        several, count = several + (len(pushes) > 1), count + len(pushes)
        size = sum(float(np.linalg.norm(push)) for push, _, _ in pushes)
        lever = scale * 3.0
        assert np.abs(g.ft[i, :3] * s.force - sum(push for push, _, _ in pushes)).max() < TOLERANCE * size
        assert np.abs(g.ft[j, :3] * s.force + sum(push for push, _, _ in pushes)).max() < TOLERANCE * size
        assert np.abs(g.ft[i, 4:7] * s.torque - sum(np.cross(x - w, push) for push, x, _ in pushes)).max() < TOLERANCE * size * lever
        assert np.abs(g.ft[j, 4:7] * s.torque + sum(np.cross(y, push) for push, _, y in pushes)).max() < TOLERANCE * size * lever
    assert several > (10 if arrangement == "random" else 25)
    assert len(engine.contacts().key) == count
