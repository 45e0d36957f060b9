"""Gravity that carries grains through a period of the domain within a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..case import Case


def leap_warnings(case: Case) -> list[str]:
    """A sentence for each periodic axis along which gravity moves a grain by a whole period in one step, at which a run stops.

    Args:
        case: validated case.
    """
    if case.domain is None:
        return []
    step, out = case.time.step, []
    for c, g in enumerate(case.gravity):
        period, way = case.domain.upper[c] - case.domain.lower[c], abs(g) * step**2
        if case.domain.periodic[c] and way > period:
            out.append(
                f"gravity: its {'xyz'[c]} component of {g:.3g} m/s2 moves grains by {way:.2g} m in a step of time.step = {step:.3g} s, "
                f"more than the period of {period:.3g} m, and a run stops at that; make gravity.{c} or time.step smaller"
            )
    return out
