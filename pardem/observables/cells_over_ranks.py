"""Power cells of spheres that ranks share: each rank cuts the cells of its own, with what it is sent of those around them."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..decomposition.exchange import RowExchange
from .cells_by_distance import MARGIN, Bounds, SphereGrid, cut_cells, grid_of, in_conflict

DEPTH = 3.0  # distances between neighbours within which all spheres are fetched first
DOUBLINGS = 2  # of that depth, as long as more than one cell in SHARE needs it
SHARE = 10


def cell_volumes(comm: MPI.Comm, own: np.ndarray, parts: list[np.ndarray], lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Volumes of the power cells of spheres inside a box, with the same bits however the spheres are shared. Collective.

    Nearly all cells end among the spheres around them, which ranks fetch from each other. For the few that do not, at free surfaces, the vertices are
    sent round, and whoever has a sphere that cuts one off returns it.

    Args:
        comm: communicator.
        own: (k, 4) centres (m) and squares of the radii (m^2) of this rank's spheres.
        parts: (n, 4) spheres that cut cells: first these, then their images; the same number of arrays on all ranks, better of few places each.
        lower: (3,) lower corner of the box (m).
        upper: (3,) upper corner of the box (m).

    Returns:
        (k,) volumes (m^3).
    """
    every, volumes = np.concatenate(parts), np.zeros(len(own))
    total, radius, heaviest = _scales(comm, own)
    spans, bounds = _spans(comm, parts), Bounds(heaviest, lower, upper)
    rows, nothing, turn = np.arange(len(own)), (np.zeros(1, np.int64), np.empty((0, 4))), 0
    while total:
        grid = grid_of(_around(comm, own[rows], every, spans, radius))
        found, vertices, cell = cut_cells(own[rows], grid, radius, *nothing, bounds)
        volumes[rows] = found
        left, of_left = np.unique(cell, return_inverse=True)
        still = comm.allreduce(len(left))
        if not still:
            break
        rows, turn = rows[left], turn + 1
        if still * SHARE <= total or turn > DOUBLINGS:
            far = _beyond(radius, own[rows], *_cutting(comm, vertices, of_left, every, spans, heaviest))
            volumes[rows] = cut_cells(own[rows], grid, radius, *far, bounds)[0]
            break
        radius *= 2.0
    return volumes


def _scales(comm: MPI.Comm, own: np.ndarray) -> tuple[int, float, float]:
    """Number of all spheres, depth within which they are fetched first (m), largest square of a radius (m^2). Collective."""
    extremes = np.full(7, -np.inf)
    if len(own):
        extremes[:] = [*own[:, :3].max(axis=0), *-own[:, :3].min(axis=0), own[:, 3].max()]
    comm.Allreduce(MPI.IN_PLACE, extremes, MPI.MAX)
    total = comm.allreduce(len(own))
    if not total:
        return 0, 0.0, 0.0
    heaviest = float(extremes[6])
    extent = np.maximum(extremes[:3] + extremes[3:6], 2.0 * np.sqrt(heaviest))
    return total, DEPTH * float(np.prod(extent) / total) ** (1.0 / 3.0), heaviest


def _spans(comm: MPI.Comm, parts: list[np.ndarray]) -> np.ndarray:
    """(ranks, parts, 2, 3) boxes around the parts of each rank (m), inverted where there is nothing. Collective."""
    mine = np.empty((len(parts), 2, 3))
    mine[:, 0], mine[:, 1] = np.inf, -np.inf
    for k, part in enumerate(parts):
        if len(part):
            mine[k] = part[:, :3].min(axis=0), part[:, :3].max(axis=0)
    spans = np.empty((comm.size, *mine.shape))
    comm.Allgather(mine, spans)
    return spans


