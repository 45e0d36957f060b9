"""Small arrays by the calls of the library itself: files hold the same as if h5py had written them, and read alike."""

from __future__ import annotations

from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.arrays import addresses, array_at, make, name_again, plan_of_array, put
from pardem.io.layout import element_names, observed
from pardem.io.reading import opened

ARRAYS = {
    "a/whole": np.arange(5), "a/b/real": np.linspace(0.0, 1.0, 6).reshape(2, 3), "a/none": np.zeros((0, 3)), "yes": np.array([True, False]),
    "one": np.float32(0.1), "a/turned": np.arange(6.0).reshape(2, 3).T,
}  # fmt: skip


def test_what_is_written_is_stored_as_h5py_stores_it(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "h5py.h5", "w") as usual, h5py.File(tmp_path / "own.h5", "w") as file:
        for name, values in ARRAYS.items():
            usual[name] = values
            put(file, name, values)
            found, expected = file[name], usual[name]
            assert np.array_equal(found[()], values)
            assert found.id.get_type() == expected.id.get_type()
            assert found.maxshape == expected.maxshape
            assert found.id.get_create_plist() == expected.id.get_create_plist()
        assert sorted(addresses(file)) == sorted(addresses(usual))


def test_what_is_read_is_what_h5py_reads(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name, values in ARRAYS.items():
            file[name] = values
        for name in ARRAYS:
            found, expected = array_at(file, name), file[name]
            assert (found.shape, found.ndim, found.size, found.dtype) == (expected.shape, expected.ndim, expected.size, expected.dtype)
            assert np.array_equal(found.read(), expected[()])
        for name in ("a", "missing"):
            with pytest.raises(KeyError):
                array_at(file, name)


def test_rows_are_written_and_read_where_they_belong(tmp_path: Path) -> None:
    plan = plan_of_array()
    plan.set_chunk((1, 4, 3))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        make(file, "frames/value", ((0, 4, 3), (None, 4, 3)), np.dtype(float), plan)
        data, expected = array_at(file, "frames/value"), np.zeros((3, 4, 3))
        for frame, values in enumerate(np.random.default_rng(1).random((3, 2, 3))):
            data.lengthen(frame + 1)
            data.write((frame, frame), values[: 4 - frame])
            expected[frame, frame : frame + 2] = values[: 4 - frame]
        data.write((1,), np.full((4, 3), 7.0))
        expected[1] = 7.0
        assert np.array_equal(file["frames/value"][()], expected)
        assert np.array_equal(data.rows(1, 3, (2,)), expected[2, 1:3])
        assert np.array_equal(data.rows(0, 2), expected[:2])


def test_names_of_one_array_have_one_address(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        name_again(file, "b/step", put(file, "a/step", np.arange(3)))
        put(file, "b/value", np.zeros(3))
        file["c"] = h5py.SoftLink("/nowhere")
        found = addresses(file)
        assert list(found) == ["a", "a/step", "b", "b/step", "b/value", "c"]
        assert found["a/step"] == found["b/step"] != found["b/value"]
        assert found["c"] < 0
        assert file["a/step"] == file["b/step"]
        assert element_names(file, "/") == ["b"]


def test_one_observable_is_read_without_the_others(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(MPI.COMM_SELF, out, 30)
    with opened(out) as file:
        every, one = observed(file), observed(file, only="energy/kinetic")
        assert every is not None
        assert one is not None
        assert list(one[2]) == ["energy/kinetic"]
        assert all(np.array_equal(a, b) for a, b in zip([*one[:2], one[2]["energy/kinetic"]], [*every[:2], every[2]["energy/kinetic"]], strict=True))
        assert observed(file, only="energy") is None


def test_a_file_of_this_process_is_checked_once_another_has_written_to_it(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(MPI.COMM_SELF, out, 30)
    with opened(out):
        pass
    with h5py.File(out, "r+") as file:
        del file["observables/contacts/value"]
        file["observables/contacts/value"] = np.arange(7)
    with pytest.raises(FileError, match=r"is damaged: observables/contacts has 7 rows"), opened(out):
        pass
