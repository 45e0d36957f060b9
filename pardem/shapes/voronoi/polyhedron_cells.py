"""Compiled: Voronoi cells in space, their erosion, and the size of the rounded cores.

Sizes follow from the planes of a core, not from its vertices: a core of volume V and surface S whose edges have lengths l and angles theta between
normals has, with a ball of radius r, the volume V + S r + (sum of l theta) r^2 / 2 + 4 pi r^3 / 3 (Steiner's formula).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import njit
from ...compiled.vectors import add, cross, dot, row, scale, subtract
from .half_spaces import CROWDED, CUT, DONE, EMPTY, FULL, ROUNDING, THIN, UNFINISHED, CellNeighbours, HalfSpaces
from .polyhedron_clip import ClippedPolyhedron, clip, fill_box, make_polyhedron


class Cores(NamedTuple):
    """Vertices and faces of eroded cells.

    Attributes:
        vertex_start: (m + 1,) int64 first vertex of each core.
        vertices: (nv, 3) relative to the sites (m).
        face_start: (m + 1,) int64 first face of each core.
        loop_start: (nf + 1,) int64 ranges of loops.
        loops: int32 vertex numbers within the core, counter-clockwise seen from outside.
        face_plane: (nf,) int64 which plane each face lies in.
    """

    vertex_start: np.ndarray
    vertices: np.ndarray
    face_start: np.ndarray
    loop_start: np.ndarray
    loops: np.ndarray
    face_plane: np.ndarray


@njit
def _used_planes(body: ClippedPolyhedron, used: np.ndarray, near: np.ndarray, found: np.ndarray) -> int:
    """Write the planes of a cell to a row of neighbours; returns how many, or -1 if they are more than the row holds."""
    used[:] = False
    for v in range(body.used[0]):
        for c in range(3):
            used[body.planes[v, c]] = True
    n = 0
    for p in range(len(used)):
        if used[p]:
            if n + 1 >= len(found):
                return -1
            found[n] = -1 - p if p < 6 else near[p - 6]
            n += 1
    return n


@njit
def find_neighbours(points: np.ndarray, rows: np.ndarray, near: np.ndarray, start: np.ndarray, capacity: int, out: CellNeighbours) -> None:
    """Find the planes that bound the Voronoi cells of some points.

    Args:
        points: (np, 3) all points (m).
        rows: (m,) numbers of the points whose cells are wanted.
        near: (m, k) points in the order of distance; ``np`` stands for none.
        start: (m, 2, 3) corners of a box about each cell, relative to its point (m).
        capacity: number of vertices that a cell may have.
        out: filled.
    """
    found, reach, status = out
    body = make_polyhedron(capacity, near.shape[1] + 6)
    used = np.empty(near.shape[1] + 6, np.bool_)
    normal = np.empty(3)
    for m in range(len(rows)):
        fill_box(body, start[m, 0], start[m, 1])
        reach[m] = _reach(body)
        status[m] = UNFINISHED
        found[m, 0] = len(points)
        for k in range(near.shape[1]):
            if near[m, k] == rows[m] or near[m, k] >= len(points):
                continue
            square = 0.0
            for c in range(3):
                normal[c] = points[near[m, k], c] - points[rows[m], c]
                square += normal[c] * normal[c]
            distance = np.sqrt(square)
            if distance > 2.0 * reach[m]:
                status[m] = DONE
                break
            for c in range(3):
                normal[c] /= distance
            change = clip(body, normal, 0.5 * distance, 6 + k, ROUNDING * reach[m])
            if change == FULL:
                status[m] = CROWDED
                break
            if change == CUT:
                reach[m] = _reach(body)
        if status[m] == CROWDED:
            continue
        n = _used_planes(body, used, near[m], found[m])
        if n < 0:
            status[m] = CROWDED
            continue
        found[m, n] = len(points)


@njit
def _reach(body: ClippedPolyhedron) -> float:
    most = 0.0
    for v in range(body.used[0]):
        most = max(most, body.x[v, 0] ** 2 + body.x[v, 1] ** 2 + body.x[v, 2] ** 2)
    return np.sqrt(most)


@njit
def _erode(body: ClippedPolyhedron, normal: np.ndarray, offset: np.ndarray, size: float) -> int:
    """The intersection of half-spaces inside a box four sizes wide; the planes are numbered from 6 on."""
    corner = np.full(3, 2.0 * size)
    fill_box(body, -corner, corner)
    for p in range(len(offset)):
        change = clip(body, normal[p], offset[p], 6 + p, ROUNDING * size)
        if change == EMPTY:
            return EMPTY
    return CUT


@njit
def _measure(body: ClippedPolyhedron, normal: np.ndarray, offset: np.ndarray, radius: float, faces: np.ndarray, out: np.ndarray) -> None:
    """Compute the sizes of a core and the first moments of the rounded core about the origin (docs/theory/grains.md).

    Args:
        body: the core.
        normal: (np, 3) outward unit normals of its planes.
        offset: (np,) distances of its planes from the origin (m).
        radius: radius of the ball (m).
        faces: (np, 4) work space for areas and first moments of the faces.
        out: (6,) output: volume, surface and half the sum of l theta of the core, then the first moments of the rounded core (3).
    """
    out[:] = 0.0
    faces[: len(offset)] = 0.0
    x0 = row(body.x, 0)
    for v in range(body.used[0]):
        a = subtract(row(body.x, v), x0)
        _add_cap(a, normal[body.planes[v, 0] - 6], normal[body.planes[v, 1] - 6], normal[body.planes[v, 2] - 6], radius, out)
        for k in range(3):
            u = body.beside[v, k]
            if u > v:
                b = subtract(row(body.x, u), x0)
                i, j = body.planes[v, k] - 6, body.planes[v, (k + 1) % 3] - 6
                _add_wedge(a, b, normal[i], normal[j], radius, out)
                _add_triangle(a, b, normal[j], offset[j] - dot(normal[j], x0), faces[j])
                _add_triangle(b, a, normal[i], offset[i] - dot(normal[i], x0), faces[i])
    for p in range(len(offset)):
        height = offset[p] - dot(normal[p], x0)
        out[0] += height * faces[p, 0] / 3.0
        out[1] += faces[p, 0]
        for c in range(3):
            out[3 + c] += (height / 4.0 + radius) * faces[p, 1 + c] + 0.5 * radius**2 * faces[p, 0] * normal[p, c]
    whole = out[0] + radius * out[1] + radius**2 * out[2] + 4.0 * np.pi / 3.0 * radius**3
    for c in range(3):
        out[3 + c] += whole * x0[c]


@njit
def _add_triangle(a, b, n, height, face):  # type: ignore[no-untyped-def]
    """Area and first moments of the triangle from the origin's foot on a plane to a side of the face."""
    foot = scale(height, n)
    part = 0.5 * dot(n, cross(subtract(a, foot), subtract(b, foot)))
    face[0] += part
    for c in range(3):
        face[1 + c] += part / 3.0 * (foot[c] + a[c] + b[c])


