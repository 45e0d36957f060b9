"""Open faces of the domain: grains that leave are frozen, flagged and out of everybody's way; the same bits however the run is cut up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from beds import leaking
from continuing import check_that_cuts_do_not_show
from mpi4py import MPI
from scenes import AXES, CUBE, ELASTIC, ROD, SPHERE, case_of, engine_of, fingerprint, grains_of

import pardem
from pardem import engine as engine_module
from pardem import outflow as outflow_module
from pardem import rebuild as rebuild_module
from pardem.case import Case
from pardem.errors import BlowUpError, CaseError
from pardem.io.views import export
from pardem.io.views.curves import read_series
from pardem.io.views.info import info
from pardem.outflow import EVERY, Outflow
from pardem.run import run_case
from pardem.simulation import Simulation
from pardem.state.arrays import Contacts
from pardem.state.population import Population

VISCOUS = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.01, "friction": 0.5}
BOX = {"lower": (-50.0, -50.0, -50.0), "upper": (50.0, 50.0, 50.0)}
SCENES = {
    "spheres": lambda: leaking([SPHERE], 60, VISCOUS),
    "shapes": lambda: leaking([ROD, CUBE], 15, VISCOUS),
    "shapes by Gear's scheme": lambda: leaking([ROD, CUBE], 15, VISCOUS, "gear4"),
    "features": lambda: leaking([ROD, CUBE], 12, VISCOUS | {"interaction": "superposition", "contact_time": 0.02}),
}


def of_comm(comm: MPI.Comm, case: Case, steps: int, skin: float | None = None, axis: int = 2, chunk: int = 10**6) -> tuple[str, int]:
    """Fingerprint after some steps, in chunks, and the number of grains that have left."""
    engine, _ = engine_of(case, comm, axis=axis, skin=skin)
    for done in range(0, steps, chunk):
        engine.advance(min(chunk, steps - done), observe=done > 0)
    return fingerprint(engine), engine.outflow.count


@pytest.mark.mpi
@pytest.mark.ranks(2, 3)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("scene", [pytest.param(name, marks=[pytest.mark.slow] * name.startswith("shapes")) for name in SCENES])
def test_any_number_of_ranks_gives_the_bits_of_one(scene: str, axis: int) -> None:
    comm, case = MPI.COMM_WORLD, SCENES[scene]()
    alone = comm.bcast(of_comm(MPI.COMM_SELF, case, 2000) if comm.rank == 0 else None)
    assert alone[1] > 5
    assert of_comm(comm, case, 2000, axis=axis) == alone


def test_neither_skin_nor_chunks_show() -> None:
    case = SCENES["features"]()
    runs = [of_comm(MPI.COMM_SELF, case, 2000, skin, chunk=chunk) for skin, chunk in ((0.01, 10**6), (0.1, 97), (0.4, EVERY))]
    assert runs[0][1] > 5
    assert len(set(runs)) == 1


def test_faces_are_looked_at_only_while_a_grain_may_reach_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same grains leave after the same steps as with looking at all times; a grain in the middle of a large box asks for no look."""
    looks = []
    let_out = Outflow.let_out
    monkeypatch.setattr(Outflow, "let_out", lambda *given: looks.append(given[-1]) or let_out(*given))
    case = SCENES["spheres"]()
    sparing = of_comm(MPI.COMM_SELF, case, 2000)
    few = len(looks)
    with monkeypatch.context() as always:
        always.setattr(rebuild_module, "nearest_open_face", lambda *_: -np.inf)
        assert of_comm(MPI.COMM_SELF, case, 2000) == sparing
    assert len(looks) - few == 2000 // EVERY + 1  # and at the start
    assert few < len(looks) - few
    looks.clear()
    flying = {"species": "ball", "position": (0.0, 0.0, 0.0), "velocity": (1.0, 0.0, 0.0)}
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 2.0**-10, grain=[flying], domain=BOX | {"outflow": ["upper-x"]}))
    engine.advance(1024 * 49)
    assert not looks
    engine.advance(1024 * 2)
    assert engine.outflow.count == 1
    assert len(looks) < 1024 * 2 // EVERY


