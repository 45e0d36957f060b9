"""All observables of an engine: known scenes, the energy budget, and the same bits on any number of ranks."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, ROD, SPHERE, case_of, engine_of

from pardem.case import Case
from pardem.case.checks import MOST_LAYERS
from pardem.engine import Engine
from pardem.errors import CaseError
from pardem.observables.collect import Observer
from pardem.observables.fabric import anisotropy
from pardem.observables.filling import FILL_SHARE
from pardem.observables.registry import QUANTITIES
from pardem.observables.slices import ball_below
from pardem.recorder import Recorder
from pardem.state.saved import RunHeader

ELASTIC = {"law": "elastic", "normal_stiffness": 1e5, "friction": 0.0}
VISCOUS = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.5}
FLOOR = {"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)}
TUBE = {"name": "tube", "kind": "cylinder", "radius": 4.0}
VOLUME = 4.0 / 3.0 * math.pi * 0.5**3  # of SPHERE


def observer_of(case: Case, comm: MPI.Comm = MPI.COMM_SELF, axis: int = 0) -> tuple[Engine, Observer]:
    engine, setup = engine_of(case, comm, axis=axis)
    engine.recorder = Recorder() if case.output.needs_contacts else None
    engine.evaluate()
    return engine, Observer(comm, case, setup.catalogue, setup.scene)


def grains(species: str, positions: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"species": species, "position": tuple(float(c) for c in p)} | more for p in positions]


def output(**options: Any) -> dict[str, Any]:
    return {"observables": options}


# -- known scenes ---------------------------------------------------------------------------------------------------------------------


def test_two_spheres_in_contact() -> None:
    case = case_of([SPHERE], ELASTIC, 1e-4, grain=grains("ball", [(0, 0, 0), (1.001, 0, 0)]), domain={"lower": (-2, -2, -2), "upper": (2, 3, 4)})
    engine, observer = observer_of(case)
    engine.grains.x[1, 0] = 0.9
    engine._rebuild()
    engine.advance(1, observe=True)
    values = observer.measure(engine)
    k = float(case.contact.normal_stiffness)
    force, space = k * 0.1, 4.0 * 5.0 * 6.0
    assert values["energy/elastic"] == pytest.approx(0.5 * k * 0.01, rel=1e-9)
    np.testing.assert_allclose(values["stress"], np.diag([force * 0.9 / space, 0.0, 0.0]), rtol=1e-9, atol=1e-9)
    assert (values["coordination"], values["contacts_per_grain"]) == (1.0, 0.5)
    assert values["density"] == pytest.approx(2.0 * VOLUME / space, rel=1e-12)
    assert "mean_angle" not in values
    assert "fill_height" not in values


def test_fabric_of_three_spheres_on_a_floor() -> None:
    """One contact along x and one at 60 degrees to it; that with the floor has no part in it."""
    placed = grains("ball", [(0, 0, 0.501), (1.001, 0, 0.501), (0.5, 0.87, 0.6)])
    case = case_of([SPHERE], ELASTIC, 1e-4, grain=placed, wall=[FLOOR], output=output(fabric=True))
    engine, observer = observer_of(case)
    values = observer.measure(engine)
    assert np.isnan(values["fabric"]).all()
    assert math.isnan(values["fabric_anisotropy"])
    engine.grains.x[:3, :3] = [(0, 0, 0.49), (0.99, 0, 0.49), (0.99 / 2, 0.99 * math.sqrt(0.75), 0.6)]
    engine._rebuild()
    engine.advance(1, observe=True)
    values = observer.measure(engine)
    x = np.array(engine.grains.x[:, :3])
    normals = np.array([x[1] - x[0], x[2] - x[0], x[2] - x[1]])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    assert values["contacts_per_grain"] == pytest.approx(5.0 / 3.0)
    np.testing.assert_allclose(values["fabric"], normals.T @ normals / 3.0, atol=1e-12)
    a = 7.5 * (values["fabric"] - np.eye(3) / 3.0)
    assert values["fabric_anisotropy"] == pytest.approx(math.sqrt(1.5 * (a * a).sum()), rel=1e-12)


def test_anisotropy_is_the_amplitude_of_the_distribution() -> None:
    """Moments of 1 + a cos 2 theta in the plane, and of 1 + b (c^2 - 1/3) about an axis with the cosine c, integrated on a fine grid."""
    angle, a = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False), 0.37
    n = np.stack([np.cos(angle + 0.3), np.sin(angle + 0.3), 0.0 * angle])
    assert anisotropy((n * (1.0 + a * np.cos(2.0 * angle))) @ n.T / len(angle), 2) == pytest.approx(a, rel=1e-12)
    c, weight = np.polynomial.legendre.leggauss(8)
    weight, second = weight * (1.0 + a * (c * c - 1.0 / 3.0)) / 2.0, (c * c, (1.0 - c * c) / 2.0)
    axial, across = (float((weight * part).sum()) for part in second)
    assert anisotropy(np.diag([across, axial, across]), 3) == pytest.approx(a, rel=1e-12)
    assert anisotropy(np.eye(3) / 3.0, 3) == 0.0


def test_sphere_pressed_on_the_floor() -> None:
    above = grains("ball", [(2, 1, -0.499)])  # on the list of the floor there already
    case = case_of([SPHERE], ELASTIC, 1e-4, grain=above, wall=[FLOOR | {"point": (0, 0, -1)}])
    engine, observer = observer_of(case)
    engine.grains.x[0, 2] = -0.6
    engine.advance(1, observe=True)
    values = observer.measure(engine)
    force = float(case.contact.normal_stiffness) * 0.1
    np.testing.assert_allclose(values["wall_force/floor"], [0.0, 0.0, -force], rtol=1e-9)
    np.testing.assert_allclose(values["wall_torque/floor"], [-force, 2.0 * force, 0.0], rtol=1e-9)  # about the floor's point: (2, 1) x (-force)
    assert (values["coordination"], values["contacts_per_grain"]) == (0.0, 1.0)
    assert values["height/ball"] == pytest.approx(0.4, rel=1e-12)


def fill_of_columns(heights: np.ndarray) -> float:
    """Height below which a share of spheres with given heights of their centres lies, by bisection."""
    low, high = 0.0, float(heights.max()) + 1.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        below = sum(ball_below(middle - h, 0.5) for h in heights)
        low, high = (middle, high) if below < FILL_SHARE * VOLUME * len(heights) else (low, middle)
    return low


def test_density_fill_height_and_layers_of_spheres_in_a_tube() -> None:
    x = np.array([(a, b, 0.51 + 1.02 * c) for a in (-1.5, 0.0, 1.5) for b in (-1.5, 0.0, 1.5) for c in range(4)])
    case = case_of(
        [SPHERE], VISCOUS, 1e-4, grain=grains("ball", x), wall=[TUBE, FLOOR],
        output=output(layers={"thickness": 1.3, "origin": 0.0, "axis": "z"}, near_wall={"wall": "tube", "distance": 2.0}),
    )  # fmt: skip
    engine, observer = observer_of(case)
    values = observer.measure(engine)
    fill, section = fill_of_columns(x[:, 2]), math.pi * 16.0
    assert values["fill_height"] == pytest.approx(fill, rel=1e-7)
    assert values["density"] == pytest.approx(FILL_SHARE * 36 * VOLUME / (section * fill), rel=1e-7)
    edges = np.array([0.0, 1.3, 2.6, 3.9, fill])
    below = np.array([sum(ball_below(e - h, 0.5) for h in x[:, 2]) for e in edges])
    np.testing.assert_allclose(values["density_layers"], np.diff(below) / (section * np.diff(edges)), rtol=1e-5)
    assert list(values["count_layers"]) == [9.0, 18.0, 9.0, 0.0]
    assert values["share_near_wall/ball"] == 1.0


def test_share_near_a_wall_and_heights_by_species() -> None:
    small = SPHERE | {"name": "small", "radius": 0.25}
    placed = grains("ball", [(3.2, 0, 2), (0, -3.2, 4), (0, 0, 1)]) + grains("small", [(-3.2, 0, 2), (0, 0, 8)])
    case = case_of([SPHERE, small], VISCOUS, 1e-4, grain=placed, wall=[TUBE, FLOOR], output=output(near_wall={"wall": "tube", "distance": 1.0}))
    engine, observer = observer_of(case)
    values = observer.measure(engine)
    assert values["share_near_wall/ball"] == pytest.approx(2.0 / 3.0)
    assert values["share_near_wall/small"] == pytest.approx(1.0 / 3.0)
    assert values["height/ball"] == pytest.approx(7.0 / 3.0)
    assert values["height/small"] == pytest.approx(5.0)


def test_box_is_its_own_base() -> None:
    box = {"name": "crate", "kind": "box", "lower": (-2, -3, 1), "upper": (2, 3, 9)}
    case = case_of(
        [SPHERE], VISCOUS, 1e-4, grain=grains("ball", [(-1.4, 0, 2), (0, 0, 2)]), wall=[box],
        output=output(near_wall={"wall": "crate", "distance": 0.7}),
    )  # fmt: skip
    engine, observer = observer_of(case)
    values = observer.measure(engine)
    assert values["height/ball"] == pytest.approx(1.0)
    assert values["density"] == pytest.approx(FILL_SHARE * 2 * VOLUME / (24.0 * values["fill_height"]))
    assert values["share_near_wall/ball"] == 1.0


def test_layers_move_with_the_base() -> None:
    motion = {"kind": "velocity", "velocity": (0.0, 0.0, 2.0)}
    placed = grains("rod", [(0, 0, 1), (0, 3, 3)], orientation=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))  # lying along x
    case = case_of([ROD], VISCOUS, 1e-3, grain=placed, wall=[TUBE, FLOOR | {"motion": motion}], output=output(layers={"thickness": 1.5}))
    engine, observer = observer_of(case)
    before = observer.measure(engine)
    assert list(before["count_layers"]) == [1.0, 0.0, 1.0]
    assert before["mean_angle"] == pytest.approx(0.0, abs=1e-6)
    engine.advance(100, observe=True)  # the floor rises by 0.2
    after = observer.measure(engine)
    assert after["fill_height"] == pytest.approx(before["fill_height"] - 0.2, rel=1e-6)
    assert after["wall_displacement/floor"][2] == pytest.approx(0.2)
    engine.advance(250, observe=True)  # by 0.7: both grains have lost a layer, the first is above 0
    assert list(observer.measure(engine)["count_layers"]) == [1.0, 1.0]


def test_a_base_far_beyond_the_domain_has_the_first_layers_alone() -> None:
    """Their number up to it would need terabytes."""
    base = {"name": "floor", "kind": "disc", "center": (0.0, 0.0, 1e12), "normal": (0.0, 0.0, 1.0), "radius": 4.0}
    case = case_of([ROD], VISCOUS, 1e-3, grain=grains("rod", [(0, 0, 1), (0, 3, 3)]), wall=[TUBE, base], output=output(layers={"thickness": 1.5}))
    engine, observer = observer_of(case)
    values = observer.measure(engine)
    assert len(values["count_layers"]) == MOST_LAYERS
    assert list(values["count_layers"][:4]) == [1.0, 0.0, 1.0, 0.0]


DISK = {"name": "disk", "shape": "disk", "radius": 0.4, "density": 1000.0}
RICE = {"name": "rice", "shape": "rice", "length": 0.4, "radius": 0.12, "density": 1000.0}
ANGLE = {"name": "angle", "shape": "planar_polyline", "vertices": [(0.0, 0.5), (0.0, 0.0), (0.5, 0.0)], "radius": 0.1, "density": 1000.0}
LINE = {"name": "line", "kind": "plane", "point": (0, 0), "normal": (0, 1)}


def plane_case(placed: list[dict[str, Any]], species: tuple[dict[str, Any], ...] = (DISK, RICE, ANGLE), **more: Any) -> Case:
    return case_of(
        list(species), VISCOUS | {"interaction": "superposition"}, 1e-4, dimension=2, gravity=(0.0, -9.8), grain=placed,
        domain={"lower": (-9.0, -9.0), "upper": (9.0, 9.0)}, **more,
    )  # fmt: skip


def lying(species: str, degrees: list[float], height: float = 1.0) -> list[dict[str, Any]]:
    places = [(2.0 * k - 6.0, height) for k in range(len(degrees))]
    return [g | {"orientation": math.radians(d)} for g, d in zip(grains(species, places), degrees, strict=True)]


def test_directions_in_the_plane() -> None:
    degrees = [0.0, 30.0, -60.0, 90.0, 135.0]
    placed = lying("rice", degrees) + lying("rice", [10.0, 190.0], 4.0) + lying("disk", [77.0], 6.0)
    engine, observer = observer_of(plane_case(placed, wall=[LINE], output=output(layers={"thickness": 2.0})))
    values = observer.measure(engine)
    assert values["mean_angle"] == pytest.approx((0.0 + 30.0 + 60.0 + 90.0 + 45.0 + 10.0 + 10.0) / 7.0, rel=1e-12)
    np.testing.assert_allclose(values["mean_angle_layers"], [45.0, math.nan, 10.0, math.nan], rtol=1e-12)
    doubled = np.exp(2j * np.radians([*degrees, 10.0, 190.0])).mean()
    assert values["nematic_order"] == pytest.approx(abs(doubled), rel=1e-12)
    half = 0.5 * np.angle(doubled)
    np.testing.assert_allclose(values["nematic_director"], (math.cos(half), math.sin(half), 0.0), rtol=1e-12)


def test_angles_in_the_plane_count_from_the_base() -> None:
    leaning = LINE | {"normal": (-math.sin(math.radians(20.0)), math.cos(math.radians(20.0)))}
    case = plane_case(lying("rice", [20.0, 50.0, 200.0, -60.0], 5.0), wall=[leaning], output=output(base="line"))
    engine, observer = observer_of(case)
    assert observer.measure(engine)["mean_angle"] == pytest.approx((0.0 + 30.0 + 0.0 + 80.0) / 4.0, rel=1e-12)


def test_angle_of_grains_whose_long_axis_is_none_of_those_given() -> None:
    engine, observer = observer_of(plane_case(lying("angle", [45.0, 75.0])))  # longest from tip to tip, which lies at -45 degrees
    assert observer.measure(engine)["mean_angle"] == pytest.approx(15.0, rel=1e-10)


def test_bodies_have_no_part_in_angles() -> None:
    body = {"name": "beam", "kind": "body", "species": "rice", "position": (0.0, -3.0)}
    engine, observer = observer_of(plane_case(lying("disk", [0.0, 0.0]), (DISK, RICE), wall=[body]))
    assert not {"mean_angle", "nematic_order"} & observer.measure(engine).keys()


def test_container_that_gives_no_density() -> None:
    lying = TUBE | {"axis": (1.0, 0.0, 0.0)}
    case = case_of([SPHERE], VISCOUS, 1e-4, grain=grains("ball", [(0, 0, 1)]), wall=[lying, FLOOR], output=output(container="tube"))
    with pytest.raises(CaseError, match=r"output\.observables\.container = 'tube' gives no density"):
        observer_of(case)


# -- energy budget ---------------------------------------------------------------------------------------------------------------------


def bed(species: dict[str, Any], count: int, contact: dict[str, Any], **more: Any) -> Case:
    floor = FLOOR | {"motion": {"kind": "sinusoidal", "direction": (0.3, 0, 1), "gamma": 3.0, "frequency": 4.0}}
    return case_of(
        [species], contact, 1e-3, gravity=(0.0, 0.0, -9.8), seed=4,
        domain={"lower": (0.0, -0.1, -5.0), "upper": (7.0, 5.1, 30.0), "periodic": (True, False, False)},
        wall=[floor, {"name": "left", "kind": "plane", "point": (0, 0, 0), "normal": (0, 1, 0)},
              {"name": "right", "kind": "plane", "point": (0, 5, 0), "normal": (0, -1, 0)}],
        insert=[{"species": species["name"], "count": count, "region": {"kind": "box", "lower": (1.3, 0.1, 0.1), "upper": (5.7, 4.9, 9.0)}}],
        output=output(layers={"thickness": 1.0}, near_wall={"wall": "left", "distance": 1.0}, fabric=True), **more,
    )  # fmt: skip


@pytest.mark.parametrize("species", [SPHERE, ROD], ids=["spheres", "rods"])
def test_energy_books_close_in_a_shaken_dissipative_bed(species: dict[str, Any]) -> None:
    """The largest residual of a run falls with the step (below a hundredth of a collision, where terms of several orders no longer cancel)."""
    worst = []
    for step, every in ((2.5e-4, 400), (6.25e-5, 1600)):
        engine, observer = observer_of(bed(species, 40, VISCOUS, time={"step": step}))
        observer.measure(engine)
        residual = 0.0
        for _ in range(15):
            engine.advance(every, observe=True)
            values = observer.measure(engine)
            residual = max(residual, abs(values["energy/residual"]))
        worst.append(residual / (values["energy/lost_damping"] + values["energy/lost_friction"]))
        assert values["energy/wall_work"] > 0.0
    assert worst[0] < 2e-3
    assert worst[1] < 0.5 * worst[0]


def test_work_is_booked_up_to_the_very_step() -> None:
    """A piston compresses an elastic sphere at the other wall: at every step the residual is of second order."""
    piston = FLOOR | {"motion": {"kind": "velocity", "velocity": (0.0, 0.0, 1.0)}}
    lid = {"name": "lid", "kind": "plane", "point": (0, 0, 1.05), "normal": (0, 0, -1)}
    worst = []
    for step in (1e-4, 5e-5):
        case = case_of([SPHERE], ELASTIC, step, grain=grains("ball", [(0, 0, 0.52)]), wall=[piston, lid])
        engine, observer = observer_of(case)
        observer.measure(engine)
        largest, energy = 0.0, 0.0
        for _ in range(round(0.12 / step / 20)):
            engine.advance(20, observe=True)
            values = observer.measure(engine)
            largest, energy = max(largest, abs(values["energy/residual"])), max(energy, values["energy/total"])
        worst.append(largest / energy)
    assert worst[0] < 2e-3
    assert worst[1] < 0.3 * worst[0]


def test_reference_of_the_books_survives_a_checkpoint() -> None:
    case = bed(SPHERE, 20, VISCOUS)
    engine, observer = observer_of(case)
    observer.measure(engine)
    engine.advance(300, observe=True)
    expected = observer.measure(engine)
    _, setup = engine_of(case)
    other = Observer(engine.comm, case, setup.catalogue, engine.scene)
    table = json.loads(json.dumps(RunHeader(300, case.hash(), observer=observer.state()).table()))
    other.restore(RunHeader.of_table(table).observer)
    assert other.measure(engine)["energy/residual"] == expected["energy/residual"] != 0.0


def test_without_the_budget_nothing_is_booked() -> None:
    case = case_of([SPHERE], VISCOUS, 1e-3, grain=grains("ball", [(0, 0, 1)]), wall=[FLOOR], output=output(energy_budget=False))
    engine, observer = observer_of(case)
    names = set(observer.measure(engine))
    assert "energy/kinetic_translational" in names
    assert not names & {"energy/residual", "energy/wall_work", "energy/lost_damping"}


# -- ranks ----------------------------------------------------------------------------------------------------------------------------


def history(comm: MPI.Comm, case: Case, axis: int) -> list[dict[str, bytes]]:
    engine, observer = observer_of(case, comm, axis=axis)
    rows = []
    for _ in range(4):
        rows.append({name: np.asarray(v).tobytes() for name, v in observer.measure(engine).items()})
        engine.advance(150, observe=True)
    return rows


def plane_bed() -> Case:
    floor = LINE | {"motion": {"kind": "sinusoidal", "direction": (0.3, 1), "gamma": 3.0, "frequency": 4.0}}
    region = {"kind": "box", "lower": (0, 0.1), "upper": (8, 9)}
    return case_of(
        [DISK, RICE, ANGLE], VISCOUS | {"interaction": "superposition"}, 1e-3, dimension=2, gravity=(0.0, -9.8), seed=4, wall=[floor],
        domain={"lower": (0.0, -5.0), "upper": (8.0, 30.0), "periodic": (True, False)}, output=output(layers={"thickness": 1.0}, fabric=True),
        insert=[{"species": name, "count": 12, "region": region} for name in ("disk", "rice", "angle")],
    )  # fmt: skip


@pytest.mark.mpi
@pytest.mark.ranks(3)
@pytest.mark.parametrize(
    ("case", "axis"), [(bed(SPHERE, 40, VISCOUS), 2), (bed(ROD, 40, VISCOUS), 2), (bed(CUBE, 15, VISCOUS), 2), (plane_bed(), 1)],
    ids=["spheres", "rods", "cubes", "plane"],
)  # fmt: skip
def test_any_number_of_ranks_gives_the_bits_of_one(case: Case, axis: int) -> None:
    comm = MPI.COMM_WORLD
    alone = comm.bcast(history(MPI.COMM_SELF, case, 0) if comm.rank == 0 else None)
    together = history(comm, case, axis)
    for one, many in zip(alone, together, strict=True):
        assert one.keys() == many.keys()
        assert [name for name in one if one[name] != many[name]] == []


def test_names_have_one_slash_at_most() -> None:
    engine, observer = observer_of(bed(ROD, 5, VISCOUS))
    assert all(name.count("/") <= 1 for name in observer.measure(engine))


def test_every_value_is_one_that_an_observable_declares() -> None:
    engine, observer = observer_of(bed(ROD, 5, VISCOUS))
    values = observer.measure(engine)
    of_others = {"taps", "stage", "energy/inflow", "energy/outflow"} | {f"{way}flow/{what}" for way in ("in", "out") for what in ("grains", "mass")}
    declared = [quantity for quantity in QUANTITIES if quantity.name not in of_others]
    for name, value in values.items():
        covering = [quantity for quantity in declared if quantity.covers(name)]
        assert len(covering) == 1, name
        shape = covering[0].shape
        assert np.ndim(value) == len(shape)
        assert all(wanted in ("layers", have) for wanted, have in zip(shape, np.shape(value), strict=True)), name
    missing = [quantity.name for quantity in declared if not any(quantity.covers(name) for name in values)]
    assert missing == ["above_hole/grains", "above_hole/mass", "wall_turn/<surface>"]


def test_every_quantity_is_explained() -> None:
    text = (Path(__file__).parents[1] / "docs" / "theory" / "observables.md").read_text()
    assert [quantity.name for quantity in QUANTITIES if f"`{quantity.name}`" not in text] == []
