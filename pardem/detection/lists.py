"""From candidate pairs to compressed rows, and the history that is carried from old lists to new ones."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, njit
from ..contacts.history_rows import give_rest_back, is_sparse, row_of_history


@njit
def rows_of(pairs, sub, found, owned, total):
    """Sort pairs into compressed rows by their first member.

    Rows without ghosts come first, one for each owned grain; then those with a ghost.

    Args:
        pairs: (capacity, 2) int32 local indices.
        sub: (found,) int64 sub-keys, in the order of ``pairs``, or none (0,).
        found: number of pairs.
        owned: number of grains that this rank owns; ghosts follow.
        total: number of grains, ghosts included.

    Returns:
        row (R,) int32, ptr (R + 1,) int64, col (P,) int32, sub (P,) or (0,) int64, and the number of rows without ghosts.
    """
    count = np.zeros(owned + total + 1, np.int64)
    for p in range(found):
        i, j = pairs[p, 0], pairs[p, 1]
        count[(i if i < owned and j < owned else owned + i) + 1] += 1
    border = 0
    for k in range(owned, owned + total):
        if count[k + 1] > 0:
            border += 1
    rows = owned + border
    row, ptr = np.empty(rows, np.int32), np.empty(rows + 1, np.int64)
    place = np.empty(owned + total, np.int64)
    at, r = 0, 0
    for k in range(owned + total):
        n = count[k + 1]
        if k < owned or n > 0:
            row[r] = k if k < owned else k - owned
            ptr[r] = at
            place[k] = at
            at += n
            r += 1
    ptr[rows] = at
    col, key = np.empty(found, np.int32), np.empty(min(found, sub.shape[0]), np.int64)
    for p in range(found):
        i, j = pairs[p, 0], pairs[p, 1]
        k = i if i < owned and j < owned else owned + i
        col[place[k]] = j
        if key.shape[0] > 0:
            key[place[k]] = sub[p]
        place[k] += 1
    return row, ptr, col, key, owned


@njit
def work_of(pairs, wall_pairs, owned, species, costs):
    """Count the work of each owned grain in one step: its motion, half its candidate pairs, and its candidates on walls.

    A pair counts as the costlier of its two species.

    Args:
        pairs: `state.Contacts` of grains.
        wall_pairs: `state.Contacts` with walls.
        owned: number of grains that this rank owns.
        species: (N,) int32 species of the grains.
        costs: `counted_work.Costs` of the species.

    Returns:
        (owned,) float64 work of each grain.
    """
    work = np.empty(owned)
    for i in range(owned):
        work[i] = costs.motion[species[i]]
    for r in range(pairs.row.shape[0]):
        i = pairs.row[r]
        for p in range(pairs.ptr[r], pairs.ptr[r + 1]):
            j = pairs.col[p]
            cost = costs.touching if pairs.touch[p] else costs.apart
            half = 0.5 * max(cost[species[i]], cost[species[j]])
            if i < owned:
                work[i] += half
            if j < owned:
                work[j] += half
    for r in range(wall_pairs.row.shape[0]):
        i = wall_pairs.row[r]
        for p in range(wall_pairs.ptr[r], wall_pairs.ptr[r + 1]):
            work[i] += costs.touching[species[i]] if wall_pairs.touch[p] else costs.wall[species[i]]
    return work


@njit
def living_contacts(contacts, gid, against_walls, in_place, first, key, hist, warm):
    """Write the touching contacts of a list into a table.

    Args:
        contacts: `state.Contacts`.
        gid: (N,) int64 global ids.
        against_walls: whether the second bodies are walls.
        in_place: whether the histories are in their rows of the table already.
        first: first row of the table to be filled.
        key: (capacity, 3) int64, filled with lower id; higher id or -1 - wall; sub-key.
        hist: (capacity, width) float64, filled with histories.
        warm: (capacity, 2) int64, filled with warm starts.

    Returns:
        the row after the last.
    """
    k = first
    for r in range(contacts.row.shape[0]):
        for p in range(contacts.ptr[r], contacts.ptr[r + 1]):
            if contacts.touch[p]:
                key[k, 0] = gid[contacts.row[r]]
                key[k, 1] = -1 - contacts.col[p] if against_walls else gid[contacts.col[p]]
                key[k, 2] = contacts.sub[p] if contacts.sub.shape[0] > 0 else 0
                if not in_place:
                    hist[k] = contacts.hist[row_of_history(contacts, p)]
                if contacts.warm.shape[0] > 0:
                    warm[k] = contacts.warm[p]
                k += 1
    return k


@njit
def _slot(table, mask, gid, value):
    """Slot of a global id in an open-addressing table of local indices (-1: empty)."""
    slot = (value * -7046029254386353131) & mask
    while table[slot] >= 0 and gid[table[slot]] != value:
        slot = (slot + 1) & mask
    return slot


@njit
def _by_first_body(key, gid, total):
    """Rows of a table of contacts by the local index of their first body.

    Args:
        key: (n, 3) int64, see ``living_contacts``.
        gid: (N,) int64 global ids.
        total: number of bodies.

    Returns:
        (total + 1,) int64 first place of each body in the order, (n,) int32 rows in this order; contacts of bodies that are not here are not in it.
    """
    n, size = key.shape[0], 16
    while size < 2 * total:
        size *= 2
    mask = size - 1
    table = np.full(size, -1, np.int32)
    for i in range(total):
        table[_slot(table, mask, gid, gid[i])] = i
    local = np.empty(n, np.int32)
    first = np.zeros(total + 1, np.int64)
    for k in range(n):
        local[k] = table[_slot(table, mask, gid, key[k, 0])]
        if local[k] >= 0:
            first[local[k] + 1] += 1
    first = np.cumsum(first)
    order = np.empty(n, np.int32)
    fill = first[:-1].copy()
    for k in range(n):
        if local[k] >= 0:
            order[fill[local[k]]] = k
            fill[local[k]] += 1
    return first, order


@inlined
def _find(key, order, first, last, second, sub):
    """The row of a table of contacts with this second body and sub-key, among the rows in places ``first`` to ``last`` of an order; -1: none."""
    for m in range(first, last):
        if key[order[m], 1] == second and key[order[m], 2] == sub:
            return order[m]
    return -1


@njit
def restore_contacts(contacts, gid, total, key, hist, warm, against_walls):
    """Restore the history of the pairs in a new list that touched before. Contacts of grains that this rank does not have are dropped.

    Args:
        contacts: `state.Contacts`, of which ``touch``, ``hist`` and ``warm`` are filled; sparse histories are in its first rows already, in the order
            of the table, and their rows are given to the pairs.
        gid: (N,) int64 global ids.
        total: number of grains, ghosts included.
        key: (n, 3) int64 keys of the contacts, see ``living_contacts``.
        hist: (n, width) float64 their histories.
        warm: (n, 2) int64 active sets of the solver for each.
        against_walls: whether the second bodies are walls.
    """
    if key.shape[0] == 0:
        return
    first, order = _by_first_body(key, gid, total)
    taken = np.zeros(key.shape[0], np.bool_)
    for r in range(contacts.row.shape[0]):
        i = contacts.row[r]
        if first[i] == first[i + 1]:
            continue
        for p in range(contacts.ptr[r], contacts.ptr[r + 1]):
            second = -1 - contacts.col[p] if against_walls else gid[contacts.col[p]]
            k = _find(key, order, first[i], first[i + 1], second, contacts.sub[p] if contacts.sub.shape[0] > 0 else 0)
            if k >= 0:
                contacts.touch[p] = 1
                if is_sparse(contacts):
                    contacts.rows.at[p] = k
                    taken[k] = True
                else:
                    contacts.hist[p] = hist[k]
                if contacts.warm.shape[0] > 0:
                    contacts.warm[p] = warm[k]
    if is_sparse(contacts):
        give_rest_back(contacts, taken)
