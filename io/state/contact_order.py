"""The order of contacts by their keys: counted by the lower id, then sorted among the few contacts of each."""

from __future__ import annotations

from pardem.compiled.jit import inlined, kernel


@inlined
def _before(second, sub, one, two):
    """Whether a contact comes before another of the same lower id."""
    return second[one] < second[two] or (second[one] == second[two] and sub[one] < sub[two])


@kernel
def order_by_key(lower, higher, sub, base, ends, order, again):
    """Sort contacts by lower id, higher id and sub-key.

    Args:
        lower: (m,) int64 lower ids, from ``base`` on.
        higher: (m,) int64 higher ids.
        sub: (m,) int64 sub-keys.
        base: the lowest id that may occur.
        ends: (ids,) int64, filled with the place behind the last contact of each id.
        order: (m,) int64, filled with the indices of the contacts in their order.
        again: (m,) int64, filled at its beginning with the places of contacts whose key is that of the contact before.

    Returns:
        number of contacts whose key is that of the contact before.
    """
    ends[:] = 0
    for k in range(lower.shape[0]):
        ends[lower[k] - base] += 1
    place = 0
    for i in range(ends.shape[0]):
        place, ends[i] = place + ends[i], place
    for k in range(lower.shape[0]):
        i = lower[k] - base
        order[ends[i]] = k
        ends[i] += 1
    begin, repeated = 0, 0
    for i in range(ends.shape[0]):
        _sort(higher, sub, order, begin, ends[i])
        for p in range(begin + 1, ends[i]):
            if not _before(higher, sub, order[p - 1], order[p]):
                again[repeated] = p
                repeated += 1
        begin = ends[i]
    return repeated


@kernel
def _sort(higher, sub, order, begin, end):
    """Sort the contacts of one lower id by Shell's method: a grain among much smaller ones may have thousands of them."""
    gap = 1
    while 9 * gap < 4 * (end - begin):
        gap = 9 * gap // 4 + 1
    while gap > 0:
        for p in range(begin + gap, end):
            one, q = order[p], p
            while q >= begin + gap and _before(higher, sub, one, order[q - gap]):
                order[q] = order[q - gap]
                q -= gap
            order[q] = one
        gap = 4 * gap // 9
