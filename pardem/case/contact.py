"""Contacts: interaction, law and its parameters, in general and for pairs of materials (species or walls)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, Strict, model_validator

from .base import Many, NonNegative, Positive
from .resistance import Choice, ResistanceKeys

Restitution = Annotated[Positive, Field(le=1)]


class Form(NamedTuple):
    """One way to give the parameters of a law: the keys it needs and those it may have."""

    name: Literal["restitution", "raw", "hertz", "lennard_jones", "user"]
    needed: tuple[str, ...]
    optional: tuple[str, ...]

    def knows(self, keys: set[str]) -> bool:
        """Whether all keys belong to this form."""
        return keys <= {*self.needed, *self.optional}


_TANGENTIAL = ("tangential_stiffness", "tangential_damping")
FORMS: dict[str, tuple[Form, ...]] = {
    "viscoelastic": (
        Form("restitution", ("restitution", "contact_time"), ("tangential_restitution",)),
        Form("raw", ("normal_stiffness",), ("normal_damping", *_TANGENTIAL)),
    ),
    "walton": (
        Form("restitution", ("restitution", "contact_time"), ("tangential_restitution",)),
        Form("raw", ("loading_stiffness", "unloading_stiffness"), _TANGENTIAL),
    ),
    "hertz": (Form("hertz", ("young", "poisson", "reference_speed"), ("restitution", "tangential_restitution")),),
    "elastic": (
        Form("restitution", ("contact_time",), ()),
        Form("raw", ("normal_stiffness",), ("tangential_stiffness",)),
    ),
    "lennard_jones": (Form("lennard_jones", ("depth", "sigma"), ("cutoff",)),),
    "user": (Form("user", (), ("user_parameters", "contact_time", *_TANGENTIAL)),),
}
LAW_KEYS = tuple(dict.fromkeys(key for forms in FORMS.values() for form in forms for key in (*form.needed, *form.optional)))


class Parameters(ResistanceKeys):
    """Parameters of a law; what is not given here comes from the general `[contact]` table."""

    restitution: Restitution | None = Field(default=None, description="normal coefficient of restitution, in (0, 1] (1)")
    contact_time: Positive | None = Field(default=None, description="duration of a collision (s); law `user`: only to check the time step")
    tangential_restitution: Restitution | None = Field(
        default=None, description="tangential coefficient of restitution, in (0, 1] (1); default: the normal one"
    )
    normal_stiffness: Positive | None = Field(default=None, description="normal spring (N/m)")
    normal_damping: NonNegative | None = Field(default=None, description="normal dashpot (N s/m); default 0")
    tangential_stiffness: NonNegative | None = Field(default=None, description="tangential spring (N/m); needed with friction in the raw form")
    tangential_damping: NonNegative | None = Field(default=None, description="tangential dashpot (N s/m); default 0")
    loading_stiffness: Positive | None = Field(default=None, description="law `walton`: spring while loading, k1 (N/m)")
    unloading_stiffness: Positive | None = Field(
        default=None, description="law `walton`: spring while unloading and reloading, k2 >= k1 (N/m); restitution is sqrt(k1/k2)"
    )
    young: Positive | None = Field(default=None, description="law `hertz`: Young's modulus of both bodies (Pa)")
    poisson: Annotated[float, Field(gt=-1, le=0.5)] | None = Field(default=None, description="law `hertz`: Poisson's ratio of both bodies (1)")
    reference_speed: Positive | None = Field(
        default=None, description="law `hertz`: fastest impact expected (m/s), for the contact time that limits the time step"
    )
    depth: Positive | None = Field(default=None, description="law `lennard_jones`: depth of the potential (J)")
    sigma: Positive | None = Field(
        default=None, description="law `lennard_jones`: distance at which the potential is zero, where the surfaces touch (m); diameter of a ball"
    )
    cutoff: Annotated[float, Field(ge=2.0 ** (1.0 / 6.0))] | None = Field(
        default=None,
        description="law `lennard_jones`: distance from which on there is no force, over sigma (1); default 2.5, at walls always 2^(1/6)",
    )
    user_parameters: Many[float] | None = Field(default=None, description="law `user`: the numbers handed to the function (its own units)")
    friction: NonNegative | None = Field(default=None, description="Coulomb coefficient (1)")
    clamped: bool | None = Field(
        default=None,
        description="cut the attraction at the end of a collision and solve for the restitution asked for; `false`: the thesis' form, which attracts",
    )
    rocking_damping: bool | None = Field(
        default=None, description="damp rocking of flat contacts; interaction `regularised` with a dissipative law only"
    )
    torsional_friction: bool | None = Field(
        default=None, description="friction against spin about the normal; interaction `regularised` with a dissipative law only"
    )

    def given(self) -> set[str]:
        """The keys of laws that have a value."""
        return {key for key in LAW_KEYS if getattr(self, key) is not None}


class Pair(Parameters):
    """Parameters that differ from the general ones for one pair of materials."""

    between: Annotated[tuple[str, str], Strict(False)] = Field(description="two names of materials of species or walls")


class Resolved(Parameters):
    """The parameters of one pair with every default filled in, as `Case.contact_between` returns them."""

    law: str
    form: Literal["restitution", "raw", "hertz", "lennard_jones", "user"]


class Contact(Parameters):
    """How grains touch each other and the walls."""

    interaction: Literal["regularised", "minima", "superposition"] = Field(
        default="regularised",
        description="`regularised`: one smooth, conservative contact per pair of convex grains, or of their convex pieces; `minima`: nearest points, "
        "one contact for each local minimum of the distance, convex or not (the thesis); `superposition`: a contact for each pair of features, "
        "convex or not (papers 000 to 003)",
    )
    eps: Literal["auto"] | NonNegative | dict[str, NonNegative] = Field(
        default="auto",
        description="interaction `regularised`: weight of the regularisation (1), one number or a table by species; "
        "`auto`: 0.1 for spherocylinders and rice, 0 for spheres and disks, 0.03 otherwise",
    )
    law: Literal["viscoelastic", "walton", "hertz", "elastic", "lennard_jones", "user"] = Field(default="viscoelastic", description="force law")
    user_law: str | None = Field(
        default=None, pattern=r"^[^\x00]+\.py:[A-Za-z_]\w*$", description="law `user`: `path/file.py:function`, the path relative to the case file"
    )
    force_scale: Positive | None = Field(default=None, description="law `user`: the largest force that the function can return (N)")
    friction: NonNegative = Field(default=0.0, description="Coulomb coefficient (1)")
    clamped: bool = Field(
        default=True,
        description="cut the attraction at the end of a collision and solve for the restitution asked for; `false`: the thesis' form, which attracts",
    )
    rocking_damping: bool = Field(default=True, description="damp rocking of flat contacts; interaction `regularised` with a dissipative law only")
    torsional_friction: bool = Field(
        default=True, description="friction against spin about the normal; interaction `regularised` with a dissipative law only"
    )
    resistance: Choice = Field(
        default="none",
        description="to rolling and twisting: `constant`: a constant torque; `spring`: elastic-plastic springs and dashpots "
        "(types A and C of Ai et al. 2011)",
    )
    pair: Many[Pair] = Field(default=(), description="parameters for single pairs of materials")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.law == "user") != (self.user_law is not None):
            raise ValueError("needs user_law = 'file.py:function' exactly when law = 'user'")
        if (self.law == "user") != (self.force_scale is not None):
            raise ValueError("needs force_scale (the largest force of the user's law, N) exactly when law = 'user'")
        return self

    def between(self, first: str, second: str) -> Resolved:
        """The parameters for two materials, in either order: general ones, overridden by those of the pair.

        A pair that gives its parameters in another form (raw instead of restitution) replaces the general form as a whole.

        Raises:
            ValueError: what is given together is not one form of the law; the text begins with the key.
        """
        pair = next((pair for pair in self.pair if set(pair.between) == {first, second}), None)
        return self._resolved(pair)

    def table(self, rows: Sequence[str], columns: Sequence[str]) -> PairTable:
        """The parameters for all pairs of some materials, without a look at each of them."""
        row, column = ({name: k for k, name in enumerate(names)} for names in (rows, columns))
        group = np.zeros((len(rows), len(columns)), np.int64)
        for k, pair in reversed(list(enumerate(self.pair, 1))):  # the first entry of a pair counts
            for a, b in (pair.between, pair.between[::-1]):
                if a in row and b in column:
                    group[row[a], column[b]] = k
        return PairTable(self, group)

    def _resolved(self, pair: Pair | None) -> Resolved:
        """The general parameters, overridden by those of a pair."""
        values = {key: getattr(self, key) for key in Parameters.model_fields}
        where = "contact"
        if pair is not None:
            where = f"contact.pair.{'-'.join(pair.between)}"
            own = {key: getattr(pair, key) for key in Parameters.model_fields if getattr(pair, key) is not None}
            forms = FORMS[self.law]
            if not any(form.knows(self.given() | pair.given()) for form in forms):
                for form in forms:
                    if form.knows(pair.given()):
                        values |= {key: None for key in LAW_KEYS if key not in (*form.needed, *form.optional)}
            values |= own
        given = {key for key in LAW_KEYS if values[key] is not None}
        form = _form(self.law, given, where)
        if form.name in ("restitution", "hertz"):
            values["restitution"] = 1.0 if values["restitution"] is None else values["restitution"]
            if values["tangential_restitution"] is None:
                values["tangential_restitution"] = values["restitution"]
        elif form.name == "lennard_jones":
            if values["friction"]:
                raise ValueError(f"{where}.friction = {values['friction']!r} is not used by law = 'lennard_jones'; leave it out")
            values["cutoff"] = 2.5 if values["cutoff"] is None else values["cutoff"]
        else:
            if values["friction"] and values["tangential_stiffness"] is None:
                raise ValueError(f"{where}.tangential_stiffness is missing: friction = {values['friction']!r} needs a tangential spring (N/m)")
            values |= {key: values[key] or 0.0 for key in ("normal_damping", *_TANGENTIAL)}
        if self.law == "walton" and form.name == "raw" and values["unloading_stiffness"] < values["loading_stiffness"]:
            raise ValueError(f"{where}.unloading_stiffness = {values['unloading_stiffness']!r} must be at least loading_stiffness")
        return Resolved(law=self.law, form=form.name, **values)


class PairTable:
    """The parameters of all pairs of some materials.

    Args:
        contact: where they come from. group: (rows, columns) int64, 0 where the general ones hold, k for the k-th entry of ``pair``.

    Attributes:
        used: the groups that the table has.
    """

    def __init__(self, contact: Contact, group: np.ndarray) -> None:
        self.contact, self.group = contact, group
        self._special = np.nonzero(group)
        self.used = sorted({*([0] if len(self._special[0]) < group.size else []), *group[self._special].tolist()})
        self._known: dict[int, Resolved] = {}

    def resolved(self, group: int) -> Resolved:
        """The parameters of a group.

        Raises:
            ValueError: as `Contact.between`.
        """
        if group not in self._known:
            self._known[group] = self.contact._resolved(self.contact.pair[group - 1] if group else None)
        return self._known[group]

    def grid(self, value: Callable[[Resolved], float]) -> np.ndarray:
        """A number for each pair, (rows, columns) float64.

        Raises:
            ValueError: as `Contact.between`, or raised by ``value``.
        """
        values = {group: value(self.resolved(group)) for group in self.used}
        general = values.get(0, 0.0)
        out = np.full(self.group.shape, general) if general else np.zeros(self.group.shape)
        out[self._special] = [values[group] for group in self.group[self._special].tolist()]
        return out


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
