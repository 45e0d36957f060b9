"""A disc with a hole: distances against dense sampling, a ball held in the hole, energy, and a hole that opens at a stage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scales import SCALES, domain, scaled
from scenes import CUBE, ELASTIC, ROD, SPHERE, TETRAHEDRON, case_of, energy, engine_of, turned, worst_energy
from scipy.spatial.transform import Rotation
from skeletons import ell

from pardem.case import Case
from pardem.errors import CaseError
from pardem.laws.parameters import viscoelastic_clamped
from pardem.observables.bed import wall_distance
from pardem.simulation import Simulation
from pardem.walls.surfaces.pierced import FAR, INNER, NEAR, OUTER, PiercedDisc, nearest_on_pierced
from pardem.walls.surfaces.rims import PART, nearest_to_rim

HOLE, RADIUS = 0.9, 2.0
PIERCED = {"name": "disc", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": RADIUS, "hole": HOLE}
SMOOTH = {"law": "viscoelastic", "restitution": 0.3, "contact_time": 0.02}
BIG = SPHERE | {"radius": 1.2}
_POINTS, _FACES = ell(1.2, 1.2, 0.4, 0.4, 0.4)
CORNER = {
    "name": "corner", "shape": "skeleton", "radius": 0.12, "density": 1000.0, "vertices": _POINTS.tolist(), "faces": _FACES, "solid": True
}  # fmt: skip


def grain(species: dict[str, Any], position: Any, velocity: Any = (0, 0, 0), turn: Any = (1, 0, 0, 0)) -> dict[str, Any]:
    return {"species": species["name"], "position": position, "orientation": turn, "velocity": velocity}


# -- distances ------------------------------------------------------------------------------------------------------------------------


def to_rim(points: np.ndarray, normal: np.ndarray, size: float) -> np.ndarray:
    """Distances of points from a circle about the origin."""
    height = points @ normal
    across = np.sqrt(np.maximum((points**2).sum(axis=-1) - height**2, 0.0))
    return np.hypot(height, across - size)


def to_surface(points: np.ndarray, normal: np.ndarray, scale: float) -> np.ndarray:
    """Distances of points from the pierced disc, larger by a factor."""
    height = points @ normal
    across = np.sqrt(np.maximum((points**2).sum(axis=-1) - height**2, 0.0))
    return np.hypot(height, np.maximum(np.maximum(scale * HOLE - across, across - scale * RADIUS), 0.0))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", ["any", "level", "upright", "through the axis"])
def test_an_edge_meets_a_rim_in_the_minima_of_the_distance(kind: str, scale: float) -> None:
    """All that are found are local minima, the least of them is the least distance, and two inner ones about the axis are both found."""
    rng = np.random.default_rng(7)
    t = np.linspace(-1.0, 1.0, 4001)
    twice, hole = 0, scale * HOLE
    for _ in range(300):
        normal = Rotation.random(random_state=rng).apply([0.0, 0.0, 1.0])
        middle, half = rng.normal(size=3), rng.normal(size=3) * rng.choice([0.1, 1.0, 3.0])
        if kind == "level":
            half -= (half @ normal) * normal
        elif kind == "upright":
            half = normal * np.sqrt(half @ half)
        elif kind == "through the axis":
            middle = rng.normal() * normal - rng.uniform(-1.0, 1.0) * half
        middle, half = scale * middle, scale * half
        distance = to_rim(middle + t[:, None] * half, normal, hole)
        found = [nearest_to_rim(tuple(middle), tuple(half), tuple(normal), hole, too) for too in (False, True)]
        values = [float(to_rim(middle + s * half, normal, hole)) for there, s in found if there]
        assert all(-1.0 <= s <= 1.0 for there, s in found if there)
        assert min(values) <= distance.min() * (1.0 + 1e-12)
        assert min(values) ** 2 >= distance.min() ** 2 - 1.01 * (half @ half) * (0.5 * (t[1] - t[0])) ** 2  # curved by 2 |half|^2 at most
        inner = np.flatnonzero((distance[1:-1] < distance[:-2]) & (distance[1:-1] < distance[2:])) + 1
        for there, s in found:
            if there:
                near = np.abs(t - s) < 1.5 * (t[1] - t[0])
                assert to_rim(middle + s * half, normal, hole) <= distance[near].min() * (1.0 + 1e-12)
        if len(inner) == 2:
            axis = -((middle - (middle @ normal) * normal) @ half) / ((half - (half @ normal) * normal) @ half)
            if t[inner[0]] < axis < t[inner[1]]:
                twice += 1
                assert sorted(s for there, s in found if there) == pytest.approx(t[inner], abs=1e-3)
    if kind in ("level", "through the axis"):
        assert twice > 20


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("shape", [SPHERE, ROD, CUBE, TETRAHEDRON], ids=lambda s: s["name"])
def test_the_parts_of_a_grain_come_as_near_as_its_core(shape: dict[str, Any], scale: float) -> None:
    """The least distance of vertices and edges is that of points sampled along the core's edges, where none passes through the surface."""
    rng, species, wall = np.random.default_rng(3), scaled(shape, scale), scaled(PIERCED, scale)
    start = grain(species, (0, 0, 0), turn=rng.normal(size=4))
    engine, _ = engine_of(case_of([species], ELASTIC, 1e-4, grain=[start], wall=[wall], domain=domain(scale)))
    g, features = engine.state.grains, engine.scene.walls.features
    core = np.zeros((1, 3)) if shape is SPHERE else g.vert[g.vert_start[0] : g.vert_start[1], :3]
    pairs = features.edges[features.edge_start[0] : features.edge_start[0] + features.real[0]]
    s = np.linspace(0.0, 1.0, 2001)[:, None]
    line = np.concatenate([core, *(core[a] + s * (core[b] - core[a]) for a, b in pairs)])
    compared = 0
    for _ in range(200):
        normal = Rotation.random(random_state=rng).apply([0.0, 0.0, 1.0])
        at = scale * (rng.uniform(0.5, 2.2) * normal[[1, 2, 0]] + rng.normal(size=3) * 0.3)
        expected = to_surface(at + line, normal, scale).min()
        if expected < 0.03 * scale:
            continue
        subs = [(NEAR << PART) + v for v in range(len(core))]
        subs += [(part << PART) + e for e in range(len(pairs)) for part in (INNER, INNER + 1, OUTER, OUTER + 1)]
        disc = PiercedDisc(tuple(normal), scale * HOLE, scale * RADIUS)
        found = [nearest_on_pierced(features, g, 0, sub, tuple(at), disc) for sub in subs]
        away = 2.0 * species["radius"]
        real = [f for f in found if f[0] != away]
        assert min(f[0] for f in real) == pytest.approx(expected, rel=1e-4)
        for d, point, vector in real:
            on_core, way = np.array(point), np.array(vector)
            assert d == pytest.approx(np.sqrt(way @ way), rel=1e-12)
            assert to_surface((at + on_core + way)[None], normal, scale)[0] < 1e-12 * scale
        compared += 1
    assert compared > 50


