"""Interrupts (Ctrl-C) that come where Python loses them, or amid a call of a library that turns them into another error."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from conftest import Ended
from test_campaign import study_in
from test_campaign_deaths import SHORT

from pardem import cli
from pardem.campaign import one_run
from pardem.commands import cases
from pardem.guard import EXIT_INTERRUPTED
from pardem.interrupts import came_of_interrupt, lost_ones_come_again
from pardem.io.state.writable import WritableFile, _Disk


@pytest.fixture(autouse=True)
def raised() -> Iterator[None]:
    """Interrupts are exceptions; tests in the background inherit that they are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def turned(error: type[Exception]) -> Exception:
    """What a library makes of an interrupt."""
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise SystemError("returned a result with an exception set") from interrupt
    except SystemError as found:
        made = error("something has failed")
        made.__context__ = found
        return made


class Interrupting:
    """An object."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def delete() -> None:
    """Delete an object amid whose end an interrupt comes."""
    Interrupting()


def end_reference() -> None:
    """End a weak reference amid whose callback an interrupt comes."""
    kept = set[int]()
    reference = weakref.ref(kept, lambda _: signal.raise_signal(signal.SIGINT))
    del kept
    assert reference() is None


@pytest.mark.parametrize("lose", [delete, end_reference])
def test_an_interrupt_that_is_lost_comes_again(capfd: pytest.CaptureFixture[str], lose: Callable[[], None]) -> None:
    def go_on() -> None:
        with lost_ones_come_again():
            lose()
            time.sleep(30.0)

    with pytest.raises(KeyboardInterrupt):
        go_on()
    assert capfd.readouterr().err == ""


def test_other_errors_that_are_lost_are_told_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type))
    kept = set[int]()
    with lost_ones_come_again():
        reference = weakref.ref(kept, lambda _: 1 // 0)
        del kept
    assert reference() is None
    assert told == [ZeroDivisionError]


def test_an_error_tells_whether_it_came_of_an_interrupt() -> None:
    assert came_of_interrupt(KeyboardInterrupt())
    assert came_of_interrupt(turned(OSError))
    assert not came_of_interrupt(OSError())
    assert not came_of_interrupt(None)
    first, second = OSError(), ValueError()
    first.__context__, second.__context__ = second, first
    assert not came_of_interrupt(first)


PROGRAM = """
import sys
import test_interrupts
from pardem import cli
from pardem.commands import cases

def run(arguments, comm):
    raise test_interrupts.turned(SystemError)

cases._run = run
sys.exit(cli.main(["run", "case.toml"]))
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_command_that_ends_by_it_says_so(run_mpi: Callable[..., subprocess.CompletedProcess[str]], ranks: int) -> None:
    here = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = run_mpi(ranks, "-c", PROGRAM, check=False, env={"PYTHONPATH": here})
    assert done.returncode == (EXIT_INTERRUPTED if ranks == 1 else 1)
    assert done.stderr.count("pardem: interrupted") == 1
    assert "Traceback" not in done.stderr


def test_it_is_no_failure_of_a_run_of_a_campaign(tmp_path: Path, pardem: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    study, plain = study_in(tmp_path, SHORT), one_run.run_case

    def interrupted(case: Any, **options: Any) -> Any:
        raise turned(SystemError)

    monkeypatch.setattr(one_run, "run_case", interrupted)
    assert cli.main(["campaign", "run", str(study)]) == EXIT_INTERRUPTED
    assert not list(tmp_path.glob("study.runs/*/row.json"))
    monkeypatch.setattr(one_run, "run_case", plain)
    pardem("campaign", "run", str(study))
    assert len((tmp_path / "study.csv").read_text().splitlines()) == 5


def test_what_is_no_interrupt_is_raised_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any) -> int:
        raise LookupError("odd")

    monkeypatch.setattr(cases, "_run", run)
    with pytest.raises(LookupError, match="odd"):
        cli.main(["run", "case.toml"])


@pytest.mark.parametrize("method", ["seek", "readinto", "write", "truncate"])
def test_an_interrupt_at_the_beginning_of_a_call_from_hdf5_is_raised_later(tmp_path: Path, method: str) -> None:
    """There no statement has begun that could catch it, and an exception would leave the library with a file that is neither open nor closed."""
    code, came = getattr(_Disk, method).__code__, []

    def interrupt(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is code and len(came) < 2:
            came.append(event)
            signal.raise_signal(signal.SIGINT)

    file = WritableFile(tmp_path / "file.h5", "w")
    file["numbers"] = np.arange(100000)
    sys.setprofile(interrupt)
    try:
        file["others"] = file["numbers"][::2]
        with pytest.raises(KeyboardInterrupt):
            file.flush()
    finally:
        sys.setprofile(None)
    with pytest.raises(KeyboardInterrupt):
        file.close()
    assert isinstance(file._disk.failure, KeyboardInterrupt)
    assert came
    assert not file
    with WritableFile(tmp_path / "file.h5", "w") as again:
        again["numbers"] = np.arange(10)


def test_elsewhere_an_interrupt_is_raised_at_once(tmp_path: Path) -> None:
    """The handler that spares calls from HDF5 is Python's own one for all else, and takes the place of no other."""
    with WritableFile(tmp_path / "file.h5", "w") as file:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        file["numbers"] = np.arange(10)
    other = signal.getsignal(signal.SIGINT)
    assert other is not signal.default_int_handler
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with WritableFile(tmp_path / "file.h5", "r+") as file:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert file["numbers"][:].sum() == 45


def test_an_interrupt_amid_a_reduction_comes_after_it(run_mpi: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    """MPI calls Python for it, where an exception ends the process."""
    (tmp_path / "agree.py").write_text("""
import signal
from mpi4py import MPI
from pardem.decomposition import agreement

def interrupted(*records):
    signal.raise_signal(signal.SIGINT)
    combine(*records)

signal.signal(signal.SIGINT, signal.default_int_handler)
combine, agreement._combine = agreement._combine, interrupted
try:
    agreement.sums_and_maxima(MPI.COMM_WORLD, [1], [2.0])
except KeyboardInterrupt:
    print("interrupted after", *agreement.sums_and_maxima(MPI.COMM_SELF, [1], [2.0]))
""")
    assert "interrupted after [1] [2.0]" in run_mpi(2, tmp_path / "agree.py").stdout
