"""The contacts of an observed step one by one, for frames that show them; the lists of a rank have columns for it during such a step only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .contacts.record import ARM, BRANCH, COUPLE, FORCE, HARD_FORCE, HARD_TORQUE, NORMAL, OVERLAP, RECORD
from .state.arrays import Contacts, Grains, Record


@dataclass(frozen=True)
class RecordedContacts:
    """Contacts that count for this rank: over all ranks, each contact once.

    Attributes:
        key: (m, 3) int64: lower global id; higher global id, or -1 - wall; pair of features or pieces, or vertex.
        arm: (m, 3) from the first body's centre to the contact point (m).
        branch: (m, 3) from the first body's centre to that of the second in its nearest periodic image, or to the point on a wall (m).
        point: (m, 3) contact point (m), in the periodic image of the first body's wrapped centre.
        normal: (m, 3) unit normal from the first body to the second.
        overlap: (m,) overlap (m).
        force: (m, 3) force on the first body (N).
        couple: (m, 3) torque on the first body about the contact point (N m).
    """

    key: np.ndarray
    arm: np.ndarray
    branch: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    overlap: np.ndarray
    force: np.ndarray
    couple: np.ndarray


class Recorder:
    """Provides the lists of a rank with storage for the contacts of a step, and collects what the step stored there.

    Attributes:
        step: the last step whose contacts were recorded; -1 if there is none yet.
        contacts: contacts of that step.
    """

    def __init__(self) -> None:
        self.step, vectors = -1, np.zeros((0, 3))
        self.contacts = RecordedContacts(np.zeros((0, 3), np.int64), vectors, vectors, vectors, vectors, np.zeros(0), vectors, vectors)

    def with_records(self, pairs: Contacts) -> Contacts:
        """Add storage for a record of each candidate to a list. Memory is used only for those that touch, page by page.

        Args:
            pairs: the list.

        Returns:
            The list with the storage.
        """
        return pairs._replace(record=Record(np.zeros(len(pairs.col), np.uint8), np.zeros((len(pairs.col), RECORD))))

    def collect(self, step: int, g: Grains, pairs: Contacts, wall_pairs: Contacts) -> None:
        """Collect what a step recorded in the lists of grains and of walls.

        Args:
            step: number of the step.
            g: arrays of the grains.
            pairs: list of grains.
            wall_pairs: list of walls.
        """
        parts = [_recorded(g, pairs, False), _recorded(g, wall_pairs, True)]
        self.step = step
        self.contacts = RecordedContacts(*(np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0])))


def _recorded(g: Grains, pairs: Contacts, walls: bool) -> RecordedContacts:
    """The contacts that a step noted in a list."""
    p = np.flatnonzero(pairs.record.there)
    first = pairs.row[np.searchsorted(pairs.ptr, p, side="right") - 1]
    second = -1 - pairs.col[p].astype(np.int64) if walls else g.gid[pairs.col[p]]
    sub = pairs.sub[p] if len(pairs.sub) else np.zeros(len(p), np.int64)
    values = pairs.record.values[p]

    def vectors(column: int) -> np.ndarray:
        return values[:, column : column + 3]

    arm, harder = vectors(ARM), vectors(HARD_FORCE)
    couple = vectors(COUPLE) + (vectors(HARD_TORQUE) - np.cross(arm, harder))
    branch = arm if walls else vectors(BRANCH)
    return RecordedContacts(
        np.stack([g.gid[first], second, sub], axis=1), arm, branch, g.x[first, :3] + arm, vectors(NORMAL), values[:, OVERLAP],
        vectors(FORCE) + harder, couple,
    )  # fmt: skip
