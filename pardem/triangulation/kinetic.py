"""Compiled: algorithm 2 of the thesis, flips in the order of the times at which facets become illegal, and the times for algorithm 3.

Algorithm 2 keeps the facets that become illegal before the end of the move in a heap. The sequence of triangulations is that of the moving points,
so no tetrahedron needs to stay positive when all points are put to their new places at once (Pournin, thesis, section 4.3). Times are rounded:
events too close to be told apart may come in the wrong order, so that a flip is not possible; it is passed over, and what is illegal in the end is
left to algorithm 1, after a test of all orientations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel, njit
from .flips import NEW
from .predicates import INFINITE
from .regularise import DONE, FLIPPED, FULL, NEEDED, flip_circuit
from .tetrahedral_mesh import FLIP_23, FLIP_32, FLIP_41, HIGH, QUEUED, dequeue, free_tetrahedra, place_of
from .trajectories import DEGREE, NEVER, facet_values, first_fall, stays_legal, tetrahedron_values

PAUSED = 3
"""As many flips as were asked for are done."""
HELD, DONE_FLIPS, PASSED_OVER = range(3)  # slots of ``Events.tally``


class Events(NamedTuple):
    """A heap of facets, ordered by the times at which they become illegal.

    Attributes:
        time: (C,) float64 times.
        facet: (C, 3) int32: facet 4 t + i and the stamps of its two tetrahedra when it was entered; it is void once a stamp has changed.
        x0: (N, 4) float64 points at time 0.
        x1: (N, 4) float64 points at time 1.
        xu: (N, 4) float64 points of the current facet at its time.
        now: (1,) float64 time of the last flip.
        circuit: (6,) int64: kind of the current flip (a slot of the mesh's counts) and its five vertices, apices last.
        tally: (3,) int64: facets in the heap, flips, impossible flips.
        values: work space.
        stack: work space.
    """

    time: np.ndarray
    facet: np.ndarray
    x0: np.ndarray
    x1: np.ndarray
    xu: np.ndarray
    now: np.ndarray
    circuit: np.ndarray
    tally: np.ndarray
    values: np.ndarray
    stack: np.ndarray


@njit(_nrt=True)
def make_events(mesh, x0, x1):
    """Allocate an empty heap that can hold every facet of a mesh.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.

    Returns:
        The heap.
    """
    size = 2 * len(mesh.vert) + 64
    facet = np.zeros((size, 3), np.int32)
    tally, values, stack = np.zeros(3, np.int64), np.zeros(DEGREE + 1), np.zeros((60, 8))
    return Events(np.zeros(size), facet, x0, x1, x0.copy(), np.zeros(1), np.zeros(6, np.int64), tally, values, stack)


@kernel
def _swap(events, i, j):
    events.time[i], events.time[j] = events.time[j], events.time[i]
    for k in range(3):
        events.facet[i, k], events.facet[j, k] = events.facet[j, k], events.facet[i, k]


@kernel
def _sift_down(events, i):
    n = events.tally[HELD]
    while True:
        least, child = i, 2 * i + 1
        if child < n and events.time[child] < events.time[least]:
            least = child
        if child + 1 < n and events.time[child + 1] < events.time[least]:
            least = child + 1
        if least == i:
            return
        _swap(events, i, least)
        i = least


@kernel
def _is_void(mesh, events, k):
    """Whether a tetrahedron at the facet of entry k has changed since."""
    facet = events.facet[k, 0]
    t = facet >> 2
    if mesh.vert[t, 0] < 0 or mesh.stamp[t] != events.facet[k, 1]:
        return True
    return mesh.stamp[mesh.nbr[t, facet & 3] >> 2] != events.facet[k, 2]


@kernel
def _purge(mesh, events):
    """Take void entries out of the heap."""
    kept = 0
    for k in range(events.tally[HELD]):
        if not _is_void(mesh, events, k):
            _swap(events, k, kept)
            kept += 1
    events.tally[HELD] = kept
    for k in range(kept // 2 - 1, -1, -1):
        _sift_down(events, k)


@kernel
def _schedule(mesh, events, facet, negative_counts):
    """Put a facet into the heap if it becomes illegal after ``now``."""
    beyond = mesh.nbr[facet >> 2, facet & 3]
    if beyond < 0:
        return
    facet_values(mesh, events.x0, events.x1, facet, events.values)
    time = first_fall(events.values, events.now[0], negative_counts, events.stack)
    if time > 1.0:
        return
    if events.tally[HELD] == len(events.time):
        _purge(mesh, events)
    k = events.tally[HELD]
    events.time[k] = time
    events.facet[k, 0], events.facet[k, 1], events.facet[k, 2] = facet, mesh.stamp[facet >> 2], mesh.stamp[beyond >> 2]
    events.tally[HELD] += 1
    while k > 0 and events.time[(k - 1) // 2] > events.time[k]:
        _swap(events, k, (k - 1) // 2)
        k = (k - 1) // 2


@kernel
def schedule_all(mesh, events):
    """Fill the heap with every facet of a regular triangulation that becomes illegal in the course of the move.

    Args:
        mesh: the triangulation's arrays.
        events: the heap.
    """
    for t in range(mesh.tally[HIGH]):
        if mesh.vert[t, 0] < 0:
            continue
        for i in range(4):
            if mesh.nbr[t, i] >> 2 > t and not stays_legal(mesh, events.x0, events.x1, 4 * t + i):
                _schedule(mesh, events, 4 * t + i, False)


@kernel
def _place(mesh, events, facet):
    """Positions of the vertices at a facet at its time."""
    t = facet >> 2
    n = mesh.nbr[t, facet & 3] >> 2
    u = events.now[0]
    for s in (t, n):
        for k in range(4):
            i = mesh.vert[s, k]
            if i >= INFINITE:
                for c in range(4):
                    events.xu[i, c] = (1.0 - u) * events.x0[i, c] + u * events.x1[i, c]


@kernel
def next_time(mesh, events):
    """Determine the time of the next flip.

    Args:
        mesh: the triangulation's arrays.
        events: the heap.

    Returns:
        The time; NEVER if there is none.
    """
    while events.tally[HELD] > 0:
        if not _is_void(mesh, events, 0):
            return events.time[0]
        events.tally[HELD] -= 1
        _swap(events, 0, events.tally[HELD])
        _sift_down(events, 0)
    return NEVER


@kernel
def advance(mesh, events, flips):
    """Carry out algorithm 2: flip facets that become illegal, in the order of time.

    Args:
        mesh: the triangulation's arrays.
        events: heap of facets.
        flips: largest number of flips.

    Returns:
        DONE (no events are left), PAUSED, or FULL (there is no storage for more tetrahedra).
    """
    w = mesh.work
    for _ in range(flips):
        time = next_time(mesh, events)
        if time > 1.0:
            return DONE
        if free_tetrahedra(mesh) < NEEDED:
            return FULL
        facet = events.facet[0, 0]
        events.now[0] = time
        events.tally[HELD] -= 1
        _swap(events, 0, events.tally[HELD])
        _sift_down(events, 0)
        _place(mesh, events, facet)
        before_23, before_32 = mesh.tally[FLIP_23], mesh.tally[FLIP_32]
        if flip_circuit(mesh, events.xu, facet, True) != FLIPPED:
            events.tally[PASSED_OVER] += 1
            continue
        events.tally[DONE_FLIPS] += 1
        kind = FLIP_23 if mesh.tally[FLIP_23] > before_23 else (FLIP_32 if mesh.tally[FLIP_32] > before_32 else FLIP_41)
        events.circuit[0] = kind
        for k in range(5):
            events.circuit[k + 1] = w[k]
        _schedule_changed(mesh, events)
    return PAUSED


@kernel
def _schedule_changed(mesh, events):
    """Put the facets of the tetrahedra made by the last flip into the heap."""
    w = mesh.work
    for j in range(5):
        for k in range(j + 1, 5):
            if w[NEW + j] >= 0 and w[NEW + k] >= 0:
                _schedule(mesh, events, 4 * w[NEW + j] + place_of(mesh, w[NEW + j], w[k]), False)
    while mesh.tally[QUEUED] > 0:
        _schedule(mesh, events, dequeue(mesh), True)


@kernel
def first_flat(mesh, x0, x1, start, values, stack):
    """Find the tetrahedron that becomes flat first, for algorithm 3.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) points at time 0.
        x1: (N, 4) points at time 1.
        start: time at which to begin.
        values: work space as in `Events`.
        stack: work space as in `Events`.

    Returns:
        Time in [start, 1] and tetrahedron; (NEVER, -1) if there is none.
    """
    earliest, which = NEVER, -1
    for t in range(mesh.tally[HIGH]):
        if mesh.vert[t, 0] < 0:
            continue
        tetrahedron_values(mesh, x0, x1, t, values)
        time = first_fall(values, start, True, stack)
        if time < earliest:
            earliest, which = time, t
    return earliest, which


@kernel
def leave_hull(mesh, xu, t):
    """Flip a tetrahedron out of the hull at the moment at which it is flat.

    Facets inside become illegal before that. The determinant of a facet on the hull, with a point at infinity beyond it, is that of the tetrahedron.

    Args:
        mesh: the triangulation's arrays.
        xu: (N, 4) coordinates (m) and weights (m^2) of the points at that moment.
        t: the tetrahedron.

    Returns:
        Whether one of its facets is on the hull and could be flipped.
    """
    for i in range(4):
        beyond = mesh.nbr[t, i]
        if beyond >= 0 and mesh.vert[beyond >> 2, beyond & 3] < INFINITE and flip_circuit(mesh, xu, 4 * t + i, True) == FLIPPED:
            return True
    return False
