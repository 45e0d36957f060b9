"""Static choice of the pair loop: that of any shape, unless the rule of contact has one of its own."""

from __future__ import annotations

from ..compiled.static import static
from .dispatch import rule_by_class
from .pairs import pair_contacts


@static(lambda interaction: rule_by_class(interaction).pair_loop or pair_contacts, on="interaction")
def contacts(first, last, owned, pairs, g, interaction, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last`` (see ``pairs.pair_contacts``)."""
