"""Nested slabs: the domain cut into slabs across x, each slab into pencils across y, each pencil into boxes across z, a box a rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..compiled.jit import kernel
from .grids import ANY, BedExtent, Grid, communication, fitting_grids
from .quantiles import quantiles

IMBALANCE = 1.05  # largest over mean work that is left alone
GAIN = 0.9  # predicted communication of another grid, relative to that of the present one, from which on it is worth a change
FINENESS = 64  # counted work is rounded to this part of its unit
AXES = range(3)


class Nested:
    """Cut planes, each slab and each pencil with its own; fulfils ``partition.Partition``. Slabs across one axis are the grid (ranks, 1, 1).

    Args:
        comm: communicator.
        grid: number of parts along x, y and z; 0: chosen for the fewest ghosts.
        rebalance: whether the planes may move, and a grid that is chosen change, after the start.

    Raises:
        CaseError: the grid does not fit the number of ranks.

    Attributes:
        grid: number of parts along x, y and z.
        cuts: positions of the planes (m) across x, y and z, ascending in each row: (1, px - 1), (px, py - 1) and (px py, pz - 1) float64. Parts may
            be thin or empty.
        thinnest: least distance between two cuts of a part, or between a cut and the outermost centre (m).
    """

    def __init__(self, comm: MPI.Comm, grid: Grid = ANY, rebalance: bool = True) -> None:
        self.comm = comm
        self.rebalance = rebalance
        self._grids = fitting_grids(comm.size, grid)
        self.grid = self._grids[0]
        self.cuts = tuple(np.zeros((int(np.prod(self.grid[:axis])), self.grid[axis] - 1)) for axis in AXES)
        self.thinnest = np.inf

    def owner(self, x: np.ndarray) -> np.ndarray:
        """Determine the rank that owns each centre.

        Args:
            x: (n, 3 or more) centres (m).

        Returns:
            (n,) int64 ranks.
        """
        x, part = np.ascontiguousarray(x), np.zeros(len(x), np.int64)
        for axis in AXES:
            enter_parts(x, axis, self.cuts[axis], part)
        return part

    def divide(self, x: np.ndarray, radius: np.ndarray, work: np.ndarray) -> None:
        """Choose the grid, and place the planes so that all ranks have equal work. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            radius: (n,) their bounding radii (m).
            work: (n,) counted work of each, in any unit.
        """
        if self.comm.size == 1:
            return
        self._choose_grid(x, radius)
        self._place_cuts(x, _counted(work))

    def balance(self, x: np.ndarray, radius: np.ndarray, work: np.ndarray, imbalance: float) -> None:
        """Place the planes anew if one rank has much more work than the mean (``IMBALANCE``), or another grid is better by far. Collective.

        Args:
            x: (n, 3 or more) centres of the owned grains (m).
            radius: (n,) their bounding radii (m).
            work: (n,) counted work of each, in any unit.
            imbalance: largest work of a rank over the mean, the same on every rank (1).
        """
        if self.comm.size > 1 and self.rebalance and (self._choose_grid(x, radius, GAIN) or imbalance > IMBALANCE):
            self._place_cuts(x, _counted(work))

    def _choose_grid(self, x: np.ndarray, radius: np.ndarray, gain: float = 1.0) -> bool:
        """Change to the grid of least predicted communication, if that is less than ``gain`` times that of the present one. Collective."""
        if len(self._grids) == 1:
            return False
        bed = extent_of_bed(self.comm, x, radius)
        best = min(self._grids, key=lambda grid: communication(grid, bed))
        if communication(best, bed) >= gain * communication(self.grid, bed):
            return False
        self.grid = best
        return True

    def _place_cuts(self, x: np.ndarray, work: np.ndarray) -> None:
        """Cut every part across each axis in turn, so that its parts have equal work. Collective."""
        x, part, count, cuts, widths = np.ascontiguousarray(x), np.zeros(len(x), np.int64), 1, [], [np.inf]
        for axis in AXES:
            parts = self.grid[axis]
            found = quantiles(self.comm, np.ascontiguousarray(x[:, axis]), part, work, count, np.arange(1, parts), parts)
            cuts.append(found.place)
            there = (found.low <= found.high) & (parts > 1)
            planes = np.concatenate([found.low[there, None], found.place[there], found.high[there, None]], axis=1)
            widths.append(np.diff(planes, axis=1).min(initial=np.inf))
            enter_parts(x, axis, found.place, part)
            count *= parts
        self.cuts = tuple(cuts)
        self.thinnest = float(min(widths))


def _counted(work: np.ndarray) -> np.ndarray:
    """Work in whole numbers: their sums are the same however the grains are distributed."""
    return np.rint(FINENESS * work).astype(np.int64)


def extent_of_bed(comm: MPI.Comm, x: np.ndarray, radius: np.ndarray) -> BedExtent:
    """Find the extents of a bed without its outermost hundredths, where stray grains may be, and its median diameter. Collective.

    Args:
        comm: communicator.
        x: (n, 3 or more) centres of the owned grains (m).
        radius: (n,) their bounding radii (m).

    Returns:
        What the prediction of ghosts needs to know.
    """
    values = np.concatenate([x[:, 0], x[:, 1], x[:, 2], radius])
    group = np.repeat(np.arange(4), len(x))
    found = quantiles(comm, values, group, np.ones(len(values), np.int64), 4, np.array([1, 50, 99]), 100)
    sides = (found.place[:3, 2] - found.place[:3, 0]) / 0.98
    sides[found.low[:3] == found.high[:3]] = 0.0
    return BedExtent((float(sides[0]), float(sides[1]), float(sides[2])), 2.0 * float(found.place[3, 1]), int(found.total[0]))


@kernel
def enter_parts(x: np.ndarray, axis: int, cuts: np.ndarray, part: np.ndarray) -> None:
    """Find in which part of its part each centre lies, after all parts have been cut across one more axis.

    Args:
        x: (n, 3 or more) float64 centres (m).
        axis: across which the parts have been cut: 0, 1 or 2.
        cuts: (parts, planes) float64 positions of the planes in each part (m), ascending; a centre on a plane is above it.
        part: (n,) int64 part of each centre, changed to the new one.
    """
    planes = cuts.shape[1]
    for i in range(x.shape[0]):
        begin, end = 0, planes
        while begin < end:
            middle = (begin + end) // 2
            if cuts[part[i], middle] <= x[i, axis]:
                begin = middle + 1
            else:
                end = middle
        part[i] = part[i] * (planes + 1) + begin