@pytest.mark.mpi
@pytest.mark.ranks(4)
def test_a_run_goes_on_from_a_checkpoint_on_another_number_of_ranks(mpi_tmp_path: Path) -> None:
    """Cut where grains have left already, at a step at which they are looked at and at another one."""
    check_that_cuts_do_not_show(MPI.COMM_WORLD, SCENES["features"](), mpi_tmp_path, (50 * EVERY, 50 * EVERY + 11), 2000)


def test_a_grain_stays_as_it_was_when_it_left_and_the_others_go_on_alone() -> None:
    """The one that leaves stops at the first step that is looked at with its centre beyond the face; the other moves as if it were alone."""
    stays = {"species": "ball", "position": (0.0, 0.0, 0.0), "velocity": (0.25, 0.0, 0.0)}
    leaves = {"species": "ball", "position": (20.0, 49.5, 0.0), "velocity": (0.0, 1.0, 0.0), "angular_velocity": (0.0, 0.0, 2.0)}
    domain = BOX | {"outflow": ["upper-y"]}
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 2.0**-10, grain=[stays, leaves], domain=domain))
    alone, _ = engine_of(case_of([SPHERE], ELASTIC, 2.0**-10, grain=[stays], domain=domain))
    engine.advance(512)  # exactly on the face
    engine.advance(EVERY)
    assert engine.outflow.count == 0
    engine.advance(1000)
    alone.advance(512 + EVERY + 1000)
    assert (grains_of(engine).x == grains_of(alone).x).all()
    gone, left = engine.outflow.gone, engine.outflow.left
    assert gone.gid.tolist() == [1]
    assert left.tolist() == [512 + EVERY]
    assert gone.x[0].tolist() == [20.0, 50.0 + EVERY * 2.0**-10, 0.0, 0.5]
    assert gone.v[0, :3].tolist() == [0.0, 1.0, 0.0]
    everyone, when = engine.all_grains()
    assert everyone.gid.tolist() == [0, 1]
    assert when.tolist() == [-1, 512 + EVERY]


def test_those_that_left_earlier_are_not_copied_when_others_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    outflow = Outflow(MPI.COMM_SELF, Population.made(0), np.zeros(0, np.int64))
    with monkeypatch.context() as patch:
        patch.setattr(Population, "joined", lambda *_: pytest.fail("grains are copied"))
        for event in range(1, 4):
            outflow._add(Population.made(event, {"gid": np.arange(event) + 10 * event}), EVERY * event, event, 7)
            outflow._add(Population.made(0), EVERY * event, 0, 0)
    assert (outflow.count, outflow.carried) == (6, 21)
    assert outflow.gone.gid.tolist() == [10, 20, 21, 30, 31, 32]
    assert outflow.left.tolist() == [EVERY, *2 * [2 * EVERY], *3 * [3 * EVERY]]
    assert outflow.gone is outflow.gone


