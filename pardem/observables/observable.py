"""What an observable is: the quantities that it declares, what it adds to sums over grains, and how their values follow.

Each has a file of its own with one class; ``observables.registry`` lists them. From what a `Quantity` declares, results and figures follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from mpi4py import MPI

from ..case.species import inertia_factors
from ..decomposition.exact import ExactSums
from ..shapes.catalogue import Catalogue
from ..state.population import Population
from ..state.saved import ObserverState
from .bed import BedGeometry
from .profile import sample_points

if TYPE_CHECKING:
    from ..case import Case
    from ..inflow import Inflow
    from ..outflow import Outflow
    from ..recorder import RecordedContacts
    from ..setup.scene import Scene

Values = dict[str, Any]
MOST_SPECIES = 50  # with values of their own: cells of a packing are a species each


class Reference(NamedTuple):
    """A value that is marked in a figure by a dotted line.

    Attributes:
        label: name of the value.
        by_dimension: the value in two and in three dimensions.
    """

    label: str
    by_dimension: Mapping[int, float]


class BudgetTerm(NamedTuple):
    """A term of the energy budget that ``pardem plot --energy`` draws. Terms with equal labels are added up.

    Attributes:
        panel: panel of the figure: "exchanged", "held" or "residual".
        label: name of the curve.
        change: whether the change since the first row is drawn rather than the value.
    """

    panel: str
    label: str
    change: bool = False


@dataclass(frozen=True)
class Quantity:
    """A name under ``/observables`` of a result.

    Attributes:
        name: name in the file; ``<...>`` stands for the names of species or surfaces.
        unit: SI unit, "1" for a pure number.
        shape: shape of one row; "layers" stands for the number of layers, which may grow.
        of_contacts: whether it needs the contacts of the very step: at steps that were not observed it is not-a-number.
        panel: label of the axis on which ``pardem plot`` draws it over time or taps, or None if it is not drawn. A quantity with a name for each
            species is drawn where there are two of them. A quantity whose name has ``_layers`` appended is drawn by ``--layers``.
        reference: a value to mark in that figure.
        budget: its place in the figure of the energy budget.
    """

    name: str
    unit: str
    shape: tuple[int | str, ...] = ()
    of_contacts: bool = False
    panel: str | None = None
    reference: Reference | None = None
    budget: BudgetTerm | None = None

    def covers(self, name: str) -> bool:
        """Determine whether a name in a result belongs to this quantity.

        Args:
            name: the name.

        Returns:
            Whether it does.
        """
        stem, species, _ = self.name.partition("<")
        return name.startswith(stem) if species else name == stem


@dataclass
class Subject:
    """What is observed throughout a run.

    Attributes:
        comm: communicator.
        case: validated case.
        catalogue: shape catalogue of the case.
        scene: constants of the run.
        bed: position of the bed of grains.
    """

    comm: MPI.Comm
    case: Case
    catalogue: Catalogue
    scene: Scene
    bed: BedGeometry

    @cached_property
    def samples(self) -> np.ndarray:
        """Points that represent the volume of polytopes (see ``profile.sample_points``). Collective."""
        moments = self.catalogue.inertia / inertia_factors(self.case.species)  # those of the shape, where a species has others
        return sample_points(self.comm, self.catalogue._replace(inertia=moments))

    @cached_property
    def axes(self) -> np.ndarray:
        """(ns, 3) long axes of the species; zero for species without one and for those without grains."""
        present = np.isin(self.scene.names, self.case.grain_species)  # a body among the walls has a shape, but no grains
        return np.where(present[:, None], self.catalogue.long_axis, 0.0)

    @cached_property
    def groups(self) -> list[str]:
        """Names by which heights and shares at a wall are written: species, or their materials if there are too many species."""
        return list(dict.fromkeys(self._group_names))

    @cached_property
    def group(self) -> np.ndarray:
        """(ns,) int64 row of each species in ``groups``."""
        number = {name: row for row, name in enumerate(self.groups)}
        return np.array([number[name] for name in self._group_names], np.int64)

    @property
    def _group_names(self) -> list[str]:
        species = self.case.species
        return [s.name if len(species) <= MOST_SPECIES else s.material for s in species]


@dataclass
class Instant:
    """What can be observed at one step.

    Attributes:
        step: number of the step.
        grains: grains that this rank owns.
        tally: exact totals over ranks of the contacts' tally, in quanta (rows: ``state.arrays``).
        work: exact totals of the work of each wall, in quanta.
        reaction: (W, 6) exact totals of the force and torque on each wall, in quanta.
        observed: whether the tally of contacts is that of this step.
        outflow: grains that have left; None if no faces are open.
        inflow: grains that are still to come; None if nothing is poured.
        contacts: contacts of this very step that this rank counts, one by one; None if they were not recorded.
        values: values of the observables that precede in the list.
    """

    step: int
    grains: Population
    tally: list[int]
    work: list[int]
    reaction: np.ndarray
    observed: bool
    outflow: Outflow | None
    inflow: Inflow | None
    contacts: RecordedContacts | None
    values: Values = field(default_factory=dict)


class Observable:
    """One observable, or several that are computed together.

    Args:
        subject: what is observed.

    Attributes:
        quantities: what it may write; the same names at every step of a run.
    """

    quantities: ClassVar[tuple[Quantity, ...]] = ()

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether the case asks for the observable.

        Args:
            subject: what is observed.

        Returns:
            Whether it does.
        """
        return True

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add to the sums over all grains, which are reduced with one message.

        Args:
            sums: the sums; their names must differ from those of other observables.
            now: the step.
        """

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the values, which are the same on every rank. Collective.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            Values by name, in SI units.
        """
        raise NotImplementedError

    def state(self) -> ObserverState:
        """Return what a checkpoint must save, exact in JSON."""
        return {}

    def restore(self, state: ObserverState) -> None:
        """Restore the state from a checkpoint.

        Args:
            state: state of all observables, by key.
        """
