"""The monotone path of flips between two regular triangulations of the same points (Pournin, thesis, theorem 3 and corollary 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import TriangulationError
from .invariants import is_regular
from .kinetic import PASSED_OVER, advance, make_events, next_time, schedule_all
from .maintenance import built, grown
from .regularise import FULL
from .tetrahedral_mesh import FLIP_23, FLIP_32
from .triangulation import Triangulation


@dataclass(frozen=True)
class Flip:
    """One flip of a path.

    Attributes:
        kind: "2-3", "3-2" or "4-1".
        time: position on the segment between the weights, from 0 to 1.
        vertices: the five points. For a 2-3 flip, the three of the triangle and the two of the edge that replaces it; for a 3-2 flip, the two of the
            edge and the three of the triangle that replaces it; for a 4-1 flip, first the point that ceases to be a vertex.
        weights: (n,) weights between this flip and the next, for which the triangulation after the flip has been verified to be regular. The weights
            of points that are not vertices at the beginning have no meaning.
    """

    kind: str
    time: float
    vertices: tuple[int, int, int, int, int]
    weights: np.ndarray


def flip_path(points: ArrayLike, start: ArrayLike, end: ArrayLike) -> list[Flip]:
    """Find the flips that lead from the regular triangulation for one vector of weights to that for another, through regular triangulations only.

    Along the segment between the two vectors, the secondary fan is crossed facet by facet, and each crossing is a flip. The weights for which a point
    is a vertex form a convex set, so the set of vertices can only shrink. Each step is verified by exact predicates.

    Args:
        points: (n, 3) coordinates.
        start: (n,) weights at the beginning, in general position.
        end: (n,) weights at the end, in general position.

    Returns:
        The flips in order; empty if the two triangulations are the same.

    Raises:
        TriangulationError: a vertex at the end is not a vertex at the beginning (exchange the two), two flips are too close to be distinguished
            (change the weights slightly within their cones), or as for `Triangulation`.
    """
    x, w0, w1 = np.asarray(points, np.float64), np.asarray(start, np.float64), np.asarray(end, np.float64)
    hidden = Triangulation(x, w0).hidden
    last = Triangulation(x, w1)
    new = np.setdiff1d(hidden, last.hidden)
    if len(new):
        raise TriangulationError(f"point {new[0]} is a vertex for the weights of the end but not of the start; exchange the two")
    kept = np.setdiff1d(np.arange(len(x)), hidden)
    mesh, rows = built(np.column_stack((x, w0))[kept], np.arange(len(kept)))
    x0, x1 = mesh.xw.copy(), mesh.xw.copy()
    x1[rows, 3] = w1[kept]
    events = make_events(mesh, x0, x1)
    schedule_all(mesh, events)
    path = []
    while (time := next_time(mesh, events)) <= 1.0:
        if advance(mesh, events, 1) == FULL:
            mesh = grown(mesh)
            continue
        u = 0.5 * (time + min(next_time(mesh, events), 1.0))
        mesh.xw[:, 3] = (1.0 - u) * x0[:, 3] + u * x1[:, 3]
        _verify(events.tally[PASSED_OVER] == 0 and is_regular(mesh))
        kind = {FLIP_23: "2-3", FLIP_32: "3-2"}.get(int(events.circuit[0]), "4-1")
        a, b, c, d, e = kept[mesh.key[events.circuit[1:]]].tolist()
        path.append(Flip(kind, float(time), (a, b, c, d, e), (1.0 - u) * w0 + u * w1))
    mesh.xw[:] = x1
    _verify(is_regular(mesh))
    return path


def _verify(holds: bool) -> None:
    if not holds:
        raise TriangulationError("the weights are not in general position: flips coincide; change them by a small random amount")
