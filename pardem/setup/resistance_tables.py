"""From a case's contact parameters to the tables of its resistance to rolling and twisting, by species and wall material."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..case.resistance_keys import DAMPING
from ..laws.resistance.constant import SHARE, ConstantTorque
from ..laws.resistance.resistance_model import NoResistance, Resistance
from ..laws.resistance.spring import ElasticPlastic
from .law_tables import one_a_row

if TYPE_CHECKING:
    from ..case import Case
    from ..case.contact_parameters import Resolved
    from ..case.pair_table import PairTable

_JIANG = 2.25  # stiffness over normal stiffness, squared coefficient and squared radius (Jiang, Yu and Harris 2005; Ai et al. 2011)


def build_resistance(case: Case) -> Resistance:
    """Build the tables of the resistance to rolling and twisting of a case.

    Args:
        case: validated case.

    Returns:
        The tables.
    """
    if case.contact.resistance == "none":
        return NoResistance()
    names = one_a_row(case)
    return _FILL[case.contact.resistance](case.contact_table(names, names), *_of_balls(case))


def largest_torque(case: Case) -> float:
    """Bound the torque of a contact divided by its force and its longest lever; this widens the range of torques.

    Args:
        case: validated case.

    Returns:
        The bound; 1 without resistance.
    """
    if case.contact.resistance == "none":
        return 1.0
    names = one_a_row(case)
    most = case.contact_table(names, names).grid(lambda c: (c.rolling_friction or 0.0) + (c.twisting_friction or 0.0))
    return max(1.0, float(most.max(initial=0.0)))


def _of_balls(case: Case) -> tuple[float, float]:
    """Moment of inertia of a solid ball or disk over m r^2, and the same over the time that a torque takes to stop it (1/s)."""
    ball = 0.5 if case.dimension == 2 else 0.4
    return ball, ball / (SHARE * case.time.step)


def _constant(table: PairTable, ball: float, stop: float) -> Resistance:
    return ConstantTorque(table.grid(lambda c: c.rolling_friction or 0.0), table.grid(lambda c: c.twisting_friction or 0.0), ball, stop)


def _spring(table: PairTable, ball: float, stop: float) -> Resistance:
    def jiang(c: Resolved, friction: float | None) -> float:
        return 0.0 if c.resistance_stiffness == "iwashita" else _JIANG * (friction or 0.0) ** 2

    def damping(value: float | None) -> float:
        return DAMPING if value is None else value

    tangential: np.ndarray = table.grid(lambda c: float(c.resistance_stiffness == "iwashita"))
    return ElasticPlastic(
        table.grid(lambda c: c.rolling_friction or 0.0), table.grid(lambda c: c.twisting_friction or 0.0),
        table.grid(lambda c: damping(c.rolling_damping)), table.grid(lambda c: damping(c.twisting_damping)),
        table.grid(lambda c: jiang(c, c.rolling_friction)), table.grid(lambda c: jiang(c, c.twisting_friction)), tangential, ball, stop,
    )  # fmt: skip


_FILL = {"constant": _constant, "spring": _spring}
