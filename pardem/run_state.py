"""The state of a simulation as checkpoints hold it, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from .case import Case
from .errors import FileError
from .io.results.paths import parts_of
from .io.state.checkpoint import newest_valid_checkpoint, read_checkpoint
from .simulation import Simulation
from .state.population import ContactTable, Population

LAYOUT = 3  # of the state; one more whenever an array of it changes its columns


def full_state(sim: Simulation) -> tuple[dict[str, Any], tuple[Any, ...], tuple[Any, ...], dict[str, np.ndarray]]:
    """Header, grains, contacts and small arrays, as ``pardem.io.state.checkpoint.write_checkpoint`` takes them. Collective."""
    grains, left = sim.engine.everyone()
    fields = {name: array for name, array in vars(grains).items() if name != "gid" and array.shape[1:] != (0,)}
    if sim.engine.outflow is not None:
        fields["left"] = left
    table = sim.engine.owned_contacts()
    contacts = (table.key[:, 0], table.key[:, 1], table.key[:, 2], table.hist, table.warm)
    walls = sim.setup.scene.walls
    return {"layout": LAYOUT, **sim.header()}, (grains.gid, fields), contacts, {"wall_motion": walls.motion.copy()}


def load_start(comm: MPI.Comm, out: Path, case: Case, accept_loss: bool = False) -> tuple[dict[str, Any] | None, list[str]]:
    """The newest valid checkpoint of a run. Collective.

    Args:
        comm: communicator. out: result file. case: that goes on.
        accept_loss: go on without parts of the output that are missing or were changed.

    Returns:
        what ``Simulation`` starts from, or None where there is no checkpoint; sentences for the user.

    Raises:
        FileError: the checkpoint is of another layout than this program's, or parts are missing or changed; on every rank.
    """
    found = newest_valid_checkpoint(comm, parts_of(out), case.hash(), accept_loss)
    if found.path is None:
        return None, found.warnings
    state = read_checkpoint(comm, found.path)
    if state.header.get("layout") != LAYOUT:
        raise FileError(
            f"{found.path} holds a state of layout {state.header.get('layout', 1)} and this pardem goes on from layout {LAYOUT}: resume with "
            f"{state.writer}, which wrote it, or start anew with --force"
        )
    left = state.grains.fields.pop("left", None)
    grains = Population(gid=state.grains.gid, **state.grains.fields)
    c = state.contacts
    key = np.stack([c.lower, c.higher, c.sub], axis=1)
    contacts = ContactTable(key, c.floats, c.ints)
    return {"header": state.header, "grains": grains, "left": left, "contacts": contacts, "small": state.small}, found.warnings
