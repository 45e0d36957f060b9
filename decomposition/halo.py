"""The halo: every step each rank sends the poses and velocities of its grains near other slabs, and overlaps the flight with interior contacts.

Constants of a ghost (species, size, mass) are sent once, when the lists are rebuilt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit
from ..state.arrays import FAULT
from .mpi_calls import start_all, start_reduction, wait_all

WIDTH_SPHERE, WIDTH = 9, 13  # doubles per ghost: position, velocity, spin (, orientation)


class Halo(NamedTuple):
    """Buffers and requests of a rank's halo.

    Attributes:
        parallel: (1,) int64: 0 on one rank (nothing is sent).
        send_index: (S,) int32 grains to send, by receiving rank.
        send: (S, width), receive: (R, width) float64 buffers.
        requests: persistent requests, as C handles.
        vote: (2,) int64 this rank's wish to rebuild and its fault; agreed: (2,) the maximum over ranks.
        handles: (3,) uint64 data type, operation and communicator of the vote. ballot: (1,) its request.
        adding: (3,) uint64 the same for sums over ranks. sum: (1,) their request.
        ignore: (1,) uint64 MPI_STATUSES_IGNORE.
    """

    parallel: np.ndarray
    send_index: np.ndarray
    send: np.ndarray
    receive: np.ndarray
    requests: np.ndarray
    vote: np.ndarray
    agreed: np.ndarray
    handles: np.ndarray
    ballot: np.ndarray
    adding: np.ndarray
    sum: np.ndarray
    ignore: np.ndarray


@njit
def start_halo(halo, g):
    """Pack and send the poses that other ranks need."""
    send, index = halo.send, halo.send_index
    for k in range(index.shape[0]):
        i = index[k]
        for c in range(3):
            send[k, c] = g.x[i, c]
            send[k, 3 + c] = g.v[i, c]
            send[k, 6 + c] = g.w[i, c]
        if send.shape[1] == WIDTH:
            for c in range(4):
                send[k, 9 + c] = g.q[i, c]
    if halo.requests.shape[0] > 0:
        start_all(halo.requests)


@njit
def finish_halo(halo, g, owned):
    """Wait for the poses of this rank's ghosts and put them in place."""
    if halo.requests.shape[0] > 0:
        wait_all(halo.requests, halo.ignore[0])
    receive = halo.receive
    for k in range(receive.shape[0]):
        i = owned + k
        for c in range(3):
            g.x[i, c] = receive[k, c]
            g.v[i, c] = receive[k, 3 + c]
            g.w[i, c] = receive[k, 6 + c]
        if receive.shape[1] == WIDTH:
            for c in range(4):
                g.q[i, c] = receive[k, 9 + c]


@njit
def start_vote(halo, wish, control):
    """Start the agreement on whether to rebuild and whether anything went wrong."""
    halo.vote[0] = wish
    halo.vote[1] = control[FAULT]
    if halo.parallel[0]:
        start_reduction(halo.vote, halo.agreed, halo.handles, halo.ballot)
    else:
        halo.agreed[0], halo.agreed[1] = halo.vote[0], halo.vote[1]


@njit
def finish_vote(halo):
    """The agreed wish and fault; the same on every rank."""
    if halo.parallel[0]:
        wait_all(halo.ballot, halo.ignore[0])
    return halo.agreed[0], halo.agreed[1]


@njit
def sum_reactions(halo, walls):
    """Add up the forces on the walls over all ranks, exactly, into ``walls.total``."""
    if halo.parallel[0]:
        start_reduction(walls.reaction, walls.total, halo.adding, halo.sum)
        wait_all(halo.sum, halo.ignore[0])
    else:
        walls.total[:] = walls.reaction
