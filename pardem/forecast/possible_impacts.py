"""The grains of a case and the walls they may meet, as a forecast sees them: extreme sizes, and a contact for each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..setup.initial_grains import size_range
from ..setup.preparation import Setup
from .overlaps import PossibleContact, Spring, spring_of

if TYPE_CHECKING:
    from ..case import Case
    from ..walls.surfaces.wall_table import WallTable


@dataclass(frozen=True)
class ExtremeGrain:
    """A grain of some size.

    Attributes:
        species: name of its species.
        material: name of its material.
        mass: (kg).
        radius: sphero-radius (m).
        reach: distance of its furthest point from its centre (m).
    """

    species: str
    material: str
    mass: float
    radius: float
    reach: float


@dataclass(frozen=True)
class PossibleImpact:
    """A grain and what it runs into.

    Attributes:
        grain: the grain that moves.
        materials: materials of the grain and of what it meets.
        target: what it meets, for messages.
        contact: contact of the two.
        spring: spring of their contact.
        behind: mass that the contact has to stop if what it meets cannot give way (kg).
    """

    grain: ExtremeGrain
    materials: tuple[str, str]
    target: str
    contact: PossibleContact
    spring: Spring
    behind: float


class ExtremeGrains:
    """The grains of a case in their extreme sizes.

    Args:
        case: validated case.
        setup: the same case prepared.
    """

    def __init__(self, case: Case, setup: Setup) -> None:
        self.case, self.law, self.rows = case, setup.scene.law, case.material_rows
        catalogue, present = setup.catalogue, set(case.grain_species)
        largest, smallest = size_range(case)
        self._of_species: dict[str, tuple[ExtremeGrain, ...]] = {}
        self._single = _single_species(case)
        self._radii = {s.name: float(catalogue.radius[k]) for k, s in enumerate(case.species)}
        for k, species in enumerate(case.species):
            if species.name in present:
                radius, core = float(catalogue.radius[k]), float(catalogue.core_radius[k])
                mass, power = float(catalogue.mass[k]), case.dimension
                self._of_species[species.name] = tuple(
                    ExtremeGrain(species.name, species.material, mass * size**power, radius * size, (core + radius) * size)
                    for size in sorted({largest[species.name], smallest[species.name]})
                )

    def extremes(self, species: Collection[str] | None = None) -> list[ExtremeGrain]:
        """Of some species, or all, the grains of the smallest sphero-radius and of the largest mass for each row of the law: they overlap most."""
        found: dict[int, list[ExtremeGrain]] = {}
        for name in self._of_species if species is None else species:
            for body in self._of_species[name]:
                found.setdefault(self.rows[body.material], []).append(body)
        out: list[ExtremeGrain] = []
        for bodies in found.values():
            out += [min(bodies, key=lambda b: (b.radius, b.mass)), max(bodies, key=lambda b: (b.mass, -b.radius))]
        return list(dict.fromkeys(out))

    def with_grains(self, species: Collection[str]) -> Iterator[PossibleImpact]:
        """Grains of some species that fall on grains of any species, which lie on others.

        A ball that is the only grain of its species meets none like it. Other single grains are held to this bound all the same, which covers that
        they touch a wall in several points.
        """
        for grain in self.extremes(species):
            for other in self.extremes():
                if grain == other and grain.species in self._single and grain.reach == grain.radius:
                    continue
                reduced = PossibleContact(
                    (self.rows[grain.material], self.rows[other.material]), grain.mass * other.mass / (grain.mass + other.mass),
                    grain.radius * other.radius / (grain.radius + other.radius), min(grain.radius, other.radius),
                )  # fmt: skip
                # a large grain is borne by as many small ones as lie below it
                bearers = max(1.0, (grain.reach / other.reach) ** (self.case.dimension - 1))
                yield from self._meeting(grain, other.material, f"a grain of species '{other.species}'", reduced, grain.mass / bearers)

    def with_wall(self, species: Collection[str], wall: WallTable, mass: float = np.inf) -> Iterator[PossibleImpact]:
        """Grains of some species that run into a wall of some mass (kg)."""
        for grain in self.extremes(species):
            rounding = wall.rounding(self._radii)
            reduced = PossibleContact(
                (self.rows[grain.material], self.rows[wall.material]), grain.mass / (1.0 + grain.mass / mass),
                grain.radius / (1.0 + grain.radius / rounding), grain.radius,
            )  # fmt: skip
            yield from self._meeting(grain, wall.material, f"wall '{wall.name}'", reduced, reduced.mass)

    def _meeting(self, grain: ExtremeGrain, material: str, target: str, contact: PossibleContact, behind: float) -> Iterator[PossibleImpact]:
        if (spring := spring_of(self.law, contact)) is not None:
            yield PossibleImpact(grain, (grain.material, material), target, contact, spring, max(behind, contact.mass))


def _single_species(case: Case) -> set[str]:
    """Species of which a case has one grain, as far as its tables tell without reading other files."""
    if case.grains_file is not None or case.start is not None:
        return set()
    counts = Counter(grain.species for grain in case.grain)
    for item in case.at_random:
        counts[item.species] += item.count
    return {name for name, count in counts.items() if count == 1}
