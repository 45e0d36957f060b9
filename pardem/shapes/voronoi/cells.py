"""Voronoi cells of sites in a box, periodic per axis, in the plane or in space: for each cell the planes that bound it.

A cell is cut out of a box by the bisectors to the nearest points, one by one, until the next point is twice as far away as the furthest vertex: no
point beyond can cut. Periodic axes have images of the sites, the others the walls of the box.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

from ...errors import ShapeError
from . import polygon_cells, polyhedron_cells
from .half_spaces import CROWDED, DONE, UNFINISHED, CellNeighbours, HalfSpaces

_BATCH = 20_000
"""VoronoiCells at a time, which bounds the memory for neighbours."""
_NEAREST = {2: 24, 3: 56}
"""Points tried first, by dimension; more for the cells that need more."""
_CAPACITY = {2: 64, 3: 256}
"""Vertices of a cell, by dimension; more where they do not suffice."""


class Sizes(NamedTuple):
    """Sizes of eroded and rounded cells; zero for cells that vanish.

    Attributes:
        volume: (n,) volume (m^3); in 2D area (m^2).
        surface: (n,) surface area (m^2); in 2D perimeter (m).
        centre: (n, d) centre of mass relative to the site (m).
        vertices: (n,) number of core vertices before coincident ones are merged.
    """

    volume: np.ndarray
    surface: np.ndarray
    centre: np.ndarray
    vertices: np.ndarray


@dataclass(frozen=True, eq=False)
class VoronoiCells:
    """Voronoi cells as intersections of half-spaces ``normal . (x - site) <= offset``.

    Attributes:
        sites: (n, d) Voronoi sites (m).
        lower: (d,) lower corner of the box (m).
        upper: (d,) upper corner of the box (m).
        periodic: (d,) periodic flags.
        plane_start: (n + 1,) first plane of each cell.
        normal: (np, d) outward unit normals.
        offset: (np,) distances from the site (m).
        neighbour: (np,) site on the other side of each plane; -1 - 2 k for the lower and -2 - 2 k for the upper wall across axis k.
        size: (n,) distance of the furthest vertex from the site (m).
    """

    sites: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    periodic: np.ndarray
    plane_start: np.ndarray
    normal: np.ndarray
    offset: np.ndarray
    neighbour: np.ndarray
    size: np.ndarray

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.sites.shape[1]

    @property
    def volume(self) -> float:
        """Volume (m^3), in 2D area (m^2), of the box."""
        return float(np.prod(self.upper - self.lower))

    def measure(self, erosion: float, radius: float = 0.0) -> Sizes:
        """Sizes of the cells eroded and then rounded, by Steiner's formula.

        Args:
            erosion: distance by which every plane moves inwards (m).
            radius: radius of the ball (m).
        """
        n, d = self.sites.shape
        out, count = np.empty((n, 4 if d == 2 else 6)), np.empty(n, dtype=np.int64)
        self._with_room("measure_cores", erosion, radius, out, count)
        core, side, r, left = out[:, 0], out[:, 1], radius, count > 0
        if d == 2:
            volume, surface = core + r * side + left * (np.pi * r * r), side + left * (2.0 * np.pi * r)
        else:
            volume = core + r * (side + r * out[:, 2]) + left * (4.0 / 3.0 * np.pi * r**3)
            surface = side + 2.0 * r * out[:, 2] + left * (4.0 * np.pi * r * r)
        return Sizes(volume, surface, out[:, -d:] / np.where(left, volume, 1.0)[:, None], count)

    def cores(self, erosion: float, rows: np.ndarray, count: np.ndarray) -> Any:
        """Vertices (and faces) of those of the eroded cells that are left and have so many vertices: see `write_cores`."""
        return self._with_room("write_cores", erosion, rows, int(count.sum()))

    def _with_room(self, name: str, erosion: float, *arguments: Any) -> Any:
        """Call a kernel with the capacity that the most crowded cell can need: each of p planes adds two vertices at most."""
        capacity = 2 * int(np.diff(self.plane_start).max()) + 16
        function = getattr(_kernels(self.dimension), name)
        return function(HalfSpaces(self.plane_start, self.normal, self.offset, self.size), erosion, capacity, *arguments)


def voronoi_cells(sites: np.ndarray, lower: Sequence[float], upper: Sequence[float], periodic: Sequence[bool] | bool = True) -> VoronoiCells:
    """Compute the Voronoi cells of sites in a box.

    Args:
        sites: (n, 2) or (n, 3) sites (m).
        lower: lower corner of the box (m).
        upper: upper corner of the box (m).
        periodic: periodic flags, one for each axis or one for all; cells are cut at the other faces.

    Returns:
        The cells.

    Raises:
        ShapeError: sites lie outside the box or coincide, or the arrays do not match.
    """
    x, low, high, wraps = _checked(sites, lower, upper, periodic)
    n, d = x.shape
    length = high - low
    start = np.stack([np.where(wraps, -length, low - x), np.where(wraps, length, high - x)], axis=1)
    whole = 1.5 * length.max()  # the images within this distance of the box decide every cell
    shell, nearest, capacity = min(whole, 4.0 * (np.prod(length) / n) ** (1.0 / d)), _NEAREST[d], _CAPACITY[d]
    found: list[tuple[np.ndarray, ...]] = []
    size = np.empty(n)
    rows = np.arange(n)
    while len(rows):
        points, owner = _with_images(x, low, high, wraps, shell)
        tree = scipy.spatial.cKDTree(points)
        again = []
        for part in np.array_split(rows, -(-len(rows) // _BATCH)):
            names, reach, status = _neighbours(points, tree, part, start[part], nearest, capacity)
            short = wraps.any() & (2.0 * reach > shell) & (shell < whole)
            done = ((status == DONE) | ((status == UNFINISHED) & (nearest >= len(points)))) & ~short
            size[part] = reach
            found.append(_planes(points, owner, part[done], names[done], low, high))
            again.append(part[~done])
            if (status == CROWDED).any():
                capacity *= 2
        rows = np.concatenate(again)
        nearest, shell = min(2 * nearest, max(len(points), _NEAREST[d])), min(whole, 2.0 * shell)
    cell, normal, offset, neighbour = (np.concatenate(columns) for columns in zip(*found))
    order = np.argsort(cell, kind="stable")
    plane_start = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=n))])
    return VoronoiCells(x, low, high, wraps, plane_start, normal[order], offset[order], neighbour[order], size)


def _kernels(dimension: int) -> Any:
    return polygon_cells if dimension == 2 else polyhedron_cells


def _neighbours(
    points: np.ndarray, tree: scipy.spatial.cKDTree, rows: np.ndarray, start: np.ndarray, nearest: int, capacity: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Names of the planes of cells ((m, width), filled up with ``len(points)``), sizes and status: see `find_neighbours`."""
    near = tree.query(points[rows], k=np.arange(1, nearest + 1))[1]
    found = np.full((len(rows), capacity), len(points))
    reach, status = np.empty(len(rows)), np.empty(len(rows), dtype=np.int64)
    _kernels(points.shape[1]).find_neighbours(points, rows, near, np.ascontiguousarray(start), capacity, CellNeighbours(found, reach, status))
    used = np.cumsum(found == len(points), axis=1) == 0
    return np.where(used, found, len(points)), reach, status


