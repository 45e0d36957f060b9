"""A simulation driven from Python: the files of `pardem run`, grains and contacts as arrays, functions called at steps, events, laws as functions."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from mpi4py import MPI
from run_scene import case_file

import pardem
from pardem import cli
from pardem.case import Case
from pardem.errors import CaseError, FileError
from pardem.events import RunEvent
from pardem.io.views.compare import compare
from pardem.io.views.verify import verify
from pardem.laws.user import load_user_law
from pardem.run_state import load_start

COUNT = 60
SERIES = ("particles", "observables", "connectivity", "contacts")


def simulation(folder: Path, comm: MPI.Comm, *settings: str) -> pardem.Simulation:
    path = case_file(folder) if comm.rank == 0 else None
    return pardem.Simulation(pardem.read_case(comm.bcast(path), settings), comm)


def run(case: Case, out: Path, comm: MPI.Comm = MPI.COMM_SELF, on_event: Any = None, **options: Any) -> Any:
    return pardem.run_case(case, out=out, comm=comm, options=pardem.RunOptions(**options), on_event=on_event)


def stored(path: Path) -> dict[str, bytes]:
    """The bytes of all frames, observables and contacts."""
    found: dict[str, bytes] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and name.split("/")[0] in SERIES:
            found[name] = item[()].tobytes()

    with h5py.File(path, locking=False) as file:
        file.visititems(visit)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of `pardem run`, on one rank."""
    folder = tmp_path_factory.mktemp("whole")
    assert cli.main(["run", str(case_file(folder)), "-o", str(folder / "whole.h5")]) == 0
    return folder / "whole.h5"


# -- files ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [77, pytest.param(10**6, marks=pytest.mark.slow)])
def test_a_simulation_leaves_the_files_of_a_run(tmp_path: Path, whole: Path, chunk: int) -> None:
    sim = simulation(tmp_path, MPI.COMM_SELF)
    files = sim.write(tmp_path / "out.h5")
    while sim.proceed:
        assert not files.finished
        sim.step(chunk)
    assert files.finished
    assert compare(tmp_path / "out.h5", whole) is None
    written, expected = stored(tmp_path / "out.h5"), stored(whole)
    assert len(expected) > 20
    assert written == expected
    assert not list(tmp_path.glob("out.h5.*"))
    sim.step(10)  # nothing is left to do
    files.close()


