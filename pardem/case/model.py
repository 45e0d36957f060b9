"""The whole case: everything that defines a run."""

from __future__ import annotations

from typing import Any, Self

from pydantic import ValidationError, model_validator

from ..errors import CaseError
from . import canonical, checks, planar, sentences
from .materials import with_densities
from .tables import CaseTables
from .voronoi import cells_of


class Case(CaseTables):
    """A validated case, whose attributes are the tables and keys of the case file, in SI units.

    Raises:
        CaseError: the case is not valid. Each line of the message is a sentence with the dotted key, its value and what is allowed.
    """

    def __init__(self, /, **data: Any) -> None:
        if data.get("attraction") is not None:
            data.setdefault("gravity", (0.0, 0.0, 0.0))
        data = planar.resolve(with_densities(data))
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise CaseError("\n".join(sentences.describe(error, type(self), data))) from None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._fill_in_cells()
        problems = checks.problems(self)
        if problems:
            raise CaseError("\n".join(sentences.first_of(problems)))
        return self

    def _fill_in_cells(self) -> None:
        """Put the cells of packings among species and grains, in place of the packings; the model is frozen, but still being made."""
        for packing in self.voronoi:
            species, grains = cells_of(packing, self.domain, self.dimension, self.seed)
            object.__setattr__(self, "species", (*self.species, *species))
            object.__setattr__(self, "grain", (*self.grain, *grains))
        object.__setattr__(self, "voronoi", ())

    def hash(self) -> str:
        """Return the SHA-256 hash of everything that determines the trajectory; a checkpoint can be used by cases with its hash.

        The hash ignores the title, the output (except `energy_budget`, which decides what a contact stores), what never affects the result
        (detection, decomposition), and the keys that end the last stage, so that a run may be prolonged. Files to which the case refers enter with
        their contents, the state that it starts from by its digest.

        Returns:
            64 hexadecimal digits.

        Raises:
            CaseError: a file to which the case refers is missing.
        """
        return canonical.case_hash(self)

    def to_toml(self) -> str:
        """Return the effective case as TOML, defaults included; reading it gives an equal case."""
        return canonical.to_toml(self.model_dump(mode="json", exclude_none=True))
