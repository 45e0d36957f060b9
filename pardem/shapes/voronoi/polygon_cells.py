"""Compiled: Voronoi cells in the plane, their erosion, and the size of the rounded cores; the same functions as in `polyhedron_cells`.

A core of area A and perimeter P has, with a disk of radius r, the area A + P r + pi r^2 (Steiner's formula).
"""

from __future__ import annotations

import numpy as np

from ...compiled.jit import njit
from .half_spaces import CROWDED, CUT, DONE, EMPTY, FULL, ROUNDING, THIN, UNFINISHED, CellNeighbours, HalfSpaces
from .polygon_clip import ClippedPolygon, clip, fill_box, make_polygon


@njit
def find_neighbours(points: np.ndarray, rows: np.ndarray, near: np.ndarray, start: np.ndarray, capacity: int, out: CellNeighbours) -> None:
    """Find the lines that bound the Voronoi cells of some points. The sides of the box are -1 to -4.

    Args:
        points: (np, 2) all points (m).
        rows: (m,) numbers of the points whose cells are wanted.
        near: (m, k) points in the order of distance; ``np`` stands for none.
        start: (m, 2, 2) corners of a box about each cell, relative to its point (m).
        capacity: number of vertices that a cell may have.
        out: filled.
    """
    found, reach, status = out
    body = make_polygon(capacity)
    normal = np.empty(2)
    for m in range(len(rows)):
        fill_box(body, start[m, 0], start[m, 1])
        reach[m] = _reach(body)
        status[m] = UNFINISHED
        found[m, 0] = len(points)
        for k in range(near.shape[1]):
            if near[m, k] == rows[m] or near[m, k] >= len(points):
                continue
            for c in range(2):
                normal[c] = points[near[m, k], c] - points[rows[m], c]
            distance = np.sqrt(normal[0] ** 2 + normal[1] ** 2)
            if distance > 2.0 * reach[m]:
                status[m] = DONE
                break
            normal /= distance
            change = clip(body, normal, 0.5 * distance, 4 + k, ROUNDING * reach[m])
            if change == FULL:
                status[m] = CROWDED
                break
            if change == CUT:
                reach[m] = _reach(body)
        if status[m] == CROWDED or body.used[0] >= found.shape[1]:
            status[m] = CROWDED
            continue
        for v in range(body.used[0]):
            p = body.line[v]
            found[m, v] = -1 - p if p < 4 else near[m, p - 4]
        found[m, body.used[0]] = len(points)


@njit
def _reach(body: ClippedPolygon) -> float:
    most = 0.0
    for v in range(body.used[0]):
        most = max(most, body.x[v, 0] ** 2 + body.x[v, 1] ** 2)
    return np.sqrt(most)


@njit
def _erode(body: ClippedPolygon, normal: np.ndarray, offset: np.ndarray, size: float) -> int:
    """The intersection of half-planes inside a box four sizes wide; the lines are numbered from 4 on."""
    corner = np.full(2, 2.0 * size)
    fill_box(body, -corner, corner)
    for p in range(len(offset)):
        change = clip(body, normal[p], offset[p], 4 + p, ROUNDING * size)
        if change == EMPTY:
            return EMPTY
    return CUT


@njit
def _measure(body: ClippedPolygon, normal: np.ndarray, radius: float, out: np.ndarray) -> None:
    """Area and perimeter of the core; first moments (2) of the rounded core about the origin."""
    out[:] = 0.0
    first = np.zeros(2)
    n = body.used[0]
    x0 = body.x[0].copy()
    for v in range(n):
        a, b = body.x[v] - x0, body.x[(v + 1) % n] - x0
        here, last = normal[body.line[v] - 4], normal[body.line[(v - 1) % n] - 4]
        part = 0.5 * (a[0] * b[1] - a[1] * b[0])
        length = np.sqrt(((b - a) ** 2).sum())
        angle = np.arctan2(last[0] * here[1] - last[1] * here[0], last[0] * here[0] + last[1] * here[1])
        out[0] += part
        out[1] += length
        first += part / 3.0 * (a + b) + 0.5 * length * radius * (a + b + radius * here) + 0.5 * angle * radius**2 * a
        first[0] += radius**3 / 3.0 * (here[1] - last[1])
        first[1] += radius**3 / 3.0 * (last[0] - here[0])
    out[2:] = first + (out[0] + radius * out[1] + np.pi * radius**2) * x0


@njit
def measure_cores(cells: HalfSpaces, erosion: float, capacity: int, radius: float, out: np.ndarray, count: np.ndarray) -> None:
    """Measure eroded cells.

    Args:
        cells: the cells as half-planes.
        erosion: distance by which the lines move inwards (m).
        capacity: number of vertices that a core may have.
        radius: radius of the disk (m).
        out: (n, 4), filled: area and perimeter of the core, first moments of the rounded core about the site.
        count: (n,) int64, filled: number of vertices of the core before coincident ones are merged; 0 if nothing is left.
    """
    plane_start, normal, offset, size = cells
    body = make_polygon(capacity)
    for c in range(len(size)):
        lines = slice(plane_start[c], plane_start[c + 1])
        out[c] = 0.0
        count[c] = 0
        change = _erode(body, normal[lines], offset[lines] - erosion, size[c])
        if change != EMPTY:
            _measure(body, normal[lines], radius, out[c])
            if out[c, 0] > THIN * size[c] * out[c, 1]:
                count[c] = body.used[0]
            else:
                out[c] = 0.0


@njit
def write_cores(cells: HalfSpaces, erosion: float, capacity: int, rows: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the vertices of eroded cells.

    Args:
        cells: the cells as half-planes.
        erosion: distance by which the lines move inwards (m).
        capacity: number of vertices that a core may have.
        rows: (m,) numbers of the cells that are left.
        most: sum of their numbers of vertices.

    Returns:
        First vertex of each core (m + 1,); vertices (nv, 2) relative to the sites, counter-clockwise (m); the line of the edge from each vertex
        (nv,).
    """
    plane_start, normal, offset, size = cells
    body = make_polygon(capacity)
    vertex_start = np.zeros(len(rows) + 1, np.int64)
    vertices, edge_line = np.empty((most, 2)), np.empty(most, np.int64)
    nv = 0
    for row in range(len(rows)):
        c = rows[row]
        lines = slice(plane_start[c], plane_start[c + 1])
        _erode(body, normal[lines], offset[lines] - erosion, size[c])
        n = body.used[0]
        for v in range(n):
            if ((body.x[(v + 1) % n] - body.x[v]) ** 2).sum() > (THIN * size[c]) ** 2:  # an edge without length: its end alone is kept
                vertices[nv], edge_line[nv] = body.x[v], plane_start[c] + body.line[v] - 4
                nv += 1
        vertex_start[row + 1] = nv
    return vertex_start, vertices[:nv].copy(), edge_line[:nv].copy()
