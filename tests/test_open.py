"""Results in Python: what ``pardem.open`` gives is what was written, of files that are still being written too."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

import pardem
from pardem import cli
from pardem.errors import FileError

STEPS = [0, 10, 20, 30, 40, 50]


@pytest.fixture(params=["finished", "index"])
def written(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    out = tmp_path / "out.h5"
    scene.run(MPI.COMM_SELF, out, STEPS[-1], finish=request.param == "finished")
    return out


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> pardem.Result:
    folder = tmp_path_factory.mktemp("open")
    case = Path(__file__).parent.parent / "jobs" / "smoke.toml"
    short = ["--set", "stage.settle.max_time=0.004", "--set", "stage.vibrate.taps=1", "--set", "insert.rods.count=80"]
    assert cli.main(["run", str(case), "-o", str(folder / "r.h5"), *short]) == 0
    return pardem.open(folder / "r.h5")


def test_fields_are_what_was_written(written: Path) -> None:
    with pardem.open(written) as result:
        assert len(result) == len(STEPS)
        assert result.steps.tolist() == STEPS
        assert result.fields == tuple(sorted(scene.fields(0)))
        for frame, step in zip(result, STEPS, strict=True):
            expected = scene.fields(step)
            assert frame.step == step
            assert frame.time == 0.1 * step
            for name, values in expected.items():
                assert np.array_equal(frame[name], values)
            assert np.array_equal(frame.velocity, expected["velocity"])
            edges = np.array([1.0, 1.0, 2.0])
            assert np.array_equal(frame.unwrapped, expected["position"] + edges * expected["image"])
        assert result[-1].number == len(STEPS) - 1
        assert [frame.step for frame in result[1:3]] == STEPS[1:3]


def test_contacts_are_what_was_written(written: Path) -> None:
    result = pardem.open(written)
    assert result.contact_fields == ("point", "normal", "overlap", "force")
    assert result.walls == scene.WALLS
    for frame in result:
        expected, contacts = scene.touching(frame.step), frame.contacts
        assert len(contacts) == len(expected["sub"])
        assert contacts.known
        for name, values in expected.items():
            assert np.array_equal(contacts[name], values)
        assert np.array_equal(contacts.first, expected["bodies"][:, 0])
        assert np.array_equal(contacts.second, expected["bodies"][:, 1])
        assert contacts.walls.tolist() == ["" if b >= 0 else scene.WALLS[-1 - b] for b in expected["bodies"][:, 1]]
        along = (expected["force"] * expected["normal"]).sum(axis=1)
        assert contacts.normal_force == pytest.approx(-along, rel=1e-12)
        assert contacts.tangential_force == pytest.approx(expected["force"] - along[:, None] * expected["normal"], rel=1e-12, abs=1e-12)
        table = contacts.table()
        assert list(table.columns) == [
            "first", "second", "wall", "sub", "point_x", "point_y", "point_z", "normal_x", "normal_y", "normal_z", "overlap",
            "force_x", "force_y", "force_z",
        ]  # fmt: skip
        assert table["force_y"].tolist() == expected["force"][:, 1].tolist()
        assert table.attrs["units"]["overlap"] == "m"


def test_of_contacts_too_only_what_is_asked_for_is_read(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, read = pardem.open(written), []
    monkeypatch.setattr(result, "read_contacts", lambda name, rows: read.append((name, rows)) or pardem.Result.read_contacts(result, name, rows))
    contacts = result[1].contacts
    assert read == []
    before = len(scene.touching(0)["sub"])
    for _ in range(2):
        assert len(contacts.overlap) == len(contacts)
    assert read == [("overlap", slice(before, before + len(contacts)))]
    with pytest.raises(AttributeError, match=r"holds no 'couple' of contacts: it has bodies, .*, force; name it in output\.contacts of the case"):
        _ = contacts.couple


def test_branches_lead_to_the_nearest_image(written: Path) -> None:
    frame = pardem.open(written)[3]
    contacts, x = frame.contacts, scene.fields(30)["position"]
    for branch, (a, b), point in zip(contacts.branch, contacts.bodies, contacts.point, strict=True):
        if b < 0:
            assert np.array_equal(branch, point - x[a])
            continue
        images = [x[b] - x[a] + np.array([i, j, 0.0]) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        assert branch == pytest.approx(min(images, key=np.linalg.norm), rel=1e-12, abs=1e-12)


def test_parts_of_fields_are_read_alone(written: Path) -> None:
    result = pardem.open(written)
    x = np.stack([scene.fields(step)["position"] for step in STEPS])
    assert np.array_equal(result.read("position"), x)
    assert np.array_equal(result.read("position", slice(1, 4), [2, 7]), x[1:4, [2, 7]])
    assert np.array_equal(result.read("position", -1, 5), x[-1, 5])


def test_observables_are_tables_over_time(written: Path) -> None:
    result = pardem.open(written)
    table = result.observables
    assert table.index.tolist() == [0.1 * step for step in STEPS]
    assert table["energy/kinetic"].tolist() == [1.0 / (step + 1) for step in STEPS]
    assert table.attrs["units"]["energy/kinetic"] == "1"  # no observable of pardem's
    assert table["layers[1]"].tolist() == [1.0] * len(STEPS)
    assert np.isnan(table["layers[2]"][0.0])
    dataset = result.dataset
    assert dataset["contacts"].values.tolist() == [3 * step for step in STEPS]
    assert dataset["step"].values.tolist() == STEPS


def test_a_result_grows_while_it_is_open(tmp_path: Path) -> None:
    """Frames that a run adds appear with its next checkpoint; what was read before the end stays right after the parts are gone."""
    out = tmp_path / "out.h5"
    scene.run(MPI.COMM_SELF, out, 30, finish=False)
    result = pardem.open(out)
    first = result[0]
    assert not result.finished
    assert len(result) == 4
    scene.run(MPI.COMM_SELF, out, 60, resume=True, finish=False)
    assert result.steps.tolist() == [0, 10, 20, 30, 40, 50, 60]
    assert len(result.observables) == 7
    scene.run(MPI.COMM_SELF, out, 90, resume=True)
    assert result.finished
    assert not out.with_name("out.h5.parts").exists()
    assert np.array_equal(first.position, scene.fields(0)["position"])
    assert np.array_equal(result[-1].velocity, scene.fields(90)["velocity"])


def test_a_result_is_read_while_another_process_writes_it(tmp_path: Path, start_mpi: Any) -> None:
    out = tmp_path / "out.h5"
    writer = start_mpi(1, Path(scene.__file__), out, 300, "--pause", 0.02)
    while not out.exists():
        assert writer.poll() is None
    result, seen = pardem.open(out), 0
    while writer.poll() is None:
        for frame in result[seen:]:
            assert np.array_equal(frame.position, scene.fields(frame.step)["position"])
            seen += 1
        time.sleep(0.02)
    assert writer.wait() == 0
    assert result.steps.tolist() == list(range(0, 301, 10))
    assert seen > 10  # it grew before the end


@pytest.mark.mpi
def test_every_rank_reads_for_itself(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    out = mpi_tmp_path / "out.h5"
    scene.run(comm, out, 50)
    result = pardem.open(out)
    for k in range(comm.rank, len(result), comm.size):
        assert np.array_equal(result[k].position, scene.fields(STEPS[k])["position"])


# -- a real run ---------------------------------------------------------------------------------------------------------------------------


def test_what_frames_hold_agrees_with_the_observables(real: pardem.Result) -> None:
    """Kinetic energy from masses and velocities, mean angle from the axes, fill of the tube from positions."""
    frame = real[-1]
    row = real.observables.loc[frame.time]
    kinetic = 0.5 * float(frame.mass @ (frame.velocity**2).sum(axis=1))
    assert kinetic == pytest.approx(row["energy/kinetic_translational"], rel=1e-12)
    units = real.observables.attrs["units"]
    assert (units["energy/kinetic_translational"], units["wall_force/base[z]"], units["mean_angle"], units["taps"]) == ("J", "N", "degrees", "1")
    assert real.dataset["stress"].attrs["units"] == "Pa"
    assert real.dataset["wall_force/base"].dims == ("time", "axis")
    lengthwise = frame.axes[:, 2]  # rods lie along their third axis
    angle = np.degrees(np.arcsin(np.abs(lengthwise[:, 2]))).mean()
    assert angle == pytest.approx(row["mean_angle"], rel=1e-12)
    assert np.allclose(frame.axes @ frame.axes.transpose(0, 2, 1), np.eye(3), atol=1e-12)
    assert np.allclose(np.linalg.det(frame.axes), 1.0, rtol=1e-12)


def test_grains_have_names_radii_and_masses(real: pardem.Result) -> None:
    assert set(real.species) == {"rod"}
    (species,) = real.case.species
    assert np.array_equal(real.radius, np.full(80, species.shape.radius if hasattr(species.shape, "radius") else real.catalogue["radius"][0]))
    volume = 4.0 / 3.0 * np.pi * real.radius**3 + np.pi * real.radius**2 * 2.0 * np.abs(real.catalogue["vertices"]).max()
    assert real.mass == pytest.approx(species.density * volume, rel=1e-12)
    table = real[0].table()
    assert table["position_z"].tolist() == real[0].position[:, 2].tolist()
    assert {"id", "species", "radius", "mass", "orientation_w", "velocity_x"} <= set(table.columns)


def test_a_mesh_has_the_volume_of_the_grains(real: pardem.Result) -> None:
    pytest.importorskip("pyvista")
    frame = real[-1]
    mesh = frame.mesh(smoothness=30)
    assert mesh.volume == pytest.approx(float(real.catalogue["volume"][real.species_rows].sum()), rel=0.02)
    assert np.array_equal(np.unique(mesh["id"]), real.ids)


def test_walls_are_where_the_run_moved_them(real: pardem.Result) -> None:
    frame = real[-1]
    assert set(frame.walls("displacement")) == {"base", "tube"}
    assert frame.walls("displacement")["base"][2] == real.observables["wall_displacement/base[z]"][frame.time]


# -- mistakes -----------------------------------------------------------------------------------------------------------------------------


def test_unknown_names_say_what_there_is(written: Path) -> None:
    result = pardem.open(written)
    with pytest.raises(AttributeError, match=r"no field 'force': it has image, orientation, position, velocity; put the field into output\.fields"):
        _ = result[0].force
    with pytest.raises(KeyError, match="no field 'force'"):
        result.read("force")
    with pytest.raises(IndexError, match="has 6 frames; there is no frame 6"):
        result[6]
    with pytest.raises(IndexError, match="there is no frame -7"):
        result.read("position", -7)


def test_names_can_be_asked_for(written: Path) -> None:
    frame = pardem.open(written)[0]
    assert [name for name in ("position", "mass", "force", "stress", 0) if name in frame] == ["position", "mass"]
    assert [name for name in ("bodies", "overlap", "couple") if name in frame.contacts] == ["bodies", "overlap"]
    for arrays in (frame, frame.contacts):
        with pytest.raises(TypeError, match="not iterable"):
            list(arrays)


def test_files_that_are_no_results_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        pardem.open(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("no numbers")
    with pytest.raises(FileError, match="is not an HDF5 file"):
        pardem.open(tmp_path / "text.h5")
    scene.run(MPI.COMM_SELF, tmp_path / "out.h5", 30, finish=False)
    (checkpoint,) = sorted((tmp_path / "out.h5.parts").glob("checkpoint-*"))[-1:]
    with pytest.raises(FileError, match="is a checkpoint, which holds a state and no frames"):
        pardem.open(checkpoint)


@pytest.mark.parametrize(
    ("where", "value", "name", "said"),
    [
        ("checkpoint_step", b"text", "checkpoint_step", "it holds what pardem does not write"),
        ("checkpoint_step", np.nan, "checkpoint_step", "it holds what pardem does not write"),
        ("particles/grains/species", -5, "radius", "particles/grains/species names species that it does not have"),
        ("particles/grains/species", -1, "species_rows", "particles/grains/species names species that it does not have"),
        ("particles/grains/species", 7, "species_rows", "particles/grains/species names species that it does not have"),
    ],
)
def test_what_is_damaged_is_said_when_it_is_asked_for(tmp_path: Path, where: str, value: Any, name: str, said: str) -> None:
    out = tmp_path / "out.h5"
    scene.run(MPI.COMM_SELF, out, STEPS[-1])
    with h5py.File(out, "r+") as file:
        if "/" in where:
            file[where][...] = value
        else:
            file.attrs[where] = value
    with pardem.open(out) as result, pytest.raises(FileError, match=said):
        getattr(result, name)
