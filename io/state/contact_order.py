"""The order of contacts by their keys: counted by the lower id, then sorted among the few contacts of each."""

from __future__ import annotations

import numpy as np

from pardem.compiled.jit import inlined, kernel


def rehearse() -> None:
    """Compile what follows, or load it."""
    none = np.zeros(0, np.int64)
    order_by_key(np.zeros((0, 3), np.int64), 0, none, none, none)


@inlined
def _before(key, one, two):
    """Whether a contact comes before another of the same lower id."""
    return key[one, 1] < key[two, 1] or (key[one, 1] == key[two, 1] and key[one, 2] < key[two, 2])


@kernel
def order_by_key(key, base, ends, order, again):
    """Sort contacts by lower id, higher id and sub-key.

    Args:
        key: (m, 3) int64 lower ids, from ``base`` on, higher ids and sub-keys.
        base: the lowest id that may occur.
        ends: (ids,) int64, filled with the place behind the last contact of each id.
        order: (m,) int64, filled with the indices of the contacts in their order.
        again: (m,) int64, filled at its beginning with the places of contacts whose key is that of the contact before.

    Returns:
        number of contacts whose key is that of the contact before.
    """
    ends[:] = 0
    for k in range(key.shape[0]):
        ends[key[k, 0] - base] += 1
    place = 0
    for i in range(ends.shape[0]):
        place, ends[i] = place + ends[i], place
    for k in range(key.shape[0]):
        i = key[k, 0] - base
        order[ends[i]] = k
        ends[i] += 1
    begin, repeated = 0, 0
    for i in range(ends.shape[0]):
        _sort(key, order, begin, ends[i])
        for p in range(begin + 1, ends[i]):
            if not _before(key, order[p - 1], order[p]):
                again[repeated] = p
                repeated += 1
        begin = ends[i]
    return repeated


@kernel
def _sort(key, order, begin, end):
    """Sort the contacts of one lower id by Shell's method: a grain among much smaller ones may have thousands of them."""
    gap = 1
    while 9 * gap < 4 * (end - begin):
        gap = 9 * gap // 4 + 1
    while gap > 0:
        for p in range(begin + gap, end):
            one, q = order[p], p
            while q >= begin + gap and _before(key, one, order[q - gap]):
                order[q] = order[q - gap]
                q -= gap
            order[q] = one
        gap = 4 * gap // 9
