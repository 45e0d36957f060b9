"""The command line: arguments, exit statuses, errors on one rank and on all."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from case_scene import scene

from pardem import cli
from pardem.case import Case
from pardem.errors import FileError
from pardem.run_options import RunOptions


@pytest.fixture
def case_file(tmp_path: Path) -> Path:
    path = tmp_path / "case.toml"
    path.write_text(Case(**scene()).to_toml())
    return path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Calls of a stand-in for the simulation, which reports an unfinished run when it has a time limit."""
    seen: list[dict[str, Any]] = []

    def run_case(case: Case, *, options: RunOptions, **more: Any) -> types.SimpleNamespace:
        seen.append({"case": case, **vars(options), **more})
        return types.SimpleNamespace(finished=options.walltime is None, losses="")

    module = types.ModuleType("pardem.run")
    module.run_case = run_case  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pardem.run", module)
    return seen


def test_run(case_file: Path, calls: list[dict[str, Any]]) -> None:
    assert cli.main(["run", str(case_file), "--set", "stage.shake.taps=9", "--resume"]) == 0
    assert calls[0]["case"].stage[1].taps == 9
    assert (calls[0]["out"], calls[0]["resume"], calls[0]["force"], calls[0]["walltime"]) == (Path("case.h5"), True, False, None)
    assert calls[0]["comm"].size == 1


def test_run_stopped_by_the_clock(case_file: Path, calls: list[dict[str, Any]]) -> None:
    assert cli.main(["run", str(case_file), "--walltime", "1-02:03:04", "-o", "x.h5"]) == 75
    assert (calls[0]["walltime"], calls[0]["out"]) == (((24 + 2) * 60 + 3) * 60 + 4, Path("x.h5"))


def test_output_file_of_the_case(case_file: Path, calls: list[dict[str, Any]]) -> None:
    assert cli.main(["run", str(case_file), "--set", "output.file=results/y.h5"]) == 0
    assert calls[0]["out"] == Path("results/y.h5")


def test_an_error_is_one_sentence(case_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("pardem.run")

    def run_case(case: Case, **options: Any) -> None:
        raise FileError("x.h5 exists: give --force to replace it or --resume to go on")

    module.run_case = run_case  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pardem.run", module)
    assert cli.main(["run", str(case_file)]) == 1
    assert capsys.readouterr().err == "pardem: error: x.h5 exists: give --force to replace it or --resume to go on\n"


def test_bad_case_is_reported(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "check"):
        assert cli.main([command, str(case_file), "--set", "contact.frction=1.0"]) == 1
        assert f"pardem: error: {case_file}: unknown key contact.frction; did you mean 'friction'?\n" == capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "x.toml", "--walltime", "90"], "'90' must read HH:MM:SS"),
        (["run", "x.toml", "--resume", "--force"], "not allowed with"),
        (["bench", "spheres", "--grains", "-3"], "must be a whole number of at least 1"),
        (["render", "x.h5", "--size", "3"], "must read WIDTHxHEIGHT"),
        ([], "COMMAND"),
        (["frob"], "frob"),
    ],
)
def test_wrong_usage(arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert expected in capsys.readouterr().err


def test_check(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(case_file), "--ranks", "2"]) == 0
    out = capsys.readouterr().out
    assert f"{case_file}: valid" in out
    assert re.search(r"grains +6\nsteps +at most 20000\nmemory +about 520 MB", out)
    assert "particle steps per second and core" in out


def test_check_refuses_a_grid_that_does_not_fit_the_ranks(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = ["--set", "parallel.grid=[2, 0, 2]"]
    assert cli.main(["check", str(case_file), *grid, "--ranks", "6"]) == 1
    expected = f"{case_file}: parallel.grid = [2, 0, 2] does not fit the number of ranks, 6: give three numbers whose product is 6"
    assert expected in capsys.readouterr().err
    assert cli.main(["check", str(case_file), *grid, "--ranks", "8"]) == 0
    assert "8 ranks share 6 grains: some of them have nothing to do" in capsys.readouterr().out
    assert cli.main(["check", str(case_file), *grid]) == 0  # assumes the least number of ranks that the grid fits
    assert "on 4 ranks" in capsys.readouterr().out


def test_check_prints_the_effective_case(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(case_file), "--effective", "--set", "seed=9"]) == 0
    assert capsys.readouterr().out == Case(**scene(), seed=9).to_toml()


def test_check_rejects_too_long_a_step(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(case_file), "--set", "time.step=2e-4"]) == 1
    assert f"{case_file}: time.step = 0.0002 s is too long" in capsys.readouterr().err


def test_check_warns_of_a_long_step(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(case_file), "--set", "time.step=6e-5"]) == 0
    assert "warning    time.step = 6e-05 s is long" in capsys.readouterr().out


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "check", "schema", "info", "compare", "plot", "render", "export", "bench", "warmup"):
        with pytest.raises(SystemExit) as caught:
            cli.main([command, "--help"])
        assert caught.value.code == 0
        assert f"pardem {command}" in capsys.readouterr().out


SCRIPT = """
import sys, time
from mpi4py import MPI
from pardem import guard
from pardem.errors import BlowUpError
def work(comm):
    if {condition}:
        raise {error}
    comm.Barrier()
    comm.recv(source=(comm.rank + 1) % comm.size)
sys.exit(guard.on_all_ranks(work))
"""


@pytest.mark.parametrize(
    ("condition", "error", "expected"),
    [
        ("True", 'BlowUpError("grain 7 left the domain")', "pardem: error: grain 7 left the domain"),
        ("comm.rank == 1", 'BlowUpError("grain 7 left the domain")', "pardem: error: [rank 1 of 3] grain 7 left the domain"),
        ("comm.rank == 2", 'ZeroDivisionError("went wrong")', "[rank 2 of 3] ZeroDivisionError: went wrong"),
    ],
)
def test_error_on_ranks(run_mpi: Any, condition: str, error: str, expected: str) -> None:
    done = run_mpi(3, "-c", SCRIPT.format(condition=condition, error=error), timeout=300, check=False)
    assert done.returncode != 0
    assert done.stderr.count(expected) == 1
    assert (done.stderr + done.stdout).count(error.split('"')[1]) == 1
