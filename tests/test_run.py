"""Whole runs from case files: the same file from any number of ranks, resumed after a kill, stopped by a signal or the walltime; errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

CASE = """
seed = 3
gravity = [0.0, 0.0, -9.81]
[time]
step = 2e-5
[domain]
lower = [-5e-3, -5e-3, -2e-3]
upper = [5e-3, 5e-3, 30e-3]
[[species]]
name = "rod"
shape = "spherocylinder"
radius = 0.25e-3
length = 1.5e-3
density = 1900.0
[[insert]]
species = "rod"
count = 60
region = { kind = "cylinder", radius = 3e-3, lower = 0.0, upper = 8e-3 }
[contact]
restitution = 0.4
contact_time = 6e-4
friction = 0.2
[[wall]]
name = "tube"
kind = "cylinder"
radius = 3e-3
[[wall]]
name = "base"
kind = "disc"
center = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
radius = 3e-3
[[stage]]
name = "settle"
kind = "settle"
energy_per_grain = 1e-12
max_time = 0.03
[[stage]]
name = "shake"
kind = "vibrate"
wall = "base"
taps = 1
frequency = 30.0
gamma = 3.0
[output]
frame_taps = 0.25
contacts = true
observable_steps = 50
checkpoint_steps = 400
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.toml").write_text(CASE)
    return tmp_path


def pardem(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "pardem", *arguments], cwd=folder, capture_output=True, text=True, timeout=280, check=False)
    assert not check or done.returncode == 0, done.stderr + done.stdout
    return done


def equal(folder: Path, a: str, b: str) -> bool:
    return pardem(folder, "compare", a, b, check=False).returncode == 0


def test_any_number_of_ranks_writes_the_same_result(folder: Path, run_mpi: Any) -> None:
    pardem(folder, "run", "case.toml", "-o", "one.h5")
    for ranks in (2, 3):
        run_mpi(ranks, "-m", "pardem", "run", "case.toml", "-o", f"{ranks}.h5", cwd=folder)
        assert equal(folder, "one.h5", f"{ranks}.h5")
    pardem(folder, "run", "case.toml", "-o", "other.h5", "--set", "seed=4")
    assert not equal(folder, "one.h5", "other.h5")


def test_the_energy_budget_closes_in_a_shaken_dissipative_bed(folder: Path) -> None:
    """Residual over work done, at two time steps: small, and smaller for the smaller step."""
    import h5py

    residual = []
    for step in ("2e-5", "5e-6"):
        pardem(folder, "run", "case.toml", "-o", f"{step}.h5", "--set", f"time.step={step}")
        with h5py.File(folder / f"{step}.h5") as file:
            energy = {k: v["value"][-1] for k, v in file["observables/energy"].items()}
        lost = energy["lost_damping"] + energy["lost_friction"]
        assert energy["lost_damping"] > 0.0
        assert energy["lost_friction"] > 0.0
        residual.append(abs(energy["residual"]) / lost)
    assert residual[0] < 1e-2
    assert residual[1] < 3e-3


