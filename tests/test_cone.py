"""A cone: distances against numerical minimisation, sliding and circling balls, energy, a wedge in the plane, moving cones, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scales import SCALES, domain, scaled
from scenes import CUBE, ELASTIC, ROD, SPHERE, case_of, centre_of, energy, engine_of, turned, worst_energy
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from pardem.case import Case
from pardem.errors import CaseError
from pardem.observables.bed import wall_distance
from pardem.simulation import Simulation
from pardem.state.arrays import WALL_CONTACTS
from pardem.walls.surfaces.cone import FAR, FIRST, NEAR, SECOND, meet_part, to_cone
from pardem.walls.surfaces.rims import PART

ALPHA = 0.6
HOPPER = {"name": "hopper", "kind": "cone", "radius": 0.7, "half_angle": ALPHA, "length": 5.0}
FUNNEL = {"name": "funnel", "kind": "cone", "half_angle": ALPHA, "length": 20.0}
SIZES = (0.7, 0.7 + 5.0 * math.tan(ALPHA), 5.0)
GRAVITY = 10.0


def grain(species: dict[str, Any], position: Any, velocity: Any = (0, 0, 0), turn: Any = (1, 0, 0, 0)) -> dict[str, Any]:
    return {"species": species["name"], "position": tuple(float(c) for c in position), "orientation": turn, "velocity": velocity}


def nearest(point: np.ndarray, axis: np.ndarray, sizes: tuple[float, float, float], turn: float) -> float:
    """Distance of a point from the generators of a cone that lie at an angle to it, by minimisation along them."""
    first, second, tall = sizes
    across = point - (point @ axis) * axis
    e = across / np.linalg.norm(across)
    e = math.cos(turn) * e + math.sin(turn) * np.cross(axis, e)

    def distance(s: float) -> float:
        return float(np.linalg.norm((first + s * (second - first)) * e + s * tall * axis - point))

    found = minimize_scalar(distance, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return min(float(found.fun), distance(0.0), distance(1.0))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("sizes", [SIZES, (2.0, 0.5, 1.0), (1.0, 1.0, 3.0), (0.0, 3.0, 2.0), (3.0, 0.0, 0.2)])
def test_the_vector_to_a_cone_is_the_shortest(sizes: tuple[float, float, float], scale: float) -> None:
    """No generator comes nearer than the one beside the point; those of the other side are met as their minimum says, but outside of a tip."""
    rng = np.random.default_rng(2)
    sizes = (scale * sizes[0], scale * sizes[1], scale * sizes[2])
    for _ in range(100):
        axis = Rotation.random(random_state=rng).apply([0.0, 0.0, 1.0])
        point = rng.normal(size=3) * 3.0 * scale
        there, line = to_cone(tuple(point), tuple(axis), sizes, False)
        assert there
        assert math.hypot(*line) == pytest.approx(nearest(point, axis, sizes, 0.0), rel=1e-6)
        assert min(nearest(point, axis, sizes, turn) for turn in (0.1, 1.0, 2.0, 4.0)) >= math.hypot(*line) * (1.0 - 1e-12)
        there, line = to_cone(tuple(point), tuple(axis), sizes, True)
        assert math.hypot(*line) == pytest.approx(nearest(point, axis, sizes, math.pi), rel=1e-6)
        height = float(point @ axis)
        inside = float(np.linalg.norm(point - height * axis)) < sizes[0] + height * (sizes[1] - sizes[0]) / sizes[2]
        assert there == (inside or min(sizes[:2]) > 0.0)


def test_on_the_axis_both_sides_are_alike() -> None:
    for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.6, 0.0, 0.8)):
        point = tuple(0.3 * c for c in axis)
        near, far = (np.array(to_cone(point, axis, SIZES, side)[1]) for side in (False, True))
        assert np.linalg.norm(near) == pytest.approx(np.linalg.norm(far), rel=1e-15)
        assert near + far == pytest.approx(2.0 * float(near @ axis) * np.array(axis), abs=1e-15)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("shape", [SPHERE, ROD, CUBE], ids=lambda s: s["name"])
def test_the_parts_of_a_grain_come_as_near_as_its_core(shape: dict[str, Any], scale: float) -> None:
    """Inside and at the rims: the least distance of vertices and edges is that of points sampled all over the core."""
    rng, species = np.random.default_rng(3), scaled(shape, scale)
    start = grain(species, (0, 0, 2.0 * scale), turn=tuple(rng.normal(size=4)))
    engine, _ = engine_of(case_of([species], ELASTIC, 1e-4, grain=[start], wall=[scaled(HOPPER, scale)], domain=domain(scale)))
    g, walls = engine.state.grains, engine.scene.walls
    core = np.zeros((1, 3)) if shape is SPHERE else g.vert[g.vert_start[0] : g.vert_start[1], :3].copy()
    features = walls.features
    edges = int(features.real[0])
    pairs = features.edges[features.edge_start[0] : features.edge_start[0] + edges]
    s = np.linspace(0.0, 1.0, 2001)[:, None]
    points = np.concatenate([core, *(core[a] + s * (core[b] - core[a]) for a, b in pairs)])
    compared = {"inside": 0, "rim": 0}
    for _ in range(1500):
        x = scale * (rng.uniform(-1.0, 1.0, 3) * 2.0 + (0.0, 0.0, rng.choice([0.3, 2.0, 4.9])))
        world = points + x
        radial = np.hypot(world[:, 0], world[:, 1])
        first, second, tall = (scale * size for size in SIZES)
        if (radial >= first + world[:, 2] * math.tan(ALPHA)).any():
            continue
        t = np.clip(((radial - first) * (second - first) + world[:, 2] * tall) / ((second - first) ** 2 + tall**2), 0.0, 1.0)
        expected = np.hypot(first + t * (second - first) - radial, t * tall - world[:, 2])
        g.x[0, :3] = x
        subs = [(NEAR << PART) + v for v in range(len(core))]
        subs += [(part << PART) + e for e in range(edges) for part in (FIRST, FIRST + 1, SECOND, SECOND + 1)]
        found = [meet_part(walls, g, 0, 0, sub) for sub in subs]
        out_of_the_way = 2.0 * species["radius"]  # what a part says that meets the cone nowhere
        assert min(d for d, _, _, _ in found if d != out_of_the_way) == pytest.approx(expected.min(), rel=1e-4)
        for d, on_core, way, _ in found:
            if d != out_of_the_way:
                assert d == pytest.approx(math.hypot(*way), rel=1e-12)
                there = x + np.array(on_core) + np.array(way)
                assert wall_distance(there[None], walls, 0)[0] < 1e-12 * scale
        compared["rim" if t[np.argmin(expected)] in (0.0, 1.0) else "inside"] += 1
    assert compared["inside"] > 30
    assert compared["rim"] > 30


SLOPE = np.array([math.sin(ALPHA), 0.0, math.cos(ALPHA)])  # up along the generator at y = 0
INWARD = np.array([-math.cos(ALPHA), 0.0, math.sin(ALPHA)])


def stiffness(engine: Any) -> float:
    """Of a ball's elastic contact (N/m): half a period of it is the contact time."""
    return float(engine.grains.v[0, 3]) * (math.pi / ELASTIC["contact_time"]) ** 2


