"""Contacts of grains: candidates are screened by the ways that their grains have gone, then those that may touch are treated.

In lanes where the narrow phase serves several pairs at once, and rule and law allow it, else one by one (``pairs``), which gives the
same bits.
"""

from __future__ import annotations

import numpy as np

from ..compiled.choices import larger, select
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.arithmetic import any_of
from ..compiled.lanes.flags import append, raised, raised_at
from ..compiled.lanes.memory import load, pick, put
from ..compiled.lanes.places import members, members_at
from ..compiled.lanes.types import WIDTH, lane, spread
from ..compiled.vectors import nearest_image, subtract
from .batch import BATCH, BLOCK
from .dispatch import closest_in_lanes, keep_in_lanes, line, serves_lanes
from .encounter import free_path
from .grain_lanes import Group, group_forces
from .lane_groups import asks_for_lanes, groups_where_lanes_serve, moved, vectors_at
from .pairs import one_by_one, pair_contacts

FIRST_LINE, SECOND_LINE = BATCH, BATCH + BLOCK
OTHERS = BATCH + 2 * BLOCK
"""Places in ``pairs.near`` of candidates that wait for others of their line, and of those that do not wait."""


@inlined
def _longest_path(path):
    """The longest of all paths (m).

    Args:
        path: (N,) distance that the points of each grain may have moved (m).
    """
    even = path.shape[0] - path.shape[0] % WIDTH
    longest = spread(0.0)
    for k in range(0, even, WIDTH):
        longest = larger(longest, load(path, k))
    most = 0.0
    for k in range(WIDTH):
        most = max(most, lane(longest, k))
    for k in range(even, path.shape[0]):
        most = max(most, path[k])
    return most


@inlined
def _screened(first, last, found, longest, loop):
    """Append those of some candidates that may touch, after the ways their grains have gone, to ``pairs.near``.

    Args:
        first: place of the first candidate.
        last: place after the last.
        found: the place in ``pairs.near`` behind the last that is there already; WIDTH spare places must be left behind.
        longest: bound on the way that any two grains have gone together (m), or infinite: with it, groups of candidates need no look at their own
            grains.
        loop: `PairLoop`.

    Returns:
        the place behind the last.
    """
    pairs, path, near = loop.pairs, loop.g.path, loop.pairs.near
    even_last = last - (last - first) % WIDTH
    for q in range(first, even_last, WIDTH):
        touching, free = raised(pairs.touch, q), load(pairs.free, q)
        if any_of(touching | (not longest < free)):
            gone = pick(path, members(pairs.first, q)) + pick(path, members(pairs.col, q))
            found += append(near, found, q, touching | (not gone < free))
    for p in range(even_last, last):
        if pairs.touch[p] != 0 or not path[pairs.first[p]] + path[pairs.col[p]] < pairs.free[p]:
            near[found] = p
            found += 1
    return found


@inlined
def _group(begin, count, loop):
    """Forces of WIDTH candidates, those from ``begin`` on in ``pairs.near``.

    Args:
        begin: place of the first of them.
        count: how many they are: WIDTH.
        loop: `PairLoop`.

    Returns:
        whether that could be done; otherwise nothing has been done.
    """
    pairs, g = loop.pairs, loop.g
    places = members(pairs.near, begin)
    i, j = members_at(pairs.first, places), members_at(pairs.col, places)
    (xi, ri), (xj, rj) = vectors_at(g.x, i), vectors_at(g.x, j)
    d, reach = nearest_image(subtract(xj, xi), loop.settings), ri + rj
    solved, f, x, y, shape = closest_in_lanes(loop.interaction, g, pairs, places, i, j, d)
    near, touching = f < reach * reach, raised_at(pairs.touch, places)
    if not solved or not group_forces(Group(begin, places, i, j, near, touching, (ri, rj), d, x, y, f, shape), loop):
        return False
    keep_in_lanes(loop.interaction, shape, places, near, pairs)
    waits = ~(near | touching)
    if any_of(waits):
        free = free_path(pick(g.path, i) + pick(g.path, j), f, reach, d)
        put(pairs.free, places, select(waits, free, pick(pairs.free, places)))
    return True


_in_lanes = groups_where_lanes_serve(_group, one_by_one)


