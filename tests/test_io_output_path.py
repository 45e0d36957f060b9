"""What exists is never lost unasked."""

from __future__ import annotations

import os
from pathlib import Path

import io_scene as scene
import pytest
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.results.output_path import prepare_output
from pardem.io.results.paths import parts_of
from pardem.io.views.info import info

SELF = MPI.COMM_SELF


@pytest.mark.mpi
def test_existing_output_needs_a_word(mpi_tmp_path: Path) -> None:
    comm, out = MPI.COMM_WORLD, mpi_tmp_path / "out.h5"
    scene.run(comm, out, 40, finish=False)
    for _ in range(2):
        with pytest.raises(FileError, match=r"already exists; go on with it by --resume, or replace it by --force"):
            prepare_output(comm, out, resume=False, force=False, fresh=True)
        comm.Barrier()
        if comm.rank == 0:
            out.unlink(missing_ok=True)  # the parts alone are output too
        comm.Barrier()
    assert prepare_output(comm, out, resume=False, force=True, fresh=True) == ""
    comm.Barrier()
    assert not out.exists()
    assert not parts_of(out).exists()


def test_starting_anew_renames(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    for number in (1, 2):
        scene.run(SELF, out, 20, finish=False)  # no checkpoint yet
        notice = prepare_output(SELF, out, resume=True, force=False, fresh=True)
        old = tmp_path / f"out.old{number}.h5"
        assert str(old) in notice
        assert not out.exists()
        assert not parts_of(out).exists()
        assert info(old)["frames"]["count"] == 3
    out.write_text("not a result")
    assert "out.old3.h5" in prepare_output(SELF, out, resume=True, force=False, fresh=True)
    assert (tmp_path / "out.old3.h5").read_text() == "not a result"


def test_force_replaces_results_alone(tmp_path: Path) -> None:
    case, empty, damaged = tmp_path / "tube.toml", tmp_path / "empty.h5", tmp_path / "damaged.h5"
    case.write_text("title = 'no result'")
    with pytest.raises(FileError, match=r"tube.toml is no result of a run, which --force may replace, but another kind of file: remove it, or name"):
        prepare_output(SELF, case, resume=False, force=True, fresh=True)
    assert case.read_text() == "title = 'no result'"
    empty.touch()
    scene.run(SELF, damaged, 20, finish=False)
    damaged.write_bytes(b"scratched")  # its parts tell that it was one
    for out in (empty, damaged):
        assert prepare_output(SELF, out, resume=False, force=True, fresh=True) == ""
        assert not out.exists()
        assert not parts_of(out).exists()


def test_nothing_there_is_fine(tmp_path: Path) -> None:
    for resume in (False, True):
        assert prepare_output(SELF, tmp_path / "out.h5", resume=resume, force=False, fresh=True) == ""


def test_a_folder_that_is_missing_or_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is no folder: make it"):
        prepare_output(SELF, tmp_path / "none" / "out.h5", resume=False, force=False, fresh=True)
    with pytest.raises(FileError, match="is a folder; name a file"):
        prepare_output(SELF, tmp_path, resume=False, force=True, fresh=True)
    pipe = tmp_path / "pipe.h5"
    os.mkfifo(pipe)
    for resume, force in ((False, False), (False, True), (True, False)):  # as root, /dev/null would go
        with pytest.raises(FileError, match=r"pipe.h5 is a device or a pipe, not a file; name a file with -o"):
            prepare_output(SELF, pipe, resume=resume, force=force, fresh=True)
    assert pipe.is_fifo()
