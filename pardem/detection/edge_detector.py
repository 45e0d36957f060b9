"""Detection by triangulation: the weighted Delaunay triangulation of a rank's covering spheres, kept from one rebuild of the lists to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..state.arrays import Grains, Settings
from ..triangulation.triangulation import Algorithm, Triangulation
from .bounds import BoundedGrains
from .counted_work import FLIP_TESTS, FOLLOWED_TESTS, SPHERE_TESTS
from .edge_pairs import CoveringSpheres, Margins, SphereMesh, pairs_from_edges
from .sphere_tables import Covering, bodies_of, follow_spheres, name_spheres, place_spheres

MOST_CHANGED = 0.02  # of the spheres: above it construction is cheaper than insertions and deletions one by one
DELETED, FRAME = -1, -2  # names of points that are no spheres
CORNERS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
FRAME_WIDTH, MARGIN = 8.0, 1.0  # of the frame, and of what may lie within, in units of the largest extent of the spheres it was made for


@dataclass
class EdgeCounts:
    """Counters of what the detection of one rank has done so far.

    Attributes:
        builds: triangulations built from scratch.
        moves: triangulations updated by moving their points.
        inserted: spheres inserted.
        deleted: spheres deleted.
        spheres: spheres in the latest triangulation.
        refused: rebuilds of the lists that fell back on linked cells because grains overlapped by too much.
        fast: rebuilds that fell back because the fastest grain moves further in a step than the covering allows.
        broken: two grains whose covering spheres were more than orthogonal at the latest refused rebuild; -1 if there was none.
    """

    builds: int = 0
    moves: int = 0
    inserted: int = 0
    deleted: int = 0
    spheres: int = 0
    refused: int = 0
    fast: int = 0
    broken: tuple[int, int] = (-1, -1)


class EdgeDetector:
    """Finds candidate pairs of a rank.

    Four points at rest far outside frame the spheres, so that none of these is on the hull: there the spheres of one rod, on a line but for rounding,
    would turn tetrahedra over at every move.

    Args:
        covering: covering of all grains.
        period: period of the domain (3,) m, 0: open.
    """

    def __init__(self, covering: Covering, period: np.ndarray) -> None:
        self.covering = covering
        # where points do not get through one by one, construction is cheaper than algorithms 2 and 3, and no copy need be kept for them
        self._algorithm: Algorithm = "auto" if covering.every_step else "points"
        self.counts = EdgeCounts()
        self._half = np.where(period > 0.0, 0.5 * period, np.inf)
        self._triangulation: Triangulation | None = None
        self._name = np.empty(0, np.int64)  # of each point of the triangulation; or DELETED, FRAME
        self._place = np.empty((0, 4))  # of each point: coordinates (m) and weight (m^2)
        self._spent = 0  # on flips and points that followed, in tests, by the triangulation so far
        self._middle, self._extent = np.zeros(3), 0.0  # of the spheres that the frame was made for (m)

    @property
    def triangulation(self) -> Triangulation | None:
        """Of the covering spheres at the last rebuild of the lists."""
        return self._triangulation

    def edge_count(self) -> int:
        """Count the edges between spheres in the triangulation at the last rebuild of the lists."""
        if self._triangulation is None:
            return 0
        pointers, columns = self._triangulation.edges()
        first = np.repeat(self._name, np.diff(pointers))
        return int(((first >= 0) & (self._name[columns] >= 0)).sum())

    def take_work(self) -> int:
        """Count the work of the last search for pairs, and of what went before it since this was asked last.

        Returns:
            As many tests of two boxes as take that long (`counted_work.SEARCH`).
        """
        if self._triangulation is None:
            return 0
        done = self._triangulation.counts
        flips = done.flips_23 + done.flips_32 + 2 * done.flips_44 + done.flips_14 + done.flips_41
        spent = FLIP_TESTS * flips + FOLLOWED_TESTS * done.followed
        before, self._spent = self._spent, spent
        return SPHERE_TESTS * self.counts.spheres + spent - before

    def find_pairs(self, grains: BoundedGrains, settings: Settings, skin: float, expected: int) -> tuple[np.ndarray, int] | None:
        """Find the candidate pairs of a rank. Each pair is found once and has at least one owned grain.

        Args:
            grains: grains of the rank with their bounds.
            settings: constants of the run.
            skin: distance beyond contact within which pairs are candidates (m).
            expected: approximate number of pairs.

        Returns:
            Pairs (capacity, 2) int32 of local indices, lower global id first, and their number. None if the covering does not hold for the present
            state, so that pairs must be found otherwise; this is counted.
        """
        if skin > self.covering.skin:
            self.counts.fast += 1
            return None
        tables, counts = self.covering.tables, self.counts
        total, g, extent = grains.total, grains.g, grains.extent
        widest = extent[:total].max(axis=0, initial=0.0)
        grain, image = bodies_of(total, g, extent, skin, settings.lower, settings.period, widest)
        start, xw = place_spheres(grain, image, g, tables, settings.period)
        if not len(xw):
            self._triangulation, self._spent = None, 0
            return np.empty((0, 2), np.int32), 0
        body, name = name_spheres(grain, image, g.gid, start, int(np.diff(tables.start).max()))
        triangulation, sphere = self._kept_up(name, xw)
        counts.spheres = len(xw)
        hidden = triangulation.hidden
        if len(hidden) and (lost := _all_hidden(start, sphere[hidden])) >= 0:
            self._refuse(g, grain[lost], grain[lost])
            return None
        of_bodies, mesh = CoveringSpheres(grain, start, body, xw), SphereMesh(*triangulation.rows, sphere)
        margins = Margins(skin, self.covering.overlap)
        capacity, broken = max(256, 4 * total, expected + expected // 16), np.empty(2, np.int64)
        while True:
            pairs = np.empty((capacity, 2), np.int32)
            found = pairs_from_edges(grains, settings, margins, of_bodies, mesh, pairs, broken)
            if found < 0:
                self._refuse(g, broken[0], broken[1])
                return None
            if found <= capacity:
                return pairs, found
            capacity = found

    def _refuse(self, g: Grains, i: int, j: int) -> None:
        """Count that the spheres of two grains are more than orthogonal."""
        self.counts.refused += 1
        self.counts.broken = (int(g.gid[i]), int(g.gid[j]))

    def _kept_up(self, name: np.ndarray, xw: np.ndarray) -> tuple[Triangulation, np.ndarray]:
        """The triangulation of these spheres, from the last where most are the same, and the sphere (row of ``xw``) of each of its points (-1: none).

        A sphere that has crossed a periodic face is another one.
        """
        old = self._triangulation
        if old is not None:
            place = self._place.copy()
            sphere, gone, new, out = follow_spheres(self._name, place, name, xw, self._half, self._middle, MARGIN * self._extent)
            if not out and len(gone) + len(new) <= MOST_CHANGED * len(name):
                self._place = place
                return old, self._change(old, gone, new, name, xw, sphere)
        low, high = xw[:, :3].min(axis=0), xw[:, :3].max(axis=0)
        self._middle, self._extent = 0.5 * (low + high), float((high - low).max() + 2.0 * np.sqrt(xw[:, 3].max()))
        frame = np.zeros((4, 4))
        frame[:, :3] = self._middle + FRAME_WIDTH * self._extent * CORNERS
        self._place = np.concatenate([frame, xw])
        self._triangulation, self._spent = Triangulation(self._place[:, :3], self._place[:, 3]), 0
        self._name = np.concatenate([np.full(len(frame), FRAME), name])
        self.counts.builds += 1
        return self._triangulation, np.arange(-len(frame), len(name), dtype=np.int32).clip(-1)

    def _change(
        self, old: Triangulation, gone: np.ndarray, new: np.ndarray, name: np.ndarray, xw: np.ndarray, sphere: np.ndarray
    ) -> np.ndarray:  # fmt: skip
        """Take spheres out, move those that stay, put new ones in; returns the sphere of each point."""
        for number in gone:
            old.delete(int(number))
            self._name[number] = DELETED
        old.move(self._place[:, :3], self._place[:, 3], self._algorithm)
        for row in new:
            number = old.insert(xw[row, :3], xw[row, 3])
            if number == len(self._name):
                self._name, sphere = np.append(self._name, name[row]), np.append(sphere, np.int32(row))
                self._place = np.append(self._place, xw[row, None], axis=0)
            else:
                self._name[number], sphere[number], self._place[number] = name[row], row, xw[row]
        self.counts.moves += 1
        self.counts.inserted += len(new)
        self.counts.deleted += len(gone)
        return sphere


def _all_hidden(start: np.ndarray, hidden: np.ndarray) -> int:
    """A body all of whose spheres are hidden; -1: there is none.

    Args:
        start: (B + 1,) first sphere of each body.
        hidden: (k,) numbers of hidden spheres.
    """
    bodies, count = np.unique(np.searchsorted(start, hidden, side="right") - 1, return_counts=True)
    lost = bodies[count == start[bodies + 1] - start[bodies]]
    return int(lost[0]) if len(lost) else -1
