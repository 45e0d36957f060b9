"""The lists of a rank, made anew at a rebuild: candidate pairs and wall contacts with the history of those that touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..contacts.batch import BATCH, BLOCK, COUNTS, SCRATCH
from ..state.arrays import Contacts, Grains
from ..state.population import ContactTable
from ..walls.candidates import find_wall_pairs
from ..walls.motion.driven import displacement, turn_angle
from ..walls.motion.registry import MOVERS
from ..walls.motion.rows import KIND
from .bounds import oriented_extents
from .edge_detector import EdgeDetector
from .linked_cells import find_pairs
from .lists import restore_contacts, rows_of
from .piece_pairs import pairs_of_pieces
from .search import Search

if TYPE_CHECKING:
    from ..setup.scene import Scene


def list_pairs(
    owned: int, total: int, g: Grains, scene: Scene, skin: float, contacts: ContactTable, width: int, expected: int,
    detector: EdgeDetector | None, search: Search,
) -> Contacts:  # fmt: skip
    """Candidate pairs of a rank.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        total: number of rows that are there.
        g: grains.
        scene: of the run.
        skin: extra reach (m).
        contacts: living contacts, by key.
        width: floats of a history.
        expected: about how many pairs there will be.
        detector: by triangulation, where that is wanted.
        search: for pairs of features; counts the tests of pieces too.
    """
    settings, rule = scene.settings, scene.rule
    extent, radius = np.empty((total, 3)), np.empty(total)
    oriented_extents(0, total, g, extent, radius)
    met = detector.find_pairs(owned, total, g, extent, settings, skin, expected) if detector else None
    pairs, found = met or _pairs_by_cells(owned, total, g, extent, radius, scene, skin, expected)
    sub = np.empty(0, np.int64)
    if rule.candidates == "features":
        pairs, sub = search.between_grains(pairs[:found], g, scene, skin, expected)
        found = len(sub)
    elif rule.candidates == "pieces":
        pairs, sub = _by_pieces(total, pairs[:found], g, scene, skin, expected, search)
        found = len(sub)
    row, ptr, col, sub, interior = rows_of(pairs, sub, found, owned, total)
    del pairs, extent, radius  # before the histories come
    room, first = (BLOCK, np.repeat(row, np.diff(ptr))) if rule.pair_loop else (BATCH, np.empty(0, np.int32))
    made = Contacts(
        row, ptr, col, first, sub, np.zeros(found, np.uint8), np.zeros(found if rule.paths else 0), np.zeros((found, width)),
        np.zeros((found if rule.active_sets else 0, 2), np.int64),
        np.empty(room, np.int32), np.empty(BATCH, np.int32), np.ones(SCRATCH), np.full(COUNTS, -1), np.array([interior]),
    )  # fmt: skip
    restore_contacts(made, g.gid, total, contacts.key, contacts.hist, contacts.warm, False)
    return made


def _by_pieces(total: int, rows: np.ndarray, g: Grains, scene: Scene, skin: float, expected: int, search: Search) -> tuple[np.ndarray, np.ndarray]:
    """Rows of grains (M, 2) and pairs of their pieces (M,); see `pairs_of_pieces`."""
    room = max(256, len(rows), expected + expected // 16)
    while True:
        entries, sub = np.empty((room, 2), np.int32), np.empty(room, np.int64)
        tests = np.zeros(1, np.int64)
        found = int(pairs_of_pieces(total, rows, g, scene.parts, scene.settings, skin, tests, entries, sub))
        if found <= room:
            search.room.tests[0] += tests[0]
            return entries[:found], sub[:found]
        room = found


def _pairs_by_cells(
    owned: int, total: int, g: Grains, extent: np.ndarray, radius: np.ndarray, scene: Scene, skin: float, expected: int
) -> tuple[np.ndarray, int]:
    """Pairs of grains (P, 2) found by linked cells, their number."""
    pairs = np.empty((max(256, 4 * total, expected + expected // 16), 2), np.int32)
    while (found := find_pairs(owned, total, g, extent, radius, scene.settings, skin, pairs)) > len(pairs):
        pairs = np.empty((found + found // 16, 2), np.int32)
    return pairs, int(found)


def list_wall_pairs(
    owned: int, g: Grains, scene: Scene, skin: float, contacts: ContactTable, width: int, step: int, wall_x0: np.ndarray,
    search: Search,
) -> Contacts:  # fmt: skip
    """Candidate contacts with walls, which must be in place for ``step``.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: grains.
        scene: of the run.
        skin: extra reach (m).
        contacts: living contacts, by key.
        width: floats of a history.
        step: number of the step.
        search: for pairs of features.
        wall_x0: (W, 5) float64, set to the displacement of each wall before it is turned (m), how far it may move from there (m) before the list must
            be made anew, and its turn (rad).
    """
    walls = scene.walls
    movers = [MOVERS[int(row[KIND])] for row in walls.motion]
    sweep = np.array([mover.sweep(row) for mover, row in zip(movers, walls.motion, strict=True)])
    goes = np.array([mover.goes(row) for mover, row in zip(movers, walls.motion, strict=True)], bool)
    for k in range(len(movers)):
        wall_x0[k, :3] = displacement(walls.motion, k, step, scene.settings.dt)
        wall_x0[k, 4] = turn_angle(walls.motion, k, step, scene.settings.dt)
    wall_x0[:, 3] = np.where(goes, 0.5 * skin, np.inf)
    extent, radius = np.empty((len(g.gid), 3)), np.empty(len(g.gid))
    oriented_extents(0, len(g.gid), g, extent, radius)
    entries = np.empty((max(64, owned), 3), np.int64)
    rule = (scene.rule.candidates == "features", scene.rule.flat_pairs)
    while (found := find_wall_pairs(owned, g, walls, scene.parts, (radius, skin + sweep), rule, entries)) > len(entries):
        entries = np.empty((found, 3), np.int64)
    entries = entries[:found]
    if (walls.body != 0).any():
        bodies, sub = search.on_bodies(owned, g, scene, skin, skin + sweep, extent, 4 * owned)
        entries = np.concatenate([entries, np.concatenate([bodies, sub[:, None]], axis=1)])
        entries = entries[np.argsort(entries[:, 0], kind="stable")]
        found = len(entries)
    row, first = np.unique(entries[:, 0], return_index=True)
    solver = found if scene.rule.active_sets else 0
    made = Contacts(
        row.astype(np.int32), np.concatenate([first, [found]]).astype(np.int64), entries[:, 1].astype(np.int32), np.empty(0, np.int32),
        np.ascontiguousarray(entries[:, 2]), np.zeros(found, np.uint8), np.zeros(0), np.zeros((found, width)), np.zeros((solver, 2), np.int64),
        np.empty(BATCH, np.int32), np.empty(BATCH, np.int32), np.ones(SCRATCH), np.full(COUNTS, -1), np.array([len(row)]),
    )  # fmt: skip
    restore_contacts(made, g.gid, owned, contacts.key, contacts.hist, contacts.warm, True)
    return made
