"""Sizes of the grains of a case, from the largest to the smallest of each species."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .law_tables import lent_radii

if TYPE_CHECKING:
    from ..case import Case
    from ..shapes.catalogue import Catalogue


class GrainSizes(NamedTuple):
    """Sizes of the species that have grains. All dictionaries are by name, in the order of the case.

    Attributes:
        row: row of the catalogue.
        largest: largest size factor.
        smallest: smallest size factor.
        radius: sphero-radius of the largest grain (m).
        reach: bounding radius of the largest grain, plus half the range of its law (m).
    """

    row: dict[str, int]
    largest: dict[str, float]
    smallest: dict[str, float]
    radius: dict[str, float]
    reach: dict[str, float]

    @property
    def longest(self) -> float:
        """Largest bounding radius of all grains (m)."""
        return max(self.reach.values())

    @property
    def shortest(self) -> float:
        """Smallest bounding radius of all grains (m)."""
        return min(self.reach[n] * self.smallest[n] / self.largest[n] for n in self.row)


def grain_sizes(case: Case, catalogue: Catalogue, largest: dict[str, float], smallest: dict[str, float]) -> GrainSizes:
    """Determine the sizes of the grains of a case.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        largest: largest size factor of each species, by name.
        smallest: smallest size factor of each species, by name.

    Returns:
        The sizes.

    Raises:
        CaseError: a wall shares the material of a species although the law has a range.
    """
    present = set(case.grain_species)
    row = {s.name: k for k, s in enumerate(case.species) if s.name in present}
    radius = {n: float(catalogue.radius[k]) * largest[n] for n, k in row.items()}
    lent = lent_radii(case)
    reach = {n: float(catalogue.core_radius[k]) * largest[n] + radius[n] + lent[case.species[k].material] for n, k in row.items()}
    return GrainSizes(row, {n: largest[n] for n in row}, {n: smallest[n] for n in row}, radius, reach)
