"""Contacts: interaction, law and its parameters, in general and for pairs of materials (species or walls)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ..case_values import Many, NonNegative
from ..contacts.interactions import INTERACTIONS, InteractionKind
from ..laws.given import name_of
from ..laws.kind import Form
from ..laws.registry import KINDS
from .contact_parameters import Pair, Parameters, Resolved
from .law_keys import FORMS, LAW_KEYS, GeneralKeys, LawName
from .materials import Material, constants_of_bodies
from .pair_table import PairTable
from .resistance_keys import Choice

if TYPE_CHECKING:
    InteractionName = str
else:
    InteractionName = Literal[tuple(INTERACTIONS)]
"""Name of an interaction."""


class Contact(Parameters, GeneralKeys):
    """How grains interact with each other and with walls."""

    interaction: InteractionName = Field(
        default="regularised",
        description="how contacts of two grains are defined; `regularised`: one smooth, conservative contact per pair of convex grains or convex "
        "pieces; `minima`: one contact at each local minimum of the distance, for convex and non-convex grains (the thesis); "
        "`superposition`: one contact per pair of features, for convex and non-convex grains (papers 000 to 003)",
    )
    eps: Literal["auto"] | NonNegative | dict[str, NonNegative] = Field(
        default="auto",
        description="weight of the regularisation, one number or a table by species (1); for interaction `regularised`; "
        "`auto`: 0.1 for spherocylinders and rice, 0 for spheres and disks, 0.03 otherwise",
    )
    law: LawName = Field(default="viscoelastic", description="force law")
    friction: NonNegative = Field(default=0.0, description="Coulomb friction coefficient (1)")
    clamped: bool = Field(
        default=True,
        description="whether the normal force is cut off at zero at the end of a collision, and the damping chosen such that the restitution is "
        "met; `false`: the form of the thesis, in which the force becomes attractive",
    )
    rocking_damping: bool = Field(
        default=True, description="whether rocking of flat contacts is damped; only for interaction `regularised` with a dissipative law"
    )
    torsional_friction: bool = Field(
        default=True, description="whether friction opposes spin about the contact normal; only for interaction `regularised` with a dissipative law"
    )
    resistance: Choice = Field(
        default="none",
        description="resistance to rolling and twisting; `constant`: a constant torque; `spring`: elastic-plastic springs and dashpots "
        "(types A and C of Ai et al. 2011)",
    )
    pair: Many[Pair] = Field(default=(), description="parameters for individual pairs of materials")

    @model_validator(mode="before")
    @classmethod
    def _name_function(cls, data: Any) -> Any:
        """Put the name of a law that is given as a function of Python in its place."""
        if isinstance(data, dict) and callable(data.get("user_law")):
            return data | {"user_law": name_of(data["user_law"])}
        return data

    @model_validator(mode="after")
    def _check(self) -> Self:
        for kind in KINDS.values():
            for key, description in kind.general.items():
                if (self.law == kind.name) != (getattr(self, key) is not None):
                    raise ValueError(f"needs {key}{description.example} exactly when law = '{kind.name}'")
        return self

    @property
    def interaction_kind(self) -> InteractionKind:
        """What the interaction means to the rest of the program."""
        return INTERACTIONS[self.interaction]

    def between(self, first: str, second: str, materials: Sequence[Material] = ()) -> Resolved:
        """Return the parameters for two materials, in either order: the general ones, overridden by those of the materials and then of the pair.

        A pair that gives its parameters in another form (coefficients instead of the restitution) replaces the general form as a whole.

        Args:
            first: name of a material.
            second: name of a material.
            materials: tables of the materials.

        Returns:
            The parameters.

        Raises:
            ValueError: what is given together is not one form of the law; the text begins with the key.
        """
        return self.table([first], [second], materials).single()

    def table(self, rows: Sequence[str], columns: Sequence[str], materials: Sequence[Material] = ()) -> PairTable:
        """Return the parameters for all pairs of some materials, without resolving each pair by itself.

        Args:
            rows: names of materials.
            columns: names of materials.
            materials: tables of the materials.

        Returns:
            The parameters by pair.
        """
        row, column = ({name: k for k, name in enumerate(names)} for names in (rows, columns))
        entry = np.zeros((len(rows), len(columns)), np.int64)
        for k, pair in reversed(list(enumerate(self.pair, 1))):  # the first entry of a pair counts
            for a, b in (pair.between, pair.between[::-1]):
                if a in row and b in column:
                    entry[row[a], column[b]] = k

        def resolve(number: int, bodies: tuple[Material | None, Material | None]) -> Resolved:
            return self.resolve(self.pair[number - 1] if number else None, bodies)

        return PairTable(resolve, entry, rows, columns, tuple(KINDS[self.law].of_material), materials)

    def resolve(self, pair: Pair | None, bodies: tuple[Material | None, Material | None]) -> Resolved:
        """Return the general parameters, overridden by those of two materials and of a pair.

        Args:
            pair: table of the pair, if any.
            bodies: tables of the two materials, each None where there is none.

        Returns:
            The parameters.

        Raises:
            ValueError: for the same reasons as `between`.
        """
        values = {key: getattr(self, key) for key in Parameters.model_fields}
        where, forms = "contact", FORMS[self.law]
        if pair is not None:
            where = f"contact.pair.{'-'.join(pair.between)}"
            own = {key: getattr(pair, key) for key in Parameters.model_fields if getattr(pair, key) is not None}
            if not any(form.knows(self.given() | pair.given()) for form in forms):
                for form in forms:
                    if form.knows(pair.given()):
                        values |= {key: None for key in LAW_KEYS if key not in (*form.needed, *form.optional)}
            values |= own
        given = {key for key in LAW_KEYS if values[key] is not None}
        constants = constants_of_bodies(KINDS[self.law].of_material, bodies, given, pair.given() if pair else set(), where)
        form = _form(self.law, given | (set(constants[0]) & set(constants[1])), where)
        form.complete(values, where)
        return Resolved(law=self.law, form=form.name, bodies=constants, **values)


def _form(law: str, given: set[str], where: str) -> Form:
    """The form of the law that the keys make up; ValueError with what is wrong otherwise."""
    forms = FORMS[law]
    choices = "; or ".join(" and ".join(form.needed) for form in forms if form.needed)
    known = {key for form in forms for key in (*form.needed, *form.optional)}
    foreign = sorted(given - known)
    if foreign:
        raise ValueError(f"{where}.{foreign[0]} is not used by law = '{law}'; it takes {', '.join(sorted(known))}")
    fitting = [form for form in forms if form.knows(given)]
    for form in fitting:
        if set(form.needed) <= given:
            return form
    if not fitting:
        raise ValueError(f"{where} mixes two forms of law = '{law}' ({', '.join(sorted(given))}): give either {choices}, not both")
    missing = [key for key in fitting[0].needed if key not in given] if given else []
    what = f"{' and '.join(missing)} missing" if missing else "no parameters given"
    raise ValueError(f"{where}: {what} for law = '{law}', which needs {choices}")
