"""Stress and coordination of grains in frames: against two balls in closed form, against the sums of the observables, on any number of ranks."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, SPHERE, case_of
from test_contact_frames import HERTZ, VISCOUS, head_on

import pardem
from pardem import cli
from pardem.case import Case
from pardem.io.views import export
from pardem.io.views.compare import compare
from pardem.io.views.curves import read_series
from pardem.io.views.plot import draw

FIELDS = ["position", "image", "orientation", "velocity", "stress", "coordination"]


def run(out: Path, case: Case, comm: MPI.Comm = MPI.COMM_SELF, **output: Any) -> pardem.Result:
    data = case.model_dump(exclude_none=True)
    data["output"] |= {"fields": FIELDS} | output
    pardem.run_case(Case(**data), out=out, comm=comm, options=pardem.RunOptions(force=True))
    comm.Barrier()
    return pardem.open(out)


def bed(species: list[dict[str, Any]], count: int, **more: Any) -> Case:
    """Grains that fall into a box."""
    region = {"kind": "box", "lower": (0.0, 0.0, 0.0), "upper": (3.0, 3.0, 8.0)}
    return case_of(
        species, VISCOUS | {"restitution": 0.2}, 1e-3, gravity=(0.0, 0.0, -9.8), seed=4,
        domain={"lower": (-1.0, -1.0, -1.0), "upper": (4.0, 4.0, 12.0)},
        wall=[{"name": "box", "kind": "box", "lower": (0.0, 0.0, 0.0), "upper": (3.0, 3.0, 10.0)}],
        insert=[{"species": s["name"], "count": count, "region": region} for s in species],
        **{"stage": [{"name": "settle", "kind": "run", "time": 2.5}]} | more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def balls(tmp_path_factory: pytest.TempPathFactory) -> pardem.Result:
    small = SPHERE | {"name": "small", "radius": 0.3}
    return run(tmp_path_factory.mktemp("stress") / "out.h5", bed([SPHERE, small], 14), frame_interval=0.5)


@pytest.mark.parametrize("contact", [VISCOUS, HERTZ], ids=["linear", "hertz"])
def test_two_balls_pressed_together(tmp_path: Path, contact: dict[str, Any]) -> None:
    """A force F at the distance a from the centre: F a / V along the line of centres, and nothing across; without friction and damping."""
    result = run(tmp_path / "out.h5", head_on(contact | {"friction": 0.0}, (0.5, 0.4), 16), frame_steps=1)
    seen = 0
    for frame in result:
        r, (x, y), volume = frame.radius, frame.position, 4.0 / 3.0 * np.pi * frame.radius**3
        distance = np.linalg.norm(y - x)
        if distance > r.sum():
            assert not frame.stress.any()
            assert frame.coordination.tolist() == [0.0, 0.0]
            continue
        seen += 1
        overlap, along = r.sum() - distance, np.outer(y - x, y - x) / distance**2
        if contact is HERTZ:
            modulus, radius = 3e6 / (2.0 * (1.0 - 0.3**2)), r.prod() / r.sum()
            force = 4.0 / 3.0 * modulus * np.sqrt(radius) * overlap**1.5
        else:
            force = frame.mass.prod() / frame.mass.sum() * (np.pi / 0.02) ** 2 * overlap
        arm = (distance**2 + np.array([1.0, -1.0]) * (r[0] ** 2 - r[1] ** 2)) / (2.0 * distance)  # to the plane in which the surfaces cut
        for k in (0, 1):
            expected = force * arm[k] / volume[k]
            assert frame.stress[k] == pytest.approx(expected * along, abs=1e-9 * expected)
            assert frame.pressure[k] == pytest.approx(expected / 3.0, rel=1e-9)
        assert frame.coordination.tolist() == [1.0, 1.0]
    assert seen > 10


def check_sums(result: pardem.Result) -> None:
    """Volume times stress over all grains is the stress of the bed times its volume; the mean coordination is the observable."""
    observed = result.observables
    volume = result.catalogue["volume"][result.species_rows] * result.scale**3
    for frame in result[1:]:
        row = observed.loc[frame.time]
        expected = np.array([[row[f"stress[{i},{j}]"] for j in range(3)] for i in range(3)]) * 9.0 * row["fill_height"]
        assert np.einsum("n,nij->ij", volume, frame.stress) == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
        assert frame.coordination.mean() == pytest.approx(row["coordination"], rel=1e-14)
    assert frame.coordination.max() > 2.0
    assert frame.stress[:, 2, 2].min() >= 0.0


def test_the_grains_add_up_to_the_bed(balls: pardem.Result) -> None:
    check_sums(balls)


def test_fabric_is_that_of_the_contacts(tmp_path: Path) -> None:
    """Row by row it is the mean of the normals' products in the frame of that step; ``pardem plot`` draws its anisotropy unasked."""
    case = bed([SPHERE], 14, stage=[{"name": "fall", "kind": "run", "time": 1.0}])
    result = run(tmp_path / "out.h5", case, contacts=["normal"], observables={"fabric": True}, frame_interval=0.25)
    seen = 0
    for frame in result:
        row, normal = result.observables.loc[frame.time], frame.contacts.normal[~frame.contacts.with_wall]
        if not len(normal):
            assert np.isnan(row["fabric[0,0]"])
            continue
        seen += 1
        fabric = normal.T @ normal / len(normal)
        assert np.array([[row[f"fabric[{i},{j}]"] for j in range(3)] for i in range(3)]) == pytest.approx(fabric, abs=1e-14)
        assert row["fabric_anisotropy"] == pytest.approx(7.5 * np.sqrt(1.5) * np.linalg.norm(fabric - np.eye(3) / 3.0), rel=1e-12)
    assert seen > 1
    assert {"fabric[0,0]", "fabric_anisotropy"} <= set(result.observables)
    assert "fabric anisotropy" in [axes.get_ylabel() for axes in draw([read_series(result.path)]).axes]


