"""All observables: a new one is a file of its own and a line here."""

from __future__ import annotations

from .above_hole import AboveHole
from .alignment import Alignment
from .arrivals import Arrivals
from .contact_numbers import ContactNumbers
from .departures import Departures
from .energy_budget import EnergyBudget
from .fabric import Fabric
from .filling import Filling
from .heights import Heights
from .layers import LayerProfile
from .near_wall import NearWallShares
from .observable import Observable, Quantity
from .stress import Stress
from .wall_loads import WallLoads

OBSERVABLES: tuple[type[Observable], ...] = (
    EnergyBudget, ContactNumbers, Filling, LayerProfile, Stress, Fabric, Heights, Alignment, Departures, Arrivals, AboveHole, NearWallShares,
    WallLoads,
)  # fmt: skip
"""In the order in which they are found: each sees the values of those before it."""

TAPS = Quantity("taps", "1")
"""Periods of the present ``vibrate`` stage: known to the stages, not to the grains."""

STAGE = Quantity("stage", "1")
"""Number of the stage, from 0: known to the stages likewise."""

QUANTITIES: tuple[Quantity, ...] = (*(quantity for observable in OBSERVABLES for quantity in observable.quantities), TAPS, STAGE)


def quantity_of(name: str) -> Quantity | None:
    """Find the quantity to which a name in a result belongs.

    Args:
        name: the name.

    Returns:
        The quantity; None if it is not one of pardem's.
    """
    return next((quantity for quantity in QUANTITIES if quantity.covers(name)), None)
