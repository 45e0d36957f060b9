"""Regular again after a move: algorithms 1, 2 and 3 of the thesis (Pournin, sections 3.3.2 and 4.3) and construction anew.

Each takes a mesh that is regular at its points and leaves one that is regular at new ones, or says that it failed. Whatever found the flips, the
result is proven: all tetrahedra positive, all facets legal, both by exact predicates, which makes it the one weighted Delaunay triangulation there
is.
"""

from __future__ import annotations

import numpy as np

from .kinetic import PAUSED, advance, first_flat, leave_hull, make_events, schedule_all
from .point_insertion import insert_points, morton_codes, uncover
from .predicates import INFINITE
from .regularise import DONE, FULL, NEEDED, regularise, scan
from .stragglers import Stragglers, follow, hold_back
from .tetrahedral_mesh import HIDDEN_COUNT, QUEUE_HEAD, QUEUED, TetrahedralMesh, enlarged, free_tetrahedra, make_mesh
from .trajectories import DEGREE

PER_POINT = 8
"""Rows for tetrahedra per point, to begin with; a random cloud has 6.8 tetrahedra per point."""
PIECES = 200
"""Parts that algorithm 3 cuts a move into before it gives up."""
MOST_HELD = 8
"""One point of so many may have to follow by itself, or construction is cheaper."""
SHORT = 2.0**-20
"""Part of the way to the next flat tetrahedron that algorithm 3 leaves."""


