"""What must hold of a triangulation, tested one by one."""

from __future__ import annotations

import numpy as np

from ..errors import TriangulationError
from .maintenance import forget_queue
from .point_insertion import live_tetrahedron, locate
from .predicates import power
from .regularise import scan
from .tetrahedral_mesh import HIDDEN, HIDDEN_COUNT, HIGH, LIVE, QUEUED, VERTEX, TetrahedralMesh

FACES = ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def check_mesh(mesh: TetrahedralMesh) -> None:
    """Check a mesh: neighbours are mutual and share their facets, all tetrahedra are positive, all facets legal and hidden points hidden, and Euler's
    relation holds.

    Args:
        mesh: the triangulation's arrays.

    Raises:
        TriangulationError: the first of these that is violated.
    """
    live = np.flatnonzero(mesh.vert[: mesh.tally[HIGH], 0] >= 0)
    _demand(len(live) == mesh.tally[LIVE], "tetrahedra are miscounted")
    _check_neighbours(mesh, live)
    _check_euler(mesh, live)
    _demand(mesh.tally[QUEUED] == 0, "facets wait to be tested")
    negative = scan(mesh)
    illegal = int(mesh.tally[QUEUED])
    forget_queue(mesh)
    _demand(negative == 0, f"{negative} tetrahedra are negative")
    _demand(illegal == 0, f"{illegal} facets are illegal")
    _check_hidden(mesh)


def is_regular(mesh: TetrahedralMesh) -> bool:
    """Determine whether all tetrahedra are positive, all facets legal and all hidden points hidden.

    Args:
        mesh: the triangulation's arrays.

    Returns:
        Whether they are.
    """
    negative = scan(mesh)
    illegal = mesh.tally[QUEUED]
    forget_queue(mesh)
    if negative or illegal:
        return False
    return all(_is_hidden(mesh, p) for p in np.flatnonzero(mesh.state == HIDDEN))


def _is_hidden(mesh: TetrahedralMesh, p: np.integer) -> bool:
    """Whether a point is above the tetrahedron it lies in."""
    v = mesh.vert[locate(mesh, live_tetrahedron(mesh, mesh.at[p]), p)]
    return bool(power(mesh.xw, mesh.key, v[0], v[1], v[2], v[3], p) > 0)


def _demand(holds: bool | np.bool_, sentence: str) -> None:
    if not holds:
        raise TriangulationError(f"the triangulation is not one: {sentence}; please report this")


def _check_neighbours(mesh: TetrahedralMesh, live: np.ndarray) -> None:
    """Neighbours are each other's and have three vertices in common; four facets have none."""
    outer = 0
    for i in range(4):
        code = mesh.nbr[live, i]
        inner = code >= 0
        outer += int(np.count_nonzero(~inner))
        t, n, j = live[inner], code[inner] >> 2, code[inner] & 3
        _demand(np.all(mesh.vert[n, 0] >= 0), "a neighbour is not in use")
        _demand(np.array_equal(mesh.nbr[n, j], 4 * t + i), "neighbours are not mutual")
        mine = np.sort(mesh.vert[t][:, FACES[i]], axis=1)
        faces = np.sort(mesh.vert[n[:, None], np.array(FACES)[j]], axis=1)
        _demand(np.array_equal(mine, faces), "neighbours share no facet")
    _demand(outer == 4, f"{outer} facets are outside")


def _check_euler(mesh: TetrahedralMesh, live: np.ndarray) -> None:
    """V - E + F - T = 1 for a ball; every vertex is in its tetrahedron, and no other point is in any."""
    vert = mesh.vert[live]
    inside = np.unique(vert)
    _demand(np.array_equal(inside, np.flatnonzero(mesh.state == VERTEX)), "points are not where they are said to be")
    _demand((mesh.vert[mesh.at[inside]] == inside[:, None]).any(axis=1).all(), "a vertex is not in its tetrahedron")
    edges = np.unique(np.sort(np.concatenate([vert[:, e] for e in EDGES]), axis=1), axis=0)
    facets = np.unique(np.sort(np.concatenate([vert[:, f] for f in FACES]), axis=1), axis=0)
    _demand(len(inside) - len(edges) + len(facets) - len(vert) == 1, "Euler's relation does not hold")


def _check_hidden(mesh: TetrahedralMesh) -> None:
    """Hidden points are above the tetrahedra they lie in."""
    hidden = np.flatnonzero(mesh.state == HIDDEN)
    _demand(len(hidden) == mesh.tally[HIDDEN_COUNT], "hidden points are miscounted")
    for p in hidden:
        _demand(_is_hidden(mesh, p), f"point {mesh.key[p]} is hidden and should not be")
