"""Nothing is lost in real runs: killed amid checkpoints again and again, each time resumed on another number of ranks; on a full disk."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI
from run_scene import case_file, kill_all, ranks_of, settings, until

from pardem import cli
from pardem.io.casefile import read_case
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import checkpoints, newest_valid_checkpoint, step_of
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF
OFTEN = settings(output__checkpoint_steps=20)
FRAMES = settings(output__frame_taps=0.01)  # a frame every seventeenth step of the tap


def newest(out: Path) -> int:
    """Step of the newest checkpoint by name, -1 where there is none."""
    found = checkpoints(parts_of(out))
    return step_of(found[0]) if found else -1


def freeze_amid_checkpoint(process: subprocess.Popen[str], out: Path) -> None:
    """Stop the ranks while a checkpoint is half written."""
    while True:
        until(lambda: list(parts_of(out).glob("checkpoint-*.new")), process)
        for pid in ranks_of(process):
            os.kill(pid, signal.SIGSTOP)
        time.sleep(0.01)
        if list(parts_of(out).glob("checkpoint-*.new")):
            return
        for pid in ranks_of(process):
            os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the ranks through /proc")
def test_killed_amid_checkpoints_and_resumed_on_other_ranks(tmp_path: Path, start_mpi: Callable, run_mpi: Callable) -> None:
    out, whole = tmp_path / "out.h5", tmp_path / "whole.h5"
    case = case_file(tmp_path)
    assert cli.main(["run", str(case), "-o", str(whole)]) == 0
    random = np.random.default_rng(1)
    reached = -1
    for ranks, amid in ((2, True), (1, False), (3, True), (2, False)):
        process = start_mpi(ranks, "-m", "pardem", "run", case, "-o", out, "--resume", *OFTEN, stderr=subprocess.DEVNULL)
        before = newest(out)
        until(lambda before=before: newest(out) > before, process)  # type: ignore[misc]
        if amid:
            freeze_amid_checkpoint(process, out)
        else:
            time.sleep(0.1 * random.random())  # amid steps, a segment, the index, ...
        kill_all(process)
        assert not amid or list(parts_of(out).glob("checkpoint-*.new"))
        found = newest_valid_checkpoint(SELF, parts_of(out), read_case(case).hash())
        assert found.path is not None
        assert not found.warnings
        assert step_of(found.path) > reached
        reached = step_of(found.path)
    done = run_mpi(3, "-m", "pardem", "run", case, "-o", out, "--resume")
    assert f"resumed at step {reached}" in done.stderr
    assert compare(out, whole) is None
    assert len(info(out)["provenance"]) == 5


@pytest.fixture(scope="module")
def whole_with_frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with many frames that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert cli.main(["run", str(case_file(folder)), *FRAMES, "-o", str(folder / "out.h5")]) == 0
    return folder / "out.h5"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB, of which half is needed on trial."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_disk_that_fills_up(small_disk: Path, whole_with_frames: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = small_disk / "out.h5"
    run = ["run", str(case_file(tmp_path)), *FRAMES, "-o", str(out)]
    assert cli.main(run) == 1
    one_sentence(capsys.readouterr().err, "No space left on device")
    assert 800 <= newest(out) < 1600
    assert cli.main([*run, "--resume"]) == 1  # there still is no room
    one_sentence(capsys.readouterr().err, "No space left on device")
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    assert cli.main([*run, "--resume"]) == 0
    assert compare(out, whole_with_frames) is None


def test_a_result_that_does_not_fit(whole_with_frames: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that may not grow stands for a full disk: there is room for all parts, but not for the result."""
    out = tmp_path / "out.h5"
    run = ["run", str(case_file(tmp_path)), *FRAMES, "-o", str(out)]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
    try:
        assert cli.main(run) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    one_sentence(capsys.readouterr().err, f"{out} could not be written: File too large")
    assert newest(out) == 1600
    assert info(out)["frames"]["count"] == 97  # those until then
    assert cli.main([*run, "--resume"]) == 0
    assert compare(out, whole_with_frames) is None


def one_sentence(printed: str, words: str) -> None:
    """The run ended with one sentence, which names the remedy."""
    (error,) = [line for line in printed.splitlines() if "error" in line.lower()]
    assert error.startswith("pardem: error: ")
    assert f"{words}; free some space and continue with --resume" in error
    assert "Traceback" not in printed
