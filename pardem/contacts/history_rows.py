"""Rows of histories where only candidates that touch have one (``Contacts.rows``): given to contacts that are born, given back by those that end.

Rows that were given back last are given first, and no row is used for the first time while there is such a one. There are at least as many rows as
candidates, so that none can be missing; the system provides the memory of those that were ever used. Which contact has which row shows in no result.
A rank alone keeps the rows when its lists are made anew: they are moved to the beginning, in the order of the old list, where the new one takes them
over (`moved_to_front`).
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, njit
from ..state.arrays import Contacts, HistoryRows
from ..state.memory import zeros_in_lines

FREE, USED = 0, 1
"""Places in ``HistoryRows.counts``: how many rows were given back and are free; how many have ever been used."""


def rows_for(count: int, histories: int) -> HistoryRows:
    """Make what tells which candidate has which row, for a list of which none touches yet.

    Args:
        count: number of candidates.
        histories: number of rows; 0 where each candidate has the row of its own number.

    Returns:
        The arrays.
    """
    return HistoryRows(np.zeros(count if histories else 0, np.int32), np.zeros(histories, np.int32), np.zeros(2, np.int64))


def histories_from(kept: np.ndarray, room: np.ndarray | None, count: int) -> np.ndarray:
    """Make the histories of a sparse list, of which the first rows are those that are kept.

    Args:
        kept: (n, width) float64 histories.
        room: (m, width) float64 histories of the list before, in whose first rows they may be already, or None.
        count: number of candidates.

    Returns:
        (at least count and n, width) float64; ``room``, if they are there and it is large enough. Memory is taken for rows that are used.
    """
    wanted = max(count, len(kept))
    if room is not None and np.may_share_memory(kept, room) and len(room) >= wanted:
        return room
    made = zeros_in_lines((wanted + wanted // 4, kept.shape[1]), np.float64)
    made[: len(kept)] = kept
    return made


def rows_of_histories(contacts: Contacts, candidates: np.ndarray) -> np.ndarray:
    """Determine in which rows the histories of candidates are.

    Args:
        contacts: the list.
        candidates: (n,) int numbers of candidates; where the list is sparse, the result counts for those that touch.

    Returns:
        (n,) int rows of ``contacts.hist``.
    """
    at = contacts.rows.at
    return at[candidates] if len(at) else candidates


@inlined
def is_sparse(pairs):
    """Whether only candidates that touch have rows.

    Args:
        pairs: `Contacts`.
    """
    return pairs.rows.at.shape[0] > 0


@inlined
def row_of_history(pairs, p):
    """The row of a candidate, where it has one.

    Args:
        pairs: `Contacts`.
        p: the candidate.
    """
    return np.int64(pairs.rows.at[p]) if is_sparse(pairs) else np.int64(p)


@inlined
def take_row(pairs, p):
    """Give a row of zeros to a contact that is born.

    Args:
        pairs: `Contacts`, whose histories are sparse.
        p: the candidate.
    """
    rows, hist = pairs.rows, pairs.hist
    if rows.counts[FREE] > 0:
        rows.counts[FREE] -= 1
        row = np.int64(rows.given_back[rows.counts[FREE]])
    else:
        row = rows.counts[USED]
        rows.counts[USED] += 1
    for c in range(hist.shape[1]):
        hist[row, c] = 0.0
    rows.at[p] = row


@inlined
def give_row_back(pairs, p):
    """Take its row from a contact that has ended.

    Args:
        pairs: `Contacts`, whose histories are sparse.
        p: the candidate.
    """
    rows = pairs.rows
    rows.given_back[rows.counts[FREE]] = rows.at[p]
    rows.counts[FREE] += 1


@njit
def set_touching(pairs, candidates, touch):
    """Let candidates touch or not, and give them rows or take them back.

    Args:
        pairs: `Contacts`.
        candidates: (n,) int64 numbers of candidates.
        touch: (n,) uint8 whether each touches.
    """
    for n in range(candidates.shape[0]):
        p = candidates[n]
        if is_sparse(pairs):
            if touch[n] != 0 and pairs.touch[p] == 0:
                take_row(pairs, p)
            elif touch[n] == 0 and pairs.touch[p] != 0:
                give_row_back(pairs, p)
        pairs.touch[p] = touch[n]


@inlined
def _move(hist, row, source):
    """Copy what belongs in a row of histories to it, note that it is there, and return the row from which it came."""
    begin = np.int64(source[row])
    for c in range(hist.shape[1]):
        hist[row, c] = hist[begin, c]
    source[row] = row
    return begin


@njit
def moved_to_front(pairs):
    """Move the histories to the first rows, in the order of the candidates that have one.

    Args:
        pairs: `Contacts`, whose histories are sparse.

    Returns:
        how many there are.
    """
    rows, hist, count = pairs.rows, pairs.hist, 0
    source = np.empty(rows.counts[USED] - rows.counts[FREE], np.int32)
    for p in range(rows.at.shape[0]):
        if pairs.touch[p] != 0:
            source[count] = rows.at[p]
            rows.at[p] = count
            count += 1
    for n in range(rows.counts[FREE]):  # from a free row on: what belongs there, then what belongs where that was
        row = np.int64(rows.given_back[n])
        while row < count and source[row] != row:
            row = _move(hist, row, source)
    first = np.empty(hist.shape[1])
    for begin in range(count):  # what is left goes round in circles
        if source[begin] == begin:
            continue
        first[:] = hist[begin]
        row = begin
        while source[row] != begin:
            row = _move(hist, row, source)
        hist[row] = first
        source[row] = row
    rows.counts[FREE], rows.counts[USED] = 0, count
    return count


@njit
def give_rest_back(pairs, taken):
    """Let the first rows that no candidate has taken over be free.

    Args:
        pairs: `Contacts`, whose histories are sparse.
        taken: (n,) bool whether each of the first rows has been taken over.
    """
    rows = pairs.rows
    rows.counts[USED] = taken.shape[0]
    for k in range(taken.shape[0]):
        if not taken[k]:
            rows.given_back[rows.counts[FREE]] = k
            rows.counts[FREE] += 1
