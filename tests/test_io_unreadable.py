"""A disk that fails: what the system does not read is no damage, and what it does not write is an error at once."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import io_scene as scene
import numpy as np
import pytest
from mpi4py import MPI

from pardem import cli
from pardem.commands import cases
from pardem.errors import FileError
from pardem.io import reading
from pardem.io.results.output_lock import lock_of, reserved
from pardem.io.results.paths import base_step, parts_of
from pardem.io.state import checkpoint
from pardem.io.state.checkpoint import checkpoints, is_finished, newest_valid_checkpoint
from pardem.io.state.holders import Holders
from pardem.io.state.rowfile import RowFile
from pardem.io.state.shared_errors import UnreadableError, together, unreadable
from pardem.io.state.writable import WritableFile

SELF = MPI.COMM_SELF


class FailingDisk:
    """HDF5 files with a name that ends like this are not read, the first times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name, self.times, whole = "", 0, h5py.File

        def opening(name: Any, *arguments: Any, **options: Any) -> h5py.File:
            if self.times and str(name).endswith(self.name):
                self.times -= 1
                raise OSError(f"Can't synchronously read data (file read failed: time = now, errno = {errno.EIO}, error message = 'x')")
            return whole(name, *arguments, **options)

        monkeypatch.setattr(reading.h5py, "File", opening)

    def fails(self, path: Path, times: int = 1 << 30) -> None:
        """From now on."""
        self.name, self.times = path.name, times


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> FailingDisk:
    return FailingDisk(monkeypatch)


def test_a_checkpoint_that_is_not_read_is_not_passed_over(out: Path, disk: FailingDisk) -> None:
    """Older ones, or a new beginning, would cost what was computed since."""
    newest, older = checkpoints(parts_of(out))
    disk.fails(newest)
    with pytest.raises(FileError, match=rf"{newest} cannot be read: Input/output error; resume once .*, or remove it to go on without it"):
        newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
    newest.rename(newest.with_suffix(".away"))
    assert newest_valid_checkpoint(SELF, parts_of(out), scene.HASH).path == older