def _around(comm: MPI.Comm, own: np.ndarray, every: np.ndarray, spans: np.ndarray, radius: float) -> np.ndarray:
    """All spheres within a radius of some of this rank's spheres, and others. Collective."""
    box = np.empty((2, 3))
    box[0], box[1] = np.inf, -np.inf
    if len(own):
        depth = radius * (1.0 + MARGIN)
        box[0], box[1] = own[:, :3].min(axis=0) - depth, own[:, :3].max(axis=0) + depth
    boxes = np.empty((comm.size, 2, 3))
    comm.Allgather(box, boxes)
    mine = spans[comm.rank]
    near = ((boxes[:, None, 0] <= mine[:, 1]) & (boxes[:, None, 1] >= mine[:, 0])).all(axis=2).any(axis=1)
    rows, ranks = [np.empty(0, np.int64)], np.flatnonzero(near)
    for rank in ranks:
        rows.append(np.flatnonzero(((every[:, :3] >= boxes[rank, 0]) & (every[:, :3] <= boxes[rank, 1])).all(axis=1)))
    target = np.repeat(ranks, [len(some) for some in rows[1:]])
    return RowExchange(comm, target)(every[np.concatenate(rows)])


def _cutting(
    comm: MPI.Comm, vertices: np.ndarray, cell: np.ndarray, every: np.ndarray, spans: np.ndarray, heaviest: float
) -> tuple[np.ndarray, np.ndarray]:
    """Spheres that cut off vertices of cells, and some that hardly fail to. Collective.

    Args:
        comm: communicator.
        vertices: (v, 4) vertices of the cells (m) with their power distance (m^2).
        cell: (v,) the cell of each vertex.
        every: (n, 4) spheres of this rank and their images.
        spans: boxes around the parts of each rank (m).
        heaviest: largest square of a radius of a sphere (m^2).

    Returns:
        (m,) int64 the cell of each of them, (m, 4) these spheres.
    """
    vertices = vertices.copy()
    vertices[:, 3] += MARGIN * (np.abs(vertices[:, 3]) + heaviest)
    rows, target = _asked(vertices, spans, heaviest)
    asking = RowExchange(comm, target)
    asked, of_cell = asking(vertices[rows]), asking(cell[rows])
    by = np.repeat(np.arange(comm.size), asking.arriving)
    grid: SphereGrid = grid_of(every)
    pairs = in_conflict(asked, grid, heaviest)
    answers = np.unique(np.column_stack([by[pairs[:, 0]], of_cell[pairs[:, 0]], pairs[:, 1]]), axis=0)
    answering = RowExchange(comm, answers[:, 0])
    return answering(answers[:, 1]), answering(grid.spheres[answers[:, 2]])


def _beyond(radius: float, own: np.ndarray, cell: np.ndarray, spheres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of some spheres that are farther than a radius from that of their cell.

    Returns:
        (k + 1,) int64 first row of each cell; (m, 4) the spheres of each cell in ascending order.
    """
    away = spheres[:, :3] - own[cell, :3]
    beyond = away[:, 0] ** 2 + away[:, 1] ** 2 + away[:, 2] ** 2 > radius * radius
    cell, spheres = cell[beyond], spheres[beyond]
    order = np.lexsort((*spheres.T[::-1], cell))
    return np.searchsorted(cell[order], np.arange(len(own) + 1)), spheres[order]


def _asked(vertices: np.ndarray, spans: np.ndarray, heaviest: float) -> tuple[np.ndarray, np.ndarray]:
    """Which vertices go to which ranks: (m,) vertices and (m,) ranks that may have spheres which cut them off."""
    reach = np.sqrt(np.maximum(vertices[:, 3] + heaviest, 0.0)) * (1.0 + MARGIN)
    rows, targets = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    if len(vertices):
        low, high = (vertices[:, :3] - reach[:, None]).min(axis=0), (vertices[:, :3] + reach[:, None]).max(axis=0)
        near = ((spans[:, :, 0] <= high) & (spans[:, :, 1] >= low)).all(axis=2)
        for rank in np.flatnonzero(near.any(axis=1)):
            some = np.zeros(len(vertices), dtype=bool)
            for box in spans[rank, near[rank]]:
                away = np.maximum(np.maximum(box[0] - vertices[:, :3], vertices[:, :3] - box[1]), 0.0)
                some |= (away**2).sum(axis=1) <= reach**2
            rows.append(np.flatnonzero(some))
            targets.append(np.full(len(rows[-1]), rank))
    return np.concatenate(rows), np.concatenate(targets)
