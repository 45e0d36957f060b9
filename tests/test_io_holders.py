"""Rows are written by as many ranks as they have work for, into files that do not show which; the disk is asked for what is needed, and no more."""

from __future__ import annotations

import errno
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem.errors import FileError
from pardem.io.results.paths import parts_of
from pardem.io.state import checkpoint, row_rounds, row_writer, rowfile, state_reading
from pardem.io.state.beside import Beside
from pardem.io.state.checkpoint import newest_valid_checkpoint, read_checkpoint, write_checkpoint
from pardem.io.state.disk import SLACK
from pardem.io.state.holders import Holders
from pardem.io.state.ordered_rows import Rows
from pardem.io.state.row_writer import RowWriter
from pardem.io.state.rowfile import RowFile

SELF = MPI.COMM_SELF
BESIDE = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])}


class Imagined:
    """As much of a communicator as holders look at."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size


@pytest.mark.parametrize(("size", "expected"), [(0, 1), (1023, 1), (2048, 2), (700_000, 683), (10**12, 1000)])
def test_each_holder_has_its_share(size: int, expected: int) -> None:
    every = [Holders.of(Imagined(rank, 1000), size) for rank in range(1000)]  # type: ignore[arg-type]
    ranks = every[0].ranks
    assert len(ranks) == expected
    assert ranks[0] == 0
    assert (np.diff(ranks) >= 1000 // expected).all()
    spans = np.array([holders.span(123_457) for holders in every])
    assert spans[0, 0] == 0
    assert spans[-1, 1] == 123_457
    assert np.array_equal(spans[1:, 0], spans[:-1, 1])
    assert np.array_equal(np.flatnonzero(spans[:, 1] > spans[:, 0]), ranks)
    assert np.array_equal(np.flatnonzero([holders.mine for holders in every]), ranks)
    rows = np.array([0, 1, 61_728, 123_456])
    owner = every[0].of_rows(rows, 123_457)
    assert ((spans[owner, 0] <= rows) & (rows < spans[owner, 1])).all()


@pytest.mark.mpi(min_size=2)
def test_files_have_the_same_bytes_whoever_writes_them(mpi_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comm = MPI.COMM_WORLD
    scene.run(comm, mpi_tmp_path / "together.h5", 50, finish=False)
    monkeypatch.setattr(row_writer, "parallel_hdf5", lambda: False)
    scene.run(comm, mpi_tmp_path / "serial.h5", 50, finish=False)
    monkeypatch.undo()
    if comm.rank > 0:
        return
    scene.run(SELF, mpi_tmp_path / "alone.h5", 50, finish=False)
    ways = [parts_of(mpi_tmp_path / f"{name}.h5") for name in ("alone", "together", "serial")]
    names = sorted(p.name for p in ways[0].iterdir() if p.name.startswith(("segment", "static")))
    assert [name[:7] for name in names] == ["segment"] * 4 + ["static."]
    for name in names:
        assert len({(way / name).read_bytes() for way in ways}) == 1, name
    assert len({(way / "checkpoint-000000000030.h5").stat().st_size for way in ways}) == 1


@pytest.mark.parametrize(("sync", "times"), [(False, 0), (True, 3)])
def test_frames_are_forced_onto_the_disk_only_if_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: bool, times: int) -> None:
    results = scene.writer(SELF, tmp_path / "out.h5", sync_frames=sync)
    forced: list[Path] = []
    for module in (rowfile, checkpoint):  # of a checkpoint, the first rank forces onto the disk what it wrote when it is complete
        monkeypatch.setattr(module, "sync_path", forced.append)
    for step in (0, 10, 20):
        gid = scene.owned(SELF, step)
        results.frame(step, 0.1 * step, gid, {name: values[gid] for name, values in scene.fields(step).items()}, scene.contact_frame(SELF, step))
    assert len(forced) == times
    results.checkpoint(scene.state(SELF, 20))
    segment, state = parts_of(results.path) / "segment-000000-frames.h5", parts_of(results.path) / "checkpoint-000000000020.new"
    assert {segment, state} <= set(forced[times:])
    forced.clear()
    results.finish(scene.state(SELF, 20))
    assert parts_of(results.path) / "result.new" in forced


def test_a_frame_survives_the_death_of_its_process(tmp_path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
import io_scene as scene
from mpi4py import MPI
comm = MPI.COMM_SELF
results = scene.writer(comm, Path(sys.argv[1]))
for step in (0, 10):
    gid = scene.owned(comm, step)
    results.frame(step, 0.1 * step, gid, {name: values[gid] for name, values in scene.fields(step).items()})
os.kill(os.getpid(), 9)
"""
    ended = subprocess.run([sys.executable, "-c", program, tmp_path / "out.h5"], check=False, env={**os.environ, **BESIDE})
    assert ended.returncode == -9
    with h5py.File(parts_of(tmp_path / "out.h5") / "segment-000000-frames.h5", locking=False) as file:
        position = file["particles/grains/position"]
        assert position["step"][()].tolist() == [0, 10]
        assert np.array_equal(position["value"][1], scene.fields(10)["position"])


