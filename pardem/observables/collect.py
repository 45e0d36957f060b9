"""All observables of a run: built once from a case, measured at any step, the same bits on every rank and any number of ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from ..decomposition.exact import ExactSums, exact_totals
from ..shapes.catalogue import Catalogue
from ..state import arrays as st
from ..state.saved import ObserverState
from .bed import find_bed
from .observable import Instant, Subject, Values
from .registry import OBSERVABLES, quantity_of

if TYPE_CHECKING:
    from ..case import Case
    from ..engine import Engine
    from ..setup.scene import Scene


class Observer:
    """Measures what ``output.observables`` of a case asks for (names, units and definitions: docs/theory/observables.md). Collective.

    Args:
        comm: communicator.
        case: validated case.
        catalogue: shape catalogue of the case.
        scene: constants of the run.

    Raises:
        CaseError: the container that the case names cannot give a density.
    """

    def __init__(self, comm: MPI.Comm, case: Case, catalogue: Catalogue, scene: Scene) -> None:
        self.comm, self.scene = comm, scene
        subject = Subject(comm, case, catalogue, scene, find_bed(case, scene.walls, scene.wall_names))
        self.observables = [observable(subject) for observable in OBSERVABLES if observable.wanted(subject)]

    def state(self) -> ObserverState:
        """Return what a checkpoint must save, exact in JSON."""
        return {key: value for observable in self.observables for key, value in observable.state().items()}

    def restore(self, state: ObserverState) -> None:
        """Restore the state from a checkpoint.

        Args:
            state: state of all observables, by key.
        """
        for observable in self.observables:
            observable.restore(state)

    def measure(self, engine: Engine) -> Values:
        """Measure all observables at the engine's step. Collective.

        Args:
            engine: engine of this rank.

        Returns:
            Floats and arrays by name, in SI units, the same on every rank; the names are the same at every step of a run. Values that depend on
            contacts are not-a-number at a step that was not observed.
        """
        now = self._instant(engine)
        sums = ExactSums(self.comm)
        for observable in self.observables:
            observable.add(sums, now)
        found = sums.reduce()
        for observable in self.observables:
            now.values |= observable.values(found, now)
        if not engine.observed:
            now.values |= {name: value * math.nan for name, value in now.values.items() if (q := quantity_of(name)) and q.of_contacts}
        return now.values

    def _instant(self, engine: Engine) -> Instant:
        walls = self.scene.walls
        limbs = np.concatenate([engine.tally, walls.work, walls.reaction.reshape(-1, 2)])
        totals = exact_totals(self.comm, limbs)
        tally, rest = totals[: st.TALLY], totals[st.TALLY :]
        work, reaction = rest[: len(walls.kind)], np.array(rest[len(walls.kind) :], dtype=object).reshape(-1, 6)
        recorder = engine.recorder
        contacts = recorder.contacts if recorder is not None and recorder.step == engine.step else None
        return Instant(engine.step, engine.grains, tally, work, reaction, engine.observed, engine.outflow, engine.inflow, contacts)
