"""Parameters of a law: as the tables of a case give them, and with every default filled in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Strict

from ..case_values import NonNegative
from ..laws.kind import Numbers
from .law_keys import LAW_KEYS, LawKeys
from .resistance_keys import ResistanceKeys


class Parameters(LawKeys, ResistanceKeys):
    """Parameters of a law; those not given here are taken from the `[contact]` table."""

    friction: NonNegative | None = Field(default=None, description="Coulomb friction coefficient (1)")
    clamped: bool | None = Field(
        default=None,
        description="whether the normal force is cut off at zero at the end of a collision, and the damping chosen such that the restitution is "
        "met; `false`: the form of the thesis, in which the force becomes attractive",
    )
    rocking_damping: bool | None = Field(
        default=None, description="whether rocking of flat contacts is damped; only for interaction `regularised` with a dissipative law"
    )
    torsional_friction: bool | None = Field(
        default=None, description="whether friction opposes spin about the contact normal; only for interaction `regularised` with a dissipative law"
    )

    def given(self) -> set[str]:
        """The keys of laws that have a value."""
        return {key for key in LAW_KEYS if getattr(self, key) is not None}


class Pair(Parameters):
    """Parameters for one pair of materials, where they differ from the general ones."""

    between: Annotated[tuple[str, str], Strict(False)] = Field(description="names of two materials of species or walls")


class Resolved(Parameters):
    """The parameters of one pair with every default filled in, as `Case.contact_between` returns them.

    Attributes:
        law: the law.
        form: name of the form of its parameters.
        bodies: what the two materials have for themselves; arrays for several pairs (`PairTable`).
    """

    law: str
    form: str
    bodies: tuple[dict[str, Numbers], dict[str, Numbers]] = ({}, {})

    def number(self, key: str) -> float:
        """Return the value of a key.

        Args:
            key: name of the key.

        Returns:
            The value; 0 if it has none.
        """
        value = getattr(self, key)
        return 0.0 if value is None else float(value)

    def of_bodies(self, key: str) -> tuple[Numbers, Numbers]:
        """Return the values of a key for the two bodies: their own, or those of the pair.

        Args:
            key: name of the key.

        Returns:
            Both values.
        """
        first, second = (self.number(key) if key not in own else own[key] for own in self.bodies)
        return first, second
