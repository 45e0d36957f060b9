"""What cells have in common that are cut by half-spaces, in the plane by half-planes: outcomes of a cut, and arrays of many cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

UNTOUCHED, CUT, EMPTY, FULL = 0, 1, 2, 3
"""Outcomes of a cut: nothing cut off, something, all of it, or no room for more vertices."""

ROUNDING = 1e-14
"""Part of a cell's size by which a vertex may lie beyond a plane before it is cut off."""

DONE, UNFINISHED, CROWDED = 0, 1, 2
"""Whether a cell is finished, needs more points, or a larger capacity."""

THIN = 1e-9
"""Part of a cell's size below which a core has no thickness and an edge no length."""


class CellNeighbours(NamedTuple):
    """What bounds Voronoi cells.

    Attributes:
        found: (m, width) int64 neighbours; -1 to -6 (in the plane -4) for the sides of the box; the first unused entry is the number of points.
        reach: (m,) distance of the furthest vertex (m).
        status: (m,) int64 DONE, UNFINISHED (more points needed) or CROWDED (a larger capacity needed).
    """

    found: np.ndarray
    reach: np.ndarray
    status: np.ndarray


class HalfSpaces(NamedTuple):
    """Cells as intersections of half-spaces, in the plane of half-planes.

    Attributes:
        plane_start: (n + 1,) int64 ranges of planes.
        normal: (np, d) outward unit normals.
        offset: (np,) from the site (m).
        size: (n,) of the cells (m).
    """

    plane_start: np.ndarray
    normal: np.ndarray
    offset: np.ndarray
    size: np.ndarray
