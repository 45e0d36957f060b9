"""Mass properties of a union of convex pieces: exact ones of each, less what several have in common, by quasi-Monte-Carlo integration."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from ...errors import ShapeError
from ..compound import ConvexPieces, Hull, hulls_of
from ..geometry.proximity import dot, point_segment2, point_triangle2
from ..geometry.triangles import triangulate
from .monte_carlo import REPLICATES, MassEstimate
from .planar_mass import planar_mass_properties
from .polytope_mass import Faces, MassProperties, _inertia, exact_mass_properties, principal_axes

POINTS = 1 << 13
"""Sample points of a replicate in the box that a piece shares with those before it."""


def compound_mass_properties(pieces: ConvexPieces, radius: float, density: float, dimension: int) -> MassEstimate:
    """Compute the mass properties of the points within ``radius`` of a union of convex pieces; the result is stored with the shape.

    Every piece counts in full; then the part of each later piece that lies in an earlier one is subtracted. Only that part is sampled, with scrambled
    Sobol points in the box that the two pieces share.

    Args:
        pieces: the core.
        radius: sphero-radius (m).
        density: mass density (kg/m^3; in 2D kg/m^2).
        dimension: 3 or 2.

    Returns:
        The mass properties with their standard errors.

    Raises:
        ShapeError: a volume is out of the range of numbers.
    """
    m = _at_density_one(pieces.vertices.tobytes(), pieces.edges.tobytes(), pieces.faces, pieces.sizes, radius, dimension)
    return MassEstimate(
        m.volume, density * m.volume, m.centre.copy(), density * m.inertia, density * m.principal_moments, m.principal_axes.copy(),
        m.volume_error, density * m.volume_error, m.centre_error.copy(), density * m.inertia_error,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _at_density_one(vertices: bytes, edges: bytes, faces: Faces, sizes: tuple[int, ...], radius: float, dimension: int) -> MassEstimate:
    core, pairs = np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(edges, np.int32).reshape(-1, 2)
    hulls = hulls_of(core, pairs, faces, sizes)
    middle = core.mean(axis=0)
    whole = np.zeros(13)
    for hull in hulls:
        whole += _about(middle, _exact(hull, radius, dimension))
    common = np.zeros((REPLICATES, 13))
    for k in range(1, len(hulls)):
        common += _common(hulls[k], hulls[:k], middle, radius, dimension)
    (volume, centre, inertia), samples = _properties(whole - common.mean(axis=0)), whole - common
    if not 0.0 < volume < np.inf:
        raise ShapeError(f"The volume of the grain comes out as {volume:g} m^3: lengths are in metres; check them.")
    # the scatter of leave-one-out means (jackknife) also holds for the ratios that centre and inertia are
    total = samples.sum(axis=0)
    without = [_properties((total - s) / (REPLICATES - 1)) for s in samples]
    errors = [np.sqrt((REPLICATES - 1) * np.var(values, axis=0)) for values in zip(*without)]
    axes, moments = np.eye(3), np.full(3, inertia[2, 2])
    if dimension == 3:
        second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        axes = principal_axes(second)
        moments = _inertia(np.diag((axes.T @ second @ axes).diagonal())).diagonal()
    return MassEstimate(volume, volume, middle + centre, inertia, moments, axes, float(errors[0]), float(errors[0]), errors[1], errors[2])


def _exact(hull: Hull, radius: float, dimension: int) -> MassProperties:
    if dimension == 2:
        return planar_mass_properties(hull.vertices, bool(hull.faces), radius, 1.0)
    return exact_mass_properties(hull.vertices, hull.edges, hull.faces, radius, 1.0)


def _about(origin: np.ndarray, m: MassProperties) -> np.ndarray:
    """Integrals of 1, x and x x^T ((13,)), x from an origin."""
    x = m.centre - origin
    second = 0.5 * np.trace(m.inertia) * np.eye(3) - m.inertia + m.volume * np.outer(x, x)
    return np.concatenate([[m.volume], m.volume * x, second.ravel()])


def _properties(sums: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    volume, first, second = float(sums[0]), sums[1:4], sums[4:].reshape(3, 3)
    return volume, first / volume, _inertia(second - np.outer(first, first) / volume)


def _common(piece: Hull, before: list[Hull], origin: np.ndarray, radius: float, dimension: int) -> np.ndarray:
    """Integrals of 1, x and x x^T over what a piece has in common with earlier ones, (REPLICATES, 13), x from an origin."""
    low, high = piece.vertices.min(axis=0) - radius, piece.vertices.max(axis=0) + radius
    boxes = []
    for other in before:
        a, b = np.maximum(low, other.vertices.min(axis=0) - radius), np.minimum(high, other.vertices.max(axis=0) + radius)
        if (a < b).all():
            boxes.append((a, b, other))
    out = np.zeros((REPLICATES, 13))
    if not boxes:
        return out
    low, high = np.min([a for a, _, _ in boxes], axis=0), np.max([b for _, b, _ in boxes], axis=0)
    size = (high - low)[:dimension].prod() / POINTS
    for row, stream in zip(out, np.random.SeedSequence(0).spawn(REPLICATES)):
        cube = scipy.stats.qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(stream)).random(POINTS)
        points = np.zeros((POINTS, 3))
        points[:, :dimension] = low[:dimension] + cube * (high - low)[:dimension]
        points = points[inside(points, piece, radius)]
        x = points[inside_any(points, [other for _, _, other in boxes], radius)] - origin
        products = [(x[:, i] * x[:, j]).sum() for i in range(3) for j in range(3)]
        row[:] = size * np.array([float(len(x)), *(x[:, c].sum() for c in range(3)), *products])
    return out


def inside(points: np.ndarray, hull: Hull, radius: float) -> np.ndarray:
    """Determine which points lie within a radius of a convex core, by elementary operations, with the same bits on every machine.

    Args:
        points: (n, 3) points (m).
        hull: the core.
        radius: the radius (m).

    Returns:
        (n,) bool.
    """
    v = hull.vertices
    triangles = v[triangulate(v, hull.faces)[0]]
    height = np.full(len(points), -np.inf if len(hull.faces) > 1 else 0.0)  # over the highest face of a solid
    for a, b, c in triangles if len(hull.faces) > 1 else ():
        normal = np.cross(b - a, c - a)
        height = np.maximum(height, dot(points - a, normal / np.sqrt(dot(normal, normal))))
    found = height < 0.0
    left = np.flatnonzero(~found & (height <= 1.01 * radius))
    x, distance2 = points[left], np.full(len(left), np.inf)
    for a, b in v[hull.edges if len(hull.edges) else np.array([[0, 0]])]:
        distance2 = np.minimum(distance2, point_segment2(x, a, b))
    for a, b, c in triangles:
        distance2 = np.minimum(distance2, point_triangle2(x, a, b, c))
    found[left] = distance2 <= radius * radius
    return found


def inside_any(points: np.ndarray, hulls: list[Hull], radius: float) -> np.ndarray:
    """Determine which points lie within a radius of one of several convex cores.

    Args:
        points: (n, 3) points (m).
        hulls: the cores.
        radius: the radius (m).

    Returns:
        (n,) bool.
    """
    found = np.zeros(len(points), dtype=bool)
    for hull in hulls:
        left = np.flatnonzero(~found)
        found[left] = inside(points[left], hull, radius)
    return found