@inlined
def _treated(start, found, alone, loop):
    """Forces of candidates that wait in ``pairs.near``, in whole groups where lanes serve, else one by one.

    Args:
        start: place of the first of them.
        found: their number.
        alone: whether lanes serve.
        loop: `PairLoop`.

    Returns:
        the number of those that do not fill a group: they wait on, from ``start`` on.
    """
    near = loop.pairs.near
    done = _in_lanes(loop.law, start, found, loop) if alone else 0
    if done == 0 and not (alone and found < WIDTH):
        one_by_one(start, start + found, loop)
        done = found
    return moved(near, start + done, found - done, start) - start


@inlined
def _sorted(first, last, waiting, longest, loop):
    """Append those of some candidates that wait for others to the two lines in ``pairs.near``; the rest follow from OTHERS on.

    Args:
        first: place of the first candidate.
        last: place after the last.
        waiting: numbers of those that wait already: in either line, and of the rest.
        longest: bound on the way that any two grains have gone together (m).
        loop: `PairLoop`.

    Returns:
        these numbers.
    """
    pairs, near = loop.pairs, loop.pairs.near
    one, two, others = waiting
    begin = OTHERS + others
    for n in range(begin, _screened(first, last, begin, longest, loop)):
        p = near[n]
        where = line(loop.interaction, loop.g, pairs, np.uintp(p)) if pairs.touch[p] != 0 else 0
        if where == 1:
            near[FIRST_LINE + one] = p
            one += 1
        elif where == 2:
            near[SECOND_LINE + two] = p
            two += 1
        else:
            near[OTHERS + others] = p
            others += 1
    return one, two, others


@kernel
def touching_contacts(first, last, loop):
    """Forces of the candidate pairs in some rows of the list, of which those that touch are treated in lanes.

    Args:
        first: the first row.
        last: the row after the last.
        loop: `PairLoop`.
    """
    if not (asks_for_lanes(loop) and serves_lanes(loop.interaction)):
        pair_contacts(first, last, loop)
        return
    pairs, longest = loop.pairs, 2.0 * _longest_path(loop.g.path)
    place, end, one, two, others = pairs.ptr[first], pairs.ptr[last], 0, 0, 0
    while place < end:
        stop = min(end, place + BLOCK - 2 * WIDTH)
        one, two, others = _sorted(place, stop, (one, two, others), longest, loop)
        one, two = _treated(FIRST_LINE, one, True, loop), _treated(SECOND_LINE, two, True, loop)
        if others >= BLOCK:  # a call costs as much as some contacts
            one_by_one(OTHERS, OTHERS + others, loop)
            others = 0
        place = stop
    near = pairs.near
    end = moved(near, FIRST_LINE, one, OTHERS + others)
    one_by_one(OTHERS, moved(near, SECOND_LINE, two, end), loop)


@kernel
def screened_contacts(first, last, loop):
    """Forces of the candidate pairs in some rows of the list, one by one: those that may touch.

    Args:
        first: the first row.
        last: the row after the last.
        loop: `PairLoop`.
    """
    pairs, longest = loop.pairs, 2.0 * _longest_path(loop.g.path)
    place, end = pairs.ptr[first], pairs.ptr[last]
    while place < end:
        stop = min(end, place + pairs.near.shape[0] - BATCH - WIDTH)
        one_by_one(BATCH, _screened(place, stop, BATCH, longest, loop), loop)
        place = stop


@kernel
def grain_contacts(first, last, loop):
    """Forces of the candidate pairs in some rows of the list; each pair has its lower global id first.

    Args:
        first: the first row.
        last: the row after the last.
        loop: `PairLoop`.
    """
    pairs, near = loop.pairs, loop.pairs.near
    alone = asks_for_lanes(loop) and serves_lanes(loop.interaction)
    place, end, found = pairs.ptr[first], pairs.ptr[last], 0
    while place < end:
        stop = min(end, place + near.shape[0] - BATCH - WIDTH - found)
        found = _screened(place, stop, BATCH + found, np.inf, loop) - BATCH  # nearly all of them may touch: no group is passed over
        found = _treated(BATCH, found, alone, loop)
        place = stop
    one_by_one(BATCH, BATCH + found, loop)
