"""Results: the same data for every number of ranks, complete after resuming, readable at every stage."""

from __future__ import annotations

from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.results.assemble import assemble
from pardem.io.results.output_path import prepare_output
from pardem.io.results.paths import parts_of
from pardem.io.state import row_writer
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF


def check(path: Path, steps: list[int], kind: type = np.float64) -> None:
    """The file holds the frames and observables of the steps."""
    with h5py.File(path) as file:
        particles = file["particles/grains"]
        for name in scene.fields(0):
            element = particles[name]
            assert element["step"][:].tolist() == steps
            assert element["time"][:].tolist() == [0.1 * s for s in steps]
            expected = np.array([scene.fields(s)[name] for s in steps])
            assert np.array_equal(element["value"][:], expected.astype(kind) if expected.dtype == float else expected)
        contacts, first = file["contacts"], file["contacts/first"][:]
        assert contacts["step"][:].tolist() == steps
        assert contacts["known"][:].tolist() == [1] * len(steps)
        for t, step in enumerate(steps):
            for name, values in scene.touching(step).items():
                rows = contacts[name][first[t] : first[t + 1]]
                assert np.array_equal(rows, values.astype(kind) if values.dtype == float else values)
        assert particles["id"][:].tolist() == list(range(scene.COUNT))
        assert np.array_equal(particles["mass"][:], scene.CATALOGUE["mass"][particles["species"][:]] * particles["scale"][:] ** 3)
        assert np.array_equal(particles["box/edges/value"][:], [[1.0, 1.0, 2.0]] * len(steps))
        assert file["observables/energy/kinetic/value"][:].tolist() == [1.0 / (s + 1) for s in steps]
        assert file["observables/contacts/value"][:].tolist() == [3 * s for s in steps]
        assert file["observables/layers/step"][:].tolist() == steps
        for row, step in zip(file["observables/layers/value"][:], steps, strict=True):
            layers = scene.observables(step)["layers"]
            assert np.array_equal(row[: len(layers)], layers)
            assert np.isnan(row[len(layers) :]).all()


def datasets(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}

    def visit(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset) and "provenance" not in name:
            found[name] = np.asarray(item[()]).tobytes()

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


@pytest.mark.mpi(min_size=2)
def test_data_sets_are_the_same_for_every_number_of_ranks_and_where_hdf5_is_serial(mpi_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comm = MPI.COMM_WORLD
    scene.run(comm, mpi_tmp_path / "together.h5", 70)
    monkeypatch.setattr(row_writer, "parallel_hdf5", lambda: False)
    serial = scene.run(comm, mpi_tmp_path / "serial.h5", 70)
    monkeypatch.undo()
    if comm.rank > 0:
        return
    assert "h5py is serial: rank 0 gathers and writes all output" in " ".join(serial.notices)
    scene.run(SELF, mpi_tmp_path / "alone.h5", 70)
    check(mpi_tmp_path / "alone.h5", list(range(0, 80, 10)))
    expected = datasets(mpi_tmp_path / "alone.h5")
    assert len(expected) > 40
    for name in ("together.h5", "serial.h5"):
        found = datasets(mpi_tmp_path / name)
        # names of data sets with several hard links depend on nothing, so the whole dictionaries must agree, except their case text's addresses
        assert found.keys() == expected.keys()
        assert [k for k in found if found[k] != expected[k] and h5py_fixed(mpi_tmp_path / name, k)] == []
        assert compare(mpi_tmp_path / "alone.h5", mpi_tmp_path / name) is None
    assert not list(mpi_tmp_path.glob("*.parts"))


def h5py_fixed(path: Path, name: str) -> bool:
    """Whether the bytes of a data set are its value (not addresses of strings)."""
    with h5py.File(path) as file:
        return bool(file[name].dtype.kind != "O")


@pytest.mark.mpi
def test_an_unfinished_result_is_an_index_and_going_on_completes_it(mpi_tmp_path: Path) -> None:
    comm, out = MPI.COMM_WORLD, mpi_tmp_path / "out.h5"
    scene.run(comm, out, 60, finish=False)
    if comm.rank == 0:
        check(out, list(range(0, 70, 10)))
        assert info(out)["finished"] is False
        assert info(out)["checkpoint_step"] == 60
    comm.Barrier()
    assert scene.run(comm, out, 100, resume=True).seconds > 0.0
    if comm.rank == 0:
        check(out, list(range(0, 110, 10)))
        found = info(out)
        assert found["finished"]
        assert [entry["from_step"] for entry in found["provenance"]] == [0, 60]
        assert [entry["to_step"] for entry in found["provenance"]] == [60, 100]
    comm.Barrier()


def test_rows_later_than_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 80, finish=False)
    check(out, list(range(0, 90, 10)))
    parts = parts_of(out)
    (parts / "checkpoint-000000000060.h5").write_text("damaged")
    assert assemble(out) == []
    prepare_output(SELF, out, resume=True, force=False, fresh=False)
    results = scene.writer(SELF, out, 30)
    check(out, [0, 10, 20, 30])
    assert not (parts / "checkpoint-000000000060.h5").exists()
    results.frame(30, 3.0, scene.owned(SELF, 30), {"position": np.zeros((scene.COUNT, 3))})  # written before: left out
    results.close()
    check(out, [0, 10, 20, 30])
    scene.run(SELF, out, 70, resume=True)
    check(out, list(range(0, 80, 10)))


