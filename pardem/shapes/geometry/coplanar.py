"""Triangles of a surface joined to whole faces."""

from __future__ import annotations

import numpy as np

from ..mass.polytope_mass import Faces
from .closed_surface import edge_sides
from .proximity import dot

TURN = 1e-3
"""Angle (rad) between a triangle and the largest one of its face above which they are not one face, however small both are."""


def whole_faces(vertices: np.ndarray, triangles: np.ndarray, planar: float) -> tuple[np.ndarray, Faces]:
    """Merge coplanar neighbouring triangles into polygons and drop corners in the middle of straight sides.

    A face grows from its largest triangle over neighbours with the same orientation that lie in its plane. If its outline is not a simple polygon (a
    face with a hole), its triangles and the edges between them are kept.

    Args:
        vertices: (nv, 3) vertices (m).
        triangles: (nt, 3) vertex numbers.
        planar: largest distance of a vertex from the plane of its face, relative to the extent.

    Returns:
        The remaining vertices, in their order, and the loops of the faces.
    """
    tolerance = 0.25 * planar * float(np.ptp(vertices, axis=0).max())
    group = _grown(vertices, triangles, tolerance)
    members: dict[int, list[int]] = {}
    for t, g in enumerate(group.tolist()):
        members.setdefault(g, []).append(t)
    loops: list[tuple[int, ...]] = []
    for part in members.values():
        outline = _outline(triangles[part].tolist())
        loops += [outline] if outline is not None else [tuple(t) for t in triangles[part].tolist()]
    loops = _without_straight_corners(vertices, loops, tolerance)
    used, index = np.unique(np.concatenate(loops), return_inverse=True)
    ends = np.cumsum([len(loop) for loop in loops])[:-1]
    return vertices[used], tuple(tuple(part.tolist()) for part in np.split(index, ends))


def _grown(vertices: np.ndarray, triangles: np.ndarray, tolerance: float) -> np.ndarray:
    """Number of the face that each triangle belongs to."""
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    size = np.sqrt(dot(normal, normal))
    longest = np.sqrt(np.max([dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)], axis=0))
    sliver = size <= tolerance * longest  # its height is below the tolerance: it may turn any way
    normal = normal / np.where(size > 0.0, size, 1.0)[:, None]
    around: list[list[int]] = [[] for _ in range(len(triangles))]
    for beside in edge_sides(tuple(map(tuple, triangles.tolist()))).values():
        if len(beside) == 2 and beside[0][1] != beside[1][1]:
            around[beside[0][0]].append(beside[1][0])
            around[beside[1][0]].append(beside[0][0])
    group = np.full(len(triangles), -1)
    for seed in np.lexsort((np.arange(len(triangles)), -size)).tolist():
        if group[seed] >= 0:
            continue
        group[seed] = seed
        stack = [seed]
        while stack:
            for t in around[stack.pop()]:
                if group[t] >= 0 or not (sliver[t] or np.linalg.norm(normal[t] - normal[seed]) < TURN):
                    continue
                if np.abs(dot(vertices[triangles[t]] - a[seed], normal[seed])).max() <= tolerance:
                    group[t] = seed
                    stack.append(t)
    return group


def _outline(triangles: list[list[int]]) -> tuple[int, ...] | None:
    """The loop around triangles; None where it is no single one or touches itself."""
    directed = {(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)}
    sides = [(a, b) for a, b in directed if (b, a) not in directed]
    follows = dict(sides)
    if len(follows) < len(sides) or not sides:
        return None
    start = here = min(follows)
    loop = []
    while here in follows:
        loop.append(here)
        here = follows.pop(here)
    return tuple(loop) if not follows and here == start and len(loop) >= 3 else None


def _without_straight_corners(vertices: np.ndarray, loops: list[tuple[int, ...]], tolerance: float) -> list[tuple[int, ...]]:
    """Drop vertices that every face around them (one or two) has in the middle of a straight side."""
    beside: dict[int, set[frozenset[int]]] = {}
    bent: set[int] = set()
    count: dict[int, int] = {}
    for loop in loops:
        for k, v in enumerate(loop):
            a, b = loop[k - 1], loop[(k + 1) % len(loop)]
            along, gap = vertices[b] - vertices[a], vertices[v] - vertices[a]
            beside.setdefault(v, set()).add(frozenset((a, b)))
            count[v] = count.get(v, 0) + 1
            if np.linalg.norm(np.cross(along, gap)) > tolerance * np.linalg.norm(along) or not 0.0 < along @ gap < along @ along:
                bent.add(v)
    straight = {v for v in beside if v not in bent and len(beside[v]) == 1 and count[v] <= 2}
    return [kept if len(kept := tuple(v for v in loop if v not in straight)) >= 3 else loop for loop in loops]
