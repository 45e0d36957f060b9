"""Cases in two dimensions: what may be left out, what is refused, the effective case, and runs that stay in the plane."""

from __future__ import annotations

import copy
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.errors import CaseError, FileError
from pardem.laws.parameters import tangential_mass
from pardem.observables.profile import profile_along, sample_points
from pardem.setup.initial_grains import initial_grains, size_range
from pardem.setup.preparation import build_scene
from pardem.simulation import Simulation


def scene(**changes: Any) -> dict[str, Any]:
    """A small valid case with two numbers wherever they suffice."""
    data: dict[str, Any] = {
        "dimension": 2,
        "time": {"step": 2e-5},
        "domain": {"lower": [0.0, 0.0], "upper": [0.1, 0.2], "periodic": [True, False]},
        "species": [
            {"name": "disk", "shape": "disk", "radius": 3e-3, "density": 2.0},
            {"name": "rice", "shape": "rice", "length": 5e-3, "radius": 2e-3, "density": 2.0},
        ],
        "grain": [
            {"species": "disk", "position": [0.05, 0.1], "velocity": [0.3, -0.2], "angular_velocity": 4.0},
            {"species": "rice", "position": [0.02, 0.15], "orientation": math.pi / 3.0},
        ],
        "insert": [{"species": "rice", "count": 6, "region": {"kind": "box", "lower": [0.0, 0.0], "upper": [0.1, 0.05]}}],
        "contact": {"restitution": 0.5, "contact_time": 1e-3, "friction": 0.3},
        "wall": [
            {"name": "floor", "kind": "plane", "point": [0.0, 0.0], "normal": [0.0, 2.0], "motion": {"kind": "velocity", "velocity": [0.0, 0.01]}},
            {"name": "lid", "kind": "disc", "center": [0.05, 0.19], "normal": [0.0, -1.0], "radius": 0.02},
        ],
        "stage": [{"name": "shake", "kind": "vibrate", "wall": "lid", "taps": 1, "frequency": 30.0, "amplitude": 1e-3}],
    }
    return copy.deepcopy(data) | changes


