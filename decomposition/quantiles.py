"""Where given shares of counted work lie along a line, over all ranks: the places of cuts, and the extents of a bed.

A histogram is refined around each share until little work is left in its bracket. Therefore neither the number of shares nor a stray grain makes it
coarse. Work is counted in whole numbers, so that the places do not depend on how the grains are distributed over the ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..compiled.jit import kernel

BINS = 32
ROUNDS = 10  # at most; each narrows a bracket to one of its bins
CLOSE = 512  # a bracket is narrow enough when it holds this part of the work between two neighbouring shares


class Quantiles(NamedTuple):
    """Shares of the work of several groups.

    Attributes:
        place: (groups, shares) float64 value below which each share lies.
        total: (groups,) int64 work of each group.
        low: (groups,) float64 lowest value of each group; infinite if it is empty.
        high: (groups,) float64 highest value of each group.
    """

    place: np.ndarray
    total: np.ndarray
    low: np.ndarray
    high: np.ndarray


class _Brackets(NamedTuple):
    """Intervals that hold the places wanted; those of one group either coincide or are apart.

    Attributes:
        low: (groups, shares) float64 lower ends, ascending.
        high: (groups, shares) float64 upper ends.
        below: (groups, shares) int64 work below the lower ends.
        inside: (groups, shares) int64 work within.
    """

    low: np.ndarray
    high: np.ndarray
    below: np.ndarray
    inside: np.ndarray


def quantiles(
    comm: MPI.Comm, value: np.ndarray, group: np.ndarray, work: np.ndarray, groups: int, shares: np.ndarray, whole: int
) -> Quantiles:  # fmt: skip
    """Find the values below which given shares of the work of each group lie. Collective, with the same result on every rank.

    Args:
        comm: communicator.
        value: (n,) float64 values of this rank.
        group: (n,) int64 group of each.
        work: (n,) int64 work of each.
        groups: number of groups.
        shares: (k,) int64 shares wanted, ascending, in parts of ``whole``.
        whole: number of parts of which the work of a group consists.

    Returns:
        The quantiles.
    """
    low, high, largest = _ends(comm, value, group, work, groups)
    there, count = low <= high, len(shares)
    ends = np.where(there, low, 0.0), np.nextafter(np.where(there, high, 0.0), np.inf)
    found = _Brackets(*(np.repeat(end[:, None], count, axis=1) for end in ends), *np.zeros((2, groups, count), np.int64))
    total, wanted = np.zeros(groups, np.int64), found.below
    for turn in range(ROUNDS if count else 0):
        histogram = _histogram(comm, value, group, work, found)
        if turn == 0:
            total = histogram[:, 0].sum(axis=1)
            wanted = total[:, None] * shares // whole
        found = _narrowed(found, histogram, wanted)
        if (found.inside <= np.maximum(largest, total // (whole * CLOSE))[:, None]).all():
            break
    part = np.clip((wanted - found.below) / np.maximum(found.inside, 1), 0.0, 1.0)
    return Quantiles(found.low + part * (found.high - found.low), total, low, high)


def _ends(comm: MPI.Comm, value: np.ndarray, group: np.ndarray, work: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Lowest and highest value of each group, and the largest work of a single row. Collective."""
    ends = np.full(2 * groups + 1, -np.inf)
    np.maximum.at(ends, group, -value)
    np.maximum.at(ends, groups + group, value)
    ends[-1] = work.max(initial=0)
    comm.Allreduce(MPI.IN_PLACE, ends, MPI.MAX)
    return -ends[:groups], ends[groups:-1], int(ends[-1])


def _histogram(comm: MPI.Comm, value: np.ndarray, group: np.ndarray, work: np.ndarray, found: _Brackets) -> np.ndarray:
    """Work in the bins of each bracket, (groups, shares, BINS) int64. Collective."""
    count = found.low.shape[1]
    # brackets that coincide share the bins of the first of them
    new = np.zeros(found.low.shape, np.int64)
    new[:, 1:] = np.where(found.low[:, 1:] != found.low[:, :-1], np.arange(1, count), 0)
    first = np.maximum.accumulate(new, axis=1)
    histogram = np.zeros((*found.low.shape, BINS), np.int64)
    add_work(value, group, work, found.low, found.high, first, histogram)
    comm.Allreduce(MPI.IN_PLACE, histogram, MPI.SUM)
    return np.asarray(np.take_along_axis(histogram, first[:, :, None], axis=1))


def _narrowed(found: _Brackets, histogram: np.ndarray, wanted: np.ndarray) -> _Brackets:
    """The bin of each bracket in which the work below reaches the share wanted."""
    rising = found.below[:, :, None] + histogram.cumsum(axis=2)
    at = np.minimum((rising < wanted[:, :, None]).sum(axis=2), BINS - 1)
    inside = np.take_along_axis(histogram, at[:, :, None], axis=2)[:, :, 0]
    upto = np.take_along_axis(rising, at[:, :, None], axis=2)[:, :, 0]
    width = (found.high - found.low) / BINS
    return _Brackets(found.low + at * width, found.low + (at + 1) * width, upto - inside, inside)


@kernel
def add_work(
    value: np.ndarray, group: np.ndarray, work: np.ndarray, low: np.ndarray, high: np.ndarray, first: np.ndarray, histogram: np.ndarray
) -> None:  # fmt: skip
    """Add the work of each row to the bin in which its value lies, if it lies in a bracket.

    Args:
        value: (n,) float64 values.
        group: (n,) int64 group of each.
        work: (n,) int64 work of each.
        low: (groups, shares) float64 lower ends of the brackets, ascending.
        high: (groups, shares) float64 upper ends, which do not belong to them.
        first: (groups, shares) int64 the first bracket that coincides with each.
        histogram: (groups, shares, BINS) int64, added to.
    """
    bins = histogram.shape[2]
    for i in range(value.shape[0]):
        g = group[i]
        begin, end = 0, low.shape[1]
        while begin < end:
            middle = (begin + end) // 2
            if low[g, middle] <= value[i]:
                begin = middle + 1
            else:
                end = middle
        if begin > 0 and value[i] < high[g, begin - 1]:
            k = first[g, begin - 1]
            at = int((value[i] - low[g, k]) / (high[g, k] - low[g, k]) * bins)
            histogram[g, k, min(at, bins - 1)] += work[i]
