"""A simulation: case, engine, stages and observables put together. ``pardem.run`` adds files, progress and signals."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI

from .case import Case
from .contacts.dispatch import history_width
from .engine import Engine
from .observables.collect import Observer
from .observables.energy import kinetic_energy
from .outflow import Outflow
from .recorder import Recorder
from .setup.preparation import Setup, build_scene
from .setup.start import initial_grains, size_range
from .stages import Stages
from .state import arrays as st
from .state.population import ContactTable, Population


class Simulation:
    """A case in motion. Every method is collective.

    Args:
        case: a validated case.
        comm: communicator; ``MPI.COMM_SELF`` or one rank for a serial run.
        start: grains, contacts and the rest as ``pardem.io.state.checkpoint`` gives them; None: from the case.

    Example:
        >>> sim = Simulation(case, MPI.COMM_WORLD)                  # doctest: +SKIP
        >>> while sim.proceed:                                      # doctest: +SKIP
        ...     sim.step(1000)
        >>> sim.observables()["density"]                            # doctest: +SKIP
    """

    def __init__(self, case: Case, comm: MPI.Comm, start: dict[str, Any] | None = None) -> None:
        self.case = case
        self.comm = comm
        largest, smallest = size_range(case)
        self.setup: Setup = build_scene(case, largest, smallest)
        grains, contacts, step = self._beginning(start)
        self.grain_count = int(comm.allreduce(grains.count))
        outflow = None
        if start is not None and start["left"] is not None:
            gone = start["left"] >= 0
            outflow = Outflow(comm, grains.take(gone), start["left"][gone], int(start["header"]["outflow"]["carried"]))
            grains = grains.take(~gone)
        skin = 0.0 if case.detection.every_step else case.detection.skin
        self.engine = Engine(
            comm, self.setup.scene, grains, contacts, axis=self._axis(grains), skin=None if skin == "auto" else float(skin), step=step,
            rebalance=case.parallel.rebalance, outflow=outflow,
        )  # fmt: skip
        self.stages = Stages(case, self.setup)
        self.observer = Observer(comm, case, self.setup.catalogue, self.setup.scene)
        if case.output.contact_fields:
            self.engine.recorder = Recorder()
        if start is None:
            self.stages.begin(self.engine)
            self.engine.evaluate()
        else:
            self._restore(start)

    # -- motion -------------------------------------------------------------------------------------------------------------------

    @property
    def proceed(self) -> bool:
        """Whether a stage is still to be done."""
        return not self.stages.finished

    @property
    def steps_done(self) -> int:
        """Number of the present step."""
        return self.engine.step

    @property
    def time(self) -> float:
        """Time (s)."""
        return self.engine.step * self.case.time.step

    def step(self, steps: int = 1, observe: bool = False) -> None:
        """Advance by up to ``steps`` steps, through the ends of stages; stops at the end of the last.

        Args:
            observe: tally the contacts of the last step, so that ``observables`` is up to date.

        Raises:
            BlowUpError: the motion became unphysical; raised on every rank.
        """
        target = self.engine.step + steps
        while self.proceed and self.engine.step < target:
            event = self.stages.next_event(self.engine.step)
            goal = min(target, event)
            # the last step of a stage may be the last of the run: its contacts are wanted
            self.engine.advance(goal - self.engine.step, observe=(observe and goal == target) or goal == event)
            if self.stages.is_over(self.engine.step, self.kinetic_energy_per_grain, self.share_left):
                self.stages.advance(self.engine)

    # -- numbers ------------------------------------------------------------------------------------------------------------------

    def kinetic_energy_per_grain(self) -> float:
        """Kinetic energy per grain that is there (J), the same bits on every rank; 0 where none is."""
        translational, rotational = kinetic_energy(self.comm, self.engine.grains, self.setup.catalogue)
        return (translational + rotational) / max(1, self.grain_count - self.left)

    @property
    def left(self) -> int:
        """Number of grains that have left through open faces of the domain."""
        return self.engine.outflow.count if self.engine.outflow is not None else 0

    def share_left(self) -> float:
        """Share of all grains that have left, by number (1)."""
        return self.left / self.grain_count

    def observables(self) -> dict[str, Any]:
        """All observables at the present step (see docs/theory/observables.md).

        What contacts give is not-a-number unless the step was observed: at the start, after ``step(..., observe=True)``, at the end of a stage.
        """
        values: dict[str, Any] = self.observer.measure(self.engine)
        values["taps"] = self.stages.taps(self.engine.step)
        return values

    # -- checkpoints --------------------------------------------------------------------------------------------------------------

    def header(self) -> dict[str, Any]:
        """What a checkpoint needs beside grains, contacts and walls; exact, the same on every rank."""
        settings = self.setup.scene.settings
        totals = [int(v) for v in self._totals()]
        outflow = self.engine.outflow
        more = {"outflow": {"grains": outflow.count, "carried": outflow.carried}} if outflow is not None else {}
        return {
            "step": self.engine.step, "stage": self.stages.index, "stage_base": self.stages.base,
            "quanta": [settings.force, settings.torque, settings.energy], "totals": totals, "observer": self.observer.state(),
            "case_hash": self.case.hash(), **more,
        }  # fmt: skip

    def _totals(self) -> np.ndarray:
        """Exact totals over ranks in energy quanta: normal and tangential loss, then the work of each wall (Python integers)."""
        limbs = np.concatenate([self.engine.tally[: st.STORED], self.setup.scene.walls.work])
        mine = [int(low) + (int(high) << 32) for low, high in limbs]
        return np.array([sum(column) for column in zip(*self.comm.allgather(mine), strict=True)], dtype=object)

    def _beginning(self, start: dict[str, Any] | None) -> tuple[Population, ContactTable, int]:
        if start is None:
            everything = initial_grains(self.case, self.setup.catalogue)
            return everything.take(np.arange(everything.count) % self.comm.size == self.comm.rank), ContactTable.empty(self._width), 0
        self.setup.scene.walls.motion[:] = start["small"]["wall_motion"]
        return start["grains"], start["contacts"], int(start["header"]["step"])

    @property
    def _width(self) -> int:
        return history_width(self.setup.scene.interaction, self.setup.scene.settings.budget)

    def _restore(self, start: dict[str, Any]) -> None:
        header = start["header"]
        self.stages.restore(int(header["stage"]), int(header["stage_base"]), self.engine.step)
        self.observer.restore(header["observer"])
        if self.comm.rank == 0:
            limbs = [(value & 0xFFFFFFFF, value >> 32) for value in header["totals"]]
            self.engine.tally[: st.STORED] = limbs[: st.STORED]
            if len(limbs) > st.STORED:
                self.setup.scene.walls.work[:] = limbs[st.STORED :]
        if self.stages.is_over(self.engine.step, self.kinetic_energy_per_grain, self.share_left):
            self.stages.advance(self.engine)

    def _axis(self, grains: Population) -> int:
        """Axis that the slabs cut: the one chosen, else the longest extent of the domain or of the grains."""
        if self.case.parallel.axis != "auto":
            return "xyz".index(self.case.parallel.axis)
        if self.case.domain is not None:
            return int(np.argmax(np.subtract(self.case.domain.upper, self.case.domain.lower)[: self.case.dimension]))
        x = grains.x[:, :3]
        bounds = np.array([x.max(axis=0), -x.min(axis=0)]) if len(x) else np.full((2, 3), -np.inf)
        self.comm.Allreduce(MPI.IN_PLACE, bounds, MPI.MAX)
        return int(np.argmax(bounds[0] + bounds[1]))
