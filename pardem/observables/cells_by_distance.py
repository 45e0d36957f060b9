"""Compiled: power cells of spheres, each cut by the other spheres in the order of their distances.

A plane that does not reach the cell leaves all its bits as they are, so a cell has the same bits whichever spheres that do not cut it are known, and
no sphere cuts it that is farther away than a bound which falls as the cell is cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit
from ..shapes.voronoi.half_spaces import CUT, EMPTY, ROUNDING
from ..shapes.voronoi.polyhedron_clip import clip, fill_box, make_polyhedron
from ..triangulation.power_cells import BOX, polyhedron_volume

MARGIN = 1e-9
"""Part by which bounds on what may cut a cell are widened: far above rounding, so that what is left out cannot have cut."""
FIRST, GROWTH = 0.125, 1.5  # of the distance within which the spheres around one are looked up: where it begins, and its steps


class SphereGrid(NamedTuple):
    """Spheres in linked cells.

    Attributes:
        spheres: (m, 4) centres (m) and squares of the radii (m^2), in ascending order of these four.
        lower: (3,) lowest centre along each axis (m).
        size: width of a cell (m).
        shape: (3,) int64 number of cells along each axis.
        start: (cells + 1,) int64 first entry of each cell in ``rows``.
        rows: (m,) int64 numbers of the spheres, by cell.
    """

    spheres: np.ndarray
    lower: np.ndarray
    size: float
    shape: np.ndarray
    start: np.ndarray
    rows: np.ndarray


class Bounds(NamedTuple):
    """What bounds all power cells.

    Attributes:
        heaviest: largest square of a radius among all spheres (m^2).
        lower: (3,) lower corner of the box (m).
        upper: (3,) upper corner of the box (m).
    """

    heaviest: float
    lower: np.ndarray
    upper: np.ndarray


def grid_of(spheres: np.ndarray) -> SphereGrid:
    """Sort spheres into linked cells, not more of them than there are spheres.

    Args:
        spheres: (m, 4) centres (m) and squares of the radii (m^2).

    Returns:
        The grid.
    """
    spheres = spheres[np.lexsort(spheres.T[::-1])]
    count = max(1, len(spheres))
    lower = spheres[:, :3].min(axis=0) if len(spheres) else np.zeros(3)
    extent = spheres[:, :3].max(axis=0) - lower if len(spheres) else np.zeros(3)
    size = max(float(extent.max()) / count, np.finfo(float).tiny)
    while np.prod(np.floor(extent / size) + 1.0) > count:
        size *= 1.2
    shape = np.floor(extent / size).astype(np.int64) + 1
    place = np.floor((spheres[:, :3] - lower) / size).astype(np.int64)
    cell = (place[:, 0] * shape[1] + place[:, 1]) * shape[2] + place[:, 2]
    rows = np.argsort(cell, kind="stable")
    start = np.searchsorted(cell[rows], np.arange(np.prod(shape) + 1))
    return SphereGrid(spheres, lower, size, shape, start, rows)


@njit
def _span(grid, place, radius, c):
    """First and last cell along an axis that a ball reaches; the first is behind the last if it reaches none."""
    first = np.floor((place[c] - radius - grid.lower[c]) / grid.size)
    last = np.floor((place[c] + radius - grid.lower[c]) / grid.size)
    most = float(grid.shape[c] - 1)
    return int(min(max(first, 0.0), most + 1.0)), int(max(min(last, most), -1.0))


@njit(_nrt=True)
def _between(grid, place, inner, outer):
    """Numbers of the spheres whose squared distance (m^2) from a place is above one and up to another, in ascending order."""
    found = np.empty(64, np.int64)
    count, radius = 0, np.sqrt(outer) * (1.0 + MARGIN)
    (x0, x1), (y0, y1), (z0, z1) = _span(grid, place, radius, 0), _span(grid, place, radius, 1), _span(grid, place, radius, 2)
    if z0 > z1:
        return found[:0]
    for a in range(x0, x1 + 1):
        for b in range(y0, y1 + 1):
            line = (a * grid.shape[1] + b) * grid.shape[2]
            for k in range(grid.start[line + z0], grid.start[line + z1 + 1]):
                j = grid.rows[k]
                square = 0.0
                for c in range(3):
                    square += (grid.spheres[j, c] - place[c]) ** 2
                if square > outer or square <= inner:
                    continue
                if count == len(found):
                    more = np.empty(2 * count, np.int64)
                    more[:count] = found
                    found = more
                found[count] = j
                count += 1
    found = found[:count]
    found.sort()
    return found


@njit(_nrt=True)
def in_conflict(vertices, grid, heaviest):
    """Find the spheres that cut off vertices of cells.

    Args:
        vertices: (v, 4) vertices (m) with their power distance from the sphere of their cell (m^2).
        grid: the spheres.
        heaviest: largest square of a radius among all spheres (m^2).

    Returns:
        (n, 2) int64 vertex and sphere.
    """
    pairs, count = np.empty((64, 2), np.int64), 0
    for v in range(len(vertices)):
        power = vertices[v, 3]
        for j in _between(grid, vertices[v], -1.0, max(0.0, power + heaviest)):
            square = 0.0
            for c in range(3):
                square += (grid.spheres[j, c] - vertices[v, c]) ** 2
            if square - grid.spheres[j, 3] > power:
                continue
            if count == len(pairs):
                more = np.empty((2 * count, 2), np.int64)
                more[:count] = pairs
                pairs = more
            pairs[count, 0], pairs[count, 1] = v, j
            count += 1
    return pairs[:count]


@njit
def _bound(body, weight, heaviest):
    """Distance from the centre of a cell beyond which no sphere cuts it (m).

    The power distance of a vertex x is |x|^2 - w from the centre; a sphere that is nearer has its centre within sqrt(|x|^2 - w + w_max) of x.
    """
    most = 0.0
    for v in range(body.used[0]):
        square = body.x[v, 0] ** 2 + body.x[v, 1] ** 2 + body.x[v, 2] ** 2
        most = max(most, np.sqrt(square) + np.sqrt(max(0.0, square - weight + heaviest)))
    return most * (1.0 + MARGIN)


@njit(_nrt=True)
def _cut_by(body, sphere, others, planes, bound, heaviest, tolerance):
    """Cut a cell by spheres in the order of their distances, of equal distances in their own order; ``planes`` is the number of the next plane.

    Returns:
        The new bound, negative if nothing is left.
    """
    square = np.zeros(len(others))
    for k in range(len(others)):
        for c in range(3):
            square[k] += (others[k, c] - sphere[c]) ** 2
    normal = np.empty(3)
    for k in np.argsort(square, kind="mergesort"):
        if square[k] == 0.0:
            if others[k, 3] > sphere[3]:
                return -1.0
            continue
        distance = np.sqrt(square[k])
        if distance > bound:
            break
        for c in range(3):
            normal[c] = (others[k, c] - sphere[c]) / distance
        offset = 0.5 * (distance + (sphere[3] - others[k, 3]) / distance)
        status = clip(body, normal, offset, planes + k, tolerance)
        if status == EMPTY:
            return -1.0
        if status == CUT:
            bound = _bound(body, sphere[3], heaviest)
    return bound


@njit(_nrt=True)
def cut_cells(own, grid, radius, far_start, far, bounds):
    """Volumes of power cells inside a box, of spheres around which all others within a radius are known, and perhaps some that are farther away.

    Args:
        own: (k, 4) centres (m) and squares of the radii (m^2) of the spheres.
        grid: the spheres known, these among them.
        radius: the radius (m).
        far_start: (k + 1,) int64 first row in ``far`` of each sphere; of length 1 if nothing is known beyond the radius.
        far: (f, 4) spheres beyond the radius, in ascending order for each: all that cut what the others leave of its cell.
        bounds: `Bounds`.

    Returns:
        (k,) volumes (m^3); (v, 4) vertices (m) of the cells that spheres beyond the radius may cut, with their power distance from their sphere
        (m^2); (v,) int64 the number of the cell of each of them, ascending.
    """
    volume = np.zeros(len(own))
    vertices, cell, count = np.empty((64, 4)), np.empty(64, np.int64), 0
    body = make_polyhedron(512, 128)
    heaviest, lower, upper = bounds.heaviest, bounds.lower, bounds.upper
    tolerance = ROUNDING * max(upper[0] - lower[0], max(upper[1] - lower[1], upper[2] - lower[2]))
    for i in range(len(own)):
        sphere = own[i]
        fill_box(body, lower - sphere[:3], upper - sphere[:3])
        bound = _bound(body, sphere[3], heaviest)
        inner, outer, planes = -1.0, min(radius, max(2.0 * grid.size, FIRST * radius)), BOX
        while True:
            near = _between(grid, sphere, inner, outer * outer)
            others = np.empty((len(near), 4))
            for k in range(len(near)):
                others[k] = grid.spheres[near[k]]
            body = _with_room(body, planes + len(near))
            bound = _cut_by(body, sphere, others, planes, bound, heaviest, tolerance)
            if bound <= outer or outer == radius:
                break
            inner, outer, planes = outer * outer, min(radius, GROWTH * outer), planes + len(near)
        if bound > radius and len(far_start) > 1:
            others = far[far_start[i] : far_start[i + 1]]
            planes += len(near)
            body = _with_room(body, planes + len(others))
            bound = _cut_by(body, sphere, others, planes, bound, heaviest, tolerance)
        elif bound > radius:
            if count + body.used[0] > len(cell):
                vertices, cell = _longer(vertices, cell, count, 2 * count + body.used[0])
            for v in range(body.used[0]):
                square = 0.0
                for c in range(3):
                    vertices[count, c] = sphere[c] + body.x[v, c]
                    square += body.x[v, c] ** 2
                vertices[count, 3] = square - sphere[3]
                cell[count] = i
                count += 1
        if bound >= 0.0:
            volume[i] = polyhedron_volume(body)
    return volume, vertices[:count], cell[:count]


@njit(_nrt=True)
def _longer(vertices, cell, count, length):
    """The same rows in longer arrays."""
    more, cells = np.empty((length, 4)), np.empty(length, np.int64)
    more[:count], cells[:count] = vertices[:count], cell[:count]
    return more, cells


@njit(_nrt=True)
def _with_room(body, planes):
    """The same polyhedron with room for a number of planes."""
    if planes <= len(body.first):
        return body
    more, n = make_polyhedron(8 * planes + 16, 2 * planes), body.used[0]
    more.used[0] = n
    more.x[:n], more.planes[:n], more.beside[:n] = body.x[:n], body.planes[:n], body.beside[:n]
    return more