def grown(mesh: TetrahedralMesh) -> TetrahedralMesh:
    """Enlarge the capacity for tetrahedra by half.

    Args:
        mesh: the triangulation's arrays.

    Returns:
        The enlarged mesh.
    """
    return enlarged(mesh, len(mesh.xw), len(mesh.vert) * 3 // 2 + NEEDED)


def spared(mesh: TetrahedralMesh) -> TetrahedralMesh:
    """Copy the tetrahedra of a mesh, so that flips in the copy leave the original alone.

    Args:
        mesh: the triangulation's arrays.

    Returns:
        The copy. It shares points and work space with the original, and its queue is empty.
    """
    forget_queue(mesh)
    return _copied(mesh)


def _copied(mesh: TetrahedralMesh) -> TetrahedralMesh:
    """The same with tetrahedra of its own."""
    return mesh._replace(**{name: getattr(mesh, name).copy() for name in ("state", "at", "vert", "nbr", "stamp", "tally")})


def forget_queue(mesh: TetrahedralMesh) -> None:
    """Empty the queue of facets.

    Args:
        mesh: the triangulation's arrays.
    """
    mesh.queued[:] = 0
    mesh.tally[[QUEUE_HEAD, QUEUED]] = 0


def inserted(mesh: TetrahedralMesh, rows: np.ndarray) -> TetrahedralMesh:
    """Insert points into a triangulation.

    Args:
        mesh: the triangulation's arrays.
        rows: (n,) rows of the points, in the order of insertion.

    Returns:
        The mesh, enlarged if need be.
    """
    first, status = insert_points(mesh, rows, 0)
    while status == FULL:
        mesh = grown(mesh)
        first, status = insert_points(mesh, rows, first)
    assert status == DONE, "incremental construction is never stuck (Edelsbrunner and Shah 1996)"
    return mesh


def built(xw: np.ndarray, present: np.ndarray) -> tuple[TetrahedralMesh, np.ndarray]:
    """The triangulation of some points.

    Args:
        xw: (n, 4) points and weights.
        present: numbers of those that are there; the others have rows too.

    Returns:
        the mesh, with rows along a curve through space, the absent last; the row of each point (n,).
    """
    n = len(xw)
    order = np.concatenate((present[np.argsort(morton_codes(xw[present, :3]), kind="stable")], np.setdiff1d(np.arange(n), present)))
    rows = np.arange(INFINITE, INFINITE + n)
    mesh: TetrahedralMesh = make_mesh(INFINITE + n, PER_POINT * n + 64)
    mesh.key[rows], mesh.xw[rows] = order, xw[order]
    row_of = np.empty(n, np.int64)
    row_of[order] = rows
    return inserted(mesh, rows[: len(present)]), row_of


def uncovered(mesh: TetrahedralMesh) -> TetrahedralMesh:
    """Make vertices of the hidden points that are no longer hidden.

    Args:
        mesh: the triangulation's arrays.

    Returns:
        The mesh, enlarged if need be.
    """
    if mesh.tally[HIDDEN_COUNT] == 0:
        return mesh
    first, status = uncover(mesh, INFINITE)
    while status == FULL:
        mesh = grown(mesh)
        first, status = uncover(mesh, first)
    assert status == DONE, "incremental construction is never stuck (Edelsbrunner and Shah 1996)"
    return mesh


def _finished(mesh: TetrahedralMesh, guarded: bool = False) -> tuple[TetrahedralMesh, bool]:
    """Flips of the facets in the queue, then of what they reveal; ``guarded`` where tetrahedra may be negative."""
    status = regularise(mesh, guarded)
    while status == FULL:
        mesh = grown(mesh)
        status = regularise(mesh, guarded)
    if status != DONE or (guarded and (scan(mesh) or mesh.tally[QUEUED])):
        return mesh, False
    return uncovered(mesh), True


def by_flips(mesh: TetrahedralMesh, x1: np.ndarray, keep: bool) -> tuple[TetrahedralMesh, bool, bool, TetrahedralMesh | None]:
    """Carry out algorithm 1: move all points, then flip illegal facets until there are none.

    Args:
        mesh: the triangulation's arrays.
        x1: (N, 4) new places of the points.
        keep: whether to keep a copy of the mesh for other algorithms if the move inverts tetrahedra.

    Returns:
        The mesh, whether it is regular, whether the move inverted tetrahedra, and the mesh before the move except for its points.
    """
    mesh.xw[:] = x1
    negative = scan(mesh) > 0
    before = _copied(mesh) if keep and negative else None
    mesh, regular = _finished(mesh, guarded=negative)
    return mesh, regular, negative, before


def by_points(mesh: TetrahedralMesh, x0: np.ndarray, x1: np.ndarray, keep: bool) -> tuple[TetrahedralMesh, bool, int, TetrahedralMesh | None]:
    """Carry out algorithm 1 if the move inverts no tetrahedra; otherwise move all unobstructed points at once, and then the others one by one.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) old places of the points.
        x1: (N, 4) new places of the points.
        keep: whether to keep a copy of the mesh for other algorithms if tetrahedra are inverted.

    Returns:
        The mesh, whether it is regular at ``x1``, the number of points moved one by one, and the mesh before the move except for its points.
    """
    mesh.xw[:] = x1
    count, before = 0, None
    held = np.empty(MOST_HELD + len(x1) // MOST_HELD, np.int32)
    move = Stragglers(x0, x1, np.zeros(len(x1), np.uint8), held, np.empty(len(mesh.vert), np.int32))
    if scan(mesh):
        before = _copied(mesh) if keep else None
        count = hold_back(mesh, move)
        if count < 0:
            return mesh, False, 0, before
    mesh, regular = _followed(mesh, move, count)
    return mesh, regular, count, before


def one_by_one(mesh: TetrahedralMesh, x1: np.ndarray, rows: np.ndarray) -> tuple[TetrahedralMesh, bool]:
    """Move some points, one after the other, while all others stay where they are.

    Args:
        mesh: the triangulation's arrays.
        x1: (N, 4) places of the points after the move.
        rows: (k,) rows of those that move.

    Returns:
        The mesh, and whether it is regular at ``x1``.
    """
    none = np.empty(0, np.int32)
    return _followed(mesh, Stragglers(mesh.xw, x1, np.empty(0, np.uint8), rows.astype(np.int32), none), len(rows))


def _followed(mesh: TetrahedralMesh, move: Stragglers, count: int) -> tuple[TetrahedralMesh, bool]:
    """Flips of the facets in the queue, then the first ``count`` points held back follow."""
    arrived, status = follow(mesh, move, count, 0)
    while status == FULL:
        mesh = grown(mesh)
        arrived, status = follow(mesh, move, count, arrived)
    return (uncovered(mesh), True) if status == DONE else (mesh, False)


def by_events(mesh: TetrahedralMesh, x0: np.ndarray, x1: np.ndarray) -> tuple[TetrahedralMesh, bool]:
    """Carry out algorithm 2: flip facets in the order of the times at which they become illegal.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.

    Returns:
        The mesh, and whether it is regular at ``x1``.
    """
    while True:
        trial = spared(mesh)
        events = make_events(trial, x0, x1)
        schedule_all(trial, events)
        status = advance(trial, events, 50 * len(x0) + 1000)
        if status != FULL:
            break
        mesh = grown(mesh)
    trial.xw[:] = x1
    if status == PAUSED or scan(trial):
        return trial, False
    return _finished(trial)


def by_pieces(mesh: TetrahedralMesh, x0: np.ndarray, x1: np.ndarray) -> tuple[TetrahedralMesh, bool]:
    """Carry out algorithm 3 with k = 1: divide the move before each time at which a tetrahedron becomes flat, and use algorithm 1 for each part.

    Args:
        mesh: the triangulation's arrays.
        x0: (N, 4) coordinates (m) and weights (m^2) of the points before the move.
        x1: (N, 4) the same after the move.

    Returns:
        The mesh, and whether it is regular at ``x1``.
    """
    mesh, u = spared(mesh), 0.0
    values, stack = np.empty(DEGREE + 1), np.empty((60, 8))
    for _ in range(PIECES):
        time, flat = first_flat(mesh, x0, x1, u, values, stack)
        u = 1.0 if flat < 0 else u + (1.0 - SHORT) * (time - u)
        place = x1 if u == 1.0 else (1.0 - u) * x0 + u * x1
        place[:INFINITE] = x0[:INFINITE]
        stamp = mesh.stamp[flat]
        mesh, regular, _, _ = by_flips(mesh, place, False)
        if not regular or u == 1.0:
            return mesh, regular
        if mesh.stamp[flat] == stamp and mesh.vert[flat, 0] >= 0:
            while free_tetrahedra(mesh) < NEEDED:
                mesh = grown(mesh)
            if not leave_hull(mesh, place, flat):
                return mesh, False
    return mesh, False
