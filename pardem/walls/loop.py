"""The loop over contacts with walls: in lanes where surface, rule and law allow it, else one by one, which gives the same bits."""

from __future__ import annotations

from typing import Any

from ..compiled.fixedpoint import carry
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.types import WIDTH
from ..compiled.static import static
from ..contacts.batch import BATCH, BLOCK
from ..contacts.dispatch import rule_by_class
from ..contacts.lane_groups import asks_for_lanes, moved
from .contacts import by_rows, one_by_one
from .surfaces.place import APPEARING, THERE
from .surfaces.registry import LINES
from .wall_lanes import in_lanes, line_of, note_lines

OTHERS = BATCH + LINES * BLOCK
"""Place in ``pairs.near`` of candidates that do not wait for others of their line; the lines lie before it, a block each."""


@inlined
def _line_at(line):
    """Place in ``pairs.near`` where a line begins."""
    return BATCH + line * BLOCK


@inlined
def _all_one_by_one(loop):
    """Forces of all candidates, one by one."""
    near, end, place = loop.pairs.near, loop.pairs.col.shape[0], 0
    while place < end:
        stop = min(end, place + BLOCK)
        for p in range(place, stop):
            near[BATCH + p - place] = p
        one_by_one(BATCH, BATCH + stop - place, loop)
        place = stop


@inlined
def _sorted(first, last, others, loop):
    """Append candidates that wait for others to the lines in ``pairs.near``; the rest follow from OTHERS on.

    Args:
        first: the first candidate.
        last: the one after the last.
        others: number of those of the rest that are there already.
        loop: `WallLoop`.

    Returns:
        this number.
    """
    near, waiting = loop.pairs.near, loop.walls.waiting
    for p in range(first, last):
        line = line_of(p, loop)
        if line < 0:
            near[OTHERS + others] = p
            others += 1
        else:
            near[_line_at(line) + waiting[line]] = p
            waiting[line] += 1
    return others


@kernel
def _treated(start, found, loop):
    """Forces of candidates that wait in ``pairs.near``, in whole groups; of all, one by one, where the law does not serve.

    Args:
        start: place of the first of them.
        found: their number.
        loop: `WallLoop`.

    Returns:
        the number of those that do not fill a group: they wait on, from ``start`` on.
    """
    near, done = loop.pairs.near, in_lanes(loop.law, start, found, loop)
    if done == 0 and found >= WIDTH:
        one_by_one(start, start + found, loop)
        done = found
    return moved(near, start + done, found - done, start) - start


@inlined
def _together(loop):
    """Forces of all candidates: of those of a line whole groups in lanes."""
    near, waiting, end, place, others = loop.pairs.near, loop.walls.waiting, loop.pairs.col.shape[0], 0, 0
    note_lines(loop.walls)
    while place < end:
        stop = min(end, place + BLOCK // 2)
        others = _sorted(place, stop, others, loop)
        for line in range(LINES):
            if waiting[line] >= WIDTH:  # a call costs as much as some contacts
                waiting[line] = _treated(_line_at(line), waiting[line], loop)
        if others >= BLOCK // 4:
            one_by_one(OTHERS, OTHERS + others, loop)
            others = 0
        place = stop
    left = OTHERS + others
    for line in range(LINES):
        left = moved(near, _line_at(line), waiting[line], left)
    if left > OTHERS:
        one_by_one(OTHERS, left, loop)


@inlined
def _inheriting(interaction, loop):
    by_rows(loop)


@inlined
def _alone(interaction, loop):
    _all_one_by_one(loop)


@inlined
def _in_lanes(interaction, loop):
    if asks_for_lanes(loop):
        _together(loop)
    else:
        _all_one_by_one(loop)


def _loop_of(interaction: type) -> Any:
    rule = rule_by_class(interaction)
    if rule.inherits:
        return _inheriting
    return _alone if rule.closest_to_plane_in_lanes is None else _in_lanes


@static(_loop_of)
def _contacts(interaction, loop):
    """Forces of all candidates, by the type of the narrow phase."""


@kernel
def wall_contacts(loop):
    """Forces between grains and walls; the walls' reactions and work are added to two-limb sums.

    Args:
        loop: `surfaces.place.WallLoop`.
    """
    _contacts(loop.interaction, loop)
    walls = loop.walls
    for k in range(walls.kind.shape[0]):
        carry(walls.reaction[k])
        if walls.there[k] == APPEARING:
            walls.there[k] = THERE
