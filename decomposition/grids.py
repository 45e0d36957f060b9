"""How many parts the domain is cut into along each axis: the grid of ranks with the fewest ghosts for the extents of a bed."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from ..errors import CaseError

Grid = tuple[int, int, int]

ANY: Grid = (0, 0, 0)
MOST_RANKS = 2**31 - 1
MESSAGE = 12  # ghosts that cost as much in a step as one more message


class BedExtent(NamedTuple):
    """What the prediction needs to know of the grains.

    Attributes:
        sides: lengths along x, y and z within which nearly all centres lie (m).
        diameter: bounding diameter of a typical grain (m).
        grains: number of grains.
    """

    sides: tuple[float, float, float]
    diameter: float
    grains: int


def grids_of(ranks: int, wanted: Grid) -> list[Grid]:
    """List the grids of a number of ranks.

    Args:
        ranks: number of ranks.
        wanted: numbers of parts along x, y and z; 0: any.

    Returns:
        The grids that have as many parts as there are ranks, and along each axis the number wanted; the first has the most parts along x.
    """
    found = []
    for px in _divisors(ranks, wanted[0]):
        for py in _divisors(ranks // px, wanted[1]):
            pz = ranks // (px * py)
            if wanted[2] in (0, pz):
                found.append((px, py, pz))
    return found


def _divisors(number: int, wanted: int) -> list[int]:
    """Divisors of a number, the largest first; with ``wanted`` not 0 this one alone, if it is one."""
    if wanted:
        return [wanted] if number % wanted == 0 else []
    small = [k for k in range(1, isqrt(number) + 1) if number % k == 0]
    return sorted({*small, *(number // k for k in small)}, reverse=True)


def fitting_grids(ranks: int, wanted: Grid) -> list[Grid]:
    """List the grids of a number of ranks, of which there must be one.

    Args:
        ranks: number of ranks.
        wanted: numbers of parts along x, y and z, as `parallel.grid` gives them; 0: any.

    Returns:
        As ``grids_of``.

    Raises:
        CaseError: there is none, or there are more ranks than MPI can start.
    """
    if ranks > MOST_RANKS:
        raise CaseError(f"parallel.grid = {list(wanted)} for {ranks} ranks: MPI cannot start more than {MOST_RANKS}")
    found = grids_of(ranks, wanted)
    if not found:
        raise CaseError(
            f"parallel.grid = {list(wanted)} does not fit the number of ranks, {ranks}: give three numbers whose product is {ranks}, "
            "with 0 for those that may be chosen, or 'auto'"
        )
    return found


def idle_notice(ranks: int, grains: int) -> str:
    """One sentence if there are more ranks than grains.

    Args:
        ranks: number of ranks.
        grains: number of grains.

    Returns:
        The sentence; empty where there is nothing to say.
    """
    if ranks <= grains:
        return ""
    return f"{ranks} ranks share {grains} grain{'s' if grains != 1 else ''}: some of them have nothing to do; start fewer ranks"


def communication(grid: Grid, bed: BedExtent) -> float:
    """Predict what a rank has to communicate in a step.

    Args:
        grid: number of parts along each axis.
        bed: the grains.

    Returns:
        Number of ghosts of a rank, a message counting as ``MESSAGE`` of them.
    """
    grown, neighbours = 1.0, 1.0
    for side, parts in zip(bed.sides, grid, strict=True):
        if parts == 1:
            continue
        if side == 0.0:
            return float("inf")
        faces = 2.0 * (parts - 1) / parts  # boxes at the ends have a neighbour on one side only
        layers = faces * bed.diameter * parts / side
        grown *= 1.0 + layers
        neighbours *= 1.0 + max(faces, layers)
    return bed.grains / (grid[0] * grid[1] * grid[2]) * (grown - 1.0) + MESSAGE * (neighbours - 1.0)
