"""Which grains other ranks need to see, and the standing requests that carry their poses every step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI

from ..state.arrays import NEVER
from ..state.population import Population
from .boxes import images_in_reach, occupied_boxes, rows_in_reach
from .exchange import RowExchange
from .halo import Halo
from .mpi_calls import HANDLE, STATUSES_IGNORE, handle_of

TAG = 71
NEEDED = tuple(name for name, column in Population.columns.items() if column.ghosts)
MOVES = tuple(column.moves for column in Population.columns.values() if column.moves)
MOVES_OF_SPHERES = MOVES[:-1]  # their orientation, which comes last, does not move


def moving_numbers(spheres: bool, follows: bool, planar: bool) -> np.ndarray:
    """Determine how many numbers of a ghost are sent in every step.

    Args:
        spheres: whether all grains are spheres.
        follows: whether poses follow from velocities, spins and angular momenta (``integrators.phases.follows``).
        planar: whether the simulation is two-dimensional: then v_z, w_x and w_y are zero throughout.

    Returns:
        int64 numbers by array, as in ``Halo.moves``.
    """
    if follows:
        return np.array((2, 1) if planar else (3, 3))
    return np.array(MOVES_OF_SPHERES if spheres else MOVES)


class GhostPlan(NamedTuple):
    """Grains that a rank sends to others.

    Attributes:
        rows: (S,) int32 rows of the grains, by receiving rank.
        exchange: exchange that brings rows in this order to their ranks.
    """

    rows: np.ndarray
    exchange: RowExchange


def no_ghosts(comm: MPI.Comm) -> GhostPlan:
    """Choose no grain at all. Collective.

    Args:
        comm: communicator.

    Returns:
        The plan.
    """
    return GhostPlan(np.zeros(0, np.int32), RowExchange(comm, np.zeros(0, np.int64)))


def plan_ghosts(comm: MPI.Comm, x: np.ndarray, extent: np.ndarray, skin: float, period: np.ndarray) -> GhostPlan:
    """Choose the grains whose oriented extent plus skin reaches the box that bounds the grains of another rank. Collective.

    Args:
        comm: communicator.
        x: (n, 3 or more) wrapped centres (m).
        extent: (n, 3) half-extents (m).
        skin: distance beyond contact within which pairs are candidates (m).
        period: (3,) period of the domain (m), 0 where it is not periodic.

    Returns:
        The plan.
    """
    if comm.size == 1:
        return no_ghosts(comm)
    boxes = occupied_boxes(comm, x, extent)
    rows, ranks = rows_in_reach(x, extent, boxes[comm.rank], images_in_reach(boxes, comm.rank, skin, period))
    return GhostPlan(rows, RowExchange(comm, ranks))


def fetch_ghosts(plan: GhostPlan, grains: Population) -> Population:
    """Fetch the grains of other ranks that this rank needs to see, constants included, in the order of the sending ranks. Collective.

    Args:
        plan: what to send.
        grains: grains of this rank.

    Returns:
        The ghosts.
    """
    return grains.received(plan.exchange(grains.take(plan.rows).records(NEEDED)))


class HaloChannel:
    """Owns the buffers and persistent requests of a ``Halo``; made anew at each rebuild.

    Args:
        plan: what is sent to which rank.
        moves: how many numbers of a ghost are sent in every step (``moving_numbers``).
        follows: whether ghosts follow; else their poses are sent.
        shared: how many whole numbers the ranks sum in every step beside their vote.
    """

    def __init__(self, plan: GhostPlan, moves: np.ndarray, follows: bool, shared: int) -> None:
        comm, leaving, arriving = plan.exchange.comm, plan.exchange.leaving, plan.exchange.arriving
        send, receive = np.empty((len(plan.rows), moves.sum())), np.empty((int(arriving.sum()), moves.sum()))
        self._requests: list[MPI.Prequest] = []
        self.messages = 0
        self.bytes = send.nbytes
        at = 0
        for rank in np.flatnonzero(arriving):
            n = int(arriving[rank])
            self._requests.append(comm.Recv_init(receive[at : at + n], int(rank), TAG))
            at += n
        at = 0
        for rank in np.flatnonzero(leaving):
            n = int(leaving[rank])
            self._requests.append(comm.Send_init(send[at : at + n], int(rank), TAG))
            self.messages += 1
            at += n
        self.halo = Halo(
            np.array([int(comm.size > 1)]), plan.rows, np.array([int(follows)]), moves, send, receive, _handles(self._requests),
            np.full(3, NEVER), np.full(3, NEVER), np.full(3, NEVER),
            np.array([handle_of(MPI.INT64_T), handle_of(MPI.MIN), handle_of(comm)], dtype=np.uint64), null_ballot(),
            np.array([handle_of(MPI.INT64_T), handle_of(MPI.SUM), handle_of(comm)], dtype=np.uint64), np.zeros((2, shared + 3), np.int64),
            np.array([STATUSES_IGNORE], dtype=np.uint64),
        )  # fmt: skip

    def free(self) -> None:
        """Release the requests, none of which may be active."""
        for request in self._requests:
            request.Free()
        self._requests = []


def null_ballot() -> np.ndarray:
    """Return a request that is not active: waiting for it returns at once."""
    return _handles([MPI.REQUEST_NULL])


def _handles(requests: list[Any]) -> np.ndarray:
    """The handles of requests; those of MPICH, integers of 32 bits, come with their sign carried on to 64."""
    return np.array([handle_of(request) for request in requests], dtype=np.uint64).astype(HANDLE)
