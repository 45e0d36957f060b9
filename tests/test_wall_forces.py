"""Force and torque of grains on a plane, in a cylinder and in a cone, against least squares, plane geometry and single vertices, at three scales."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from reference_distance import Array
from reference_points import FLAT, centroid, least_height, plane_axes
from scales import SCALES
from scenes import ELASTIC, case_of, engine_of
from scipy.spatial.transform import Rotation
from test_pair_forces import CORES, EPS, RADII, RULES, centred, species_of, vertices

from pardem.engine import Engine

COUNT = 60
NORMAL = np.array([0.48, 0.6, 0.64])
TUBE = 2.0  # radius of the cylinder, and of the cone at its narrow end, in units of the scale
OPENING = 0.08  # half-angle of the cone
TOLERANCE = 1e-10


def poses(upright: Array, level: bool) -> list[tuple[str, Rotation]]:
    """Cores in turn, turned at random, or with an axis of theirs along a direction, to rounding."""
    rng, out = np.random.default_rng(8), []
    for n in range(COUNT):
        turn = Rotation.random(random_state=rng)
        if level:
            axes = Rotation.create_group("O")[int(rng.integers(24))]
            up = Rotation.align_vectors([upright], [[0.0, 0.0, 1.0]])[0]
            turn = up * Rotation.from_rotvec([0.0, 0.0, rng.uniform(0.0, 6.0)]) * axes
        out.append((list(CORES)[n % len(CORES)], turn))
    return out


def scene(grains: list[tuple[str, Rotation, Array]], wall: dict[str, Any], rule: str, scale: float) -> Engine:
    """Grains at places about which they are given, with one wall."""
    species = [species_of(name, scale) for name in CORES]
    placed = [
        {"species": name, "position": tuple(place.tolist()), "orientation": tuple(turn.as_quat(scalar_first=True).tolist())}
        for name, turn, place in grains
    ]
    size = 6.0 * COUNT * scale
    case = case_of(species, RULES[rule], 1e-4, grain=placed, wall=[wall], domain={"lower": (-size,) * 3, "upper": (size,) * 3})
    engine, _ = engine_of(case, overlaps=True)
    engine.evaluate()
    return engine


def compare(engine: Engine, row: int, pushes: list[tuple[Array, Array]]) -> None:
    """Force and torque of a grain against forces at points relative to its centre."""
    g, s = engine.grains, engine.scene.settings
    force = np.sum([push for push, _ in pushes], axis=0)
    torque = np.sum([np.cross(at, push) for push, at in pushes], axis=0)
    size = sum(float(np.linalg.norm(push)) for push, _ in pushes)
    lever = math.sqrt(float((vertices(engine, row) ** 2).sum(axis=1).max())) + g.x[row, 3]
    assert np.abs(g.ft[row, :3] * s.force - force).max() < TOLERANCE * size
    assert np.abs(g.ft[row, 4:7] * s.torque - torque).max() < TOLERANCE * size * lever


def stiffness(engine: Engine, row: int) -> float:
    return float(engine.grains.v[row, 3]) * (math.pi / ELASTIC["contact_time"]) ** 2


def lowest(core: Array, normal: Array) -> Array:
    """The middle of all lowest points of a core."""
    heights, axes = core @ normal, plane_axes(normal)
    low = core[heights <= heights.min() + FLAT * math.sqrt((core**2).sum(axis=1).max())]
    return np.asarray(centroid(low @ axes.T) @ axes + heights.min() * normal)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("level", [False, True], ids=["random", "level"])
@pytest.mark.parametrize("rule", RULES)
def test_a_plane_pushes_at_the_lowest_point(rule: str, level: bool, scale: float) -> None:
    """F = k (r - d) (h + n.X)/d n at X, the minimiser; by `minima` at the middle of the lowest feature."""
    grains, rng = [], np.random.default_rng(4)
    along = plane_axes(NORMAL)[0]
    for n, (name, turn) in enumerate(poses(NORMAL, level)):
        height = scale * RADII[name] * rng.uniform(0.75, 0.95) - float((turn.apply(centred(name, scale)) @ NORMAL).min())
        grains.append((name, turn, height * NORMAL + 5.0 * scale * (n - 0.5 * COUNT) * along))
    wall = {"name": "ramp", "kind": "plane", "point": (0, 0, 0), "normal": tuple(NORMAL.tolist())}
    engine = scene(grains, wall, rule, scale)
    g = engine.grains
    assert len(engine.contacts().key) == COUNT
    for row in range(COUNT):
        core, height = vertices(engine, row), float(g.x[row, :3] @ NORMAL)
        f, point = least_height(core, NORMAL, height, EPS**2)
        if rule == "minima":
            point = lowest(core, NORMAL)
            f = (height + point @ NORMAL) ** 2
        d = math.sqrt(f)
        compare(engine, row, [(stiffness(engine, row) * (g.x[row, 3] - d) / d * (height + point @ NORMAL) * NORMAL, point)])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("level", [False, True], ids=["random", "level"])
@pytest.mark.parametrize("rule", RULES)
def test_a_cylinder_pushes_at_every_vertex_that_reaches_it(rule: str, level: bool, scale: float) -> None:
    """Each with k (r + distance from the axis - radius), towards the axis."""
    grains, rng, axis = [], np.random.default_rng(6), NORMAL
    axes = plane_axes(axis)
    for n, (name, turn) in enumerate(poses(axis, level)):
        core = turn.apply(centred(name, scale)) @ axes.T
        way = np.array([math.cos(n), math.sin(n)])
        # the farthest vertex lies beyond the rounding by a share of it: moved outwards until then
        goal, out = scale * (TUBE - RADII[name] * rng.uniform(0.75, 0.95)), 0.0
        for _ in range(60):
            out += goal - float(np.linalg.norm(core + out * way, axis=1).max())
        grains.append((name, turn, out * way @ axes + 5.0 * scale * (n - 0.5 * COUNT) * axis))
    wall = {"name": "tube", "kind": "cylinder", "radius": TUBE * scale, "axis": tuple(axis.tolist())}
    engine = scene(grains, wall, rule, scale)
    g = engine.grains
    for row in range(COUNT):
        pushes = []
        for point in vertices(engine, row):
            across = g.x[row, :3] + point
            across = across - (across @ axis) * axis
            far = float(np.linalg.norm(across))
            if far + g.x[row, 3] > TUBE * scale:
                pushes.append((-stiffness(engine, row) * (far + g.x[row, 3] - TUBE * scale) / far * across, point))
        assert pushes
        compare(engine, row, pushes)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("level", [False, True], ids=["random", "level"])
@pytest.mark.parametrize("rule", RULES)
def test_a_cone_pushes_at_every_vertex_that_reaches_it(rule: str, level: bool, scale: float) -> None:
    """Each with k (r - distance from the cone), across it; far from its rims."""
    grains, rng, axis = [], np.random.default_rng(6), NORMAL
    axes, slope, length = plane_axes(axis), math.tan(OPENING), 5.0 * (COUNT + 2) * scale
    start = -0.5 * length

    def distances(points: Array) -> tuple[Array, Array]:
        """Those of points from the cone, and unit vectors from its axis."""
        height = points @ axis
        across = points - height[:, None] * axis
        far = np.linalg.norm(across, axis=1)
        return (scale * TUBE + slope * (height - start) - far) * math.cos(OPENING), across / far[:, None]

    for n, (name, turn) in enumerate(poses(axis, level)):
        core, way = turn.apply(centred(name, scale)), np.array([math.cos(n), math.sin(n)]) @ axes
        goal, centre = scale * RADII[name] * rng.uniform(0.75, 0.95), scale * (5.0 * (n - 0.5 * COUNT) * axis + way)
        for _ in range(60):
            centre = centre + (distances(core + centre)[0].min() - goal) * way
        grains.append((name, turn, centre))
    wall = {"name": "cone", "kind": "cone", "center": tuple((start * axis).tolist()), "axis": tuple(axis.tolist()), "radius": TUBE * scale}
    engine = scene(grains, wall | {"half_angle": OPENING, "length": length}, rule, scale)
    g = engine.grains
    for row in range(COUNT):
        core = vertices(engine, row)
        apart, outward = distances(g.x[row, :3] + core)
        inward = math.sin(OPENING) * axis - math.cos(OPENING) * outward
        touching = np.flatnonzero(apart < g.x[row, 3])
        assert len(touching)
        compare(engine, row, [(stiffness(engine, row) * (g.x[row, 3] - apart[k]) * inward[k], core[k]) for k in touching])
