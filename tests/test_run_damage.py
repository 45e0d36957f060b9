"""Real runs whose output is damaged after a stop: refused with a choice, finished without what is lost, never with status 0 unasked."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Ended
from damage import cut, scramble
from run_scene import case_file, settings

from pardem import cli
from pardem.io.reading import get_json, json_bytes, put_json
from pardem.io.results.paths import damaged_of, parts_of
from pardem.io.state.checkpoint import checkpoints
from pardem.io.views.compare import compare
from pardem.io.views.info import info
from pardem.version import LAYOUT, program, versions

# signals itself, as a scheduler would, at the first chunk that ends at step 900 or later
DRIVER = """
import os, signal, sys
from pardem.simulation import Simulation
step = Simulation.step
def signalling(self, *arguments, **options):
    step(self, *arguments, **options)
    if self.steps_done >= 900:
        os.kill(os.getpid(), signal.SIGUSR1)
Simulation.step = signalling
from pardem.cli import main
sys.exit(main(sys.argv[1:]))
"""
FRAMES = settings(output__frame_steps=50)
FIRST = "segment-000000-frames.h5"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, run_mpi: Callable) -> Path:
    """A folder with a case, its whole result, and a run of it that two ranks stopped at a checkpoint."""
    folder = tmp_path_factory.mktemp("kept")
    case_file(folder)
    assert cli.main(["run", str(folder / "case.toml"), *FRAMES, "-o", str(folder / "whole.h5")]) == 0
    assert run_mpi(2, "-c", DRIVER, "run", "case.toml", *FRAMES, "-o", "out.h5", cwd=folder, check=False).returncode == 75
    assert len(list(parts_of(folder / "out.h5").glob("segment-*-frames.h5"))) >= 2
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def steps(path: str) -> set[int]:
    with h5py.File(path) as file:
        return set(file["particles/grains/velocity/step"][:].tolist())


@pytest.mark.parametrize(("ranks", "harm"), [(1, lambda path: path.unlink()), (2, cut)], ids=["removed", "cut"])
def test_frames_that_are_gone_are_a_choice(folder: Path, pardem: Callable[..., Ended], ranks: int, harm: Callable[[Path], None]) -> None:
    part = parts_of(Path("out.h5")) / FIRST
    with h5py.File(part) as file:
        gone = set(file["particles/grains/position/step"][:].tolist())
    harm(part)
    run = ["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]
    refused = pardem(*run, ranks=ranks, check=False)
    assert refused.status == 1
    (line,) = [text for text in refused.err.splitlines() if text.startswith("pardem:")]
    assert line.startswith(f"pardem: error: out.h5.parts is not as its checkpoint notes it: {FIRST} ")
    assert "--accept-loss" in line
    assert "step" not in refused.out  # nothing was computed
    assert f"going on without what is lost: {FIRST} " in pardem(*run, "--accept-loss", ranks=ranks).err
    assert steps("out.h5") == steps("whole.h5") - gone
    assert info("out.h5")["losses"][0].startswith(FIRST)
    difference = compare("out.h5", "whole.h5")
    assert difference is not None
    with h5py.File("out.h5") as a, h5py.File("whole.h5") as b:
        assert np.array_equal(a["pardem/final/grains/x"][:], b["pardem/final/grains/x"][:])


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_bytes_in_a_segment_do_not_get_into_the_result(folder: Path, pardem: Callable[..., Ended], ranks: int) -> None:
    scramble(parts_of(Path("out.h5")) / FIRST, "particles/grains/velocity/value", row=3, count=40)
    run = ["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]
    done = pardem(*run, ranks=ranks, check=False)
    assert done.status == 1
    (error,) = [line for line in done.err.splitlines() if line.startswith("pardem:")]
    assert f"out.h5 is finished but incomplete: {FIRST} is damaged: the checksum of velocity is wrong (1 frame, steps " in error
    (left_out,) = steps("whole.h5") - steps("out.h5")
    assert f"steps {left_out} to {left_out}" in error
    assert (damaged_of(Path("out.h5")) / FIRST).exists()
    assert "pardem: error" not in pardem(*run).err  # it is finished
    (loss,) = info("out.h5")["losses"]  # and still says what it lacks
    assert loss == f"{FIRST} is damaged: the checksum of velocity is wrong (1 frame, steps {left_out} to {left_out})"
    assert loss in pardem("info", "out.h5").out
    verified = pardem("verify", "out.h5", check=False)
    assert (verified.status, f"lacks rows, as it says itself: {loss}" in verified.out) == (1, True)
    assert steps("out.h5") == steps("whole.h5") - {left_out}


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_bytes_in_a_segment_are_not_shown_by_an_index(folder: Path, pardem: Callable[..., Ended], ranks: int) -> None:
    scramble(parts_of(Path("out.h5")) / FIRST, "particles/grains/velocity/value", row=3, count=40)
    run = ["run", "case.toml", *FRAMES, *settings(output__one_file="false"), "-o", "out.h5", "--resume"]
    done = pardem(*run, ranks=ranks, check=False)
    assert done.status == 1
    (error,) = [line for line in done.err.splitlines() if line.startswith("pardem:")]
    (left_out,) = steps("whole.h5") - steps("out.h5")
    loss = f"{FIRST} is damaged: the checksum of velocity is wrong (1 frame, steps {left_out} to {left_out})"
    assert error == f"pardem: error: out.h5 is finished but incomplete: {loss}; the result records this"
    assert "pardem: error" not in pardem(*run).err  # it is finished
    assert info("out.h5")["losses"] == [loss]  # and still says what it lacks
    assert pardem("verify", "out.h5", check=False).status == 1


@pytest.mark.parametrize("ranks", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_undamaged_it_comes_to_the_same_end_and_verifies(folder: Path, pardem: Callable[..., Ended], ranks: int) -> None:
    pardem("verify", "out.h5")
    pardem("run", "case.toml", *FRAMES, "-o", "out.h5", "--resume", ranks=ranks)
    assert compare("out.h5", "whole.h5") is None
    assert "whole   out.h5: " in pardem("verify", "out.h5").out


def test_a_table_needs_the_static_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (parts_of(Path("out.h5")) / "static.h5").unlink()
    assert cli.main(["export", "--format", "csv", "out.h5"]) == 1
    assert "out.h5.parts/static.h5 is missing" in capsys.readouterr().err
    assert not Path("out.csv").exists()
    run = ["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]
    assert cli.main(run) == 1
    assert "static.h5 is missing" in capsys.readouterr().err
    assert cli.main([*run, "--accept-loss"]) == 0
    assert compare("out.h5", "whole.h5") is None


def test_losses_are_accepted_where_a_run_goes_on_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "case.toml", "--accept-loss"]) == 2
    assert capsys.readouterr().err == "pardem: error: --accept-loss requires --resume\n"


def test_a_state_of_another_layout_names_the_version_that_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newest = checkpoints(parts_of(Path("out.h5")))[0]
    with h5py.File(newest, "r+") as file:
        state = file["pardem/state"]
        header = get_json(state, "header") | {"layout": 1}
        put_json(state, "header", header)
        put_json(state, "checksums", get_json(state, "checksums") | {"header": zlib.crc32(json_bytes(header))})
    assert cli.main(["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]) == 1
    said = capsys.readouterr().err
    named = f"{newest} holds a state of layout 1 and this pardem goes on from layout {LAYOUT}: resume with {program(versions())}"
    assert f"{named}, which wrote it, or with another pardem of layout 1, which `pardem --version` tells, or start anew" in said
    with h5py.File(newest, "r+") as file:
        origin = get_json(file, "provenance")
        assert origin["versions"].items() >= versions().items()
        put_json(file, "provenance", origin | {"versions": {"pardem": "0.0.9", "commit": "0123456789ab"}})
    assert cli.main(["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]) == 1
    assert "resume with pardem 0.0.9 (commit 0123456789ab), which wrote it, or with" in capsys.readouterr().err
    with h5py.File(newest, "r+") as file:
        del file["provenance"]
    assert cli.main(["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]) == 1
    assert "resume with the pardem that wrote it, or with" in capsys.readouterr().err


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_finished_result_without_its_positions_is_a_choice(folder: Path, pardem: Callable[..., Ended], ranks: int) -> None:
    out, whole = Path("out.h5"), Path("whole.h5")
    shutil.rmtree(parts_of(out))
    shutil.copy(whole, out)
    with h5py.File(out, "r+") as file:
        count = len(file["particles/grains/velocity/step"])
        del file["particles/grains/position"]
        file["particles/grains/position"] = np.zeros(3)
    content = out.read_bytes()
    run = ["run", "case.toml", *FRAMES, "-o", "out.h5", "--resume"]
    refused = pardem(*run, ranks=ranks, check=False)
    assert (refused.status, out.read_bytes()) == (1, content)
    (line,) = [text for text in refused.err.splitlines() if text.startswith("pardem:")]
    assert line.startswith(f"pardem: error: out.h5 is damaged: its frames lack position ({count} frames): put back what is missing")
    assert "--accept-loss" in line
    part = "segment-000000-result.h5"
    assert f"going on without what is lost: {part} is damaged: its frames lack position" in pardem(*run, "--accept-loss", ranks=ranks).err
    assert info("out.h5")["losses"] == [f"{part} is damaged: its frames lack position ({count} frames)"]
    assert (damaged_of(out) / part).read_bytes() == content
    with h5py.File(out) as a, h5py.File(whole) as b:
        for name in ("observables/contacts_per_grain/step", "observables/contacts_per_grain/value", "pardem/final/grains/x"):
            assert np.array_equal(a[name][:], b[name][:])


def test_an_empty_table_of_shapes_has_its_type(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rods have no faces; the checksum of nothing is the same for all types."""
    name = "parameters/pardem/catalogue/face_vertices"
    with h5py.File("whole.h5", "r+") as file:
        assert file[name].shape == (0,)
        del file[name]
        file[name] = np.zeros(0)
    assert cli.main(["verify", "whole.h5"]) == 1
    assert f"{name} is of another shape or type than what pardem writes ((0,), float64)" in capsys.readouterr().out
