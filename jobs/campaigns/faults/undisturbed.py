"""A small run that nobody disturbs, and what must hold of the output of one that was disturbed: nothing lost, and in the end the same bits."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from mpi4py import MPI

from pardem.errors import FileError
from pardem.events import RunEvent
from pardem.io.casefile import read_case
from pardem.io.results.output_lock import lock_of
from pardem.io.results.paths import damaged_of, parts_of
from pardem.io.state.checkpoint import newest_valid_checkpoint
from pardem.io.views.compare import compare
from pardem.io.views.info import info
from pardem.io.views.verify import verify
from pardem.run import run_case
from pardem.run_options import RunOptions

TUBE = """
time = { step = 2e-5 }
domain = { lower = [-5e-3, -5e-3, -2e-3], upper = [5e-3, 5e-3, 30e-3] }
species = [{ name = "rod", shape = "spherocylinder", radius = 0.25e-3, length = 1.5e-3, density = 1900.0 }]
contact = { restitution = 0.4, contact_time = 6e-4, friction = 0.2 }
wall = [
    { name = "tube", kind = "cylinder", radius = 3e-3 },
    { name = "base", kind = "disc", center = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0], radius = 3e-3 },
]
"""
CASE = f"""{TUBE}
seed = 3
insert = [{{ species = "rod", count = 60, region = {{ kind = "cylinder", radius = 3e-3, lower = 0.0, upper = 8e-3 }} }}]
stage = [
    {{ name = "settle", kind = "settle", energy_per_grain = 1e-12, max_time = 0.006 }},
    {{ name = "shake", kind = "vibrate", wall = "base", taps = 1, frequency = 100.0, gamma = 5.0 }},
]
detection = {{ skin = 4e-5 }}
output = {{ frame_steps = 40, contacts = true, observable_steps = 20, checkpoint_steps = 100 }}
"""
LIMIT = 600.0  # seconds that a run may take, on many ranks and few cores that others use as well
STOPPED = 300  # step at which the stopped run is asked to stop
SELF = MPI.COMM_SELF


def stopping(step: int) -> Callable[[RunEvent], None]:
    """What asks a run to stop, as a scheduler does, at its first checkpoint from a step on.

    Args:
        step: the step.
    """

    def stop(event: RunEvent) -> None:
        if event.kind == "checkpoint" and event.step >= step:
            os.kill(os.getpid(), signal.SIGUSR1)

    return stop


class Undisturbed:
    """The case in a folder, its result, and a run of it that was stopped after some checkpoints.

    Args:
        folder: for all of it.
    """

    def __init__(self, folder: Path) -> None:
        self.case, self.result, self.stopped = folder / "case.toml", folder / "whole.h5", folder / "stopped" / "out.h5"  # an index names its parts
        self.stopped.parent.mkdir()
        self.case.write_text(CASE)
        case, quiet = read_case(self.case), RunOptions(quiet=True)
        self.hash = case.hash()
        assert run_case(case, out=self.result, comm=SELF, options=quiet).finished

        assert not run_case(case, out=self.stopped, comm=SELF, options=quiet, on_event=stopping(STOPPED)).finished

    def reached(self, out: Path) -> int:
        """Step of the newest checkpoint of an output, -1 where there is none.

        Args:
            out: result file.

        Raises:
            FileError: something that had been written is missing or cannot be read.
        """
        found = newest_valid_checkpoint(SELF, parts_of(out), self.hash)
        if found.warnings:
            raise FileError(found.warnings[0])
        if found.path is None:
            return -1
        assert found.state is not None
        wrong = [f"{verdict.path}: {problem}" for verdict in verify(out) for problem in verdict.problems]
        if wrong:
            raise FileError(wrong[0])
        if out.exists():
            info(out)
        return int(found.state.header.step)

    def difference(self, out: Path) -> str:
        """What keeps a finished output from being that of the undisturbed run, as a sentence; nothing if it is.

        Args:
            out: result file.
        """
        try:
            found = compare(out, self.result)
        except FileError as error:
            return str(error)
        if found is not None:
            return str(found)
        left = [path for path in (lock_of(out), parts_of(out), damaged_of(out)) if path.exists()]
        return f"{left[0]} is left" if left else ""
