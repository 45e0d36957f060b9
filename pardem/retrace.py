"""A run that has stopped on a fault goes back to its newest checkpoint and on to a few steps before the fault, so that this state can be kept.

The state in which a fault is found is no good: the force that was out of bounds is missing in it. Since the same steps give the same bits, the state
before it is had again at the price of the steps since the checkpoint.
"""

from __future__ import annotations

from pathlib import Path

from mpi4py import MPI

from .case import Case
from .errors import BlowUpError
from .io.results.paths import parts_of
from .io.state.checkpoint import checkpoints, read_checkpoint, step_of
from .recorder import RecordedContacts, Recorder
from .run_state import run_state
from .simulation import Simulation

MARGIN = 3
"""Steps between the state that is kept and the one in which a fault was found: what led to it has begun, and nothing is out of bounds yet."""


def retraced(case: Case, out: Path, kept_step: int | None, goal: int, comm: MPI.Comm) -> tuple[Simulation, RecordedContacts] | None:
    """Repeat the steps from the newest checkpoint of a run, or from its start, up to a step before its fault. Collective.

    Args:
        case: case of the run.
        out: its result file.
        kept_step: step of its newest checkpoint, or None.
        goal: step to reach.
        comm: communicator.

    Returns:
        The simulation at that step, its contacts observed and recorded; None if the steps came out otherwise this time.
    """
    start = None
    if kept_step is not None:
        path = next(path for path in checkpoints(parts_of(out)) if step_of(path) == kept_step)
        start = run_state(read_checkpoint(comm, path))
    try:
        sim = Simulation(case, comm, start)
        asked, recorder = sim.engine.recorder, Recorder()
        sim.engine.recorder = recorder
        sim.step(goal - sim.steps_done, observe=True)
    except BlowUpError:
        return None
    sim.engine.recorder = recorder if asked is not None else None
    return sim, recorder.contacts