def at(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The data with one entry replaced; list entries by number."""
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = data
    for part in parents:
        place = place[part]
    if isinstance(last, int):
        place[last] = value
    else:
        place |= {last: value}
    return data


def test_two_numbers_are_enough() -> None:
    case = Case(**scene())
    assert case.gravity == (0.0, -9.81, 0.0)
    assert case.grain[0].position == (0.05, 0.1, 0.0)
    assert case.grain[0].velocity == (0.3, -0.2, 0.0)
    assert case.grain[0].angular_velocity == (0.0, 0.0, 4.0)
    assert case.grain[1].orientation == pytest.approx((math.cos(math.pi / 6.0), 0.0, 0.0, 0.5), rel=1e-15)
    assert case.domain is not None
    assert (case.domain.lower, case.domain.upper, case.domain.periodic) == ((0.0, 0.0, -0.5), (0.1, 0.2, 0.5), (True, False, False))
    assert case.insert[0].region.upper == (0.1, 0.05, 0.5)  # type: ignore[union-attr]
    assert case.wall[0].normal == (0.0, 1.0, 0.0)  # type: ignore[union-attr]
    assert case.wall[0].motion.velocity == (0.0, 0.01, 0.0)  # type: ignore[union-attr]
    assert case.stage[0].direction == (0.0, 1.0, 0.0)  # type: ignore[union-attr]
    assert Case(**scene(gravity=[1.0, 2.0])).gravity == (1.0, 2.0, 0.0)
    arrays = at(scene(), "grain.0.position", np.array([0.05, 0.1]))
    assert Case(**arrays) == case


def test_the_effective_case_is_the_same_case() -> None:
    shapes: list[dict[str, Any]] = [
        {"shape": "peanut", "length": 5e-3, "radius": 1e-3},
        {"shape": "pebble", "vertices": [[0.0, 0.0], [4e-3, 0.0], [0.0, 3e-3]], "radius": 1e-3},
        {"shape": "regular_polygon", "sides": 5, "edge": 4e-3, "radius": 1e-3},
        {"shape": "polygon", "vertices": [[0.0, 0.0], [4e-3, 0.0], [1e-3, 1e-3], [0.0, 3e-3]], "radius": 1e-4},
        {"shape": "planar_polyline", "vertices": [[0.0, 0.0], [4e-3, 0.0], [4e-3, 1e-3]], "radius": 1e-3},
        {"shape": "cow", "length": 1e-2, "radius": 1e-4},
    ]
    data = scene(
        time={"step": 1e-6},
        species=[*scene()["species"], *({"name": f"s{k}", "density": 1.0} | shape for k, shape in enumerate(shapes))],
        insert=[
            {"species": f"s{k}", "count": 2, "region": {"kind": kind, **({"radius": 0.05, "center": [0.05, 0.06]} if kind == "cylinder" else {})}}
            for k, kind in enumerate(["cylinder", "periodic", "periodic", "cylinder", "periodic", "cylinder"])
        ],
        wall=[
            *scene()["wall"],
            {"name": "frame", "kind": "box", "lower": [0.0, 0.0], "upper": [0.1, 0.2]},
            {"name": "ring", "kind": "cylinder", "radius": 1.0},
        ],
        contact=scene()["contact"] | {"interaction": "superposition"},
        output={"observables": {"layers": {"thickness": 0.01}}},
    )  # fmt: skip
    case = Case(**data)
    again = Case(**tomllib.loads(case.to_toml()))
    assert again == case
    assert again.hash() == case.hash()
    assert case.hash() != Case(**at(scene(), "grain.1.orientation", 1.0)).hash()
    assert case.output.observables.layers is not None
    assert case.output.observables.layers.axis == "y"
    grains = initial_grains(case, build_scene(case, *size_range(case)).catalogue)
    assert grains.count == 14
    assert not grains.x[:, 2].any()
    assert not grains.q[:, 1:3].any()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("gravity", [0.0, 0.0, -9.81], "gravity = [0.0, 0.0, -9.81] leads out of the plane: in two dimensions give x and y only"),
        ("grain.0.position", [0.05, 0.1, 0.01], "grain.0.position = [0.05, 0.1, 0.01] leads out of the plane"),
        ("grain.0.velocity", [0.0, 0.1, 0.01], "grain.0.velocity = "),
        ("grain.0.angular_velocity", [1.0, 0.0, 0.0], "grain.0.angular_velocity = [1.0, 0.0, 0.0] rotates out of the plane"),
        ("grain.1.orientation", [1.0, 1.0, 0.0, 0.0], "grain.1.orientation = [1.0, 1.0, 0.0, 0.0] rotates out of the plane"),
        ("domain.upper", [0.1, 0.2, 3.0], "domain.upper = [0.1, 0.2, 3.0] leads out of the plane"),
        ("domain.periodic", [True, False, True], "domain.periodic = [True, False, True] leads out of the plane"),
        ("insert.0.region.lower", [0.0, 0.0, 0.0], "insert.0.region.lower"),
        ("insert.0.region", {"kind": "cylinder", "radius": 0.04, "lower": 0.0}, "the region is a disk; remove lower and upper"),
        ("insert.0.region", {"kind": "cylinder", "radius": 0.04, "axis": "x"}, "insert.0.region.axis = 'x' lies in the plane"),
        ("wall.0.normal", [0.0, 0.0, 1.0], "wall.floor.normal = [0.0, 0.0, 1.0] leads out of the plane"),
        ("wall.0.motion.velocity", [0.0, 0.0, 1.0], "wall.floor.motion.velocity"),
        ("wall.1", {"name": "a", "kind": "cylinder", "radius": 1.0, "axis": [0.0, 1.0, 0.0]}, "wall.a.axis = [0.0, 1.0, 0.0] is"),
        ("stage.0.direction", [0.0, 0.0, 1.0], "stage.shake.direction"),
        ("output", {"observables": {"layers": {"thickness": 0.01, "axis": "z"}}}, "output.observables.layers.axis = 'z' leads out of the plane"),
        ("parallel", {"grid": [2, 1, 2]}, "parallel.grid = [2, 1, 2] cuts the plane itself: in two dimensions give"),
        ("species.0.shape", "sphere", "'sphere' is a shape in three dimensions, but the case has two (dimension = 2); use 'disk'"),
        ("dimension", 3, "'rice' is a shape in two dimensions, but the case has three (dimension = 3); use 'spherocylinder'"),
        ("species.0", {"shape": "polygon", "radius": 1.0, "density": 1.0, "vertices": [[0, 0], [1, 0], [0, 1, 1]]}, "vertices.2 = [0, 1, 1]"),
        ("species.0.density", -1.0, "species.disk.density = -1.0 must be greater than 0.0 (mass per area, in kg/m^2)"),
        ("grain.0.position", [0.05], "grain.0.position"),
        ("dimension", 4, "dimension = 4 must be 2 or 3"),
    ],
)  # fmt: skip
def test_sentences(path: str, value: Any, expected: str) -> None:
    with pytest.raises(CaseError) as caught:
        Case(**at(scene(), path, value))
    assert expected in str(caught.value)


def test_reversed_outline_is_a_warning() -> None:
    clockwise = {"name": "kite", "shape": "polygon", "radius": 1e-3, "density": 1.0, "vertices": [[0.0, 0.0], [0.0, 3e-3], [4e-3, 0.0]]}
    case = Case(**scene(species=[*scene()["species"], clockwise]))
    warnings = build_scene(case, *size_range(case)).warnings
    assert any(w.startswith("species.kite: the outline is given clockwise and was reversed") for w in warnings)


def test_grains_file(tmp_path: Path) -> None:
    data = scene(grains_file="grains.npz", grain=[], insert=[])
    arrays: dict[str, Any] = {
        "species": np.array(["disk", "rice"]), "position": np.array([[0.02, 0.05], [0.06, 0.07]]), "orientation": np.array([0.0, 1.0]),
        "angular_velocity": np.array([2.0, 3.0]), "velocity": np.array([[1.0, 2.0], [0.0, 0.0]]),
    }  # fmt: skip
    np.savez(tmp_path / "grains.npz", **arrays)
    case = Case(**data).located(tmp_path)
    grains = initial_grains(case, build_scene(case, *size_range(case)).catalogue)
    np.testing.assert_array_equal(grains.x[:, :3], np.column_stack([arrays["position"], np.zeros(2)]))
    np.testing.assert_allclose(grains.q[1], [np.cos(0.5), 0.0, 0.0, np.sin(0.5)], rtol=1e-15)
    np.testing.assert_array_equal(grains.w[:, :3], [[0.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    np.savez(tmp_path / "grains.npz", **(arrays | {"position": np.array([[0.02, 0.05, 0.0], [0.06, 0.07, 0.1]])}))
    with pytest.raises(FileError, match=r"position of grain 1 = \[0\.06, 0\.07, 0\.1\] leads out of the plane"):
        initial_grains(case, build_scene(case, *size_range(case)).catalogue)


@pytest.mark.parametrize(("dimension", "moment"), [(2, 0.5), (3, 0.4)])
def test_tangential_mass_is_that_of_two_equal_round_grains(dimension: int, moment: float) -> None:
    m, r = 3.0, 0.7
    effective, inertia = m / 2.0, moment * m * r * r
    expected = 1.0 / (1.0 / effective + r * r / inertia + r * r / inertia)
    assert tangential_mass(dimension) * effective == pytest.approx(expected, rel=1e-15)


def test_volume_over_height_is_area_in_the_plane() -> None:
    """What lies below a height of a disk and of an upright and a lying grain of rice, by the points that stand for an area."""
    species = [
        {"name": "disk", "shape": "disk", "radius": 0.02, "density": 1.0},
        {"name": "rice", "shape": "rice", "length": 0.04, "radius": 0.01, "density": 1.0},
    ]
    places = [("disk", 0.03, 0.0), ("rice", 0.09, 0.0), ("rice", 0.14, 0.5 * math.pi)]
    grains = [{"species": name, "position": [x, 0.1], "orientation": angle} for name, x, angle in places]
    data = scene(species=species, grain=grains, insert=[], wall=[], domain={"lower": [0.0, 0.0], "upper": [0.2, 0.2]})
    data["stage"] = [{"name": "rest", "kind": "run", "steps": 1}]
    case = Case(**data)
    catalogue = build_scene(case, *size_range(case)).catalogue
    population, samples = initial_grains(case, catalogue), sample_points(MPI.COMM_SELF, catalogue)
    h, r = 0.005, np.array([0.02, 0.01, 0.01])

    def segment(height: float, r: float) -> float:  # of a disk, below a height over its centre
        return r * r * (math.pi / 2.0 + math.asin(height / r)) + height * math.sqrt(r * r - height * height)

    upright = math.pi * r[2] ** 2 / 2.0 + 2.0 * r[2] * (0.02 + h)
    expected = [segment(h, r[0]), segment(h, r[1]) + 0.04 * (r[1] + h), upright]
    for i, below in enumerate(expected):
        profile = profile_along(population.take(np.array([i])), catalogue, samples, np.array([0.0, 1.0, 0.0]))
        found = profile.between(MPI.COMM_SELF, np.array([0.1 + h]))
        assert found.sum() == pytest.approx(catalogue.volume[population.species[i]], rel=1e-12)
        assert found[0] == pytest.approx(below, rel=0.01)  # 512 points


def test_a_run_stays_in_the_plane_and_keeps_its_books() -> None:
    """Disks in a box fall: momentum, energy and areas as in the plane."""
    walls = {"lower": [0.0, 0.0], "upper": [0.1, 0.1]}
    data = scene(
        domain=walls,
        grain=[],
        insert=[{"species": "disk", "count": 30, "size": {"kind": "uniform", "min": 0.6, "max": 1.0}, "region": {"kind": "box"} | walls}],
        wall=[{"name": "frame", "kind": "box"} | walls],
        stage=[{"name": "fall", "kind": "run", "steps": 9000}],
    )  # fmt: skip
    simulation = Simulation(Case(**data), MPI.COMM_SELF)
    start = simulation.observables()
    simulation.step(9000)
    end = simulation.observables()
    grains = simulation.engine.grains
    assert not grains.x[:, 2].any()
    assert not grains.v[:, 2].any()
    assert not grains.w[:, :2].any()
    assert grains.w[:, 2].any()
    np.testing.assert_allclose(grains.v[:, 3], 2.0 * np.pi * grains.x[:, 3] ** 2, rtol=1e-14)
    assert end["contacts_per_grain"] > 0.3
    # the budget: what is lost is dissipation; the residual is the error of the time integration
    lost = start["energy/total"] - end["energy/total"]
    assert lost == pytest.approx(end["energy/lost_damping"] + end["energy/lost_friction"], rel=2e-2)
    mass, radius = grains.v[:, 3], grains.x[:, 3]
    energy = 0.5 * (mass * (grains.v[:, :2] ** 2).sum(axis=1)).sum() + 0.25 * (mass * (radius * grains.w[:, 2]) ** 2).sum()
    kinetic = end["energy/kinetic_translational"] + end["energy/kinetic_rotational"]
    assert kinetic == pytest.approx(energy, rel=1e-12)
    area = np.pi * (grains.x[:, 3] ** 2).sum()
    assert area / 0.01 <= end["density"] < 0.91  # of the part up to the fill height, below that of a hexagonal packing
