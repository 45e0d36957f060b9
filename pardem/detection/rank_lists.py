"""The lists of a rank, made anew at a rebuild: candidate pairs and wall contacts with the history of those that touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..contacts.batch import BATCH, BLOCK, COUNTS, SCRATCH
from ..contacts.history_rows import histories_from, rows_for
from ..state.arrays import Contacts, Grains, Settings, Walls
from ..state.memory import zeros_in_lines
from ..state.population import ContactTable
from ..walls.candidates import find_wall_pairs
from ..walls.motion.driven import displacement, turn_angle
from ..walls.motion.registry import MOVERS
from ..walls.motion.rows import KIND
from ..walls.surfaces.registry import LINES
from .bounds import BoundedGrains, bounded_grains
from .edge_detector import EdgeDetector
from .linked_cells import find_pairs
from .lists import restore_contacts, rows_of
from .piece_pairs import pairs_of_pieces
from .search import Search
from .walk_detector import WalkDetector

if TYPE_CHECKING:
    from ..setup.scene import Scene


class RankLists:
    """Makes the lists of a rank.

    Args:
        scene: constants of the run.
        width: number of floats in the history of a contact.

    Attributes:
        detector: detection by triangulation, if the case asks for it.
        search: results of the last search for pairs of features, and the number of tests.
    """

    def __init__(self, scene: Scene, width: int) -> None:
        self._scene, self._width = scene, width
        self._histories: np.ndarray | None = None
        self.detector: EdgeDetector | WalkDetector | None = None
        if scene.covering:
            self.detector = EdgeDetector(scene.covering, scene.settings.period)
        elif scene.walks:
            self.detector = WalkDetector(scene.settings.period)
        self.search = Search()

    def let_go(self, contacts: ContactTable) -> None:
        """Let go of the histories of the last list, unless the living contacts are in its rows.

        Args:
            contacts: living contacts, by key.
        """
        if self._histories is not None and not np.may_share_memory(contacts.hist, self._histories):
            self._histories = None

    def list_pairs(self, owned: int, total: int, g: Grains, skin: float, contacts: ContactTable, expected: int) -> Contacts:
        """Find the candidate pairs of the grains of a rank.

        Args:
            owned: number of rows of ``g`` that this rank owns.
            total: number of rows in use, ghosts included.
            g: arrays of the grains.
            skin: distance beyond contact within which pairs are candidates (m).
            contacts: living contacts, by key.
            expected: approximate number of pairs.

        Returns:
            The candidate pairs, with the history of those that touch.
        """
        scene, rule = self._scene, self._scene.rule
        grains = bounded_grains(owned, total, g)
        met = self.detector.find_pairs(grains, scene.settings, skin, expected) if self.detector else None
        if self.detector:
            self.search.count(self.detector.take_work())
        pairs, found = met or pairs_by_cells(grains, scene.settings, skin, expected)
        sub = np.empty(0, np.int64)
        if rule.candidates == "features":
            pairs, sub = self.search.between_grains(pairs[:found], g, scene, skin, expected)
            found = len(sub)
        elif rule.candidates == "pieces":
            pairs, sub = self._by_pieces(grains, pairs[:found], skin, expected)
            found = len(sub)
        row, ptr, col, sub, interior = rows_of(pairs, sub, found, owned, total)
        del pairs, grains  # before the histories come
        block, first = (BATCH + 4 * BLOCK, np.repeat(row, np.diff(ptr))) if rule.lists_first else (BATCH, np.empty(0, np.int32))
        hist = self._sparse(contacts, found) if rule.sparse_histories else zeros_in_lines((found, self._width), np.float64)
        made = Contacts(
            row, ptr, col, first, sub, np.zeros(found, np.uint8), np.zeros(found if rule.paths or rule.pair_loop else 0, np.float32),
            hist, rows_for(found, len(hist) if rule.sparse_histories else 0), np.zeros((found if rule.active_sets else 0, 2), np.int64),
            np.zeros(block, np.int32), np.empty(BATCH, np.int32), np.ones(SCRATCH), np.full(COUNTS, -1), np.array([interior]),
            _alike(g.material[:total]),
        )  # fmt: skip
        restore_contacts(made, g.gid, total, contacts.key, contacts.hist, contacts.warm, False)
        return made

    def _sparse(self, contacts: ContactTable, found: int) -> np.ndarray:
        """Histories of a list of which only touching candidates have a row: those of the living contacts come first."""
        room, self._histories = self._histories, None
        self._histories = histories_from(contacts.hist, room, found)
        return self._histories

    def _by_pieces(self, grains: BoundedGrains, rows: np.ndarray, skin: float, expected: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of grains (M, 2) and pairs of their pieces (M,); see `pairs_of_pieces`."""
        capacity = max(256, len(rows), expected + expected // 16)
        while True:
            entries, sub = np.empty((capacity, 2), np.int32), np.empty(capacity, np.int64)
            found, tests = pairs_of_pieces(grains, rows, self._scene.parts, self._scene.settings, skin, entries, sub)
            if found <= capacity:
                self.search.count(tests)
                return entries[:found], sub[:found]
            capacity = found

    def list_wall_pairs(self, owned: int, g: Grains, skin: float, contacts: ContactTable, step: int, wall_x0: np.ndarray) -> Contacts:
        """Find the candidate contacts with walls, which must be in place for ``step``.

        Args:
            owned: number of rows of ``g`` that this rank owns.
            g: arrays of the grains.
            skin: distance beyond contact within which grains and walls are candidates (m).
            contacts: living contacts, by key.
            step: number of the step.
            wall_x0: (W, 5) float64, set to the displacement of each wall before it is turned (m), the distance by which it may move from there before
                the list must be rebuilt (m), and its turn (rad).

        Returns:
            The candidate contacts, with the history of those that touch.
        """
        scene, walls = self._scene, self._scene.walls
        sweep = _place_walls(walls, step, scene.settings.dt, skin, wall_x0)
        grains = bounded_grains(owned, len(g.gid), g)
        entries = np.empty((max(64, owned), 3), np.int64)
        rule = (scene.rule.candidates == "features", scene.rule.flat_pairs)
        while (found := find_wall_pairs(owned, g, walls, scene.parts, (grains.radius, skin + sweep), rule, entries)) > len(entries):
            entries = np.empty((found, 3), np.int64)
        entries = entries[:found]
        if scene.bodies.count:
            bodies, sub = self.search.on_bodies(grains, scene, skin, skin + sweep, 4 * owned)
            entries = np.concatenate([entries, np.concatenate([bodies, sub[:, None]], axis=1)])
            entries = entries[np.argsort(entries[:, 0], kind="stable")]
            found = len(entries)
        grain, wall = np.ascontiguousarray(entries[:, :2].T, np.int32)
        ends = np.ones(found + 1, bool)  # of the rows before each candidate, and after the last one
        np.not_equal(grain[1:], grain[:-1], out=ends[1:-1])
        (ptr,) = ends.nonzero()
        row, solver = grain[ptr[:-1]], found if scene.rule.active_sets else 0
        block, first = (BATCH + (LINES + 1) * BLOCK, grain) if scene.rule.lists_first else (BATCH, grain[:0])
        made = Contacts(
            row, ptr, wall, first, entries[:, 2].copy(), np.zeros(found, np.uint8), np.zeros(solver, np.float32),
            zeros_in_lines((found, self._width), np.float64), rows_for(found, 0), np.zeros((solver, 2), np.int64),
            np.zeros(block, np.int32), np.empty(BATCH, np.int32), np.ones(SCRATCH), np.full(COUNTS, -1), np.array([len(row)]),
            _alike(g.material[:owned]) & _alike(walls.material),
        )  # fmt: skip
        restore_contacts(made, g.gid, owned, contacts.key, contacts.hist, contacts.warm, True)
        return made


def _alike(material: np.ndarray) -> np.ndarray:
    """Whether bodies are all of one material, (1,) uint8."""
    return np.array([(material == material[:1]).all()], np.uint8)


def pairs_by_cells(grains: BoundedGrains, settings: Settings, skin: float, expected: int) -> tuple[np.ndarray, int]:
    """Find the candidate pairs of grains by linked cells.

    Args:
        grains: grains of the rank with their bounds.
        settings: constants of the run.
        skin: distance beyond contact within which pairs are candidates (m).
        expected: approximate number of pairs.

    Returns:
        Pairs (capacity, 2) int32 of local indices, lower global id first, and their number.
    """
    pairs = np.empty((max(256, 4 * grains.total, expected + expected // 16), 2), np.int32)
    while (found := find_pairs(grains, settings, skin, pairs)) > len(pairs):
        pairs = np.empty((found + found // 16, 2), np.int32)
    return pairs, int(found)


def _place_walls(walls: Walls, step: int, dt: float, skin: float, wall_x0: np.ndarray) -> np.ndarray:
    """Note the places of the walls in ``wall_x0`` (see `RankLists.list_wall_pairs`); returns (W,) how far points of each sweep as it turns (m)."""
    sweep = np.empty(len(walls.motion))
    for k, row in enumerate(walls.motion):
        mover = MOVERS[int(row[KIND])]
        place = displacement(walls.motion, k, step, dt)
        wall_x0[k] = *place, 0.5 * skin if mover.goes(row) else np.inf, turn_angle(walls.motion, k, step, dt)
        sweep[k] = mover.sweep(row)
    return sweep
