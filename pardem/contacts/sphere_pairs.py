"""Contacts of scenes made of spheres only: the general rule with everything that a point core makes zero left out.

Some candidates at a time: which touch (``sphere_search``); then their forces, in lanes where the law allows it (``sphere_lanes``), else
through the columns of a batch (``sphere_columns``), which give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..compiled.jit import inlined, kernel
from ..compiled.lanes.types import WIDTH
from .batch import BATCH, BLOCK
from .lane_groups import asks_for_lanes, moved
from .sphere_columns import by_columns
from .sphere_lanes import AHEAD, born_in_lanes, known_in_lanes
from .sphere_search import BORN, KNOWN, fetch, touching


def _treating(in_lanes: Callable[..., Any]) -> Any:
    """Make the function that evaluates contacts which wait in ``pairs.near``, in whole groups where lanes serve, else in whole batches.

    Args:
        in_lanes: compiled, evaluates whole groups; see ``lane_groups.groups_where_lanes_serve``.

    Returns:
        A compiled function of the place of the first of them, of their number, of whether lanes serve, if the law allows it, and of a `PairLoop`. It
        returns the number of those that fill neither: they wait on, from the same place on.
    """

    @inlined
    def treated(start, found, alone, loop):
        """Evaluate whole groups or batches."""
        near = loop.pairs.near
        done = in_lanes(loop.law, start, found, loop) if alone else 0
        if done == 0:
            done = found - found % BATCH
            if done > 0:
                by_columns(start, start + done, loop)
        return moved(near, start + done, found - done, start) - start

    return treated


_known_treated, _born_treated = _treating(known_in_lanes), _treating(born_in_lanes)


@kernel
def sphere_contacts(first, last, loop):
    """Forces of the candidate pairs in some rows of the list; each pair has its lower global id first.

    Args:
        first: the first row.
        last: the row after the last.
        loop: `PairLoop`.
    """
    pairs, near, alone = loop.pairs, loop.pairs.near, asks_for_lanes(loop)
    place, end, known, born = pairs.ptr[first], pairs.ptr[last], 0, 0
    while place < end:
        stop = min(end, place + BLOCK - WIDTH)
        known, born = touching(place, stop, known, born, loop)
        for begin in range(KNOWN, KNOWN + AHEAD, WIDTH):
            fetch(begin, pairs, loop.g)
        known, born = _known_treated(KNOWN, known, alone, loop), _born_treated(BORN, born, alone, loop)
        place = stop
    by_columns(KNOWN, moved(near, BORN, born, KNOWN + known), loop)