def test_the_opposite_of_the_rim() -> None:
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 1e-4, grain=[grain(SPHERE, (0, 0, 3))], wall=[PIERCED]))
    disc = PiercedDisc((0.0, 0.0, 1.0), HOLE, RADIUS)
    d, _, line = nearest_on_pierced(engine.scene.walls.features, engine.state.grains, 0, FAR << PART, (0.3, 0.0, 0.5), disc)
    assert line == pytest.approx((-HOLE - 0.3, 0.0, -0.5), rel=1e-15)
    assert d == pytest.approx(math.hypot(1.2, 0.5), rel=1e-15)
    x = np.array([[0.3, 0.4, 1.2], [1.5, 0.0, -0.7], [0.0, 5.0, 4.0]])
    assert wall_distance(x, engine.scene.walls, 0) == pytest.approx([math.hypot(1.2, 0.4), 0.7, 5.0], rel=1e-12)


# -- motion ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 0.1])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_ball_rests_in_a_hole_smaller_than_itself(offset: float, dimension: int) -> None:
    """Two contacts bear it, opposite to each other, and it comes to rest above the middle: in the plane two plates with a gap between them."""
    ball, up = BIG | ({"shape": "disk"} if dimension == 2 else {}), dimension - 1
    place, normal, gravity = [0.0] * dimension, [0.0] * dimension, [0.0] * dimension
    place[0], place[up], normal[up], gravity[up] = offset, math.sqrt(1.2**2 - (HOLE - offset) ** 2), 1.0, -9.81
    wall = PIERCED | {"center": [0.0] * dimension, "normal": normal}
    domain = {"lower": [-9.0] * dimension, "upper": [9.0] * dimension}
    engine, _ = engine_of(
        case_of([ball], SMOOTH, 5e-4, dimension=dimension, gravity=gravity, grain=[grain(ball, place, turn=0.0 if dimension == 2 else (1, 0, 0, 0))],
                wall=[wall], domain=domain)
    )  # fmt: skip
    engine.advance(8000)
    g = engine.grains
    assert len(engine.contacts().key) == 2
    assert np.abs(g.x[0, :up]).max() < 1e-3 * offset + 1e-12
    height = g.x[0, up]
    distance = math.hypot(height, HOLE)
    stiffness = viscoelastic_clamped(0.3, 0.02)[0]  # per mass
    assert 2.0 * stiffness * (1.2 - distance) * height / distance == pytest.approx(9.81, rel=1e-5)


