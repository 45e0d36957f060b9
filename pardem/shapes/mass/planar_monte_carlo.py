"""Mass properties in the plane by randomised quasi-Monte-Carlo integration (paper 001 eq 1)."""

from __future__ import annotations

import numpy as np
import scipy

from ...errors import ShapeError
from .monte_carlo import CHUNK, REPLICATES, MassEstimate

Core = tuple[np.ndarray, bool, bool]
"""Vertices (n, 3) with z = 0 in order (m), whether they are an outline, whether they stand alone."""


def planar_monte_carlo(cores: list[Core], radius: float, density: float, samples: int, seed: int) -> MassEstimate:
    """Integrate over the points within ``radius`` of the cores, or inside their outlines, with scrambled Sobol points in the bounding rectangle.

    Args:
        cores: the body is the union of the regions around each of them.
        radius: radius of the disk (m).
        density: mass per area (kg/m^2).
        samples: number of points, rounded up to `REPLICATES` times a power of two.
        seed: seed of the scrambling.

    Returns:
        The mass properties with their standard errors.

    Raises:
        ShapeError: no point hit the body.
    """
    core = np.concatenate([vertices[:, :2] for vertices, _, _ in cores])
    low, high = core.min(axis=0) - radius, core.max(axis=0) + radius
    origin, size = 0.5 * (low + high), high - low
    power = max(0, int(np.ceil(np.log2(samples / REPLICATES))))
    sums = []
    for stream in np.random.SeedSequence(seed).spawn(REPLICATES):
        points = (scipy.stats.qmc.Sobol(2, scramble=True, rng=np.random.default_rng(stream)).random_base2(power) - 0.5) * size
        parts = np.array_split(points, -(-len(points) // CHUNK))
        x = np.concatenate([part[_inside_any(part + origin, cores, radius)] for part in parts])
        sums.append(np.concatenate([[len(x)], x.sum(axis=0), (x.T @ x).ravel()]) * (size.prod() / len(points)))
    if not any(s[0] for s in sums):
        raise ShapeError(f"None of {samples} sample points hit the body: give more samples.")
    area, centre, inertia = _properties(np.mean(sums, axis=0))
    # the scatter of leave-one-out means (jackknife) also holds for the ratios that centre and inertia are
    total = np.sum(sums, axis=0)
    without = [_properties((total - s) / (REPLICATES - 1)) for s in sums]
    errors = [np.sqrt((REPLICATES - 1) * np.var(values, axis=0)) for values in zip(*without)]
    return MassEstimate(
        area,
        density * area,
        np.array([*(origin + centre), 0.0]),
        density * inertia,
        np.full(3, density * inertia[2, 2]),
        np.eye(3),
        float(errors[0]),
        density * float(errors[0]),
        np.array([*errors[1], 0.0]),
        density * errors[2],
    )


def _properties(sums: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    area, first = float(sums[0]), sums[1:3]
    (xx, xy), (_, yy) = sums[3:].reshape(2, 2) - np.outer(first, first) / area
    return area, first / area, np.array([[yy, -xy, 0.0], [-xy, xx, 0.0], [0.0, 0.0, xx + yy]])


def _inside_any(points: np.ndarray, cores: list[Core], radius: float) -> np.ndarray:
    hit = np.zeros(len(points), dtype=bool)
    for vertices, closed, single in cores:
        hit |= inside(points, vertices[:, :2], closed, radius, single)
    return hit


def inside(points: np.ndarray, core: np.ndarray, closed: bool, radius: float, single: bool = False) -> np.ndarray:
    """Determine which points lie within a radius of a polyline or of its vertices or, if the polyline is closed, inside it.

    Args:
        points: (m, 2) points (m).
        core: (n, 2) vertices (m).
        closed: whether the vertices form an outline.
        radius: the radius (m).
        single: whether the vertices are unconnected.

    Returns:
        (m,) bool.
    """
    near = ((points - core[0]) ** 2).sum(axis=1) <= radius * radius
    if single:
        for a in core[1:]:
            near |= ((points - a) ** 2).sum(axis=1) <= radius * radius
        return near
    crossings = np.zeros(len(points), dtype=bool)
    ends = np.roll(core, -1, axis=0) if closed else core[1:]
    for a, b in zip(core, ends):
        along = b - a
        t = np.clip((points - a) @ along / (along @ along), 0.0, 1.0)
        near |= ((points - a - t[:, None] * along) ** 2).sum(axis=1) <= radius * radius
        if closed and a[1] != b[1]:
            between = (a[1] <= points[:, 1]) != (b[1] <= points[:, 1])
            crossings ^= between & (points[:, 0] < a[0] + (points[:, 1] - a[1]) * along[0] / along[1])
    return near | crossings
