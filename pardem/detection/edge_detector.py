"""Detection by the edges of a triangulation: the weighted Delaunay triangulation of a rank's covering spheres, without a skin (Pournin, thesis)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..state.arrays import Grains, Settings
from ..triangulation.triangulation import Triangulation
from .bounds import BoundedGrains
from .counted_work import FLIP_TESTS, FOLLOWED_TESTS, SPHERE_TESTS
from .edge_pairs import CoveringSpheres, Margins, SphereMesh, pairs_from_edges
from .kept_triangulation import KeptTriangulation
from .named_points import bodies_of, name_points
from .sphere_tables import Covering, place_spheres


@dataclass
class EdgeCounts:
    """Counters of what the detection of one rank has done so far.

    Attributes:
        spheres: points in the latest triangulation.
        refused: rebuilds of the lists that fell back on linked cells because grains overlapped by too much.
        fast: rebuilds that fell back because the fastest grain moves further in a step than the covering allows.
        broken: two grains whose covering spheres were more than orthogonal at the latest refused rebuild; -1 if there was none.
    """

    spheres: int = 0
    refused: int = 0
    fast: int = 0
    broken: tuple[int, int] = (-1, -1)


class EdgeDetector:
    """Finds candidate pairs of a rank from edges.

    Args:
        covering: covering of all grains.
        period: period of the domain (3,) m, 0: open.

    Attributes:
        kept: the triangulation of the covering spheres at the last rebuild of the lists.
        counts: what has been done.
    """

    def __init__(self, covering: Covering, period: np.ndarray) -> None:
        self.covering = covering
        self.counts = EdgeCounts()
        self.kept = KeptTriangulation(period, "auto", lag=False)

    def take_work(self) -> int:
        """Count the work of the last search for pairs, and of what went before it since this was asked last.

        Returns:
            As many tests of two boxes as take that long (`counted_work.SEARCH`).
        """
        flips, followed = self.kept.take_work()
        return SPHERE_TESTS * self.counts.spheres + FLIP_TESTS * flips + FOLLOWED_TESTS * followed

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
        grain, image = bodies_of(total, g, extent, skin, settings.lower, settings.period)
        start, xw = place_spheres(grain, image, g, tables, settings.period)
        counts.spheres = len(xw)
        if not len(xw):
            self.kept.drop()
            return np.empty((0, 2), np.int32), 0
        body, name = name_points(grain, image, g.gid, start, int(np.diff(tables.start).max()))
        triangulation, sphere = self.kept.update(name, xw, 2.0 * float(np.sqrt(xw[:, 3].max())), 0.0)
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

    @property
    def triangulation(self) -> Triangulation | None:
        """Of the covering spheres at the last rebuild of the lists."""
        return self.kept.triangulation

    def _refuse(self, g: Grains, i: int, j: int) -> None:
        """Count that the spheres of two grains are more than orthogonal."""
        self.counts.refused += 1
        self.counts.broken = (int(g.gid[i]), int(g.gid[j]))


def _all_hidden(start: np.ndarray, hidden: np.ndarray) -> int:
    """A body all of whose spheres are hidden; -1: there is none.

    Args:
        start: (B + 1,) first sphere of each body.
        hidden: (k,) numbers of hidden spheres.
    """
    bodies, count = np.unique(np.searchsorted(start, hidden, side="right") - 1, return_counts=True)
    lost = bodies[count == start[bodies + 1] - start[bodies]]
    return int(lost[0]) if len(lost) else -1
