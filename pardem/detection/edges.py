"""Detection by triangulation: the weighted Delaunay triangulation of a rank's covering spheres, kept from one rebuild of the lists to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..state import Grains, Settings
from .edge_pairs import all_hidden, joined_bodies, pairs_of_bodies
from .sphere_tables import IMAGES, Covering, bodies_of, place_spheres
from .triangulation.triangulation import Algorithm, Triangulation

MOST_CHANGED = 0.02  # of the spheres: above it construction is cheaper than insertions and deletions one by one
DELETED, FRAME = -1, -2  # keys of points that are no spheres
CORNERS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
WIDE, ROOM = 8.0, 1.0  # of the frame, and of what may be within, in the largest extent of the spheres it was made for


@dataclass
class EdgeCounts:
    """What the detection of a rank has done so far.

    Attributes:
        builds, moves: triangulations made anew, kept up. inserted, deleted: spheres that came and went. spheres, edges: of the last one.
        refused: rebuilds of the lists that linked cells did, since grains overlapped by too much. fast: the same, since the fastest grain moves
            further in a step than the covering allows for.
        broken: two grains whose covering spheres were more than orthogonal, of the last rebuild refused; -1: there was none.
    """

    builds: int = 0
    moves: int = 0
    inserted: int = 0
    deleted: int = 0
    spheres: int = 0
    edges: int = 0
    refused: int = 0
    fast: int = 0
    broken: tuple[int, int] = (-1, -1)


class EdgeDetector:
    """Finds candidate pairs of a rank.

    Four points at rest far outside frame the spheres, so that none of these is on the hull: there the spheres of one rod, on a line but for rounding,
    would turn tetrahedra over at every move.

    Args:
        covering: of all grains. period: of the domain (3,) m, 0: open.
    """

    def __init__(self, covering: Covering, period: np.ndarray) -> None:
        self.covering = covering
        # many flips pay where grains have moved little; after a skin's way construction is cheaper than the ways around what is turned over
        self._algorithm: Algorithm = "auto" if covering.every_step else 1
        self.counts = EdgeCounts()
        self._half = np.where(period > 0.0, 0.5 * period, np.inf)
        self._triangulation: Triangulation | None = None
        self._key = np.empty(0, np.int64)  # of each point of the triangulation; or DELETED, FRAME
        self._frame = np.zeros((4, 4))  # its points, as spheres of radius 0
        self._middle, self._extent = np.zeros(3), 0.0  # of the spheres it was made for (m)

    @property
    def triangulation(self) -> Triangulation | None:
        """Of the covering spheres at the last rebuild of the lists."""
        return self._triangulation

    def find_pairs(
        self, owned: int, total: int, g: Grains, extent: np.ndarray, settings: Settings, skin: float, expected: int
    ) -> tuple[np.ndarray, int] | None:
        """Candidate pairs of a rank, each once, at least one of the two owned.

        Args:
            owned, total: rows of ``g`` that are owned, that are there. extent: (N, 3) half-extents (m). skin: extra reach (m).
            expected: about how many pairs there will be.

        Returns:
            pairs (capacity, 2) int32 of local indices, lower global id first; their number. None: the covering does not hold for these grains, and
            pairs must be found otherwise; this is counted.
        """
        if skin > self.covering.skin:
            self.counts.fast += 1
            return None
        tables, counts = self.covering.tables, self.counts
        widest = extent[:total].max(axis=0, initial=0.0)
        grain, image = bodies_of(total, g, extent, skin, settings.lower, settings.period, widest)
        start, xw = place_spheres(grain, image, g, tables, settings.period)
        if not len(xw):
            self._triangulation = None
            return np.empty((0, 2), np.int32), 0
        within = np.arange(len(xw)) - np.repeat(start[:-1], np.diff(start))
        most = int(np.diff(tables.start).max(initial=1))
        body = np.repeat(np.arange(len(grain), dtype=np.int32), np.diff(start))
        key = ((g.gid[grain] * IMAGES + image)[body]) * most + within
        triangulation, sphere = self._kept_up(key, xw)
        pointers, columns = triangulation.edges()
        rows_of_edges = np.repeat(np.arange(len(sphere), dtype=columns.dtype), np.diff(pointers))
        framed = (self._key[rows_of_edges] == FRAME) | (self._key[columns] == FRAME)
        counts.spheres, counts.edges = len(xw), len(columns) - int(np.count_nonzero(framed))
        columns = np.where(framed, rows_of_edges, columns)  # edges within a body join nothing
        hidden = np.zeros(len(xw), np.uint8)
        hidden[sphere[triangulation.hidden]] = 1
        lost = all_hidden(start, hidden)
        if lost >= 0:
            self._refuse(g, grain[lost], grain[lost])
            return None
        # points that were deleted have no edges: any body does for them
        rows, other = joined_bodies(body[sphere], pointers, columns, len(grain))
        room, broken = max(256, 4 * total, expected + expected // 16), np.empty(2, np.int64)
        while True:
            pairs = np.empty((room, 2), np.int32)
            found = int(
                pairs_of_bodies(owned, total, g, extent, settings.period, skin, self.covering.overlap, grain, start, xw, rows, other, pairs, broken)
            )
            if found < 0:
                self._refuse(g, broken[0], broken[1])
                return None
            if found <= room:
                return pairs, found
            room = found

    def _refuse(self, g: Grains, i: int, j: int) -> None:
        """Count that the spheres of two grains are more than orthogonal."""
        self.counts.refused += 1
        self.counts.broken = (int(g.gid[i]), int(g.gid[j]))

    def _kept_up(self, key: np.ndarray, xw: np.ndarray) -> tuple[Triangulation, np.ndarray]:
        """The triangulation of these spheres, from the last one where most are the same, and the sphere (row of ``xw``) of each of its points.

        A sphere that has crossed a periodic face is another one.
        """
        old, counts = self._triangulation, self.counts
        order = np.argsort(key)
        within = bool((np.abs(xw[:, :3] - self._middle) <= ROOM * self._extent).all())
        if old is not None and within:
            at = np.minimum(np.searchsorted(key, self._key, sorter=order), len(key) - 1)
            sphere = order[at]
            stays = (self._key >= 0) & (key[sphere] == self._key)
            stays &= (np.abs(xw[sphere, :3] - old.points) < self._half).all(axis=1)
            new = np.ones(len(key), bool)
            new[sphere[stays]] = False
            gone = np.nonzero((self._key >= 0) & ~stays)[0]
            if len(gone) + int(new.sum()) <= MOST_CHANGED * len(key):
                self._change(old, gone, np.nonzero(new)[0], key, xw, np.where(stays, sphere, 0))
                at = np.minimum(np.searchsorted(key, self._key, sorter=order), len(key) - 1)
                return old, order[at]
        low, high = xw[:, :3].min(axis=0), xw[:, :3].max(axis=0)
        self._middle, self._extent = 0.5 * (low + high), float((high - low).max() + 2.0 * np.sqrt(xw[:, 3].max()))
        self._frame[:, :3] = self._middle + WIDE * self._extent * CORNERS
        points = np.concatenate([self._frame, xw])
        self._triangulation = Triangulation(points[:, :3], points[:, 3])
        self._key = np.concatenate([np.full(4, FRAME), key])
        counts.builds += 1
        return self._triangulation, np.concatenate([np.zeros(4, np.int64), np.arange(len(key))])

    def _change(self, old: Triangulation, gone: np.ndarray, new: np.ndarray, key: np.ndarray, xw: np.ndarray, sphere: np.ndarray) -> None:
        """Take spheres out, move those that stay, put new ones in."""
        for number in gone:
            old.delete(int(number))
            self._key[number] = DELETED
        place = np.where((self._key >= 0)[:, None], xw[sphere], 0.0)
        place[self._key == FRAME] = self._frame
        old.move(place[:, :3], place[:, 3], self._algorithm)
        for row in new:
            number = old.insert(xw[row, :3], xw[row, 3])
            if number == len(self._key):
                self._key = np.append(self._key, key[row])
            else:
                self._key[number] = key[row]
        self.counts.moves += 1
        self.counts.inserted += len(new)
        self.counts.deleted += len(gone)