def test_a_finished_run_can_be_prolonged(tmp_path: Path) -> None:
    out, straight = tmp_path / "out.h5", tmp_path / "straight.h5"
    scene.run(SELF, out, 40)
    scene.run(SELF, out, 90, resume=True, finish=False)
    check(out, list(range(0, 100, 10)))
    scene.run(SELF, out, 100, resume=True)
    scene.run(SELF, straight, 100)
    check(out, list(range(0, 110, 10)))
    assert compare(out, straight) is None
    assert not parts_of(out).exists()


def test_single_precision(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 30, precision="single")
    check(out, [0, 10, 20, 30], np.float32)
    with h5py.File(out) as file:
        assert file["particles/grains/image/value"].dtype == np.int32
        assert file["pardem/final/grains/x"].dtype == np.float64
    assert info(out)["frames"]["precision"] == "single"


def test_a_result_can_be_read_from_any_folder_and_a_percent_sign_is_no_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "5%d rods"
    folder.mkdir()
    monkeypatch.chdir(folder)
    scene.run(SELF, Path("a%b.h5"), 40, finish=False)
    monkeypatch.chdir(tmp_path)
    check(folder / "a%b.h5", [0, 10, 20, 30, 40])
    folder.rename(tmp_path / "moved")
    check(tmp_path / "moved" / "a%b.h5", [0, 10, 20, 30, 40])
    (tmp_path / "moved" / "a%b.h5").rename(tmp_path / "alone.h5")
    with pytest.raises(FileError, match=r"is an index, and a%b.h5.parts/.* is missing"):
        info(tmp_path / "alone.h5")


def test_what_is_written_in_part_of_a_run_only_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    everything = {"position": np.ones((scene.COUNT, 3)), "force": np.full((scene.COUNT, 3), 2.0)}
    results = scene.writer(SELF, out)
    results.frame(0, 0.0, np.arange(scene.COUNT), {"position": everything["position"]})
    results.observables(0, 0.0, {"old": 1, "both": 1})
    with pytest.raises(ValueError, match=r"\['new'\] come and go"):
        results.observables(5, 0.5, {"old": 1, "both": 1, "new": 3.0})
    results.checkpoint(scene.state(SELF, 0))
    results.frame(10, 1.0, np.arange(scene.COUNT), everything)
    results.observables(10, 1.0, {"both": 2, "new": 3.0})
    results.checkpoint(scene.state(SELF, 10))
    for end in (results.close, lambda: results.finish(scene.state(SELF, 10))):
        end()
        with h5py.File(out) as file:
            assert np.isnan(file["particles/grains/force/value"][0]).all()
            assert (file["particles/grains/force/value"][1] == 2.0).all()
            rows = {name: file[f"observables/{name}/value"][:] for name in ("old", "both", "new")}
            assert np.array_equal(rows["old"], [1.0, np.nan], equal_nan=True)
            assert np.array_equal(rows["new"], [np.nan, 3.0], equal_nan=True)
            assert rows["both"].tolist() == [1, 2]


def test_a_run_without_frames_or_observables(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.writer(SELF, out).finish(scene.state(SELF, 0))
    assert "frames" not in info(out)
    assert compare(out, out) is None


def test_the_case_and_the_catalogue_are_in_the_file(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 10, command="pardem run")
    with h5py.File(out) as file:
        assert file["h5md"].attrs["version"].tolist() == [1, 1]
        assert file["parameters/pardem/case"].asstr()[()] == 'title = "µ"\n'
        for name, values in scene.CATALOGUE.items():
            assert np.array_equal(file[f"parameters/pardem/catalogue/{name}"][()], values)
        assert "unit" not in file["particles/grains/position"].attrs
        assert [b.decode() if isinstance(b, bytes) else b for b in file["particles/grains/box"].attrs["boundary"]] == ["periodic", "periodic", "none"]
    entry = info(out)["provenance"][0]
    assert {"ranks", "host", "started", "ended", "versions", "command"} <= set(entry)


@pytest.mark.parametrize("name", ["a/b/c", "/a", ""])
def test_observables_have_at_most_one_slash(tmp_path: Path, name: str) -> None:
    results = scene.writer(SELF, tmp_path / "out.h5")
    with pytest.raises(ValueError, match="at most one slash"):
        results.observables(0, 0.0, {name: 1.0})
