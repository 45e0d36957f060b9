"""Real runs for tests of robustness: a small case with friction, history and a moving wall, started, watched and killed through the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 200.0  # seconds that a loaded machine may take to get somewhere
CASE = """
seed = 3
gravity = [0.0, 0.0, -9.81]
[time]
step = 2e-5
[domain]
lower = [-5e-3, -5e-3, -2e-3]
upper = [5e-3, 5e-3, 30e-3]
[[species]]
name = "rod"
shape = "spherocylinder"
radius = 0.25e-3
length = 1.5e-3
density = 1900.0
[[insert]]
species = "rod"
count = 60
region = { kind = "cylinder", radius = 3e-3, lower = 0.0, upper = 8e-3 }
[contact]
restitution = 0.4
contact_time = 6e-4
friction = 0.2
[[wall]]
name = "tube"
kind = "cylinder"
radius = 3e-3
[[wall]]
name = "base"
kind = "disc"
center = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
radius = 3e-3
[[stage]]
name = "settle"
kind = "settle"
energy_per_grain = 1e-12
max_time = 0.01
[[stage]]
name = "shake"
kind = "vibrate"
wall = "base"
taps = 1
frequency = 30.0
gamma = 3.0
[output]
frame_taps = 0.25
contacts = true
observable_steps = 50
checkpoint_steps = 800
"""


def case_file(folder: Path) -> Path:
    """The case in a folder."""
    path = folder / "case.toml"
    path.write_text(CASE)
    return path


def settings(**values: object) -> list[str]:
    """Arguments ``--set key=value``; two underscores stand for a dot."""
    return [part for key, value in values.items() for part in ("--set", f"{key.replace('__', '.')}={value}")]


SHORT = settings(insert__0__count=3, stage="[{name='go', kind='run', steps=20}]", output__frame_steps=10)


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
