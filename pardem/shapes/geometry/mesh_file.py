"""Skeletons from files of triangles (STL, OBJ, PLY)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from ...errors import FileError, ShapeError
from ..mass.polytope_mass import Faces
from ..skeleton import PLANAR, CheckedSkeleton, build_skeleton, is_convex
from .closed_surface import check_faces, check_solid, components, edge_sides, inside_out
from .coplanar import whole_faces
from .erosion import erode_convex, erode_solid

ENDINGS = (".stl", ".obj", ".ply")
EXACT = 1000
"""Most faces of a convex mesh whose half-spaces are intersected; finer ones are eroded like non-convex ones."""
MERGE = 1e-6
"""Distance, relative to the extent, below which vertices of a file are one."""


def mesh_skeleton(path: Path, radius: float, erode: bool, solid: bool | None, target: int | None, scale: float) -> CheckedSkeleton:
    """Build the skeleton of the surface in a file (see `Shape.from_mesh`).

    Args:
        path: the file.
        radius: sphero-radius (m).
        erode: whether the mesh is the outer surface of the grain.
        solid: whether the surface encloses a body; None to treat it as solid if it is closed.
        target: largest number of triangles, or None.
        scale: length of a unit of the file (m).

    Returns:
        The skeleton.
    """
    name = f"mesh '{path.name}'"
    vertices, triangles = read_triangles(path, target)
    vertices, triangles = merged(vertices * scale, triangles)
    if not len(triangles):
        raise ShapeError(f"{name} has no triangle of any extent.")
    loops: Faces = tuple(map(tuple, triangles.tolist()))
    closed = all(len(beside) == 2 for beside in edge_sides(loops).values())
    filled = closed if solid is None else solid
    if erode and not filled:
        raise ShapeError(
            f"{name} is {'open' if not closed else 'to be a shell'}, and a shell has no inside to be eroded: give erode = false (the surface "
            f"becomes the middle of a shell of thickness 2 radius){', or close its holes' if not closed else ''}."
        )
    if filled and closed:
        triangles = turned_outwards(vertices, triangles)
    corners, faces = whole_faces(vertices, triangles, PLANAR)
    if not (erode and filled):
        return build_skeleton(corners, (), faces, solid=filled, name=name)
    check_faces(corners, faces, PLANAR, name)
    check_solid(corners, faces, name)
    if len(faces) <= EXACT and is_convex(corners, np.array(sorted(edge_sides(faces)), dtype=np.int32), faces, True):
        return CheckedSkeleton(*erode_convex(corners, faces, radius, name), convex=True, solid=True)
    inner, loops, _ = erode_solid(corners, faces, radius, PLANAR, name)
    try:
        return build_skeleton(inner, (), loops, solid=True, name=name)
    except ShapeError as error:
        raise ShapeError(f"{name} cannot be eroded by radius = {radius:g} m; take a smaller radius, or erode = false ({error})") from None


def read_triangles(path: Path, target: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Read the triangles of a file, as they are or simplified.

    Args:
        path: path of the file.
        target: number of triangles to which the mesh is simplified, or None if it is not.

    Returns:
        (nv, 3) vertices (in units of the file) and (nt, 3) int64 triangles.

    Raises:
        FileError: trimesh is not installed, or the file is missing, of another kind, or damaged.
    """
    try:
        import trimesh
    except ImportError:
        raise FileError(f"reading {path} needs trimesh: pip install 'pardem[mesh]'") from None
    if path.suffix.lower() not in ENDINGS:
        raise FileError(f"{path} must be a mesh of kind {', '.join(ENDINGS)}, by the ending of its name")
    if not os.path.isfile(path):
        raise FileError(f"the mesh {path} does not exist; paths in a case are relative to its file")
    try:
        mesh: Any = trimesh.load(str(path), force="mesh", process=False)
        vertices, triangles = np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64)
    except Exception as error:  # the readers raise errors of any class on damaged files
        raise FileError(f"{path} is no readable mesh ({type(error).__name__}: {error})") from None
    if triangles.ndim != 2 or not len(triangles) or not np.isfinite(vertices).all():
        raise FileError(f"{path} holds no triangles, or vertices that are not finite")
    if target is None or len(triangles) <= target:
        return vertices, triangles
    try:
        from fast_simplification import simplify
    except ImportError:
        raise FileError("simplifying a mesh (faces) needs fast-simplification: pip install 'pardem[mesh]'") from None
    # welded first: triangles of an STL file share no vertices
    vertices, triangles = merged(vertices, triangles)
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max())
    points, cells = simplify(((vertices - low) / extent).astype(np.float32), triangles.astype(np.int32), target_count=target)
    return np.asarray(points, dtype=float) * extent + low, np.asarray(cells, dtype=np.int64)


def merged(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge coincident vertices (within `MERGE` of the extent), and remove triangles that lose a corner by it.

    Args:
        vertices: (nv, 3) vertices.
        triangles: (nt, 3) vertex numbers.

    Returns:
        Vertices and triangles of the same surface.
    """
    pairs = scipy.spatial.cKDTree(vertices).query_pairs(MERGE * float(np.ptp(vertices, axis=0).max()), output_type="ndarray")
    graph = scipy.sparse.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(vertices),) * 2)
    label = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    first = np.unique(label, return_index=True)[1]
    corners = label[triangles]
    keep = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    used, index = np.unique(corners[keep], return_inverse=True)
    return vertices[first[used]], index.reshape(-1, 3)


def turned_outwards(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Orient the triangles of closed surfaces such that neighbours agree and normals point outwards (for cavities: inwards). Files often do not
    ensure this.

    Args:
        vertices: (nv, 3) vertices.
        triangles: (nt, 3) vertex numbers.

    Returns:
        (nt, 3) oriented triangles.
    """
    loops: Faces = tuple(map(tuple, triangles.tolist()))
    sides = edge_sides(loops)
    beside: list[list[tuple[int, bool]]] = [[] for _ in loops]
    for (f, forward), *others in sides.values():
        for g, ahead in others[:1]:
            beside[f].append((g, forward == ahead))
            beside[g].append((f, forward == ahead))
    flip = np.full(len(loops), -1)
    for start in range(len(loops)):
        if flip[start] >= 0:
            continue
        flip[start] = 0
        stack = [start]
        while stack:
            f = stack.pop()
            for g, clash in beside[f]:
                if flip[g] < 0:
                    flip[g] = flip[f] ^ int(clash)
                    stack.append(g)
    out = np.where(flip[:, None] == 1, triangles[:, ::-1], triangles)
    part = components(len(loops), sides)
    wrong = np.array(inside_out(vertices, out, part))
    return np.where(wrong[part][:, None], out[:, ::-1], out)
