"""What is wrong with the keys of the resistance to rolling and twisting."""

from __future__ import annotations

from collections.abc import Iterator

from ..laws.registry import KINDS
from .contact import Contact
from .resistance_keys import ResistanceKeys

_CAPS = ("rolling_friction", "twisting_friction")
_SPRINGS = ("rolling_damping", "twisting_damping", "resistance_stiffness")
_USED: dict[str, tuple[str, ...]] = {"none": (), "constant": _CAPS, "spring": (*_CAPS, *_SPRINGS)}
STIFFEST = 1.0  # largest coefficient with which Jiang's spring is no faster than 0.42 of the contact itself


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