@pytest.mark.mpi(min_size=2)
@pytest.mark.ranks(2)
def test_so_does_one_on_several_ranks(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    sim = simulation(mpi_tmp_path, comm)
    sim.write(mpi_tmp_path / "live.h5")
    while sim.proceed:
        sim.step(500)
    run(sim.case, mpi_tmp_path / "run.h5", comm)
    comm.Barrier()
    assert stored(mpi_tmp_path / "live.h5") == stored(mpi_tmp_path / "run.h5")


def test_a_simulation_that_is_ended_early_is_resumed(tmp_path: Path, whole: Path) -> None:
    sim, out = simulation(tmp_path, MPI.COMM_SELF), tmp_path / "out.h5"
    with sim.write(out):
        sim.step(730)
        with pytest.raises(FileError, match="is being written by a run that is still going"):
            simulation(tmp_path, MPI.COMM_SELF).write(out)
    assert not pardem.open(out).finished
    with pytest.raises(FileError, match="--force"):
        sim.write(out)
    start, _ = load_start(MPI.COMM_SELF, out, sim.case)
    assert start is not None
    again = pardem.Simulation(sim.case, MPI.COMM_SELF, start)
    assert again.steps_done == 730
    with again.write(out, resume=True):
        again.step(400)
    assert cli.main(["run", str(tmp_path / "case.toml"), "-o", str(out), "--resume"]) == 0
    assert compare(out, whole) is None


def test_an_error_in_the_block_leaves_what_was_written(tmp_path: Path) -> None:
    sim, out = simulation(tmp_path, MPI.COMM_SELF), tmp_path / "out.h5"
    sim.every(850, lambda s: 1 / (s.steps_done - 850))
    with pytest.raises(ZeroDivisionError), sim.write(out):
        sim.step(1000)
    assert pardem.open(out).checkpoint_step == 800
    assert not (tmp_path / "out.h5.lock").exists()


# -- grains and contacts --------------------------------------------------------------------------------------------------------------


def compared(sim: pardem.Simulation, result: pardem.Result | None) -> None:
    """The grains and contacts of all ranks against a frame of the same step, on rank 0. Collective."""
    grains, contacts, own = sim.grains.gathered(), sim.contacts.gathered(0), sim.grains
    assert sim.comm.allreduce(len(own)) == COUNT
    assert np.array_equal(grains.position[own.ids], own.position)
    assert np.array_equal(grains.ids, np.arange(COUNT))
    if result is None:
        assert len(contacts) == 0
        return
    frame = result[-1]
    assert (frame.step, frame.time) == (grains.step, grains.time)
    for name in (*result.fields, "species", "radius", "scale", "mass", "unwrapped", "axes", "present"):
        assert np.array_equal(getattr(grains, name), getattr(frame, name)), name
    assert len(contacts) == len(frame.contacts) > 20
    for name in ("bodies", "sub", *result.contact_fields, "walls", "normal_force", "tangential_force"):
        assert np.array_equal(getattr(contacts, name), getattr(frame.contacts, name)), name
    np.testing.assert_allclose(contacts.branch, frame.contacts.branch, rtol=0.0, atol=1e-17)  # a frame takes it from the point on a wall
    assert contacts.table().equals(frame.contacts.table())
    assert {"force_x", "velocity_z", "species"} <= set(grains.table().columns)


@pytest.mark.mpi
@pytest.mark.ranks(3)
def test_grains_and_contacts_are_those_of_frames(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    sim = simulation(mpi_tmp_path, comm, "output.fields=['position','image','orientation','velocity','angular_velocity','force','torque']")
    before = sim.grains
    with sim.write(mpi_tmp_path / "out.h5"):
        sim.step(1499)
        with pytest.raises(RuntimeError, match=r"the contacts of step 1499 have not been looked at: advance with step\(..., observe=True\)"):
            _ = sim.contacts
        sim.step(101, observe=True)
        at_frame = sim.steps_done
        result = pardem.open(mpi_tmp_path / "out.h5") if comm.rank == 0 else None
        assert before.step == 0
        assert sim.case.cadence("frame").next_after(at_frame - 1) != at_frame
        while sim.proceed:
            sim.step(1000)
    compared(sim, result)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    sim = simulation(tmp_path, MPI.COMM_SELF)
    with pytest.raises(AttributeError, match="there is no field 'colour' of grains: there are position, image, "):
        _ = sim.grains.colour
    with pytest.raises(KeyError, match="there is no 'heat' of contacts: there are point, normal"):
        _ = sim.contacts["heat"]
    assert [name for name in ("force", "radius", "stress") if name in sim.grains] == ["force", "radius"]
    assert [name for name in ("sub", "branch", "heat") if name in sim.contacts] == ["sub", "branch"]


def test_arrays_stay_as_they_were(tmp_path: Path) -> None:
    sim = simulation(tmp_path, MPI.COMM_SELF)
    before, now = sim.grains, sim.grains.position.copy()
    sim.step(50)
    assert np.array_equal(before.position, now)
    assert (sim.grains.gathered().position[:, 2] != before.gathered().position[:, 2]).all()


# -- functions ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.mpi
def test_functions_are_called_at_their_steps(mpi_tmp_path: Path) -> None:
    sim = simulation(mpi_tmp_path, MPI.COMM_WORLD)
    at: list[int] = []
    speeds: list[float] = []
    touching: list[int] = []
    first = sim.every(70, lambda s: at.append(s.steps_done))
    sim.every(200, lambda s: speeds.append(float(np.linalg.norm(s.grains.gathered().velocity, axis=1).max())))
    sim.every(300, lambda s: touching.append(sim.comm.allreduce(len(s.contacts))), observe=True)
    for steps in (30, 1, 600):
        sim.step(steps)
    first.stop()
    sim.step(300)
    assert at == list(range(70, 631 + 1, 70))
    assert len(speeds) == 4
    assert speeds[0] == pytest.approx(9.81 * 200 * 2e-5, rel=1e-3)  # they all fall
    assert len(touching) == 3
    assert len(set(sim.comm.allgather(tuple(touching)))) == 1
    with pytest.raises(ValueError, match="every 0 steps"):
        sim.every(0, print)


def test_functions_leave_no_trace_in_the_result(tmp_path: Path, whole: Path) -> None:
    sim = simulation(tmp_path, MPI.COMM_SELF)
    sim.every(33, lambda s: (s.observables(), s.grains.position, s.contacts.force), observe=True)
    with sim.write(tmp_path / "out.h5"):
        while sim.proceed:
            sim.step(1000)
    assert compare(tmp_path / "out.h5", whole) is None


@pytest.mark.parametrize("one_file", ["true", "false"])
def test_a_run_that_was_stopped_between_two_rows_and_is_to_end_there_has_a_last_row(tmp_path: Path, one_file: str) -> None:
    rare = ["output.frame_steps=30", "output.observable_steps=30", f"output.one_file={one_file}"]
    given = [[f"stage=[{{name='go', kind='run', steps={steps}}}]", *rare] for steps in (100, 37)]
    sim, out = simulation(tmp_path, MPI.COMM_SELF, *given[0]), tmp_path / "out.h5"
    with sim.write(out):
        sim.step(37)
    for _ in range(2):  # and once more, which adds nothing
        run(pardem.read_case(tmp_path / "case.toml", given[1]), out, resume=True)
        result = pardem.open(out)
        assert result.finished
        assert result.steps.tolist() == result.series.steps.tolist() == [0, 30, 37]
        assert (result[-1].position == sim.grains.gathered().position).all()
        assert not any(verdict.problems or "does not count" in verdict.holds for verdict in verify(out))
    assert len(list(tmp_path.glob("out.h5.parts/segment-*-frames.h5"))) == (0 if one_file == "true" else 2)


def test_what_is_lost_of_a_damaged_result_is_not_measured_again(tmp_path: Path, whole: Path) -> None:
    """A run that goes on from the end does not know the contacts of that step: the last row would be another one."""
    shutil.copy(whole, tmp_path / "out.h5")
    with h5py.File(tmp_path / "out.h5", "r+") as file:
        del file["pardem/checksums/static"]
        file.create_group("pardem/checksums/static")
    run(pardem.read_case(case_file(tmp_path)), tmp_path / "out.h5", resume=True, accept_loss=True)
    assert any("segment-000000-result.h5 is damaged" in problem for verdict in verify(tmp_path / "out.h5") for problem in verdict.problems)
    result = pardem.open(tmp_path / "out.h5")
    assert not len(result.steps)
    assert not len(result.series.steps)


# -- events ---------------------------------------------------------------------------------------------------------------------------


@pytest.mark.mpi
@pytest.mark.ranks(2)
def test_a_run_tells_what_happens(mpi_tmp_path: Path) -> None:
    comm, out = MPI.COMM_WORLD, mpi_tmp_path / "out.h5"
    case = pardem.read_case(comm.bcast(case_file(mpi_tmp_path) if comm.rank == 0 else None))
    told: list[RunEvent] = []
    speeds: list[float] = []

    def listen(event: RunEvent) -> None:
        told.append(event)
        if event.kind == "frame":
            speeds.append(float(np.abs(event.simulation.grains.gathered().velocity).max()))

    summary = run(case, out, comm, on_event=listen)
    kinds = [event.kind for event in told]
    assert kinds[:4] == ["started", "compiled", "frame", "stage"]
    assert kinds[-1] == "finished"
    assert told[-1].details["summary"] == summary
    assert told[0].simulation is None
    assert dict(told[0].details) == {"out": out, "ranks": comm.size, "resumed": False}
    assert told[1].details["seconds"] >= 0.0
    assert [event.details["name"] for event in told if event.kind == "stage"] == ["settle", "shake"]
    result = pardem.open(out)
    assert [event.step for event in told if event.kind == "frame"] == result.steps.tolist()
    assert speeds == [float(np.abs(frame.velocity).max()) for frame in result]
    last = told[-1]
    assert [event.step for event in told if event.kind == "checkpoint"] == list(range(800, last.step, 800))
    assert last.time == summary.time
    assert all(len(set(comm.allgather(kind))) == 1 for kind in kinds)


def test_a_run_that_stops_and_goes_on_tells_so(tmp_path: Path) -> None:
    case, out, told = pardem.read_case(case_file(tmp_path), ["stage.shake.frequency=150.0"]), tmp_path / "out.h5", []
    run(case, out, walltime=1e-3, on_event=told.append)
    assert [event.kind for event in told[-2:]] == ["checkpoint", "stopped"]
    assert told[-1].details == {"reason": "the wall time has passed", "error": None}
    step = told[-1].step
    told.clear()
    run(case, out, resume=True, on_event=told.append)
    assert told[0].details["resumed"]
    assert told[0].step == step
    assert [event.kind for event in told[:3]] == ["started", "stage", "compiled"]
    assert told[-1].kind == "finished"


def test_a_run_that_blows_up_tells_why(tmp_path: Path) -> None:
    case, told = pardem.read_case(case_file(tmp_path), ["contact.contact_time=4e-4", "gravity=[0.0, 0.0, -4e4]"]), []
    with pytest.raises(pardem.errors.BlowUpError) as raised:
        run(case, tmp_path / "out.h5", on_event=told.append)
    assert told[-1].kind == "stopped"
    assert told[-1].details["reason"] == str(raised.value) == str(told[-1].details["error"])


# -- a law as a function --------------------------------------------------------------------------------------------------------------


def spring(delta: float, rate: float, m_eff: float, r_eff: float, parameters: np.ndarray) -> float:
    return parameters[0] * delta + parameters[1] * rate


def stiffening() -> Any:
    """The law of the examples, compiled: kernels with it are found again by later processes."""
    return load_user_law(Path(__file__).parent.parent / "jobs" / "examples", "user_law.py:stiffening")


def colliding(law: Any, parameters: Sequence[float] = (1e4, 2.0)) -> Case:
    """Two balls that meet head on."""
    return Case(
        time={"step": 1e-5}, domain={"lower": [-1.0, -1.0, -1.0], "upper": [1.0, 1.0, 1.0]}, gravity=[0.0, 0.0, 0.0],
        species=[{"name": "ball", "shape": "sphere", "radius": 0.05, "density": 1000.0}],
        grain=[{"species": "ball", "position": [x, 0.0, 0.0], "velocity": [-10.0 * x, 0.0, 0.0]} for x in (-0.0501, 0.0501)],
        contact={"law": "user", "user_law": law, "user_parameters": parameters, "force_scale": 1e3},
        stage=[{"name": "go", "kind": "run", "steps": 2000}],
        output={"observables": {"energy_budget": False}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("law", "parameters"),
    [
        pytest.param(lambda: spring, (1e4, 2.0), marks=pytest.mark.slow, id="plain"),  # its kernels are compiled anew by every process
        pytest.param(stiffening, (1e4, 1e9, 2.0), id="compiled"),  # far too little overlap to stiffen
    ],
)
def test_a_law_may_be_a_function(tmp_path: Path, law: Callable[[], Any], parameters: Sequence[float]) -> None:
    """The restitution is that of a damped spring."""
    case = colliding(law(), parameters)
    run(case, tmp_path / "out.h5")
    result = pardem.open(tmp_path / "out.h5")
    mass = 0.5 * result.mass[0]
    decay, frequency = 1.0 / mass, np.sqrt(1e4 / mass)
    expected = np.exp(-np.pi * decay / np.sqrt(frequency**2 - decay**2))
    assert -result[-1].velocity[0, 0] / 0.501 == pytest.approx(expected, rel=2e-2)
    assert result.case.contact.user_law == case.contact.user_law


def test_a_function_has_its_place_in_the_hash(tmp_path: Path) -> None:
    def stronger(delta: float, rate: float, m_eff: float, r_eff: float, parameters: np.ndarray) -> float:
        return 2.0 * parameters[0] * delta

    def by(factor: float) -> Any:
        return lambda delta, rate, m_eff, r_eff, parameters: factor * parameters[0] * delta

    hashes = [colliding(law).hash() for law in (spring, spring, stronger, by(1.0), by(1.0), by(3.0))]
    assert hashes[0] == hashes[1]
    assert hashes[3] == hashes[4]
    assert len({hashes[0], hashes[2], hashes[3], hashes[5]}) == 4


def test_functions_that_are_no_laws_are_said(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="does not compile as f"):
        pardem.Simulation(colliding(lambda delta: delta), MPI.COMM_SELF)
    foreign = colliding("<python 0123456789abcdef>:spring")
    with pytest.raises(CaseError, match="is a function of the Python program that made the case, which this process has not been given"):
        pardem.Simulation(foreign, MPI.COMM_SELF)
