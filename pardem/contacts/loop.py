"""Static choice of the pair loop: whether the rule of contact has one of its own, serves several pairs at once, or lets contacts leave for others."""

from __future__ import annotations

from typing import Any

from ..compiled.jit import inlined
from ..compiled.static import static
from .dispatch import rule_by_class
from .grain_pairs import grain_contacts, screened_contacts, touching_contacts
from .pairs import pair_contacts


@inlined
def _of_any_shape(interaction, first, last, loop):
    pair_contacts(first, last, loop)


@inlined
def _screened(interaction, first, last, loop):
    screened_contacts(first, last, loop)


@inlined
def _in_lanes(interaction, first, last, loop):
    grain_contacts(first, last, loop)


@inlined
def _touching_in_lanes(interaction, first, last, loop):
    touching_contacts(first, last, loop)


def _loop_of(interaction: type) -> Any:
    rule = rule_by_class(interaction)
    if rule.closest_in_lanes is None:
        return rule.pair_loop or (_of_any_shape if rule.inherits else _screened)
    return _in_lanes if rule.line is None else _touching_in_lanes


@static(_loop_of)
def contacts(interaction, first, last, loop):
    """Forces of the candidate pairs in some rows of the list, added to the bodies; each pair has its lower global id first.

    Args:
        interaction: the narrow phase, whose type decides which loop it is.
        first: the first row.
        last: the row after the last.
        loop: ``pair_loop.PairLoop``.
    """
