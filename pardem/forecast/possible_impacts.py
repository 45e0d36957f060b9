"""The grains of a case and the walls they may meet, as a forecast sees them: extreme sizes, and a contact for each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

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
    """

    grain: ExtremeGrain
    materials: tuple[str, str]
    target: str
    contact: PossibleContact
    spring: Spring


@dataclass(frozen=True)
class PossibleImpacts:
    """Grains and what they run into: several grains and a wall, or a grain and several others.

    Attributes:
        grains: the grains that move, or the only one.
        targets: material of what each meets, and what it is, for messages; or the only ones.
        contact: their contacts, with an array for each quantity.
        spring: springs of the contacts.
        behind: (k,) float64, mass that each contact has to stop if what the grain meets cannot give way (kg).
    """

    grains: Sequence[ExtremeGrain]
    targets: Sequence[tuple[str, str]]
    contact: PossibleContact
    spring: Spring
    behind: np.ndarray

    def single(self, k: int) -> PossibleImpact:
        """One of them.

        Args:
            k: its index.
        """
        grain, (material, target) = self.grains[k % len(self.grains)], self.targets[k % len(self.targets)]
        _, *contact = self.contact
        rows = self.contact.rows[0][k], self.contact.rows[1][k]
        own = PossibleContact(rows, *(float(values[k]) for values in contact)), Spring(*(float(values[k]) for values in self.spring))
        return PossibleImpact(grain, (grain.material, material), target, *own)

    def known(self) -> Iterator[PossibleImpact]:
        """One after the other, those whose springs are known."""
        yield from (self.single(int(k)) for k in np.flatnonzero(~np.isnan(self.spring.force)))


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

    def with_grains(self, species: Collection[str]) -> Iterator[PossibleImpacts]:
        """Grains of some species that fall on grains of any species, which lie on others.

        A ball that is the only grain of its species meets none like it. Other single grains are held to this bound all the same, which covers that
        they touch a wall in several points.
        """
        others = self.extremes()
        theirs, number = self._columns(others), {other: k for k, other in enumerate(others)}
        targets = [(other.material, f"a grain of species '{other.species}'") for other in others]
        for grain in self.extremes(species):
            reduced = PossibleContact(
                (np.full(len(others), self.rows[grain.material]), theirs.row), grain.mass * theirs.mass / (grain.mass + theirs.mass),
                grain.radius * theirs.radius / (grain.radius + theirs.radius), np.minimum(grain.radius, theirs.radius),
            )  # fmt: skip
            # a large grain is borne by as many small ones as lie below it
            bearers = np.maximum(1.0, (grain.reach / theirs.reach) ** (self.case.dimension - 1))
            for found in self._meetings([grain], targets, reduced, grain.mass / bearers):
                if grain.species in self._single and grain.reach == grain.radius and grain in number:
                    found.spring.force[number[grain]] = np.nan
                yield found

    def with_wall(self, species: Collection[str], wall: WallTable, mass: float = np.inf) -> Iterator[PossibleImpacts]:
        """Grains of some species that run into a wall of some mass (kg)."""
        grains = self.extremes(species)
        moving, rounding = self._columns(grains), wall.rounding(self._radii)
        reduced = PossibleContact(
            (moving.row, np.full(len(grains), self.rows[wall.material])), moving.mass / (1.0 + moving.mass / mass),
            moving.radius / (1.0 + moving.radius / rounding), moving.radius,
        )  # fmt: skip
        yield from self._meetings(grains, [(wall.material, f"wall '{wall.name}'")], reduced, reduced.mass)

    def _columns(self, grains: Sequence[ExtremeGrain]) -> _Columns:
        """Their quantities as arrays."""
        rows = np.array([self.rows[grain.material] for grain in grains], np.int64)
        return _Columns(rows, *(np.array([getattr(grain, name) for grain in grains], float) for name in _Columns._fields[1:]))

    def _meetings(
        self, grains: Sequence[ExtremeGrain], targets: Sequence[tuple[str, str]], contact: PossibleContact, behind: np.ndarray
    ) -> Iterator[PossibleImpacts]:
        if len(behind) and (spring := spring_of(self.law, contact)) is not None:
            yield PossibleImpacts(grains, targets, contact, spring, np.maximum(behind, contact.mass))


class _Columns(NamedTuple):
    """Rows in the tables of the law, masses (kg), sphero-radii and reaches (m) of several grains."""

    row: np.ndarray
    mass: np.ndarray
    radius: np.ndarray
    reach: np.ndarray


def _single_species(case: Case) -> set[str]:
    """Species of which a case has one grain, as far as its tables tell without reading other files."""
    if case.grains_file is not None or case.start is not None:
        return set()
    counts = Counter(grain.species for grain in case.grain)
    for item in case.at_random:
        counts[item.species] += item.count
    return {name for name, count in counts.items() if count == 1}
