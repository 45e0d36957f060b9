"""Forces and contact histories that a run takes over from another one, while the contacts of its start are looked at."""

from __future__ import annotations

import numpy as np

from .contacts.history_rows import rows_of_histories, set_touching
from .state.arrays import Contacts
from .step import RankState


class Held:
    """Forces, and histories of contacts, of the first grains of a run; put aside when made.

    Args:
        state: state of the rank.
        ids: number of these grains; theirs are the first ids.
        columns: (width,) bool, which columns of the histories were taken over.
        forces: whether the forces hold, and with them all of the histories.
    """

    def __init__(self, state: RankState, ids: int, columns: np.ndarray, forces: bool) -> None:
        g = state.grains
        self.state, self.ids, self.columns, self.forces = state, ids, columns, forces
        self.rows = np.flatnonzero(g.gid[: state.owned] < ids)
        self.sums = g.ft[self.rows].copy(), g.past[self.rows].copy()
        self.lists = [self._histories(pairs) for pairs in (state.pairs, state.wall_pairs)]

    def put_back(self) -> None:
        """Let forces and histories be as they were; where forces had to be found anew, what was taken over of contacts that still touch."""
        lists = (self.state.pairs, self.state.wall_pairs)
        if self.forces:
            self.state.grains.ft[self.rows], self.state.grains.past[self.rows] = self.sums
            for pairs, (candidates, touch, hist, warm) in zip(lists, self.lists, strict=True):
                set_touching(pairs, candidates, touch)
                kept = touch != 0 if len(pairs.rows.at) else np.full(len(touch), True)  # what candidates that do not touch remember belongs to it
                pairs.hist[rows_of_histories(pairs, candidates)[kept]] = hist[kept]
                if len(pairs.warm):
                    pairs.warm[candidates] = warm
            return
        for pairs, (candidates, touch, hist, _) in zip(lists, self.lists, strict=True):
            lives = (touch != 0) & (pairs.touch[candidates] != 0)
            pairs.hist[np.ix_(rows_of_histories(pairs, candidates)[lives], self.columns)] = hist[np.ix_(lives, self.columns)]

    def _histories(self, pairs: Contacts) -> tuple[np.ndarray, ...]:
        candidates = np.flatnonzero(self.state.grains.gid[first_bodies(pairs)] < self.ids)
        warm = pairs.warm[candidates] if len(pairs.warm) else pairs.warm
        return candidates, pairs.touch[candidates], pairs.hist[rows_of_histories(pairs, candidates)], warm


def first_bodies(pairs: Contacts) -> np.ndarray:
    """Row of the first body of each candidate of a list, (P,).

    Args:
        pairs: the list.
    """
    return np.repeat(pairs.row, np.diff(pairs.ptr))


def living(state: RankState) -> list[np.ndarray]:
    """Which candidates touch, of pairs and of walls; those of which this rank owns the first body, so that each counts once.

    Args:
        state: state of the rank.
    """
    return [(pairs.touch != 0) & (first_bodies(pairs) < state.owned) for pairs in (state.pairs, state.wall_pairs)]
