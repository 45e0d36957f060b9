"""Which grains other ranks need to see, and the standing requests that carry their poses every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI

from ..state.population import Population
from .exchange import exchange_rows
from .halo import WIDTH, WIDTH_SPHERE, Halo
from .mpi_calls import HANDLE, STATUSES_IGNORE, handle_of

TAG = 71


@dataclass
class GhostPlan:
    """What a rank sends to whom: row indices sorted by receiving rank, and counts."""

    index: np.ndarray
    counts: np.ndarray


def plan_ghosts(comm: MPI.Comm, axis: int, x: np.ndarray, extent: np.ndarray, skin: float, period: float) -> GhostPlan:
    """Choose the grains whose oriented extent plus skin reaches the grains of another rank. Collective.

    Args:
        comm: communicator. axis: of the slabs.
        x: (n, >=3) wrapped centres; extent: (n, 3) half-extents (m).
        skin: extra reach (m). period: along the axis (m), 0: open.
    """
    low, high = x[:, axis] - extent[:, axis], x[:, axis] + extent[:, axis]
    mine = np.array([low.min(), high.max()]) if len(low) else np.array([np.inf, -np.inf])
    reach = np.empty((comm.size, 2))
    comm.Allgather(mine, reach)
    index, counts = [], np.zeros(comm.size, np.int64)
    for rank in range(comm.size):
        if rank == comm.rank or reach[rank, 0] > reach[rank, 1]:
            continue
        meets = np.zeros(len(low), bool)
        for shift in (0.0,) if period == 0.0 else (0.0, -period, period):
            meets |= (low + shift - skin <= reach[rank, 1]) & (high + shift + skin >= reach[rank, 0])
        rows = np.nonzero(meets)[0]
        index.append(rows)
        counts[rank] = len(rows)
    return GhostPlan(np.concatenate(index).astype(np.int32) if index else np.zeros(0, np.int32), counts)


def fetch_ghosts(comm: MPI.Comm, plan: GhostPlan, grains: Population) -> tuple[Population, np.ndarray]:
    """Exchange whole ghosts, constants included. Collective.

    Returns:
        the ghosts, by sending rank, and how many come from each.
    """
    floats, ints = grains.take(plan.index).pack()
    floats, arriving = exchange_rows(comm, floats, plan.counts)
    ints, _ = exchange_rows(comm, ints, plan.counts)
    ghosts = Population.unpack(floats, ints, grains.ft.shape[1])
    ghosts.ft[:] = 0
    return ghosts, arriving


class HaloChannel:
    """Owns the buffers and persistent requests behind a ``Halo``; made anew at each rebuild."""

    def __init__(self, comm: MPI.Comm, plan: GhostPlan, arriving: np.ndarray, spheres: bool, ballot: np.ndarray) -> None:
        width = WIDTH_SPHERE if spheres else WIDTH
        send, receive = np.empty((len(plan.index), width)), np.empty((int(arriving.sum()), width))
        self._requests: list[MPI.Prequest] = []
        self.messages = 0
        self.bytes = send.nbytes
        at = 0
        for rank in np.nonzero(arriving)[0]:
            n = int(arriving[rank])
            self._requests.append(comm.Recv_init(receive[at : at + n], int(rank), TAG))
            at += n
        at = 0
        for rank in np.nonzero(plan.counts)[0]:
            n = int(plan.counts[rank])
            self._requests.append(comm.Send_init(send[at : at + n], int(rank), TAG))
            self.messages += 1
            at += n
        handles: list[Any] = [handle_of(r) for r in self._requests]
        self.halo = Halo(
            np.array([int(comm.size > 1)]), plan.index, send, receive, np.array(handles, dtype=HANDLE),
            np.zeros(2, np.int64), np.zeros(2, np.int64),
            np.array([handle_of(MPI.INT64_T), handle_of(MPI.MAX), handle_of(comm)], dtype=np.uint64), ballot,
            np.array([handle_of(MPI.INT64_T), handle_of(MPI.SUM), handle_of(comm)], dtype=np.uint64), null_ballot(),
            np.array([STATUSES_IGNORE], dtype=np.uint64),
        )  # fmt: skip

    def free(self) -> None:
        """Release the requests; none may be under way."""
        for request in self._requests:
            request.Free()
        self._requests = []


def null_ballot() -> np.ndarray:
    """A request that is not under way: waiting for it returns at once."""
    return np.array([handle_of(MPI.REQUEST_NULL)], dtype=HANDLE)
