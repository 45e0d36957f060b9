"""Voronoi-Minkowski packings: sites, cells, erosion by d, dilation by r <= d (paper 000, section II.C).

Each grain is the sum of a ball of radius r and its Voronoi cell eroded by d. It lies inside its cell, so grains do not overlap; for r = d it is the
opening of the cell. d sets the void ratio, r the roundness of the corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np
import scipy

from ...errors import ShapeError
from .cells import VoronoiCells, voronoi_cells
from .packing_file import Packing


def random_sites(count: int, lower: Sequence[float], upper: Sequence[float], seed: int = 0) -> np.ndarray:
    """Draw points uniform in a box by the counter-based generator Philox.

    Args:
        count: number of points.
        lower: lower corner of the box (m).
        upper: upper corner of the box (m).
        seed: seed of the random numbers.

    Returns:
        (count, d) points (m).

    Raises:
        ShapeError: the count or the seed is not a whole number, count >= 1, seed >= 0.
    """
    for name, value, least in (("count", count, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ShapeError(f"{name} = {value!r} must be a whole number, at least {least}.")
    low, high = np.array(lower, dtype=float), np.array(upper, dtype=float)
    return low + (high - low) * np.random.Generator(np.random.Philox(seed)).random((count, len(low)))


def relaxed(cells: VoronoiCells, steps: int) -> VoronoiCells:
    """Apply Lloyd's algorithm: each step moves every site to the centroid of its cell, which makes the cells more uniform and rounder.

    Args:
        cells: the cells.
        steps: number of steps.

    Returns:
        The cells of the moved sites.
    """
    for _ in range(steps):
        x = cells.sites + cells.measure(0.0).centre
        cells = voronoi_cells(_wrapped(x, cells), cells.lower.tolist(), cells.upper.tolist(), cells.periodic.tolist())
    return cells


class Rounding(NamedTuple):
    """How Voronoi cells become grains: each is eroded by d, then dilated by r <= d.

    Attributes:
        erosion: distance d (m); give either this or ``void_ratio``.
        void_ratio: volume of the voids divided by that of the grains, from which d follows (1). It jumps whenever a cell vanishes together with its
            ball, so it is met up to the share of such balls, not exactly (see `Packing.void_ratio`).
        radius: radius r of the ball that rounds the grains, at most d (m); give at most one of this and ``roundness``.
        roundness: r / d, in (0, 1]. The default of 1 gives the opening of the cells.
    """

    erosion: float | None = None
    void_ratio: float | None = None
    radius: float | None = None
    roundness: float | None = None


def voronoi_packing(
    sites: np.ndarray | int,
    lower: Sequence[float],
    upper: Sequence[float],
    rounding: Rounding,
    *,
    periodic: Sequence[bool] | bool = True,
    seed: int = 0,
    regularity: int = 0,
) -> Packing:
    """Make grains from Voronoi cells, without overlaps, in 2D or 3D as the box.

    Args:
        sites: (n, d) sites (m), or the number of sites to draw at random.
        lower: lower corner of the box (m), with two or three coordinates.
        upper: upper corner of the box (m).
        rounding: erosion and dilation of the cells.
        periodic: periodic flags, one for each axis or one for all; grains stay inside the other faces.
        seed: seed of random sites.
        regularity: number of steps of Lloyd's algorithm applied to the sites first.

    Returns:
        The packing.

    Raises:
        ShapeError: a value is out of range, r exceeds d, or the void ratio cannot be reached.
    """
    _check(rounding, regularity)
    erosion, void_ratio, radius, roundness = rounding
    points = random_sites(int(sites), lower, upper, seed) if np.ndim(sites) == 0 and not isinstance(sites, float) else np.asarray(sites)
    cells = relaxed(voronoi_cells(points, lower, upper, periodic), regularity)
    if void_ratio is not None:
        erosion = erosion_for(cells, void_ratio, radius=radius, roundness=roundness)
    assert erosion is not None
    r = (1.0 if roundness is None else roundness) * erosion if radius is None else radius
    if r > erosion:
        raise ShapeError(f"radius = {r:g} m is larger than erosion = {erosion:g} m, so grains would overlap; make it {erosion:g} m at most.")
    return erode_and_dilate(cells, erosion, r)


def erode_and_dilate(cells: VoronoiCells, erosion: float, radius: float) -> Packing:
    """Make the packing of given cells, each eroded by d and then dilated by r.

    Args:
        cells: the cells.
        erosion: distance d (m).
        radius: radius r, at most d (m).

    Returns:
        The packing.
    """
    sizes = cells.measure(erosion, radius)
    left = np.flatnonzero(sizes.vertices > 0)
    if cells.dimension == 2:
        vertex_start, vertices, _ = cells.cores(erosion, left, sizes.vertices)
        face_start, loop_start = np.arange(len(left) + 1), vertex_start
        loops = (np.arange(len(vertices)) - np.repeat(vertex_start[:-1], np.diff(vertex_start))).astype(np.int32)
    else:
        vertex_start, vertices, face_start, loop_start, loops, _ = cells.cores(erosion, left, sizes.vertices)
    vertices -= np.repeat(sizes.centre[left], np.diff(vertex_start), axis=0)
    centres = _wrapped(cells.sites[left] + sizes.centre[left], cells)
    vanished = np.flatnonzero(sizes.vertices == 0)
    frame = cells.lower, cells.upper, cells.periodic, cells.sites
    bodies = centres, sizes.volume[left], sizes.surface[left]
    return Packing(*frame, float(erosion), float(radius), left, vanished, *bodies, vertex_start, vertices, face_start, loop_start, loops)


def erosion_for(cells: VoronoiCells, void_ratio: float, *, radius: float | None = None, roundness: float | None = None) -> float:
    """Find the erosion that gives a void ratio, for a radius r or a ratio r / d. The volume of the grains decreases as d increases.

    Args:
        cells: the cells.
        void_ratio: volume of the voids divided by that of the grains.
        radius: radius r (m).
        roundness: ratio r / d; default: 1.

    Returns:
        The erosion d (m).

    Raises:
        ShapeError: the radius alone needs a larger void ratio, or all cells would vanish.
    """

    def excess(d: float) -> float:
        solid = cells.measure(d, share * d if radius is None else radius).volume.sum()
        return float(solid * (1.0 + void_ratio) / cells.volume - 1.0)

    share = 1.0 if roundness is None else roundness

    low = 0.0 if radius is None else radius
    missing = excess(low)
    if missing <= -1.0:
        what = "the box has no volume to speak of" if radius is None else f"radius = {radius:g} m is too large"
        raise ShapeError(f"all {len(cells.sites)} cells vanish: {what}; change its size.")
    if missing < 0.0:
        least = (1.0 + void_ratio) / (missing + 1.0) - 1.0
        raise ShapeError(f"void_ratio = {void_ratio:g} cannot be reached with radius = {radius:g} m, which gives {least:g} or more; reduce it.")
    length = (cells.volume / len(cells.sites)) ** (1.0 / cells.dimension)
    high = low + 0.1 * length
    while excess(high) > 0.0:
        low, high = high, high + 0.1 * length
    d = float(scipy.optimize.brentq(excess, low, high, xtol=1e-13 * length, rtol=1e-13))
    if not cells.measure(d).vertices.any():
        raise ShapeError(f"void_ratio = {void_ratio:g} makes all {len(cells.sites)} cells vanish; give more sites or a smaller void ratio.")
    return d


def _wrapped(points: np.ndarray, cells: VoronoiCells) -> np.ndarray:
    """Points with their coordinates along periodic axes inside the box; the others held in it against rounding."""
    length = cells.upper - cells.lower
    inside = cells.lower + np.mod(points - cells.lower, length)
    inside = np.where(inside >= cells.upper, cells.lower, inside)
    return np.asarray(np.where(cells.periodic, inside, np.clip(points, cells.lower, cells.upper)))


def _check(rounding: Rounding, regularity: int) -> None:
    """Raise a `ShapeError` if keys of the rounding contradict each other or a value is out of range."""
    erosion, void_ratio, radius, roundness = rounding
    if (erosion is None) == (void_ratio is None):
        raise ShapeError("voronoi_packing needs exactly one of erosion (m) and void_ratio (1).")
    if radius is not None and roundness is not None:
        raise ShapeError("voronoi_packing takes at most one of radius (m) and roundness (1, the radius over the erosion).")
    for name, value in rounding._asdict().items():
        number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
        if value is not None and not (number and value > 0.0):
            raise ShapeError(f"{name} = {value!r} must be a positive finite number.")
    if roundness is not None and roundness > 1.0:
        raise ShapeError(f"roundness = {roundness:g} is the radius over the erosion; above 1 grains would overlap.")
    if isinstance(regularity, bool) or not isinstance(regularity, int | np.integer) or regularity < 0:
        raise ShapeError(f"regularity = {regularity!r} must be a whole number of steps, at least 0.")
