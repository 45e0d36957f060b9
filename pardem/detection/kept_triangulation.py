"""A triangulation of named points that is kept from one rebuild of the lists to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..triangulation.triangulation import Algorithm, Triangulation
from .named_points import follow_points, lagging, named_before

MOST_CHANGED = 0.02  # of the points: above it construction is cheaper than insertions and deletions one by one
MOST_BEHIND = 0.125  # of the points: above it to move all at once is cheaper than one by one
DELETED, FRAME = -1, -2  # names of points that are none of those given
CORNERS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
FRAME_WIDTH, MARGIN = 8.0, 1.0  # of the frame, and of what may lie within, in units of the largest extent of the points it was made for


@dataclass
class KeptCounts:
    """Counters of what has been done so far.

    Attributes:
        builds: triangulations built from scratch.
        moves: triangulations updated by moving their points.
        inserted: points inserted.
        deleted: points deleted.
    """

    builds: int = 0
    moves: int = 0
    inserted: int = 0
    deleted: int = 0


class KeptTriangulation:
    """Follows named points from one call to the next.

    Four points at rest far outside frame the points, so that none of these is on the hull: there points on a line but for rounding, such as the
    spheres of one rod, would turn tetrahedra over at every move.

    Args:
        period: period of the domain (3,) m, 0: open.
        algorithm: by which all points move at once.
        lag: whether points may lag behind, see `update`.

    Attributes:
        triangulation: at the last call; None before the first.
        counts: what has been done.
        place: (n, 4) coordinates (m) and weight (m^2) of each point of the triangulation.
        shift: (3,) how far all points have gone on average since the triangulation was made (m), where they may lag behind: coordinates in the
            triangulation are those in space less this.
    """

    def __init__(self, period: np.ndarray, algorithm: Algorithm, lag: bool) -> None:
        self.counts = KeptCounts()
        self.triangulation: Triangulation | None = None
        self.place, self.shift = np.empty((0, 4)), np.zeros(3)
        self._algorithm: Algorithm = algorithm
        self._lag = lag
        self._half = np.where(period > 0.0, 0.5 * period, np.inf)
        self._name = np.empty(0, np.int64)  # of each point of the triangulation; or DELETED, FRAME
        self._spent = 0, 0  # flips, points that moved one by one, when these were asked for last
        self._middle, self._extent = np.zeros(3), 0.0  # of the points that the frame was made for (m)

    def drop(self) -> None:
        """Forget the triangulation."""
        self.triangulation, self._spent = None, (0, 0)

    def edge_count(self) -> int:
        """Count the edges between named points."""
        if self.triangulation is None:
            return 0
        pointers, columns = self.triangulation.edges()
        first = np.repeat(self._name, np.diff(pointers))
        return int(((first >= 0) & (self._name[columns] >= 0)).sum())

    def knows(self, name: np.ndarray) -> np.ndarray:
        """Find out which of some points are in the triangulation.

        Args:
            name: (M,) int64 names.

        Returns:
            (M,) bool.
        """
        return np.zeros(len(name), bool) if self.triangulation is None else named_before(self._name, name)

    def take_work(self) -> tuple[int, int]:
        """Count the flips, and the points that were moved one by one, since this was asked last."""
        if self.triangulation is None:
            return 0, 0
        done = self.triangulation.counts
        flips = done.flips_23 + done.flips_32 + 2 * done.flips_44 + done.flips_14 + done.flips_41
        before, self._spent = self._spent, (flips, done.followed)
        return flips - before[0], done.followed - before[1]

    def update(self, name: np.ndarray, xw: np.ndarray, reach: float, lag: float) -> tuple[Triangulation, np.ndarray]:
        """Bring the triangulation to these points, from the last where most are the same.

        A point that has crossed a periodic face is another one.

        Args:
            name: (M,) int64 name of each point.
            xw: (M, 4) coordinates (m) and weights (m^2).
            reach: width around the points that no point of the frame may come near (m).
            lag: points stay where they are in the triangulation until they are further than this from their place (m). Then they move one by one, or
                all points move if many are.

        Returns:
            The triangulation, and the row of each of its points (-1: none).
        """
        old = self.triangulation
        if old is not None:
            margin = MARGIN * self._extent if reach <= self._extent else -1.0
            row, gone, new, out = follow_points(self._name, self.place, name, xw, self.shift, self._half, self._middle, margin)
            if not out and len(gone) + len(new) <= MOST_CHANGED * len(name):
                return old, self._change(old, gone, new, name, xw, row, lag)
        low, high = xw[:, :3].min(axis=0), xw[:, :3].max(axis=0)
        self._middle, self._extent = 0.5 * (low + high), float((high - low).max() + reach)
        frame = np.zeros((4, 4))
        frame[:, :3] = self._middle + FRAME_WIDTH * self._extent * CORNERS
        self.place, self.shift = np.concatenate([frame, xw]), np.zeros(3)
        self.triangulation, self._spent = Triangulation(self.place[:, :3], self.place[:, 3]), (0, 0)
        self._name = np.concatenate([np.full(len(frame), FRAME), name])
        self.counts.builds += 1
        return self.triangulation, np.arange(-len(frame), len(name), dtype=np.int32).clip(-1)

    def _change(
        self, old: Triangulation, gone: np.ndarray, new: np.ndarray, name: np.ndarray, xw: np.ndarray, row: np.ndarray, lag: float
    ) -> np.ndarray:  # fmt: skip
        """Take points out, move those that stay, put new ones in; returns the row of each point of the triangulation."""
        for number in gone:
            old.delete(int(number))
            self._name[number] = DELETED
        self._move(old, xw, row, lag)
        for k in new:
            place = xw[k].copy()
            place[:3] -= self.shift
            number = old.insert(place[:3], place[3])
            if number == len(self._name):
                self._name, row = np.append(self._name, name[k]), np.append(row, np.int32(k))
                self.place = np.append(self.place, place[None], axis=0)
            else:
                self._name[number], row[number], self.place[number] = name[k], k, place
        self.counts.moves += 1
        self.counts.inserted += len(new)
        self.counts.deleted += len(gone)
        return row

    def _move(self, old: Triangulation, xw: np.ndarray, row: np.ndarray, lag: float) -> None:
        """Move the points of the triangulation that are too far behind, or all."""
        behind = lagging(self.place, row, xw, self.shift, lag, self._lag)
        few = self._lag and len(behind) <= MOST_BEHIND * len(xw)
        if not few:
            behind = np.flatnonzero(row >= 0)
        self.place[behind] = xw[row[behind]]
        self.place[behind, :3] -= self.shift
        if not few:
            old.move(self.place[:, :3], self.place[:, 3], self._algorithm)
        elif len(behind):
            old.move_few(behind, self.place[behind, :3])
