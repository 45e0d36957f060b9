"""Grains that lie on each other fall by what is free below them, not by the height of their packing; a packing that is high up falls as a whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import engine_of

from pardem.case import Case
from pardem.forecast import forecast
from pardem.forecast.confinement import held_together
from pardem.forecast.free_ways import FreeWays
from pardem.forecast.ground import faces_of
from pardem.forecast.speeds import Impact, impacts
from pardem.forecast.starts import starts_of
from pardem.insertion import PlacedGrains
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene
from pardem.shapes import Shape, Species, build_catalogue

pytestmark = pytest.mark.usefixtures("rough_masses")

UP = np.array([0.0, 0.0, 1.0])
SQUARE = (math.cos(math.pi / 8), math.sin(math.pi / 8), 0.0, 0.0)  # a turn by 45 degrees about x


def sides(without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    places = {"floor": ((0, 0), (0, 1)), "left": ((0, 0), (1, 0)), "right": ((1, 0), (-1, 0))}
    return [{"name": name, "kind": "plane", "point": p, "normal": n} for name, (p, n) in places.items() if name not in without]


def packing(lifted: float, **changes: Any) -> Case:
    """Voronoi cells in the plane, 1 m high, some way above the floor of a box, with contacts that bear a fall of 0.3 m, not one of 1 m."""
    data: dict[str, Any] = {
        "dimension": 2,
        "seed": 1,
        "gravity": (0.0, -9.81),
        "time": {"step": 1e-4},
        "domain": {"lower": (0, -0.1), "upper": (1, 5)},
        "contact": {"restitution": 0.5, "contact_time": 0.01},
        "voronoi": [{"name": "cell", "density": 2500.0, "count": 150, "lower": (0, lifted), "upper": (1, 1 + lifted), "erosion": 0.015}],
        "wall": sides(),
        "stage": [{"name": "rest", "kind": "run", "time": 2.0}],
    }
    return Case(**data | changes)


def foreseen(case: Case) -> list[str]:
    return forecast(case, build_scene(case, *size_range(case)))


def fall_of(case: Case) -> Impact:
    setup = build_scene(case, *size_range(case))
    faces = faces_of(case, setup)
    (fall,) = impacts(case, setup, held_together(case, starts_of(case, setup), faces), faces)
    return fall


def test_packed_cells_on_their_floor_raise_no_alarm() -> None:
    assert foreseen(packing(0.0)) == []


def test_packed_cells_that_are_high_up_do() -> None:
    (said,) = foreseen(packing(2.0))
    assert said.startswith("grain: grains fall up to 2.")
    assert 2.0 * 9.81 * 2.0 < fall_of(packing(2.0)).speed ** 2 < 2.0 * 9.81 * 2.5


@pytest.mark.parametrize("stages", [(), ["later"]], ids=["no wall", "none at first"])
def test_packed_cells_without_a_wall_beside_them_slump(stages: list[str]) -> None:
    """The highest ones may fall beside the others all the way."""
    walls = sides(("right",))
    if stages:
        walls.append({"name": "right", "kind": "plane", "point": (1, 0), "normal": (-1, 0), "stages": stages})
    stage = [{"name": name, "kind": "run", "time": 1.0} for name in ("first", "later")]
    case = packing(0.0, wall=walls, stage=stage, domain={"lower": (-1, -0.1), "upper": (10, 5), "outflow": ["upper-x"]})
    (said,) = foreseen(case)
    assert said.startswith("grain: grains fall up to 0.9")


def test_a_servo_wall_comes_as_far_as_packed_cells_leave_room() -> None:
    lid = {"kind": "servo", "direction": (0, -1), "force": 1e4, "mass": 1000.0}
    wall = {"name": "lid", "kind": "plane", "point": (0, 1.2), "normal": (0, -1), "motion": lid}
    case = packing(0.0, wall=[*sides(), wall])
    setup = build_scene(case, *size_range(case))
    faces = faces_of(case, setup)
    _, push = impacts(case, setup, held_together(case, starts_of(case, setup), faces), faces)
    assert 2.0 * 10.0 * 0.2 < push.speed**2 < 2.0 * 10.0 * 0.5


def box_of(width: float) -> list[dict[str, Any]]:
    places = {"floor": ((0, 0, 0), (0, 0, 1)), "left": ((0, 0, 0), (1, 0, 0)), "right": ((width, 0, 0), (-1, 0, 0))}
    places |= {"front": ((0, 0, 0), (0, 1, 0)), "back": ((0, width, 0), (0, -1, 0))}
    return [{"name": name, "kind": "plane", "point": p, "normal": n} for name, (p, n) in places.items()]


@pytest.mark.parametrize("upper", [0.19, 0.4])
def test_lowered_beads_fall_from_where_they_are_lowered_to(upper: float) -> None:
    """Beads that stopped at what they first touched come down by much of the height of their bed, but not of their region: seen and foreseen."""
    data: dict[str, Any] = {
        "gravity": (0.0, 0.0, -9.81),
        "time": {"step": 2e-5},
        "domain": {"lower": (-0.01, -0.01, -0.01), "upper": (0.05, 0.05, 0.5)},
        "contact": {"restitution": 0.4, "contact_time": 6e-4, "friction": 0.2},
        "species": [{"name": "bead", "shape": "sphere", "radius": 2.5e-3, "density": 2500.0}],
        "insert": [{"species": "bead", "count": 300, "lowered": True, "region": {"kind": "box", "lower": (0, 0, 0), "upper": (0.04, 0.04, upper)}}],
        "wall": box_of(0.04),
        "stage": [{"name": "rest", "kind": "run", "time": 0.4}],
    }
    case = Case(**data)
    bound = fall_of(case).speed
    engine, _ = engine_of(case)
    engine.evaluate()
    seen = 0.0
    for _ in range(60):
        engine.advance(100)
        seen = max(seen, float(np.sqrt((engine.grains.v[:, :3] ** 2).sum(axis=1).max())))
    assert seen < bound < 1.4 * seen
    assert bound < 0.75 * math.sqrt(2.0 * 9.81 * upper)
    soft = Case(**data | {"contact": data["contact"] | {"contact_time": 6e-3}})
    assert foreseen(soft)[0].startswith("insert.0: grains fall up to 0.0")


def test_free_ways_are_those_between_grains() -> None:
    """Below a ball on a line: a cube turned by 45 degrees, a ball, and a rod that counts as the ball of its volume."""
    catalogue = build_catalogue(
        [
            Species("ball", Shape.sphere(radius=0.5), 1.0),
            Species("cube", Shape.cube(side=1.0, radius=0.1), 1.0),
            Species("rod", Shape.spherocylinder(length=2.0, radius=0.25), 1.0),
        ]
    )
    x = np.array([[0.0, 0.0, 10.0], [0.0, 0.0, 8.0], [0.3, 0.0, 5.0], [0.0, 0.0, 2.0], [5.0, 0.0, 5.0]])
    grains = PlacedGrains(np.array([0, 1, 0, 2, 0]), 1.0, x, np.array([(1.0, 0, 0, 0), SQUARE, *[(1.0, 0, 0, 0)] * 3]))
    ways = FreeWays(catalogue, grains, np.zeros(3))
    rod = 2.0 * np.cbrt(0.75 * catalogue.volume[2] / math.pi)
    tilted = min(2.0 * 0.6 * math.sqrt(2.0), 2.0 * (0.5 * math.sqrt(3.0) + 0.1))
    taken = 0.5 + tilted + 2.0 * math.sqrt(0.5**2 - 0.3**2) + rod
    assert ways.free(0, -UP, 10.0) == pytest.approx(10.0 - taken, rel=1e-12)
    assert ways.free(0, -UP, 1.0) == pytest.approx(1.0 - 0.5 - max(0.0, 0.5 * tilted - 1.0), rel=1e-12)
    assert ways.free(4, -UP, 5.0) == pytest.approx(4.5, rel=1e-12)
    wrapped = FreeWays(catalogue, grains, np.array([5.0, 0.0, 0.0]))  # the last ball is above the rod and the turned cube is above it
    assert wrapped.free(4, -UP, 5.0) == pytest.approx(4.5 - rod, rel=1e-12)


def test_cells_of_a_packing_leave_nothing_free_between_them() -> None:
    """Faces moved outwards by as much as they had been eroded meet again."""
    case = packing(0.0)
    setup = build_scene(case, *size_range(case))
    (start,) = starts_of(case, setup)
    assert start.ways is not None
    ways = [start.ways.free(k, np.array([0.0, -1.0, 0.0]), float(start.ways.x[k, 1])) for k in range(len(start.ways.x))]
    assert float(np.median(ways)) < 0.05
    assert max(ways) < 0.15  # corners are cut off at the furthest point of a grain
