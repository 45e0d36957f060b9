"""Runs cut in two, and continued from a checkpoint on another number of ranks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mpi4py import MPI

from pardem.case import Case
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import write_checkpoint
from pardem.io.views.compare import compare
from pardem.run_state import full_state, load_start
from pardem.simulation import Simulation


def part(comm: MPI.Comm, case: Case, out: Path, step: int) -> Path:
    """Go on from the newest checkpoint beside ``out``, or from the case, up to a step, and write a checkpoint there."""
    start, _ = load_start(comm, out, case)
    simulation = Simulation(case, comm, start)
    simulation.step(step - simulation.steps_done)
    return write_checkpoint(comm, parts_of(out), full_state(simulation))


def check_that_cuts_do_not_show(comm: MPI.Comm, case: Case, folder: Path, cuts: Iterable[int], step: int) -> None:
    """All ranks go up to a cut and one goes on from there: at a later step the state is that of one rank without a cut."""
    whole = part(MPI.COMM_SELF, case, folder / "whole.h5", step) if comm.rank == 0 else None
    for cut in cuts:
        part(comm, case, folder / f"{cut}.h5", cut)
        if comm.rank == 0:
            assert compare(whole, part(MPI.COMM_SELF, case, folder / f"{cut}.h5", step)) is None
        comm.Barrier()
