"""The flat arrays of a triangulation.

Space is the inside of a simplex whose four corners are at infinity (rows 0 to 3 of the points), so every facet but its four has two tetrahedra, hull
facets included, and tetrahedra that are all positive form a triangulation: a map of a ball to itself that keeps its boundary and all orientations
covers every point once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, njit
from .predicates import DIRECTIONS, INFINITE, LARGEST, SMALLEST

ABSENT, VERTEX, HIDDEN = 0, 1, 2  # what a row of the points is
HIGH, FREE, LIVE, QUEUE_HEAD, QUEUED, LOGGED, FLIP_23, FLIP_32, FLIP_44, FLIP_14, FLIP_41, HIDDEN_COUNT, STAR = range(13)  # slots of ``tally``
COUNTS = 13
"""``tally[STAR]``: the vertex whose opposite facets alone go into the queue; -1: all do."""
MARK = 63
"""Slot of ``work``: how many stars have been looked at."""
FLIPS = (FLIP_23, FLIP_32, FLIP_44, FLIP_14, FLIP_41)
OVERFLOWN = -1
"""Value of ``tally[LOGGED]`` where the log of edges does not hold all changes."""


class TetrahedralMesh(NamedTuple):
    """A triangulation of N - 4 points, with rows for T tetrahedra.

    Attributes:
        xw: (N, 4) float64: x, y, z (m), weight (m^2).
        key: (N,) int64: order of the perturbations.
        state: (N,) uint8: ABSENT, VERTEX or HIDDEN.
        at: (N,) int32: a tetrahedron with this vertex; of a hidden point one that it was in.
        vert: (T, 4) int32: the vertices of each tetrahedron, positively oriented; -1 in column 0: not in use.
        nbr: (T, 4) int32: 4 n + j, the neighbour n across the facet opposite each vertex and the place of its own vertex opposite that facet; -1: the
            outside. Column 0 of those not in use: the next one not in use.
        stamp: (T,) int32: how often a tetrahedron was exchanged for another.
        queue: (4 T,) int32, queued: (4 T,) uint8: ring of facets (4 t + i) to be tested, whether a facet is in it.
        log: (L, 3) int32: edges made (+1) and undone (-1) since they were listed.
        star: (1024,) int64: work space, tetrahedra of a vertex.
        mark: (T,) int64: work space, ``work[MARK]`` for those in it.
        work: (64,) int64: work space of a flip.
        tally: (COUNTS,) int64: slots as named above.
    """

    xw: np.ndarray
    key: np.ndarray
    state: np.ndarray
    at: np.ndarray
    vert: np.ndarray
    nbr: np.ndarray
    stamp: np.ndarray
    queue: np.ndarray
    queued: np.ndarray
    log: np.ndarray
    star: np.ndarray
    mark: np.ndarray
    work: np.ndarray
    tally: np.ndarray


@njit
def first_bad(xw, needed):
    """Set what is too small to 0.

    Args:
        xw: (n, 4) points and weights.
        needed: (n,) bool: rows that are looked at.

    Returns:
        the first row with a value that is not finite or too large; -1: there is none.
    """
    for i in range(len(xw)):
        if not needed[i]:
            continue
        for c in range(4):
            size = abs(xw[i, c])
            if not size <= (LARGEST if c < 3 else LARGEST**2):
                return i
            if size < (SMALLEST if c < 3 else SMALLEST**2):
                xw[i, c] = 0.0
    return -1


@njit(_nrt=True)
def make_mesh(rows, tetrahedra):
    """Allocate a mesh that holds the simplex of the points at infinity.

    Args:
        rows: capacity for points, the four at infinity included.
        tetrahedra: capacity for tetrahedra.

    Returns:
        The mesh.
    """
    mesh = TetrahedralMesh(
        np.zeros((rows, 4)),
        np.arange(-INFINITE, rows - INFINITE),
        np.zeros(rows, np.uint8),
        np.zeros(rows, np.int32),
        np.zeros((tetrahedra, 4), np.int32),
        np.zeros((tetrahedra, 4), np.int32),
        np.zeros(tetrahedra, np.int32),
        np.zeros(4 * tetrahedra, np.int32),
        np.zeros(4 * tetrahedra, np.uint8),
        np.zeros((256 + rows // 4, 3), np.int32),
        np.zeros(1024, np.int64),
        np.zeros(tetrahedra, np.int64),
        np.zeros(64, np.int64),
        np.zeros(COUNTS, np.int64),
    )
    for i in range(INFINITE):
        for c in range(3):
            mesh.xw[i, c] = DIRECTIONS[i, c]
    clear(mesh)
    return mesh


@kernel
def clear(mesh):
    """Remove all points. Counters of flips are left alone.

    Args:
        mesh: the triangulation's arrays.
    """
    for i in range(len(mesh.state)):
        mesh.state[i] = VERTEX if i < INFINITE else ABSENT
        mesh.at[i] = 0
    for t in range(len(mesh.vert)):
        mesh.vert[t, 0] = -1
    for f in range(len(mesh.queued)):
        mesh.queued[f] = 0
    for k in range(4):
        mesh.vert[0, k], mesh.nbr[0, k] = k, -1  # ``DIRECTIONS`` are positive in this order
    for slot in (QUEUE_HEAD, QUEUED, HIDDEN_COUNT):
        mesh.tally[slot] = 0
    mesh.tally[HIGH], mesh.tally[LIVE], mesh.tally[FREE], mesh.tally[STAR], mesh.tally[LOGGED] = 1, 1, -1, -1, OVERFLOWN


def enlarged(mesh: TetrahedralMesh, rows: int, tetrahedra: int) -> TetrahedralMesh:
    """Copy a mesh to larger arrays.

    Args:
        mesh: the triangulation's arrays.
        rows: capacity for points, the four at infinity included.
        tetrahedra: capacity for tetrahedra.

    Returns:
        The same triangulation with these capacities.
    """
    more: TetrahedralMesh = make_mesh(rows, tetrahedra)
    n, t, first = len(mesh.xw), len(mesh.vert), int(mesh.tally[QUEUE_HEAD])
    for name in ("xw", "key", "state", "at"):
        getattr(more, name)[:n] = getattr(mesh, name)
    for name in ("vert", "nbr", "stamp"):
        getattr(more, name)[:t] = getattr(mesh, name)
    more.queue[: 4 * t] = np.roll(mesh.queue, -first)
    more.queued[: 4 * t] = mesh.queued
    more.tally[:] = mesh.tally
    more.tally[QUEUE_HEAD], more.tally[LOGGED] = 0, OVERFLOWN
    return more


@inlined
def free_tetrahedra(mesh):
    """Count the tetrahedra that still fit into the arrays.

    Args:
        mesh: the triangulation's arrays.

    Returns:
        Their number.
    """
    return len(mesh.vert) - mesh.tally[LIVE]


@inlined
def take_tetrahedron(mesh):
    """Put an unused tetrahedron into use.

    Args:
        mesh: the triangulation's arrays, which must have one.

    Returns:
        Its index.
    """
    t = mesh.tally[FREE]
    if t >= 0:
        mesh.tally[FREE] = mesh.nbr[t, 0]
    else:
        t = mesh.tally[HIGH]
        mesh.tally[HIGH] += 1
    mesh.tally[LIVE] += 1
    return t


@inlined
def drop_tetrahedron(mesh, t):
    """Take a tetrahedron out of use.

    Args:
        mesh: the triangulation's arrays.
        t: its index.
    """
    mesh.vert[t, 0] = -1
    mesh.nbr[t, 0] = mesh.tally[FREE]
    mesh.tally[FREE] = t
    mesh.tally[LIVE] -= 1


@inlined
def enqueue(mesh, facet):
    """Put a facet into the queue of those to be tested, unless it is there already.

    Args:
        mesh: the triangulation's arrays.
        facet: number 4 t + i of the facet.
    """
    if mesh.queued[facet] == 0:
        mesh.queued[facet] = 1
        at = mesh.tally[QUEUE_HEAD] + mesh.tally[QUEUED]
        if at >= len(mesh.queue):
            at -= len(mesh.queue)
        mesh.queue[at] = facet
        mesh.tally[QUEUED] += 1


@inlined
def dequeue(mesh):
    """Take the first facet out of the queue.

    Args:
        mesh: the triangulation's arrays, whose queue must not be empty.

    Returns:
        Number 4 t + i of the facet.
    """
    head = mesh.tally[QUEUE_HEAD]
    facet = mesh.queue[head]
    mesh.tally[QUEUE_HEAD] = 0 if head + 1 == len(mesh.queue) else head + 1
    mesh.tally[QUEUED] -= 1
    mesh.queued[facet] = 0
    return facet


@inlined
def note_edge(mesh, a, b, change):
    """Log that an edge is created or removed.

    Args:
        mesh: the triangulation's arrays.
        a: one end.
        b: the other end.
        change: 1 if it is created, -1 if it is removed.
    """
    k = mesh.tally[LOGGED]
    if k < 0:
        return
    if k == len(mesh.log):
        mesh.tally[LOGGED] = OVERFLOWN
        return
    mesh.log[k, 0], mesh.log[k, 1], mesh.log[k, 2] = a, b, change
    mesh.tally[LOGGED] = k + 1


@kernel
def place_of(mesh, t, vertex):
    """Find the column of a vertex in a tetrahedron.

    Args:
        mesh: the triangulation's arrays.
        t: the tetrahedron.
        vertex: the vertex.

    Returns:
        The column; -1 if the tetrahedron does not have the vertex.
    """
    for k in range(4):
        if mesh.vert[t, k] == vertex:
            return k
    return -1


@inlined
def facet_of(mesh, t, i):
    """Return the vertices of a facet.

    Args:
        mesh: the triangulation's arrays.
        t: a tetrahedron.
        i: column of the vertex opposite the facet.

    Returns:
        Vertices a, b and c, such that a, b, c and the vertex opposite are positively oriented in this order.
    """
    if i == 0:
        return mesh.vert[t, 1], mesh.vert[t, 3], mesh.vert[t, 2]
    if i == 1:
        return mesh.vert[t, 0], mesh.vert[t, 2], mesh.vert[t, 3]
    if i == 2:
        return mesh.vert[t, 0], mesh.vert[t, 3], mesh.vert[t, 1]
    return mesh.vert[t, 0], mesh.vert[t, 1], mesh.vert[t, 2]
