"""Results that stay an index of their parts: nothing is copied at the end, and everything else goes on as with one file."""

from __future__ import annotations

import errno
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import h5py
import io_scene as scene
import numpy as np
import pytest
from damage import scramble
from mpi4py import MPI

import pardem
from pardem.errors import FileError
from pardem.io.results import ending, series
from pardem.io.results.paths import damaged_of, parts_of
from pardem.io.state.checkpoint import is_finished
from pardem.io.views.compare import compare
from pardem.io.views.info import info
from pardem.io.views.verify import verify

SELF = MPI.COMM_SELF


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run as one file."""
    out = tmp_path_factory.mktemp("whole") / "out.h5"
    scene.run(SELF, out, 50)
    return out


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    out = tmp_path / "out.h5"
    with monkeypatch.context() as patch:
        patch.setattr(ending, "copy_frames", lambda *_: pytest.fail("frames are copied"))
        scene.run(SELF, out, 50, one_file=False)
    return out


def test_an_index_is_a_finished_result_with_the_same_contents(index: Path, whole: Path, tmp_path: Path) -> None:
    assert compare(index, whole) is None
    assert is_finished(index)
    assert info(index)["finished"]
    verdicts = verify(index)
    assert len(verdicts) == 7
    assert not any(verdict.problems for verdict in verdicts)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for path in (index, parts_of(index)):
        path.rename(moved / path.name)
    with pardem.open(moved / index.name) as result:
        assert result.finished
        assert len(result) == 6
        assert np.array_equal(result[-1].position, scene.fields(50)["position"])


def test_a_part_that_is_damaged_or_missing_is_named(index: Path) -> None:
    segment = parts_of(index) / "segment-000000-frames.h5"
    with h5py.File(segment, "r+") as file:
        file["particles/grains/position/value"][1, 4, 0] += 1.0
    assert [verdict.path.name for verdict in verify(index) if verdict.problems] == [segment.name]
    segment.unlink()
    with pytest.raises(FileError, match=f"is an index, and .*{segment.name} is missing"), pardem.open(index) as result:
        len(result)


def replaced(segment: Path, name: str, values: np.ndarray | None) -> None:
    size = segment.stat().st_size
    with h5py.File(segment, "r+") as file:
        del file[name]
        if values is not None:
            file[name] = values
    os.truncate(segment, max(size, segment.stat().st_size))  # a shorter part is refused as such


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (None, "velocity/value is missing"),
        (np.zeros((2, 2, 2, 2)), r"velocity/value is of shape \(2, 2, 2, 2\) in place of \(4, \d+, 3\)"),
        (np.zeros((1, 99, 3)), r"velocity/value is of shape \(1, 99, 3\) in place of"),
    ],
    ids=["missing", "of another number of axes", "short"],
)
def test_a_part_without_what_is_shown_of_it_is_named(index: Path, values: np.ndarray | None, said: str) -> None:
    """HDF5 would show not-a-number in the place of data that are missing, and crash for another number of axes."""
    assert info(index)["finished"]
    replaced(parts_of(index) / "segment-000000-frames.h5", "particles/grains/velocity/value", values)
    with pytest.raises(FileError, match=f"is an index, and .*segment-000000-frames.h5 is damaged: particles/grains/{said}"):
        compare(index, index)


def test_a_part_that_hdf5_does_not_open_is_named(index: Path) -> None:
    segment = parts_of(index) / "segment-000000-frames.h5"
    segment.write_bytes(bytes(8) + segment.read_bytes()[8:])
    with pytest.raises(FileError, match=f"is an index, and .*{segment.name} is damaged: it cannot be read"):
        compare(index, index)


def test_an_index_becomes_one_file(index: Path, whole: Path) -> None:
    scene.run(SELF, index, 50, resume=True)
    assert not parts_of(index).exists()
    assert compare(index, whole) is None


@pytest.mark.parametrize("one_file", [True, False])
def test_an_index_is_prolonged(index: Path, tmp_path: Path, one_file: bool) -> None:
    scene.run(SELF, index, 100, resume=True, one_file=one_file)
    scene.run(SELF, tmp_path / "straight.h5", 100)
    assert compare(index, tmp_path / "straight.h5") is None
    assert parts_of(index).exists() is not one_file


def test_a_result_of_one_file_is_prolonged_as_an_index(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    shutil.copy(whole, out)
    scene.run(SELF, out, 100, resume=True, one_file=False)
    scene.run(SELF, tmp_path / "straight.h5", 100)
    assert compare(out, tmp_path / "straight.h5") is None


def test_what_is_lost_before_the_end_is_noted_and_nothing_else_is(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    results = scene.run(SELF, out, 50, finish=False)
    (parts_of(out) / "segment-000000-frames.h5").unlink()
    results = scene.writer(SELF, out, 30, accept_loss=True, one_file=False)
    assert not results.finish(scene.state(SELF, 50))
    assert info(out)["losses"] == ["segment-000000-frames.h5 is missing (4 frames, steps 0 to 30)"]
    assert is_finished(out)
    assert not damaged_of(out).exists()


@pytest.mark.parametrize("name", ["particles/grains/velocity", "particles/grains/image", "contacts/force"])
@pytest.mark.parametrize("form", [{}, {"precision": "single"}, {"compression": "gzip"}], ids=lambda form: "".join(form) or "plain")
def test_a_damaged_frame_is_named_and_not_shown(tmp_path: Path, whole: Path, name: str, form: dict[str, Any]) -> None:
    out, part = tmp_path / "out.h5", "segment-000000-frames.h5"
    scene.run(SELF, out, 50, finish=False, **form)
    content = name if name.startswith("contacts") else f"{name}/value"
    row = 45 if name.startswith("contacts") else 1  # the first frame has 40 to 48 contacts, the second at least 40
    scramble(parts_of(out) / part, content, row=row)
    (loss,) = scene.writer(SELF, out, 30, one_file=False, **form).finish(scene.state(SELF, 50))
    assert (loss.part, loss.frames, loss.steps) == (part, 1, (10, 10))
    assert loss.what.startswith("is damaged: ")
    assert name.removeprefix("particles/grains/") in loss.what
    assert info(out)["losses"] == [str(loss)]
    assert (parts_of(out) / part).exists()
    assert not damaged_of(out).exists()
    with pardem.open(out) as shown, pardem.open(whole) as expected:
        assert shown.steps.tolist() == [0, 20, 30]
        for frame in shown:
            (same,) = (other for other in expected if other.step == frame.step)
            assert np.array_equal(frame.position, same.position.astype(frame.position.dtype))
            assert np.array_equal(frame.contacts["force"], same.contacts["force"].astype(frame.position.dtype))
    assert [verdict.path.name for verdict in verify(out) if verdict.problems] == [part]


@pytest.mark.parametrize("one_file", [True, False])
def test_what_an_index_lacks_is_no_new_loss_where_its_run_goes_on(tmp_path: Path, one_file: bool) -> None:
    out, part = tmp_path / "out.h5", "segment-000000-frames.h5"
    scene.run(SELF, out, 50, finish=False)
    scramble(parts_of(out) / part, "particles/grains/velocity/value", row=1)
    (loss,) = scene.writer(SELF, out, 30, one_file=False).finish(scene.state(SELF, 50))
    assert not scene.writer(SELF, out, 50, one_file=one_file).finish(scene.state(SELF, 50))
    assert info(out)["losses"] == [str(loss)]
    with pardem.open(out) as result:
        assert result.steps.tolist() == [0, 20, 30]
    assert (parts_of(out) if not one_file else damaged_of(out)).joinpath(part).exists()  # it is not deleted


def test_all_frames_of_a_segment_may_be_damaged(tmp_path: Path) -> None:
    out = tmp_path / "out.h5"
    scene.run(SELF, out, 50, finish=False)
    for row in range(4):
        scramble(parts_of(out) / "segment-000000-frames.h5", "particles/grains/orientation/value", row=row)
    assert len(scene.writer(SELF, out, 30, one_file=False).finish(scene.state(SELF, 50))) == 4
    assert is_finished(out)
    assert "frames" not in info(out)


def test_a_run_reads_each_of_its_segments_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a checkpoint would grow with the number of those before it."""
    seen: Counter[str] = Counter()
    opened = series.opened
    monkeypatch.setattr(series, "opened", lambda path: seen.update([Path(path).name]) or opened(path))
    scene.run(SELF, tmp_path / "out.h5", 240)
    times = [count for name, count in seen.items() if name.startswith("segment-")]
    assert len(times) == 16  # frames and observables of each of eight checkpoints
    assert set(times) == {1}


