"""From a case's contact parameters to the tables of a law, by species and wall material (`Case.material_rows`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CaseError
from ..laws.kind import LawInput, LawTables, Numbers, Values
from ..laws.registry import KINDS

if TYPE_CHECKING:
    from ..case import Case


def build_law(case: Case) -> LawTables:
    """Build the tables of the contact law of a case.

    Args:
        case: validated case.

    Returns:
        The tables.

    Raises:
        CaseError: a parameter is out of the law's range, or the user's law cannot be loaded.
    """
    names, kind = one_a_row(case), KINDS[case.contact.law]
    table = case.contact_table(names, names)

    def grid(value: Callable[[Values], Numbers]) -> np.ndarray:
        try:
            return table.grid(value)
        except ValueError as error:
            raise CaseError(str(error)) from None

    walls, lent = {w.material for w in case.wall}, lent_radii(case)
    extra = np.zeros(len(names))
    for name, row in case.material_rows.items():  # of materials in one row, some may be of bodies among the walls alone, which have none
        extra[row] = max(extra[row], lent[name])
    of_wall = np.array([name in walls for name in names], bool)
    couples = case.contact.interaction_kind.with_couples and kind.dissipative
    return kind.fill(
        LawInput(
            grid=grid,
            lists=table.lists,
            dimension=case.dimension,
            rocking=grid(lambda c: float(couples) * c.number("rocking_damping")),
            torsion=grid(lambda c: float(couples) * c.number("torsional_friction")),
            on_wall=of_wall[:, None] | of_wall,
            extra_radius=extra,
            general={key: getattr(case.contact, key) for key in kind.general},
            directory=case.directory,
        )
    )


def one_a_row(case: Case) -> list[str]:
    """Name a material for each row of the tables, the first that has it.

    Args:
        case: validated case.

    Returns:
        The names.
    """
    first = {row: name for name, row in reversed(case.material_rows.items())}
    return [first[row] for row in sorted(first)]


def lent_radii(case: Case) -> dict[str, float]:
    """Determine by how much grains of each material count as larger in contacts, so that pairs within the range of the law touch. Walls do not.

    Args:
        case: validated case.

    Returns:
        The lengths by material (m).

    Raises:
        CaseError: a wall shares the material of a species although the law has a range.
    """
    present, reach = set(case.grain_species), KINDS[case.contact.law].reach
    grains = list(dict.fromkeys(s.material for s in case.species if s.name in present))
    walls = list(dict.fromkeys(w.material for w in case.wall))
    if reach is None:
        return dict.fromkeys(case.materials, 0.0)
    if shared := sorted(set(grains) & set(walls)):
        law = case.contact.law
        raise CaseError(f"a wall has the material '{shared[0]}' of a species: law = '{law}' has no range at walls; give it its own")
    far = case.contact_table(grains, grains).grid(lambda c: 0.5 * reach(c, False))
    near = case.contact_table(grains, walls).grid(lambda c: reach(c, True))
    lent = np.concatenate([far, near], axis=1).max(axis=1, initial=0.0)
    return dict.fromkeys(case.materials, 0.0) | dict(zip(grains, lent.tolist(), strict=True))
