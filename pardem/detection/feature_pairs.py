"""Which pairs of features of near bodies may come within reach before the next rebuild.

The features of two bodies are searched a little beyond the reach that is wanted now. The result stays valid until the two bodies have moved relative
to each other by that little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.quaternions import half_angle_cosine, orientation
from ..compiled.vectors import length, nearest_image, put_row, row, subtract
from ..state.arrays import Grains, Settings
from .body_pair import pair_bodies
from .bounds import periods_of
from .feature_walk import FeatureTables, Walk, Workspace, list_features

SEARCHED = 11  # column of ``FoundPairs.pose``


class NearBodies(NamedTuple):
    """Pairs of bodies that are close to each other.

    Attributes:
        row: (P, 2) int32 rows of the grains' arrays.
        second: (P,) int32 number that stands for the second body in lists: its row, or that of a wall.
        away: (P, 3) vector from centre to centre (m).
        extra: (P,) reach beyond contact (m).
        key: (P,) int64 identifier of the pair, the same at every rebuild.
    """

    row: np.ndarray
    second: np.ndarray
    away: np.ndarray
    extra: np.ndarray
    key: np.ndarray


class FoundPairs(NamedTuple):
    """Pairs of features found between near bodies, for reuse at the next rebuild.

    Attributes:
        key: (P,) int64 identifiers of the pairs of bodies, see `NearBodies`.
        start: (P + 1,) int64 first pair of features of each pair of bodies.
        sub: (M,) int64 pairs of features; those of pair p are ``sub[start[p]:start[p + 1]]``.
        pose: (P, 12) state of the pair when it was searched: vector from centre to centre (m), quaternions of both bodies, reach of the search beyond
            contact (m).
    """

    key: np.ndarray
    start: np.ndarray
    sub: np.ndarray
    pose: np.ndarray


class Earlier(NamedTuple):
    """Results of the search before, and how far beyond the reach the new one goes.

    Attributes:
        source: (P,) int64 row in ``pairs`` of each pair of near bodies; -1: none.
        pairs: what was found before.
        margin: extra distance that is searched beyond the reach (m).
    """

    source: np.ndarray
    pairs: FoundPairs
    margin: float


class FeatureSearch(NamedTuple):
    """Input of a search that does not depend on the list of near bodies.

    Attributes:
        tables: tables of the species.
        g: arrays of the grains.
        settings: constants of the run, of which the domain is read.
        space: work space.
    """

    tables: FeatureTables
    g: Grains
    settings: Settings
    space: Workspace


def nothing_found() -> FoundPairs:
    """The result before the first search: no pairs."""
    return FoundPairs(np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty((0, SEARCHED + 1)))


@inlined
def _moved(g, core_radius, i, j, away, pose):
    """Upper bound of the distance by which points of two bodies have moved relative to each other since they were searched.

    Args:
        g: `state.Grains`.
        core_radius: (ns,) largest distance of a core vertex from the centre, by species (m).
        i: row of the first body.
        j: row of the second.
        away: (3,) vector from centre to centre now (m).
        pose: (12,) a row of ``FoundPairs.pose``.

    Returns:
        The distance (m).
    """
    same_i = half_angle_cosine(orientation(g.q, i), (pose[3], pose[4], pose[5], pose[6]))
    same_j = half_angle_cosine(orientation(g.q, j), (pose[7], pose[8], pose[9], pose[10]))
    reach_i, reach_j = core_radius[g.species[i]] * g.scale[i], core_radius[g.species[j]] * g.scale[j]
    # a point at the radius R moves by 2 R sin(angle / 2)
    turned = reach_i * np.sqrt(max(0.0, 1.0 - same_i * same_i)) + reach_j * np.sqrt(max(0.0, 1.0 - same_j * same_j))
    return length(subtract(away, pose)) + 2.0 * turned


@kernel
def find_feature_pairs(near, earlier, search, entries, new):
    """Find the candidate pairs of features of near bodies; those of one pair of bodies follow each other.

    Pairs of bodies that were searched before and have since moved relative to each other by less than the margin of that search keep what was found
    then: it includes everything that is within reach now. The others are searched anew, beyond their reach.

    Args:
        near: `NearBodies`.
        earlier: `Earlier`.
        search: `FeatureSearch`.
        entries: (capacity, 2) int32, filled with ``near.row[:, 0]`` and ``near.second``.
        new: `FoundPairs`, of which ``start``, ``sub`` (capacity,) and ``pose`` are filled.

    Returns:
        Number of entries. If it exceeds the capacity, call again with larger arrays.
    """
    g, tables, old = search.g, search.tables, earlier.pairs
    walk = Walk(tables, g, periods_of(search.settings), search.space, entries, new.sub)
    found = 0
    for p in range(near.second.shape[0]):
        i, j, k = near.row[p, 0], near.row[p, 1], near.second[p]
        away, pose = near.away[p], new.pose[p]
        new.start[p] = found
        s = earlier.source[p]
        if s >= 0 and near.extra[p] + _moved(g, tables.core_radius, i, j, away, old.pose[s]) <= old.pose[s, SEARCHED]:
            for c in range(SEARCHED + 1):
                pose[c] = old.pose[s, c]
            for m in range(old.start[s], old.start[s + 1]):
                if found < new.sub.shape[0]:
                    entries[found, 0], entries[found, 1], new.sub[found] = i, k, old.sub[m]
                found += 1
            continue
        for c in range(3):
            pose[c] = away[c]
        for c in range(4):
            pose[3 + c], pose[7 + c] = g.q[i, c], g.q[j, c]
        pose[SEARCHED] = near.extra[p] + earlier.margin
        reach = g.x[i, 3] + g.x[j, 3] + near.extra[p] + earlier.margin
        found = list_features(walk, pair_bodies(g, i, j, k, row(near.away, p), reach, tables.minima), found)
    new.start[near.second.shape[0]] = found
    return found


@kernel
def displacements(pairs, g, settings, away):
    """Compute the vectors from the first to the second grain of pairs, in the nearest images.

    Args:
        pairs: (P, 2) rows of ``g``.
        g: `state.Grains`.
        settings: `state.Settings`, of which ``period``, ``half`` and ``periodic`` are read.
        away: (P, 3), filled with the vectors (m).
    """
    periods = periods_of(settings)
    for p in range(pairs.shape[0]):
        put_row(away, p, nearest_image(subtract(row(g.x, pairs[p, 1]), row(g.x, pairs[p, 0])), periods))
