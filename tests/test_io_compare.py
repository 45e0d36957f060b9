"""compare and info: equality to the bit, and the first difference."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem.cli import main
from pardem.errors import FileError
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("compare") / "a.h5"
    scene.run(SELF, out, 50)
    return out


def put(name: str, index: Any, value: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file[name][index] = value

    return change


def header(file: h5py.File) -> None:
    text = json.loads(bytes(file["pardem/final/header"][()]))
    text["totals"][0] += 1
    del file["pardem/final/header"]
    file["pardem/final/header"] = np.bytes_(json.dumps(text))


GRAINS = "particles/grains"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (put(f"{GRAINS}/velocity/value", (3, 7, 1), np.nan), f"{GRAINS}/velocity/value, step 30, id 7, component 1"),
        (put(f"{GRAINS}/image/value", (0, 52, 2), 9), f"{GRAINS}/image/value, step 0, id 52, component 2"),
        (put(f"{GRAINS}/position/time", 2, 2.5), f"{GRAINS}/image/time, row 0"),
        (put(f"{GRAINS}/position/step", 2, 21), f"{GRAINS}/image, row 2"),
        (put(f"{GRAINS}/species", 5, 0), f"{GRAINS}/species, row 5"),
        (put("observables/energy/kinetic/value", 4, -1.0), "observables/energy/kinetic/value, step 40"),
        (put("pardem/final/grains/ft", (11, 3), 1), "grains/ft, full state, id 11, component 3"),
        (put("pardem/final/contacts/higher", 6, -2), "contacts/higher, full state, row 6"),
        (put("pardem/final/small/motion", (1, 2), -0.0), "small/motion, full state, row 1, component 2"),
        (header, "full state, header, totals"),
    ],
)
def test_the_first_difference_is_found(result: Path, tmp_path: Path, change: Callable[[h5py.File], None], where: str) -> None:
    other = tmp_path / "b.h5"
    shutil.copy(result, other)
    assert compare(result, other) is None
    with h5py.File(other, "r+") as file:
        change(file)
    for pair in ((result, other), (other, result)):
        difference = compare(*pair)
        assert difference is not None
        assert difference.where == where
    # a difference at a later step or in the final state does not hide it
    with h5py.File(other, "r+") as file:
        file[f"{GRAINS}/orientation/value"][5, 0, 0] = 7.0
        file["pardem/final/grains/x"][0, 0] = 7.0
    if "full state" not in where:
        assert str(compare(result, other)).startswith(where)


def test_values_are_shown_exactly_and_the_exit_status_tells(result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "b.h5"
    shutil.copy(result, other)
    assert main(["compare", str(result), str(other)]) == 0
    assert "equal bit for bit" in capsys.readouterr().out
    with h5py.File(other, "r+") as file:
        one = file[f"{GRAINS}/velocity/value"][2, 4, 0]
        file[f"{GRAINS}/velocity/value"][2, 4, 0] = two = np.nextafter(one, 9.0)
    assert main(["compare", str(result), str(other)]) == 1
    out = capsys.readouterr().out
    assert "velocity/value, step 20, id 4, component 0" in out
    assert float(one).hex() in out
    assert float(two).hex() in out


def test_not_a_number_equals_itself_bit_for_bit_only(result: Path, tmp_path: Path) -> None:
    pair = [tmp_path / "a.h5", tmp_path / "b.h5"]
    for path in pair:
        shutil.copy(result, path)
        with h5py.File(path, "r+") as file:
            file[f"{GRAINS}/position/value"][1, 1, 1] = np.nan
    assert compare(*pair) is None
    with h5py.File(pair[1], "r+") as file:
        file[f"{GRAINS}/position/value"][1, 1, 1] = -np.float64(np.nan)
    difference = compare(*pair)
    assert difference is not None
    assert "bits 7ff8000000000000" in difference.first
    assert "bits fff8000000000000" in difference.second


def test_runs_of_different_length_precision_or_state(result: Path, tmp_path: Path) -> None:
    for name, last, options in (("long", 60, {}), ("single", 50, {"precision": "single"}), ("index", 50, {"finish": False})):
        scene.run(SELF, tmp_path / f"{name}.h5", last, **options)
    assert "number of rows: 6 in the first file, 7 in the second" in str(compare(result, tmp_path / "long.h5"))
    assert "type: float64 in the first file, float32 in the second" in str(compare(result, tmp_path / "single.h5"))
    assert "final state: present in the first file, absent in the second" in str(compare(result, tmp_path / "index.h5"))


def test_a_result_against_a_checkpoint(result: Path, tmp_path: Path) -> None:
    from pardem.io.state.checkpoint import write_checkpoint

    assert compare(result, write_checkpoint(SELF, tmp_path, scene.state(SELF, 50))) is None
    assert "header, step" in str(compare(result, write_checkpoint(SELF, tmp_path, scene.state(SELF, 60))))


def test_info_of_results_and_checkpoints(result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene.run(SELF, tmp_path / "b.h5", 40, finish=False)
    checkpoint = tmp_path / "b.h5.parts" / "checkpoint-000000000030.h5"
    found = info(result)
    assert found["grains"] == scene.COUNT
    assert found["species"] == [27, 26]
    assert found["frames"]["steps"] == [0, 50]
    assert found["observables"]["count"] == 6
    assert found["state"]["contacts"] == len(scene.contacts(50)[0])
    assert info(checkpoint)["state"]["step"] == 30
    assert info(checkpoint)["grains"] == scene.COUNT
    for path in (result, tmp_path / "b.h5", checkpoint):
        assert main(["info", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(info(path)))
        assert main(["info", str(path)]) == 0
        assert "hash c0ffee" in capsys.readouterr().out


def test_files_that_cannot_be_read_are_sentences(result: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.h5"
    short.write_bytes(result.read_bytes()[:20000])
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["x"] = 1
    shutil.copy(result, tmp_path / "later.h5")
    with h5py.File(tmp_path / "later.h5", "r+") as file:
        file.attrs["pardem_format"] = 99
    for name, words in (
        ("none.h5", "does not exist"), ("short.h5", "is truncated"), ("foreign.h5", "pardem did not write"), ("later.h5", "has format 99"),
        (".", "is a folder"),
    ):  # fmt: skip
        for look in (info, lambda p: compare(result, p)):
            with pytest.raises(FileError, match=words):
                look(tmp_path / name)
