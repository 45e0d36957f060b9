"""Poured grains: they arrive one after the other where there is room, with their energy booked, with the same bits however the run is cut up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from beds import SIZES
from continuing import check_that_cuts_do_not_show
from mpi4py import MPI
from scenes import AXES, CUBE, ELASTIC, FLOOR, ROD, SPHERE, case_of, fingerprint, slabs_across

import pardem
from pardem.case import Case
from pardem.errors import CaseError, InsertionError
from pardem.io.views.info import info
from pardem.origin import with_origin
from pardem.outflow import EVERY
from pardem.run import run_case
from pardem.simulation import Simulation

VISCOUS = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.01, "friction": 0.5}
DOMAIN = {"lower": (-3.0, -3.0, -0.8), "upper": (3.0, 3.0, 12.0)}
TUBE = {"name": "tube", "kind": "cylinder", "radius": 2.5}
SPOUT = {"kind": "cylinder", "radius": 1.5, "lower": 6.0, "upper": 8.5}
GO = [{"name": "go", "kind": "run", "steps": 2400}]


def poured(species: list[dict[str, Any]], count: int, rate: float = 40.0, **more: Any) -> Case:
    """A tube in which some grains lie and into which others of several species are poured."""
    pour = [{"species": s["name"], "count": count, "rate": rate, "region": SPOUT, "size": SIZES, "velocity": (0.0, 0.0, -4.0)} for s in species]
    insert = [{"species": species[0]["name"], "count": 6, "region": SPOUT | {"radius": 2.5, "lower": 0.1, "upper": 3.0}}]
    given = {"gravity": (0.0, 0.0, -9.8), "seed": 4, "domain": DOMAIN, "wall": [TUBE, FLOOR], "insert": insert, "pour": pour, "stage": GO}
    return case_of(species, more.pop("contact", VISCOUS), 5e-4, **given | more)


SCENES = {
    "spheres": lambda **more: poured([SPHERE], 30, **more),
    "shapes": lambda **more: poured([ROD, CUBE], 12, **more),
    "shapes by Gear's scheme": lambda **more: poured([ROD, CUBE], 12, time={"step": 5e-4, "integrator": "gear4"}, **more),
}


def final(comm: MPI.Comm, case: Case, chunk: int = 10**6) -> tuple[str, int, int]:
    """Fingerprint at the end of a case, done in chunks, energy that grains have brought (quanta), and the number of those that have not arrived."""
    sim = Simulation(case, comm)
    while sim.proceed:
        sim.step(chunk, observe=True)
    return fingerprint(sim.engine), sim.engine.inflow.brought if sim.engine.inflow is not None else 0, sim.to_come


@pytest.mark.mpi
@pytest.mark.ranks(2, 3)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("scene", [pytest.param(name, marks=[pytest.mark.slow] * name.startswith("shapes")) for name in SCENES])
def test_any_number_of_ranks_gives_the_bits_of_one(scene: str, axis: int) -> None:
    comm = MPI.COMM_WORLD
    alone = comm.bcast(final(MPI.COMM_SELF, SCENES[scene]()) if comm.rank == 0 else None)
    assert alone[2] == 0
    assert final(comm, SCENES[scene](parallel={"grid": slabs_across(axis)})) == alone


@pytest.mark.parametrize("scene", [pytest.param(name, marks=[pytest.mark.slow] * name.startswith("shapes")) for name in SCENES])
def test_neither_skin_nor_chunks_nor_detection_show(scene: str) -> None:
    runs = [
        final(MPI.COMM_SELF, SCENES[scene](detection=detection), chunk)
        for detection, chunk in (({"skin": 0.05}, 10**6), ({"skin": 0.3}, 97), ({"method": "triangulation", "skin": 0.1, "max_overlap": 0.1}, EVERY))
    ]
    assert runs[0][2] == 0
    assert len(set(runs)) == 1


def test_grains_that_are_due_at_the_start_are_inserted_ones() -> None:
    """They get the places of grains that are inserted, and from then on all bits."""
    region = {"kind": "box", "lower": (-2.0, -2.0, 0.1), "upper": (2.0, 2.0, 5.0)}
    given = {"gravity": (0.0, 0.0, -9.8), "domain": DOMAIN, "wall": [FLOOR], "stage": [{"name": "go", "kind": "run", "steps": 500}]}
    grains = {"species": "cube", "count": 12, "region": region, "size": SIZES}
    both = [case_of([CUBE], VISCOUS, 5e-4, **given, **what) for what in ({"insert": [grains]}, {"pour": [grains | {"rate": 1e9}]})]
    assert final(MPI.COMM_SELF, both[0])[0] == final(MPI.COMM_SELF, both[1])[0]


def test_grains_arrive_when_they_are_due_and_fall_freely() -> None:
    """At the first step that is looked at; stages count from their own start; ids follow the order in which grains are due, not the tables."""
    dt = 2.0**-10
    boxes = [{"kind": "box", "lower": (x, -0.5, 10.0), "upper": (x + 1.0, 0.5, 11.0)} for x in (-3.0, 0.0, 2.0)]
    pour = [
        {"species": "ball", "count": 2, "rate": 1.0 / (100 * dt), "region": boxes[0], "start": "second", "velocity": (0.0, 0.0, -16.0)},
        {"species": "ball", "count": 2, "rate": 1.0 / (200 * dt), "region": boxes[1], "velocity": (0.0, 8.0, 0.0)},
        {"species": "ball", "count": 1, "rate": 1.0, "region": boxes[2], "start": "second"},
    ]
    stages = [{"name": "first", "kind": "run", "steps": 330}, {"name": "second", "kind": "run", "steps": 400}]
    domain = {"lower": (-9.0, -9.0, -9.0), "upper": (9.0, 9.0, 12.0)}
    sim = Simulation(case_of([SPHERE], ELASTIC, dt, gravity=(0.0, 0.0, -8.0), pour=pour, domain=domain, stage=stages), MPI.COMM_SELF)
    steps, before = {}, set()
    while sim.proceed:
        sim.step(1)
        new = set(sim.grains.ids[sim.grains.present].tolist()) - before
        steps |= dict.fromkeys(new, sim.steps_done - 1)
        before |= new
    assert steps == {0: 0, 1: 224, 2: 352, 3: 352, 4: 448}  # 330 -> 352 and 430 -> 448
    grains = sim.grains.gathered()
    start = {0: boxes[1], 1: boxes[1], 2: boxes[0], 3: boxes[2], 4: boxes[0]}
    for k in range(5):
        t = (730 - steps[k]) * dt
        thrown = np.array({0: [0.0, 8.0, 0.0], 1: [0.0, 8.0, 0.0], 2: [0.0, 0.0, -16.0], 4: [0.0, 0.0, -16.0]}.get(k, [0.0, 0.0, 0.0]))
        place = grains.position[k] - thrown * t - [0.0, 0.0, -4.0 * t * t]
        assert place == pytest.approx(np.mean([start[k]["lower"], start[k]["upper"]], axis=0), abs=1e-12)  # each box holds a ball in one place alone
        assert grains.velocity[k] - thrown == pytest.approx([0.0, 0.0, -8.0 * t], abs=1e-12)


def test_grains_wait_for_room_in_the_order_of_their_ids() -> None:
    """All are due at once: those that are there are always the first ones, and at the step at which grains arrive they touch nothing."""
    sim = Simulation(poured([CUBE], 40, rate=1e6, stage=[{"name": "go", "kind": "run", "steps": 8000}]), MPI.COMM_SELF)
    numbers = [6]
    while sim.proceed:
        sim.step(EVERY + 1 if len(numbers) == 1 else EVERY, observe=True)  # one step after each look
        grains = sim.grains.gathered()
        ids = grains.ids[grains.present]
        assert ids.tolist() == list(range(len(ids)))
        bodies = sim.contacts.bodies
        young = bodies >= numbers[-1]
        assert not len(bodies) or (sim.contacts.overlap[young.any(axis=1)] < 4.2 * 2.0 * 5e-4).all()  # no more than they have come nearer in a step
        numbers.append(len(ids))
    assert 6 < numbers[1] < 46
    assert numbers[-1] == 46


@pytest.mark.parametrize("species", [SPHERE, CUBE], ids=lambda s: s["name"])
def test_the_books_close_when_grains_arrive(species: dict[str, Any]) -> None:
    """What they bring is booked: what is left of it is the error of the integration, which becomes less with the step."""
    residuals = []
    for dt in (4e-4, 1e-4):
        case = poured([species], 20, time={"step": dt}, stage=[{"name": "go", "kind": "run", "time": 0.9}], contact=ELASTIC | {"contact_time": 0.01})
        sim = Simulation(case, MPI.COMM_SELF)
        assert sim.observables()["energy/inflow"] == 0.0
        sim.step(10**7, observe=True)
        values = sim.observables()
        assert values["inflow/grains"] == 20
        held = sim.grains.gathered()
        assert values["inflow/mass"] == pytest.approx(held.mass[6:].sum(), rel=1e-12)
        residuals.append(abs(values["energy/residual"]) / abs(values["energy/inflow"]))
    assert residuals[0] < 1e-3
    assert residuals[1] < residuals[0]


def test_grains_keep_clear_of_a_body_that_has_moved() -> None:
    """At the start a block is beside the region, where it would leave room for all; when grains arrive, it fills the left of it."""
    dt = 2.5e-4
    block = {"name": "block", "shape": "cube", "side": 2.0, "radius": 0.1, "density": 1000.0}
    slides = {"kind": "velocity", "velocity": (40.0, 0.0, 0.0)}
    wall = [{"name": "block", "kind": "body", "species": "block", "position": (-6.0, 0.0, 1.2), "motion": slides}]
    region = {"kind": "box", "lower": (-1.2, -1.2, 0.0), "upper": (4.2, 1.2, 2.4)}
    pour = [{"species": "ball", "count": 3, "rate": 1e6, "region": region, "start": "second"}]
    stages = [{"name": "first", "kind": "run", "steps": 19 * EVERY}, {"name": "second", "kind": "run", "steps": 1}]
    sim = Simulation(case_of([SPHERE, block], VISCOUS, dt, wall=wall, pour=pour, stage=stages), MPI.COMM_SELF)
    sim.step(10**6)
    face = -6.0 + 40.0 * 19 * EVERY * dt + 1.1
    assert face > 1.1
    grains = sim.grains.gathered()
    assert grains.present.any()
    assert (grains.position[grains.present, 0] >= face + 0.5).all()


def test_disks_are_poured_in_the_plane() -> None:
    disk = SPHERE | {"shape": "disk"}
    region = {"kind": "box", "lower": (-2.0, 5.0), "upper": (2.0, 6.5)}
    pour = [{"species": "ball", "count": 20, "rate": 40.0, "region": region, "velocity": (0.0, -4.0)}]
    floor = [{"name": "floor", "kind": "plane", "point": (0.0, 0.0), "normal": (0.0, 1.0)}]
    domain = {"lower": (-9.0, -1.0), "upper": (9.0, 9.0)}
    case = case_of([disk], VISCOUS, 5e-4, dimension=2, gravity=(0.0, -9.8), domain=domain, wall=floor, pour=pour, stage=GO)
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(10**6)
    grains = sim.grains.gathered()
    assert sim.to_come == 0
    assert (grains.position[:, 2] == 0.0).all()
    assert (grains.position[:, 1] > 0.4).all()


def test_nothing_has_settled_while_grains_are_to_come() -> None:
    stages = [{"name": "rest", "kind": "settle", "energy_per_grain": 1e9, "max_time": 3.0}]
    sim = Simulation(poured([SPHERE], 5, stage=stages), MPI.COMM_SELF)
    sim.step(10**6)
    assert sim.to_come == 0
    assert sim.steps_done == 300  # the last is due after 0.1 s: at step 224 of those that are looked at


@pytest.mark.mpi
@pytest.mark.ranks(4)
def test_a_run_goes_on_from_a_checkpoint_on_another_number_of_ranks(mpi_tmp_path: Path) -> None:
    """Cut while grains arrive, at a step at which they are looked at and at another one."""
    check_that_cuts_do_not_show(MPI.COMM_WORLD, SCENES["spheres"](), mpi_tmp_path, (16 * EVERY, 16 * EVERY + 11), 1500)


def test_files_hold_all_grains_and_tell_which_are_to_come(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = SCENES["spheres"]().model_dump(exclude_none=True)
    short = [{"name": "go", "kind": "run", "steps": 1000}]
    case = Case(**data | {"stage": short, "output": {"frame_steps": 100, "observable_steps": 100}})
    out = tmp_path / "out.h5"
    summary = run_case(case, out=out, comm=MPI.COMM_SELF)
    assert 0 < summary.to_come < 30
    assert "grains that have not arrived" in capsys.readouterr().out
    assert info(out)["arrived"] == 30 - summary.to_come
    with h5py.File(out) as file:
        flags = file["particles/grains/inflow/value"][:, :, 0]
        position = file["particles/grains/position/value"][:]
        arrived = file["observables/inflow/grains/value"][:]
    assert flags[0].tolist() == [0] * 6 + [1] * 30
    assert (np.diff(flags, axis=0) <= 0).all()
    assert (30 - flags.sum(axis=1) == arrived).all()
    assert (position[flags == 1] == [0.0, 0.0, 7.25]).all()
    last = pardem.open(out)[-1]
    assert last.present.sum() == 36 - summary.to_come
    assert len(last.table()) == 36 - summary.to_come
    with_start = {"start": {"from": str(out)}, "stage": short, "insert": [], "pour": [], "species": data["species"], "contact": data["contact"]}
    kept = {name: data[name] for name in ("dimension", "seed", "gravity", "time", "domain", "wall")}
    again = Simulation(with_origin(Case(**kept | with_start), MPI.COMM_SELF), MPI.COMM_SELF)
    assert again.grain_count == 36 - summary.to_come


def test_what_cannot_be_poured_is_named() -> None:
    def build(**changes: Any) -> Case:
        pour = {"name": "rain", "species": "ball", "count": 3, "rate": 10.0, "region": SPOUT}
        return case_of([SPHERE], changes.pop("contact", VISCOUS), 1e-3, domain=DOMAIN, pour=[pour | changes.pop("pour", {})], **changes)

    with pytest.raises(CaseError, match=r"pour\.rain\.start = 'later'"):
        build(pour={"start": "later"})
    with pytest.raises(CaseError, match=r"pour\.rain\.species = 'bell'"):
        build(pour={"species": "bell"})
    with pytest.raises(CaseError, match=r"pour\.rain\.region reaches from 6\.0 to 19\.0 along z, beyond \[domain\]"):
        build(pour={"region": SPOUT | {"upper": 19.0}})
    with pytest.raises(CaseError, match=r"pour\.rain\.rate"):
        build(pour={"rate": 0.0})
    with pytest.raises(CaseError, match=r"pour\.rain\.velocity = \[0\.0, 0\.0, 1000000\.0\] m/s makes grains cross the whole domain"):
        build(pour={"velocity": (0.0, 0.0, 1e6)})
    with pytest.raises(CaseError, match=r"pour: a grain that arrives has felt no force yet, but \[attraction\]"):
        build(attraction={"center": (0, 0, 0), "strength": 1.0, "softening": 0.5}, gravity=(0.0, 0.0, 0.0))
    with pytest.raises(InsertionError, match=r"Insertion stopped at grain 0 of species 'ball'"):
        Simulation(build(pour={"region": SPOUT | {"radius": 0.4}}), MPI.COMM_SELF)
