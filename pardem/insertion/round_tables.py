"""Tables of insertion by rounds (``round_kernels.py``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .occupants import Occupants
from .regions import RegionArrays


class Balls(NamedTuple):
    """Spheres.

    Attributes:
        radius: at a size factor of 1 (m).
    """

    radius: float


class Bodies(NamedTuple):
    """Grains of any shape.

    Attributes:
        species: row of the catalogue of those that are inserted.
        radius: (ns,) sphero-radius of each species at a size factor of 1 (m).
        core_radius: (ns,) largest distance of a core vertex from the centre (m).
        vertex_start: (ns + 1,) int64 first vertex of each species.
        vertices: (nv, 3) core vertices (m).
        pair: two grains, placed.
        ends: (2, 3) how far the first of them reaches from its centre along the axes, at most and at least 0; 0 along free axes (m).
        work: (12, 4) work space.
        there_species: (m,) int64 species of the grains that are there already, in the order of their rows.
        there_scale: (m,) their size factors.
        there_q: (m, 4) their orientations.
    """

    species: int
    radius: np.ndarray
    core_radius: np.ndarray
    vertex_start: np.ndarray
    vertices: np.ndarray
    pair: Occupants
    ends: np.ndarray
    work: np.ndarray
    there_species: np.ndarray
    there_scale: np.ndarray
    there_q: np.ndarray


class Recipe(NamedTuple):
    """Where the grains of one insert may be.

    Attributes:
        seed: seed of the random numbers.
        sizes: smallest and largest size factor.
        region: the region.
        form: what they are.
    """

    seed: int
    sizes: tuple[float, float]
    region: RegionArrays
    form: Balls | Bodies


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
        ball: (capacity, 4) centre, and how far the grain reaches from there (m).
        gid: (capacity,) int64 ids of the grains.
        trial: (capacity,) int32 numbers of the positions among those of the grain.
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
        place: (capacity, 4) the position, and how far the grain reaches (m).
        target: (capacity,) int64 ranks.
    """

    event: np.ndarray
    place: np.ndarray
    target: np.ndarray
