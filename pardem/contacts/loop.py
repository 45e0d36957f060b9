"""Static choice of the pair loop: scenes of spheres only have one of their own."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from ..compiled.jit import INLINED
from .pairs import pair_contacts
from .spheres import Spheres, sphere_contacts


def contacts(first, last, owned, pairs, g, interaction, law, settings, control, tally):  # type: ignore[no-untyped-def]
    """Forces of the candidate pairs in rows ``first`` to ``last`` (see ``pairs.pair_contacts``)."""
    raise NotImplementedError("call from compiled code")


@overload(contacts, jit_options=INLINED)
def _contacts(first, last, owned, pairs, g, interaction, law, settings, control, tally):  # type: ignore[no-untyped-def]
    if interaction.instance_class is Spheres:

        def spheres(first, last, owned, pairs, g, interaction, law, settings, control, tally) -> Any:  # type: ignore[no-untyped-def]
            sphere_contacts(first, last, owned, pairs, g, law, settings, control, tally)

        return spheres

    def general(first, last, owned, pairs, g, interaction, law, settings, control, tally) -> Any:  # type: ignore[no-untyped-def]
        pair_contacts(first, last, owned, pairs, g, interaction, law, settings, control, tally)

    return general
