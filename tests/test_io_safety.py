"""Nothing is lost: killed at any instant, on a full disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem.io.results.assemble import assemble
from pardem.io.results.paths import base_step, damaged_of, parts_of, segment_path
from pardem.io.state.checkpoint import newest_valid_checkpoint, read_checkpoint
from pardem.io.views.compare import compare
from pardem.io.views.info import info

SELF = MPI.COMM_SELF
PROGRAM = Path(scene.__file__)
LAST = 300


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill -9 the ranks and their mpirun."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in [*map(int, children), process.pid]:
        os.kill(pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody disturbed."""
    out = tmp_path_factory.mktemp("whole") / "out.h5"
    scene.run(SELF, out, LAST)
    return out


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the ranks through /proc")
@pytest.mark.parametrize("ranks", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_killed_again_and_again_a_run_comes_to_the_same_end(tmp_path: Path, whole: Path, start_mpi: Callable, run_mpi: Callable, ranks: int) -> None:
    out = tmp_path / "out.h5"
    random = np.random.default_rng(ranks)
    reached: list[int] = []
    for _ in range(3):
        process = start_mpi(ranks, PROGRAM, out, LAST, "--resume", "--pause", "1e-4", stdout=subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(random.integers(3, 9)):
            line = process.stdout.readline()
            assert line.startswith("step"), line
        time.sleep(0.02 * random.random())  # amid a frame, a checkpoint, an index, ...
        kill_all(process)
        time.sleep(0.1)
        # what is there can be read, and the frames that count are those of the undisturbed run
        found = newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
        reached.append(-1 if found.path is None else int(read_checkpoint(SELF, found.path).header.step))
        copy = tmp_path / "copy.h5"
        shutil.copytree(parts_of(out), parts_of(copy))
        assemble(copy)
        with h5py.File(copy) as file, h5py.File(whole) as expected:
            if "position" in file["particles/grains"]:
                steps = file["particles/grains/position/step"][:]
                n = int(np.searchsorted(steps, max(0, reached[-1]), "right"))
                assert np.array_equal(steps[:n], expected["particles/grains/position/step"][:n])
                for name in scene.fields(0):
                    assert np.array_equal(file[f"particles/grains/{name}/value"][:n], expected[f"particles/grains/{name}/value"][:n])
        shutil.rmtree(parts_of(copy))
        copy.unlink()
    assert reached == sorted(reached)
    assert reached[-1] > 0
    run_mpi(2, PROGRAM, out, LAST, "--resume")
    assert compare(out, whole) is None


MADE = """
import os, sys
from pathlib import Path
import io_scene as scene
from mpi4py import MPI

number, real = int(sys.argv[2]), os.pwrite

def pwrite(descriptor, data, place):
    global number
    if "segment-000001-frames" in os.readlink(f"/proc/self/fd/{descriptor}"):
        number -= 1
        if number == 0:
            os.kill(os.getpid(), 9)
    return real(descriptor, data, place)

os.pwrite = pwrite
scene.run(MPI.COMM_SELF, Path(sys.argv[1]), 60)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds out by /proc what is written")
@pytest.mark.parametrize("number", [1, 16, 51, 80])
def test_killed_while_a_segment_is_begun_nothing_of_it_is_left(tmp_path: Path, whole: Path, number: int) -> None:
    """Whichever of the writes that make it is the last: a file that cannot be read would be set apart, as if something were lost."""
    out = tmp_path / "out.h5"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROGRAM.parent), os.environ.get("PYTHONPATH", "")])}
    assert subprocess.run([sys.executable, "-c", MADE, str(out), str(number)], env=environment, check=False).returncode == -signal.SIGKILL
    assert base_step(segment_path(parts_of(out), 0, "frames")) == -1
    scene.run(SELF, out, LAST, resume=True)
    assert compare(out, whole) is None
    assert not damaged_of(out).exists()


def test_killed_before_it_is_named_a_checkpoint_does_not_count(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 60, finish=False)
    parts = parts_of(out)
    (parts / "checkpoint-000000000060.h5").rename(parts / "checkpoint-000000000060.new")
    (parts / "result.new").write_text("half a result")
    scene.run(SELF, out, 90, resume=True, finish=False)
    assert not list(parts.glob("*.new"))
    assert info(out)["frames"]["count"] == 10


def test_killed_after_the_result_got_its_name_the_parts_are_superseded(tmp_path: Path) -> None:
    out, straight = tmp_path / "out.h5", tmp_path / "straight.h5"
    scene.run(SELF, out, 60, finish=False)
    shutil.copytree(parts_of(out), tmp_path / "left")
    scene.run(SELF, out, 70, resume=True)
    shutil.copytree(tmp_path / "left", parts_of(out))
    scene.run(SELF, out, 100, resume=True)
    scene.run(SELF, straight, 100)
    assert compare(out, straight) is None


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_full_disk_stops_all_ranks_and_the_last_checkpoint_is_good(tmp_path: Path, whole: Path, run_mpi: Callable, ranks: int) -> None:
    out = tmp_path / "out.h5"
    # room for segments and checkpoints (trial space included), but not for the whole result
    ended = run_mpi(ranks, PROGRAM, out, LAST, "--limit", 1_300_000, check=False, timeout=300)
    assert ended.returncode == 3
    for rank in range(ranks):
        assert f"rank {rank}: {out} could not be written: File too large; free some space and continue with --resume" in ended.stdout
    found = newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
    assert found.path is not None
    assert read_checkpoint(SELF, found.path).header.step == LAST // 30 * 30
    run_mpi(ranks, PROGRAM, out, LAST, "--resume")
    assert compare(out, whole) is None


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_full_disk_at_a_frame(tmp_path: Path, run_mpi: Callable, ranks: int) -> None:
    ended = run_mpi(ranks, PROGRAM, tmp_path / "out.h5", LAST, "--limit", 1_050_000, check=False, timeout=300)
    assert ended.returncode == 3
    assert ended.stdout.count("could not be written: File too large") == ranks
