"""The state of a run as checkpoints hold it, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from .case import Case
from .errors import FileError
from .guard import made_once
from .io.results.paths import parts_of
from .io.state.checkpoint import newest_valid_checkpoint
from .io.state.full_state import ContactRows, FullState, GrainTable
from .state.population import ContactTable, Population
from .state.saved import RunState
from .version import LAYOUT

if TYPE_CHECKING:
    from .simulation import Simulation


def full_state(sim: Simulation) -> FullState:
    """Convert the state of a simulation to the form in which files hold it. Collective.

    Args:
        sim: the simulation.

    Returns:
        The state.
    """
    state = sim.state()
    fields = state.grains.saved_arrays()
    if state.left is not None:
        fields["left"] = state.left
    key, hist, warm = state.contacts.key, state.contacts.hist, state.contacts.warm
    contacts = ContactRows(key[:, 0], key[:, 1], key[:, 2], hist, warm)
    return FullState(state.header, GrainTable(state.grains.gid, fields), contacts, {"wall_motion": state.wall_motion}, LAYOUT)


def run_state(state: FullState) -> RunState:
    """Convert the state in a file to the form from which a simulation starts: the inverse of ``full_state``.

    Args:
        state: the state in a file.

    Returns:
        The state of the run.
    """
    fields = dict(state.grains.fields)
    left = fields.pop("left", None)
    grains = Population.made(len(state.grains.gid), {"gid": state.grains.gid, **fields})
    key = np.stack([state.contacts.lower, state.contacts.higher, state.contacts.sub], axis=1)
    contacts = ContactTable(key, state.contacts.floats, state.contacts.ints)
    return RunState(state.header, grains, contacts, state.small["wall_motion"], left)


def load_start(comm: MPI.Comm, out: Path, case: Case, accept_loss: bool = False) -> tuple[RunState | None, list[str]]:
    """Read the newest valid checkpoint of a run. Collective.

    Args:
        comm: communicator.
        out: path of the result file.
        case: case to be continued.
        accept_loss: whether to continue although parts of the output are missing or were changed.

    Returns:
        The state from which ``Simulation`` starts, or None if there is no checkpoint; sentences for the user.

    Raises:
        FileError: the checkpoint has another layout than this program uses, or parts are missing or changed; on every rank.
    """
    found = newest_valid_checkpoint(comm, parts_of(out), made_once(comm, case.hash), accept_loss)
    if found.state is None:
        return None, found.warnings
    state = found.state
    if state.layout != LAYOUT:
        raise FileError(
            f"{found.path} holds a state of layout {state.layout} and this pardem goes on from layout {LAYOUT}: resume with {state.writer}, or with "
            f"another pardem of layout {state.layout}, which `pardem --version` tells, or start anew with --force"
        )
    return run_state(state), found.warnings