def test_a_ball_slides_down_as_on_a_ramp() -> None:
    """Without friction it gains g cos(alpha) along the generator, pressed in by its weight across it over the stiffness."""
    sunk = GRAVITY * math.sin(ALPHA) * (ELASTIC["contact_time"] / math.pi) ** 2
    start = 12.0 * SLOPE + (0.5 - sunk) * INWARD
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 1e-3, gravity=(0, 0, -GRAVITY), grain=[grain(SPHERE, start)], wall=[FUNNEL]))
    assert GRAVITY * math.sin(ALPHA) * float(engine.grains.v[0, 3]) == pytest.approx(stiffness(engine) * sunk, rel=1e-12)
    engine.evaluate()
    engine.advance(1000)
    way = engine.grains.x[0, :3] - start
    assert way @ SLOPE == pytest.approx(-0.5 * GRAVITY * math.cos(ALPHA), rel=1e-9)
    assert abs(way @ INWARD) < 1e-9
    assert abs(way[1]) < 1e-12


def test_a_ball_circles_at_the_speed_of_its_height() -> None:
    """Its centre is on a cone whose tip lies (r - overlap)/sin(alpha) higher; at height h over that, v^2 = g h and N = m g/sin(alpha)."""
    sunk = GRAVITY / math.sin(ALPHA) * (ELASTIC["contact_time"] / math.pi) ** 2
    tip = (0.5 - sunk) / math.sin(ALPHA)
    h = 4.0
    r, speed = h * math.tan(ALPHA), math.sqrt(GRAVITY * h)
    ball = grain(SPHERE, (r, 0.0, tip + h), velocity=(0.0, speed, 0.0))
    turns = 3

    def worst(step: float) -> tuple[float, float]:
        engine, _ = engine_of(case_of([SPHERE], ELASTIC, step, gravity=(0, 0, -GRAVITY), grain=[ball], wall=[FUNNEL]))
        engine.evaluate()
        height, rotation = 0.0, 0.0
        for _ in range(60):
            engine.advance(round(turns * 2.0 * math.pi * r / speed / 60.0 / step))
            height = max(height, abs(engine.grains.x[0, 2] - tip - h))
        x, v = engine.grains.x[0], engine.grains.v[0]
        rotation = float(x[0] * v[1] - x[1] * v[0])
        assert rotation == pytest.approx(r * speed, rel=1e-9)  # the force never turns it about the axis
        assert math.hypot(x[0], x[1]) == pytest.approx(r, rel=1e-2)
        return height, rotation

    coarse, fine = worst(1.2e-3)[0], worst(3e-4)[0]
    assert coarse < 1e-2 * h
    assert fine < coarse / 10.0  # second order: a sixteenth


