"""Detection with a skin by walks along the edges of a triangulation: the Delaunay triangulation of the centres of some of a rank's grains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..state.arrays import Settings
from ..triangulation.triangulation import Triangulation
from .bounds import BoundedGrains
from .counted_work import FLIP_TESTS, WALKED_FOLLOWED_TESTS, WALKED_GRAIN_TESTS, WALKS_PER_TEST
from .edge_pairs import SphereMesh
from .edge_walk import Web, centres_of, pairs_by_walks, web_of
from .gathering import FAR, SIDE, Groups, gathered, one_of_each_cell, points_among
from .kept_triangulation import KeptTriangulation
from .named_points import bodies_of, name_points

LAG = 0.2  # of the reach of two spheres with the smallest sphero-radius: how far a point may be from its place in the triangulation

THINNED_EVERY, MOST_POINTS = 8, 1.5  # rebuilds, of the points of a new choice: more, and the triangulation is made anew of these


@dataclass
class WalkCounts:
    """Counters of what the detection of one rank has done so far.

    Attributes:
        bodies: grains and images of the latest search.
        points: points in its triangulation.
        looked: distances and pairs that it looked at.
        hidden: rebuilds of the lists that fell back on linked cells because two grains had their centres in one place.
    """

    bodies: int = 0
    points: int = 0
    looked: int = 0
    hidden: int = 0


class WalkDetector:
    """Finds candidate pairs of a rank by walks along edges.

    Args:
        period: period of the domain (3,) m, 0: open.

    Attributes:
        kept: the triangulation of the centres of the grains that stand for others.
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
        walked = WALKED_GRAIN_TESTS * self.counts.bodies + self.counts.looked // WALKS_PER_TEST
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
        grain, image = bodies_of(total, g, grains.extent, skin, settings.lower, settings.period)
        counts.bodies, counts.points, counts.looked = len(grain), 0, 0
        if not len(grain):
            self.kept.drop()
            return np.empty((0, 2), np.int32), 0
        found = self._gather(grain, image, grains, settings, skin)
        if found is None:
            counts.hidden += 1
            return None
        pairs, counts.looked = pairs_by_walks(grains, settings, skin, *found)
        if len(grain) > total:  # a pair may be met as itself and as images
            pairs = np.unique(pairs, axis=0)
        return pairs, len(pairs)

    def _gather(self, grain: np.ndarray, image: np.ndarray, grains: BoundedGrains, settings: Settings, skin: float) -> tuple[Groups, Web] | None:
        """Bring the triangulation up to date, and put all bodies under its points; None if a point is hidden."""
        g, radius = grains.g, grains.radius[: grains.total]
        xw = centres_of(grain, image, g, settings.period)
        lag = LAG * (2.0 * float(g.x[: grains.total, 3].min()) + skin)
        reach = 2.0 * (1.0 + FAR * SIDE) * float(radius.max()) + skin + lag
        _, name = name_points(grain, image, g.gid, np.arange(len(xw) + 1), 1)
        lead = points_among(self.kept.knows(name), grain, xw, g, radius)
        if self.kept.counts.moves % THINNED_EVERY == 0:
            fewer = one_of_each_cell(np.arange(len(xw)), grain, xw, g, radius)
            if len(lead) > MOST_POINTS * len(fewer):
                self.kept.drop()
                lead = fewer
        while True:
            triangulation, row = self.kept.update(name[lead], xw[lead], reach, lag)
            if len(triangulation.hidden):
                return None
            point, there = np.empty((len(lead), 3)), row >= 0
            point[row[there]] = self.kept.place[there, :3]
            web = web_of(SphereMesh(*triangulation.rows, row), point)
            groups, alone = gathered(grain, xw, self.kept.shift[None], lead, point, web, g, radius)
            if not len(alone):
                self.counts.points = len(lead)
                return groups, web
            lead = np.concatenate([lead, one_of_each_cell(alone, grain, xw, g, radius)])
