"""What a loop over candidate pairs passes to the functions that it calls."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.jit import inlined


class PairLoop(NamedTuple):
    """What every contact of a loop needs.

    Attributes:
        pairs: `Contacts`.
        g: `Grains`.
        interaction: the narrow phase.
        law: tables of the law.
        settings: `Settings`.
        owned: number of rows of ``g`` that this rank owns.
        control: (CONTROL,) int64.
        tally: (TALLY, 2) int64.
        gone: bound on the way that any two grains can have gone together since lists were made (m), where candidates are passed over by it.
    """

    pairs: Any
    g: Any
    interaction: Any
    law: Any
    settings: Any
    owned: Any
    control: Any
    tally: Any
    gone: Any


@inlined
def velocity_lag(settings):
    """By how much the velocities that contacts see lie before the end of the step (s).

    Args:
        settings: `Settings`.
    """
    return 0.5 * settings.dt if settings.midstep else 0.0