def test_an_orbit_keeps_its_energy_to_second_order() -> None:
    """An orbit that rises and falls, with the contact always closed."""

    def worst(step: float) -> float:
        ball = grain(SPHERE, 8.0 * SLOPE + 0.499 * INWARD, velocity=(0.0, 3.0, 0.0))
        engine, _ = engine_of(case_of([SPHERE], ELASTIC, step, gravity=(0, 0, -GRAVITY), grain=[ball], wall=[FUNNEL]))
        engine.advance(1, observe=True)
        start, kinetic, error = energy(engine), 0.5 * float(engine.grains.v[0, 3]) * 9.0, 0.0
        for _ in range(round(2.0 / step / 8)):
            engine.advance(8, observe=True)
            error = max(error, abs(energy(engine) - start) / kinetic)
        return error

    coarse, fine = worst(1.2e-3), worst(3e-4)
    assert coarse < 1e-2
    assert fine < coarse / 10.0


BOUNCES = {
    "ball inside": (SPHERE, grain(SPHERE, 4.0 * SLOPE + 0.55 * INWARD + (0.7, 0, 0), velocity=(0.8, 0.3, -0.3))),
    "ball outside": (SPHERE, grain(SPHERE, 4.0 * SLOPE - 0.55 * INWARD + (0.7, 0, 0), velocity=(-0.8, 0.3, 0.3))),
    "ball on the upper rim": (SPHERE, grain(SPHERE, (SIZES[1] + 0.1, 0.0, 5.52), velocity=(0.0, 0.1, -0.8))),
    "ball in the outlet": (SPHERE | {"radius": 0.8}, grain(SPHERE, (0.02, 0.0, 0.56), velocity=(-0.1, 0.1, -0.8))),
    "rod inside": (ROD, grain(ROD, 4.0 * SLOPE + 0.45 * INWARD + (0.7, 0, 0), velocity=(0.8, 0.2, -0.4), turn=turned((0.3, 1, 0), 1.4))),
    "rod across the outlet": (ROD, grain(ROD, (0.5, 0.1, 0.3), velocity=(0.6, 0.1, -0.3), turn=turned((0, 1, 0), 0.3))),
    "cube inside": (CUBE, grain(CUBE, 4.0 * SLOPE + 0.85 * INWARD + (0.7, 0, 0), velocity=(0.8, 0.2, -0.4), turn=turned((1, 0.4, 0), 0.3))),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNCES)
def test_elastic_bounces_keep_energy_to_second_order(name: str) -> None:
    species, start = BOUNCES[name]
    coarse, fine = (worst_energy([species], [start], [HOPPER], ELASTIC, step, 0.4, 4e-4) for step in (4e-4, 5e-5))
    assert coarse < 5e-3
    assert fine < coarse / 25.0  # an eighth of the step: a sixty-fourth of the error


