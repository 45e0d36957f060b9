"""Static choice of the pair loop: that of any shape, unless the rule of contact has one of its own."""

from __future__ import annotations

from ..compiled.jit import inlined
from ..compiled.static import static
from .dispatch import rule_by_class
from .pairs import pair_contacts


@inlined
def _of_any_shape(interaction, first, last, loop):
    pair_contacts(first, last, loop)


@static(lambda interaction: rule_by_class(interaction).pair_loop or _of_any_shape)
def contacts(interaction, first, last, loop):
    """Forces of the candidate pairs in some rows of the list, added to the bodies; each pair has its lower global id first.

    Args:
        interaction: the narrow phase, whose type decides which loop it is.
        first: the first row.
        last: the row after the last.
        loop: ``pair_loop.PairLoop``.
    """
