"""The search for pairs of features from one rebuild to the next: pairs of bodies that hardly moved relative to each other keep what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..state.arrays import Grains
from ..walls.surfaces.bodies import find_near_bodies
from .bounds import BoundedGrains
from .feature_pairs import Earlier, FeatureSearch, FoundPairs, NearBodies, displacements, find_feature_pairs, nothing_found
from .feature_walk import FeatureTables, Workspace, make_workspace

if TYPE_CHECKING:
    from ..setup.scene import Scene

MARGIN = 0.25
"""Extra distance of a search, as a share of the skin. In settled beds and in a hopper 97 to 99 % of the pairs move by less between two rebuilds."""


@dataclass
class Search:
    """Results of the last search of a rank.

    Attributes:
        space: work space, which counts the tests.
        grains: pairs of features found between grains.
        bodies: pairs of features found between grains and walls that are bodies.
    """

    space: Workspace = field(default_factory=make_workspace)
    grains: FoundPairs = field(default_factory=nothing_found)
    bodies: FoundPairs = field(default_factory=nothing_found)

    @property
    def tests(self) -> int:
        """Number of pairs of boxes, features and pieces that were compared since the last `reset`."""
        return int(self.space.tests[0])

    def reset(self) -> None:
        """Count the tests from zero."""
        self.space.tests[0] = 0

    def count(self, tests: int) -> None:
        """Add tests that were made elsewhere.

        Args:
            tests: their number.
        """
        self.space.tests[0] += tests

    def between_grains(self, row: np.ndarray, g: Grains, scene: Scene, skin: float, expected: int) -> tuple[np.ndarray, np.ndarray]:
        """Find the candidate pairs of features of grains.

        Args:
            row: (P, 2) int32 pairs of grains, lower global id first.
            g: arrays of the grains.
            scene: constants of the run.
            skin: distance beyond contact within which pairs are candidates (m).
            expected: approximate number of pairs.

        Returns:
            Rows of the grains (M, 2) int32 and pairs of features (M,) int64.
        """
        key = (g.gid[row[:, 0]] << 32) + g.gid[row[:, 1]]
        near = NearBodies(row, np.ascontiguousarray(row[:, 1]), np.empty((len(row), 3)), np.full(len(row), skin), key)
        displacements(row, g, scene.settings, near.away)
        whole = scene.settings._replace(periodic=False)  # a grain is met in its own nearest image
        search = FeatureSearch(_tables(scene, scene.rule.flat_pairs), g, whole, self.space)
        entries, self.grains = _find(near, self.grains, search, MARGIN * skin, expected)
        return entries, self.grains.sub

    def on_bodies(self, grains: BoundedGrains, scene: Scene, skin: float, extra: np.ndarray, expected: int) -> tuple[np.ndarray, np.ndarray]:
        """Find the candidate contacts of owned grains with the features of walls that are bodies.

        Args:
            grains: grains of the rank, followed by the bodies.
            scene: constants of the run.
            skin: distance beyond contact within which pairs are candidates (m).
            extra: (W,) reach beyond contact for each wall (m).
            expected: approximate number of contacts.

        Returns:
            Grain and wall (M, 2) int32 and pairs of features (M,) int64.
        """
        owned, g = grains.owned, grains.g
        period, capacity = scene.settings.period, max(64, owned)
        while True:
            near = NearBodies(
                np.empty((capacity, 2), np.int32), np.empty(capacity, np.int32), np.empty((capacity, 3)), np.empty(capacity),
                np.empty(capacity, np.int64),
            )  # fmt: skip
            found = find_near_bodies(owned, g, scene.walls, grains.extent, extra, period, near)
            if found <= capacity:
                break
            capacity = found
        near = NearBodies(*(column[:found] for column in near))
        search = FeatureSearch(_tables(scene, False), g, scene.settings, self.space)
        entries, self.bodies = _find(near, self.bodies, search, MARGIN * skin, expected)
        return entries, self.bodies.sub


def _tables(scene: Scene, minima: bool) -> FeatureTables:
    """Tables of the species of a scene; ``minima`` as in `FeatureTables`."""
    return FeatureTables(scene.walls.features, scene.trees, scene.shapes.core_radius, scene.settings.planar, minima)


def _find(near: NearBodies, old: FoundPairs, search: FeatureSearch, margin: float, expected: int) -> tuple[np.ndarray, FoundPairs]:
    """Entries of lists, and what was found; see `find_feature_pairs`."""
    earlier = Earlier(_rows(near.key, old.key), old, margin)
    start, pose = np.empty(len(near.key) + 1, np.int64), np.empty((len(near.key), old.pose.shape[1]))
    capacity = max(256, expected + expected // 16)
    while True:
        entries, new = np.empty((capacity, 2), np.int32), FoundPairs(near.key, start, np.empty(capacity, np.int64), pose)
        found = find_feature_pairs(near, earlier, search, entries, new)
        if found <= capacity:
            return entries[:found], new._replace(sub=new.sub[:found])
        capacity = found + found // 16


def _rows(key: np.ndarray, old: np.ndarray) -> np.ndarray:
    """Row of each key among old ones, -1 where it is not there."""
    if not len(old):
        return np.full(len(key), -1)
    order = np.argsort(old)
    place = np.minimum(np.searchsorted(old, key, sorter=order), len(old) - 1)
    return np.where(old[order[place]] == key, order[place], -1)
