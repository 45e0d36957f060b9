"""The halo: in every step, each rank sends what moves of its grains near those of other ranks.

Contacts without ghosts are evaluated while the messages are under way. Constants of a ghost (species, size, mass) and its pose are sent once, when
the lists are rebuilt. From then on ghosts follow: of each, its velocity and its spin or angular momentum are sent, and it is drifted and turned as by
its owner (``integrators.phases.follow``), to the same bits. Where an integrator needs more than that, the pose itself is sent in every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit, spliced
from ..state.arrays import FAULT, FAULT_STEP, LATE, NEVER, STEP
from .mpi_calls import start_all, start_reduction, wait_all


class Halo(NamedTuple):
    """Buffers and requests of a rank's halo.

    Attributes:
        parallel: (1,) int64 0 on one rank, where nothing is sent.
        send_index: (S,) int32 grains to send, by receiving rank.
        follows: (1,) int64 1: ghosts follow; 0: their poses are sent.
        moves: (2 to 4,) int64 how many numbers of a row are sent. If ghosts follow: of the velocity, and of the spin of a sphere or the angular
            momentum of another grain, the last ones; else: of position, velocity, spin and, unless all are spheres, orientation.
        send: (S, sum of moves) float64 send buffer.
        receive: (R, sum of moves) float64 receive buffer.
        requests: persistent requests, as C handles.
        vote: (3,) int64 first step at which this rank's lists may be stale, of its first fault, and at which its lists turned out to be stale.
        counted: (3,) int64 the minimum of the votes over ranks, once a vote is finished; until then it may hold anything.
        agreed: (3,) int64 that of the vote that was finished last.
        handles: (3,) uint64 data type, operation and communicator of the vote.
        ballot: (1,) request of the vote.
        adding: (3,) uint64 data type, operation and communicator of sums over ranks.
        shared: (2, 12 W + 3) int64 forces on servo walls and the vote that goes with them: of this rank, and the sums over ranks; else (2, 3).
        ignore: (1,) uint64 MPI_STATUSES_IGNORE.
    """

    parallel: np.ndarray
    send_index: np.ndarray
    follows: np.ndarray
    moves: np.ndarray
    send: np.ndarray
    receive: np.ndarray
    requests: np.ndarray
    vote: np.ndarray
    counted: np.ndarray
    agreed: np.ndarray
    handles: np.ndarray
    ballot: np.ndarray
    adding: np.ndarray
    shared: np.ndarray
    ignore: np.ndarray


@spliced
def moving_arrays(g):
    """Return the arrays that change at every step, in the order of those of ``state.population.Population`` that move.

    Args:
        g: `Grains`.
    """
    return g.x, g.v, g.w, g.q


@njit
def start_halo(halo, g, shapes):
    """Pack and send what moves of the grains that other ranks need.

    Args:
        halo: `Halo`.
        g: `state.Grains`.
        shapes: `state.Shapes`.
    """
    if halo.follows[0] != 0:
        size, last = halo.moves[0], halo.moves[1]
        for k in range(halo.send_index.shape[0]):
            i = halo.send_index[k]
            round_body = shapes.kind[g.species[i]] == 1
            for c in range(size):
                halo.send[k, c] = g.v[i, c]
            for c in range(3 - last, 3):
                halo.send[k, size + c + last - 3] = g.w[i, c] if round_body else g.am[i, c]
    else:
        _pack_poses(halo, g)
    if halo.requests.shape[0] > 0:
        start_all(halo.requests)


@njit
def _pack_poses(halo, g):
    """Pack poses, velocities and spins."""
    moving, at = moving_arrays(g), 0
    for part in range(halo.moves.shape[0]):
        array, width = moving[part], halo.moves[part]
        for k in range(halo.send_index.shape[0]):
            for c in range(width):
                halo.send[k, at + c] = array[halo.send_index[k], c]
        at += width


@njit
def finish_halo(halo, g, owned, shapes):
    """Wait for what moves of this rank's ghosts and put it in place.

    Args:
        halo: `Halo`.
        g: `state.Grains`.
        owned: number of rows of ``g`` that this rank owns; ghosts come next.
        shapes: `state.Shapes`.
    """
    if halo.requests.shape[0] > 0:
        wait_all(halo.requests, halo.ignore[0])
    if halo.follows[0] != 0:
        size, last = halo.moves[0], halo.moves[1]
        for k in range(halo.receive.shape[0]):
            i = owned + k
            round_body = shapes.kind[g.species[i]] == 1
            for c in range(size):
                g.v[i, c] = halo.receive[k, c]
            for c in range(3 - last, 3):
                value = halo.receive[k, size + c + last - 3]
                if round_body:
                    g.w[i, c] = value
                else:
                    g.am[i, c] = value
    else:
        _unpack_poses(halo, g, owned)


@njit
def _unpack_poses(halo, g, owned):
    """Put poses, velocities and spins in place."""
    moving, at = moving_arrays(g), 0
    for part in range(halo.moves.shape[0]):
        array, width = moving[part], halo.moves[part]
        for k in range(halo.receive.shape[0]):
            for c in range(width):
                array[owned + k, c] = halo.receive[k, at + c]
        at += width


@njit
def start_vote(halo, holds, control):
    """Start the agreement of the ranks on how long their lists hold, and whether a fault occurred or lists turned out to be stale.

    Args:
        halo: `Halo`.
        holds: first step at which the lists of this rank may be stale.
        control: (CONTROL,) int64 of this rank.
    """
    halo.vote[0] = holds
    halo.vote[1] = control[FAULT_STEP] if control[FAULT] != 0 else NEVER
    halo.vote[2] = control[LATE] if control[LATE] != 0 else NEVER
    start_reduction(halo.vote, halo.counted, halo.handles, halo.ballot)


@njit
def finish_vote(halo):
    """Wait for the agreement of the ranks.

    Args:
        halo: `Halo`, whose ``agreed`` is filled.
    """
    wait_all(halo.ballot, halo.ignore[0])
    for k in range(halo.counted.shape[0]):
        halo.agreed[k] = halo.counted[k]


@njit
def sum_reactions(walls):
    """Sum the forces on the walls into ``walls.total`` where there is one rank alone.

    Args:
        walls: `state.Walls`.
    """
    for k in range(walls.reaction.shape[0]):
        for c in range(walls.reaction.shape[1]):
            for limb in range(2):
                walls.total[k, c, limb] = walls.reaction[k, c, limb]


@njit
def share_reactions(halo, walls, anew, control):
    """Sum the forces on the walls over all ranks, exactly, into ``walls.total``; the same message serves as the vote.

    Args:
        halo: `Halo`.
        walls: `state.Walls`.
        anew: whether the lists of this rank may be stale in the next step.
        control: (CONTROL,) int64 of this rank.
    """
    mine, sums, count, step = halo.shared[0], halo.shared[1], walls.reaction.size, control[STEP]
    reaction, total = walls.reaction.reshape(count), walls.total.reshape(count)
    for k in range(count):
        mine[k] = reaction[k]
    mine[count] = 1 if anew else 0
    mine[count + 1] = 1 if control[FAULT] != 0 else 0
    mine[count + 2] = 1 if control[LATE] != 0 else 0
    start_reduction(mine, sums, halo.adding, halo.ballot)
    wait_all(halo.ballot, halo.ignore[0])
    for k in range(count):
        total[k] = sums[k]
    halo.agreed[0] = step + 1 if sums[count] > 0 else NEVER
    halo.agreed[1] = step if sums[count + 1] > 0 else NEVER
    halo.agreed[2] = step if sums[count + 2] > 0 else NEVER
