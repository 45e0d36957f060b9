"""Real runs for tests of robustness: a small case with friction, history and a moving wall, started, watched and killed through the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from test_run import CASE

PATIENCE = 200.0  # seconds that a loaded machine may take to get somewhere


def case_file(folder: Path) -> Path:
    """The case in a folder."""
    path = folder / "case.toml"
    path.write_text(CASE)
    return path


def settings(**values: object) -> list[str]:
    """Arguments ``--set key=value``; two underscores stand for a dot."""
    return [part for key, value in values.items() for part in ("--set", f"{key.replace('__', '.')}={value}")]


def until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Wait for a condition, as long as the process lives."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, f"ended with status {process.returncode} before that"
        assert time.monotonic() < end
        time.sleep(0.002)


def ranks_of(process: subprocess.Popen[str]) -> list[int]:
    """Process ids of the ranks of an mpirun."""
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill -9 the ranks and their mpirun at once, and wait until none is left."""
    ranks = ranks_of(process)
    for pid in [*ranks, process.pid]:
        os.kill(pid, signal.SIGKILL)
    process.wait()
    end = time.monotonic() + PATIENCE
    while any(_lives(pid) for pid in ranks):
        assert time.monotonic() < end
        time.sleep(0.01)


def _lives(pid: int) -> bool:
    """Whether a thread of a process still runs: the first may be gone while others still hold the open files."""
    try:
        states = [stat.read_text().rpartition(")")[2].split()[0] for stat in Path(f"/proc/{pid}/task").glob("*/stat")]
    except (FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}").exists()
    return any(state not in "ZX" for state in states)
