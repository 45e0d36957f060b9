"""Smoothing kernels, and their integrals over the cells of a regular grid (docs/theory/observables.md, coarse-grained fields)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts are loaded where they are used

CUT = 4.0  # standard deviations at which a Gaussian ends
LUCY = 10.5**0.5  # reach of Lucy's function, in its standard deviations
ENTRIES = 1 << 21  # weights that are held at a time


def _gaussian(t: np.ndarray) -> np.ndarray:
    low = scipy.special.ndtr(-CUT)
    return np.asarray((scipy.special.ndtr(np.clip(t, -CUT, CUT)) - low) / (1.0 - 2.0 * low))


def _lucy(t: np.ndarray) -> np.ndarray:
    s = np.clip(t / LUCY, -1.0, 1.0)
    r = np.abs(s)
    return np.asarray(0.5 + s * (1.25 - r * r * (2.5 - r * (2.5 - 0.75 * r))))


class Kernel(NamedTuple):
    """A function of one coordinate, of integral and standard deviation 1; the kernel in space is the product of those of all coordinates.

    Attributes:
        cumulative: its integral from below.
        reach: distance at which it ends.
    """

    cumulative: Callable[[np.ndarray], np.ndarray]
    reach: float


KERNELS = {"lucy": Kernel(_lucy, LUCY), "gaussian": Kernel(_gaussian, CUT)}
"""Of Lucy (1977), (1 + 3 r)(1 - r)^3 up to its reach; the normal distribution, cut off."""


@dataclass(frozen=True)
class Smoothing:
    """Spreads what belongs to points over the cells of a grid.

    What a cell gets of a point is the integral of the kernel about the point over the cell. So cells that cover the whole kernel get all of it, to
    rounding, however large or small they are.

    Attributes:
        kernel: the kernel.
        width: its standard deviation along each axis (m).
        lower: (d,) lower corner of the grid (m).
        size: (d,) edges of its cells (m).
        count: (d,) numbers of cells.
        period: (d,) periods (m), 0 along axes that are not periodic.
    """

    kernel: Kernel
    width: float
    lower: np.ndarray
    size: np.ndarray
    count: np.ndarray
    period: np.ndarray

    @property
    def cells(self) -> int:
        """Number of cells."""
        return int(np.prod(self.count))

    @property
    def volume(self) -> float:
        """Volume of a cell (m^3; in two dimensions its area, m^2)."""
        return float(np.prod(self.size))

    def centres(self, axis: int) -> np.ndarray:
        """Coordinates of the middles of the cells along an axis (m).

        Args:
            axis: 0, 1 or 2.
        """
        return np.asarray(self.lower[axis] + self.size[axis] * (np.arange(self.count[axis]) + 0.5))

    def images(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All periodic images of points whose kernel reaches the grid, and of points that are not periodic those.

        Args:
            x: (n, d) points (m), anywhere.

        Returns:
            (m, d) images (m), and (m,) rows of the points.
        """
        reach = self.kernel.reach * self.width
        rows = np.arange(len(x))
        for c, period in enumerate(self.period):
            first, last = self.lower[c] - reach, self.lower[c] + self.count[c] * self.size[c] + reach
            if period > 0.0:
                lowest = np.ceil((first - x[:, c]) / period).astype(np.int64)
                many = np.maximum(np.floor((last - x[:, c]) / period).astype(np.int64) - lowest + 1, 0)
                again = np.repeat(np.arange(len(x)), many)
                turns = lowest[again] + np.arange(len(again)) - np.repeat(np.cumsum(many) - many, many)
                x, rows = x[again], rows[again]
                x[:, c] += turns * period
            else:
                there = (x[:, c] > first) & (x[:, c] < last)
                x, rows = x[there], rows[there]
        return x, rows

    def parts(self, x: np.ndarray) -> Iterator[tuple[slice, Any]]:
        """The shares of the cells in points, some points at a time.

        Args:
            x: (n, d) points (m), as `images` returns them.

        Yields:
            Which points, and the share of each cell in each of them as a sparse matrix (cells, points).
        """
        window = np.minimum(self.count, np.floor(2.0 * self.kernel.reach * self.width / self.size).astype(np.int64) + 2)
        many = int(np.prod(window))
        chunk = max(1, ENTRIES // many)
        for begin in range(0, len(x), chunk):
            rows = slice(begin, min(begin + chunk, len(x)))
            n = rows.stop - begin
            index, share = np.zeros((n, 1), np.int64), np.ones((n, 1))
            for c in range(x.shape[1]):
                where, part = self._along(c, x[rows, c], int(window[c]))
                index = (index[:, :, None] * self.count[c] + where[:, None, :]).reshape(n, -1)
                share = (share[:, :, None] * part[:, None, :]).reshape(n, -1)
            pointers = np.arange(n + 1) * many
            yield rows, scipy.sparse.csc_array((share.ravel(), index.ravel(), pointers), shape=(self.cells, n))

    def spread(self, images: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Mean densities in the cells of what belongs to points.

        Args:
            images: (m, d) points (m), as `images` returns them.
            values: (m, k) extensive quantities of the points.

        Returns:
            (cells, k) the quantities per volume; the cell along the last axis changes fastest.
        """
        total = np.zeros((self.cells, values.shape[1]))
        for rows, share in self.parts(images):
            total += share @ values[rows]
        return np.asarray(total / self.volume)

    def _along(self, c: int, x: np.ndarray, window: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the cells along an axis that kernels may reach, and the share of each, (n, window)."""
        first = np.floor((x - self.kernel.reach * self.width - self.lower[c]) / self.size[c])
        first = np.clip(first, 0, self.count[c] - window).astype(np.int64)
        edges = self.lower[c] + self.size[c] * (first[:, None] + np.arange(window + 1))
        return first[:, None] + np.arange(window), np.diff(self.kernel.cumulative((edges - x[:, None]) / self.width), axis=1)
