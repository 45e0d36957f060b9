"""Contacts of frames in real runs against what is known of them: laws of force, balance, images across periodic faces, names of walls, the stress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from mpi4py import MPI
from scenes import SPHERE, case_of

import pardem
from pardem.case import Case
from pardem.io.reading import get_json
from pardem.run import run_case

VISCOUS = {"law": "viscoelastic", "restitution": 1.0, "contact_time": 0.02, "friction": 0.5}
HERTZ = {"law": "hertz", "young": 3e6, "poisson": 0.3, "restitution": 1.0, "friction": 0.4, "reference_speed": 5.0}
FIELDS = ["position", "image", "orientation", "velocity", "force", "torque"]


def run(out: Path, case: Case, **output: Any) -> pardem.Result:
    """The result of a case, with contacts."""
    data = case.model_dump(exclude_none=True)
    data["output"] |= {"contacts": True, "fields": FIELDS} | output
    run_case(Case(**data), out=out, comm=MPI.COMM_SELF)
    return pardem.open(out)


def head_on(contact: dict[str, Any], radii: tuple[float, float], steps: int, **more: Any) -> Case:
    """Two balls that fly at each other along a diagonal."""
    balls = [SPHERE | {"name": name, "radius": r} for name, r in zip("ab", radii, strict=True)]
    way = np.array([1.0, 2.0, 2.0]) / 3.0
    grains = [
        {"species": name, "position": tuple((side * 0.5001 * sum(radii) * way).tolist()), "velocity": tuple((-side * way).tolist())}
        for name, side in (("a", -1.0), ("b", 1.0))
    ]
    return case_of(balls, contact, 5e-4, grain=grains, stage=[{"name": "go", "kind": "run", "steps": steps}], **more)


@pytest.mark.parametrize("contact", [VISCOUS, HERTZ], ids=["linear", "hertz"])
def test_the_force_of_a_head_on_collision_is_that_of_the_law(tmp_path: Path, contact: dict[str, Any]) -> None:
    """Overlap, normal and point from the positions; the force from the law's formula. Restitution 1: no damping."""
    result = run(tmp_path / "out.h5", head_on(contact, (0.5, 0.4), 16), frame_steps=1)
    seen = 0
    for frame in result:
        r, (x, y) = frame.radius, frame.position
        distance = np.linalg.norm(y - x)
        if distance > r.sum():
            assert len(frame.contacts) == 0
            continue
        seen += 1
        c, normal, overlap = frame.contacts, (y - x) / distance, r.sum() - distance
        assert c.bodies.tolist() == [[0, 1]]
        assert c.normal[0] == pytest.approx(normal, rel=1e-13)
        assert c.overlap[0] == pytest.approx(overlap, rel=1e-10)
        from_first = (distance**2 + r[0] ** 2 - r[1] ** 2) / (2.0 * distance)  # the plane in which the two surfaces cut
        assert c.point[0] == pytest.approx(x + from_first * normal, rel=1e-12, abs=1e-14)
        if contact is HERTZ:
            modulus, radius = 3e6 / (2.0 * (1.0 - 0.3**2)), r.prod() / r.sum()
            force = 4.0 / 3.0 * modulus * np.sqrt(radius) * overlap**1.5
        else:
            force = frame.mass.prod() / frame.mass.sum() * (np.pi / 0.02) ** 2 * overlap
        assert c.normal_force[0] == pytest.approx(force, rel=1e-9)
        assert np.abs(c.tangential_force).max() < 1e-9 * force
        assert not c.couple.any()
        assert c.walls.tolist() == [""]
    assert seen > 10


@pytest.mark.parametrize("swapped", [False, True])
def test_points_lie_in_the_image_of_the_first_body(tmp_path: Path, swapped: bool) -> None:
    """Two balls that touch across a periodic face, each of them the first one once."""
    places = [(1.45, 0.0, 0.0), (-1.5, 0.0, 0.0)][:: -1 if swapped else 1]
    domain = {"lower": (-2.0, -5.0, -5.0), "upper": (2.0, 5.0, 5.0), "periodic": (True, False, False)}
    grains = [{"species": "ball", "position": place, "velocity": (np.sign(place[0]), 0.0, 0.0)} for place in places]
    case = case_of([SPHERE], VISCOUS, 5e-4, grain=grains, domain=domain, stage=[{"name": "go", "kind": "run", "steps": 70}])
    frame = run(tmp_path / "out.h5", case)[-1]
    c, (x, y) = frame.contacts, frame.position
    side = np.array([1.0 if x[0] > 0.0 else -1.0, 0.0, 0.0])
    gap = y + 4.0 * side - x
    assert len(c) == 1
    assert c.normal[0] == pytest.approx(side, abs=1e-12)
    assert c.branch[0] == pytest.approx(gap, rel=1e-12, abs=1e-12)
    assert c.point[0] == pytest.approx(x + 0.5 * gap, rel=1e-12, abs=1e-12)
    assert c.overlap[0] == pytest.approx(1.0 - abs(gap[0]), rel=1e-10)


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> pardem.Result:
    """Balls at rest in a box."""
    region = {"kind": "box", "lower": (0.0, 0.0, 0.0), "upper": (3.0, 3.0, 8.0)}
    case = case_of(
        [SPHERE], VISCOUS | {"restitution": 0.2}, 1e-3, gravity=(0.0, 0.0, -9.8), seed=4,
        domain={"lower": (-1.0, -1.0, -1.0), "upper": (4.0, 4.0, 12.0)},
        wall=[{"name": "box", "kind": "box", "lower": (0.0, 0.0, 0.0), "upper": (3.0, 3.0, 10.0)}],
        insert=[{"species": "ball", "count": 25, "region": region}],
        stage=[{"name": "settle", "kind": "settle", "energy_per_grain": 1e-13, "max_time": 30.0}],
    )  # fmt: skip
    return run(tmp_path_factory.mktemp("settled") / "out.h5", case, frame_interval=1.0)


