"""Detection with a skin by walks along the edges of a triangulation: the Delaunay triangulation of the centres of a rank's grains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..state.arrays import Settings
from ..triangulation.triangulation import Triangulation
from .bounds import BoundedGrains
from .counted_work import FLIP_TESTS, WALKED_FOLLOWED_TESTS, WALKED_GRAIN_TESTS, WALKS_PER_TEST
from .edge_pairs import SphereMesh
from .edge_walk import centres_of, pairs_by_walks, walked_bodies, web_of
from .kept_triangulation import KeptTriangulation
from .named_points import bodies_of, name_points

LAG = 0.2  # of the reach of two spheres with the smallest sphero-radius: how far a point may be from its place in the triangulation


@dataclass
class WalkCounts:
    """Counters of what the detection of one rank has done so far.

    Attributes:
        points: points in the latest triangulation.
        looked: distances that the latest walks looked at.
        hidden: rebuilds of the lists that fell back on linked cells because two grains had their centres in one place.
    """

    points: int = 0
    looked: int = 0
    hidden: int = 0


class WalkDetector:
    """Finds candidate pairs of a rank by walks along edges.

    Args:
        period: period of the domain (3,) m, 0: open.

    Attributes:
        kept: the triangulation of the grains' centres.
        counts: what has been done.
    """

    def __init__(self, period: np.ndarray) -> None:
        self.counts = WalkCounts()
        self.kept = KeptTriangulation(period, "points", lag=True)

    @property
    def triangulation(self) -> Triangulation | None:
        """Of the centres, each of which is within a distance of where it was at the last rebuild of the lists."""
        return self.kept.triangulation

    def take_work(self) -> int:
        """Count the work of the last search for pairs, and of what went before it since this was asked last.

        Returns:
            As many tests of two boxes as take that long (`counted_work.SEARCH`).
        """
        flips, followed = self.kept.take_work()
        walked = WALKED_GRAIN_TESTS * self.counts.points + self.counts.looked // WALKS_PER_TEST
        return walked + FLIP_TESTS * flips + WALKED_FOLLOWED_TESTS * followed

    def find_pairs(self, grains: BoundedGrains, settings: Settings, skin: float, expected: int) -> tuple[np.ndarray, int] | None:
        """Find the candidate pairs of a rank. Each pair is found once and has at least one owned grain.

        Args:
            grains: grains of the rank with their bounds.
            settings: constants of the run.
            skin: distance beyond contact within which pairs are candidates (m).
            expected: approximate number of pairs.

        Returns:
            Pairs (capacity, 2) int32 of local indices, lower global id first, and their number. None if a centre is hidden, so that pairs must be
            found otherwise; this is counted.
        """
        total, g, counts = grains.total, grains.g, self.counts
        widest = grains.extent[:total].max(axis=0, initial=0.0)
        grain, image = bodies_of(total, g, grains.extent, skin, settings.lower, settings.period, widest)
        xw = centres_of(grain, image, g, settings.period)
        counts.points, counts.looked = len(xw), 0
        if not len(xw):
            self.kept.drop()
            return np.empty((0, 2), np.int32), 0
        radius = grains.radius[:total]
        lag = LAG * (2.0 * float(g.x[:total, 3].min()) + skin)
        _, name = name_points(grain, image, g.gid, np.arange(len(xw) + 1), 1)
        triangulation, row = self.kept.update(name, xw, 2.0 * float(radius.max()) + skin + lag, lag)
        if len(triangulation.hidden):
            counts.hidden += 1
            return None
        point, there = np.empty((len(xw), 3)), row >= 0
        point[row[there]] = self.kept.place[there, :3]
        xw[:, :3] -= self.kept.shift
        web = web_of(SphereMesh(*triangulation.rows, row), point)
        pairs, counts.looked = pairs_by_walks(grains, settings, skin, walked_bodies(grain, xw, point, radius), web)
        if len(grain) > total:  # a pair may be met as itself and as images
            pairs = np.unique(pairs, axis=0)
        return pairs, len(pairs)
