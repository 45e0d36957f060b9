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
    count, worst = worst_overlaps(catalogue, grains, np.arange(len(grains.species)), domain=domain, tolerance=tolerance, names=names, settled=settled)
    if domain is not None:
        refuse_outside(*strays(grains, np.arange(len(grains.species)), domain, names, settled), domain)
    refuse_overlaps(count, worst)


class Overlap(NamedTuple):
    """A pair of grains that overlap; the worst come first.

    Attributes:
        order: minus the depth, then the ids, lower one first.
        said: grains and depth in words.
    """

    order: tuple[float, int, int]
    said: str


def worst_overlaps(
    catalogue: Catalogue, grains: PlacedGrains, ids: np.ndarray, *, domain: BoxDomain | None = None, tolerance: float = TOLERANCE,
    names: Sequence[str] = (), settled: int = 0, mine: np.ndarray | None = None,
) -> tuple[int, list[Overlap]]:  # fmt: skip
    """Find the deepest overlaps of grains.

    Args:
        catalogue: shape catalogue of the grains.
        grains: the grains, in the order of their ids.
        ids: (n,) their ids.
        domain: box with periodic axes, if any.
        tolerance: overlap that is allowed, relative to the size of the grains.
        names: names of the species, for messages.
        settled: pairs of grains with ids below this one do not count.
        mine: (n,) bool, pairs whose lower id is not marked do not count; None if all are.

    Returns:
        Number of overlaps, and the deepest of them, in order.
    """
    pairs, depth = check_overlaps(catalogue, grains, domain=domain, tolerance=tolerance)
    counts = ids[pairs[:, 1]] >= settled
    if mine is not None:
        counts &= mine[pairs[:, 0]]
    pairs, depth = pairs[counts], depth[counts]
    worst = np.argsort(-depth, kind="stable")[:SHOWN]
    return len(pairs), [
        Overlap(
            (-float(depth[k]), int(ids[i]), int(ids[j])),
            f"{_who(int(ids[i]), int(grains.species[i]), names)} and {_who(int(ids[j]), int(grains.species[j]), names)} by {depth[k]:.3g} m",
        )
        for k, (i, j) in zip(worst, pairs[worst], strict=True)
    ]


def strays(grains: PlacedGrains, ids: np.ndarray, domain: BoxDomain, names: Sequence[str] = (), settled: int = 0) -> tuple[int, list[str]]:
    """Find the grains whose centre lies outside the domain.

    Args:
        grains: the grains.
        ids: (n,) their ids.
        domain: box with periodic axes.
        names: names of the species, for messages.
        settled: grains with ids below this one do not count.

    Returns:
        Their number, and the first of them with their places in words.
    """
    out = centres_outside(grains, domain)
    out = out[ids[out] >= settled]
    x = np.asarray(grains.positions)
    return len(out), [f"{_who(int(ids[i]), int(grains.species[i]), names)} at {x[i].tolist()}" for i in out[:SHOWN]]


def _who(gid: int, species: int, names: Sequence[str]) -> str:
    return f"{gid} ({names[species]})" if len(names) else str(gid)


def refuse_outside(count: int, said: Sequence[str], domain: BoxDomain) -> None:
    """Refuse grains outside the domain.

    Args:
        count: their number.
        said: the first of them in words.
        domain: the domain.

    Raises:
        InsertionError: there are any.
    """
    if count:
        raise InsertionError(
            f"{count} grains lie outside the domain ({list(domain.lower)} to {list(domain.upper)} m): {', '.join(said[:SHOWN])}"
            f"{' ...' if count > SHOWN else ''}; move them, or enlarge the domain."
        )


def refuse_overlaps(count: int, worst: Sequence[Overlap]) -> None:
    """Refuse grains that overlap.

    Args:
        count: number of pairs.
        worst: the deepest of them, in order.

    Raises:
        InsertionError: there are any.
    """
    if count:
        listed = "; ".join(overlap.said for overlap in worst[:SHOWN])
        raise InsertionError(f"{count} pairs of grains overlap at the start: {listed}{' ...' if count > SHOWN else ''}; move the grains apart.")