def test_what_seems_to_be_damaged_is_read_again(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 says of an object that it did not read that it is missing."""
    newest, whole, calls = checkpoints(parts_of(out))[0], checkpoint.read_state, []

    def once(comm: MPI.Comm, path: Path, keep: bool = True) -> Any:
        calls.append(path)
        if len(calls) == 1:
            raise FileError(f"{path} is damaged: grains is missing")
        return whole(comm, path, keep)

    monkeypatch.setattr(checkpoint, "read_state", once)
    found = newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
    assert (found.path, found.warnings, calls) == (newest, [], [newest, newest])


def test_parts_and_results_that_are_not_read_are_neither_damaged_nor_unfinished(out: Path, tmp_path: Path, disk: FailingDisk) -> None:
    (part, *_) = sorted(parts_of(out).glob("segment-*-frames.h5"))
    disk.fails(part)
    with pytest.raises(UnreadableError, match="Input/output error"):
        base_step(part)
    with pytest.raises(FileError, match=f"{part} cannot be read: Input/output error"):
        newest_valid_checkpoint(SELF, parts_of(out), scene.HASH)
    with pytest.raises(UnreadableError, match="Input/output error"):
        scene.run(SELF, out, 90, resume=True)
    disk.fails(out, 0)
    scene.run(SELF, out, 90, resume=True)
    assert is_finished(out)
    disk.fails(out)
    with pytest.raises(UnreadableError, match=f"{out} cannot be read"):
        is_finished(out)


def test_only_what_the_system_answers_of_the_disk_counts() -> None:
    path = Path("a.h5")
    for number, kind in (
        (errno.EIO, UnreadableError),
        (errno.EDQUOT, UnreadableError),
        (errno.ESTALE, UnreadableError),
        (errno.EINVAL, FileError),
        (errno.ENOENT, FileError),
    ):
        assert type(unreadable(path, OSError(number, os.strerror(number)))) is kind
        with pytest.raises(FileError, match=os.strerror(number)) as caught, together(SELF, "a.h5 cannot be read"):
            raise OSError(number, os.strerror(number))
        assert type(caught.value) is kind
    assert type(unreadable(path, OSError("truncated file: eof = 96"))) is FileError


@pytest.mark.mpi(min_size=2)
@pytest.mark.ranks(3)
def test_every_rank_hears_of_it() -> None:
    comm = MPI.COMM_WORLD

    def read() -> None:
        with together(comm, "a cannot be read"):
            if comm.rank == comm.size - 1:
                raise OSError(errno.EIO, "x")

    with pytest.raises(UnreadableError, match="a cannot be read: Input/output error"):
        read()


def test_writing_and_reopening(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    values = np.array([0x5EA15EA1_5EA15EA1, 3], dtype=np.int64)
    with WritableFile(path, "w") as file:
        file["whole"] = values
        file.create_dataset("chunked", (2,), np.int64, maxshape=(None,), chunks=(16,))[:] = values
        file.flush()
        assert path.read_bytes().count(values.tobytes()) == 2
    with WritableFile(path, "r+") as file:
        file["whole"][0] = 7
        assert file["whole"][:].tolist() == [7, 3]
    with h5py.File(path) as file:
        assert file["whole"][:].tolist() == [7, 3]
        assert file["chunked"][:].tolist() == values.tolist()
    with pytest.raises(OSError, match="No such file"):
        WritableFile(tmp_path / "none" / "a.h5", "w")
    (tmp_path / "no.h5").write_text("text")
    with pytest.raises(OSError, match="signature"):
        WritableFile(tmp_path / "no.h5", "r+")


def test_taking_space_back_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with RowFile(SELF, tmp_path / "a.h5", "w") as file:
        file.flush()
        monkeypatch.setattr(os, "truncate", refuse)
        with pytest.raises(FileError, match=r"a\.h5 could not be written: Input/output error"):
            file.reserve(100, Holders.of(SELF, 100))


FAILING_WRITES = """
import errno, gc, os, sys
from pathlib import Path
import h5py
import numpy as np
from pardem.io.state.writable import WritableFile

path, number, lasts = Path(sys.argv[1]), 0, bool(int(sys.argv[2]))
real, calls = os.pwrite, 0

def pwrite(descriptor, data, place):
    global calls
    calls += 1
    if calls == number or (lasts and number and calls > number):
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
    return real(descriptor, data, place)

def fill(mode):
    with WritableFile(path, mode) as file:
        group = file.require_group(f"group {len(file)}")
        group.attrs["text"] = "x" * 1000
        group["large"] = np.arange(100_000)
        group.create_dataset("rows", (0, 3), maxshape=(None, 3), chunks=(64, 3))
        for k in range(100):
            group["rows"].resize(k + 1, axis=0)
            group["rows"][k] = k
        group["link"] = h5py.ExternalLink("other.h5", "/a")

fill("w")
start = path.read_bytes()
os.pwrite = pwrite
fill("r+")
whole, failed = calls, 0
for number in range(1, whole + 1):
    path.write_bytes(start)
    calls = 0
    try:
        fill("r+")
    except OSError as error:
        assert error.errno == errno.EDQUOT, error
        failed += 1
    gc.collect()
assert failed == whole > 10, (failed, whole)
number = 0
path.write_bytes(start)
fill("r+")
with h5py.File(path) as file:
    assert file["group 1/large"][-1] == 99_999 and len(file["group 1/rows"]) == 100
"""


@pytest.mark.parametrize("lasts", [0, 1])
def test_a_disk_that_fails_at_any_write(tmp_path: Path, lasts: int) -> None:
    """The error is raised with its number, and the process goes on and ends as ever, wherever HDF5 was when it came."""
    done = subprocess.run([sys.executable, "-c", FAILING_WRITES, str(tmp_path / "a.h5"), str(lasts)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_lock_that_cannot_be_removed_hides_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.h5"

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    def run() -> None:
        with reserved(SELF, out):
            monkeypatch.setattr(Path, "unlink", refuse)
            raise FileError("full")

    with pytest.raises(FileError, match="full"):
        run()
    monkeypatch.undo()
    assert lock_of(out).exists()
    with reserved(SELF, out):
        pass
    assert not lock_of(out).exists()


def test_an_interrupted_command_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> Callable[..., object]:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError

    monkeypatch.setattr(cases, "_run", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background inherit that the signal is ignored
    try:
        assert cli.main(["run", "case.toml"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "pardem: interrupted\n"
