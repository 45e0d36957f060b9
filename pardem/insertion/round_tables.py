"""Tables of insertion by rounds (``round_kernels.py``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Recipe(NamedTuple):
    """Where the spheres of one insert may be.

    Attributes:
        seed: seed of the random numbers.
        radius: radius at a size factor of 1 (m).
        sizes: smallest and largest size factor.
        lower: (3,) lower corner of the region (m).
        upper: (3,) upper corner of the region (m).
        free: (3,) bool, whether spheres may protrude along an axis.
        axis: axis of a cylindrical region, -1 of a box.
        centre: (3,) point on that axis (m).
        around: radius of the cylinder (m).
    """

    seed: int
    radius: float
    sizes: tuple[float, float]
    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    axis: int
    centre: np.ndarray
    around: float


class InsertLayers(NamedTuple):
    """Cells of a rank: those of its layers, and one layer more on either side.

    Attributes:
        origin: (3,) lower corner of all cells (m).
        edge: (3,) size of a cell (m).
        counts: (3,) int64 number of cells along each axis, those of all ranks.
        axis: axis along which the layers follow each other.
        owner: (layers,) int64 rank of each layer.
        first: layer of the first slot; may be -1.
        slots: number of layers of this rank with those beside it.
        rank: this rank.
        lower: (3,) lower corner of the domain (m).
        period: (3,) of the domain (m), 0 where open.
        half: (3,) half of it (m), infinite where open.
        periodic: whether it has a period.
    """

    origin: np.ndarray
    edge: np.ndarray
    counts: np.ndarray
    axis: int
    owner: np.ndarray
    first: int
    slots: int
    rank: int
    lower: np.ndarray
    period: np.ndarray
    half: np.ndarray
    periodic: bool


class Sites(NamedTuple):
    """Positions that a rank knows: settled ones first, then those of the present block.

    Attributes:
        ball: (capacity, 4) centre and radius (m).
        gid: (capacity,) int64 ids of the spheres.
        trial: (capacity,) int32 numbers of the positions among those of the sphere.
        state: (capacity,) int8; of settled ones: STANDING in the layers of this rank, else FOREIGN.
        after: (capacity,) int32 the next one in the same cell or -1.
        head: (cells,) int32 the last one in a cell or -1.
        pile: (piled,) int32 positions to be looked at again.
        numbers: (NUMBERS,) int64.
    """

    ball: np.ndarray
    gid: np.ndarray
    trial: np.ndarray
    state: np.ndarray
    after: np.ndarray
    head: np.ndarray
    pile: np.ndarray
    numbers: np.ndarray


class Outbox(NamedTuple):
    """Events to be sent.

    Attributes:
        event: (capacity, 3) int64 kind, id and number of the position.
        place: (capacity, 4) the position and the radius (m).
        target: (capacity,) int64 ranks.
    """

    event: np.ndarray
    place: np.ndarray
    target: np.ndarray