@njit
def _add_wedge(a, b, n, m, radius, out):  # type: ignore[no-untyped-def]
    """The wedge of a cylinder at an edge from a to b between planes of normals n and m."""
    across = cross(n, m)
    sine = np.sqrt(dot(across, across))
    angle = np.arctan2(sine, dot(n, m))
    middle = add(n, m)
    norm = np.sqrt(dot(middle, middle))
    length = np.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)
    out[2] += 0.5 * length * angle
    if norm > 0.0:
        for c in range(3):
            out[3 + c] += length * (0.25 * angle * radius**2 * (a[c] + b[c]) + 2.0 / 3.0 * radius**3 * np.sin(0.5 * angle) * middle[c] / norm)


@njit
def _add_cap(a, n, m, l, radius, out):  # type: ignore[no-untyped-def]
    """The sector of a ball at a vertex: its solid angle (Van Oosterom and Strackee, 1983) times the vertex.

    The integrals of the unit vector over the caps add up to zero, as the caps make up a whole ball.
    """
    solid = 2.0 * np.arctan2(dot(n, cross(m, l)), 1.0 + dot(n, m) + dot(m, l) + dot(l, n))
    for c in range(3):
        out[3 + c] += radius**3 / 3.0 * solid * a[c]


@njit
def measure_cores(cells: HalfSpaces, erosion: float, capacity: int, radius: float, out: np.ndarray, count: np.ndarray) -> None:
    """Measure eroded cells.

    Args:
        cells: the cells as half-spaces.
        erosion: distance by which the planes move inwards (m).
        capacity: number of vertices that a core may have.
        radius: radius of the ball (m).
        out: (n, 6), filled: volume, surface and half the sum of l theta of the core; first moments of the rounded core about the site.
        count: (n,) int64, filled: number of vertices of the core before coincident ones are merged; 0 if nothing is left.
    """
    plane_start, normal, offset, size = cells
    body = make_polyhedron(capacity, 6 + np.diff(plane_start).max())
    faces = np.empty((np.diff(plane_start).max(), 4))
    for c in range(len(size)):
        planes = slice(plane_start[c], plane_start[c + 1])
        shifted = offset[planes] - erosion
        out[c] = 0.0
        count[c] = 0
        change = _erode(body, normal[planes], shifted, size[c])
        if change != EMPTY:
            _measure(body, normal[planes], shifted, radius, faces, out[c])
            if out[c, 0] > THIN * size[c] * out[c, 1]:
                count[c] = body.used[0]
            else:
                out[c] = 0.0