@pytest.mark.mpi
def test_each_holder_tries_the_space_of_its_share(mpi_tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comm, size = MPI.COMM_WORLD, 5000
    tried: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fallocate", lambda _, start, length: tried.append((start, length)))
    with RowFile(comm, mpi_tmp_path / "some.h5", "w") as file:
        file.flush()
        before = (mpi_tmp_path / "some.h5").stat().st_size
        file.reserve(size, Holders.of(comm, size))
        every = sorted(piece for pieces in comm.allgather(tried) for piece in pieces)
        assert len(every) == min(comm.size, 4)
        assert every[0][0] == before
        assert all(start + length == behind for (start, length), (behind, _) in pairwise(every))
        assert sum(length for _, length in every) == size + SLACK
        assert (mpi_tmp_path / "some.h5").stat().st_size == before


@pytest.mark.mpi
def test_what_fails_on_one_holder_is_said_on_all_ranks(mpi_tmp_path: Path) -> None:
    comm = MPI.COMM_WORLD
    file = RowFile(comm, mpi_tmp_path / "some.h5", "w")
    file.create({"there": ((comm.size,), np.dtype(np.float64))})
    with pytest.raises(FileError, match=r"some.h5 could not be written"), file.rows(Holders.every(comm)) as writer:
        writer.write("there" if comm.rank < comm.size - 1 else "not there", Rows(np.zeros(1), comm.rank))
    file.close()


def test_a_state_is_read_once_where_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.run(SELF, tmp_path / "out.h5", 60, finish=False)
    read: list[bool] = []
    whole = state_reading._read_rows
    monkeypatch.setattr(state_reading, "_read_rows", lambda *arguments: read.append(True) or whole(*arguments))
    found = newest_valid_checkpoint(SELF, parts_of(tmp_path / "out.h5"), scene.HASH)
    assert read == [True]
    assert found.state is not None
    order = np.argsort(scene.state(SELF, 60).grains.gid)
    assert np.array_equal(found.state.grains.fields["x"], scene.state(SELF, 60).grains.fields["x"][order])


def test_rows_are_written_while_the_next_ones_are_ordered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a write takes, it finds the rows that it was given."""
    monkeypatch.setattr(row_rounds, "PIECE", 64)
    monkeypatch.setattr(row_writer, "FEW", 1)
    put = RowWriter._put

    def late(self: RowWriter, *arguments: Any) -> None:
        time.sleep(0.002)
        put(self, *arguments)

    monkeypatch.setattr(RowWriter, "_put", late)
    write_checkpoint(SELF, tmp_path, scene.state(SELF, 20))
    got, given = read_checkpoint(SELF, tmp_path / "checkpoint-000000000020.h5"), scene.state(SELF, 20).grains
    for name, values in given.fields.items():
        assert np.array_equal(got.grains.fields[name], values[np.argsort(given.gid)])


def test_an_error_beside_the_rank_is_raised_where_it_is_waited_for() -> None:
    beside = Beside()
    beside.do(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError), beside:
        beside.do(int)


# -- disks that fail --------------------------------------------------------------------------------------------------------------------------

FAILING = """
import errno, os, sys
from pathlib import Path
import io_scene as scene
from mpi4py import MPI

out, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
calls, real = 0, os.pwrite

def pwrite(descriptor, data, place):
    global calls
    if name in os.readlink(f"/proc/self/fd/{descriptor}"):
        calls += 1
        if calls == number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return real(descriptor, data, place)

os.pwrite = pwrite
try:
    if name:
        scene.run(MPI.COMM_WORLD, out, 90)
    else:
        results, gid = scene.writer(MPI.COMM_WORLD, out), scene.owned(MPI.COMM_WORLD, 0)
        results.frame(0, 0.0, gid, {field: values[gid] for field, values in scene.fields(0).items()})
        raise ValueError("an error of something else, while a segment is open")
except Exception as error:
    kept = error  # with all that was at work in its traceback
    print(error, flush=True)
    sys.exit(3)
"""


@pytest.mark.parametrize(
    ("ranks", "name", "number", "shown"),
    [
        (1, "-frames.", 2, "-frames.h5"), (1, "-frames.", 60, "-frames.h5"), (1, "-frames.", 75, "-frames.h5"),
        (1, "-observables.", 2, "-observables.h5"), (1, "", 0, ""), (1, "static.h5", 2, "static.h5.new"), (1, "index.new", 2, "out.h5"),
        (3, "-frames.", 9, "-frames.h5"), (3, "", 0, ""), (3, "checkpoint-", 3, "checkpoint-000000000030.h5"), (3, "result.new", 3, "out.h5"),
    ],
)  # fmt: skip
def test_no_file_is_open_when_mpi_is_finalised(
    tmp_path: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]], ranks: int, name: str, number: int, shown: str
) -> None:
    """HDF5 would close it by way of an interpreter that is no more. What is said is that the file could not be written, not that one is damaged."""
    ended = run_mpi(ranks, "-c", FAILING, tmp_path / "out.h5", name, number, env=BESIDE, check=False)
    assert ended.returncode == 3, ended.stderr[-2000:]
    assert "signal" not in ended.stderr.lower()
    said = f"{shown} could not be written: No space left on device; free some space" if name else "an error of something else"
    assert ended.stdout.count(said) == ranks
    if name == "-frames.":  # of the first frame: it holds nothing, and a run that goes on would have to set it apart
        assert not list(parts_of(tmp_path / "out.h5").glob("segment-*"))


@pytest.mark.parametrize(("name", "number"), [("-frames.h5", 9), ("index.new", 2)])
def test_an_interrupt_amid_a_write(tmp_path: Path, name: str, number: int) -> None:
    """It is raised once HDF5 is done, which would not survive it."""
    program = FAILING.replace("raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))", "raise KeyboardInterrupt('now')")
    program = program.replace("except Exception", "except BaseException")
    command = [sys.executable, "-c", program, str(tmp_path / "out.h5"), name, str(number)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **BESIDE})
    assert (ended.returncode, ended.stdout) == (3, "now\n"), ended.stderr[-2000:]


def test_what_failed_is_forgotten_with_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 holds on to files that are open, and these to their error: without its traceback, in which is the writer, that would never close them."""
    gc.collect()
    before = h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE)
    real = os.pwrite

    def pwrite(descriptor: int, data: Any, place: int) -> int:
        if "frames.h5" in os.readlink(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data, place)

    monkeypatch.setattr(os, "pwrite", pwrite)
    try:
        scene.run(SELF, tmp_path / "out.h5", 90)
    except FileError as error:
        said = str(error)
    gc.collect()
    assert "could not be written: No space left on device" in said
    assert h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE) == before


