"""What a simulation begins with on a rank: the grains of its case, those of another run, or the state of a checkpoint."""

from __future__ import annotations

from typing import NamedTuple

from mpi4py import MPI

from .case import Case
from .contacts.dispatch import history_width
from .inflow import NOT_YET, Inflow
from .outflow import Outflow
from .setup.continuation import Continuation, continued
from .setup.initial_grains import own_initial_grains
from .setup.pours import grains_to_come, plan_of
from .setup.preparation import Setup
from .state.arrays import sum_columns
from .state.population import ContactTable, Population
from .state.saved import RunState


class Beginning(NamedTuple):
    """State of a rank before its first step.

    Attributes:
        grains: that are there.
        contacts: their living contacts.
        total: number of grains of all ranks, with those that have left and those that are to come.
        step: number of the step.
        outflow: grains that have left before; None: none.
        inflow: grains that are to come; None if nothing is poured.
        continuation: what is taken over from another run (`[start]`), if anything is.
    """

    grains: Population
    contacts: ContactTable
    total: int
    step: int = 0
    outflow: Outflow | None = None
    inflow: Inflow | None = None
    continuation: Continuation | None = None


def beginning(comm: MPI.Comm, case: Case, setup: Setup, start: RunState | None) -> Beginning:
    """Put together what a simulation begins with. Collective.

    Args:
        comm: communicator.
        case: validated case.
        setup: the same case prepared.
        start: state of a run to go on from, or None to start from the case.

    Raises:
        PardemError: the grains of the case cannot be made; on every rank.
    """
    return _of_case(comm, case, setup) if start is None else _of_state(comm, case, setup, start)


def _of_case(comm: MPI.Comm, case: Case, setup: Setup) -> Beginning:
    grains, scene, continuation = own_initial_grains(comm, case, setup.catalogue), setup.scene, None
    contacts = ContactTable.blank(history_width(scene.interaction, scene.law, scene.settings))
    if case.origin is not None and case.origin.state is not None:
        continuation = continued(case, setup, case.origin.state)
        grains.widen(*sum_columns(scene.settings))
        grains, contacts = Population.joined([continuation.grains, grains]), continuation.contacts
    count = int(comm.allreduce(grains.count))
    plan = plan_of(case, setup.catalogue, count)
    if plan is None:
        return Beginning(grains, contacts, count, continuation=continuation)
    coming = grains_to_come(comm, case, plan)
    coming.widen(*sum_columns(scene.settings))
    inflow = Inflow(comm, plan, coming)
    return Beginning(grains, contacts, count + inflow.count, inflow=inflow, continuation=continuation)


def _of_state(comm: MPI.Comm, case: Case, setup: Setup, start: RunState) -> Beginning:
    setup.scene.walls.motion[:] = start.wall_motion
    count, header = int(comm.allreduce(start.grains.count)), start.header
    if start.left is None:
        return Beginning(start.grains, start.contacts, count, header.step)
    gone, coming = start.left >= 0, start.left == NOT_YET
    outflow = inflow = None
    if header.outflow is not None:
        outflow = Outflow(comm, start.grains.take(gone), start.left[gone], header.outflow.carried)
    if header.inflow is not None:
        plan = plan_of(case, setup.catalogue, count - sum(pour.count for pour in case.pour))
        assert plan is not None
        inflow = Inflow(comm, plan, start.grains.take(coming), header.inflow)
    return Beginning(start.grains.take(~gone & ~coming), start.contacts, count, header.step, outflow, inflow)
