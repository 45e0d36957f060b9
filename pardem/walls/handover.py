"""Contacts with walls that go over to other features of a grain keep their history, as those of grains do (``contacts.inheritance``)."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.static import static
from ..compiled.vectors import ZERO, square, subtract
from ..contacts.dispatch import rule_by_class
from ..contacts.inheritance import HEIR, LEAVING
from .surfaces.place import Candidate
from .surfaces.registry import meet


@kernel
def _pass_history_on(first, last, i, loop):
    pairs, walls = loop.pairs, loop.walls
    col, touch, hist = pairs.col, pairs.touch, pairs.hist
    left = ZERO
    for q in range(first, last):
        if touch[q] != LEAVING:
            continue
        heir, least = np.int64(-1), np.inf
        for m in range(first - 1, last):  # the one that leaves first
            p = np.int64(q if m < first else m)
            if m >= first and (col[p] != col[q] or touch[p] != 0):
                continue
            d, x, _, _ = meet(walls.kind[col[p]], loop, Candidate(p, i, col[p], touch[p] != 0))
            if m < first:
                left = x
                continue
            away = square(subtract(x, left))
            if d < loop.g.x[i, 3] and away < least:
                heir, least = p, away
        if heir >= 0:
            for c in range(hist.shape[1]):
                hist[heir, c] = hist[q, c]
            touch[heir], touch[q] = HEIR, 0


@inlined
def _keep(interaction, first, last, i, loop):
    """No history is passed on."""


@inlined
def _pass_on(interaction, first, last, i, loop):
    _pass_history_on(first, last, i, loop)


@static(lambda interaction: _pass_on if rule_by_class(interaction).inherits else _keep)
def pass_history_on(interaction, first, last, i, loop):
    """Give the histories of contacts with walls that are LEAVING to those that are born (``contacts.inheritance``).

    Args:
        interaction: the narrow phase, which says whether there is such a thing.
        first: candidate of grain ``i``.
        last: the one after its last.
        i: row of the grain.
        loop: `surfaces.place.WallLoop`.
    """
