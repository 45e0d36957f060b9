"""Virtual ranks: a bed cut offline by the functions that a run uses, and what each rank would own, send and receive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..decomposition.boxes import images_in_reach, rows_in_reach
from ..decomposition.grids import ANY, Grid, communication, fitting_grids
from ..decomposition.nested_slabs import Nested, extent_of_bed
from .imagined import imagined
from .virtual_beds import VirtualBed

SAMPLE = 500_000  # grains from which the extents of a bed are found
SLABS: Grid = (0, 1, 1)


class VirtualRanks(NamedTuple):
    """What the ranks own and send.

    Attributes:
        grid: number of parts along x, y and z.
        owned: (P,) int64 number of grains.
        source: (M,) int32 rank that sends each message of a step, ascending.
        target: (M,) int32 rank that receives it.
        rows: (M,) int64 number of grains in it.
        bytes_per_ghost: bytes of each.
        crossing: pairs of candidates across a cut, a ghost; nan if they were not counted.
    """

    grid: Grid
    owned: np.ndarray
    source: np.ndarray
    target: np.ndarray
    rows: np.ndarray
    bytes_per_ghost: int
    crossing: float

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.owned)

    @property
    def ghosts(self) -> np.ndarray:
        """(P,) int64 number of grains that each rank receives in a step."""
        return np.bincount(self.target, self.rows, self.ranks).astype(np.int64)

    @property
    def sent(self) -> np.ndarray:
        """(P,) int64 number of grains that each rank sends in a step; one that goes to two ranks counts twice."""
        return np.bincount(self.source, self.rows, self.ranks).astype(np.int64)

    @property
    def messages(self) -> np.ndarray:
        """(P,) int64 number of messages that each rank sends in a step."""
        return np.bincount(self.source, minlength=self.ranks)

    @property
    def imbalance(self) -> float:
        """Largest number of grains of a rank over the mean (1)."""
        return float(self.owned.max() / self.owned.mean())


def cut(bed: VirtualBed, ranks: int, skin: float, grid: Grid = ANY, sampled: int = 0) -> VirtualRanks:
    """Cut a bed into boxes of equal numbers of grains, as a run does at its start.

    Args:
        bed: the grains.
        ranks: number of ranks.
        skin: distance beyond contact within which pairs are candidates (m).
        grid: number of parts along x, y and z; 0: chosen for the fewest ghosts.
        sampled: number of ranks whose candidates across cuts are counted.

    Returns:
        What the ranks own and send.
    """
    parts = Nested(imagined(ranks), _chosen(bed, ranks, grid))
    parts.divide(bed.x, np.zeros(0), np.ones(len(bed.x)))
    return cut_by(parts, bed, skin, sampled)


def cut_by(parts: Nested, bed: VirtualBed, skin: float, sampled: int = 0) -> VirtualRanks:
    """Find what the ranks of a partition own and send.

    Args:
        parts: the partition.
        bed: the grains.
        skin: distance beyond contact within which pairs are candidates (m).
        sampled: number of ranks whose candidates across cuts are counted.

    Returns:
        What they own and send.
    """
    ranks = parts.comm.size
    owner = parts.owner(bed.x)
    owned = np.bincount(owner, minlength=ranks)
    order = np.argsort(owner.astype(np.uint16 if ranks < 1 << 16 else np.int64), kind="stable")
    del owner
    starts = np.concatenate([[0], np.cumsum(owned)])
    of = [order[starts[rank] : starts[rank + 1]] for rank in range(ranks)]
    boxes = np.stack([_box(bed.x[own], bed.extent[bed.like[own]]) for own in of])
    source, target, rows = [], [], []
    sample = _Sample(ranks, sampled, skin, bed)
    for rank, own in enumerate(of):
        x, extent = bed.x[own], bed.extent[bed.like[own]]
        sent, to = rows_in_reach(x, extent, boxes[rank], images_in_reach(boxes, rank, skin, bed.period))
        others, first, counts = np.unique(to, return_index=True, return_counts=True)
        source.append(np.full(len(others), rank, np.int32))
        target.append(others.astype(np.int32))
        rows.append(counts)
        sample.note(rank, own[sent], others, first, counts)
    of_all = np.concatenate(source), np.concatenate(target), np.concatenate(rows)
    return VirtualRanks(parts.grid, owned, of_all[0], of_all[1], of_all[2], bed.bytes_per_ghost, sample.crossing())


class _Sample:
    """Counts the candidates across cuts of some ranks, spread over all of them."""

    def __init__(self, ranks: int, sampled: int, skin: float, bed: VirtualBed) -> None:
        count = min(sampled, ranks)
        chosen = ((np.arange(count) + 0.5) * ranks / max(1, count)).astype(int)
        self._skin, self._bed = skin, bed
        self._ghosts: dict[int, list[np.ndarray]] = {int(rank): [] for rank in chosen}
        self._shell: dict[int, np.ndarray] = {}

    def note(self, rank: int, rows: np.ndarray, others: np.ndarray, first: np.ndarray, counts: np.ndarray) -> None:
        """Keep what a sampled rank sends and receives: only what it sends can meet what it receives."""
        if rank in self._ghosts:
            self._shell[rank] = np.unique(rows)
        for other, begin, count in zip(others.tolist(), first.tolist(), counts.tolist(), strict=True):
            if other in self._ghosts:
                self._ghosts[other].append(rows[begin : begin + count])

    def crossing(self) -> float:
        """Candidates across cuts, a ghost."""
        pairs = ghosts = 0
        for rank, lists in self._ghosts.items():
            if lists:
                found = np.concatenate(lists)
                pairs += _candidates(self._bed, self._shell[rank], found, self._skin)
                ghosts += len(found)
        if not self._ghosts:
            return float("nan")
        return pairs / ghosts if ghosts else 0.0


def _candidates(bed: VirtualBed, some: np.ndarray, others: np.ndarray, skin: float) -> int:
    """Number of pairs whose boxes, widened by the skin, meet; without periodic images."""
    from scipy.spatial import cKDTree

    reach = 2.0 * bed.radius.max() + skin
    met = cKDTree(bed.x[some]).sparse_distance_matrix(cKDTree(bed.x[others]), reach, output_type="ndarray")
    i, j = some[met["i"]], others[met["j"]]
    near = np.abs(bed.x[i] - bed.x[j]) <= bed.extent[bed.like[i]] + bed.extent[bed.like[j]] + skin
    near_enough = met["v"] <= bed.radius[bed.like[i]] + bed.radius[bed.like[j]] + skin
    return int(np.count_nonzero(near.all(axis=1) & near_enough))


def _chosen(bed: VirtualBed, ranks: int, wanted: Grid) -> Grid:
    """The grid that a run chooses; the extents of a large bed are found from some of its grains."""
    grids = fitting_grids(ranks, wanted)
    if len(grids) == 1:
        return grids[0]
    some = slice(None, None, max(1, len(bed.x) // SAMPLE))
    extent = extent_of_bed(imagined(1), bed.x[some], bed.radius[bed.like[some]])._replace(grains=len(bed.x))
    return min(grids, key=lambda grid: communication(grid, extent))


def _box(x: np.ndarray, extent: np.ndarray) -> np.ndarray:
    """What a rank tells of its grains, as ``occupied_boxes`` does."""
    return np.stack([(x - extent).min(axis=0, initial=np.inf), (x + extent).max(axis=0, initial=-np.inf)])