@pytest.mark.parametrize("ranks", [1, 2])
def test_killed_and_resumed_on_another_number_of_ranks_gives_the_same_bits(folder: Path, run_mpi: Any, ranks: int) -> None:
    pardem(folder, "run", "case.toml", "-o", "whole.h5")
    command = [sys.executable, "-m", "pardem", "run", "case.toml", "-o", "cut.h5"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 200.0
    while not list((folder / "cut.h5.parts").glob("checkpoint-*.h5")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert list((folder / "cut.h5.parts").glob("checkpoint-*.h5"))
    if ranks == 1:
        done = pardem(folder, "run", "case.toml", "-o", "cut.h5", "--resume")
    else:
        done = run_mpi(ranks, "-m", "pardem", "run", "case.toml", "-o", "cut.h5", "--resume", cwd=folder)
    assert "resumed at step" in done.stderr
    assert equal(folder, "whole.h5", "cut.h5")


def test_a_signal_ends_at_a_checkpoint_with_status_75_and_the_rest_follows(folder: Path) -> None:
    pardem(folder, "run", "case.toml", "-o", "whole.h5")
    longer = ["--set", "stage.shake.taps=40"]
    command = [sys.executable, "-m", "pardem", "run", "case.toml", "-o", "cut.h5", *longer]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + 200.0
    while not list((folder / "cut.h5.parts").glob("checkpoint-*.h5")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGUSR1)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 75, out
    assert "--resume" in out


def test_walltime_ends_at_a_checkpoint(folder: Path) -> None:
    done = pardem(folder, "run", "case.toml", "-o", "cut.h5", "--walltime", "00:00:01", "--set", "stage.shake.taps=400", check=False)
    assert done.returncode == 75, done.stderr
    again = pardem(folder, "run", "case.toml", "-o", "cut.h5", "--resume", "--walltime", "00:00:01", "--set", "stage.shake.taps=400", check=False)
    assert "resumed at step" in again.stderr


def test_a_finished_run_whose_end_is_moved_goes_on_as_if_it_had_not_stopped(folder: Path) -> None:
    import h5py

    longer = ["--set", "stage.shake.taps=2"]
    pardem(folder, "run", "case.toml", "-o", "whole.h5", *longer)
    pardem(folder, "run", "case.toml", "-o", "cut.h5")
    pardem(folder, "run", "case.toml", "-o", "cut.h5", "--resume", *longer)
    final: list[dict[str, Any]] = []
    for name in ("whole.h5", "cut.h5"):
        with h5py.File(folder / name) as file:
            state: dict[str, Any] = {}
            file["pardem/final"].visititems(lambda path, node, state=state: state.update({path: node}))
            data = {path: node[()] for path, node in state.items() if isinstance(node, h5py.Dataset)}
            final.append({path: array if isinstance(array, bytes) else array.tobytes() for path, array in data.items()})
            assert file["observables/taps/value"][-1] == pytest.approx(2.0, rel=1e-3)
    assert final[0].keys() == final[1].keys()
    assert [name for name in final[0] if final[0][name] != final[1][name]] == []
    again = pardem(folder, "run", "case.toml", "-o", "cut.h5", "--resume", *longer)
    assert "resumed at step" in again.stderr


def test_existing_output_and_foreign_checkpoints_are_refused(folder: Path) -> None:
    pardem(folder, "run", "case.toml", "-o", "a.h5", "--set", "stage.settle.max_time=0.002")
    again = pardem(folder, "run", "case.toml", "-o", "a.h5", check=False)
    assert again.returncode == 1
    assert "--resume" in again.stderr
    assert "--force" in again.stderr
    other = pardem(folder, "run", "case.toml", "-o", "a.h5", "--resume", "--set", "contact.friction=0.3", check=False)
    assert other.returncode == 1
    assert "another case" in other.stderr


def test_resume_without_a_checkpoint_starts_anew_and_says_so(folder: Path) -> None:
    done = pardem(folder, "run", "case.toml", "-o", "a.h5", "--resume", "--set", "stage.settle.max_time=0.002")
    assert "started from the beginning" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["time.step=1e-4"], ["time.step", "too long"]),
        (["contact.eps=1.5"], ["contact.eps", "rod"]),
        (["insert=[{species='rod', count=9000, region={kind='cylinder', radius=3e-3, lower=0.0, upper=8e-3}}]"], ["free position", "rod"]),
        (["grain=[{species='rod', position=[0,0,1e-3]}, {species='rod', position=[0,1e-4,1e-3]}]"], ["overlap", "0", "1"]),
        (["grain=[{species='rod', position=[0,0,1.0]}]"], ["grain.0.position", "lies outside"]),
    ],
)
def test_bad_input_is_one_sentence(folder: Path, settings: list[str], words: list[str]) -> None:
    done = pardem(folder, "run", "case.toml", "-o", "bad.h5", *(a for s in settings for a in ("--set", s)), check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_a_grain_that_leaves_the_domain_is_named(folder: Path, run_mpi: Any) -> None:
    grains = "grain=[{species='rod', position=[0,0,20e-3], velocity=[0,0,0.5]}]"
    for ranks in (1, 2):
        done = run_mpi(ranks, "-m", "pardem", "run", "case.toml", "-o", f"bad{ranks}.h5", "--set", grains, cwd=folder, check=False)
        assert done.returncode != 0
        assert done.stderr.count("left the domain") == 1


def test_runaway_overlap_names_the_grains_on_every_rank(folder: Path, run_mpi: Any) -> None:
    """Two rods shot at each other, far too fast for their stiffness."""
    grains = "grain=[{species='rod', position=[-1e-3,0,20e-3], velocity=[20,0,0]}, {species='rod', position=[1e-3,0,20e-3], velocity=[-20,0,0]}]"
    for ranks in (1, 2):
        done = run_mpi(ranks, "-m", "pardem", "run", "case.toml", "-o", f"bad{ranks}.h5", "--set", grains, cwd=folder, check=False)
        assert done.returncode != 0
        assert done.stderr.count("grain 0 and grain 1") == 1
