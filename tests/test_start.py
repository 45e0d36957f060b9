"""Runs that start from the state of another one: the same bits as if nothing had been between, histories, species, walls, and files that are gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from conftest import Ended
from mpi4py import MPI
from scenes import CUBE, ROD, SPHERE

import pardem as package
from pardem.case import Case
from pardem.errors import CaseError, FileError
from pardem.io.views.info import info
from pardem.laws.history import SPRING
from pardem.run import run_case
from pardem.run_options import RunOptions
from pardem.setup import shared_insertion
from pardem.simulation import Simulation
from pardem.state.population import ContactTable, Population

SHAKE = {"name": "shake", "kind": "vibrate", "wall": "floor", "taps": 1, "frequency": 1.5, "gamma": 0.6, "direction": (0.3, 0.0, 1.0)}
POUR = {"name": "pour", "kind": "run", "steps": 2500}
REST = {"name": "rest", "kind": "run", "steps": 250}
FROM = {"from": "bed.h5"}
WALLS = [
    {"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)},
    {"name": "left", "kind": "plane", "point": (0, 0, 0), "normal": (0, 1, 0)},
    {"name": "right", "kind": "plane", "point": (0, 4, 0), "normal": (0, -1, 0)},
    {"name": "lid", "kind": "plane", "point": (0, 0, 7), "normal": (0, 0, -1),
     "motion": {"kind": "servo", "direction": (0, 0, -1), "force": 3e4, "mass": 2e3, "velocity": (0.3, 0, 0)}},
]  # fmt: skip


def bed(shape: dict[str, Any], stages: Sequence[dict[str, Any]], **more: Any) -> Case:
    """Thirty grains on a floor that shakes, between two walls, pressed by a lid; periodic along x."""
    region = {"kind": "box", "lower": (0.6, 0.1, 0.1), "upper": (4.9, 3.9, 6.5)}
    size = {"kind": "uniform", "min": 0.7, "max": 1.0}
    contact = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.5}
    insert = [{"species": shape["name"], "count": 30, "region": region, "size": size}]
    return Case(
        **{
            "species": [shape], "contact": contact, "time": {"step": 9e-4},
            "gravity": (0.0, 0.0, -9.8), "seed": 4, "stage": stages, "wall": WALLS,
            "domain": {"lower": (0.0, -0.1, -5.0), "upper": (5.5, 4.1, 12.0), "periodic": (True, False, False)},
            **({} if "start" in more else {"insert": insert}),
        } | more,
    )  # fmt: skip


def ran(case: Case, out: Path, **options: Any) -> Path:
    """The result of a case on this process."""
    summary = run_case(case.located(out.parent), out=out, comm=MPI.COMM_SELF, options=RunOptions(**options))
    assert summary.finished == ("walltime" not in options)
    return out


def state_of(path: Path) -> dict[str, np.ndarray]:
    """Grains and contacts of the last state in a result."""
    with h5py.File(path) as file:
        final = file["pardem/final"]
        return {f"{part}/{name}": values[()] for part in ("grains", "contacts") for name, values in final[part].items()}


def difference(one: Path, two: Path) -> list[str]:
    """Names of the arrays in which two states differ by a bit."""
    a, b = state_of(one), state_of(two)
    return [name for name in sorted(a.keys() | b.keys()) if name not in a or name not in b or a[name].tobytes() != b[name].tobytes()]


@pytest.fixture(scope="module", params=[SPHERE, CUBE], ids=["spheres", "cubes"])
def shaken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a shaken bed, the same shaken and left alone in one run, and the case that goes on from the first."""
    folder = tmp_path_factory.mktemp("shaken")
    ran(bed(request.param, [POUR, SHAKE]), folder / "bed.h5")
    ran(bed(request.param, [POUR, SHAKE, REST]), folder / "whole.h5")
    (folder / "rest.toml").write_text(bed(request.param, [REST], start=FROM).to_toml())
    return folder