def test_what_could_not_be_read_at_a_checkpoint_is_read_at_the_next(tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails for a moment costs nothing that it still holds."""
    opened, failures = series.opened, ["segment-000000-frames.h5", "segment-000000-observables.h5"]

    def failing(path: Path) -> Any:
        if Path(path).name in failures:
            failures.remove(Path(path).name)
            raise OSError(errno.EIO, "Input/output error")
        return opened(path)

    monkeypatch.setattr(series, "opened", failing)
    out = tmp_path / "out.h5"
    assert not scene.run(SELF, out, 50).notices
    assert not failures
    assert compare(out, whole) is None


@pytest.mark.mpi
def test_all_ranks_find_a_damaged_frame(mpi_tmp_path: Path) -> None:
    comm, out = MPI.COMM_WORLD, mpi_tmp_path / "index.h5"
    scene.run(comm, out, 50, finish=False)
    if comm.rank == 0:
        scramble(parts_of(out) / "segment-000000-frames.h5", "particles/grains/velocity/value", row=2)
    comm.Barrier()
    losses = scene.writer(comm, out, 30, one_file=False).finish(scene.state(comm, 50))
    assert [(loss.part, loss.steps) for loss in losses] == [("segment-000000-frames.h5", (20, 20))]
    assert info(out)["losses"] == [str(loss) for loss in losses]
    comm.Barrier()


@pytest.mark.mpi
def test_all_ranks_leave_an_index(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    scene.run(comm, mpi_tmp_path / "index.h5", 50, one_file=False)
    scene.run(comm, mpi_tmp_path / "file.h5", 50)
    comm.Barrier()
    assert compare(mpi_tmp_path / "index.h5", mpi_tmp_path / "file.h5") is None
    comm.Barrier()
