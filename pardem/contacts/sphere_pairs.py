"""Contacts of scenes made of spheres only: the general rule with everything that a point core makes zero left out.

Some candidates at a time: which touch (``sphere_search``); then their forces, in lanes where nothing but forces and losses of energy is asked for,
and law and resistance allow it (``sphere_lanes``), else through the columns of a batch (``sphere_columns``), which give the same bits.
"""

from __future__ import annotations

from ..compiled.jit import kernel
from ..compiled.lanes.types import WIDTH
from .batch import BATCH, BLOCK
from .lane_groups import asks_for_lanes
from .sphere_columns import by_columns
from .sphere_lanes import AHEAD, in_lanes
from .sphere_search import fetch, touching


@kernel
def sphere_contacts(first, last, loop):
    """Forces of the candidate pairs in some rows of the list; each pair has its lower global id first.

    Args:
        first: the first row.
        last: the row after the last.
        loop: `PairLoop`.
    """
    pairs, settings, near, alone = loop.pairs, loop.settings, loop.pairs.near, asks_for_lanes(loop)
    place, end, found = pairs.ptr[first], pairs.ptr[last], 0
    while place < end or found > 0:
        stop = min(end, place + BLOCK - WIDTH - found)
        found = touching(place, stop, found, loop)
        for begin in range(0, AHEAD, WIDTH):
            fetch(begin, pairs, loop.g)
        place = stop
        done = in_lanes(settings.resistance, loop.law, 0, found, loop) if alone else 0
        if done == 0:
            done = found if place == end else found - found % BATCH
            by_columns(0, done, loop)
        for n in range(done, found):  # what does not fill a group or a batch waits for more
            near[n - done] = near[n]
        found -= done
