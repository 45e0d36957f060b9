"""Energies of the grains, and with the budget the work of walls, what is lost, what leaves, and the residual of all of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decomposition.exact import ExactSums
from ..state import arrays as st
from ..state.population import Population
from ..state.saved import ObserverState
from ..walls.motion.rows import WORK
from ..walls.motion.work import work_to_come
from .energy import add_kinetic_energy, attraction_energy, gravity_energy, unwrapped
from .observable import BudgetTerm, Instant, Observable, Quantity, Subject, Values

KINETIC = BudgetTerm("held", "kinetic")


class EnergyBudget(Observable):
    """Energies (J)."""

    quantities = (
        Quantity("energy/kinetic_translational", "J", budget=KINETIC),
        Quantity("energy/kinetic_rotational", "J", budget=KINETIC),
        Quantity("energy/elastic", "J", of_contacts=True, budget=BudgetTerm("held", "elastic")),
        Quantity("energy/gravity", "J", budget=BudgetTerm("held", "gravity, change", change=True)),
        Quantity("energy/total", "J", of_contacts=True),
        Quantity("energy/wall_work", "J", of_contacts=True, budget=BudgetTerm("exchanged", "work of walls")),
        Quantity("energy/lost_damping", "J", budget=BudgetTerm("exchanged", "lost by damping")),
        Quantity("energy/lost_friction", "J", budget=BudgetTerm("exchanged", "lost by friction")),
        Quantity("energy/outflow", "J", budget=BudgetTerm("exchanged", "left the domain")),
        Quantity("energy/inflow", "J", budget=BudgetTerm("exchanged", "arrived")),
        Quantity("energy/residual", "J", of_contacts=True, budget=BudgetTerm("residual", "change of held - work + lost")),
    )

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.complete = subject.case.output.observables.energy_budget
        self.reference: dict[str, float] | None = None

    def state(self) -> ObserverState:
        """Return the energies at the first measurement."""
        return {"reference": self.reference}

    def restore(self, state: ObserverState) -> None:
        """Restore the energies at the first measurement.

        Args:
            state: state of all observables, by key.
        """
        self.reference = state["reference"]

    def add(self, sums: ExactSums, now: Instant) -> None:
        """Add the kinetic energy and the energy in the fields.

        Args:
            sums: sums over all grains.
            now: the step.
        """
        add_kinetic_energy(sums, now.grains, self.subject.catalogue)
        sums.add("gravity", self._field_energy(now.grains))

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the energies and, if the case asks for the budget, also the work of walls, the losses and the residual.

        The residual is E - E0 - (W - W0) + (L - L0) since the first observed row. L includes the energy of grains that have left, less that of grains
        that have arrived.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            Energies by name (J).
        """
        values: Values = {}
        scene, tally = self.subject.scene, now.tally
        quantum = scene.settings.energy
        if self.complete and now.outflow is not None:
            values["energy/outflow"] = self._taken(now.outflow.gone) + now.outflow.carried * quantum
        if self.complete and now.inflow is not None:
            values["energy/inflow"] = now.inflow.brought * quantum
        translational, rotational = float(found["translational"]), float(found["rotational"])
        elastic, gravity = tally[st.STORED] * quantum, float(found["gravity"])
        values["energy/kinetic_translational"], values["energy/kinetic_rotational"] = translational, rotational
        values["energy/elastic"], values["energy/gravity"] = elastic, gravity
        values["energy/total"] = translational + rotational + elastic + gravity
        if not self.complete:
            return values
        to_come = float(work_to_come(scene.walls, now.reaction, scene.settings).sum())
        values["energy/wall_work"] = sum(now.work) * quantum + float(scene.walls.motion[:, WORK].sum()) - to_come
        values["energy/lost_damping"] = tally[st.LOST_NORMAL] * quantum
        values["energy/lost_friction"] = tally[st.LOST_TANGENTIAL] * quantum
        lost = (tally[st.LOST_NORMAL] + tally[st.LOST_TANGENTIAL]) * quantum
        lost += values.get("energy/outflow", 0.0) - values.get("energy/inflow", 0.0)
        row = {"energy": values["energy/total"], "wall_work": values["energy/wall_work"], "lost": lost}
        if self.reference is None and now.observed:
            self.reference = row
        change = {name: value - (self.reference or row)[name] for name, value in row.items()}
        values["energy/residual"] = change["energy"] - change["wall_work"] + change["lost"]
        return values

    def _taken(self, gone: Population) -> float:
        """Energy (J) that grains had when they left, without that of their contacts. Collective."""
        sums = ExactSums(self.subject.comm)
        add_kinetic_energy(sums, gone, self.subject.catalogue)
        sums.add("field", self._field_energy(gone))
        found = sums.reduce()
        return float(found["translational"]) + float(found["rotational"]) + float(found["field"])

    def _field_energy(self, grains: Population) -> np.ndarray:
        """Energy of each grain in gravity and in the field towards a point, (n,) J."""
        mass, settings = grains.v[:, 3], self.subject.scene.settings
        place = unwrapped(grains.x, grains.image, settings.period)
        return gravity_energy(mass, place, self.subject.case.gravity) + attraction_energy(mass, place, settings)
