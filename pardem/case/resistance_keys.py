"""Keys of the resistance to rolling and twisting, in general and for pairs of materials, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ..case_values import Model, NonNegative
from ..laws.registry import KINDS

if TYPE_CHECKING:
    from .contact import Contact

Choice = Literal["none", "constant", "spring"]

_CAPS = ("rolling_friction", "twisting_friction")
_SPRINGS = ("rolling_damping", "twisting_damping", "resistance_stiffness")
_USED: dict[str, tuple[str, ...]] = {"none": (), "constant": _CAPS, "spring": (*_CAPS, *_SPRINGS)}
DAMPING = 0.3  # default of the two dampings: Ai et al. (2011)
STIFFEST = 1.0  # largest coefficient with which Jiang's spring is no faster than 0.42 of the contact itself


class ResistanceKeys(Model):
    """Parameters of the resistance to rolling and twisting; those not given here are taken from the `[contact]` table."""

    rolling_friction: NonNegative | None = Field(
        default=None,
        description="coefficient of rolling friction: largest rolling torque divided by normal force and effective radius (1); needs "
        "`resistance`; default: 0",
    )
    twisting_friction: NonNegative | None = Field(
        default=None,
        description="coefficient of twisting friction: largest torque about the normal divided by normal force and effective radius (1); needs "
        "`resistance`; default: 0",
    )
    rolling_damping: NonNegative | None = Field(
        default=None, description="damping ratio of the rolling spring (1); for resistance `spring`; default: 0.3"
    )
    twisting_damping: NonNegative | None = Field(
        default=None, description="damping ratio of the twisting spring (1); for resistance `spring`; default: 0.3"
    )
    resistance_stiffness: Literal["jiang", "iwashita"] | None = Field(
        default=None,
        description="stiffness of the springs of resistance `spring`; `jiang`: 2.25 times the normal stiffness, the square of the coefficient and "
        "the square of the effective radius; `iwashita`: the tangential stiffness times the square of the effective radius; default: "
        "`jiang`",
    )


def resistance_problems(contact: Contact, dimension: int) -> Iterator[str]:
    """Find what is wrong with the keys of the resistance to rolling and twisting.

    Args:
        contact: table of contacts.
        dimension: number of dimensions of the case.

    Yields:
        One sentence for each problem.
    """
    chosen = contact.resistance
    if chosen != "none" and KINDS[contact.law].reach is not None:
        yield f"contact.resistance = '{chosen}' is not for law = '{contact.law}', whose forces act at a distance; leave it out"
    tables: list[tuple[str, ResistanceKeys]] = [("contact", contact)]
    tables += [(f"contact.pair.{'-'.join(pair.between)}", pair) for pair in contact.pair]
    for where, table in tables:
        for key in (*_CAPS, *_SPRINGS):
            value = getattr(table, key)
            if value is not None and key not in _USED[chosen]:
                others = "'constant' or 'spring'" if key in _CAPS else "'spring'"
                yield f"{where}.{key} = {value!r} is not used with contact.resistance = '{chosen}'; leave it out, or choose {others}"
        if dimension == 2 and table.twisting_friction:
            yield f"{where}.twisting_friction = {table.twisting_friction!r} has no meaning in the plane, where nothing twists; leave it out"
        stiffness = table.resistance_stiffness or contact.resistance_stiffness or "jiang"
        for key in _CAPS if chosen == "spring" and stiffness == "jiang" else ():
            value = getattr(table, key)
            if value is not None and value > STIFFEST:
                yield (
                    f"{where}.{key} = {value!r} makes Jiang's spring too stiff for a time step that follows the contact time: "
                    f"make it at most {STIFFEST!r}, or give resistance_stiffness = 'iwashita'"
                )