FALL = (0.05, 0.1, -0.8)
LEANING = turned((0, 1, 0), 0.5)
BOUNCES: dict[str, tuple[dict[str, Any], dict[str, Any], float]] = {
    "ball on the inner rim": (SPHERE, grain(SPHERE, (0.7, 0, 0.5), FALL), 0.02),
    "ball under the inner rim": (SPHERE, grain(SPHERE, (0.7, 0, -0.5), (0.05, 0.1, 0.8)), 0.02),
    "ball in the hole": (BIG, grain(BIG, (0.1, 0.02, 0.85), FALL), 0.04),
    "ball on a face": (SPHERE, grain(SPHERE, (1.4, 0, 0.52), FALL), 0.02),
    "ball on the outer rim": (SPHERE, grain(SPHERE, (2.2, 0, 0.5), FALL), 0.02),
    "rod that leans on the inner rim": (ROD, grain(ROD, (0.5, 0.1, 0.0), (0.8, 0.1, -0.3), LEANING), 0.04),
    "rod that leans on the outer rim": (ROD, grain(ROD, (2.32, 0.1, 0.0), (-0.8, 0.1, -0.3), LEANING), 0.04),
    "rod across the hole": (ROD | {"length": 2.4}, grain(ROD, (0.05, 0.1, 0.26), (0.05, 0.1, -0.8), turned((0, 1, 0), 0.5 * math.pi + 0.05)), 0.06),
    "cube over the inner rim": (CUBE, grain(CUBE, (0.7, 0.1, 0.56), FALL, turned((1, 0.3, 0), 0.1)), 0.06),
}


@pytest.mark.parametrize("interaction", ["regularised", "superposition"])
@pytest.mark.parametrize("name", BOUNCES)
def test_elastic_bounces_keep_energy_to_second_order(name: str, interaction: str) -> None:
    species, start, contact_time = BOUNCES[name]
    contact = ELASTIC | {"contact_time": contact_time, "interaction": interaction}
    coarse, fine = (worst_energy([species], [start], [PIERCED], contact, step, 0.2, 4e-4) for step in (4e-4, 2.5e-5))
    assert coarse < 3e-3
    assert fine < coarse / 100.0  # a sixteenth of the step


def test_grains_that_are_not_convex_meet_it_too() -> None:
    """Under minima: an ell hangs in the hole and rattles, with vertices and edges on the rims; it keeps its energy."""
    start = grain(CORNER, (0.75, 0.0, 0.42), (0.0, 0.1, -0.6), turned((1, 0.3, 0.2), 0.4))
    contact = ELASTIC | {"contact_time": 0.06, "interaction": "minima"}
    engine, _ = engine_of(case_of([CORNER], contact, 1e-4, grain=[start], wall=[PIERCED]))
    engine.advance(1, observe=True)
    first, parts = energy(engine), set()
    for _ in range(200):
        engine.advance(20, observe=True)
        parts |= set((engine.contacts().key[:, 2] >> PART).tolist())
        assert energy(engine) == pytest.approx(first, rel=1e-4)
    assert parts >= {NEAR, INNER, OUTER}


def test_grains_fall_where_a_hole_opens() -> None:
    """A lid that fills the hole vanishes at the second stage: the ball above it falls, that on the ring stays."""
    lid = {"name": "lid", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": HOLE, "stages": ["closed"]}
    balls = [grain(SPHERE, (0.1, 0.0, 0.5)), grain(SPHERE, (1.45, 0.0, 0.5))]
    stages = [{"name": "closed", "kind": "run", "time": 0.3}, {"name": "open", "kind": "run", "time": 0.5}]
    case = case_of([SPHERE], SMOOTH, 1e-3, gravity=(0, 0, -9.81), grain=balls, wall=[PIERCED, lid], stage=stages)
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(300)
    assert (sim.engine.grains.x[:, 2] > 0.4).all()
    sim.step(500)
    height = sim.engine.grains.x[np.argsort(sim.engine.grains.gid), 2]
    assert height[0] < -0.5
    assert height[1] == pytest.approx(0.5, rel=0.01)


def test_a_hole_is_smaller_than_its_disc() -> None:
    with pytest.raises(CaseError, match=r"wall\.disc.* needs hole < radius, but hole is 3\.0 and radius is 2\.0"):
        case_of([SPHERE], ELASTIC, 1e-3, grain=[grain(SPHERE, (0, 0, 3))], wall=[PIERCED | {"hole": 3.0}])
    whole = case_of([SPHERE], ELASTIC, 1e-3, grain=[grain(SPHERE, (0, 0, 3))], wall=[{k: v for k, v in PIERCED.items() if k != "hole"}])
    assert isinstance(whole, Case)
    assert "hole" not in whole.to_toml()


def test_the_time_step_allows_for_both_sides_of_the_hole() -> None:
    """A ball in the hole has two springs, so its contact is shorter by the root of two than on a whole disc."""

    def limit(wall: dict[str, Any]) -> float:
        with pytest.raises(CaseError, match=r"a contact 'ball'-'disc'.*|a contact") as caught:
            engine_of(case_of([BIG], ELASTIC, 1e-2, grain=[grain(BIG, (0, 0, 3))], wall=[wall]))
        return float(str(caught.value).split("lasts ")[1].split(" s,")[0])

    whole = {k: v for k, v in PIERCED.items() if k != "hole"}
    assert limit(whole) / limit(PIERCED) == pytest.approx(math.sqrt(2.0), rel=1e-3)