def test_a_ball_too_large_for_the_outlet_rests_on_two_sides() -> None:
    """Each side bears half of the weight over the sine of the half-angle."""
    contact = {"law": "viscoelastic", "restitution": 0.3, "contact_time": 0.02}
    narrow = HOPPER | {"radius": 0.2}
    engine, _ = engine_of(case_of([SPHERE], contact, 5e-4, gravity=(0, 0, -GRAVITY), grain=[grain(SPHERE, (0.01, 0, 0.6))], wall=[narrow]))
    engine.advance(40_000)
    engine.advance(1, observe=True)
    g = engine.grains
    assert engine.tally[WALL_CONTACTS, 0] == 2
    assert abs(g.x[0, 0]) < 1e-6
    # height of its centre: the distance from both generators is the radius less the overlap
    from pardem.laws.parameters import viscoelastic_clamped

    overlap = GRAVITY / (2.0 * math.sin(ALPHA)) / viscoelastic_clamped(0.3, 0.02)[0]
    assert g.x[0, 2] * math.sin(ALPHA) + 0.2 * math.cos(ALPHA) == pytest.approx(0.5 - overlap, rel=1e-6)


def test_in_the_plane_it_is_a_wedge() -> None:
    """A disk between its two lines: each bears half of the weight over the sine of the half-angle, as friction does not act."""
    disk = {"name": "disk", "shape": "disk", "radius": 0.5, "density": 1000.0}
    contact = {"law": "viscoelastic", "restitution": 0.3, "contact_time": 0.02}
    wedge = {"name": "wedge", "kind": "cone", "center": (0.0, 0.0), "radius": 0.2, "half_angle": ALPHA, "length": 5.0}
    planar: dict[str, Any] = {"dimension": 2, "gravity": (0.0, -GRAVITY), "domain": {"lower": (-50, -50), "upper": (50, 50)}}
    start = {"species": "disk", "position": (0.02, 0.6)}
    engine, _ = engine_of(case_of([disk], contact, 5e-4, grain=[start], wall=[wedge], **planar))
    engine.advance(40_000)
    engine.advance(1, observe=True)
    assert engine.tally[WALL_CONTACTS, 0] == 2
    x, mass = engine.grains.x[0], float(engine.grains.v[0, 3])
    assert x[2] == 0.0
    assert abs(x[0]) < 1e-6
    settings = engine.scene.settings
    reaction = float(engine.scene.walls.reaction[0, 1, 0] + (int(engine.scene.walls.reaction[0, 1, 1]) << 32)) * settings.force
    assert reaction == pytest.approx(-mass * GRAVITY, rel=1e-6)


def test_what_moves_with_the_cone_sees_it_at_rest() -> None:
    """A bounce in a cone that moves at a constant velocity is that in one at rest, seen from there."""
    drift = (0.3, -0.2, 0.5)
    species, start = BOUNCES["cube inside"]
    still, _ = engine_of(case_of([species], ELASTIC, 1e-4, grain=[start], wall=[HOPPER]))
    quick = start | {"velocity": tuple(a + b for a, b in zip(start["velocity"], drift, strict=True))}
    wall = HOPPER | {"motion": {"kind": "velocity", "velocity": drift}}
    moving, _ = engine_of(case_of([species], ELASTIC, 1e-4, grain=[quick], wall=[wall]))
    for engine in (still, moving):
        engine.advance(4000)
    away = still.grains.v[0, :3] - start["velocity"]
    assert math.hypot(*away) > 0.5  # it has bounced
    assert moving.grains.x[0, :3] - 0.4 * np.array(drift) == pytest.approx(still.grains.x[0, :3], rel=1e-7)
    assert moving.grains.v[0, :3] - np.array(drift) == pytest.approx(still.grains.v[0, :3], rel=1e-6)
    assert moving.grains.w[0, :3] == pytest.approx(still.grains.w[0, :3], rel=1e-6)


