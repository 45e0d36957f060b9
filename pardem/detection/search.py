"""The search for pairs of features from one rebuild to the next: pairs of bodies that hardly moved relative to each other keep what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..state.arrays import Grains, Settings
from ..walls.surfaces.bodies import find_near_bodies
from .feature_pairs import FoundPairs, Near, Room, Tables, displacements, find_feature_pairs, nothing_found, search_room

if TYPE_CHECKING:
    from ..setup.scene import Scene

MARGIN = 0.25
"""Of the skin, what is searched beyond it. In settled beds and in a hopper 97 to 99 % of the pairs move by less from one rebuild to the next."""


@dataclass
class Search:
    """What a rank knows from its last search.

    Attributes:
        room: what the search works in; counts its tests.
        grains, bodies: what was found between grains, and on bodies.
    """

    room: Room = field(default_factory=search_room)
    grains: FoundPairs = field(default_factory=nothing_found)
    bodies: FoundPairs = field(default_factory=nothing_found)

    def between_grains(self, row: np.ndarray, g: Grains, scene: Scene, skin: float, expected: int) -> tuple[np.ndarray, np.ndarray]:
        """Candidate pairs of features of grains.

        Args:
            row: (P, 2) int32 pairs of grains, lower global id first.
            skin: extra reach (m).
            expected: about how many pairs there will be.

        Returns:
            rows of the grains (M, 2) int32, pairs of features (M,) int64.
        """
        key = (g.gid[row[:, 0]] << 32) + g.gid[row[:, 1]]
        near = Near(row, np.ascontiguousarray(row[:, 1]), np.empty((len(row), 3)), np.full(len(row), skin), key)
        displacements(row, g, scene.settings, near.away)
        whole = scene.settings._replace(periodic=False)  # a grain is met in its own nearest image
        entries, self.grains = self._run(near, self.grains, g, scene, scene.rule.flat_pairs, whole, MARGIN * skin, expected)
        return entries, self.grains.sub

    def on_bodies(
        self, owned: int, g: Grains, scene: Scene, skin: float, extra: np.ndarray, extent: np.ndarray, expected: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Candidate contacts of owned grains with the features of bodies.

        Args:
            extra: (W,) reach beyond contact for each wall (m).
            extent: (N, 3) half-extents of grains and bodies (m).

        Returns:
            grain and wall (M, 2) int32, pairs of features (M,) int64.
        """
        period, room = scene.settings.period, max(64, owned)
        while True:
            near = Near(np.empty((room, 2), np.int32), np.empty(room, np.int32), np.empty((room, 3)), np.empty(room), np.empty(room, np.int64))
            found = find_near_bodies(owned, g, scene.walls, extent, extra, period, near)
            if found <= room:
                break
            room = found
        near = Near(*(column[:found] for column in near))
        entries, self.bodies = self._run(near, self.bodies, g, scene, False, scene.settings, MARGIN * skin, expected)
        return entries, self.bodies.sub

    def _run(
        self, near: Near, old: FoundPairs, g: Grains, scene: Scene, minima: bool, settings: Settings, margin: float, expected: int
    ) -> tuple[np.ndarray, FoundPairs]:
        """Entries of lists, and what was found; see `find_feature_pairs`."""
        source = _rows(near.key, old.key)
        tables = Tables(scene.walls.features, scene.trees, scene.shapes.core_radius, scene.settings.planar, minima)
        start, pose = np.empty(len(near.key) + 1, np.int64), np.empty((len(near.key), old.pose.shape[1]))
        capacity = max(256, expected + expected // 16)
        while True:
            entries, new = np.empty((capacity, 2), np.int32), FoundPairs(near.key, start, np.empty(capacity, np.int64), pose)
            found = find_feature_pairs(near, source, old, margin, g, tables, settings, self.room, entries, new)
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