@njit
def write_cores(cells: HalfSpaces, erosion: float, capacity: int, rows: np.ndarray, most: int) -> Cores:
    """Compute the vertices and faces of eroded cells.

    Args:
        cells: the cells as half-spaces.
        erosion: distance by which the planes move inwards (m).
        capacity: number of vertices that a core may have.
        rows: (m,) numbers of the cells that are left.
        most: sum of their numbers of vertices.

    Returns:
        The cores.
    """
    plane_start, normal, offset, size = cells
    body = make_polyhedron(capacity, 6 + np.diff(plane_start).max())
    vertex_start, face_start = np.zeros(len(rows) + 1, np.int64), np.zeros(len(rows) + 1, np.int64)
    vertices, loops = np.empty((most, 3)), np.empty(3 * most, np.int32)
    loop_start, face_plane = np.zeros(most + 1, np.int64), np.empty(most, np.int64)
    same, number = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    nv, nf, nl = 0, 0, 0
    for m in range(len(rows)):
        c = rows[m]
        planes = slice(plane_start[c], plane_start[c + 1])
        _erode(body, normal[planes], offset[planes] - erosion, size[c])
        _merge(body, THIN * size[c], same)
        first = nv
        for v in range(body.used[0]):
            if same[v] == v:
                number[v] = nv - first
                vertices[nv] = body.x[v]
                nv += 1
        for p in range(plane_start[c + 1] - plane_start[c]):
            begin = nl
            nl = _write_loop(body, 6 + p, same, number, loops, nl)
            if nl - begin < 3:
                nl = begin  # all its vertices coincide, or it is an edge
                continue
            face_plane[nf] = plane_start[c] + p
            nf += 1
            loop_start[nf] = nl
        vertex_start[m + 1], face_start[m + 1] = nv, nf
    return Cores(vertex_start, vertices[:nv].copy(), face_start, loop_start[: nf + 1].copy(), loops[:nl].copy(), face_plane[:nf].copy())


@njit
def _merge(body: ClippedPolyhedron, length: float, same: np.ndarray) -> None:
    """For each vertex, the lowest one that it is connected to by edges no longer than a length."""
    n = body.used[0]
    for v in range(n):
        same[v] = v
    changed = True
    while changed:
        changed = False
        for v in range(n):
            for k in range(3):
                u = body.beside[v, k]
                if same[u] < same[v] and ((body.x[u] - body.x[v]) ** 2).sum() <= length * length:
                    same[v] = same[u]
                    changed = True


@njit
def _write_loop(body: ClippedPolyhedron, plane: int, same: np.ndarray, number: np.ndarray, loops: np.ndarray, at: int) -> int:
    """Append the vertices around a face, coincident ones once; returns the new end."""
    start, k = -1, 0
    for v in range(body.used[0]):
        for c in range(3):
            if body.planes[v, c] == plane:
                start, k = v, c
    begin, v = at, start
    while v >= 0:
        vertex = number[same[v]]
        if at == begin or loops[at - 1] != vertex:
            loops[at] = vertex
            at += 1
        v = body.beside[v, (k + 2) % 3]
        for c in range(3):
            if body.planes[v, c] == plane:
                k = c
        if v == start:
            break
    if at - begin > 1 and loops[at - 1] == loops[begin]:
        at -= 1
    return at