def test_so_do_cubes(tmp_path: Path) -> None:
    check_sums(run(tmp_path / "out.h5", bed([CUBE], 12, stage=[{"name": "fall", "kind": "run", "time": 1.0}]), frame_interval=0.5))


def test_old_files_keep_their_bytes(tmp_path: Path, balls: pardem.Result) -> None:
    """Without the fields nothing of a result changes, and with them nothing else does."""
    case, plain = balls.case, FIELDS[:4]
    result = run(tmp_path / "plain.h5", case, fields=plain, frame_interval=0.5)
    assert result.fields == tuple(sorted(plain))
    for frame, other in zip(result, balls, strict=True):
        for name in plain:
            assert np.array_equal(frame[name], other[name])
    assert result.observables.equals(balls.observables)


@pytest.mark.mpi
@pytest.mark.ranks(3)
@pytest.mark.parametrize(
    ("species", "integrator"), [(SPHERE, "verlet"), (CUBE, "verlet"), (SPHERE, "gear4"), (SPHERE, "euler")], ids=["balls", "cubes", "gear4", "euler"]
)
def test_ranks_give_the_bits_of_one(mpi_tmp_path: Path, species: dict[str, Any], integrator: str) -> None:
    """Also where forces belong to predicted positions, which are corrected afterwards."""
    comm, time = MPI.COMM_WORLD, {"step": 1e-3, "integrator": integrator}
    case = bed([species], 14, stage=[{"name": "fall", "kind": "run", "time": 1.2}], parallel={"grid": (0, 1, 1)}, time=time)
    together = run(mpi_tmp_path / "together.h5", case, comm, frame_interval=0.3)
    if comm.rank == 0:
        alone = run(mpi_tmp_path / "alone.h5", case, frame_interval=0.3)
        assert compare(alone.path, together.path) is None
        assert alone[-1].coordination.max() > 1.0
    comm.Barrier()


def test_two_dimensions(tmp_path: Path) -> None:
    """A disk on the floor: its weight times its distance from the contact over the area, vertically; the pressure is half of it."""
    case = Case(
        dimension=2, time={"step": 1e-4}, domain={"lower": [-2.0, -1.0], "upper": [2.0, 3.0]}, gravity=[0.0, -10.0],
        species=[{"name": "disk", "shape": "disk", "radius": 0.5, "density": 100.0}], grain=[{"species": "disk", "position": [0.0, 0.5]}],
        wall=[{"name": "floor", "kind": "plane", "point": [0.0, 0.0], "normal": [0.0, 1.0]}],
        contact={"restitution": 0.2, "contact_time": 0.01}, stage=[{"name": "rest", "kind": "run", "time": 2.0}],
    )  # fmt: skip
    frame = run(tmp_path / "out.h5", case)[-1]
    arm = 0.5 * (0.5 + frame.position[0, 1])  # to the middle of the overlap
    pressed = frame.mass[0] * 10.0 * arm / (np.pi * 0.25)
    assert frame.stress[0] == pytest.approx(np.diag([0.0, pressed, 0.0]), abs=1e-6 * pressed)
    assert frame.pressure[0] == pytest.approx(0.5 * pressed, rel=1e-6)
    assert frame.coordination.tolist() == [0.0]


def test_exports_have_the_fields(balls: pardem.Result, tmp_path: Path) -> None:
    frame = balls[-1]
    export.main(balls.path, kind="csv")
    with (balls.path.with_suffix(".csv") / f"frame-{frame.step:012d}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for a, i in zip("xyz", range(3), strict=True):
        for b, j in zip("xyz", range(3), strict=True):
            assert [float(row[f"stress_{a}{b}"]) for row in rows] == frame.stress[:, i, j].tolist()
    assert [float(row["coordination"]) for row in rows] == frame.coordination.tolist()
    export.main(balls.path, kind="vtkhdf")
    pyvista = pytest.importorskip("pyvista")
    points = pyvista.read(balls.path.with_suffix(".vtkhdf"))
    assert np.array_equal(points["stress"], balls[0].stress.reshape(-1, 9))
    gsd = pytest.importorskip("gsd.hoomd")
    export.main(balls.path, kind="gsd")
    with gsd.open(balls.path.with_suffix(".gsd"), "r") as file:
        assert np.array_equal(file[-1].log["particles/stress"], frame.stress.reshape(-1, 9))
        assert np.array_equal(file[-1].log["particles/coordination"], frame.coordination)
    assert {"stress_zz", "coordination"} <= set(frame.table().columns)


def test_pictures_are_coloured_by_them(balls: pardem.Result, tmp_path: Path, refused: Any) -> None:
    pytest.importorskip("pyvista")
    for what in ("pressure", "coordination"):
        picture = tmp_path / f"{what}.png"
        assert cli.main(["render", str(balls.path), "--colour", what, "-o", str(picture)]) == 0
        assert picture.stat().st_size > 2000
    run(tmp_path / "plain.h5", balls.case, fields=["position", "orientation"], frame_interval=2.0)
    assert "put 'stress' into output.fields of the case" in refused("render", str(tmp_path / "plain.h5"), "--colour", "pressure")
