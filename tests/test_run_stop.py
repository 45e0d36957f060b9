"""A run that stops on an overlap keeps the state before it, and says how fast the two bodies met and what would have borne it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mpi4py import MPI

import pardem
from pardem import cli
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import checkpoints, read_checkpoint, step_of

CASE = """
time = { step = 1e-4 }
contact = { restitution = 0.8, contact_time = 5e-3, friction = 0.5 }
domain = { lower = [-0.1, -0.1, -0.05], upper = [0.1, 0.1, 0.6] }
species = [{ name = "bead", shape = "sphere", radius = 2e-3, density = 2500.0 }]
grain = [{ species = "bead", position = [0.0, 0.0, 2e-3] }, { species = "bead", position = [0.0, 0.0, 0.5] } ]
stage = [{ name = "fall", kind = "run", time = 0.5 }]
wall = [{ name = "floor", kind = "plane", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }]
output = { frame_interval = 0.1, contacts = true }
"""
SAID = re.compile(
    r"At step (\d+) .*grain 0 and grain 1 overlap by more than a sphero-radius.*The two met at about (\S+) m/s, at which their contact overlaps by "
    r"\S+ m, (\S+) times the sphero-radius of 0.002 m: make contact.contact_time at most (\S+) s .*The state of step (\d+) is kept in a checkpoint"
)


@pytest.fixture
def case_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "case.toml"
    path.write_text(CASE)
    return path


def fall_speed() -> float:
    """Speed of the upper bead when it reaches the lower one (m/s)."""
    return math.sqrt(2.0 * 9.81 * (0.5 - 6e-3))


def test_the_estimate_and_what_is_kept(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(case_file), "-o", "out.h5"]) == 1
    said = SAID.search(capsys.readouterr().err)
    assert said is not None
    stopped, kept = int(said[1]), int(said[5])
    assert float(said[2]) == pytest.approx(fall_speed(), rel=0.06)  # the contact has begun, and its damper has taken a part
    assert float(said[3]) > 1.0
    assert kept == stopped - 3
    path = checkpoints(parts_of(Path("out.h5")))[0]
    assert step_of(path) == kept
    state = read_checkpoint(MPI.COMM_SELF, path)
    last = pardem.open("out.h5")[-1]
    assert last.step == kept
    assert (last.position == state.grains.fields["x"][:, :3]).all()
    gap = last.position[1, 2] - last.position[0, 2]
    assert 2e-3 < gap < 4e-3  # they overlap, by less than the sphero-radius
    # the same steps once more: the state is that of the run
    assert cli.main(["run", str(case_file), "-o", "short.h5", "--set", f"stage.fall.steps={kept}"]) == 0
    again = pardem.open("short.h5")[-1]
    assert (again.position == last.position).all()
    # and what the sentence proposes does
    changed = ["--set", f"contact.contact_time={said[4]}", "--set", "time.step=2e-5", "--set", "stage.fall.time=0.33"]
    assert cli.main(["run", str(case_file), "-o", "mended.h5", *changed]) == 0


def test_from_a_checkpoint(case_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The way back begins at the newest checkpoint, which stays; a run that is resumed ends in the same place."""
    run = ["run", str(case_file), "-o", "out.h5", "--set", "output.checkpoint_steps=1000"]
    assert cli.main(run) == 1
    said = SAID.search(capsys.readouterr().err)
    assert said is not None
    assert cli.main([*run, "--resume"]) == 1
    again = capsys.readouterr().err
    assert f"resumed at step {said[5]}" in again
    assert f"At step {said[1]} " in again
    assert f"The state of step {said[5]} is kept" in again
    assert [step_of(path) for path in checkpoints(parts_of(Path("out.h5")))] == [int(said[5]), 3000]


def test_on_two_ranks(case_file: Path, run_mpi: Callable) -> None:
    case_file.write_text(CASE.replace("[0.0, 0.0, 0.5] }", "[0.0, 0.0, 0.03], velocity = [0.0, 0.0, -3.05] }"))  # as fast, after fewer steps
    done = run_mpi(2, "-m", "pardem", "run", case_file, "-o", "two.h5", check=False)
    assert done.returncode == 1
    said = SAID.search(done.stderr)
    assert said is not None, done.stderr
    assert done.stderr.count("pardem: error:") == 1
    last = pardem.open("two.h5")[-1]
    assert last.step == int(said[5])
