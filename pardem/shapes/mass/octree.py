"""Mass properties of any rounded skeleton: cells of an octree that lie wholly in the body, and random points in those that its surface may cross."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import ShapeError
from ..geometry.proximity import dot, nearest_on_triangle, point_segment2
from ..geometry.triangles import triangulate
from .monte_carlo import MassEstimate
from .polytope_mass import Faces, RoundedSkeleton, _inertia, principal_axes

REPLICATES = 8
"""Points of a cell, one in each eighth of it; each set of one point a cell is an estimate of its own."""
ROOT = 6
"""Cells along the longest side to begin with."""
FEW = 1 << 13
"""Cells are halved while fewer than this are left."""
TARGET = 8e-5
"""Standard error of volume and moments of inertia, relative to the volume and the largest moment, down to which cells are halved further,"""
PAIRS = 3 << 18
"""but not beyond this number of pairs of a cell and a feature (seconds)."""
ROUGH = 0.1
"""Standard error of the volume, relative to it, that is none any more."""
BLOCK = 1 << 12
"""Pairs at a time: their intermediate arrays stay in the processor's cache."""
OFFSETS = 0.25 * np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


class _Features(NamedTuple):
    """Triangles of the faces, then edges that are no sides, then vertices without edges (as segments of no length)."""

    triangles: np.ndarray
    corners: np.ndarray
    segments: np.ndarray
    pseudonormals: np.ndarray
    solid: bool


class _Cells(NamedTuple):
    """Cells of one size and, cell by cell, the features that may be nearest to some of their points."""

    centre: np.ndarray
    cell: np.ndarray
    feature: np.ndarray
    side: float


