"""Mass properties of any rounded skeleton by randomised quasi-Monte-Carlo integration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ...errors import ShapeError
from ..geometry.hull import spread
from ..geometry.triangles import triangulate
from .polytope_mass import MassProperties, RoundedSkeleton, _inertia, principal_axes

REPLICATES = 16
"""Independently scrambled point sets; their scatter is the error estimate."""
CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class MassEstimate(MassProperties):
    """Mass properties with standard errors.

    Attributes:
        volume_error: standard error of the volume (m^3).
        mass_error: standard error of the mass (kg).
        centre_error: (3,) standard error of the centre of mass (m).
        inertia_error: (3, 3) standard error of the inertia tensor (kg m^2).
    """

    volume_error: float
    mass_error: float
    centre_error: np.ndarray
    inertia_error: np.ndarray


def monte_carlo_mass_properties(body: RoundedSkeleton, density: float, samples: int, seed: int) -> MassEstimate:
    """Integrate over the points of a rounded skeleton with scrambled Sobol points in a bounding box along its directions of spread.

    Args:
        body: the rounded skeleton.
        density: mass density (kg/m^3).
        samples: number of points, rounded up to `REPLICATES` times a power of two.
        seed: seed of the scrambling.

    Returns:
        The mass properties with their standard errors.

    Raises:
        ShapeError: no point hit the body.
    """
    directions = spread(body.vertices)[1]
    along = body.vertices @ directions.T
    low, high = along.min(axis=0) - body.radius, along.max(axis=0) + body.radius
    origin, size = 0.5 * (low + high) @ directions, high - low
    power = max(0, int(np.ceil(np.log2(samples / REPLICATES))))
    box = np.prod(size)
    sums = []
    for stream in np.random.SeedSequence(seed).spawn(REPLICATES):
        points = (scipy.stats.qmc.Sobol(3, scramble=True, rng=np.random.default_rng(stream)).random_base2(power) - 0.5) * size @ directions
        parts = np.array_split(points, -(-len(points) // CHUNK))
        hit = np.concatenate([inside(part + origin, body) for part in parts])
        x = points[hit]
        sums.append(np.concatenate([[hit.sum()], x.sum(axis=0), (x.T @ x).ravel()]) * (box / len(points)))
    if not any(s[0] for s in sums):
        raise ShapeError(f"None of {samples} sample points hit the body: give more samples.")
    volume, centre, inertia = _properties(np.mean(sums, axis=0))
    # the scatter of leave-one-out means (jackknife) also holds for the ratios that centre and inertia are
    total = np.sum(sums, axis=0)
    without = [_properties((total - s) / (REPLICATES - 1)) for s in sums]
    errors = [np.sqrt((REPLICATES - 1) * np.var(values, axis=0)) for values in zip(*without)]
    axes = principal_axes(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    moments = (axes.T @ inertia @ axes).diagonal()
    return MassEstimate(
        volume,
        density * volume,
        origin + centre,
        density * inertia,
        density * moments,
        axes,
        float(errors[0]),
        density * float(errors[0]),
        errors[1],
        density * errors[2],
    )


def _properties(sums: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    volume, first, second = sums[0], sums[1:4], sums[4:].reshape(3, 3)
    return float(volume), first / volume, _inertia(second - np.outer(first, first) / volume)


def inside(points: np.ndarray, body: RoundedSkeleton) -> np.ndarray:
    """Determine which points lie within the radius of a skeleton or, if it is solid, in the space that its faces enclose.

    Args:
        points: (n, 3) points (m).
        body: the rounded skeleton.

    Returns:
        (n,) bool, whether each point lies in the body.
    """
    vertices, edges, faces, radius, solid = body
    distance2 = np.full(len(points), np.inf)
    for v in vertices:
        distance2 = np.minimum(distance2, ((points - v) ** 2).sum(axis=1))
    for a, b in vertices[edges]:
        along = b - a
        t = np.clip((points - a) @ along / (along @ along), 0.0, 1.0)
        distance2 = np.minimum(distance2, ((points - a - t[:, None] * along) ** 2).sum(axis=1))
    winding = np.zeros(len(points))
    for corners in vertices[triangulate(vertices, faces)[0]]:
        a, b, c = corners[:, None, :] - points
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        over = np.all([np.cross(p, q) @ normal >= 0.0 for p, q in ((a, b), (b, c), (c, a))], axis=0)
        height2 = (a @ normal) ** 2 / (normal @ normal)
        distance2 = np.where(over, np.minimum(distance2, height2), distance2)
        if solid and len(faces) > 1:
            winding += _solid_angle(a, b, c)
    return (distance2 <= radius * radius) | (np.abs(winding) > 2.0 * np.pi)


def _solid_angle(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Signed solid angle of triangles seen from the origin (van Oosterom and Strackee, 1983)."""
    la, lb, lc = (np.linalg.norm(p, axis=1) for p in (a, b, c))
    triple = (a * np.cross(b, c)).sum(axis=1)
    return 2.0 * np.arctan2(triple, la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb)
