"""Boxes that bound the grains of each rank: whose are within reach of whose, in all periodic images."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..compiled.jit import kernel


class Images(NamedTuple):
    """Boxes of other ranks in reach of the box of this one.

    Attributes:
        rank: (k,) int64 rank of each, ascending; a rank occurs once for each of its images in reach.
        box: (k, 2, 3) float64 lower and upper corners, shifted by periods and widened by the skin (m).
    """

    rank: np.ndarray
    box: np.ndarray


def occupied_boxes(comm: MPI.Comm, x: np.ndarray, extent: np.ndarray) -> np.ndarray:
    """Tell all ranks the box that bounds the grains of each. Collective.

    Args:
        comm: communicator.
        x: (n, 3 or more) centres of the owned grains (m).
        extent: (n, 3) their half-extents (m).

    Returns:
        (ranks, 2, 3) float64 lower and upper corners (m); the lower corner of a rank without grains is infinite.
    """
    x, extent = np.ascontiguousarray(x[:, :3].T), np.ascontiguousarray(extent.T)  # numpy takes fifteen times as long for the least of short rows
    mine = np.stack([(x - extent).min(axis=1, initial=np.inf), (x + extent).max(axis=1, initial=-np.inf)])
    found = np.empty((comm.size, 2, 3))
    comm.Allgather(mine, found)
    return found


def images_in_reach(boxes: np.ndarray, rank: int, skin: float, period: np.ndarray) -> Images:
    """Find the boxes of other ranks that come within the skin of the box of one rank.

    Args:
        boxes: (ranks, 2, 3) lower and upper corners (m).
        rank: the rank whose box is held against the others.
        skin: distance beyond contact within which pairs are candidates (m).
        period: (3,) period of the domain (m), 0 where it is not periodic.

    Returns:
        The boxes in reach.
    """
    low, high, (bottom, top) = boxes[:, 0] - skin, boxes[:, 1] + skin, boxes[rank]
    shifts = [(0.0,) if length == 0.0 else (0.0, -length, length) for length in period]
    near = [[(low[:, c] + shift <= top[c]) & (high[:, c] + shift >= bottom[c]) for shift in shifts[c]] for c in range(3)]
    some = np.logical_and.reduce([np.logical_or.reduce(tests) for tests in near])
    some[rank] = False
    others = np.flatnonzero(some)
    ranks, found = [np.zeros(0, np.int64)], [np.zeros((0, 2, 3))]
    for which in product(*(range(len(choice)) for choice in shifts)):
        hit = others[np.logical_and.reduce([near[c][which[c]][others] for c in range(3)])]
        shift = np.array([shifts[c][which[c]] for c in range(3)])
        ranks.append(hit)
        found.append(np.stack([low[hit] + shift, high[hit] + shift], axis=1))
    order = np.argsort(np.concatenate(ranks), kind="stable")
    return Images(np.concatenate(ranks)[order], np.concatenate(found)[order])


def rows_in_reach(x: np.ndarray, extent: np.ndarray, own: np.ndarray, images: Images) -> tuple[np.ndarray, np.ndarray]:
    """Find the grains that other ranks have to know.

    Args:
        x: (n, 3 or more) centres of the owned grains (m).
        extent: (n, 3) their half-extents (m).
        own: (2, 3) corners of the box that bounds them (m).
        images: boxes of other ranks in reach of it.

    Returns:
        (S,) int32 rows of the grains whose own box meets a box of another rank, by that rank, each once for a rank; (S,) int64 the ranks.
    """
    ranks, first = np.unique(images.rank, return_index=True)
    if not len(ranks):
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    inner, shell = own.copy(), np.empty(len(x), np.int32)
    trim_box(inner, own, images.box)
    shell = shell[: outer_rows(x, extent, inner, shell)]
    rows, counts = np.empty(len(shell) * len(ranks), np.int32), np.empty(len(ranks), np.int64)
    found = meeting_rows(x, extent, shell, images.box, np.append(first, len(images.rank)), rows, counts)
    return rows[:found].copy(), np.repeat(ranks, counts)


@kernel
def trim_box(inner: np.ndarray, own: np.ndarray, boxes: np.ndarray) -> None:
    """Trim a box until it meets none of some others; from each it withdraws along the axis and side where this takes the least share of it.

    Args:
        inner: (2, 3) float64 corners of the box (m), changed.
        own: (2, 3) float64 its corners before (m).
        boxes: (k, 2, 3) float64 corners of the others (m).
    """
    for k in range(boxes.shape[0]):
        least, axis, side, apart = np.inf, 0, 0, False
        for c in range(3):
            apart = apart or boxes[k, 0, c] > inner[1, c] or boxes[k, 1, c] < inner[0, c]
            width = own[1, c] - own[0, c]
            above, below = (inner[1, c] - boxes[k, 0, c]) / width, (boxes[k, 1, c] - inner[0, c]) / width
            if above < least:
                least, axis, side = above, c, 1
            if below < least:
                least, axis, side = below, c, 0
        if not apart:
            inner[side, axis] = boxes[k, 1 - side, axis]


@kernel
def outer_rows(x: np.ndarray, extent: np.ndarray, inner: np.ndarray, rows: np.ndarray) -> int:
    """List the grains that are not wholly within a box.

    Args:
        x: (n, 3 or more) float64 centres (m).
        extent: (n, 3) float64 half-extents (m).
        inner: (2, 3) float64 corners of the box (m).
        rows: (n,) int32, filled with their rows from the front.

    Returns:
        Their number.
    """
    found = 0
    for i in range(x.shape[0]):
        within = True
        for c in range(3):
            within = within and x[i, c] - extent[i, c] > inner[0, c] and x[i, c] + extent[i, c] < inner[1, c]
        if not within:
            rows[found] = i
            found += 1
    return found


@kernel
def meeting_rows(
    x: np.ndarray, extent: np.ndarray, shell: np.ndarray, boxes: np.ndarray, first: np.ndarray, rows: np.ndarray, counts: np.ndarray
) -> int:  # fmt: skip
    """List the grains that meet one of the boxes of each rank.

    Args:
        x: (n, 3 or more) float64 centres (m).
        extent: (n, 3) float64 half-extents (m).
        shell: (m,) int32 rows of the grains to test.
        boxes: (k, 2, 3) float64 corners of the boxes, by rank (m).
        first: (ranks + 1,) int64 first box of each rank, and the number of boxes.
        rows: (m ranks,) int32, filled with rows from the front, by rank.
        counts: (ranks,) int64, filled with how many there are for each rank.

    Returns:
        The number of rows.
    """
    found = 0
    for r in range(counts.shape[0]):
        before = found
        for at in range(shell.shape[0]):
            i, meets = shell[at], False
            for k in range(first[r], first[r + 1]):
                near = True
                for c in range(3):
                    near = near and x[i, c] + extent[i, c] >= boxes[k, 0, c] and x[i, c] - extent[i, c] <= boxes[k, 1, c]
                meets = meets or near
            if meets:
                rows[found] = i
                found += 1
        counts[r] = found - before
    return found
