"""The halo: in every step, each rank sends the poses and velocities of its grains near those of other ranks.

Contacts without ghosts are evaluated while the messages are under way. Constants of a ghost (species, size, mass) are sent
once, when the lists are rebuilt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit, spliced
from ..state.arrays import FAULT
from .mpi_calls import start_all, start_reduction, wait_all


class Halo(NamedTuple):
    """Buffers and requests of a rank's halo.

    Attributes:
        parallel: (1,) int64 0 on one rank, where nothing is sent.
        send_index: (S,) int32 grains to send, by receiving rank.
        moves: (3 or 4,) int64 how many numbers of a row of position, velocity, angular velocity and, unless all are spheres, orientation are sent.
        send: (S, sum of moves) float64 send buffer.
        receive: (R, sum of moves) float64 receive buffer.
        requests: persistent requests, as C handles.
        vote: (2,) int64 this rank's wish to rebuild and its fault.
        agreed: (2,) int64 the maximum of the votes over ranks.
        handles: (3,) uint64 data type, operation and communicator of the vote.
        ballot: (1,) request of the vote.
        adding: (3,) uint64 data type, operation and communicator of sums over ranks.
        sum: (1,) request of such a sum.
        ignore: (1,) uint64 MPI_STATUSES_IGNORE.
    """

    parallel: np.ndarray
    send_index: np.ndarray
    moves: np.ndarray
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


@spliced
def moving_arrays(g):
    """Return the arrays that change at every step, in the order of those of ``state.population.Population`` that move.

    Args:
        g: `Grains`.
    """
    return g.x, g.v, g.w, g.q


@njit
def start_halo(halo, g):
    """Pack and send the poses that other ranks need.

    Args:
        halo: `Halo`.
        g: `state.Grains`.
    """
    moving, at = moving_arrays(g), 0
    for part in range(halo.moves.shape[0]):
        array, width = moving[part], halo.moves[part]
        for k in range(halo.send_index.shape[0]):
            for c in range(width):
                halo.send[k, at + c] = array[halo.send_index[k], c]
        at += width
    if halo.requests.shape[0] > 0:
        start_all(halo.requests)


@njit
def finish_halo(halo, g, owned):
    """Wait for the poses of this rank's ghosts and put them in place.

    Args:
        halo: `Halo`.
        g: `state.Grains`.
        owned: number of rows of ``g`` that this rank owns; ghosts follow.
    """
    if halo.requests.shape[0] > 0:
        wait_all(halo.requests, halo.ignore[0])
    moving, at = moving_arrays(g), 0
    for part in range(halo.moves.shape[0]):
        array, width = moving[part], halo.moves[part]
        for k in range(halo.receive.shape[0]):
            for c in range(width):
                array[owned + k, c] = halo.receive[k, at + c]
        at += width


@njit
def start_vote(halo, wish, control):
    """Start the agreement of the ranks on whether to rebuild the lists and whether a fault occurred.

    Args:
        halo: `Halo`.
        wish: whether this rank wishes to rebuild, 0 or 1.
        control: (CONTROL,) int64 of this rank, with its fault.
    """
    halo.vote[0] = wish
    halo.vote[1] = control[FAULT]
    if halo.parallel[0]:
        start_reduction(halo.vote, halo.agreed, halo.handles, halo.ballot)
    else:
        halo.agreed[0], halo.agreed[1] = halo.vote[0], halo.vote[1]


@njit
def finish_vote(halo):
    """Wait for the agreement of the ranks.

    Args:
        halo: `Halo`.

    Returns:
        The largest wish and the largest fault code of all ranks, the same on every rank.
    """
    if halo.parallel[0]:
        wait_all(halo.ballot, halo.ignore[0])
    return halo.agreed[0], halo.agreed[1]


@njit
def sum_reactions(halo, walls):
    """Sum the forces on the walls over all ranks, exactly, into ``walls.total``.

    Args:
        halo: `Halo`.
        walls: `state.Walls`.
    """
    if halo.parallel[0]:
        start_reduction(walls.reaction, walls.total, halo.adding, halo.sum)
        wait_all(halo.sum, halo.ignore[0])
    else:
        for k in range(walls.reaction.shape[0]):
            for c in range(walls.reaction.shape[1]):
                for limb in range(2):
                    walls.total[k, c, limb] = walls.reaction[k, c, limb]
