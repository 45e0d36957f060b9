"""The lists of a rank, made anew at a rebuild: candidate pairs and wall contacts with the history of those that touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..interactions.batch import BATCH, BLOCK, COUNTS, SCRATCH
from ..interactions.local_minima import LocalMinima
from ..interactions.polytopes import Polytopes
from ..interactions.spheres import Spheres
from ..interactions.superposition import Superposition
from ..population import ContactTable
from ..state import Contacts, Grains
from ..walls.bodies import find_body_contacts
from ..walls.candidates import find_wall_pairs
from ..walls.motion import KIND, REACH, ROTATION, SERVO, SINUSOIDAL, SIZE, VELOCITY, displacement, turn_angle
from .bounds import oriented_extents
from .cells import find_pairs
from .edges import EdgeDetector
from .features import find_feature_pairs
from .lists import restore_contacts, rows_of, work_of

if TYPE_CHECKING:
    from ..constants import Scene


def list_pairs(
    owned: int, total: int, g: Grains, scene: Scene, skin: float, contacts: ContactTable, width: int, expected: int, detector: EdgeDetector | None
) -> tuple[Contacts, np.ndarray]:
    """Candidate pairs of a rank.

    Args:
        owned, total: rows of ``g`` that are owned, that are there. skin: extra reach (m). contacts: living contacts, by key.
        width: floats of a history. expected: about how many pairs there will be. detector: by triangulation, where that is wanted.

    Returns:
        the pairs; counted work of each owned grain in one step.
    """
    settings = scene.settings
    extent, radius = np.empty((total, 3)), np.empty(total)
    oriented_extents(0, total, g, extent, radius)
    met = detector.find_pairs(owned, total, g, extent, settings, skin, expected) if detector else None
    pairs, found = met or _pairs_by_cells(owned, total, g, extent, radius, scene, skin, expected)
    sub = np.empty(0, np.int64)
    if isinstance(scene.interaction, Superposition | LocalMinima):
        pairs, sub, found = _pairs_of_features(pairs, found, g, scene.interaction, settings.period, skin, expected)
    row, ptr, col, sub, interior = rows_of(pairs, sub, found, owned, total)
    del pairs, extent, radius  # before the histories come
    spheres = isinstance(scene.interaction, Spheres)
    solver = found if isinstance(scene.interaction, Polytopes) else 0
    room = max(BLOCK, int(np.diff(ptr).max(initial=0)) + 1) if spheres else BATCH
    made = Contacts(
        row, ptr, col, sub, np.zeros(found, np.uint8), np.zeros((found, width)), np.zeros((solver, 2), np.int64),
        np.empty(room, np.int32), np.empty(room, np.int32), np.ones(SCRATCH), np.full(COUNTS, -1), np.array([interior]),
    )  # fmt: skip
    restore_contacts(made, g.gid, total, contacts.key, contacts.hist, contacts.warm, False)
    return made, work_of(made, owned, g.species, scene.shapes.kind)


def _pairs_by_cells(
    owned: int, total: int, g: Grains, extent: np.ndarray, radius: np.ndarray, scene: Scene, skin: float, expected: int
) -> tuple[np.ndarray, int]:
    """Pairs of grains (P, 2) found by linked cells, their number."""
    settings = scene.settings
    pairs = np.empty((max(256, 4 * total, expected + expected // 16), 2), np.int32)
    while (found := find_pairs(owned, total, g, extent, radius, settings.lower, settings.period, skin, pairs)) > len(pairs):
        pairs = np.empty((found + found // 16, 2), np.int32)
    return pairs, int(found)


def _pairs_of_features(
    bodies: np.ndarray, count: int, g: Grains, interaction: Superposition | LocalMinima, period: np.ndarray, skin: float, expected: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Pairs of features of pairs of bodies: bodies (P, 2), sub-keys (P,), their number."""
    room, minima = max(256, expected + expected // 16), isinstance(interaction, LocalMinima)
    while True:
        pairs, sub = np.empty((room, 2), np.int32), np.empty(room, np.int64)
        found = find_feature_pairs(bodies, count, g, interaction.features, interaction.planar, minima, period, skin, pairs, sub)
        if found <= room:
            return pairs, sub, found
        room = found + found // 16


def _with_bodies(entries: np.ndarray, owned: int, g: Grains, scene: Scene, extent: np.ndarray, extra: np.ndarray) -> np.ndarray:
    """Entries of wall contacts with those of bodies added, in the order of grains."""
    settings = scene.settings
    room = max(256, 4 * owned)
    while True:
        bodies, sub = np.empty((room, 2), np.int32), np.empty(room, np.int64)
        found = find_body_contacts(owned, g, scene.walls, settings.planar, extent, extra, settings.period, bodies, sub)
        if found <= room:
            break
        room = found
    every = np.concatenate([entries, np.concatenate([bodies[:found], sub[:found, None]], axis=1)])
    return np.asarray(every[np.argsort(every[:, 0], kind="stable")])


def list_wall_pairs(
    owned: int, g: Grains, scene: Scene, skin: float, contacts: ContactTable, width: int, step: int, wall_x0: np.ndarray
) -> Contacts:
    """Candidate contacts with walls, which must be in place for ``step``.

    Args:
        owned ... width: as in ``list_pairs``.
        wall_x0: (W, 5) float64, set to the displacement of each wall before it is turned (m), how far it may move from there (m) before the list must
            be made anew, and its turn (rad).
    """
    walls = scene.walls
    kind, reach, size = walls.motion[:, KIND], walls.motion[:, REACH], np.abs(walls.motion[:, SIZE])
    sweep = np.where(kind == SINUSOIDAL, 2.0 * size, 0.0)
    goes = (kind == VELOCITY) | (kind == SERVO) | ((kind == ROTATION) & (reach > 0.0))
    for k in range(len(kind)):
        wall_x0[k, :3] = displacement(walls.motion, k, step, scene.settings.dt)
        wall_x0[k, 4] = turn_angle(walls.motion, k, step, scene.settings.dt)
    wall_x0[:, 3] = np.where(goes, 0.5 * skin, np.inf)
    extent, radius = np.empty((owned, 3)), np.empty(owned)
    oriented_extents(0, owned, g, extent, radius)
    entries = np.empty((max(64, owned), 3), np.int64)
    by_vertex, minima = isinstance(scene.interaction, Superposition | LocalMinima), isinstance(scene.interaction, LocalMinima)
    while (found := find_wall_pairs(owned, g, walls, radius, skin + sweep, by_vertex, minima, entries)) > len(entries):
        entries = np.empty((found, 3), np.int64)
    entries = entries[:found]
    if (walls.body != 0).any():
        entries = _with_bodies(entries, owned, g, scene, extent, skin + sweep)
        found = len(entries)
    row, first = np.unique(entries[:, 0], return_index=True)
    solver = found if isinstance(scene.interaction, Polytopes) else 0
    made = Contacts(
        row.astype(np.int32), np.concatenate([first, [found]]).astype(np.int64), entries[:, 1].astype(np.int32),
        np.ascontiguousarray(entries[:, 2]), np.zeros(found, np.uint8), np.zeros((found, width)), np.zeros((solver, 2), np.int64),
        np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64), np.array([len(row)]),
    )  # fmt: skip
    restore_contacts(made, g.gid, owned, contacts.key, contacts.hist, contacts.warm, True)
    return made