def test_a_settled_bed_is_in_balance(settled: pardem.Result) -> None:
    """Contacts carry the weight of every grain, and the walls that of all."""
    frame = settled[-1]
    c, weight = frame.contacts, frame.mass * 9.8
    force, torque = np.zeros((len(frame), 3)), np.zeros((len(frame), 3))
    np.add.at(force, c.first, c.force)
    np.add.at(torque, c.first, np.cross(c.point - frame.position[c.first], c.force))
    pairs = ~c.with_wall
    np.add.at(force, c.second[pairs], -c.force[pairs])
    np.add.at(torque, c.second[pairs], -np.cross(c.point - frame.position[c.second], c.force)[pairs])
    assert force == pytest.approx(np.outer(weight, (0.0, 0.0, 1.0)), abs=1e-4 * weight.max())
    assert np.abs(torque).max() < 1e-4 * weight.max() * 0.5
    on_walls = c.force[c.with_wall].sum(axis=0)
    assert on_walls == pytest.approx((0.0, 0.0, weight.sum()), abs=1e-4 * weight.sum())


def test_forces_and_torques_add_up_to_the_fields(settled: pardem.Result) -> None:
    """In every frame, from the file alone: to half a quantum a contact and the rounding of doubles."""
    with h5py.File(settled.path, locking=False) as file:
        force_quantum, torque_quantum, _ = get_json(file, "pardem/final/header")["quanta"]
    eps, some = np.finfo(float).eps, 0
    for frame in settled:
        c, (force, torque, size) = frame.contacts, (np.zeros((len(frame), 3)) for _ in range(3))
        pairs, many = ~c.with_wall, np.bincount(c.bodies[c.bodies >= 0], minlength=len(frame))[:, None]
        some += len(c)
        for bodies, rows, sign in ((c.first, slice(None), 1.0), (c.second[pairs], pairs, -1.0)):
            np.add.at(force, bodies, sign * c.force[rows])
            np.add.at(size, bodies, np.linalg.norm(c.force[rows], axis=1)[:, None])
            np.add.at(torque, bodies, sign * np.cross(c.point[rows] - frame.position[bodies], c.force[rows]))
        assert (np.abs(force - frame.force) <= many * (0.5 * force_quantum + eps * size)).all()
        assert (np.abs(torque - frame.torque) <= many * (0.5 * torque_quantum + 16.0 * eps * size * np.abs(frame.position).max())).all()
    assert some > 100


def test_the_stress_is_that_of_the_observables(settled: pardem.Result) -> None:
    """Love-Weber: the sum of branch times force over contacts, by the volume of the bed."""
    for frame in settled[1:]:
        c, row = frame.contacts, settled.observables.loc[frame.time]
        stress = -(c.branch.T @ c.force) / (9.0 * row["fill_height"])
        expected = np.array([[row[f"stress[{i},{j}]"] for j in range(3)] for i in range(3)])
        assert stress == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
        assert expected[2, 2] > 0.0  # pressure counts as positive


def test_contacts_name_the_walls(settled: pardem.Result) -> None:
    """Each normal points out of the box through the face that is named, and the reactions are those of the observables."""
    assert settled.walls == tuple(f"box:{side}-{axis}" for axis in "xyz" for side in ("lower", "upper"))
    frame = settled[-1]
    c = frame.contacts
    ways = {f"box:{side}-{axis}": sign * np.eye(3)[k] for k, axis in enumerate("xyz") for side, sign in (("lower", -1.0), ("upper", 1.0))}
    assert {name for name in c.walls if name} >= {"box:lower-z"}
    for name, normal, point, body in zip(c.walls, c.normal, c.point, c.first, strict=True):
        if name:
            assert normal == pytest.approx(ways[name], abs=1e-15)
            assert (point - frame.position[body]) @ normal > 0.4
    for name, force in frame.walls("force").items():
        assert -c.force[c.walls == name].sum(axis=0) == pytest.approx(force, abs=1e-9 * frame.mass.sum() * 9.8)
