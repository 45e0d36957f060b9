"""Commands on ranks in a session of their own: started, watched through /proc, and ended after their time with all processes that belong to them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from preloading import FORKS, kernels

ENVIRONMENT = os.environ | {
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",  # more ranks than there are cores
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
LIBRARY, END_WITH_PARENT = ctypes.CDLL(None), 1  # PR_SET_PDEATHSIG
AFTERWARDS = 30.0  # seconds that the ranks may outlive their launcher
GIVEN_UP = (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL, -signal.SIGABRT)
CRASHES = ("Segmentation fault", "Bus error", "Floating point exception", "Illegal instruction", "double free", "free(): ", "Assertion `")


HERE = Path(__file__).parent
SOON = 120.0  # seconds in which all is imported


class _Serving:
    """The process that forks ranks (`preloading.py`), if there is one, and where it listens."""

    place: Path | None = None
    process: subprocess.Popen[bytes]


@contextlib.contextmanager
def preloaded(folder: Path) -> Iterator[None]:
    """Fork ranks off a process that has imported pardem and loaded the kernels that this process has loaded; commands without ranks start anew.

    Args:
        folder: an empty one.

    Yields:
        Nothing.
    """
    place = folder / "server"
    place.with_suffix(".kernels").write_bytes(pickle.dumps(kernels()))
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, HERE / "preloading.py", place], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_prepare
        )
    try:
        end = time.monotonic() + SOON
        while not place.exists():
            if server.poll() is not None or time.monotonic() > end:
                said = (folder / "log").read_text() or f"it was not ready within {SOON:g} s; free the machine and start the campaign again"
                raise RuntimeError(f"the process that forks ranks failed: {said}")
            time.sleep(0.02)
        _Serving.place, _Serving.process = place, server
        yield
    finally:
        _Serving.place = None
        server.kill()
        server.wait()


class Command:
    """A command that has been started.

    Args:
        ranks: number of ranks; 0: the process alone, without a launcher.
        arguments: of Python.
        log: file for what it prints.
        folder: in which it is started.
        prefix: of the command, for instance one that gives up privileges.
        more: variables of the environment.

    Attributes:
        pid: of the launcher, or of the process alone.
    """

    def __init__(
        self, ranks: int, arguments: Sequence[object], log: Path, folder: Path, *, prefix: Sequence[str] = (), more: dict[str, str] | None = None
    ) -> None:
        launcher = ["mpirun", "-n", str(ranks)] if ranks else []
        program, more = [sys.executable], dict(more or {})
        self.forks: Path | None = None
        if ranks and _Serving.place is not None and not prefix and "LD_PRELOAD" not in more:
            if _Serving.process.poll() is not None:
                raise RuntimeError(f"the process that forks ranks has ended: {(_Serving.place.parent / 'log').read_text()}")
            program += ["-I", "-S", str(HERE / "stub.py"), str(_Serving.place)]
            self.forks = log.with_suffix(".forks")
            self.forks.mkdir()
            more[FORKS] = str(self.forks)
        command = [*prefix, *launcher, *program, *map(str, arguments)]
        self.began, self.log, self.alone = time.monotonic(), log, not ranks
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                command, cwd=folder, env=ENVIRONMENT | more, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                preexec_fn=_prepare,
            )  # fmt: skip
        self.pid = self._process.pid

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    @property
    def lives(self) -> bool:
        """Whether the launcher, or the process alone, has not ended."""
        return self._process.poll() is None

    @property
    def said(self) -> str:
        """What the command has printed so far."""
        return self.log.read_text(errors="replace")

    def members(self) -> list[int]:
        """Processes of the session and their forks, without those that have ended."""
        found = self._forked()
        for place in Path("/proc").iterdir():
            if not place.name.isdigit():
                continue
            try:
                state, _, _, session = (place / "stat").read_text().rpartition(")")[2].split()[:4]
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(session) == self.pid and (state not in "ZX" or _has_threads(place)):
                found.append(int(place.name))
        return found

    def ranks(self) -> list[int]:
        """Processes of the ranks."""
        if self.forks is not None:
            return self._forked()
        return [self.pid] if self.alone else sorted(pid for pid in self.members() if pid != self.pid and _is_python(pid))

    def _forked(self) -> list[int]:
        """Forks that have not ended, by rank."""
        found = []
        for note in self.forks.iterdir() if self.forks is not None else ():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
                state, parent = Path(f"/proc/{note.name}/stat").read_text().rpartition(")")[2].split()[:2]
                if int(parent) == _Serving.process.pid and state not in "ZX":
                    found.append((int(note.read_text()), int(note.name)))
        return [pid for _, pid in sorted(found)]

    def until(self, condition: Callable[[], object], seconds: float) -> bool:
        """Wait for a condition as long as the command goes on.

        Args:
            condition: asked every few milliseconds.
            seconds: how long at most.

        Returns:
            Whether it came true.
        """
        end = time.monotonic() + seconds
        while not condition():
            if not self.lives or time.monotonic() > end:
                return bool(condition())
            time.sleep(0.002)
        return True

    def send(self, number: int, pids: Sequence[int]) -> None:
        """Send a signal to processes of this command, where they have not ended.

        Args:
            number: of the signal.
            pids: processes.
        """
        there = set(self.members())
        for pid in pids:
            if pid in there:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    continue

    def wait(self, seconds: float) -> int | None:
        """Wait for the end of all processes, and end those that are left after that time.

        Args:
            seconds: how long at most.

        Returns:
            The status of the command; None where it, or one of its processes, had to be ended.
        """
        try:
            status: int | None = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        end = time.monotonic() + (AFTERWARDS if status is not None else 0.0)
        while (left := self.members()) and time.monotonic() < end:
            time.sleep(0.02)
        if left:
            status = None
            while left := self.members():
                self.send(signal.SIGKILL, left)
                time.sleep(0.02)
            self._process.wait()
        return status

    def fault(self, status: int | None, sent: int = 0) -> str:
        """What is wrong with the way in which the command ended: an outcome of `trials.BAD`, or nothing.

        Args:
            status: what ``wait`` returned.
            sent: signal that was sent to it.
        """
        said, own = self.said, signal.strsignal(sent) if sent else None
        if status is None:
            return "too long"
        if "Traceback (most recent call last)" in said:
            return "traceback"
        if (status in GIVEN_UP and -status != sent) or any(text in said for text in CRASHES if text != own):
            return "crash"
        return ""


def _prepare() -> None:
    """In the new process: no core files, and it ends with a campaign that is killed; SIGINT ends it though one in the background ignores it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    LIBRARY.prctl(END_WITH_PARENT, signal.SIGTERM)


def _has_threads(place: Path) -> bool:
    """Whether threads of a process still run whose first one has ended: they hold its open files."""
    try:
        states = [stat.read_text().rpartition(")")[2].split()[0] for stat in (place / "task").glob("*/stat")]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(state not in "ZX" for state in states)


def _is_python(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0] == sys.executable.encode()
    except (FileNotFoundError, ProcessLookupError):
        return False