# -- a domain that is damaged -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("corner", "value"), [("lower", b"text"), ("upper", np.zeros(2)), ("lower", np.array([0.1, 0.0, 0.0]))])
def test_a_box_that_is_not_what_was_written(out: Path, tmp_path: Path, corner: str, value: Any) -> None:
    """The checkpoint knows it too; a finished result that is prolonged does not, and nothing is made up then."""
    static = parts_of(out) / "static.h5"
    _damage_box(static, corner, value)
    results = scene.run(SELF, out, 90, resume=True)
    (notice,) = [text for text in results.notices if "domain" in text]
    assert notice.startswith(f"{static} is damaged: ")
    assert "particles/grains/box" in notice
    with h5py.File(out) as file:
        box = file["particles/grains/box"]
        assert (box.attrs["lower"].tolist(), box.attrs["upper"].tolist()) == ([0.0, 0.0, 0.0], [1.0, 1.0, 2.0])
        assert np.array_equal(box["edges/value"][0], [1.0, 1.0, 2.0])
    _damage_box(out, corner, value)
    with pytest.raises(FileError, match=r"\.h5 is damaged: .*particles/grains/box"):
        scene.run(SELF, out, 120, resume=True)


def _damage_box(path: Path, corner: str, value: Any) -> None:
    with h5py.File(path, "r+") as file:
        file["particles/grains/box"].attrs[corner] = value