@pytest.mark.parametrize(
    "motion",
    [
        {"kind": "sinusoidal", "direction": (0.2, 0.0, 1.0), "amplitude": 0.05, "frequency": 3.0},
        {"kind": "rotation", "rate": 1.5, "axis": (0.0, 1.0, 0.0), "center": (0.0, 0.0, 2.0)},
        {"kind": "rotation", "rate": 4.0},
    ],
    ids=["shaken", "swung about an axis across", "turned about its own"],
)
def test_the_work_of_a_moving_cone_is_what_balls_gain(motion: dict[str, Any]) -> None:
    """Without losses, to second order in the time step."""

    def residual(step: float) -> float:
        above = 4.0 * SLOPE + 0.55 * INWARD + (HOPPER["radius"], 0.0, 0.0)
        balls = [grain(SPHERE, above * (side, 1.0, 1.0)) for side in (-1.0, 1.0)]
        stage = [{"name": "go", "kind": "run", "steps": 99_999}]
        output = {"observables": {"energy_budget": True}}
        case = case_of([SPHERE], ELASTIC, step, gravity=(0, 0, -GRAVITY), grain=balls, wall=[HOPPER | {"motion": motion}], stage=stage, output=output)
        sim = Simulation(case, MPI.COMM_SELF)
        sim.observables()
        worst, gained = 0.0, 0.0
        for _ in range(20):
            sim.step(round(0.02 / step), observe=True)
            values = sim.observables()
            worst, gained = max(worst, abs(values["energy/residual"])), max(gained, values["energy/kinetic_translational"])
        assert abs(values["energy/wall_work"]) > 1e-3 * gained or motion == {"kind": "rotation", "rate": 4.0}
        return worst / gained

    coarse, fine = residual(4e-4), residual(5e-5)
    assert coarse < 2e-2
    assert fine < coarse / 15.0  # an eighth of the step: a sixty-fourth, times where within a step a contact happens to begin


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"length": 0.0}, r"wall\.hopper\.length .*greater than 0|wall\.hopper\.length = 0\.0 must be"),
        ({"radius": -0.1}, r"wall\.hopper\.radius = -0\.1"),
        ({"half_angle": 1.6}, r"wall\.hopper\.half_angle = 1\.6"),
        ({"half_angle": -1.6}, r"wall\.hopper\.half_angle = -1\.6"),
        ({"half_angle": -0.6}, r"wall\.hopper comes to a tip before its end.*length is 1\.02318 at most|.*1\.0231"),
        ({"end_radius": 2.0}, "needs exactly one of end_radius, half_angle, but end_radius and half_angle are given"),
        ({"half_angle": None}, "needs exactly one of end_radius, half_angle, but none is given"),
        ({"radius": 0.0, "half_angle": 0.0}, "needs a radius above zero at one of its ends"),
        ({"axis": (0.0, 0.0, 0.0)}, "must not be the zero vector"),
    ],
)
def test_what_a_cone_cannot_be(change: dict[str, Any], sentence: str) -> None:
    wall = {key: value for key, value in (HOPPER | change).items() if value is not None}
    with pytest.raises(CaseError, match=sentence):
        case_of([SPHERE], ELASTIC, 1e-3, grain=[grain(SPHERE, (0, 0, 3))], wall=[wall])


def test_half_angle_and_end_radius_say_the_same() -> None:
    def sizes(**more: Any) -> list[float]:
        wall = {key: value for key, value in (HOPPER | more).items() if value is not None}
        engine, _ = engine_of(case_of([SPHERE], ELASTIC, 1e-3, grain=[grain(SPHERE, (0, 0, 3))], wall=[wall]))
        return list(engine.scene.walls.shape[0, 6:9])

    assert sizes() == pytest.approx(sizes(half_angle=None, end_radius=SIZES[1]), rel=1e-15)


def test_compounds_meet_it_with_their_outer_vertices() -> None:
    """A cross falls into a funnel and rests, in contact with its tips alone."""
    from scenes import CROSS

    contact = {"law": "viscoelastic", "restitution": 0.3, "contact_time": 0.02}
    case: Case = case_of(
        [CROSS], contact, 5e-4, gravity=(0, 0, -GRAVITY), grain=[grain(CROSS, centre_of(CROSS) + np.array([0.05, 0.0, 3.0]))], wall=[FUNNEL]
    )
    engine, _ = engine_of(case)
    engine.advance(6000)
    engine.advance(1, observe=True)
    assert engine.tally[WALL_CONTACTS, 0] >= 3
    assert wall_distance(engine.grains.x, engine.scene.walls, 0)[0] > 0.0


def test_far_parts_are_listed_where_the_cone_is_narrow() -> None:
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 1e-3, grain=[grain(SPHERE, (0.0, 0.0, 0.55))], wall=[HOPPER | {"radius": 0.2}]))
    parts = sorted(int(sub) >> PART for sub in engine.state.wall_pairs.sub)
    assert parts == [NEAR, FAR]
