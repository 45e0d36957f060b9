"""Grains of another run that are larger in this case, and overlap where they touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..setup.preparation import Setup

if TYPE_CHECKING:
    from ..case import Case

LEAST = 1e-3  # of the sphero-radius, that two grains must grow for a warning


def growth_warnings(case: Case, setup: Setup) -> list[str]:
    """A sentence for each species whose grains reach farther from their centres than in the run that the case starts from.

    Args:
        case: validated case.
        setup: the same case prepared.
    """
    if case.start is None or case.origin is None or case.origin.state is None:
        return []
    state, catalogue, out = case.origin.state, setup.catalogue, []
    old = state.catalogue["radius"] + state.catalogue["core_radius"]
    for k in np.flatnonzero(state.rows >= 0).tolist():
        name, row, radius = case.species[k].name, state.rows[k], catalogue.radius[k]
        reach = radius + catalogue.core_radius[k]
        more = 2.0 * (reach - old[row]) / radius
        if more > LEAST:
            out.append(
                f"species.{name}: its grains reach {reach:.3g} m from their centres, and {old[row]:.3g} m in {case.start.source}, from which the run "
                f"starts: those that touch there overlap by up to {more:.2g} sphero-radii more and are thrown apart; a run stops at overlaps of one. "
                "Keep the shape, or make a bed of the larger grains"
            )
    return out
