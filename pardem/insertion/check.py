"""Whether grains with given positions overlap at the start, or lie outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import InsertionError
from ..shapes import Catalogue
from .clearance import overlapping
from .insert_kernels import mark_outside
from .placed_grains import PlacedGrains, make_bodies, make_cells
from .regions import BoxDomain, Region

TOLERANCE = 1e-9
"""Overlap, relative to the sum of sphero-radii, that counts as touching."""
SHOWN = 5


class Overlaps(NamedTuple):
    """Pairs that overlap, by index.

    Attributes:
        pairs: (m, 2) int64, lower index first, in order.
        depth: (m,) overlap (m); where cores cross, the sum of the radii.
    """

    pairs: np.ndarray
    depth: np.ndarray


def check_overlaps(catalogue: Catalogue, grains: PlacedGrains, *, domain: BoxDomain | None = None, tolerance: float = TOLERANCE) -> Overlaps:
    """Find all pairs of grains that overlap by more than a tolerance.

    Args:
        catalogue: shape catalogue.
        grains: placed grains.
        domain: box with periodic axes, if any.
        tolerance: overlap that is accepted, relative to the sum of the sphero-radii.

    Returns:
        The overlaps.

    Raises:
        InsertionError: malformed arrays, or a period too short for the grains.
    """
    bodies = make_bodies(catalogue, grains, np.empty(0, np.int64), 1.0, domain)
    n = len(bodies.r)
    if n == 0:
        return Overlaps(np.empty((0, 2), np.int64), np.empty(0))
    cells = make_cells(bodies, bodies.x.min(axis=0), bodies.x.max(axis=0), n)
    capacity = n + 16
    while True:
        pairs, depth = np.empty((capacity, 2), np.int64), np.empty(capacity)
        found = overlapping(bodies, cells, tolerance, pairs, depth)
        if found <= capacity:
            break
        capacity = found
    order = np.lexsort((pairs[:found, 1], pairs[:found, 0]))
    return Overlaps(pairs[order], depth[order])


def grains_outside(catalogue: Catalogue, grains: PlacedGrains, region: Region) -> np.ndarray:
    """Find the grains that do not lie entirely in a region.

    Args:
        catalogue: shape catalogue.
        grains: placed grains.
        region: the region.

    Returns:
        Their indices.
    """
    bodies = make_bodies(catalogue, grains, np.empty(0, np.int64), 1.0, None)
    outside = np.empty(len(bodies.r), dtype=bool)
    mark_outside(bodies, region.arrays(), outside)
    return np.flatnonzero(outside)


def centres_outside(grains: PlacedGrains, domain: BoxDomain) -> np.ndarray:
    """Find the grains whose centre lies outside the domain along an axis that is not periodic.

    Args:
        grains: placed grains.
        domain: box with periodic axes.

    Returns:
        Their indices.
    """
    x = np.asarray(grains.positions, dtype=float).reshape(-1, 3)
    inside = (x >= domain.lower) & (x <= domain.upper) | np.array(domain.periodic)
    return np.flatnonzero(~inside.all(axis=1))


def require_clear(
    catalogue: Catalogue, grains: PlacedGrains, *, domain: BoxDomain | None = None, tolerance: float = TOLERANCE, names: Sequence[str] = (),
    settled: int = 0,
) -> None:  # fmt: skip
    """Check that no two grains overlap and that all centres lie in the domain.

    Args:
        catalogue: shape catalogue of the grains.
        grains: the grains to check.
        domain: box that must contain the centres, with its periodic axes; None for open space.
        tolerance: overlap that is allowed, relative to the size of the grains.
        names: names of the species, for messages. Grains are named by their index, which becomes their id.
        settled: number of grains, from the first, that are as another run left them and are not held against each other.

    Raises:
        InsertionError: names the grains and by how much they overlap, or where they are.
    """

    def who(i: int) -> str:
        s = int(grains.species[i])
        return f"{i} ({names[s]})" if len(names) else str(i)

    pairs, depth = check_overlaps(catalogue, grains, domain=domain, tolerance=tolerance)
    pairs, depth = pairs[pairs[:, 1] >= settled], depth[pairs[:, 1] >= settled]
    if domain is not None:
        out = centres_outside(grains, domain)
        out = out[out >= settled]
        if len(out):
            where = ", ".join(f"{who(i)} at {np.asarray(grains.positions)[i].tolist()}" for i in out[:SHOWN])
            raise InsertionError(
                f"{len(out)} grains lie outside the domain ({list(domain.lower)} to {list(domain.upper)} m): {where}"
                f"{' ...' if len(out) > SHOWN else ''}; move them, or enlarge the domain."
            )
    if len(pairs):
        worst = np.argsort(-depth, kind="stable")[:SHOWN]
        listed = "; ".join(f"{who(pairs[k, 0])} and {who(pairs[k, 1])} by {depth[k]:.3g} m" for k in worst)
        raise InsertionError(
            f"{len(pairs)} pairs of grains overlap at the start: {listed}{' ...' if len(pairs) > SHOWN else ''}; move the grains apart."
        )
