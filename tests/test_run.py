"""Whole runs from case files: the same file from any number of ranks, resumed after a kill, stopped by a signal or the walltime; errors."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pytest
from conftest import Ended
from run_scene import SHORT, case_file, settings, until

from pardem import cli
from pardem.io.views.compare import compare


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of the case on one rank, which nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert cli.main(["run", str(case_file(folder)), "-o", str(folder / "whole.h5")]) == 0
    return folder / "whole.h5"


LONGER = settings(stage__shake__taps=2, output__checkpoint_steps=1600)


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of the case with a second tap, which nothing disturbed."""
    folder = tmp_path_factory.mktemp("longer")
    assert cli.main(["run", str(case_file(folder)), *LONGER, "-o", str(folder / "longer.h5")]) == 0
    return folder / "longer.h5"


def started(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """A run in a process of its own, once it has a checkpoint."""
    command = [sys.executable, "-m", "pardem", "run", "case.toml", "-o", "cut.h5", *arguments]
    process = subprocess.Popen(command, text=True, **options)
    until(lambda: list(Path("cut.h5.parts").glob("checkpoint-*.h5")), process)
    return process


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_any_number_of_ranks_writes_the_same_result(folder: Path, whole: Path, pardem: Callable[..., Ended], ranks: int) -> None:
    pardem("run", "case.toml", "-o", "several.h5", ranks=ranks)
    assert compare("several.h5", whole) is None


def test_another_seed_gives_another_result(folder: Path, whole: Path, pardem: Callable[..., Ended]) -> None:
    pardem("run", "case.toml", "-o", "other.h5", *settings(seed=4))
    assert compare("other.h5", whole) is not None


def test_more_ranks_than_grains_write_the_same_result(folder: Path, pardem: Callable[..., Ended]) -> None:
    run = ["run", "case.toml", *SHORT, *settings(insert__0__count=1)]
    assert pardem(*run, "-o", "two.h5", ranks=2).err.count("2 ranks share 1 grain: some of them have nothing to do") == 1
    pardem(*run, "-o", "one.h5")
    assert compare("two.h5", "one.h5") is None


@pytest.mark.slow
def test_a_run_that_goes_on_with_another_grid_writes_the_same_result(folder: Path, whole: Path, pardem: Callable[..., Ended]) -> None:
    """Boxes on four ranks, then slabs across the tube on three, which are thinner than a rod is long; this is said once."""
    run = ["run", "case.toml", "-o", "grids.h5"]
    ended = pardem(*run, "--walltime", "00:00:01", *settings(parallel__grid=[2, 2, 1]), ranks=4, check=False)
    assert ended.status == 75, ended.err
    again = pardem(*run, "--resume", *settings(parallel__grid=[1, 3, 1]), ranks=3).err
    assert "resumed at step" in again
    assert again.count("the grid of 1 x 3 x 1 ranks has boxes") == 1
    assert compare("grids.h5", whole) is None


def test_a_grid_that_does_not_fit_the_number_of_ranks_is_refused_once(folder: Path, pardem: Callable[..., Ended]) -> None:
    ended = pardem("run", "case.toml", *settings(parallel__grid=[2, 2, 1]), ranks=2, check=False)
    assert ended.status == 1
    expected = "parallel.grid = [2, 2, 1] does not fit the number of ranks, 2: give three numbers whose product is 2, with 0 for"
    assert ended.err.count(expected) == 1


def test_the_energy_budget_closes_in_a_shaken_dissipative_bed(folder: Path, pardem: Callable[..., Ended]) -> None:
    """Residual over work done, at two time steps: small, and smaller for the smaller step."""
    residual = []
    for step in ("2e-5", "5e-6"):
        pardem("run", "case.toml", "-o", f"{step}.h5", *settings(time__step=step, output__checkpoint_steps=100_000))
        with h5py.File(f"{step}.h5") as file:
            energy = {k: v["value"][-1] for k, v in file["observables/energy"].items()}
        lost = energy["lost_damping"] + energy["lost_friction"]
        assert energy["lost_damping"] > 0.0
        assert energy["lost_friction"] > 0.0
        residual.append(abs(energy["residual"]) / lost)
    assert residual[0] < 1e-2
    assert residual[1] < 3e-3


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_killed_and_resumed_on_another_number_of_ranks_gives_the_same_bits(
    folder: Path, whole: Path, pardem: Callable[..., Ended], ranks: int
) -> None:
    process = started(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.kill()
    process.wait()
    assert "resumed at step" in pardem("run", "case.toml", "-o", "cut.h5", "--resume", ranks=ranks).err
    assert compare("cut.h5", whole) is None


def test_a_signal_ends_at_a_checkpoint_with_status_75_and_the_rest_follows(folder: Path, longer: Path, pardem: Callable[..., Ended]) -> None:
    process = started(*LONGER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.kill(process.pid, signal.SIGUSR1)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 75, out
    assert "--resume" in out
    assert "resumed at step" in pardem("run", "case.toml", "-o", "cut.h5", "--resume", *LONGER).err
    assert compare("cut.h5", longer) is None


def test_a_signal_after_the_end_of_a_run_does_not_change_its_status(folder: Path) -> None:
    """As it comes when a scheduler signals both mpirun, which passes it on, and the ranks."""
    after = "import os, signal, sys; from pardem.cli import main; s = main(sys.argv[1:]); os.kill(os.getpid(), signal.SIGUSR1); sys.exit(s)"
    run = ["run", "case.toml", "-o", "cut.h5", "--walltime", "00:00:00"]
    assert subprocess.run([sys.executable, "-c", after, *run], capture_output=True, check=False).returncode == 75


@pytest.mark.parametrize("one_file", ["true", "false"])
def test_a_checkpoint_at_the_last_step_takes_no_frame_and_no_row_away(folder: Path, pardem: Callable[..., Ended], one_file: str) -> None:
    """Neither at the end nor when the finished run is resumed, though neither a frame nor a row was due at that step."""
    rare = {"output__frame_steps": 100_003, "output__observable_steps": 100_003, "output__one_file": one_file}
    pardem("run", "case.toml", "-o", "apart.h5", *settings(output__checkpoint_steps=100_003, **rare))
    with h5py.File("apart.h5") as file:
        last = int(file["observables/coordination/step"][-1])
    together = ["run", "case.toml", "-o", "together.h5", *settings(output__checkpoint_steps=last, **rare)]
    for more in ([], ["--resume"]):
        pardem(*together, *more)
        assert compare("apart.h5", "together.h5") is None
        with h5py.File("together.h5") as file:
            assert list(file["particles/grains/position/step"]) == list(file["observables/coordination/step"]) == [0, last]


def test_walltime_ends_at_a_checkpoint(folder: Path, pardem: Callable[..., Ended]) -> None:
    run = ["run", "case.toml", "-o", "cut.h5", "--walltime", "00:00:01", *settings(stage__shake__taps=400)]
    assert pardem(*run, check=False).status == 75
    again = pardem(*run, "--resume", check=False)
    assert again.status == 75
    assert "resumed at step" in again.err


def test_a_finished_run_whose_end_is_moved_goes_on_as_if_it_had_not_stopped(
    folder: Path, whole: Path, longer: Path, pardem: Callable[..., Ended]
) -> None:
    shutil.copy(whole, "cut.h5")
    pardem("run", "case.toml", "-o", "cut.h5", "--resume", *LONGER)
    final: list[dict[str, Any]] = []
    for name in (longer, Path("cut.h5")):
        with h5py.File(name) as file:
            state: dict[str, Any] = {}
            file["pardem/final"].visititems(lambda path, node, state=state: state.update({path: node}))
            data = {path: node[()] for path, node in state.items() if isinstance(node, h5py.Dataset)}
            final.append({path: array if isinstance(array, bytes) else array.tobytes() for path, array in data.items()})
            assert file["observables/taps/value"][-1] == pytest.approx(2.0, rel=1e-3)
    assert final[0].keys() == final[1].keys()
    assert [name for name in final[0] if final[0][name] != final[1][name]] == []
    assert "resumed at step" in pardem("run", "case.toml", "-o", "cut.h5", "--resume", *LONGER).err


def test_resume_without_a_checkpoint_starts_anew_and_says_so(folder: Path, pardem: Callable[..., Ended]) -> None:
    done = pardem("run", "case.toml", "-o", "a.h5", "--resume", *SHORT)
    assert "started from the beginning" in done.out + done.err


BEYOND = "{species='rod', position=[0, 0, 28e-3], velocity=[0, 0, 4]}", "left the domain"  # the domain
TOO_FAST = (
    "{species='rod', position=[-1e-3, 0, 20e-3], velocity=[20, 0, 0]}, {species='rod', position=[1e-3, 0, 20e-3], velocity=[-20, 0, 0]}",
    "grain 0 and grain 1",
)


@pytest.mark.parametrize(
    ("ranks", "grains", "words"),
    [(1, *BEYOND), (2, *BEYOND), (1, *TOO_FAST), pytest.param(2, *TOO_FAST, marks=pytest.mark.slow)],
    ids=["beyond the domain", "beyond the domain on two ranks", "far too fast for the stiffness", "far too fast on two ranks"],
)
def test_a_motion_that_cannot_be_names_the_grains_once(folder: Path, pardem: Callable[..., Ended], ranks: int, grains: str, words: str) -> None:
    ended = pardem("run", "case.toml", "-o", "bad.h5", "--set", f"grain=[{grains}]", ranks=ranks, check=False)
    assert ended.status != 0
    assert ended.err.count(words) == 1