def test_contacts_of_grains_that_leave_are_a_list_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of the whole list lie behind its end: kernels that ask the memory ahead for contacts must not find any in its work space."""
    lists, living = list[Contacts](), outflow_module._living

    def kept(*arguments: Any) -> Contacts:
        lists.append(living(*arguments))
        return lists[-1]

    monkeypatch.setattr(outflow_module, "_living", kept)
    of_comm(MPI.COMM_SELF, SCENES["spheres"](), 2000)
    some = [found for found in lists if len(found.col)]
    assert some
    assert all(found.near.max() < len(found.col) for found in some)


WALTON = {"law": "walton", "restitution": 0.6, "contact_time": 0.02, "friction": 0.3}


@pytest.mark.parametrize(
    ("species", "law"),
    [
        (SPHERE, ELASTIC), (SPHERE, VISCOUS),
        *(pytest.param(*both, marks=pytest.mark.slow) for both in ((ROD, ELASTIC), (ROD, VISCOUS), (SPHERE, WALTON), (ROD, WALTON))),
    ],
    ids=lambda value: str(value.get("name", value.get("law"))),
)
def test_the_books_close_when_a_grain_leaves_in_touch(species: dict[str, Any], law: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three grains that press on each other and on a moving wall one leaves: what it and its contacts held is booked, to second order."""
    width = 0.5 if species is SPHERE else 0.25
    edge = 2.0 * width + 1e-4
    grains = [
        {"species": species["name"], "position": (k * edge, 0.0, width), "velocity": (1.0 - 0.9 * k, 0.1 * k, -0.3),
         "angular_velocity": (0.0, 1.0, 0.0), "orientation": (0.5**0.5, 0.5**0.5, 0.0, 0.0)}
        for k in (0, 1, -1)
    ]  # fmt: skip
    floor = {"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1), "motion": {"kind": "velocity", "velocity": (0.0, 0.0, 0.1)}}
    domain = {"lower": (-5.0, -5.0, -5.0), "upper": (edge + 1e-5, 5.0, 5.0), "outflow": ["upper-x"]}
    found = []
    for step, every in ((4e-4, 8), (1e-4, 32)):
        monkeypatch.setattr(engine_module, "EVERY", every)
        case = case_of([species], law, step, grain=grains, wall=[floor], gravity=(0.0, 0.0, -10.0), domain=domain, stage=[
            {"name": "go", "kind": "run", "time": 0.1}
        ])  # fmt: skip
        sim = Simulation(case, MPI.COMM_SELF)
        sim.step(every, observe=True)
        before = sim.observables()
        assert (sim.left, before["contacts_per_grain"]) == (0, pytest.approx(5 / 3))
        sim.step(4, observe=True)
        after = sim.observables()
        assert after["outflow/grains"] == 1
        held = sim.engine.outflow.carried * sim.setup.scene.settings.energy
        found.append((abs(after["energy/residual"] - before["energy/residual"]), held))
    assert found[1][1] > 0.0
    assert found[0][0] < 2e-2 * found[0][1]
    assert found[1][0] < found[0][0] / 6.0


def test_an_undeclared_exit_is_still_an_error() -> None:
    grain = {"species": "ball", "position": (49.0, 0.0, 0.0), "velocity": (20.0, 0.0, 0.0)}
    engine, _ = engine_of(case_of([SPHERE], ELASTIC, 1e-3, grain=[grain], domain=BOX | {"outflow": ["lower-x", "lower-z"]}))
    with pytest.raises(BlowUpError, match=r"grain 0 left the domain through a face that is neither periodic nor open.*domain\.outflow"):
        engine.advance(200)


def test_what_cannot_be_open_is_named() -> None:
    def build(dimension: int = 3, **domain: Any) -> None:
        grain = [{"species": "ball", "position": (0.0,) * dimension}]
        ball = SPHERE | ({"shape": "disk"} if dimension == 2 else {})
        corners = {"lower": (-9.0,) * dimension, "upper": (9.0,) * dimension}
        case_of([ball], ELASTIC, 1e-3, dimension=dimension, gravity=(0.0,) * dimension, grain=grain, domain=corners | domain)

    with pytest.raises(CaseError, match=r"domain.* takes no outflow through 'upper-x' if it is periodic along x; leave one of the two out"):
        build(outflow=["upper-x"], periodic=(True, False, False))
    with pytest.raises(CaseError, match=r"domain.* names 'lower-y' twice"):
        build(outflow=["lower-y", "lower-y"])
    with pytest.raises(CaseError, match=r"domain\.outflow"):
        build(outflow=["bottom"])
    with pytest.raises(CaseError, match=r"domain\.outflow = 'lower-z' leads out of the plane"):
        build(dimension=2, outflow=["lower-z"])
    build(dimension=2, outflow=["lower-y"])
    with pytest.raises(CaseError, match=r"stage\.go\.outflow_share = 0\.5 needs a face through which grains can leave"):
        case_of([SPHERE], ELASTIC, 1e-3, grain=[{"species": "ball", "position": (0, 0, 0)}], stage=[
            {"name": "go", "kind": "run", "time": 1.0, "outflow_share": 0.5}
        ])  # fmt: skip


def test_files_hold_all_grains_and_tell_which_have_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that ends once three quarters have left: frames, observables, checkpoint, summary, info, pictures and tables."""
    data = SCENES["spheres"]().model_dump(exclude_none=True)
    flow = {"name": "flow", "kind": "run", "steps": 4000, "outflow_share": 0.4}
    case = Case(**data | {"stage": [flow], "output": {"frame_steps": 400, "observable_steps": 100}})
    out = tmp_path / "out.h5"
    summary = run_case(case, out=out, comm=MPI.COMM_SELF)
    left = summary.left
    assert 24 <= left < 40
    assert summary.steps % EVERY == 0
    assert summary.steps < 4000
    assert "grains that left the domain" in capsys.readouterr().out
    assert info(out)["left"] == left
    with h5py.File(out) as file:
        flags = file["particles/grains/outflow/value"][:, :, 0]
        position = file["particles/grains/position/value"][:]
        observed = {name: file[f"observables/{name}/value"][:] for name in ("outflow/grains", "outflow/mass", "energy/outflow", "energy/residual")}
        mass = file["particles/grains/mass"][:]
        state = file["pardem/final/grains/left"][:]
    assert flags.sum(axis=1)[-1] == left == observed["outflow/grains"][-1]
    assert (np.diff(flags, axis=0) >= 0).all()
    stays = (flags[:-1] == 1)[:, :, None]
    assert (np.where(stays, position[1:] - position[:-1], 0.0) == 0.0).all()
    assert ((state >= 0) == (flags[-1] == 1)).all()
    assert (state[state >= 0] % EVERY == 0).all()
    assert observed["outflow/mass"][-1] == pytest.approx(mass[flags[-1] == 1].sum(), rel=1e-12)
    assert (np.diff(observed["outflow/mass"]) >= 0.0).all()
    lost = abs(observed["energy/outflow"][-1])
    assert abs(observed["energy/residual"][-1]) < 1e-2 * lost
    assert pardem.open(out)[-1].present.sum() == 60 - left
    export.main(out, tmp_path / "tables", kind="csv")
    assert len(sorted((tmp_path / "tables").glob("frame-*"))[-1].read_text().splitlines()) == 1 + 60 - left
    assert read_series(out).values["outflow/mass"][-1] == observed["outflow/mass"][-1]


def test_a_domain_may_run_empty() -> None:
    """Two rods fall out of it: a stage that waits for rest ends at once, and what grains give is not-a-number."""
    grains = [{"species": "rod", "position": (0.0, 3.0 * k, 0.0)} for k in range(2)]
    domain = {"lower": (-9.0, -9.0, -1.0), "upper": (9.0, 9.0, 9.0), "outflow": ["lower-z"]}
    stages = [{"name": "fall", "kind": "run", "time": 1.0}, {"name": "rest", "kind": "settle", "energy_per_grain": 1e-9, "max_time": 5.0}]
    case = case_of([ROD], ELASTIC, 1e-3, gravity=(0.0, 0.0, -10.0), grain=grains, domain=domain, stage=stages)
    sim = Simulation(case, MPI.COMM_SELF)
    while sim.proceed:
        sim.step(500, observe=True)
    assert sim.left == 2
    assert sim.steps_done == 1100
    values = sim.observables()
    assert values["coordination"] == 0.0
    assert values["energy/total"] == 0.0
    assert abs(values["energy/residual"]) < 1e-9 * abs(values["energy/outflow"] + 20.0 * values["outflow/mass"])
