"""A simulation: case, engine, stages and observables put together. ``pardem.files`` adds files, ``pardem.run`` progress and signals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from .beginning import beginning
from .case import Case
from .decomposition.exact import exact_totals
from .decomposition.nested_slabs import Nested
from .engine import Engine
from .followers import Follower, Repeated
from .guard import made_once
from .held import Held, living
from .observables.above_hole import is_above
from .observables.collect import Observer
from .observables.energy import kinetic_energy
from .recorder import Recorder
from .run_options import RunOptions
from .setup.continuation import Continuation
from .setup.initial_grains import size_range
from .setup.preparation import Setup, build_scene
from .setup.quanta import held_quanta
from .stages import Stages
from .state import arrays as st
from .state.saved import OutflowTotals, RunHeader, RunState
from .walls.motion.rows import LOAD, WORK
from .walls.motion.work import work_to_come

if TYPE_CHECKING:
    from .files import RunFiles
    from .live import LiveContacts, LiveGrains


class Simulation:
    """A case in motion. All methods are collective: every rank calls them.

    Args:
        case: validated case.
        comm: communicator; ``MPI.COMM_SELF`` or a single rank for a serial run.
        start: state of a run to go on from; None to start from the case.

    Attributes:
        case_hash: hash of the case.
        taken_over: where the case starts from another run, how many of the contacts of that run live on in this one, and how many it had.

    Raises:
        CaseError: the state that the case starts from has not been read (`pardem.with_origin`), or does not fit the case.

    Examples:
        >>> sim = Simulation(case, MPI.COMM_WORLD)                  # doctest: +SKIP
        >>> sim.write("out.h5")                                     # doctest: +SKIP
        >>> sim.every(100, lambda sim: print(sim.time))             # doctest: +SKIP
        >>> while sim.proceed:                                      # doctest: +SKIP
        ...     sim.step(1000)
        >>> sim.observables()["density"]                            # doctest: +SKIP
        >>> sim.grains.position                                     # doctest: +SKIP
    """

    taken_over: tuple[int, int] | None = None

    def __init__(self, case: Case, comm: MPI.Comm, start: RunState | None = None) -> None:
        self.case = case
        self.comm = comm
        self.partition = Nested(comm, case.parallel.parts, case.parallel.rebalance)
        self.setup: Setup = build_scene(case, *made_once(comm, lambda: size_range(case)), held_quanta(start))
        self.case_hash = made_once(comm, case.hash)  # reads the files that the case names
        scene = self.setup.scene
        begins = beginning(comm, case, self.setup, start)
        self.grain_count = begins.total
        skin = 0.0 if case.detection.every_step else case.detection.skin
        self.engine = Engine(
            self.partition, scene, begins.grains, begins.contacts, skin=None if skin == "auto" else float(skin), step=begins.step,
            outflow=begins.outflow, inflow=begins.inflow,
        )  # fmt: skip
        self.stages = Stages(case, self.setup)
        self.observer = Observer(comm, case, self.setup.catalogue, scene)
        self.followers: list[Follower] = []
        if case.output.needs_contacts:
            self.record_contacts()
        if start is not None:
            self._restore(start.header)
        elif begins.continuation is None:
            self.stages.begin(self.engine)
            self.engine.evaluate()
        else:
            self._continue_from(begins.continuation)

    # -- motion -------------------------------------------------------------------------------------------------------------------

    @property
    def proceed(self) -> bool:
        """Whether the stages have not all ended."""
        return not self.stages.finished

    @property
    def steps_done(self) -> int:
        """Number of steps done since the start of the run."""
        return self.engine.step

    @property
    def time(self) -> float:
        """Simulated time (s)."""
        return self.engine.step * self.case.time.step

    def step(self, steps: int = 1, observe: bool = False) -> None:
        """Advance by a number of steps, through the ends of stages, but not beyond the end of the last one.

        Args:
            steps: largest number of steps.
            observe: whether to look at the contacts of the last step, so that ``observables`` is complete and ``contacts`` are known.

        Raises:
            BlowUpError: the motion became unphysical; raised on every rank.
        """
        if observe:
            self.record_contacts()
        target = self.engine.step + steps
        while self.proceed and self.engine.step < target:
            step = self.engine.step
            event = self.stages.next_event(step)
            goal = min([target, event, *(follower.next_after(step) for follower in self.followers)])
            wanted = any(follower.observes(goal) for follower in self.followers)
            # the last step of a stage may be the last of the run: its contacts are wanted
            self.engine.advance(goal - step, observe=wanted or (observe and goal == target) or goal == event)
            if self._stage_is_over():
                self.stages.advance(self.engine)
            for follower in list(self.followers):
                follower.act(self.engine.step)

    def _stage_is_over(self) -> bool:
        """Whether the stage ends at this step. Collective."""
        waiting = self.engine.inflow is not None and self.engine.inflow.waiting
        return self.stages.is_over(self.engine.step, waiting, self._energy_per_grain, self.share_left, self.grains_above)

    # -- what else happens at certain steps ---------------------------------------------------------------------------------------

    def every(self, steps: int, function: Callable[[Simulation], object], observe: bool = False) -> Repeated:
        """Call a function at all multiples of a number of steps, from within ``step``.

        The function is called on every rank, so it may itself call what is collective (``observables``, ``grains.gathered``), on all ranks alike. It
        must not advance the simulation. An error in it ends ``step``; if it occurs on one rank alone, the other ranks wait for it.

        Args:
            steps: distance of two calls (steps).
            function: gets the simulation.
            observe: whether the function needs the contacts of its steps, for ``contacts`` and for the observables that need them.

        Returns:
            The repetition, whose method ``stop`` ends it.
        """
        if observe:
            self.record_contacts()
        repeated = Repeated(self, steps, function, observe)
        self.followers.append(repeated)
        return repeated

    def write(self, out: Path | str, *, resume: bool = False, force: bool = False) -> RunFiles:
        """Write the files of ``pardem run`` from now on, at the steps that the case asks for: frames, rows of observables, checkpoints.

        The first frame is written at once, and the last one at the end of the last stage, when the result becomes a single file. A simulation that
        is not driven to its end is ended with ``close`` of what is returned, or by leaving its ``with`` block: it writes a checkpoint, with which
        ``pardem run --resume`` or ``resume`` goes on. ``checkpoint_minutes`` holds for steps at which a frame or a row is due.

        Args:
            out: result file.
            resume: whether the simulation was started from the newest checkpoint of this result (``run_state.load_start``) and goes on with it.
            force: whether to overwrite an existing result.

        Returns:
            The files, a context manager.

        Raises:
            FileError: the file exists, is being written by another run, or could not be written; on every rank.
        """
        from .files import write_files  # HDF5 comes with it

        return write_files(self, Path(out), RunOptions(resume=resume, force=force))

    def record_contacts(self) -> None:
        """Keep the contacts of observed steps one by one from now on."""
        if self.engine.recorder is None:
            self.engine.recorder = Recorder()

    # -- grains, contacts, numbers ------------------------------------------------------------------------------------------------

    @property
    def grains(self) -> LiveGrains:
        """The grains of this rank at the present step, as arrays by name; ``gathered`` has those of all ranks. Not collective."""
        from .live import own_grains

        return own_grains(self)

    @property
    def contacts(self) -> LiveContacts:
        """The contacts at the present step that this rank counts, as arrays by name; ``gathered`` has those of all ranks. Not collective.

        Over all ranks each contact is counted once. They are known after ``step(..., observe=True)``, in functions that ``every`` calls with
        ``observe=True`` and, where the case asks for contacts in its output, at the start, in frames and at the end of a stage.

        Raises:
            RuntimeError: the contacts of the present step have not been looked at.
        """
        from .live import own_contacts

        return own_contacts(self)

    def kinetic_energy_per_grain(self) -> float:
        """Return the kinetic energy per grain still in the domain (J), bitwise the same on every rank; 0 if none is left."""
        return self._energy_per_grain(None)

    def _energy_per_grain(self, which: str | None) -> float:
        """The kinetic energy per grain still in the domain (J), all of it or that of "translation"; the same on every rank."""
        translational, rotational = kinetic_energy(self.comm, self.engine.grains, self.setup.catalogue)
        return (translational + (0.0 if which == "translation" else rotational)) / max(1, self.grain_count - self.left - self.to_come)

    @property
    def left(self) -> int:
        """Number of grains that have left through open faces of the domain."""
        return self.engine.outflow.count if self.engine.outflow is not None else 0

    @property
    def to_come(self) -> int:
        """Number of poured grains that have not arrived yet."""
        return self.engine.inflow.count if self.engine.inflow is not None else 0

    def share_left(self) -> float:
        """Share of all grains that have left, by number (1)."""
        return self.left / self.grain_count

    def grains_above(self, disc: str) -> int:
        """Return the number of grains above the hole of a disc, the same on every rank.

        Args:
            disc: name of a disc with a hole.
        """
        (row,) = self.setup.walls[disc]
        return int(self.comm.allreduce(np.count_nonzero(is_above(self.engine.grains.x, self.setup.scene.walls, row))))

    def observables(self) -> dict[str, Any]:
        """Return all observables at the present step, by name (see docs/theory/observables.md).

        Those that need contacts are NaN unless the step was observed: at the start, after ``step(..., observe=True)``, and at the end of a stage.
        """
        values: dict[str, Any] = self.observer.measure(self.engine)
        values["taps"] = self.stages.taps(self.engine.step)
        values["stage"] = self.stages.of_step(self.engine.step)
        return values

    # -- checkpoints --------------------------------------------------------------------------------------------------------------

    def state(self) -> RunState:
        """What a run goes on from. Collective."""
        settings, outflow, inflow = self.setup.scene.settings, self.engine.outflow, self.engine.inflow
        header = RunHeader(
            self.engine.step, self.case_hash, self.stages.index, self.stages.base, (settings.force, settings.torque, settings.energy),
            self._totals(), self.observer.state(), OutflowTotals(outflow.count, outflow.carried) if outflow is not None else None,
            inflow.totals() if inflow is not None else None,
        )  # fmt: skip
        grains, left = self.engine.all_grains()
        motion = self.setup.scene.walls.motion.copy()
        return RunState(header, grains, self.engine.owned_contacts(), motion, left if outflow is not None or inflow is not None else None)

    def _totals(self) -> list[int]:
        """Exact totals over ranks in energy quanta: normal and tangential loss, then the work of each wall."""
        limbs = np.concatenate([self.engine.tally[: st.STORED], self.setup.scene.walls.work])
        return exact_totals(self.comm, limbs)

    def _continue_from(self, found: Continuation) -> None:
        """Begin with the state of another run; nothing has been lost and no work done yet. Collective."""
        engine, walls, settings = self.engine, self.setup.scene.walls, self.setup.scene.settings
        loads, before = walls.motion[:, LOAD].copy(), living(engine.state)
        self.stages.begin(engine)
        engine.evaluate(Held(engine.state, found.grain_count, found.columns, found.unchanged))
        if found.unchanged:
            walls.motion[:, LOAD] = loads
        engine.tally[: st.STORED], walls.work[:] = 0, 0
        reaction = exact_totals(self.comm, walls.reaction.reshape(-1, 2))
        walls.motion[:, WORK] = work_to_come(walls, np.array(reaction, dtype=object).reshape(-1, 6), settings)
        kept = sum(int(np.count_nonzero(old & new)) for old, new in zip(before, living(engine.state), strict=True))
        self.taken_over = int(self.comm.allreduce(kept)), found.contact_count

    def _restore(self, header: RunHeader) -> None:
        self.stages.restore(header.stage, header.stage_base, self.engine.step)
        self.observer.restore(header.observer)
        if self.comm.rank == 0:
            limbs = [(value & 0xFFFFFFFF, value >> 32) for value in header.totals]
            self.engine.tally[: st.STORED] = limbs[: st.STORED]
            if len(limbs) > st.STORED:
                self.setup.scene.walls.work[:] = limbs[st.STORED :]
        if self._stage_is_over():
            self.stages.advance(self.engine)
