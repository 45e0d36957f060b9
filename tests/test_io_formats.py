"""Files of other formats: those of format 1 are read and gone on with, later ones refused."""

from __future__ import annotations

from pathlib import Path

import h5py
import io_scene as scene
import pytest
from damage import as_format_1
from mpi4py import MPI

from pardem import cli
from pardem.errors import FileError
from pardem.io.reading import put_json
from pardem.io.results.paths import parts_of
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF


def test_results_and_checkpoints_of_format_1_are_read_and_gone_on_with(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, old = tmp_path / "whole.h5", tmp_path / "old.h5"
    scene.run(SELF, whole, 100, contacts=False)
    scene.run(SELF, old, 60, contacts=False)
    for path in (old, out, *parts_of(out).glob("*.h5")):
        as_format_1(path)
    assert info(old)["format"] == 1
    assert info(old)["frames"]["count"] == 7
    assert cli.main(["verify", str(old)]) == 0
    assert "format 1: frames and observables have no checksums" in capsys.readouterr().out
    assert info(out)["frames"]["count"] == 7
    for path in (out, old):
        scene.run(SELF, path, 100, resume=True, contacts=False)
        assert compare(path, whole) is None
        assert cli.main(["verify", str(path)]) == 0


def test_an_index_of_format_1_without_its_static_part_is_an_error(out: Path) -> None:
    as_format_1(out)
    (parts_of(out) / "static.h5").unlink()
    with pytest.raises(FileError, match=r"static\.h5 is missing"):
        info(out)


def test_a_later_format_is_refused(out: Path) -> None:
    path = parts_of(out) / "checkpoint-000000000060.h5"
    with h5py.File(path, "r+") as file:
        file.attrs["pardem_format"] = 3
        put_json(file, "provenance", {"versions": {"pardem": "9.0.0", "commit": "0123456789ab"}})
    with pytest.raises(FileError, match=r"has format 3 and this pardem reads formats up to 2: use pardem 9\.0\.0 \(commit 0123456789ab\), which"):
        info(path)
    with h5py.File(path, "r+") as file:
        put_json(file, "provenance", ["another form"])
    with pytest.raises(FileError, match="reads formats up to 2: use the pardem that wrote it, or a later one"):
        info(path)