@pytest.fixture(scope="module")
def beads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bed of spheres."""
    folder = tmp_path_factory.mktemp("beads")
    ran(bed(SPHERE, [POUR, SHAKE]), folder / "bed.h5")
    return folder


@pytest.fixture
def bench(beads: Path, tmp_path: Path) -> Path:
    """A folder of this test alone, with the bed of spheres."""
    (tmp_path / "bed.h5").symlink_to(beads / "bed.h5")
    return tmp_path


def begun(folder: Path, **more: Any) -> Simulation:
    """The simulation of a case that starts from the bed of spheres, before its first step."""
    return Simulation(package.with_origin(bed(SPHERE, [REST], **{"start": FROM} | more).located(folder)), MPI.COMM_SELF)


# -- the same bits ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_run_that_goes_on_from_another_ends_as_one_run_of_both(shaken: Path, tmp_path: Path, pardem: Callable[..., Ended], ranks: int) -> None:
    out = tmp_path / "rest.h5"
    said = pardem("run", str(shaken / "rest.toml"), "-o", str(out), ranks=ranks)
    assert difference(out, shaken / "whole.h5") == []
    with h5py.File(out) as file, h5py.File(shaken / "bed.h5") as before:
        contacts = before["pardem/final/contacts"]
        assert (np.abs(contacts["floats"][:, SPRING : SPRING + 3]).sum(axis=1) > 0.0).sum() > 20  # friction is at work
        count = len(contacts["lower"])
        assert (file["observables/energy/kinetic_translational/step"][0], file["observables/stage/value"][0]) == (0, 0)
    assert f"30 grains; {count} of {count} contacts live on, 0 are dropped" in said.out + said.err
    assert info(out)["provenance"][0]["start"]["contacts_kept"] == count


def test_another_friction_gives_another_end(shaken: Path, tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    pardem("run", str(shaken / "rest.toml"), "-o", str(tmp_path / "slick.h5"), "--set", "contact.friction=0.1")
    assert "grains/x" in difference(tmp_path / "slick.h5", shaken / "whole.h5")


# -- what is taken over -----------------------------------------------------------------------------------------------------------------------


def test_overlaps_and_springs_stay_under_another_stiffness(bench: Path) -> None:
    """Forces are found anew, in other quanta; nothing jumps apart, since the springs of friction are forces."""
    before, sim = state_of(bench / "bed.h5"), begun(bench, contact={"restitution": 0.5, "contact_time": 0.015, "friction": 0.5})
    kept, there = sim.taken_over or (0, 0)
    assert kept == there == len(before["contacts/lower"])
    assert np.array_equal(sim.engine.all_grains()[0].take(np.argsort(sim.engine.grains.gid)).x, before["grains/x"])
    table = sim.engine.contacts()
    now = table.take(np.lexsort(table.key.T[::-1]))
    assert np.array_equal(now.key[:, 0], before["contacts/lower"])
    assert np.array_equal(now.hist[:, : SPRING + 3], before["contacts/floats"][:, : SPRING + 3])
    forces = sim.engine.grains.ft[np.argsort(sim.engine.grains.gid), :3]
    assert not np.array_equal(forces, before["grains/ft"][:, :3])


def test_another_law_forgets_all_histories(bench: Path) -> None:
    contact = {"law": "hertz", "young": 3e6, "poisson": 0.3, "restitution": 0.6, "friction": 0.4, "reference_speed": 5.0}
    sim = begun(bench, contact=contact, time={"step": 2e-4})
    assert sim.taken_over == (0, len(state_of(bench / "bed.h5")["contacts/lower"]))


def test_a_wall_of_another_name_forgets_its_contacts(bench: Path) -> None:
    renamed = [wall | ({"name": "ground", "material": "floor"} if wall["name"] == "floor" else {}) for wall in WALLS]
    contacts = state_of(bench / "bed.h5")
    on_floor = np.count_nonzero(contacts["contacts/higher"] == -1)
    assert on_floor > 3
    kept, there = begun(bench, wall=renamed).taken_over or (0, 0)
    assert kept == there - on_floor


def test_walls_begin_where_they_were_or_where_the_case_has_them(bench: Path) -> None:
    """The lid has come down by its way; with `walls = "case"` it is at its first place again, and touches nothing."""
    with h5py.File(bench / "bed.h5") as file:
        way = file["pardem/final/small/wall_motion"][3]
    there, again = begun(bench), begun(bench, start=FROM | {"walls": "case"})
    place = [sim.setup.scene.walls.pose[3, :3] for sim in (there, again)]
    assert place[0][2] == pytest.approx(-way[29])
    assert place[0][2] < -1.0
    assert place[0][0] > 0.1  # it slides, too
    assert not place[1].any()
    on_lid = np.count_nonzero(state_of(bench / "bed.h5")["contacts/higher"] == -4)
    assert on_lid > 0
    assert not (again.engine.contacts().key[:, 1] == -4).any()


def test_grains_are_left_out_and_added_under_new_ids(bench: Path) -> None:
    """What lies low stays, in its order; a cube comes in where there is room, though grains that overlap are there."""
    before = state_of(bench / "bed.h5")
    height = float(np.median(before["grains/x"][:, 2]))
    region = {"kind": "box", "lower": (-1, -1, height), "upper": (9, 9, 9)}
    insert = [{"species": "cube", "count": 5, "region": {"kind": "box", "lower": (0.6, 0.3, 0.1), "upper": (4.9, 3.7, 4.0)}}]
    given = package.with_origin(
        bed(SPHERE, [REST], start=FROM | {"without_region": region, "walls": "case"}, species=[CUBE, SPHERE], insert=insert).located(bench)
    )
    sim = Simulation(given, MPI.COMM_SELF)
    grains = sim.engine.all_grains()[0]
    grains = grains.take(np.argsort(grains.gid))
    low = before["grains/x"][:, 2] < height
    assert low.sum() == 15
    assert grains.count == low.sum() + 5
    assert np.array_equal(grains.gid, np.arange(grains.count))
    assert np.array_equal(grains.x[: low.sum()], before["grains/x"][low])
    assert grains.species.tolist() == [1] * int(low.sum()) + [0] * 5
    keys = sim.engine.contacts().key
    assert not ((keys[:, 1] >= low.sum()) | ((keys[:, 0] >= low.sum()) & (keys[:, 1] >= 0))).any()  # the cubes keep clear
    sim.step(50)


@pytest.mark.mpi
@pytest.mark.parametrize("together", [False, True])
def test_ranks_take_over_and_add_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool) -> None:
    """Grains left out, given and inserted, the latter by the first rank or by all: the grains, forces and contacts that one rank begins with."""
    comm = MPI.COMM_WORLD
    folder = Path(comm.bcast(str(tmp_path)))
    if comm.rank == 0:
        ran(bed(SPHERE, [POUR]), folder / "bed.h5")
    comm.Barrier()
    monkeypatch.setattr(shared_insertion, "FEWEST", 1 if together else 1000)
    case = bed(
        SPHERE, [REST], start=FROM | {"without_region": {"kind": "box", "lower": (-1, -1, -1), "upper": (2.5, 9, 9)}, "walls": "case"},
        grain=[{"species": SPHERE["name"], "position": (1.0, 1.0, 6.4)}],
        insert=[{"species": SPHERE["name"], "count": 12, "region": {"kind": "box", "lower": (0.6, 0.1, 0.1), "upper": (2.6, 3.9, 5.8)}}],
    ).located(folder)  # fmt: skip
    shared = Simulation(package.with_origin(case, comm), comm)
    alone = Simulation(package.with_origin(case), MPI.COMM_SELF)
    assert shared.taken_over == alone.taken_over
    mine, whole = Population.joined(comm.allgather(shared.engine.all_grains()[0].take(slice(None)))), alone.engine.all_grains()[0]
    mine, whole = mine.take(np.argsort(mine.gid)), whole.take(np.argsort(whole.gid))
    assert 13 < whole.count < 43
    for name in Population.columns:
        assert np.array_equal(getattr(mine, name), getattr(whole, name)), name
    tables = ContactTable.joined(comm.allgather(shared.engine.owned_contacts())), alone.engine.owned_contacts()
    first, second = (table.take(np.lexsort(table.key.T[::-1])) for table in tables)
    assert np.array_equal(first.key, second.key)
    assert np.array_equal(first.hist, second.hist)


def test_density_and_shape_may_change_under_the_same_name(bench: Path) -> None:
    before, sim = state_of(bench / "bed.h5"), begun(bench, species=[SPHERE | {"density": 2000.0, "radius": 0.49}])
    grains = sim.engine.all_grains()[0]
    grains = grains.take(np.argsort(grains.gid))
    assert grains.v[:, 3] == pytest.approx(2.0 * 0.98**3 * before["grains/v"][:, 3])
    assert grains.x[:, 3] == pytest.approx(0.98 * before["grains/x"][:, 3])
    assert np.array_equal(grains.w[:, :3], before["grains/w"][:, :3])


def test_the_energy_budget_closes_over_what_was_taken_over(bench: Path) -> None:
    """Of a bed whose histories had no energies in them."""
    fine = {"observable_steps": 50, "observables": {"energy_budget": True}}
    bare = bed(SPHERE, [POUR, SHAKE], output={"observables": {"energy_budget": False}})
    ran(bare, bench / "bare.h5")
    ran(bed(SPHERE, [SHAKE | {"taps": 2}], start={"from": "bare.h5"}, output=fine), bench / "on.h5")
    with h5py.File(bench / "on.h5") as file:
        energy = {name: values["value"][()] for name, values in file["observables/energy"].items()}
    lost = energy["lost_damping"][-1] + energy["lost_friction"][-1]
    assert energy["lost_damping"][0] == energy["lost_friction"][0] == 0.0
    assert lost > 0.1 * energy["wall_work"][-1] > 0.0
    assert abs(energy["residual"][-1]) < 0.02 * lost


# -- files ------------------------------------------------------------------------------------------------------------------------------------


def test_a_stopped_run_goes_on_without_the_file_it_began_with(bench: Path) -> None:
    case = bed(SPHERE, [REST], start=FROM)
    ran(case, bench / "whole.h5")
    ran(case, bench / "cut.h5", walltime=0.0)
    (bench / "bed.h5").unlink()
    ran(case, bench / "cut.h5", resume=True)
    assert difference(bench / "whole.h5", bench / "cut.h5") == []
    longer = bed(SPHERE, [REST | {"steps": 260}], start=FROM)
    ran(longer, bench / "cut.h5", resume=True)
    with h5py.File(bench / "cut.h5") as file:
        assert file["observables/energy/kinetic_translational/step"][-1] == 260
    with pytest.raises(FileError, match=r"start\.from = 'bed\.h5': .*bed\.h5 does not exist"):
        ran(case, bench / "new.h5")


def test_a_run_does_not_go_on_beside_another_state(bench: Path) -> None:
    case = bed(SPHERE, [REST], start=FROM)
    ran(case, bench / "cut.h5", walltime=0.0)
    (bench / "bed.h5").unlink()
    ran(bed(SPHERE, [REST | {"steps": 10}]), bench / "bed.h5")
    with pytest.raises(FileError, match="holds another state than when this run began"):
        ran(case, bench / "cut.h5", resume=True)


def test_a_checkpoint_in_its_folder_is_a_start(bench: Path) -> None:
    ran(bed(SPHERE, [POUR]), bench / "part.h5", walltime=0.0)
    newest = max((bench / "part.h5.parts").glob("checkpoint-*.h5"))
    sim = begun(bench, start={"from": str(newest.relative_to(bench))})
    assert sim.grain_count == 30
    alone = bench / newest.name
    alone.write_bytes(newest.read_bytes())
    with pytest.raises(FileError, match=r"static\.h5 is missing, which tells the species of this checkpoint"):
        begun(bench, start={"from": newest.name})
    with pytest.raises(FileError, match="holds no full state: its run has not finished"):
        begun(bench, start={"from": "part.h5"})


def test_the_hash_is_that_of_the_state_not_of_the_file(bench: Path) -> None:
    (bench / "copy.h5").write_bytes((bench / "bed.h5").read_bytes())
    ran(bed(SPHERE, [SHAKE]), bench / "other.h5")
    one, two, three = (
        package.with_origin(bed(SPHERE, [REST], start={"from": name}).located(bench)).hash() for name in ("bed.h5", "copy.h5", "other.h5")
    )
    assert one == two != three
    with pytest.raises(CaseError, match=r"start\.from = 'bed\.h5' has not been read"):
        bed(SPHERE, [REST], start=FROM).hash()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": {"from": "no.h5"}}, "start.from = 'no.h5': {folder}/no.h5 does not exist"),
        ({"start": {"from": "rest.toml"}}, "rest.toml is not an HDF5 file"),
        ({"start": FROM | {"without": "bal"}}, "start.without = 'bal' is not a species of {folder}/bed.h5 (ball); did you mean 'ball'?"),
        ({"start": FROM | {"without": ["ball"]}}, "all grains of {folder}/bed.h5 are left out"),
        ({"start": FROM | {"digest": "0" * 64}}, "holds another state than this case started from"),
        ({"species": [CUBE]}, "has 30 grains of species 'ball', which this case has not (cube)"),
        ({"domain": {"lower": (0.0, -0.1, -5.0), "upper": (5.5, 2.0, 12.0)}}, "grains lie outside [domain]"),
    ],
)
def test_what_does_not_fit_is_a_sentence(bench: Path, refused: Callable[..., str], change: dict[str, Any], words: str) -> None:
    (bench / "rest.toml").write_text(bed(SPHERE, [REST], **{"start": FROM} | change).to_toml())
    for command in (["check"], ["run", "-o", str(bench / "out.h5")]):
        said = refused(command[0], str(bench / "rest.toml"), *command[1:])
        assert words.format(folder=bench) in said


def plate(center: tuple[float, float, float], **more: Any) -> Case:
    """A rod that flies up from a disc that turns about an upright axis."""
    disc = {"name": "plate", "kind": "disc", "center": (0.0, 0.0, 0.0), "normal": (0.0, 0.0, 1.0), "radius": 1.0}
    turns = {"kind": "rotation", "rate": 3.0, "center": center, "axis": (0.0, 0.0, 1.0)}
    rod = [] if "start" in more else [{"species": "rod", "position": (0.0, 0.0, 3.0), "velocity": (0.0, 0.0, 400.0)}]
    stage = [{"name": "go", "kind": "run", "steps": 1}]
    space = {"lower": (-2.0, -2.0, -1.0), "upper": (2.0, 2.0, 12.0)}
    return bed(ROD, stage, **{"insert": [], "grain": rod, "wall": [disc | {"motion": turns}], "domain": space} | more)


@pytest.mark.parametrize("command", [["check"], ["run", "-o", "out.h5"]], ids=lambda command: command[0])
def test_what_cannot_go_on_is_refused_before_the_first_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str], command: list[str]
) -> None:
    """A wall that would turn about another axis than it has turned about; a grain that would cross the domain within a step."""
    monkeypatch.chdir(tmp_path)
    ran(plate((0.0, 0.0, 0.0)), tmp_path / "bed.h5")
    thin = {"lower": (-2.0, -2.0, 3.2), "upper": (2.0, 2.0, 3.5)}
    for case, words in (
        (plate((0.5, 0.0, 0.0), start=FROM), "wall.plate: the run that start.from names has turned it by 0.0027 rad; it may rest or turn"),
        (plate((0.0, 0.0, 0.0), start=FROM, domain=thin), "start.from: 1 grains are so fast that they cross the whole domain in one step, the first"),
    ):
        Path("on.toml").write_text(case.to_toml())
        assert words in refused(command[0], "on.toml", *command[1:])


@pytest.mark.parametrize(("name", "gone"), [("piece_start", True), ("edges", False), ("axes", False)])
@pytest.mark.parametrize("beside", [True, False])
def test_species_that_are_not_what_was_written_are_refused(bench: Path, name: str, gone: bool, beside: bool) -> None:
    """Orientations and histories mean something for these shapes only. Those of an index are in its parts."""
    source = damaged = bench / "there.h5"
    if beside:
        ran(bed(CUBE, [REST], output={"one_file": False}), source)
        damaged = bench / "there.h5.parts" / "static.h5"
    else:
        ran(bed(CUBE, [REST]), source)
    case = bed(CUBE, [REST], start={"from": source.name}).located(bench)
    package.with_origin(case)
    with h5py.File(damaged, "r+") as file:
        values = file["parameters/pardem/catalogue"][name]
        if gone:
            del file[values.name]
        else:
            values[0] += 1
    said = f"{name} is missing" if gone else f"{name} is wrong"
    with pytest.raises(FileError, match=rf"start\.from = 'there\.h5': {damaged} is damaged: .*{said}"):
        package.with_origin(case)


def test_check_counts_the_grains_of_the_other_run(bench: Path, pardem: Callable[..., Ended]) -> None:
    (bench / "rest.toml").write_text(bed(SPHERE, [REST], start=FROM).to_toml())
    said = pardem("check", str(bench / "rest.toml")).out
    assert "grains     30\n" in said
    assert "start.from" not in said  # nothing to warn of


def test_check_warns_of_grains_that_have_grown(bench: Path, pardem: Callable[..., Ended]) -> None:
    for radius, words in ((0.5, []), (0.4, []), (0.6, ["reach 0.6 m from their centres, and 0.5 m in bed.h5", "by up to 0.33 sphero-radii more"])):
        (bench / "on.toml").write_text(bed(SPHERE | {"radius": radius}, [REST], start=FROM).to_toml())
        said = pardem("check", str(bench / "on.toml")).out
        assert ("warning" in said) == bool(words)
        assert all(part in said for part in words)
