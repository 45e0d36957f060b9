"""Contacts that go over to other features of the same two bodies keep their history.

Where a local minimum of the distance slides from one pair of features to another, one candidate leaves although its features still overlap, and
another is born in the same step. The candidate born nearest to where the features that are left now have their nearest points, in the frames of both
bodies, takes on the history as it is: spring, memory, energies.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined
from ..compiled.static import static
from ..compiled.vectors import ZERO, dot_from, nearest_image, negative, row, square, subtract
from .dispatch import closest, rule_by_class
from .nearest.features import bodies_of

LIVING, HEIR, LEAVING = 1, 2, 3
"""States of ``Contacts.touch``; the last two within a row's evaluation only."""


@inlined
def _pass_history_on(first, last, i, pairs, g, interaction, settings):
    col, touch, hist = pairs.col, pairs.touch, pairs.hist
    left_x, left_y = ZERO, ZERO
    for q in range(first, last):
        if touch[q] != LEAVING:
            continue
        j = col[q]
        d = nearest_image(subtract(row(g.x, j), row(g.x, i)), settings)
        bodies, reach, path = bodies_of(i, j, negative(d)), g.x[i, 3] + g.x[j, 3], g.path[i] + g.path[j]
        heir, least = np.int64(-1), np.inf
        for m in range(first - 1, last):  # the one that leaves first
            p = np.int64(q if m < first else m)
            if m >= first and (col[p] != j or touch[p] != 0 or path < pairs.free[p]):
                continue
            near, _, x, y, _ = closest(interaction, g, bodies, pairs, p, touch[p] != 0, reach)
            if m < first:
                left_x, left_y = x, y
                continue
            off = subtract(y, left_y)
            away = dot_from(square(subtract(x, left_x)), off, off)
            if near and away < least:
                heir, least = p, away
        if heir >= 0:
            for c in range(hist.shape[1]):
                hist[heir, c] = hist[q, c]
            touch[heir], touch[q] = HEIR, 0


@inlined
def _keep(first, last, i, pairs, g, interaction, settings):
    """No history is passed on."""


@static(lambda interaction: _pass_history_on if rule_by_class(interaction).inherits else _keep, on="interaction")
def pass_history_on(first, last, i, pairs, g, interaction, settings):
    """Give the histories of candidates that are LEAVING to those that are born, in the order of both; those that find no heir stay LEAVING.

    Args:
        first: first candidate of the grain in the list.
        last: the one after its last candidate.
        i: row of the grain.
        pairs: `Contacts`.
        g: `Grains`.
        interaction: the narrow phase.
        settings: settings of the run.
    """