def _planes(points: np.ndarray, owner: np.ndarray, rows: np.ndarray, names: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cell, normal, offset and neighbour of each plane."""
    m, k = np.nonzero(names != len(points))
    cell, name = rows[m], names[m, k]
    x = points[cell]
    wall = name < 0
    axis, upper = (-1 - name) // 2, (-1 - name) % 2
    between = np.zeros_like(x)
    between[~wall] = 0.5 * (points[name[~wall]] - x[~wall])
    side = np.flatnonzero(wall)
    between[side, axis[side]] = np.where(upper[side], high[axis[side]] - x[side, axis[side]], low[axis[side]] - x[side, axis[side]])
    offset = np.linalg.norm(between, axis=1)
    normal = between / np.where(offset > 0.0, offset, 1.0)[:, None]
    normal[side, axis[side]] = np.where(upper[side], 1.0, -1.0)  # also for a site on the wall
    neighbour = name.copy()
    neighbour[~wall] = owner[name[~wall]]
    return cell, normal, offset, neighbour


def _with_images(x: np.ndarray, low: np.ndarray, high: np.ndarray, wraps: np.ndarray, shell: float) -> tuple[np.ndarray, np.ndarray]:
    """The sites, then their images within a distance of the box; and the site that each is an image of."""
    points, owner = [x], [np.arange(len(x))]
    length = high - low
    turns = [range(-2, 3) if w else (0,) for w in wraps]
    for turn in itertools.product(*turns):
        if any(turn):
            image = x + np.array(turn) * length
            near = ((image >= low - shell) & (image <= high + shell)).all(axis=1)
            points.append(image[near])
            owner.append(np.flatnonzero(near))
    return np.concatenate(points), np.concatenate(owner)


def _checked(
    sites: np.ndarray, lower: Sequence[float], upper: Sequence[float], periodic: Sequence[bool] | bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    x, low, high = (np.array(a, dtype=float) for a in (sites, lower, upper))
    if x.ndim != 2 or x.shape[1] not in (2, 3) or len(x) == 0:
        raise ShapeError(f"sites must be an array of points with two or three coordinates each (m), but its shape is {x.shape}.")
    d = x.shape[1]
    if low.shape != (d,) or high.shape != (d,) or not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
        raise ShapeError(f"lower = {low.tolist()} and upper = {high.tolist()} must be corners of a box with {d} coordinates each, lower < upper.")
    wraps = np.array(periodic, dtype=bool)
    if wraps.shape not in ((), (d,)):
        raise ShapeError(f"periodic = {periodic!r} must be true or false, or {d} of them, one for each axis.")
    outside = np.flatnonzero(~((x >= low) & (x <= high)).all(axis=1))
    if len(outside):
        k = outside[0]
        raise ShapeError(f"Site {k} = {x[k].tolist()} lies outside of the box from {low.tolist()} to {high.tolist()}; move it in, or widen the box.")
    wraps = np.broadcast_to(wraps, d).copy()
    wrapped = np.where(wraps & (x == high), low, x)
    _, first, count = np.unique(wrapped, axis=0, return_index=True, return_counts=True)
    if (count > 1).any():
        k = first[np.argmax(count)]
        raise ShapeError(f"Site {k} = {x[k].tolist()} is given {count.max()} times (or by its periodic image): sites must differ.")
    return wrapped, low, high, wraps
