"""Two runs never write to one output at once, and a killed run leaves nothing that is in the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mpi4py import MPI
from run_scene import case_file, kill_all, settings, until

from pardem import cli
from pardem.errors import FileError
from pardem.io.results.output_lock import lock_of, reserved

SELF = MPI.COMM_SELF


def test_a_second_run_is_refused_while_the_first_goes_on(tmp_path: Path, start_mpi: Callable, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.h5"
    run = ["run", str(case_file(tmp_path)), "-o", str(out), *settings(stage__shake__taps=9000)]
    process = start_mpi(2, "-m", "pardem", *run)
    until(lambda: list(tmp_path.glob("out.h5.parts/checkpoint-*.h5")), process)
    holder = lock_of(out).read_text()
    for option in ([], ["--resume"], ["--force"]):
        assert cli.main([*run, *option]) == 1
        assert capsys.readouterr().err == (
            f"pardem: error: {out} is being written by a run that is still going ({holder}): "
            "wait for its end or stop it, or name another file with -o\n"
        )
    assert process.poll() is None
    assert list(tmp_path.glob("out.h5.parts/checkpoint-*.h5"))  # --force has removed nothing
    kill_all(process)
    assert lock_of(out).exists()
    assert cli.main([*run, "--resume", "--walltime", "00:00:00"]) == 75
    assert "resumed at step" in capsys.readouterr().err
    assert not lock_of(out).exists()


def test_the_lock_goes_with_its_run(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    lock_of(out).write_text("process 1 on a machine that was switched off")
    with reserved(SELF, out):
        with pytest.raises(FileError, match=f"process {os.getpid()} on "), reserved(SELF, out):
            pass
        with reserved(SELF, tmp_path / "other.h5"):
            pass
    with pytest.raises(ZeroDivisionError), reserved(SELF, out):
        raise ZeroDivisionError
    with reserved(SELF, out):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.mpi
def test_refused_on_every_rank(mpi_tmp_path: Path) -> None:
    comm, out = MPI.COMM_WORLD, mpi_tmp_path / "out.h5"
    with reserved(comm, out):
        with pytest.raises(FileError, match="is being written by a run that is still going"), reserved(comm, out):
            pass
        comm.Barrier()
    comm.Barrier()
    with reserved(comm, out):
        pass