def cells_mass_properties(body: RoundedSkeleton, density: float, seed: int = 0) -> MassEstimate:
    """Compute the mass properties of a rounded skeleton (docs/theory/grains.md).

    The error decreases as the inverse of the number of cells. The standard errors come from the scatter of the replicates. These lie in different
    eighths of the cells, so their mean varies less than that of independent replicates, and the standard errors are upper estimates. The sums do not
    use the linear-algebra library, whose rounding depends on the processor.

    Args:
        body: the rounded skeleton, whose extent must lie between 1e-50 and 1e50.
        density: mass density (kg/m^3).
        seed: seed of the points.

    Returns:
        The mass properties with their standard errors.

    Raises:
        ShapeError: the grain is too thin for its volume to be determined.
    """
    vertices, radius = body.vertices, body.radius
    low, high = vertices.min(axis=0) - radius, vertices.max(axis=0) + radius
    side = float((high - low).max()) / ROOT
    counts = np.ceil((high - low) / side * (1.0 - 1e-12)).astype(int)
    origin = 0.5 * (low + high)
    points = vertices - origin
    features = _features(points, body.edges, body.faces, body.solid)
    grid = np.stack(np.meshgrid(*(side * (np.arange(n) - 0.5 * (n - 1)) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    number = len(features.triangles) + len(features.segments)
    cells = _Cells(grid, np.repeat(np.arange(len(grid)), number), np.tile(np.arange(number), len(grid)), side)
    whole = np.zeros(10)
    while True:
        cells, full = _sorted_out(cells, points, features, radius)
        whole += _cubes(full, cells.side)
        if len(cells.centre) >= FEW or not len(cells.centre):
            sums = whole + _sampled(cells, points, features, radius, seed)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # a volume of zero is an error below
                (volume, centre, inertia), errors = _estimate(sums)
            if 5 * len(cells.feature) > PAIRS or (errors[0] <= TARGET * volume and np.max(errors[2]) <= TARGET * np.max(inertia)):
                break
        cells = _halved(cells)
    if not errors[0] < ROUGH * volume:
        ratio = radius / float((high - low).max())
        raise ShapeError(f"The grain is too thin for its mass to be estimated: its radius is {ratio:.1g} of its extent; take a larger radius.")
    axes = principal_axes(_second(inertia))
    moments = _inertia(np.diag((axes.T @ _second(inertia) @ axes).diagonal())).diagonal()
    return MassEstimate(
        volume, density * volume, origin + centre, density * inertia, density * moments, axes,
        float(errors[0]), density * float(errors[0]), errors[1], density * errors[2],
    )  # fmt: skip


def _second(inertia: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def _properties(sums: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia from integrals of 1, x, y, z, xx, yy, zz, xy, xz, yz."""
    volume, first = float(sums[0]), sums[1:4]
    xx, yy, zz, xy, xz, yz = sums[4:]
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return volume, first / volume, _inertia(second - np.outer(first, first) / volume)


def _estimate(sums: np.ndarray) -> tuple[tuple[float, np.ndarray, np.ndarray], list[np.ndarray]]:
    """Volume, centre and inertia of the mean of replicates, and their standard errors: the scatter of leave-one-out means (jackknife)."""
    total = sums.mean(axis=0)
    without = [_properties((REPLICATES * total - s) / (REPLICATES - 1)) for s in sums]
    return _properties(total), [np.sqrt((REPLICATES - 1) * np.var(values, axis=0)) for values in zip(*without)]


def _integrals(x: np.ndarray, weight: float) -> np.ndarray:
    """Sums of 1, x and the products of x over points, times a weight, (10,)."""
    products = [x[:, i] * x[:, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return weight * np.array([float(len(x)), *(x[:, c].sum() for c in range(3)), *(p.sum() for p in products)])


def _cubes(centre: np.ndarray, side: float) -> np.ndarray:
    out = _integrals(centre, side**3)
    out[4:7] += len(centre) * side**5 / 12.0
    return out


def _sorted_out(cells: _Cells, vertices: np.ndarray, features: _Features, radius: float) -> tuple[_Cells, np.ndarray]:
    """The cells that the body's surface may cross, with fewer features; the centres ((n, 3)) of those that lie wholly in the body."""
    half = 0.5 * np.sqrt(3.0) * cells.side
    distance, to_face, inside = _look(cells.centre, cells.cell, cells.feature, vertices, features)
    nearest = _least(distance, cells.cell, len(cells.centre))
    full = (nearest + half <= radius) | (inside & (to_face >= half))
    open_ = ~full & (inside | (nearest <= radius + half))
    of_face = cells.feature < len(features.triangles)
    bound = np.where(of_face & features.solid, to_face[cells.cell], nearest[cells.cell]) + 2.0 * half
    keep = open_[cells.cell] & (distance <= bound)
    new = np.cumsum(open_) - 1
    return _Cells(cells.centre[open_], new[cells.cell[keep]], cells.feature[keep], cells.side), cells.centre[full]


def _halved(cells: _Cells) -> _Cells:
    n, starts = len(cells.centre), np.searchsorted(cells.cell, np.arange(len(cells.centre) + 1))
    lengths = np.diff(starts)
    centre = (cells.centre[:, None, :] + cells.side * OFFSETS).reshape(-1, 3)
    child = np.repeat(np.arange(8 * n), np.repeat(lengths, 8))
    within = np.arange(len(child)) - np.repeat(np.cumsum(np.repeat(lengths, 8)) - np.repeat(lengths, 8), np.repeat(lengths, 8))
    return _Cells(centre, child, cells.feature[starts[child // 8] + within], 0.5 * cells.side)


def _sampled(cells: _Cells, vertices: np.ndarray, features: _Features, radius: float, seed: int) -> np.ndarray:
    """Integrals over the body's part of the cells, (REPLICATES, 10), each from one point a cell."""
    rng = np.random.default_rng(seed)
    mask = rng.integers(0, 8, len(cells.centre))
    out = []
    for k in range(REPLICATES):
        x = cells.centre + cells.side * (OFFSETS[mask ^ k] + 0.5 * (rng.random((len(cells.centre), 3)) - 0.5))
        distance, _, inside = _look(x, cells.cell, cells.feature, vertices, features)
        hit = inside | (_least(distance, cells.cell, len(x)) <= radius)
        out.append(_integrals(x[hit], cells.side**3))
    return np.array(out)


def _least(values: np.ndarray, cell: np.ndarray, count: int) -> np.ndarray:
    out = np.full(count, np.inf)
    if len(values):
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        out[cell[first]] = np.minimum.reduceat(values, first)
    return out


def _look(
    x: np.ndarray, cell: np.ndarray, feature: np.ndarray, vertices: np.ndarray, features: _Features
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances of listed pairs, distance to the nearest listed face and whether inside the solid (from the side of the nearest face), by point."""
    faces = feature < len(features.triangles)
    distance2 = np.empty(len(cell))
    row = feature[~faces] - len(features.triangles)
    ends = vertices[features.segments[row]]
    distance2[~faces] = point_segment2(x[cell[~faces]], ends[:, 0], ends[:, 1])
    at, t = cell[faces], feature[faces]
    gap, zone = np.empty((len(t), 3)), np.empty(len(t), dtype=np.int8)
    for k in range(0, len(t), BLOCK):
        part = slice(k, k + BLOCK)
        p = x[at[part]]
        foot, zone[part] = nearest_on_triangle(p, *features.corners[:, t[part]])
        gap[part] = p - foot
    distance2[faces] = dot(gap, gap)
    inside, to_face = np.zeros(len(x), bool), np.full(len(x), np.inf)
    if features.solid:
        to_face = _least(distance2[faces], at, len(x))
        best = np.flatnonzero(distance2[faces] == to_face[at])
        owner = at[best]
        best, owner = best[np.diff(owner, prepend=-1) > 0], owner[np.diff(owner, prepend=-1) > 0]
        inside[owner] = dot(gap[best], features.pseudonormals[t[best], zone[best]]) < 0.0
    return np.sqrt(distance2), np.sqrt(to_face), inside


def _features(vertices: np.ndarray, edges: np.ndarray, faces: Faces, solid: bool) -> _Features:
    triangles, _ = triangulate(vertices, faces)
    sides = {(min(a, b), max(a, b)) for loop in faces for a, b in zip(loop, (*loop[1:], loop[0]))}
    free = [e for e in edges.tolist() if (min(e), max(e)) not in sides]
    lone = np.setdiff1d(np.arange(len(vertices)), np.concatenate([edges.ravel(), triangles.ravel()]))
    segments = np.array([*free, *([v, v] for v in lone)], dtype=np.int64).reshape(-1, 2)
    corners = np.ascontiguousarray(vertices[triangles].transpose(1, 0, 2))
    return _Features(triangles, corners, segments, _pseudonormals(vertices, triangles) if solid else np.zeros((0, 7, 3)), solid)


def _pseudonormals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Normals whose sign tells inside from outside at the nearest point of a closed surface (Bærentzen and Aanæs, 2005).

    Returns:
        (nt, 7, 3) by the zones of `nearest_on_triangle`: sums of face normals weighted by angle at vertices, plain sums at edges.
    """
    corner = vertices[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    at_vertex = np.zeros_like(vertices)
    at_edge: dict[tuple[int, int], np.ndarray] = {}
    for k in range(3):
        a, b, c = corner[:, k], corner[:, (k + 1) % 3], corner[:, (k + 2) % 3]
        cross = np.cross(b - a, c - a)
        angle = np.arctan2(np.sqrt(dot(cross, cross)), dot(b - a, c - a))
        np.add.at(at_vertex, triangles[:, k], angle[:, None] * normal)
        for i, j, n in zip(triangles[:, k].tolist(), triangles[:, (k + 1) % 3].tolist(), normal):
            key = (min(i, j), max(i, j))
            at_edge[key] = at_edge[key] + n if key in at_edge else n
    out = np.empty((len(triangles), 7, 3))
    out[:, :3], out[:, 6] = at_vertex[triangles], normal
    for t, (a, b, c) in enumerate(triangles.tolist()):
        out[t, 3:6] = [at_edge[min(i, j), max(i, j)] for i, j in ((a, b), (b, c), (c, a))]
    return out
