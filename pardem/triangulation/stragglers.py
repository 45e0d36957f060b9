"""Compiled: moves that turn tetrahedra over, made point by point.

A move of some length turns a few tetrahedra over, thin ones most of them. All points go to their new places at once but those few that stand in the
way: these go to where no tetrahedron is negative, and algorithm 1 makes the triangulation regular. Then they follow one by one, each on a straight
line up to shortly before the first of its tetrahedra is flat, with algorithm 1 after every part. So this is algorithm 3 of the thesis (Pournin,
section 4.3), which stops all points for each flat tetrahedron, on ways that differ from point to point: only the places before and after a move
matter. As one point moves, volumes are linear in time, and a part costs what the point has tetrahedra. Not for points on the hull, where no facet
becomes illegal before a tetrahedron is flat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel
from ..compiled.vectors import ahead, cross, dot, put_row, row, subtract
from .incidence import star_of
from .predicates import INFINITE, orientation
from .regularise import DONE, FULL, NEEDED, STUCK, regularise, scan_star
from .tetrahedral_mesh import HIDDEN, QUEUE_HEAD, QUEUED, enqueue, facet_of, free_tetrahedra, place_of
from .trajectories import Moment, flatness

GONE, DRIFTED, BEHIND = 0, 1, 2  # where a point is: at its new place, moved as its neighbours are on average, at its old place
SHORT = 2.0**-10
"""Part of the way to the first flat tetrahedron that is left."""
PARTS = 50
"""Of the way of one point before it is given up."""
LARGEST = 128
"""Tetrahedra of a point that may be held back: large spheres among small ones go where they go, the small ones around them make room."""
HALVES = 20
"""Of a part that rounding makes too long."""


@kernel
def _is_positive(mesh, t):
    return orientation(mesh.xw, mesh.key, mesh.vert[t, 0], mesh.vert[t, 1], mesh.vert[t, 2], mesh.vert[t, 3]) > 0


@kernel
def _first_negative(mesh, n):
    """Place in ``star`` of the first negative tetrahedron among n; -1: there is none."""
    for k in range(n):
        if not _is_positive(mesh, mesh.star[k]):
            return k
    return -1


class Stragglers(NamedTuple):
    """A move of points, and the points that are held back in it.

    Attributes:
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.
        where: (N,) uint8 GONE, DRIFTED or BEHIND for each point.
        held: (H,) int32 points held back.
        waiting: (W,) int32 tetrahedra that may be negative.
    """

    x0: np.ndarray
    x1: np.ndarray
    where: np.ndarray
    held: np.ndarray
    waiting: np.ndarray


@kernel
def _put(mesh, move, p, n, where):
    """Place a point, whose n tetrahedra are in ``star``, as ``where`` says."""
    x0, x1 = move.x0, move.x1
    for c in range(3):
        if where == GONE:
            mesh.xw[p, c] = x1[p, c]
            continue
        mesh.xw[p, c] = x0[p, c]
        if where == BEHIND:
            continue
        drift, count = 0.0, 0
        for k in range(n):
            for i in range(4):
                q = mesh.vert[mesh.star[k], i]
                if q >= INFINITE and q != p:
                    drift += x1[q, c] - x0[q, c]
                    count += 1
        if count > 0:
            mesh.xw[p, c] += drift / count


@kernel
def _list_negative(mesh, waiting):
    """Write the negative tetrahedra with a facet of column 0 in the queue to ``waiting``; returns how many, or -1 if they are too many."""
    listed = 0
    for q in range(mesh.tally[QUEUED]):
        facet = mesh.queue[(mesh.tally[QUEUE_HEAD] + q) % len(mesh.queue)]
        if facet & 3 == 0 and not _is_positive(mesh, facet >> 2):
            if listed == len(waiting):
                return -1
            waiting[listed] = facet >> 2
            listed += 1
    return listed


@kernel
def _drift_one(mesh, move, t):
    """Hold back the first point of a tetrahedron with which all its tetrahedra are positive then; returns the point, -1: there is none."""
    for i in range(4):
        p = mesh.vert[t, i]
        if p < INFINITE or move.where[p] != GONE:
            continue
        n = star_of(mesh, p, LARGEST)
        if n < 0:
            continue
        _put(mesh, move, p, n, DRIFTED)
        if _first_negative(mesh, n) < 0:
            move.where[p] = DRIFTED
            return p
        _put(mesh, move, p, n, GONE)
    return -1


@kernel
def _put_back(mesh, move, t, count, listed):
    """Put the points of a tetrahedron back by one degree, and list the tetrahedra that are negative afterwards.

    Args:
        mesh: the triangulation's arrays.
        move: `Stragglers`.
        t: the tetrahedron.
        count: number of points held back so far.
        listed: number of tetrahedra in ``move.waiting`` so far.

    Returns:
        Both numbers afterwards; ``listed`` is -1 if there is no storage left or none of the points can be put back.
    """
    where, held, waiting = move.where, move.held, move.waiting
    raised = False
    for i in range(4):
        p = mesh.vert[t, i]
        if p < INFINITE or where[p] == BEHIND:
            continue
        n = star_of(mesh, p, LARGEST)
        if n < 0:
            continue
        if listed + n >= len(waiting) or (where[p] == GONE and count == len(held)):
            return count, -1
        raised = True
        if where[p] == GONE:
            held[count] = p
            count += 1
        where[p] += 1
        _put(mesh, move, p, n, where[p])
        for m in range(n):
            if not _is_positive(mesh, mesh.star[m]):
                waiting[listed] = mesh.star[m]
                listed += 1
    return count, listed if raised else -1


@kernel
def hold_back(mesh, move):
    """Put points back until no tetrahedron is negative; the facets of their tetrahedra are put into the queue.

    Args:
        mesh: the triangulation's arrays. It was regular at ``move.x0`` and has its points at ``move.x1``; its queue holds facets of all negative
            tetrahedra.
        move: `Stragglers`. ``where`` must be GONE everywhere and is set to where each point is put; ``held`` is filled with the points held back.

    Returns:
        Number of points held back; -1 if there is no storage for so many points or negative tetrahedra, or if none of the points of a negative
        tetrahedron can be held back.
    """
    held, waiting = move.held, move.waiting
    count, k = 0, 0
    listed = _list_negative(mesh, waiting)
    if listed < 0:
        return -1
    while k < listed:
        t = waiting[k]
        k += 1
        if _is_positive(mesh, t):
            continue
        p = _drift_one(mesh, move, t) if count < len(held) else -1
        if p >= 0:
            held[count] = p
            count += 1
            continue
        count, listed = _put_back(mesh, move, t, count, listed)
        if listed < 0:
            return -1
    for k in range(count):
        n = star_of(mesh, held[k], len(mesh.star))
        if n < 0:
            return -1
        _touch(mesh, held[k], n)
    return count


@kernel
def _touch(mesh, p, n):
    """The facets of the n tetrahedra of vertex p, in ``star``, are to be tested; those that contain p from one side only."""
    for k in range(n):
        t = mesh.star[k]
        for i in range(4):
            if mesh.vert[t, i] == p or mesh.nbr[t, i] >> 2 > t:
                enqueue(mesh, 4 * t + i)


@kernel
def _volumes(mesh, t, p, start, goal):
    """Volumes (times six) of tetrahedron t with its vertex p at two places."""
    i = place_of(mesh, t, p)
    a, b, c = facet_of(mesh, t, i)
    if min(a, min(b, c)) >= INFINITE:
        o = row(mesh.xw, a)
        across = cross(subtract(row(mesh.xw, b), o), subtract(row(mesh.xw, c), o))
        return dot(across, subtract(start, o)), dot(across, subtract(goal, o))
    put_row(mesh.xw, p, goal)
    after = flatness(Moment(mesh.xw, mesh.xw, 0.0), a, b, c, p, -1)
    put_row(mesh.xw, p, start)
    return flatness(Moment(mesh.xw, mesh.xw, 0.0), a, b, c, p, -1), after


@kernel
def _go_on(mesh, x1, p):
    """Move a vertex towards its new place as far as its tetrahedra stay positive; returns whether it could move."""
    n = star_of(mesh, p, len(mesh.star))
    if n < 0:
        return False
    xw, goal = mesh.xw, row(x1, p)
    start = row(xw, p)
    part = 1.0
    for k in range(n):
        before, after = _volumes(mesh, mesh.star[k], p, start, goal)
        if after <= 0.0 < before:
            part = min(part, (1.0 - SHORT) * before / (before - after))
    for _ in range(HALVES):
        put_row(xw, p, goal if part == 1.0 else ahead(start, part, subtract(goal, start)))
        if scan_star(mesh, p, n):
            return True
        part *= 0.5
    put_row(xw, p, start)
    return False


@kernel
def follow(mesh, move, count, first):
    """Move the points that were held back to their new places, one after the other.

    Args:
        mesh: the triangulation's arrays.
        move: `Stragglers`, as left by `hold_back`.
        count: number of points that were held back.
        first: number of those that have arrived already.

    Returns:
        Number of points that have arrived, and DONE, STUCK or FULL. After FULL, enlarge the mesh and call again.
    """
    x1 = move.x1
    status, parts = regularise(mesh, False), 0
    while status == DONE and first < count:
        if free_tetrahedra(mesh) < NEEDED:
            return first, FULL
        p = move.held[first]
        if mesh.state[p] == HIDDEN:
            put_row(mesh.xw, p, row(x1, p))
        if mesh.xw[p, 0] == x1[p, 0] and mesh.xw[p, 1] == x1[p, 1] and mesh.xw[p, 2] == x1[p, 2]:
            first, parts = first + 1, 0
            continue
        parts += 1
        if parts > PARTS or not _go_on(mesh, x1, p):
            return first, STUCK
        status = regularise(mesh, False)
    return first, status
