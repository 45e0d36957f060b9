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
from .contacts import by_rows, has_no_wall, one_by_one
from .surfaces.place import APPEARING, THERE
from .surfaces.registry import LINES
from .wall_lanes import in_lanes, line_of, note_lines

OTHERS = BATCH + LINES * BLOCK
"""Place in ``pairs.near`` of candidates that do not wait for others of their line; the lines lie before it, a block each."""
ROOM = BLOCK // 2
"""Candidates that are sorted at once: as many as a line that holds no more has room for."""


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
        if has_no_wall(p, loop.pairs.first[p], loop.pairs.col[p], loop):
            continue
        line = line_of(p, loop)
        if line < 0:
            near[OTHERS + others] = p
            others += 1
        else:
            near[_line_at(line) + waiting[line]] = p
            waiting[line] += 1
    return others


@kernel
def _treated(least, loop):
    """Forces of candidates of all lines in which more than some wait: in lanes, or one by one where the law does not serve. One call for all lines.

    Args:
        least: number of candidates that may wait on; if not 0, those that do not fill a group do as well.
        loop: `WallLoop`.
    """
    near, waiting = loop.pairs.near, loop.walls.waiting
    for line in range(LINES):
        start, found = _line_at(line), waiting[line]
        if found > least:
            left = found % WIDTH if least > 0 else 0
            if in_lanes(loop.law, start, found - left, loop) == 0:
                one_by_one(start, start + found - left, loop)
            waiting[line] = moved(near, start + found - left, left, start) - start


@inlined
def _most(waiting):
    """The largest number of candidates that wait in a line."""
    most = waiting[0]
    for line in range(1, LINES):
        most = max(most, waiting[line])
    return most


@inlined
def _together(loop):
    """Forces of all candidates: of those of a line in lanes."""
    waiting, end, place, others = loop.walls.waiting, loop.pairs.col.shape[0], 0, 0
    note_lines(loop.walls)
    while place < end:
        stop = min(end, place + ROOM)
        others = _sorted(place, stop, others, loop)
        if stop < end and _most(waiting) > ROOM:
            _treated(ROOM, loop)
        if others >= ROOM // 2:
            one_by_one(OTHERS, OTHERS + others, loop)
            others = 0
        place = stop
    if end > 0:
        _treated(0, loop)
    if others > 0:
        one_by_one(OTHERS, OTHERS + others, loop)


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
